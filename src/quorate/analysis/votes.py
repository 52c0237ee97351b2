"""What the pages of votes are made from: detectability, near ties, dependence and data health; of two systems too."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from typing import Any

from quorate import rules
from quorate.analysis import words
from quorate.arguments import argument
from quorate.caveats import Caveat, noise_of_votes
from quorate.decide.next_step import next_step
from quorate.decide.outcome import TYPES, Claim, Outcome
from quorate.decide.votes import Verdict, beside_the_board, verdict_of_votes
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.doctor.support import VotesSupport, doctor
from quorate.estimate.ratings.ratings import Ratings
from quorate.estimate.votes.clustered import DEPENDENCE, Cluster, ClusterRobust, cluster_robust, clustered_by
from quorate.estimate.votes.margin import FEW_CLUSTERS, margin_of_votes
from quorate.estimate.votes.margins import NearTies, Quantiles
from quorate.estimate.votes.signals import LEAST_VOTES
from quorate.estimate.votes.stability import Stability, TieSensitivity, stability, tie_sensitivity
from quorate.estimate.votes.well_sampled_pairs import MINIMUM
from quorate.frozen import dataclass
from quorate.numerics.distributions import normal_quantile
from quorate.planning.power.detectability import Detectability, detectability
from quorate.planning.power.prompt_types import Concentration, concentration
from quorate.simulate.two_stage import type_counts
from quorate.table.pairs import MISSING
from quorate.table.results import Interval, Result, Row, plain, rows_of
from quorate.table.votes import Encoding, Votes
from quorate.wording import counted, listed

MANY_PAIRS = 6
"""Pairs from which on shares of them are said, as of four systems."""
NEAR = 0.1
"""Margin at which two systems count as nearly tied."""
QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)
"""Of margins over pairs."""
EQUAL = (50, 100, 200, 500, 1000)
"""Votes that every pair is given to compare how clear pairs are."""
EARLY = 50
"""Votes of a pair that count as early; half of the fewest, where pairs may have fewer than twice as many."""

COLUMNS = ("n", "wins", "margin", "low", "high", "effect", "implied", "tie_share")
"""What is known of the votes of every pair."""
SIGNIFICANT = 0.01
"""P-value below which an effect of the order of showing is spoken of."""
FEWEST = 4
"""Votes of a pair that can be split into early ones and others."""
_PAIR = 2


@dataclass(frozen=True)
class EqualBudget:
    """How clear comparisons are when every pair has the same number of votes (Lee 2026, Table 6).

    Parameters
    ----------
    votes : int
        Votes of every pair.
    low, median, high : float
        10%, 50% and 90% quantiles, over pairs and studies, of ``|share - 1/2|`` in standard errors; infinite where
        studies are unanimous.
    """

    votes: int
    low: float
    median: float
    high: float


@dataclass(frozen=True, eq=False)
class VotesAnalysis(Result):
    """All results that the report of votes shows.

    Parameters
    ----------
    votes : Votes
        The votes.
    found : Detectability
        Margins, and what numbers of votes would decide.
    near : NearTies
        Pairs that are nearly tied.
    quantiles : Quantiles
        Of margins over pairs.
    dependence : tuple of ClusterRobust
        Standard errors that allow votes to resemble each other, over those of independent votes: by every facet that
        votes share, and by all at once.
    support : VotesSupport
        What the votes support, and what is wrong with them.
    equal : tuple of EqualBudget
        How clear comparisons are with the same number of votes for every pair.
    stability : Stability or None
        Margins of the first votes of every pair against those of its others.
    stability_reason : str
        Why there is none; empty where there is.
    cluster : str, sequence of str, or None
        Facets whose votes may resemble each other, as asked; None for every one that repeats.
    board : Ratings or None
        Who leads; None of two systems, and where votes rate none.
    """

    votes: Votes
    found: Detectability
    near: NearTies
    quantiles: Quantiles
    dependence: tuple[ClusterRobust, ...]
    support: VotesSupport
    equal: tuple[EqualBudget, ...]
    stability: Stability | None
    stability_reason: str
    cluster: Cluster | None = None
    board: Ratings | None = None

    @property
    def level(self) -> float:
        """Coverage of intervals."""
        return self.found.margins.level

    @property
    def reach(self) -> float:
        """Standard errors from one half at which the test finds a difference."""
        return normal_quantile(1 - self.found.margins.alpha / 2)

    @cached_property
    def ties(self) -> TieSensitivity | None:
        """Margins under three ways to count ties; None where no vote is one."""
        return (
            tie_sensitivity(self.votes, minimum=self.found.margins.minimum, tau=NEAR, cluster=self.cluster)
            if self.votes.tie_share
            else None
        )

    @property
    def sentence(self) -> str:
        """Who leads, and how many votes would tell these systems apart."""
        if self.board is None:
            return self.found.sentence
        return f"{self.board.sentence} {self.found.sentence}" if self.many else self.board.sentence

    @property
    def many(self) -> bool:
        """Whether pairs are so many that shares of them say something; of a few each is said by itself."""
        return len(self.found) >= MANY_PAIRS

    @cached_property
    def needed(self) -> tuple[int | None, ...]:
        """Votes of a new study that finds the margin of each pair, by the tests of a verdict; None where none does."""
        pairs, least = self.votes.pairs(), self.found.margins.minimum
        found = zip(pairs.names, pairs.decisive.tolist(), strict=True)
        return tuple(self._needed(a, b) for (a, b), decisive in found if decisive >= least)

    def _needed(self, a: str, b: str) -> int | None:
        pair, alpha = self.votes.pair(a, b), 1 - self.found.margins.level
        with suppress(NotEstimable):
            lead = margin_of_votes(pair, a, b, cluster=self.cluster)
            step = next_step(lead, margin=None, alpha=alpha, power=self.found.target, counting=lead.n / pair.n)
            return None if step is None else step.votes
        return None

    @property
    def caveats(self) -> tuple[Caveat, ...]:
        """What is wrong with the votes, and what to know of how they depend on each other."""
        found = [Caveat(one.code, one.sentence) for one in self.support.findings if one.severity != "note"]
        found += self.found.margins.caveats
        if self.board is not None:
            found += [one for one in self.board.caveats if one not in found]
        if not self.found.law.known:
            found.append(noise_of_votes(int(self.found.margins.worth.min()), LEAST_VOTES))
        return tuple(found)

    @property
    def exit_code(self) -> int:
        """That of the board: 2 where no system is surely better than another; 0 where there is none."""
        return 0 if self.board is None else self.board.exit_code

    def rows(self) -> list[Row]:
        """Every pair: its decisive votes, the share for the first system, the margin with its interval, ties."""
        margins = self.found.margins
        return rows_of({"pair": margins.pairs, **{name: getattr(margins, name) for name in COLUMNS}})

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values; what is not known or not finite is None."""
        shared = [{"by": one.by, **vars(one.summary())} for one in self.dependence]
        rest = {"dependence": shared, "equal_budget": self.equal, "stability_reason": self.stability_reason}
        views = {"near_ties": self.near, **rest, "stability": self.stability, "ties": self.ties}
        board = {} if self.board is None else {"board": self.board}
        out: dict[str, Any] = plain({**board, **self.found.to_dict(), **views, "sentence": self.sentence})
        return out


