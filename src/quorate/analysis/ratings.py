"""A leaderboard as its report shows it, from votes or from scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from quorate.analysis.words import distinct, p_value, shown
from quorate.estimate.ratings.ratings import Ratings
from quorate.frozen import dataclass
from quorate.table.results import Result, Row
from quorate.wording import at_level, capitalised, counted, decimals, percent

if TYPE_CHECKING:
    from quorate.caveats import Caveat
    from quorate.estimate.ratings.contrast import Contrast
    from quorate.estimate.ratings.leaderboard import Leaderboard
    from quorate.table.judgments import Judgments
    from quorate.table.votes import Votes

ELO_POINTS = "Elo points"
MOST_DRAWN = 120
"""Systems of a chart; the table under it has all."""


@dataclass(frozen=True, eq=False)
class RatingsAnalysis(Result):
    """Systems in order, with what the report says of them.

    Parameters
    ----------
    found : Ratings or Leaderboard
        From votes, or from scores.
    table : Votes or Judgments, optional
        What was ranked, for the record.
    """

    found: Ratings | Leaderboard
    table: Votes | Judgments | None = None

    @property
    def of_votes(self) -> bool:
        """Whether systems are rated by votes; else by scores."""
        return isinstance(self.found, Ratings)

    @property
    def level(self) -> float:
        """Coverage of all intervals."""
        return self.found.level

    @cached_property
    def names(self) -> list[str]:
        """Systems fit to be shown, told apart."""
        return distinct(self.found.systems)

    @property
    def unit(self) -> str:
        """What the numbers are."""
        if isinstance(self.found, Ratings):
            return ELO_POINTS if self.found.scale != 1 else f"rating, {self.found.unit}"
        return f"mean {shown(self.found.joint.fit.judgments.score, 30)}"

    @property
    def of_what(self) -> str:
        """What the systems are rated by: a vote, a ranking or a score."""
        return self.found.counted_by if isinstance(self.found, Ratings) else "score"

    @property
    def n(self) -> int:
        """Votes, rankings or scores."""
        return self.found.n if isinstance(self.found, Ratings) else self.found.joint.fit.judgments.n_answers

    @cached_property
    def places(self) -> int:
        """Decimals that show what is known; of Elo points one less, as is usual."""
        known = decimals(float(np.median(self.found.se)))
        return known if self.unit != ELO_POINTS else max(0, known - 1)

    @property
    def caveats(self) -> tuple[Caveat, ...]:
        """What to know before relying on this."""
        return self.found.caveats

    @property
    def rankable(self) -> bool:
        """Whether systems differ by more than the noise of their means, as far as scores tell."""
        return isinstance(self.found, Ratings) or self.found.rankable

    @property
    def position_words(self) -> str:
        """What being shown first does, in a sentence; empty where no effect of it was estimated."""
        found = self.found
        if not isinstance(found, Ratings) or found.position is None:
            return ""
        effect = found.position
        value, low, high = (percent(found.share(one)) for one in (effect.value, *effect.at(self.level).ends))
        votes = "all votes, ties as half" if found.ties == "half" else "decisive votes"
        span = f"{at_level(self.level)} interval {low} to {high}"
        sure = f"{found.model.unit} {effect.value:.2f}, {p_value(effect.p_value)}"
        return f"Between equals, the system shown first wins {value} of {votes} ({span}; {sure})."

    @property
    def covariate_words(self) -> tuple[str, ...]:
        """What having more of each covariate does, a sentence each."""
        found = self.found
        if not isinstance(found, Ratings):
            return ()
        out = []
        for (name, one), unit in zip(found.coefficients.items(), found.units, strict=True):
            value, low, high = (percent(found.share(x)) for x in (one.value, *one.at(self.level).ends))
            sure = f"{found.model.unit} {one.value:.2f}, {p_value(one.p_value)}"
            span = f"{at_level(self.level)} interval {low} to {high}; {sure}"
            out.append(f"{capitalised(name)}: between equals, the one with {unit:.3g} more wins {value} ({span}).")
        return tuple(out)

    @property
    def slope_words(self) -> str:
        """Who tells systems apart the most and the least sharply, in a sentence; empty where that was not asked."""
        found = self.found
        if not isinstance(found, Ratings) or not found.slopes:
            return ""
        most, least = (_end(found.slopes, self.level, False, end) for end in (max, min))
        return f"Slopes on the difference of two systems: {most} is the steepest, {least} the flattest."

    @property
    def tie_words(self) -> str:
        """Which systems tie the most and the least readily, in a sentence; empty where that was not asked."""
        found = self.found
        if not isinstance(found, Ratings) or not found.tie_rates:
            return ""
        factor = "the threshold less its mean" if found.ties != "davidson" else "odds over their mean"
        most, least = (_end(found.tie_rates, self.level, found.ties == "davidson", end) for end in (max, min))
        return f"Ties the most readily: {most}, the least: {least} ({factor})."

    @property
    def fragile_words(self) -> str:
        """How few votes decide who is first, or why none do; empty where that was not asked for."""
        return self.found.fragile_words if isinstance(self.found, Ratings) else ""

    @property
    def neighbours_words(self) -> str:
        """How many more votes would tell neighbours apart; empty where all are, and for scores."""
        return self.found.neighbours_words if isinstance(self.found, Ratings) else ""

    @property
    def unrated(self) -> list[Row]:
        """Systems without a rating that are above all, or not linked, with the ranks that they may have."""
        if not isinstance(self.found, Ratings):
            return []
        places = [one for one in self.found.to_dict()["unrated"] if one["rank_low"]]
        return [
            {"system": shown(one["system"]), "rank": f"1–{one['rank_high']}" if one["rank_high"] > 1 else "1"}
            for one in places
        ]

    @property
    def told_words(self) -> str:
        """How many pairs of systems are told apart."""
        told = self.told_apart
        return f"{told:,} of {counted(self.pairs, 'pair')} of systems {'is' if told == 1 else 'are'} told apart"

    @cached_property
    def told_apart(self) -> int:
        """Pairs of systems of which one is surely better."""
        sure = len(self.found.surely_above) if isinstance(self.found, Ratings) else 0
        return int(self.found.ranks.above.sum()) + sure * len(self.found)

    @property
    def pairs(self) -> int:
        """Pairs of systems."""
        systems = len(self.found) + len(self.unrated)
        return systems * (systems - 1) // 2

    def rows(self) -> list[Row]:
        """Every system, best first."""
        return self.found.rows()

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {**self.found.to_dict(), "unit": self.unit}


def _end(rates: Mapping[str, Contrast], level: float, factor: bool, end: Callable[..., str]) -> str:
    """The level that has the most or the least, with its interval; as a factor of the mean if these are logs."""
    name = end(rates, key=lambda one: rates[one].value)
    value, low, high = (np.exp(x) if factor else x for x in (rates[name].value, *rates[name].at(level).ends))
    return f"{shown(name, 30)} {value:.2f} ({low:.2f} to {high:.2f})"
