"""Findings on judgments before anything is fitted: what is wrong, and what is worth knowing."""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Literal, NamedTuple

import numpy as np

from quorate import caveats
from quorate.arguments import argument
from quorate.arrays import Floats, Ints, first_of_each
from quorate.errors import QuorateError
from quorate.frozen import dataclass
from quorate.numerics.distributions import chi_square_tail, f_tail
from quorate.roles import SYSTEM
from quorate.table.exchange.format import literal, quoted
from quorate.table.facets import OK, Facet, Source
from quorate.table.facts.describe import NESTED, ONE_TO_ONE, Description, MissingByLevel
from quorate.table.facts.repeats import telling_apart
from quorate.table.judgments import Judgments
from quorate.table.notes import not_used
from quorate.table.reread import reopened
from quorate.wording import Brief, counted, listed, percent, plural

Severity = Literal["error", "warning", "note"]
_SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
_SIGNIFICANT = 0.01
_MUCH = 0.05


@dataclass(frozen=True)
class Finding(Brief):
    """One thing found.

    Parameters
    ----------
    code : str
        Stable name for programs, such as ``duplicates``.
    severity : {"error", "warning", "note"}
        Whether it rules the analysis out, can mislead, or is good to know.
    sentence : str
        What was found, on one line.
    """

    code: str
    severity: Severity
    sentence: str

    def __str__(self) -> str:
        return self.sentence


def findings(judgments: Judgments, facts: Description) -> tuple[Finding, ...]:
    """Everything found, errors first."""
    answer = "label" if judgments.labels else "score"
    return by_severity(
        [
            *_score_findings(facts, answer),
            *of_source(judgments.source),
            *_duplicate_findings(facts, judgments),
            *missing_findings(facts, answer),
            *_level_findings(facts),
            *_nesting_findings(facts),
            *label_findings(judgments),
        ]
    )


