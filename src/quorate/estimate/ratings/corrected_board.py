"""A board as people would give it, beside that of their votes alone and where judges alone put every system."""

from __future__ import annotations

from dataclasses import replace

from quorate.caveats import Caveat
from quorate.estimate.ratings.ranked import standing
from quorate.estimate.ratings.ratings import Ratings
from quorate.frozen import dataclass
from quorate.table.results import Result, Row
from quorate.wording import Brief, counted, listed


@dataclass(frozen=True)
class JudgeWeight(Brief):
    """What a judge's votes count.

    Parameters
    ----------
    stratum, judge : str
        Stratum, empty without strata, and judge; empty where judges are one.
    weight : float
        0: of no use; 1: as people's own.
    """

    stratum: str
    judge: str
    weight: float


@dataclass(frozen=True, eq=False, repr=False)
class CorrectedRatings(Result):
    """Ratings as people would have them, from judges on all battles and people on some.

    Parameters
    ----------
    ratings : Ratings
        The board: intervals, ranks, groups and differences as of any ratings.
    people : Ratings
        The same from people's votes alone.
    judges : tuple of float
        Ratings by judges' votes as they are, in the order of ``ratings``; nan where none are finite.
    labels, predictions : int
        Battles that people voted on, and others that judges alone did.
    labelled : tuple of int
        Labelled battles of every system.
    worth : tuple of float
        How many times as many labels would make its rating as precise without judges.
    effective : float
        Labels that would be as precise on their own, for all ratings together.
    weights : tuple of JudgeWeight
        What every judge counts, in each stratum.
    strata : str or None
        Facet whose levels were labelled at rates of their own.
    level : float
        Coverage of intervals.
    caveats : tuple of Caveat
        What to know before relying on this.
    """

    ratings: Ratings
    people: Ratings
    judges: tuple[float, ...]
    labels: int
    predictions: int
    labelled: tuple[int, ...]
    worth: tuple[float, ...]
    effective: float
    weights: tuple[JudgeWeight, ...]
    strata: str | None
    level: float
    caveats: tuple[Caveat, ...]

    entries = (
        "systems=rows ratings people judges labels predictions effective strata level weights favoured caveats sentence"
    )

    def __len__(self) -> int:
        return len(self.ratings)

    def elo(self, mean: float = 1000.0, system: str | None = None) -> CorrectedRatings:
        """The same in points, as `Ratings.elo` has them.

        Parameters
        ----------
        mean : float
            Points of the mean of all systems, or of ``system``.
        system : str, optional
            The system with that many points.
        """
        board = self.ratings.elo(mean, system)
        people, scale = replace(self.people, scale=board.scale, shift=board.shift), board.scale / self.ratings.scale
        judges = tuple(board.shift + scale * (value - self.ratings.shift) for value in self.judges)
        return replace(self, ratings=board, people=people, judges=judges)

    @property
    def bias(self) -> tuple[float, ...]:
        """How much higher judges alone rate every system than people would."""
        return tuple(j - r for j, r in zip(self.judges, self.ratings.rating.tolist(), strict=True))

    @property
    def favoured(self) -> str:
        """Which systems judges alone surely put too high, and too low, the most; empty where there are none."""
        from scipy.special import ndtri

        surely = ndtri(1 - (1 - self.level) / (2 * len(self))) * self.ratings.se
        off = [
            (bias, name)
            for name, bias, least in zip(self.ratings.systems, self.bias, surely.tolist(), strict=True)
            if abs(bias) > least
        ]
        places = 0 if self.ratings.scale > 1 else 2
        ends = ((max(off), "high"), (min(off), "low")) if off else ()
        said = [
            f"{name} {abs(bias):.{places}f} too {side}" for (bias, name), side in ends if (bias > 0) == (side == "high")
        ]
        return f"Judges alone rate {listed(said)}." if said else ""

    def rows(self) -> list[Row]:
        """One row for every system, best first: as of `Ratings`, then people alone, judges alone, labels and worth."""
        alone = {row["system"]: row for row in self.people.rows()}
        out = []
        for at, row in enumerate(self.ratings.rows()):
            other = alone[row["system"]]
            people = {"people": other["rating"], "people_low": other["low"], "people_high": other["high"]}
            rest = {"judges": self.judges[at], "labels": self.labelled[at], "worth": self.worth[at]}
            out.append({**row, **people, **rest})
        return out

    @property
    def sentence(self) -> str:
        """The answer in one sentence, and what the judges did for it."""
        told = int(self.people.ranks.above.sum())
        pairs = len(self) * (len(self) - 1) // 2
        return (
            f"{standing(self.ratings)} With {self.predictions:,} more battles of judges, "
            f"{counted(self.labels, 'battle')} that people voted on {'is' if self.labels == 1 else 'are'} worth "
            f"{self.effective:,.0f}; alone they tell {told:,} of {counted(pairs, 'pair')} apart."
        )

    def _backend(self) -> str | None:
        return self.ratings.backend
