"""Posteriors of log odds: how often the 95% interval of the mean holds the mean of the population."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.optimize import brentq

import quorate as q
from quorate.estimate.posterior.posterior import Sampling, log_odds
from quorate.numerics.links.search import logistic_normal

pytestmark = [pytest.mark.bayes, pytest.mark.calibration, pytest.mark.slow]
STUDIES = 60
SHAPE = 30, 4, 2
ITEM, PROMPT = 1.2, 0.5


def study(level: float, rng: np.random.Generator) -> q.types.Judgments:
    """0/1 scores of 30 items by 4 prompts, twice, all drawn."""
    eta = level + ITEM * rng.standard_normal((SHAPE[0], 1, 1)) + PROMPT * rng.standard_normal((1, SHAPE[1], 1))
    item, prompt, replicate = (axis.ravel() for axis in np.indices(SHAPE))
    score = (eta + rng.logistic(size=SHAPE) > 0).astype(int).ravel()
    columns = {"item": item, "prompt": prompt, "replicate": replicate, "score": score}
    return q.read(pl.DataFrame(columns), announce=False)


@pytest.mark.parametrize("rate", [0.5, 0.9])
def test_intervals_of_the_mean_hold_it(rate):
    """60 studies: the Monte Carlo error of a coverage of .95 is .028, so that .85 is 3.5 of them below."""
    spread = ITEM**2 + PROMPT**2
    level = brentq(lambda at: float(logistic_normal(np.array([at]), spread)[0][0]) - rate, -9, 9)
    rng, held, widths = np.random.default_rng(11), 0, []
    for number in range(STUDIES):
        model = log_odds(study(level, rng), "logit", ["item", "prompt"], (), None)
        low, high = model.sampled(Sampling(200, 150, 2, number, lambda _: None)).mean.ends
        held += low <= rate <= high
        widths.append(high - low)
    print(f"rate {rate}: {held} of {STUDIES} intervals hold it, mean width {np.mean(widths):.3f}")
    assert held / STUDIES >= 0.85
