"""Means of 0/1 scores and of marks near the ends of their scale: do intervals cover, and stay within the ends?"""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import polars as pl
import pytest
from scipy.optimize import brentq
from scipy.stats import chi2, norm, t

import quorate as q
from quorate.errors import QuorateError

SAMPLES = 250
"""Coverage is between .93 and .975 in most designs, not .95 in each: ``docs/methods/intervals.md`` has the figures."""
SD = {"item": 2.0, "item:judge": 1.0, "prompt": 0.6, "item:prompt": 0.5, "prompt:judge": 0.3}
JUDGES = np.array([-0.5, 0.0, 0.5])


def rate(center):
    """Mean over items and prompts of the chance of 1, averaged over the judges."""
    at, weight = np.polynomial.hermite_e.hermegauss(80)
    spread = np.sqrt(sum(sd**2 for sd in SD.values()))
    chance = 1 / (1 + np.exp(-(center + JUDGES[:, None] + spread * at)))
    return float(np.mean(chance @ weight) / weight.sum())


def scores(rng, items, prompts, center, marks):
    """Two answers of every cell, each a count of ``marks`` draws; replicates last."""
    shape = {"item": (items, 1, 1), "prompt": (1, prompts, 1), "judge": (1, 1, 3)}
    logit = center + JUDGES
    for term, sd in SD.items():
        size = np.prod([shape[name] for name in term.split(":")], axis=0)
        logit = logit + rng.normal(0, sd, size)
    return rng.binomial(marks, 1 / (1 + np.exp(-logit))[..., None], (items, prompts, 3, 2))


DESIGNS = [(40, 2, 0.5, 1), (40, 3, 0.98, 1), (100, 5, 0.98, 1), (200, 3, 0.87, 1), (40, 3, 0.95, 4), (100, 5, 0.95, 4)]
"""Items, prompts, share and marks."""


@pytest.fixture(scope="module", params=DESIGNS)
def simulated(request):
    """The means of many tables of a design, and what is true of them."""
    items, prompts, share, marks = request.param
    center = brentq(lambda x: rate(x) - share, -10, 14)
    rng, at = np.random.default_rng(7), np.indices((items, prompts, 3, 2)).reshape(4, -1)
    means = []
    for _ in range(SAMPLES):
        columns = dict(zip(("item", "prompt", "judge", "replicate"), at, strict=True))
        table = pl.DataFrame(columns | {"score": scores(rng, items, prompts, center, marks).ravel()})
        with suppress(QuorateError):
            means.append(q.decompose(q.read(table, announce=False, scale=(0, marks))).mean_for(prompt="population"))
    return request.param, np.array([mean.value for mean in means]), np.array([mean.ends for mean in means])


def test_intervals_of_shares_cover(simulated):
    """Widths beside the oracle's, who knows the estimator's deviation; the most is what t has where prompts are all."""
    (items, prompts, share, marks), values, (low, high) = *simulated[:2], simulated[2].T
    covered = np.mean((low <= marks * share) & (marks * share <= high))
    wider = np.median(high - low) / (2 * norm.ppf(0.975) * values.std())
    print(f"{items} x {prompts}, {share} of {marks}: {covered:.3f}, width {wider:.2f} of the oracle's")
    assert not np.any((low < 0) | (high > marks))
    error = np.sqrt(0.95 * 0.05 / SAMPLES)
    assert 0.93 - 2 * error <= covered <= (0.995 if items == 40 else 0.975 + error)
    df = prompts - 1
    assert wider <= t.ppf(0.975, df) * np.sqrt(chi2.median(df) / df) / norm.ppf(0.975)


CUTS = np.array([-3.0, -2.2, -1.4, -0.6])[:, None, None, None, None]
LATENT = {"item": 1.0, "item:judge": 0.6, "prompt": 0.3, "item:prompt": 0.3, "prompt:judge": 0.15}
LENIENCE = np.array([-0.25, 0.0, 0.25])


def ordinal_mean(center):
    """Mean score of 1 to 5: a normal latent score, cut at four places."""
    spread = np.sqrt(1 + sum(sd**2 for sd in LATENT.values()))
    return 1 + float(np.mean(norm.sf((CUTS.ravel()[:, None] - center - LENIENCE) / spread).sum(axis=0)))


@pytest.mark.parametrize(("items", "prompts", "high"), [(40, 3, 1.0), (100, 2, 1.0), (200, 5, 0.99)])
def test_intervals_of_ordinal_scores_near_the_ceiling_cover(items, prompts, high):
    """Mean 4.8 of 5. Monte Carlo standard error 1.8 points."""
    center, rng = brentq(lambda x: ordinal_mean(x) - 4.8, -5, 10), np.random.default_rng(9)
    shape = {"item": (items, 1, 1), "prompt": (1, prompts, 1), "judge": (1, 1, 3)}
    at, limits = np.indices((items, prompts, 3, 2)).reshape(4, -1), []
    for _ in range(150):
        latent = center + LENIENCE
        for term, sd in LATENT.items():
            latent = latent + rng.normal(0, sd, np.prod([shape[name] for name in term.split(":")], axis=0))
        score = 1 + (latent[..., None] + rng.normal(size=(items, prompts, 3, 2)) > CUTS).sum(axis=0)
        columns = dict(zip(("item", "prompt", "judge", "replicate"), at, strict=True)) | {"score": score.ravel()}
        read = q.read(pl.DataFrame(columns), announce=False, scale=(1, 5))
        limits.append(q.decompose(read, interval="normal").mean_for(prompt="population").ends)
    below, above = np.transpose(limits)
    covered = np.mean((below <= 4.8) & (above >= 4.8))
    print(f"{items} x {prompts}: {covered:.3f}")
    assert above.max() <= 5
    assert 0.91 <= covered <= high
