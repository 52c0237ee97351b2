from __future__ import annotations

import polars as pl
import pytest

import quorate as q
from quorate.estimate.ratings.judges import by_judges


def scored(favoured=8.0, judges=5):
    """Six items: y is a little better than x with every judge but the last, who favours x by far."""
    rows = [
        (
            system,
            item,
            f"j{j}",
            5 + item % 3 + (0.5 if system == "y" else 0) + (favoured if (system, j) == ("x", judges - 1) else 0),
        )
        for system in "xy"
        for item in range(6)
        for j in range(judges)
    ]
    frame = pl.DataFrame(rows, schema=["system", "item", "judge", "score"], orient="row")
    return q.read(frame, announce=False)


def test_one_judge_decides_the_first_place():
    found = by_judges(scored())
    assert (found.first, found.median, found.trimmed) == ("x", "y", "y")
    assert dict(found.without) == {"j0": "x", "j1": "x", "j2": "x", "j3": "x", "j4": "y"}
    assert found.sentence == (
        "The highest mean is that of x, but without j4 that of y; the first is y by the median of judges and y by "
        "their trimmed mean."
    )
    assert [row["same"] for row in found.rows()] == [True] * 4 + [False] * 3


def test_nothing_hangs_on_a_judge():
    found = by_judges(scored(favoured=0.0, judges=3))
    assert found.trimmed is None
    assert (
        found.sentence == "y has the highest mean without any one of 3 judges; the first is y by the median of judges."
    )


def test_harder_items_of_a_judge_favour_nobody():
    table = scored(favoured=0.0, judges=3)
    hard = (table.column("judge") == 0) & (table.column("item") < 3) & (table.column("system") == 1)
    assert by_judges(table.keep(~hard)).first == "y"


def test_what_cannot_be_seen():
    assert by_judges(scored(judges=2)) is None
    table = scored()
    assert by_judges(table.keep((table.column("judge") > 0) | (table.column("system") > 0))) is None
    assert by_judges(table, "judge") is None


@pytest.mark.parametrize(("fixed", "others"), [(("judge",), True), ((), True), (("judge", "prompt"), True)])
def test_the_board_says_for_whom(judged, fixed, others):
    board = q.rank(judged({"item": 12, "judge": 5, "prompt": 2, "system": 3}, fixed=fixed, seed=3))
    assert any(f"with these {two}" in board.sentence for two in ("5 judges and 2 prompts", "2 prompts and 5 judges"))
    assert ("For judges like these, with these 2 prompts: " in board.sentence) is others
    unsaid = "2 prompts cannot tell how other prompts differ: a third would"
    assert (unsaid in board.sentence) is ("prompt" not in fixed)
    assert "A mean of judges is the judges' opinion" in board.sentence
    assert board.to_dict()["by_judges"]["first"] == board.systems[0]
