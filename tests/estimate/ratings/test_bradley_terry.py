from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from rated_votes import counted, drawn, single

import quorate as q
from quorate.errors import InvalidInput, NotEstimable, UnknownTerm
from quorate.estimate.ratings.bradley_terry import bradley_terry


def test_counted_votes_are_single_votes():
    rows = [
        ("x", "y", "a", "p"),
        ("x", "y", "b", "p"),
        ("y", "z", "a", "p"),
        ("z", "x", "a", "p"),
        ("x", "z", "tie", "p"),
    ]
    counts = [("x", "y", 3, 3, 0), ("y", "z", 3, 0, 0), ("x", "z", 0, 3, 3)]
    one, other = q.rank(single(3 * rows, prompt="")), q.rank(counted(counts))
    assert one.systems == other.systems
    np.testing.assert_allclose(one.rating, other.rating, atol=1e-9)
    np.testing.assert_allclose(one.covariance, other.covariance, atol=1e-9)


def test_whole_weights_are_repeated_votes_in_the_ratings_and_no_votes_in_the_error():
    votes = drawn(3)
    rank = partial(q.rank, cluster=())
    doubled = rank(votes, weights=np.full(votes.rows, 2.0))
    plain = rank(votes)
    np.testing.assert_allclose(doubled.rating, plain.rating, atol=1e-9)
    np.testing.assert_allclose(doubled.se, plain.se, rtol=1e-9)
    some = np.where(votes.model_a == 0, 3.0, 1.0)
    again = votes.keep(np.ones(votes.rows, dtype=bool))
    repeated = rank(type(again)(**{**vars_of(again), "count": some.astype(np.int64)}))
    np.testing.assert_allclose(rank(votes, weights=some).rating, repeated.rating, atol=1e-9)
    assert (rank(votes, weights=some).se > repeated.se).all()


def vars_of(votes):
    return {name: getattr(votes, name) for name in votes.__dataclass_fields__}


def test_rows_of_weight_zero_are_left_out():
    votes = drawn(4)
    some = (np.arange(votes.rows) % 3 > 0).astype(float)
    kept = q.rank(votes.keep(some > 0))
    np.testing.assert_allclose(q.rank(votes, weights=some).se, kept.se, rtol=1e-9)


def test_the_position_effect():
    ratings = q.rank(drawn(5, n=3000, order=True), position=True)
    low, high = ratings.position.ends
    assert low < 0.5 < high
    assert ratings.position.p_value < 1e-6
    assert ratings.systems == tuple("vwxyz")
    assert q.rank(drawn(5, n=3000, order=True)).position is None


@pytest.mark.parametrize("cluster", [(), "prompt"])
def test_the_bootstrap_agrees_with_the_sandwich(cluster):
    ratings = q.rank(drawn(6, n=2000, prompts=300), cluster=cluster, resamples=1500)
    assert ratings.method == "bootstrap"
    plain = ratings.using("cluster" if cluster else "sandwich")
    np.testing.assert_allclose(ratings.se, plain.se, rtol=0.08)
    np.testing.assert_allclose(ratings.intervals, plain.intervals, atol=0.03)
    assert ratings.ranks.critical == pytest.approx(plain.ranks.critical, rel=0.06)
    same = q.rank(drawn(6, n=2000, prompts=300), cluster=cluster, resamples=1500)
    np.testing.assert_array_equal(ratings.se, same.se)


def test_resamples_without_ratings_are_counted():
    rows = [("x", "y", 9, 3, 0), ("y", "z", 9, 3, 0), ("x", "z", 20, 1, 0)]
    found = q.rank(counted(rows), resamples=500).caveats
    assert [one.code for one in found] == ["refits-without-ratings"]
    assert "of 500 resamples have no finite ratings" in found[0].sentence
    few = [("x", "y", 9, 1, 0), ("y", "z", 9, 1, 0), ("x", "z", 20, 0, 0)]
    with pytest.raises(NotEstimable, match="of 500 resamples have no finite ratings"):
        q.rank(counted(few), resamples=500)


ORDER = [("x", "y", 5, 0, 0), ("x", "z", 5, 0, 0), ("y", "z", 4, 2, 0)]


@pytest.mark.parametrize(("votes", "ranks", "first"), [(3, (1, 3), 1), (30, (1, 1), 2)])
def test_a_system_that_never_lost_has_the_first_rank(votes, ranks, first):
    """By how many votes it won against each: three are chance, thirty are not."""
    found = q.rank(counted([("x", "y", votes, 0, 0), ("x", "z", votes, 0, 0), ("y", "z", 30, 5, 0)]))
    (x,) = found.to_dict()["unrated"]
    assert (x["rank_low"], x["rank_high"]) == ranks
    assert [row["rank_low"] for row in found.rows()] == [first, first + 1]
    assert found.sentence.startswith("x is first of 3" if first == 2 else "x leads 3 systems, not surely ahead of y")
    assert found.best["y"] < (0.03 if first == 2 else 0.1)


def test_a_system_that_wins_all_is_above_those_that_are_rated():
    ratings = q.rank(counted(ORDER))
    assert [(one.system, one.place, one.votes) for one in ratings.unrated] == [("x", "above all", 10)]
    assert (ratings.systems, ratings.n) == (("y", "z"), 6)
    alone = q.rank(counted([("y", "z", 4, 2, 0)]))
    assert (ratings.rating == alone.rating).all()
    assert ratings.sentence.endswith("Without a finite rating: x, above all of these, to whom it never lost.")
    turned = q.rank(counted([(a, b, lost, won, t) for a, b, won, lost, t in ORDER]))
    assert [one.place for one in turned.unrated] == ["below all"]
    unranked = {"rank_low": None, "rank_high": None}
    assert turned.to_dict()["unrated"] == [{"system": "x", "place": "below all", "votes": 10, "won": 0} | unranked]
    assert not q.rank(counted(ORDER), regularisation=1).unrated


