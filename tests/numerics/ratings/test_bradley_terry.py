from __future__ import annotations

from itertools import combinations
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import ndtr

from quorate.numerics.ratings import bradley_terry
from quorate.numerics.ratings.bradley_terry import Design, Likelihood, Told, fit, scores
from quorate.numerics.ratings.leverage import PerVote
from quorate.numerics.ratings.plackett_luce import Choices
from quorate.numerics.ratings.plackett_luce import Told as PerChoice
from quorate.numerics.ratings.ties import Ties, tie_model

TIES = get_args(Ties)


def design_of(systems, *, ties="davidson", position=False):
    a, b = np.array(list(combinations(range(systems), 2))).T
    return Design(systems, a, b, np.array([1.0, -1.0]) if position else np.zeros(1), tie_model(ties))


def drawn(design, seed, most=30):
    shape = (len(design.sign), len(design.a), 3)
    return np.random.default_rng(seed).integers(1, most, size=shape).astype(float)


def chances(name, one, two, parameter):
    """Of the first, the second and a tie, of systems worth ``one`` and ``two``, as the papers write them down."""
    if name == "davidson":
        tie = np.exp(parameter) * np.sqrt(one * two)
        return np.array([one, two, tie]) / (one + two + tie)
    if name == "rao-kupper":
        theta = np.exp(parameter)
        both = one * two * (theta**2 - 1) / (one + theta * two) / (theta * one + two)
        return np.array([one / (one + theta * two), two / (theta * one + two), both])
    if name == "glenn-david":  # worth is the exponential of the rating here too
        gap = np.log(one / two)
        win, lose = ndtr(gap - parameter), ndtr(-gap - parameter)
        return np.array([win, lose, 1 - win - lose])
    return np.array([one, two, np.sqrt(one * two)]) / (one + two)


def log_likelihood(design, counts, theta):
    """Vote by vote, as the model is written down."""
    worth, total = np.exp(theta[: design.systems]), 0.0
    first = np.exp(theta[design.systems]) if design.position else 1.0
    for o, sign in enumerate(design.sign):
        for p, (i, j) in enumerate(zip(design.a, design.b, strict=True)):
            one = worth[i] * (first if sign > 0 else 1.0)
            two = worth[j] * (first if sign < 0 else 1.0)
            total += counts[o, p] @ np.log(chances(design.ties.name, one, two, theta[-1]))
    return total


def test_two_systems_have_a_closed_form():
    """In R: ``glm(cbind(30, 12) ~ 1, binomial)`` gives 0.9162907 with standard error 0.3415650."""
    at = fit(design_of(2, ties="half"), np.array([[[30.0, 12.0, 0.0]]])[..., None])
    assert at.theta[0, 0] - at.theta[1, 0] == pytest.approx(np.log(30 / 12), rel=1e-12)
    assert at.information[0, 0, 0] ** -0.5 == pytest.approx(0.3415650, rel=1e-6)


@pytest.mark.wide(5)
@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("position", [True, False])
def test_the_fit_is_the_maximum_of_the_likelihood_as_it_is_written_down(ties, position):
    design = design_of(4, ties=ties, position=position)
    counts = drawn(design, 1)
    at = fit(design, counts[..., None])
    theta = at.theta[:, 0]
    # a different algorithm, on a different form of the likelihood; its gradient is by differences
    found = minimize(
        lambda x: -log_likelihood(design, counts, np.append(0, x)),
        np.full(len(theta) - 1, 0.1),
        method="BFGS",
        tol=1e-9,
    ).x
    wanted = np.append(0, found)
    wanted[:4] -= wanted[:4].mean()
    np.testing.assert_allclose(theta, wanted, atol=2e-5)
    assert at.value[0] == pytest.approx(log_likelihood(design, counts, theta), rel=1e-12)
    assert theta[:4].sum() == pytest.approx(0, abs=1e-12)


@given(st.integers(0, 10**6), st.sampled_from(TIES), st.booleans())
def test_scores_add_up_to_nothing(seed, ties, position):
    design = design_of(4, ties=ties, position=position)
    counts = drawn(design, seed)
    each = scores(design, fit(design, counts[..., None]).theta[:, 0]).toarray()
    np.testing.assert_allclose(counts.ravel() @ each, 0, atol=1e-7)


@pytest.mark.parametrize("ties", TIES)
def test_many_fits_at_once_are_the_fits_one_by_one(ties):
    design = design_of(5, ties=ties, position=True)
    many = np.stack([drawn(design, seed) for seed in range(7)], axis=-1)
    together = fit(design, many)
    for r in range(7):
        alone = fit(design, many[..., r : r + 1])
        np.testing.assert_allclose(together.theta[:, r], alone.theta[:, 0], atol=1e-9)
    assert together.converged.all()


