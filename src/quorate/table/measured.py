"""One file with several measures: each is a question of its own, answered by itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import partial, wraps
from inspect import signature
from typing import Any, TypeVar, cast

from quorate.caveats import Caveat
from quorate.errors import InvalidData, NotEstimable, QuorateError
from quorate.frozen import dataclass
from quorate.table.exchange.format import Kind
from quorate.table.facets import Source
from quorate.table.judgments import Judgments
from quorate.table.notes import Note, left_unused, not_used
from quorate.table.read import read
from quorate.table.reading.reading import Unsure, complete
from quorate.table.results import Interval, Result, Row
from quorate.table.votes import Votes
from quorate.wording import at_level, counted, decimals, listed

Function = TypeVar("Function", bound=Callable[..., Any])
Table = Judgments | Votes


@dataclass(frozen=True)
class MeasuredFile:
    """One file, read once for each of its measures.

    Parameters
    ----------
    tables : mapping of str to Judgments or Votes
        By the name of the measure.
    question : Unsure
        What is asked where they cannot all be answered.
    """

    tables: Mapping[str, Table]
    question: Unsure

    @classmethod
    def of(cls, question: Unsure, read: Callable[[Kind, Mapping[str, Any]], Table]) -> MeasuredFile:
        """The file that a question is about, each measure read with its options.

        Raises
        ------
        Unsure
            If it has no several measures, or one of them cannot be read.
        InvalidData
            If none of them can for what the file holds.
        """
        tables: dict[str, Table] = {}
        refused: list[QuorateError] = []
        for way in question.measures:
            try:
                tables[way.measure] = read(question.kind, way.options)
            except QuorateError as error:
                refused.append(error)
        broken = next((error for error in refused if isinstance(error, InvalidData)), None)
        if broken is not None and not tables:
            raise broken
        if refused or not tables:
            raise question
        return cls(tables, question)

    @property
    def first(self) -> Table:
        """The table of one measure."""
        return next(iter(self.tables.values()))

    @property
    def notes(self) -> tuple[Note, ...]:
        """What was read as what, of all measures alike, and what none of them uses."""
        first, *others = [one.notes for one in self.tables.values()]
        alike = [note for note in first if all(note in notes for notes in others) and not not_used([note])]
        unused = [name for name in not_used(first) if all(name in not_used(notes) for notes in others)]
        return (*alike, *left_unused(unused))

    @property
    def source(self) -> Source:
        """Where it came from."""
        return self.first.source

    def answered(self, answer: Callable[[Table], Result]) -> Measures:
        """The answer to every measure.

        Raises
        ------
        Unsure
            If one of them has none.
        """
        try:
            found = {way.measure: answer(self.tables[way.measure]) for way in self.question.measures}
        except NotEstimable:
            raise self.question from None
        return Measures(tuple(Measure(way.measure, found[way.measure], way.options) for way in self.question.measures))


@dataclass(frozen=True)
class Measure(Result):
    """One measure of several.

    Parameters
    ----------
    name : str
        The column, or the metric of a log.
    answer : Result
        What is said of it alone.
    options : mapping of str to object
        Arguments of `quorate.read` for it alone.
    """

    name: str
    answer: Any
    options: Mapping[str, Any] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """What is said of it, under its name."""
        return {"measure": self.name, **self.answer.to_dict()}


@dataclass(frozen=True, repr=False)
class Measures(Result):
    """What is said of several measures of one file, each by itself: they have no mean of their own.

    Parameters
    ----------
    measures : tuple of Measure
        In the order of the file.
    """

    measures: tuple[Measure, ...]

    derived = ("sentence", "caveats")

    @property
    def estimated(self) -> bool:
        """Whether every answer is one number with its interval: a mean, or the difference of two systems."""
        return all(isinstance(getattr(one.answer, "estimate", None), Interval) for one in self.measures)

    @property
    def verdicts(self) -> bool:
        """Whether every answer is a verdict on two systems."""
        return self.estimated and all(hasattr(one.answer, "outcome") for one in self.measures)

    @property
    def exit_code(self) -> int:
        """That of the answer that shows least."""
        return max(int(getattr(one.answer, "exit_code", 0)) for one in self.measures)

    @property
    def level(self) -> float:
        """Coverage of every interval."""
        return float(self.measures[0].answer.level)

    @property
    def caveats(self) -> tuple[Caveat, ...]:
        """What to know before relying on any of them, once each."""
        return tuple(dict.fromkeys(caveat for one in self.measures for caveat in one.answer.caveats))

    @property
    def sentence(self) -> str:
        """The numbers of means, the outcomes of two systems; of other answers how many there are."""
        many = f"{counted(len(self.measures), 'measure')}, each by itself"
        if self.verdicts:
            told = [f"{one.name} {one.answer.outcome.value}" for one in self.measures]
            pairs = {(one.answer.a, one.answer.b) for one in self.measures}
            return f"{many}, {' against '.join(*pairs)}: {listed(told)}." if len(pairs) == 1 else f"{many}."
        if not self.estimated:
            return f"{many}."
        said = []
        for one in self.measures:
            found, places = one.answer.estimate, decimals(one.answer.estimate.half_width / 2)
            said.append(f"{one.name} {found.value:.{places}f} ({found.low:.{places}f} to {found.high:.{places}f})")
        return f"{many} ({at_level(self.level)} intervals): {listed(said)}."

    def rows(self) -> list[Row]:
        """One row for every measure; of each system, or pair, where they are compared."""
        return [{"measure": one.name, **row} for one in self.measures for row in self._rows(one)]

    def _rows(self, one: Measure) -> Sequence[Row]:
        if not self.estimated:
            return cast("Sequence[Row]", one.answer.rows())
        found = one.answer.estimate
        return [{"value": found.value, "se": found.se, "low": found.low, "high": found.high, "n": found.n}]


def _read(source: Any, kind: Kind, options: Mapping[str, Any]) -> Table:
    return read(source, kind=kind, announce=False, **complete(options))


def each_measure(function: Function) -> Function:
    """A function of a table that answers several measures of one file each by itself, where nothing else is open.

    Parameters
    ----------
    function : callable
        Its first argument is the table.
    """
    name = next(iter(signature(function).parameters))

    @wraps(function)
    def called(*given: Any, **named: Any) -> Any:
        if not given and name not in named:
            return function(**named)  # which says what is missing
        source, rest = (given[0], given[1:]) if given else (named.pop(name), ())
        if not isinstance(source, MeasuredFile):
            try:
                return function(source, *rest, **named)
            except Unsure as open_:
                source = MeasuredFile.of(open_, partial(_read, source))
        return source.answered(lambda table: function(table, *rest, **named))

    return cast("Function", called)
