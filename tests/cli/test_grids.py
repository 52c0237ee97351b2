import pytest

from quorate.cli.grids import grid
from quorate.errors import InvalidInput


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("7", [7]), ("20,30", [20, 30]), ("1-4", [1, 2, 3, 4]), ("5, 10-30:10", [5, 10, 20, 30]), ("3-3", [3])],
)
def test_numbers_and_ranges(text, wanted):
    assert grid("--items", text) == wanted


@pytest.mark.parametrize("text", ["", "a", "3-1", "1-5:0", "1,,2", "-3", "1.5", "1-2-3", "9" * 11, "=1+1"])
def test_what_is_no_number(text):
    with pytest.raises(InvalidInput, match=r"--items: expects numbers such as 20,30 or 1-5 or 20-200:10, got"):
        grid("--items", text)


def test_more_numbers_than_anyone_needs():
    with pytest.raises(InvalidInput, match=r"--items: stands for more than 1,000,000 numbers"):
        grid("--items", "1-9999999999")
