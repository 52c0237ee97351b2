"""Errors of every two systems by themselves, for a leaderboard of systems that do not vary alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from quorate.arrays import Floats
from quorate.errors import NotEstimable
from quorate.estimate.components.decompose import decompose
from quorate.estimate.differences.difference import difference
from quorate.estimate.differences.satterthwaite import of_few
from quorate.estimate.means.mean import Estimate, plain_mean
from quorate.estimate.means.targets import Target
from quorate.table.judgments import Judgments
from quorate.wording import Brief

MOST_SYSTEMS = 20
"""Systems of which every two are compared: with more it would take long."""


@dataclass(frozen=True, eq=False)
class PairErrors(Brief):
    """What every two systems by themselves say of their difference, and each of its mean.

    Parameters
    ----------
    means : tuple of Estimate
        Mean of each system, from its own scores.
    covariance : array, shape (systems, systems)
        Covariance of the means about their average under which differences vary as they do by themselves, or more where
        no covariance has all of them.
    df : array, shape (systems, systems)
        Degrees of freedom of each difference.
    """

    means: tuple[Estimate, ...]
    covariance: Floats
    df: Floats


def pair_errors(
    judgments: Judgments, systems: Sequence[str], facet: str, targets: Mapping[str, Target]
) -> PairErrors | None:
    """The errors that `quorate.compare` has for every two systems; None where one of them is not known.

    Parameters
    ----------
    judgments : Judgments
        Of systems that were judged on the same cells.
    systems : sequence of str
        In the order of the board.
    facet, targets
        As for `quorate.rank`.
    """
    k = len(systems)
    variance, df = np.zeros((k, k)), np.full((k, k), np.inf)
    try:
        for i, j in combinations(range(k), 2):
            one = difference(judgments, systems[i], systems[j], facet=facet, method="paired", targets=targets)
            variance[i, j] = variance[j, i] = one.se**2
            df[i, j] = df[j, i] = one.df
        own = [of_few(plain_mean(decompose(judgments.only(facet, name)), targets)) for name in systems]
        means = tuple(replace(mean, basis=replace(mean.basis, ordered=False)) for mean in own)  # Student's, as others
    except NotEstimable:
        return None
    apart = np.eye(k) - 1 / k
    values, vectors = np.linalg.eigh(-apart @ variance @ apart / 2)
    return PairErrors(means, vectors * np.maximum(values, 0.0) @ vectors.T, df)
