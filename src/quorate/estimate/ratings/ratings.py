"""Ratings of systems: intervals, ranks, groups and differences."""

from __future__ import annotations

import copy
import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from quorate import rules
from quorate.arrays import Floats
from quorate.caveats import Caveat
from quorate.errors import InvalidInput, UnknownTerm
from quorate.estimate.ratings.contrast import Contrast, RatingLaw, WinRate, average_odds, expit
from quorate.estimate.ratings.counts import Unrated, unrated_words
from quorate.estimate.ratings.fragility import Fragility
from quorate.estimate.ratings.moves import Moves
from quorate.estimate.ratings.ranked import POWER, Board, Neighbours, neighbours_words, standing, top
from quorate.estimate.votes.margin import VoteMargin
from quorate.frozen import dataclass
from quorate.numerics.distributions import each, t_cdf, t_quantile
from quorate.numerics.ratings.highest import agreeing, best, best_in_student
from quorate.numerics.ratings.next_vote import GapVotes
from quorate.numerics.ratings.rank_intervals import (
    RankIntervals,
    difference_se,
    most_draws,
    normal_deviations,
    rank_intervals,
    ranks_of_two,
)
from quorate.numerics.ratings.ties import TieModel, Ties, tie_model
from quorate.numerics.votes.binomial import SLACK
from quorate.streams import stream
from quorate.table.results import plain
from quorate.wording import brief, counted

# Terms of a rating model beside the ratings: ties, position, covariates, slopes of judges.


class ModelTerms:
    """What a fitted model has beside its ratings; parameters stand in the order of `numerics.ratings.bradley_terry`."""

    systems: tuple[str, ...]
    values: Floats
    ties: Ties
    tied: bool
    positioned: bool
    scale: float
    covariates: tuple[str, ...]
    judges: tuple[str, ...]
    own_ties: bool
    rankings: str | None

    @property
    def nu(self) -> float:
        """Odds of a tie between equals against a win of one of them; nan where ties are not modelled."""
        if not tie_model(self.ties).modelled:
            return math.nan
        return 0.0 if self.log_nu is None else math.exp(self.log_nu.value)

    @property
    def log_nu(self) -> Contrast | None:
        """Log of `nu` with its uncertainty; None where there is none to estimate."""
        if not self.tied:
            return None
        at = self._contrast("log nu", len(self.values) - 1, unit=True)
        value, slope = (float(x) for x in self.model.log_nu(np.array(at.value)))
        moved = None if at.deviations is None else self.model.log_nu(at.value + at.deviations)[0] - value
        return replace(at, value=value, se=at.se * slope, deviations=moved)

    def share(self, gap: float) -> float:
        """Part of the votes that decide that the first wins, whose gap this is."""
        won, lost, _ = self.model.log_chances(np.array(gap), self.values[-1]).tolist()
        return expit(won - lost)

    @property
    def unit(self) -> str:
        """What ratings are counted in."""
        return self.model.unit if self.scale == 1 else "Elo points"

    @property
    def position(self) -> Contrast | None:
        """Log odds by which being shown first helps; None without a position effect."""
        return self._contrast("position", len(self.systems), unit=True) if self.positioned else None

    @property
    def coefficients(self) -> dict[str, Contrast]:
        """Log odds by which having more of each covariate helps, for a difference of its root mean square."""
        start = len(self.systems) + self.positioned
        return {name: self._contrast(name, start + i, unit=True) for i, name in enumerate(self.covariates)}

    @property
    def slopes(self) -> dict[str, Contrast]:
        """How sharply each judge tells systems apart: 1 on average, 0 of one who votes at random."""
        start = len(self.systems) + self.positioned + len(self.covariates)
        above = {name: self._contrast(name, start + i, unit=True) for i, name in enumerate(self.judges)}
        return {name: replace(one, value=1 + one.value) for name, one in above.items()}

    @property
    def tie_rates(self) -> dict[str, Contrast]:
        """How readily each system ties, in the parameter of ties about the mean of all systems."""
        start = len(self.values) - self.tied - len(self.systems) * self.own_ties
        names = self.systems if self.own_ties else ()
        return {name: self._contrast(name, start + i, unit=True) for i, name in enumerate(names)}

    @property
    def model(self) -> TieModel:
        """The model of votes: with ties as chosen, or of votes without any."""
        model = tie_model(self.ties)
        return model if self.tied or not model.modelled else model.untied or tie_model("half")

    @property
    def counted_by(self) -> str:
        """What the ratings are by: a vote or a ranking."""
        return "vote" if self.rankings is None else "ranking"

    @property
    def law(self) -> str:
        """Whose model it is."""
        return self.model.law if self.rankings is None else "Plackett (1975) and Luce (1959)"

    @property
    def tie_law(self) -> str:
        """What it makes of ties, in words."""
        if self.rankings is None:
            return tie_model(self.ties).words
        shared = "systems that share a place chosen together (Firth, Kosmidis and Turner, 2019)"
        return shared if self.tied else "no two systems sharing a place"

    @abstractmethod
    def _contrast(self, name: str, plus: int, minus: int | None = None, *, unit: bool = False) -> Contrast:
        """A parameter, or a difference of two; in the unit of the model if ``unit``."""


