import numpy as np
import pytest

from quorate.decide.stop import monitor, stopping_rule
from quorate.decide.votes.verdict import Outcome
from quorate.errors import InvalidInput, NotEstimable


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


def test_a_cluster_counts_once_from_its_last_vote(between):
    found = monitor(between(3, 1, prompt=["p", "q", "r", "p"]), "x", "y", cluster="prompt")
    assert found.wins.tolist() == [1.0, 2.0, 2.5]
    assert found.unit == "prompt"


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
