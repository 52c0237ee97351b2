from __future__ import annotations

import polars as pl
import pytest

import quorate as q
from quorate.reporting.pages.ratings.boards import page


@pytest.fixture(scope="module")
def found():
    """x is far ahead in one language; in the other nothing is told apart, and in the third there is one vote."""
    rows = [("x", "y", 90, 10, "en"), ("x", "y", 10, 9, "de"), ("x", "y", 1, 0, "fi")]
    frame = pl.DataFrame(rows, schema=["model_a", "model_b", "a", "b", "language"], orient="row")
    votes = q.read_votes(frame, wins=("a", "b"), facets={"language": "language"}, announce=False)
    return q.rank(votes, by="language")


def test_one_row_per_board_and_one_leaderboard_each(found):
    made = page(found)
    first, *others = made.sections
    (overview,) = first.figures
    assert overview.caption.finding == "On 1 of 2 boards one system is first"
    rows = {row["level"]: row for row in overview.rows}
    assert (rows["en"]["first"], rows["de"]["first"], rows["en"]["votes"]) == ("x", "x and y", 100)
    assert [figure.name for section in others for figure in section.figures] == ["leaderboard-1", "leaderboard-2"]
    assert "No board for fi" in made.sentence


def test_pooled_ratings_have_a_section():
    rows = [(a, b, 30 + 5 * i, 30, f"l{i}") for i in range(5) for a, b in (("x", "y"), ("y", "z"), ("x", "z"))]
    frame = pl.DataFrame(rows, schema=["model_a", "model_b", "a", "b", "language"], orient="row")
    votes = q.read_votes(frame, wins=("a", "b"), facets={"language": "language"}, announce=False)
    made = page(q.rank(votes, by="language", pooled=True))
    assert [section.title for section in made.sections[:2]] == ["Who is first, by language", "Pooled over languages"]
    (figure,) = made.sections[1].figures
    assert len(figure.rows) == 15
    assert list(figure.rows[0])[:5] == ["level", "system", "own", "overall", "pooled"]
    assert "Assumed: deviations of a level from the overall ratings are normal" in figure.caption.lines[1]


def test_it_is_written(found, tmp_path):
    for name in ("boards.html", "boards.md", "boards.json"):
        assert "On 1 of 2 boards" in q.report(found, tmp_path / name).read_text(encoding="utf-8") or name.endswith("n")


def test_boards_say_how_few_votes_decide_and_whether_votes_are_taken_as_independent():
    rows = [("x", "y", "x" if i % 3 else "y", f"p{i // 2}", language) for language in ("en", "de") for i in range(60)]
    frame = pl.DataFrame(rows, schema=["model_a", "model_b", "winner", "prompt", "language"], orient="row")
    votes = q.read_votes(frame, facets={"language": "language"}, announce=False)
    made = page(q.rank(votes, by="language", fragility=True, cluster=()))
    assert "were votes independent, which they need not be" in made.sections[0].figures[0].caption.lines[0]
    assert all(section.text[1].startswith("Without ") for section in made.sections[1:])
    plain = page(q.rank(votes, by="language"))
    assert plain.sections[0].figures[0].caption.lines == ("Of each board for all ranks at once, with 95% confidence.",)
    assert all(len(section.text) == 1 for section in plain.sections[1:])