def test_systems_without_votes_between_them_are_not_linked():
    apart = [("x", "y", 3, 2, 0), ("z", "w", 3, 2, 0), ("v", "w", 1, 2, 0)]
    ratings = q.rank(counted(apart))
    assert sorted(ratings.systems) == ["v", "w", "z"]
    assert "x and y, not linked to these by wins both ways" in ratings.sentence
    only_ties = [("x", "y", 3, 2, 0), ("y", "z", 0, 0, 4)]
    assert [one.system for one in q.rank(counted(only_ties), ties="drop").unrated] == ["z"]


def test_a_plain_order_has_no_rating_at_all():
    with pytest.raises(NotEstimable, match=r'"x" won every vote against the others.*leave it out') as error:
        q.rank(counted([("x", "y", 5, 0, 0), ("y", "z", 5, 0, 0)]))
    assert error.value.names == {"x"}


def test_regularisation_rates_whoever_has_no_finite_rating():
    ratings = q.rank(counted(ORDER), regularisation=1)
    assert ratings.systems[0] == "x"
    assert [one.code for one in ratings.caveats] == ["shrunk-ratings"]
    assert np.ptp(ratings.rating) > np.ptp(q.rank(counted(ORDER), regularisation=10).rating)
    drawn = q.rank(counted(ORDER), regularisation=1, resamples=400)
    np.testing.assert_allclose(drawn.se, drawn.using("sandwich").se, rtol=0.25)


def test_nothing_is_learnt_across_groups_by_a_ridge():
    """The difference of two groups is what the ridge supposes: sd 1 for each rating, two in each group's mean."""
    apart = [("x", "y", 300, 200, 0), ("z", "w", 300, 200, 0)]
    gap = q.rank(counted(apart), regularisation=1).difference("x", "z")
    assert gap.value == pytest.approx(0, abs=1e-9)
    assert gap.se > 1 / np.sqrt(2) + 1 / np.sqrt(2) - 0.5


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (
            {"ties": "skip"},
            InvalidInput,
            'ties: expects one of davidson, rao-kupper, glenn-david, half, drop, got "skip"',
        ),
        ({"level": 1.0}, InvalidInput, "level: must lie between 0 and 1, got 1.0"),
        ({"level": 95}, InvalidInput, "level: must lie between 0 and 1, got 95"),
        ({"cluster": "judge"}, UnknownTerm, 'no facet "judge"; there are "prompt"'),
        ({"weights": np.ones(3)}, InvalidInput, r"weights: expects 400 numbers, one for every row, got shape \(3,\)"),
        ({"weights": ["a"] * 400}, InvalidInput, "weights: expects one number for every row, got something else"),
        ({"weights": -np.ones(400)}, InvalidInput, r"finite numbers of 0 or more, got -1.0 in row 1"),
        ({"weights": np.full(400, np.nan)}, InvalidInput, r"finite numbers of 0 or more, got nan in row 1"),
        ({"weights": np.zeros(400)}, InvalidInput, r'every vote on "v", "w", "x", "y" and "z" has weight 0'),
        ({"regularisation": -1}, InvalidInput, r"regularisation: expects a number from 0 to 1e\+12, got -1"),
        ({"regularisation": np.nan}, InvalidInput, r"regularisation: expects a number from 0 to 1e\+12, got nan"),
        ({"regularisation": 1e13}, InvalidInput, r"regularisation: expects a number from 0 to 1e\+12, got 1"),
        ({"resamples": 10}, InvalidInput, "resamples: expects 0, or a whole number of at least 100, got 10"),
        ({"resamples": 10**20}, InvalidInput, "resamples: at most 1,000,000 are drawn, got 100000000000000000000"),
        ({"resamples": 200.5}, InvalidInput, "resamples: expects 0, or a whole number of at least 100, got 200.5"),
        ({"seed": -1}, InvalidInput, "seed: must be a whole number of at least 0, got -1"),
        ({"position": True}, NotEstimable, "position: nothing says which system was shown first"),
    ],
)
def test_what_is_asked_is_checked(options, error, message):
    with pytest.raises(error, match=message) as caught:
        q.rank(drawn(7), **options).ranks  # noqa: B018
    assert "\n" not in str(caught.value)


def test_what_is_no_table_of_votes():
    with pytest.raises(InvalidInput, match=r"no such file votes\.csv"):
        q.rank("votes.csv")


def test_scores_are_not_votes(judged):
    with pytest.raises(InvalidInput, match="got Judgments; ratings come from votes, not from scores"):
        bradley_terry(judged({"item": 4, "judge": 3}, announce=False))


def test_a_difference_that_no_vote_spreads_has_no_standard_error():
    """Ties as half wins between two systems that meet nobody else: each residual is 0."""
    rows = [("x", "y", 0, 0, 9), ("x", "z", 4, 4, 0)]
    with pytest.raises(NotEstimable, match='the votes on "x" and "y" all say the same'):
        q.rank(counted(rows), ties="half")


def test_a_rating_that_one_vote_alone_tells_has_no_standard_error():
    with pytest.raises(NotEstimable, match="one vote alone tells"):
        q.rank(counted([("x", "y", 5, 6, 0), ("y", "z", 0, 0, 1), ("z", "w", 5, 6, 0)]), ties="half")
