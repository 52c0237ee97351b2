"""Judges of one table of whom some are people by their names and others models: what is asked of these."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from quorate.roles import JUDGE, SYSTEM
from quorate.table.judgments import Judgments
from quorate.table.reading.key import checked_by, is_of_machines, people_beside
from quorate.table.reading.reading import Meant, Unsure
from quorate.wording import listed


def among_models(judgments: Judgments) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Judges who are people and those that are models, by their names; None unless there are both and no others."""
    both = people_beside(judgments.facet(JUDGE).levels) if JUDGE in judgments.names else None
    return both if both and all(map(is_of_machines, both[1])) else None


def refuse_people_among_models(judgments: Judgments, source: Path) -> None:
    """Ask of the judges of one system how far models say what people do, as of columns side by side.

    Raises
    ------
    Unsure
        If names say who is which.
    """
    both = among_models(judgments)
    if both is None or (SYSTEM in judgments.names and judgments.n_levels(SYSTEM) > 1):
        return
    people, models = both
    facet = judgments.facet(JUDGE)
    said = np.isin(judgments.column(JUDGE), [facet.levels.index(name) for name in people]) & (judgments.n > 0)
    item = judgments.level_codes([judgments.object])
    filled = len(np.unique(item[said])) / len(np.unique(item))
    ways = checked_by({}, {"human": people}, filled, plain=True)
    alike = Meant({"facets": {JUDGE: facet.column}}, "all of them judges alike")
    who = f"{listed(people, most=6)} {'is a person' if len(people) == 1 else 'are people'} by name"
    problem = f"{who}, {listed(models, most=6)} {'a model' if len(models) == 1 else 'models'}"
    raise Unsure(problem, str(source), (*ways, alike))
