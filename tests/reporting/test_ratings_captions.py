from __future__ import annotations

import pytest

import quorate as q
from quorate.analysis.ratings import RatingsView
from quorate.reporting import ratings_captions as captions


@pytest.mark.parametrize(
    ("labels", "each", "says"),
    [
        ("abc", 60, "a is first of 3 systems"),
        ("ab", 10, "a is ahead, at rank 1–2; 0 of 1 pair of systems are told apart"),
    ],
)
def test_who_is_first(ballots, labels, each, says):
    assert captions.leaderboard(RatingsView(q.rank(ballots(tuple(labels), each, each / 60)))).finding == says


def test_several_may_be_first(ballots):
    import numpy as np
    import polars as pl

    strength = np.array([1.0, 0.9, -1.0, -1.1])
    pairs = [(i, j) for i in range(4) for j in range(i + 1, 4)]
    wins = [round(100 / (1 + np.exp(strength[j] - strength[i]))) for i, j in pairs]
    rows = [("abcd"[i], "abcd"[j], won, 100 - won) for (i, j), won in zip(pairs, wins, strict=True)]
    frame = pl.DataFrame(rows, schema=["model_a", "model_b", "a", "b"], orient="row")
    view = RatingsView(q.rank(q.read_votes(frame, wins=("a", "b"), announce=False)))
    caption = captions.leaderboard(view)
    assert caption.finding.startswith("a leads 2 systems that share the first places (best with chance ")
    assert caption.lines[-1].startswith("Shaded and plain bands: rank groups")
    assert captions.groups(view).finding == "4 systems form 2 rank groups"
    assert captions.pairs(view).finding == "4 of 6 pairs of systems are told apart"
    assert captions.ranks(view).finding == "0 of 4 ranks are sure; the least sure, a, is anywhere from 1 to 2"


def test_not_rankable_is_said_first(rated):
    view = RatingsView(q.rank(rated(gap=0.0, favour=0.6)))
    assert captions.leaderboard(view).finding.startswith("These 3 systems are not rankable")


def test_the_estimand_is_said(ballots, rated):
    line = captions.leaderboard(RatingsView(q.rank(ballots()).elo())).lines[0]
    assert line == "Elo points about the mean of all systems, with 95% intervals for each; 3 systems, 180 votes."
    assert captions.leaderboard(RatingsView(q.rank(rated()))).lines[0].startswith("Mean score, with 95% intervals")


def test_systems_that_are_not_drawn_are_said(ballots):
    names = tuple(f"s{i:03d}" for i in range(captions.MOST_DRAWN + 1))
    lines = captions.leaderboard(RatingsView(q.rank(ballots(names, each=8, spread=0.5)))).lines
    assert "The first 120 are drawn; the table has all." in lines
