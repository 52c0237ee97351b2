from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from odd_scores import scores

import quorate as q
from quorate.errors import NotEstimable
from quorate.estimate.diagnostics.check import Residuals
from quorate.estimate.diagnostics.diagnose import likelihood_ratio, three_way
from quorate.estimate.diagnostics.levels import (
    curvature,
    decisive_judge,
    interaction_by_difficulty,
    noise_by_judge,
    odd_interaction,
    odd_judge,
    split_facets,
    spreads,
)


def test_distances_from_the_median():
    """Brown and Forsythe (1974): means of |x - median| by group."""
    values, group = np.array([1.0, 2, 6, 1, 1, 4, 5]), np.array([0, 0, 0, 1, 1, 1, 1])
    found = spreads(values, group, np.arange(7))
    assert found.mean == pytest.approx([5 / 3, 1.75])


@pytest.mark.parametrize("fixed", [(), ("judge",)])
def test_the_judge_apart_by_grubbs(fixed):
    """Grubbs (1950): t^2 = n (n - 2) G^2 / ((n - 1)^2 - n G^2) for G the largest deviation over the spread."""
    effects = np.array([0.0, 0.1, 0.2, 0.3, 3.0])
    rng = np.random.default_rng(1)
    item, judge = (at.ravel() for at in np.indices((30, 5)))
    noise = rng.normal(size=(30, 5))
    noise -= noise.mean(axis=0)  # so that the means of the judges are these
    frame = pl.DataFrame(
        {"item": item, "judge": judge, "score": effects[judge] + (noise + rng.normal(size=(30, 1)))[item, judge]}
    )
    found = odd_judge(Residuals(q.decompose(q.read(frame, fixed=fixed, announce=False))))
    g = np.abs(effects - effects.mean()).max() / effects.std(ddof=1)
    t = np.sqrt(5 * 3 * g**2 / (4**2 - 5 * g**2))
    assert found.statistic == pytest.approx(t, rel=1e-6)
    assert found.seen == "4 is furthest, 2.85 above the others"


@pytest.mark.slow
def test_names_of_the_odd_ones():
    residuals = Residuals(q.decompose(scores(np.random.default_rng(3), odd="interaction", items=150)))
    assert odd_interaction(residuals).seen.startswith("from item to item j2 varies 1.")
    assert odd_interaction(residuals).p < 0.01
    noisy = Residuals(q.decompose(scores(np.random.default_rng(3), odd="noise", items=150)))
    assert noise_by_judge(noisy).seen.startswith("j2 scatters 1.4 times as much as j")
    assert "residual_by" in noise_by_judge(noisy).remedy


@pytest.mark.slow
def test_the_mean_without_a_judge():
    fit = q.decompose(scores(np.random.default_rng(3), odd="judge", items=20))
    found = decisive_judge(Residuals(fit))
    change = max((part.change for part in q.scores.leave_one_out(fit.judgments)), key=abs)
    assert found.statistic == pytest.approx(change / fit.mean.se)
    assert found.verdict == "described"


def test_too_few_judges():
    residuals = Residuals(q.decompose(scores(np.random.default_rng(3), judges=3, items=10)))
    with pytest.raises(NotEstimable, match="3 judges"):
        odd_judge(residuals)


def test_the_scatter_of_a_crowd_is_not_compared():
    values, group = np.ones(1002), np.repeat(np.arange(501), 2)
    assert len(spreads(values[:1000], group[:1000], np.arange(1000)).mean) == 500
    with pytest.raises(NotEstimable, match="501 judges: the scatter of at most 500 is compared"):
        spreads(values, group, np.arange(1002))


def test_variance_grows_with_the_mean():
    residuals = Residuals(q.decompose(scores(np.random.default_rng(4), odd="difficulty", items=90, judges=6)))
    assert split_facets(residuals) == ("prompt", "judge")
    check, thirds = interaction_by_difficulty(residuals, "judge")
    assert [row.third for row in thirds] == ["lowest third", "middle third", "highest third"]
    assert [row.items for row in thirds] == [60, 60, 60]
    assert thirds[0].variance < thirds[1].variance < thirds[2].variance
    assert thirds[0].mean < thirds[1].mean < thirds[2].mean
    assert check.p < 0.001


