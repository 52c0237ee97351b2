"""Results as rows: what a result says of itself in a frame, in JSON, in a notebook and at the prompt."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import field, fields, is_dataclass
from functools import cached_property
from html import escape
from importlib import import_module
from importlib.util import find_spec
from operator import attrgetter
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from quorate import rules
from quorate.errors import InvalidInput, QuorateError
from quorate.frozen import dataclass
from quorate.wording import brief, counted, safe

if TYPE_CHECKING:
    from typing import Self

    import narwhals as nw


# Data frames in the caller's own library.


Library = Literal["polars", "pandas", "pyarrow"]

LIBRARIES: tuple[Library, ...] = ("polars", "pandas", "pyarrow")
"""Frame libraries in the order they are looked for."""


def frame(columns: Mapping[str, Sequence[Any] | NDArray[Any]], backend: str | None = None) -> Any:
    """A data frame with these columns, in the library the data came in.

    Parameters
    ----------
    columns : mapping of str to sequence
        Name to values, all of one length.
    backend : str, optional
        ``polars``, ``pandas`` or ``pyarrow``. Without it, the first of them that is installed.

    Returns
    -------
    polars.DataFrame, pandas.DataFrame or pyarrow.Table

    Raises
    ------
    InvalidInput
        If the library is not known or not installed.

    Examples
    --------
    >>> frame({"judge": ["a", "b"], "mean": [7.1, 6.8]}, "polars").columns
    ['judge', 'mean']
    """
    import narwhals as nw

    library = rules.one_of("backend", backend, (None, *LIBRARIES))
    if backend is not None and find_spec(backend) is None:
        raise InvalidInput(f"backend: {backend} is not installed; pip install {backend}")
    library = library or next((name for name in LIBRARIES if find_spec(name) is not None), None)
    if library is None:
        raise InvalidInput("backend: a data frame needs polars, pandas or pyarrow; pip install polars")

    return nw.from_dict(dict(columns), backend=library).to_native()


def wrapped(source: Any) -> nw.DataFrame[Any] | nw.LazyFrame[Any]:
    """A caller's frame, of whatever library, as narwhals has it.

    Raises
    ------
    InvalidInput
        If it is no frame, or two of its columns have one name.
    """
    import narwhals as nw

    try:
        frame: nw.DataFrame[Any] | nw.LazyFrame[Any] = nw.from_native(source)
    except TypeError as error:
        kind = type(source).__name__
        raise InvalidInput(f"source: expects a path or a data frame, got {kind}; make a frame of it first") from error
    except nw.exceptions.DuplicateError as error:
        repeated = " ".join(str(error).split()).rpartition(": ")[-1]
        raise InvalidInput(f"source: two columns have one name ({repeated}); rename one") from error
    return frame


Row = dict[str, Any]

_SOURCES = tuple(f"{name}backend" for name in ("", "judgments.source.", "votes.source.", "fit.judgments.source."))
MOST_ROWS = 10
"""Most rows of the table that a notebook shows."""


class Result:
    """Base of the frozen dataclasses that hold results.

    A result writes `rows` where it has more than one, and ``derived`` where its dictionary holds more than its fields;
    `to_dict`, `to_frame`, `repr` and what a notebook shows follow. Fields with ``field(repr=False)`` are left out:
    they are what the result was made from.

    Attributes
    ----------
    derived : tuple of str
        Properties that belong to the dictionary and the row, such as ``sentence``.
    entries : str
        All that the dictionary holds, where that is not the fields: names with spaces between them, or
        ``name=attribute``; a star stands for the fields.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Share(Result):
    ...     right: int
    ...     n: int
    ...     derived = ("value",)
    ...
    ...     @property
    ...     def value(self) -> float:
    ...         return self.right / self.n if self.n else float("nan")
    >>> Share(3, 4), Share(0, 0).to_dict()
    (Share(right=3, n=4, value=0.75), {'right': 0, 'n': 0, 'value': None})
    """

    __slots__ = ()

    derived: ClassVar[tuple[str, ...]] = ()
    entries: ClassVar[str] = ""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        setattr(cls, "__repr__", cls.__repr__)  # noqa: B010  a dataclass writes none where the class has its own

    def rows(self) -> list[Row]:
        """One dictionary for every row of the result; the numbers and words of the result itself unless it has more."""
        return [{name: value for name, value in self._values() if _is_scalar(value)}]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values for JSON; what is not known is None."""
        if not self.entries:
            return {name: plain(value) for name, value in self._values()}
        own = " ".join(field.name for field in fields(self) if field.repr) if "*" in self.entries else ""  # type: ignore[arg-type]
        said = picked(self, self.entries.replace("*", own))
        return {name: plain(value() if callable(value) else value) for name, value in said.items()}

    def to_frame(self, backend: str | None = None) -> Any:
        """A data frame of the rows.

        Parameters
        ----------
        backend : str, optional
            ``polars``, ``pandas`` or ``pyarrow``. Without it, the library the data came in, or the first installed.
        """
        rows = self.rows()
        columns = {name: _of_one_kind([row[name] for row in rows]) for name in (rows[0] if rows else ())}
        return frame(columns, backend or self._backend())

    def plot(self, name: str = "") -> Any:
        """A chart of its page: Altair's where that is installed, else a drawing that a notebook shows.

        Parameters
        ----------
        name : str
            Of the figure, as in the page; without one the first.

        Raises
        ------
        InvalidInput
            If there is no such chart.
        """
        charts = import_module("quorate.reporting.print.files")  # which lies above: a page is made of a result
        return charts.plot(import_module("quorate.reporting.report").page_of(self), name)

    def __repr__(self) -> str:
        words = _text(self, "sentence")
        if not words:
            scalars = ((k, v.item() if isinstance(v, np.generic) else v) for k, v in self._values() if _is_scalar(v))
            words = ", ".join(f"{k}={f'{v:.6g}' if isinstance(v, float) else repr(v)}" for k, v in scalars)
            words = words or counted(len(self.rows()), "row")
        return brief(type(self).__name__, words)

    def _repr_html_(self) -> str:
        rows, sentence = self.rows(), _text(self, "sentence")
        left_out = f"{MOST_ROWS} of {len(rows):,} rows" if len(rows) > MOST_ROWS else ""
        caveats = "".join(f"<li>{_html(caveat)}</li>" for caveat in getattr(self, "caveats", ()))
        head, body = "".join(f"<th>{_html(name)}</th>" for name in (rows[0] if rows else ())), ""
        for row in rows[:MOST_ROWS]:
            cells = (f"{value:.4g}" if isinstance(value, float) else value for value in map(plain, row.values()))
            shown = "".join(f"<td>{'' if cell is None else _html(cell)}</td>" for cell in cells)
            body += f"<tr>{shown}</tr>"
        parts = (
            f"<p>{_html(sentence)}</p>" if sentence else "",
            f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>" if rows else "",
            f"<p>{left_out}</p>" if left_out else "",
            f"<ul>{caveats}</ul>" if caveats else "",
        )
        return "".join(parts)

    def _backend(self) -> str | None:
        """Library of the frame that the data came in: as it says itself, or what it was made of."""
        for name in _SOURCES:
            with suppress(AttributeError):
                found: str | None = attrgetter(name)(self)
                return found
        return None

    def _values(self) -> Iterator[tuple[str, Any]]:
        if is_dataclass(self):
            yield from ((field.name, getattr(self, field.name)) for field in fields(self) if field.repr)
        yield from ((name, getattr(self, name)) for name in self.derived)


