from __future__ import annotations

from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from examples import of_components
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import quorate as q
from quorate.estimate.means.intervals import coefficients, is_of_known_levels, limits, score_ends
from quorate.estimate.means.missing_bounds import AllEqual, all_equal
from quorate.numerics.distributions import t_quantile
from quorate.numerics.mixed.information import weights
from quorate.numerics.mixed.reml import squares
from quorate.table.results import Interval


def scored(score, items=30, prompts=3, judges=3):
    item, prompt, judge = (at.ravel() for at in np.indices((items, prompts, judges)))
    columns = {"item": item, "prompt": prompt, "judge": judge, "score": score(len(item))}
    return q.read(pl.DataFrame(columns), announce=False)


@pytest.fixture(scope="module")
def rare():
    rng = np.random.default_rng(3)
    return q.decompose(scored(lambda n: (rng.random(n) < 0.97).astype(float)))


def test_shares_near_one_have_limits_within_the_scale(rare):
    low, high = rare.mean.ends
    assert rare.mean.value + 3 * rare.mean.se > 1
    assert low < rare.mean.value < high < 1


@pytest.mark.parametrize(("x", "n"), [(8, 10), (57, 60), (1, 200)])
def test_limits_of_independent_answers_are_wilsons(x, n):
    low, high = stats.binomtest(x, n).proportion_ci(0.95, method="wilson")
    p = x / n
    half = 1.959963984540054 * (p * (1 - p) / n) ** 0.5
    assert limits(p, half, n, (0, 1)) == pytest.approx((low, high), rel=1e-9)
    assert limits(1 + 4 * p, 4 * half, n, (1, 5)) == pytest.approx((1 + 4 * low, 1 + 4 * high), rel=1e-9)


@given(value=st.floats(0, 1), half=st.floats(0, 1e6), n=st.integers(1, 10**6))
def test_limits_hold_the_mean_and_never_leave_the_scale(value, half, n):
    low, high = limits(value, half, n, (0.0, 1.0))
    assert 0 <= low <= value + 1e-9
    assert value - 1e-9 <= high <= 1


def test_scores_far_smaller_than_their_scale_have_the_interval_that_they_would_without_one():
    scores = np.random.default_rng(1).uniform(1e-7, 2e-7, 60)
    half = 1.96 * scores.std() / 60**0.5
    low, high = limits(scores.mean(), half, 60, (0.0, 1.0))
    assert (scores.mean() - low, high - scores.mean()) == pytest.approx((half, half), rel=0.1)


@given(value=st.floats(0, 1), half=st.lists(st.floats(0, 1), min_size=2, max_size=2), n=st.integers(1, 10**4))
def test_a_wider_interval_has_no_nearer_limit(value, half, n):
    (low, high), (lower, higher) = (limits(value, one, n, (0.0, 1.0)) for one in sorted(half))
    assert lower <= low + 1e-9
    assert high <= higher + 1e-9


@pytest.mark.parametrize(
    ("scores", "ends"),
    [
        ([0, 1], (0, 1)),
        ([0.5, 0.9], (0, 1)),
        ([3, 4, 5], (1, 5)),
        ([1, 6], (1, 7)),
        ([2, 9], (1, 10)),
        ([0, 9], (0, 10)),
        ([90, 100], (0, 100)),
        ([89, 100], (0, 100)),
        ([0, 60, 100], (0, 100)),
        ([1.5, 2, 9], None),
        ([-1, 1], None),
        ([101, 120], None),
    ],
)
def test_scales_that_everybody_uses_are_known_whole_and_no_others(scores, ends):
    assert score_ends(scored(lambda n: np.resize(scores, n))) == ends


