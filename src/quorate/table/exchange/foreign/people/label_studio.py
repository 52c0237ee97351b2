"""Label Studio: exports of what people annotated, whole (JSON) or flat (JSON_MIN and CSV)."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quorate import caveats
from quorate.arguments import argument
from quorate.errors import InvalidData, UnknownTerm
from quorate.frozen import dataclass
from quorate.roles import ITEM, PROMPT
from quorate.table.columns.languages import plain
from quorate.table.columns.names import HINTS, is_criterion, words_of
from quorate.table.columns.outcomes import WORDS, sides_in
from quorate.table.columns.scales import number
from quorate.table.columns.vote_roles import has_pairs
from quorate.table.exchange.csv_text import delimiter_of
from quorate.table.exchange.encoding import encoding_of, notes_of
from quorate.table.exchange.foreign.records import (
    Records,
    absent,
    chosen,
    columns_of,
    csv_rows,
    document,
    labelled,
    name_at,
    name_or_none,
    number_at,
    shown,
)
from quorate.table.exchange.format import Format, Kind, Opened
from quorate.table.exchange.glance import Glance
from quorate.table.notes import Note
from quorate.table.pairs import BOTH_BAD, TIE
from quorate.wording import counted

if TYPE_CHECKING:
    import duckdb


_KEYS = {"rating": "rating", "number": "number", "pairwise": "selected", "choices": "choices"}
"""Types of controls that are read, and where their value stands."""
_FLAT = {"annotation_id", "annotator", "lead_time"}
_OWN = {*_FLAT, "id", "created_at", "updated_at"}
_TRUTH = "ground_truth"
"""Name in a part that asks for annotations given as the truth, and of who then judged."""
_SIDES = {"left": "model_a", "right": "model_b"}
_NAMED = {"a": "left", "b": "right", "tie": "tie"}
_TIES = {**dict.fromkeys(WORDS[TIE], "tie"), **dict.fromkeys(WORDS[BOTH_BAD], "both_bad")}
_MOST_CHOICES = 30
_TRUTHS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}


@dataclass(frozen=True)
class Annotation:
    """What one person said of one task.

    Parameters
    ----------
    task : str
        Its id.
    data : mapping of str to object
        The task's own fields.
    judge : str, optional
        Who annotated it.
    values : mapping of str to object
        What was said, by control: a number, or a word.
    sides : frozenset of str
        Controls that say which of two is better.
    skipped : bool
        Whether it was given up.
    prelabel : str, optional
        The model whose label the person began with.
    truth : bool
        Whether it was given as the truth.
    seconds : float, optional
        How long it took.
    """

    task: str
    data: Mapping[str, Any]
    judge: str | None
    values: Mapping[str, object]
    sides: frozenset[str]
    skipped: bool = False
    prelabel: str | None = None
    truth: bool = False
    seconds: float | None = None


@dataclass(frozen=True)
class Export:
    """The annotations of a file.

    Parameters
    ----------
    annotations : sequence of Annotation
        Without those that were given as the truth, unless they are asked for.
    flat : bool
        Whether rows hold everything of an annotation side by side, and none that was skipped.
    truths : int
        How many were given as the truth and are left out.
    worded : frozenset of str
        Controls of which phrases say the side, such as "A is much better", of tasks that name two.
    """

    annotations: Sequence[Annotation]
    flat: bool
    truths: int = 0
    worded: frozenset[str] = frozenset()

    @property
    def sides(self) -> tuple[str, ...]:
        """Controls that say which of two is better."""
        return tuple(sorted({name for one in self.annotations for name in one.sides}))

    def said(self, name: str) -> list[object]:
        """What every annotation says under a name, None where nothing; a flat file has choices among its fields."""
        if name in {control for one in self.annotations for control in one.values} or not self.flat:
            return [one.values.get(name) for one in self.annotations]
        return [one.data.get(name) or None for one in self.annotations]

    def names(self) -> tuple[str, ...]:
        """What may say something beside the sides: controls, and of a flat file fields too."""
        every = dict.fromkeys(
            name for one in self.annotations for name in (*one.values, *(one.data if self.flat else ()))
        )
        return tuple(name for name in every if name not in self.sides)

    def part(self, wanted: str | None) -> tuple[Kind, tuple[str, ...]]:
        """What is read, and by which controls: votes where one of two sides is chosen, unless another is named."""
        named = [] if wanted is None else [name.strip() for name in wanted.split(",")]
        if self.sides and (wanted is None or any(name in self.sides for name in named)):
            return "votes", self._pair(named)
        controls = dict.fromkeys(name for one in self.annotations for name in one.values if name not in self.sides)
        every = {name: self.scores(name) for name in (*controls, *(named if self.flat else ()))}
        found = {name: scores for name, scores in every.items() if not all(map(absent, scores))}
        if not found and wanted is None and len(choices := self._choices()) == 1:
            return "scores", choices
        if not found and wanted is None:
            found = {name: numbers for name in self._named() if not any(map(absent, numbers := self.scores(name)))}
        if not found:
            fix = "; if a field is a choice of words, name it with " + argument("part", ...) if self.flat else ""
            raise InvalidData("no control is a rating, a number or a choice of one" + fix)
        return "scores", chosen(wanted, found, "control")

    def _choices(self) -> tuple[str, ...]:
        """Fields of a flat file that may be choices: few words, not always the same of one task."""
        tasks = len({one.task for one in self.annotations})
        found = []
        for name in self.names() if self.flat else ():
            said = [(one.task, str(one.data[name])) for one in self.annotations if one.data.get(name)]
            words = {word for _, word in said}
            if 2 <= len(words) <= min(_MOST_CHOICES, len(said) / 2) and len({*said}) > len({task for task, _ in said}):
                found.append(name)
        return tuple(found) if tasks < len(self.annotations) else ()

    def _named(self) -> tuple[str, ...]:
        """Fields of a flat file that are scores by their names."""
        named = (name for name in (self.names() if self.flat else ()))
        return tuple(name for name in named if {*words_of(name)} & {*HINTS} or is_criterion(name))

    def scores(self, name: str) -> list[float | str]:
        """What every annotation says under a name, nan where nothing; as words if some are no numbers."""
        said = self.said(name)
        if any(map(_is_word, said)):
            return [math.nan if one is None else str(one) for one in said]
        return list(map(_score, said))

    def _pair(self, named: Sequence[str]) -> tuple[str, ...]:
        """The control that says the side, and those that say ties: named, or with such words alone."""
        wanted = next((name for name in named if name in self.sides), None)
        side = chosen(wanted, dict.fromkeys(self.sides, ()), "control")
        names = self.names()
        for name in named:
            if name not in (*self.sides, *names):
                raise UnknownTerm(name, (*self.sides, *names), "control")
        ties = {name: [word for word in self.said(name) if word is not None] for name in names}
        others = [name for name, words in ties.items() if words and all(plain(str(word)) in _TIES for word in words)]
        return (side[0], *([name for name in named if name not in self.sides] or others))


def claims(glance: Glance) -> bool:
    """Whether tasks hold annotations with results, or rows name an annotation and who made it."""
    record, annotations = glance.record, glance.record.get("annotations")
    if set(glance.header) >= _FLAT or (glance.array and {"annotation_id", "annotator"} <= record.keys()):
        return not _is_of_pairs(glance)
    if not glance.array or not isinstance(annotations, list):
        return False
    return "data" in record or any(isinstance(one, dict) and "result" in one for one in annotations)


def _is_of_pairs(glance: Glance) -> bool:
    """Whether rows name two sides and hold no control: words say who won, as in any table of votes."""
    rows = [one for one in glance.json or () if isinstance(one, dict)]
    if glance.header:
        lines = io.StringIO(glance.text[: glance.text.rfind("\n") + 1])
        rows = [*csv.DictReader(lines, restkey="", delimiter=delimiter_of(glance.path, glance.text))]
    if not rows or not has_pairs(tuple(rows[0])):
        return False
    return not (
        any(_says_side(name, rows) for name in rows[0])
        or any(isinstance(_unpacked(value), dict) for row in rows for value in row.values())
    )


def read_annotations(connection: duckdb.DuckDBPyConnection, path: Path, part: str | None) -> Opened:
    """A judgment, or a vote, for each annotation of a task.

    Parameters
    ----------
    connection : DuckDBPyConnection
        That shows the rows.
    path : Path
        The export.
    part : str, optional
        The control that is read; of votes also, after a comma, the one that says ties. With ``ground_truth`` among
        the names annotations that were given as the truth are a judge of that name.

    Raises
    ------
    InvalidInput
        If several controls are there and none is named.
    UnknownTerm
        If there is none of this name.
    InvalidData
        If the file is not such an export.
    """
    names = [] if part is None else [name.strip() for name in part.split(",")]
    export = exported(path, truths=_TRUTH in names)
    wanted = ", ".join(name for name in names if name != _TRUTH) or None
    try:
        kind, controls = export.part(wanted)
    except InvalidData as error:
        raise InvalidData(f"{path}: " + error.args[0]) from None
    columns = columns_of((name for one in export.annotations for name in one.data if name not in controls), kind)
    own = ITEM if kind == "scores" else PROMPT
    rows = Records(own, *columns.values(), "judge", "control", "score", "winner", "order", "status")
    said = {control: export.said(control) if kind == "votes" else export.scores(control) for control in controls}
    for place, one in enumerate(export.annotations):
        judge = _TRUTH if one.truth else one.judge
        labels = {own: one.task, **labelled(one.data, columns), "judge": judge}
        status = "refused" if one.skipped else "ok"
        if kind == "votes":
            winner = _winner(path, one.task, {control: said[control][place] for control in controls})
            order = None if controls[0] in export.worded else "model_a"
            rows.add(**labels, winner=winner, order=order, status=status)
            continue
        for control in controls:
            which = control if len(controls) > 1 else None
            rows.add(**labels, control=which, score=said[control][place], status=status)
    before = [one.prelabel for one in export.annotations if one.prelabel is not None]
    told = [caveats.prelabelled(len(before), len(export.annotations), dict.fromkeys(before))] if before else []
    told += [caveats.skipped_unseen()] if export.flat else []
    read_as = notes_of(encoding_of(path)) if Glance(path).header else ()
    return rows.opened(
        connection, kind, facets=("control",), notes=[*read_as, *_notes(export, kind, controls)], caveats=told
    )


def exported(path: Path, *, truths: bool = False) -> Export:
    """The annotations of an export, those that were given as the truth too if asked.

    Raises
    ------
    InvalidData
        If the file is not such an export, or holds none.
    """
    if Glance(path).header:
        rows: Any = csv_rows(path, partial(csv.DictReader, restkey=""))
    else:
        rows = document(path, "export the annotations in parts")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise InvalidData(f"{path}: is no list of tasks or annotations of Label Studio")
    flat = bool(rows) and "annotations" not in rows[0]
    every = _flat(path, rows) if flat else _whole(path, rows)
    found = [one for one in every if truths or not one.truth]
    if not found:
        raise InvalidData(f"{path}: holds no annotation")
    found, worded = _with_worded(found)
    return Export(found, flat, len(every) - len(found), worded)


def _with_worded(annotations: Sequence[Annotation]) -> tuple[list[Annotation], frozenset[str]]:
    """Annotations whose phrases for a side of their tasks are sides, and the controls of these."""
    words: dict[str, dict[str, None]] = {}
    for one in annotations:
        for name, value in one.values.items():
            words.setdefault(name, {})[str(value)] = None
    paired = all(has_pairs(tuple(one.data)) for one in annotations)
    free = {*words} - {name for one in annotations for name in one.sides} if paired else set[str]()
    meant = {name: said for name in free if (said := sides_in([*words[name]])) is not None}
    sides = {
        name: {word: side for side, held in said.items() for word in ((held,) if isinstance(held, str) else held)}
        for name, said in meant.items()
    }
    changed = [
        replace(
            one,
            values={name: _NAMED[sides[name][str(v)]] if name in sides else v for name, v in one.values.items()},
            sides=one.sides | (sides.keys() & one.values.keys()),
        )
        for one in annotations
    ]
    return changed, frozenset(sides)


def _whole(path: Path, tasks: Iterable[Mapping[str, Any]]) -> list[Annotation]:
    """Annotations of tasks."""
    found = []
    for place, task in enumerate(tasks, 1):
        name = name_at(task.get("id", place), f"{path}: task {place}: id")
        where = f"{path}: task {name}"
        annotations, data = task.get("annotations"), task.get("data")
        if not isinstance(annotations, list) or not isinstance(data, dict):
            raise InvalidData(f"{where}: annotations must be a list and data an object")
        for one in annotations:
            if not isinstance(one, dict) or not isinstance(one.get("result"), list):
                raise InvalidData(f"{where}: an annotation has no list of results")
            person, before = one.get("completed_by"), one.get("prediction")
            person = person.get("id") if isinstance(person, dict) else person
            values, sides = _said(where, one["result"])
            prelabel = None
            if isinstance(before, dict) and before.get("result"):
                prelabel = str(before.get("model_version") or "a model")
            found.append(
                Annotation(
                    name,
                    data,
                    name_or_none(person, f"{where}: completed_by"),
                    values,
                    sides,
                    bool(one.get("was_cancelled")),
                    prelabel,
                    bool(one.get("ground_truth")),
                    number(one.get("lead_time")),
                )
            )
    return found


def _said(where: str, results: Iterable[Any]) -> tuple[dict[str, object], frozenset[str]]:
    """Values of an annotation by control, and the controls that name a side; other types are passed over."""
    values: dict[str, object] = {}
    sides = set()
    for one in results:
        name, kind, value = (
            (one.get(key) for key in ("from_name", "type", "value")) if isinstance(one, dict) else [0] * 3
        )
        key = _KEYS.get(kind) if isinstance(kind, str) else None
        if key is None or not isinstance(name, str) or not isinstance(value, dict):
            continue
        values[name] = _value(f"{where}, {name}", key, value.get(key))
        if key == "selected":
            sides.add(name)
    return {name: value for name, value in values.items() if value is not None}, frozenset(sides)


def _value(where: str, key: str, value: Any) -> object:
    """What was said under a control, None if several things were."""
    if key == "choices":
        words = value if isinstance(value, list) else [value]
        return words[0] if len(words) == 1 and isinstance(words[0], str) else None
    if key == "selected" and value is not None and (not isinstance(value, str) or value not in _SIDES):
        raise InvalidData(f"{where}: side {shown(value)} is not known; known are left and right")
    return value if key == "selected" else number_at(value, where)


def _says_side(name: str, rows: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a field holds left and right alone, beside none where neither was chosen."""
    return {str(row.get(name) or "") for row in rows} - {""} == {*_SIDES}


