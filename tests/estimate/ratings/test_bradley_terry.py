from __future__ import annotations

import json
import re
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from rated_votes import counted, drawn, single
from reference.style import votes as reference_votes
from scipy.stats import t
from tables import votes_table

import quorate as q
from quorate.decide.outcome import Outcome
from quorate.errors import InvalidInput, NotEstimable, UnknownTerm
from quorate.estimate.ratings.bradley_terry import bradley_terry, cycles
from quorate.estimate.ratings.contrast import Rows
from quorate.estimate.ratings.counts import tally
from quorate.numerics.ratings.bradley_terry import fit, scores
from quorate.numerics.ratings.draws import centred, covariance, inverse_information
from quorate.numerics.ratings.rank_intervals import difference_se, rank_intervals


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


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.wide(1)
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
            'ties: must be one of davidson, rao-kupper, glenn-david, half, drop, got "skip"',
        ),
        ({"level": 1.0}, InvalidInput, "level: must lie between 0 and 1, got 1.0"),
        ({"level": 95}, InvalidInput, "level: must lie between 0 and 1, got 95"),
        ({"cluster": "judge"}, UnknownTerm, 'no facet "judge"; there are "prompt"'),
        ({"weights": np.ones(3)}, InvalidInput, r"weights: expects 400 numbers, one for every row, got shape \(3,\)"),
        ({"weights": ["a"] * 400}, InvalidInput, "weights: expects one number for every row, got something else"),
        ({"weights": -np.ones(400)}, InvalidInput, r"finite numbers of 0 or more, got -1.0 in row 1"),
        ({"weights": np.full(400, np.nan)}, InvalidInput, r"finite numbers of 0 or more, got nan in row 1"),
        ({"weights": np.zeros(400)}, InvalidInput, r'every vote on "v", "w", "x", "y" and "z" has weight 0'),
        ({"regularisation": -1}, InvalidInput, r"regularisation: must be from 0 to 1e\+12, got -1"),
        ({"regularisation": np.nan}, InvalidInput, r"regularisation: must be from 0 to 1e\+12, got nan"),
        ({"regularisation": 1e13}, InvalidInput, r"regularisation: must be from 0 to 1e\+12, got 1"),
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


def test_one_vote_per_cluster_is_no_cluster():
    votes = drawn(1, prompts=400)
    np.testing.assert_allclose(q.rank(votes, cluster="prompt").se, q.rank(votes, cluster=()).se, rtol=1e-12)


@pytest.mark.slow
def test_clusters_that_repeat_every_vote_widen_by_the_root_of_two():
    once = drawn(2, prompts=400)
    twice = q.rank(drawn_twice(once), cluster="prompt")
    assert twice.n == 2 * once.n
    np.testing.assert_allclose(twice.se, q.rank(once, cluster=()).se, rtol=1e-9)
    np.testing.assert_allclose(
        twice.se / q.rank(drawn_twice(once), cluster=()).se, np.sqrt(2), rtol=4e-3
    )  # but for 1 / (1 - h)


def drawn_twice(votes):
    names = np.array(votes.models)
    labels = np.array(["model_a", "model_b", "tie"])[votes.outcome]
    columns = {"model_a": names[votes.model_a], "model_b": names[votes.model_b], "winner": labels}
    frame = pl.DataFrame({**columns, "prompt": votes.column("prompt")})
    return q.read_votes(pl.concat([frame, frame]), announce=False)


def test_few_clusters_and_shared_prompts_are_said():
    assert [one.code for one in q.rank(drawn(8), cluster=()).caveats] == ["taken-as-independent"]
    assert q.rank(drawn(8), cluster="prompt").caveats == ()
    few = q.rank(drawn(8, prompts=12), cluster="prompt")
    assert [one.code for one in few.caveats] == ["few-clusters"]
    assert few.clusters == (12,)
    assert 10 < few.difference("v", "w").df < 11


def seldom(seed, clusters=100, often=5, seen=3):
    """Votes on "x" in a few of many prompts; all systems are equal but vary from prompt to prompt."""
    rng, rows = np.random.default_rng(seed), []
    for g in range(clusters):
        rating = dict(zip("abcdx", rng.normal(0, 1, 5), strict=True))
        for _ in range(2 * often):
            one, two = ("x", rng.choice(list("abcd"))) if g < seen else rng.choice(list("abcd"), 2, replace=False)
            won = rng.random() < 1 / (1 + np.exp(rating[two] - rating[one]))
            rows.append((str(one), str(two), "model_a" if won else "model_b", f"p{g}"))
    return single(rows)


