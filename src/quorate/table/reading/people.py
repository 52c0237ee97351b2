"""Judges of one table of whom some are people and others models: what is asked of these."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from quorate.roles import JUDGE, SYSTEM
from quorate.table.columns.names import words_of
from quorate.table.exchange.format import quoted
from quorate.table.files import opened
from quorate.table.judgments import Judgments
from quorate.table.notes import not_used
from quorate.table.reading.key import checked_by, is_of_machines, is_of_people, people_beside
from quorate.table.reading.reading import Meant, Unsure
from quorate.wording import listed

_KINDS = frozenset(("type", "kind", "source", "class"))
"""Words in the name of a column that says of each judge what it is."""


def among_models(judgments: Judgments) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Judges who are people and those that are models, by their names; None unless there are both and no others."""
    both = people_beside(judgments.facet(JUDGE).levels) if JUDGE in judgments.names else None
    return both if both and all(map(is_of_machines, both[1])) else None


def _as_said_beside(judgments: Judgments, column: str) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The same, as a column beside the judges says of each, such as one of human and llm."""
    facet, origin = judgments.facet(JUDGE), judgments.origin
    if origin is None or not _KINDS & {*words_of(column)}:
        return None
    with opened(origin.source, origin.rows) as file:
        if facet.column not in file.columns:
            return None
        names = [quoted(file.relation.columns[file.columns.index(name)]) for name in (facet.column, column)]
        asked = ", ".join(f"trim({name}::VARCHAR)" for name in names)
        said = file.relation.project(asked).distinct().limit(len(facet.levels) + 1).fetchall()
    kinds = {judge: str(of) for judge, of in said}
    people = tuple(judge for judge in facet.levels if is_of_people(kinds.get(judge, "")))
    models = tuple(judge for judge in facet.levels if is_of_machines(kinds.get(judge, "")))
    return (people, models) if people and models and len(people) + len(models) == len(said) else None


def refuse_people_among_models(judgments: Judgments, source: Path) -> None:
    """Ask of the judges of one system how far models say what people do, as of columns side by side.

    Raises
    ------
    Unsure
        If names say who is which.
    """
    if JUDGE not in judgments.names or (SYSTEM in judgments.names and judgments.n_levels(SYSTEM) > 1):
        return
    told = [(among_models(judgments), "name")]
    told += [] if told[0][0] else [(_as_said_beside(judgments, one), one) for one in not_used(judgments.notes)]
    both, said_by = next((way for way in told if way[0]), (None, ""))
    if both is None:
        return
    people, models = both
    facet = judgments.facet(JUDGE)
    said = np.isin(judgments.column(JUDGE), [facet.levels.index(name) for name in people]) & (judgments.n > 0)
    item = judgments.level_codes([judgments.object])
    filled = len(np.unique(item[said])) / len(np.unique(item))
    again = {"facets": {one.name: one.column for one in judgments.facets}, "score": judgments.score, "labels": True}
    ways = checked_by(again if judgments.labels else {}, {"human": people}, filled, plain=True)
    alike = Meant({"facets": {JUDGE: facet.column}}, "all of them judges alike")
    who = f"{listed(people, most=6)} {'is a person' if len(people) == 1 else 'are people'} by {said_by}"
    problem = f"{who}, {listed(models, most=6)} {'a model' if len(models) == 1 else 'models'}"
    raise Unsure(problem, str(source), (*ways, alike))
