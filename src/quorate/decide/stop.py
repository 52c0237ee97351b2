"""Monitoring of votes as they come in: when to stop, with error rates that hold however often one looks."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from quorate.arguments import argument
from quorate.arrays import Floats
from quorate.decide.outcome import OPEN, SUPPORTED, Outcome
from quorate.errors import InvalidInput, NotEstimable
from quorate.numerics.sequential import fair_coin as sequential
from quorate.numerics.votes import binomial
from quorate.plan.power.sample_size import check_count, check_margin, check_range, sample_size
from quorate.table.results import Result, Row, rows_of
from quorate.table.votes import Encoding, Votes, checked_votes

MOST_EXACT = 20_000
"""Votes up to which a stopping rule is worked out exactly."""


@dataclass(frozen=True, eq=False)
class Monitor(Result):
    """A comparison looked at after every vote.

    Parameters
    ----------
    a, b : str
        The two systems; the outcome is about ``a``.
    outcome : Outcome
        At the first look that decided; ``UNDECIDED`` if none has.
    stopped : int or None
        Looks taken until then; None if undecided.
    unit : str
        What is counted: ``vote``, or the facet whose levels count as one each.
    n, wins : array, shape (looks,)
        Units, and wins among them, so far.
    low, high : array, shape (looks,)
        Confidence sequence of the margin ``p - 1/2``: all of them cover at once with a chance of at least ``level``.
    evidence : array, shape (looks,)
        Logarithm of the e-value against a margin of 0; the test rejects once it reaches ``-log(1 - level)``.
    margin : float or None
        Half-width of the range that counts as equal.
    level : float
        Chance that every claim, at every look, is true.
    """

    a: str
    b: str
    outcome: Outcome
    stopped: int | None
    unit: str
    n: Floats
    wins: Floats
    low: Floats
    high: Floats
    evidence: Floats
    margin: float | None
    level: float

    @property
    def p_value(self) -> float:
        """P-value of a margin of 0 that is valid at any time: 1 over the largest evidence so far."""
        return float(min(1.0, np.exp(-self.evidence.max())))

    @property
    def exit_code(self) -> int:
        """0: stop, ``a`` is better or equivalent; 2: it is worse, or votes are still needed."""
        return SUPPORTED if self.outcome in (Outcome.BETTER, Outcome.EQUIVALENT) else OPEN

    @property
    def sentence(self) -> str:
        """The state in one sentence."""
        at = (self.stopped or len(self.n)) - 1
        share = f"{self.a} wins {self.wins[at] / self.n[at]:.1%} of {self.n[at]:,.0f} {self.unit}s"
        bounds = f"{100 * self.level:.4g}% confidence sequence {0.5 + self.low[at]:.1%} to {0.5 + self.high[at]:.1%}"
        numbers = f"{share} ({bounds})"
        if self.outcome is Outcome.UNDECIDED:
            return f"Go on: undecided whether {self.a} or {self.b} is preferred; {numbers}."
        if self.outcome is Outcome.EQUIVALENT:
            return f"Stop: {self.a} and {self.b} are equivalent within a margin of {self.margin:.4g}; {numbers}."
        return f"Stop: {self.a} is {self.outcome.value} than {self.b}; {numbers}."

    def __str__(self) -> str:
        return self.sentence

    def rows(self) -> list[Row]:
        """One row per look: n, wins, low, high, evidence."""
        return rows_of({name: getattr(self, name) for name in ("n", "wins", "low", "high", "evidence")})

    def to_dict(self) -> dict[str, Any]:
        """The state as plain values, with the last interval."""
        last = {name: float(getattr(self, name)[-1]) for name in ("n", "wins", "low", "high")}
        facts = {name: getattr(self, name) for name in ("a", "b", "outcome", "stopped", "unit")}
        names = ("p_value", "margin", "level", "exit_code", "sentence")
        return {**facts, "outcome": self.outcome.value, **last, **{name: getattr(self, name) for name in names}}


@dataclass(frozen=True)
class StoppingRule(Result):
    """What looking after every vote does, exactly, against one look at the end.

    Parameters
    ----------
    margin : float
        True margin ``|p - 1/2|``; 0 for the chance of a false alarm.
    most : int
        Votes at which one gives up.
    found : float
        Chance to stop for the right system; at a margin of 0, for either.
    wrong : float
        Chance to stop for the wrong system; 0 by definition at a margin of 0.
    expected : float
        Expected number of votes.
    fixed : int or None
        Votes of the exact test that finds the margin with a chance of .9; None at a margin of 0.
    peeking : float
        Chance that the ordinary test rejects at some vote if it is looked at after every one.
    """

    margin: float
    most: int
    found: float
    wrong: float
    expected: float
    fixed: int | None
    peeking: float


def monitor(
    votes: Votes,
    a: str,
    b: str,
    *,
    margin: float | None = None,
    level: float = 0.95,
    ties: Encoding = "drop",
    cluster: str | None = None,
    tuned: float = 0.1,
) -> Monitor:
    """Whether votes that are still coming in already decide a comparison; look as often as you like.

    Votes are taken in the order of their time, or as they stand where there is none.

    Parameters
    ----------
    votes : Votes
        From `quorate.read_votes`, one row per vote.
    a, b : str
        The two systems.
    margin : float, optional
        Half-width of the range about one half that counts as equal; equivalence is claimed only with it.
    level : float
        Chance that every claim, at every look, is true.
    ties : {"drop", "half", "pessimistic"}
        How ties count; all are valid.
    cluster : str, optional
        Facet whose votes may resemble each other: each of its levels then counts as one vote, its mean, from where its
        last vote stands; leave out those that still expect votes. This is about the mean over levels, and costs power.
    tuned : float
        Margin that the test is best at finding; all others are found too, later.

    Raises
    ------
    InvalidInput
        If an argument is out of range, or rows stand for several votes.
    UnknownTerm
        If a system or facet is not there.
    NotEstimable
        If no vote counts.

    References
    ----------
    Robbins (1970), Annals of Mathematical Statistics 41, 1397-1409. ``docs/methods/verdicts.md`` has the derivation.

    Examples
    --------
    >>> import polars
    >>> from quorate.table.read_votes import read_votes
    >>> columns = {"model_a": ["x"] * 60, "model_b": ["y"] * 60, "winner": (["model_a"] * 5 + ["model_b"]) * 10}
    >>> watched = monitor(read_votes(polars.DataFrame(columns), announce=False), "x", "y")
    >>> watched.outcome.value, watched.stopped
    ('better', 26)
    """
    checked_votes(votes)
    _check(margin, level, tuned)
    outcome = _in_order(votes.pair(a, b), ties, cluster)
    n, wins = np.arange(1.0, len(outcome) + 1), np.cumsum(outcome)
    prior = sequential.prior(tuned)
    low, high = (end - 0.5 for end in sequential.confidence_sequence(wins, n, level, prior))
    evidence = sequential.log_evidence(wins, n, 0.5, prior)
    differs = evidence >= -np.log1p(-level)
    equal = np.zeros_like(differs) if margin is None else (low > -margin) & (high < margin)
    decided = np.flatnonzero(differs | equal)
    shown, stopped = Outcome.UNDECIDED, None
    if len(decided):
        at = int(decided[0])
        stopped, better = at + 1, wins[at] / n[at] - 0.5 > 0
        shown = Outcome.EQUIVALENT if equal[at] else Outcome.BETTER if better else Outcome.WORSE
    return Monitor(a, b, shown, stopped, cluster or "vote", n, wins, low, high, evidence, margin, level)


def stopping_rule(
    margin: float, most: int, *, level: float = 0.95, tuned: float = 0.1, power: float = 0.9
) -> StoppingRule:
    """How many votes looking all the time saves or costs, and how often it is wrong; exact.

    Parameters
    ----------
    margin : float
        True margin ``|p - 1/2|``, from 0.
    most : int
        Votes at which one gives up, at most 20,000.
    level, tuned : float
        As for `monitor`.
    power : float
        Of the test with one look that is compared with.

    Raises
    ------
    InvalidInput
        If an argument is out of range.

    Examples
    --------
    >>> rule = stopping_rule(0.1, 2000)
    >>> round(rule.expected), rule.fixed, round(rule.found, 3)
    (214, 274, 1.0)
    """
    _check(None, level, tuned)
    check_range("margin", margin, "from 0 to 0.5", isinstance(margin, Real) and 0 <= margin <= 0.5)
    check_count("most", most)
    check_range("most", most, f"of votes, at most {MOST_EXACT:,}", most <= MOST_EXACT)
    alpha, n = 1 - level, np.arange(1.0, most + 1)
    rule = sequential.stopping(sequential.boundary(n, alpha, sequential.prior(tuned)), 0.5 + margin)
    naive = sequential.stopping(binomial.critical_value(n, alpha), 0.5 + margin)
    low, high = float(rule.low[-1]), float(rule.high[-1])
    fixed = sample_size(margin, alpha=alpha, power=power, method="exact") if margin > 0 else None
    found, wrong = (high, low) if margin > 0 else (low + high, 0.0)
    return StoppingRule(margin, most, found, wrong, rule.expected, fixed, float(naive.low[-1] + naive.high[-1]))


def _in_order(pair: Votes, ties: Encoding, cluster: str | None) -> Floats:
    """Outcomes in the order in which they came, for the first system; of clusters, their means."""
    if (pair.weights > 1).any():
        raise InvalidInput("votes: a row stands for several votes, so that their order is not known; give single votes")
    outcome = 1 - pair.encoded(ties)
    order = np.arange(pair.rows) if pair.time is None else np.argsort(pair.time, kind="stable")
    order = order[np.isfinite(outcome[order])]
    if not len(order):
        rule = f"votes: none between {' and '.join(pair.models)} counts with " + argument("ties", ties)
        raise NotEstimable(rule + "; collect more")
    if cluster is None:
        return outcome[order]
    # the mean of every cluster, in the order in which they were complete; a vote without a label is one of its own
    outcome, code = outcome[order], pair.column(cluster)[order]
    lone = code < 0
    label = np.where(lone, code.max(initial=-1) + np.cumsum(lone), code)
    _, place = np.unique(label, return_inverse=True)
    last = np.zeros(place.max() + 1, dtype=int)
    last[place] = np.arange(len(place))
    mean = np.bincount(place, outcome) / np.bincount(place)
    return np.asarray(mean[np.argsort(last)])


def _check(margin: float | None, level: float, tuned: float) -> None:
    check_range("level", level, "between 0.5 and 1", isinstance(level, Real) and 0.5 < level < 1)
    check_margin(tuned, "tuned")
    if margin is not None:
        check_range("margin", margin, "above 0 and below 0.5", isinstance(margin, Real) and 0 < margin < 0.5)
