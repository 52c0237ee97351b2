from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy.optimize import minimize
from scipy.special import stdtr
from tables import votes_table

import quorate as q
from quorate.errors import InvalidInput, NotEstimable, UnknownTerm
from quorate.estimate.ratings.contrast import Contrast, RatingLaw, average_odds, expit
from quorate.numerics.ratings.ties import tie_model
from quorate.reporting.pages.ratings.page import own_words, page

ROWS = [
    ("x", "y", 60, 20, 10),
    ("x", "z", 55, 25, 10),
    ("y", "z", 41, 39, 12),
    ("y", "w", 70, 20, 5),
    ("z", "w", 66, 23, 6),
]


@pytest.fixture(scope="module")
def ratings():
    return q.rank(votes_table(ROWS, "model_a model_b a b t", wins=("a", "b", "t")))


def test_the_table_has_the_best_system_first(ratings):
    frame = ratings.to_frame()
    assert frame.columns == ["system", "rating", "se", "low", "high", "rank_low", "rank_high", "group"]
    assert frame["system"].to_list() == list(ratings.systems) == ["x", "y", "z", "w"]
    assert frame["rating"].is_sorted(descending=True)
    assert ratings.rating.sum() == pytest.approx(0, abs=1e-9)
    assert frame["rank_low"].to_list() == [1, 2, 2, 4]
    assert frame["rank_high"].to_list() == [1, 3, 3, 4]
    assert frame["group"].to_list() == [1, 2, 2, 3]
    assert ratings.groups == (("x",), ("y", "z"), ("w",))
    assert repr(ratings).startswith("Ratings(4 systems, 462 votes, sandwich: x 0.9878, y 0.07375, z 0.06702, ...)")


def test_the_standard_error_is_that_about_the_mean_of_all(ratings):
    weight = np.full(4, -0.25)
    weight[0] += 1
    assert ratings.se[0] == pytest.approx(np.sqrt(weight @ ratings.covariance @ weight))


def test_elo_is_the_same_in_points(ratings):
    elo = ratings.elo()
    assert elo.rating.mean() == pytest.approx(1000)
    np.testing.assert_allclose(elo.se, ratings.se * 400 / np.log(10))
    assert 10 ** (elo.difference("x", "y").value / 400) == pytest.approx(np.exp(ratings.difference("x", "y").value))
    anchored = ratings.elo(1200, system="z")
    assert anchored.rating[anchored.systems.index("z")] == pytest.approx(1200)
    np.testing.assert_allclose(anchored.se, elo.se)
    assert anchored.groups == elo.groups == ratings.groups
    assert anchored.probability("x", "z").value == ratings.probability("x", "z").value
    low, high = anchored.intervals.T
    assert ((low < anchored.rating) & (anchored.rating < high)).all()
    with pytest.raises(UnknownTerm, match='"v"'):
        ratings.elo(system="v")


def test_chances_of_being_best_add_up(ratings):
    assert sum(ratings.best.values()) == pytest.approx(1)
    assert ratings.best["x"] > 0.99
    assert list(ratings.best) == list(ratings.systems)


def test_the_tie_parameter(ratings):
    assert ratings.nu == pytest.approx(math.exp(ratings.log_nu.value))
    low, high = ratings.log_nu.ends
    assert low < ratings.log_nu.value < high


def test_methods_of_uncertainty(ratings):
    model = ratings.using("model")
    assert model.method == "model"
    np.testing.assert_array_equal(model.rating, ratings.rating)
    assert not np.array_equal(model.se, ratings.se)
    assert model.difference("x", "y").df == math.inf
    with pytest.raises(InvalidInput, match='method: must be one of model, sandwich, got "bootstrap"'):
        ratings.using("bootstrap")


def test_what_can_go_wrong_when_asking(ratings):
    with pytest.raises(UnknownTerm, match='no system "v"; there are "x"'):
        ratings.difference("x", "v")
    with pytest.raises(InvalidInput, match='"x" against itself'):
        ratings.probability("x", "x")
    with pytest.raises(InvalidInput, match="level: must lie between 0 and 1, got 0"):
        _ = ratings.difference("x", "y").at(0).ends


