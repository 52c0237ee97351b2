"""Quote of a run, said before anything is sent: calls, tokens and money, each as low, expected and high."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from quorate.collect.budget import Budget, Price
from quorate.collect.ledger.facts import JudgeStatus
from quorate.collect.ledger.lease import NO_ANSWERS
from quorate.errors import InvalidInput
from quorate.frozen import dataclass
from quorate.study.judges import alike, price
from quorate.study.questions import Questions

PER_TOKEN = 4.0
"""Characters per token that are taken for granted: usual in English; other languages take more tokens."""

SHORT, LONG = 12, 250
"""Tokens taken for granted in a reply that is a score alone, and in one that reasons first."""

_LIMITS = ("max_tokens", "max_completion_tokens")


@dataclass(frozen=True)
class Range:
    """An amount before it is known; None where it cannot be.

    Parameters
    ----------
    low, expected, high : float, optional
        All goes well; what is likely; the most.
    """

    low: float | None
    expected: float | None
    high: float | None


@dataclass(frozen=True)
class JudgeQuote:
    """What one judge's part may come to.

    Parameters
    ----------
    judge : str
        Its name.
    cells : int
        Cells to be answered.
    calls, tokens, money : Range
        Requests; tokens of prompts and replies; their price in the currency of the study.
    call : float, optional
        Worst-case price of one call, which is reserved before it is sent.
    answers : int
        Answers so far on which the expected tokens rest; 0 where they rest on what is taken for granted.
    person : bool
        Whether it is a person, whom a run does not ask.
    """

    judge: str
    cells: int
    calls: Range
    tokens: Range
    money: Range
    call: float | None
    answers: int = 0
    person: bool = False


@dataclass(frozen=True)
class Quote:
    """What a run may come to.

    Parameters
    ----------
    judges : tuple of JudgeQuote
        By judge; only those with cells to be answered.
    done : int
        Cells that are finished already.
    budget : Budget
        The most that may be spent in all.
    held : int
        Cells to be answered that an earlier run has sent in batches, whose price is reserved already.
    alike : tuple of tuple of str
        Pairs of judges whose names look alike, though they are two.
    unrecorded : int
        Cells of the layout that are not asked, because their judge gives recorded answers and has none there.
    more : bool
        Whether more is asked after these, as far as a goal needs it and the budget has room.
    """

    judges: tuple[JudgeQuote, ...]
    done: int
    budget: Budget
    held: int = 0
    alike: tuple[tuple[str, str], ...] = ()
    unrecorded: int = 0
    more: bool = False

    @property
    def cells(self) -> int:
        """Cells to be answered."""
        return sum(judge.cells for judge in self.judges)

    @property
    def people(self) -> int:
        """Those of them that are for people, whom ``quorate serve`` asks."""
        return sum(judge.cells for judge in self.judges if judge.person)

    @property
    def calls(self) -> Range:
        """Requests."""
        return _total([judge.calls for judge in self.judges])

    @property
    def tokens(self) -> Range:
        """Tokens of prompts and replies."""
        return _total([judge.tokens for judge in self.judges])

    @property
    def money(self) -> Range:
        """Price, in the currency of the study; unknown if one judge's is."""
        return _total([judge.money for judge in self.judges])

    @property
    def unpriced(self) -> tuple[str, ...]:
        """Judges whose price is not known."""
        return tuple(judge.judge for judge in self.judges if judge.money.expected is None)


def worst(asked: Questions) -> dict[str, float | None]:
    """Worst-case price of a call, by judge: a token for every byte of the longest question, and the longest reply.

    Raises
    ------
    InvalidInput
        If money is capped and no worst case is known.
    """
    prices = {name: _worst(asked, name) for name in asked.judges}
    for name, highest in prices.items():
        if highest is None and asked.study.budget.money is not None:
            known = price(asked.study, name).known
            fix = "params.max_tokens is missing" if known else "price is missing"
            raise InvalidInput(f"judges.{name}: {fix}, so that money cannot be capped; give it, or cap calls alone")
    return prices


