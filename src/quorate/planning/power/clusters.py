"""Clusters of judgments: how many are worth a number of independent ones, where those of one prompt agree."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quorate import rules
from quorate.arguments import argument
from quorate.errors import InvalidInput
from quorate.frozen import dataclass
from quorate.planning.power.sample_size import MOST, check_count, check_range, whole
from quorate.table.results import Result
from quorate.wording import listed

Correlation = float | dict[str, float]
"""Of two votes of one cluster, or of one level of each facet."""
Sizes = float | dict[str, float]
"""Votes of a cluster, or of a level of each facet."""

_ROUNDING = 1e-12


@dataclass(frozen=True)
class Clustered(Result):
    """Judgments that are worth a number of independent ones; `n` is None where no number is.

    Parameters
    ----------
    effective : int
        Independent judgments that are wanted.
    icc : float or dict
        Correlation of two judgments of one cluster; by facet, where several facets make judgments alike.
    cluster : float, dict or None
        Judgments per cluster, on average, by facet where there are several; None where all are one cluster.
    n : int or None
        Judgments needed; None where no number suffices.
    design_effect : float or None
        Times the variance of as many independent judgments; None where no number suffices.
    clusters : int, dict or None
        Clusters needed, by facet where there are several; None where no number of judgments suffices.
    ceiling : float
        Effective judgments that no number exceeds: ``1 / icc`` in one cluster, infinite in many.
    """

    effective: int
    icc: Correlation
    cluster: Sizes | None
    n: int | None
    design_effect: float | None
    clusters: int | dict[str, int] | None
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
                f"Unattainable: judgments of one cluster with {correlation_words(self.icc)}, however "
                f"many, are worth less than {self.ceiling:,.6g} independent ones, and {self.effective:,} are needed; "
                "spread them over more prompts or annotators."
            )
        return (
            f"{self.n:,} judgments {cluster_words(self.cluster)} with {correlation_words(self.icc)} are worth "
            f"{self.effective:,} independent ones."
        )


def correlation_words(icc: Correlation) -> str:
    """Correlations within clusters, in words."""
    if not isinstance(icc, Mapping):
        return f"an intra-cluster correlation of {icc:g}"
    return f"intra-cluster correlations of {listed([f'{rho:g} by {name}' for name, rho in icc.items()])}"


def cluster_words(cluster: Sizes | None) -> str:
    """Sizes of clusters, in words."""
    if cluster is None:
        return "in one cluster"
    if not isinstance(cluster, Mapping):
        return f"in clusters of {cluster:.3g}"
    return f"in clusters of {listed([f'{size:.3g} by {name}' for name, size in cluster.items()])}"


def clustered_sample_size(
    effective: int,
    *,
    icc: float | Mapping[str, float],
    cluster: float | Sequence[int] | NDArray[Any] | Mapping[str, float] | None = None,
) -> Clustered:
    """How many judgments are worth this many independent ones, when those of one cluster resemble each other.

    Real votes come in many small clusters: a prompt that several annotators saw, an annotator who voted often, a
    ranking that was cut into pairs. One large cluster is the worst case, and has a ceiling.

    Parameters
    ----------
    effective : int
        Independent judgments that are wanted, as from `quorate.votes.sample_size`.
    icc : float or mapping of str to float
        Correlation of two judgments of one cluster, from 0 to 1; for every facet, where several cross, such as prompts
        and people: ``{"prompt": 0.1, "judge": 0.05}``.
    cluster : float, sequence of int or mapping of str to float, optional
        Judgments per cluster: one number where clusters are of one size, or the size of every cluster of a study like
        the one that is planned. Without it, all judgments are one cluster. For every facet of ``icc`` one number, where
        there are several.

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
    ``1 + (m - 1) icc``, with ``m`` the mean of the squared sizes over the mean size. With several facets, of which two
    judgments share one at most, the ``(m - 1) icc`` add up.

    Examples
    --------
    >>> clustered_sample_size(26, icc=0.037).n, clustered_sample_size(1051, icc=0.001, cluster=3).n
    (659, 1054)
    >>> clustered_sample_size(749, icc={"prompt": 0.1, "judge": 0.02}, cluster={"prompt": 3, "judge": 40}).clusters
    {'prompt': 495, 'judge': 38}
    """
    check_count("effective", effective)
    effective = int(effective)
    if isinstance(icc, Mapping) or isinstance(cluster, Mapping):  # the least number, in clusters no larger than it is
        rho, sizes = _facets(icc, cluster)
        n = whole(effective * _effect_of(MOST, rho, sizes))
        while (smaller := whole(effective * _effect_of(n, rho, sizes))) < n:
            n = smaller
        clusters = {name: math.ceil(n / min(size, n)) for name, size in sizes.items()}
        return Clustered(effective, rho, sizes, n, _effect_of(n, rho, sizes), clusters, math.inf)
    _check_icc(icc)
    icc = float(icc)
    if cluster is None:
        return _one_cluster(effective, icc)
    effect, mean = _design_effect(cluster, icc)
    if effective * effect <= mean:  # it all fits in one cluster, which is then smaller
        return _one_cluster(effective, icc)
    n = whole(effective * effect)
    return Clustered(effective, icc, mean, n, effect, math.ceil(n / mean), math.inf)


def effective_judgments(
    n: int,
    *,
    icc: float | Mapping[str, float],
    cluster: float | Sequence[int] | NDArray[Any] | Mapping[str, float] | None = None,
) -> float:
    """How many independent judgments these are worth, when those of one cluster resemble each other.

    Arguments are those of `clustered_sample_size`.

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
    if isinstance(icc, Mapping) or isinstance(cluster, Mapping):
        return n / _effect_of(n, *_facets(icc, cluster))
    _check_icc(icc)
    return n / _design_effect(n if cluster is None else cluster, icc)[0]


def _effect_of(n: float, icc: Mapping[str, float], cluster: Mapping[str, float]) -> float:
    """Design effect of n judgments in clusters that cross."""
    return 1 + sum((min(cluster[name], n) - 1) * rho for name, rho in icc.items())


def _facets(icc: Any, cluster: Any) -> tuple[dict[str, float], dict[str, float]]:
    """Correlation and size of cluster of every facet."""
    if not (isinstance(icc, Mapping) and isinstance(cluster, Mapping) and set(icc) == set(cluster) and icc):
        got = [listed(each) if isinstance(each, Mapping) else "no facet" for each in (icc, cluster)]
        rule = ": names the facets that " + argument("icc") + " names, each with the judgments that share one of it"
        raise InvalidInput(argument("cluster") + rule + f", got {got[1]} for {got[0]}")
    for name, rho in icc.items():
        _check_icc(rho)
        _design_effect(cluster[name], rho)
    return {name: float(rho) for name, rho in icc.items()}, {name: float(cluster[name]) for name in icc}


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
    rules.number("icc", icc, least=0, most=1)