def votes_view(
    votes: Votes, *, level: float = 0.95, power: float = 0.9, cluster: Cluster | None = None, minimum: int | None = None
) -> VotesAnalysis:
    """Everything that the report of votes shows.

    Parameters
    ----------
    votes : Votes
        From `quorate.read_votes`.
    level : float
        Coverage of intervals; tests are at level ``1 - level``.
    power : float
        Chance of finding a difference that counts as enough.
    cluster : str or sequence of str, optional
        Facets whose votes may resemble each other, as for `quorate.compare`: by default prompt, judge and cluster, as
        far as they are there and repeat. ``()`` takes votes as independent.
    minimum : int, optional
        Decisive votes that a pair must have. Default: 200, or what every pair has where none has as many.

    Raises
    ------
    InvalidInput
        If an argument is out of range.
    NotEstimable
        If no pair has enough votes, or all are of one level of a facet that is named.
    UnknownTerm
        If there is no facet ``cluster``.
    """
    support = doctor(votes)
    rules.number("level", level, above=0, below=1)
    if minimum is None:
        decisive = votes.pairs().decisive
        few = decisive.max(initial=0) < MINIMUM
        minimum = max(2, int(decisive.min(initial=MINIMUM))) if few else MINIMUM
    alpha = round(1 - level, 12)  # 0.05, and not what is left of 1 in binary
    found = detectability(votes, minimum=minimum, level=level, alpha=alpha, power=power, cluster=cluster)
    stable, reason = _stability(votes, minimum, cluster)
    return VotesAnalysis(
        votes=votes,
        found=found,
        near=found.margins.near_ties(NEAR),
        quantiles=found.margins.quantiles(QUANTILES),
        dependence=tuple(dependence(votes, cluster, minimum, level)),
        support=support,
        equal=tuple(EqualBudget(n, *found.z(n, (0.1, 0.5, 0.9)).tolist()) for n in EQUAL),
        stability=stable,
        stability_reason=reason,
        cluster=cluster,
        board=_board(votes, level, cluster),
    )


