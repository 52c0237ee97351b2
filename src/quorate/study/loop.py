"""Loop of a study that is carried out: planned, quoted, asked, and read as judgments."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from quorate.collect.ledger.ledger import Ledger
from quorate.collect.runner import run as runner
from quorate.collect.runner.lane import Ended, Limits, RunOutcome, Update
from quorate.decide.goals.look import Look
from quorate.errors import InvalidInput
from quorate.frozen import dataclass
from quorate.study.battles import Battling, in_battles
from quorate.study.file import Study, answers, load
from quorate.study.judges import check, made, pace, tag
from quorate.study.questions import Questions, questions
from quorate.study.quote import Quote, quote, worst
from quorate.study.rounds import in_rounds, shares
from quorate.study.status import Say, begin, due, in_looks, standing
from quorate.table.judgments import Judgments
from quorate.table.votes import Votes

Report = Callable[[Update], None]
Answer = Callable[[Quote], bool]
_MAY_WRITE = os.W_OK | os.X_OK


@dataclass(frozen=True)
class Carried:
    """What a run came to.

    Parameters
    ----------
    quote : Quote
        What was said before.
    outcome : RunOutcome, optional
        How it ended; None if it was declined.
    reached : str
        What an adaptive policy has reached, which battles were drawn, or the latest look at a goal, in a sentence.
    """

    quote: Quote
    outcome: RunOutcome | None
    reached: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        counts = ("complete", "finished", "given_up", "left", "people", "late", "seconds")
        outcome = self.outcome
        ended = (
            None
            if outcome is None
            else {
                **{name: getattr(outcome, name) for name in counts},
                "ended": outcome.ended.name.lower(),
                "calls": dict(outcome.calls),
                "dead": dict(outcome.dead),
                "held": dict(outcome.held),
                "spend": asdict(outcome.spend),
            }
        )
        return {"quote": asdict(self.quote), "outcome": ended, "reached": self.reached}


def run(
    study: str | os.PathLike[str],
    *,
    judges: Mapping[str, Any] | None = None,
    yes: bool | Answer = True,
    on_progress: Report | None = None,
) -> Judgments | Votes:
    """Ask the judges of a study file what it plans, within its budget, and read the answers.

    Every answer is in the study's ledger as soon as it has come. After an interruption, of whatever kind, call it
    again: what is answered is not asked twice. If cells are left, because the budget is spent or a judge does not
    answer, one line on standard error says so, and the judgments are those that there are. Another one says what an
    adaptive policy has reached, and why it ended; of a study with a goal, there is one for every look at it.

    Parameters
    ----------
    study : path
        The study file; ``quorate init`` writes one.
    judges : mapping of str to callable, optional
        The functions behind judges of kind ``python``: they take a request and return a score, words or None.
    yes : bool or callable
        Whether to go ahead; or a function of the quote that says so.
    on_progress : callable, optional
        Called about twice a second with how far the run is.

    Returns
    -------
    Judgments or Votes
        Of the whole ledger: votes if the study's items name two systems.

    Raises
    ------
    InvalidInput
        If the file breaks a rule, what the ledger was planned with has changed, or nothing is answered.
    KeyboardInterrupt
        If it was stopped by Ctrl-C, after what was in flight is in the ledger; a second Ctrl-C does not wait for that.
    """
    loaded = load(study)
    carried = carry_out(loaded, judges=judges, yes=yes, on_progress=on_progress, on_look=_say)
    outcome = carried.outcome
    if outcome is None:
        raise InvalidInput("yes: the quote was declined, so nothing was asked")
    far = standing(loaded)
    reached = "" if loaded.goal is not None else carried.reached  # looks are said as they are made
    lines = (reached, "" if outcome.complete else outcome.sentence, *far.unscored)
    sys.stderr.write("".join(f"quorate: {line}\n" for line in lines if line))
    if outcome.ended is Ended.STOPPED:
        raise KeyboardInterrupt
    if not far.finished:
        why = "; ".join(f"{name} does not answer ({why})" for name, why in outcome.dead.items()) or outcome.ended.value
        raise InvalidInput(f"{loaded.database}: holds no answers: {why}; see quorate status {os.fspath(study)}")
    return answers(loaded)


def carry_out(
    study: Study,
    *,
    judges: Mapping[str, Any] | None = None,
    yes: bool | Answer = True,
    on_progress: Report | None = None,
    on_look: Say | None = None,
) -> Carried:
    """As `run`, for a study that is loaded; gives the quote and how the run ended.

    ``on_look`` is called with every look at a goal, as soon as it is in the ledger.

    What a run needs, such as keys, is looked for before anybody is asked for a yes. Where ``yes`` is False there will
    be no run, and nothing but the quote is made.
    """
    check(study)
    place = study.database
    if yes is not False and isinstance(place, Path) and not (place.exists() or os.access(place.parent, _MAY_WRITE)):
        raise InvalidInput(f"ledger: {place}: cannot be made; check that its folder exists and can be written to")
    asked = questions(study)
    worst(asked)  # which refuses what cannot be asked, and a cap on money that nothing keeps to
    quoted = quotation(asked)
    no_more = study.adaptive is None and not quoted.more
    ended = no_more and quoted.done > 0 and quoted.cells == quoted.people  # so that no judge is needed
    asking = {} if yes is False or ended else made(study, judges)
    if not (yes(quoted) if callable(yes) else yes):
        return Carried(quoted, None)
    with Ledger.open(study.database) as ledger:
        plan(ledger, asked)
        tag(asking, ledger.name)
        hard = limits(study)

        async def answered(stop: asyncio.Event) -> tuple[RunOutcome, str]:
            own: dict[str, Any] = {"budget": study.cap, "beside": study.folder, "people": study.people}
            own |= {"limits": hard, "on_progress": on_progress, "stop": stop}
            collect = partial(runner.collect, ledger, asking, asked.request, **own)
            try:
                if study.adaptive is not None:
                    return await in_rounds(ledger, asked, collect)
                if study.battles is not None:
                    return await in_battles(ledger, asked, collect)
                if study.goal is not None:
                    return await in_looks(ledger, asked, collect, on_look)
                return await collect(), ""
            finally:
                await asyncio.gather(*(judge.close() for judge in asking.values()))

        return Carried(quoted, *runner.run(answered))


def quotation(asked: Questions) -> Quote:
    """What a run may come to; the ledger stays as it was, so that the study may still be changed."""
    study = asked.study
    if not Ledger.exists(study.database):
        if study.goal is not None:
            return due(None, asked)
        found = drawn(None, asked)
        return quote(asked, asked.cells().calls() if found is None else found)
    with Ledger.open(study.database) as ledger:
        ledger.undeclared(asked.parts(), seed=study.seed)
        if study.goal is not None:
            return due(ledger, asked)
        found = drawn(ledger, asked)
        if found is not None:
            return quote(asked, found, seen=ledger.status())
        cells = asked.cells()
        keys = asked.keys(cells)
        new, left, seen = ledger.seen(lambda: (ledger.lacks(cells, keys), ledger.unfinished(), ledger.status()))
        _same_study(ledger, sum(judge.cells for judge in seen), len(cells) - sum(new.values()))
        counts = {name: left.get(name, 0) + new.get(name, 0) for name in dict.fromkeys((*left, *new))}
        return quote(asked, counts, seen=seen)


def drawn(ledger: Ledger | None, asked: Questions) -> dict[str, int] | None:
    """Cells that may still be asked, by judge, where answers say which; None of a study with a layout."""
    if asked.study.battles is not None:
        return Battling(asked).shares(ledger)
    return None if asked.study.adaptive is None else shares(ledger, asked)


def plan(ledger: Ledger, asked: Questions) -> None:
    """Put the study and the cells of its layout, or of its pilot, into the ledger; others come round by round.

    Raises
    ------
    InvalidInput
        If a rubric, item, judge or the seed changed, or the ledger has cells that the study no longer has.
    """
    if asked.study.goal is not None:
        begin(ledger, asked)
        return
    ledger.declare(asked.parts(), seed=asked.study.seed)
    if asked.study.adaptive is not None or asked.study.battles is not None:
        return
    cells = asked.cells()
    ledger.plan(cells, asked.keys(cells), worst(asked))
    _same_study(ledger, sum(judge.cells for judge in ledger.status()), len(cells))


def _same_study(ledger: Ledger, held: int, known: int) -> None:
    if held > known:
        raise InvalidInput(
            f"ledger: {ledger.path} has {held - known:,} cells that the study no longer has "
            "(its items, layout or replicates changed); start a new ledger for the changed study"
        )


def _say(look: Look) -> None:
    line = "".join(c if c.isprintable() else " " for c in look.sentence)  # names of systems are somebody else's text
    sys.stderr.write(f"quorate: {line}\n")


def limits(study: Study) -> Limits:
    """How hard the study's judges are asked."""
    return Limits(
        paces={name: pace(study, name) for name in study.judges if name not in study.people}, tries=study.tries
    )
