"""Pages: the report of one result as a value, which every format prints."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property, partial
from typing import Any, TypeAlias

from quorate.caveats import weightiest_first
from quorate.frozen import dataclass
from quorate.reporting.paper.reproduce import Provenance, read_from, titled
from quorate.table.judgments import Judgments
from quorate.table.measured import MeasuredFile
from quorate.table.votes import Votes

Table: TypeAlias = Judgments | Votes | MeasuredFile
Row = dict[str, Any]


@dataclass(frozen=True)
class Caption:
    """Title and small print of a figure.

    Parameters
    ----------
    finding : str
        What the numbers say.
    lines : tuple of str
        Estimand, level, n; how to read the marks.
    """

    finding: str
    lines: tuple[str, ...] = ()


@dataclass(frozen=True)
class Short:
    """How a terminal shows a figure: some of its columns and rows.

    Parameters
    ----------
    heads : mapping of str to str
        Columns in their order, with their titles; that of ``low`` stands for the whole interval.
    of : str
        Column with what ``low`` and ``high`` are the interval of; empty where there is none to draw.
    low, high : str
        Columns of the interval.
    at : float, optional
        Value that intervals are held against, such as no difference.
    percent : tuple of str
        Columns of shares, which are shown in percent; with ``of`` its interval is too.
    most : int
        Rows that are shown at most.
    where : mapping of str to object
        Values of the rows that a screen shows.
    whole : bool
        Whether texts are shown to their end; else no cell is longer than a line.
    first : bool
        Whether it is on the screen in any case; else the first with an interval and one other are.
    """

    heads: Mapping[str, str]
    of: str = ""
    low: str = "low"
    high: str = "high"
    at: float | None = None
    percent: tuple[str, ...] = ()
    most: int = 12
    where: Mapping[str, object] = field(default_factory=dict)
    whole: bool = False
    first: bool = False

    @staticmethod
    def titles(*names: str, **others: str) -> dict[str, str]:
        """Columns in their order with their titles: those that are called as they are named, then others.

        Examples
        --------
        >>> Short.titles("judge", "other_first", low="95% interval")
        {'judge': 'judge', 'other_first': 'other first', 'low': '95% interval'}
        """
        return {name: name.replace("_", " ") for name in names} | others


@dataclass(frozen=True)
class Step:
    """What would change the answer, and the command that says more of it."""

    sentence: str
    command: str = ""


@dataclass(frozen=True)
class Figure:
    """A chart with its numbers, or the numbers alone.

    Parameters
    ----------
    name : str
        For links and file names.
    caption : Caption
    rows : sequence of dict
        The numbers.
    chart : callable, optional
        Gives the chart in Vega-Lite where it is printed; None for a table.
    headers : mapping of str to str
        Column titles that differ from the keys.
    folded : bool
        Whether it is shown on demand only.
    unfolded : bool
        Whether the numbers under the chart are shown from the start.
    short : Short, optional
        How a terminal shows it; one without is not shown there.
    part : bool
        Whether it answers a part of the question alone, so that it is never the picture of the answer.
    """

    name: str
    caption: Caption
    rows: Sequence[Row]
    chart: Callable[[], dict[str, Any]] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    folded: bool = False
    unfolded: bool = False
    short: Short | None = None
    part: bool = False

    @classmethod
    def of(
        cls,
        name: str,
        caption: Caption,
        rows: Sequence[Row],
        heads: Mapping[str, str],
        chart: Callable[[], dict[str, Any]] | None = None,
        *,
        titles: Mapping[str, str] | None = None,
        folded: bool = False,
        unfolded: bool = False,
        percent: str | Sequence[str] = (),
        **short: Any,
    ) -> Figure:
        """A figure that a terminal shows too.

        Parameters
        ----------
        heads : mapping of str to str
            Titles of columns as for `Short`, and wherever else columns have titles, but for that of the interval.
        titles : mapping of str to str, optional
            What columns are called elsewhere where that is another title, or a terminal does not show them.
        percent : str or sequence of str
            Columns of shares, separated by spaces where that tells them apart.
        **short
            As for `Short`.
        """
        shares = tuple(percent.split() if isinstance(percent, str) else percent)
        told = {column: head for column, head in heads.items() if head and column != short.get("low", "low")}
        return cls(
            name,
            caption,
            rows,
            chart,
            {**told, **(titles or {})},
            folded,
            unfolded,
            Short(heads, percent=shares, **short),
        )


@dataclass(frozen=True)
class Section:
    """A part of the page.

    Parameters
    ----------
    name, title : str
        For links, and for readers.
    text : tuple of str
        Paragraphs.
    figures : tuple of Figure
    """

    name: str
    title: str
    text: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()


@dataclass(frozen=True)
class Tile:
    """A number at the top of the page, and what it is."""

    value: str
    label: str


@dataclass(frozen=True, eq=False)
class Page:
    """The report of one result; labels of the data are as they were read, and printers make them fit to be shown.

    Parameters
    ----------
    title, sentence : str
        What was looked at, and what came out.
    sections : tuple of Section
        Those that a screen may show.
    facts : Figure
        The table under the paragraph on methods.
    methods : str
        The paragraph for a methods section.
    content : callable
        Gives the result as plain values, which only JSON needs.
    rest : callable, optional
        Gives the sections after these and the facts, where a screen shows none of them: they are made when they are
        written.
    caveats : tuple of str
        What must be known to read it, what matters most first.
    next_step : Step, optional
        What would change the answer.
    tiles : tuple of Tile
        The few numbers at the top.
    source : callable
        Gives what was read, by name; called when it is written, for a fingerprint takes its time.
    options : str
        What was chosen.
    seed : int or str, optional
        Root of the random numbers, or what is known of it; None where none were drawn.
    record : mapping of str to str
        The study record that was used, by name.
    prompts : tuple of (str, str)
        Texts of prompts, each after its label.
    origin : Provenance
        Command line, seed and note.
    """

    title: str
    sentence: str
    sections: tuple[Section, ...]
    facts: Figure
    methods: str
    content: Callable[[], Mapping[str, Any]]
    rest: Callable[[], tuple[tuple[Section, ...], Figure]] | None = None
    caveats: tuple[str, ...] = ()
    next_step: Step | None = None
    tiles: tuple[Tile, ...] = ()
    source: Callable[[], Mapping[str, str]] = dict
    options: str = ""
    seed: int | str | None = None
    record: Mapping[str, str] = field(default_factory=dict)
    prompts: tuple[tuple[str, str], ...] = ()
    origin: Provenance = field(default_factory=Provenance)

    @classmethod
    def of(
        cls,
        result: Any,
        table: Table | None,
        name: str,
        sections: tuple[Section, ...],
        facts: Figure,
        methods: str,
        **more: Any,
    ) -> Page:
        """The page of a result, which says itself what came out, with which caveats, and what its values are.

        Parameters
        ----------
        result : Result
        table : Judgments or Votes, optional
            What it came from.
        name : str
            Title without the name of a file.
        sections, facts, methods, **more
            As for `Page`.
        """
        level = getattr(result, "level", None)
        more = {
            "sentence": getattr(result, "sentence", ""),
            "caveats": weightiest_first(getattr(result, "caveats", ())),
            "options": f"level {level:g}" if isinstance(level, float) else "",
        } | more
        own = {"title": title_of(table, name), "content": result.to_dict, "source": partial(source_of, table)}
        return cls(sections=sections, facts=facts, methods=methods, **own, **more)

    @cached_property
    def whole(self) -> Page:
        """The page with all that belongs to it."""
        if self.rest is None:
            return self
        sections, facts = self.rest()
        return replace(self, sections=(*self.sections, *sections), facts=facts, rest=None)

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Figures of all sections, in their order."""
        return tuple(figure for section in self.sections for figure in section.figures)

    @cached_property
    def provenance(self) -> dict[str, str]:
        """Everything needed to do it again, by name."""
        seed = self.seed if self.origin.seed is None else self.origin.seed
        return replace(self.origin, seed=seed).entries(self.source(), self.options, self.record)


UNMADE = Figure("facts", Caption(""), ())
"""In the place of facts that are made when they are written."""
WHAT = Short({"what": "", "value": ""})
"""Of `particulars` and other tables of two columns."""


def particulars(
    name: str, finding: str, values: Mapping[str, object], *lines: str, head: str = "number or choice"
) -> Figure:
    """A table of what a result rests on: names in plain words, each with its value."""
    rows = [{"what": what, "value": value} for what, value in values.items()]
    return Figure(name, Caption(finding, lines), rows, headers={"what": " ", "value": head}, short=WHAT)


def title_of(table: Table | None, otherwise: str) -> str:
    """The name of the file, or what it is without one."""
    return otherwise if table is None else titled(table.source, f"{otherwise}, from a")


def source_of(table: Table | None) -> dict[str, str]:
    """What was read, by name; nothing where there is no table."""
    return {} if table is None else read_from(table)
