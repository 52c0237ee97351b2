import pytest

from quorate.decide.margin import margin_of_counts, margin_of_votes
from quorate.decide.next_step import next_step
from quorate.plan.equivalence import equivalence_size
from quorate.plan.power import sample_size


def step(found, **options):
    return next_step(found, **{"margin": None, "alpha": 0.05, "power": 0.9, "counting": 1.0, **options})


def test_a_difference_as_found():
    found = step(margin_of_counts(56, 100, "x", "y"), price=2.0, budget=800)
    assert (found.toward, found.votes, found.cost) == ("difference", sample_size(0.06), 2.0 * sample_size(0.06))
    assert found.affordable
    assert found.at_least == sample_size(margin_of_counts(56, 100, "x", "y").interval()[1])


def test_equivalence_where_it_is_cheaper():
    found = step(margin_of_counts(51, 100, "x", "y"), margin=0.1)
    assert found.toward == "equivalence"
    assert found.votes == equivalence_size(0.1, true_margin=0.01, method="normal")
    assert step(margin_of_counts(61, 100, "x", "y"), margin=0.1).toward == "difference"


def test_ties_are_paid_for_too():
    assert step(margin_of_counts(56, 100, "x", "y"), counting=0.5).votes == 2 * sample_size(0.06)


def test_votes_that_resemble_each_other_cost_more(between):
    prompts = [f"p{i // 4}" for i in range(224)] + [f"q{i // 4}" for i in range(176)]
    found = margin_of_votes(between(224, 176, prompt=prompts), "x", "y", cluster="prompt")
    assert step(found).votes == pytest.approx(4 * sample_size(0.06), rel=0.02)


def test_nothing_decides_a_margin_of_zero():
    assert step(margin_of_counts(50, 100, "x", "y")) is None
