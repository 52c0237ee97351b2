from __future__ import annotations

import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidInput, UnknownTerm
from quorate.table.read_scores import at_levels
from quorate.table.reread import answers


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "scores.csv"
    cells = [(i, j, language) for i in range(3) for j in "ab" for language in ("de", "en")]
    lines = [f"i{i},{j},{language},{place}" for place, (i, j, language) in enumerate(cells)]
    path.write_text("\n".join(["item,grader,language,score", *lines]) + "\n")
    return path


def test_one_level_of_a_facet_by_role_or_column(path):
    for name in ("judge", "grader"):
        found = q.read(path, only={name: "a"}, announce=False)
        assert found.facet("judge").levels == ("a",)
        assert [caveat.sentence for caveat in found.source.caveats] == ['only judge "a": 6 of 12 rows']
        assert answers(found).values.tolist() == [0, 1, 4, 5, 8, 9]


def test_a_column_that_plays_no_role_is_a_facet_of_its_own(path):
    found = q.read(path, only={"language": "de"}, announce=False)
    assert (found.names, found.n_answers) == (("item", "judge", "language"), 6)
    named = q.read(path, facets={"item": "item"}, only={"language": "de"})
    assert (named.names, named.n_answers) == (("item", "language"), 6)


def test_votes():
    frame = pl.DataFrame({"model_a": ["x"] * 4, "model_b": ["y"] * 4, "winner": ["x"] * 4, "judge": ["a", "b"] * 2})
    found = q.read_votes(frame, only={"judge": "b"}, announce=False)
    assert (found.n, found.source.caveats[0].sentence) == (2, 'only judge "b": 2 of 4 rows')
    assert at_levels(found, None) is found


def test_what_is_not_there_is_refused(path):
    table = q.read(path, announce=False)
    with pytest.raises(UnknownTerm, match=r'no .*"c"'):
        at_levels(table, {"judge": "c"})
    with pytest.raises(UnknownTerm, match="chosen with where"):
        at_levels(table, {"turn": "1"})
    part = table.keep((table.column("judge") == 0) | (table.column("item") == 0))
    with pytest.raises((InvalidInput, UnknownTerm)):
        at_levels(part, {"item": "i2", "judge": "b"})
