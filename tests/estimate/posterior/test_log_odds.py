"""Posteriors of log odds against an integrated density, and against maximum likelihood where there is much to see."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from numpy.polynomial.hermite_e import hermegauss

import quorate as q
from quorate.errors import InvalidInput
from quorate.estimate.posterior.posterior import log_odds


def table(marks: int = 2, items: int = 30, prompts: int = 3, each: int = 4, sd: float = 1.2) -> q.types.Judgments:
    rng = np.random.default_rng(5)
    shape = items, prompts, each
    eta = rng.normal(0, sd, (items, 1, 1)) + rng.normal(0, 0.5, (1, prompts, 1)) + rng.logistic(0.4, 1, shape)
    item, prompt, replicate = (axis.ravel() for axis in np.indices(shape))
    score = np.digitize(eta, np.linspace(-1.5, 1.5, marks - 1) if marks > 2 else [0.0]).ravel()
    columns = {"item": item, "prompt": prompt, "replicate": replicate, "score": score}
    return q.read(pl.DataFrame(columns), announce=False)


@pytest.mark.parametrize("marks", [2, 4])
def test_redrawn_studies_have_the_cells_and_the_parameters_of_the_prior(marks):
    model = log_odds(table(marks), "logit" if marks == 2 else "ordinal", ["item", "prompt"], (), {"item": 0.04})
    assert [law.origin for law in model.prior] == ["published", "default"]
    rng, total = np.random.default_rng(1), model.laid.layout.counts.sum(axis=1)
    sizes = []
    for _ in range(200):
        truth, study = model.redrawn(rng)
        assert [*truth] == [*model.numbers, "mean"]
        assert study.laid.layout.counts.sum(axis=1).tolist() == total.tolist()
        assert 0 <= truth["mean"] <= marks - 1
        sizes.append(np.sqrt(truth["item"]))
    assert np.median(sizes) == pytest.approx(0.2 * 0.7649, rel=0.25)  # standard error 7%


def test_a_prior_is_of_the_same_link():
    scores = table()
    linear, logit = q.decompose(scores), q.decompose(scores, link="logit", random=["item", "prompt"])
    with pytest.raises(InvalidInput, match='prior: its components are by link "identity", those of this model by link'):
        q.scores.posterior(scores, link="logit", prior=linear)
    with pytest.raises(InvalidInput, match='with the same link="identity"'):
        q.scores.posterior(scores, prior=logit)
    laws = {law.name: law for law in log_odds(scores, "logit", ["item", "prompt"], (), logit).prior}
    assert (laws["item"].family, laws["item"].origin) == ("lognormal", "pilot")
    assert laws["item"].scale ** 2 == pytest.approx(logit.variance("item"))
    assert laws["prompt"].family == "half-t"


@pytest.mark.bayes
def test_the_posterior_of_a_one_way_table_is_known():
    """Two numbers on a grid, item effects integrated out by 40 Gauss-Hermite nodes."""
    scores = table(items=10, prompts=1, each=6)
    found = q.scores.posterior(scores, link="logit", random=["item"], draws=4000, seed=3, on_quote=lambda _: None)
    code = scores.level_codes(["item"])
    ones, n = np.bincount(code, scores.n * scores.mean), np.bincount(code, scores.n)
    node, weight = hermegauss(40)
    sd, cut = np.linspace(1e-3, 8, 500), np.linspace(-7, 7, 401)
    eta = sd[:, None, None] * node - cut[:, None]
    log = np.zeros((len(sd), len(cut)))
    for k, m in zip(ones, n, strict=True):
        log += np.log(np.exp(k * eta - m * np.logaddexp(0, eta)) @ (weight / weight.sum()))
    log -= 2 * np.log1p((sd[:, None] / 2.5) ** 2 / 3) + 2 * np.log1p((cut / 2.5) ** 2 / 3)
    density = np.exp(log - log.max())
    ends = np.array([0.1, 0.5, 0.9])
    for draws, axis, law in (
        (np.sqrt(found.drawn("item")), sd, density.sum(axis=1)),
        (found.thresholds[:, 0], cut, density.sum(axis=0)),
    ):
        below = np.cumsum(law) / law.sum()
        assert np.quantile(draws, ends) == pytest.approx(np.interp(ends, below, axis), abs=0.08)
    mean = (1 / (1 + np.exp(-eta))) @ (weight / weight.sum())
    assert found.mean.draws.mean() == pytest.approx(float((density * mean).sum() / density.sum()), abs=0.01)


@pytest.mark.bayes
@pytest.mark.parametrize(("marks", "link"), [(2, "logit"), (4, "ordinal")])
def test_medians_are_near_maximum_likelihood_where_the_scores_tell(marks, link):
    scores = table(marks, items=120, prompts=8, each=4)
    options = {"link": link, "random": ["item", "prompt"]}
    fit, found = (
        q.decompose(scores, **options),
        q.scores.posterior(scores, **options, seed=1, on_quote=lambda _: None),
    )
    item = next(one for one in fit.components if one.name == "item")
    assert abs(found.variance("item") - item.variance) < 0.5 * item.se
    low, high = found.interval("item").ends
    assert high - low == pytest.approx(item.high - item.low, rel=0.25)
    assert np.median(found.thresholds, axis=0) == pytest.approx(fit.thresholds, abs=0.2)
    assert found.mean.value == pytest.approx(fit.mean.value, abs=0.4 * fit.mean.se)
