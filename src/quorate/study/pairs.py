"""Items that are pairs of responses by two named systems: how their cells are laid out, and what prompts they need."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from quorate.collect.prompt import Prompt
from quorate.errors import InvalidInput
from quorate.roles import REPLICATE
from quorate.study.items import Material
from quorate.table.cells import Cells
from quorate.table.exchange.ledger import PAIR
from quorate.table.files import opened
from quorate.table.judgments import Judgments
from quorate.table.read import read

SYSTEM_A, SYSTEM_B = PAIR
ORDER = "order"
_ROLES = ("item", SYSTEM_A, SYSTEM_B)
_VERDICTS = frozenset({0.0, 0.5, 1.0})


def check_prompts(prompts: Mapping[str, Prompt], *, named: bool) -> None:
    """Refuse prompts whose answers do not belong in one table.

    Parameters
    ----------
    prompts : mapping of str to Prompt
        Of the study.
    named : bool
        Whether its items name two systems.

    Raises
    ------
    InvalidInput
        If some compare two responses and others judge one, or systems are named and an answer is no vote.
    """
    pairwise = {name: prompt.compares for name, prompt in prompts.items()}
    single = next((name for name, compares in pairwise.items() if not compares), None)
    if single is not None and any(pairwise.values()):
        other = next(name for name, compares in pairwise.items() if compares)
        raise InvalidInput(f"prompts: {other} compares two responses and {single} judges one; make two studies of them")
    if named and single is not None:
        raise InvalidInput(f"items.system_a: {single} judges one response, not two; use pairwise, or items.system")
    for prompt in prompts.values() if named else ():
        if prompt.expects.expected or not prompt.expects.labels or set(prompt.expects.labels.values()) - _VERDICTS:
            raise InvalidInput(
                f"prompts.{prompt.name}: the answer on two named systems is a vote; give a file the scale [0, 1] and "
                "labels of 1, 0.5 and 0, such as {A: 1, tie: 0.5, B: 0}, and leave expected out"
            )


def recorded(path: Path) -> Judgments:
    """A table of recorded verdicts on pairs, as scores: what tells two of them apart are its facets."""
    with opened(path) as file:
        known = file.facets or tuple(name for name in (SYSTEM_A, SYSTEM_B, ORDER) if name in file.columns)
        whole = bool(file.facets)
    facets = {name: name for name in known} | ({REPLICATE: REPLICATE} if whole else {})
    return read(path, facets=facets, recognise=not whole, announce=False)


def numbered(items: Material) -> dict[str, str] | tuple[str, ...]:
    """Every row of the items under its number, with its category where there are any."""
    places = tuple(str(place) for place in range(len(items.fields)))
    if not items.categories:
        return places
    return {place: items.categories[name[0]] for place, name in zip(places, items.fields, strict=True)}


def paired(cells: Cells, items: Material) -> Cells:
    """Cells of rows under their numbers as cells of items and two systems.

    Parameters
    ----------
    cells : Cells
        With the labels of `numbered` as items.
    items : Material
        The rows.
    """
    own = cells.code("item")
    rows = np.array([int(place) for place in cells.levels["item"]])[own]
    levels: dict[str, tuple[str, ...]] = {}
    columns = []
    for place, role in enumerate(_ROLES):
        labels = [name[place] for name in items.fields]
        codes = {label: code for code, label in enumerate(dict.fromkeys(labels))}
        levels[role] = tuple(codes)
        columns.append(np.array([codes[label] for label in labels], dtype=np.int32)[rows])
    others = [name for name in cells.levels if name != "item"]
    columns += [cells.code(name) for name in others]
    levels |= {name: cells.levels[name] for name in others}
    return Cells(levels, np.column_stack(columns), cells.replicate, cells.nested)
