"""Standings: every pair at one level, ranks that the orders leave open, and what is refused."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

from quorate.decide.outcome import Outcome
from quorate.decide.stop import monitor, monitor_all
from quorate.errors import InvalidInput
from quorate.table.read_votes import read_votes


def board(shares, n, seed=1, **more):
    """Votes on every two systems in turn; ``shares`` by pair for the first."""
    rng, rows = np.random.default_rng(seed), []
    for _ in range(n):
        for (a, b), share in shares.items():
            rows.append({"model_a": a, "model_b": b, "winner": "model_a" if rng.random() < share else "model_b"})
    frame = pl.DataFrame(rows)
    return read_votes(frame.with_columns(**more) if more else frame, announce=False)


CLEAR = {("x", "y"): 0.9, ("y", "z"): 0.55, ("x", "z"): 0.95}


@pytest.fixture(scope="module")
def votes():
    return board(CLEAR, 60)


@pytest.fixture(scope="module")
def found(votes):
    return monitor_all(votes)


def test_every_pair_is_watched_at_the_level_that_they_share(votes, found):
    own = {(one.a, one.b): one for one in found.monitors}
    assert found.pairs == 3
    for pair, one in own.items():
        alone = monitor(votes, *pair, level=1 - 0.05 / 3)
        assert one.outcome is Outcome.UNDECIDED or one.p_value <= 0.05 / 3
        assert (one.outcome, one.stopped, one.level) == (alone.outcome, alone.stopped, alone.level)
        assert one.low == pytest.approx(alone.low)
    assert found.ordered == (("x", "y"), ("x", "z"))
    assert found.ranks == {"x": (1, 1), "y": (2, 3), "z": (2, 3)}
    assert (found.undecided, found.exit_code) == (1, 2)
    assert "2 are in a known order and 1 is undecided. x is first. The chance that anything" in found.sentence


def test_a_board_that_may_grow_pays_for_all_its_pairs(votes):
    grown = monitor_all(votes, systems=10)
    assert grown.pairs == 45
    assert all(one.level == pytest.approx(1 - 0.05 / 45) for one in grown.monitors)
    assert all(one.stopped is None or one.stopped > 10 for one in grown.monitors)


def test_pairs_with_too_few_votes_are_undecided_and_cost_nothing():
    seldom = board({("x", "y"): 0.9}, 60).rows
    frame = {"model_a": ["x"] * 60 + ["z"] * 4, "model_b": ["y"] * 60 + ["x"] * 4, "winner": ["model_a"] * 64}
    some = monitor_all(read_votes(pl.DataFrame(frame), announce=False))
    assert seldom == 60
    assert (len(some.monitors), some.few, some.undecided) == (1, 2, 2)
    assert some.ranks == {"x": (1, 2), "y": (2, 3), "z": (1, 3)}


def test_no_order_is_decided_by_fewer_votes_than_those_that_are_passed_over():
    """One vote less than the least, all for one system, decides nothing."""
    from quorate.decide.stop import _least

    for alpha in (0.05, 0.001, 1e-5):
        least = _least(alpha, 0.1)
        frame = {"model_a": ["x"] * least, "model_b": ["y"] * least, "winner": ["model_a"] * least}
        whole = read_votes(pl.DataFrame(frame), announce=False)
        assert monitor(whole, "x", "y", level=1 - alpha).outcome is Outcome.BETTER
        fewer = whole.keep(np.arange(least) < least - 1)
        assert monitor(fewer, "x", "y", level=1 - alpha).outcome is Outcome.UNDECIDED


def test_equal_systems_are_equivalent_within_a_margin():
    alike = monitor_all(board({("x", "y"): 0.5, ("y", "z"): 0.5, ("x", "z"): 0.5}, 900), margin=0.15)
    assert [one.outcome for one in alike.monitors] == [Outcome.EQUIVALENT] * 3
    assert (alike.undecided, alike.exit_code, alike.ordered) == (0, 0, ())
    assert "3 are equivalent and 0 are undecided" in alike.sentence


def test_it_is_plain_and_has_a_row_per_system(found):
    plain = json.loads(json.dumps(found.to_dict()))
    assert [row["system"] for row in plain["systems"]] == ["x", "y", "z"]
    assert {row["outcome"] for row in plain["verdicts"]} == {"better", "undecided"}
    assert len(found.to_frame()) == 3


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"systems": 2}, "systems: a number at least 3, which is how many there are"),
        ({"systems": 2.5}, "systems"),
        ({"level": 0.3}, "level: a number between 0.5 and 1"),
        ({"tuned": 0}, "tuned"),
    ],
)
def test_what_is_out_of_range_is_refused(votes, options, line):
    with pytest.raises(InvalidInput, match=line):
        monitor_all(votes, **options)


def test_decided_pairs_leave_more_to_the_others():
    """x beats y and z at once; y against z has evidence between 1 over .05 / 3 and 1 over .05 / 2."""
    order = [("x", "y", 60, 0), ("x", "z", 60, 0), ("y", "z", 32, 9)]
    rows = [(a, b, name) for a, b, won, lost in order for name in [a, b] * lost + [a] * (won - lost)]
    votes = read_votes(pl.DataFrame(rows, schema=["model_a", "model_b", "winner"], orient="row"), announce=False)
    evidence = monitor(votes, "y", "z", level=1 - 1e-9).p_value
    assert 0.05 / 3 < evidence <= 0.05 / 2
    found = monitor_all(votes)
    assert (found.ordered, found.undecided) == ((("x", "y"), ("x", "z"), ("y", "z")), 0)
    assert found.monitors[-1].level == pytest.approx(1 - 0.05 / 2)
    assert monitor_all(votes, margin=0.01).undecided == 1
    assert monitor_all(votes, systems=5).undecided == 1