@pytest.mark.parametrize("resamples", [0, 300])
def test_a_chance_of_winning_is_that_over_both_orders(resamples):
    """The first of two equals in strength but for their places wins 9 to 1; "x" is better besides."""
    rows = [("x", "y", 95, 5), ("y", "x", 60, 40)]
    votes = votes_table(rows, "model_a model_b a b", wins=("a", "b"), order="model_a")
    placed, plain = q.rank(votes, position=True, resamples=resamples), q.rank(votes)
    rate, other = placed.probability("x", "y"), placed.probability("y", "x")
    assert rate.value == pytest.approx((95 + 40) / 200)
    assert rate.value + other.value == pytest.approx(1)
    assert placed.difference("x", "y").value > rate.log_odds.value
    low, high = rate.ends
    exact = math.sqrt((0.95 * 0.05 + 0.6 * 0.4) / 400)  # of the mean of two shares
    assert (high - low) / 2 / 1.972 == pytest.approx(exact, rel=0.03 if not resamples else 0.12)
    assert plain.probability("x", "y").value == pytest.approx(rate.value)
    assert math.isnan(q.rank(votes, position=True, ties="drop").probability("x", "y").tie)


def test_few_degrees_of_freedom_make_the_best_less_sure():
    many = q.rank(votes_table([("x", "y", 60, 40)], "model_a model_b a b", wins=("a", "b")))
    law = many.laws["sandwich"]
    few = replace(many, laws={"sandwich": RatingLaw(law.covariance, np.full((2, 2), 2.0))}, margin=None)
    t = many.difference("x", "y").value / many.difference("x", "y").se
    assert many.best["x"] == pytest.approx(stdtr(99, t), abs=0.01)
    assert few.best["x"] == pytest.approx(stdtr(2, t), abs=0.015)
    assert few.ranks.critical[0, 1] == pytest.approx(4.30, abs=0.3)  # qt(.975, 2) in R


def test_sentences(ratings):
    assert (
        ratings.sentence
        == "x is first of 4 systems; 5 of 6 pairs of systems are told apart, at 95% for all ranks at once."
    )
    frame = pl.DataFrame([("x", "y", 6, 5)], schema=["model_a", "model_b", "a", "b"], orient="row")
    close = q.rank(q.read_votes(frame, wins=("a", "b"), announce=False))
    assert close.sentence == "x and y are not told apart, at 95% for all ranks at once."
    chain = [("x", "y", 55, 45), ("y", "z", 55, 45), ("x", "z", 68, 32)]
    frame = pl.DataFrame(chain, schema=["model_a", "model_b", "a", "b"], orient="row")
    linked = q.rank(q.read_votes(frame, wins=("a", "b"), announce=False))
    assert linked.sentence.startswith("x leads 3 systems, not surely ahead of y; 1 of 3 pairs of systems is told apart")
    shared = [("x", "y", 50, 48), ("x", "z", 90, 10), ("y", "z", 90, 10)]
    frame = pl.DataFrame(shared, schema=["model_a", "model_b", "a", "b"], orient="row")
    two = q.rank(q.read_votes(frame, wins=("a", "b"), announce=False))
    assert two.sentence.startswith("x leads 3 systems, not surely ahead of y; 2 of 3 pairs")


def test_everything_as_plain_values(ratings):
    said = json.loads(json.dumps(ratings.to_dict(), allow_nan=False))
    assert [row["system"] for row in said["systems"]] == list(ratings.systems)
    assert said["groups"] == [["x"], ["y", "z"], ["w"]]
    assert said["sentence"] == ratings.sentence
    assert said["log_nu"]["value"] == ratings.log_nu.value
    assert said["position"] is None
    json.dumps(ratings.using("model").to_dict(), allow_nan=False)


RATING, SLOPE, TIES = np.array([0.9, 0.2, -0.3, -0.8]), np.array([1.9, 1, 0.1]), np.array([0.9, 0, -0.3, -0.6])


def simulated(seed, votes=3000):
    """Votes by Davidson's model with slopes of judges and ties of every system."""
    rng = np.random.default_rng(seed)
    a = rng.integers(4, size=votes)
    b = (a + rng.integers(1, 4, size=votes)) % 4
    judge = rng.integers(3, size=votes)
    gap = SLOPE[judge] * (RATING[a] - RATING[b])
    weight = np.stack([np.exp(gap / 2), np.exp(-gap / 2), np.exp(-0.3 + (TIES[a] + TIES[b]) / 2)])
    outcome = (rng.random(votes) > np.cumsum(weight / weight.sum(axis=0), axis=0)).sum(axis=0)
    name = np.array(list("wxyz"))
    columns = {"model_a": name[a], "model_b": name[b], "winner": np.array(["model_a", "model_b", "tie"])[outcome]}
    return pl.DataFrame({**columns, "judge": np.array(["ann", "bob", "cy"])[judge], "prompt": np.arange(votes) % 300})


@pytest.fixture(scope="module")
def of_judges():
    return q.read_votes(simulated(1), announce=False)


