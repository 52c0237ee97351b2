"""Types that do not differ: how often the test beside a verdict says that they do."""

from __future__ import annotations

import numpy as np
import pytest
from tables import votes_table

from quorate.decide.outcome import brown_forsythe, types_of_votes

UNEQUAL = (10, 10, 12, 15, 20, 40, 60, 80)
LAWS = {
    "2 of 10 clusters": ((10,) * 2, (0.3,) * 2),
    "4 of 10": ((10,) * 4, (0.3,) * 4),
    "8 of 10": ((10,) * 8, (0.3,) * 8),
    "8 of 40": ((40,) * 8, (0.3,) * 8),
    "20 of 10": ((10,) * 20, (0.5,) * 20),
    "8 of 10 to 80": (UNEQUAL, (0.3,) * 8),
    "8 of 10 to 80, the small alike": (UNEQUAL, (0.8, 0.8, 0.6, 0.5, 0.3, 0.1, 0.05, 0.05)),
    "8 of 10 to 80, the large alike": (UNEQUAL, (0.05, 0.05, 0.1, 0.3, 0.5, 0.6, 0.8, 0.8)),
}


def shares(rng, clusters, icc, p, studies, votes=3):
    """Share of votes of every cluster, by type: beta-binomial with that correlation."""
    for count, rho in zip(clusters, icc, strict=True):
        law = rng.beta(p * (1 - rho) / rho, (1 - p) * (1 - rho) / rho, (studies, count))
        yield rng.binomial(votes, law) / votes


@pytest.mark.parametrize("p", [0.5, 0.7, 0.9])
@pytest.mark.parametrize("law", LAWS)
def test_clustered_types_that_are_the_same(law, p):
    """Size at 5% over 4,000 studies, which are exact to .007."""
    clusters, icc = LAWS[law]
    rng, studies = np.random.default_rng(11), 4000
    groups = list(shares(rng, clusters, icc, p, studies))
    n = np.array(clusters, dtype=float)
    mean = np.stack([one.mean(axis=1) for one in groups], axis=1)
    variance = np.stack([one.var(axis=1, ddof=1) for one in groups], axis=1)
    found = np.array([brown_forsythe(*row, n, n - 1) for row in zip(mean, variance, strict=True)])
    size = float(np.mean(found <= 0.05))
    print(f"{law}, share {p}: {size:.3f}")
    assert size <= 0.065


@pytest.mark.parametrize(("types", "clusters"), [(2, 10), (8, 10), pytest.param(8, 20, marks=pytest.mark.slow)])
def test_votes_of_clusters_that_are_the_same(types, clusters):
    """Whole tables of 4 votes a cluster, 400 each: size at 5%, exact to .022."""
    rng, said = np.random.default_rng(12), []
    for _ in range(400):
        rows = [
            ("x", "y", f"t{t}", f"t{t}p{g}", "xy"[int(rng.random() > share)])
            for t in range(types)
            for g, share in enumerate(rng.beta(3, 3, clusters))
            for _ in range(4)
        ]
        found = types_of_votes(votes_table(rows, "model_a model_b prompt_type prompt winner"), "x", "y")
        said.append(found is not None and found.p <= 0.05)
    print(f"{types} types of {clusters} clusters: {np.mean(said):.3f}")
    assert np.mean(said) <= 0.075
