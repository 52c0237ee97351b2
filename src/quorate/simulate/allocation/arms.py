"""The arms of a replay: what pulls of every item may give, from judgments or from an array of answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quorate import caveats
from quorate.arrays import Floats, Ints
from quorate.caveats import Caveat
from quorate.errors import InvalidData, InvalidInput, NotEstimable, UnknownTerm
from quorate.numerics.sequential.pools import Pools, packed
from quorate.table.answers import answers
from quorate.table.facts.describe import refuse_repeats
from quorate.table.judgments import Judgments
from quorate.wording import plural

_LEAST = 2
"""Answers that an arm must have: one alone says nothing of the variance."""
_SQUARED = 1e-150, 1e150
"""Scores whose squares neither vanish nor overflow."""
_FURTHER = ", and replicates too, which its levels repeat"
_LEAVING_OUT = (" ", "--facet {}="), (", ", '"{}": ""')
_LEAST_SCORED = 3
"""Arms with a human score that a correlation must rest on."""


@dataclass(frozen=True, eq=False)
class Arms:
    """What is pulled in a replay.

    Parameters
    ----------
    pools : Pools
        Answers of every arm that has enough.
    labels : tuple of str
        Name of every arm.
    objects : tuple of str
        Label of the object of measurement of every arm; for an array that of its row.
    kept : array of bool
        Whether an arm of the source is used, by row for an array.
    caveats : tuple of Caveat
        What was left out.
    """

    pools: Pools
    labels: tuple[str, ...]
    objects: tuple[str, ...]
    kept: NDArray[np.bool_]
    caveats: tuple[Caveat, ...]


def arms_of(source: object, cycle: str | None = None) -> Arms:
    """Arms from judgments or from answers in rows.

    Parameters
    ----------
    source : Judgments, array or sequence of sequences
        Judgments with replicates, or answers by arm; nan is no answer.
    cycle : str, optional
        Facet, such as ``judge``, whose levels are all asked in one pull.

    Raises
    ------
    InvalidInput, InvalidData
        If the source is neither, holds what is no number, or has rows that repeat a replicate.
    UnknownTerm
        If there is no such facet.
    NotEstimable
        If fewer than 2 arms have enough answers, or no arm's answers vary.
    """
    if isinstance(source, Judgments):
        each = "each" if cycle is None else f"from every {cycle}"
        return _checked(_of_judgments(source, cycle), each, _fix(source, cycle))
    if cycle is not None:
        raise InvalidInput(f'cycle: an array does not tell levels of "{cycle}" apart; pass what quorate.read returns')
    return _checked(_of_rows(source), "each")


def _of_judgments(judgments: Judgments, cycle: str | None) -> Arms:
    if cycle is not None and cycle not in judgments.names:
        raise UnknownTerm(cycle, judgments.names)
    if cycle == judgments.object:
        others = " or ".join(f'"{name}"' for name in judgments.names if name != cycle)
        fix = f"use {others}" if others else "these judgments have no other, so leave cycle out"
        raise InvalidInput(f'cycle: a facet other than the object of measurement, got "{cycle}"; {fix}')
    refuse_repeats(judgments)
    names = [name for name in judgments.names if name != cycle]
    arm = judgments.level_codes(names)
    part = judgments.column(cycle).astype(np.int64) if cycle else np.zeros(judgments.n_cells, dtype=np.int64)
    parts = len(judgments.facet(cycle).levels) if cycle else 1
    count = int(arm.max(initial=-1)) + 1
    sizes = np.bincount(arm * parts + part, judgments.n, minlength=count * parts).astype(np.int64).reshape(-1, parts)
    kept = np.asarray((sizes >= _LEAST).all(axis=1))
    values, offsets = answers(judgments)
    place = np.repeat(arm * parts + part, np.diff(offsets))
    order = np.argsort(place, kind="stable")
    use = order[kept[place[order] // parts]]
    first = np.unique(arm, return_index=True)[1][kept]
    labels, objects = _labels(judgments, names, first)
    return Arms(packed(values[use], sizes[kept].ravel(), parts), labels, objects, kept, _left_out(kept, cycle))


def _labels(judgments: Judgments, names: Sequence[str], cells: Ints) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Labels of the arms that these cells belong to, by the facets that vary, and of their objects."""
    every = {name: np.array(judgments.facet(name).levels, dtype=object) for name in names}
    label = {name: levels[judgments.column(name)[cells]] for name, levels in every.items()}
    objects = label[judgments.object]
    varying = [name for name in names if len(judgments.facet(name).levels) > 1] or [judgments.object]
    if varying == [judgments.object]:
        return tuple(objects), tuple(objects)
    rows = zip(*(label[name] for name in varying), strict=True)
    return tuple(", ".join(f"{n} {v}" for n, v in zip(varying, row, strict=True)) for row in rows), tuple(objects)


def _of_rows(source: object) -> Arms:
    rows = _rows(source)
    if any(np.isinf(row).any() for row in rows):
        first = next(i for i, row in enumerate(rows) if np.isinf(row).any())
        raise InvalidData(f"pool: finite answers, or nan for none, got inf in row {first}; leave it out")
    answered = [row[np.isfinite(row)] for row in rows]
    kept = np.array([len(row) >= _LEAST for row in answered], dtype=bool)
    used = [row for row in answered if len(row) >= _LEAST]
    values = np.concatenate(used) if used else np.empty(0)
    names = tuple(str(i) for i in np.flatnonzero(kept))
    return Arms(packed(values, [len(row) for row in used]), names, names, kept, _left_out(kept, None))


