"""Arms of a replay: what pulls of every item may give, from judgments or from an array of answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quorate import caveats
from quorate.arrays import Floats
from quorate.caveats import Caveat
from quorate.errors import InvalidData, InvalidInput, NotEstimable, UnknownTerm
from quorate.frozen import dataclass
from quorate.numerics.sequential.bandit import Pools, packed
from quorate.table.facts.repeats import refuse_repeats
from quorate.table.judgments import Judgments
from quorate.table.reread import answers
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
        raise UnknownTerm(cycle, judgments.names, "facet")
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
    label = {
        name: np.array(judgments.facet(name).levels, dtype=object)[judgments.column(name)[first]] for name in names
    }
    labels = objects = tuple(label[judgments.object])
    varying = [name for name in names if len(judgments.facet(name).levels) > 1]
    if varying not in ([], [judgments.object]):
        rows = zip(*(label[name] for name in varying), strict=True)
        labels = tuple(", ".join(f"{n} {v}" for n, v in zip(varying, row, strict=True)) for row in rows)
    return Arms(packed(values[use], sizes[kept].ravel(), parts), labels, objects, kept, _left_out(kept, cycle))


def _of_rows(source: Any) -> Arms:
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
    if any(np.isinf(row).any() for row in rows):
        first = next(i for i, row in enumerate(rows) if np.isinf(row).any())
        raise InvalidData(f"pool: finite answers, or nan for none, got inf in row {first}; leave it out")
    answered = [row[np.isfinite(row)] for row in rows]
    kept = np.array([len(row) >= _LEAST for row in answered], dtype=bool)
    used = [row for row in answered if len(row) >= _LEAST]
    values = np.concatenate(used) if used else np.empty(0)
    names = tuple(str(i) for i in np.flatnonzero(kept))
    return Arms(packed(values, [len(row) for row in used]), names, names, kept, _left_out(kept, None))


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
    scored = judgments.n > 0
    for name in apart:
        pairs = np.unique(np.column_stack([judgments.column(name)[scored], judgments.column(cycle)[scored]]), axis=0)
        if len(pairs) == judgments.n_levels(name) * judgments.n_levels(cycle):
            continue  # every level of it was scored by every level of the cycle
        cells = judgments.level_codes([other for other in judgments.names if other != name])
        merged = judgments.replicate and len(np.unique(cells)) < len(cells)
        unshared = [name, "replicate"] if merged else [name]
        options, roles = (joint.join(form.format(role) for role in unshared) for joint, form in _LEAVING_OUT)
        return (
            f'; "{name}" has levels that not every {cycle} has: leave it out{_FURTHER if merged else ""}, with '
            f"{options} on the command line, with recognise=True, facets={{{roles}}} in Python"
        )
    return f"; have every {cycle} score the same {plural(measured)} several times"


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
            f"pool: every one of {used:,} arms always gave the same answer, so that no policy differs from another; "
            "what else they might answer, this pool does not say"
        )
    if span < _SQUARED[0] or float(np.nanmax(np.abs(values))) > _SQUARED[1]:
        raise InvalidData(
            f"pool: answers whose squares are numbers, got some {span:.3g} apart at most; rescale the scores, such as "
            f"by dividing them by {span:.0e}"
        )
    return arms


def human_scores(human: Any, arms: Arms) -> Floats:
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
    labelled = isinstance(human, Mapping)
    try:
        if labelled:
            known = {str(label): score for label, score in human.items()}
            scores = np.asarray([known.get(label, np.nan) for label in arms.objects], dtype=float)
        else:
            scores = np.asarray(human, dtype=float)
    except (TypeError, ValueError):
        got = "list" if labelled else type(human).__name__
        raise InvalidInput(f"human: numbers, got {got} with other values") from None
    if not labelled:
        if scores.shape != arms.kept.shape:
            raise InvalidInput(
                f"human: a mapping from labels, or one score for each of {len(arms.kept):,} arms, "
                f"got shape {scores.shape}"
            )
        scores = scores[arms.kept]
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
