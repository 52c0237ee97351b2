import numpy as np
import polars as pl
import pytest
from tables import votes_table

import quorate as q
from quorate.errors import InvalidInput
from quorate.estimate.ratings.bradley_terry import bradley_terry
from quorate.estimate.ratings.fragility import fragility
from quorate.estimate.ratings.leaderboard import leaderboard
from quorate.estimate.ratings.rank import rank, reweighted


@pytest.fixture
def votes():
    rows = [("x", "y", 30, 12), ("x", "z", 25, 15), ("y", "z", 22, 20)]
    return votes_table(rows, "model_a model_b a b", wins=("a", "b"))


def test_votes_get_ratings(votes):
    options = {"ties": "half", "level": 0.9, "regularisation": 0.1}
    assert rank(votes, **options).to_dict() == bradley_terry(votes, **options).to_dict()


def test_scores_get_a_leaderboard(judged):
    scores = judged({"item": 20, "judge": 3, "model": 3}, fixed=())
    options = {"system": "model", "targets": {"judge": "panel"}, "level": 0.9}
    found = rank(scores, **options)
    assert found.to_dict() == leaderboard(scores, **options).to_dict()
    names = ["system", "rating", "se", "low", "high", "rank_low", "rank_high", "group"]
    assert found.to_frame().columns[:8] == names


def test_options_of_the_other_kind_are_refused(votes, judged):
    with pytest.raises(InvalidInput, match="system: is for scores, and these are votes; leave it out"):
        rank(votes, system="system")
    with pytest.raises(InvalidInput, match="ties: is for votes, and these are scores; leave it out"):
        rank(judged({"item": 5, "system": 2}, fixed=()), ties="half")


def test_anything_else_is_refused():
    with pytest.raises(InvalidInput, match=r"no such file votes\.csv"):
        rank("votes.csv")


def some_votes(*rows):
    return votes_table(rows, "model_a model_b a b", wins=("a", "b"))


def test_fragility_goes_with_the_ratings_it_is_of():
    votes = some_votes(("x", "y", 12, 9), ("x", "z", 8, 4), ("y", "z", 7, 4))
    found = rank(votes, fragility=True)
    assert found.fragility == fragility(votes, by="bradley-terry", ties="davidson")
    assert found.to_dict()["fragility"]["dropped"] == found.fragility.dropped
    assert found.fragile_words.startswith("Without ")
    assert found.elo().fragility is found.fragility
    assert (rank(votes).fragility, rank(votes).fragile_words) == (None, "")
    for name, value in (("position", True), ("regularisation", 1.0), ("weights", [1.0, 1.0, 1.0])):
        with pytest.raises(InvalidInput, match=f"{name}: fragility is of ratings without"):
            rank(votes, fragility=True, **{name: value})


def test_no_votes_left_out_unseat_a_system_that_never_lost():
    """x stands above all, without a rating: the first of those that are rated is not the first of the board."""
    votes = some_votes(("x", "y", 12, 0), ("x", "z", 8, 0), ("y", "z", 7, 4), ("y", "w", 5, 3), ("w", "z", 4, 3))
    found = rank(votes, fragility=True)
    assert found.fragility is None
    assert found.fragile_words.startswith('Leaving out votes puts no other system first; votes: "x" stands above all')
    assert found.to_dict()["not_fragile"]


def chosen_by(chances, **columns):
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
    return chosen_by([0.25] * 60 + [0.5, 0.4, 0.1] * 30)


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
    found = q.rank(chosen_by(chances), reweight="uniform", ties="half")
    table = chosen_by(chances, votes=[2, 1, 1] * 40)
    assert np.allclose(found.values, q.rank(table, reweight="none", ties="half").values)


def test_equal_chances_change_nothing():
    equal = chosen_by([0.2, 0.5, 0.3] * 40)
    assert reweighted(equal) is None
    assert reweighted(equal, "none") is None
    assert q.rank(equal).to_dict() == q.rank(equal, reweight="none").to_dict()


def test_what_is_refused(early_and_late):
    with pytest.raises(InvalidInput, match="reweight: must be one of stabilised, uniform, none"):
        q.rank(early_and_late, reweight="some")
    with pytest.raises(InvalidInput, match="leave one of the two out"):
        q.rank(early_and_late, reweight="uniform", weights=np.ones(early_and_late.rows))
    with pytest.raises(InvalidInput, match='take them so with reweight="none"'):
        q.rank(early_and_late, fragility=True)
    with pytest.raises(InvalidInput, match=r'got "1.5" \(1 vote like'):
        q.rank(chosen_by([0.5, 1.5, 0.5] * 1))
    with pytest.raises(InvalidInput, match="got none"):
        q.rank(chosen_by([0.5, 0.5, None]))
    without = q.read_votes(
        pl.DataFrame({"model_a": ["x"] * 4, "model_b": ["y"] * 4, "winner": ["model_a", "model_b"] * 2}), announce=False
    )
    with pytest.raises(InvalidInput, match="no chances at which they were asked"):
        q.rank(without, reweight="uniform")
