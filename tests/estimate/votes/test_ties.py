from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

from quorate.estimate.votes.stability import tie_sensitivity
from quorate.table.read_votes import read_votes


def test_ties_gather_at_near_ties():
    a, b, t = [150, 120, 60, 20], [155, 140, 170, 240], [90, 60, 30, 5]
    names = [f"m{i}" for i in range(4)]
    frame = pl.DataFrame({"model_a": names, "model_b": ["z"] * 4, "a": a, "b": b, "t": t})
    found = tie_sensitivity(read_votes(frame, wins=["a", "b", "t"], announce=False))
    shares = np.array(t) / (np.array(a) + b + t)
    dropped, half = found.margins["drop"], found.margins["half"]
    assert found.correlation == pytest.approx(np.corrcoef(shares, dropped.absolute)[0, 1])
    assert found.correlation < -0.9
    assert found.near_share == pytest.approx(np.median(shares[dropped.absolute <= 0.1]))
    assert half.absolute == pytest.approx(dropped.absolute * (1 - shares))
    assert set(json.loads(json.dumps(found.to_dict()))["quantiles"]) == {"drop", "half", "pessimistic"}


def test_without_ties_there_is_no_correlation():
    frame = pl.DataFrame({"model_a": ["x", "w"], "model_b": ["y", "y"], "a": [100, 120], "b": [210, 130]})
    found = tie_sensitivity(read_votes(frame, wins=["a", "b"], announce=False))
    assert np.isnan(found.correlation)
    assert found.quantiles["drop"].margin == found.quantiles["pessimistic"].margin
