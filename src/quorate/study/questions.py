"""Questions of a study: its prompts over its items, one question for every cell, each with a key."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from difflib import get_close_matches
from functools import cached_property
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quorate.collect.judge import Expects, Message, Request
from quorate.collect.ledger.lease import LeasedCell
from quorate.collect.ledger.plan import Dependency, cell_key, digest
from quorate.collect.prompt import BUILT_IN, Prompt, Sheet, built_in
from quorate.errors import InvalidInput
from quorate.frozen import dataclass
from quorate.planning.assign import assign
from quorate.roles import TEMPERATURE
from quorate.study.file import Study, Wording
from quorate.study.goal import ReplaySettings
from quorate.study.judges import (
    SYSTEM_A,
    SYSTEM_B,
    ItemTable,
    Row,
    digests,
    numbered,
    paired,
    read_items,
    replayed,
    shown,
)
from quorate.table.cells import Cells
from quorate.table.columns.labels import label
from quorate.table.exchange.encoding import ordinary

ITEM, CATEGORY, SYSTEM, PROMPT, JUDGE = "item", "category", "system", "prompt", "judge"
ORDER, LISTED, SWAPPED = "order", "listed", "swapped"
_FRAME = 16
_VOTES = frozenset({0.0, 0.5, 1.0})


class Sizes(NamedTuple):
    """Lengths of the questions: mean and least in characters, and the most bytes, those around the words included."""

    mean: float
    least: int
    most_bytes: int


@dataclass(frozen=True, eq=False)
class Questions:
    """Everything that a study may ask.

    Parameters
    ----------
    study : Study
        The study.
    items : ItemTable
        What is judged.
    prompts : mapping of str to Prompt
        In which words.
    judges : mapping of str to str
        Digest of every judge.
    """

    study: Study
    items: ItemTable
    prompts: dict[str, Prompt]
    judges: dict[str, str]

    @property
    def scale(self) -> Expects:
        """The scale of every answer."""
        return next(iter(self.prompts.values())).expects

    @property
    def levels(self) -> dict[str, tuple[object, ...]]:
        """Facets that are crossed with everything."""
        levels: dict[str, tuple[object, ...]] = {}
        if self.items.systems:
            levels[SYSTEM] = self.items.systems
        if self.study.temperatures is not None:
            levels[TEMPERATURE] = tuple(self.study.temperatures)
        if self.study.order == "both":
            levels[ORDER] = (LISTED, SWAPPED)
        elif self.items.pairs:
            levels[ORDER] = (self.study.order or LISTED,)
        return levels

    def cells(self) -> Cells:
        """The cells of the study's layout that can be answered, in the order of asking."""
        return self.askable(self._layout())

    def askable(self, cells: Cells) -> Cells:
        """Those of some cells that can be answered: without those that a judge of recorded answers has none for."""
        return cells.keep(self._recorded(cells))

    @property
    def unrecorded(self) -> int:
        """Cells of the study's layout that are not asked, because a judge gives recorded answers and has none there."""
        if not any(isinstance(judge, ReplaySettings) for judge in self.study.judges.values()):
            return 0
        cells = self._layout()
        return int((~self._recorded(cells)).sum())

    def _recorded(self, cells: Cells) -> NDArray[np.bool_]:
        """Which cells have an answer, where a judge gives recorded ones; all of a judge that has none at all."""
        askable = np.ones(len(cells), dtype=np.bool_)
        columns = {name: cells.column(name) for name in cells.levels}
        for name, settings in self.study.judges.items():
            if isinstance(settings, ReplaySettings):
                judge, rows = replayed(self.study, name, settings), np.flatnonzero(columns[JUDGE] == name)
                asked = ({facet: str(column[row]) for facet, column in columns.items()} for row in rows)
                held = np.fromiter(map(judge.recorded, asked), dtype=np.int64, count=len(rows))
                askable[rows] = (cells.replicate[rows] <= held) | (not held.any())
        return askable

    def _layout(self) -> Cells:
        layout = self.study.layout
        cells = assign(
            items=numbered(self.items) if self.items.pairs else self.items.categories or self.items.names,
            judges=self.judges,
            prompts=self.prompts,
            layout=layout.name,
            per_item=layout.per_item,
            places=layout.places,
            pilot=layout.pilot,
            replicates=self.study.replicates,
            levels=self.levels,
            seed=self.study.seed,
        )
        return paired(cells, self.items) if self.items.pairs else cells

    def parts(self) -> Iterator[Dependency]:
        """What the answers depend on, each with its digest."""
        for name, prompt in self.prompts.items():
            yield Dependency("rubric", name, prompt.digest)
        for name, judge in self.judges.items():
            yield Dependency("judge", name, judge)
        if (goal := self.study.goal) is not None:
            yield Dependency("setting", "goal", digest([goal.model_dump(), self.study.looks]))
        for key in self.items.fields:
            yield Dependency("item", " of ".join(filter(None, key)), self.items.digest(key))

    def keys(self, cells: Cells) -> Iterator[str]:
        """Key of every cell."""
        rubric = {name: digest([name, prompt.digest]) for name, prompt in self.prompts.items()}
        item = {name: self.items.digest(name) for name in self.items.fields}
        named = (ITEM, SYSTEM_A, SYSTEM_B) if self.items.pairs else (ITEM, SYSTEM)
        order = cells.column(ORDER) if ORDER in cells.levels else repeat(self.study.order or "")
        temperature = cells.column(TEMPERATURE) if TEMPERATURE in cells.levels else repeat("")
        names = zip(*(cells.column(name) if name in cells.levels else repeat("") for name in named), strict=False)
        rows = zip(cells.column(PROMPT), cells.column(JUDGE), names, order, temperature, strict=False)
        for (prompt, judge, name, turn, heat), number in zip(rows, cells.replicate.tolist(), strict=True):
            yield cell_key(rubric[prompt], self.judges[judge], item[name], turn, heat, number)

    def request(self, cell: LeasedCell) -> Request:
        """The question of a cell."""
        row = cell.levels
        given = {label(value): value for value in self.study.temperatures or ()}
        params: dict[str, Any] = {TEMPERATURE: given[row[TEMPERATURE]]} if TEMPERATURE in row else {}
        return self.prompts[row[PROMPT]].request(
            self._fields(cell),
            key=cell.key,
            judge=cell.judge,
            params=params,
            swapped=self._swapped(cell),
            cell={**row, "replicate": str(cell.replicate)},
        )

    def sheet(self, cell: LeasedCell) -> Sheet:
        """The same as people read it."""
        return self.prompts[cell.levels[PROMPT]].sheet(self._fields(cell), swapped=self._swapped(cell))

    def expects(self, cell: LeasedCell) -> Expects:
        """What counts as an answer to it."""
        return replace(self.prompts[cell.levels[PROMPT]].marked(self._fields(cell)), swapped=self._swapped(cell))

    def _fields(self, cell: LeasedCell) -> Row:
        """The item of a cell."""
        row = cell.levels
        pair = (row[ITEM], row[SYSTEM_A], row[SYSTEM_B]) if self.items.pairs else (row[ITEM], row.get(SYSTEM, ""))
        if pair not in self.items.fields:  # planned by a run that has read the files later
            raise InvalidInput(f"items: {shown(pair)} was added after this study was read; start the command again")
        return self.items.fields[pair]

    def _swapped(self, cell: LeasedCell) -> bool:
        return cell.levels.get(ORDER, self.study.order) == SWAPPED

    @cached_property
    def lengths(self) -> Sizes:
        """Lengths of all questions; every one is made, so that what cannot be asked is found here."""
        count, total, least, most = 0, 0, math.inf, 0
        for messages in self.messages():
            length = sum(len(turn.content) for turn in messages)
            encoded = sum(len(turn.content.encode()) + _FRAME for turn in messages)
            count, total, least, most = count + 1, total + length, min(least, length), max(most, encoded)
        return Sizes(total / count, int(least), most)

    def messages(self) -> Iterator[tuple[Message, ...]]:
        """Every item in every prompt's words: what cannot be asked is found before anything is sent.

        Raises
        ------
        InvalidInput
            If a prompt needs what an item does not have.
        """
        swapped = self.study.order in ("swapped", "both")
        for name, fields in self.items.fields.items():
            for prompt in self.prompts.values():
                try:
                    yield prompt.messages(fields, swapped=swapped)
                except InvalidInput as error:
                    number, empty = self.items.empty.get(name, (0, ()))
                    lacking = ", ".join(f'"{column}"' for column in empty if f"'{column}' is undefined" in str(error))
                    row = f"; {lacking} is null or empty in row {number} of {self.study.items.file}" if lacking else ""
                    raise InvalidInput(f"items: {shown(name)}: {error}{row}") from None