def _flat(path: Path, rows: Sequence[Mapping[str, Any]]) -> list[Annotation]:
    """Annotations of a flat export; text may be a field of the task or a choice, and is both."""
    found = []
    chosen_sides = [name for name in dict.fromkeys(name for row in rows for name in row) if _says_side(name, rows)]
    for place, row in enumerate(rows, 1):
        values: dict[str, object] = {}
        data: dict[str, object] = {}
        sides = set()
        for name, value in row.items():
            inner = _unpacked(value)
            key = next((key for key in _KEYS.values() if isinstance(inner, dict) and key in inner), None)
            if key is not None:
                values[name] = _value(f"{path}: row {place}, {name}", key, inner[key])
                sides |= {name} if key == "selected" else set()
            elif name not in _OWN:
                data[name] = value
        for name in chosen_sides:
            word = data.pop(name, None)
            values[name] = None if word in (None, "") else word
            sides.add(name)
        kept = {name: value for name, value in values.items() if value is not None}
        task = name_at(row.get("id", place), f"{path}: row {place}: id")
        judge = name_at(row["annotator"], f"{path}: row {place}: annotator") if row.get("annotator") else None
        seconds = number(row.get("lead_time"))
        found.append(Annotation(task, data, judge, kept, frozenset(sides), seconds=seconds))
    return found