def _rows(source: Any) -> list[Floats]:
    """Answers by arm as numbers."""
    wanted = "pool: expects what quorate.read returns, or numbers of shape (arms, draws)"
    if isinstance(source, (str, bytes, Mapping)) or not hasattr(source, "__len__"):
        raise InvalidInput(f"{wanted}, got {type(source).__name__}")
    try:
        rows = [np.asarray(row, dtype=float) for row in source]
    except (TypeError, ValueError):
        raise InvalidInput(f"{wanted}, got {type(source).__name__} with other values") from None
    wrong = next((row.ndim + 1 for row in rows if row.ndim != 1), None)
    if wrong is not None:
        raise InvalidInput(f"{wanted}, got {wrong} dimension{'s' * (wrong != 1)}")
    return rows


def _left_out(kept: NDArray[np.bool_], cycle: str | None) -> tuple[Caveat, ...]:
    gone = int((~kept).sum())
    return (caveats.too_few_answers(gone, len(kept), cycle),) if gone else ()


def _fix(judgments: Judgments, cycle: str | None) -> str:
    """Why arms of judgments may have too few answers, and what to do about it."""
    measured = judgments.object
    if judgments.n.max(initial=0) <= 1:
        return f"; every {measured} was scored once: score {plural(measured)} several times"
    if cycle is None:
        return ""
    apart = [name for name in judgments.names if name not in (measured, cycle, *judgments.ancestors(measured))]
    unshared = [name for name in apart if not _crossed(judgments, name, cycle)]
    if not unshared:
        return f"; have every {cycle} score the same {plural(measured)} several times"
    name = unshared[0]
    out = [name, *(["replicate"] if judgments.replicate and _merges(judgments, name) else [])]
    options, roles = (joint.join(form.format(one) for one in out) for joint, form in _LEAVING_OUT)
    return (
        f'; "{name}" has levels that not every {cycle} has: leave it out{_FURTHER if len(out) > 1 else ""}, with '
        f"{options} on the command line, with recognise=True, facets={{{roles}}} in Python"
    )


def _merges(judgments: Judgments, name: str) -> bool:
    """Whether cells become one without a facet."""
    cells = judgments.level_codes([one for one in judgments.names if one != name])
    return len(np.unique(cells)) < len(cells)


def _crossed(judgments: Judgments, name: str, cycle: str) -> bool:
    """Whether every level of one facet was scored with every level of another."""
    pairs = np.unique(np.column_stack([judgments.column(one)[judgments.n > 0] for one in (name, cycle)]), axis=0)
    return len(pairs) == judgments.n_levels(name) * judgments.n_levels(cycle)


def _checked(arms: Arms, each: str, fix: str = "") -> Arms:
    used, given = arms.pools.arms, len(arms.kept)
    if used < 2:
        raise NotEstimable(
            f"pool: 2 arms or more with at least {_LEAST} answers {each} are needed to share a budget, got {used} "
            f"of {given:,}{fix}"
        )
    values = arms.pools.values
    span = float((np.nanmax(values, axis=2) - np.nanmin(values, axis=2)).max())
    if span == 0:
        raise NotEstimable(
            f"pool: every one of {used:,} arms always gave the same answer, so one pull of each is enough; "
            "there is nothing to allocate"
        )
    if span < _SQUARED[0] or float(np.nanmax(np.abs(values))) > _SQUARED[1]:
        raise InvalidData(
            f"pool: answers whose squares are numbers, got some {span:.3g} apart at most; rescale the scores, such as "
            f"by dividing them by {span:.0e}"
        )
    return arms


def human_scores(human: object, arms: Arms) -> Floats:
    """The human score of every arm; nan where there is none.

    Parameters
    ----------
    human : mapping of str to float, or array
        Scores by label of the object of measurement, or by arm in the order of the source; nan is no score.
    arms : Arms
        Of a replay.

    Raises
    ------
    InvalidInput
        If a score is infinite, fewer than 3 arms have one, or the array has another length.
    """
    scores = _by_label(human, arms) if isinstance(human, Mapping) else _aligned(human, arms)
    endless = np.flatnonzero(np.isinf(scores))
    if endless.size:
        raise InvalidInput(
            f'human: finite scores, or nan for none, got {scores[endless[0]]} for "{arms.objects[endless[0]]}"'
        )
    scored = int(np.isfinite(scores).sum())
    if scored < _LEAST_SCORED:
        raise InvalidInput(
            f"human: {_LEAST_SCORED} arms or more with a score are needed to correlate, got {scored} of "
            f'{len(scores):,}; use labels such as "{arms.objects[0]}"'
        )
    return scores


def _by_label(human: Mapping[Any, Any], arms: Arms) -> Floats:
    known = {str(label): score for label, score in human.items()}
    return _numbers([known.get(label, np.nan) for label in arms.objects])


def _aligned(human: Any, arms: Arms) -> Floats:
    scores = _numbers(human)
    if scores.shape == arms.kept.shape:
        return np.asarray(scores[arms.kept])
    raise InvalidInput(
        f"human: a mapping from labels, or one score for each of {len(arms.kept):,} arms, got shape {scores.shape}"
    )


def _numbers(values: Any) -> Floats:
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise InvalidInput(f"human: numbers, got {type(values).__name__} with other values") from None
