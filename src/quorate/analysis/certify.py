"""Certificates: what intervals made as an answer's was do in studies drawn like its own.

certify       the studies, and the same analysis of each (`quorate.certify`)
latent_law    scores cut from a normal law, with the margins and covariances of a fit
certificate   coverage, width, size and power as a result
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from quorate import rules
from quorate.analysis.judgments import Analysis
from quorate.arrays import Floats, Ints
from quorate.decide.scores import ScoreVerdict
from quorate.errors import InvalidInput, NotEstimable, QuorateError
from quorate.estimate.components.decompose import decompose
from quorate.estimate.components.model import CELL
from quorate.estimate.differences.methods import joint_means
from quorate.estimate.means.intervals import score_ends, term_facets
from quorate.estimate.means.mean import Estimate, by_reach, draw_of, mean_for, plain_mean
from quorate.estimate.means.reach import is_complete, is_setup
from quorate.estimate.means.targets import POPULATION, Target, scope
from quorate.estimate.ratings.leaderboard import Leaderboard
from quorate.estimate.ratings.pair_errors import MOST_SYSTEMS, Compared, PairErrors, pair_errors
from quorate.frozen import dataclass
from quorate.numerics.distributions import normal_cdf, normal_quantile
from quorate.numerics.inference import wilson_limits
from quorate.numerics.reach import KAPPA
from quorate.numerics.study_power import half_widths
from quorate.roles import REPLICATE
from quorate.streams import stream
from quorate.table.judgments import Judgments
from quorate.table.results import Result, Row
from quorate.waiting import each
from quorate.wording import Brief, counted
from quorate.workers import Jobs, checked_jobs, spread

# Certificate: coverage, width, size and power of intervals, measured in studies that were drawn.


@dataclass(frozen=True)
class Certified(Brief):
    """What one kind of interval did.

    Parameters
    ----------
    scope : str
        Whom it speaks for.
    coverage, coverage_error : float
        Share of intervals that held the truth, with its Monte Carlo standard error; of a board, all pairs at once.
    width, width_error : float
        Median width in units of that of an interval that knows the standard error, ``2 z sd(estimate - truth)``.
    told_apart, told_apart_error : float or None
        Share of studies whose interval leaves out 0: the power of the test, if the truth is what this study found; of a
        board, the share of pairs.
    studies, refused : int
        Studies drawn, and those among them that gave no interval, such as those whose scores are all equal.
    """

    scope: str
    coverage: float
    coverage_error: float
    width: float
    width_error: float
    told_apart: float | None
    told_apart_error: float | None
    studies: int
    refused: int

    @property
    def size(self) -> float | None:
        """Share of studies that would find a difference where there is none: the law moved to a difference of 0."""
        return None if self.told_apart is None else 1 - self.coverage


@dataclass(frozen=True)
class Certificate(Result):
    """What intervals made as an answer's was do in studies drawn like its own.

    Parameters
    ----------
    subject : str
        What was answered: "mean", "difference" or "board".
    level : float
        Coverage that the intervals claim.
    found : tuple of Certified
        For this study's setup, and for others like it where the answer speaks for these.
    seed : int
        Of the draws.
    """

    subject: str
    level: float
    found: tuple[Certified, ...]
    seed: int

    derived = ("sentence",)

    @property
    def sentence(self) -> str:
        """Coverage and width of every reading."""
        return " ".join(self._said(one) for one in self.found)

    def _said(self, one: Certified) -> str:
        whom = f" {one.scope}" if one.scope else ""
        what = "all pairs at once" if self.subject == "board" else "the truth"
        said = (
            f"Intervals made this way{whom} covered {what} in {100 * one.coverage:.1f} +- "
            f"{100 * one.coverage_error:.1f}% of {counted(one.studies - one.refused, 'study')} drawn like yours. "
            f"They are {one.width:.2f} +- {one.width_error:.2f} times as wide as if the standard error were known"
        )
        if self.subject == "difference" and one.told_apart is not None:
            said += (
                f". Of studies of a difference as found {100 * one.told_apart:.0f}% would find one, of none "
                f"{100 * (1 - one.coverage):.1f}%"
            )
        refused = f"; {one.refused} gave no interval" if one.refused else ""
        return said + refused + "."

    def rows(self) -> list[Row]:
        """One row for every reading."""
        return [dict(vars(one)) | {"size": one.size} for one in self.found]


def summary(
    limits: Floats, truth: float, level: float, whom: str, n: int, finds: NDArray[np.bool_] | None
) -> Certified:
    """Coverage, width and power of intervals: rows of value, low and high."""
    if len(limits) < 2:
        raise NotEstimable("certify: nearly no study that was drawn could be analysed; its scores hardly vary")
    value, low, high = limits.T
    covers = float(np.mean((low <= truth) & (truth <= high)))
    error = value - truth
    sd = float(np.sqrt(np.mean((error - error.mean()) ** 2)))
    oracle = 2 * normal_quantile((1 + level) / 2) * sd
    m = len(limits)
    median = float(np.median(high - low))
    kurtosis = float(np.mean((error - error.mean()) ** 4)) / sd**4 if sd > 0 else 3.0
    off = math.sqrt((kurtosis - 1) / 4 / m + math.pi / 2 * float(np.var(high - low)) / median**2 / m) if median else 0.0
    width = median / oracle if oracle else math.nan
    power = None if finds is None else float(np.mean(finds))
    spread = None if power is None else math.sqrt(power * (1 - power) / m)
    return Certified(whom, covers, math.sqrt(covers * (1 - covers) / m), width, width * off, power, spread, n, n - m)


# Latent law: scores cut from a normal variable, with the shares of marks and the covariances of a fit.


_TERMS = 60
"""Terms of Hermite's series of a covariance."""


