"""The verdict on a comparison: better, worse, equivalent within a stated margin, or undecided."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from numbers import Real
from typing import Any, Literal, get_args

from quorate.caveats import Caveat
from quorate.decide.margin import VoteMargin, margin_of_votes
from quorate.decide.next_step import NextStep, next_step
from quorate.errors import InvalidInput
from quorate.numerics import binomial, equivalence
from quorate.plan.power import check_count, check_power, check_range
from quorate.table.votes import Encoding, Votes, checked_votes

Claim = Literal["better", "equivalent", "not worse"]
"""What a comparison was made to show."""

SUPPORTED, OPEN = 0, 2
"""Exit codes: what was asked is shown; it is not."""


class Outcome(StrEnum):
    """What a comparison shows; the values are the words that a reader sees."""

    BETTER = "better"
    WORSE = "worse"
    EQUIVALENT = "equivalent"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Verdict:
    """What a comparison of ``a`` with ``b`` shows, how sure that is, and what more would decide it.

    Parameters
    ----------
    a, b : str
        The two systems; the outcome is about ``a``.
    outcome : Outcome
        ``EQUIVALENT`` only with a margin, and whenever that is shown, even if a small difference is shown too.
    difference : VoteMargin
        The margin ``p - 1/2`` with its standard error and intervals.
    margin : float or None
        Half-width of the range about 0 that counts as equal, as stated.
    level : float
        Coverage of the interval; tests are at ``1 - level``.
    p_difference : float
        Two-sided p-value that there is no difference.
    p_equivalence : float or None
        P-value that the difference is the margin or more; None without a margin.
    detectable : float or None
        Smallest margin that so many votes detect with a chance of ``power``; None if they detect none.
    power : float
        That chance.
    error_rate : float
        Largest chance of a false verdict, whatever the truth: exact where tests are, else as the t tests promise.
    next_step : NextStep or None
        What would decide; None where it is decided, or no number of votes would do.
    claim : str or None
        What was to be shown, for the exit code.
    """

    a: str
    b: str
    outcome: Outcome
    difference: VoteMargin
    margin: float | None
    level: float
    p_difference: float
    p_equivalence: float | None
    detectable: float | None
    power: float
    error_rate: float
    next_step: NextStep | None
    claim: Claim | None = None

    @property
    def caveats(self) -> tuple[Caveat, ...]:
        """What to know before relying on this."""
        return self.difference.caveats

    @property
    def supported(self) -> bool:
        """Whether what was asked is shown; without a claim, whether ``a`` is better or equivalent."""
        if self.claim == "not worse" and self.margin is not None:
            shown = self.outcome in (Outcome.BETTER, Outcome.EQUIVALENT)
            return shown or self.difference.interval(self.level)[0] > -self.margin
        if self.claim == "better":
            return self.p_difference <= (1 - self.level) * binomial.SLACK and self.difference.value > 0
        wanted = (self.claim,) if self.claim else (Outcome.BETTER, Outcome.EQUIVALENT)
        return self.outcome in wanted

    @property
    def exit_code(self) -> int:
        """0: what was asked is shown; 2: it is not, be it that ``a`` is worse or that nothing is decided."""
        return SUPPORTED if self.supported else OPEN

    @property
    def sentence(self) -> str:
        """The verdict with its numbers."""
        return " ".join(part for part in (f"{self._said()}: {self._numbers()}.", self._rest()) if part)

    def __str__(self) -> str:
        return self.sentence

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        low, high = self.difference.interval(self.level)
        return {
            **asdict(self),
            "outcome": self.outcome.value,
            "difference": self.difference.to_dict(),
            "next_step": self.next_step and self.next_step.to_dict(),
            "low": low,
            "high": high,
            "supported": self.supported,
            "exit_code": self.exit_code,
            "sentence": self.sentence,
        }

    def _said(self) -> str:
        if self.outcome is Outcome.UNDECIDED:
            return f"Undecided whether {self.a} or {self.b} is preferred"
        if self.outcome is Outcome.EQUIVALENT:
            return f"{self.a} and {self.b} are equivalent within a margin of {self.margin:.4g}"
        return f"{self.a} is {self.outcome.value} than {self.b}"

    def _numbers(self) -> str:
        found, (low, high) = self.difference, self.difference.interval(self.level)
        votes = {"drop": "decisive votes", "half": "votes, ties as halves", "pessimistic": "votes, ties as losses"}
        where = f" in {found.clusters:,} levels of {found.cluster}" if found.cluster else ""
        return (
            f"{self.a} wins {0.5 + found.value:.1%} of {found.n:,} {votes[found.ties]}{where} "
            f"({100 * self.level:.4g}% interval {0.5 + low:.1%} to {0.5 + high:.1%})"
        )

    def _rest(self) -> str:
        if self.outcome is Outcome.EQUIVALENT and self.p_difference <= 1 - self.level:
            return f"The preference for {self.a if self.difference.value > 0 else self.b} is real but that small."
        if self.outcome is not Outcome.UNDECIDED:
            return ""
        seen = "no margin" if self.detectable is None else f"a margin of {self.detectable:.3f} or more"
        limit = f"This is no sign that they are alike: so many votes see {seen} (power {self.power:.4g})."
        return f"{limit} {self.next_step.sentence if self.next_step else _NOTHING_FOUND}"


_NOTHING_FOUND = "No number of votes finds a margin of 0; to show that they are alike, state a margin of equivalence."


def verdict_of_votes(
    votes: Votes,
    a: str,
    b: str,
    *,
    margin: float | None = None,
    level: float = 0.95,
    ties: Encoding = "drop",
    cluster: str | None = None,
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
    cluster : str, optional
        Facet whose votes may resemble each other; tests are then by Student's t, cluster-robust, else exact.
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
        If no vote counts, or all are of one cluster.

    Notes
    -----
    The verdict is for one look at votes whose number was set beforehand; to look while they come in, see
    `quorate.decide.stop.monitor`.

    Examples
    --------
    >>> import polars
    >>> from quorate.table.read_votes import read_votes
    >>> columns = {"model_a": ["x"] * 100, "model_b": ["y"] * 100, "winner": ["model_a"] * 52 + ["model_b"] * 48}
    >>> found = verdict_of_votes(read_votes(polars.DataFrame(columns), announce=False), "x", "y")
    >>> found.outcome.value, round(found.detectable, 3), found.next_step.votes, found.exit_code
    ('undecided', 0.166, 6568, 2)
    """
    checked_votes(votes)
    _check(margin, level, claim, power, budget, price)
    alpha = 1 - level
    found = margin_of_votes(votes, a, b, ties=ties, cluster=cluster)
    outcome = outcome_of(found, margin, alpha)
    step = None
    if outcome is Outcome.UNDECIDED:
        counting = found.n / votes.pair(a, b).n
        step = next_step(found, margin=margin, alpha=alpha, power=power, counting=counting, budget=budget, price=price)
    return Verdict(
        a,
        b,
        outcome,
        found,
        margin,
        level,
        found.p_difference(),
        None if margin is None else found.p_equivalence(margin),
        found.detectable(alpha, power),
        power,
        _error_rate(found, margin, alpha),
        step,
        claim,
    )