def _unpacked(value: Any) -> Any:
    """What stands in a list of one, which in CSV is JSON text."""
    if isinstance(value, str) and value[:2] in ("[{", '{"'):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _score(value: object) -> float:
    """A number, a numeral, or yes and no; nan for anything else."""
    truth = _TRUTHS.get(value.strip().lower()) if isinstance(value, str) else None
    found = number(value) if truth is None and isinstance(value, (str, int, float)) else truth
    return math.nan if found is None or math.isinf(found) else found


def _is_word(value: object) -> bool:
    return value is not None and math.isnan(_score(value))


def _winner(path: Path, task: object, said: Mapping[str, object]) -> str | None:
    """The side that was chosen, else the tie that another control says, None if nothing was said."""
    side, *ties = said
    if said[side] is not None:
        return _SIDES.get(str(said[side]), "tie")
    word = next((said[name] for name in ties if said[name] is not None), None)
    if word is not None and plain(str(word)) not in _TIES:
        known = ", ".join(_TIES)
        raise InvalidData(
            f"{path}: task {task}: {shown(word)} is no word for a tie; known are {known}; leave its control out with "
            + argument("part", side)
        )
    return None if word is None else _TIES[plain(str(word))]


def _notes(export: Export, kind: Kind, controls: Sequence[str]) -> list[Note]:
    word = "score" if kind == "scores" else "winner"
    said = f"{word} = control {controls[0]}" if kind == "votes" else f"{word} = control {', '.join(controls)}"
    notes = [Note(said + (f", ties by {', '.join(controls[1:])}" if kind == "votes" and controls[1:] else ""))]
    worded = controls[0] in export.worded
    sides = "its phrases name model_a, model_b or neither" if worded else "left = model_a, shown first; right = model_b"
    notes += [Note(sides)] if kind == "votes" else []
    yes = kind == "scores" and any(str(v).strip().lower() in _TRUTHS for name in controls for v in export.said(name))
    notes += [Note("yes and true are 1, no and false 0")] if yes else []
    if export.truths:
        asked = ", ".join([*controls, _TRUTH])
        left_out = f"{counted(export.truths, 'annotation')} given as the truth: left out; a judge of its own with "
        notes.append(Note(f'{left_out}part="{asked}"'))
    return notes


SIGHT = ("annotation_id", '"annotations"')
FORMAT = Format("label-studio", read_annotations, claims=claims, tool=True)