def test_a_system_seen_in_few_clusters_is_known_as_these_few_tell():
    ratings = q.rank(seldom(1), cluster="prompt")
    rare, common = ratings.difference("x", "a"), ratings.difference("a", "b")
    assert 1.5 < rare.df < 2.5
    assert common.df > 40
    assert [one.code for one in ratings.caveats] == ["few-clusters"]
    assert re.search(
        r'100 levels of prompt, worth [23]\.\d of equal size for "x" against|against "x"', str(ratings.caveats)
    )


@pytest.mark.calibration
def test_intervals_of_a_system_seen_in_few_clusters_hold():
    missed = [0, 0]
    for seed in range(40):
        drawn = q.rank(seldom(seed), cluster="prompt", ties="drop", resamples=100)
        for k, one in enumerate((drawn.using("cluster"), drawn)):
            low, high = one.difference("x", "a").ends
            missed[k] += not low <= 0 <= high
    assert max(missed) <= 5  # of 40 with a chance of .05 each; with the degrees of freedom of 100 clusters 9 and more


def by_prompt(counted):
    rows = Rows(counted)
    return rows.units(rows.code("prompt"))


def test_residuals_of_few_clusters_are_enlarged():
    """A system of three clusters: by about ``1 / (1 - 1/3)`` in the variance, not by ``1 / (1 - 1/100)``."""
    votes = seldom(1)
    found = tally(votes, "davidson", None, position=False)
    at = fit(found.design, found.counts[..., None])
    bare = difference_se(covariance(found.design, at, 0.0, by_prompt(found)))
    ratings = q.rank(votes, cluster="prompt")
    x, a, b = (found.systems.index(name) for name in "xab")
    assert 1.2 < (ratings.difference("x", "a").se / bare[x, a]) ** 2 < 2
    assert 1 < (ratings.difference("a", "b").se / bare[a, b]) ** 2 < 1.05


@pytest.mark.slow
def test_few_clusters_make_ranks_less_sure_too():
    ratings = q.rank(seldom(1), cluster="prompt")
    x, a, b = (ratings.systems.index(name) for name in "xab")
    assert ratings.ranks.critical[x, a] > 1.5 * ratings.ranks.critical[a, b]
    sure = ratings.using("model").ranks.critical
    assert (ratings.ranks.critical > sure.max()).all()


def won(a, b, firsts, seconds, prompt):
    """That many votes for each, of one prompt."""
    return firsts * [(a, b, "model_a", prompt)] + seconds * [(a, b, "model_b", prompt)]


def test_groups_that_one_cluster_links_are_named():
    rows = [row for g in range(20) for a, b in ("ab", "cd") for row in won(a, b, 1, 1, f"p{g}")]
    rows += won("a", "c", 2, 1, "link") + won("b", "d", 1, 2, "link")
    with pytest.raises(NotEstimable, match='only prompt "link" links "c" and "d" to "a" and "b", so nothing') as error:
        q.rank(single(rows), cluster="prompt")
    assert error.value.names == {"c", "d"}
    with pytest.raises(NotEstimable, match='only prompt "link" links'):
        q.rank(single(rows), cluster="prompt", regularisation=1)
    assert len(q.rank(single([*rows, *won("a", "d", 1, 0, "p1")]), cluster="prompt")) == 4


def test_a_position_effect_that_one_cluster_tells_has_no_standard_error():
    rows = [row for g in range(20) for row in won("x", "y", 2, 1, f"p{g}")] + won("y", "x", 2, 1, "p0")
    with pytest.raises(NotEstimable, match="one level of prompt alone tells some of the ratings or the position"):
        q.rank(single(rows, order="model_a"), cluster="prompt", position=True)


