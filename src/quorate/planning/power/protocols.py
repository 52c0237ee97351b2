"""Protocols: two ways of collecting votes on the same pairs of systems, and which decides with fewer of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import field
from typing import Any

import numpy as np

from quorate import caveats, rules
from quorate.arguments import argument
from quorate.arrays import Floats
from quorate.caveats import Caveat
from quorate.errors import InvalidInput
from quorate.estimate.votes.margin import FEW_CLUSTERS
from quorate.estimate.votes.signals import Moment, Signals, signals
from quorate.estimate.votes.well_sampled_pairs import matched, rows_on, same_levels, shared, well_sampled
from quorate.frozen import dataclass
from quorate.numerics.distributions import t_quantile
from quorate.numerics.votes.clusters import ratio_interval
from quorate.numerics.votes.power import normal_size
from quorate.planning.power.detectability import Detectability, detectability
from quorate.planning.power.prompt_types import concentrated_pairs
from quorate.planning.power.sample_size import check_counts
from quorate.roles import PROMPT
from quorate.table.results import Result, Row, rows_of
from quorate.table.votes import Votes, checked_votes
from quorate.wording import counted, listed

MINIMUM = 30
"""Decisive votes on a pair, by either protocol: the smallest pilot of Lee (2026), section 3.5."""
BUDGET = 100
TYPE = "prompt_type"


@dataclass(frozen=True)
class Protocol(Result):
    """What one way of collecting votes says of the pairs.

    Parameters
    ----------
    name : str
        What it is called.
    votes : int
        Decisive votes on the pairs.
    signals : Signals
        Squared margins and variances between prompts, without noise.
    needed : float
        Votes on a pair after which the square of z is, on average over the pairs, what a test with the power wanted
        needs; infinite where no more than noise is seen.
    z : tuple of float
        Standard errors from one half, 10% and 50% quantiles over pairs and studies of ``budget`` votes.
    decided : float
        Mean chance that so many votes decide a pair, at margins as estimated.
    concentrated : tuple of int
        Pairs on which a few types of prompts are shown to hold most of the signal, and pairs of which that can be
        told: those with votes enough on every ``prompt_type``.
    """

    name: str
    votes: int
    signals: Signals
    needed: float
    z: tuple[float, float]
    decided: float
    concentrated: tuple[int, int]


@dataclass(frozen=True, eq=False)
class Protocols(Result):
    """Two protocols beside each other, on the pairs that both have.

    Parameters
    ----------
    pairs : tuple of str
        ``"x vs y"``; margins are positive where y, the second, is preferred.
    first, second : Protocol
        The two.
    margin, low, high : array, shape (2, pairs)
        Margin of each pair by either protocol, with its interval.
    implied : array, shape (2, pairs)
        Votes that a test needs at the margin as estimated, if they depend on each other as these do.
    left_out : tuple of int
        Pairs with enough votes by one protocol alone.
    paired : bool
        Whether both are votes on the same prompts, which are then left out of both in turn.
    square, signal, between : Moment
        Second less first: mean squared margin, what a vote adds to the square of z, and variance between prompts.
    budget : int
        Votes of the studies behind ``z`` and ``decided``.
    level, alpha, power : float
        Coverage of intervals; level of the test and chance of detection behind numbers of votes.
    caveats : tuple of Caveat
        What to know before relying on this.
    found : tuple of Detectability
        Margins and power of the pairs by either protocol, in the order of its own table.
    """

    pairs: tuple[str, ...]
    first: Protocol
    second: Protocol
    margin: Floats
    low: Floats
    high: Floats
    implied: Floats
    left_out: tuple[int, int]
    paired: bool
    square: Moment
    signal: Moment
    between: Moment
    budget: int
    level: float
    alpha: float
    power: float
    caveats: tuple[Caveat, ...] = ()
    found: tuple[Detectability, ...] = field(default=(), repr=False)

    derived = ("better", "ratio", "ratio_interval", "opposite", "sentence", "advice")

    def __len__(self) -> int:
        return len(self.pairs)

    @property
    def names(self) -> tuple[str, str]:
        """Names of the two."""
        return self.first.name, self.second.name

    @property
    def better(self) -> str:
        """The protocol that decides with fewer votes, where that is shown; else empty."""
        low, high = self.signal.at(self.level).ends
        return self.second.name if low > 0 else self.first.name if high < 0 else ""

    @property
    def ratio(self) -> float:
        """Votes by the first protocol that one by the second is worth; nan where the first shows no more than noise."""
        first, second = self.first.signals.signal.value, self.second.signals.signal.value
        return max(second, 0.0) / first if first > 0 else math.nan

    @property
    def ratio_interval(self) -> tuple[float, float]:
        """Its interval, by Fieller's theorem; infinite where the votes do not bound it."""
        first, second = self.first.signals.signal, self.second.signals.signal
        reach = t_quantile(self.signal.df, (1 + self.level) / 2)
        covariance = (first.se**2 + second.se**2 - self.signal.se**2) / 2
        return ratio_interval((first.value, first.se), (second.value, second.se), covariance, reach)

    @property
    def opposite(self) -> tuple[str, ...]:
        """Pairs of which the two protocols find opposite winners, both beyond their intervals."""
        apart = (self.low[0] > 0) & (self.high[1] < 0) | (self.high[0] < 0) & (self.low[1] > 0)
        return tuple(name for name, one in zip(self.pairs, apart.tolist(), strict=True) if one)

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        on = f"on {counted(len(self), 'pair')} that both have"
        if not self.better:
            worth = "is not known" if math.isnan(self.ratio) else f"is {_span(*self.ratio_interval)}"
            return (
                f"Which of {self.first.name} and {self.second.name} decides with fewer votes is not shown {on}. What "
                f"one vote under {self.second.name} is worth in votes under {self.first.name} {worth}."
            )
        ratio, ends, other = self.ratio, self.ratio_interval, self.first.name
        if self.better == self.first.name:
            low, high = (1 / end if end else math.inf for end in ends)
            ratio, ends, other = 1 / ratio if ratio else math.nan, (high, low), self.second.name
        said = "many" if math.isnan(ratio) else f"{_times(ratio)} ({_span(*ends)})"
        return f"One vote under {self.better} is worth {said} under {other}, {on}."

    @property
    def advice(self) -> tuple[str, ...]:
        """What follows for the next study, in sentences."""
        told = [self._cost(), self._spread(), *map(_stages, (self.first, self.second))]
        worse = next((name for name in self.names if self.better and name != self.better), "")
        if self.opposite:
            many = counted(len(self.opposite), "pair")
            told.append(
                f"They find opposite winners of {many} ({listed(self.opposite, most=3)}): they ask different "
                "questions, and no number of votes under one answers that of the other."
            )
        if worse:
            told.append(
                f"To rank or to ablate under a budget, take {self.better}, if its question is yours: deciding with "
                f"fewer votes does not make it right. If what counts is the answer under {worse}, stay with {worse} "
                f"and plan for its votes; margins of {self.better} promise too much there."
            )
        else:
            told.append(
                "Choose by what the votes should speak for, and plan with the margins of the protocol you choose."
            )
        return tuple(filter(None, told))

    def rows(self) -> list[Row]:
        """One row for every pair: its margin, interval and votes by either protocol."""
        columns: dict[str, Any] = {"pair": self.pairs}
        for place, name in enumerate(("first", "second")):
            own = (self.margin, self.low, self.high, self.implied)
            columns |= {f"{name}_{key}": one[place] for key, one in zip(_COLUMNS, own, strict=True)}
            columns[f"{name}_between"] = (self.first, self.second)[place].signals.betweens
        return rows_of(columns)

    def _cost(self) -> str:
        def said(one: Protocol) -> str:
            if math.isinf(one.needed):
                return f"under {one.name} no known number (margins within noise)"
            return f"under {one.name} about {one.needed:,.0f} votes"

        both = f"{said(self.first)}, {said(self.second)}"
        return f"To decide such a pair (level {self.alpha:g}, power {self.power:g}) takes, on average, {both}."

    def _spread(self) -> str:
        values = [one.signals.between.value for one in (self.first, self.second)]
        silent = [name for name, value in zip(self.names, values, strict=True) if math.isnan(value)]
        if silent:
            return (
                f"How far win rates differ between prompts is not known under {listed(silent)}: no prompt "
                "has two votes on a pair."
            )
        low, high = self.between.at(self.level).ends
        shown = "the difference is not shown" if low <= 0 <= high else f"a difference of {low:+.3f} to {high:+.3f}"
        by = self.second.signals.by
        return (
            f"Win rates vary from {by} to {by} with a variance of {values[0]:.3f} under {self.first.name} and "
            f"{values[1]:.3f} under {self.second.name}, the noise of votes taken off; {shown}."
        )


