from __future__ import annotations

from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import quorate as q
from quorate.estimate.means.intervals import between, in_order, largest_square, limits, score_ends


def scored(score, items=30, prompts=3, judges=3):
    item, prompt, judge = (at.ravel() for at in np.indices((items, prompts, judges)))
    columns = {"item": item, "prompt": prompt, "judge": judge, "score": score(len(item))}
    return q.read(pl.DataFrame(columns), announce=False)


@pytest.fixture(scope="module")
def rare():
    rng = np.random.default_rng(3)
    return q.decompose(scored(lambda n: (rng.random(n) < 0.97).astype(float)))


def test_shares_near_one_have_limits_within_the_scale(rare):
    low, high = rare.mean.interval()
    assert rare.mean.interval(method="satterthwaite")[1] > 1
    assert low < rare.mean.value < high < 1
    assert rare.mean.caveats[-1].code == "near-an-end"


def test_limits_of_log_odds_by_hand():
    """Share .9, standard error .03 by 2: log odds 2.197225 less and more .06 / .09."""
    low, high = between(4.6, 4 * 0.06, 100, (1, 5))
    ends = [1 + 4 / (1 + np.exp(-(np.log(9) + sign * 2 / 3))) for sign in (-1, 1)]
    assert (low, high) == pytest.approx(ends, rel=1e-12)


@given(
    value=st.floats(0, 1),
    half=st.floats(0, 1e6),
    n=st.integers(1, 10**6),
)
def test_limits_never_leave_the_scale(value, half, n):
    low, high = between(value, half, n, (0.0, 1.0))
    assert 0 <= low <= high + 1e-12 <= 1 + 1e-12


@given(value=st.floats(0, 1), half=st.lists(st.floats(0, 1), min_size=2, max_size=2), n=st.integers(1, 10**4))
def test_a_wider_interval_has_no_nearer_limit(value, half, n):
    """At .8, .098 and .101 to either side: the second is one of log odds, and its upper end was nearer."""
    (low, high), (lower, higher) = (limits(value, one, n, (0.0, 1.0)) for one in sorted(half))
    assert lower <= low + 1e-12
    assert high <= higher + 1e-12
    assert limits(0.8, 0.098, 100, (0, 1))[1] <= limits(0.8, 0.101, 100, (0, 1))[1] < 1


@pytest.mark.parametrize(
    ("scores", "ends"),
    [([0, 1], (0, 1)), ([0.0, 0.5], (0, 0.5)), ([1, 4, 5], (1, 5)), ([1.5, 2, 9], None), ([0, 60, 100], None)],
)
def test_which_scores_have_ends(scores, ends):
    assert score_ends(scored(lambda n: np.resize(scores, n))) == ends


def test_a_declared_scale_has_the_ends_that_nobody_used():
    """Marks of 3 to 5, near the greatest; with ends of 1 and 5, and of 0 and 100."""
    rng = np.random.default_rng(6)
    item, prompt = (at.ravel() for at in np.indices((30, 3)))
    columns = {"item": item, "prompt": prompt, "score": np.minimum(rng.integers(3, 9, len(item)), 5)}
    found = {
        scale: q.decompose(q.read(pl.DataFrame(columns), scale=scale, announce=False)).mean
        for scale in (None, (1, 5), (0, 100))
    }
    assert found[1, 5].caveats[-1].code == "near-an-end"
    assert "(1 to 5)" in str(found[1, 5].caveats[-1])
    low, high = found[1, 5].interval()
    assert high < 5
    assert low < found[None].interval()[0]
    assert sum(found[0, 100].interval()) / 2 == pytest.approx(found[0, 100].value, rel=1e-12)


def test_scores_without_ends_keep_students_interval(simulate):
    fit = q.decompose(
        q.read(simulate({"item": 40, "prompt": 6, "judge": 3}, sd={"prompt": 0.5}, seed=1), announce=False)
    )
    assert fit.variances["prompt"] > 0
    assert fit.mean.interval() == pytest.approx(fit.mean.interval(method="satterthwaite"), rel=1e-12)


def test_prompts_that_show_no_variance_are_taken_to_vary_as_much_as_that_allows(simulate):
    """Balanced, so by hand: the mean square of three prompts counts as noise times 4 over 4% of chi-square on 4."""
    sd = {"prompt": 0.1, "item:prompt": 0.5}
    tables = (simulate({"item": 20, "prompt": 3}, sd=sd, seed=seed) for seed in range(30))
    fits = (q.decompose(q.read(table, announce=False), random=["item", "prompt"]) for table in tables)
    fit = next(fit for fit in fits if fit.variances["prompt"] == 0)
    item, _, noise = fit.variances.values()
    variance = (3 * item + noise + (4 / stats.chi2.ppf(0.04, 4) - 1) * noise) / 60
    assert fit.mean.half_width() == pytest.approx(stats.norm.ppf(0.975) * np.sqrt(variance), rel=0.01)
    assert fit.mean.half_width() > 1.05 * fit.mean.half_width(method="satterthwaite")
    assert fit.mean_for(prompt="panel").half_width() <= fit.mean.half_width()