def test_resampled_units_vary_about_their_own_mean():
    """Refits of few clusters vary by ``(G - 1) / G`` of what they should: the law is wider than they are."""
    ratings = q.rank(drawn(6, n=600, prompts=10), cluster="prompt", resamples=400)
    law = ratings.laws["bootstrap"]
    gap = ratings.difference("v", "w")
    i, j = ratings.systems.index("v"), ratings.systems.index("w")
    refit = law.deviations[:, i] - law.deviations[:, j]
    assert gap.df < 9
    assert gap.se >= np.std(refit, ddof=1) * np.sqrt(1 + 1 / gap.df) * (1 - 1e-9)
    names, drawn_ = len(ratings), law.deviations[:, : len(ratings)]
    wanted = rank_intervals(
        ratings.rating, ratings.covariance, drawn_, 0.95, law.df[:names, :names], np.cov(drawn_, rowvar=False)
    )
    np.testing.assert_allclose(ratings.ranks.critical, wanted.critical)
    np.testing.assert_allclose(gap.deviations, refit * np.sqrt(1 + 1 / gap.df))
    assert np.ptp(gap.ends) > 1.1 * np.ptp(np.quantile(gap.deviations, [0.025, 0.975]))


def votes(counts):
    """Votes of pairs: wins of the first and of the second, each on a prompt of its own."""
    rows = [
        (*pair, winner) for pair, both in counts.items() for winner, n in zip("ab", both, strict=True) for _ in range(n)
    ]
    frame = pl.DataFrame(rows, schema=["model_a", "model_b", "winner"], orient="row")
    return q.read_votes(frame.with_columns(winner="model_" + pl.col("winner")), announce=False)


def test_rock_paper_scissors_by_students_law():
    """Log odds of (wins + 1/2) / (losses + 1/2) add up to 3 log(40.5 / 20.5); each has variance 1 / (n p q)."""
    [one] = cycles(votes({("r", "s"): (40, 20), ("s", "p"): (40, 20), ("p", "r"): (40, 20)}))
    assert set(one.systems) == set("rsp")
    start = one.systems.index("r")
    assert one.systems[start:] + one.systems[:start] == ("r", "s", "p")
    assert one.shares == pytest.approx((40.5 / 61,) * 3)
    p, n, wins = 40.5 / 61, 60, 40
    each = (wins * (1 - p) ** 2 + (n - wins) * p**2) / (n * p * (1 - p)) ** 2
    assert one.p == pytest.approx(2 * t.sf(3 * np.log(p / (1 - p)) / np.sqrt(3 * each), 180), rel=1e-6)


def test_ratings_that_hold_have_none():
    assert cycles(votes({("r", "s"): (40, 20), ("s", "p"): (40, 20), ("r", "p"): (48, 12)})) == ()


def test_pairs_that_hardly_met_are_not_looked_at():
    assert cycles(votes({("r", "s"): (15, 2), ("s", "p"): (15, 2), ("p", "r"): (15, 2)})) == ()


def test_votes_of_one_prompt_are_one_opinion():
    """Every prompt says the same of a pair ten times: six prompts' worth of votes, not sixty."""
    rng = np.random.default_rng(3)
    rows = [
        (f"{a}{prompt}", a, b, winner)
        for a, b in ("rs", "sp", "pr")
        for prompt in range(12)
        for winner in [("model_a", "model_b")[int(rng.random() > 0.62)]] * 10
    ]
    table = votes_table(rows, "prompt model_a model_b winner")
    assert len(cycles(table, cluster=())) >= len(cycles(table))
    assert cycles(table) == ()


def test_the_board_says_so():
    table = votes({("r", "s"): (60, 20), ("s", "p"): (60, 20), ("p", "r"): (60, 20)})
    [caveat] = [one for one in q.rank(table).caveats if one.code == "goes-round"]
    assert "r beats s" in caveat.sentence


def votes_of(seed, share, most=0.5, people=12, ties=0.0):
    """400 votes on 80 prompts, ``most`` of them by one person."""
    rng = np.random.default_rng(seed)
    judge = rng.choice(people, 400, p=[most, *[(1 - most) / (people - 1)] * (people - 1)])
    winner = np.where(rng.random(400) < share, "model_a", "model_b")
    winner = np.where(rng.random(400) < ties, "tie", winner)
    columns = {"model_a": "x", "model_b": "y", "winner": winner, "prompt": np.repeat(np.arange(80), 5)}
    return q.read_votes(pl.DataFrame({**columns, "judge": judge.astype(str)}), announce=False)


CASES = {
    "one person with half of the votes": (votes_of(1, 0.9), {}),
    "a small lead": (votes_of(2, 0.55), {}),
    "five people": (votes_of(3, 0.7, most=0.2, people=5), {}),
    "ties": (votes_of(4, 0.6, ties=0.2), {}),
    "ties as halves": (votes_of(5, 0.6, ties=0.2), {"ties": "half"}),
    "independent votes, the exact test": (votes_of(6, 0.55, ties=0.1), {"cluster": ()}),
}