@dataclass(frozen=True)
class LatentLaw:
    """Scores ``Q(z)`` with z a sum of normal effects, and Q what gives the marks that were seen their shares.

    Parameters
    ----------
    table : Judgments
        The design.
    margin : array of int, shape (cells,)
        Place of each cell among the margins: levels that stand for themselves keep their own.
    cuts : tuple of (array, array)
        Of every margin the marks, and where in z each but the first begins.
    parts : mapping of tuple of str to float
        Variance of the effects of each combination of facets; they add up to 1 with that of single cells.
    """

    table: Judgments
    margin: Ints
    cuts: tuple[tuple[Floats, Floats], ...]
    parts: dict[tuple[str, ...], float]

    @classmethod
    def fitted(cls, answer: Estimate) -> LatentLaw:
        """The law with the margins of the table and the covariances that a fit found."""
        fit = answer.basis.fit
        table, item = fit.judgments, fit.judgments.object
        own = [name for name in table.names if answer.target[name] != POPULATION and name != item]
        margin = table.level_codes(own)
        cuts = tuple(_cuts(table.mean[margin == k]) for k in range(int(margin.max()) + 1))
        found: dict[tuple[str, ...], float] = {}
        for name, theta in zip(fit.assembled.names, fit.theta, strict=True):
            single = name.partition("[")[0] in (CELL, REPLICATE)
            facets = tuple(sorted(table.names if single else set(term_facets(fit, name)) - set(own)))
            times = float(np.mean(table.n)) if name.partition("[")[0] == REPLICATE else 1.0
            found[facets] = found.get(facets, 0.0) + max(float(theta), 0.0) * fit.assembled.scale**2 / times
        for name in fit.assembled.fixed.levels:
            if answer.target.get(name) == POPULATION and table.n_levels(name) > 1:
                drawn = draw_of(fit, name, POPULATION)
                noise = float(drawn.noise @ np.maximum(fit.theta, 0.0)) * fit.assembled.scale**2
                found[(name,)] = found.get((name,), 0.0) + max(drawn.square - noise, 0.0)
        found.pop((), None)
        return cls(table, margin, cuts, _latent(found, cuts, np.bincount(margin)))

    @property
    def drawn(self) -> tuple[Draw, float]:
        """How studies are drawn, and their truth."""
        return self.draw, self.truth

    @property
    def truth(self) -> float:
        """What scores are on average over all that is drawn."""
        from scipy.special import ndtr

        means = [marks[0] + float(np.diff(marks) @ ndtr(-cut)) for marks, cut in self.cuts]
        # Margins of a stratum weigh alike, however many gaps they have; strata as their items do.
        table, margins = self.table, len(means)
        stratum = table.level_codes(list(table.ancestors(table.object)))
        of_item = np.unique(stratum * table.n_cells + table.level_codes([table.object])) // table.n_cells
        of_margin = np.zeros(margins, np.int64)
        of_margin[self.margin] = stratum
        return float(np.average(means, weights=(np.bincount(of_item) / np.bincount(of_margin))[of_margin]))

    def draw(self, n: int, rng: np.random.Generator) -> tuple[None, Floats]:
        """Scores of studies of this design, shape (studies, cells)."""
        z = rng.standard_normal((n, self.table.n_cells)) * max(1 - sum(self.parts.values()), 0.0) ** 0.5
        for facets, variance in self.parts.items():
            if variance > 0:
                code = self.table.level_codes(facets)
                z += (variance**0.5 * rng.standard_normal((n, int(code.max()) + 1))).take(code, axis=1)
        for k, (marks, cut) in enumerate(self.cuts):
            own = self.margin == k
            z[:, own] = marks[np.searchsorted(cut, z[:, own])]
        return None, z


