"""Verdicts on votes: better, worse, equivalent within a stated margin, or undecided."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

from quorate import caveats, rules, wording
from quorate.decide.next_step import NextStep, detectable, next_step
from quorate.decide.outcome import AnyVerdict, Claim, Outcome, check_question, outcome_by, types_of_votes
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.ratings.rank import rank
from quorate.estimate.votes.clustered import Cluster
from quorate.estimate.votes.margin import VoteMargin, margin_of_votes
from quorate.frozen import dataclass
from quorate.numerics.ratings.ties import Ties
from quorate.numerics.votes import binomial, equivalence
from quorate.planning.power.sample_size import check_count
from quorate.table.results import Result
from quorate.table.votes import Encoding, Votes, checked_votes
from quorate.wording import at_level

_MANY_TIES = 0.2
"""Share of votes from which ties are named."""
_MISS = "such votes may miss any margin, however large"


@dataclass(frozen=True)
class OnBoard(Result):
    """What all votes of a file with more systems say of two of them, by the model of `quorate.rank`.

    Parameters
    ----------
    outcome : Outcome
        Of the first.
    share, low, high : float
        Part of the votes that decide which the first wins, with the interval of these two alone.
    n : int
        Votes on all systems.
    systems : int
        How many these are.
    """

    outcome: Outcome
    share: float
    low: float
    high: float
    n: int
    systems: int


@dataclass(frozen=True)
class Verdict(AnyVerdict):
    """What votes show of ``a`` and ``b``, how sure that is, and what more would decide it.

    Parameters
    ----------
    a, b, outcome, margin, level, p_difference, p_equivalence, power, error_rate, claim, types
        As for `quorate.decide.outcome.AnyVerdict`.
    difference : VoteMargin
        The margin ``p - 1/2`` with its standard error and intervals.
    next_step : NextStep or None
        What would decide; None where it is decided, or no number of votes would do.
    on_board : OnBoard or None
        What all votes say of the two, where there are other systems and a rating of both; None elsewhere.
    """

    difference: VoteMargin
    next_step: NextStep | None
    on_board: OnBoard | None = None

    _prefers = "is preferred"

    @cached_property
    def detectable(self) -> float | None:
        """Smallest margin that so many votes detect with a chance of ``power``; None if they detect none."""
        return detectable(self.difference, 1 - self.level, self.power)

    @property
    def sentence(self) -> str:
        """The verdict with its numbers, of the votes between the two, and what all votes say of them."""
        board = self.on_board
        if board is None:
            return super().sentence
        share, low, high = wording.shares(board.share, board.low, board.high)
        other = "" if board.outcome is self.outcome else f", and the answer is another: {board.outcome.value}"
        return (
            f"{super().sentence} Only the votes between the two speak here; by all {board.n:,} on {board.systems:,} "
            f"systems, as rank counts them, {self.a} wins {share} ({low} to {high}){other}."
        )

    @property
    def whom(self) -> str:
        """For whom the margin speaks; empty where there is nothing to add."""
        return self.difference.scope

    def _numbers(self) -> str:
        lead, ends = self.difference, self.difference.at(self.level).ends
        share, low, high = wording.shares(*(0.5 + value for value in (lead.value, *ends)))
        kind = "decisive vote" if lead.ties == "drop" else "vote"
        ties = {"drop": "", "half": ", ties as halves", "pessimistic": ", ties as losses"}[lead.ties]
        each = [wording.counted(count, name) for count, name in zip(lead.clusters, lead.cluster, strict=True)]
        where = f" in {wording.listed(each)}" if each else ""
        where += f" {lead.scope}" if lead.scope else ""
        interval = f"{at_level(self.level)} interval {low} to {high}"
        cast = lead.n + lead.tied * (lead.ties == "drop")
        tied = f"; {lead.tied:,} of {cast:,} votes are ties" if lead.tied > _MANY_TIES * cast else ""
        return f"{self.a} wins {share} of {wording.counted(lead.n, kind)}{ties}{where} ({interval}{tied})"

    def _rest(self) -> str:
        if self.outcome is Outcome.EQUIVALENT:
            inner = self.difference.equivalence_interval(1 - self.level).ends
            _, low, high = wording.shares(*(0.5 + value for value in (self.difference.value, *inner)))
            return self._rests_on(low, high, "preference for")
        if self.outcome is not Outcome.UNDECIDED:
            return ""
        seen = f"so many votes see a margin of {wording.margin(self.detectable or 0)} or more"
        few = "too few votes are no ties to show which is preferred" if self.difference.tied else _MISS
        seen = few if self.detectable is None else seen
        limit = f"This is no sign that they are alike: {seen} (power {self.power:.4g})."
        if self.next_step:
            return f"{limit} {self.next_step.sentence}"
        if self.difference.ties == "pessimistic" and self.difference.value < 0:
            return (
                f"{limit} With ties as losses no number of votes shows {self.a} to be worse unless it also trails "
                "without."
            )
        if abs(self.difference.value) > 0:
            return f"{limit} It is so close to the edge of what would decide that no study is large enough."
        return (
            f"{limit} No number of votes finds a margin of 0; to show that they are alike, state a margin of "
            "equivalence."
        )


def verdict_of_votes(
    votes: Votes,
    a: str,
    b: str,
    *,
    margin: float | None = None,
    level: float = 0.95,
    ties: Encoding = "drop",
    cluster: Cluster | None = None,
    claim: Claim | None = None,
    power: float = 0.9,
    budget: int | None = None,
    price: float | None = None,
) -> Verdict:
    """Whether voters prefer one system to another, hold them equal within a margin, or have not decided.

    Parameters
    ----------
    votes : Votes
        From `quorate.read_votes`.
    a, b : str
        The two systems; the outcome is about ``a``.
    margin : float, optional
        Half-width of the range about one half that counts as equal, stated before looking: 0.05 for shares from 45% to
        55%. Equivalence is claimed only with it.
    level : float
        Coverage of the interval; the chance of a false verdict is at most ``1 - level``.
    ties : {"drop", "half", "pessimistic"}
        How ties count.
    cluster : str or sequence of str, optional
        Facets whose votes may resemble each other, nested or crossed; by default prompt, judge and cluster, as far as
        they are there and repeat. Tests are then by Student's t, cluster-robust; with ``()`` votes are taken as
        independent, and tests are exact.
    claim : {"better", "equivalent", "not worse"}, optional
        What is to be shown, for `Verdict.exit_code`; ``"not worse"`` than by the margin.
    power : float
        Chance of detection that ``detectable`` and the next step are for.
    budget : int, optional
        Votes that can still be collected.
    price : float, optional
        Price of a vote.

    Raises
    ------
    InvalidInput
        If an argument is out of range, or a claim needs a margin and there is none.
    UnknownTerm
        If a system or facet is not there.
    NotEstimable
        If no vote counts, or all are of one level of a facet that is named.

    Notes
    -----
    The verdict is for one look at votes whose number was set beforehand; to look while they come in, see
    `quorate.decide.stop.monitor`.

    Examples
    --------
    >>> import polars
    >>> from quorate.table.read_votes import read_votes
    >>> columns = {"model_a": ["x"] * 100, "model_b": ["y"] * 100, "winner": ["model_a"] * 52 + ["model_b"] * 48}
    >>> verdict = verdict_of_votes(read_votes(polars.DataFrame(columns), announce=False), "x", "y")
    >>> verdict.outcome.value, round(verdict.detectable, 3), verdict.next_step.votes, verdict.exit_code
    ('undecided', 0.166, 6633, 2)
    """
    checked_votes(votes)
    check_question(margin, level, claim, power, 0.5)
    if budget is not None:
        check_count("budget", budget)
    if price is not None:
        rules.number("price", price, least=0)
    found = margin_of_votes(votes, a, b, ties=ties, cluster=cluster)
    counting = found.n / votes.pair(a, b).n
    verdict = verdict_of_margin(
        found, counting=counting, margin=margin, level=level, claim=claim, power=power, budget=budget, price=price
    )
    return replace(verdict, types=types_of_votes(votes, a, b, ties=ties, cluster=found.cluster, level=level))


def beside_the_board(verdict: Verdict, votes: Votes, cluster: Cluster | None = None) -> Verdict:
    """The same verdict with what all votes say of its two systems, where there are others in the file."""
    if len(votes.models) < 3 or verdict.difference.ties == "pessimistic":
        return verdict
    ties: Ties = "half" if verdict.difference.ties == "half" else "davidson"
    try:
        board = rank(votes, ties=ties, cluster=cluster, level=verdict.level)
        gap = board.difference(verdict.a, verdict.b)
    except (InvalidInput, NotEstimable):  # as of one that never lost, or whom no votes link
        return verdict
    low, high = map(board.share, gap.at(verdict.level).ends)
    inner = [board.share(end) - 0.5 for end in gap.at(2 * verdict.level - 1).ends]
    outcome = Outcome.BETTER if low > 0.5 else Outcome.WORSE if high < 0.5 else Outcome.UNDECIDED
    if verdict.margin is not None and -verdict.margin < min(inner) <= max(inner) < verdict.margin:
        outcome = Outcome.EQUIVALENT
    found = OnBoard(outcome, board.share(gap.value), low, high, board.n, len(votes.models))
    return replace(verdict, on_board=found)


def verdict_of_margin(
    found: VoteMargin,
    *,
    counting: float = 1.0,
    margin: float | None = None,
    level: float = 0.95,
    claim: Claim | None = None,
    power: float = 0.9,
    budget: int | None = None,
    price: float | None = None,
) -> Verdict:
    """The verdict that a margin leads to."""
    alpha = 1 - level
    if found.least_p > alpha and found.clusters:
        fewest, name = min(zip(found.clusters, found.cluster, strict=True))
        few = caveats.too_few_to_tell(name, fewest, found.clusters_to_tell(alpha))
        found = replace(found, caveats=(few, *found.caveats))
    outcome = outcome_of(found, margin, alpha)
    error_rate = alpha
    if found.exact:  # of a false difference where there is none, and of a false claim at the margin, the larger chance
        n = found.exact.n
        error_rate = float(binomial.size(n, alpha))
        if margin is not None:
            u = equivalence.critical_value(n, margin, alpha)
            error_rate = max(error_rate, float(binomial.lower_tail(u, n, 0.5 + margin)))
    step = None
    if outcome is Outcome.UNDECIDED:
        step = next_step(found, margin=margin, alpha=alpha, power=power, counting=counting, budget=budget, price=price)
    more = {"power": power, "error_rate": error_rate, "next_step": step, "claim": claim}
    return Verdict.of(found, outcome, margin=margin, level=level, **more)


def outcome_of(found: VoteMargin, margin: float | None, alpha: float) -> Outcome:
    """What a margin shows at one look; false with a chance of at most ``alpha``, whatever the truth."""
    one_sided = found.ties == "pessimistic"  # ties count against the first system: it can only be shown better
    p_equivalence = None if margin is None or one_sided else found.p_equivalence(margin)
    outcome = outcome_by(found.value, found.p_difference(), p_equivalence, alpha)
    if not one_sided or outcome is not Outcome.WORSE:
        return outcome
    known = found.decisive  # worse only if it is without the ties
    if known is None or known.n == 0 or 2 * known.wins >= known.n:
        return Outcome.UNDECIDED
    return outcome if float(binomial.p_value(*known)) <= alpha * binomial.SLACK else Outcome.UNDECIDED
