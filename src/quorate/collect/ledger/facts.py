"""Facts of a ledger: progress and spend by judge, and the answers in the form in which policies read them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quorate.collect.budget import NANO
from quorate.collect.judge import ERROR, REFUSED, TRUNCATED, UNPARSED
from quorate.collect.ledger.lease import LOST, UNSENT, held
from quorate.collect.ledger.money import BY_STATUS
from quorate.collect.ledger.schema import FAILED, Connection
from quorate.frozen import dataclass
from quorate.table.cells import Cells
from quorate.table.facets import OK
from quorate.table.progress import Progress
from quorate.wording import duration

_STATES = ("planned", "leased", "done", "given_up")
_BLOCK = 10_000
_UNSCORED = (UNPARSED, REFUSED, TRUNCATED)
_SAMPLE = 500
_BY_STATE = """
SELECT judge, state, count(*) FROM cells WHERE state IN ('done', 'given_up') GROUP BY judge, state
UNION ALL SELECT judge, 'planned', count(*) FROM cells WHERE state = 'planned' GROUP BY judge
UNION ALL SELECT judge, 'leased', count(*) FROM cells WHERE state = 'leased' GROUP BY judge
"""  # each part has an index of its own
_LATEST = 2000
_MOST_REASONS = 3
_SINGLE = re.compile(r"\b(?=\w*\d)\w{6,}(-\w+)*\b")
"""A word with a digit, such as the number of a request."""

RECENT = 300.0
"""Seconds over which speed is measured, or less where more than 2,000 answers came in them."""


@dataclass(frozen=True)
class JudgeStatus:
    """How far one judge is.

    Parameters
    ----------
    judge : str
        Its name.
    planned, leased, done, given_up : int
        Cells still to be asked, under way, answered, and given up after too many failures.
    statuses : mapping of str to int
        Requests by what came of them: ``ok``, ``unparsed``, ``refused``, ``error``, ``truncated``, ``lost`` with the
        process that waited, and ``unsent``, which are no calls, as nobody listened.
    money : float
        What its calls cost, worst-case where the judge does not say.
    unbilled : float
        That part of ``money`` which is charged for safety: the worst-case price of calls whose answer was lost or says
        no price, or one that cannot be. What is left was billed, as far as the judge says.
    unpriced : int
        Calls of unknown price, which ``money`` does not include.
    tokens_in, tokens_out : int
        Tokens, where the judge says how many.
    paused_until : float, optional
        Until when it asked to be left alone, in seconds since 1970.
    held : int
        Cells under way whose questions are answered even if no runner waits, as in a batch.
    error : str
        What was wrong with its latest call; empty if that was answered.
    reasons : tuple of (str, int)
        Why its latest calls failed, the most frequent reason first, with how many of them it was.
    unscored : str
        Beginning of its latest reply without a score, in the judge's words; empty if there is none.
    unscored_why : str
        Why that reply has no score.
    rate : float
        Cells finished per second over the last minutes.
    """

    judge: str
    planned: int
    leased: int
    done: int
    given_up: int
    statuses: Mapping[str, int] = field(default_factory=dict)
    money: float = 0.0
    unbilled: float = 0.0
    unpriced: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    paused_until: float | None = None
    held: int = 0
    error: str = ""
    reasons: tuple[tuple[str, int], ...] = ()
    unscored: str = ""
    unscored_why: str = ""
    rate: float = 0.0

    @property
    def cells(self) -> int:
        """Cells planned for this judge, whatever their state."""
        return self.planned + self.leased + self.done + self.given_up

    @property
    def calls(self) -> int:
        """Requests made, or possibly made."""
        return sum(self.statuses.values()) - self.unsent

    @property
    def unsent(self) -> int:
        """Attempts that were never sent, since nobody listened; they cost nothing."""
        return self.statuses.get(UNSENT, 0)

    @property
    def seconds_left(self) -> float | None:
        """Seconds until all its cells are finished, at its rate of the last minutes; None while it finishes none."""
        left = self.planned + self.leased
        return 0.0 if not left else left / self.rate if self.rate else None

    @property
    def wait(self) -> str:
        """That in words; empty where nothing is left, or it is not known."""
        return duration(self.seconds_left) if self.seconds_left else ""

    @property
    def failure_rate(self) -> float:
        """Share of answers that were errors; nan before the first answer."""
        return self._rate("error")

    @property
    def unparsed_rate(self) -> float:
        """Share of answers in which no score could be read; nan before the first answer."""
        return self._rate(UNPARSED)

    @property
    def unscored_rate(self) -> float:
        """Share of answers that are replies without a score: unparsed, refused or truncated; nan before the first."""
        return self._rate(*_UNSCORED)

    def _rate(self, *statuses: str) -> float:
        answers = self.calls - self.statuses.get(LOST, 0)
        return sum(self.statuses.get(status, 0) for status in statuses) / answers if answers else float("nan")


def standings(connection: Connection, place: int, now: float) -> tuple[JudgeStatus, ...]:
    """How far every judge is, in the order of planning; ``place`` is that of the facet of judges."""
    names = dict(connection.execute("SELECT code, label FROM labels WHERE facet = ? ORDER BY code", (place,)))
    states: dict[int, dict[str, Any]] = {code: dict.fromkeys(_STATES, 0) for code in names}
    for judge, state, count in connection.execute(_BY_STATE):
        states[judge][state] = count
    pauses = dict(connection.execute("SELECT judge, until FROM pauses"))
    calls, waiting, speed, why = _calls(connection), held(connection), _speed(connection, now), _reasons(connection)
    return tuple(
        JudgeStatus(
            name,
            **states[code],
            **calls.get(code, {}),
            reasons=tuple(why.get(code, Counter()).most_common(_MOST_REASONS)),
            paused_until=pauses.get(code),
            held=waiting.get(code, 0),
            rate=speed.get(code, 0.0),
        )
        for code, name in names.items()
    )


def _speed(connection: Connection, now: float) -> dict[int, float]:
    """Cells finished per second, by the code of the judge: over the last minutes, from its first answer in them."""
    rows = connection.execute(
        "SELECT c.judge, count(*), min(a.at) FROM (SELECT id, cell, at FROM attempts ORDER BY id DESC LIMIT ?) AS a "
        "JOIN cells AS c ON c.accepted = a.id AND c.id = a.cell WHERE a.at > ? GROUP BY c.judge",
        (_LATEST, now - RECENT),
    )
    return {judge: (count - 1) / (now - first) for judge, count, first in rows if count > 1 and now > first}


def _reasons(connection: Connection) -> dict[int, Counter[str]]:
    """Why the latest calls that failed did, by the code of the judge; what tells one call from another is left out."""
    rows = connection.execute(
        "SELECT c.judge, e.error FROM "
        f"(SELECT id, cell, error FROM attempts WHERE {FAILED} ORDER BY id DESC LIMIT {_LATEST}) AS e "
        "JOIN cells AS c ON c.id = e.cell ORDER BY e.id"
    )
    found: dict[int, Counter[str]] = {}
    for judge, error in rows.fetchall():
        found.setdefault(judge, Counter())[_SINGLE.sub("...", error or "no reason given")] += 1
    return found


def _calls(connection: Connection) -> dict[int, dict[str, Any]]:
    judges: dict[int, dict[str, Any]] = {}
    latest: dict[int, tuple[int, str]] = {}
    unscored: dict[int, int] = {}
    empty = {"money": 0.0, "unbilled": 0.0, "unpriced": 0, "tokens_in": 0, "tokens_out": 0}
    for judge, status, count, money, unpriced, tokens_in, tokens_out, unbilled, last in connection.execute(BY_STATUS):
        start: dict[str, Any] = {"statuses": {}, **empty}
        calls = judges.setdefault(judge, start)
        calls["statuses"][status] = count
        if status != LOST:
            latest[judge] = max(latest.get(judge, (0, "")), (last, status))
        if status in _UNSCORED:
            unscored[judge] = max(unscored.get(judge, 0), last)
        calls["money"] += money / NANO
        calls["unbilled"] += unbilled / NANO
        calls["unpriced"] += unpriced
        calls["tokens_in"] += tokens_in
        calls["tokens_out"] += tokens_out
    for judge, (last, status) in latest.items():
        if status in (ERROR, UNSENT):
            ((error,),) = connection.execute("SELECT error FROM attempts WHERE id = ?", (last,))
            judges[judge]["error"] = error or "no reason given"
    for judge, last in unscored.items():
        sample = f"SELECT substr(text, 1, {_SAMPLE}), error FROM attempts WHERE id = ?"
        ((text, why),) = connection.execute(sample, (last,))
        judges[judge] |= {"unscored": text or "", "unscored_why": why or ""}
    return judges


def progress(connection: Connection, start: Progress, first: int) -> Progress:
    """How far the cells after the ``first`` have come: answers and failures, and those that are still to be asked."""
    facets = connection.execute("SELECT place, name, parent FROM facets ORDER BY place").fetchall()
    nested = {name: parent for _, name, parent in facets if parent is not None}
    levels: dict[str, tuple[str, ...]] = {}
    for place, name, _ in facets:
        labels = connection.execute("SELECT label FROM labels WHERE facet = ? ORDER BY code", (place,))
        levels[name] = tuple(label for (label,) in labels)
    codes = ", ".join(f"c.f{place}" for place in range(len(levels)))
    query = (
        f"SELECT c.id, c.replicate, c.accepted IS NOT NULL, CASE a.status WHEN '{OK}' THEN a.score END, {codes} "
        f"FROM cells AS c LEFT JOIN attempts AS a ON a.id = c.accepted WHERE c.id > ? ORDER BY c.id LIMIT {_BLOCK}"
    )
    after, last = start, first
    while rows := connection.execute(query, (last,)).fetchall():  # in the order of planning
        numbers, replicate, accepted, score, *columns = zip(*rows, strict=True)
        last = numbers[-1]
        table: NDArray[np.int32] = np.array(columns, dtype=np.int32).T
        cells = Cells(levels, table, np.array(replicate, dtype=np.int64), nested)
        finished, scores = np.array(accepted, dtype=np.bool_), np.array(score, dtype=np.float64)
        after = after.asked(cells).answered(cells.keep(finished), scores[finished])
    return after


def planned_by(connection: Connection, place: int) -> dict[str, int]:
    """Cells of every level of the facet at a place, whatever their state."""
    rows = connection.execute(
        f"SELECT l.label, count(*) FROM cells AS c JOIN labels AS l ON l.facet = ? AND l.code = c.f{place:d} "
        "GROUP BY l.label",
        (place,),
    )
    return dict(rows.fetchall())


def unfinished(connection: Connection, place: int) -> dict[str, int]:
    """Cells that are planned or leased, by judge; ``place`` is that of the facet of judges."""
    rows = connection.execute(
        "SELECT label, sum(count) FROM (SELECT judge, count(*) AS count FROM cells WHERE state = 'planned' "
        "GROUP BY judge UNION ALL SELECT judge, count(*) FROM cells WHERE state = 'leased' GROUP BY judge) "
        "AS held JOIN labels ON facet = ? AND code = judge GROUP BY label, code ORDER BY code",
        (place,),
    )
    return dict(rows.fetchall())


def unpriced(connection: Connection, place: int) -> tuple[str, ...]:
    """Judges with cells to be asked whose price is not known; ``place`` is that of the facet of judges."""
    rows = connection.execute(
        "SELECT DISTINCT label FROM cells JOIN labels ON facet = ? AND code = judge "
        "WHERE price IS NULL AND state IN ('planned', 'leased') ORDER BY label",
        (place,),
    )
    return tuple(name for (name,) in rows)


def pauses(connection: Connection, place: int) -> dict[str, float]:
    """Until when judges asked to be left alone, in seconds since 1970; ``place`` is that of the facet of judges."""
    rows = connection.execute("SELECT label, until FROM pauses JOIN labels ON facet = ? AND code = judge", (place,))
    return dict(rows.fetchall())
