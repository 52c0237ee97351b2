"""Drawn battles where votes are not alike: judges with tastes of their own, and systems that become better meanwhile.

Every figure of ``docs/methods/next-battles.md`` about these is printed by ``-s``.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.special import ndtri

import quorate as q
from quorate.numerics.ratings.bradley_terry import Design, fit
from quorate.numerics.ratings.ties import tie_model
from quorate.table.facets import Facet
from quorate.table.votes import Votes

pytestmark = [pytest.mark.calibration, pytest.mark.slow]
SYSTEMS, JUDGES, ROUNDS, BATCH = 8, 30, 12, 100
NAMES = tuple(f"s{i}" for i in range(SYSTEMS))


def normal(systems, sd):
    """Strengths at the quantiles of a normal law, best first."""
    at = -ndtri((np.arange(systems) + 0.5) / systems)
    return at / at.std() * sd


def read(columns):
    """Votes of rows (a, b, outcome, judge, chance)."""
    a, b, outcome, judge, chance = (np.concatenate(part) for part in zip(*columns, strict=True))
    values, code = np.unique(chance, return_inverse=True)
    facets = (
        Facet("judge", "judge", tuple(f"j{k:02}" for k in range(JUDGES))),
        Facet("propensity", "propensity", tuple(map(repr, values.tolist()))),
    )
    codes = {"judge": judge.astype(np.int32), "propensity": code.astype(np.int32)}
    sides = a.astype(np.int32), b.astype(np.int32)
    return Votes(NAMES, *sides, outcome.astype(np.int8), np.zeros(len(a), dtype=bool), facets=facets, codes=codes)


def truth(taste=0.0, drift=0.0):
    """Ratings of the board of equal chances at all times, by judges like these."""
    strengths, pairs = normal(SYSTEMS, 1.0), np.triu_indices(SYSTEMS, 1)
    at = np.linspace(-0.5, 0.5, ROUNDS)[:, None] * (np.arange(SYSTEMS) == SYSTEMS // 2) * drift
    gap = (strengths + at)[:, pairs[0]] - (strengths + at)[:, pairs[1]]
    nodes, weight = np.polynomial.hermite_e.hermegauss(40)
    share = 1 / (1 + np.exp(-(gap[..., None] + 2**0.5 * taste * nodes)))
    p = (share @ weight / weight.sum()).mean(axis=0)
    counts = np.column_stack([p, 1 - p, 0 * p])[None, :, :, None]
    theta = fit(Design(SYSTEMS, *pairs, np.zeros(1), tie_model("half")), counts).theta[:SYSTEMS, 0]
    return theta - theta.mean()


def coverage(rng, boards, *, chosen, taste=0.0, drift=0.0, **options):
    """Shares of intervals that hold on each board: of ratings, of neighbours, and of the system that drifts."""
    wanted, held = truth(taste, drift), []
    for _ in range(boards):
        found = q.rank(board(rng, chosen=chosen, taste=taste, drift=drift), ties="drop", **options)
        place = [NAMES.index(name) for name in found.systems]
        own = (found.intervals[:, 0] <= wanted[place]) & (wanted[place] <= found.intervals[:, 1])
        ends = [found.difference(one, two).ends for one, two in pairwise(NAMES)]
        gaps = [low <= wanted[i] - wanted[i + 1] <= high for i, (low, high) in enumerate(ends)]
        held.append((own.mean(), np.mean(gaps), own[place.index(SYSTEMS // 2)]))
    return np.array(held, dtype=float)


def board(rng, *, chosen, taste=0.0, drift=0.0):
    """Votes in rounds, the first by equal chances."""
    strengths, tastes = normal(SYSTEMS, 1.0), taste * rng.normal(size=(JUDGES, SYSTEMS))
    pairs, columns = np.column_stack(np.triu_indices(SYSTEMS, 1)), []
    for at in range(ROUNDS):
        now = strengths + np.where(np.arange(SYSTEMS) == SYSTEMS // 2, drift * (at / (ROUNDS - 1) - 0.5), 0.0)
        if at and chosen:
            left, seed = (ROUNDS - at) * BATCH, int(rng.integers(2**31))
            drawn = q.votes.next_battles(read(columns), BATCH, horizon=left, seed=seed).battles()
            a, b = (np.array([NAMES.index(name) for name in drawn[side]]) for side in ("system_a", "system_b"))
            chance = np.array(drawn["propensity"])
        else:
            a, b = pairs[rng.integers(len(pairs), size=BATCH)].T
            chance = np.full(BATCH, 1 / len(pairs))
        judge = rng.integers(JUDGES, size=BATCH)
        gap = now[a] - now[b] + tastes[judge, a] - tastes[judge, b]
        columns.append((a, b, np.where(rng.random(BATCH) < 1 / (1 + np.exp(-gap)), 0, 1), judge, chance))
    return read(columns)


@pytest.mark.parametrize(
    ("what", "options"),
    [("judges with tastes", {"taste": 0.5}), ("a system that drifts", {"drift": 3.0, "cluster": ()})],
    ids=["tastes", "drift"],
)
def test_intervals_of_chosen_battles_hold(what, options):
    held = coverage(np.random.default_rng(3), 40, chosen=True, **options)
    error = held.std(axis=0) / len(held) ** 0.5
    print(f"{what}: ratings, neighbours, the one that drifts {held.mean(axis=0).round(3)} +- {error.round(3)}")
    assert (held.mean(axis=0)[:2] > 0.92 - 2 * error[:2]).all()