Method = Literal["model", "sandwich", "cluster", "bootstrap"]

_ROUNDED = 1e-12
"""A variance that is a smaller part of the largest one is a rounding error."""


@dataclass(frozen=True, eq=False, repr=False)
class Ratings(ModelTerms, Board):
    """Systems by rating, best first.

    A rating is a log odds about the mean of all systems: with a difference of 1 the better system wins 73% of the votes
    that decide; with ``ties="glenn-david"``, in deviations of a comparison, 84%. Ranks, groups and ``best`` all
    rest on the joint law of the ratings.

    Parameters
    ----------
    systems : tuple of str
        Labels, best first.
    values : array, shape (parameters,)
        Ratings, then the position effect and the parameter of ties where they are modelled.
    laws : mapping of str to RatingLaw
        What each method says of their uncertainty.
    method : {"sandwich", "cluster", "bootstrap", "model"}
        The one in use. ``sandwich`` takes votes as independent and nothing else for granted, ``cluster`` clusters of
        votes; ``bootstrap`` refits resampled votes or clusters; ``model`` takes the model for true.
    level : float
        Coverage of intervals.
    ties : str
        How ties count.
    positioned, tied : bool
        Whether there is a position effect, and a tie parameter, among ``values``.
    n : int
        Votes used.
    cluster, clusters : tuple of str, and of int
        Facets whose votes may resemble each other, and levels of each; none where votes are taken as independent.
    regularisation : float
        Ridge.
    log_likelihood : float
        At the estimates, less the ridge; ties as half wins make it a quasi-likelihood.
    seed : int
        Of draws and refits.
    caveats : tuple of Caveat
        What to know before relying on this.
    backend : str or None
        Library of the frames.
    scale, shift : float
        Ratings are shown as ``shift + scale * log odds``.
    unrated : tuple of Unrated
        Systems that no finite rating fits beside these: above all of them, below all, or not linked to them by votes.
    fragility : Fragility or None
        How few votes, left out, would put another system first, where that was asked for and some would.
    not_fragile : str
        Why none would; empty otherwise.
    margin : VoteMargin or None
        Of the first system over the second, on a board of two: its test, that of `quorate.compare`, decides on their
        difference, unless the method is ``model`` or ``bootstrap``.
    covariates : tuple of str
        What else the gap of a vote was modelled by: ratings are those of systems that are equal in these.
    units : tuple of float
        Root mean square of the difference in each, for which a coefficient is.
    moves : Moves or None
        How far covariates move the ratings.
    own_ties : bool
        Whether every system has ties of its own.
    discrimination, judges : str or None, and tuple of str
        Facet whose levels tell systems apart more or less sharply, and these.
    rankings : str or None
        Facet whose levels are the rankings that the ratings are by; ``n`` counts these.
    scope : str
        Whom it speaks for: these judges, where they are too few to speak for others; else empty.
    """

    systems: tuple[str, ...]
    values: Floats
    laws: Mapping[Method, RatingLaw]
    method: Method
    level: float
    ties: Ties
    positioned: bool
    tied: bool
    n: int
    cluster: tuple[str, ...]
    clusters: tuple[int, ...]
    regularisation: float
    log_likelihood: float
    seed: int
    caveats: tuple[Caveat, ...] = ()
    backend: str | None = None
    scale: float = 1.0
    shift: float = 0.0
    unrated: tuple[Unrated, ...] = ()
    fragility: Fragility | None = None
    not_fragile: str = ""
    margin: VoteMargin | None = None
    covariates: tuple[str, ...] = ()
    units: tuple[float, ...] = ()
    moves: Moves | None = None
    own_ties: bool = False
    discrimination: str | None = None
    judges: tuple[str, ...] = ()
    rankings: str | None = None
    scope: str = ""

    entries = (
        "systems=rows best groups neighbours unrated fragility not_fragile method level ties n cluster "
        "clusters scope rankings regularisation log_likelihood seed scale shift nu log_nu position covariates units "
        "moves slopes tie_rates caveats sentence exit_code unit=measure"
    )

    def __repr__(self) -> str:
        return brief("Ratings", f"{len(self)} systems, {counted(self.n, self.counted_by)}, {self.method}: {top(self)}")

    @property
    def measure(self) -> str:
        """What systems are ordered by, in words."""
        return self.unit if self.scale != 1 else f"rating, {self.unit}"

    @property
    def rating(self) -> Floats:
        """Ratings, shape (systems,)."""
        return np.asarray(self.shift + self.scale * self.values[: len(self)])

    @property
    def covariance(self) -> Floats:
        """Covariance of the ratings about their mean, shape (systems, systems)."""
        own = self._law.covariance[: len(self), : len(self)]
        return own if self.scale == 1 else np.asarray(self.scale**2 * own)

    @property
    def se(self) -> Floats:
        """Standard error of each rating about the mean of all, shape (systems,); nan where its votes do not vary."""
        own = np.diag(self._law.covariance)[: len(self)]
        return np.asarray(self.scale * np.sqrt(np.where(own > _ROUNDED * own.max(), own, np.nan)))

    @property
    def intervals(self) -> Floats:
        """Intervals of the ratings, each with coverage ``level``; shape (systems, 2)."""
        from scipy.special import ndtri, stdtrit

        if self._tested_by:
            low, high = self.difference(*self.systems).at(self.level).ends
            off = np.array([low, high]) - self.scale * float(self.values[0] - self.values[1])
            return self.rating[:, None] + np.array([off, -off[::-1]]) / 2
        df, at = self._own_df, (1 + self.level) / 2
        if self._law.deviations is None:
            ends = stdtrit(df, at) * self.se * np.array([[-1.0], [1.0]])
        else:
            wider = _wide(df) * stdtrit(df, at) / ndtri(at)
            ends = wider * self.scale * np.quantile(self._law.deviations[:, : len(self)], [1 - at, at], axis=0)
        return np.asarray((self.rating + ends).T)

    @cached_property
    def unbeaten(self) -> tuple[Unrated, ...]:
        """Systems without a finite rating that stand above all that have one."""
        return tuple(one for one in self.unrated if one.place == "above all")

    @cached_property
    def surely_above(self) -> tuple[Unrated, ...]:
        """Of these, those that won so many votes against each that chance is no explanation, for all pairs at once."""
        pairs = (len(self) + len(self.unbeaten)) * (len(self) + len(self.unbeaten) - 1) / 2
        return tuple(one for one in self.unbeaten if 2 * 0.5**one.won * pairs <= 1 - self.level)

    @cached_property
    def apart(self) -> tuple[Unrated, ...]:
        """Systems that no votes link to those that are rated, so that they may stand anywhere among them."""
        return tuple(one for one in self.unrated if one.place == "not linked")

    @cached_property
    def ranks(self) -> RankIntervals:
        """Intervals of the ranks, for all systems at once and for one chosen beforehand; rank 1 is best.

        Ranks are of all systems but those below all: those above all without a rating, and those that may stand
        anywhere, are among them.
        """
        own, sure, most = self._own_ranks, len(self.surely_above), len(self.unbeaten) + len(self.apart)
        if not most:
            return own
        return replace(
            own,
            low=own.low + sure,
            high=own.high + most,
            marginal_low=own.marginal_low + sure,
            marginal_high=own.marginal_high + most,
        )

    @cached_property
    def _own_ranks(self) -> RankIntervals:
        """Ranks among the systems that are rated."""
        drawn, df = self._law.deviations, self._law.between(len(self))
        if self._tested_by:
            apart = self._tested_by.p_difference() <= (1 - self.level) * SLACK
            return ranks_of_two(self.rating, apart, t_quantile(float(df[0, 1]), (1 + self.level) / 2))
        if drawn is None:
            return rank_intervals(self.rating, self.covariance, self._drawn[0], self.level, df)
        deviations = self.scale * drawn[:, : len(self)]
        spread = np.atleast_2d(np.cov(deviations, rowvar=False))
        return rank_intervals(self.rating, self.covariance, deviations, self.level, df, spread)

    @property
    def gaps(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Differences, row less column, their errors, and both limits, which hold at once; all (systems, systems)."""
        value, se = self.rating[:, None] - self.rating, difference_se(self.covariance)
        if self._tested_by:
            low, high = self.difference(*self.systems).at(self.level).ends
            return value, se, np.array([[0.0, low], [-high, 0.0]]), np.array([[0.0, high], [-low, 0.0]])
        half = self.ranks.critical * se
        return value, se, value - half, value + half

    @cached_property
    def best(self) -> dict[str, float]:
        """Probability of being the best, if ratings deviate as they may: never over 97.5% while others may be first.

        At another ``level`` the edge is ``(1 + level) / 2``; the one system that may be first has at least that. Where
        some stand above all without a rating, or are not linked by votes, the rest of the chance is theirs.
        """
        law, df = self._law, self._own_df
        if law.deviations is None:
            deviations, rng = self._drawn
            alone = best_in_student(self.rating, deviations, df, copy.deepcopy(rng))
        else:
            alone = best(self.rating, self.scale * law.deviations[:, : len(self)] * _wide(df))
        chances = agreeing(alone, self._own_ranks, self.level)
        if self.unbeaten:
            edge, chance = (1 + self.level) / 2, 1 - 0.5 ** (1 + max(one.won for one in self.unbeaten))
            chances = chances * (1 - (max(chance, edge) if self.surely_above else min(chance, edge)))
        elif self.apart:
            chances = chances * (1 + self.level) / 2
        return dict(zip(self.systems, chances.tolist(), strict=True))

    @cached_property
    def neighbours(self) -> tuple[Neighbours, ...]:
        """Every two systems that follow each other: their gap, and how many more votes would tell them apart.

        None of a board of two, of which `quorate.compare` says what a new study takes.
        """
        return neighbours(self) if self.margin is None else ()

    def difference(self, a: str, b: str) -> Contrast:
        """Rating of ``a`` less that of ``b``, with standard error, interval and p-value.

        Raises
        ------
        UnknownTerm
            If a system is not there.
        InvalidInput
            If the two are one.
        """
        return self._contrast(f"{a} - {b}", *self._two(a, b))

    def probability(self, a: str, b: str) -> WinRate:
        """How often ``a`` is preferred to ``b``, shown in either order as often, at equal covariates.

        Raises
        ------
        UnknownTerm
            If a system is not there.
        InvalidInput
            If the two are one.
        """
        i, j = self._two(a, b)
        gap, law = self._contrast(f"{a} - {b}", i, j, unit=True), self._law
        modelled, model = tie_model(self.ties).modelled, self.model
        if not self.positioned and model.gap_is_log_odds:
            tie = math.exp(model.log_chances(np.array(gap.value), self.values[-1])[2])
            return WinRate(expit(gap.value), tie if modelled else math.nan, gap)
        # Wins and ties averaged over both orders; the standard error is by the slopes.
        weight = np.zeros((3, len(self.values)))
        weight[0, i], weight[0, j] = 1.0, -1.0
        if self.positioned:
            weight[1, len(self)] = 1.0
        weight[2, -1] = float(self.tied)
        at = weight @ self.values
        value, even = average_odds(at, model)
        step = 1e-5 * np.eye(3)
        slope = [(average_odds(at + d, model)[0] - average_odds(at - d, model)[0]) / 2e-5 for d in step]
        moved = np.array(slope).ravel() @ weight
        se = math.sqrt(law.variance(moved))
        drawn = None
        if law.deviations is not None:
            refit = average_odds(at[:, None] + weight @ law.deviations.T, model)[0]
            drawn = (refit - value) * float(_wide(np.array(gap.df)))
        chance = float(even) if modelled else math.nan
        odds = replace(gap, value=float(value), se=se, deviations=drawn)
        return WinRate(expit(float(value)), chance, odds)

    def elo(self, mean: float = 1000.0, system: str | None = None) -> Ratings:
        """The same ratings in points: 400 are odds of ten to one; with normal errors, 283 are one of their deviations.

        Parameters
        ----------
        mean : float
            Points of the mean of all systems, or of ``system``.
        system : str, optional
            The system with that many points. It fixes the scale only: intervals stay those about the mean of all
            systems; `difference` has those of differences to it.
        """
        base = 0.0 if system is None else float(self.values[self._index(system)])
        scale = self.model.points
        shift = mean - scale * base
        return replace(self, scale=scale, shift=shift, moves=self.moves and self.moves.scaled(scale, shift))

    def using(self, method: Method) -> Ratings:
        """The same ratings with the uncertainty of another method.

        Raises
        ------
        InvalidInput
            If that was not computed.
        """
        rules.one_of("method", method, self.laws)
        return replace(self, method=method)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        lists = {"covariates": self.coefficients, "slopes": self.slopes, "tie_rates": self.tie_rates}
        own = {"unrated": [self._place(one) for one in self.unrated], "moves": self.moves and self.moves.rows()}
        return super().to_dict() | own | {name: plain([*terms.values()]) for name, terms in lists.items()}

    def _place(self, one: Unrated) -> dict[str, Any]:
        """A system without a rating as plain values, with the ranks that it may have but where it is below all."""
        ranks: dict[str, int | None] = {"rank_low": None, "rank_high": None}
        if one.place != "below all":
            last = len(self.unbeaten) + len(self.apart) + (0 if one in self.surely_above else len(self))
            ranks = {"rank_low": 1 + (one in self.apart) * len(self.surely_above), "rank_high": last}
        return one.to_dict() | ranks

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        moved = "" if self.moves is None else self.moves.sentence
        return " ".join(line for line in (standing(self, self.scope), moved, unrated_words(self.unrated)) if line)

    @property
    def fragile_words(self) -> str:
        """How few votes decide who is first, or why none do; empty where that was not asked for."""
        if self.fragility is not None:
            return self.fragility.sentence
        return f"Leaving out votes puts no other system first; {self.not_fragile}." if self.not_fragile else ""

    @property
    def neighbours_words(self) -> str:
        """How many more votes would tell neighbours apart; empty where all are."""
        return neighbours_words(self.neighbours, self.counted_by)

    @property
    def _law(self) -> RatingLaw:
        return self.laws[self.method]

    @property
    def _own_df(self) -> Floats:
        """Degrees of freedom of the standard error of each rating."""
        own = np.arange(len(self))
        return np.asarray(self._law.df[own, own])

    @property
    def _tested_by(self) -> VoteMargin | None:
        """The margin whose test decides, if one does."""
        return self.margin if self.method in ("sandwich", "cluster") else None

    @cached_property
    def _drawn(self) -> tuple[Floats, np.random.Generator]:
        """Draws of the ratings less what they estimate, by the normal law, and what is to draw from for Student's."""
        rng, by = stream(self.seed, "ranks"), self._law.scatter
        if by is not None:
            drawn = by.drawn(most_draws(len(self)), rng)
            drawn *= self.scale  # in place: it is large
            return drawn, rng
        return normal_deviations(self.covariance, math.inf, most_draws(len(self)), rng), rng

    def _contrast(self, name: str, plus: int, minus: int | None = None, *, unit: bool = False) -> Contrast:
        """A parameter, or a difference of two; in log odds if ``unit``."""
        weight = np.zeros(len(self.values))
        weight[plus] = 1.0
        if minus is not None:
            weight[minus] = -1.0
        scale = 1.0 if unit else self.scale
        shift = 0.0 if unit or minus is not None else self.shift
        law = self._law
        se = scale * math.sqrt(law.variance(weight))
        df = float(law.df[plus, plus if minus is None else minus])
        drawn = None if law.deviations is None else scale * (law.deviations @ weight) * float(_wide(np.array(df)))
        tested = self._tested_by if plus < len(self) and minus is not None else None
        return Contrast(name, shift + scale * float(weight @ self.values), se, df, self.n, drawn, tested)

    def _two(self, a: str, b: str) -> tuple[int, int]:
        if a == b:
            raise InvalidInput(f'difference: "{a}" against itself; name two systems')
        return self._index(a), self._index(b)

    def _index(self, name: str) -> int:
        if name not in self.systems:
            raise UnknownTerm(name, self.systems, "system")
        return self.systems.index(name)


def _wide(df: Floats) -> Floats:
    """What makes up for resampled units varying about their own mean."""
    return np.sqrt(1 + 1 / df)


def neighbours(board: Ratings) -> tuple[Neighbours, ...]:
    """Every two neighbours of a board, from the best: a family of their own.

    That they were chosen by the order found makes their gaps smaller, so it does not make false orders likelier.
    The variance of a gap goes down with 1 over votes and its degrees of freedom up with them, as clusters like those at
    hand come with their votes.
    """
    covariance, ranks, n = board.covariance, board.ranks, board.n
    variance, gaps = np.diag(covariance), board.rating[:-1] - board.rating[1:]
    se = np.sqrt(variance[:-1] + variance[1:] - 2 * np.diag(covariance, 1))
    place = np.arange(len(gaps))
    df = np.asarray(board.laws[board.method].df[place, place + 1])
    every = ranks.limit(df if np.ndim(ranks.df) else ranks.df)
    own = each(t_quantile, "stdtrit", df, 1 - (1 - board.level) / (2 * len(gaps)))
    limit = np.minimum(every, own)  # all pairs that follow each other are fewer than all pairs
    level = 2 * each(t_cdf, "stdtr", df, limit) - 1
    ends = np.stack([gaps - limit * se, gaps + limit * se], axis=1).tolist()
    apart = [low > 0 for low, _ in ends]
    columns = zip(gaps.tolist(), ends, se.tolist(), level.tolist(), df.tolist(), apart, strict=True)
    out = []
    for (gap, (low, high), error, sure, freedom, told), first, second in zip(
        columns, board.systems, board.systems[1:], strict=False
    ):
        asked = GapVotes(error**2 * n, freedom / n, sure, gap, POWER)
        votes = asked.needed(0.0, n)
        more = 0 if told else None if votes is None else max(votes - n, 0)
        out.append(Neighbours(first, second, gap, low, high, told, votes, more))
    return tuple(out)