def questions(study: Study) -> Questions:
    """What a study asks, with its files read and its prompts made.

    Raises
    ------
    InvalidInput
        If a file cannot be read, or prompts have different scales.
    """
    try:
        prompts = {name: prompt_of(study, name, wording) for name, wording in study.prompts.items()}
        check_prompts(prompts, named=study.items.system_a is not None)
    except InvalidInput as error:  # what is wrong with a prompt is said with the file that names it
        raise InvalidInput(f"{study.path}: {error}") from None
    return Questions(study, read_items(study.items, study.folder), prompts, digests(study))


def check_prompts(prompts: Mapping[str, Prompt], *, named: bool) -> None:
    """Refuse prompts whose answers do not belong in one table; ``named`` says whether items name two systems.

    Raises
    ------
    InvalidInput
        If they have different scales, some compare two responses and others judge one, or systems are named and an
        answer is no vote.
    """
    first, *others = prompts.values()
    for other in others:
        if (other.expects.low, other.expects.high) != (first.expects.low, first.expects.high):
            raise InvalidInput(
                f"prompts: {first.name} scores {_span(first)} and {other.name} {_span(other)}; "
                "variants of one prompt share a scale: make another study of the other"
            )
    comparing = [name for name, prompt in prompts.items() if prompt.compares]
    single = next((name for name in prompts if name not in comparing), None)
    if single is not None and comparing:
        raise InvalidInput(
            f"prompts: {comparing[0]} compares two responses and {single} judges one; make two studies of them"
        )
    if named and single is not None:
        raise InvalidInput(f"items.system_a: {single} judges one response, not two; use pairwise, or items.system")
    for prompt in prompts.values() if named else ():
        if prompt.expects.expected or not prompt.expects.labels or set(prompt.expects.labels.values()) - _VOTES:
            raise InvalidInput(
                f"prompts.{prompt.name}: the answer on two named systems is a vote; give a file the scale [0, 1] and "
                "labels of 1, 0.5 and 0, such as {A: 1, tie: 0.5, B: 0}, and leave expected out"
            )


