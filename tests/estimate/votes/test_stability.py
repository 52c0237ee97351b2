from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from scipy import stats

from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.votes.stability import stability, tie_sensitivity
from quorate.table.read_votes import read_votes


def studies(rates, later=None, n=300, seed=8):
    """Votes of one pair for each rate; from vote 100 on with the rates ``later``."""
    rng = np.random.default_rng(seed)
    early, late = np.asarray(rates), np.asarray(rates if later is None else later)
    p = np.where(np.arange(n) < 100, early[:, None], late[:, None])
    winner = np.where(rng.random(p.shape) < p, "b", "a").ravel()
    names = np.repeat([f"m{i:02d}" for i in range(len(early))], n)
    return pl.DataFrame(
        {"model_a": names, "model_b": ["z"] * len(names), "winner": winner, "time": np.tile(range(n), len(early))}
    )


READ = {"outcomes": {"a": "a", "b": "b"}, "announce": False}


def test_margins_that_stay():
    found = stability(read_votes(studies(np.linspace(0.2, 0.8, 80)), **READ), first=100)
    assert found.ordered_by == "time"
    assert found.spearman == pytest.approx(found.expected, abs=0.1)
    assert found.spearman_final > found.spearman
    assert found.drifting < 0.15
    assert found.early * 100 + found.rest * 200 == pytest.approx(found.final * 300)
    assert (found.early_n.tolist(), found.rest_n.tolist()) == ([100] * 80, [200] * 80)


def test_early_and_late_votes_by_hand():
    """SciPy: ``chi2_contingency([[60, 90], [40, 110]], correction=False).pvalue`` is 0.014305878."""
    votes = ["b"] * 60 + ["a"] * 40 + ["a"] * 80 + ["b"] * 20 + ["b"] * 70 + ["a"] * 30
    frame = pl.DataFrame({"model_a": ["x"] * 300, "model_b": ["y"] * 300, "winner": votes})
    found = stability(read_votes(frame, **READ), first=100)
    assert (found.early[0], found.rest[0], found.late[0]) == pytest.approx((0.1, -0.05, 0.2))
    assert found.drift_p[0] == pytest.approx(0.01430588, rel=1e-6)


def test_drift_by_clusters_is_that_of_a_regression_on_early_votes():
    """Of least squares, with the sandwich by prompts times G / (G - 1), and G - 1 degrees of freedom."""
    rng = np.random.default_rng(9)
    prompt, early = rng.integers(0, 25, 300), np.arange(300) < 100
    won = rng.random(300) < np.where(early, 0.6, 0.5) + rng.normal(0, 0.2, 25)[prompt]
    columns = {"winner": np.where(won, "b", "a"), "prompt": prompt}
    frame = pl.DataFrame({"model_a": ["x"] * 300, "model_b": ["y"] * 300, **columns})
    x = np.column_stack([np.ones(300), early])
    bread = np.linalg.inv(x.T @ x)
    slope = bread @ x.T @ won
    scores = np.array([x[prompt == g].T @ (won - x @ slope)[prompt == g] for g in range(25)])
    t = slope[1] / np.sqrt((bread @ (scores.T @ scores) @ bread)[1, 1] * 25 / 24)
    found = stability(read_votes(frame, **READ), first=100)
    assert found.drift_p[0] == pytest.approx(2 * stats.t.sf(abs(t), 24), rel=1e-9)


def test_margins_that_drift():
    rates = np.linspace(0.2, 0.8, 80)
    found = stability(read_votes(studies(rates, later=np.full(80, 0.5)), **READ), first=100)
    assert found.drifting > 0.5
    assert found.spearman < found.expected - 0.05
    assert "drift" in json.loads(json.dumps(found.to_dict()))["sentence"]


def test_time_decides_whatever_the_order_of_rows():
    frame = studies(np.linspace(0.2, 0.8, 10))
    mixed = frame.sample(fraction=1.0, shuffle=True, seed=1)
    one, two = (stability(read_votes(part, **READ)) for part in (frame, mixed))
    assert one.early.tolist() == two.early.tolist()
    assert one.late.tolist() == two.late.tolist()
    by_row = stability(read_votes(frame.drop("time"), **READ))
    assert (by_row.ordered_by, by_row.early.tolist()) == ("row", one.early.tolist())


def test_near_ties_that_stay():
    found = stability(read_votes(studies([0.5, 0.9, 0.5]), **READ))
    held, early = found.persistent(0.2)
    assert (held, early) == (2, 2)
    assert found.to_frame().shape == (3, 8)


def test_what_has_no_order_is_refused():
    frame = pl.DataFrame({"model_a": ["x"], "model_b": ["y"], "a": [200], "b": [210]})
    with pytest.raises(NotEstimable, match="count"):
        stability(read_votes(frame, wins=["a", "b"], announce=False))
    with pytest.raises(InvalidInput, match="first"):
        stability(read_votes(studies([0.5]), **READ), first=200)


def test_prompts_that_agree_are_no_drift():
    """150 pairs that do not drift, prompts of 10 votes that nearly agree: about 5% seem to, not 35%."""
    rng = np.random.default_rng(4)
    p = np.repeat(rng.choice([0.1, 0.9], (150, 30)), 10, axis=1)
    winner = np.where(rng.random(p.shape) < p, "b", "a").ravel()
    columns = {"model_a": np.repeat([f"m{i:03d}" for i in range(150)], 300), "model_b": ["z"] * 45_000}
    prompt = np.tile(np.repeat(np.arange(30), 10), 150)
    votes = read_votes(pl.DataFrame({**columns, "winner": winner, "prompt": prompt}), **READ)
    found, alone = stability(votes, first=100), stability(votes, first=100, cluster=())
    assert (found.cluster, found.taken) == (("prompt",), "clustered by prompt")
    assert (alone.cluster, alone.taken) == ((), "taken as independent")
    assert alone.drifting > 0.3
    assert found.drifting == pytest.approx(0.05, abs=0.045)


def test_ties_gather_at_near_ties():
    a, b, t = [150, 120, 60, 20], [155, 140, 170, 240], [90, 60, 30, 5]
    names = [f"m{i}" for i in range(4)]
    frame = pl.DataFrame({"model_a": names, "model_b": ["z"] * 4, "a": a, "b": b, "t": t})
    found = tie_sensitivity(read_votes(frame, wins=["a", "b", "t"], announce=False), tau=0.3)
    shares = np.array(t) / (np.array(a) + b + t)
    dropped, half = found.margins["drop"], found.margins["half"]
    assert found.correlation == pytest.approx(np.corrcoef(shares, dropped.absolute)[0, 1])
    assert found.correlation < -0.9
    assert found.near_share == pytest.approx(np.median(shares[dropped.absolute <= 0.3]))
    assert half.absolute == pytest.approx(dropped.absolute * (1 - shares))
    assert set(json.loads(json.dumps(found.to_dict()))["quantiles"]) == {"drop", "half", "pessimistic"}


def test_without_ties_there_is_no_correlation():
    frame = pl.DataFrame({"model_a": ["x", "w"], "model_b": ["y", "y"], "a": [100, 120], "b": [210, 130]})
    found = tie_sensitivity(read_votes(frame, wins=["a", "b"], announce=False))
    assert np.isnan(found.correlation)
    assert found.quantiles["drop"].margin == found.quantiles["pessimistic"].margin
