"""LangSmith: feedback on every run of an experiment, in the CSV of its table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from math import isinf, nan
from pathlib import Path
from typing import TYPE_CHECKING

from quorate.errors import InvalidData
from quorate.table.exchange.csv_text import open_csv
from quorate.table.exchange.foreign.records import Records, chosen, name_at, unread
from quorate.table.exchange.format import Format, Opened
from quorate.table.exchange.glance import Glance
from quorate.table.notes import Note

if TYPE_CHECKING:
    import duckdb


_FEEDBACK = "feedback."
_EXAMPLE, _ERROR, _EXPERIMENT = "example_id", "error", "experiment"
_TRUTH = {"true": 1.0, "false": 0.0}


def claims(glance: Glance) -> bool:
    """Whether its columns are an example's and feedback."""
    return _EXAMPLE in glance.header and any(name.startswith(_FEEDBACK) for name in glance.header)


def _read_experiment(connection: duckdb.DuckDBPyConnection, path: Path, part: str | None) -> Opened:
    """One row for each feedback on each run; a run that failed has none, whatever evaluators said of it.

    Parameters
    ----------
    part : str, optional
        The keys of the feedback that is read; several are levels of ``judge``.

    Raises
    ------
    InvalidData
        If there are no such columns.
    InvalidInput
        If there are several keys and none is named.
    """
    table = open_csv(connection, path)
    wanted = [name for name in table.columns if name in (_EXAMPLE, _ERROR, _EXPERIMENT) or name.startswith(_FEEDBACK)]
    keys = [name.removeprefix(_FEEDBACK) for name in wanted if name.startswith(_FEEDBACK)]
    if _EXAMPLE not in wanted or not keys:
        raise InvalidData(f"{path}: has no columns {_EXAMPLE} and {_FEEDBACK}<key>, which a table of LangSmith has")
    rows = [dict(zip(wanted, row, strict=True)) for row in table.only(wanted).fetchall()]
    if not rows:
        raise InvalidData(f"{path}: has no run")
    found = {key: _scores([row[_FEEDBACK + key] for row in rows]) for key in keys}
    judges = chosen(part, found, "score")
    records = Records("item", "system", "judge", "replicate", "score", "status")
    seen: dict[tuple[str, str | None], int] = defaultdict(int)
    for place, row in enumerate(rows):
        item = name_at(row[_EXAMPLE], f"{path}: row {place + 1}: {_EXAMPLE}")
        seen[item, row.get(_EXPERIMENT)] += 1
        system = (row.get(_EXPERIMENT) or "").strip() or path.stem
        status = "error" if (row.get(_ERROR) or "").strip() else "ok"
        for judge in judges:
            score = found[judge][place] if status == "ok" else None
            records.add(
                item=item,
                system=system,
                judge=judge,
                replicate=seen[item, row.get(_EXPERIMENT)],
                score=score,
                status=status,
            )
    unnamed = (
        "" if any(row.get(_EXPERIMENT) for row in rows) else f"; the table names no system: it is called {path.stem}"
    )
    notes = [Note(f"LangSmith: feedback {', '.join(judges)}{unnamed}")]
    left = [key for key in keys if key not in judges]
    return records.opened(connection, "scores", notes=[*notes, *unread(left)])


def _scores(texts: Sequence[str | None]) -> list[float | str]:
    """Feedback of one key: numbers, or as it is written where some is a word; nan of nothing."""
    numbers = [_score(text) for text in texts]
    if None in numbers:
        return [(text or "").strip() or nan for text in texts]
    return [nan if number is None else number for number in numbers]


def _score(text: str | None) -> float | None:
    """A number, or truth as 1 and 0; nan of nothing, None of text."""
    word = (text or "nan").strip().lower() or "nan"
    try:
        number = _TRUTH[word] if word in _TRUTH else float(word)
    except ValueError:
        return None
    return None if isinf(number) else number


SIGHT = ("feedback.",)
FORMAT = Format("langsmith", _read_experiment, claims=claims, tool=True, holds=lambda _: "scores")
