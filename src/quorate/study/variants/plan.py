"""Plan of drafting prompt variants: what will be asked, and whether it can be asked at all, before a judge is."""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quorate.collect.budget import Budget, Spend
from quorate.errors import InvalidInput
from quorate.study.file import Study, load
from quorate.study.judges import price
from quorate.study.kinds import PythonSettings
from quorate.study.questions import questions
from quorate.study.quote import PER_TOKEN, JudgeQuote, Range
from quorate.study.status import status
from quorate.study.variants.ask import MOST_REASON, Ask, messages
from quorate.study.variants.check import Bounds, texts
from quorate.study.variants.files import free, names, place
from quorate.study.variants.text import Instruction, instruction

MOST = 20
"""Variants that are drafted at once."""

TEMPERATURE = 0.9
"""Of the call for a draft unless given; paraphrases in Messing (2026) were drawn at it."""

FOLDER = "prompts"
_CANNOT = {
    "person": "is a person, and is not asked for drafts",
    "replay": "replays recorded scores and cannot write",
    "batch": "answers in batches, which take hours for every draft",
}
_LIMITS = ("max_tokens", "max_completion_tokens")
_ROOM = 256
_FRAME = 64


@dataclass(frozen=True, eq=False)
class Draftable:
    """What will be asked, before it is.

    Parameters
    ----------
    study : Study
        The study.
    bounds : Bounds
        The prompt, and what drafts are held against.
    others : tuple of tuple of str
        Wordings that the study has already.
    judge : str
        Who is asked.
    ask : Ask
        How often, and within which budget.
    files : mapping of str to Path
        File of each variant.
    quote : JudgeQuote
        What it may cost.
    left : Budget
        What is left of the study's budget.
    """

    study: Study
    bounds: Bounds
    others: tuple[tuple[str, ...], ...]
    judge: str
    ask: Ask
    files: Mapping[str, Path]
    quote: JudgeQuote
    left: Budget

    @property
    def words(self) -> int:
        """Words of the instruction that are worded anew."""
        return self.bounds.text.words

    @property
    def copies(self) -> dict[Path, str]:
        """Where the original is copied to, if it is a built-in prompt: to be read beside the variants."""
        original = self.bounds.original
        folder = next(iter(self.files.values())).parent
        built_in = self.study.prompts[original.name].file is None
        return {place(folder, original.name): original.source} if built_in else {}


def prepared(
    study: str | os.PathLike[str],
    *,
    prompt: str | None = None,
    n: int = 4,
    judge: str | None = None,
    judges: Mapping[str, Any] | None = None,
    temperature: float = TEMPERATURE,
    out: str | os.PathLike[str] | None = None,
    force: bool = False,
) -> Draftable:
    """Everything that can be checked before a judge is asked; see `variants`."""
    if not 1 <= n <= MOST:
        raise InvalidInput(f"n: must be from 1 to {MOST}, got {n}")
    if not (math.isfinite(temperature) and 0 <= temperature <= 2):
        raise InvalidInput(f"temperature: must be from 0 to 2, got {temperature}")
    loaded = load(study)
    name = _named("prompt", prompt, loaded.prompts)
    writer = _writer(loaded, judge, judges or {})
    asked = questions(loaded)
    rows = list(asked.items.fields.values())
    items = dict.fromkeys(text for row in rows for text in texts(row) if text)
    text = instruction(asked.prompts[name])
    bounds = Bounds(asked.prompts[name], text, rows[0], tuple(items))
    others = []
    for key, other in asked.prompts.items():
        if key != name:
            with contextlib.suppress(InvalidInput):  # which has no instruction
                others.append(instruction(other).parts)
    alike = tuple(parts for parts in others if len(parts) == len(text.parts))
    params: dict[str, Any] = getattr(loaded.judges[writer], "params", {})
    named = next((limit for limit in _LIMITS if limit in params), _LIMITS[0])
    given = params.get(named)
    limit = max(given if isinstance(given, int) else 0, _ROOM + sum(map(len, text.parts)))
    worst, budget = price(loaded, writer).cost(_longest(text), limit), Budget(**loaded.budget.model_dump())
    ask = Ask(n, loaded.tries, {"temperature": temperature, named: limit}, worst, budget)
    left = room_left(loaded, writer, ask.worst, status(study).spend)
    folder = loaded.folder / FOLDER if out is None else Path(out)
    files = {new: place(folder, new) for new in names(loaded, name, n)}
    draftable = Draftable(loaded, bounds, alike, writer, ask, files, quotation(loaded, writer, text, ask), left)
    free({**dict.fromkeys(files.values()), **draftable.copies}, force=force, study=loaded)
    return draftable


def _named(what: str, given: str | None, known: Mapping[str, Any]) -> str:
    listed = ", ".join(known)
    if given is None and len(known) > 1:
        raise InvalidInput(f"{what}: the study has {listed}; name one of them")
    name = next(iter(known)) if given is None else given
    if name not in known:
        raise InvalidInput(f'{what}: the study has no {what} "{name}", it has {listed}; name one, or add it there')
    return name


def _writer(study: Study, judge: str | None, functions: Mapping[str, Any]) -> str:
    """The judge that words the prompt anew."""
    name = _named("judge", judge, study.judges)
    settings = study.judges[name]
    if settings.kind in _CANNOT:
        raise InvalidInput(f'judge "{name}": {_CANNOT[settings.kind]}; name another judge')
    if isinstance(settings, PythonSettings) and name not in functions:
        raise InvalidInput(
            f'judge "{name}": is a function, which a file cannot hold; '
            f'call quorate.variants(path, judges={{"{name}": function}}), or name another judge'
        )
    return name


def room_left(study: Study, judge: str, worst: float | None, spend: Spend) -> Budget:
    """What is left of the budget, which has room for a call at least."""
    budget = study.budget
    if budget.money is not None and worst is None:
        raise InvalidInput(f"judges.{judge}: price is missing, so that money cannot be capped; give it")
    left = Budget(
        None if budget.calls is None else max(budget.calls - spend.calls - spend.reserved, 0),
        None if budget.money is None else max(budget.money - spend.money - spend.reserved_money, 0.0),
    )
    if left.calls == 0 or (left.money is not None and (worst or 0.0) > left.money):
        raise InvalidInput("budget: has no room for another call; raise it in the study file")
    return left


def _longest(text: Instruction) -> int:
    """Bytes of the longest question, each at most a token."""
    return sum(len(turn.content.encode()) for turn in messages(text.parts, "x" * MOST_REASON)) + _FRAME


def quotation(study: Study, judge: str, text: Instruction, ask: Ask) -> JudgeQuote:
    """What the drafts may cost: low, expected and high."""
    calls = ask.number * ask.tries
    sent = sum(len(turn.content) for turn in messages(text.parts)) / PER_TOKEN
    reply = sum(map(len, text.parts)) / PER_TOKEN
    limit = max(ask.params[name] for name in _LIMITS if name in ask.params)
    each = price(study, judge).cost(math.ceil(sent), math.ceil(reply))
    likely = None if each is None else ask.number * each
    return JudgeQuote(
        judge,
        ask.number,
        Range(ask.number, ask.number, calls),
        Range(ask.number * (sent + reply) / 2, ask.number * (sent + reply), calls * (_longest(text) + limit)),
        Range(likely, likely, None if ask.worst is None else calls * ask.worst),
        ask.worst,
    )
