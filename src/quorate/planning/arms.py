"""Arms of an adaptive allocation and how they stand: one cell each, or a cycle of cells such as a panel."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc

from quorate import rules
from quorate.arrays import Floats, Ints
from quorate.errors import InvalidInput, UnknownTerm
from quorate.frozen import dataclass
from quorate.table.columns.labels import label
from quorate.table.progress import Progress, Roster
from quorate.wording import Brief


class Scale(NamedTuple):
    """Scale of the scores of one attribute.

    Parameters
    ----------
    low, high : float, optional
        Least and greatest score possible.
    step : float, optional
        Smallest gap between two scores; None where there is none.
    """

    low: float | None = None
    high: float | None = None
    step: float | None = None


def scales(
    scale: Iterable[float] | Mapping[str, Iterable[float]] | None,
    bounds: Sequence[float] | None,
    attributes: Sequence[str],
) -> tuple[Scale, ...]:
    """Scale of every attribute, of one where none are named.

    Raises
    ------
    InvalidInput
        If a scale is no two numbers or more, or both kinds are given.
    """
    if scale is not None and bounds is not None:
        raise InvalidInput("scale, bounds: give the possible scores, or the ends of a continuous scale, not both")
    count = max(len(attributes), 1)
    if bounds is not None:
        ends = _numbers(bounds, "bounds")
        if len(ends) != 2 or not ends[0] < ends[1]:
            raise InvalidInput(f"bounds: the least and the greatest score possible, got {bounds}")
        return (Scale(ends[0], ends[1]),) * count
    if isinstance(scale, Mapping):
        missing = [name for name in attributes if name not in scale]
        if missing or not attributes:
            raise InvalidInput(f"scale: one for every attribute, got {', '.join(map(str, scale))}")
        return tuple(_scale(scale[name]) for name in attributes)
    return (Scale() if scale is None else _scale(scale),) * count


def _scale(scores: Iterable[float]) -> Scale:
    steps = sorted(set(_numbers(scores, "scale")))
    if len(steps) < 2:
        raise InvalidInput(f"scale: the possible scores, two or more, such as range(1, 6), got {steps}")
    return Scale(steps[0], steps[-1], float(np.diff(steps).min()))


def _numbers(values: Iterable[float], argument: str) -> list[float]:
    try:
        numbers = [float(value) for value in values]
    except (TypeError, ValueError):
        raise InvalidInput(f"{argument}: expects numbers, got {values!r}") from None
    if not all(map(math.isfinite, numbers)):
        raise InvalidInput(f"{argument}: expects finite numbers, got {numbers}")
    return numbers


def by_arm(given: Any, argument: str, names: Sequence[str], attributes: int, *, zero: bool) -> Floats:
    """A number for every arm and attribute.

    Parameters
    ----------
    given : mapping of str to number, or array
        By the name of the arm, or in the order of the arms: shape (arms,) or (arms, attributes).
    argument : str
        For errors.
    names : sequence of str
        The arms.
    attributes : int
        How many columns.
    zero : bool
        Whether 0 is allowed.

    Returns
    -------
    array, shape (arms, attributes)

    Raises
    ------
    InvalidInput
        If one is missing or no finite number of at least 0.
    """
    if isinstance(given, Mapping):
        known = {label(name): value for name, value in given.items()}
        missing = [name for name in names if name not in known]
        if missing:
            raise InvalidInput(f'{argument}: one for every arm, got none for "{missing[0]}" ({len(missing)} in all)')
        given = [known[name] for name in names]
    try:
        values = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInput(f"{argument}: expects a number for every arm") from None
    values = values[:, None] if values.ndim == 1 else values
    if values.ndim != 2 or len(values) != len(names) or values.shape[1] not in (1, attributes):
        raise InvalidInput(f"{argument}: one for each of {len(names):,} arms, got shape {np.shape(given)}")
    bad = ~(np.isfinite(values) & ((values >= 0) if zero else (values > 0)))
    if bad.any():
        at = int(bad.any(axis=1).argmax())
        rule = "finite numbers of at least 0" if zero else "finite numbers above 0"
        raise InvalidInput(f'{argument}: expects {rule}, got {values[at][bad[at]][0]} for "{names[at]}"')
    return np.broadcast_to(values, (len(names), attributes))


def prices_of(prices: Mapping[str, Any] | None, roster: Roster) -> Floats:
    """Price of one call of every cell, 1 where no prices are given.

    Parameters
    ----------
    prices : mapping, optional
        ``{"call": price}``, or a facet with a price for a call of each of its labels, such as
        ``{"judge": {"large": 0.02, "small": 0.001}}``.
    roster : Roster
        The cells.

    Raises
    ------
    InvalidInput
        If a price is missing, or not above 0.
    """
    if prices is None:
        return np.ones(len(roster))
    if not hasattr(prices, "items") or len(prices) != 1:
        raise InvalidInput(f'prices: one kind, {{"call": 0.01}} or {{"judge": {{...}}}}, got {prices!r}')
    ((kind, given),) = prices.items()
    if kind == "call":
        rules.number("prices: a call", given, above=0)
        return np.full(len(roster), float(given))
    if kind not in roster.levels or not isinstance(given, Mapping):
        known = ", ".join(roster.levels)
        raise InvalidInput(f'prices: "call" has one price, a facet ({known}) one for every label; got {prices!r}')
    known_prices = {label(name): value for name, value in given.items()}
    missing = [name for name in roster.levels[kind] if name not in known_prices]
    if missing:
        raise InvalidInput(f"prices: no price for {kind} {', '.join(missing[:3])} ({len(missing)} in all)")
    for name in roster.levels[kind]:
        rules.number(f"prices: {kind} {name}", known_prices[name], above=0)
    each = np.array([float(known_prices[name]) for name in roster.levels[kind]])
    return np.asarray(each[roster.column(kind)])


MOST_FAILURES = 0.8
"""Share of failures; a cell that surely has more of them is given up, whatever their order."""

_BITS = 40
_DOUBT = 1e-3


@dataclass(frozen=True, eq=False)
class Arms(Brief):
    """What is measured.

    Parameters
    ----------
    roster : Roster
        The cells that may be asked.
    cells : array of int64, shape (arms, parts)
        Cells of every arm: one, or one for each level of the cycle.
    names : tuple of str
        The arms in words.
    partner : array of int64, shape (arms,), optional
        The arm that each is compared with.
    """

    roster: Roster
    cells: Ints
    names: tuple[str, ...]
    partner: Ints | None = None

    def __len__(self) -> int:
        return len(self.cells)

    @property
    def parts(self) -> int:
        """Cells of an arm."""
        return int(self.cells.shape[1])


@dataclass(frozen=True, eq=False)
class Standing:
    """How the arms stand.

    Parameters
    ----------
    n : array of int64, shape (arms,)
        Whole pulls that are answered.
    asked : array of int64, shape (arms, parts)
        Answers of every cell and its calls under way.
    failed : array of int64, shape (arms,)
        Calls that failed.
    mean, variance : array, shape (arms, attributes)
        Mean of the parts, and the variance of one pull with divisor ``n``; nan and 0 without an answer.
    lost : array of bool, shape (arms,)
        Whether some cell fails so often that no more is spent on the arm.
    """

    n: Ints
    asked: Ints
    failed: Ints
    mean: Floats
    variance: Floats
    lost: NDArray[np.bool_]


def arms_of(roster: Roster, *, cycle: str | None = None, between: str | None = None) -> Arms:
    """The arms among some cells.

    Parameters
    ----------
    roster : Roster
        The cells that may be asked.
    cycle : str, optional
        Facet whose levels are all asked in one pull, such as ``judge``.
    between : str, optional
        Facet of two levels, such as ``system``, that are compared in every combination of the others.

    Raises
    ------
    UnknownTerm
        If there is no such facet.
    InvalidInput
        If some arm lacks a level of the cycle, or one to be compared with.
    """
    cells = _grouped(roster.codes, roster, cycle, "cycle") if cycle else np.arange(len(roster))[:, None]
    names = tuple(roster.names(cells[:, 0], without=[] if cycle is None else [cycle]))
    if between is None:
        return Arms(roster, cells, names)
    if between == cycle:
        raise InvalidInput(f'between: "{between}" is the cycle; a pull asks all of its levels')
    pairs = _grouped(roster.codes[cells[:, 0]], roster, between, "between", cycle)
    if pairs.shape[1] != 2:
        raise InvalidInput(f"between: two levels are compared, {between} has {pairs.shape[1]}; keep two of them")
    partner = np.empty(len(cells), dtype=np.int64)
    partner[pairs[:, 0]], partner[pairs[:, 1]] = pairs[:, 1], pairs[:, 0]
    return Arms(roster, cells, names, partner)


def _grouped(codes: NDArray[np.int32], roster: Roster, facet: str, argument: str, gone: str | None = None) -> Ints:
    """Rows of ``codes`` that differ in one facet alone, shape (groups, levels of the facet)."""
    if facet not in roster.levels:
        raise UnknownTerm(facet, roster.levels, "facet")
    names = list(roster.levels)
    if facet == names[0]:
        raise InvalidInput(f'{argument}: a facet other than what is measured, got "{facet}"; use for example "judge"')
    others = [place for place, name in enumerate(names) if name not in {facet, gone}]
    group = np.unique(codes[:, others], axis=0, return_inverse=True)[1].ravel()
    rows = np.full((int(group.max(initial=-1)) + 1, len(roster.levels[facet])), -1, dtype=np.int64)
    rows[group, codes[:, names.index(facet)]] = np.arange(len(codes))
    short = (rows < 0).any(axis=1)
    if short.any():
        raise InvalidInput(
            f"{argument}: every arm needs all {rows.shape[1]} levels of {facet}; "
            f"{int(short.sum()):,} of {len(rows):,} lack some"
        )
    return rows[np.argsort(rows.min(axis=1))]


def standing(arms: Arms, progress: Progress, unit: Floats, give_up: int) -> Standing:
    """How the arms stand.

    Answers of a cycle that is not complete raise no count until it is.

    Parameters
    ----------
    arms : Arms
        What is measured.
    progress : Progress
        Of the same cells.
    unit : array, shape (attributes,)
        Scores are taken as multiples of this, so that sums in any order give the same bits.
    give_up : int
        Failures in a row after which a cell is given up.

    Raises
    ------
    InvalidInput
        If the progress is of other cells.
    """
    if not progress.roster.same(arms.roster):
        raise InvalidInput(
            "progress: is of other cells than the policy; begin with policy.start() or policy.resume(judgments)"
        )
    counts, mean, ss = (values.reshape(len(arms.roster), -1) for values in (progress.n, progress.mean, progress.ss))
    if counts.shape[1] != len(unit):
        raise InvalidInput(
            f"progress: {counts.shape[1]} attributes, the policy has {len(unit)}; begin with policy.start()"
        )
    divisor = np.maximum(counts, 1)
    mean, variance = np.where(counts > 0, mean, np.nan), np.where(counts > 0, ss, 0.0) / divisor
    size, spread = np.nan_to_num(np.abs(mean)), np.sqrt(variance)
    mean = _exact(mean * counts / unit, (size + spread) * counts / unit) * unit / divisor
    variance = _exact(variance * (counts / unit) ** 2, (size + spread) * spread * (counts / unit) ** 2)
    variance = variance * unit**2 / divisor**2
    whole = progress.whole[arms.cells]
    made = progress.whole + progress.failed
    surely = bdtrc(progress.failed - 1.0, made, MOST_FAILURES) < _DOUBT  # the chance of as many at that rate
    failing = (progress.in_a_row >= give_up) | (surely & (progress.failed > 0))
    return Standing(
        n=whole.min(axis=1),
        asked=whole + progress.pending[arms.cells],
        failed=progress.failed[arms.cells].sum(axis=1),
        mean=mean[arms.cells].mean(axis=1),
        variance=variance[arms.cells].sum(axis=1) / arms.parts**2,
        lost=np.asarray(failing[arms.cells].any(axis=1)),
    )


def _exact(x: Floats, size: Floats) -> Floats:
    """Numbers to 40 binary digits of a size: sums of whole numbers come out whole, in whatever order they were added.

    The size is that of what was added, not of the result: rounding errors go by it, also where the result is 0.
    """
    places = _BITS - np.frexp(size)[1]
    return np.asarray(np.ldexp(np.rint(np.ldexp(x, places)), -places))
