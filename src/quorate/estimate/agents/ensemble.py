"""Ensemble: what the mean of several agents is worth, whose errors go together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from quorate.arrays import Floats
from quorate.errors import InvalidInput
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.components.dependability import MOST, averages
from quorate.frozen import dataclass
from quorate.roles import JUDGE
from quorate.table.judgments import Judgments
from quorate.table.results import Result, Row
from quorate.wording import percent

_ROUNDING = 1e-9


@dataclass(frozen=True)
class Ensemble(Result):
    """The variance of the mean of several agents on one item.

    Parameters
    ----------
    agents : int
        How many.
    variance : float
        Of their mean.
    alone : float
        Variance of one agent, on average.
    shared : float
        Covariance of two agents, on average: what no number of agents averages away.
    """

    agents: int
    variance: float
    alone: float
    shared: float

    derived = ("se", "correlation", "worth", "sentence")

    @property
    def se(self) -> float:
        """Standard deviation of the mean."""
        return float(np.sqrt(self.variance))

    @property
    def correlation(self) -> float:
        """Correlation of the errors of two agents, on average; nan where they have none."""
        return self.shared / self.alone if self.alone > 0 else float("nan")

    @property
    def worth(self) -> float:
        """Independent agents that would be as precise; nan where there is no error."""
        return self.alone / self.variance if self.variance > 0 else float("nan")

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        kept = self.shared * (self.agents - 1) / self.agents / self.variance if self.variance > 0 else 0.0
        return (
            f"The mean of {self.agents:,} agents has standard deviation {self.se:.3g}, as of {self.worth:.2g} "
            f"independent ones: {percent(max(kept, 0.0))} of its variance is shared. One agent alone has "
            f"{np.sqrt(self.alone):.3g}, and any number of them {np.sqrt(max(self.shared, 0.0)):.3g} or more."
        )

    def rows(self) -> list[Row]:
        """The same for 1 agent to twice as many of this kind."""
        out: list[Row] = []
        for count in range(1, 2 * self.agents + 1):
            variance = self.alone / count + self.shared * (count - 1) / count
            if variance < 0:  # agents whose errors cancel: more of them cannot all be so
                break
            worth = self.alone / variance if variance > 0 else float("nan")
            out.append({"agents": count, "variance": variance, "se": float(np.sqrt(variance)), "worth": worth})
        return out


def ensemble(
    variances: Sequence[float] | Floats | Decomposition,
    covariance: float | ArrayLike = 0.0,
    *,
    over: str | None = None,
    agents: int | None = None,
    levels: Mapping[str, int] | None = None,
    replicates: int = 1,
) -> Ensemble:
    """What the mean of several agents on one item is worth, whose errors go together.

    Independent errors shrink with the number of agents; what agents share, such as a prompt that all got or a rubric
    that all misread, stays.

    Parameters
    ----------
    variances : sequence of float, or Decomposition
        Error variance of each agent; or a fit of scores by several agents, whose components say what they share: those
        without the facet ``over``, items apart. Chosen levels of other facets, as of turns, are no error.
    covariance : float or array, shape (agents, agents)
        Of the errors of two agents, one for all or of every two; the diagonal does not count. Only with numbers.
    over : str, optional
        Facet of the agents in a fit, or its column; by default the judges, or the one facet that there is but items.
    agents : int, optional
        How many agents, of a fit; by default those in it.
    levels : mapping of str to int, optional
        Levels of each other facet that a score is the mean of, such as ``{"prompt": 3}``, in a fit; 1 of each that is
        not named.
    replicates : int
        Answers of each cell in a score, of a fit.

    Returns
    -------
    Ensemble

    Raises
    ------
    UnknownTerm
        If there is no such facet.
    InvalidInput
        If a variance is negative, or variances and covariances cannot be those of any errors.
    NotEstimable
        If only a sum of components is known that is shared in part.

    References
    ----------
    Total Evaluation Error, arXiv:2604.11581, equation 13. ``docs/methods/agents.md``.

    Examples
    --------
    >>> five = ensemble([1.0] * 5, 0.5)
    >>> five.variance, five.worth
    (0.6, 1.6666666666666667)
    """
    if isinstance(variances, Decomposition):
        if np.ndim(covariance) or covariance != 0.0:
            raise InvalidInput("covariance: a fit tells what agents share; leave it out, or give variances as numbers")
        return _of_fit(variances, over, agents, levels or {}, replicates)
    own = np.asarray(variances, dtype=np.float64)
    if own.ndim != 1 or not len(own) or not np.isfinite(own).all() or (own < 0).any():
        raise InvalidInput(f"variances: a number of 0 or more for each agent is needed, got {variances!r}")
    given = np.asarray(covariance, dtype=np.float64)
    n = len(own)
    if given.ndim not in (0, 2) or (given.ndim == 2 and given.shape != (n, n)) or not np.isfinite(given).all():
        raise InvalidInput(f"covariance: one number, or {n} rows of {n} are needed, got shape {given.shape}")
    matrix = np.broadcast_to(given, (n, n)).copy()
    if not np.allclose(matrix, matrix.T):
        raise InvalidInput("covariance: that of a with b is that of b with a, and these differ")
    np.fill_diagonal(matrix, own)
    if np.linalg.eigvalsh(matrix).min() < -_ROUNDING * max(float(own.max()), 1e-300):
        raise InvalidInput(
            "covariance: no errors have these variances and covariances; each is at most their root product"
        )
    off = (matrix.sum() - own.sum()) / (n * (n - 1)) if n > 1 else 0.0
    return Ensemble(n, float(max(matrix.sum(), 0.0)) / n**2, float(own.mean()), float(off))


def _agents(judgments: Judgments, over: str | None, items: frozenset[str]) -> str:
    """The facet of the agents: as named, by its role or its column, else the judges, else the only one but items."""
    others = [name for name in judgments.names if name not in items]
    if over is None:
        return others[0] if len(others) == 1 else JUDGE
    return next((one.name for one in judgments.facets if one.column == over and over not in judgments.names), over)


def _of_fit(
    fit: Decomposition, named: str | None, agents: int | None, levels: Mapping[str, int], replicates: int
) -> Ensemble:
    judgments = fit.judgments
    item = judgments.object
    items = frozenset((item, *judgments.ancestors(item)))
    over = _agents(judgments, named, items)
    count = len(judgments.facet(over).levels) if agents is None else agents
    if over in items:
        raise InvalidInput(f"over: agents work on an {item}, and {over} is it; name the facet of the agents")
    if not 1 <= count <= MOST or replicates < 1:
        raise InvalidInput(f"agents: 1 to {MOST:,}, and 1 or more replicates, are needed, got {count} and {replicates}")
    counts = {name: 1 for name in judgments.names if name not in items}
    for name, size in levels.items():
        judgments.facet(name)
        if name not in counts or name == over or size < 1:
            raise InvalidInput(
                f"levels: 1 or more levels of facets but {item} and {over} are needed, got {name}: {size}"
            )
        counts[name] = size
    of_all = averages(fit, counts, replicates, lambda facets: over not in facets and not facets <= items, cell=False)
    of_one = averages(fit, counts, replicates, lambda facets: over in facets)
    values = {name: max(value, 0.0) for name, value in fit.variances.items()}
    shared = sum(of_all[name] * value for name, value in values.items())
    own = sum(of_one[name] * value for name, value in values.items())
    if over in fit.assembled.fixed.levels and len(judgments.facet(over).levels) > 1:
        own += fit.sensitivity(over)
    return Ensemble(count, shared + own / count, shared + own, shared)
