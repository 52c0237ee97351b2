"""Ratings of published data against the fits of other programs."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from rated_votes import counted
from reference.style import votes as styled
from scipy.optimize import minimize

import quorate as q

REFERENCE = Path(__file__).parents[2] / "reference"
SCHOOLS = [
    # Dittrich, Hatzinger and Katzenbeisser (1998), Applied Statistics 47, 511-525: preferred first, second, neither
    ("London", "Paris", 186, 91, 26),
    ("London", "Milano", 221, 56, 26),
    ("Paris", "Milano", 121, 59, 32),
    ("London", "St.Gallen", 208, 73, 22),
    ("Paris", "St.Gallen", 165, 119, 19),
    ("Milano", "St.Gallen", 135, 140, 28),
    ("London", "Barcelona", 217, 67, 19),
    ("Paris", "Barcelona", 157, 109, 37),
    ("Milano", "Barcelona", 104, 132, 67),
    ("St.Gallen", "Barcelona", 144, 134, 25),
    ("London", "Stockholm", 250, 34, 19),
    ("Paris", "Stockholm", 203, 70, 30),
    ("Milano", "Stockholm", 157, 100, 46),
    ("St.Gallen", "Stockholm", 155, 98, 50),
    ("Barcelona", "Stockholm", 172, 90, 41),
]


@pytest.fixture(scope="module")
def reference(shared):
    return json.loads((shared / "reference" / "bradley_terry.json").read_text(encoding="utf-8"))


def baseball(shared):
    columns = {"model_a": "home.team", "model_b": "away.team", "wins": ("home.wins", "away.wins")}
    path = shared / "data" / "baseball_bt.parquet"
    return q.read_votes(path, **columns, order="home.team", announce=False)


def differences(ratings, base, home=None):
    """Estimates and model-based standard errors against one system, named as in R."""
    ratings = ratings.using("model")
    found = {f"X{name}": ratings.difference(name, base) for name in ratings.systems if name != base}
    found |= {} if home is None else {"home": home}
    return {"estimate": {k: one.value for k, one in found.items()}, "se": {k: one.se for k, one in found.items()}}


def iterated(votes, base, *, home, tol):
    """Iterations of R's ``glm``, which stops when the deviance changes by less than ``tol`` of itself."""
    pairs = votes.keep(votes.order == 0), votes.keep(votes.order == 1)
    rows = [(a, b, s, p.wins(a, b), p.wins(b, a)) for s, p in zip((1, -1), pairs, strict=True) for a, b in p.pairs()]
    names = [name for name in votes.models if name != base]
    x = np.array([[(a == name) - (b == name) for name in names] + [s] * home for a, b, s, *_ in rows], dtype=float)
    won, lost = np.array([row[3:] for row in rows], dtype=float).T
    n, y, last = won + lost, won / (won + lost), np.inf
    mu = (won + 0.5) / (n + 1)
    eta = np.log(mu / (1 - mu))
    while True:
        weight = n * mu * (1 - mu)
        information = x.T @ (weight[:, None] * x)
        beta = np.linalg.solve(information, x.T @ (weight * (eta + n * (y - mu) / weight)))
        eta = x @ beta
        mu = 1 / (1 + np.exp(-eta))
        with np.errstate(divide="ignore", invalid="ignore"):
            parts = np.where(won > 0, won * np.log(y / mu), 0) + np.where(
                lost > 0, lost * np.log((1 - y) / (1 - mu)), 0
            )
        deviance = 2 * parts.sum()
        if abs(deviance - last) < tol * (abs(deviance) + 0.1):
            labels = [f"X{name}" for name in names] + ["home"] * home
            both = beta, np.sqrt(np.diag(np.linalg.inv(information)))
            return {key: dict(zip(labels, one, strict=True)) for key, one in zip(("estimate", "se"), both, strict=True)}
        last = deviance


@pytest.mark.parametrize("home", [False, True])
def test_baseball(shared, reference, home):
    """R stops one step early, at its 8 printed digits; where its own iteration ends is where these ratings are."""
    votes = baseball(shared)
    wanted = reference["baseball_home" if home else "baseball"]
    stopped = iterated(votes, "Baltimore", home=home, tol=1e-8)
    ended = iterated(votes, "Baltimore", home=home, tol=1e-14)
    ratings = q.rank(votes, position=home)
    found = differences(ratings, "Baltimore", ratings.using("model").position)
    for key in ("estimate", "se"):
        assert stopped[key] == pytest.approx(wanted[key], abs=5.1e-9)
        assert found[key] == pytest.approx(ended[key], rel=1e-9)
        assert found[key] == pytest.approx(wanted[key], rel=2e-6)


