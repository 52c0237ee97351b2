"""Survival of conversations: coverage of its intervals, with hazards near 0, conversations that end, and few judges."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
import polars as pl
import pytest
from scipy.stats import norm

import quorate as q

STUDIES = 120


@dataclass(frozen=True)
class Law:
    """Conversations, judges who are drawn, and where the threshold lies."""

    talks: int = 60
    judges: int = 1
    turns: int = 4
    threshold: float = 3.0
    ends: bool = False
    between: float = 1.0
    within: float = 1.0
    judge: float = 0.15


LAWS = {
    "plain": Law(),
    "hazards near 0": Law(threshold=6.0),
    "conversations end when they cross": Law(talks=120, ends=True),
    "conversations much alike": Law(between=0.05),
    "three judges": Law(judges=3),
    "three judges, conversations end": Law(judges=3, ends=True),
}


def study(law: Law, rng: np.random.Generator) -> pl.DataFrame:
    """Scores, without those after a turn at which the first judge's score crosses."""
    own, judge = rng.normal(0, np.sqrt(law.between), law.talks), rng.normal(0, np.sqrt(law.judge), law.judges)
    score = own[:, None, None] + 0.4 * np.arange(1, law.turns + 1)[:, None] + rng.normal(
        0, np.sqrt(law.within), (law.talks, law.turns, law.judges)
    )  # fmt: skip
    score = score + judge if law.judges > 1 else score
    crossed = (score.mean(axis=2) > law.threshold).cumsum(axis=1) - (score.mean(axis=2) > law.threshold)
    rows = [
        (i, t + 1, j, score[i, t, j])
        for i, t, j in product(*map(range, score.shape))
        if not (law.ends and crossed[i, t])
    ]
    return pl.DataFrame(rows, schema=["item", "turn", "judge", "score"], orient="row")


def truth(law: Law) -> tuple[float, float]:
    """Survival through the last turn, with independent turns and with what stays."""
    stays = law.between + (law.judge if law.judges > 1 else 0)
    mean = 0.4 * np.arange(1, law.turns + 1)
    alone = np.prod(norm.cdf((law.threshold - mean) / np.sqrt(stays + law.within)))
    z, weight = np.polynomial.hermite_e.hermegauss(61)
    inside = norm.cdf((law.threshold - mean[:, None] - np.sqrt(stays) * z) / np.sqrt(law.within)).prod(axis=0)
    return float(alone), float(inside @ weight / weight.sum())


def _holds(interval, value):
    return interval.low <= value <= interval.high


@pytest.mark.parametrize("name", LAWS)
def test_coverage(name):
    law, rng = LAWS[name], np.random.default_rng(sum(map(ord, name)))
    alone, stays = truth(law)
    held, width = [], []
    for _ in range(STUDIES):
        frame = study(law, rng)
        random = ["item"] if law.judges == 1 else ["item", "judge"]
        facets = {one: one for one in ("item", "turn", "judge")[: 2 if law.judges == 1 else 3]}
        fit = q.decompose(q.read(frame, facets=facets, fixed=("turn",), announce=False), random=random)
        last = q.agents.hazard(fit, law.threshold).turns[-1]
        held.append([_holds(last.survival, alone), _holds(last.lasting, stays)])
        width.append(last.survival.high - last.survival.low)
    cover = np.mean(held, axis=0)
    print(f"{name}: survival {alone:.4f} and {stays:.4f}; covers {cover.round(3).tolist()}, width {np.mean(width):.4f}")
    assert (cover >= 0.93 - 0.04).all()
