"""Rates of judges who pass or fail what people passed or failed: what they pass wrongly, where, from what mark on."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, fields, replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from quorate.arrays import Bools, Floats, Ints, first_of_each
from quorate.errors import InvalidInput, QuorateError
from quorate.estimate.agreement.rightness import Rightness, of_items, row_means
from quorate.estimate.agreement.yardsticks import Measured, mean_of, share_of, standard_error
from quorate.estimate.means.effects import level_labels
from quorate.frozen import dataclass
from quorate.numerics.distributions import t_cdf
from quorate.numerics.inference import holm
from quorate.numerics.nominal import cohen, cohen_intervals, cohen_rows
from quorate.roles import JUDGE
from quorate.table.columns.aliases import LENGTHS, RESPONSES, claims
from quorate.table.columns.languages import plain
from quorate.table.columns.scales import known_scale
from quorate.table.facets import Facet
from quorate.table.judgments import Judgments
from quorate.table.notes import not_used
from quorate.table.reread import reopened
from quorate.wording import Brief, capitalised, counted, listed, percent

ALONE = "the judge"
"""How a judge is called where there is no facet of judges."""
MOST_PAIRS = 15
_FOLDS = 10
_FEW_LEVELS = 8
"""Levels beyond which a facet of numbers, such as lengths, is cut at its median."""
_PLACES = ("order", "position")
_ROUNDING = 1e-9


class Said(NamedTuple):
    """What one judge says of labelled items.

    Parameters
    ----------
    passes : array, shape (items,)
        Share of its verdicts that pass.
    people : array, shape (items,)
        1 where people pass, else 0.
    cluster : array of int, shape (items,)
        Which items may resemble each other.
    level : float
        Coverage of intervals.
    """

    passes: Floats
    people: Floats
    cluster: Ints
    level: float

    def share(self, values: Floats, of: Floats | None = None) -> Measured:
        """Mean of shares, of all items or of those that are in ``of``."""
        own = slice(None) if of is None else of > 0
        return share_of(values[own], self.level, self.cluster[own])

    def right(self) -> Measured:
        """Share of items of which it says what people say."""
        return self.share(np.where(self.people > 0, self.passes, 1 - self.passes))

    def sensitivity(self) -> Measured:
        """Share that it passes of what people pass."""
        return self.share(self.passes, self.people)

    def specificity(self) -> Measured:
        """Share that it fails of what people fail."""
        return self.share(1 - self.passes, 1 - self.people)

    def false_passes(self) -> Measured:
        """Share that people fail of what it passes."""
        return share_of(1 - self.people, self.level, self.cluster, self.passes)

    def kappa(self) -> Measured:
        """Cohen's kappa with people."""
        said, people = (np.column_stack([1 - one, one]) for one in (self.passes, self.people))
        return _kappas([(said, people)], self.level)[0]


def _of(rate: Callable[[Said], Measured], says: str = "", calls: str = "", *, bar: bool = True) -> dict[str, Any]:
    """How a rate is found, what a table calls it, of verdicts that pass and of kinds, and whether a bar is for it."""
    return {"rate": rate, "says": says, "calls": calls or says, "bar": bar}


@dataclass(frozen=True)
class Rates(Brief):
    """How one judge passes and fails.

    Parameters
    ----------
    judge : str
        Who.
    items : int
        Labelled items that it judged.
    right : Measured
        Share of items of which it says what people say.
    sensitivity, specificity : Measured
        Share of what people pass that it passes, and of what they fail that it fails.
    false_passes : Measured
        Share of what it passes that people fail.
    kappa : Measured
        Cohen's kappa with people.
    threshold : float
        Mark from which on it passes, chosen where sensitivity and specificity add up to most; nan where it gives
        verdicts. Rates are then of verdicts by thresholds that were chosen on other items.
    """

    judge: str
    items: int
    right: Measured = field(metadata=_of(Said.right, "right"))
    sensitivity: Measured = field(
        metadata=_of(Said.sensitivity, "passes what people pass", "{good} where people say so")
    )
    specificity: Measured = field(metadata=_of(Said.specificity, "fails what people fail", "{bad} where people say so"))
    false_passes: Measured = field(
        metadata=_of(Said.false_passes, "false among its passes", "wrong where it says {good}", bar=False)
    )
    kappa: Measured = field(metadata=_of(Said.kappa))
    threshold: float = math.nan

    @classmethod
    def measured(cls) -> dict[str, Mapping[str, Any]]:
        """What is known of every rate, by its name."""
        return {one.name: one.metadata for one in fields(cls) if one.metadata}

    def named(self, good: str = "", bad: str = "") -> dict[str, Measured]:
        """Rates by what a table calls them: of two kinds by their names, else of what passes and fails."""
        how = "calls" if good else "says"
        return {
            own[how].format(good=good, bad=bad): getattr(self, name)
            for name, own in self.measured().items()
            if own[how]
        }

    def fit_for(self, bar: Mapping[str, float]) -> bool | None:
        """Whether every rate is shown to reach its bar: False where one is shown not to, None where one is open."""
        ends = [(getattr(self, name), least) for name, least in bar.items()]
        if any(rate.high < least for rate, least in ends):
            return False
        return True if all(rate.low >= least for rate, least in ends) else None


