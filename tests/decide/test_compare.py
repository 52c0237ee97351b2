from __future__ import annotations

import pytest

import quorate as q
from quorate.decide.scores import verdict_of_scores
from quorate.decide.votes import Outcome, verdict_of_votes
from quorate.errors import InvalidInput, UnknownTerm


def test_votes_get_their_verdict(between):
    votes = between(52, 48, 25, prompt=[f"p{i // 5}" for i in range(125)])
    options = {"margin": 0.05, "ties": "half", "cluster": "prompt", "budget": 500, "price": 0.5, "power": 0.8}
    found = q.compare(votes, "x", "y", **options)
    assert found.to_dict() == verdict_of_votes(votes, "x", "y", **options).to_dict()
    assert found.outcome is Outcome.UNDECIDED
    strict = q.compare(between(60, 40), "x", "y", level=0.99, claim="better")
    assert (strict.outcome, strict.exit_code) == (Outcome.UNDECIDED, 2)


def test_a_facet_means_nothing_for_votes(between):
    with pytest.raises(InvalidInput, match=r'system: not for votes.*got "system"; leave it out'):
        q.compare(between(5, 5), "x", "y", system="system")


@pytest.fixture
def scores(judged):
    return judged({"item": 20, "judge": 3, "model": 2}, fixed=())


def test_scores_get_their_verdict(scores):
    options = {"system": "model", "margin": 3.0, "level": 0.9, "targets": {"judge": "panel"}, "prices": {"call": 0.01}}
    found = q.compare(scores, "model0000", "model0001", **options)
    assert found.to_dict() == verdict_of_scores(scores, "model0000", "model0001", **options).to_dict()
    assert found.difference.se > 0
    with pytest.raises(UnknownTerm, match='no facet "system"'):
        q.compare(scores, "model0000", "model0001")


@pytest.mark.parametrize("option", [{"ties": "half"}, {"cluster": "judge"}])
def test_options_of_votes_mean_nothing_for_scores(scores, option):
    with pytest.raises(InvalidInput, match=rf"{next(iter(option))}: not for scores.*leave it out"):
        q.compare(scores, "model0000", "model0001", system="model", **option)


@pytest.mark.slow
def test_a_budget_is_for_both(scores, between):
    options = {"system": "model", "targets": {"judge": "population"}, "budget": 50, "margin": 0.5}
    found = q.compare(scores, "model0000", "model0001", **options)
    assert found.next_step.budget == 50
    assert not found.next_step.affordable
    for budget in (0, -1, float("nan"), float("inf"), "10", True):
        with pytest.raises(InvalidInput, match="budget: a number above 0 and finite, got"):
            q.compare(scores, "model0000", "model0001", system="model", budget=budget)
    with pytest.raises(InvalidInput, match="budget: a number of judgments, whole"):
        q.compare(between(52, 48), "x", "y", budget=10.5)


@pytest.mark.parametrize("table", [7, None, {"a": 1}])
def test_anything_else_is_refused(table):
    with pytest.raises(InvalidInput, match=r"expects what quorate\.read or quorate\.read_votes returns.*read it first"):
        q.compare(table, "x", "y")
