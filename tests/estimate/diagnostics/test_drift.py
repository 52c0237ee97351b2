from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import polars as pl
import pytest
from odd_scores import scores

import quorate as q
from quorate.errors import NotEstimable
from quorate.estimate.diagnostics.check import Residuals
from quorate.estimate.diagnostics.diagnose import drift, order_column


@pytest.fixture(scope="module")
def drifting() -> pl.DataFrame:
    return pl.DataFrame(scores(np.random.default_rng(3), odd="drift", items=100).origin.source)


def residuals(frame: pl.DataFrame) -> Residuals:
    return Residuals(q.decompose(q.read(frame, announce=False)))


def test_the_judge_whose_scores_rise(drifting):
    left = residuals(drifting)
    assert order_column(left.fit.judgments) == "time"
    found = drift(left, "time")
    assert found.p < 0.001
    assert found.seen.startswith("scores of j1 rise by 0.")


def test_dates_order_as_numbers_do(drifting):
    start = datetime(2026, 3, 1, tzinfo=UTC)
    dates = [(start + timedelta(minutes=step)).isoformat().replace("+00:00", "Z") for step in drifting["time"]]
    dated = residuals(drifting.with_columns(pl.Series("time", dates)))
    assert drift(dated, "time").statistic == pytest.approx(drift(residuals(drifting), "time").statistic)


def test_words_order_nothing(drifting):
    with pytest.raises(NotEstimable, match="neither numbers nor dates"):
        drift(residuals(drifting.with_columns(time=pl.lit("monday"))), "time")
