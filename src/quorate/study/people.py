"""People as judges of a study: the question that each has before them, and the answers that they give."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from quorate.collect.judge import REFUSED, Expects, Reply
from quorate.collect.ledger.lease import LeasedCell
from quorate.collect.ledger.ledger import Ledger, whole
from quorate.collect.ledger.seats import OWNER, Links, Seats, hashed
from quorate.collect.prompt import Sheet
from quorate.errors import InvalidInput
from quorate.study import judges
from quorate.study.questions import ITEM, Questions
from quorate.table.judgments import OK

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
class Standing:
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
class Progress:
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
    def progress(self) -> list[Progress]:
        """How far everybody is, in the order of the study."""
        known = {judge.judge: judge for judge in self.ledger.status()}
        return [
            Progress(
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
    def standing(self, name: str) -> Standing:
        """How far somebody is, with a question for them."""
        if self.asked.study.grows and self.ledger.last != self._last:
            self._count()
            self.arrange()
        if name not in self._totals:  # the layout gives them nothing
            return Standing(None, 0, 0, undoable=False, closed=False)
        seconds = self._seconds(name)
        shown = self.seats.show(name, seconds, self.asked.study.cap)
        total = self._totals[name]
        return Standing(
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
