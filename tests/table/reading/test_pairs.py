"""The two sides of votes, and who won."""

from __future__ import annotations

import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidInput
from quorate.table.exchange.rows import Rows
from quorate.table.facts.profile import looked_at
from quorate.table.reading.taken import pair_of


def proposed(**columns):
    with looked_at(pl.DataFrame(columns), Rows()) as table:
        found = pair_of(table)
        return None if found is None else dict(found.options)


SIDES = {"left": ["ann", "bob", "cleo"], "right": ["bob", "cleo", "ann"]}


@pytest.mark.parametrize(
    ("columns", "options"),
    [
        ({**SIDES, "best": ["ann", "cleo", "tie"]}, {"winner": "best"}),
        ({**SIDES, "res": [1, -1, 1]}, {"winner": "res", "outcomes": {"a": 1, "b": -1}}),
        (
            {**SIDES, "best": ["A is better", "B is better", "about the same"]},
            {"winner": "best", "outcomes": {"a": "A is better", "b": "B is better", "tie": "about the same"}},
        ),
        ({**SIDES, "res": [1, 2, 0]}, {"winner": "res", "outcomes": {"a": 1, "b": 2, "tie": 0}}),
        ({**SIDES, "left_wins": [3, 4, 9], "right_wins": [1, 2, 3]}, {"wins": ("left_wins", "right_wins")}),
    ],
)
def test_outcomes(columns, options):
    assert proposed(**columns) == {"model_a": "left", "model_b": "right"} | options


@pytest.mark.parametrize(
    "columns",
    [
        {"a": ["x", "y"], "b": ["p", "q"], "winner": ["x", "y"]},
        {"good": ["yes", "no"], "short": ["no", "yes"], "score": [1, 2]},
        {**SIDES, "note": ["fine", "bad", "odd"]},
    ],
)
def test_no_votes(columns):
    assert proposed(**columns) is None


def test_judges_side_by_side_who_often_agree_are_no_sides():
    words = ["benign", "harmful", "unclear", "benign", "harmful"]
    assert proposed(gpt=words, gemini=words[::-1], grok=words) is None


def test_truths_beside_sides_are_no_reason_to_stop():
    assert proposed(**SIDES, safe=[True, False, True], res=[1, 2, 1]) == {
        "model_a": "left",
        "model_b": "right",
        "winner": "res",
        "outcomes": {"a": 1, "b": 2},
    }


@pytest.mark.parametrize("library", ["polars", "pandas"])
def test_several_columns_of_winners_are_what_judges_said(tmp_path, library):
    frame = pl.DataFrame(
        {
            "model_a": ["x", "y"] * 12,
            "model_b": ["y", "z"] * 12,
            **{f"winner{k}": [("a", "b", "tie")[(i * k) % 3] for i in range(24)] for k in (1, 2)},
        }
    )
    frame.write_csv(tmp_path / "a.csv")
    votes = q.read(tmp_path / "a.csv", announce=False)
    assert votes.facet("judge").levels == ("winner1", "winner2")
    assert (votes.n, len(votes.facet("prompt").levels)) == (48, 24)
    own = frame if library == "polars" else frame.to_pandas()
    same = q.read(own, winner=["winner1", "winner2"], facets={"prompt": "row number"}, announce=False)
    assert same.wins("x", "y") == votes.wins("x", "y")


def test_people_beside_judges_who_say_who_won_are_asked_about(tmp_path):
    names = ("human_winner", "gpt-4o", "claude-3")
    winners = {name: [("a", "b", "tie")[(i * k) % 3] for i in range(24)] for k, name in enumerate(names, 1)}
    frame = pl.DataFrame({"model_a": ["x", "y"] * 12, "model_b": ["y", "z"] * 12, **winners})
    with pytest.raises(InvalidInput, match=r'winner=\("human_winner", "gpt-4o", "claude-3"\), .*judges against people'):
        q.read(frame)