@pytest.fixture(scope="module")
def board(of_judges):
    return q.rank(of_judges, discrimination="judge", ties_by_system=True, cluster="prompt")


def test_slopes_and_ties_are_where_they_were(board):
    for found, truth, names in (
        (board.slopes, SLOPE, ("ann", "bob", "cy")),
        (board.tie_rates, TIES - TIES.mean(), "wxyz"),
    ):
        assert set(found) == set(names)
        assert sum(one.value for one in found.values()) == pytest.approx(truth.sum(), abs=1e-9)
        for name, value in zip(names, truth, strict=True):
            assert abs(found[name].value - value) < 3.5 * found[name].se
    assert board.rating == pytest.approx(RATING - RATING.mean(), abs=0.3)
    assert list(board.tie_rates) == list(board.systems)


@pytest.mark.slow
def test_ties_of_every_system_are_the_maximum_of_the_likelihood(of_judges):
    found = q.rank(of_judges, ties_by_system=True)
    a, b, outcome = of_judges.model_a, of_judges.model_b, np.minimum(of_judges.outcome, 2)

    def loss(x):
        gap = np.append(x[:3], 0)[a] - np.append(x[:3], 0)[b]
        tie = (x[3:7][a] + x[3:7][b]) / 2
        weight = np.stack([gap / 2, -gap / 2, tie])
        return float((np.logaddexp.reduce(weight, axis=0) - weight[outcome, np.arange(len(gap))]).sum())

    wanted = minimize(loss, np.zeros(7), method="BFGS", tol=1e-8)
    assert found.log_likelihood == pytest.approx(-wanted.fun, rel=1e-9)
    own = np.array([found.tie_rates[name].value for name in of_judges.models])
    np.testing.assert_allclose(own, wanted.x[3:] - wanted.x[3:].mean(), atol=1e-3)
    assert found.log_nu.value == pytest.approx(wanted.x[3:].mean(), abs=1e-3)


def test_the_page_and_the_words_say_who(board, of_judges):
    slopes, ties = own_words(board)
    assert slopes.startswith("Slopes on the difference of two systems: ann ")
    assert ties.startswith("Ties the most readily: w ")
    shown = page(board, of_judges)
    section = next(one for one in shown.sections if one.name == "own")
    assert section.title == "Slopes of judges and ties of every system"
    assert not board.caveats
    slopes, ties = section.figures
    assert [row["level"] for row in slopes.rows] == ["ann", "bob", "cy"]
    assert ties.caption.finding.endswith("of 4 surely differ from the mean")
    assert slopes.chart()["layer"]
    assert "slopes for every judge, ties of its own for every system" in shown.methods
    assert len(board.to_dict()["slopes"]) == 3


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"ties": "half", "ties_by_system": True}, InvalidInput, "ties_by_system: needs a model of ties"),
        ({"discrimination": "person"}, UnknownTerm, "person"),
        ({"discrimination": "judge", "regularisation": 1}, InvalidInput, "regularisation: not with discrimination"),
        ({"discrimination": "judge", "resamples": 100}, InvalidInput, "resamples: not with discrimination"),
    ],
)
def test_what_is_refused(of_judges, options, error, message):
    with pytest.raises(error, match=message):
        q.rank(of_judges, **options)


def test_systems_without_ties_of_their_own_are_named(of_judges):
    some = of_judges.keep((of_judges.outcome < 2) | (of_judges.model_b < 3))
    with pytest.raises(NotEstimable, match='ties_by_system: "z" never tied'):
        q.rank(some, ties_by_system=True)
    apart = of_judges.keep((of_judges.model_a < 2) & (of_judges.model_b >= 2))
    with pytest.raises(NotEstimable, match="nothing says whose ties"):
        q.rank(apart, ties_by_system=True)


def test_covariates_with_slopes_are_the_maximum_of_the_likelihood(of_judges):
    frame = simulated(1).with_columns(length=pl.Series(np.random.default_rng(2).integers(-3, 4, size=3000)))
    told = q.read_votes(frame, covariates=["length"], announce=False)
    found = q.rank(told, discrimination="judge", covariates=["length"])
    a, b, outcome, judge = told.model_a, told.model_b, np.minimum(told.outcome, 2), told.column("judge")
    length = np.where(told.swapped, -1, 1) * frame["length"].to_numpy() / found.units[0]

    def loss(x):
        rating, slope = np.append(x[:3], -x[:3].sum()), np.append(x[3:5], 3 - x[3:5].sum())
        gap = slope[judge] * (rating[a] - rating[b]) + x[5] * length
        weight = np.stack([gap / 2, -gap / 2, np.full(len(gap), x[6])])
        return float((np.logaddexp.reduce(weight, axis=0) - weight[outcome, np.arange(len(gap))]).sum())

    wanted = minimize(loss, np.array([0.5, 0, 0, 1, 1, 0, 0]), method="BFGS", tol=1e-8)
    assert found.log_likelihood == pytest.approx(-wanted.fun, rel=1e-9)
    assert found.coefficients["length"].value == pytest.approx(wanted.x[5], abs=1e-4)
    assert found.slopes["ann"].value == pytest.approx(wanted.x[3], abs=1e-3)
    plain = q.rank(of_judges, discrimination="judge")
    before = dict(zip(found.moves.systems, found.moves.before, strict=True))
    assert [before[name] for name in plain.systems] == pytest.approx(plain.rating.tolist(), abs=1e-7)


