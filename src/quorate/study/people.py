"""People as judges of a study: the question that each has before them, and the answers that they give."""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from quorate.collect.judge import REFUSED, Expects, Reply
from quorate.collect.ledger.lease import LeasedCell
from quorate.collect.ledger.ledger import Ledger, whole
from quorate.collect.ledger.seats import OWNER, Links, Seats, hashed
from quorate.collect.prompt import FIRST, SECOND, Sheet
from quorate.errors import InvalidData, InvalidInput
from quorate.frozen import dataclass
from quorate.study import judges
from quorate.study.file import load
from quorate.study.loop import plan
from quorate.study.questions import ITEM, Questions, questions
from quorate.table.exchange.foreign.people.label_studio import Annotation, exported
from quorate.table.facets import OK
from quorate.table.files import explained
from quorate.table.results import Result, Row
from quorate.wording import counted, listed
from quorate.writing import write_file

MOST_COMMENT = 5_000
"""Characters of a comment that are kept."""


@dataclass(frozen=True)
class Task:
    """What a person has before them.

    Parameters
    ----------
    key : str
        Key of the cell, from which nothing can be read.
    shown : int
        How often it was answered before; an answer counts once for each.
    sheet : Sheet
        The question.
    expects : Expects
        What counts as an answer.
    """

    key: str
    shown: int
    sheet: Sheet
    expects: Expects


@dataclass(frozen=True)
class PersonStanding:
    """How far a person is.

    Parameters
    ----------
    task : Task, optional
        What they have before them; None if there is nothing.
    done, total : int
        Questions that they have answered, and all that they have.
    undoable : bool
        Whether the latest answer can be taken back.
    closed : bool
        Whether the owner has closed the study to them.
    """

    task: Task | None
    done: int
    total: int
    undoable: bool
    closed: bool


@dataclass(frozen=True)
class PersonProgress:
    """How far a person is, as the owner sees it.

    Parameters
    ----------
    name : str
        Name of the judge.
    done, total : int
        Questions that are answered, and all that there are.
    declined : int
        Answers that are "cannot say".
    seconds : float, optional
        Median of the times that answers took; None before the first.
    ago : float, optional
        Seconds since the latest answer.
    closed : bool
        Whether the study is closed to them.
    """

    name: str
    done: int
    total: int
    declined: int
    seconds: float | None
    ago: float | None
    closed: bool


