"""Coverage of ratings at equal covariates, of coefficients and of moves, with prompts that favour systems."""

from __future__ import annotations

import numpy as np
import pytest

import quorate as q
from quorate.table.facets import Facet
from quorate.table.votes import Votes

SYSTEMS, STYLE = 6, {"length": 0.5, "lists": -0.2}
RATING = np.linspace(0.8, -0.8, SYSTEMS)
VERBOSE = np.array([-0.5, 0.3, 1.0, -1.0, 0.6, -0.4])
LAWS = {"some prompts": (80, 1200, 0.5), "few prompts": (20, 1200, 0.4), "one vote each": (1200, 1200, 0.0)}


def study(rng, prompts, votes, spread):
    """Votes by Davidson's model in which longer answers win more, and every prompt has its own ratings."""
    a = rng.integers(SYSTEMS, size=votes)
    b = (a + rng.integers(1, SYSTEMS, size=votes)) % SYSTEMS
    prompt = rng.permutation(np.arange(votes) % prompts)
    own = RATING + spread * rng.normal(size=(prompts, SYSTEMS))
    length = rng.normal(VERBOSE[a], 1) - rng.normal(VERBOSE[b], 1)
    lists = (rng.poisson(2, votes) - rng.poisson(2, votes)).astype(float)
    gap = own[prompt, a] - own[prompt, b] + STYLE["length"] * length + STYLE["lists"] * lists
    weight = np.stack([np.exp(gap / 2), np.exp(-gap / 2), np.full(votes, 0.5)])
    outcome = (rng.random(votes) > np.cumsum(weight / weight.sum(axis=0), axis=0)).sum(axis=0).astype(np.int8)
    columns = {"prompt": prompt.astype(float), "length": length, "lists": lists}
    facets, codes = [], {}
    for name, column in columns.items():
        values, code = np.unique(column, return_inverse=True)
        facets.append(Facet(name, name, tuple(map(str, values)), values=values))
        codes[name] = code.astype(np.int32)
    names, none = tuple("abcdef"), np.zeros(votes, dtype=bool)
    return Votes(names, a.astype(np.int32), b.astype(np.int32), outcome, none, tuple(facets), codes)


def numbers(board):
    """Ratings, coefficients per unit of the column, and moves, in the order of the names, with their intervals."""
    order = [board.systems.index(name) for name in "abcdef"]
    each = [np.column_stack([board.rating, board.intervals])[order]]
    effects = zip(board.coefficients.values(), board.units, strict=True)
    each.append(np.array([[one.value / unit, *(x / unit for x in one.ends)] for one, unit in effects]))
    each.append(np.column_stack([board.moves.value, board.moves.intervals])[order])
    return np.concatenate(each)


@pytest.mark.parametrize(
    "law", [pytest.param(one, marks=() if one == "few prompts" else pytest.mark.slow) for one in LAWS]
)
def test_intervals_cover(law):
    rng, (prompts, votes, spread) = np.random.default_rng(3), LAWS[law]
    truth = numbers(q.rank(study(rng, 40_000, 200_000, spread), covariates=[*STYLE], cluster=()))[:, 0]
    missed = []
    for _ in range(250):
        _, low, high = numbers(q.rank(study(rng, prompts, votes, spread), covariates=[*STYLE])).T
        missed.append((truth < low) | (truth > high))
    rate = np.mean(missed, axis=0)
    parts = {"ratings": rate[:6], "coefficients": rate[6:8], "moves": rate[8:]}
    covered = {name: 100 * (1 - float(part.mean())) for name, part in parts.items()}
    assert all(92.5 <= one <= 97.5 for one in covered.values()), covered
