"""What the page on choosing a design says about pilots with few judges; `make calibrate` prints the figures."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.simulate.demo import SAFETY

PILOTS, PLANNED = 500, 125
"""Pilots that are looked at, and of these those that a plan is made of, which takes four times as long."""
LIMITS = {"items": range(30, 301, 10), "prompts": range(1, 6), "judges": range(1, 4), "replicates": 1}
PRICES = {"judge": {"small": 0.001, "medium": 0.004, "large": 0.02}}
FACETS = ("item", "prompt", "judge", "replicate")


def pilot(rng, judges):
    """30 items x 3 prompts x judges x 3 replicates with the published components; judges drawn at random."""
    n, v, r = 30, 3, 3
    index = np.indices((n, v, judges, r))
    item, prompt, judge, replicate = (axis.ravel() for axis in index)
    sd = {name: np.sqrt(value) for name, value in SAFETY.random.items()}
    spread = np.sqrt(1.5 * SAFETY.sensitivity["judge"])  # divisor 2 instead of 3: judges as a draw
    score = (
        rng.normal(0, np.hypot(sd["item"], sd["category"]), n)[item]
        + rng.normal(0, spread, judges)[judge]
        + rng.normal(0, sd["item:prompt"], (n, v))[item, prompt]
        + rng.normal(0, sd["item:judge"], (n, judges))[item, judge]
        + rng.normal(0, sd["prompt:judge"], (v, judges))[prompt, judge]
        + rng.normal(0, sd["cell"], (n, v, judges))[item, prompt, judge]
        + rng.normal(0, sd["replicate"], len(item))
    )
    columns = dict(zip(FACETS, (item, prompt, judge, replicate), strict=True))
    return q.read(pl.DataFrame({**columns, "score": score}), facets={name: name for name in FACETS})


def judges_bought(source, **targets):
    """Judges in the best design for 3 USD."""
    return q.plan(source, budget=3, prices=PRICES, limits=LIMITS, targets=targets).plan.design["judge"]


def test_the_truth_buys_three_judges():
    assert judges_bought(q.components({**SAFETY.random, "judge": 1.5 * SAFETY.sensitivity["judge"]})) == 3


@pytest.mark.parametrize(
    ("judges", "zero"),
    [pytest.param(2, 0.554, marks=pytest.mark.slow), (3, 0.44), pytest.param(5, 0.37, marks=pytest.mark.slow)],
)
def test_pilots_with_few_judges_see_no_difference_between_them(judges, zero):
    """Then a plan buys three all the same, as fewer say nothing of others."""
    rng = np.random.default_rng(31)
    fits = [q.decompose(pilot(rng, judges)) for _ in range(PILOTS)]
    unseen = np.mean([fit.mean_for(judge="population").shares["judge"] == 0 for fit in fits])
    fewest = min(judges_bought(fit, judge="population") for fit in fits[:PLANNED])
    print(f"{judges} judges: spread seen as zero {unseen:.1%} of {PILOTS} pilots, fewest bought of {PLANNED} {fewest}")
    assert unseen == pytest.approx(zero, abs=0.04)
    assert fewest >= 3
