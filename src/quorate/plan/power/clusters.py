"""Clusters of judgments: how many are worth a number of independent ones, where those of one prompt agree."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quorate.plan.power.sample_size import MOST, check_count, check_range, whole
from quorate.table.results import Result

_ROUNDING = 1e-12


@dataclass(frozen=True)
class Clustered(Result):
    """Judgments that are worth a number of independent ones; `n` is None where no number is.

    Parameters
    ----------
    effective : int
        Independent judgments that are wanted.
    icc : float
        Correlation of two judgments of one cluster.
    cluster : float or None
        Judgments per cluster, on average; None where all are one cluster.
    n : int or None
        Judgments needed; None where no number suffices.
    design_effect : float or None
        Times the variance of as many independent judgments; None where no number suffices.
    clusters : int or None
        Clusters needed; None where no number of judgments suffices.
    ceiling : float
        Effective judgments that no number exceeds: ``1 / icc`` in one cluster, infinite in many.
    """

    effective: int
    icc: float
    cluster: float | None
    n: int | None
    design_effect: float | None
    clusters: int | None
    ceiling: float

    derived = ("attainable", "sentence")

    @property
    def attainable(self) -> bool:
        """Whether some number of judgments suffices."""
        return self.n is not None

    @property
    def sentence(self) -> str:
        """The answer in one sentence, with the reason where there is none."""
        if self.n is None:
            return (
                f"Unattainable: judgments of one cluster with an intra-cluster correlation of {self.icc:g}, however "
                f"many, are worth less than {self.ceiling:,.6g} independent ones, and {self.effective:,} are needed; "
                "spread them over more prompts or annotators."
            )
        where = "in one cluster" if self.cluster is None else f"in clusters of {self.cluster:.3g}"
        return (
            f"{self.n:,} judgments {where} with an intra-cluster correlation of {self.icc:g} are worth "
            f"{self.effective:,} independent ones."
        )


def clustered_sample_size(
    effective: int, *, icc: float, cluster: float | Sequence[int] | NDArray[Any] | None = None
) -> Clustered:
    """How many judgments are worth this many independent ones, when those of one cluster resemble each other.

    Real votes come in many small clusters: a prompt that several annotators saw, an annotator who voted often, a
    ranking that was cut into pairs. One large cluster is the worst case, and has a ceiling.

    Parameters
    ----------
    effective : int
        Independent judgments that are wanted, as from `quorate.sample_size`.
    icc : float
        Correlation of two judgments of one cluster, from 0 to 1.
    cluster : float or sequence of int, optional
        Judgments per cluster: one number where clusters are of one size, or the size of every cluster of a study like
        the one that is planned. Without it, all judgments are one cluster.

    Returns
    -------
    Clustered
        With ``n = None``, and the reason in its sentence, where no number suffices: in one cluster, if
        ``effective * icc >= 1``.

    Raises
    ------
    InvalidInput
        If an argument is out of range.

    References
    ----------
    Lee (2026), How many human judgments are enough?, Eq. 10. Kish (1965), Survey sampling: the design effect
    ``1 + (m - 1) icc``, with ``m`` the mean of the squared sizes over the mean size.

    Examples
    --------
    >>> clustered_sample_size(26, icc=0.037).n, clustered_sample_size(1051, icc=0.001, cluster=3).n
    (659, 1054)
    """
    check_count("effective", effective)
    _check_icc(icc)
    effective, icc = int(effective), float(icc)
    if cluster is None:
        return _one_cluster(effective, icc)
    effect, mean = _design_effect(cluster, icc)
    if effective * effect <= mean:  # it all fits in one cluster, which is then smaller
        return _one_cluster(effective, icc)
    n = whole(effective * effect)
    return Clustered(effective, icc, mean, n, effect, math.ceil(n / mean), math.inf)


def effective_judgments(n: int, *, icc: float, cluster: float | Sequence[int] | NDArray[Any] | None = None) -> float:
    """How many independent judgments these are worth, when those of one cluster resemble each other.

    Raises
    ------
    InvalidInput
        If an argument is out of range.

    Examples
    --------
    >>> round(effective_judgments(500, icc=0.01), 1), round(effective_judgments(500, icc=0.01, cluster=5), 1)
    (83.5, 480.8)
    """
    check_count("n", n)
    _check_icc(icc)
    return n / _design_effect(n if cluster is None else cluster, icc)[0]


def _one_cluster(effective: int, icc: float) -> Clustered:
    """Equation 10: ``n0 (1 - icc) / (1 - n0 icc)``; one judgment is always worth one."""
    ceiling = 1 / icc if icc > 0 else math.inf
    room = 1 - effective * icc
    if effective > 1 and room <= _ROUNDING:
        return Clustered(effective, icc, None, None, None, None, ceiling)
    n = whole(effective * (1 - icc) / room) if effective > 1 else 1
    return Clustered(effective, icc, None, n, 1 + (n - 1) * icc, 1, ceiling)


def _design_effect(cluster: float | Sequence[int] | NDArray[Any], icc: float) -> tuple[float, float]:
    """``1 + (m - 1) icc``, m the mean size of the cluster that a judgment finds itself in; and the mean size."""
    sizes = np.atleast_1d(np.asarray(cluster, dtype=float))
    for size in sizes[~((sizes >= 1) & (sizes <= MOST))]:
        check_range("cluster", size, "of judgments, at least 1", False)
    check_range("cluster", cluster, "of judgments, or a list of them", sizes.ndim == 1 and len(sizes) > 0)
    return 1 + (float(np.sum(sizes**2) / np.sum(sizes)) - 1) * icc, float(sizes.mean())


def _check_icc(icc: float) -> None:
    check_range("icc", icc, "from 0 to 1", isinstance(icc, Real) and 0 <= icc <= 1)