def prompt_of(study: Study, name: str, wording: Wording) -> Prompt:
    """A prompt as a study words it: a built-in one, or the template in its file.

    Raises
    ------
    InvalidInput
        If there is no such built-in prompt, or the file cannot be read.
    """
    if wording.built_in is not None:
        if wording.built_in not in BUILT_IN:
            close = get_close_matches(wording.built_in, BUILT_IN, 1)
            meant = f'did you mean "{close[0]}"? ' if close else ""
            raise InvalidInput(
                f'prompts.{name}: no built-in prompt "{wording.built_in}"; {meant}There are {", ".join(BUILT_IN)}'
            )
        original = built_in(wording.built_in)
        expects = replace(original.expects, expected=wording.expected)
        return Prompt(name, original.source, expects, wording.instructions or "")
    path = study.folder / str(wording.file)
    try:
        source = ordinary(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not UTF-8"
        raise InvalidInput(f"prompts.{name}.file: {path} cannot be read ({why})") from None
    low, high = wording.scale or (0.0, 0.0)
    stated = wording.model_dump(include={"integer", "labels", "reasoned", "name", "expected"})
    return Prompt(name, source, Expects(low, high, **stated), wording.instructions or "", wording.key)


def _span(prompt: Prompt) -> str:
    return f"{prompt.expects.low:g} to {prompt.expects.high:g}"
