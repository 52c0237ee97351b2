"""Next steps of a comparison of votes: what more it would take to decide it, and what that costs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from quorate import wording
from quorate.arrays import Floats
from quorate.errors import InvalidInput
from quorate.estimate.votes.margin import FEWEST_ALIKE, NOTHING, VoteMargin, margin_of_share
from quorate.frozen import dataclass
from quorate.numerics.distributions import normal_cdf, normal_quantile, t_quantile
from quorate.numerics.roots import last, root
from quorate.numerics.votes import binomial, clustered, equivalence
from quorate.numerics.votes.binomial import SLACK
from quorate.planning.power.pilot import FEWEST, few_votes
from quorate.planning.power.sample_size import equivalence_size, sample_size, seen_by, whole
from quorate.streams import stream
from quorate.table.results import Result

# Study sizes: votes that a new study needs, or what a number of them shows, by the tests of verdicts.


_LEFT_TO_CHANCE = 2000  # votes that count, above which it hardly matters that their number varies


class Studies(Protocol):
    """New studies of one kind: numbers are votes to collect, margins ``|p - 1/2|``."""

    def difference(self, d: float, power: float) -> int:
        """Votes that find a margin ``d`` with the power asked for."""

    def equivalence(self, margin: float, d: float, power: float) -> int:
        """Votes that show a margin ``d`` to be within ``margin``, with the power asked for."""

    def seen(self, votes: int, power: float) -> float | None:
        """Smallest margin that so many votes find; None if none."""

    def chance(self, votes: int, d: float, margin: float | None) -> float:
        """Power of so many votes: to find ``d`` or, with a margin, to show that it is within it."""


@dataclass(frozen=True)
class SingleVotes(Studies):
    """Independent votes that are won or lost, by the exact tests.

    Parameters
    ----------
    alpha : float
        Level of the tests.
    share : float
        Part of the votes collected that the tests count, or units that they count over votes.
    by_chance : bool
        Whether every vote counts with that chance, as where ties are left out: fewer than expected may count.
    """

    alpha: float
    share: float = 1.0
    by_chance: bool = True

    def difference(self, d: float, power: float) -> int:
        """Votes that find a margin ``d``."""
        n = _exact_or_normal(partial(sample_size, d, alpha=self.alpha, power=power))
        return self._collected(n, power, lambda k: binomial.power(k, 0.5 + d, self.alpha))

    def equivalence(self, margin: float, d: float, power: float) -> int:
        """Votes that show a margin ``d`` to be within ``margin``."""
        n = _exact_or_normal(partial(equivalence_size, margin, true_margin=d, alpha=self.alpha, power=power))
        return self._collected(n, power, lambda k: equivalence.power(k, 0.5 + d, margin, self.alpha))

    def seen(self, votes: int, power: float) -> float | None:
        """Smallest margin that so many votes find."""
        return seen_by(max(1, self._counted(votes)), self.alpha, power, "exact")

    def chance(self, votes: int, d: float, margin: float | None) -> float:
        """Power of so many votes."""
        n, p = self._counted(votes), 0.5 + d
        power = binomial.power(n, p, self.alpha) if margin is None else equivalence.power(n, p, margin, self.alpha)
        return float(power)

    def _counted(self, votes: int) -> int:
        return math.floor(votes * self.share + 1e-9)

    def _collected(self, n: int, power: float, chance: Callable[[Floats], Floats]) -> int:
        """Votes to collect for n that count, and a few more where the number that count is left to chance."""
        votes = whole(n / self.share)
        if not self.by_chance or self.share > 1 - 1e-9 or n > _LEFT_TO_CHANCE:
            return votes

        def mean_power(votes: int) -> float:
            """Power over the binomial law of the votes that count."""
            k = np.arange(votes + 1.0)
            mass = np.diff(binomial.lower_tail(k, votes, self.share), prepend=0.0)
            likely = mass > 1e-9
            return float(mass[likely] @ chance(k[likely]))

        while mean_power(votes) < power:
            votes += 1
        return votes


def _exact_or_normal(size: Callable[..., int]) -> int:
    """By the exact tests as far as their search goes, above which the normal number is as good."""
    try:
        return size(method="exact")
    except InvalidInput:
        return size(method="normal")


@dataclass(frozen=True)
class TiedVotes(Studies):
    """Independent votes with ties as halves: a difference by the votes without ties, equivalence by all.

    Parameters
    ----------
    decisive : SingleVotes
        The votes without ties; ``share`` is theirs.
    effect : float
        Variance over that of as many fair votes without ties.
    """

    decisive: SingleVotes
    effect: float

    def difference(self, d: float, power: float) -> int:
        """Votes that find a margin ``d``."""
        return self.decisive.difference(self._among_decisive(d), power)

    def equivalence(self, margin: float, d: float, power: float) -> int:
        """Votes that show a margin ``d`` to be within ``margin``."""
        alpha = self.decisive.alpha
        n = equivalence_size(margin, true_margin=d, alpha=alpha, power=power, method="normal")
        return whole(n * self.effect)

    def seen(self, votes: int, power: float) -> float | None:
        """Smallest margin that so many votes find."""
        found = self.decisive.seen(votes, power)
        return None if found is None else found * self.decisive.share

    def chance(self, votes: int, d: float, margin: float | None) -> float:
        """Power of so many votes."""
        if margin is None:
            return self.decisive.chance(votes, self._among_decisive(d), None)
        root, z = 2 * math.sqrt(votes / self.effect), normal_quantile(1 - self.decisive.alpha)
        return max(0.0, normal_cdf((margin - d) * root - z) + normal_cdf((margin + d) * root - z) - 1)

    def _among_decisive(self, d: float) -> float:
        return min(d / self.decisive.share, 0.5)


def detectable(found: VoteMargin, alpha: float, power: float) -> float | None:
    """Smallest margin that so many votes like those of a margin detect; None if there is none.

    Parameters
    ----------
    found : VoteMargin
        Of the votes.
    alpha, power : float
        Level of the test, and the chance of detection wanted.
    """
    counted = found.exact or found.decisive
    if found.least_p > alpha:
        return None
    if counted:
        among = SingleVotes(alpha).seen(int(counted.n), power) if counted.n else None
        return None if among is None else among * (1.0 if found.exact else counted.n / found.n)
    seen = t_reach(found.df, alpha, power) * found.se
    return seen if seen <= 0.5 else None


def t_reach(df: float, alpha: float, power: float) -> float:
    """Standard errors that a difference must measure for Student's t test to find it: a noncentrality."""
    from scipy.special import nctdtrinc

    return float(nctdtrinc(df, 1 - power, t_quantile(df, 1 - alpha / 2)))