def _board(votes: Votes, level: float, cluster: Cluster | None) -> Ratings | None:
    """Who leads of three systems or more, as `quorate.rank` says it; None where votes rate none."""
    if len(votes.models) <= _PAIR:
        return None
    from quorate.estimate.ratings.rank import rank

    with suppress(NotEstimable, InvalidInput):
        return rank(votes, level=level, cluster=cluster)
    return None


def dependence(votes: Votes, cluster: Cluster | None, minimum: int, level: float = 0.95) -> Iterator[ClusterRobust]:
    """Clustered standard errors by each facet that votes share, and by all at once; by those asked for where some are.

    A facet of which a vote has no label has none.
    """
    named = (cluster,) if isinstance(cluster, str) else cluster
    found = []
    for name in named or [name for name in DEPENDENCE if name in votes.names]:
        try:
            one = cluster_robust(votes, by=name, minimum=minimum, level=level)
            yield one
            found += [name] if one.clusters.max() > 1 else []
        except NotEstimable:
            continue
    if len(found) > 1:
        yield cluster_robust(votes, by=found, minimum=minimum, level=level)


def _stability(votes: Votes, minimum: int, cluster: Cluster | None) -> tuple[Stability | None, str]:
    if minimum < FEWEST:
        rule = f"pairs may have fewer than {FEWEST} votes, two early and two others; raise "
        return None, rule + argument("minimum")
    try:
        return stability(votes, first=min(EARLY, minimum // 2), minimum=minimum, cluster=cluster), ""
    except NotEstimable as error:
        return None, str(error)


def few_levels(view: VotesAnalysis) -> str:
    """That facets have so few levels that their ratio of standard errors says next to nothing; empty if none has."""
    levels = {name: len(view.votes.facet(name).levels) for one in view.dependence for name in one.facets}
    few = [counted(count, name) for name, count in levels.items() if count < FEW_CLUSTERS]
    return f"Not to be trusted with fewer than {FEW_CLUSTERS}: {listed(few)}." if few else ""


def order_of(stability: Stability) -> str:
    """What was taken as the order of the votes."""
    rows = "of their rows, which is time only if the file is in that order"
    return f"Votes are in the order {'of time' if stability.ordered_by == 'time' else rows}."


def drift_of(stability: Stability) -> str:
    """How many pairs changed, against how many do by chance; empty for one pair."""
    if len(stability.pairs) == 1:
        return ""
    changed = f"{words.share(stability.drifting)} of {counted(len(stability.pairs), 'pair')} changed at level 0.05"
    return f"{changed}; about 5% do by chance alone. Votes {stability.taken}."


INDEPENDENT = "votes independent"
_TIES: tuple[Encoding, ...] = ("drop", "half")
_OF_ALL_PAIRS = ("few-votes", "missing", "not-connected", "one-sided")
"""Findings about pairs and rankings of all systems, by which two are not judged."""


@dataclass(frozen=True, eq=False)
class PairAnalysis(Result):
    """What the report on two systems shows; all but the verdict is found when it is first asked for.

    Parameters
    ----------
    votes : Votes
        The votes, of all pairs.
    verdict : Verdict
        The verdict that was asked for.
    minimum : int, optional
        Decisive votes that a pair must have to be among those the two are compared with.
    power : float
        Chance of detection that next steps are for.
    cluster : str, sequence of str, or None
        Facets whose votes may resemble each other, as asked; None for every one that repeats.
    """

    votes: Votes
    verdict: Verdict
    minimum: int | None = None
    power: float = 0.9
    cluster: Cluster | None = None

    @cached_property
    def others(self) -> tuple[tuple[str, Verdict], ...]:
        """The same votes counted in other ways, each with its name: other clusters, ties dropped or as halves."""
        votes, asked, found = self.votes, self.verdict, self.verdict.difference
        every = clustered_by(pair := votes.pair(asked.a, asked.b), None, pair.outcome != MISSING)
        clusters = dict.fromkeys([(), *((name,) for name in every), every])
        ways: list[tuple[tuple[str, ...], Encoding]] = [
            (names, found.ties) for names in clusters if names != found.cluster
        ]
        ways += [(found.cluster, ties) for ties in _TIES if ties != found.ties and pair.tie_share]
        others = []
        for cluster, ties in ways:
            with suppress(NotEstimable):
                one = verdict_of_votes(
                    votes, asked.a, asked.b, margin=asked.margin, level=asked.level, ties=ties, cluster=cluster
                )
                others.append((way(one), one))
        return tuple(others)

    @cached_property
    def support(self) -> VotesSupport:
        """What the votes support, and what is wrong with them."""
        return doctor(self.votes)

    @property
    def every(self) -> VotesAnalysis | None:
        """All pairs, for comparison; None where too few votes are on any."""
        return self._every[0]

    @property
    def every_reason(self) -> str:
        """Why there is none; empty where there is."""
        return self._every[1]

    @property
    def concentration(self) -> Concentration | None:
        """Whether few types of prompts hold most of the signal; None where types or votes of each are too few."""
        return self._concentration[0]

    @property
    def concentration_reason(self) -> str:
        """Why there is none although votes have types; empty otherwise."""
        return self._concentration[1]

    @cached_property
    def _concentration(self) -> tuple[Concentration | None, str]:
        if TYPES not in self.votes.names:
            return None, ""
        try:
            counts = type_counts(self.votes, self.verdict.a, self.verdict.b, TYPES)
            return concentration(*counts, level=self.verdict.level), ""
        except NotEstimable as error:
            return None, str(error)

    @property
    def a(self) -> str:
        """The first system."""
        return self.verdict.a

    @property
    def b(self) -> str:
        """The second system."""
        return self.verdict.b

    @property
    def outcome(self) -> Outcome:
        """What the votes show of the two."""
        return self.verdict.outcome

    @property
    def level(self) -> float:
        """Coverage of intervals."""
        return self.verdict.level

    @property
    def estimate(self) -> Interval:
        """The margin by which voters prefer the first."""
        return self.verdict.estimate

    @property
    def sentence(self) -> str:
        """The verdict with its numbers."""
        return self.verdict.sentence

    @property
    def caveats(self) -> tuple[Caveat, ...]:
        """What to know of the verdict, and what is wrong with the votes that two systems are judged by."""
        grave = [one for one in self.support.findings if one.severity != "note" and one.code not in _OF_ALL_PAIRS]
        of_votes = [Caveat(one.code, one.sentence) for one in grave]
        sentences = {one.sentence for one in of_votes}
        return (*(one for one in self.verdict.caveats if one.sentence not in sentences), *of_votes)

    def rows(self) -> list[Row]:
        """The verdict as asked for, then with the same votes counted in other ways."""
        rows = []
        for name, one in ((way(self.verdict), self.verdict), *self.others):
            low, high = one.difference.at(one.level).ends
            share = {"wins": 0.5 + one.difference.value, "low": 0.5 + low, "high": 0.5 + high}
            equal = {} if one.p_equivalence is None else {"p_equal": one.p_equivalence}
            rest = {"outcome": str(one.outcome.value), "votes": one.difference.n, "p": one.p_difference}
            rows.append({"way": name, **share, **rest, **equal})
        return rows

    def to_dict(self) -> dict[str, Any]:
        """The verdict as plain values, and whether few types of prompts hold most of the signal."""
        signal = None if self.concentration is None else self.concentration.to_dict()
        return {**self.verdict.to_dict(), "concentration": signal}

    @property
    def exit_code(self) -> int:
        """That of the verdict."""
        return self.verdict.exit_code

    @cached_property
    def _every(self) -> tuple[VotesAnalysis | None, str]:
        try:
            options: dict[str, Any] = {"power": self.power, "minimum": self.minimum, "cluster": self.cluster}
            return votes_view(self.votes, level=self.verdict.level, **options), ""
        except NotEstimable as error:
            return None, str(error)


def pair_view(
    votes: Votes,
    a: str,
    b: str,
    *,
    margin: float | None = None,
    level: float = 0.95,
    power: float = 0.9,
    ties: Encoding = "drop",
    cluster: Cluster | None = None,
    claim: Claim | None = None,
    budget: int | None = None,
    price: float | None = None,
    minimum: int | None = None,
) -> PairAnalysis:
    """The verdict on two systems, and all that a report says of them.

    Raises
    ------
    InvalidInput
        If an argument is out of range.
    UnknownTerm
        If a system or facet is not there.
    NotEstimable
        If no vote on the two counts, or all are of one level of a facet that is named.
    """
    asked: dict[str, Any] = {"claim": claim, "power": power, "budget": budget, "price": price}
    verdict = verdict_of_votes(votes, a, b, margin=margin, level=level, ties=ties, cluster=cluster, **asked)
    return PairAnalysis(votes, beside_the_board(verdict, votes, cluster), minimum, power, cluster)


def way(verdict: Verdict) -> str:
    """How a verdict takes its votes, in words."""
    found = verdict.difference
    ties = {"drop": "", "half": ", ties as halves", "pessimistic": ", ties as losses"}[found.ties]
    return f"{f'by {listed(found.cluster)}' if found.cluster else INDEPENDENT}{ties}"
