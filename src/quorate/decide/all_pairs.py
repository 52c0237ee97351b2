"""All pairs of systems at once: what a board says of every two, with one error rate for all of them."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import Any

from quorate.caveats import Caveat
from quorate.decide.outcome import Outcome, check_question
from quorate.errors import InvalidInput
from quorate.estimate.ratings.counts import unrated_words
from quorate.estimate.ratings.leaderboard import Leaderboard
from quorate.estimate.ratings.rank import rank
from quorate.estimate.ratings.ranked import POWER, at_once
from quorate.estimate.ratings.ratings import Ratings
from quorate.frozen import dataclass
from quorate.roles import SYSTEM
from quorate.table.judgments import Judgments
from quorate.table.results import Result, Row, picked
from quorate.table.votes import Votes
from quorate.wording import Brief, at_level, capitalised, counted, listed


@dataclass(frozen=True)
class PairOutcome(Brief):
    """What a board says of two of its systems.

    Parameters
    ----------
    a, b : str
        The two, the one that stands higher first.
    outcome : Outcome
        Of ``a``.
    value, low, high : float or None
        Scores: mean of ``a`` less that of ``b``. Votes: share of those that decide which ``a`` wins. With limits that
        hold for all pairs at once; None beside a system that no finite rating fits.
    """

    a: str
    b: str
    outcome: Outcome
    value: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, repr=False)
class AllPairs(Result):
    """Every two systems of a board: verdicts that hold together.

    Parameters
    ----------
    board : Leaderboard or Ratings
        As `quorate.rank` finds it.
    margin : float or None
        Differences below it count as equal; of votes the share less .5.
    """

    board: Leaderboard | Ratings
    margin: float | None = None

    entries = "level margin counts by scope caveats sentence exit_code pairs=rows"

    def __str__(self) -> str:
        return self.sentence

    @property
    def level(self) -> float:
        """Chance that no verdict is false."""
        return self.board.level

    @property
    def scope(self) -> str:
        """For whom they hold; empty where there is nothing to add."""
        return self.board.scope

    @property
    def by(self) -> str:
        """What the difference of two systems is."""
        return "share" if isinstance(self.board, Ratings) else "difference"

    @property
    def caveats(self) -> tuple[Caveat, ...]:
        """What to know before relying on them."""
        return self.board.caveats

    @cached_property
    def pairs(self) -> tuple[PairOutcome, ...]:
        """Every two systems that `quorate.rank` ranks."""
        board, found = self.board, []
        for row in board.pairs_of_rated():
            ends = row["difference"], row["low"], row["high"]
            value, low, high = map(board.share, ends) if isinstance(board, Ratings) else ends
            even, margin = (0.5 if isinstance(board, Ratings) else 0.0), self.margin
            outcome = Outcome.BETTER if row["differ"] else Outcome.UNDECIDED
            if row["differ"] and (row["difference"] < 0) != board.less_is_better:
                outcome = Outcome.WORSE
            if margin is not None and even - margin < low <= high < even + margin:
                outcome = Outcome.EQUIVALENT
            found.append(PairOutcome(row["a"], row["b"], outcome, value, low, high))
        without = [one.system for one in (*board.unbeaten, *board.apart)]
        sure = {one.system for one in board.surely_above}
        for at, a in enumerate(without):
            of_rated = Outcome.BETTER if a in sure else Outcome.UNDECIDED
            found += [PairOutcome(a, b, of_rated) for b in board.systems]
            found += [PairOutcome(a, b, Outcome.UNDECIDED) for b in without[at + 1 :]]
        return tuple(found)

    @property
    def others(self) -> AllPairs | None:
        """The same for others like this study's setup; None where that is what they hold for, or nothing tells."""
        others = self.board.others if isinstance(self.board, Leaderboard) else None
        return None if others is None else AllPairs(others, self.margin)

    @property
    def counts(self) -> dict[str, int]:
        """Pairs per outcome."""
        found = Counter(one.outcome.value for one in self.pairs)
        return {outcome.value: found[outcome.value] for outcome in Outcome}

    @property
    def told_apart(self) -> int:
        """Pairs of which one is better."""
        return self.counts["better"] + self.counts["worse"]

    @property
    def sentence(self) -> str:
        """Which systems no other is better than, and how many pairs are decided."""
        count, spoken = self.counts, f", {self.scope}" * bool(self.scope)
        equal = "" if self.margin is None else f" and {count['equivalent']:,} equivalent"
        others = self.others
        beyond = "" if others is None else f" {capitalised(others.scope)} {_are(others.told_apart)} told apart."
        unsaid = self.board.unsaid if isinstance(self.board, Leaderboard) else ""
        beyond += f" {capitalised(unsaid)}." * bool(unsaid)
        beyond += f" {unrated_words(self.board.unrated)}".rstrip() if isinstance(self.board, Ratings) else ""
        return (
            f"{self._first}{self.told_apart:,} of {counted(len(self.pairs), 'pair')} of systems "
            f"{'is' if self.told_apart == 1 else 'are'} told apart{equal}, at {at_level(self.level)} "
            f"{at_once(self.board, 'pairs')}{spoken}.{beyond}"
        )

    @property
    def _first(self) -> str:
        """Who is better than every other, or whom none is shown to be better than; nothing of many."""
        decided = [one for one in self.pairs if one.outcome in (Outcome.BETTER, Outcome.WORSE)]
        won = {(one.a, one.b) if one.outcome is Outcome.BETTER else (one.b, one.a) for one in decided}
        behind = {other for _, other in won}
        names = dict.fromkeys(name for pair in self.pairs for name in (pair.a, pair.b))
        first = [one for one in names if one not in behind]
        if not behind or len(first) > _MOST_NAMED:
            return ""
        if len(first) == 1 and all((first[0], other) in won for other in behind):
            return f"{first[0]} is better than every other; "
        return f"None is shown to be better than {listed(first)}; "

    @property
    def exit_code(self) -> int:
        """0 where every pair is decided, 2 where one is not."""
        return 2 if self.counts["undecided"] else 0

    def rows(self) -> list[Row]:
        """One row for every pair: a, b, outcome, the share or difference, low, high."""
        return [dict(picked(one, f"a b outcome=outcome.value {self.by}=value low high")) for one in self.pairs]


_MOST_NAMED = 4
"""Systems that a sentence names."""


def _are(count: int) -> str:
    return f"{count:,} {'is' if count == 1 else 'are'}"


MOST_SYSTEMS = 300
"""Systems of which every two are listed."""


def all_pairs(
    table: Judgments | Votes, *, margin: float | None = None, level: float = 0.95, power: float = 0.9, **options: Any
) -> AllPairs:
    """Verdicts on every two systems of a table, as `quorate.rank` tells them apart; options are those of `compare`.

    Raises
    ------
    InvalidInput
        If an option is for two systems alone, or there are more than 300.
    NotEstimable
        If there is nothing to judge differences by.
    """
    check_question(margin, level, None, power, *[0.5] * isinstance(table, Votes))
    names = table.models if isinstance(table, Votes) else table.facet(options.get("system") or SYSTEM).levels
    alone = [name for name in options if name in ("method", "claim", "price", "prices", "limits", "budget")]
    alone += ["power"] * (power != POWER) + ["ties"] * (options.get("ties") == "pessimistic")
    for name in alone:
        raise InvalidInput(f"{name}: is for two systems; name two of {listed(names, most=6)}")
    if len(names) > MOST_SYSTEMS:
        raise InvalidInput(
            f"a, b: name two of {len(names):,} systems, too many for all pairs; quorate.rank has the board"
        )
    return AllPairs(rank(table, level=level, **options), margin)