def test_the_gain_of_a_home_effect(shared, reference):
    ratings = q.rank(baseball(shared), position=True)
    gain = ratings.log_likelihood - q.rank(baseball(shared)).log_likelihood
    wanted = reference["baseball_home"]["logLik"] - reference["baseball"]["logLik"]
    assert gain == pytest.approx(wanted, abs=1e-5)


def test_ice_hockey(shared, reference):
    path = shared / "data" / "icehockey_bt.parquet"
    votes = q.read_votes(path, winner="result", outcomes={"a": 1, "b": 0, "tie": 0.5}, announce=False)
    found = differences(q.rank(votes, ties="half"), "Alaska Anchorage")
    assert found["estimate"] == pytest.approx(reference["icehockey"]["estimate"], abs=6e-9)


def test_management_schools_with_ties_as_half_wins(reference):
    ratings = q.rank(counted(SCHOOLS), ties="half")
    found, wanted = differences(ratings, "Barcelona"), reference["cems_ties_half"]
    assert found["estimate"] == pytest.approx(wanted["estimate"], abs=1e-8)
    assert found["se"] == pytest.approx(wanted["se"], abs=1e-8)
    assert ratings.n == 4454
    assert (ratings.se < ratings.using("model").se).all()  # ties vary less than wins


def test_management_schools_in_other_programs():
    """``evalica.bradley_terry(xs, ys, winners, tolerance=1e-15, limit=100_000)``, logs of the scores about their mean
    (evalica 0.4.2), and ``choix.ilsr_pairwise_dense(wins, tol=1e-14)`` with ties as halves (choix 0.4.1) print these.
    """
    wanted = {
        "London": 0.938368936534,
        "Paris": 0.247334549439,
        "Barcelona": -0.121205120182,
        "St.Gallen": -0.134044073212,
        "Milano": -0.271343575083,
        "Stockholm": -0.659110717496,
    }
    ratings = q.rank(counted(SCHOOLS), ties="half")
    assert dict(zip(ratings.systems, ratings.rating.tolist(), strict=True)) == pytest.approx(wanted, abs=2e-12)


def test_management_schools_with_ties_as_they_are():
    """Davidson's equations: expected wins plus half the ties, and expected ties, are those observed."""
    ratings = q.rank(counted(SCHOOLS))
    points = dict.fromkeys(ratings.systems, 0.0)
    ties = 0.0
    for a, b, won, lost, tied in SCHOOLS:
        rate, n = ratings.probability(a, b), won + lost + tied
        share = (1 - rate.tie) * rate.value + rate.tie / 2
        points[a] += won + tied / 2 - n * share
        points[b] += lost + tied / 2 - n * (1 - share)
        ties += tied - n * rate.tie
    assert list(points.values()) == pytest.approx([0] * 6, abs=1e-6)
    assert ties == pytest.approx(0, abs=1e-6)
    assert ratings.groups[:2] == (("London",), ("Paris",))
    assert ratings.groups[2:] == (("Barcelona", "St.Gallen", "Milano"), ("Stockholm",))


def test_rao_and_kuppers_model_of_two_systems_has_a_closed_form():
    """Log odds of winning, ties as lost, are ``gap - threshold`` and ``-gap - threshold``."""
    won, lost, tied = 60, 25, 15
    n, p, q_ = won + lost + tied, won / 100, lost / 100
    ratings = q.rank(counted([("x", "y", won, lost, tied)]), ties="rao-kupper")
    odds = np.log(p / (1 - p)), np.log(q_ / (1 - q_))
    gap = ratings.using("model").difference("x", "y")
    assert gap.value == pytest.approx((odds[0] - odds[1]) / 2, rel=1e-9)
    slope = np.array([1 / (p * (1 - p)), -1 / (q_ * (1 - q_))]) / 2
    multinomial = np.array([[p * (1 - p), -p * q_], [-p * q_, q_ * (1 - q_)]]) / n
    assert gap.se == pytest.approx(np.sqrt(slope @ multinomial @ slope), rel=1e-9)
    assert ratings.nu == pytest.approx(np.exp(-sum(odds) / 2) - 1, rel=1e-9)
    rate = ratings.using("model").probability("x", "y")
    assert (rate.value, rate.tie) == pytest.approx((won / (won + lost), tied / n), rel=1e-9)
    assert rate.log_odds.se == pytest.approx(np.sqrt(1 / won + 1 / lost), rel=1e-6)  # of the odds, ties left out


