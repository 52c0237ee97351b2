"""Comparisons of strategies are projections: the closed forms where those apply."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from closed_forms import coverage, proposition_1
from hypothesis import given
from hypothesis import strategies as st

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
        ({"items": 80, "judges": 5, "budgets": (5, 0)}, "budgets: must be a whole number from 1 to"),
        ({"items": 80, "judges": 5, "budgets": 2.5}, "budgets: must be a whole number"),
        ({"items": 80, "judges": 5, "most_items": 79}, "most_items: must be a whole number from 80 to"),
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


# The closed forms against the paper's numbers, against a sum over every cell, and against the general projection.


# Zhu et al. (2026), Table 2: components, and contributions to the variance x 1e-3 at n = 80, m = 1, K = 1, K_tot = 5
TABLE_2 = {
    "Qwen": ((1.530, 0.266, 0.947, 1.486), (19.13, 3.33, 946.50, 18.57)),
    "Llama": ((0.882, 0.238, 0.503, 1.130), (11.03, 2.97, 502.50, 14.12)),
    "GPT": ((0.634, 0.076, 0.339, 0.564), (7.92, 0.94, 339.00, 7.05)),
}
variances = st.floats(0, 100)
counts = st.integers(1, 12)
four = dict.fromkeys(("alpha", "beta", "eps", "interaction"), variances)
five = {**four, "gamma": variances}


@pytest.mark.parametrize("model", TABLE_2)
def test_table_2(model):
    components, (scenario, generation, judge, residual) = TABLE_2[model]
    found = proposition_1(*components, n=80, m=1, judges=1, pool=5)
    assert 1e3 * found.scenario == pytest.approx(scenario, abs=0.0101)  # printed from unrounded components
    assert 1e3 * found.generation == pytest.approx(generation, abs=0.0101)
    assert 1e3 * found.residual == pytest.approx(residual, abs=0.0101)
    assert 1e3 * found.judge == pytest.approx(judge, abs=0.501)
    assert found.judge_share > 0.94


def test_the_judge_share_of_the_whole_pool_is_zero():
    assert proposition_1(1, 1, 1, 1, n=2, m=1, judges=5, pool=5).judge == 0
    assert np.isnan(proposition_1(0, 0, 1, 0, n=2, m=1, judges=5, pool=5).judge_share)
    assert proposition_1(0, 0, 3, 0, n=1, m=1, judges=1, pool=1).variance == 0


@pytest.mark.parametrize(("model", "saved"), [("Qwen", 35.1), ("Llama", 26.9), ("GPT", 34.6)])
def test_cycling_saves_of_the_variance_of_random_judges(model, saved):
    (_, beta, gamma, eps), _ = TABLE_2[model]
    b = random_judge(beta, gamma, eps, n=80, budget=5, pool=5)
    c = cyclic(beta, eps, n=80, budget=5, pool=5)
    assert 100 * (1 - c / b) == pytest.approx(saved, abs=0.05)


@pytest.mark.parametrize(("model", "better"), [("Qwen", False), ("Llama", False), ("GPT", True)])
def test_all_judges_beat_random_ones_for_gpt_alone(model, better):
    """Section 4.4: for Qwen and Llama random judging is preferable."""
    (_, beta, gamma, _), _ = TABLE_2[model]
    options = {"n": 80, "budget": 5, "pool": 5}
    assert (all_judges(beta, 0, **options) < random_judge(beta, gamma, 0, **options)) is better


def variance(owner, generations, beta, gamma, eps, interaction, pool):
    """Variance about the mean over these scenarios and the pool, cell by cell; ``owner[i]`` lists (generation, judge).

    Biases are centred, so that equal weights cancel them; a random one has variance gamma.
    """
    calls = sum(map(len, owner))
    total = 0.0
    for cells in owner:
        by_generation = np.bincount([j for j, _ in cells], minlength=generations) / calls
        by_judge = np.bincount([judge for _, judge in cells], minlength=pool) / calls
        total += beta * np.sum(by_generation**2) + eps * len(cells) / calls**2
        total += interaction * np.sum((by_judge - 1 / (len(owner) * pool)) ** 2)
    judges = sum(np.bincount([judge for _, judge in cells], minlength=pool) / calls for cells in owner)
    return total + gamma * pool / (pool - 1) * np.sum((judges - 1 / pool) ** 2)


PARTS = {"beta": 0.3, "eps": 1.1, "interaction": 0.7}


@pytest.mark.parametrize("budget", [3, 6])
def test_all_judges_cell_by_cell(budget):
    owner = [[(j, judge) for j in range(budget // 3) for judge in range(3)] for _ in range(4)]
    exact = variance(owner, budget, 0.3, 0.9, 1.1, 0.7, 3)
    assert all_judges(**PARTS, n=4, budget=budget, pool=3) == pytest.approx(exact, rel=1e-13)


@pytest.mark.parametrize(("n", "budget"), [(4, 3), (4, 6), (6, 1), (3, 2), (6, 5), (3, 7)])
def test_cyclic_cell_by_cell(n, budget):
    """Turns that go on from scenario to scenario, whether or not a cycle ends with one."""
    owner = [[(j, (i * budget + j) % 3) for j in range(budget)] for i in range(n)]
    exact = variance(owner, budget, 0.3, 0.9, 1.1, 0.7, 3)
    assert cyclic(**PARTS, n=n, budget=budget, pool=3) == pytest.approx(exact, rel=1e-13)


def test_random_judges_over_every_assignment():
    """The mean over all 3^4 equally likely assignments of judges."""
    n, budget = 2, 2
    every = [
        variance([[(0, a), (1, b)], [(0, c), (1, d)]], budget, 0.3, 0.9, 1.1, 0.7, 3)
        for a, b, c, d in product(range(3), repeat=4)
    ]
    found = random_judge(gamma=0.9, **PARTS, n=n, budget=budget, pool=3)
    assert found == pytest.approx(np.mean(every), rel=1e-13)


@given(beta=variances, gamma=variances, interaction=variances, n=counts, times=counts, pool=st.integers(2, 9))
def test_cycling_dominates(beta, gamma, interaction, n, times, pool):
    """Eqs. 6 to 8; the interaction is what random judges pay more, and the others alike."""
    options = {"n": n, "budget": times * pool, "pool": pool}
    a, c = all_judges(beta, 0.0, **options), cyclic(beta, 0.0, **options)
    b = random_judge(beta, gamma, 0.0, **options, interaction=interaction)
    calls = n * times * pool
    by_chance = interaction * (pool - 1) / pool
    assert a - c == pytest.approx((pool - 1) * beta / calls, rel=1e-9, abs=1e-12)
    assert b - c == pytest.approx((gamma + by_chance) / calls, rel=1e-9, abs=1e-12)
    assert a - b == pytest.approx(((pool - 1) * beta - gamma - by_chance) / calls, rel=1e-9, abs=1e-12)
    assert min(a, b) - c >= -1e-12


@pytest.mark.parametrize("interaction", [0.0, 0.7])
def test_more_scenarios_before_more_generations(interaction):
    """Eq. 35. The interaction costs the same for every m up to the pool, and grows beyond."""
    alpha, beta, eps = 0.9, 0.25, 1.1
    found = {
        m: coverage(alpha, beta, eps, generations=60, m=m, pool=5, interaction=interaction) for m in (1, 2, 3, 4, 5, 10)
    }
    for m, value in found.items():
        assert 60 * value == pytest.approx(m * alpha + beta + eps + interaction * max(1, m / 5), rel=1e-12)
    assert list(found.values()) == sorted(found.values())


def projected(alpha, beta, gamma, eps, interaction, *, layout, n, m, judges, pool, items):
    parts = {"item": alpha, "item:generation": beta, "item:judge": interaction, "cell": eps}
    return q.project(
        q.components(parts, sensitivity={"judge": gamma}),
        items=n,
        judges=judges,
        levels={"generation": m},
        layout=layout,
        targets={"item": items, "judge": q.pool(pool)},
        balanced=0.0 if layout == "random" else 1.0,
    ).variance


@given(**five, n=counts, m=counts, judges=counts, more=st.integers(0, 9))
def test_proposition_1_is_the_projection(alpha, beta, gamma, eps, interaction, n, m, judges, more):
    closed = proposition_1(
        alpha, beta, gamma, eps, n=n, m=m, judges=judges, pool=judges + more, interaction=interaction
    )
    general = projected(
        alpha, beta, gamma, eps, interaction,
        layout="factorial", n=n, m=m, judges=judges, pool=judges + more, items="population",
    )  # fmt: skip
    assert general == pytest.approx(closed.variance, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("items", ["finite", "population"])
@given(**four, n=counts, times=counts, pool=st.integers(2, 9))
def test_all_judges_is_the_projection(items, alpha, beta, eps, interaction, n, times, pool):
    closed = all_judges(beta, eps, n=n, budget=times * pool, pool=pool, interaction=interaction, items=items)
    general = projected(
        alpha, beta, 1.0, eps, interaction, layout="factorial", n=n, m=times, judges=pool, pool=pool, items=items
    )
    assert general == pytest.approx(closed + own(alpha, n, items), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("items", ["finite", "population"])
@given(**five, n=counts, m=counts, pool=st.integers(2, 9))
def test_a_random_judge_is_the_projection(items, alpha, beta, gamma, eps, interaction, n, m, pool):
    closed = random_judge(beta, gamma, eps, n=n, budget=m, pool=pool, interaction=interaction, items=items)
    general = projected(
        alpha, beta, gamma, eps, interaction, layout="random", n=n, m=m, judges=pool, pool=pool, items=items
    )
    assert general == pytest.approx(closed + own(alpha, n, items), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("items", ["finite", "population"])
@given(**four, n=counts, m=counts, pool=st.integers(2, 9))
def test_cyclic_is_the_projection(items, alpha, beta, eps, interaction, n, m, pool):
    closed = cyclic(beta, eps, n=n * pool, budget=m, pool=pool, interaction=interaction, items=items)
    general = projected(
        alpha, beta, 1.0, eps, interaction, layout="cyclic", n=n * pool, m=m, judges=pool, pool=pool, items=items
    )
    assert general == pytest.approx(closed + own(alpha, n * pool, items), rel=1e-12, abs=1e-12)


@given(**four, n=counts, m=counts, pool=st.integers(2, 9))
def test_coverage_is_the_projection(alpha, beta, eps, interaction, n, m, pool):
    closed = coverage(alpha, beta, eps, generations=n * m * pool, m=m, pool=pool, interaction=interaction)
    general = projected(
        alpha, beta, 1.0, eps, interaction, layout="cyclic", n=n * pool, m=m, judges=pool, pool=pool, items="population"
    )
    assert general == pytest.approx(closed, rel=1e-12, abs=1e-12)


def own(alpha, n, items):
    """What the closed forms leave out."""
    return alpha / n if items == "population" else 0.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: all_judges(1, 1, n=2, budget=7, pool=5), "budget: must be a multiple of 5, got 7; use 10"),
        (lambda: cyclic(1, 1, n=2, budget=1, pool=5), r"n \* budget: must be a multiple of 5, got 2"),
        (lambda: cyclic(-1, 1, n=1, budget=5, pool=5), "beta: must be a finite variance"),
        (lambda: random_judge(1, float("nan"), 1, n=1, budget=1, pool=5), "gamma: must be a finite variance"),
        (lambda: random_judge(1, 1, 1, n=1.5, budget=1, pool=5), "n: must be a whole number"),
        (lambda: all_judges(1, 1, n=1, budget=5, pool=5, items="some"), "items: must be one of"),
        (lambda: random_judge(1, 1, 1, n=1, budget=1, pool=0), "pool: must be a whole number"),
        (lambda: cyclic(1, 1, n=True, budget=5, pool=5), "n: must be a whole number"),
    ],
)
def test_what_is_refused_of_closed_forms(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()