# Studies of clustered votes: how many clusters a new one needs, or what a number of votes shows.


_FEW = 60  # clusters up to which power is that of draws
_DRAWS = 1000, 30_000  # studies drawn at most, and clusters in all of them


@dataclass(frozen=True, eq=False)
class ClusteredVotes(Studies):
    """Clusters of votes like those of a study seen, by Student's t.

    Parameters
    ----------
    found : VoteMargin
        Of the study seen, by clusters.
    sizes : array, shape (clusters,)
        Votes that count in each of its clusters.
    alpha : float
        Level of the tests.
    counting : float
        Share of all votes that count.
    """

    found: VoteMargin
    sizes: Floats
    alpha: float
    counting: float = 1.0

    def difference(self, d: float, power: float) -> int:
        """Votes that find a margin ``d``."""
        return self._votes(d, None, power)

    def equivalence(self, margin: float, d: float, power: float) -> int:
        """Votes that show a margin ``d`` to be within ``margin``."""
        return self._votes(d, margin, power)

    def seen(self, votes: int, power: float) -> float | None:
        """Smallest margin that so many votes find, by the t law."""
        g = self._clusters_in(votes)
        if not self._enough(g):
            return None
        margin = t_reach(float(self._df(g)), self.alpha, power) * float(self._se(g))
        return margin if margin <= 0.5 else None

    def chance(self, votes: int, d: float, margin: float | None) -> float:
        """Power of so many votes, by the t law."""
        return float(self._power(self._clusters_in(votes), d, margin))

    def drawn(self, clusters: int, d: float, margin: float | None) -> float:
        """Power of a study by draws: of sizes from those seen, of votes from a beta-binomial law."""
        rng = stream(clusters, "clusters of a new study")
        sizes = rng.choice(self.sizes, (min(_DRAWS[0], _DRAWS[1] // clusters), clusters))
        seen, n = min(0.5 + abs(self.found.value), 0.99), float(self.sizes.sum())
        # the correlation within clusters that gives the variance seen
        rho = (self.found.se**2 * n**2 / (seen * (1 - seen)) - n) / max(float((self.sizes**2).sum()) - n, 1.0)
        p, rho = min(0.5 + d, 0.99), min(max(rho, 1e-6), 0.999)
        shares = rng.beta(p * (1 / rho - 1), (1 - p) * (1 / rho - 1), sizes.shape)
        wins = rng.binomial(sizes.astype(np.int64), shares).astype(float)
        return float(np.mean(self._shown(clustered.shares(wins, sizes), margin)))

    def _votes(self, d: float, margin: float | None, power: float) -> int:
        """Votes of the fewest clusters with the power asked for, searched for from the normal number.

        The t law takes the shares of clusters as normal and their sizes as alike, which a few clusters betray: there
        the power is that of draws.
        """
        from scipy.special import ndtri

        distance = d if margin is None else margin - d
        guess = self._groups * ((ndtri(power) - ndtri(self.alpha / 2)) * self.found.se / distance) ** 2
        whole(guess * self._size)  # refuses what no study can collect
        g = int(last(lambda g: self._power(g, d, margin) < power, guess)) + 1
        high = max(g, _FEW + 1)
        while g < high:  # fewest clusters from there on with the power by draws, or the first that are not few
            middle = (g + high) // 2
            if self.drawn(middle, d, margin) < power:
                g = middle + 1
            else:
                high = middle
        return whole(g * self._size)

    def _shown(self, found: clustered.Shares, margin: float | None) -> NDArray[np.bool_]:
        """Whether every study shows what is asked, by the tests of its margin; those that are alike are tested once."""
        from scipy.special import stdtr

        def shown_by_one(share: clustered.Share) -> bool:
            lead = margin_of_share(share, "a", "b", ties=self.found.ties, cluster="cluster")
            if margin is None:
                return lead.value > 0 and lead.p_difference() <= self.alpha * SLACK
            return lead.p_equivalence(margin) <= self.alpha * SLACK

        alone = (found.clusters == found.n) & (self.found.ties != "half")
        exact = ~(found.se > NOTHING) | alone
        out = np.zeros(len(exact), dtype=np.bool_)
        kinds, first, place = np.unique(
            np.column_stack([found.value, found.n])[exact], axis=0, return_index=True, return_inverse=True
        )
        shown = [shown_by_one(found.one(i)) for i in np.flatnonzero(exact)[first].tolist()]
        out[exact] = np.array(shown, dtype=np.bool_)[place.ravel()] if len(kinds) else False
        # the same for the others, whose tests are t tests
        value, se, df, effective, least_p = (
            x[~exact] for x in (found.value, found.se, found.df, found.effective, found.least_p)
        )
        distance = np.abs(value - 0.5)
        if margin is None:
            p = np.maximum(2 * stdtr(df, -distance / se), least_p)
            out[~exact] = (value > 0.5) & (p <= self.alpha * SLACK)
        else:
            out[~exact] = (effective >= FEWEST_ALIKE) & (stdtr(df, (distance - margin) / se) <= self.alpha * SLACK)
        return out

    def _power(self, g: Floats, d: float, margin: float | None) -> Floats:
        """Power by the t law: in the direction of a difference, or at least that of both one-sided tests."""
        df, se = self._df(g), self._se(g)
        if margin is None:
            return np.where(self._enough(g), _beyond(df, d / se, self.alpha / 2), 0.0)
        both = _beyond(df, (margin - d) / se, self.alpha) + _beyond(df, (margin + d) / se, self.alpha) - 1
        return np.where(g * self.found.effective / self._groups >= FEWEST_ALIKE, np.maximum(both, 0.0), 0.0)

    @property
    def _groups(self) -> int:
        return len(self.sizes)

    @property
    def _size(self) -> float:
        """Votes to collect per cluster."""
        return float(self.sizes.mean()) / self.counting

    def _clusters_in(self, votes: int) -> Floats:
        return np.array(math.floor(votes / self._size + 1e-6), dtype=float)

    def _enough(self, g: Floats) -> NDArray[np.bool_]:
        """Whether p-values can be as small as the level: the clusters beside the largest are in proportion."""
        return np.asarray(self.found.least_p ** ((g - 1) / (self._groups - 1)) <= self.alpha)

    def _df(self, g: Floats) -> Floats:
        return np.asarray(self.found.df * np.maximum(g - 1, 1.0) / (self._groups - 1))

    def _se(self, g: Floats) -> Floats:
        return np.asarray(self.found.se * np.sqrt(self._groups / np.maximum(g, 1.0)))


def _beyond(df: Floats, distance: Floats, tail: float) -> Floats:
    """Chance that t, with its mean so many standard errors above 0, is above its quantile."""
    from scipy.special import nctdtr, stdtrit

    reach = stdtrit(df, 1 - tail)
    below = nctdtr(df, distance, reach)  # nan where a tail is lost in rounding
    return 1 - np.where(np.isnan(below), distance < reach, below)


@dataclass(frozen=True)
class NextStep(Result):
    """A new study that would decide, if the margin is as found so far; it is tested on its own votes.

    Parameters
    ----------
    toward : {"difference", "equivalence"}
        What it would show: the cheaper of the two.
    assumed : float
        Margin ``|p - 1/2|`` as found.
    power : float
        Chance that the study shows it, at least, if the margin is that.
    counted : int
        Votes that count, as expected: decisive ones, where ties are dropped.
    votes : int
        Votes to collect, with those that will not count at the rate seen.
    at_least : int
        The same at the largest margin of the interval for a difference, and at a margin of 0 for equivalence. There is
        no upper end: the interval includes margins that no number of votes would decide.
    cost : float or None
        Price of ``votes``; None without a price.
    budget : int or None
        Votes that can be collected.
    seen_by_budget : float or None
        Smallest margin that the budget detects; None without a budget, or if it detects none.
    cluster : tuple of str
        Facets that cluster the votes.
    units : tuple of int
        Levels of each among the votes that count in the new study, each with as many of them as so far.
    budget_power : float or None
        Chance that the budget shows what the step is toward, if the margin is as found; None without a budget.
    alike_by_budget : float or None
        Toward equivalence, the largest margin that the budget shows to be within the stated one with a chance of
        ``power``; None if there is none.
    ties : str
        How ties count, as for `VoteMargin`.
    seen : int or None
        Votes that the margin was found from.
    """

    toward: str
    assumed: float
    power: float
    counted: int
    votes: int
    at_least: int
    cost: float | None
    budget: int | None
    seen_by_budget: float | None
    cluster: tuple[str, ...] = ()
    units: tuple[int, ...] = ()
    budget_power: float | None = None
    alike_by_budget: float | None = None
    ties: str = "drop"
    seen: int | None = None

    derived = ("affordable", "sentence")

    @property
    def affordable(self) -> bool | None:
        """Whether the budget reaches; None without one."""
        return None if self.budget is None else self.budget >= self.votes

    @property
    def sentence(self) -> str:
        """The step in one sentence, and what the budget does in another."""
        cost = "" if self.cost is None else f" for {self.cost:,.2f}"
        step = (
            f"A new study of {self.size}{cost} would {goal_of(self)} with a chance of {self.power:.4g} if the "
            f"margin is {wording.margin(self.assumed)} as found. It takes {self.at_least:,} at the very least."
        )
        if self.seen is not None and self.seen < FEWEST:  # hardly a pilot
            step += f" That margin rests on {few_votes(self.seen)}."
        if self.budget is None:
            return step
        seen, alike = self.seen_by_budget, self.alike_by_budget
        found = f"would see a margin of {wording.margin(seen or 0)} or more"
        found = "may miss any margin, however large" if seen is None else found
        limit = "" if alike is None else f"a margin of {wording.margin(alike)}"
        return f"{step} The budget of {self.budget:,} {of_budget(self, found, limit, 'margin')}."

    @property
    def size(self) -> str:
        """Votes to collect; where some will not count, those that do, and the levels among them."""
        levels = zip(self.units, self.cluster, strict=True)
        each = [wording.counted(count, name) for count, name in levels]
        where = f"in {wording.listed(each)}" if each else ""
        votes = wording.counted(self.votes, "vote")
        if self.counted == self.votes:
            return f"{votes} {where}".rstrip()
        kind = "of them decisive" if self.ties == "drop" else "of them used"
        return f"{votes} ({', '.join(filter(None, (f'{self.counted:,} {kind}', where)))})"


def goal_of(step: Any) -> str:
    """What a next step, of votes or of scores, would do."""
    return "find a difference" if step.toward == "difference" else "show equivalence"


def of_budget(step: Any, found: str, limit: str, what: str) -> str:
    """Whether the budget is enough for a next step, and what it does: what it ``found``, or up to which ``limit``."""
    reach = "is enough for that" if step.affordable else "is not enough"
    if step.toward == "difference":
        return f"{reach}: it {found}"
    chances = f"with a chance of {step.budget_power:.2f} at that {what}, and of {step.power:.4g}"
    return f"{reach}: it would show equivalence {chances} at {f'{limit} or less' if limit else f'no {what}'}"


class _Way(NamedTuple):
    """How a study could decide: votes for the margin as found, and at best."""

    votes: int
    at_least: int
    toward: str
    studies: Studies


def next_step(
    found: VoteMargin,
    *,
    margin: float | None,
    alpha: float,
    power: float,
    counting: float,
    budget: int | None = None,
    price: float | None = None,
) -> NextStep | None:
    """The cheapest study that would decide; None where no number of votes would."""
    way = min(_ways(found, margin, alpha, power, counting), default=None, key=lambda one: one[:3])
    if way is None:
        return None
    d, counted = abs(found.value), max(1, math.floor(way.votes * counting + 1e-9))
    within = margin if way.toward == "equivalence" else None
    alike = None
    if budget is not None and within is not None:  # the largest margin that the budget shows to be within the stated

        def short(true: float) -> float:
            return power - way.studies.chance(budget, true, within)

        most = within * (1 - 1e-9)
        alike = root(short, 0.0, most) if short(0.0) < 0 < short(most) else None
    return NextStep(
        toward=way.toward,
        assumed=d,
        power=power,
        counted=counted,
        votes=way.votes,
        at_least=way.at_least,
        cost=None if price is None else way.votes * price,
        budget=budget,
        seen_by_budget=None if budget is None else way.studies.seen(budget, power),
        cluster=found.cluster,
        units=tuple(math.ceil(counted * levels / found.n - 1e-6) for levels in found.clusters),
        budget_power=None if budget is None else way.studies.chance(budget, d, within),
        alike_by_budget=alike,
        ties=found.ties,
        seen=found.n,
    )


def studies_like(found: VoteMargin, alpha: float, counting: float) -> Studies:
    """Studies whose votes depend on each other, and count, as these do."""
    if found.exact:
        return SingleVotes(alpha, counting / found.effect, by_chance=not found.cluster)
    if found.decisive:
        share = counting * max(found.decisive.n, 1.0) / found.n
        return TiedVotes(SingleVotes(alpha, share), found.effect)
    clusters = min(found.clusters, default=found.n)
    sizes = np.full(clusters, found.n / clusters) if found.sizes is None else found.sizes
    return ClusteredVotes(found, sizes, alpha, counting)


def _ways(found: VoteMargin, margin: float | None, alpha: float, power: float, counting: float) -> Iterator[_Way]:
    d, (low, high) = abs(found.value), found.at(1 - alpha).ends
    studies = studies_like(found, alpha, counting)
    against_ties = found.ties == "pessimistic"
    if against_ties and found.value < 0:
        # ties as losses make nobody worse: the votes without them have to show it, which is then enough
        known = found.decisive
        if known is not None and 2 * known.wins < known.n:
            lowest, _ = binomial.clopper_pearson(*known, 1 - alpha)
            ends = 0.5 - known.wins / known.n, 0.5 - float(lowest)
            yield from _way("difference", SingleVotes(alpha, counting * known.n / found.n), ends, power)
    elif d > 0:
        yield from _way("difference", studies, (d, max(-low, high)), power)
    if margin is not None and d < margin * (1 - 1e-9) and not against_ties:
        yield from _way("equivalence", studies, (d, 0.0), power, margin)


def _way(
    toward: str, studies: Studies, ends: tuple[float, float], power: float, margin: float | None = None
) -> Iterator[_Way]:
    """One way to decide; none where it takes more votes than can be counted."""
    try:
        votes, least = (
            studies.difference(d, power) if margin is None else studies.equivalence(margin, d, power) for d in ends
        )
    except InvalidInput:
        return
    yield _Way(votes, min(votes, least), toward, studies)
