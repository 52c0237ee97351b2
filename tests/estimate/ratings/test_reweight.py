"""Votes weighted by the chances at which they were asked."""

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidInput
from quorate.estimate.ratings.rank import reweighted


def votes(chances, **columns):
    """Votes x-y, x-z and y-z in turn, with these chances."""
    rng = np.random.default_rng(2)
    sides = [(("x", "y"), ("x", "z"), ("y", "z"))[i % 3] for i in range(len(chances))]
    frame = pl.DataFrame(
        {
            "model_a": [a for a, _ in sides],
            "model_b": [b for _, b in sides],
            "winner": rng.choice(["model_a", "model_b", "tie"], len(chances), p=[0.5, 0.3, 0.2]),
            "propensity": chances,
            **columns,
        }
    )
    return q.read_votes(frame, announce=False)


@pytest.fixture(scope="module")
def early_and_late():
    return votes([0.25] * 60 + [0.5, 0.4, 0.1] * 30)


def test_weights_are_of_mean_one_in_each_pair(early_and_late):
    weight, caveat = reweighted(early_and_late)
    pair = early_and_late.pairs().code
    chance = np.array([0.25] * 60 + [0.5, 0.4, 0.1] * 30)
    for code in range(3):
        own, inverse = weight[pair == code], 1 / np.sqrt(chance[pair == code])
        assert np.allclose(own, inverse / inverse.mean())
    assert caveat.code == "reweighted"
    uniform, _ = reweighted(early_and_late, "uniform")
    assert np.allclose(uniform * chance / (uniform * chance)[0], 1)
    assert uniform.mean() == pytest.approx(1)


def test_rank_weights_by_them(early_and_late):
    plain = q.rank(early_and_late, reweight="none")
    for how in ("stabilised", "uniform"):
        found = q.rank(early_and_late, reweight=how)
        own = q.rank(early_and_late, weights=reweighted(early_and_late, how)[0])
        assert np.allclose(found.values, own.values)
        assert np.allclose(found.se, own.se)
        assert not np.allclose(found.values, plain.values, atol=1e-4)
        assert [one.code for one in found.caveats].count("reweighted") == 1
    assert np.allclose(q.rank(early_and_late).values, q.rank(early_and_late, reweight="stabilised").values)
    assert not [one for one in plain.caveats if one.code == "reweighted"]


def test_a_pair_counts_as_often_as_its_chance_is_small():
    """Two votes of half the chance are one of the whole: ratings by chances are those of counts by hand."""
    chances = [0.2, 0.4, 0.4] * 40
    found = q.rank(votes(chances), reweight="uniform", ties="half")
    table = votes(chances, votes=[2, 1, 1] * 40)
    assert np.allclose(found.values, q.rank(table, reweight="none", ties="half").values)


def test_equal_chances_change_nothing():
    equal = votes([0.2, 0.5, 0.3] * 40)
    assert reweighted(equal) is None
    assert reweighted(equal, "none") is None
    assert q.rank(equal).to_dict() == q.rank(equal, reweight="none").to_dict()


def test_what_is_refused(early_and_late):
    with pytest.raises(InvalidInput, match="reweight: expects one of stabilised, uniform, none"):
        q.rank(early_and_late, reweight="some")
    with pytest.raises(InvalidInput, match="leave one of the two out"):
        q.rank(early_and_late, reweight="uniform", weights=np.ones(early_and_late.rows))
    with pytest.raises(InvalidInput, match='take them so with reweight="none"'):
        q.rank(early_and_late, fragility=True)
    with pytest.raises(InvalidInput, match=r'got "1.5" \(1 vote like'):
        q.rank(votes([0.5, 1.5, 0.5] * 1))
    with pytest.raises(InvalidInput, match="got none"):
        q.rank(votes([0.5, 0.5, None]))
    without = q.read_votes(
        pl.DataFrame({"model_a": ["x"] * 4, "model_b": ["y"] * 4, "winner": ["model_a", "model_b"] * 2}), announce=False
    )
    with pytest.raises(InvalidInput, match="no chances at which they were asked"):
        q.rank(without, reweight="uniform")