def test_a_declared_scale_has_the_ends_that_nobody_used():
    """Marks near the greatest: with ends of 1 and 5 limits within, with none those of Student."""
    rng = np.random.default_rng(6)
    item, prompt = (at.ravel() for at in np.indices((30, 3)))
    columns = {"item": item, "prompt": prompt, "score": np.minimum(rng.integers(3, 9, len(item)), 5) - 0.25}
    found = {
        scale: q.decompose(q.read(pl.DataFrame(columns), scale=scale, announce=False)).mean
        for scale in (None, (1, 5), (0, 1000))
    }
    plain = found[None].ends
    assert sum(plain) / 2 == pytest.approx(found[None].value, rel=1e-12)
    assert found[1, 5].ends[1] < plain[1]
    assert found[1, 5].ends[1] < 5
    low, high = found[0, 1000].ends
    assert low > 0
    assert high - low == pytest.approx(plain[1] - plain[0], rel=0.01)


@pytest.mark.wide(2)
@pytest.mark.parametrize("seed", range(6))
def test_a_setup_is_never_wider_than_others_like_it(simulate, seed):
    sizes = {"item": 12, "prompt": 3, "judge": 3}
    table = q.read(simulate(sizes, sd={"prompt": 0.5, "judge": 0.2}, seed=seed), announce=False)
    fit = q.decompose(table)
    wide = fit.mean_for(judge="population", prompt="population")
    for level in (0.8, 0.9, 0.95, 0.99):
        for some in ({}, {"judge": "population"}, {"prompt": "population"}):
            assert fit.mean_for(**some).at(level).half_width <= wide.at(level).half_width * (1 + 1e-9)
    ends = [wide.at(level).ends for level in (0.8, 0.9, 0.95, 0.99)]
    assert all(out[0] <= one[0] and one[1] <= out[1] for one, out in pairwise(ends))


@pytest.mark.slow
def test_intervals_do_not_jump_where_a_variance_reaches_zero(simulate):
    """Prompts moved apart by hand, from less than noise to far more: half-widths rise in small steps."""
    frame = simulate({"item": 20, "prompt": 3}, sd={}, seed=4)
    level = pl.col("score") - pl.col("score").mean().over("prompt")
    apart = pl.col("prompt").rank("dense").cast(pl.Float64) - 2
    steps = [frame.with_columns(score=level + step * apart) for step in np.linspace(0, 0.45, 10)]
    fits = [q.decompose(q.read(step, announce=False), random=["item", "prompt"]) for step in steps]
    half = np.array([fit.mean_for(prompt="population").half_width for fit in fits])
    assert {fit.variances["prompt"] > 0 for fit in fits} == {False, True}
    assert np.all(np.diff(half) > -1e-9)
    assert np.abs(np.diff(np.log(half))).max() < 0.35


def test_percentages_are_known_by_their_name():
    rows = {"item": range(40), "pct": [12.5, 88.3] * 20}
    frame = pl.DataFrame(rows)
    assert score_ends(q.read(frame, score="pct", announce=False)) == (0, 100)
    assert score_ends(q.read(frame.rename({"pct": "score"}), announce=False)) is None


def test_an_interval_beyond_the_scores_of_an_unknown_scale_asks_for_its_ends():
    frame = pl.DataFrame({"item": range(4), "score": [4.2, 4.9, 5.0, 5.0]})
    (said,) = [one for one in q.decompose(q.read(frame, announce=False)).mean.caveats if one.code == "scale-unknown"]
    assert "--scale LOW,HIGH" in said.sentence
    declared = q.decompose(q.read(frame, scale=(0, 5), announce=False)).mean
    assert "scale-unknown" not in {one.code for one in declared.caveats}
    assert declared.high <= 5


