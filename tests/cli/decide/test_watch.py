"""`quorate rank --watch`: what is sure while votes come in, and what does not go with it."""

from __future__ import annotations

import polars as pl
import pytest

import quorate as q

PAIRS = [("x", "y"), ("y", "z"), ("x", "z")]


@pytest.fixture
def board(tmp_path):
    rows = [{"model_a": a, "model_b": b, "winner": "model_a"} for a, b in PAIRS * 30]
    pl.DataFrame(rows).write_csv(tmp_path / "board.csv")
    return tmp_path / "board.csv"


def test_all_pairs_are_watched_with_one_chance_of_being_wrong(run, board):
    page = board.with_name("board.md")
    ran = run("rank", board, "--watch", "--report", page)
    assert ran.code == 0
    assert ran.out.startswith("Of 3 pairs of 3 systems 3 are in a known order and 0 are undecided. x is first.")
    assert ["x", "1", "1", "2", "0"] in [line.split() for line in ran.out.splitlines()]
    assert "3 systems of 3 have a known rank" in page.read_text()
    grown = run("rank", board, "--watch", "--systems", "12", "--json").json
    assert (grown["pairs"], grown["undecided"]) == (66, 0)


def test_it_says_what_the_call_says(run, board):
    options = ("--margin", ".2", "--tuned", ".2", "--ties", "half", "--cluster", "none", "--level", ".9")
    ran = run("rank", board, "--watch", *options, "--json")
    votes = q.read_votes(board, announce=False)
    found = q.votes.monitor_all(votes, margin=0.2, tuned=0.2, ties="half", cluster=(), level=0.9)
    assert ran.json["verdicts"] == found.to_dict()["verdicts"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--watch --elo", "no such option: --elo"),
        ("--watch --ties davidson", "'davidson' is not one of 'drop', 'half', 'pessimistic'"),
        ("--margin .1", "no such option: --margin"),
    ],
)
def test_what_does_not_go_together_is_refused(run, board, options, message):
    ran = run("rank", board, *options.split())
    assert (ran.code, message in ran.err) == (1, True)
