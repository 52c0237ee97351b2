"""Robustness of an analysis: the same on each category alone, or without each judge in turn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import starmap
from typing import Any, NamedTuple

import numpy as np

from quorate.caveats import Caveat
from quorate.errors import InvalidInput, NotConverged, NotEstimable
from quorate.estimate.components.decompose import decompose
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.components.model import CELL
from quorate.estimate.means.effects import level_labels
from quorate.estimate.means.mean import Estimate
from quorate.estimate.means.targets import Target
from quorate.frozen import dataclass
from quorate.table.facts.repeats import drawn_cells
from quorate.table.judgments import Judgments
from quorate.table.results import Result
from quorate.waiting import each


@dataclass(frozen=True)
class Part(Result):
    """What a part of the judgments says.

    Parameters
    ----------
    facet, level : str
        The level that the part is made of, or that it leaves out.
    n_items, n : int
        Levels of the object of measurement, and answers.
    estimate : Estimate, optional
        The mean for the targets asked for; None where there is none.
    fit : Decomposition, optional
        Components; None where there are none.
    change : float, optional
        Mean of the part minus the mean of all judgments; None where the part has none.
    reason : str
        Why there is no estimate; empty where there is.
    """

    facet: str
    level: str
    n_items: int
    n: int
    estimate: Estimate | None
    fit: Decomposition | None
    change: float | None
    reason: str


class Figures(NamedTuple):
    """An `Estimate` in figures alone, with its interval at one level."""

    value: float
    se: float
    df: float
    n: int
    shares: Mapping[str, float]
    target: Mapping[str, Target]
    caveats: tuple[Caveat, ...]
    low: float
    high: float


class Stated(NamedTuple):
    """A `Part` in figures alone: without its fit, which takes as much room as that of all judgments.

    Where ``items`` is not None the fit was one of so many items drawn at random, carried over to all.
    """

    level: str
    reason: str
    estimate: Figures | None
    items: int | None = None


def stated(parts: Iterator[Part], level: float) -> tuple[Stated, ...]:
    """Parts in figures, one made after the other is let go."""

    def of(part: Part) -> Stated:
        found = part.estimate
        if found is None:
            return Stated(part.level, part.reason, None)
        low, high = found.at(level).ends
        moments = (found.value, found.se, found.df, found.n, found.shares, found.target, found.caveats)
        return Stated(part.level, "", Figures(*moments, low, high))

    return tuple(map(of, parts))


def stated_without_each(
    fit: Decomposition, facet: str, targets: Mapping[str, Target], level: float
) -> tuple[Stated, ...]:
    """`without_each` in figures; of many cells, from refits of items drawn at random (`thinned`).

    What all items and those drawn have in common is not left to the draw: the mean is that of all items plus the change
    among those drawn, and standard errors are larger or smaller as those with all judges are.
    """
    some = thinned(fit)
    parts = stated(without_each(some, facet, targets), level)
    if some is fit:
        return parts
    whole, drawn = (one.mean_for(**targets) if targets else one.mean for one in (fit, some))
    ratio = whole.se / drawn.se
    judgments = fit.judgments
    answers = np.bincount(judgments.level_codes([facet]), judgments.n).astype(np.int64)
    items = some.judgments.n_levels(judgments.object)

    def carried(part: Stated, own: int) -> Stated:
        if (of := part.estimate) is None:
            return part._replace(items=items)
        value = whole.value + of.value - drawn.value
        low, high = (value + (end - of.value) * ratio for end in (of.low, of.high))
        n = judgments.n_answers - own
        return part._replace(estimate=of._replace(value=value, se=of.se * ratio, n=n, low=low, high=high), items=items)

    return tuple(map(carried, parts, answers.tolist()))


def thinned(fit: Decomposition) -> Decomposition:
    """The same model of items drawn at random where the cells are many (`drawn_cells`); else the fit itself."""
    drawn = drawn_cells(fit.judgments)
    return fit if drawn is None else decompose(fit.judgments.keep(drawn), **options_of(fit))


def by_level(
    judgments: Judgments, facet: str, *, targets: Mapping[str, Target] | None = None, **options: Any
) -> tuple[Part, ...]:
    """The mean and the components within each category, or of each judge alone.

    Parameters
    ----------
    judgments : Judgments
        From `quorate.read`.
    facet : str
        Role whose levels are taken one at a time.
    targets : mapping of str to str or Pool, optional
        What facets stand for, as for `Decomposition.mean_for`.
    **options
        As for `quorate.decompose`.

    Returns
    -------
    tuple of Part
        One for every level, also where its judgments support no estimate.

    Raises
    ------
    UnknownTerm
        If there is no such facet.
    NotEstimable
        If nothing can be estimated from all judgments together.

    Examples
    --------
    >>> import polars
    >>> import quorate as q
    >>> rows = {"item": [1, 1, 2, 2, 3, 3, 4, 4], "subset": list("aaaabbbb"), "judge": list("xyxyxyxy")}
    >>> frame = polars.DataFrame(rows | {"score": [1, 2, 3, 5, 2, 2, 4, 6]})
    >>> [part.estimate.value for part in by_level(q.read(frame, nested={"item": "subset"}), "subset")]
    [2.75, 3.5]
    """
    return tuple(_parts(decompose(judgments, **options), judgments, facet, np.equal, targets or {}, options))


def leave_one_out(
    judgments: Judgments, facet: str = "judge", *, targets: Mapping[str, Target] | None = None, **options: Any
) -> tuple[Part, ...]:
    """The mean and the components without each judge in turn.

    A level whose absence moves the mean by more than its standard error decides the result.

    Parameters
    ----------
    judgments : Judgments
        From `quorate.read`.
    facet : str
        Role whose levels are left out one at a time.
    targets : mapping of str to str or Pool, optional
        What facets stand for, as for `Decomposition.mean_for`.
    **options
        As for `quorate.decompose`.

    Returns
    -------
    tuple of Part
        One for every level, also where what is left supports no estimate.

    Raises
    ------
    UnknownTerm
        If there is no such facet.
    InvalidInput
        If it has one level.
    NotEstimable
        If nothing can be estimated from all judgments together.

    Examples
    --------
    >>> import polars
    >>> import quorate as q
    >>> frame = polars.DataFrame({"item": [1, 1, 2, 2, 3, 3], "judge": list("xyxyxy"), "score": [1, 2, 2, 4, 3, 4]})
    >>> [(part.level, round(part.change, 2)) for part in leave_one_out(q.read(frame))]
    [('x', 0.67), ('y', -0.67)]
    """
    if judgments.n_levels(facet) < 2:
        raise InvalidInput(f"leave_one_out: {facet} has one level, and without it nothing is left; name another facet")
    return tuple(_parts(decompose(judgments, **options), judgments, facet, np.not_equal, targets or {}, options))


def without_each(
    fit: Decomposition, facet: str = "judge", targets: Mapping[str, Target] | None = None
) -> Iterator[Part]:
    """`leave_one_out` of a fit that is there already."""
    return _parts(fit, fit.judgments, facet, np.not_equal, targets or {}, options_of(fit))


def within_each(fit: Decomposition, facet: str, targets: Mapping[str, Target] | None = None) -> Iterator[Part]:
    """`by_level` of a fit that is there already."""
    return _parts(fit, fit.judgments, facet, np.equal, targets or {}, options_of(fit))


def _parts(
    whole: Decomposition,
    judgments: Judgments,
    facet: str,
    chosen: np.ufunc,
    targets: Mapping[str, Target],
    options: dict[str, Any],
) -> Iterator[Part]:
    """A part for every level; what cannot be estimated is said, not raised, so that no part is dropped."""
    mean = float(whole.assembled.fixed.mean @ whole.beta)

    def of(level: int, label: str) -> Part:
        part = judgments.keep(chosen(judgments.level_codes([facet]), level))
        objects = np.unique(part.level_codes([part.object])[part.n > 0])
        fit, estimate, reason = None, None, ""
        try:
            fit = decompose(part, **options)
            estimate = fit.mean_for(**targets) if targets else fit.mean
        except (NotEstimable, NotConverged) as error:
            reason = str(error)
        change = None if estimate is None else estimate.value - mean
        return Part(facet, label, len(objects), part.n_answers, estimate, fit, change, reason)

    levels = each(f"fits by {facet}", [*enumerate(level_labels(judgments, facet))])
    return starmap(of, levels)


def options_of(fit: Decomposition) -> dict[str, Any]:
    """The options of `decompose` that made a fit."""
    model, by = fit.assembled.model, fit.assembled.residual_by
    random = [*(":".join(term) for term in model.random), *([CELL] if model.cell else [])]
    same = {"method": fit.method, "interval": fit.interval}
    return {"random": random, "covariates": model.covariates, "residual_by": by, **same}
