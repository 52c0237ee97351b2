"""Monitoring of votes as they come in: when to stop, with error rates that hold however often one looks."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from quorate.arrays import Bools, Floats
from quorate.caveats import Caveat
from quorate.decide.outcome import OPEN, SUPPORTED, Outcome
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.votes.clustered import Cluster
from quorate.estimate.votes.margin import margin_of_votes
from quorate.numerics.sequential import fair_coin as sequential
from quorate.numerics.votes import binomial
from quorate.planning.power.sample_size import check_count, check_margin, check_range, sample_size
from quorate.table.results import Result, Row, rows_of
from quorate.table.votes import Encoding, Votes, checked_votes
from quorate.wording import counted

MOST_EXACT = 20_000
"""Votes up to which a stopping rule is worked out exactly."""
FIRST = 50
"""Votes of the first look where facets make them alike; each later look is at twice as many."""


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
    n, wins : array, shape (looks,)
        Votes, and wins among them, so far. The look that decided is the last one.
    low, high : array, shape (looks,)
        Confidence sequence of the margin ``p - 1/2``: all of them cover at once with a chance of at least ``level``.
    evidence : array, shape (looks,)
        Logarithm of the evidence against a margin of 0; the test rejects once it reaches ``-log(1 - level)``. Of
        independent votes that of an e-value; of votes that facets make alike, of 1 over the p-value of look k times
        ``k (k + 1)``.
    margin : float or None
        Half-width of the range that counts as equal.
    level : float
        Chance that every claim, at every look, is true.
    cluster : tuple of str
        Facets whose votes may resemble each other. Without any every vote is a look; with them votes are looked at when
        there are 50, 100, 200 and so on.
    caveats : tuple of Caveat
        What to know before relying on this.
    left : int
        Votes after the last look, which are not counted: those that came after the stop, or wait for the next look.
    """

    a: str
    b: str
    outcome: Outcome
    stopped: int | None
    n: Floats
    wins: Floats
    low: Floats
    high: Floats
    evidence: Floats
    margin: float | None
    level: float
    cluster: tuple[str, ...] = ()
    caveats: tuple[Caveat, ...] = ()
    left: int = 0

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
        share = f"{self.a} wins {self.wins[-1] / self.n[-1]:.1%} of {counted(int(self.n[-1]), 'vote')}"
        bounds = f"{100 * self.level:.4g}% confidence sequence {0.5 + self.low[-1]:.1%} to {0.5 + self.high[-1]:.1%}"
        numbers = f"{share} ({bounds})"
        more = f" {counted(self.left, 'vote')} after that {'is' if self.left == 1 else 'are'} not counted"
        if self.outcome is Outcome.UNDECIDED:
            after = f" The next look is at {2 * max(self.n[-1], FIRST / 2):,.0f} votes." if self.cluster else ""
            later = f"{more} yet." if self.left else ""
            return f"Go on: undecided whether {self.a} or {self.b} is preferred; {numbers}.{later}{after}"
        later = f"{more}: the claim was made at the stop, and what they say is no evidence for it." if self.left else ""
        if self.outcome is Outcome.EQUIVALENT:
            alike = f"{self.a} and {self.b} are equivalent within {self.margin:.4g}"
            return f"Stop: {alike}; {numbers}.{later}"
        return f"Stop: {self.a} is {self.outcome.value} than {self.b}; {numbers}.{later}"

    def __str__(self) -> str:
        return self.sentence

    def rows(self) -> list[Row]:
        """One row per look: n, wins, low, high, evidence."""
        return rows_of({name: getattr(self, name) for name in ("n", "wins", "low", "high", "evidence")})

    def to_dict(self) -> dict[str, Any]:
        """The state as plain values, with the interval of the last look that counts."""
        last = {name: float(getattr(self, name)[-1]) for name in ("n", "wins", "low", "high")}
        facts = {name: getattr(self, name) for name in ("a", "b", "outcome", "stopped", "left", "cluster", "caveats")}
        names = ("p_value", "margin", "level", "exit_code", "sentence")
        facts["caveats"] = [caveat.sentence for caveat in self.caveats]
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
    cluster: Cluster | None = None,
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
        Shares within one half plus or minus this count as equal; stated before looking. Equivalence is claimed only
        with it.
    level : float
        Chance that every claim, at every look, is true.
    ties : {"drop", "half", "pessimistic"}
        How ties count. All are valid.
    cluster : str or sequence of str, optional
        Facets whose votes may resemble each other; ``()`` takes votes as independent. By default prompt, judge and
        cluster, as far as they are there and repeat. With facets votes are looked at when there are 50, 100, 200 and so
        on, each time by the test of `quorate.compare`, at levels that add up to ``1 - level``.
    tuned : float
        Margin that the test of independent votes finds soonest. All others are found too, later.

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
    known = margin_of_votes(votes, a, b, ties=ties, cluster=cluster)
    pair = _in_order(votes.pair(a, b), ties)
    if known.cluster:
        looks = _by_facets(pair, a, b, ties, known.cluster, margin, 1 - level)
    else:
        looks = _by_vote(1 - pair.encoded(ties), margin, level, tuned)
    decided = np.flatnonzero(looks.differs | looks.equal)
    shown, stopped = Outcome.UNDECIDED, None
    if len(decided):
        at = int(decided[0])
        stopped, better = at + 1, looks.wins[at] / looks.n[at] - 0.5 > 0
        shown = Outcome.EQUIVALENT if looks.equal[at] else Outcome.BETTER if better else Outcome.WORSE
    # what came after the stop is no evidence
    n, wins, low, high, evidence = (column[:stopped] for column in looks[:5])
    left = pair.rows - int(n[-1])
    return Monitor(
        a, b, shown, stopped, n, wins, low, high, evidence, margin, level, known.cluster, known.caveats, left
    )


