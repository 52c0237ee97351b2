import pytest

from quorate.cli.places import check_places
from quorate.errors import InvalidInput


def test_places_that_can_be_written_are_taken(tmp_path):
    check_places(tmp_path / "a.html", tmp_path / "a.md", tmp_path / "charts")
    check_places(None)


@pytest.mark.parametrize(
    ("places", "said"),
    [
        (("a.pdf", None, None), "--report"),
        (("a.html", "a.html", None), "--markdown"),
        (("nowhere/a.html", None, None), "--report"),
        ((None, None, "taken"), "--charts"),
    ],
)
def test_others_are_refused_by_the_name_of_their_option(tmp_path, places, said):
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(InvalidInput, match=said):
        check_places(*(None if place is None else tmp_path / place for place in places))
