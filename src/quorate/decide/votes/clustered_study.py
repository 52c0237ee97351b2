"""Studies of clustered votes: how many clusters a new one needs, or what a number of votes shows."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats
from quorate.decide.votes.study_size import Studies, t_reach
from quorate.estimate.votes.margin import FEWEST_ALIKE, NOTHING, VoteMargin, margin_of_share
from quorate.numerics.threshold import last
from quorate.numerics.votes import clustered
from quorate.numerics.votes.binomial import SLACK
from quorate.planning.power.sample_size import whole
from quorate.streams import stream

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
        return np.where(self._effective(g) >= FEWEST_ALIKE, np.maximum(both, 0.0), 0.0)

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

    def _effective(self, g: Floats) -> Floats:
        return np.asarray(g * self.found.effective / self._groups)

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
