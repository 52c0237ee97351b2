from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import quorate as q
from quorate.planning.designs.studies import mean_squares
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
        q.components(NORMAL), items=plan.design["item"], prompts=plan.design["prompt"], judges=3, layout=plan.layout
    )
    assert "ends-unknown" in [caveat.code for caveat in best.caveats]
    kept = best.searched.found.frontier
    assert np.sqrt(kept.width[best.position]) == pytest.approx(alone.half_width, rel=1e-5)


def test_judges_that_stand_for_themselves_take_up_items_in_turn():
    source = q.components({"item": 1.0, "item:judge": 0.5}, sensitivity={"judge": 0.1})
    plan = q.project(source, items=20, judges=4, layout="cyclic", targets={"judge": "panel"})
    assert plan.df == pytest.approx(20 - 4)


def test_judges_that_are_drawn_and_take_turns_tell_all_by_themselves():
    plan = q.project(q.components({"item": 1.0, "judge": 0.1}), items=20, judges=4, layout="cyclic")
    assert plan.df == pytest.approx(3)


def test_two_crossed_facets_by_hand():
    """Satterthwaite of ``(MS_i + MS_p - MS_ip) / N``: mean squares 0.75, 0.55 and 0.25 in units of N."""
    plan = q.project(q.components({"item": 5.0, "prompt": 0.9, "item:prompt": 7.5}), items=10, prompts=3)
    i, p, ip = 5 / 10 + 7.5 / 30, 0.9 / 3 + 7.5 / 30, 7.5 / 30
    assert plan.se**2 == pytest.approx(i + p - ip)
    assert plan.df == pytest.approx((i + p - ip) ** 2 / (i**2 / 9 + p**2 / 2 + ip**2 / 18))


def test_those_of_a_balanced_fit_are_those_of_its_mean_squares(simulate):
    fit = q.decompose(q.read(simulate({"item": 30, "prompt": 6}, seed=3), facets={"item": "item", "prompt": "prompt"}))
    item, prompt, rest = (fit.variance(name) for name in ("item", "prompt", "item:prompt + cell + replicate"))
    i, p, ip = item / 30 + rest / 180, prompt / 6 + rest / 180, rest / 180
    assert q.project(fit).df == pytest.approx((i + p - ip) ** 2 / (i**2 / 29 + p**2 / 5 + ip**2 / 145), rel=1e-6)


# Mean squares of a design, against those of the analysis of variance of a crossed table.


FOUND = q.components({"item": 5.0, "prompt": 0.9, "item:prompt": 7.5})


def squares_of(plan):
    made = plan.studies
    return mean_squares(made.source, made.laid, made.parts)


def test_of_prompts_like_these():
    found = squares_of(q.project(FOUND, items=10, prompts=3))
    spread, noise, df = found.effects["prompt"]
    assert float(np.ravel(found.items)[0]) == pytest.approx(5 / 10 + 7.5 / 30)
    assert float(np.ravel(spread)[0]) == pytest.approx(0.9 / 3)
    assert float(np.ravel(noise)[0]) == pytest.approx(7.5 / 30)
    assert (float(np.ravel(found.df)[0]), float(np.ravel(df)[0])) == (9, 2)
    assert float(np.ravel(found.rest)[0]) == 0


def test_two_prompts_say_nothing_of_others():
    plan = q.project(FOUND, items=10, prompts=2)
    assert np.isinf(squares_of(plan).effects["prompt"][0]).all()
    assert plan.half_width == float("inf")


def test_of_these_prompts_there_are_items_alone():
    found = squares_of(q.project(FOUND, items=10, prompts=3, targets={"prompt": "panel"}))
    assert found.effects == {}
    assert float(np.ravel(found.df)[0]) == 9