def test_tukeys_slope():
    """y = a + b + lambda a b without noise but a little: the slope is lambda."""
    rng = np.random.default_rng(5)
    item, judge = (at.ravel() for at in np.indices((40, 4)))
    a, b = np.linspace(-2, 2, 40), np.array([-1.0, -0.2, 0.4, 0.8])
    score = a[item] + b[judge] + 0.3 * a[item] * b[judge] + 0.01 * rng.normal(size=160)
    frame = pl.DataFrame({"item": item, "judge": judge, "score": score})
    found = curvature(Residuals(q.decompose(q.read(frame, announce=False))))
    assert "(Tukey's slope 0.3)" in found.seen
    assert found.p < 1e-6


def test_too_few_items():
    residuals = Residuals(q.decompose(scores(np.random.default_rng(4), items=8)))
    for look in (curvature, lambda left: interaction_by_difficulty(left, "judge")):
        with pytest.raises(NotEstimable, match="fewer than 12 items"):
            look(residuals)


def crossed(interaction: float, seed: int = 1) -> q.Judgments:
    """Scores by item, prompt, judge and temperature, with an interaction of the first three."""
    rng = np.random.default_rng(seed)
    item, prompt, judge, temperature = (at.ravel() for at in np.indices((15, 3, 3, 2)))
    score = rng.normal(size=15)[item] + 0.4 * rng.normal(size=(15, 3))[item, judge] + 0.5 * rng.normal(size=len(item))
    score += interaction * rng.normal(size=(15, 3, 3))[item, prompt, judge]
    columns = {"item": item, "prompt": prompt, "judge": judge, "temperature": temperature, "score": score}
    return q.read(pl.DataFrame(columns), announce=False)


def test_terms():
    assert [*three_way(q.decompose(scores(np.random.default_rng(1), items=6)))] == ["cell"]
    assert [*three_way(q.decompose(crossed(0.0)))] == [
        "item:prompt:judge",
        "item:prompt:temperature",
        "item:judge:temperature",
        "prompt:judge:temperature",
    ]


def test_p_value_is_that_of_the_f_test_of_balanced_data():
    """The likelihood ratio rises with the F of the cells over the replicates, whose law is known exactly."""
    judgments = scores(np.random.default_rng(9), items=20, judges=3, replicates=2, cell=0.2)
    values = judgments.mean.reshape(20, 3, 3)
    inner = judgments.ss.sum() / len(judgments.ss)
    for axis in range(3):
        values = values - values.mean(axis=axis, keepdims=True)
    f = 2 * np.sum(values**2) / (19 * 2 * 2) / inner
    from scipy.special import fdtrc

    expected = float(fdtrc(19 * 4, 180, f))
    found = likelihood_ratio(q.decompose(judgments), "cell", 99, np.random.default_rng(1))
    assert 0.005 < expected < 0.3
    assert found.p == pytest.approx(expected, abs=3 * max(found.p_error, 0.01))


@pytest.mark.slow
def test_a_term_that_is_there_and_one_that_is_not():
    fit = q.decompose(crossed(0.6))
    there = likelihood_ratio(fit, "item:prompt:judge", 99, np.random.default_rng(1))
    assert there.p == 0.01
    assert "random" in there.remedy
    assert there.verdict == "stands out" or not there.in_model
    none = likelihood_ratio(fit, "item:prompt:temperature", 99, np.random.default_rng(1))
    assert none.p > 0.05


def test_what_the_design_cannot_tell():
    fit = q.decompose(scores(np.random.default_rng(1), items=6))
    with pytest.raises(NotEstimable, match="no cell was judged twice"):
        likelihood_ratio(fit, "cell", 99, np.random.default_rng(1))
