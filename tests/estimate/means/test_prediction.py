from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.estimate.means.prediction import level_squares, predict
from quorate.numerics.inference import jackknifed_df

TERMS = ("item", "prompt", "item:prompt", "item:judge", "prompt:judge")


def indicator(judgments, term):
    code = judgments.level_codes(term.split(":"))
    return (code[:, None] == np.arange(code.max() + 1)).astype(float)


def oracle(fit, term):
    """Henderson's equations with every cell and level written out."""
    judgments, names = fit.judgments, fit.assembled.names
    theta = dict(zip(names, fit.point.solved.theta * fit.assembled.scale**2, strict=True))
    noise = np.zeros(judgments.n_cells)
    for name in names:
        base, _, stratum = name.partition("[")
        if base in ("cell", "replicate"):
            label = stratum.removesuffix("]").partition("=")[2]
            here = np.array(judgments.facet("judge").levels)[judgments.column("judge")] == label if stratum else 1.0
            noise += theta[name] * here / (judgments.n if base == "replicate" else 1)
    terms = [name for name in names if name.partition("[")[0] not in ("cell", "replicate")]
    blocks = [indicator(judgments, name) for name in terms]
    z, x = np.hstack(blocks), fit.assembled.fixed.x
    prior = np.concatenate([np.full(b.shape[1], theta[name]) for name, b in zip(terms, blocks, strict=True)])
    w = np.hstack([x, z])
    system = w.T @ (w / noise[:, None])
    system[x.shape[1] :, x.shape[1] :] += np.diag(1 / prior)
    inverse = np.linalg.inv(system)
    effects = inverse @ (w.T @ (judgments.mean / noise))
    start = x.shape[1] + sum(b.shape[1] for b in blocks[: terms.index(term)])
    at = slice(start, start + blocks[terms.index(term)].shape[1])
    centre = np.eye(at.stop - at.start) - 1 / (at.stop - at.start)
    return effects[at], np.diag(centre @ inverse[at, at] @ centre)


@pytest.mark.wide(2)
@pytest.mark.parametrize("residual_by", [None, "judge"])
@pytest.mark.parametrize("term", TERMS)
def test_the_mixed_model_equations_written_out(judged, term, residual_by):
    judgments = judged({"item": 12, "prompt": 4, "judge": 3}, keep=0.8, replicates=2, seed=3)
    fit = q.decompose(judgments, residual_by=residual_by)
    assert min(fit.variances.values()) > 0
    effect, variance = oracle(fit, term)
    found = predict(fit, term)
    np.testing.assert_allclose(found.effect, effect, atol=1e-7)
    np.testing.assert_allclose(found.variance, variance, rtol=1e-6)


def test_a_facet_nested_in_the_blocks(simulate):
    frame = simulate({"item": 6, "response": 4, "judge": 3}, replicates=2, seed=1)
    facets = {name: name for name in ("item", "response", "judge", "replicate")}
    fit = q.decompose(q.read(frame, facets=facets, nested={"response": "item"}))
    for term in ("item", "response"):
        found = predict(fit, term)
        effect, variance = oracle(fit, term)
        np.testing.assert_allclose(found.effect, effect, atol=1e-7)
        np.testing.assert_allclose(found.variance, variance, rtol=1e-6)


def test_penicillin(shared):
    """Bates (2010), lme4: Mixed-effects modeling with R, chapter 2.

    R: ``ranef(lmer(diameter ~ 1 + (1 | plate) + (1 | sample), Penicillin))``.
    """
    facets = {"plate": "plate", "sample": "sample"}
    data = shared / "data" / "lme4_penicillin.parquet"
    judgments = q.read(data, score="diameter", facets=facets, object="plate", fixed=())
    fit = q.decompose(judgments, random=["plate", "sample"])
    expected = [2.187057, -1.010476, 1.937898, -0.096895, -0.013842, -3.003743]
    np.testing.assert_allclose(predict(fit, "sample").effect, expected, atol=5e-6)
    np.testing.assert_allclose(predict(fit, "plate").effect[:3], [0.804547, 0.804547, 0.181672], atol=5e-6)


def table(effects, *, keep=1.0):
    """Scores of items by 3 judges, twice, with noise of sd .3."""
    rng = np.random.default_rng(5)
    item, judge, replicate = (at.ravel() for at in np.indices((len(effects), 3, 2)))
    score = effects[item] + rng.normal(0, 0.3, len(item))
    frame = pl.DataFrame({"item": item, "judge": judge, "replicate": replicate, "score": score})
    return q.read(frame.filter(rng.random(len(item)) < keep), announce=False)


LOGNORMAL = np.exp(np.random.default_rng(2).normal(size=50))


@pytest.fixture(scope="module")
def skewed():
    return q.decompose(table(LOGNORMAL))


def item(fit):
    return next(one for one in fit.components if one.name == "item")


def test_long_tails_widen_the_interval_and_it_is_called_robust(skewed):
    normal = item(q.decompose(skewed.judgments, interval="normal"))
    assert (item(skewed).interval, normal.interval) == ("robust", "normal")
    assert item(skewed).variance == normal.variance
    assert item(skewed).low < normal.low
    assert item(skewed).high > 2 * normal.high


@pytest.mark.slow
def test_short_tails_narrow_it_only_when_asked_for():
    judgments = table(np.linspace(-1, 1, 50))
    assert item(q.decompose(judgments)).interval == "normal"
    assert item(q.decompose(judgments, interval="robust")).high < item(q.decompose(judgments)).high


def test_the_jackknife_is_that_of_refits_without_a_level():
    """Balanced, one facet: the mean square without a level is the variance of the other means."""
    x = np.random.default_rng(3).normal(size=30)
    x -= x.mean()
    logs = np.log([np.var(np.delete(x, at), ddof=1) for at in range(30)])
    ratio = np.sum((logs - logs.mean()) ** 2) * (29 / 30) ** 2 * 29 / 2
    expected = 29 / (ratio * (1 + 3 * np.clip(ratio - 1, 0, 1)))
    assert jackknifed_df(7.0 * x**2, 29.0) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("keep", [1.0, 0.7])
def test_squares_are_those_of_predictions(keep):
    """Henderson's predictions, solved for block by block, over the component."""
    fit = q.decompose(table(LOGNORMAL, keep=keep))
    t = fit.representatives["item"]
    effect = predict(fit, "item").effect / (fit.theta[t] * fit.assembled.scale)
    np.testing.assert_allclose(np.bincount(fit.judgments.level_codes(["item"]), fit.projected), effect, atol=1e-9)
    assert np.ptp(level_squares(fit, t) / effect**2) < (1e-6 if keep == 1 else np.inf)


def test_no_other_law_than_these():
    with pytest.raises(q.InvalidInput, match='interval: must be one of normal, robust, got "wide"'):
        q.decompose(table(LOGNORMAL), interval="wide")
