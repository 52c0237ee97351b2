import numpy as np
import polars as pl
import pytest

from quorate.decide.all_pairs import compare
from quorate.decide.stop import monitor, stopping_rule
from quorate.decide.votes import Outcome
from quorate.errors import InvalidInput, NotEstimable
from quorate.table.read_votes import read_votes


def test_it_stops_at_the_first_look_that_decides(between):
    found = monitor(between(40, 0), "x", "y")
    assert found.outcome is Outcome.BETTER
    assert found.evidence[found.stopped - 1] >= np.log(20) > found.evidence[found.stopped - 2]
    worse = monitor(between(40, 0), "y", "x")
    assert worse.outcome is Outcome.WORSE
    assert (found.exit_code, worse.exit_code) == (0, 2)
    assert found.p_value <= 0.05


def test_it_goes_on_while_undecided(between):
    found = monitor(between(3, 2), "x", "y")
    assert (found.outcome, found.stopped, found.exit_code) == (Outcome.UNDECIDED, None, 2)
    assert found.sentence.startswith("Go on: undecided whether x or y is preferred; x wins 60.0% of 5 votes")


def test_equivalence_only_with_a_margin(between):
    order = {"time": [float(i % 500) for i in range(1000)]}
    votes = between(500, 500, **order)
    assert monitor(votes, "x", "y").outcome is Outcome.UNDECIDED
    assert monitor(votes, "x", "y", margin=0.1).outcome is Outcome.EQUIVALENT


def test_votes_are_taken_in_the_order_of_their_time(between):
    found = monitor(between(2, 2, time=[3.0, 4.0, 1.0, 2.0]), "x", "y")
    assert found.wins.tolist() == [0, 0, 1, 2]


def test_votes_that_share_a_judge_are_looked_at_seldom_and_by_clusters(between):
    """29 to 21, 52 to 48 and 130 to 70: the third look decides, and 30 more votes are not counted."""
    rng, won = np.random.default_rng(1), []
    for x, y in ((29, 21), (23, 27), (78, 22), (0, 30)):
        won += rng.permutation(["x"] * x + ["y"] * y).tolist()
    columns = {
        "model_a": ["x"] * 230,
        "model_b": ["y"] * 230,
        "winner": won,
        "judge": [f"j{i % 20}" for i in range(230)],
    }
    found = monitor(read_votes(pl.DataFrame(columns), announce=False), "x", "y")
    assert found.n.tolist() == [50, 100, 200]
    assert found.cluster == ("judge",)
    first = pl.DataFrame({name: column[:200] for name, column in columns.items()})
    last = compare(read_votes(first, announce=False), "x", "y")
    assert np.exp(-found.evidence[-1]) == pytest.approx(last.p_difference * 12)
    assert (found.low[-1], found.high[-1]) == pytest.approx(last.difference.at(1 - 0.05 / 12).ends)
    assert [one.code for one in found.caveats] == [one.code for one in last.caveats]
    assert (found.outcome, found.left) == (Outcome.BETTER, 30)


@pytest.mark.parametrize("cluster", [(), "judge"])
def test_votes_after_the_stop_are_counted_but_not_as_evidence(between, cluster):
    """80 votes for x, then 120 for y: the claim stands as it was made, and no number is of what came later."""
    labels = [f"j{i % 20}" for i in range(200)]
    found = monitor(between(80, 120, judge=labels), "x", "y", cluster=cluster)
    at = 50 if cluster else 16
    assert (found.outcome, found.n[-1], found.left, len(found.n)) == (Outcome.BETTER, at, 200 - at, found.stopped)
    assert f"100.0% of {at} votes" in found.sentence
    assert found.sentence.endswith(
        f"{200 - at} votes after that are not counted: the claim was made at the stop, and what they say is no "
        "evidence for it."
    )
    early = monitor(between(at, 0, judge=labels[:at]), "x", "y", cluster=cluster)
    plain = found.to_dict()
    assert plain["left"] == 200 - at
    for name in ("n", "wins", "low", "high", "p_value"):
        assert plain[name] == early.to_dict()[name]
    assert len(found.rows()) == len(early.rows())


def test_votes_that_wait_for_the_next_look_are_said(between):
    waiting = monitor(between(60, 60, judge=[f"j{i % 10}" for i in range(120)], time=TURNS), "x", "y")
    assert waiting.left == 20
    assert "20 votes after that are not counted yet. The next look is at 200 votes." in waiting.sentence


TURNS = [*range(0, 120, 2), *range(1, 120, 2)]
"""Of 60 votes for either system, one after the other."""


def test_before_the_first_look_nothing_is_known(between):
    found = monitor(between(20, 0, judge=[f"j{i % 10}" for i in range(20)]), "x", "y")
    assert (found.outcome, found.n.tolist(), found.p_value) == (Outcome.UNDECIDED, [20], 1)
    assert found.sentence.endswith("The next look is at 50 votes.")
    later = monitor(between(60, 60, judge=[f"j{i % 10}" for i in range(120)], time=TURNS), "x", "y")
    assert later.sentence.endswith("The next look is at 200 votes.")


def test_one_judge_so_far_says_nothing_of_others(between):
    found = monitor(between(200, 0, judge=["a"] * 60 + [f"j{i % 7}" for i in range(140)]), "x", "y")
    assert (found.low[0], found.high[0], found.evidence[0]) == (-0.5, 0.5, 0)


def test_votes_are_independent_only_if_that_is_said(between):
    votes = between(40, 0, judge=[f"j{i % 10}" for i in range(40)])
    found = monitor(votes, "x", "y", cluster=())
    assert len(found.n) + found.left == 40
    assert [one.code for one in found.caveats] == ["taken-as-independent"]


def test_ties_count_as_asked(between):
    votes = between(2, 0, 2)
    assert monitor(votes, "x", "y", ties="half").wins.tolist() == [1, 2, 2.5, 3]
    assert len(monitor(votes, "x", "y").n) == 2


def test_stopping_rule_is_never_wrong_more_often_than_promised():
    rule = stopping_rule(0, 2000)
    assert rule.found <= 0.05
    assert rule.peeking > 0.4
    assert stopping_rule(0.1, 2000).expected < stopping_rule(0.1, 2000).fixed


def test_refusals(between):
    with pytest.raises(InvalidInput, match="tuned"):
        monitor(between(3, 2), "x", "y", tuned=0)
    with pytest.raises(InvalidInput, match="most"):
        stopping_rule(0.1, 10**6)
    with pytest.raises(InvalidInput, match="single votes"):
        monitor(between(1, 1, count=[3, 2]), "x", "y")
    with pytest.raises(NotEstimable, match="none between"):
        monitor(between(0, 0, 3), "x", "y")
