"""Exports of platforms for surveys and crowds, whose columns have codes before their names."""

from __future__ import annotations

import re
from dataclasses import replace

from quorate.table.exchange.format import Opened, quoted
from quorate.table.notes import Note
from quorate.wording import counted, listed


def of_toloka(opened: Opened) -> Opened:
    """Toloka: what was asked, answered and by whom, without tasks whose answers were known and rejected work."""
    asked, _, own = zip(*(name.partition(":") for name in opened.columns), strict=True)
    if not {"OUTPUT", "ASSIGNMENT"} <= {*asked}:
        return opened
    parts = [*zip(asked, own, map(quoted, opened.relation.columns), strict=True)]
    shown = [(one, name) for part, one, name in parts if part in ("INPUT", "OUTPUT") or one == "worker_id"]
    golden = [f"coalesce({name}, '') <> ''" for part, _, name in parts if part == "GOLDEN"]
    refused = [f"upper({name}) = 'REJECTED'" for _, one, name in parts if one == "status"]
    known, rejected = (f"coalesce({' OR '.join(some or ['false'])}, false)" for some in (golden, refused))
    counts = f"count(*) FILTER ({known}), count(*) FILTER (NOT {known} AND {rejected}), count(*)"
    ((controls, bad, rows),) = opened.relation.aggregate(counts).fetchall()
    kept = dict(shown)
    if controls == rows or len(kept) < len(shown):  # where all were known judges are held against them
        return opened
    relation = opened.relation.filter(f"NOT ({known} OR {rejected})").project(", ".join(kept.values()))
    said = [f"{counted(controls, 'row')} of control tasks (their answers are known)"] if controls else []
    said += [f"{counted(bad, 'row')} of rejected work"] if bad else []
    left = f"; {listed(said)} left out" if said else ""
    note = Note(f"Toloka: columns by their names without INPUT:, OUTPUT: and ASSIGNMENT:{left}")
    return replace(opened, relation=relation, columns=tuple(kept), notes=(*opened.notes, note))


_CODED = re.compile(r"[A-Za-z]\w*(?:\[\w+\])?\. (?P<text>.+)", re.DOTALL)


def of_limesurvey(opened: Opened) -> Opened:
    """LimeSurvey: questions without the codes before them, as in ``U01[A]. How good? [Ada]``."""
    found = [_CODED.fullmatch(name) for name in opened.columns]
    grids = [name for name in opened.columns if re.match(r"\w+\[\w+\]\. .*\]\s*$", name, re.DOTALL)]
    names = tuple("respondent_id" if one[0].startswith("id. ") else one["text"] for one in found if one)
    if len(grids) < len("ab") or len({*names}) < len(opened.columns):
        return opened
    note = Note("LimeSurvey: questions without the codes before them; its id says who answered")
    return replace(opened, columns=names, notes=(*opened.notes, note))
