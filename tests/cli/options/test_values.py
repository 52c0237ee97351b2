import pytest

from quorate.cli.options.groups import counts, grid, names, numbers_of_words, pairs
from quorate.errors import InvalidInput


def test_pairs_are_split_at_the_first_sign():
    assert pairs("--facet", ["judge=judge_model", " item = a=b "], "") == {"judge": "judge_model", "item": "a=b"}
    assert pairs("--facet", None, "") == {}


@pytest.mark.parametrize("value", ["judge", "=x", "judge=", ""])
def test_half_a_pair_is_an_error(value):
    with pytest.raises(InvalidInput, match=r"^--facet: expects a pair such as judge=who, got "):
        pairs("--facet", [value], "judge=who")


def test_a_role_given_twice_is_an_error():
    with pytest.raises(InvalidInput, match=r'^--facet: "judge" is given twice, as a and b; give it once$'):
        pairs("--facet", ["judge=a", "judge=b"], "")


def test_an_empty_column_is_a_pair_only_where_it_means_something():
    assert pairs("--facet", ["judge="], "judge=who", empty=True) == {"judge": ""}
    for value in ("judge", "=x"):
        with pytest.raises(InvalidInput, match=r"^--facet: expects a pair"):
            pairs("--facet", [value], "judge=who", empty=True)


@pytest.mark.parametrize(("text", "found"), [("", ()), ("a", ("a",)), (" a, b ,", ("a", "b"))])
def test_names_stand_between_commas(text, found):
    assert names(text) == found


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


def test_counts_are_whole_numbers():
    assert counts("--levels", ["annotator=4"], "") == {"annotator": 4}
    with pytest.raises(InvalidInput, match=r'^--levels: annotator must be a whole number, got "few"$'):
        counts("--levels", ["annotator=few"], "")


@pytest.mark.parametrize("text", ["bad", "bad=", "=1", "bad=x", "bad=nan", "bad=1,bad=2"])
def test_words_without_a_number_are_refused(text):
    with pytest.raises(InvalidInput, match="--numbers: "):
        numbers_of_words("--numbers", text)
