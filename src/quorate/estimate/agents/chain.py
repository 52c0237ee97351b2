"""Chain: which agent of a chain the variance of the last one's scores comes from."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats
from quorate.caveats import Caveat, no_chain
from quorate.errors import InvalidInput, NotEstimable
from quorate.frozen import dataclass
from quorate.numerics.distributions import t_quantile
from quorate.numerics.inference import checked_level
from quorate.numerics.regression import errors, held_out
from quorate.table.exchange.rows import Rows
from quorate.table.exchange.variables import Words, missing, variables
from quorate.table.files import ALL
from quorate.table.results import Result, Row
from quorate.wording import Brief, at_level, counted, percent

_DEGREES, _FEWEST, _MOST_WORDS, _FAR = range(1, 6), 20, 30, 2.5
Stage = str | Sequence[str]


@dataclass(frozen=True)
class Link(Brief):
    """One stage of a chain.

    Parameters
    ----------
    stage : str
        Its column, or columns.
    share, low, high : float
        Share of the variance of the last stage that this one adds, and its interval.
    se, df : float
        Standard error and degrees of freedom.
    variance : float
        The same in squared units of the last stage.
    so_far : float
        Share that this stage and those before it explain.
    degree : int
        Of the polynomial by which the last stage is predicted from it; 0 of the last.
    """

    stage: str
    share: float
    low: float
    high: float
    se: float
    df: float
    variance: float
    so_far: float
    degree: int


@dataclass(frozen=True)
class Chain(Result):
    """Where the variance of the last stage of a chain comes from.

    Parameters
    ----------
    links : tuple of Link
        In the order of the chain; shares add up to 1.
    variance : float
        Of the last stage.
    n : int
        Runs of the chain.
    cluster : str
        Column by which runs resemble each other; empty where they are independent.
    level : float
        Coverage of the intervals.
    caveats : tuple of Caveat
        What the reader must know.
    """

    links: tuple[Link, ...]
    variance: float
    n: int
    cluster: str
    level: float
    caveats: tuple[Caveat, ...]

    derived = ("sentence",)

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        most, last = max(self.links, key=lambda one: one.share), self.links[-1]
        also = "" if most is last else f"; {last.stage}, the last, adds {percent(max(last.share, 0.0))} of its own"
        return (
            f"Of the variance of {last.stage} over {counted(self.n, 'run')}, {percent(min(most.share, 1.0))} comes "
            f"from {most.stage} ({at_level(self.level)} interval {percent(most.low)} to {percent(most.high)}){also}."
        )

    def rows(self) -> list[Row]:
        """One row a stage."""
        return [dict(vars(one)) for one in self.links]


def chain(
    source: Any, stages: Sequence[Stage], *, cluster: str | None = None, level: float = 0.95, rows: Rows = ALL
) -> Chain:
    """Which agent of a chain the variance of the last one's scores comes from.

    An agent works on what the one before it made. The variance of the last score is what the last agent adds given its
    input, plus the variance of its mean given that input; and so on back to the first. The mean of the last score
    given each stage is a polynomial, fitted without the run that it predicts.

    Parameters
    ----------
    source : path, data frame or mapping
        One row for each run of the chain.
    stages : sequence of str, or of sequences of str
        Column of each stage in the order of the chain, numbers or words; several columns for a stage that says more.
        The last is one column of numbers.
    cluster : str, optional
        Column whose equal values mark runs that resemble each other, such as the item.
    level : float
        Coverage of the intervals.
    rows : Rows
        Which rows of a file.

    Returns
    -------
    Chain

    Raises
    ------
    UnknownColumn
        If a column is not there.
    InvalidInput
        If a stage has no value somewhere, or the last is not of numbers.
    NotEstimable
        If there are fewer than 20 runs or clusters, or the last stage does not vary.

    Notes
    -----
    Each stage is taken to tell all that came before and matters for the last (a Markov chain). Where it does not, an
    earlier stage predicts the last better than a later one, a share is below zero, and a caveat says so.

    References
    ----------
    Total Evaluation Error, arXiv:2604.11581, equation 14. ``docs/methods/agents.md``.

    Examples
    --------
    >>> import numpy as np
    >>> plan, code, test = np.random.default_rng(1).normal(size=(3, 2000))
    >>> written = plan + code
    >>> found = chain({"plan": plan, "written": written, "score": written + test}, ["plan", "written", "score"])
    >>> [round(one.share, 2) for one in found.links]
    [0.32, 0.35, 0.33]
    """
    checked_level(level)
    each = [(one,) if isinstance(one, str) else tuple(one) for one in stages]
    if len(each) < 2 or not all(each):
        raise InvalidInput(f"stages: two or more columns in the order of the chain are needed, got {len(each)}")
    named = [name for stage in each for name in stage]
    columns = variables(source, [*dict.fromkeys([*named, *([cluster] if cluster else [])])], rows=rows)
    for name, column in columns.items():
        if holes := missing(column):
            raise InvalidInput(
                f"stages: {name} has no value in {holes:,} of {len(column):,} rows; leave these runs out"
            )
    last = columns[each[-1][0]]
    if len(each[-1]) > 1 or last.dtype == object:
        raise InvalidInput(f"stages: the last is one column of numbers, got {' and '.join(each[-1])}")
    y = last.astype(np.float64)
    codes = np.arange(len(y))
    if cluster is not None:
        codes = np.unique([str(one) for one in columns[cluster].tolist()], return_inverse=True)[1].astype(np.int64)
    if (runs := len(np.unique(codes))) < _FEWEST:
        kind = "runs" if cluster is None else f"levels of {cluster}"
        raise NotEstimable(f"stages: {runs} {kind}, and at least {_FEWEST} are needed; run the chain more often")
    if np.ptp(y) == 0:
        raise NotEstimable(
            f"stages: {each[-1][0]}: all {len(y):,} values are {y[0]:g}, and there is no variance to explain"
        )
    left = [y - held_out(np.zeros((len(y), 0)), y, np.ones(len(y)), codes)]
    degrees = []
    for stage in each[:-1]:
        residual, degree = _predicted(y, stage, columns, codes)
        left.append(residual)
        degrees.append(degree)
    left.append(np.zeros(len(y)))
    return _wrap(y, [" and ".join(stage) for stage in each], np.array(left), [*degrees, 0], codes, cluster, level)


def _wrap(
    y: Floats,
    names: list[str],
    left: Floats,
    degrees: list[int],
    codes: NDArray[np.int64],
    cluster: str | None,
    level: float,
) -> Chain:
    """Shares by the errors that are left when the last stage is predicted from each."""
    squares = left**2
    total = float(squares[0].mean())
    variance = float(np.var(y, ddof=1))
    # what a prediction of so many terms is off by, squared, which counts where there is little to predict
    runs, remaining = len(np.unique(codes)), squares.mean(axis=1) / total
    fitted = 2 * np.array([0, *degrees]) / runs**2 * remaining**2
    links, so_far, broken = [], 0.0, []
    for place, (name, degree) in enumerate(zip(names, degrees, strict=True)):
        gain = squares[place] - squares[place + 1]
        share = float(gain.mean()) / total
        influence = (gain - share * squares[0]) / (total * len(y))
        error = errors(influence[:, None], [codes])
        se = float(np.sqrt(error.se[0] ** 2 + fitted[place] + fitted[place + 1]))
        df = float(error.df[0])
        so_far += share
        low, high = _angular(share, t_quantile(df, (1 + level) / 2), se)
        links.append(Link(name, share, low, high, se, df, share * variance, so_far, degree))
        if share < -_FAR * se and share < 0:
            broken.append(name)
    said = (no_chain(broken[0], names[names.index(broken[0]) - 1]),) if broken else ()
    return Chain(tuple(links), variance, len(y), cluster or "", level, said)


def _angular(share: float, quantile: float, se: float) -> tuple[float, float]:
    """Interval of a share on the scale of its angle, on which its spread depends little on how large it is."""
    at = float(np.clip(share, se / 2, max(1 - se / 2, se / 2)))
    half = quantile * se / (2 * float(np.sqrt(at * max(1 - at, se / 2))))
    angle = float(np.arcsin(np.sqrt(np.clip(share, 0.0, 1.0))))
    low, high = (float(np.sin(np.clip(one, 0.0, np.pi / 2)) ** 2) for one in (angle - half, angle + half))
    return low, high


def _predicted(
    y: Floats, stage: tuple[str, ...], columns: dict[str, Floats | Words], codes: NDArray[np.int64]
) -> tuple[Floats, int]:
    """What is left of the last stage when it is predicted from another, by the degree that leaves least, and that."""
    weight, best = np.ones(len(y)), None
    for degree in _DEGREES:
        basis = _basis([(name, columns[name]) for name in stage], degree)
        residual = y - held_out(basis, y, weight, codes)
        if best is None or (residual**2).mean() < (best[0] ** 2).mean():
            best = residual, degree
    assert best is not None  # noqa: S101  (there are degrees)
    return best


def _basis(columns: Sequence[tuple[str, Floats | Words]], degree: int) -> Floats:
    """Powers of numbers up to a degree, products of two of them from degree 2 on, and indicators of words."""
    numbers, out = [], []
    for name, column in columns:
        if column.dtype == object:
            levels = sorted({str(one) for one in column.tolist()})
            if len(levels) > _MOST_WORDS:
                raise InvalidInput(
                    f"stages: {name} has {len(levels)} different words, at most {_MOST_WORDS}; group them"
                )
            out += [(column == level).astype(np.float64) for level in levels[1:]]
            continue
        values = column.astype(np.float64)
        spread = float(values.std())
        numbers.append((values - values.mean()) / (spread if spread > 0 else 1.0))
    for values in numbers:
        out += list(np.polynomial.hermite_e.hermevander(np.clip(values, -5, 5), degree).T[1:])
    if degree > 1:
        out += [one * other for one, other in combinations(numbers, 2)]
    return np.column_stack(out) if out else np.zeros((len(columns[0][1]), 0))
