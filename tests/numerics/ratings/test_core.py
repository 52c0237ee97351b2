"""A large board by its core: the same inverse and sandwich as of the whole, in double precision."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import coo_array

from quorate.numerics.ratings import bradley_terry, draws
from quorate.numerics.ratings.bradley_terry import Design, fit
from quorate.numerics.ratings.core import core, strangers
from quorate.numerics.ratings.draws import Units, covariance, inverse_information
from quorate.numerics.ratings.ties import tie_model

SYSTEMS, OFFSETS = 600, np.array([1, 7, 31, 83, 139, 211, 263])


def board(ties="davidson"):
    """Every system meets seven before and seven after it on a ring, and the first a hundred times as often."""
    a = np.repeat(np.arange(SYSTEMS), len(OFFSETS))
    b = (a + np.tile(OFFSETS, SYSTEMS)) % SYSTEMS
    a, b = np.minimum(a, b), np.maximum(a, b)
    design = Design(SYSTEMS, a, b, np.zeros(1), tie_model(ties))
    often = np.where(a < 20, 100.0, 1.0)[:, None] * np.random.default_rng(2).integers(5, 40, (len(a), 3))
    return design, often[None]


def of_differences(matrix):
    variance = np.diag(matrix)[:SYSTEMS]
    return (variance[:, None] + variance - 2 * matrix[:SYSTEMS, :SYSTEMS])[~np.eye(SYSTEMS, dtype=bool)]


def met(a, b, size):
    one = np.ones(2 * len(a))
    return coo_array((one, (np.append(a, b), np.append(b, a))), shape=(size, size)).tocsr()


@pytest.mark.wide(1)
@pytest.mark.parametrize("ties", ["davidson", "half"])
def test_a_board_by_its_core_varies_as_the_whole_does(monkeypatch, ties):
    design, counts = board(ties)
    units = Units(counts.ravel())
    at = fit(design, counts[..., None])
    exact = inverse_information(design, at, 0.0), covariance(design, at, 0.0, units)
    monkeypatch.setattr(bradley_terry, "_LARGE", 100)
    monkeypatch.setattr(draws, "MANY", 500)
    at = fit(design, counts[..., None])
    parts = core(at.information, design.centred[0])
    assert parts is not None
    assert len(parts.out) > SYSTEMS / 8
    single = inverse_information(design, at, 0.0), covariance(design, at, 0.0, units)
    for one, other in zip(exact, single, strict=True):
        assert (one.dtype, other.dtype) == (np.float64, np.float32)
        np.testing.assert_allclose(of_differences(other), of_differences(one), rtol=1e-4)
        if design.tied:  # the parameter of ties, and how ratings go with it
            assert other[-1, -1] == pytest.approx(one[-1, -1], rel=1e-4)
    np.testing.assert_allclose(single[1], exact[1], atol=1e-4 * np.abs(exact[1]).max())


def test_strangers_never_met_and_every_other_system_met_one_of_them():
    rng = np.random.default_rng(5)
    a, b = rng.integers(0, 400, (2, 1500))
    graph = met(a, b, 400)  # some met themselves in error, some nobody
    found = strangers(graph)
    between = graph[found][:, found].tocoo()
    assert (between.coords[0] == between.coords[1]).all()
    others = np.setdiff1d(np.arange(400), found)
    few = np.diff(graph.indptr) <= 20
    assert (graph[others][:, found].sum(axis=1) > 0)[few[others]].all()


def test_those_that_met_few_come_first():
    hub = met(np.zeros(30, dtype=int), np.arange(1, 31), 31)
    assert strangers(hub).tolist() == list(range(1, 31))


def test_a_board_on_which_all_met_all_is_kept_whole():
    a, b = np.triu_indices(60, 1)
    assert core(met(a, b, 60), slice(0, 60)) is None