@pytest.mark.wide(1)
@pytest.mark.parametrize("case", CASES)
def test_rank_and_compare_test_two_systems_alike(case):
    votes, options = CASES[case]
    board, verdict = q.rank(votes, **options), q.compare(votes, "x", "y", **options)
    gap, p = board.difference("x", "y"), verdict.p_difference
    assert gap.p_value == board.difference("y", "x").p_value == p
    levels = sorted({0.6, 0.9, 0.95, 0.99, max(0.0, 1 - p - 1e-6), min(1 - p + 1e-6, 0.999)} - {0.0})
    ends = [gap.at(level).ends for level in levels]
    assert [low > 0 or high < 0 for low, high in ends] == [p <= 1 - level for level in levels]
    assert all(wide[0] <= near[0] <= gap.value <= near[1] <= wide[1] for near, wide in pairwise(ends))
    apart = verdict.outcome is not Outcome.UNDECIDED
    assert board.ranks.above.any() == apart
    assert (board.ranks.marginal_low.max() == 2) == apart
    low, high = board.intervals[0]
    assert (2 * low, 2 * high) == pytest.approx(board.difference(*board.systems).ends)
    assert board.elo().intervals[0] == pytest.approx(1000 + 400 / np.log(10) * np.array([low, high]))
    chance = board.probability("x", "y").ends
    assert (chance[0] > 0.5 or chance[1] < 0.5) == apart


def test_other_methods_and_models_have_their_own_tests():
    votes, _ = CASES["five people"]
    board = q.rank(votes, cluster="judge")
    assert board.using("model").difference("x", "y").p_value < 1e-6 < board.difference("x", "y").p_value
    assert q.rank(votes, weights=np.ones(400)).margin is None
    assert q.rank(votes, regularisation=1.0).margin is None


def test_both_name_the_person_with_most_of_the_votes():
    votes, _ = CASES["one person with half of the votes"]
    said = [one.sentence for one in q.compare(votes, "x", "y").caveats if one.code == "dominant-cluster"]
    assert said == [one.sentence for one in q.rank(votes).caveats if one.code == "dominant-cluster"]
    assert '52.5% of the votes are of one judge, "0"' in said[0]
    assert "with the next most votes (23) it would leave a margin of 0.367 (p = 0.00084)" in said[0]


RECORDED = json.loads((Path(__file__).parents[2] / "reference" / "style.json").read_text())
STYLE = ["length", "lists"]
FACETS = {"length_a": "length_a", "length_b": "length_b", "lists": "lists"}


@pytest.fixture(scope="module")
def frame():
    return pl.DataFrame(reference_votes())


@pytest.fixture(scope="module")
def styled_votes(frame):
    return q.read_votes(frame, facets=FACETS, announce=False)


@pytest.fixture(scope="module")
def board(styled_votes):
    return q.rank(styled_votes, ties="half", covariates=STYLE)


def agrees(board, recorded):
    """Ratings and coefficients, to 1e-6."""
    wanted = dict(zip(sorted(board.systems), recorded["rating"], strict=True))
    np.testing.assert_allclose(board.rating, [wanted[name] for name in board.systems], atol=1e-6)
    found = [one.value for one in board.coefficients.values()]
    np.testing.assert_allclose(found, recorded["coefficients"], atol=1e-6)


def test_ratings_and_coefficients_are_those_of_arena_rank(board, frame):
    agrees(board, RECORDED["plain"])
    style = frame.with_columns(length=pl.col("length_a") - pl.col("length_b"))
    normal = style.with_columns([(pl.col(name) - pl.col(name).mean()) / pl.col(name).std(ddof=0) for name in STYLE])
    pair = [tuple(sorted(pair)) for pair in zip(frame["model_a"], frame["model_b"], strict=True)]
    weights = np.array([1 / max(pair.count(one), 50) for one in pair])
    table = q.read_votes(normal, facets={name: name for name in STYLE}, announce=False)
    agrees(q.rank(table, ties="half", covariates=STYLE, weights=weights), RECORDED["centred"])


