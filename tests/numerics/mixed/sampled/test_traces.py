"""What random signs say of their own error, against other signs."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.estimate.components import assemble
from quorate.numerics.mixed import sampled as levels
from quorate.numerics.mixed.sampled import sampling_error


def test_the_error_is_the_spread_over_other_signs(monkeypatch):
    rng = np.random.default_rng(2)
    item, judge = np.repeat(np.arange(400), 4), rng.integers(0, 100, 1600)
    score = rng.normal(size=400)[item] + 0.5 * rng.normal(size=100)[judge] + rng.normal(size=1600)
    frame = pl.DataFrame({"item": item, "judge": judge, "score": score}).unique(["item", "judge"], maintain_order=True)
    judgments = q.read(frame, facets={"item": "item", "judge": "judge"}, fixed=())
    monkeypatch.setattr(assemble, "MOST_INVERTED", 0)
    fits = []
    for seed in range(30):
        monkeypatch.setattr(levels, "stream", lambda *_, seed=seed: np.random.default_rng(seed))
        fits.append(q.decompose(judgments, random=["item", "judge"]))
    said = np.mean(
        [sampling_error(f.assembled.problem, f.point.solved, f.covariance / f.assembled.scale**4) for f in fits], axis=0
    )
    moved = np.std([f.theta for f in fits], axis=0, ddof=1) * fits[0].assembled.scale ** 2
    moved /= np.sqrt(np.diag(fits[0].covariance))
    # A standard deviation of 30 has an error of 13%, one of 48 signs 10% (and 2% on average over 30).
    assert moved == pytest.approx(said, rel=0.35)
    assert said.max() < 0.05
