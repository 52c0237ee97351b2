"""Studies: what each computes of a paper, by a formula or by simulation, and the figures that it redraws."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Generic, Literal, NamedTuple, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from quorate.arguments import argument
from quorate.arrays import Floats
from quorate.errors import InvalidData, InvalidInput
from quorate.estimate.components.published import Components, components
from quorate.frozen import dataclass
from quorate.table.exchange.format import quoted
from quorate.table.files import explained, opened
from quorate.table.results import Row
from quorate.wording import Brief


class Value(NamedTuple):
    """A number with its Monte Carlo standard error, which is 0 where nothing is drawn."""

    value: float
    error: float = 0.0


@dataclass(frozen=True)
class Drawing(Brief):
    """A figure of a paper, redrawn from our numbers.

    Parameters
    ----------
    study : str
        Name of the study.
    name, title : str
        For links, and what it is of, with its number in the paper.
    rows : sequence of dict
        The numbers.
    x, y : str
        Columns of the axes.
    by : str
        Column that tells series apart; empty for one.
    mark : {"bar", "line", "point"}
        How the numbers are drawn; bars lie, ``y`` being their names and ``x`` their length.
    log : bool
        Whether the horizontal axis is logarithmic.
    """

    study: str
    name: str
    title: str
    rows: Sequence[Row]
    x: str
    y: str
    by: str = ""
    mark: Literal["bar", "line", "point"] = "line"
    log: bool = False


@dataclass(frozen=True)
class Results:
    """What a study found.

    Parameters
    ----------
    values : mapping of str to Value or float
        By the names that the published figures have.
    drawings : tuple of Drawing
        Figures redrawn.
    """

    values: Mapping[str, Value | float]
    drawings: tuple[Drawing, ...] = ()


@dataclass(frozen=True)
class Study:
    """A study that is computed at once: from published inputs, by formulas or by a simulator with its own error.

    Parameters
    ----------
    id : str
        Paper and name, such as ``tee.safety``.
    title : str
        What it is, in a line.
    outcome : callable
        From random numbers to `Results`.
    """

    id: str
    title: str
    outcome: Callable[[np.random.Generator], Results]


@dataclass(frozen=True)
class MonteCarlo:
    """A study of replicates: many tables drawn from a law, each estimated.

    Parameters
    ----------
    id, title : str
        As for `Study`.
    laws : mapping of str to any
        Conditions of the study, by name.
    replicate : callable
        From a law and random numbers to the numbers of one replicate; nan for what it did not give.
    outcome : callable
        From the numbers of all replicates, by law, of shape (replicates, numbers), to `Results`.
    reps : int
        Replicates of the paper.
    quick : int
        Replicates of a first look.
    chunk : int
        Replicates that are computed, and kept, together.
    """

    id: str
    title: str
    laws: Mapping[str, Any]
    replicate: Callable[[Any, np.random.Generator], Sequence[float] | Floats]
    outcome: Callable[[Mapping[str, Floats]], Results]
    reps: int = 1000
    quick: int = 100
    chunk: int = field(default=25)


@dataclass(frozen=True)
class Reanalysis:
    """A study of data that are published elsewhere: computed at once where its reader has the files.

    Parameters
    ----------
    id, title : str
        As for `Study`.
    needs : tuple of Needed
        The files; without one of them nothing is computed.
    outcome : callable
        From what is in them and random numbers to `Results`.
    """

    id: str
    title: str
    needs: tuple[Needed[Any], ...]
    outcome: Callable[[Contents, np.random.Generator], Results]


AnyStudy: TypeAlias = Study | MonteCarlo | Reanalysis


def mean(draws: Floats, scale: float = 1.0) -> Value:
    """Mean of what replicates gave, with its standard error.

    Parameters
    ----------
    draws : array
        One number per replicate; those that are not known are left out.
    scale : float
        What both are multiplied by, such as 100 for percent.
    """
    known = np.asarray(draws, dtype=float)
    known = known[np.isfinite(known)]
    if len(known) < 2:
        return Value(float("nan"), float("nan"))
    spread = 0.0 if np.ptp(known) <= 1e-12 * np.abs(known).max() else float(known.std(ddof=1))
    return Value(scale * float(known.mean()), scale * spread / float(np.sqrt(len(known))))


def ratio(above: Floats, below: Floats) -> Value:
    """Ratio of two means over the same replicates, with its standard error.

    Parameters
    ----------
    above, below : array
        One number per replicate.
    """
    value = float(above.mean() / below.mean())
    off = np.std(above - value * below, ddof=1) / np.sqrt(len(above))
    return Value(value, float(off / abs(below.mean())))


def largest(biases: Iterable[Value]) -> Value:
    """Size of the largest bias, whichever its sign, with its standard error."""
    worst = max(biases, key=lambda one: abs(one.value))
    return Value(abs(worst.value), worst.error)


def share(hits: Floats) -> Value:
    """Percent of replicates, with a standard error that is not 0 where all agree.

    Parameters
    ----------
    hits : array
        1 or 0 per replicate; nan for one that did not decide.
    """
    known = np.asarray(hits, dtype=float)
    known = known[np.isfinite(known)]
    n = len(known)
    if not n:
        return Value(float("nan"), float("nan"))
    smoothed = (known.sum() + 0.5) / (n + 1)
    return Value(100 * float(known.mean()), 100 * float(np.sqrt(smoothed * (1 - smoothed) / n)))


# Data that are not part of the package: the files that studies need, found in a folder that the reader names.


T = TypeVar("T")
ARCHIVE = "the replication archive of Messing (2026), github.com/SolomonMg/totalevalerror-replication"
LARGEST = 2_000_000_000
"""Bytes of a file that is read; the largest that a study names has a tenth of it."""
MOST_ROWS = 1_000_000
"""Rows of a table that is held whole."""


@dataclass(frozen=True)
class Needed(Generic[T]):
    """A file that a study needs.

    Parameters
    ----------
    name : str
        As its source names it, below the root of that, which is the folder that the reader names or a folder in it; a
        pattern where a name has a part that says nothing.
    source : str
        Where it is published.
    read : callable
        From the path to what is in it; raises an `InvalidInput` that names the path.
    """

    name: str
    source: str
    read: Callable[[Path], T]

    def __str__(self) -> str:
        return f"{self.name} of {self.source}"

    def within(self, folder: Path) -> Path | None:
        """Where it is in a folder; None if it is not there.

        Raises
        ------
        InvalidInput
            If it is there and is larger than any file of its kind.
        """
        with explained(str(folder)):
            found = [*folder.glob(self.name), *folder.glob(f"*/{self.name}")]
            path = next((one for one in sorted(found, key=lambda one: (len(one.parts), one)) if one.is_file()), None)
            size = 0 if path is None else path.stat().st_size
        if size > LARGEST:
            raise InvalidInput(f"{path}: has {size:,} bytes, and what is needed there at most {LARGEST:,}")
        return path


@dataclass(frozen=True)
class Contents:
    """What files hold, by what they were needed as.

    Parameters
    ----------
    held : mapping of Needed to any
        What was read of the files that are there.
    """

    held: Mapping[Needed[Any], Any]

    def of(self, needed: Needed[T]) -> T:
        """What a file holds."""
        return cast("T", self.held[needed])  # what its own reader gave

    def missing(self, needs: Iterable[Needed[Any]]) -> tuple[Needed[Any], ...]:
        """Those that are not there."""
        return tuple(one for one in needs if one not in self.held)


def contents(needs: Iterable[Needed[Any]], data: str | Path | None) -> Contents:
    """What is in the files of a folder that are needed; nothing without a folder.

    Raises
    ------
    InvalidInput
        If there is no such folder, or a file in it is not what its name says.
    """
    if data is None:
        return Contents({})
    folder = Path(data)
    with explained(str(folder)):
        there = folder.is_dir()
    if not there:
        raise InvalidInput(argument("data") + f": no such folder {folder}")
    found = {one: one.within(folder) for one in needs}
    return Contents({one: one.read(path) for one, path in found.items() if path is not None})


def columns(path: Path, *, text: Sequence[str] = (), numbers: Sequence[str] = ()) -> dict[str, NDArray[Any]]:
    """Columns of a table that is held whole: text as objects, numbers as floats, nan where there is none.

    Raises
    ------
    InvalidData
        If a column is not there, holds something else than numbers, or there are too many rows.
    """
    with opened(path) as file:
        places = file.inside
        for name in (*text, *numbers):
            if name not in places:
                raise InvalidData(f'{path}: has no column "{name}"; is it another file of that name?')
        chosen = ", ".join(f"{quoted(places[name])}::VARCHAR AS {quoted(name)}" for name in (*text, *numbers))
        rows = file.relation.project(chosen).limit(MOST_ROWS + 1).fetchall()
    if len(rows) > MOST_ROWS:
        raise InvalidData(f"{path}: has more than {MOST_ROWS:,} rows, and is not the table that is needed")
    if not rows:
        raise InvalidData(f"{path}: has no rows")
    held = dict(zip((*text, *numbers), zip(*rows, strict=True), strict=True))
    return {name: np.array(held[name], dtype=object) for name in text} | {
        name: _numbers(path, name, held[name]) for name in numbers
    }


def _numbers(path: Path, name: str, values: Iterable[str | None]) -> NDArray[Any]:
    known = {"NA": math.nan, "": math.nan, None: math.nan, "TRUE": 1.0, "FALSE": 0.0}
    try:
        return np.array([known[value] if value in known else float(str(value)) for value in values])
    except ValueError as error:
        raise InvalidData(f'{path}: column "{name}" holds something else than numbers ({error})') from None


# Published figures: what the papers print, where, how near ours must come, and what is known to be wrong there.


Rule = Literal["equal", "at least", "at most"]


@dataclass(frozen=True)
class Published:
    """One figure of a paper.

    Parameters
    ----------
    what : str
        What it is of.
    place : str
        Table, figure or section.
    value : float
        As printed.
    tolerance : float
        How far ours may be from it, Monte Carlo error apart; with that of the paper where ``error`` does not say it.
    error : float
        Monte Carlo standard error of the paper's, where it is known; else 0.
    rule : {"equal", "at least", "at most"}
        Whether it is a number, or a bound that the paper states.
    erratum : str
        Name of the erratum that explains why ours differs; empty where it should not.
    needs : str
        Why it cannot be computed again, and from what it could be; empty where it can.
    own : bool
        Whether the paper has no such figure, and this is what ours was when it was written down.
    returned : bool
        Whether ours is made of this very figure, so that it cannot differ.
    """

    what: str
    place: str
    value: float
    tolerance: float = 0.0
    error: float = 0.0
    rule: Rule = "equal"
    erratum: str = ""
    needs: str = ""
    own: bool = False
    returned: bool = False


@dataclass(frozen=True)
class Publication:
    """The papers: their titles, figures by study, and errata.

    Parameters
    ----------
    papers : mapping of str to str
        By the first part of the names of studies: authors, year, title and number.
    figures : mapping of str to tuple of Published
        By study.
    errata : mapping of str to str
        By name, such as ``E3``: what is wrong, and what is right.
    """

    papers: Mapping[str, str]
    figures: Mapping[str, tuple[Published, ...]]
    errata: Mapping[str, str]


@cache
def publication() -> Publication:
    """What ``figures.json`` holds."""
    content = _content("figures.json")
    figures = {study: tuple(Published(**one) for one in every) for study, every in content["figures"].items()}
    return Publication(content["papers"], figures, content["errata"])


@cache
def inputs() -> Mapping[str, Any]:
    """What ``inputs.json`` holds: components and tables that the papers or their archives publish, by name."""
    content: Mapping[str, Any] = _content("inputs.json")
    return content


def _content(name: str) -> Any:
    return json.loads(files("quorate.reproduction").joinpath(name).read_text(encoding="utf-8"))


def source_of(name: str) -> tuple[Components, dict[str, Any]]:
    """Published components of a study, and the design that they were found with as options of `quorate.project`."""
    content = inputs()[name]
    return components(content["random"], sensitivity=content["sensitivity"]), dict(content["design"])
