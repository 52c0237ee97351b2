"""Ratings as ``precomputed_scores`` of Inspect AI takes them: one record for each sample and epoch."""

from __future__ import annotations

import json
import math
from pathlib import Path

from quorate.errors import InvalidData, InvalidInput
from quorate.roles import JUDGE, SYSTEM
from quorate.table.judgments import Judgments
from quorate.table.long import Written, rows_of
from quorate.writing import write_file


def write(judgments: Judgments, path: Path) -> Written:
    """Write a record for each item and epoch: the score of the one judge, or the scores by judge.

    Raises
    ------
    InvalidInput
        If the name does not end in .jsonl, there are several systems, or an epoch is no whole number.
    InvalidData
        If one judge rated one item more than once in an epoch.
    """
    if path.suffix.lower() != ".jsonl":
        raise InvalidInput(f'path: must end in .jsonl, got "{path.name}"')
    if SYSTEM in judgments.names and judgments.n_levels(SYSTEM) > 1:
        raise InvalidInput('judgments: a log is of one system; write each by itself, with only={"system": "..."}')
    judged = JUDGE in judgments.names
    found: dict[tuple[str, int | None], dict[str, float]] = {}
    rows = rows_of(judgments)
    items, item = judgments.facet(judgments.object).levels, judgments.column(judgments.object)[rows.cell]
    judges = judgments.facet(JUDGE).levels if judged else ("score",)
    judge = judgments.column(JUDGE)[rows.cell] if judged else [0] * len(item)
    epochs = [None] * len(item) if rows.replicate is None else [_epoch(label) for label in rows.replicate]
    missing = 0
    for which, who, epoch, score in zip(item, judge, epochs, rows.score.tolist(), strict=True):
        key = items[which], epoch
        if judges[who] in found.setdefault(key, {}):
            raise InvalidData(f"judgments: {judges[who]} rated {items[which]} more than once in one epoch")
        missing += math.isnan(score)
        found[key][judges[who]] = score
    lines = []
    for (name, epoch), scores in found.items():
        known = {who: score for who, score in scores.items() if not math.isnan(score)}
        if known:
            value = next(iter(known.values())) if len(judges) == 1 else {who: known.get(who) for who in judges}
            record: dict[str, object] = {"id": name, "epoch": epoch, "value": value}
            record |= {"metadata": {"judge": judges[0]}} if judged and len(judges) == 1 else {}
            lines.append({key: entry for key, entry in record.items() if entry is not None})
    write_file(path, "".join(json.dumps(line) + "\n" for line in lines).encode())
    notes = (f"{missing:,} judgments without a score: no value",) if missing else ()
    return Written(path, len(lines), "item", notes)


def _epoch(label: str | None) -> int | None:
    if label is None:
        return None
    if not label.isascii() or not label.isdigit():
        raise InvalidInput(f'judgments: an epoch of Inspect AI is a whole number, got the replicate "{label}"')
    return int(label)
