"""Monitoring of votes as they come in: when to stop, with error rates that hold however often one looks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from quorate import rules
from quorate.arrays import Bools, Floats
from quorate.caveats import Caveat
from quorate.decide.outcome import OPEN, SUPPORTED, Outcome
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.votes.clustered import Cluster
from quorate.estimate.votes.margin import margin_of_votes
from quorate.frozen import dataclass
from quorate.numerics.sequential import confidence_sequence
from quorate.numerics.sequential.confidence_sequence import prior, share_log_evidence
from quorate.numerics.votes import binomial
from quorate.planning.power.sample_size import check_count, check_margin, check_range, sample_size
from quorate.table.results import Result, Row, rows_of
from quorate.table.votes import Encoding, Votes, checked_votes
from quorate.wording import at_level, counted


@dataclass(frozen=True, repr=False)
class Standings(Result):
    """Every pair of systems, looked at as often as one likes, with one chance of ever being wrong.

    Parameters
    ----------
    models : tuple of str
        The systems.
    monitors : tuple of Monitor
        Pairs with enough votes to be decided, each at the level at which it is: that which all pairs share, or a lower
        one that is left for it once others are decided. Their intervals hold at that level, each for itself.
    level : float
        Chance that no order or equivalence that is ever stated is false, at least.
    pairs : int
        Pairs that share it: of as many systems as the board may ever have.
    few : int
        Pairs of the systems that too few votes were cast on to decide them, whatever they say.
    """

    models: tuple[str, ...]
    monitors: tuple[Monitor, ...]
    level: float
    pairs: int
    few: int

    entries = "models level pairs few undecided sentence exit_code systems=rows verdicts=pair_rows"

    @property
    def ordered(self) -> tuple[tuple[str, str], ...]:
        """Pairs whose order is stated, the preferred system first."""
        signs = {Outcome.BETTER: 1, Outcome.WORSE: -1}
        stated = [(one, signs[one.outcome]) for one in self.monitors if one.outcome in signs]
        return tuple((one.a, one.b) if sign > 0 else (one.b, one.a) for one, sign in stated)

    @property
    def undecided(self) -> int:
        """Pairs of which nothing is stated yet."""
        return self.few + sum(one.outcome is Outcome.UNDECIDED for one in self.monitors)

    @property
    def ranks(self) -> dict[str, tuple[int, int]]:
        """Best and worst rank that the orders leave open, of every system."""
        above, below = dict.fromkeys(self.models, 0), dict.fromkeys(self.models, 0)
        for first, second in self.ordered:
            below[first] += 1
            above[second] += 1
        return {name: (1 + above[name], len(self.models) - below[name]) for name in self.models}

    @property
    def exit_code(self) -> int:
        """0 where every pair is decided, 2 where votes are still needed."""
        return OPEN if self.undecided else SUPPORTED

    @property
    def sentence(self) -> str:
        """How far the order is known."""
        whole = len(self.monitors) + self.few
        alike = sum(one.outcome is Outcome.EQUIVALENT for one in self.monitors)
        equal = f", {alike:,} {'is' if alike == 1 else 'are'} equivalent" if alike else ""
        surest = [name for name, (_, worst) in self.ranks.items() if worst == 1]
        first = f" {surest[0]} is first." if surest else ""
        orders = f"{len(self.ordered):,} {'is' if len(self.ordered) == 1 else 'are'} in a known order"
        left = f"{self.undecided:,} {'is' if self.undecided == 1 else 'are'} undecided"
        return (
            f"Of {counted(whole, 'pair')} of {counted(len(self.models), 'system')} {orders}{equal} and {left}.{first} "
            f"The chance that anything that is ever stated here is false is at most {100 * (1 - self.level):.4g}%, "
            "however often one looks."
        )

    def __str__(self) -> str:
        return self.sentence

    @property
    def caveats(self) -> tuple[Caveat, ...]:
        """What to know before relying on them, of each kind the first."""
        return tuple({one.code: one for watched in self.monitors for one in watched.caveats}.values())

    def rows(self) -> list[Row]:
        """One row per system: system, best and worst rank, systems it is surely above, and surely below."""
        count = len(self.models)
        rows = [
            {"system": name, "best": best, "worst": worst, "above": count - worst, "below": best - 1}
            for name, (best, worst) in self.ranks.items()
        ]
        return sorted(rows, key=lambda row: (row["best"] + row["worst"], row["worst"]))

    def pair_rows(self) -> list[Row]:
        """One row per pair with enough votes: a, b, outcome, share for ``a``, low, high, n, looks until decided."""
        return [
            {"a": one.a, "b": one.b, "outcome": one.outcome.value, "share": float(one.wins[-1] / one.n[-1])}
            | {"low": 0.5 + float(one.low[-1]), "high": 0.5 + float(one.high[-1]), "n": float(one.n[-1])}
            | {"stopped": one.stopped}
            for one in self.monitors
        ]


def monitor_all(
    votes: Votes,
    *,
    margin: float | None = None,
    level: float = 0.95,
    ties: Encoding = "drop",
    cluster: Cluster | None = None,
    tuned: float = 0.1,
    systems: int | None = None,
) -> Standings:
    """Which system is surely preferred to which, of votes that are still coming in; look as often as you like.

    Every pair is watched in the order of time or of the rows, at a level that all pairs share: the chance that an order
    is ever stated that is false, of any pair at any time, is at most ``1 - level``. The exit code is 2 while some order
    is open.

    Pairs are watched as by `quorate.votes.monitor`. Those whose order is stated leave more of the level to the others
    (a closed test by steps). Nothing is assumed of how preferences of different pairs hang together, so they may go in
    a circle, nor of how their votes depend on each other.

    Parameters
    ----------
    votes : Votes
        From `quorate.read_votes`, one row per vote.
    margin, ties, cluster, tuned
        As for `quorate.votes.monitor`. With a margin all pairs stay at the level that they share, as a pair in a known
        order might be called equivalent at another look.
    level : float
        Chance that all that is ever stated is true, at least.
    systems : int, optional
        How many systems the board may have before it is closed: by default those that are there. Give it where more may
        join, and keep it: a board whose number of pairs grows has no common error rate.

    Raises
    ------
    InvalidInput
        If an argument is out of range, or rows stand for several votes.
    UnknownTerm
        If a facet is not there.

    References
    ----------
    ``docs/methods/verdicts.md``. Ville (1939), Étude critique de la notion de collectif. Holm (1979), Scandinavian
    Journal of Statistics 6, 65-70.

    Examples
    --------
    >>> import polars
    >>> from quorate.table.read_votes import read_votes
    >>> pairs = [("x", "y"), ("y", "z"), ("x", "z")]
    >>> rows = [{"model_a": a, "model_b": b, "winner": "model_a"} for a, b in pairs * 30]
    >>> found = monitor_all(read_votes(polars.DataFrame(rows), announce=False))
    >>> found.ranks, found.undecided
    ({'x': (1, 1), 'y': (2, 2), 'z': (3, 3)}, 0)
    """
    checked_votes(votes)
    check_margin(tuned, "tuned")
    rules.number("level", level, above=0.5, below=1)
    count = len(votes.models)
    if systems is not None:
        check_count("systems", systems)
        check_range("systems", systems, f"at least {count:,}, which is how many there are", systems >= count)
    pairs = (systems or count) * ((systems or count) - 1) // 2
    counts, share = votes.pairs(), (1 - level) / max(pairs, 1)
    known = counts.decisive + (counts.ties + counts.both_bad if ties != "drop" else 0)
    enough = np.flatnonzero(known >= _least(share * (1 if margin else 2), tuned))

    def watched(at: int, alpha: float) -> Monitor | None:
        pair, own = counts.names[at], 1 - alpha
        try:
            return monitor(votes, *pair, margin=margin, level=own, ties=ties, cluster=cluster, tuned=tuned)
        except NotEstimable:  # none counts, or all are of one cluster: nothing is known of others
            return None

    found = {at: one for at in enough.tolist() if (one := watched(at, share)) is not None}
    if margin is None:
        _step_down(found, pairs, 1 - level, watched)
    return Standings(votes.models, tuple(found.values()), level, pairs, count * (count - 1) // 2 - len(found))


def _step_down(
    found: dict[int, Monitor], pairs: int, alpha: float, watched: Callable[[int, float], Monitor | None]
) -> None:
    """Judge open pairs again at what decided ones leave: of the two orders of a decided pair, one is done with."""
    while True:
        decided = sum(one.outcome is not Outcome.UNDECIDED for one in found.values())
        share = alpha / max(pairs - decided / 2, 1)
        within = [at for at, one in found.items() if one.outcome is Outcome.UNDECIDED and one.p_value <= share]
        again = {at: one for at in within if (one := watched(at, share)) and one.outcome is not Outcome.UNDECIDED}
        if not again:
            return
        found.update(again)


def _least(alpha: float, tuned: float) -> int:
    """Votes with which a pair can be decided if all are for one system; fewer decide nothing."""
    n = np.arange(1.0, FIRST + 1)
    enough = share_log_evidence(n, n, 0.5, prior(tuned)) >= -np.log(alpha)
    return int(n[enough][0]) if enough.any() else FIRST


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

    entries = "a b outcome stopped left cluster caveats n wins low high p_value margin level exit_code sentence"

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
        bounds = f"{at_level(self.level)} confidence sequence {0.5 + self.low[-1]:.1%} to {0.5 + self.high[-1]:.1%}"
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
        return super().to_dict() | {name: float(getattr(self, name)[-1]) for name in ("n", "wins", "low", "high")}


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
    pair = votes.pair(a, b)
    if (pair.weights > 1).any():
        raise InvalidInput("votes: a row stands for several votes, so that their order is not known; give single votes")
    order = np.arange(pair.rows) if pair.time is None else np.argsort(pair.time, kind="stable")
    pair = pair.reordered(order[np.isfinite(pair.encoded(ties)[order])])  # votes that count, as they came
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
    prior = confidence_sequence.prior(tuned)
    low, high = (end - 0.5 for end in confidence_sequence.confidence_sequence(wins, n, level, prior))
    evidence = confidence_sequence.share_log_evidence(wins, n, 0.5, prior)
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
    rules.number("margin", margin, least=0, most=0.5)
    check_count("most", most)
    check_range("most", most, f"of votes, at most {MOST_EXACT:,}", most <= MOST_EXACT)
    alpha, n = 1 - level, np.arange(1.0, most + 1)
    rule = confidence_sequence.stopping(
        confidence_sequence.boundary(n, alpha, confidence_sequence.prior(tuned)), 0.5 + margin
    )
    naive = confidence_sequence.stopping(binomial.critical_value(n, alpha), 0.5 + margin)
    low, high = float(rule.low[-1]), float(rule.high[-1])
    fixed = sample_size(margin, alpha=alpha, power=power, method="exact") if margin > 0 else None
    found, wrong = (high, low) if margin > 0 else (low + high, 0.0)
    return StoppingRule(margin, most, found, wrong, rule.expected, fixed, float(naive.low[-1] + naive.high[-1]))


def _check(margin: float | None, level: float, tuned: float) -> None:
    rules.number("level", level, above=0.5, below=1)
    check_margin(tuned, "tuned")
    if margin is not None:
        rules.number("margin", margin, above=0, below=0.5)