def test_standard_errors_are_those_of_arena_rank_before_they_allow_for_leverage(styled_votes):
    counted = tally(styled_votes, "half", None, position=False, covariates=STYLE)
    at = fit(counted.design, counted.counts[..., None])
    vote, bread = scores(counted.design, at.theta[:, 0]).toarray(), inverse_information(counted.design, at, 0.0)
    meat = vote.T @ (counted.counts.ravel()[:, None] * vote)
    found = np.sqrt(np.diag(centred(bread @ meat @ bread, 5)))
    np.testing.assert_allclose(found, RECORDED["plain"]["se"], rtol=1e-6)


def test_it_is_the_same_whichever_way_round_pairs_are_written(frame, board):
    flip = {"model_a": "model_b", "model_b": "model_a", "tie": "tie"}
    turned = frame.rename({"model_a": "model_b", "model_b": "model_a", "length_a": "length_b", "length_b": "length_a"})
    turned = turned.with_columns(pl.col("winner").replace(flip), lists=-pl.col("lists"))
    other = q.rank(q.read_votes(turned, facets=FACETS, announce=False), ties="half", covariates=STYLE)
    np.testing.assert_allclose(other.rating, board.rating, atol=1e-9)
    np.testing.assert_allclose(other.se, board.se, atol=1e-9)


@pytest.mark.parametrize(
    ("names", "error", "message"),
    [
        (["width"], InvalidInput, 'the votes have no "width", nor "width_a" and "width_b"'),
        (["lists", "lists"], InvalidInput, "names, each once"),
        ("lists", InvalidInput, "names, each once"),
        (["word"], InvalidInput, 'expects numbers, but "word" has labels such as "x"'),
        (["same"], NotEstimable, "same never differs"),
        (["gone"], NotEstimable, "gone has no number in 1 rows"),
        (["system"], NotEstimable, "system cannot be told from the ratings"),
    ],
)
def test_what_is_refused(frame, names, error, message):
    place = {f"s{i}": float(i) for i in range(5)}
    apart = pl.col("model_a").replace_strict(place) - pl.col("model_b").replace_strict(place)
    more = frame.with_columns(word=pl.lit("x"), same=pl.lit(0.0), system=apart).with_row_index("gone")
    more = more.with_columns(gone=pl.when(pl.col("gone") > 0).then(pl.col("gone")).cast(pl.Float64))
    known = {name: name for name in ("lists", "word", "same", "gone", "system")}
    with pytest.raises(error, match=message):
        q.rank(q.read_votes(more, facets=known, announce=False), covariates=names)


def test_what_moves(board, styled_votes):
    plain = q.rank(styled_votes, ties="half")
    before = dict(zip(plain.systems, plain.rating.tolist(), strict=True))
    moves = board.moves
    assert moves.systems == board.systems
    assert moves.before.tolist() == pytest.approx([before[name] for name in moves.systems], abs=1e-9)
    np.testing.assert_allclose(moves.before + moves.value, board.rating, atol=1e-9)
    assert (moves.se < np.hypot(board.se, plain.se)).all()
    assert moves.sentence in board.sentence
    assert moves.sentence.startswith("At equal length and lists ")
    points = board.elo()
    np.testing.assert_allclose(points.moves.before + points.moves.value, points.rating, atol=1e-6)
    assert [one["system"] for one in board.to_dict()["moves"]] == list(board.systems)
    assert "equal-style" in {one.code for one in board.caveats}


def test_moves_vary_as_refits_of_both_models_do(styled_votes):
    """200 resamples of clusters, each fitted with and without covariates."""
    prompts = np.arange(styled_votes.rows) % 90
    table = q.read_votes(pl.DataFrame(reference_votes()).with_columns(prompt=prompts), covariates=STYLE, announce=False)
    moves, rng, ratings = q.rank(table, covariates=STYLE).moves, np.random.default_rng(1), []
    times = np.stack([np.bincount(rng.integers(90, size=90), minlength=90)[prompts] for _ in range(200)], axis=1)
    for names in (STYLE, ()):
        counted = tally(table, "davidson", None, position=False, covariates=names)
        counts = np.zeros((counted.places.size, 200))
        np.add.at(counts, counted.places.place, times)
        ratings.append(fit(counted.design, counts.reshape(*counted.counts.shape, 200), tol=1e-4).theta[:5])
    drawn = (ratings[0] - ratings[1]).T
    order = [styled_votes.models.index(name) for name in moves.systems]
    np.testing.assert_allclose(moves.se, np.std(drawn, axis=0)[order], rtol=0.2)
