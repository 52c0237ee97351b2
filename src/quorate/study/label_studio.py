"""Label Studio: the questions to people as its tasks, and its annotations as their answers."""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from quorate.collect.judge import Expects
from quorate.collect.ledger.lease import LeasedCell
from quorate.collect.ledger.ledger import Ledger
from quorate.collect.prompt import FIRST, SECOND, Sheet
from quorate.errors import InvalidData, InvalidInput
from quorate.study.file import load
from quorate.study.loop import plan
from quorate.study.people import People
from quorate.study.questions import Questions, questions
from quorate.table.exchange.foreign.people.label_studio import Annotation, exported
from quorate.table.files import explained
from quorate.table.results import Result, Row
from quorate.wording import counted, listed
from quorate.writing import write_file

CONFIG = "config.xml"
"""Name of the file with the labelling interface."""

_ANSWER, _CELL, _SEAT = "answer", "cell", "seat"
_MOST_STARS = 10
_LONGEST = 80  # characters of a name in that of a file


@dataclass(frozen=True)
class AnnotationTasks(Result):
    """Tasks that were written for Label Studio.

    Parameters
    ----------
    folder : Path
        With ``config.xml`` and one file of tasks for each person.
    tasks : mapping of str to int
        Tasks by file.
    """

    folder: Path
    tasks: Mapping[str, int]

    derived = ("sentence",)

    @property
    def sentence(self) -> str:
        """What was written where."""
        whom = "1 person" if len(self.tasks) == 1 else f"{len(self.tasks):,} people"
        return f"Wrote {self.folder}: {counted(sum(self.tasks.values()), 'task')} for {whom}, and {CONFIG}."

    def rows(self) -> list[Row]:
        """One row per file."""
        return [{"file": name, "tasks": count} for name, count in self.tasks.items()]


@dataclass(frozen=True)
class TakenAnnotations(Result):
    """Annotations that were taken as answers.

    Parameters
    ----------
    recorded : int
        Cells that have an answer now and had none.
    skipped : int
        Those of them that were skipped: a status, not a score.
    known : int
        Annotations of cells that had an answer already, such as of an export that was taken before.
    empty : int
        Annotations that say nothing.
    strange : int
        Annotations of tasks that are no cells of this study.
    refused : int
        Answers that the budget has no room for, or to whose person the study is closed.
    """

    recorded: int
    skipped: int
    known: int
    empty: int
    strange: int
    refused: int

    derived = ("sentence",)

    @property
    def sentence(self) -> str:
        """What was taken, and what not."""
        skipped = f", {self.skipped:,} of them skipped" if self.skipped else ""
        left = {
            "of cells that have an answer": self.known,
            "that say nothing": self.empty,
            "of other tasks": self.strange,
            "beyond the budget, or of people to whom the study is closed": self.refused,
        }
        rest = [f"{count:,} {what}" for what, count in left.items() if count]
        return f"Took {counted(self.recorded, 'answer')}{skipped}." + (f" Left out: {listed(rest)}." if rest else "")


def annotation_tasks(study: str | os.PathLike[str], folder: str | os.PathLike[str]) -> AnnotationTasks:
    """Write the open questions to the people of a study as tasks of Label Studio, a file for each person.

    Make a project for each person, give it ``config.xml`` as its labelling interface and import that person's file.
    Tasks name no system and no source; each holds the key of its cell, by which `take_annotations` finds it again. The
    cells are planned in the study's ledger, so that the same people may also answer on the pages of ``quorate serve``:
    a cell takes the answer that comes first.

    Parameters
    ----------
    study : path
        The study file, with people among its judges.
    folder : path
        Made if there is none; files of these names are replaced.

    Returns
    -------
    AnnotationTasks

    Raises
    ------
    InvalidInput
        If the study has no people, its prompts want different answers, or the folder cannot be written.
    """
    loaded = load(study)
    asked = questions(loaded)
    if not loaded.people:
        raise InvalidInput("judges: nobody is a person in this study; give a judge the kind person")
    config = interface(asked)
    with Ledger.open(loaded.database) as ledger:
        plan(ledger, asked)
        known = People(ledger, asked)
        known.arrange()
        each = {name: [task(asked, cell) for cell in known.seats.waiting(name)] for name in known.seated()}
    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(f"folder: {place} cannot be written ({error.strerror}); name another one") from None
    write_file(place / CONFIG, config.encode(), "folder", mark=b'<View>\n  <Header size="4" value="$instructions"/>')
    for name, tasks in each.items():
        text = json.dumps(tasks, ensure_ascii=False, indent=1)
        write_file(place / file_of(name), text.encode("utf-8", "replace"), "folder", mark=f'"{_CELL}": "'.encode())
    return AnnotationTasks(place, {file_of(name): len(tasks) for name, tasks in each.items()})


def file_of(name: str) -> str:
    """Name of a person's file: what a file system may not take, or tell apart, is replaced and a hash of it added."""
    plain = "".join(one if one.isalnum() or one in "-_ " else "_" for one in name).strip()[:_LONGEST]
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{plain}.json" if plain and plain == name.casefold() else f"{plain}.{digest[:12]}.json"


