"""Slopes of judges and ties of every system, from votes to their page."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.optimize import minimize

import quorate as q
from quorate.analysis.ratings import RatingsAnalysis
from quorate.errors import InvalidInput, NotEstimable, UnknownTerm
from quorate.reporting.pages.ratings.page import page

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
def votes():
    return q.read_votes(simulated(1), announce=False)


@pytest.fixture(scope="module")
def board(votes):
    return q.rank(votes, discrimination="judge", ties_by_system=True, cluster="prompt")


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


def test_ties_of_every_system_are_the_maximum_of_the_likelihood(votes):
    found = q.rank(votes, ties_by_system=True)
    a, b, outcome = votes.model_a, votes.model_b, np.minimum(votes.outcome, 2)

    def loss(x):
        gap = np.append(x[:3], 0)[a] - np.append(x[:3], 0)[b]
        tie = (x[3:7][a] + x[3:7][b]) / 2
        weight = np.stack([gap / 2, -gap / 2, tie])
        return float((np.logaddexp.reduce(weight, axis=0) - weight[outcome, np.arange(len(gap))]).sum())

    wanted = minimize(loss, np.zeros(7), method="BFGS", tol=1e-8)
    assert found.log_likelihood == pytest.approx(-wanted.fun, rel=1e-9)
    own = np.array([found.tie_rates[name].value for name in votes.models])
    np.testing.assert_allclose(own, wanted.x[3:] - wanted.x[3:].mean(), atol=1e-3)
    assert found.log_nu.value == pytest.approx(wanted.x[3:].mean(), abs=1e-3)


def test_the_page_and_the_words_say_who(board, votes):
    view = RatingsAnalysis(board, votes)
    assert view.slope_words.startswith("Slopes on the difference of two systems: ann ")
    assert view.tie_words.startswith("Ties the most readily: w ")
    shown = page(view)
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
def test_what_is_refused(votes, options, error, message):
    with pytest.raises(error, match=message):
        q.rank(votes, **options)


def test_systems_without_ties_of_their_own_are_named(votes):
    some = votes.keep((votes.outcome < 2) | (votes.model_b < 3))
    with pytest.raises(NotEstimable, match='ties_by_system: "z" never tied'):
        q.rank(some, ties_by_system=True)
    apart = votes.keep((votes.model_a < 2) & (votes.model_b >= 2))
    with pytest.raises(NotEstimable, match="nothing says whose ties"):
        q.rank(apart, ties_by_system=True)


def test_covariates_with_slopes_are_the_maximum_of_the_likelihood(votes):
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
    plain = q.rank(votes, discrimination="judge")
    before = dict(zip(found.moves.systems, found.moves.before, strict=True))
    assert [before[name] for name in plain.systems] == pytest.approx(plain.rating.tolist(), abs=1e-7)


def test_a_judge_with_few_votes_has_no_slope(votes):
    bob = np.flatnonzero(votes.column("judge") == votes.facet("judge").levels.index("bob"))
    few = votes.keep(~np.isin(np.arange(votes.rows), bob[5:]))
    with pytest.raises(NotEstimable, match="discrimination: bob has 5 votes, and a slope needs 10 of every judge"):
        q.rank(few, discrimination="judge")


def test_slopes_that_run_off_are_refused():
    frame = simulated(2)
    better = pl.when(pl.col("model_a") < pl.col("model_b")).then(pl.lit("model_a")).otherwise(pl.lit("model_b"))
    tossed = pl.Series(np.array(["model_a", "model_b"])[np.arange(len(frame)) // 4 % 2])
    winner = pl.when(pl.col("judge") == "cy").then(better).otherwise(tossed)
    with pytest.raises(NotEstimable, match="no finite slopes fit, as where one judge always sides"):
        q.rank(q.read_votes(frame.with_columns(winner=winner), announce=False), discrimination="judge")