def test_every_answer_has_one_kind_of_interval():
    rng = np.random.default_rng(1)
    rows = {"item": np.repeat(range(30), 6), "judge": list("xyz") * 60, "system": (["a"] * 3 + ["b"] * 3) * 30}
    table = q.read(pl.DataFrame({**rows, "score": rng.normal(size=180)}), announce=False)
    votes = q.read_votes(
        pl.DataFrame({"model_a": ["a"] * 20, "model_b": ["b"] * 20, "winner": ["a"] * 14 + ["b"] * 6}), announce=False
    )
    one = table.only("system", "a")
    compared = (q.compare(table, "a", "b"), q.compare(votes, "a", "b"))
    answers = [q.analyze(one), *compared, q.scores.mean_from(one, q.decompose(one))]
    for answer in answers:
        found = answer.estimate
        assert isinstance(found, Interval)
        assert found.low < found.value < found.high
        assert (found.level, found.at(0.9).level) == (0.95, 0.9)
        assert found.low < found.at(0.9).low
        assert {"value", "se", "low", "high", "level", "n", "scope"} <= found.to_dict().keys()
        assert not hasattr(answer, "interval")


def at_components(sizes, seed, spread):
    """One score of every item; the groups differ by ``spread``."""
    rng, category = np.random.default_rng(seed), np.repeat(np.arange(len(sizes)), sizes)
    score = rng.normal(size=len(category)) + spread * rng.normal(size=len(sizes))[category]
    rows = {"item": np.arange(len(category)), "category": category, "score": score}
    table = q.read(pl.DataFrame(rows), facets={"item": "item"}, nested={"item": "category"}, fixed=(), announce=False)
    return q.decompose(table)


def test_groups_that_show_no_variance_do_not_make_an_interval_endless():
    """50, 5 and 5 items: at most that of the mean of three means, on 2 degrees of freedom; it was 5 times as wide."""
    found = at_components((50, 5, 5), 1, 0.0)
    assert found.variance("category") == 0
    mean, noise = of_components(found), found.variance("item")
    of_means = np.sqrt(noise * (1 / 50 + 1 / 5 + 1 / 5)) / 3
    assert mean.df == pytest.approx(2, rel=0.05)
    assert np.sqrt(mean.basis.plain) < mean.se <= of_means * (1 + 1e-6)
    assert mean.at(method="satterthwaite").half_width == pytest.approx(t_quantile(mean.df, 0.975) * mean.se)


def test_groups_that_differ_have_the_degrees_of_freedom_of_their_number():
    mean = of_components(at_components((50, 20, 10, 5), 2, 3.0))
    assert mean.df == pytest.approx(3, rel=0.01)
    assert mean.se == pytest.approx(np.sqrt(mean.basis.plain), rel=0.01)


def test_equal_groups_are_as_they_were():
    """The adjustment is none, and degrees of freedom those of the mean square between groups."""
    mean = of_components(at_components((10, 10, 10), 1, 0.0))
    assert mean.variance == pytest.approx(mean.basis.plain, rel=1e-9)
    assert mean.df == pytest.approx(2, rel=0.05)


def table(score, items=40, judges=2, **options):
    rows = {"item": np.repeat(np.arange(items), judges), "judge": [f"j{j}" for j in range(judges)] * items}
    return q.read(pl.DataFrame({**rows, "score": [score] * (items * judges)}), announce=False, **options)


@pytest.mark.parametrize(
    ("score", "low", "high"), [(1, 0.05 ** (1 / 40), 1), (0, 0, 1 - 0.05 ** (1 / 40)), (5, 1 + 4 * 0.05 ** (1 / 40), 5)]
)
def test_bounds_are_those_of_clopper_and_pearson(score, low, high):
    exact = stats.binomtest(40, 40, alternative="greater").proportion_ci(0.95, method="exact")
    found = q.analyze(table(score))
    assert isinstance(found, AllEqual)
    assert found.estimate.ends == pytest.approx((low, high), abs=1e-12)
    assert found.share == pytest.approx(exact.low, rel=1e-9)


def test_more_judges_tell_no_more_of_any_law():
    assert all_equal(table(1, judges=5)).estimate.ends == all_equal(table(1)).estimate.ends


