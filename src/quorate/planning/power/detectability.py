"""Detectability: what a number of votes can decide, as power against budget for each pair of models and over pairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from quorate import rules
from quorate.arguments import argument
from quorate.arrays import Floats, Ints
from quorate.errors import InvalidInput, NotEstimable, UnknownTerm
from quorate.estimate.votes.clustered import Cluster, clusters_of
from quorate.estimate.votes.margins import Margins, of_shares, pair_shares
from quorate.estimate.votes.signals import MarginLaw
from quorate.estimate.votes.well_sampled_pairs import MINIMUM, well_sampled
from quorate.frozen import dataclass
from quorate.numerics.votes.clusters import ClusterPower, cluster_power
from quorate.numerics.votes.power import drawn_power, exact_power, z_quantiles
from quorate.planning.power.sample_size import check_alpha, check_counts, check_power, check_range
from quorate.streams import stream
from quorate.table.results import Result, Row, picked, rows_of
from quorate.table.votes import Votes
from quorate.wording import counted, listed, percent, whole_percent

Method = Literal["exact", "draws", "clusters"]

BUDGETS = tuple(np.unique(np.rint(np.geomspace(25, 5000, 20))).astype(int).tolist())
"""Votes per pair, 25 to 5,000."""

RESAMPLES = 2000
_BOOTSTRAP = 2000


@dataclass(frozen=True, eq=False)
class Detectability(Result):
    """What numbers of votes would decide, if margins are as the votes say.

    Parameters
    ----------
    margins : Margins
        The pairs and their margins.
    budgets : array of int, shape (budgets,)
        Decisive votes per pair.
    power : array, shape (pairs, budgets)
        Chance that a study of so many votes finds the difference, if they depend on each other as those of the pair do.
        The margin is taken as estimated, so the power of near ties is too high on average. nan with
        ``method="clusters"`` for a pair with one cluster.
    decided, decided_low, decided_high : array, shape (budgets,)
        Share of pairs that so many votes each would decide, the mean of ``power``, and its bootstrap interval over
        pairs.
    corrected : array, shape (budgets,)
        The same for the law of margins without the noise of the votes, by the formula and the design effect of the
        median pair whatever the method. nan where a pair has votes worth fewer than 50.
    law : MarginLaw
        That law.
    method : str
        How power was found.
    target : float
        Power that counts as enough.
    resamples : int or None
        Studies drawn for every pair and budget; None with ``method="exact"``.
    by : str or None
        Facets whose votes may resemble each other, in words; None where votes are taken as independent.
    clusters : ClusterPower or None
        With ``method="clusters"``: what ignoring clusters does to the test and to intervals.
    """

    margins: Margins
    budgets: Ints
    power: Floats
    decided: Floats
    decided_low: Floats
    decided_high: Floats
    corrected: Floats
    law: MarginLaw
    method: Method
    target: float
    resamples: int | None
    by: str | None
    clusters: ClusterPower | None

    def __len__(self) -> int:
        return len(self.margins)

    @property
    def within_reach(self) -> Floats:
        """Share of pairs whose power is enough, shape (budgets,)."""
        return np.asarray((self.power[self.known] >= self.target).mean(axis=0))

    @property
    def known(self) -> NDArray[np.bool_]:
        """Whether the power of a pair is known, shape (pairs,); shares are of those where it is."""
        return np.isfinite(self.power[:, 0])

    @property
    def needed(self) -> Floats:
        """The smallest of the budgets from which on power is enough, shape (pairs,); nan where none is."""
        enough = np.logical_and.accumulate(self.power[:, ::-1] >= self.target, axis=1)[:, ::-1]
        return np.where(enough.any(axis=1), self.budgets[enough.argmax(axis=1)].astype(float), np.nan)

    @property
    def sizes(self) -> tuple[Floats, Floats] | None:
        """Share of intervals that miss, shape (budgets,): with votes taken as independent, and cluster-robust."""
        if self.clusters is None:
            return None
        missed = self.clusters.missed_votes[self.known], self.clusters.missed_clusters[self.known]
        return missed[0].mean(axis=0), missed[1].mean(axis=0)

    @property
    def sentence(self) -> str:
        """The answer in one sentence, for the budget nearest to what pairs have."""
        j = int(np.abs(np.log(self.budgets / np.median(self.margins.n))).argmin())
        by = "" if self.by is None else f", clustered by {self.by} as these are,"
        if self.known.sum() == 1:
            enough = "enough" if self.within_reach[-1] else "not enough"
            return (
                f"{self.budgets[j]:,} votes{by} would find the difference of the only pair with a chance of "
                f"{percent(self.decided[j])} if its margin is as estimated; {self.budgets[-1]:,} are {enough} for "
                f"{self.target:g}."
            )
        low, high = self.decided_low[j], self.decided_high[j]
        reach, known = self.within_reach[-1], counted(int(self.known.sum()), "pair")
        said = (
            f"{self.budgets[j]:,} votes each{by} would decide {self.decided[j]:.0%} of {known} "
            f"({low:.0%} to {high:.0%}; {whole_percent(self.corrected[j])} without the noise of the votes)."
        )
        if reach == 1:
            return said
        rest = f"{1 - reach:.0%} of pairs are found with a chance below {self.target:g}"
        return f"{said} Even with {self.budgets[-1]:,}, {rest}."

    def curve(self, pair: str) -> Floats:
        """Power of one pair, named as in ``margins.pairs``; shape (budgets,).

        Raises
        ------
        UnknownTerm
            If there is no such pair among those with enough votes.
        """
        if pair not in self.margins.pairs:
            raise UnknownTerm(pair, self.margins.pairs, "pair")
        return np.asarray(self.power[self.margins.pairs.index(pair)])

    def z(self, n: int, probabilities: Sequence[float] = (0.1, 0.5)) -> Floats:
        """Quantiles of ``|share - 1/2|`` in standard errors over pairs and studies of n votes (Lee 2026, Table 6).

        Parameters
        ----------
        n : int
            Votes of every study, which depend on each other as those of the pair do.
        probabilities : sequence of float
            Which quantiles.
        """
        check_counts("n", np.array([float(n)]))
        return z_quantiles(
            0.5 + self.margins.margin, _worth(np.array([int(n)]), self.margins.effect)[:, 0], probabilities
        )

    def rows(self) -> list[Row]:
        """One row for every pair and budget: pair, margin, n, power."""
        pairs, times = len(self), len(self.budgets)
        named = [name for name in self.margins.pairs for _ in range(times)]
        margin, n = np.repeat(self.margins.margin, times), np.tile(self.budgets, pairs)
        return rows_of({"pair": named, "margin": margin, "n": n, "power": self.power.ravel()})

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        names = ("budgets", "decided", "decided_low", "decided_high", "corrected", "within_reach")
        curves: dict[str, Any] = {name: getattr(self, name).tolist() for name in names}
        known = zip(self.power.tolist(), self.known.tolist(), strict=True)
        curves["corrected"] = curves["corrected"] if self.law.known else None
        curves["power"] = [row if sure else None for row, sure in known]
        sizes = None if self.sizes is None else [share.tolist() for share in self.sizes]
        rest = picked(self, "method target resamples by")
        return {"margins": self.margins.to_dict(), **curves, **rest, "sizes": sizes, "sentence": self.sentence}


def detectability(
    votes: Votes,
    *,
    budgets: Sequence[int] | NDArray[Any] = BUDGETS,
    method: Method = "exact",
    cluster: Cluster | None = None,
    minimum: int = MINIMUM,
    alpha: float = 0.05,
    power: float = 0.9,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    rng: np.random.Generator | int | None = None,
) -> Detectability:
    """What share of comparisons so many votes would decide, and the power of each.

    Studies are made of the votes at hand: so many are drawn from those of a pair, with replacement, and tested. Where
    votes share what may make them alike, a study of n is worth n over the design effect of the pair.

    Parameters
    ----------
    votes : Votes
        Votes; ties are left out, the best case. Tell systems of several languages or tasks apart first: `Votes.within`.
    budgets : sequence of int
        Decisive votes per pair.
    method : {"exact", "draws", "clusters"}
        ``"exact"``: the chance that drawn votes reject, by the binomial formula. ``"draws"``: the same by simulation.
        ``"clusters"``: levels of one facet are drawn whole and the test is cluster-robust.
    cluster : str or sequence of str, optional
        Facets whose votes may resemble each other, as for `quorate.compare`: by default those of each pair that repeat.
        ``()`` takes votes as independent. New votes are of levels that have as many each as those at hand.
    minimum : int
        Decisive votes that a pair must have.
    alpha, power : float
        Level of the two-sided test, and the power that counts as enough.
    level : float
        Coverage of intervals over pairs.
    resamples : int
        Studies for every pair and budget.
    rng : numpy.random.Generator or int, optional
        Source of the draws; the same one gives the same result.

    Raises
    ------
    InvalidInput
        If an argument is out of range.
    NotEstimable
        If no pair has enough votes, a vote has no label of the facet that is drawn whole, or every pair has one level
        of a facet that is named.

    References
    ----------
    Lee (2026), How many human judgments are enough?, section 4. ``docs/methods/detectability.md`` has the details.

    Examples
    --------
    >>> import polars
    >>> from quorate.table.read_votes import read_votes
    >>> frame = polars.DataFrame({"model_a": ["x"], "model_b": ["y"], "for_x": [220], "for_y": [280]})
    >>> study = detectability(read_votes(frame, wins=["for_x", "for_y"], announce=False), budgets=[500, 749])
    >>> study.power.round(3).tolist()
    [[0.751, 0.907]]
    """
    n = _checked_budgets(budgets, method, alpha, power, level, resamples)
    source = np.random.default_rng(stream(0, "detectability") if rng is None else rng)
    sampled = well_sampled(votes, minimum=minimum)
    margins = of_shares(sampled, pair_shares(votes, sampled, cluster), minimum, "drop", level, alpha, power)
    share, worth, drawn = sampled.wins / sampled.n, _worth(n, margins.effect), None
    if method == "clusters":
        if len(margins.cluster) != 1:
            got = listed(margins.cluster) if margins.cluster else "none"
            raise InvalidInput(
                "cluster: names the one facet that " + argument("method", method) + f" draws whole, got {got}"
            )
        drawn = cluster_power(clusters_of(sampled, votes, margins.cluster[0]), n, alpha, resamples, source)
        curves = drawn.clusters
    elif method == "exact":
        curves = exact_power(share, worth, alpha)
    else:
        curves = drawn_power(share, worth, alpha, resamples, source)
    law = margins.law()
    known = curves[np.isfinite(curves[:, 0])]
    pairs = len(known)
    if not pairs:
        one = f"every pair has all of its votes in one level of {margins.cluster[0]}"
        raise NotEstimable(f"cluster: {one}; name another facet")
    times = source.multinomial(pairs, np.full(pairs, 1 / pairs), _BOOTSTRAP)
    low, high = np.quantile(times @ known / pairs, ((1 - level) / 2, (1 + level) / 2), axis=0)
    return Detectability(
        margins=margins,
        budgets=n,
        power=curves,
        decided=known.mean(axis=0),
        decided_low=low,
        decided_high=high,
        corrected=law.chance @ exact_power(0.5 + law.margin, _worth(n, np.array([margins.typical_effect])), alpha),
        law=law,
        method=method,
        target=power,
        resamples=None if method == "exact" else resamples,
        by=listed(margins.cluster) if margins.cluster else None,
        clusters=drawn,
    )


def _worth(n: Ints, effect: Floats) -> Ints:
    """Independent votes that so many of each pair are worth, at least 1, shape (pairs, budgets)."""
    return np.maximum(np.floor(n / effect[:, None] + 1e-9), 1).astype(np.int64)


def _checked_budgets(budgets: object, method: str, alpha: float, power: float, level: float, resamples: int) -> Ints:
    """The budgets, in order and once each, if all arguments are in range."""
    check_alpha(alpha)
    check_power(power, alpha)
    rules.number("level", level, above=0, below=1)
    rules.whole("resamples", resamples, 1)
    rules.one_of("method", method, Method)
    n = np.atleast_1d(np.asarray(budgets, dtype=float))
    check_range("budgets", len(n), "of budgets, at least 1", len(n) > 0)
    check_counts("budgets", n)
    return np.unique(n.astype(np.int64))