def _cuts(scores: Floats) -> tuple[Floats, Floats]:
    from scipy.special import ndtri

    marks, times = np.unique(scores, return_counts=True)
    return marks, ndtri(np.cumsum(times)[:-1] / times.sum())


def _latent(
    found: dict[tuple[str, ...], float], cuts: tuple[tuple[Floats, Floats], ...], weight: Ints
) -> dict[tuple[str, ...], float]:
    """Variances in z that give scores these: what two cells share by what covariance that brings."""
    grid = np.linspace(0.0, 1.0, 2001)
    brings = _covariance(grid, cuts, weight)
    total = sum(found.values())
    parts: dict[tuple[str, ...], float] = {}
    for facets in sorted(found, key=len):
        inside = sum(part for other, part in found.items() if set(other) <= set(facets))
        known = sum(part for other, part in parts.items() if set(other) < set(facets))
        shared = float(np.interp(inside / total * brings[-1], brings, grid)) if total > 0 else 0.0
        parts[facets] = max(shared - known, 0.0)
    whole = sum(parts.values())
    return {facets: part / max(whole, 1.0) for facets, part in parts.items()}


def _covariance(r: Floats, cuts: tuple[tuple[Floats, Floats], ...], weight: Ints) -> Floats:
    """Covariance of scores of two cells whose z correlate by r, on average over margins; by Hermite polynomials."""
    squares, variance = np.zeros(_TERMS), 0.0
    for (marks, cut), own in zip(cuts, weight / weight.sum(), strict=True):
        step, density = np.diff(marks), np.exp(-(cut**2) / 2) / np.sqrt(2 * np.pi)
        before, polynomial = np.zeros_like(cut), np.ones_like(cut)
        for k in range(1, _TERMS + 1):
            squares[k - 1] += own * float(step @ (density * polynomial)) ** 2 / k
            before, polynomial = polynomial, (cut * polynomial - np.sqrt(k - 1) * before) / np.sqrt(k)
        variance += own * _variance(marks, cut)
    series = (r[:, None] ** np.arange(1, _TERMS + 1)) @ squares
    return np.asarray(series + max(variance - squares.sum(), 0.0) * r ** (_TERMS + 1))


def _variance(marks: Floats, cut: Floats) -> float:
    from scipy.special import ndtr

    share = np.diff(np.concatenate([[0.0], ndtr(cut), [1.0]]))
    return float(share @ marks**2 - (share @ marks) ** 2)


# Certificates: what intervals made as an answer's was do in studies drawn like its own.


_MOST_STUDIES = 1_000_000
_ENTRIES = 2**20
"""Scores that are drawn at a time."""
_BATCH = 10
"""Studies of a board that are sent to a worker at a time: the board, of megabytes, is sent with them."""


