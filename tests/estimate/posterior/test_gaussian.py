from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.estimate.posterior.posterior import gaussian


def test_redrawn_studies_have_the_cells_and_the_parameters_of_the_prior():
    """The mean stays: its prior is flat."""
    columns = {"item": np.repeat(np.arange(20), 4), "replicate": np.tile(np.arange(4), 20)}
    table = q.read(pl.DataFrame(columns | {"score": np.arange(80) * 7 % 11}), announce=False)
    model = gaussian(table, None, (), None, {"cell": 1.0, "replicate": 4.0}, None)
    rng, sizes = np.random.default_rng(1), []
    for _ in range(300):
        truth, study = model.redrawn(rng)
        assert [*truth] == ["cell", "replicate", "mean"]
        assert truth["mean"] == pytest.approx(table.mean.mean())
        sizes.append([np.sqrt(truth["cell"]), np.sqrt(truth["replicate"])])
        assert study.fit.assembled.problem.n_rows == model.fit.assembled.problem.n_rows
    assert np.median(sizes, axis=0) == pytest.approx([0.7649, 2 * 0.7649], rel=0.2)  # standard error 6%


@pytest.mark.bayes
def test_the_posterior_of_a_balanced_one_way_table_is_known():
    """Flat on both standard deviations but for a wide half-t: two dimensions, integrated on a grid."""
    rng = np.random.default_rng(4)
    scores = rng.normal(0, 0.6, 12)[:, None] + rng.normal(0, 1.0, (12, 5))
    rows = [{"item": i, "replicate": r, "score": scores[i, r]} for i in range(12) for r in range(5)]
    table = q.read(pl.DataFrame(rows), announce=False)
    found = q.scores.posterior(table, draws=3000, seed=5, on_quote=lambda _: None)
    between = 5 * scores.mean(axis=1).var(ddof=1) * 11
    within = float(((scores - scores.mean(axis=1, keepdims=True)) ** 2).sum())
    spread = float(scores.std())
    item, noise = np.meshgrid(np.linspace(1e-3, 3, 1500), np.linspace(0.5, 2, 800), indexing="ij")
    expected = noise**2 + 5 * item**2
    log = -0.5 * (11 * np.log(expected) + between / expected + 48 * np.log(noise**2) + within / noise**2)
    log -= 2 * (np.log1p((item / spread) ** 2 / 3) + np.log1p((noise / spread) ** 2 / 3))
    weight = np.exp(log - log.max())
    for name, axis, summed in (("item", item[:, 0], 1), ("replicate", noise[0], 0)):
        law = np.cumsum(weight.sum(axis=summed))
        wanted = np.interp([0.1, 0.5, 0.9], law / law[-1], axis)
        assert np.quantile(np.sqrt(found.drawn(name)), [0.1, 0.5, 0.9]) == pytest.approx(wanted, abs=0.02), name
    flat = (weight * expected).sum() / weight.sum()  # variance of the mean given both, averaged
    assert found.mean.se**2 == pytest.approx(flat / 60, rel=0.08)
    assert found.mean.value == pytest.approx(scores.mean(), abs=0.02)
