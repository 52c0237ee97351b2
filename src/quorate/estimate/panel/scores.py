"""Crossed scores of a panel: every judge scored every generation of every scenario."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quorate.arguments import argument
from quorate.arrays import Floats, Ints
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.components.model import closure
from quorate.estimate.means.effects import level_labels
from quorate.roles import GENERATION, JUDGE
from quorate.table.judgments import Judgments, checked
from quorate.wording import counted, listed, plural


@dataclass(frozen=True, eq=False, repr=False)
class CrossedScores:
    """Scores of a panel as an array, complete: no cell is empty.

    Parameters
    ----------
    x : array, shape (n, m, K)
        Score of generation j of scenario i by judge l; the mean where a cell was answered more than once.
    scenarios : tuple of str, length n
        Labels of the scenarios.
    judges : tuple of str, length K
        Labels of the judges.
    left_out : int
        Scenarios that are not in ``x`` because fewer than m of their generations were scored by every judge.
    generations_left_out : int
        Generations of the scenarios in ``x`` that are not: not scored by every judge, or more than m.
    generation : str, optional
        Role of the facet that is the generation; none where m is 1 for want of one.
    answers : (int, int)
        Fewest and most answers to a cell of ``x``.
    """

    x: Floats
    scenarios: tuple[str, ...]
    judges: tuple[str, ...]
    left_out: int
    generations_left_out: int
    generation: str | None
    answers: tuple[int, int]

    def __repr__(self) -> str:
        n, m, judges = self.x.shape
        return f"CrossedScores({n} scenarios x {m} generations x {judges} judges; {self.left_out} left out)"


def crossed_scores(judgments: Judgments, *, generation: str | None = None) -> CrossedScores:
    """The judgments of a panel as an array of scenarios, generations and judges.

    A scenario is a level of the object of measurement, with whatever it is nested in. Only generations that every judge
    scored count, and every scenario has m of them, with m as large as keeps the most scores; of a scenario with more,
    the first m by label are taken.

    Parameters
    ----------
    judgments : Judgments
        From `quorate.read`; judges in a facet ``judge``.
    generation : str, optional
        Role of the facet that tells the responses to a scenario apart, nested in the scenario or crossed with it.
        Without it, the facet ``generation`` if there is one, otherwise one generation per scenario.

    Raises
    ------
    UnknownTerm
        If there is no facet ``judge`` or ``generation``.
    InvalidInput
        If another facet varies within scenarios (choose one of its levels by ``judgments.only``), or the judge is the
        object of measurement.
    NotEstimable
        If fewer than two judges scored, or fewer than two scenarios are complete.

    Examples
    --------
    >>> import polars
    >>> import quorate as q
    >>> frame = polars.DataFrame({"item": [1, 1, 2, 2, 3], "judge": list("xyxyx"), "score": [1, 2, 2, 4, 3]})
    >>> crossed_scores(q.read(frame, announce=False))
    CrossedScores(2 scenarios x 1 generations x 2 judges; 1 left out)
    """
    judgments = checked(judgments)
    judgments = judgments.keep(judgments.n > 0)
    generation = _generation(judgments, generation)
    _refuse_other_facets(judgments, generation)
    item, judges = judgments.object, level_labels(judgments, JUDGE)
    if len(judges) < 2:
        raise NotEstimable(f"judge: a panel has at least 2 judges who answered, got {len(judges)}", {JUDGE})
    # Generations of one scenario follow each other in the order of their labels.
    response = judgments.level_codes([item] + ([generation] if generation else []))
    cell = np.full((int(response.max()) + 1, len(judges)), -1)
    cell[response, judgments.level_codes([JUDGE])] = np.arange(judgments.n_cells)
    cell = cell[(cell >= 0).all(axis=1)]
    owner = judgments.level_codes([item])[cell[:, 0]]
    n = judgments.n_levels(item)
    m, kept = most_scores(owner, n)
    if m == 0 or len(kept) < 2 * m:
        least = judges[int(np.bincount(judgments.level_codes([JUDGE])).argmin())]
        raise NotEstimable(
            f"{plural(item)}: a crossed panel needs at least 2 that all {len(judges)} judges scored, "
            f"got {len(kept) // max(m, 1)} of {counted(n, item)}; judge {least} scored least: "
            f'leave it out by judgments.without("judge", "{least}")',
            {item, JUDGE},
        )
    cell, taken = cell[kept], owner[kept][::m]
    labels = level_labels(judgments, item)
    generations = len(np.unique(response[np.isin(judgments.level_codes([item]), taken)]))
    return CrossedScores(
        x=judgments.mean[cell].reshape(len(taken), m, len(judges)),
        scenarios=tuple(labels[i] for i in taken),
        judges=judges,
        left_out=n - len(taken),
        generations_left_out=generations - len(cell),
        generation=generation,
        answers=(int(judgments.n[cell].min()), int(judgments.n[cell].max())),
    )


def _generation(judgments: Judgments, generation: str | None) -> str | None:
    judgments.facet(JUDGE)
    if judgments.object == JUDGE:
        raise InvalidInput(
            'object: a panel measures something other than its judges, got "judge"; read with object="item"'
        )
    if generation is None:
        return GENERATION if GENERATION in judgments.names else None
    judgments.facet(generation)
    if generation in closure(judgments, [judgments.object, JUDGE]):
        raise InvalidInput(f'generation: expects a facet other than the scenario and the judge, got "{generation}"')
    return generation


def _refuse_other_facets(judgments: Judgments, generation: str | None) -> None:
    """Every other facet must be a property of the scenario or of the judge, or have one level."""
    unit = closure(judgments, [judgments.object, JUDGE]) | {generation}
    span = {by: int(judgments.level_codes([by]).max()) for by in (judgments.object, JUDGE)}
    others = [
        facet
        for facet in judgments.facets
        if facet.name not in unit
        and all(int(judgments.level_codes([by, facet.name]).max()) != top for by, top in span.items())
    ]
    if others:
        hint = "" if generation else ", or name the responses by " + argument("generation", others[0].name)
        raise InvalidInput(
            f"{', '.join(facet.name for facet in others)}: a crossed panel has one level of each, got "
            f"{listed([str(len(facet.levels)) for facet in others])}; choose one, as by "
            + argument("only", {facet.name: fullest_level(judgments, facet.name) for facet in others})
            + hint
        )


def fullest_level(judgments: Judgments, name: str) -> str:
    """The level that most judges scored, and of these the one with most cells: a slice worth looking at."""
    size = len(judgments.facet(name).levels)
    one_each = np.unique(judgments.level_codes([name, JUDGE]), return_index=True)[1]
    judges = np.bincount(judgments.column(name)[one_each], minlength=size)
    cells = np.bincount(judgments.column(name), minlength=size)
    return judgments.facet(name).levels[int(np.lexsort((-np.arange(size), cells, judges))[-1])]


def most_scores(owner: Ints, n: int) -> tuple[int, Ints]:
    """Generations per scenario that keep the most scores, and which generations those are."""
    if not len(owner):
        return 0, owner
    count = np.bincount(owner, minlength=n)
    sizes = np.arange(1, count.max() + 1)
    scenarios = np.array([np.sum(count >= size) for size in sizes])
    m = int(sizes[len(sizes) - 1 - np.argmax((sizes * scenarios * (scenarios > 1))[::-1])])
    rank = np.arange(len(owner)) - np.searchsorted(owner, owner)
    return m, np.flatnonzero((count[owner] >= m) & (rank < m))