@dataclass(frozen=True)
class RatesGap(Brief):
    """How much more often one judge is right than another, on the same items.

    Parameters
    ----------
    first, second : str
        The judges.
    items : int
        Items that both judged.
    gap : Measured
        Share of right verdicts of the first less that of the second; intervals hold for all pairs at once (Bonferroni).
    """

    first: str
    second: str
    items: int
    gap: Measured


@dataclass(frozen=True)
class Segment(Brief):
    """Items of one category or length, or verdicts in one order.

    Parameters
    ----------
    by, name : str
        What they share.
    items : int
        How many.
    right : Measured
        Share of right verdicts of judges.
    lean : Measured
        Share that judges pass less the share that people do: above 0 they are lenient there.
    p_right, p_lean : float
        P-value that there it is as elsewhere; of all segments and of both together (Holm). Nan where nothing differs.
    """

    by: str
    name: str
    items: int
    right: Measured
    lean: Measured
    p_right: float
    p_lean: float


def mean_pass_and_fail(names: Sequence[str]) -> bool:
    """Whether two verdicts are words of a scale, the higher passing; else they are kinds, such as spam and ham."""
    return known_scale(names) is not None


def passing(names: Sequence[str]) -> int | None:
    """Place of the verdict that passes among two, by what the words mean, else the last; None of more verdicts."""
    if len(names) != 2:
        return None
    scale = known_scale(names)
    if scale is None:
        return 1
    return int(scale.numbers[names[0]] < scale.numbers[names[1]])


def checked_bar(bar: Mapping[str, float]) -> Mapping[str, float]:
    """Bars for rates, refused where they are no such.

    Raises
    ------
    InvalidInput
        If a name is no rate, or a bar is not between 0 and 1.
    """
    known = [name for name, own in Rates.measured().items() if own["bar"]]
    for name, least in bar.items():
        if name not in known:
            raise InvalidInput(f'bar: is for one of {", ".join(known)}, got "{name}"')
        if not 0 < least < 1:
            raise InvalidInput(f"bar: {name} is between 0 and 1, got {least:g}")
    return bar


def rates(seen: Rightness, level: float, thresholds: Mapping[str, float] | None = None) -> tuple[Rates, ...]:
    """Rates of every judge, its prompts and others weighing alike; empty where there are more verdicts than two."""
    good = passing(seen.names)
    if good is None:
        return ()
    truth = (seen.label == good).astype(float)
    out = []
    for place, judge in enumerate(seen.judges or (ALONE,)):
        passes = row_means(seen.shares[:, seen.judge == place, good])
        known = ~np.isnan(passes)
        said = Said(passes[known], truth[known], seen.cluster[known], level)
        found = {name: own["rate"](said) for name, own in Rates.measured().items()}
        out.append(Rates(judge, len(said.passes), **found, threshold=(thresholds or {}).get(judge, math.nan)))
    return tuple(out)


def kappas(seen: Rightness, level: float) -> dict[str, Measured]:
    """Cohen's kappa of every judge with people, of any number of verdicts; its configurations weigh alike."""
    pairs, people, judges = [], np.eye(len(seen.names))[seen.label], seen.judges or (ALONE,)
    for place in range(len(judges)):
        said = seen.verdicts(np.flatnonzero(seen.judge == place))
        known = ~np.isnan(said).any(axis=1)
        pairs.append((said[known], people[known]))
    return dict(zip(judges, _kappas(pairs, level), strict=True))