def by_severity(entries: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings in the order of their severity, errors first."""
    return tuple(sorted(entries, key=lambda finding: _SEVERITIES.index(finding.severity)))


def of_source(source: Source) -> Iterator[Finding]:
    """What must be known of where judgments or votes came from."""
    for caveat in source.caveats:
        yield Finding(caveat.code, "warning", caveat.sentence)


def share_homogeneity(part: Ints, whole: Ints) -> float:
    """Pearson's chi-square test that a share is the same at every level: the probability of a larger statistic.

    Parameters
    ----------
    part, whole : array of int, shape (levels,)
        Rows counted at each level, and all its rows, which are taken as independent.

    Returns
    -------
    float
        nan where a share cannot be compared: one level, or fewer than one row expected per level either way.

    References
    ----------
    Agresti (2013), Categorical Data Analysis, section 3.2.1.
    """
    share = float(part.sum() / whole.sum())
    if len(part) < 2 or min(part.sum(), (whole - part).sum()) < len(part):
        return float("nan")
    statistic = float(np.sum((part - whole * share) ** 2 / (whole * share * (1 - share))))
    return chi_square_tail(len(part) - 1, statistic)


def _score_findings(facts: Description, answer: str = "score") -> Iterator[Finding]:
    """No usable score or label, or such that do not vary: all, of a cell, of an object."""
    constant, scores, scored = facts.constancy, facts.scores, answer == "score"
    if facts.answers == 0:
        yield Finding("no-answers", "error", f"none of the {counted(facts.rows, 'judgment')} has a usable {answer}")
    elif constant.all:
        value = "" if math.isnan(scores.low) else f" ({scores.low:g})"
        said = f"all {facts.answers:,} {answer}s are equal{value}: "
        if scored:
            yield Finding("constant", "warning", said + "only a bound of their mean is known")
        else:
            yield Finding("constant", "error", said + "nothing varies")
        return
    if constant.constant_cells:
        share = percent(constant.constant_cells / constant.cells)
        yield Finding(
            "constant-cells",
            "note",
            f"{constant.constant_cells:,} of {constant.cells:,} cells judged more than once ({share}) got the same "
            f"{answer} every time; more replicates of those would add little",
        )
    if constant.constant_objects:
        share = percent(constant.constant_objects / constant.objects)
        yield Finding(
            "constant-objects",
            "note",
            f"{constant.constant_objects:,} of {counted(constant.objects, facts.object)} judged more than once "
            f"({share}) got the same {answer} from every judgment",
        )


def _duplicate_findings(facts: Description, judgments: Judgments) -> Iterator[Finding]:
    """Rows that repeat the facets and the replicate of another."""
    repeated = facts.duplicates
    if repeated is None or repeated.first is None:
        return
    key = ", ".join(f"{name} {label}" for name, label in repeated.first.items())
    verb = "repeats" if repeated.rows == 1 else "repeat"
    yield Finding(
        "duplicates",
        "error",
        f"{counted(repeated.rows, 'row')} {verb} the facets and replicate of another row, the first at {key}. Drop the "
        "repeats, or " + telling_apart(judgments),
    )


def missing_findings(facts: Description, answer: str = "score") -> Iterator[Finding]:
    """Judgments without a score or label, levels that drop out with them, and cells that do not occur."""
    unscored, named = facts.rows - facts.answers, {"missing": "for no stated reason"}
    if unscored and facts.answers:
        share, verb = unscored / facts.rows, "has" if unscored == 1 else "have"
        kinds = listed(f"{kind.rows:,} {named.get(kind.name, kind.name)}" for kind in facts.statuses if kind.name != OK)
        yield Finding(
            "missing",
            "warning" if share >= _MUCH else "note",
            f"{unscored:,} of {counted(facts.rows, 'judgment')} ({percent(share)}) {verb} no usable {answer} ({kinds}"
            f"). Estimates are right only if, given the facets, whether a {answer} is missing has nothing to do with "
            "what it would have been",
        )
        tables = [(table, table.missing, table.rows) for table in facts.missing]
        yield from _differing("missing-differs", f"judgments without a usable {answer} differ", tables)
    for table in facts.missing:
        lost = [label for label, n, rows in zip(table.levels, table.missing, table.rows, strict=True) if n == rows]
        if 0 < len(lost) < len(table.levels):
            shown = listed(lost[:3]) + (" ..." if len(lost) > 3 else "")
            verb = (
                f"has no usable {answer} and drops out" if len(lost) == 1 else f"have no usable {answer} and drop out"
            )
            sentence = f"{len(lost):,} of {counted(len(table.levels), table.facet)} {verb}: {shown}"
            yield Finding("lost-levels", "warning", sentence)
    if not facts.balance.complete:
        yield Finding(
            "incomplete",
            "note",
            f"{facts.cells:,} of the {facts.balance.full:,.0f} cells of the full crossing "
            f"({percent(facts.balance.share)}) occur; the others are not counted as missing, they are taken as not "
            "asked for",
        )
        tables = [(one, one.absent, one.cells + one.absent) for one in facts.missing if one.absent is not None]
        yield from _differing("absent-differs", "cells that do not occur differ", tables)


def _differing(code: str, subject: str, tables: list[tuple[MissingByLevel, Ints, Ints]]) -> Iterator[Finding]:
    """Facets between whose levels a share differs: homogeneity tests, Bonferroni over the facets tested."""
    tested = [(table, part / whole, share_homogeneity(part, whole)) for table, part, whole in tables]
    tested = [entry for entry in tested if np.isfinite(entry[2])]
    for table, share, p in tested:
        adjusted = min(p * len(tested), 1.0)
        if adjusted >= _SIGNIFICANT:
            continue
        least, most = int(np.argmin(share)), int(np.argmax(share))
        chance = "p < 0.001" if adjusted < 0.001 else f"p = {adjusted:.3f}"
        tests = f", corrected for {len(tested)} tests" if len(tested) > 1 else ""
        yield Finding(
            code,
            "warning" if share[most] - share[least] >= _MUCH else "note",
            f"{subject} by {table.facet}: from {percent(share[least])} ({table.levels[least]}) to "
            f"{percent(share[most])} ({table.levels[most]}); chi-square test, {chance}{tests}",
        )


def _level_findings(facts: Description) -> Iterator[Finding]:
    """Facets with too few levels; systems stand for themselves, however few."""
    for facet in facts.facets:
        if facet.name == facts.object:
            if facet.levels == 1:
                yield Finding("one-object", "error", f"1 {facet.name}: there is nothing to vary between")
        elif facet.levels == 1:
            yield Finding("one-level", "note", caveats.one_level(facet.name).sentence)
        elif facet.fixed or facet.name == SYSTEM:
            continue
        elif facet.levels == 2:
            yield Finding("few-levels", "warning", caveats.few_levels(facet.name, 2).sentence)
        elif facet.levels == 3:
            yield Finding(
                "few-levels",
                "note",
                f"3 {plural(facet.name)}: they show little of how far {plural(facet.name)} differ, which may be "
                "estimated at zero when it is not",
            )


def _nesting_findings(facts: Description) -> Iterator[Finding]:
    """Facets whose effects cannot be told apart, for one occurs inside the other."""
    above = {facet.name: facet.parent for facet in facts.facets}
    fixed = {facet.name for facet in facts.facets if facet.fixed}
    nested = [(pair.a, pair.b) for pair in facts.crossings if pair.kind == NESTED]
    loose = {(a, b) for a, b in nested if not _declared(above, a, b)}
    for inner, outer in sorted(loose):
        if any((x, outer) in loose and ((inner, x) in loose or _declared(above, inner, x)) for x in above):
            continue
        fix = f"; if the {outer} is a property of the {inner}, declare " + argument("nested", {inner: outer})
        yield Finding(
            "nested",
            "warning",
            f"each {inner} occurs with one {outer} only, so effects of the {inner} and of {inner} with {outer} cannot "
            "be told apart" + ("" if outer in fixed else fix),
        )
    for pair in facts.crossings:
        if pair.kind == ONE_TO_ONE:
            yield Finding(
                "one-to-one",
                "warning",
                f"each {pair.a} occurs with one {pair.b} and each {pair.b} with one {pair.a}: their effects cannot be "
                "told apart",
            )


def _declared(above: dict[str, str | None], inner: str, outer: str) -> bool:
    parent = above[inner]
    return parent is not None and (parent == outer or _declared(above, parent, outer))


def label_findings(judgments: Judgments) -> Iterator[Finding]:
    """Objects under several levels of what they are nested in, and labels that differ only in case or outer spaces."""
    name, above = judgments.object, judgments.ancestors(judgments.object)
    if above:
        code = judgments.level_codes([name])
        label = judgments.column(name)[first_of_each(code)]
        repeated = int((np.bincount(label) > 1).sum())
        if repeated:
            total = len(judgments.facet(name).levels)
            yield Finding(
                "several-parents",
                "warning",
                f"{repeated:,} of {total:,} {name} labels occur under more than one {above[0]} and are counted as a "
                f"different {name} in each; if they are the same, {above[0]} is not what {plural(name)} are nested in",
            )
    for facet in judgments.facets:
        first: dict[str, str] = {}
        alike = [level.strip().casefold() for level in facet.levels]
        if len({*alike}) == len(alike):
            continue
        pairs = [
            (first[key], level)
            for key, level in zip(alike, facet.levels, strict=True)
            if first.setdefault(key, level) != level
        ]
        if pairs:
            shown = listed(f'"{a}" and "{b}"' for a, b in pairs[:3]) + (" ..." if len(pairs) > 3 else "")
            yield Finding(
                "labels-alike",
                "warning",
                f"{counted(len(pairs), 'pair')} of {facet.name} labels differ only in case, "
                f"and count as different {plural(facet.name)}: {shown}; if they are the same, write them alike in "
                f'column "{facet.column}"',
            )


# What columns say of scores that nobody has declared: several scales in one column, labels that start again.


_MOST_COLUMNS, _MOST_LEVELS = 12, 30
_FEWEST, _RATIO = 20, 2
_CHANCE = 0.01
_TOPS = frozenset((*range(1, 11), 20, 25, 50, 100))
"""Greatest scores of usual scales."""


class Beside(NamedTuple):
    """Cells of what is measured with one other column.

    Parameters
    ----------
    column : str
        The other column.
    levels : tuple of str
        Its labels.
    level, item : array of int64, shape (cells,)
        Label of each cell, and of what is measured; -1 where there is none.
    items : tuple of str
        Labels of what is measured.
    n : array of int64, shape (cells,)
        Answers.
    low, high : array of float64, shape (cells,)
        Least and greatest of them.
    """

    column: str
    levels: tuple[str, ...]
    level: Ints
    item: Ints
    items: tuple[str, ...]
    n: Ints
    low: Floats
    high: Floats


def unsaid_findings(judgments: Judgments) -> Iterator[Finding]:
    """What facets, and columns that are not used, say of the scale of scores and of the labels of what is measured."""
    name = judgments.object
    nested = judgments.facet(name).parent
    others = [*_facets(judgments), *_unused(judgments)]
    if (
        judgments.scale is None and not judgments.labels
    ):  # said of one column; others may differ because they go with it
        yield from islice((finding for beside in others for finding in _scale_findings(beside)), 1)
    if nested is None:
        yield from islice((finding for beside in others for finding in _restart_findings(beside, name)), 1)


def _facets(judgments: Judgments) -> Iterator[Beside]:
    item = judgments.facet(judgments.object)
    items = judgments.column(item.name).astype(np.int64)
    for facet in judgments.facets:
        if facet is not item and 2 <= len(facet.levels) <= _MOST_LEVELS:
            levels = judgments.column(facet.name).astype(np.int64)
            yield Beside(
                facet.column, facet.levels, levels, items, item.levels, judgments.n, judgments.low, judgments.high
            )


def _unused(judgments: Judgments) -> Iterator[Beside]:
    """The same of columns that are not used, as far as the rows can be read again."""
    names = not_used(judgments.notes)[:_MOST_COLUMNS]
    item = judgments.facet(judgments.object)
    with contextlib.suppress(QuorateError):  # the source is gone, or a column holds no labels
        if not names:
            return
        with reopened(judgments) as again:
            rows, few = again.with_few(names, _MOST_LEVELS)
            for name in few:
                facets = replace(item, levels=(), parent=None), Facet(name, name, ())
                roles = replace(rows.roles, facets=facets, replicate=None)
                found = rows.engine.collapse(rows.source, roles, rows.missing)
                items, levels = found.facets
                if 2 <= len(levels.levels) <= _MOST_LEVELS:
                    yield Beside(
                        name, levels.levels, levels.codes, items.codes, items.levels, found.n, found.low, found.high
                    )


def repeats_findings(judgments: Judgments) -> Iterator[Finding]:
    """Repeats of a cell that a column tells apart which was not read, or whose levels share more than chance."""
    if judgments.labels or not (judgments.n > 1).any():
        return
    named = judgments.replicate
    with contextlib.suppress(QuorateError), reopened(judgments) as again:
        rows, few = again.with_few([named] if named else not_used(judgments.notes)[:_MOST_COLUMNS], _MOST_LEVELS)
        for column in few:
            facets = (*rows.roles.facets, Facet(column, column, ()))
            found = rows.engine.collapse(rows.source, replace(rows.roles, facets=facets, replicate=None), rows.missing)
            *cell, level = found.facets
            if not 2 <= len(level.levels) <= _MOST_LEVELS or found.n.max() > 1:
                continue
            p = _shared(np.column_stack([one.codes for one in cell]), level.codes, found.mean)
            role = "run" if column == "replicate" else column
            read = argument("facets", {**{one.name: one.column for one in judgments.facets}, role: column})
            if p < _CHANCE:
                said = f"levels of {column} share more than chance has it (p {p:.2g}): they are a facet, and no repeats"
                yield Finding("repeats-share", "warning", f"{said} of a cell; read them so with " + read)
            elif not named:
                said = f"rows of one cell are told apart by {column}, which is not read: read it as their repeats with "
                known = said + argument("replicate", column)
                yield Finding("unread-repeats", "warning", known + ", or as a facet with " + read)


def _shared(cell: Ints, level: Ints, score: Floats) -> float:
    """P-value of the F test that scores of a cell do not differ by level."""
    code = np.unique(cell, axis=0, return_inverse=True)[1].ravel()
    left = score - (np.bincount(code, score) / np.bincount(code))[code]
    n = np.bincount(level)
    between = float(np.sum(np.bincount(level, left)[n > 0] ** 2 / n[n > 0]))
    df, free = int((n > 0).sum()) - 1, len(score) - int(code.max()) - int((n > 0).sum())
    rest = float(left @ left) - between
    return f_tail(df, free, between / df / (rest / free)) if free > 0 and rest > 0 and df > 0 else 1.0


def _scale_findings(beside: Beside) -> Iterator[Finding]:
    """Scores that end elsewhere at one level of a column than at another."""
    given, size = (beside.level >= 0) & (beside.n > 0), len(beside.levels)
    level, low, high = beside.level[given], np.full(size, np.inf), np.full(size, -np.inf)
    np.minimum.at(low, level, beside.low[given])
    np.maximum.at(high, level, beside.high[given])
    told = np.bincount(level, beside.n[given], size) >= _FEWEST
    both = zip(beside.levels, told.tolist(), low.tolist(), high.tolist(), strict=True)
    ends = {label: (least, most) for label, enough, least, most in both if enough}
    tops = [high for _, high in ends.values()]
    usual = all(high in _TOPS and low in (0, 1, -high) for low, high in ends.values())
    if len(ends) < 2 or not usual or max(tops) < _RATIO * min(tops):
        return
    by_top = {high: label for label, (_, high) in reversed(ends.items())}
    shown = [by_top[high] for high in sorted(by_top)[:4]]
    # That the column has the label of the first, as plainly as it can be written.
    name = beside.column if re.fullmatch(r"[a-z_][a-z0-9_]*", beside.column) else quoted(beside.column)
    where = f"{name} = {shown[0] if re.fullmatch(r'-?[0-9]+', shown[0]) else literal(shown[0])}"
    runs = listed([f"{label} from {ends[label][0]:g} to {ends[label][1]:g}" for label in shown])
    yield Finding(
        "several-scales",
        "warning",
        f"scores of {beside.column} {runs}: if these are different scales, read one of them, with "
        + argument("where", where),
    )


def _restart_findings(beside: Beside, name: str) -> Iterator[Finding]:
    """Labels of what is measured that count from the first again at every level of a column, to different ends."""
    try:
        numbers = np.array([int(label) for label in beside.items])
    except ValueError:
        return
    counts = []
    for code in range(len(beside.levels)):
        here = np.unique(numbers[beside.item[(beside.level == code) & (beside.item >= 0)]])
        if not len(here) or here[0] > 1 or here[-1] - here[0] != len(here) - 1:
            return
        counts.append(len(here))
    if len(set(counts)) < 2:
        return
    yield Finding(
        "labels-restart",
        "warning",
        f"labels of {name} count from {numbers.min()} again at every level of {beside.column}, {min(counts)} to "
        f"{max(counts)} of them: if they are others there, declare " + argument("nested", {name: beside.column}),
    )
