import numpy as np
import polars as pl
import pytest

from quorate.errors import InvalidInput, NotEstimable, UnknownTerm
from quorate.planning.power.prompt_types import concentrated_pairs, concentration
from quorate.table.read_votes import read_votes


def test_noise_alone_looks_concentrated_until_it_is_subtracted():
    rng = np.random.default_rng(0)
    found = [concentration(rng.binomial(50, 0.5, 20), np.full(20, 50), splits=50, seed=i) for i in range(20)]
    assert np.median([one.naive for one in found]) > 2.5
    assert not any(one.recommended for one in found)


def test_signal_in_few_types_is_found_of_either_sign():
    wins = np.random.default_rng(3).binomial(200, np.r_[0.75, 0.25, np.full(18, 0.55)])
    found = concentration(wins, np.full(20, 200))
    assert found.recommended
    assert 1.5 < found.low < found.ratio < 5
    assert "screen types first" in found.sentence


def test_even_signal_is_not():
    rng = np.random.default_rng(1)
    drawn = [concentration(rng.binomial(200, 0.6, 20), np.full(20, 200), splits=50) for _ in range(20)]
    found = drawn[0]
    assert not any(one.recommended for one in drawn)
    assert np.mean([one.ratio for one in drawn]) == pytest.approx(1, abs=0.1)
    assert "in proportion" in found.sentence


def test_no_preference_at_all_has_no_ratio():
    found = concentration(np.full(5, 10), np.full(5, 20))
    assert np.isnan(found.ratio)
    assert np.isnan(found.naive)
    assert found.to_dict()["ratio"] is None
    assert not found.recommended


def test_a_larger_kappa_takes_more():
    wins = np.random.default_rng(2).binomial(100, np.r_[0.85, 0.15, np.full(18, 0.55)])
    p = [concentration(wins, np.full(20, 100), kappa=kappa).p for kappa in (1.5, 2, 4)]
    assert p == sorted(p)


def test_all_types_hold_all_of_the_signal():
    found = concentration([90, 80, 60, 70, 55], [100] * 5, retained=0.9)
    assert (found.top, found.ratio, found.naive) == (5, 1, 1)
    assert (found.p, found.recommended) == (1, False)
    assert 0 < found.low <= 1
    assert np.isnan(concentration(np.full(5, 50), np.full(5, 100), retained=0.9).ratio)


def test_no_types_hold_more_than_all_of_the_signal():
    """The top 4 of 5 hold at most 1.25 times their even share: 1.5 times is out of the question."""
    for seed in range(5):
        wins = np.random.default_rng(seed).binomial(20, 0.5, 5)
        assert concentration(wins, np.full(5, 20), retained=0.8, splits=20).p == 1


def test_refusals():
    with pytest.raises(NotEstimable, match="at least 4"):
        concentration([1, 2], [3, 30])
    with pytest.raises(InvalidInput, match="kappa"):
        concentration([10, 20], [30, 30], kappa=1)
    with pytest.raises(InvalidInput, match="wins"):
        concentration([40, 20], [30, 30])


def test_pairs_whose_signal_is_in_few_types():
    rng = np.random.default_rng(2)
    sides = {"y": [0.9, 0.85, *[0.5] * 8], "z": [0.6] * 10, "w": [0.6] * 9}  # w has no vote on the last type
    rows = [
        ("x", other, f"t{t}", won, 120 - won)
        for other, shares in sides.items()
        for t, won in enumerate(rng.binomial(120, shares).tolist())
    ]
    frame = pl.DataFrame(rows, schema=["model_a", "model_b", "prompt_type", "a", "b"], orient="row")
    votes = read_votes(frame, wins=["a", "b"], announce=False)
    assert concentrated_pairs(votes) == (1, 2)
    with pytest.raises(UnknownTerm, match="topic"):
        concentrated_pairs(votes, by="topic")