def _kappas(pairs: Sequence[tuple[Floats, Floats]], level: float) -> list[Measured]:
    values = (float(cohen(cohen_rows(*pair).sum(axis=0))) for pair in pairs)
    return [Measured(value, *ends) for value, ends in zip(values, cohen_intervals(pairs, level).tolist(), strict=True)]


def rates_gaps(seen: Rightness, level: float) -> tuple[RatesGap, ...]:
    """Every two judges on the same items, if they share some; empty where they are many, or there is one."""
    several = len(seen.judges)
    pairs = [*combinations(range(several), 2)]
    if not pairs or len(pairs) > MOST_PAIRS:
        return ()
    right, at = seen.by_judge(), 1 - (1 - level) / len(pairs)
    out = []
    for one, other in pairs:
        gap = right[:, one] - right[:, other]
        items = int((~np.isnan(gap)).sum())
        if items:
            out.append(RatesGap(seen.judges[one], seen.judges[other], items, mean_of(gap, at, seen.cluster)))
    return tuple(out)


class Lengths(NamedTuple):
    """How long the responses are, from a column that nothing else was made of.

    Parameters
    ----------
    column : str
        Its name.
    by : str
        What is counted: the name again, or the words of its text.
    of : mapping of str to float
        Length by item.
    """

    column: str
    by: str
    of: Mapping[str, float]


def lengths(judgments: Judgments) -> Lengths | None:
    """The column whose name says how long a response is, else that of the responses; None without one for each item."""
    free = not_used(judgments.notes)
    named = [*LENGTHS, *(f"{response}_{length}" for response in RESPONSES for length in LENGTHS)]
    item = judgments.facet(judgments.object)
    for column in [*claims(free, named), *claims(free, RESPONSES)]:
        with suppress(QuorateError, ValueError), reopened(judgments) as rows:  # it is gone, or has words for numbers
            facets = replace(item, levels=(), parent=None), Facet(column, column, ())
            items, said = rows.engine.collapse(
                rows.source, replace(rows.roles, facets=facets, replicate=None), rows.missing
            ).facets
            text = plain(column) in RESPONSES
            known = [float(len(one.split()) if text else one) for one in said.levels]
            sizes = {items.levels[i]: known[at] for i, at in zip(items.codes, said.codes, strict=True) if at >= 0}
            many = len({*sizes.values()}) > _FEW_LEVELS and np.all(np.isfinite(known))
            if many and len(sizes) == len(items.codes):  # every item has one response
                return Lengths(column, f"words of {column}" if text else column, sizes)
    return None


def segments(seen: Rightness, judgments: Judgments, length: Lengths | None, level: float) -> tuple[Segment, ...]:
    """Rightness and leaning by what groups the items, by how long they are, and by the order that the judge saw."""
    good = passing(seen.names)
    if good is None:
        return ()
    truth = (seen.label == good)[:, None]
    passes = seen.shares[:, :, good]
    lean, right = passes - truth, np.where(truth, passes, 1 - passes)
    kept = {by: _of_items(judgments, by, seen.units) for by in of_items(judgments)}
    if length is not None and all(unit in length.of for unit in seen.units):
        kept.setdefault(length.by, [f"{length.of[unit]:g}" for unit in seen.units])
    found: list[tuple[str, str, int, tuple[Floats, Floats], tuple[Floats, Floats]]] = []
    whole = row_means(right), row_means(lean)
    for by, levels_of_items in kept.items():
        name, kinds = _groups(by, levels_of_items)
        for kind, own in kinds:
            inside = tuple(np.where(own, one, np.nan) for one in whole)
            beside = tuple(np.where(own, np.nan, one) for one in whole)
            found.append((name, kind, int(own.sum()), (inside[0], inside[1]), (beside[0], beside[1])))
    for role in (name for name in _PLACES if name in seen.roles):
        at = [levels[seen.roles.index(role)] for levels in seen.levels]
        for kind in dict.fromkeys(at) if len(set(at)) > 1 else ():
            own = np.array([one == kind for one in at])
            mine = row_means(right[:, own]), row_means(lean[:, own])
            other = row_means(right[:, ~own]), row_means(lean[:, ~own])
            found.append((role, kind, int((~np.isnan(mine[0])).sum()), mine, other))
    p = [_p(mine[i], other[i], seen.cluster) for _, _, _, mine, other in found for i in (0, 1)]
    adjusted = np.full(len(p), math.nan)
    known = ~np.isnan(p)
    if known.any():
        adjusted[known] = holm(np.array(p)[known])
    return tuple(
        Segment(
            by, kind, n, share_of(mine[0], level, seen.cluster), mean_of(mine[1], level, seen.cluster),
            float(adjusted[2 * place]), float(adjusted[2 * place + 1]),
        )
        for place, (by, kind, n, mine, _) in enumerate(found)
    )  # fmt: skip


