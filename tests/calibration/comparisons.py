"""Error rates and power of comparisons of scores, simulated and replayed on scores that exist."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.differences.difference import Method, SystemDifference, difference
from quorate.estimate.differences.methods import two_systems
from quorate.estimate.means.targets import Pool, Target
from quorate.numerics.distributions import t_cdf
from quorate.planning.power.sample_size import check_count, check_range
from quorate.streams import stream
from quorate.table.facets import OK, Facet
from quorate.table.judgments import Judgments, checked
from quorate.waiting import each

FACETS = ("item", "judge", "prompt")
SYSTEMS = ("a", "b")
SHARED = {"item": 0.6, "judge": 0.4, "prompt": 0.2, "item:judge": 0.3, "item:prompt": 0.15, "judge:prompt": 0.1}
"""Standard deviations of what both systems share: it cancels in their difference."""
OWN = {"item": 0.3, "judge": 0.15, "prompt": 0.1, "item:judge": 0.3, "item:prompt": 0.15, "judge:prompt": 0.05}
"""Standard deviations of what either system has of its own."""


@dataclass(frozen=True)
class Pair:
    """Two systems judged alike, with known components.

    Parameters
    ----------
    items, judges, prompts, replicates : int
        Levels; a facet with one level has no effect of its own, for the comparison is then about this level.
    shared, own : mapping of str to float
        Standard deviations of what the systems share, and of what either has of its own, by term.
    cell, replicate : float
        Standard deviations of a cell's own effect, and of an answer about it.
    difference : float
        True mean of the first less that of the second.
    missing : float
        Share of cells without an answer, at random.
    nested : bool
        Whether either system has items of its own.
    fewer : float
        Of items of its own, the part that the second system has.
    noisier : float
        Of items of its own, their standard deviations in the second system over those in the first.
    hidden : float
        Share of the cells of which the second system has no answer, those in which the first scores lowest.
    """

    items: int
    judges: int = 5
    prompts: int = 3
    replicates: int = 1
    shared: Mapping[str, float] = field(default_factory=lambda: SHARED)
    own: Mapping[str, float] = field(default_factory=lambda: OWN)
    cell: float = 0.3
    replicate: float = 0.4
    difference: float = 0.0
    missing: float = 0.0
    nested: bool = False
    fewer: float = 1.0
    noisier: float = 1.0
    hidden: float = 0.0

    @property
    def sizes(self) -> tuple[int, int, int]:
        """Levels of items, judges and prompts."""
        return self.items, self.judges, self.prompts


@dataclass(frozen=True)
class ComparisonRates:
    """What comparisons of redrawn studies say; shares of studies.

    Parameters
    ----------
    studies : int
        Studies redrawn.
    found : float
        Better or worse at the level, by the test that verdicts are made with.
    naive : float
        The same by the paired t test over items, which takes judges and prompts as given; nan where there are no pairs.
    equivalent : float
        Equivalent within the margin; nan without one.
    missed : float
        Intervals that miss the true difference.
    off : float
        Root mean square of what the estimates are off by.
    df : float
        Median degrees of freedom.
    refused : int
        Studies that could not be analysed; not among the others.
    gaps : array, shape (studies, 2)
        Every estimate and half its interval.
    """

    studies: int
    found: float
    naive: float
    equivalent: float
    missed: float
    off: float
    df: float
    refused: int
    gaps: Floats = field(repr=False, compare=False)

    def found_if(self, better: float) -> float:
        """Share that were told apart if the first system were better by so much more, and all else as it is."""
        value, half = self.gaps.T
        return float(np.mean(np.abs(value + better) > half))


def simulate_comparisons(
    pair: Pair,
    *,
    studies: int = 1000,
    level: float = 0.95,
    margin: float | None = None,
    method: Method | None = None,
    seed: int = 1,
) -> ComparisonRates:
    """How often two systems with known components are told apart.

    Parameters
    ----------
    pair : Pair
        The systems and the design.
    studies : int
        Studies to draw.
    level : float
        Coverage of intervals; tests are at ``1 - level``.
    margin : float, optional
        Margin of equivalence.
    method : {"paired", "joint"}, optional
        As for `quorate.estimate.differences.difference.difference`.
    seed : int
        Root of the random numbers.

    Raises
    ------
    InvalidInput
        If an argument is out of range.

    Examples
    --------
    >>> simulate_comparisons(Pair(30, judges=3, difference=5.0), studies=5).found
    1.0
    """
    check_count("studies", studies)
    rng = stream(seed, f"comparisons/{pair.sizes}")
    return _rates(lambda: draw_pair(pair, rng), pair.difference, studies, level, margin, method)


def replay_comparisons(
    judgments: Judgments,
    a: str,
    b: str,
    *,
    facet: str = "system",
    drawn: str = "judge",
    answer: str = "answer",
    items: int = 100,
    levels: int = 5,
    whole_pool: bool = False,
    normal: bool = False,
    studies: int = 1000,
    level: float = 0.95,
    seed: int = 1,
) -> ComparisonRates:
    """How often two systems are told apart that do not differ, in studies redrawn from judgments that exist.

    The scores of the first system are shifted until the systems have the same mean over all items and all levels of
    ``drawn``; that is the truth. Studies draw items with replacement, levels as said, and for each combination one of
    its answers, the same for no two of its draws as far as there are answers.

    Parameters
    ----------
    judgments : Judgments
        From `quorate.read`, with items, systems, ``drawn`` and ``answer`` as facets.
    a, b : str
        The two systems.
    facet : str
        Role of the systems.
    drawn : str
        Role of what is redrawn beside the items.
    answer : str
        Role of what tells repeated answers apart.
    items, levels : int
        Of each study.
    whole_pool : bool
        Whether levels are drawn without replacement, and the test is told how many there are: `quorate.pool`. Otherwise
        they are drawn with replacement, as from a population in which each of them is equally common.
    normal : bool
        Whether by how far each level that is drawn favours the first system on average is drawn anew, from a normal law
        with the variance of the levels at hand. All else stays as it is in the scores.
    studies, level, seed
        As for `simulate_comparisons`.

    Raises
    ------
    InvalidInput
        If an argument is out of range.
    UnknownTerm
        If a facet or system is not there.
    NotEstimable
        If no item was judged at every level for both systems.
    """
    for name, count in (("items", items), ("levels", levels), ("studies", studies)):
        check_count(name, count)
    pool = _pool(checked(judgments), (a, b), facet, drawn, answer)
    rng = stream(seed, f"replay/{drawn}/{items}/{levels}")
    known = pool.answers.shape[2]
    if whole_pool and levels > known:
        raise InvalidInput(f"levels: {known} of {drawn} are in the pool, got {levels}; draw with replacement")
    if whole_pool and normal:
        raise InvalidInput(f"normal: a pool has the {drawn}s that it has, got whole_pool too; choose one")
    targets: dict[str, Target] = {drawn: Pool(known)} if whole_pool else {}
    spread = float(np.sqrt(np.mean(pool.favour**2)))

    def study() -> Judgments:
        chosen = rng.choice(known, size=levels, replace=not whole_pool)
        moved = rng.normal(0, spread, levels) - pool.favour[chosen] if normal else np.zeros(levels)
        return pool.redrawn(rng.integers(pool.answers.shape[1], size=items), chosen, moved, drawn, rng)

    return _rates(study, 0.0, studies, level, None, "paired", targets)


def draw_pair(pair: Pair, rng: np.random.Generator) -> Judgments:
    """One study of two systems with known components."""
    shared = _effects(pair, pair.shared, rng)
    first = _system(pair, shared, rng) + pair.difference
    if pair.nested:  # the second system has items of its own
        again = _effects(pair, pair.shared, rng)
        shared = {term: again[term] * pair.noisier if "item" in term else x for term, x in shared.items()}
    score = np.stack([first, _system(pair, shared, rng)])
    table = _table(score, ("system", *FACETS), nested=pair.nested)
    noise = rng.normal(0, pair.replicate / np.sqrt(pair.replicates), table.n_cells)
    spread = pair.replicate**2 * rng.chisquare(max(pair.replicates - 1, 1), table.n_cells)
    n = np.full(table.n_cells, pair.replicates)
    ss = spread if pair.replicates > 1 else np.zeros(table.n_cells)
    mean = table.mean + noise
    table = replace(table, n=n, mean=mean, low=mean, high=mean, ss=ss, status={OK: n})
    kept = (table.column("system") == 0) | (table.column("item") < round(pair.fewer * pair.items))
    if pair.hidden:
        lowest = mean[: score[0].size] < np.quantile(mean[: score[0].size], pair.hidden)
        kept &= ~np.append(np.zeros_like(lowest), lowest)
    if pair.missing:
        kept &= rng.random(table.n_cells) >= pair.missing
    return table if kept.all() else table.keep(kept)


def _effects(pair: Pair, sd: Mapping[str, float], rng: np.random.Generator) -> dict[str, Floats]:
    """Effects of every term, ready to be added; none of what has one level."""
    effects = {}
    for term, spread in sd.items():
        shape = [n if name in term.split(":") else 1 for name, n in zip(FACETS, pair.sizes, strict=True)]
        effects[term] = rng.normal(0, spread if max(shape) > 1 else 0.0, shape)
    return effects


def _system(pair: Pair, shared: dict[str, Floats], rng: np.random.Generator) -> Floats:
    effects = [*shared.values(), *_effects(pair, pair.own, rng).values()]
    return np.asarray(sum(effects, rng.normal(0, pair.cell, pair.sizes)))


def _table(score: Floats, names: Sequence[str], *, nested: bool = False) -> Judgments:
    """Judgments, one answer each, from an array with an axis for every facet."""
    codes = np.column_stack([c.ravel() for c in np.indices(score.shape)]).astype(np.int32)
    facets = [
        Facet(name, name, tuple(f"{name}{i}" for i in range(size)))
        for name, size in zip(names, score.shape, strict=True)
    ]
    facets[0] = replace(facets[0], levels=SYSTEMS)
    facets[1] = replace(facets[1], parent="system" if nested else None)
    mean, n = score.ravel(), np.ones(score.size, dtype=np.int64)
    return Judgments(tuple(facets), names[1], "score", codes, n, mean, np.zeros(len(mean)), mean, mean, {OK: n})


class _Pool(NamedTuple):
    """Answers by system, item, level and answer, and how many there are; those that exist come first.

    By how far each level favours the first system sums to 0.
    """

    score: Floats
    answers: Ints
    favour: Floats

    def redrawn(self, item: Ints, level: Ints, moved: Floats, drawn: str, rng: np.random.Generator) -> Judgments:
        """A study of these items and levels, with an answer of each combination, moved by so much at each level."""
        key = (item[:, None] * self.answers.shape[2] + level).ravel()
        order = np.argsort(key, kind="stable")
        again = np.empty(len(key), dtype=np.int64)
        again[order] = np.arange(len(key)) - np.searchsorted(key[order], key[order])
        score = np.empty((2, len(item), len(level)))
        for s in range(2):
            count = self.answers[s][item[:, None], level]
            start = rng.integers(2**31, size=self.answers[s].shape)[item[:, None], level]
            score[s] = self.score[s][item[:, None], level, (start + again.reshape(count.shape)) % count]
        score[0] += moved
        return _table(score, ("system", "item", drawn))


def _pool(judgments: Judgments, systems: tuple[str, str], facet: str, drawn: str, answer: str) -> _Pool:
    """The items judged at every level for both systems, shifted to one mean."""
    apart = two_systems(judgments, *systems, facet=facet)
    item = judgments.object
    names = (item, drawn, answer)
    score = np.full((2, *(len(judgments.facet(name).levels) for name in names)), np.nan)
    for s, side in enumerate((apart.first, apart.second)):
        places: list[Ints] = []
        for name in names:
            place = {label: i for i, label in enumerate(judgments.facet(name).levels)}
            places.append(np.array([place[label] for label in side.facet(name).levels])[side.column(name)])
        i, j, k = places
        score[s, i, j, k] = side.mean
    count = np.isfinite(score).sum(axis=-1)
    kept = (count > 0).all(axis=(0, 2))
    if not kept.any():
        raise NotEstimable(f"no {item} was judged at every level of {drawn} for both systems")
    score, count = np.sort(score[:, kept], axis=-1), count[:, kept]
    means = np.nanmean(score, axis=-1)
    favour = (means[0] - means[1]).mean(axis=0)
    score[0] -= favour.mean()
    return _Pool(score, count, favour - favour.mean())


def _rates(
    study: Callable[[], Judgments],
    truth: float,
    studies: int,
    level: float,
    margin: float | None,
    method: Method | None,
    targets: Mapping[str, Target] | None = None,
) -> ComparisonRates:
    check_range("level", level, "between 0.5 and 1", 0.5 < level < 1)
    rows, gaps, refused = [], [], 0
    alpha = 1 - level
    for _ in each("simulated studies", range(studies)):
        try:
            setup = difference(study(), *SYSTEMS, method=method, targets=targets)
        except NotEstimable:
            refused += 1
            continue
        gap = setup.others or setup  # the truth is of all judges and prompts that may be drawn
        low, high = gap.at(1 - alpha).ends
        told = float(gap.p_difference() <= alpha)
        equal = np.nan if margin is None else float(gap.p_equivalence(margin) <= alpha)
        naive = float(_naive_p_value(setup) <= alpha) if setup.method == "paired" else np.nan
        gaps.append([gap.value, (high - low) / 2])
        rows.append([told, naive, equal, float(not low <= truth <= high), (gap.value - truth) ** 2, gap.df])
    if not rows:
        raise NotEstimable("none of the studies could be analysed; give them more items or levels")
    measured = np.array(rows)
    found, naive, equivalent, missed = measured[:, :-2].mean(axis=0).tolist()
    off, df = float(np.sqrt(measured[:, -2].mean())), float(np.median(measured[:, -1]))
    return ComparisonRates(len(rows), found, naive, equivalent, missed, off, df, refused, np.array(gaps))


def _naive_p_value(gap: SystemDifference) -> float:
    """P-value of the paired t test over items."""
    table = gap.fit.judgments
    item = table.level_codes([table.object])
    mean = np.bincount(item, table.mean) / np.bincount(item)
    t = abs(mean.mean()) / (mean.std(ddof=1) / np.sqrt(len(mean)))
    return 2 * t_cdf(len(mean) - 1, -t)
