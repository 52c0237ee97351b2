"""Comparisons of strategies are projections: the closed forms where those apply."""

from __future__ import annotations

import numpy as np
import pytest
from closed_forms import coverage

import quorate as q
from quorate.errors import InvalidInput, UnknownTerm
from quorate.planning.panel.strategies import (
    ALL,
    COVERAGE,
    CYCLIC,
    RANDOM,
    Strategies,
    all_judges,
    compare_strategies,
    cyclic,
    random_judge,
)

ALPHA, BETA, GAMMA, EPS = 1.530, 0.266, 0.947, 1.486  # Zhu et al. (2026), Table 2, Qwen


@pytest.fixture(scope="module")
def qwen():
    return q.components({"item": ALPHA, "item:generation": BETA, "cell": EPS}, sensitivity={"judge": GAMMA})


@pytest.fixture(scope="module")
def nested(simulate):
    """A fit of 30 items with 4 generations of their own, and 3 fixed judges who are all as noisy."""
    frame = simulate({"item": 30, "generation": 4, "judge": 3}, sd={"generation": 0.0, "generation:judge": 0.0})
    facets = {name: name for name in ("item", "generation", "judge")}
    judgments = q.read(frame, facets=facets, nested={"generation": "item"}, fixed=("judge",), announce=False)
    return q.decompose(judgments)


def test_the_papers_strategies(qwen):
    found = compare_strategies(qwen, items=80, judges=5, targets={"item": "finite"})
    assert found.budgets == (5, 10, 20)
    for budget in found.budgets:
        study = {"n": 80, "budget": budget, "pool": 5}
        at = found.at(budget)
        assert list(at) == [CYCLIC, RANDOM, ALL]
        assert at[ALL].variance == pytest.approx(all_judges(BETA, EPS, **study), rel=1e-12)
        assert at[RANDOM].variance == pytest.approx(random_judge(BETA, GAMMA, EPS, **study), rel=1e-12)
        assert at[CYCLIC].variance == pytest.approx(cyclic(BETA, EPS, **study), rel=1e-12)
        assert {plan.calls for plan in at.values()} == {80 * budget}
    assert [row.rank for row in found.rows] == [1, 2, 3] * 3
    assert not found.left_out


def test_more_items_take_the_calls(qwen):
    found = compare_strategies(qwen, items=80, judges=5, budgets=5, most_items=150)
    plan = found.at(5)[COVERAGE]
    assert (plan.design["item"], plan.design["generation"], plan.calls) == (133, 3, 399)
    whole = compare_strategies(qwen, items=80, judges=5, budgets=5, most_items=400).best()
    assert (whole.name, whole.projection.design["item"]) == (COVERAGE, 400)
    expected = coverage(ALPHA, BETA, EPS, generations=400, m=1, pool=5)
    assert whole.projection.variance == pytest.approx(expected, rel=1e-12)


def test_why_calls_are_not_spent_on_more_items(qwen):
    one = compare_strategies(qwen, items=80, judges=5, budgets=5, most_items=80)
    assert one.left_out[COVERAGE, 5] == "there are not enough more items"
    two = compare_strategies(qwen, items=80, judges=5, budgets=5, most_items=800, targets={"item": "finite"})
    assert two.left_out[COVERAGE, 5] == "the mean stands for these items"


def test_a_budget_that_all_judges_cannot_spend(qwen):
    found = compare_strategies(qwen, items=80, judges=5, budgets=(7, 5, 7))
    assert found.budgets == (5, 7)
    assert set(found.at(7)) == {CYCLIC, RANDOM}
    assert found.left_out == {(ALL, 7): "7 calls per item cannot be shared by 5 judges"}
    assert "asking one at random" in found.sentence(7)


def test_the_interaction_is_paid_by_random_judges(qwen):
    """And by a cycle that does not end with the item; not by all judges or whole cycles."""
    more = q.components({**qwen.random, "item:judge": 0.5}, sensitivity=qwen.sensitivity)
    given = {"items": 80, "judges": 5, "budgets": (1, 5), "targets": {"item": "finite"}}
    without, with_it = compare_strategies(qwen, **given), compare_strategies(more, **given)
    extra = {
        (row.name, row.budget): row.projection.variance - without.at(row.budget)[row.name].variance
        for row in with_it.rows
    }
    assert extra[ALL, 5] == pytest.approx(0, abs=1e-15)
    assert extra[CYCLIC, 5] == pytest.approx(0, abs=1e-15)
    assert extra[RANDOM, 5] == pytest.approx(0.5 * 0.8 / 400, rel=1e-9)
    assert extra[CYCLIC, 1] == pytest.approx(0.5 * 0.8 / 80, rel=1e-9)


def test_dear_generations(qwen):
    found = compare_strategies(
        qwen, items=80, judges=5, budgets=5, prices={"call": 1.0, "generation": 3.0}, targets={"item": "finite"}
    )
    assert {name: plan.cost for name, plan in found.at(5).items()} == {CYCLIC: 1600, RANDOM: 1600, ALL: 640}
    assert "for a price of 1,600 instead of 640" in found.sentence()


def test_judges_with_prices_of_their_own(qwen):
    """Every strategy asks all judges equally often, a random one on average: the same calls at the same price."""
    judge = {name: float(price) for price, name in enumerate("abcde", 1)}
    found = compare_strategies(qwen, items=80, judges=5, budgets=5, prices={"judge": judge})
    assert [plan.cost for plan in found.at(5).values()] == pytest.approx([80 * 15.0] * 3)
    assert "price" not in found.sentence()


