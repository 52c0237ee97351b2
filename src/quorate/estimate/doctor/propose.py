"""What a table may be, tried: the arguments that read it, each with its reason."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from quorate.arguments import Argument
from quorate.errors import QuorateError
from quorate.estimate.doctor.analyses import COMPONENTS, MEAN
from quorate.estimate.doctor.support import doctor
from quorate.estimate.doctor.vote_findings import MARGINS
from quorate.roles import JUDGE, TEMPERATURE
from quorate.table.columns.outcomes import plain
from quorate.table.columns.roles import ALIASES
from quorate.table.exchange.format import Kind
from quorate.table.exchange.rows import Rows
from quorate.table.facts.profile import looked_at
from quorate.table.judgments import Judgments
from quorate.table.read import read
from quorate.table.reading.reading import Confidence, Meant, arguments, call
from quorate.table.reading.taken import NOTHING, reading_of
from quorate.table.results import Result, Row
from quorate.wording import brief


@dataclass(frozen=True, repr=False)
class Proposal(Result):
    """How a table can be read.

    Parameters
    ----------
    kind : {"scores", "votes"} or None
        What its rows are; None if nothing in it looks like either.
    options : mapping of str to object
        Arguments of `quorate.read`; empty where none is needed.
    reasons : tuple of str
        Why, a sentence each.
    problem : str
        What stands in the way even so; empty if the table was read with these options and can be analysed.
    source : str
        The file, or the kind of frame.
    confidence : {"sure", "likely", "unsure"}
        How sure that is: a table is read so by itself, read so and said, or asked about.
    ways : tuple of Meant
        Where that is asked about: what the table may be, the likeliest first.
    """

    kind: Kind | None
    options: Mapping[str, Any]
    reasons: tuple[str, ...]
    problem: str
    source: str
    confidence: Confidence = "unsure"
    ways: tuple[Meant, ...] = ()

    def __repr__(self) -> str:
        return brief("Proposal", self.python)

    @property
    def python(self) -> str:
        """The call of `quorate.read`."""
        return call(self.source, self.options)

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """The options one by one, for an interface to spell."""
        return tuple(arguments(self.kind, self.options))

    def rows(self) -> list[Row]:
        """Every option with its value."""
        return [{"option": one.name, "value": one.value} for one in self.arguments]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {
            "kind": self.kind,
            "options": dict(self.options),
            "reasons": list(self.reasons),
            "problem": self.problem,
            "confidence": self.confidence,
            "python": self.python,
        }


def propose(
    source: Any,
    *,
    where: str | None = None,
    partitions: bool = False,
    part: str | None = None,
    format: str | None = None,
) -> Proposal:
    """How to read a table whose columns have names of their own: looked at, then tried.

    Columns are candidates by name, by what they hold, and by which of them tell rows apart. What is proposed has been
    read that way; it is for a person to say whether it is meant so.

    Parameters
    ----------
    source : path or frame
        As of `quorate.read`.
    where, partitions, part, format
        As of `quorate.read`.

    Returns
    -------
    Proposal

    Raises
    ------
    InvalidInput, InvalidData
        If the source cannot be opened at all.

    Examples
    --------
    >>> import polars
    >>> columns = {"plate": list("aabbcc"), "dose": list("xyxyxy"), "diameter": [27, 23, 26, 22, 29, 24]}
    >>> frame = polars.DataFrame(columns)
    >>> found = propose(frame)
    >>> found.kind, found.options
    ('scores', {'score': 'diameter', 'facets': {'item': 'plate', 'dose': 'dose'}})
    """
    rows = Rows(where, partitions, part, format)
    given = {key: value for key, value in vars(rows).items() if value and key != "shape"}
    name = os.fspath(source) if isinstance(source, (str, os.PathLike)) else "frame"
    with looked_at(source, rows) as table:
        found = reading_of(table)
        if found is None:
            return Proposal(None, {}, (), NOTHING, name)
        kind = found.kind

        def problem_of(options: Mapping[str, Any]) -> str:
            # a frame must hold places as numbers, which text in a file may stand for
            return (
                _problem(table.frame, kind, options)
                if table.held and "rank" not in options
                else _problem(source, kind, {**options, **given})
            )

        options, reasons = dict(found.options), list(found.reasons)
        problem = problem_of(options)
        if problem and kind == "scores" and any(plain(name) in ALIASES[TEMPERATURE] for name in table.names):
            for other, reason in _without_temperature(options):
                if not problem_of(other):
                    options, problem = other, ""
                    reasons.append(reason)
                    break
    return Proposal(kind, options | given, tuple(reasons), problem, name, found.confidence, found.ways)


def _without_temperature(options: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], str]]:
    """Other arguments where temperatures go with judges, so that their effects cannot be told apart."""
    drawn = "judges never meet all temperatures: these are taken as drawn"
    yield {**options, "fixed": (JUDGE,)}, drawn
    left_out = "each temperature goes with some judges only: it is left out, as a property of the judge"
    yield {**options, "facets": {**options.get("facets", {}), TEMPERATURE: ""}}, left_out


def _problem(source: Any, kind: Kind, options: Mapping[str, Any]) -> str:
    """What stands in the way of an analysis of a table that is read so; empty if nothing does."""
    by_name = {"recognise": True} if kind == "scores" else {}  # as the command does by itself
    given: dict[str, Any] = {**options, **by_name}
    try:
        table = read(source, kind=kind, announce=False, **given)
        if isinstance(table, Judgments) and table.labels:
            from quorate.estimate.labels import label_means, label_shares

            label_means(table, label_shares(table), targets={})
            return ""
        support = doctor(table)
    except QuorateError as error:
        return str(error)
    errors = [finding.sentence for finding in support.findings if finding.severity == "error"]
    needed = (support.analysis(name) for name in ((COMPONENTS, MEAN) if kind == "scores" else (MARGINS,)))
    return next(iter((*errors, *(entry.reason for entry in needed if not entry.possible))), "")