def test_intervals_do_not_jump_where_a_variance_reaches_zero(simulate):
    """Prompts moved apart by hand, from less than noise to far more: half-widths rise in small steps."""
    frame = simulate({"item": 20, "prompt": 3}, sd={}, seed=4)
    level = pl.col("score") - pl.col("score").mean().over("prompt")
    apart = pl.col("prompt").rank("dense").cast(pl.Float64) - 2
    steps = [frame.with_columns(score=level + step * apart) for step in np.linspace(0, 0.6, 25)]
    fits = [q.decompose(q.read(step, announce=False), random=["item", "prompt"]) for step in steps]
    half = np.array([fit.mean.half_width() for fit in fits])
    assert {fit.variances["prompt"] > 0 for fit in fits} == {False, True}
    assert np.abs(np.diff(np.log(half))).max() < 0.25


def test_degrees_of_freedom_do_not_jump_where_drawn_judges_show_no_variance(simulate):
    """Four fixed judges moved apart by hand until their means spread by just less and just more than their noise."""
    frame = simulate({"item": 20, "prompt": 3, "judge": 4}, sd={"prompt:judge": 0.5}, seed=2)
    level = pl.col("score") - pl.col("score").mean().over("judge")
    apart = pl.col("judge").rank("dense").cast(pl.Float64)

    def drawn(step):
        table = q.read(frame.with_columns(score=level + step * apart), announce=False)
        return q.decompose(table).mean_for(judge="population")

    basis = drawn(1.0).basis
    step = np.sqrt(basis.noise_in(basis.drawn["judge"]) / basis.drawn["judge"].square)
    below, above = drawn(0.9999 * step), drawn(1.0001 * step)
    assert below.shares["judge"] == 0 < above.shares["judge"]
    assert below.df == pytest.approx(above.df, rel=0.002)
    assert below.half_width() == pytest.approx(above.half_width(), rel=0.002)


@pytest.mark.parametrize("seed", range(6))
def test_a_panel_is_never_wider_than_its_population(simulate, seed):
    sizes = {"item": 12, "prompt": 2, "judge": 3}
    table = q.read(simulate(sizes, sd={"prompt": 0.5, "judge": 0.2}, seed=seed), announce=False)
    fit = q.decompose(table)
    wide = fit.mean_for(judge="population", prompt="population").half_width()
    for panel in ({"judge": "panel"}, {"prompt": "panel"}, {"judge": "panel", "prompt": "panel"}):
        assert fit.mean_for(**{"judge": "population", "prompt": "population", **panel}).half_width() <= wide * (
            1 + 1e-9
        )


def test_intervals_in_order_give_way_on_both_sides():
    """By hand: two facets drawn, each alone wider by Student's t than both."""
    halves = {frozenset(names): size for names, size in (("", 1.0), ("j", 3.0), ("p", 8.0), ("jp", 5.0))}

    def half(size, level):
        return size if level == 0.95 else 0.75 * size

    found = {names: in_order(names, halves, half, 0.95) for names in halves}
    assert {"".join(sorted(names)): size for names, size in found.items()} == {"": 1.0, "j": 3.0, "p": 6.0, "jp": 6.0}


@pytest.mark.parametrize("seed", [1, 54])
def test_intervals_lie_within_those_of_more_that_is_drawn_and_of_higher_levels(seed):
    """0/1 scores of 60 items at .9: items that stand for themselves had .28 where items like these had .17."""
    rng = np.random.default_rng(seed)
    item = np.where(rng.random(60) < 0.75, 5.5, rng.normal(0.8, 0.8, 60))[:, None, None]
    odds = (item + rng.normal(0, 0.7, (60, 2, 1)) + np.array([-0.4, 0.4])).ravel()
    fit = q.decompose(
        scored(lambda n: (rng.random(n) < 1 / (1 + np.exp(-odds))).astype(float), items=60, prompts=2, judges=2)
    )
    for fewer, more in [
        ({"item": "panel"}, {}),
        ({"item": "finite", "judge": "panel"}, {"judge": "population"}),
        ({"judge": "panel"}, {"judge": "population"}),
        ({"prompt": "panel"}, {}),
    ]:
        near, wide = (fit.mean_for(**targets) for targets in (fewer, more))
        for level in (0.8, 0.9, 0.95, 0.99):
            (low, high), (lower, higher) = near.interval(level), wide.interval(level)
            assert lower - 1e-12 <= low < high <= higher + 1e-12
        ends = [near.interval(level) for level in (0.8, 0.9, 0.95, 0.99)]
        assert all(out[0] <= one[0] and one[1] <= out[1] for one, out in pairwise(ends))


@given(df=st.floats(1, 200), level=st.floats(0.6, 0.999))
def test_the_largest_mean_square_falls_with_degrees_of_freedom_and_grows_with_the_level(df, level):
    assert 1 < largest_square(df + 1, level) < largest_square(df, level) < largest_square(df, level + 0.0005)


def test_a_panel_is_not_wider_on_ratings_by_people_and_models(shared):
    frame = pl.read_parquet(shared / "data" / "rating_scale_human_llm.parquet")
    fit = q.decompose(q.read(frame, announce=False))
    assert fit.mean_for(judge="panel").half_width() <= fit.mean_for(judge="population").half_width()
