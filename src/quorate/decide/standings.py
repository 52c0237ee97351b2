"""Standings of several systems as votes come in: which is surely preferred to which, however often one looks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from quorate.caveats import Caveat
from quorate.decide.outcome import OPEN, SUPPORTED, Outcome
from quorate.decide.stop import FIRST, Monitor, monitor
from quorate.errors import NotEstimable
from quorate.estimate.votes.clustered import Cluster
from quorate.numerics.sequential.fair_coin import log_evidence, prior
from quorate.planning.power.sample_size import check_count, check_margin, check_range
from quorate.table.results import Result, Row
from quorate.table.votes import Encoding, Votes, checked_votes
from quorate.wording import counted


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

    def __repr__(self) -> str:
        return f"Standings({self.sentence})"

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
            {
                "a": one.a,
                "b": one.b,
                "outcome": one.outcome.value,
                "share": float(one.wins[-1] / one.n[-1]),
                "low": 0.5 + float(one.low[-1]),
                "high": 0.5 + float(one.high[-1]),
                "n": float(one.n[-1]),
                "stopped": one.stopped,
            }
            for one in self.monitors
        ]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        names = ("models", "level", "pairs", "few", "undecided", "sentence", "exit_code")
        facts = {name: getattr(self, name) for name in names}
        return {**facts, "systems": self.rows(), "verdicts": self.pair_rows()}


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
    check_range("level", level, "between 0.5 and 1", 0.5 < level < 1)
    count = len(votes.models)
    if systems is not None:
        check_count("systems", systems)
        check_range("systems", systems, f"at least {count:,}, which is how many there are", systems >= count)
    pairs = (systems or count) * ((systems or count) - 1) // 2
    counts = votes.pairs()
    known = counts.decisive + (counts.ties + counts.both_bad if ties != "drop" else 0)
    enough = np.flatnonzero(known >= _least((1 - level) / max(pairs, 1) * (1 if margin else 2), tuned))

    def watched(at: int, alpha: float) -> Monitor | None:
        pair, own = counts.names[at], 1 - alpha
        try:
            return monitor(votes, *pair, margin=margin, level=own, ties=ties, cluster=cluster, tuned=tuned)
        except NotEstimable:  # none counts, or all are of one cluster: nothing is known of others
            return None

    share = (1 - level) / max(pairs, 1)
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
    enough = log_evidence(n, n, 0.5, prior(tuned)) >= -np.log(alpha)
    return int(n[enough][0]) if enough.any() else FIRST
