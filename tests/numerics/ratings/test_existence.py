from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.numerics.ratings.bradley_terry import Design, fit
from quorate.numerics.ratings.existence import bounded, components, exists, identified, strongly_connected
from quorate.numerics.ratings.ties import tie_model


def design_of(systems, *, ties=False, position=False):
    a, b = np.array(list(combinations(range(systems), 2))).T
    return Design(
        systems, a, b, np.array([1.0, -1.0]) if position else np.zeros(1), tie_model("davidson" if ties else "half")
    )


def counts_of(*rows):
    """One order; a row for each of the pairs (0, 1), (0, 2), (1, 2)."""
    return np.array([rows], dtype=float)


@pytest.mark.parametrize(
    ("counts", "strong", "weak"),
    [
        (counts_of([1, 0, 0], [0, 1, 0], [1, 0, 0]), True, 1),  # a circle
        (counts_of([1, 0, 0], [1, 0, 0], [1, 0, 0]), False, 1),  # an order
        (counts_of([1, 0, 1], [1, 0, 0], [0, 0, 1]), True, 1),  # ties count both ways
        (counts_of([1, 1, 0], [0, 0, 0], [0, 0, 0]), False, 2),  # one system apart
    ],
)
def test_a_maximum_needs_wins_in_both_directions(counts, strong, weak):
    design = design_of(3)
    assert strongly_connected(design, counts[..., None])[0] == strong
    assert exists(design, counts[..., None])[0] == strong
    assert bounded(design, counts) == strong
    assert len(set(components(design, counts, "weak"))) == weak
    assert (len(set(components(design, counts, "strong"))) == 1) == strong


@pytest.mark.parametrize(
    ("counts", "found"),
    [
        (counts_of([1, 0, 0], [0, 0, 1], [0, 0, 1]), False),  # a win that ties let grow with the tie parameter
        (counts_of([1, 0, 0], [0, 0, 1], [1, 0, 0]), True),  # two wins in a row against one tie
        (counts_of([1, 1, 0], [0, 0, 1], [0, 0, 1]), True),  # a pair won by both
        (counts_of([1, 1, 0], [1, 1, 0], [1, 1, 0]), False),  # no tie at all
    ],
)
def test_the_tie_parameter_can_run_off(counts, found):
    design = design_of(3, ties=True)
    assert exists(design, counts[..., None])[0] == found
    if found:
        assert fit(design, counts[..., None]).converged[0]


def test_a_position_effect_that_explains_everything_has_no_finite_size():
    design = design_of(2, position=True)
    always_first = np.array([[[5.0, 0, 0]], [[0.0, 5, 0]]])
    assert strongly_connected(design, always_first[..., None])[0]
    assert not exists(design, always_first[..., None])[0]
    seldom = always_first + np.array([[[0.0, 1, 0]], [[1.0, 0, 0]]])
    assert exists(design, seldom[..., None])[0]
    assert fit(design, seldom[..., None]).theta[2, 0] == pytest.approx(np.log(5))


def test_ties_as_halves_show_a_position_effect_of_finite_size(monkeypatch):
    """Seen at once, without the linear programme: each was at least level when shown second."""
    from quorate.numerics.ratings import existence as module

    monkeypatch.setattr(module, "bounded", lambda *_: pytest.fail("needs no linear programme"))
    tied = np.array([[[5.0, 0, 1]], [[0.0, 5, 1]]])
    assert exists(design_of(2, position=True), tied[..., None])[0]


def test_a_position_that_goes_with_the_pair_is_not_identified():
    one_place = np.array([[[5.0, 3, 0]], [[0.0, 0, 0]]])
    design = design_of(2, position=True)
    assert not identified(design, one_place)
    assert not exists(design, one_place[..., None])[0]
    assert identified(design, one_place + 1)


@given(st.integers(0, 10**6), st.booleans(), st.booleans())
@pytest.mark.slow
def test_what_is_seen_at_once_agrees_with_the_linear_programme(seed, ties, position):
    rng = np.random.default_rng(seed)
    design = design_of(4, ties=ties, position=position)
    counts = rng.poisson(rng.uniform(0.2, 1.0), (len(design.sign), 6, 3, 8)).astype(float)
    found = exists(design, counts)
    for r in range(8):
        tied = not ties or counts[:, :, 2, r].any()
        assert found[r] == (tied and strongly_connected(design, counts)[r] and bounded(design, counts[..., r]))
        if found[r]:
            assert fit(design, counts[..., r : r + 1]).converged[0]


def test_a_ridge_bounds_the_ratings_but_not_the_rest():
    order = counts_of([1, 0, 0], [1, 0, 0], [1, 0, 0])[..., None]
    assert exists(design_of(3), order, shrunk=True)[0]
    assert not exists(design_of(3, ties=True), order, shrunk=True)[0]
    assert exists(design_of(3, ties=True), order + np.array([0, 0, 1.0])[:, None], shrunk=True)[0]
    always_first = np.array([[[5.0, 0, 0]], [[0.0, 5, 0]]])[..., None]
    assert not exists(design_of(2, position=True), always_first, shrunk=True)[0]