def test_the_cheaper_of_two_alike_comes_first():
    """Without generation variance, asking all judges is as good as cycling, on fewer generations."""
    flat = q.components({"item": 1.0, "item:generation": 0.0, "cell": 1.0}, sensitivity={"judge": 0.1})
    found = compare_strategies(flat, items=10, judges=3, budgets=6, prices={"call": 1.0, "generation": 1.0})
    assert [row.name for row in found.rows][:2] == [ALL, CYCLIC]
    assert "no different from asking all of them" in found.sentence()


@pytest.mark.parametrize("target", ["finite", "population"])
def test_from_a_fit_with_its_own_judges_and_items(nested, target):
    """Components of the model with item:judge, and the spread of the judges less its noise."""
    found = compare_strategies(nested, budgets=3, targets={"item": target})
    value = {name: nested.variance(name) for name in ("generation", "item:judge", "cell")}
    gamma = gamma_of(nested)
    study = {"n": 30, "budget": 3, "pool": 3, "interaction": value["item:judge"], "items": target}
    own = nested.variance("item") / 30 if target == "population" else 0.0
    closed = {
        ALL: all_judges(value["generation"], value["cell"], **study),
        RANDOM: random_judge(value["generation"], gamma, value["cell"], **study),
        CYCLIC: cyclic(value["generation"], value["cell"], **study),
    }
    assert found.judges == 3
    for name, plan in found.at(3).items():
        assert plan.variance == pytest.approx(closed[name] + own, rel=1e-9)


def gamma_of(fit):
    """Spread (divisor K) of the judges' means less the noise that is in it."""
    means = fit.assembled.fixed.levels["judge"] @ fit.beta
    noise = fit.variance("item:judge") / 30 + fit.variance("cell") / (30 * 4)
    return (np.var(means, ddof=1) - noise) * 2 / 3


def test_a_call_is_one_answer_whatever_the_pilot_had(judged):
    """And every level of a further facet takes a budget of its own."""
    sizes = {"item": 8, "generation": 2, "judge": 2, "prompt": 3}
    fit = q.decompose(judged(sizes, replicates=2, fixed=("judge",), announce=False))
    found = compare_strategies(fit, budgets=4)
    assert {plan.calls for plan in found.at(4).values()} == {8 * 4 * 3}


def test_judges_drawn_from_a_population(nested):
    """Then asking all of three judges leaves their effect in."""
    panel, drawn = (
        compare_strategies(nested, budgets=3, targets=targets).at(3)[ALL].variance
        for targets in ({}, {"judge": "population"})
    )
    assert drawn > panel


def test_results_as_values_and_as_a_frame(qwen):
    found = compare_strategies(qwen, items=80, judges=5, budgets=(5, 7))
    assert isinstance(found, Strategies)
    values = found.to_dict()
    assert [row["name"] for row in values["rows"]] == [row.name for row in found.rows]
    assert values["left_out"][0]["strategy"] == ALL
    assert len(values["sentences"]) == 2
    frame = found.to_frame()
    assert list(frame.columns) == [
        "strategy",
        "budget",
        "rank",
        "items",
        "generations",
        "calls",
        "cost",
        "half_width",
        "se",
    ]
    assert len(frame) == 5


def test_sentences(qwen):
    finite = compare_strategies(qwen, items=80, judges=5, budgets=(1, 5), targets={"item": "finite"})
    below = "has a standard error 21% below asking all of them, at the same 400 calls."
    assert finite.sentence(5) == f"Cycling the 5 judges over generations {below}"
    assert finite.sentence().startswith("Cycling the 5 judges over items has")
    wide = compare_strategies(qwen, items=80, judges=5, budgets=5, most_items=1000)
    assert wide.sentence().endswith("Over 400 items with 1 generation each it is 41% below that over 80.")


def test_sentences_of_nothing():
    """No variance at all leaves nothing to tell apart."""
    none = q.components({"item": 0.0, "item:generation": 0.0, "cell": 0.0}, sensitivity={"judge": 0.0})
    assert "no different from" in compare_strategies(none, items=4, judges=2, budgets=2).sentence()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"items": 80}, "judges: must be a whole number from 2 to 1,000,000,000, got None"),
        ({"items": 80, "judges": 1}, "judges: must be"),
        ({"judges": 5}, "items: must be a whole number from 1 to 1,000,000,000, got None"),
        ({"items": 80, "judges": 5, "budgets": ()}, "budgets: at least one"),
        (
            {"items": 80, "judges": 5, "budgets": (5, 0)},
            "budgets: must be a whole number from 1 to",
        ),
        ({"items": 80, "judges": 5, "budgets": 2.5}, "budgets: must be a whole number"),
        (
            {"items": 80, "judges": 5, "most_items": 79},
            "most_items: must be a whole number from 80 to",
        ),
    ],
)
def test_what_is_refused(qwen, options, message):
    with pytest.raises(InvalidInput, match=message):
        compare_strategies(qwen, **options)


def test_components_without_generations_or_judges():
    with pytest.raises(UnknownTerm, match='no term "generation"'):
        compare_strategies(q.components({"item": 1.0, "item:judge": 1.0}), items=3, judges=2)
    with pytest.raises(UnknownTerm, match='no term "judge"'):
        compare_strategies(q.components({"item": 1.0, "item:generation": 1.0}), items=3, judges=2)


def test_a_budget_that_was_not_asked_about(qwen):
    found = compare_strategies(qwen, items=80, judges=5, budgets=5)
    with pytest.raises(InvalidInput, match="budget: one of 5 is needed, got 6"):
        found.best(6)


def test_scores_are_decomposed_first():
    with pytest.raises(InvalidInput, match="source: expects what decompose or components returns, got list"):
        compare_strategies([1, 2])
