"""The gaming surface of Messing (2026), section 4.4, simulated from components like those of its Table 3."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from calibration.resampled_prize import resampled_prize

import quorate as q
from quorate.decide.gaming import elo_slope

# Shares of the variance of one judgment (Table 3). The table leaves 68.8 to items and residual together; a residual of
# 29 gives the cut of the standard error per response, .53 to .59, that appendix R projects from one cell to 5 by 3.
TABLE_3 = {"prompt": 1.2, "item:prompt": 2.5, "item:judge": 18.0, "prompt:judge": 0.7, "item": 39.8, "cell": 29.0}
JUDGE = 8.8
BATTLES = 170  # per model: 2 x 4,676 battles over 55 models
DESIGNS = {(1, 1): 56, (5, 1): 46, (1, 3): 46, (5, 3): 32}
"""Elo points of Figure 6, by prompts and judges."""


@pytest.fixture(scope="module")
def surface():
    parts = q.components(TABLE_3, sensitivity={"judge": JUDGE})
    designs = [{"prompts": v, "judges": m} for v, m in DESIGNS]
    return q.scores.gaming(parts, items=BATTLES, designs=designs).prizes


def attempts(prompts, judges, studies, k, rng):
    """Scores of ``k`` attempts per study, every effect drawn, averaged over the cells of the design."""
    sd = {name: np.sqrt(value) for name, value in {**TABLE_3, "judge": JUDGE}.items()}
    size = (studies, k)

    def mean(name, *levels):
        return sd[name] * rng.standard_normal((*size, int(np.prod(levels))), dtype=np.float32).mean(axis=-1)

    total = (
        mean("item", BATTLES) + mean("prompt", prompts) + mean("judge", judges) + mean("prompt:judge", prompts * judges)
    )
    total += mean("item:prompt", BATTLES * prompts) + mean("item:judge", BATTLES * judges)
    return total + mean("cell", BATTLES * prompts * judges)


def test_the_surface_by_simulation(surface):
    rng, k, studies = np.random.default_rng(1), 27, 400
    for (prompts, judges), paper, prize in zip(DESIGNS, DESIGNS.values(), surface, strict=True):
        best = attempts(prompts, judges, studies, k, rng).max(axis=1)
        error = best.std() / np.sqrt(studies)
        print(
            f"{prize.label}: prize {prize.value / surface[0].value:.3f} of a single cell's (simulated "
            f"{best.mean() / surface[0].value:.3f} +- {error / surface[0].value:.3f}); paper {paper / 56:.3f}"
        )
        assert best.mean() == pytest.approx(prize.value, abs=4 * error)
    assert surface[3].value / surface[0].value == pytest.approx(32 / 56, abs=0.03)


def test_human_voters_alone():
    """170 votes at a win rate of one half: 45 Elo of the paper lie between its tie rates of 20% and 35%."""
    for ties in (0.20, 0.35):
        parts = q.components({"item": 0.25 * (1 - ties)})
        prize = q.scores.gaming(parts, items=BATTLES, designs=[{}], scale="elo").prizes[0].value
        print(f"human votes, {ties:.0%} ties: {prize:.1f} Elo")
        assert 42 < prize < 49
    assert elo_slope(0.5) == pytest.approx(694.87, abs=0.01)


def pilot(items, prompts, judges, seed):
    """Main effects of variance 1, interactions of .36, cells of .41, two facets at a time; no replicates."""
    rng = np.random.default_rng(seed)
    shape = (items, prompts, judges)
    score = np.sqrt(0.41) * rng.normal(size=shape)
    for axes, sd in [((0,), 1), ((1,), 1), ((2,), 1), ((0, 1), 0.6), ((0, 2), 0.6), ((1, 2), 0.6)]:
        score += sd * rng.normal(size=[n if at in axes else 1 for at, n in enumerate(shape)])
    columns = dict(zip(("item", "prompt", "judge"), np.indices(shape).reshape(3, -1), strict=True))
    return q.read(pl.DataFrame({**columns, "score": score.ravel()}), fixed=(), announce=False)


def test_the_interval_of_the_prize_holds_it():
    """Pilots of 30 items, 4 prompts and 4 judges."""
    held = []
    for seed in range(100):
        found = q.scores.gaming(
            q.decompose(pilot(30, 4, 4, seed)),
            designs=[{"prompts": 1, "judges": 1}],
            resamples=100,
            rng=seed,
            level=0.9,
        )
        truth = found.expected * np.sqrt(1 / 30 + 2 + 0.36 + 2 * 0.36 / 30 + 0.41 / 30)
        held.append(found.prizes[0].low <= truth <= found.prizes[0].high)
    print(f"90% intervals of the prize hold it in {np.mean(held):.2f} of 100 pilots")
    assert np.mean(held) >= 0.83


def test_resampling_against_the_model():
    """With many levels, resampling a table and the fitted components agree."""
    table = pilot(40, 16, 16, 1)
    model = (
        q.scores.gaming(q.decompose(table), designs=[{"prompts": 1, "judges": 1}], resamples=100, rng=1).prizes[0].value
    )
    value, error = resampled_prize(table, prompts=1, judges=1, resamples=400, rng=1)
    print(f"prize by the model {model:.3f}, by resampling {value:.3f} +- {error:.3f}")
    assert value == pytest.approx(model, rel=0.15)