def task(asked: Questions, cell: LeasedCell) -> dict[str, Any]:
    """A task: the question as people read it, and the cell that it is."""
    sheet = asked.sheet(cell)
    pair = {piece.name: piece for piece in sheet.pieces if sheet.paired and piece.name in (FIRST, SECOND)}
    sides = {name: piece.text for name, piece in pair.items()}
    sides |= {f"{name}_heading": piece.heading.rstrip(":") for name, piece in pair.items()}
    texts = {"instructions": _instructions(sheet), "context": _context(sheet)}
    return {"data": {_CELL: cell.key, _SEAT: cell.judge, **texts, **sides}}


def _instructions(sheet: Sheet) -> str:
    return "\n\n".join(text for text in (sheet.instructions, sheet.closing) if text)


def _context(sheet: Sheet) -> str:
    """Everything but the two responses of a pair."""
    pieces = [piece for piece in sheet.pieces if not sheet.paired or piece.name not in (FIRST, SECOND)]
    return "\n\n".join(f"{piece.heading}\n{piece.text}".strip() for piece in pieces)


def interface(asked: Questions) -> str:
    """The labelling interface: what is judged as text, and the answers of the study.

    Raises
    ------
    InvalidInput
        If prompts want different answers, or answers by a key that differs from item to item.
    """
    (first, *others) = asked.prompts.values()
    same = (first.expects.labels, first.compares)
    if first.key is not None or any((other.expects.labels, other.compares) != same for other in others):
        raise InvalidInput(
            "prompts: Label Studio has one interface for all tasks, and these want different answers; "
            "make a study of each, or ask people by quorate serve"
        )
    on = '<Text name="context" value="$context"/>'
    sides = "".join(
        f'<View><Header size="5" value="${name}_heading"/><Text name="{name}" value="${name}"/></View>\n    '
        for name in (FIRST, SECOND)
    )
    pair = f'<View style="display: grid; grid-template-columns: 1fr 1fr">\n    {sides.rstrip()}\n  </View>\n  '
    return (
        f'<View>\n  <Header size="4" value="$instructions"/>\n  {on}\n  '
        f"{pair if first.compares else ''}{control(first.expects)}\n</View>\n"
    )


def control(expects: Expects) -> str:
    """The control of the answer: words to choose from, stars from 1, or a number."""
    head = f'name="{_ANSWER}" toName="context" required="true"'
    if expects.labels:
        words = "".join(f"\n    <Choice value={quoteattr(word)}/>" for word in expects.labels)
        return f'<Choices {head} choice="single" showInLine="true">{words}\n  </Choices>'
    if expects.low == 1 and expects.integer and expects.high <= _MOST_STARS:
        return f'<Rating {head} maxRating="{expects.high:g}"/>'
    step = ' step="1"' if expects.integer else ""
    return f'<Number {head} min="{expects.low:g}" max="{expects.high:g}"{step}/>'


def take_annotations(study: str | os.PathLike[str], source: str | os.PathLike[str]) -> TakenAnnotations:
    """Record an export of Label Studio as the answers of people, in the cells that its tasks are.

    Sides are recoded as those of models are, and a skipped task is a status and no score. Annotations that were taken
    before are left as they are, so that exports may be taken as often as there is more in them.

    Parameters
    ----------
    study : path
        The study file from which `annotation_tasks` wrote the tasks.
    source : path
        An export: JSON, which holds what was skipped, or JSON_MIN or CSV, which do not.

    Returns
    -------
    TakenAnnotations

    Raises
    ------
    InvalidData
        If the file is no export of Label Studio, or nothing in it is an answer that could be taken.
    InvalidInput
        If the file cannot be read, or an annotation is no answer to its question; nothing is recorded then.
    """
    loaded = load(study)
    with explained(os.fspath(source)):
        export = exported(Path(source))
    said = export.said(_ANSWER)
    with Ledger.open(loaded.database) as ledger:
        known = People(ledger, questions(loaded))
        found = ledger.insist(lambda: Counter(_taken(known, export.annotations, said)))
    names = ("known", "empty", "strange", "refused")
    taken = TakenAnnotations(found["answer"] + found["skipped"], found["skipped"], *(found[name] for name in names))
    if not (taken.recorded or taken.known):
        raise InvalidData(f"{os.fspath(source)}: {taken.sentence} Export the tasks that quorate export --tasks wrote")
    return taken


def _taken(known: People, annotations: Sequence[Annotation], said: Sequence[object]) -> Iterator[str]:
    """What becomes of every annotation."""
    seats = set(known.seated())
    for one, value in zip(annotations, said, strict=True):
        key, seat = (str(one.data.get(name, "")) for name in (_CELL, _SEAT))
        cell = known.seats.find(seat, key) if seat in seats else None
        if cell is None:
            yield "strange"
        elif known.seats.is_answered(cell):
            yield "known"
        elif value is None and not one.skipped:
            yield "empty"
        else:
            word = None if one.skipped else f"{value:g}" if isinstance(value, float) else str(value)
            took = known.answer(seat, key, cell.asked, word, seconds=_seconds(one))
            yield ("skipped" if one.skipped else "answer") if took else "refused"


def _seconds(one: Annotation) -> float:
    """How long somebody took; nan where the export does not say."""
    return math.nan if one.seconds is None else one.seconds