def certify(
    answer: Analysis | ScoreVerdict | Leaderboard, n: int | None = None, *, seed: int = 1, jobs: Jobs = 1
) -> Certificate:
    """How often intervals made this way hold the truth, and how wide they are, in studies drawn like yours.

    Parameters
    ----------
    answer : Analysis, ScoreVerdict or Leaderboard
        Of scores: what `quorate.analyze`, `quorate.compare` and `quorate.rank` return.
    n : int, optional
        Studies to draw. Default: 2,000, and 100 of a board with gaps, where every study is fitted anew.
    seed : int
        Of the draws.
    jobs : int or str
        Workers of a board, as for `quorate.reproduce`; the numbers are the same for any.

    Returns
    -------
    Certificate

    Raises
    ------
    InvalidInput
        If the answer is another, or ``n`` is no whole number from 20 to a million.
    NotEstimable
        If the comparison is not by pairs, the items are drawn in groups, or a board is not for this study's setup.

    Notes
    -----
    For this study's setup items are drawn anew from those at hand, with all of their scores, within strata. For others
    like it judges, prompts and the like are drawn as well: scores are cut from a normal law with the shares of marks
    that were seen and the covariances that were fitted. So they are for the setup where a table has gaps, which stay
    where they are. See ``docs/methods/intervals.md``.

    Examples
    --------
    >>> import quorate as q
    >>> from quorate.simulate import write_demo
    >>> found = certify(q.analyze(q.read(write_demo("scores.csv"), announce=False)), 20)
    >>> 0.7 <= found.found[0].coverage <= 1
    True
    """
    if n is not None:
        rules.whole("n", n, 20, _MOST_STUDIES)
    if isinstance(answer, Leaderboard):
        return Certificate("board", answer.level, (_board(answer, n, seed, checked_jobs(jobs)),), seed)
    if isinstance(answer, Analysis):
        subject, setup, others, asked = "mean", answer.setup, answer.others, answer.targets
    elif isinstance(answer, ScoreVerdict):
        gap = answer.difference
        if gap.method != "paired":
            raise NotEstimable("certify: the difference is of one model for both; compare by shared cells for it")
        subject, setup, asked = "difference", gap.estimate, gap.asked
        others = None if gap.others is None else gap.others.estimate
    else:
        given = type(answer).__name__
        raise InvalidInput(f"answer: expects what analyze, compare or rank say of scores that vary, got {given}")
    table = setup.basis.fit.judgments
    groups = [name for name in table.ancestors(table.object) if setup.target[name] == POPULATION]
    if setup.target[table.object] != POPULATION or groups:
        how = f"drawn by {groups[0]}" if groups else "not drawn"
        raise NotEstimable(f"certify: items that are drawn one by one are needed, and each {table.object} is {how}")
    kind, found = _Kind(table, subject == "mean", answer.level, asked), []
    for one in (setup, others):
        if one is not None:
            again = one.of_setup and is_complete(table)
            draw, truth = (Redrawn(table).draw, one.value) if again else LatentLaw.fitted(one).drawn
            found.append(kind.certified(one, draw, truth, n or 2000, seed))
    return Certificate(subject, answer.level, tuple(found), seed)


Draw = Callable[[int, np.random.Generator], tuple[Ints | None, Floats]]
"""Places of the cells whose items are drawn, shape (studies, cells), None of those at hand; and scores of cells."""


@dataclass(frozen=True)
class _Kind:
    """What is answered of a table, and how that is analysed anew."""

    table: Judgments
    is_mean: bool
    level: float
    asked: Mapping[str, Target]

    def certified(self, answer: Estimate, draw: Draw, truth: float, n: int, seed: int) -> Certified:
        rng = stream(seed, "certify")
        limits = self._at_once(answer, draw, n, rng)
        power = None if self.is_mean else (limits[:, 1] > 0) | (limits[:, 2] < 0)
        return summary(limits, truth, self.level, scope(self.table, answer.target, self.table.object), n, power)

    def _at_once(self, answer: Estimate, draw: Draw, n: int, rng: np.random.Generator) -> Floats:
        """Value, low and high of every study; of tables with gaps at the components of the one at hand."""
        upper, out = (1 + self.level) / 2, []
        ends = score_ends(self.table) if self.is_mean else None
        for size in _parts(n, self.table.n_cells):
            _, scores = draw(size, rng)  # with every item alike it is the scores alone that count
            complete = is_complete(self.table)
            found = errors_of_complete(scores, self.table, answer.target) if complete else answer.of_studies(scores)
            value, variance, df, drawn = found
            half = half_widths(upper, variance, df, drawn)
            low, high = value - half, value + half
            if ends is not None:
                low, high = wilson_limits(value, half, self.table.n_answers, ends)
            out.append(np.column_stack([value, low, high])[variance > 1e-20])
        return np.concatenate(out)

    def again(self, table: Judgments, answer: Estimate) -> Estimate:
        """The answer of another table of this kind."""
        fit = decompose(table)
        return mean_for(fit, answer.target) if self.is_mean else by_reach(plain_mean(fit, answer.target))