def _of_items(judgments: Judgments, by: str, units: tuple[str, ...]) -> list[str]:
    """The level of a facet that each item is in."""
    code = judgments.level_codes([judgments.object])
    first = first_of_each(code)
    levels = judgments.facet(by).levels
    of = dict(
        zip(level_labels(judgments, judgments.object), (levels[at] for at in judgments.column(by)[first]), strict=True)
    )
    return [of[unit] for unit in units]


def _groups(by: str, kinds: list[str]) -> tuple[str, list[tuple[str, Bools]]]:
    """Items by level; where levels are many numbers, those up to their median and those beyond."""
    each = np.array(kinds)
    names = list(dict.fromkeys(kinds))
    if len(names) <= _FEW_LEVELS:
        return by, [(name, each == name) for name in names] if len(names) > 1 else []
    try:
        numbers = each.astype(float)
    except ValueError:
        return by, [(name, each == name) for name in names]
    middle = float(np.median(numbers))
    return by, [(f"up to {middle:g}", numbers <= middle), (f"beyond {middle:g}", numbers > middle)]


def _p(mine: Floats, other: Floats, cluster: Ints) -> float:
    """P-value that two means are one: of the same items by their differences, else of apart ones (Welch)."""
    both = ~np.isnan(mine) & ~np.isnan(other)
    if both.any():
        gap = (mine - other)[both]
        se, drawn = standard_error(gap, cluster[both])
        return 2 * t_cdf(drawn - 1, -abs(float(gap.mean())) / se) if se > 0 else math.nan
    ends, errors = [], []
    for values in (mine, other):
        known = ~np.isnan(values)
        if known.sum() < 2:
            return math.nan
        se, drawn = standard_error(values[known], cluster[known])
        ends.append(float(values[known].mean()))
        errors.append((se**2, drawn - 1))
    total = sum(square for square, _ in errors)
    if not total > 0 or min(df for _, df in errors) < 1:
        return math.nan
    df = total**2 / sum(square**2 / df for square, df in errors)
    return 2 * t_cdf(df, -abs(ends[0] - ends[1]) / math.sqrt(total))


def cut(judgments: Judgments, truth: Mapping[str, float]) -> tuple[Judgments, dict[str, float]]:
    """Marks as verdicts 0 and 1, and the mark from which on each judge passes.

    The threshold is where sensitivity and specificity add up to most. Every item is passed or failed by the threshold
    of the other nine tenths of the items, so that rates are not of the items that chose it.

    Parameters
    ----------
    judgments : Judgments
        Marks of judges.
    truth : mapping of str to float
        1 for every item that people pass, 0 for every one that they fail.
    """
    table = judgments.keep(judgments.n > 0)
    names = level_labels(table, table.object)
    label = np.array([truth.get(name, math.nan) for name in names])
    item = table.level_codes([table.object])
    has = JUDGE in table.names
    judge = table.column(JUDGE) if has else np.zeros(table.n_cells, dtype=np.int32)
    who = table.facet(JUDGE).levels if has else (ALONE,)
    fold = np.random.default_rng(0).permutation(len(names)) % _FOLDS
    verdict, chosen = np.zeros(table.n_cells), {}
    for place in np.unique(judge):
        own = judge == place
        labelled = own & ~np.isnan(label[item])
        chosen[who[place]] = _threshold(table.mean[labelled], label[item[labelled]])
        for part in range(_FOLDS):
            rest = labelled & (fold[item] != part)
            here = own & (fold[item] == part)
            verdict[here] = table.mean[here] >= _threshold(table.mean[rest], label[item[rest]])
    single, nothing = np.ones(table.n_cells, dtype=np.int64), np.zeros(table.n_cells)
    given: dict[str, Any] = {"n": single, "mean": verdict, "ss": nothing, "low": verdict, "high": verdict}
    return replace(table, **given, status={"ok": single}, scale=None, origin=None), chosen