@dataclass(frozen=True, repr=False)
class Written(Result):
    """A file that was written.

    Parameters
    ----------
    path : Path
        The file, or the folder of several.
    n : int
        How many rows it has.
    per : str
        What a row is: ``answer``, or ``cell`` where single answers cannot be read again.
    notes : tuple of str
        What is not in it, and what reading it again takes.
    """

    path: Path
    n: int
    per: str
    notes: tuple[str, ...] = ()

    entries = "path rows=n per notes"

    @property
    def sentence(self) -> str:
        """What was written where."""
        return f"Wrote {self.path}: {self.n:,} rows, one per {self.per}."

    def rows(self) -> list[Row]:
        """One row: the file."""
        return [{"path": str(self.path), "rows": self.n, "per": self.per}]


Ends = tuple[float, float]
"""Lower and upper limit."""


class Interval(Result):
    """A number with how far it may be off: what every answer has as ``estimate``, whatever it answers.

    Attributes
    ----------
    value, se : float
        The number and its standard error; nan where only limits are known.
    low, high : float
        Limits of its interval.
    level : float
        Coverage of that.
    n : int
        Answers, votes or labels behind it; 0 where that is not known.
    scope : str
        Whom it speaks for, such as ``for judges like these``; empty where there is nothing to add.

    Examples
    --------
    >>> share = StatedInterval(0.5, 0.1, 20, 0.95, law=lambda level: (0.3, 0.7) if level == 0.95 else (0.35, 0.65))
    >>> share.low, share.at(0.9).low, round(share.half_width, 2)
    (0.3, 0.35, 0.2)
    """

    derived = ("low", "high", "scope")

    if TYPE_CHECKING:  # fields of the dataclasses that are one; here they would be taken for defaults of these

        @property
        def value(self) -> float:
            """The number."""

        @property
        def se(self) -> float:
            """Its standard error."""

        @property
        def n(self) -> int:
            """Answers behind it."""

        @property
        def level(self) -> float:
            """Coverage of the interval."""

    @property
    def scope(self) -> str:
        """Whom it speaks for; empty where there is nothing to add."""
        return ""

    @property
    def low(self) -> float:
        """Lower limit."""
        return self.ends[0]

    @property
    def high(self) -> float:
        """Upper limit."""
        return self.ends[1]

    @cached_property
    def ends(self) -> Ends:
        """Both limits."""
        low, high = self._limits()
        return float(low), float(high)

    @property
    def half_width(self) -> float:
        """Half the width."""
        return (self.high - self.low) / 2

    def row(self, name: str) -> Row:
        """The number under this name, with its limits beside it: columns of a table."""
        return {name: self.value, f"{name}_low": self.low, f"{name}_high": self.high}

    def at(self, level: float) -> Self:
        """The same with an interval of another coverage, in (0, 1)."""
        rules.number("level", level, above=0, below=1)
        return self.but(level=level)

    def but(self, **changed: Any) -> Self:
        """A copy that keeps what took long to find, but for the limits."""
        out = copy(self)
        out.__dict__.pop("ends", None)
        for name, value in changed.items():
            object.__setattr__(out, name, value)
        return out

    @abstractmethod
    def _limits(self) -> Ends:
        """Limits at the level."""