def test_items_of_a_document_count_once_where_documents_are_drawn():
    """Within a document all may be alike: of documents that pass whole with a chance of .779 all 12 do in 5%."""
    rows = {"item": range(60), "document": [f"d{i // 5}" for i in range(60)], "score": [1] * 60}
    facets = {name: name for name in ("item", "document")}
    found = q.analyze(q.read(pl.DataFrame(rows), facets=facets, announce=False))
    assert found.estimate.low == pytest.approx(0.05 ** (1 / 12))
    assert found.sentence.startswith("All 60 scores of 60 items of 12 documents are 1.")
    assert found.next_step.startswith("59 documents without an exception")
    alone = q.analyze(q.read(pl.DataFrame(rows), facets=facets, fixed=["document"], announce=False))
    assert alone.estimate.low == pytest.approx(0.05 ** (1 / 60))


def test_systems_that_all_score_the_same_have_the_bound_too():
    frame = pl.DataFrame({"item": [*range(40)] * 3, "system": ["a"] * 40 + ["b"] * 40 + ["c"] * 40, "score": [1] * 120})
    found = q.analyze(q.read(frame, announce=False))
    assert found.sentence.startswith("All 120 scores of 40 items are 1 with these 3 systems.")
    assert found.estimate.low == pytest.approx(0.05 ** (1 / 40))


def test_scores_without_ends_say_what_share_scores_so():
    found = all_equal(table(2.37))
    assert np.isnan(found.estimate.ends).all()
    assert found.sentence.endswith("At 95% at least 92.8% of items like these score so.")


def test_the_rule_of_three():
    """To show 99% takes 299 items, about 3 over .01."""
    assert all_equal(table(1)).drawn_for(0.99) == 299


def test_a_bound_is_missed_as_often_as_said():
    """Of items that pass with a chance of .95: where all 20 do, in 36%, the bound is .861."""
    rng = np.random.default_rng(1)
    passed = rng.random((20_000, 20)) < 0.05 ** (1 / 20) - 1e-9
    assert passed.all(axis=1).mean() == pytest.approx(0.05, abs=0.004)


@pytest.mark.parametrize("scores", [(1e15, 1e15 + 1), (0.0, 1e-12)])
def test_scores_that_differ_in_their_last_digits_are_not_equal(scores):
    frame = pl.DataFrame({"item": range(40), "score": [*scores] * 20})
    judgments = q.read(frame, announce=False)
    assert all_equal(judgments) is None
    assert q.decompose(judgments).mean.se > 0


SIZES = {"item": 8, "prompt": 3, "judge": 2}


@pytest.fixture(scope="module")
def fit(judged):
    return q.decompose(judged(SIZES, replicates=2, seed=3))


def of_balanced(names, fit):
    """One over the levels of a term, which is its coefficient where all of its facets are drawn."""
    sizes = SIZES | {"replicate": 2}
    whole = {"cell": "item:prompt:judge", "replicate": "item:prompt:judge:replicate"}
    return [1 / np.prod([sizes[one] for one in whole.get(name, name).split(":")]) for name in names]


def test_coefficients_are_one_over_the_levels_and_none_for_levels_that_are_all_there_is(fit):
    given = weights(fit.assembled.problem, fit.point.solved, fit.assembled.fixed.mean)
    drawn = {"item": "population", "prompt": "population", "judge": "panel"}
    names = fit.assembled.names
    assert coefficients(fit, given, drawn) == pytest.approx(of_balanced(names, fit))
    assert coefficients(fit, given, drawn) == pytest.approx(squares(fit.assembled.problem, given))
    themselves = dict.fromkeys(SIZES, "panel")
    found = dict(zip(names, coefficients(fit, given, themselves), strict=True))
    assert {name for name, value in found.items() if value > 1e-12} == {"replicate"}
    assert [name for name in names if is_of_known_levels(fit, name, {**drawn, "prompt": "panel"})] == [
        "prompt",
        "prompt:judge",
    ]