class People:
    """The people of a study, on its ledger.

    Parameters
    ----------
    ledger : Ledger
        With the study's cells planned.
    asked : Questions
        Of the study.
    """

    def __init__(self, ledger: Ledger, asked: Questions) -> None:
        self.ledger, self.asked, self.seats, self.links = ledger, asked, Seats(ledger), Links(ledger)
        self.settings = asked.study.people
        self._price = {name: judges.price(asked.study, name) for name in self.settings}
        self._totals: dict[str, int] = {}
        self._last = 0
        ledger.seen(self._count)

    def _count(self) -> None:
        """Count everybody's questions again, if more were planned since, as after a look at a goal."""
        last = self.ledger.last
        if last != self._last:
            self._last, self._totals = last, {judge.judge: judge.cells for judge in self.ledger.status()}

    @whole
    def progress(self) -> list[PersonProgress]:
        """How far everybody is, in the order of the study."""
        known = {judge.judge: judge for judge in self.ledger.status()}
        return [
            PersonProgress(
                name,
                judge.done + judge.given_up,
                judge.cells,
                judge.given_up,
                *self.seats.pace(name),
                closed=self.seats.is_closed(name),
            )
            for name in self.settings
            if (judge := known.get(name)) is not None
        ]

    @whole
    def comments(self) -> list[dict[str, object]]:
        """What people said beside their answers, with the cell and the answer that it is about."""
        return [
            {**cell.levels, "replicate": cell.replicate, "score": score, "comment": comment}
            for name in self._totals.keys() & self.settings.keys()
            for cell, score, text in self.seats.answers(name)
            if (comment := json.loads(text).get("comment"))
        ]

    def set_closed(self, names: Collection[str], *, closed: bool) -> None:
        """Close the study to people, who are then asked nothing more, or open it again."""
        for name in self._totals.keys() & frozenset(names) & self.settings.keys():
            (self.seats.close if closed else self.seats.open)(name)

    def whose(self, word: str) -> str | None:
        """Whose link a word is: a person's, by name, or the owner's; None if it is nobody's, or of nobody any more."""
        name = self.links.whose(hashed(word))
        return name if name == OWNER or name in self.settings else None

    def seated(self) -> tuple[str, ...]:
        """The people who have questions, in the order of the study."""
        return tuple(name for name in self.settings if name in self._totals)

    def arrange(self) -> None:
        """Put everybody's questions in an order of their own."""
        for name in self.seated():
            self.seats.arrange(name, self.asked.study.seed, spread=ITEM)

    @whole
    def standing(self, name: str) -> PersonStanding:
        """How far somebody is, with a question for them."""
        if self.asked.study.grows and self.ledger.last != self._last:
            self._count()
            self.arrange()
        if name not in self._totals:  # the layout gives them nothing
            return PersonStanding(None, 0, 0, undoable=False, closed=False)
        seconds = self._seconds(name)
        shown = self.seats.show(name, seconds, self.asked.study.cap)
        total = self._totals[name]
        return PersonStanding(
            None if shown is None else self._task(shown),
            total - self.seats.left(name),
            total,
            undoable=self.seats.latest(name, seconds) is not None,
            closed=self.seats.is_closed(name),
        )

    @whole
    def answer(
        self, name: str, key: str, shown: int, word: str | None, comment: str = "", *, seconds: float | None = None
    ) -> bool:
        """Record somebody's answer, None for "cannot say"; whether it is a new one.

        An answer that was sent twice is recorded once, and so is that of two windows. One that was given elsewhere says
        how many seconds it took, nan if that is not known.

        Raises
        ------
        InvalidInput
            If the question is not theirs, or the word is no answer to it.
        """
        cell = self.seats.find(name, key) if name in self._totals else None
        if cell is None:
            raise InvalidInput(f"answer: {name} has no such question; load the page again")
        if cell.asked != shown:
            return False
        expects = self.asked.expects(cell)
        score = None if word is None else _score(word, expects)
        given = word if expects.labels else int(score) if score is not None and expects.integer else score
        said: dict[str, object] = {expects.name: given}
        text = json.dumps(said | ({"comment": comment[:MOST_COMMENT]} if comment.strip() else {}), ensure_ascii=False)
        cost = 0.0 if cell.asked else self._price[name].call  # a vote that was taken back is paid for once
        if score is None:
            reply = Reply(REFUSED, text=text, cost=cost, error="cannot say")
        else:
            reply = Reply(OK, expects.recoded(score), text, cost=cost)
        return self.seats.answer(cell, reply, self.asked.study.cap, seconds=seconds)

    def undo(self, name: str, key: str) -> bool:
        """Take back the answer before the question of this key, if it is not too long ago; whether there is one.

        The key is empty if nothing was left to ask. What is sent twice takes one answer back.
        """
        return name in self._totals and self.seats.undo(name, self._seconds(name), before=key)

    def _task(self, cell: LeasedCell) -> Task:
        return Task(cell.key, cell.asked, self.asked.sheet(cell), self.asked.expects(cell))

    def _seconds(self, name: str) -> float:
        return 60.0 * self.settings[name].minutes


def _score(word: str, expects: Expects) -> float:
    """The score of an answer, in the order in which the responses were shown."""
    labels: Mapping[str, float] = expects.labels
    if labels:
        if word not in labels:
            raise InvalidInput(f"answer: must be one of {', '.join(labels)}")
        return labels[word]
    try:
        score = float(word)
    except ValueError:
        score = math.nan
    if not (math.isfinite(score) and expects.allows(score)):
        kind = "a whole number" if expects.integer else "a number"
        raise InvalidInput(f"answer: must be {kind} from {expects.low:g} to {expects.high:g}")
    return score


# Label Studio: the questions to people as its tasks, and its annotations as their answers.


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
    instructions = "\n\n".join(text for text in (sheet.instructions, sheet.closing) if text)
    texts = {"instructions": instructions, "context": _context(sheet)}
    return {"data": {_CELL: cell.key, _SEAT: cell.judge, **texts, **sides}}


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