def test_a_judge_with_few_votes_has_no_slope(of_judges):
    bob = np.flatnonzero(of_judges.column("judge") == of_judges.facet("judge").levels.index("bob"))
    few = of_judges.keep(~np.isin(np.arange(of_judges.rows), bob[5:]))
    with pytest.raises(NotEstimable, match="discrimination: bob has 5 votes, and a slope needs 10 of every judge"):
        q.rank(few, discrimination="judge")


def test_slopes_that_run_off_are_refused():
    frame = simulated(2)
    better = pl.when(pl.col("model_a") < pl.col("model_b")).then(pl.lit("model_a")).otherwise(pl.lit("model_b"))
    tossed = pl.Series(np.array(["model_a", "model_b"])[np.arange(len(frame)) // 4 % 2])
    winner = pl.when(pl.col("judge") == "cy").then(better).otherwise(tossed)
    with pytest.raises(NotEstimable, match="no finite slopes fit, as where one judge always sides"):
        q.rank(q.read_votes(frame.with_columns(winner=winner), announce=False), discrimination="judge")


def test_a_difference(ratings):
    gap, back = ratings.difference("x", "y"), ratings.difference("y", "x")
    assert gap.value == -back.value == ratings.rating[0] - ratings.rating[1]
    assert gap.se == back.se
    low, high = gap.ends
    assert (low + high) / 2 == pytest.approx(gap.value)
    assert (high - low) / gap.se / 2 == pytest.approx(1.9651, abs=1e-3)  # qt(.975, 461) in R
    assert gap.at(0.99).ends[0] < low
    plain = ratings.using("model").difference("x", "y")
    assert plain.p_value == pytest.approx(math.erfc(plain.value / plain.se / math.sqrt(2)), rel=1e-9)
    assert 0.3 < ratings.difference("y", "z").p_value < 1


def test_chances_of_one_against_another(ratings):
    rate, other = ratings.probability("x", "y"), ratings.probability("y", "x")
    assert rate.value + other.value == pytest.approx(1)
    assert rate.tie == other.tie
    worth = math.exp(rate.log_odds.value)
    assert rate.value == pytest.approx(worth / (1 + worth))
    tie = ratings.nu * math.sqrt(worth)
    assert rate.tie == pytest.approx(tie / (1 + worth + tie))
    low, high = rate.ends
    assert low < rate.value < high < 1
    assert np.isnan(ratings.using("model").probability("x", "y").tie) == (ratings.ties != "davidson")


def test_intervals_of_refits_are_their_percentiles():
    votes = votes_table(ROWS, "model_a model_b a b t", wins=("a", "b", "t"))
    ratings = q.rank(votes, resamples=1000)
    gap = ratings.difference("x", "y")
    low, high = gap.at(0.9).ends
    inside = np.mean((gap.value + gap.deviations >= low) & (gap.value + gap.deviations <= high))
    assert low - gap.value == pytest.approx(np.quantile(gap.deviations, 0.05), rel=0.005)
    assert inside == pytest.approx(0.9, abs=0.004)
    assert sum(ratings.best.values()) == pytest.approx(1)
    json.dumps(ratings.to_dict(), allow_nan=False)


@pytest.mark.parametrize("df", [math.inf, 4.0])
def test_the_p_value_of_refits_is_that_of_their_interval(df):
    deviations = np.random.default_rng(1).exponential(size=999) - 1  # skewed: no normal law agrees
    for value in (-1.6, -0.7, 0.2, 0.9):
        one = Contrast("x - y", value, 1.0, df, 100, deviations)
        for level in (1 - one.p_value - 1e-4, 1 - one.p_value + 1e-4):
            low, high = one.at(level).ends
            assert (low > 0 or high < 0) == (level < 1 - one.p_value)
    assert Contrast("x - y", 30.0, 1.0, math.inf, 100, deviations).p_value == 1 / 1000


@pytest.mark.parametrize("tied", [False, True])
def test_odds_over_both_orders(tied):
    gap, g, nu = 2.0, 1.5, 0.7 * tied
    won, lost, tie = np.mean(
        [np.array([math.exp(x / 2), math.exp(-x / 2), nu]) / (2 * math.cosh(x / 2) + nu) for x in (gap + g, gap - g)],
        axis=0,
    )
    found = average_odds(np.array([gap, g, math.log(0.7)]), tie_model("davidson" if tied else "half"))
    assert found[0] == pytest.approx(math.log(won / lost))
    assert found[1] == pytest.approx(tie)


def test_a_chance_of_a_log_odds():
    assert expit(0) == 0.5
    assert expit(700) == 1
    assert expit(-700) == pytest.approx(math.exp(-700))


def crossed(seed=1, prompts=60, judges=12, each=5, spread=0.5):
    rng = np.random.default_rng(seed)
    names, n = np.array(list("abcd")), prompts * each
    taste = rng.normal(0, spread, (judges, 4)), rng.normal(0, spread, (prompts, 4))
    prompt, judge, a = np.repeat(np.arange(prompts), each), rng.integers(0, judges, n), rng.integers(0, 4, n)
    b = (a + rng.integers(1, 4, n)) % 4
    liking = taste[0][judge] + taste[1][prompt]
    won = rng.random(n) < 1 / (1 + np.exp(liking[np.arange(n), b] - liking[np.arange(n), a]))
    columns = {"model_a": names[a], "model_b": names[b], "winner": np.where(won, "model_a", "model_b")}
    frame = pl.DataFrame({**columns, "prompt": prompt, "judge": judge})
    return q.read_votes(frame, announce=False)


@pytest.fixture(scope="module")
def votes():
    return crossed()


@pytest.mark.slow
def test_by_default_ratings_vary_with_all_that_votes_share(votes):
    ratings = q.rank(votes)
    assert (ratings.method, ratings.cluster, ratings.clusters) == ("cluster", ("prompt", "judge"), (60, 12))
    each = [q.rank(votes, cluster=name) for name in ratings.cluster]
    for one in "abc":
        gap = ratings.difference(one, "d")
        assert gap.se >= max(way.difference(one, "d").se for way in each) * (1 - 1e-9)
        assert gap.df >= min(way.difference(one, "d").df for way in each) * (1 - 1e-9)
    assert np.linalg.eigvalsh(ratings.covariance).min() > -1e-9


def test_the_facet_with_the_largest_effect_is_named(votes):
    said = [one.sentence for one in q.rank(votes, cluster=()).caveats]
    assert "yet some share their prompt and judge (most by " in said[0]
    assert 'say cluster=("prompt", "judge")' in said[0]


@pytest.mark.slow
def test_the_order_of_facets_does_not_matter(votes):
    one, other = q.rank(votes, cluster=("judge", "prompt")), q.rank(votes)
    np.testing.assert_allclose(one.covariance, other.covariance, atol=1e-12)


def test_refits_vary_with_every_facet(votes):
    ratings = q.rank(votes, resamples=600)
    np.testing.assert_allclose(ratings.se, ratings.using("cluster").se, rtol=0.2)


def test_a_facet_that_says_nothing_is_left_out_unless_it_is_named(votes):
    alone = np.flatnonzero(votes.column("judge") == 0)[0]
    others = votes.keep((votes.model_a != 0) & (votes.column("judge") != 0) | (np.arange(votes.rows) == alone))
    some = q.read_votes(
        pl.DataFrame(
            {
                "model_a": [*np.array(others.models)[others.model_a], "z", "z"],
                "model_b": [*np.array(others.models)[others.model_b], "b", "b"],
                "winner": [*np.where(others.outcome == 0, "model_a", "model_b"), "model_a", "model_b"],
                "prompt": [*others.column("prompt").astype(str), "0", "1"],
                "judge": [*others.column("judge").astype(str), "j", "j"],
            }
        ).filter(~((pl.col("model_a") == "a") | (pl.col("model_b") == "a"))),
        announce=False,
    )
    ratings = q.rank(some)
    assert ratings.cluster == ("prompt",)
    assert any(one.code == "taken-as-independent" and "judge" in one.sentence for one in ratings.caveats)
    with pytest.raises(NotEstimable, match="are of one judge"):
        q.rank(some, cluster=("prompt", "judge"))


def test_one_judge_is_said_and_is_no_cluster(votes):
    ratings = q.rank(votes.only("judge", "1"))
    assert "judge" not in ratings.cluster
    assert "one-level" in {one.code for one in ratings.caveats}
