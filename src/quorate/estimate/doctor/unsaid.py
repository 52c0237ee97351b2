"""What columns say of scores that nobody has declared: several scales in one column, labels that start again."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

import numpy as np

from quorate.arguments import argument
from quorate.arrays import Floats, Ints
from quorate.errors import QuorateError
from quorate.estimate.doctor.findings import Finding
from quorate.numerics.distributions import f_tail
from quorate.table.exchange.format import literal, quoted
from quorate.table.judgments import Facet, Judgments
from quorate.table.notes import not_used
from quorate.table.reread import reopened
from quorate.wording import listed

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
        yield from islice((finding for beside in others for finding in scale_findings(beside)), 1)
    if nested is None:
        yield from islice((finding for beside in others for finding in restart_findings(beside, name)), 1)


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
        with reopened(judgments) as rows:
            for name in names:
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
    with contextlib.suppress(QuorateError), reopened(judgments) as rows:
        for column in [named] if named else not_used(judgments.notes)[:_MOST_COLUMNS]:
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


def scale_findings(beside: Beside) -> Iterator[Finding]:
    """Scores that end elsewhere at one level of a column than at another."""
    ends = {}
    for code, label in enumerate(beside.levels):
        here = (beside.level == code) & (beside.n > 0)
        if beside.n[here].sum() >= _FEWEST:
            ends[label] = float(beside.low[here].min()), float(beside.high[here].max())
    tops = [high for _, high in ends.values()]
    usual = all(high in _TOPS and low in (0, 1, -high) for low, high in ends.values())
    if len(ends) < 2 or not usual or max(tops) < _RATIO * min(tops):
        return
    by_top = {high: label for label, (_, high) in reversed(ends.items())}
    shown = [by_top[high] for high in sorted(by_top)[:4]]
    runs = listed([f"{label} from {ends[label][0]:g} to {ends[label][1]:g}" for label in shown])
    yield Finding(
        "several-scales",
        "warning",
        f"scores of {beside.column} {runs}: if these are different scales, read one of them, with "
        + argument("where", _condition(beside.column, shown[0])),
    )


def _condition(column: str, label: str) -> str:
    """That a column has a label, as plainly as it can be written."""
    name = column if re.fullmatch(r"[a-z_][a-z0-9_]*", column) else quoted(column)
    return f"{name} = {label if re.fullmatch(r'-?[0-9]+', label) else literal(label)}"


def restart_findings(beside: Beside, name: str) -> Iterator[Finding]:
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
