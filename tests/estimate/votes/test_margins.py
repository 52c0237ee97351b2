from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

from quorate.errors import InvalidInput
from quorate.estimate.votes.margins import margins
from quorate.numerics.votes.binomial import clopper_pearson
from quorate.table.read_votes import read_votes


def counted(wins_a, wins_b, ties=None):
    names = [f"m{i:03d}" for i in range(len(wins_a))]
    columns = {"model_a": names, "model_b": ["z"] * len(names), "a": list(wins_a), "b": list(wins_b)}
    wins = ["a", "b"] + (["t"] if ties is not None else [])
    return read_votes(
        pl.DataFrame({**columns, **({"t": list(ties)} if ties is not None else {})}), wins=wins, announce=False
    )


@pytest.fixture(scope="module")
def found():
    rng = np.random.default_rng(4)
    wins = rng.binomial(400, rng.uniform(0.3, 0.7, 60))
    return margins(counted(400 - wins, wins))


def test_one_pair():
    found = margins(counted([220], [280], [100]))
    assert found.pairs == ("m000 vs z",)
    assert found.margin.tolist() == [pytest.approx(0.06)]
    low, high = clopper_pearson(280, 500, 0.95)
    assert (found.low[0] + 0.5, found.high[0] + 0.5) == (pytest.approx(low), pytest.approx(high))
    assert found.implied.tolist() == [730]
    assert found.tie_share.tolist() == [pytest.approx(1 / 6)]


@pytest.mark.parametrize(("ties", "margin"), [("drop", 0.06), ("half", 30 / 600), ("pessimistic", 380 / 600 - 0.5)])
def test_encodings_of_ties(ties, margin):
    assert margins(counted([220], [280], [100]), ties=ties).margin[0] == pytest.approx(margin)


def test_a_margin_of_zero_needs_no_finite_number():
    found = margins(counted([150, 100], [150, 200]))
    assert found.implied[0] == np.inf
    assert found.to_dict()["implied"][0] is None


def test_quantiles(found):
    asked = found.quantiles((0.1, 0.5), rng=1)
    assert asked.margin == pytest.approx(np.quantile(found.absolute, (0.1, 0.5)))
    assert all(a <= b <= c for a, b, c in zip(asked.low, asked.margin, asked.high, strict=True))
    assert all(a <= b <= c for a, b, c in zip(asked.n_low, asked.n, asked.n_high, strict=True))
    assert asked.margin == found.quantiles((0.1, 0.5), rng=2).margin
    assert asked == found.quantiles((0.1, 0.5), rng=1)
    assert asked.to_frame().shape[0] == 2


def test_near_ties(found):
    near = found.near_ties(0.05, rng=1)
    assert near.count == (found.absolute <= 0.05).sum()
    assert near.low < near.share < near.high
    assert near.corrected_low < near.corrected < near.corrected_high
    assert near.median == pytest.approx(np.median(found.absolute[found.absolute <= 0.05]))
    assert f"{near.count} of 60 pairs" in near.sentence


def test_no_near_ties_is_not_known_to_be_none():
    near = margins(counted([100] * 8, [200] * 8)).near_ties(0.1)
    assert near.count == 0
    assert near.high == pytest.approx(1 - 0.025 ** (1 / 8))
    assert np.isnan(near.median)
    assert json.loads(json.dumps(near.to_dict()))["n"] is None


def test_tied_pairs_seem_apart_and_the_law_knows():
    """Of 400 tied pairs with 200 votes each, a third seems to be more than .035 apart."""
    rng = np.random.default_rng(5)
    wins = rng.binomial(200, 0.5, 400)
    found = margins(counted(200 - wins, wins))
    assert found.absolute.mean() == pytest.approx(found.tie_margin.mean(), abs=0.004)
    law = found.law()
    assert abs(law.mean_square) < law.mean_square_raw / 5
    assert law.share_below(0.035) > (found.absolute <= 0.035).mean() + 0.1


def test_frames_and_json(found):
    frame = found.to_frame()
    assert frame.shape == (60, 9)
    assert json.loads(json.dumps(found.to_dict()))["minimum"] == 200


def test_refusals(found):
    for wrong in ({"level": 1.0}, {"alpha": 0.0}, {"power": 0.01}):
        with pytest.raises(InvalidInput, match=next(iter(wrong))):
            margins(counted([100], [200]), **wrong)
    with pytest.raises(InvalidInput, match="tau"):
        found.near_ties(0.5)
    with pytest.raises(InvalidInput, match="probabilities"):
        found.quantiles((1.2,))


@pytest.mark.slow
def test_wmt15(shared):
    """712 pairs have 200 votes, 706 of them 200 decisive ones; without rows that were not looked at, 346."""
    path = shared / "data" / "wmt15_human_pairwise.parquet"
    votes = read_votes(path, facets={"expanded": "expanded"}, announce=False)
    every = votes.within("prompt_type")
    assert int((every.pairs().votes >= 200).sum()) == 712
    found = margins(every, cluster=())
    assert (len(found), found.left_out) == (706, 18)
    near = found.near_ties()
    assert near.count == 286
    assert near.n == 1104
    looked_at = margins(votes.only("expanded", "false").within("prompt_type"), cluster=())
    assert len(looked_at) == 346
    assert looked_at.quantiles().margin == pytest.approx((0.0270, 0.0609, 0.1264), abs=1e-4)