def _threshold(marks: Floats, label: Floats) -> float:
    """The mark, half-way between two, from which on passing agrees best with the labels; nan where all are of one."""
    passed, failed = np.sort(marks[label > 0]), np.sort(marks[label == 0])
    if not len(passed) or not len(failed):
        return math.nan
    values = np.unique(marks)
    ends = (values[1:] + values[:-1]) / 2
    if not len(ends):
        return float(values[0])
    sensitivity = 1 - np.searchsorted(passed, ends) / len(passed)
    specificity = np.searchsorted(failed, ends) / len(failed)
    best = sensitivity + specificity
    return float(np.median(ends[best >= best.max() - _ROUNDING]))


def rates_words(one: Rates, verdicts: tuple[str, str], *, short: bool = False) -> str:
    """One judge in three sentences; in two where others follow. Verdicts: that which passes, and that which fails."""
    it = "It" if math.isnan(one.threshold) else f"From {one.threshold:g} on it"
    passes, fails = _words(one.sensitivity), _words(one.specificity)
    rates = f"{it} passes {passes} of what people pass and fails {fails} of what they fail."
    false = f"Of its passes {_words(one.false_passes)} are false."
    if not mean_pass_and_fail(verdicts):
        good, bad = verdicts
        rates = f'It says "{good}" of {passes} of what people call so, and "{bad}" of {fails} of what they call that.'
        false = f'Of what it calls "{good}", {_words(one.false_passes)} is not.'
    right = right_words(one.judge, one.right, one.kappa, one.items)
    return " ".join((right, false) if short else (right, rates, false))


def right_words(
    judge: str, right: Measured, kappa: Measured, items: int, unit: str = "item", *, same: bool = False
) -> str:
    """How often one judge is right, or gives the ``same`` mark as most people, and its kappa with people."""
    who = capitalised(judge) if judge == ALONE else judge
    beyond = f"kappa {kappa.value:.2f} ({kappa.low:.2f} to {kappa.high:.2f})"
    if same:
        return f"It gives the mark that most people give on {_words(right)} of {counted(items, unit)}, {beyond}."
    return f"{who} is right on {_words(right)} of {counted(items, unit)}, {beyond}."


def gaps_words(one: RatesGap) -> str:
    """Two judges on the same items in a sentence."""
    gap = one.gap
    told = "is right more often than" if gap.low > 0 else "is not told from"
    first, second = one.first, one.second
    if gap.high < 0:
        first, second, told = second, first, "is right more often than"
    ends = f"{100 * gap.value:+.1f} points ({100 * gap.low:+.1f} to {100 * gap.high:+.1f})"
    return f"{first} {told} {second}: {one.first} less {one.second} {ends}."


def segment_words(one: Segment) -> str:
    """What is unlike elsewhere in one segment."""
    where = f"On {one.items:,} items of {one.by} {one.name}"
    if one.p_lean <= one.p_right:
        side = "more" if one.lean.value > 0 else "less"
        return f"{where} judges pass {abs(100 * one.lean.value):.1f} points {side} than people (p {one.p_lean:.2g})."
    return f"{where} judges are right on {_words(one.right)} (p {one.p_right:.2g} of the same as elsewhere)."


def fit_words(found: Sequence[Rates], bar: Mapping[str, float]) -> str:
    """Which judges are fit by the bar that was stated."""
    stated = listed(f"{name} {least:g}" for name, least in bar.items())
    states = [(one.judge, one.fit_for(bar)) for one in found]
    parts = []
    for state, words in ((True, "fit"), (False, "not fit"), (None, "not shown to be fit or unfit")):
        names = [judge for judge, own in states if own is state]
        if names:
            parts.append(f"{listed(names)} {'is' if len(names) == 1 else 'are'} {words}")
    return f"By the bar of {stated}, {listed(parts)}."


def _words(one: Measured) -> str:
    if math.isnan(one.value):
        return "an unknown share"
    return f"{percent(one.value)} ({percent(one.low)} to {percent(one.high)})"