class _Looks(NamedTuple):
    """Looks at votes so far: numbers as in `Monitor`, and what each shows."""

    n: Floats
    wins: Floats
    low: Floats
    high: Floats
    evidence: Floats
    differs: Bools
    equal: Bools


def _by_vote(outcome: Floats, margin: float | None, level: float, tuned: float) -> _Looks:
    """A look after every one of independent votes."""
    n, wins = np.arange(1.0, len(outcome) + 1), np.cumsum(outcome)
    prior = sequential.prior(tuned)
    low, high = (end - 0.5 for end in sequential.confidence_sequence(wins, n, level, prior))
    evidence = sequential.log_evidence(wins, n, 0.5, prior)
    differs = evidence >= -np.log1p(-level)
    equal = np.zeros_like(differs) if margin is None else (low > -margin) & (high < margin)
    return _Looks(n, wins, low, high, evidence, differs, equal)


def _by_facets(
    pair: Votes, a: str, b: str, ties: Encoding, facets: tuple[str, ...], margin: float | None, alpha: float
) -> _Looks:
    """Looks whenever there are twice as many votes; look k is at level ``alpha / (k (k + 1))``, which add up to it."""
    outcome = 1 - pair.encoded(ties)
    sizes = [FIRST * 2**k for k in range(64) if FIRST * 2**k <= len(outcome)] or [len(outcome)]
    rows = []
    for k, size in enumerate(sizes, start=1):
        own, parts = alpha / (k * (k + 1)), k * (k + 1)
        wins = float(outcome[:size].sum())
        try:
            seen = margin_of_votes(pair.keep(np.arange(pair.rows) < size), a, b, ties=ties, cluster=facets)
        except NotEstimable:  # so far all of one level: nothing is known of others
            seen = None
        if seen is None or size < FIRST:
            rows.append((size, wins, -0.5, 0.5, 0.0, False, False))
            continue
        p = seen.p_difference()
        equal = margin is not None and seen.p_equivalence(margin) <= own
        rows.append((size, wins, *seen.at(1 - own).ends, -np.log(min(1.0, p * parts)), p <= own, equal))
    n, wins_, low, high, evidence, differs, equals = (np.array(column) for column in zip(*rows, strict=True))
    return _Looks(n.astype(float), wins_, low, high, evidence, differs, equals)


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


def _in_order(pair: Votes, ties: Encoding) -> Votes:
    """Votes that count, in the order in which they came."""
    if (pair.weights > 1).any():
        raise InvalidInput("votes: a row stands for several votes, so that their order is not known; give single votes")
    order = np.arange(pair.rows) if pair.time is None else np.argsort(pair.time, kind="stable")
    return pair.reordered(order[np.isfinite(pair.encoded(ties)[order])])


def _check(margin: float | None, level: float, tuned: float) -> None:
    check_range("level", level, "between 0.5 and 1", isinstance(level, Real) and 0.5 < level < 1)
    check_margin(tuned, "tuned")
    if margin is not None:
        check_range("margin", margin, "above 0 and below 0.5", isinstance(margin, Real) and 0 < margin < 0.5)