def quote(asked: Questions, cells: Mapping[str, int], *, seen: Sequence[JudgeStatus] = ()) -> Quote:
    """What answering some cells of each judge may come to.

    Parameters
    ----------
    asked : Questions
        Of the study.
    cells : mapping of str to int
        Cells to be answered, by judge.
    seen : sequence of JudgeStatus
        How far every judge is: what its answers took so far is what the others are expected to take.
    """
    known = {judge.judge: judge for judge in seen}
    parts = tuple(_judge(asked, name, count, known.get(name)) for name, count in cells.items() if count)
    done, held = sum(judge.done + judge.given_up for judge in seen), sum(judge.held for judge in seen)
    unrecorded = 0 if asked.study.adaptive is not None or asked.study.goal is not None else asked.unrecorded
    return Quote(parts, done, asked.study.cap, held, alike(asked.judges), unrecorded)


def _judge(asked: Questions, name: str, cells: int, seen: JudgeStatus | None) -> JudgeQuote:
    """One judge's part: what its answers took so far is what is expected, else what is taken for granted."""
    if name in asked.study.people:
        return _person(asked, name, cells)
    limit, answers, lengths = _limit(asked, name), 0, asked.lengths
    if seen is not None and seen.tokens_in:  # else the judge does not say what its answers took
        answers = sum(number for status, number in seen.statuses.items() if status not in NO_ANSWERS)
    if seen is not None and answers:
        into, out = seen.tokens_in / answers, seen.tokens_out / answers
    else:
        reasoned = any(prompt.expects.reasoned for prompt in asked.prompts.values())
        into, out = lengths.mean / PER_TOKEN, min(LONG if reasoned else SHORT, limit or math.inf)
    low = (min(lengths.least / PER_TOKEN / 2, into), min(1.0, out))
    high = (None, None) if limit is None else (max(lengths.most_bytes, into), max(limit, out))
    each: tuple[tuple[float | None, float | None], ...] = (low, (into, out), high)  # of prompt and reply, in this order
    calls = Range(cells, cells, cells * asked.study.tries)
    cost = price(asked.study, name)
    tokens = [None if None in pair else float(sum(part or 0 for part in pair)) for pair in each]
    prices: list[float | None] = [_cost(cost, *pair) for pair in each]
    prices[2] = highest = _worst(asked, name)
    return JudgeQuote(name, cells, calls, _times(calls, tokens), _times(calls, prices), highest, answers)


def _person(asked: Questions, name: str, cells: int) -> JudgeQuote:
    """A person's part: every question once, at the price of a vote."""
    calls, vote = Range(cells, cells, cells), price(asked.study, name).call
    return JudgeQuote(name, cells, calls, Range(0, 0, 0), _times(calls, [vote] * 3), vote, person=True)


def _worst(asked: Questions, name: str) -> float | None:
    return _cost(price(asked.study, name), asked.lengths.most_bytes, _limit(asked, name))


def _cost(cost: Price, tokens_in: float | None, tokens_out: float | None) -> float | None:
    whole = [None if tokens is None else math.ceil(tokens) for tokens in (tokens_in, tokens_out)]
    return cost.cost(*whole)


def _limit(asked: Questions, name: str) -> int | None:
    """Longest reply in tokens, where the judge's settings say so."""
    params: dict[str, Any] = getattr(asked.study.judges[name], "params", {})
    given = [params[limit] for limit in _LIMITS if isinstance(params.get(limit), int)]
    return max(given) if given else None


def _times(calls: Range, each: list[float | None]) -> Range:
    counts = (calls.low, calls.expected, calls.high)
    return Range(*(None if call is None or n is None else n * call for n, call in zip(counts, each, strict=True)))


def _total(parts: list[Range]) -> Range:
    columns = [[getattr(part, name) for part in parts] for name in ("low", "expected", "high")]
    return Range(*(None if None in column else float(sum(column)) for column in columns))
