from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import quorate as q
from quorate.planning.search.whatif import what_if

NORMAL = {"item": 0.5, "prompt": 0.02, "judge": 0.05, "item:judge": 0.1, "item:prompt": 0.05, "prompt:judge": 0.01}


@given(st.integers(3, 300), st.floats(0.5, 0.999))
def test_half_an_interval_is_the_median_of_many(items, level):
    """One mean square: the middle study has its median, and Student's quantile on all its degrees of freedom."""
    plan = q.project(q.components({"item": 1.0}), items=items)
    middle = stats.t.ppf((1 + level) / 2, items - 1) * np.sqrt(stats.chi2.median(items - 1) / (items - 1))
    assert plan.at(level).half_width == pytest.approx(middle * plan.se, rel=1e-6)


@pytest.mark.parametrize(("prompts", "variance"), [(3, 0.0), (3, 0.15), (6, 0.02)])
def test_the_middle_study_is_the_median_of_simulated_ones(prompts, variance):
    """Balanced mean squares drawn 20,000 times, and the rule of the interval by hand."""
    items, rng = 40, np.random.default_rng(5)
    plan = q.project(q.components({"item": 1.0, "prompt": variance, "item:prompt": 0.7}), items=items, prompts=prompts)
    df = np.array([items - 1, prompts - 1])
    truth = np.array([1.0 + 0.7 / prompts, variance * items / prompts + 0.7 / prompts]) / items
    found = truth * rng.chisquare(df, (20_000, 2)) / df
    drawn = np.maximum(found[:, 1] - 0.5 * 0.7 / (items * prompts), 0)
    t = stats.t.ppf(0.975, df) ** 2
    assert plan.half_width == pytest.approx(np.median(np.sqrt(t[0] * found[:, 0] + t[1] * drawn)), rel=0.03)


@pytest.fixture(scope="module")
def shares():
    """0/1 scores at a rate of .9 by 2 prompts, which show no variance, and 3 judges."""
    rng, at = np.random.default_rng(5), np.indices((80, 2, 3)).reshape(3, -1)
    chance = 1 / (1 + np.exp(-(3 + 1.5 * rng.normal(size=80))))
    columns = dict(zip(("item", "prompt", "judge"), at, strict=True))
    return q.decompose(q.read(pl.DataFrame(columns | {"score": rng.binomial(1, chance[at[0]])}), announce=False))


def test_plans_of_shares_near_an_end_stay_on_the_scale(shares):
    """The study at hand and the same planned again: no interval of shares is longer than their scale."""
    made, again = what_if(shares)[0].projection, q.project(shares)
    assert again.half_width == pytest.approx(made.half_width, rel=0.5)
    assert again.at(0.999).half_width <= 0.5


def test_no_promise_is_narrower_than_with_fewer_facets_drawn():
    source = q.components({**NORMAL, "replicate": 0.3})

    def half(**targets):
        return q.project(source, items=120, prompts=3, judges=3, layout="cyclic", targets=targets).half_width

    assert half() > half(prompt="panel") > half(judge="panel", prompt="panel")
    assert half() > half(judge="panel") > half(judge="panel", prompt="panel")


@pytest.mark.parametrize("judges", [1, 2])
def test_fewer_than_three_levels_promise_nothing_of_others(judges):
    plan = q.project(q.components({"item": 0.01, "judge": 0.001}), items=50, judges=judges)
    assert plan.half_width == np.inf
    assert np.isfinite(q.project(q.components({"item": 0.01, "judge": 0.001}), items=50, judges=3).half_width)


def test_many_designs_at_once_are_what_each_is():
    """The search looks at all of them together."""
    limits = {"items": [20, 40], "prompts": [3, 4], "judges": [3]}
    best = q.plan(q.components(NORMAL), half_width=0.9, limits=limits)
    plan = best.plan
    alone = q.project(
        q.components(NORMAL),
        items=plan.design["item"],
        prompts=plan.design["prompt"],
        judges=3,
        layout=plan.layout,
    )
    assert "ends-unknown" in [caveat.code for caveat in best.caveats]
    kept = best.searched.found.frontier
    assert np.sqrt(kept.width[best.position]) == pytest.approx(alone.half_width, rel=1e-5)