def _times(ratio: float) -> str:
    return f"{ratio:,.0f}" if ratio >= _WHOLE else f"{ratio:.2g}"


def _span(low: float, high: float) -> str:
    return f"{_times(low)} to {_times(high)}" if math.isfinite(high) else f"{_times(low)} or more"


_WHOLE = 10


def _stages(one: Protocol) -> str:
    """Whether to screen types of prompts first; empty where votes do not tell."""
    found, told = one.concentrated
    if found:
        on = f"{found:,} of {counted(told, 'pair')} {'has' if found == 1 else 'have'}"
        return f"Under {one.name}, {on} most signal in a few types of prompts: screen types first there, in two stages."
    no = f"no pair of {told:,} is shown to have most signal in a few types of prompts"
    return f"Under {one.name}, {no}: spread votes over types in proportion." if told else ""


_COLUMNS = ("margin", "low", "high", "implied")


def protocols(
    a: Votes,
    b: Votes,
    *,
    names: Sequence[str] = ("A", "B"),
    by: str | None = None,
    minimum: int = MINIMUM,
    budget: int = BUDGET,
    alpha: float = 0.05,
    power: float = 0.9,
    level: float = 0.95,
) -> Protocols:
    """Which of two ways of collecting votes decides with fewer of them, and what that is worth.

    Both tables are votes on the same systems, such as open questions and curated ones, or people and a judge. Pairs of
    systems that both have are compared: how far apart each protocol finds them, how win rates differ between prompts,
    and how much a vote says.

    Parameters
    ----------
    a, b : Votes
        From `quorate.read_votes`. Ties are left out, the best case for deciding.
    names : sequence of str
        What the two are called.
    by : str, optional
        Role of which votes of one level may be alike. Default: prompt, where there is one. Its levels are taken as
        drawn; without it votes are taken as independent.
    minimum : int
        Decisive votes on a pair that both must have.
    budget : int
        Votes on a pair at which the two are compared.
    alpha : float
        Chance of finding a difference that is not there.
    power : float
        Chance of finding a difference that plans are for.
    level : float
        Coverage of intervals.

    Returns
    -------
    Protocols

    Raises
    ------
    InvalidInput
        If an argument is out of range.
    UnknownTerm
        If there is no such facet.
    NotEstimable
        If no pair has enough votes by both, or one protocol has fewer than 5 prompts.

    Notes
    -----
    The squared margin is estimated from votes of different prompts alone, so that neither the noise of votes nor that
    of prompts inflates it. A vote adds ``4 d^2 / effect`` to the square of a test's z, and the protocols are compared
    by the mean of that over pairs; errors are by a jackknife over prompts, for these pairs. It says nothing about
    which protocol measures what matters.

    References
    ----------
    Lee (2026), How many human judgments are enough?, sections 3.3, 3.5 and 5.3, appendices C.3 and C.4.
    ``docs/methods/detectability.md`` has the derivation and how often intervals cover.

    Examples
    --------
    >>> import polars
    >>> from quorate.table.read_votes import read_votes
    >>> def votes(wins):
    ...     rows = [("x", "y", "y" if k < wins else "x", f"p{k % 50}") for k in range(200)]
    ...     return read_votes(
    ...         polars.DataFrame(rows, schema=["model_a", "model_b", "winner", "prompt"], orient="row"), announce=False
    ...     )
    >>> protocols(votes(110), votes(160), names=("open", "curated")).better
    'curated'
    """
    if len(names) != 2 or names[0] == names[1] or not all(names):
        raise InvalidInput(argument("names") + f": expects two different names, got {names!r}")
    check_counts("budget", np.atleast_1d(np.asarray(budget, dtype=float)))
    rules.number("level", level, above=0, below=1)
    tables = checked_votes(a), checked_votes(b)
    pairs, alone = shared(tables, names, minimum)
    kept = [table.keep(rows_on(table, pairs)) for table in tables]
    facets = []  # that clusters are by: the one that is named, or prompts where there are some
    for table in kept:
        prompts = PROMPT in table.codes and bool((table.column(PROMPT) >= 0).all())
        facets.append(table.facet(by).name if by is not None else PROMPT if prompts else "")
    tests: dict[str, Any] = {"alpha": alpha, "power": power, "level": level}
    found = tuple(
        detectability(table, budgets=[budget], cluster=(one,) if one else (), minimum=minimum, **tests)
        for table, one in zip(kept, facets, strict=True)
    )
    order, sign = matched(*kept)
    same = same_levels(kept, facets)
    said = [
        signals(well_sampled(table, minimum=minimum), table, one, same) for table, one in zip(kept, facets, strict=True)
    ]
    margins = [one.margins for one in found]
    low, high = (np.stack([getattr(margins[0], name), getattr(margins[1], name)[order]]) for name in ("low", "high"))
    low[1], high[1] = np.where(sign > 0, low[1], -high[1]), np.where(sign > 0, high[1], -low[1])
    said[1] = said[1].ordered(order)
    both = [
        Protocol(
            name,
            int(study.margins.n.sum()),
            one,
            needed=float(normal_size(math.sqrt(max(one.signal.value, 0.0)) / 2, alpha, power)),
            z=(float(study.z(budget)[0]), float(study.z(budget)[1])),
            decided=float(study.decided[0]),
            concentrated=concentrated_pairs(table, level=level) if TYPE in table.codes else (0, 0),
        )
        for name, one, study, table in zip(names, said, found, kept, strict=True)
    ]
    few = [(one.name, one.signals) for one in both if one.signals.by and one.signals.levels < FEW_CLUSTERS]
    return Protocols(
        pairs=margins[0].pairs,
        first=both[0],
        second=both[1],
        margin=np.stack([margins[0].margin, margins[1].margin[order] * sign]),
        low=low,
        high=high,
        implied=np.stack([margins[0].implied, margins[1].implied[order]]),
        left_out=(alone[0], alone[1]),
        paired=same is not None,
        square=said[1].square.minus(said[0].square, paired=same is not None),
        signal=said[1].signal.minus(said[0].signal, paired=same is not None),
        between=said[1].between.minus(said[0].between, paired=same is not None),
        budget=int(budget),
        level=level,
        alpha=alpha,
        power=power,
        caveats=tuple(
            caveats.few_clusters(found.by, found.levels, float(found.levels), f" under {name}") for name, found in few
        ),
        found=found,
    )