def outcome_of(found: VoteMargin, margin: float | None, alpha: float) -> Outcome:
    """What a margin shows at one look; false with a chance of at most ``alpha``, whatever the truth.

    Parameters
    ----------
    found : VoteMargin
        The margin with its tests.
    margin : float or None
        Margin of equivalence.
    alpha : float
        Level of every test.
    """
    one_sided = found.ties == "pessimistic"  # ties count against the first system: it can only be shown better
    if margin is not None and not one_sided and found.p_equivalence(margin) <= alpha * binomial.SLACK:
        return Outcome.EQUIVALENT
    if found.p_difference() <= alpha * binomial.SLACK:
        if found.value > 0:
            return Outcome.BETTER
        return Outcome.WORSE if not one_sided or _worse_without_ties(found, alpha) else Outcome.UNDECIDED
    return Outcome.UNDECIDED


def _worse_without_ties(found: VoteMargin, alpha: float) -> bool:
    known = found.decisive
    if known is None or known.n == 0:
        return False
    return 2 * known.wins < known.n and float(binomial.p_value(*known)) <= alpha * binomial.SLACK


def _error_rate(found: VoteMargin, margin: float | None, alpha: float) -> float:
    """Of a false difference where there is none, and of a false claim at the margin, the larger chance."""
    if not found.exact:
        return alpha
    n = found.exact.n
    size = float(binomial.size(n, alpha))
    if margin is None:
        return size
    u = equivalence.critical_value(n, margin, alpha)
    return max(size, float(binomial.lower_tail(u, n, 0.5 + margin)))


def _check(
    margin: float | None, level: float, claim: str | None, power: float, budget: int | None, price: float | None
) -> None:
    check_range("level", level, "between 0.5 and 1", isinstance(level, Real) and 0.5 < level < 1)
    if margin is not None:
        check_range("margin", margin, "above 0 and below 0.5", isinstance(margin, Real) and 0 < margin < 0.5)
    check_power(power, 1 - level)
    if claim is not None and claim not in get_args(Claim):
        raise InvalidInput(f'claim: one of {", ".join(get_args(Claim))}, got "{claim}"')
    if claim in ("equivalent", "not worse") and margin is None:
        raise InvalidInput(f'claim: "{claim}" is within a margin; state it, for example margin=0.05')
    if budget is not None:
        check_count("budget", budget)
    if price is not None:
        check_range("price", price, "of at least 0", isinstance(price, Real) and 0 <= price < float("inf"))