def _parts(n: int, cells: int) -> Iterator[int]:
    most = max(1, _ENTRIES // cells)
    yield from (min(most, n - done) for done in range(0, n, most))


def _table(table: Judgments, places: Ints | None, scores: Floats) -> Judgments:
    """The table with other scores, and with other items where these were drawn."""
    if places is None:
        return replace(table, mean=scores, status={}, distinct=None, origin=None)
    at = table.names.index(table.object)
    arrays = {name: getattr(table, name)[places] for name in ("n", "ss", "low", "high")}
    item = table.level_codes([table.object])
    first = np.unique(item, return_index=True)[1]
    starts = places == first[item[places]]  # an item that is drawn has its cells in their order
    codes = table.codes[places].copy()
    codes[:, at] = np.cumsum(starts) - 1
    labels = tuple(map(str, range(int(starts.sum()))))
    facets = tuple(replace(one, levels=labels, values=None) if k == at else one for k, one in enumerate(table.facets))
    new = replace(table, facets=facets, codes=codes, mean=scores, status={}, distinct=None, origin=None, **arrays)
    return new.keep(new.n > 0)


@dataclass(frozen=True)
class Redrawn:
    """Items drawn anew, within strata, with all of their scores."""

    table: Judgments

    def items(self, rng: np.random.Generator) -> Ints:
        """Those of one study."""
        out = np.arange(len(self._cells))
        for h in range(int(self._stratum.max()) + 1):
            own = np.flatnonzero(self._stratum == h)
            out[own] = rng.choice(own, len(own))
        return out

    def places(self, items: Ints) -> Ints:
        """Places of the cells of a study with these items."""
        if self._aligned is None:
            return np.concatenate([self._cells[i] for i in items])
        out = np.empty(self.table.n_cells, dtype=np.int64)
        out[self._aligned.ravel()] = self._aligned[items].ravel()
        return out

    def draw(self, size: int, rng: np.random.Generator) -> tuple[Ints, Floats]:
        """Places and scores of many studies of a complete table."""
        places = np.array([self.places(self.items(rng)) for _ in range(size)])
        return places, self.table.mean[places]

    @cached_property
    def _cells(self) -> list[Ints]:
        item = self.table.level_codes([self.table.object])
        order = np.argsort(item, kind="stable")
        return np.split(order, np.flatnonzero(np.diff(item[order])) + 1)

    @cached_property
    def _stratum(self) -> Ints:
        strata = self.table.level_codes(list(self.table.ancestors(self.table.object)))
        return np.array([strata[own[0]] for own in self._cells])

    @cached_property
    def _aligned(self) -> Ints | None:
        """Items x rest, every item with its cells in one order."""
        return _aligned(self.table) if is_complete(self.table) else None


def _aligned(table: Judgments) -> Ints:
    """Places of the cells of a complete table, shape (items, cells of an item)."""
    item = table.level_codes([table.object])
    rest = table.level_codes([name for name in table.names if is_setup(table, name)])
    return np.lexsort((rest, item)).reshape(int(item.max()) + 1, -1)


def errors_of_complete(
    scores: Floats, table: Judgments, target: Mapping[str, Target]
) -> tuple[Floats, Floats, Floats, tuple[tuple[Floats, float], ...]]:
    """Means of many studies of a complete table, and what `quorate.numerics.reach.Reach` rests on.

    Parameters
    ----------
    scores : array, shape (studies, cells)
        In the order of the table.
    table : Judgments
        Complete.
    target : mapping of str to str
        What facets stand for.

    Returns
    -------
    value, variance, df : array, shape (studies,)
        Means, their variances over items, and degrees of freedom.
    drawn : tuple of (array, float)
        What every drawn facet adds, and its degrees of freedom.
    """
    aligned = _aligned(table)
    names = [name for name in table.names if is_setup(table, name)]
    stratum = table.level_codes(list(table.ancestors(table.object)))[aligned[:, 0]]
    cube = scores[:, aligned]
    mean = cube.mean(axis=2)
    variance, df = _over_items(mean[:, :, None], stratum)
    drawn = []
    for name in names:
        if target[name] != POPULATION:
            continue
        code, levels = table.level_codes([name])[aligned[0]], table.n_levels(name)
        own = np.stack([cube[:, :, code == level].mean(axis=2) for level in range(levels)], axis=2)
        square = own.mean(axis=1).var(axis=1, ddof=1) / levels
        noise = _over_items(own - own.mean(axis=2, keepdims=True), 0 * stratum)[0] / (levels - 1) / levels
        drawn.append((np.maximum(square - KAPPA * noise, 0.0), levels - 1.0))
    return mean.mean(axis=1), variance, df, tuple(drawn)


def _over_items(brought: Floats, stratum: Ints) -> tuple[Floats, Floats]:
    """Variance over items of the mean of each study, summed over the last axis, and Welch's degrees of freedom."""
    parts, seen, n = [], 0, brought.shape[1]
    for h in range(int(stratum.max()) + 1):
        own = brought[:, stratum == h]
        m = own.shape[1]
        if m > 1:
            parts.append((m * own.var(axis=1, ddof=1).sum(axis=1) / n**2, m - 1))
            seen += m
    total = sum((part for part, _ in parts), np.zeros(len(brought)))
    spent = sum((part**2 / free for part, free in parts), np.zeros(len(brought)))
    df = np.divide(total**2, spent, out=np.full(len(brought), float(max(seen - len(parts), 1))), where=spent > 0)
    return total * n / max(seen, 1), df


def _board(board: Leaderboard, n: int | None, seed: int, jobs: Jobs) -> Certified:
    """All pairs of a board at once, with the point of the largest of all statistics that the board has."""
    table, targets = board.judgments.keep(board.judgments.n > 0), board.targets
    others = [name for name in table.names if is_setup(table, name) and targets.get(name) == POPULATION]
    if others or any(targets[name] == POPULATION for name in table.ancestors(table.object)):
        raise NotEstimable("certify: a board is drawn again for this study's setup, by items; leave out the targets")
    k, rng = len(board), stream(seed, "certify")
    rows, columns = np.triu_indices(k, 1)
    n = n or (2000 if is_complete(table) else 100)
    redrawn = Redrawn(table)
    studies = [redrawn.items(rng) for _ in range(n)]
    pairs: list[tuple[Floats, Floats] | None] = [None] * n
    size = 1 if jobs == 1 else _BATCH
    batches = [studies[start : start + size] for start in range(0, n, size)]
    spread_out = spread(partial(_pairs_again, board, redrawn), batches, jobs)
    found = ((size * place + k, one) for place, batch in spread_out for k, one in enumerate(batch))
    for _, (place, one) in zip(each("simulated studies", studies), found, strict=True):
        pairs[place] = one
    drawn = [one for one in pairs if one is not None]
    if len(drawn) < 2:
        raise NotEstimable("certify: no study that was drawn could be analysed")
    values, widths = (np.array(part) for part in zip(*drawn, strict=True))
    covers = np.all(np.abs(values - board.pairs.value[rows, columns]) <= widths + 1e-12, axis=1)
    told = (np.abs(values) > widths).mean(axis=1)
    sd = np.maximum(values.std(axis=0), 1e-300)
    ratio = float(np.median(np.median(widths, axis=0) / (board.ranks.normal * sd)))
    coverage, m = float(covers.mean()), len(drawn)
    return Certified(
        board.scope,
        coverage,
        math.sqrt(coverage * (1 - coverage) / m),
        ratio,
        ratio / math.sqrt(2 * m),
        float(told.mean()),
        float(told.std() / math.sqrt(m)),
        n,
        n - m,
    )


def _pairs_again(board: Leaderboard, redrawn: Redrawn, batch: list[Ints]) -> list[tuple[Floats, Floats] | None]:
    """Differences and half widths of all pairs in studies with these items; None of one that cannot be analysed."""
    pairs, point = np.triu_indices(len(board), 1), normal_cdf(board.ranks.normal)
    again = [_again(board, redrawn, items) for items in batch]
    return [None if one is None else (one.value[pairs], one.half_width(point)[pairs]) for one in again]


def _again(board: Leaderboard, redrawn: Redrawn, items: Ints) -> PairErrors | None:
    places = redrawn.places(items)
    try:
        table = _table(redrawn.table, places, redrawn.table.mean[places])
        joint = board.joint
        if joint.chosen or (len(board) > MOST_SYSTEMS and not is_complete(table)):  # whose pairs are of one model
            joint = joint_means(table, facet=joint.facet, targets=board.asked, **board.model)
        return pair_errors(Compared(joint, table), board.systems, board.targets)
    except QuorateError:
        return None