def test_the_order_effect_does_not_change_balanced_ratings():
    one, two = design_of(3, position=True), design_of(3)
    counts = np.array([[[9.0, 3, 1], [7, 5, 2], [8, 4, 3]]])
    both = np.concatenate([counts, counts])
    at = fit(one, both[..., None]).theta[:, 0]
    np.testing.assert_allclose(np.delete(at, 3), fit(two, 2 * counts[..., None]).theta[:, 0], atol=1e-9)
    assert at[3] == pytest.approx(0, abs=1e-9)


def test_a_ridge_shrinks_and_gives_ratings_to_those_who_never_lose():
    design = design_of(3, ties="half")
    counts = np.array([[[10.0, 0, 0], [10, 0, 0], [5, 5, 0]]])[..., None]
    weak, strong = (fit(design, counts, ridge).theta[:, 0] for ridge in (0.1, 1.0))
    assert weak[0] > strong[0] > weak[1]
    at = fit(design, counts, 1.0)
    gradient = (counts[..., 0].ravel() @ scores(design, at.theta[:, 0]).toarray())[:3]
    np.testing.assert_allclose(gradient, at.theta[:3, 0], atol=1e-9)


def test_steps_are_halved_where_newton_would_overshoot():
    """From a gap of 6, where a whole step goes to -153, to the log odds of 6 votes to 4."""
    at = fit(design_of(2, ties="half"), np.array([[[6.0, 4.0, 0.0]]])[..., None], start=np.array([3.0, -3.0]))
    assert at.converged.all()
    assert at.theta[0, 0] - at.theta[1, 0] == pytest.approx(np.log(6 / 4), abs=1e-9)


# Every model gives what its fit and its uncertainty are made of, by the same names.


@pytest.mark.parametrize(("protocol", "kinds"), [(Likelihood, (Design, Choices)), (Told, (PerVote, PerChoice))])
def test_every_model_has_what_is_asked_of_one(protocol, kinds):
    names = {name for name in vars(protocol) if not name.startswith("_")}
    assert len(names) > 4
    for kind in kinds:
        assert names <= {*dir(kind), *kind.__dataclass_fields__}


# Steps of Newton's method by products with a sparse information, against those by a full one.


SYSTEMS = 60


@pytest.mark.parametrize("ridge", [0.0, 0.5])
@pytest.mark.parametrize("own_ties", [False, True])
@pytest.mark.parametrize("products", [1000, 2])
def test_conjugate_gradients_end_where_full_steps_do(monkeypatch, ridge, own_ties, products):
    rng = np.random.default_rng(1)
    near = np.arange(SYSTEMS)
    ends = [np.sort([near, (near + by) % SYSTEMS], axis=0) for by in (1, 7, 12)]
    a, b = np.concatenate(ends, axis=1)
    design = Design(SYSTEMS, a, b, np.array([1.0, -1.0]), tie_model("davidson"), own_ties=own_ties)
    counts = rng.poisson(3, (*design.shape, 1)) + 1.0
    full = fit(design, counts, ridge)
    monkeypatch.setattr(bradley_terry, "_LARGE", 10)
    monkeypatch.setattr(
        bradley_terry, "_MOST_PRODUCTS", products
    )  # of two products nothing comes, and steps are full ones
    found = fit(design, counts, ridge)
    np.testing.assert_allclose(found.theta, full.theta, atol=1e-9)
    assert found.converged.all()


@pytest.mark.parametrize("ridge", [0.0, 0.5])
def test_a_step_by_products_is_the_full_one_to_rounding(monkeypatch, ridge):
    """A coarse one would take more steps of Newton's, and leave the last of them short of the maximum."""
    rng = np.random.default_rng(2)
    a, b = np.triu_indices(SYSTEMS, 1)
    design = Design(SYSTEMS, a, b, np.zeros(1), tie_model("half"))
    counts = rng.poisson(3, (*design.shape, 1)) + 1.0
    known = design.known(counts)
    theta = 0.3 * rng.normal(size=(SYSTEMS, 1))
    _, gradient, dense = design.derivatives(known, theta)
    monkeypatch.setattr(bradley_terry, "_LARGE", 10)
    _, _, sparse = design.derivatives(known, theta)
    full = bradley_terry.solved(design, dense, gradient, ridge)
    for shift in (0.0, 0.1):  # along which there is nothing to solve
        found = bradley_terry.solved(design, sparse, gradient + shift, ridge)
        np.testing.assert_allclose(found, full - full.mean(), rtol=1e-8, atol=1e-10)