def test_management_schools_with_ties_as_differences_too_small_to_be_seen():
    """The maximum of Rao and Kupper's (1967) likelihood as they write it, by ``scipy.optimize`` (BFGS, gradient by
    differences); standard errors by its second differences."""
    names = ["Barcelona", "London", "Paris", "Milano", "St.Gallen", "Stockholm"]

    def loss(x):
        worth, theta = dict(zip(names, np.exp(np.append(0, x[:5])), strict=True)), np.exp(x[5])
        total = 0.0
        for a, b, won, lost, tied in SCHOOLS:
            one, two = worth[a], worth[b]
            first, second = one / (one + theta * two), two / (two + theta * one)
            total -= won * np.log(first) + lost * np.log(second) + tied * np.log(first * second * (theta**2 - 1))
        return total

    best = minimize(loss, [1.0, 0.4, -0.1, 0.0, -0.5, 0.2], method="BFGS", tol=1e-10).x
    steps = 1e-3 * np.eye(6)
    second = [
        [loss(best + i + j) - loss(best + i - j) - loss(best - i + j) + loss(best - i - j) for j in steps]
        for i in steps
    ]
    se = np.sqrt(np.diag(np.linalg.inv(np.array(second) / 4e-6)))
    ratings = q.rank(counted(SCHOOLS), ties="rao-kupper")
    found = differences(ratings, "Barcelona")
    assert [found["estimate"][f"X{name}"] for name in names[1:]] == pytest.approx(best[:5], abs=1e-6)
    assert [found["se"][f"X{name}"] for name in names[1:]] == pytest.approx(se[:5], rel=1e-5)
    assert ratings.nu == pytest.approx(np.exp(best[5]) - 1, abs=1e-6)
    assert ratings.log_likelihood == pytest.approx(-loss(best), abs=1e-6)
    again = json.loads(json.dumps(ratings.to_dict()))
    assert (again["ties"], again["log_nu"]["value"]) == ("rao-kupper", pytest.approx(np.log(ratings.nu)))


def test_without_ties_davidsons_model_is_that_of_bradley_and_terry():
    rows = [(a, b, won, lost, 0) for a, b, won, lost, _ in SCHOOLS]
    one, other = q.rank(counted(rows)), q.rank(counted(rows), ties="drop")
    np.testing.assert_array_equal(one.rating, other.rating)
    assert one.nu == 0
    assert one.log_nu is None
    assert np.isnan(other.nu)


@pytest.mark.parametrize("ties", ["davidson", "rao-kupper"])
def test_ties_by_leaderbot(ties):
    """Recorded by `tests/reference/leaderbot_models.py`; its iteration ends at some 1e-7."""
    wanted = json.loads((REFERENCE / "leaderbot.json").read_text())[ties]
    found = q.rank(q.read_votes(pl.DataFrame(styled()), announce=False), ties=ties)
    rating = [found.rating[found.systems.index(f"s{i}")] for i in range(5)]
    np.testing.assert_allclose(rating, wanted["rating"], atol=1e-6)
    assert found.values[-1] == pytest.approx(wanted["tie"], abs=1e-6)
    assert found.log_likelihood == pytest.approx(wanted["value"], abs=1e-8)


def test_an_order_effect_and_a_covariate_by_btm():
    """Printed by `tests/reference/contests.R` (BradleyTerry2 1.1-2), to ten digits."""
    votes = q.read_votes(pl.DataFrame(styled()), order="model_a", covariates=["length"], announce=False)
    found = q.rank(votes, ties="drop", position=True, covariates=["length"]).using("model")
    apart = [found.difference(f"s{i}", "s0") for i in range(1, 5)]
    wanted = [-0.28180270196, -0.72488109615, -0.89769543123, -1.25792461021]
    np.testing.assert_allclose([one.value for one in apart], wanted, atol=1e-9)
    errors = [0.18073877097, 0.18821435583, 0.20571489915, 0.22625519345]
    np.testing.assert_allclose([one.se for one in apart], errors, atol=1e-9)
    by = 100 / found.units[0]
    for one, value, se, scale in (
        (found.position, -0.06999724998, 0.08790891488, 1.0),
        (found.coefficients["length"], 1.02746834668, 0.08756347355, by),
    ):
        assert (one.value * scale, one.se * scale) == pytest.approx((value, se), abs=1e-9)
    assert found.log_likelihood == pytest.approx(-387.563980647, abs=1e-8)