@dataclass(frozen=True)
class StatedInterval(Interval):
    """An interval by its law, the function from a level to limits; otherwise as `Interval`.

    Parameters
    ----------
    value, se, n, level
        As for `Interval`.
    law : callable
        Maps a level to the limits.
    whom : str
        Whom it speaks for.
    """

    value: float
    se: float
    n: int
    level: float
    law: Callable[[float], Ends] = field(repr=False, compare=False)
    whom: str = field(default="", repr=False)

    @property
    def scope(self) -> str:
        """Whom it speaks for."""
        return self.whom

    def _limits(self) -> Ends:
        return self.law(self.level)


def plain(value: object) -> Any:
    """Dictionaries, lists, numbers, text and None: what JSON can hold.

    Numbers that are not finite become None, since JSON has no word for them; results inside are as `Result.to_dict`
    has them.

    Examples
    --------
    >>> plain({"se": float("nan"), "levels": ("a", "b")})
    {'se': None, 'levels': ['a', 'b']}
    """
    own = getattr(value, "to_plain", None) or getattr(value, "to_dict", None)  # such as a pool of levels: a word
    if own is not None and not isinstance(value, type):
        return plain(own())
    if isinstance(value, (np.ndarray, np.generic)):
        return plain(value.tolist())
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, (tuple, list, frozenset, set)):
        return [plain(entry) for entry in value]
    if isinstance(value, PurePath):
        value = str(value)
    return None if isinstance(value, float) and not math.isfinite(value) else value


def picked(source: object, names: str) -> Row:
    """Attributes of a value as a row of a table: names with spaces between them, or ``column=attribute``.

    Examples
    --------
    >>> picked(StatedInterval(0.5, 0.1, 20, 0.95, law=lambda level: (0.3, 0.7)), "share=value low high")
    {'share': 0.5, 'low': 0.3, 'high': 0.7}
    """
    words = (word.partition("=") for word in names.split())
    return {name: attrgetter(own or name)(source) for name, _, own in words}


def rows_of(columns: Mapping[str, Sequence[Any] | np.ndarray[Any, Any]]) -> list[Row]:
    """Rows of a table that is kept by column.

    Parameters
    ----------
    columns : mapping of str to sequence or array
        Name to values, all of one length.

    Examples
    --------
    >>> rows_of({"pair": ("a vs b",), "margin": np.array([0.1])})
    [{'pair': 'a vs b', 'margin': 0.1}]
    """
    lists = [column.tolist() if isinstance(column, np.ndarray) else column for column in columns.values()]
    return [dict(zip(columns, values, strict=True)) for values in zip(*lists, strict=True)]


def _of_one_kind(values: list[Any]) -> list[Any]:
    """The values of a column: whole numbers among others as these, and text where it holds more than one kind."""
    kinds = {type(value) for value in values if value is not None}
    if kinds == {int, float}:
        return [value if value is None else float(value) for value in values]
    mixed = len(kinds) > 1 and not all(issubclass(kind, (int, float, np.number)) for kind in kinds)
    return [value if value is None else str(value) for value in values] if mixed else values


def _is_scalar(value: object) -> bool:
    return value is None or isinstance(value, (str, bool, int, float, np.generic))


def _html(text: object) -> str:
    """Text as HTML shows it, where no mark in it reorders what stands around it."""
    return escape(safe(text))


def _text(result: Result, name: str) -> str:
    """A sentence of the result; a result that cannot say it is shown all the same."""
    try:
        text = getattr(result, name, "")
    except QuorateError:
        return ""
    return text if isinstance(text, str) else ""
