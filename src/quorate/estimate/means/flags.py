"""Flags on the items on which judges, prompts and temperatures disagree most: those to send to people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quorate import caveats, rules
from quorate.arrays import Floats
from quorate.caveats import Caveat
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.components.model import closure, residuals
from quorate.estimate.means.prediction import predict
from quorate.frozen import dataclass
from quorate.numerics.distributions import chi_square_quantile
from quorate.table.judgments import Judgments
from quorate.table.results import Result, Row
from quorate.wording import Brief, listed, plural

MEASURED = ("item", "system", "response", "dimension")
"""Facets that are what is measured, not how, unless ``over`` says otherwise."""
FEW_DF = 5.0


@dataclass(frozen=True)
class Flag(Brief):
    """One item, and how far apart its scores are.

    Parameters
    ----------
    labels : mapping of str to str
        Label of the item and, where needed to find it, of the facets it is nested in or crossed with, by role.
    variance : float
        Pipeline variance: that of a single judgment of this item over the configurations that judged it, after level
        differences common to all items; in squared score units.
    df : float
        Degrees of freedom it rests on.
    low, high : float
        95% interval of the variance; ``high`` is nan where all scores agree.
    expected : float
        The variance drawn towards the average item as far as its degrees of freedom are few; what items are ordered by.
    cells, n : int
        Configurations that judged the item, and answers.
    lowest, highest : float
        Least and greatest score.
    """

    labels: Mapping[str, str]
    variance: float
    df: float
    low: float
    high: float
    expected: float
    cells: int
    n: int
    lowest: float
    highest: float


@dataclass(frozen=True)
class Flags(Result):
    """Items by their pipeline variance, the largest first.

    Parameters
    ----------
    flags : tuple of Flag
        The first ones.
    items, left_out : int
        Items compared, and those judged too rarely to be.
    over : tuple of str
        Facets that make up a configuration.
    mean : float
        Pipeline variance of the average item.
    between : float
        Standard deviation of it between items, beyond chance; 0 where the items do not differ by more than chance.
    share : float
        Of the pipeline variance of all items, the part that the ``flags`` have.
    caveats : tuple of Caveat
        What the reader must know.
    """

    flags: tuple[Flag, ...]
    items: int
    left_out: int
    over: tuple[str, ...]
    mean: float
    between: float
    share: float
    caveats: tuple[Caveat, ...]

    def rows(self) -> list[Row]:
        """The flagged items: their labels, then variance, df, low, high, expected, cells, n, range."""
        names = [field.name for field in fields(Flag) if field.name != "labels"]
        return [{**flag.labels, **{name: getattr(flag, name) for name in names}} for flag in self.flags]


def flags(fit: Decomposition, *, over: Iterable[str] | None = None, most: int = 20) -> Flags:
    """The items whose scores depend most on who judged them and how, so that people should look at them.

    Per item: the variance of its cell means over the configurations that judged it, after the fitted level differences
    that all items share (a strict judge, a lenient prompt), plus what replicates add inside a cell. It is the variance
    of one judgment of this item, whatever the number of replicates, and unbiased where cells are missing at random.

    Parameters
    ----------
    fit : Decomposition
        From `quorate.decompose`.
    over : iterable of str, optional
        Facets that make up a configuration. Without it, all but the object of measurement, what it is nested in, and
        items, systems, responses and dimensions, of which each combination then counts as an item.
    most : int
        How many items to return.

    Returns
    -------
    Flags

    Raises
    ------
    InvalidInput
        If a facet is not there or is part of the item, or ``most`` is below 1.
    NotEstimable
        If no item was judged twice.

    Notes
    -----
    Judgments of one item by one judge are alike, so 45 configurations are worth fewer degrees of freedom: they follow
    from the fitted components by Satterthwaite's match. Ordering by ``expected``, linear empirical Bayes, keeps an item
    from leading the list because it was judged twice. Intervals are chi-square and hold for one item, not for the
    largest of many; for scores with few values they are rough.

    High pipeline variance says that judges differ, not that they are wrong; a panel can agree on a mistake.

    References
    ----------
    Messing (2026), Appendix I.1, where an item's pipeline variance goes with how often it is misclassified. Buehlmann
    and Gisler (2005), A Course in Credibility Theory, section 3, for the shrinkage.

    Examples
    --------
    >>> import polars
    >>> import quorate as q
    >>> rows = {"item": list("aaabbbcccddd"), "judge": list("xyz") * 4}
    >>> frame = polars.DataFrame(rows | {"score": [1, 1, 1, 2, 2, 2, 1, 5, 2, 3, 3, 3]})
    >>> flags(q.decompose(q.read(frame, announce=False)), most=1).flags[0].labels
    {'item': 'c'}
    """
    rules.whole("most", most, 1)
    judgments = fit.judgments
    chosen = _configuration(judgments, over)
    unit = [name for name in judgments.names if name not in chosen]
    spread = PipelineVariance(fit, unit)
    usable = spread.usable
    if not usable.any():
        raise NotEstimable(f"no {judgments.object} was judged twice, so there is no spread to compare", {"cell"})
    expected, mean, between = shrunk(spread.variance[usable], spread.df[usable])
    order = np.argsort(-expected, kind="stable")[:most]
    flagged = tuple(_flag(spread, unit, int(np.flatnonzero(usable)[at]), float(expected[at])) for at in order)
    share = float(expected[order].sum() / expected.sum()) if expected.sum() > 0 else np.nan
    cautions = tuple(_caveats(fit, flagged, between))
    return Flags(flagged, int(usable.sum()), int((~usable).sum()), chosen, mean, between, share, cautions)


def _configuration(judgments: Judgments, over: Iterable[str] | None) -> tuple[str, ...]:
    """Facets that make up a configuration."""
    measured = closure(judgments, [judgments.object])
    if over is None:
        measured |= closure(judgments, [name for name in MEASURED if name in judgments.names])
        return tuple(name for name in judgments.names if name not in measured)
    asked = (over,) if isinstance(over, str) else tuple(over)
    for name in asked:
        judgments.facet(name)
        if name in measured:
            raise InvalidInput(f'over: "{name}" is what is measured; name facets such as judge or prompt')
    return tuple(name for name in judgments.names if name in asked)


class PipelineVariance:
    """Pipeline variance of every item, with its degrees of freedom."""

    def __init__(self, fit: Decomposition, unit: list[str]) -> None:
        self.judgments = fit.judgments
        self.code = fit.judgments.level_codes(unit)
        self.cells = self._sum(np.ones(len(self.code)))
        freedom = self._sum(fit.judgments.n - 1.0)
        several = self.cells > 1
        self.usable = several if several.any() else freedom > 0
        inverse = self._mean(1 / fit.judgments.n)
        inside = np.divide(self._sum(fit.judgments.ss), freedom, out=np.zeros_like(freedom), where=freedom > 0)
        fixed = fit.assembled.fixed
        shared: Floats = (fixed.rows @ fit.beta)[fixed.row]  # what differences shared by all items add to every cell
        for term, _ in _terms(fit, lambda facets: not facets & closure(fit.judgments, unit)):
            shared = shared + predict(fit, ":".join(term)).effect[fit.judgments.level_codes(term)]
        left = fit.judgments.mean - shared
        apart = self._sum((left - self._mean(left)[self.code]) ** 2)
        between = np.divide(apart, self.cells - 1, out=np.zeros_like(apart), where=several)
        self.variance = between + np.where(several, 1 - inverse, 1.0) * inside
        # Satterthwaite's degrees of freedom at the fitted components.
        expected, df = self.expected_square(fit, unit)
        inner = np.where(several, 1 - inverse, 1.0) * float(fit.judgments.ss.sum() / max(freedom.sum(), 1.0))
        spread = expected**2 / df + np.divide(inner**2, freedom, out=np.zeros_like(inner), where=freedom > 0)
        total = expected + np.where(freedom > 0, inner, 0.0)
        self.df = np.divide(total**2, spread, out=np.maximum(self.cells - 1, freedom), where=spread > 0)

    def _sum(self, values: NDArray[np.floating[Any]]) -> Floats:
        return np.bincount(self.code, weights=values).astype(np.float64)

    def _mean(self, values: Floats) -> Floats:
        return self._sum(values) / self.cells

    def expected_square(self, fit: Decomposition, unit: list[str]) -> tuple[Floats, Floats]:
        """Expected mean square between the cells of an item, and its degrees of freedom.

        With ``A`` the centring of an item's cells and ``S`` their covariance: ``tr(AS) / (K - 1)`` and
        ``tr(AS)^2 / tr(ASAS)``, from counts of how the cells share levels.
        """
        measured = closure(fit.judgments, unit)
        terms = list(_terms(fit, lambda facets: bool(facets & measured) and bool(facets - measured)))
        noise = residuals(fit.judgments, fit.assembled.model, fit.assembled.residual_by, fit.assembled.scale)
        theta = np.maximum(fit.theta[-fit.assembled.problem.n_residual :], 0.0)
        noise_of_cells = noise.weight @ theta * fit.assembled.scale**2
        sizes = [self._counts([*unit, *term]) for term, _ in terms] + [np.ones(len(self.code))]
        scale = [np.full(len(self.cells), variance) for _, variance in terms] + [self._mean(noise_of_cells)]
        trace, square = np.zeros((2, len(self.cells)))
        for a, (n_a, s_a) in enumerate(zip(sizes, scale, strict=True)):
            trace += s_a * (self.cells - self._sum(n_a) / self.cells)
            for b, (n_b, s_b) in enumerate(zip(sizes, scale, strict=True)):
                one_cell = len(terms) in (a, b)
                both = np.ones(len(self.code)) if one_cell else self._counts([*unit, *terms[a][0], *terms[b][0]])
                shared = self._sum(both) - 2 * self._mean(n_a * n_b) + self._mean(n_a) * self._mean(n_b)
                square += s_a * s_b * shared
        known = (square > 0) & (self.cells > 1)
        df = np.divide(trace**2, square, out=np.maximum(self.cells - 1, 1.0), where=known)
        return trace / np.maximum(self.cells - 1, 1), df

    def _counts(self, names: list[str]) -> Floats:
        """For every cell, how many cells share its levels of these facets."""
        code = self.judgments.level_codes(names)
        return np.bincount(code)[code].astype(np.float64)


def _terms(fit: Decomposition, wanted: Any) -> Iterable[tuple[list[str], float]]:
    """Random terms with a variance above zero whose facets are wanted."""
    for name, variance in zip(fit.assembled.names, fit.theta * fit.assembled.scale**2, strict=True):
        term = name.split(":")
        if set(term) <= set(fit.judgments.names) and variance > 0 and wanted(closure(fit.judgments, term)):
            yield term, float(variance)


def shrunk(variance: Floats, df: Floats) -> tuple[Floats, float, float]:
    """Variances drawn towards their mean, the mean, and the standard deviation between items beyond chance.

    A variance ``s2`` on ``df`` degrees of freedom has sampling variance ``2 V^2 / df``, of which ``2 s2^2 / (df + 2)``
    is unbiased; what is left of the spread between items is theirs.
    """
    mean = float(variance.mean())
    excess = float(np.sum((variance - mean) ** 2) / max(len(variance) - 1, 1) - np.mean(2 * variance**2 / (df + 2)))
    between = max(excess, 0.0)
    chance = 2 * (between + mean**2) / df
    weight = np.divide(between, between + chance, out=np.zeros_like(chance), where=between + chance > 0)
    return mean + weight * (variance - mean), mean, float(np.sqrt(between))


def _flag(spread: PipelineVariance, unit: list[str], item: int, expected: float) -> Flag:
    """One item; its labels are its own, and those of its parents where its own occurs under several."""
    judgments, rows = spread.judgments, np.flatnonzero(spread.code == item)
    above = {up for name in unit for up in judgments.ancestors(name)}
    several = [name for name in unit if judgments.n_levels(name) > len(judgments.facet(name).levels)]
    repeated = {up for name in several for up in judgments.ancestors(name)}
    named = [name for name in unit if name not in above or name in repeated]
    variance, df = float(spread.variance[item]), float(spread.df[item])
    low, high = chi_square_interval(variance, df)
    return Flag(
        labels={name: judgments.facet(name).levels[judgments.column(name)[rows[0]]] for name in named},
        variance=variance,
        df=df,
        low=low,
        high=high,
        expected=expected,
        cells=len(rows),
        n=int(judgments.n[rows].sum()),
        lowest=float(judgments.low[rows].min()),
        highest=float(judgments.high[rows].max()),
    )


def chi_square_interval(variance: float, df: float) -> tuple[float, float]:
    """95% interval of a variance on ``df`` degrees of freedom; nan above where there is none."""
    if variance <= 0:
        return 0.0, np.nan
    return df * variance / chi_square_quantile(df, 0.025), df * variance / chi_square_quantile(df, 0.975)


def _caveats(fit: Decomposition, flagged: tuple[Flag, ...], between: float) -> Iterable[Caveat]:
    items = plural(fit.judgments.object)
    few = min(flag.df for flag in flagged)
    if few < FEW_DF:
        yield caveats.few_df(items, few)
    if between == 0:
        yield caveats.no_excess(items)
    several = [name for name in fit.judgments.names if fit.judgments.n_levels(name) > 1]
    if "judge" in fit.judgments.names and "judge" not in several:
        others = [name for name in several if name not in closure(fit.judgments, [fit.judgments.object])]
        yield caveats.one_judge(listed([plural(name) for name in others]) if others else "replicates")
