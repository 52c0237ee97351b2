"""What draws say, whatever the model: components, shares and the mean for a target, and whether to rely on them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from quorate import caveats
from quorate.arguments import argument
from quorate.arrays import Floats
from quorate.caveats import Caveat
from quorate.errors import InvalidInput
from quorate.estimate.components.model import OneComponent
from quorate.estimate.means.targets import PANEL, SENSITIVITY, Target, resolve
from quorate.frozen import dataclass
from quorate.numerics.inference import equal_tails
from quorate.numerics.posterior.chains import WORST_K, quantiles, smoothed
from quorate.numerics.posterior.densities import Laws, log_density, widened
from quorate.table.judgments import Judgments
from quorate.table.results import Ends, Interval, Result, Row, StatedInterval
from quorate.wording import counted

if TYPE_CHECKING:
    from quorate.estimate.components.decomposition import Decomposition
    from quorate.estimate.posterior.prior import Law, Terms


_ONE_SE = (0.158655, 0.841345)
"""What a normal law has below one standard deviation under its mean, and above it."""


@dataclass(frozen=True)
class DrawnMean(Interval):
    """A mean score with its posterior.

    Parameters
    ----------
    value, se : float
        Median of the draws and half the width of their central 68%, in score units: few levels leave tails so heavy
        that no standard deviation exists.
    n : int
        Answers used.
    target : mapping of str to str or Pool
        What each facet stands for.
    draws : array, shape (draws,)
        The draws.
    level : float
        Coverage of the interval.
    """

    value: float
    se: float
    n: int
    target: Mapping[str, Target]
    draws: Floats = field(repr=False)
    level: float = field(default=0.95, kw_only=True)

    def _limits(self) -> Ends:
        """Quantiles with equal tails."""
        return equal_tails(self.draws, self.level)


@dataclass(frozen=True)
class PosteriorMean(DrawnMean):
    """A mean of scores as numbers, with its posterior.

    Parameters
    ----------
    value, se, n, target, draws, level
        As for every drawn mean.
    shares : mapping of str to float
        Fraction of the variance of the mean that each component brings, on average over the draws.
    caveats : tuple of Caveat
        What the reader must know.
    """

    shares: Mapping[str, float]
    caveats: tuple[caveats.Caveat, ...]


def middle(draws: Floats) -> tuple[float, float]:
    """Median, and half the width of the central 68%."""
    return float(np.median(draws)), float(np.diff(np.quantile(draws, _ONE_SE))[0]) / 2


def checked_targets(fit: Decomposition, asked: Mapping[str, Target]) -> dict[str, Target]:
    """Targets of every facet.

    Raises
    ------
    UnknownTerm
        If a facet does not exist.
    InvalidInput
        If a target does not fit its facet, or is an index.
    """
    targets = resolve(fit, asked, drawn=True)
    for facet, target in targets.items():
        if target == SENSITIVITY:
            fix = argument(facet, PANEL, group="targets")
            raise InvalidInput(f"{facet}: a sensitivity is an index, which has no posterior; use " + fix)
    return targets


@dataclass(frozen=True)
class Convergence(Result):
    """What shows that chains can be relied on.

    Parameters
    ----------
    r_hat, ess : mapping of str to float
        Rank-normalised split R-hat, and effective draws of the bulk, by component.
    divergences : int
        Draws at which the sampler lost its way.
    chains, draws : int
        Chains, and draws of each that are kept.
    quoted, seconds : float
        Time that was quoted, and taken.
    """

    r_hat: Mapping[str, float]
    ess: Mapping[str, float]
    divergences: int
    chains: int
    draws: int
    quoted: float
    seconds: float

    derived = ("sentence",)

    @property
    def sentence(self) -> str:
        """Chains, how well they agree, and the time that was quoted and taken."""
        return (
            f"{self.chains} chains of {self.draws:,} draws: R-hat at most {max(self.r_hat.values()):.3f}, at least "
            f"{min(self.ess.values()):,.0f} effective draws, {counted(self.divergences, 'divergence')}. Quoted "
            f"{self.quoted:,.0f} s, took {self.seconds:,.0f} s."
        )


@dataclass(frozen=True)
class PosteriorComponent(OneComponent):
    """One variance component as its draws have it.

    Parameters
    ----------
    name : str
        Term, or the sum of terms that cannot be told apart, joined by " + ".
    variance : float
        Median, in squared score units, or squared log odds.
    se : float
        Standard deviation.
    low, high : float
        95% interval: quantiles.
    levels : int
        Levels of the term in the data.
    kind : {"random", "sensitivity", "level-1"}
        As for `Component` and `LatentComponent`.
    share, share_low, share_high : float
        Fraction of the variance of one judgment: median, and 95% interval.
    """

    share_low: float
    share_high: float


class DrawnPart(NamedTuple):
    """Draws of one part of the variance of one judgment, the levels behind it, and its kind."""

    draws: Floats
    levels: int
    kind: str


@dataclass(frozen=True, eq=False, repr=False)
class DrawnComponents(Result, ABC):
    """Base of posteriors.

    Parameters
    ----------
    prior : tuple of Law
        Prior of the standard deviation of every component.
    draws : array, shape (draws, components)
        Variances, in the order of ``prior``.
    checks : Convergence
        Convergence and time.
    seed : int
        Root of the random numbers.
    """

    prior: tuple[Law, ...]
    draws: Floats = field(repr=False)
    checks: Convergence
    seed: int

    derived = ("sentence", "components", "mean", "sensitivity", "caveats")
    unit = "score units"
    """What standard deviations are in."""

    @property
    @abstractmethod
    def judgments(self) -> Judgments:
        """The answered judgments."""

    @property
    @abstractmethod
    def terms(self) -> Terms:
        """What components are called."""

    @property
    @abstractmethod
    def parts(self) -> Mapping[str, DrawnPart]:
        """What the variance of one judgment is made of; components first."""

    @property
    @abstractmethod
    def mean(self) -> DrawnMean:
        """The mean score."""

    @property
    @abstractmethod
    def own_caveats(self) -> tuple[Caveat, ...]:
        """What the reader must know of the table and the model."""

    @property
    @abstractmethod
    def known_before(self) -> tuple[Floats, Laws]:
        """Draws of every number that has a prior of a width, shape (draws, numbers), and these priors."""

    @property
    @abstractmethod
    def parameters(self) -> Mapping[str, Floats]:
        """Draws of what `check_posterior` ranks the truth among, shape (draws,) each."""

    @abstractmethod
    def drawn(self, term: str) -> Floats:
        """Draws of a component, as `variance` names it; shape (draws,)."""

    @cached_property
    def variances(self) -> Mapping[str, float]:
        """Medians of the components that can be told apart, and of the sums that can."""
        return dict(zip(self.terms.members, np.median(self.draws, axis=0).tolist(), strict=True))

    def variance(self, term: str) -> float:
        """Median of a component; terms as for `Decomposition.variance`."""
        return float(np.median(self.drawn(term)))

    def interval(self, term: str) -> Interval:
        """A component, at the median, with its credible interval: quantiles with equal tails."""
        draws = self.drawn(term)

        se, n = float(draws.std(ddof=1)), self.judgments.n_answers
        return StatedInterval(self.variance(term), se, n, 0.95, law=lambda level: equal_tails(draws, level))

    @cached_property
    def components(self) -> tuple[PosteriorComponent, ...]:
        """All components, random ones first, with 95% intervals."""
        total = np.sum([part.draws for part in self.parts.values()], axis=0)
        out = []
        for name, (draws, levels, kind) in self.parts.items():
            low, middle, high = np.quantile(draws, [0.025, 0.5, 0.975]).tolist()
            least, share, most = np.quantile(draws / total, [0.025, 0.5, 0.975]).tolist()
            spread = float(draws.std(ddof=1))
            out.append(PosteriorComponent(name, middle, spread, low, high, levels, kind, share, least, most))
        return tuple(out)

    @cached_property
    def sensitivity(self) -> Sensitivity:
        """What priors twice as wide, and half as wide, would change."""
        return sensitivity(self)

    @property
    def sentence(self) -> str:
        """The mean with its interval, and the largest component."""
        low, high = self.mean.ends
        first = self.first
        return (
            f"Mean {self.mean.value:.4g} (95% credible interval {low:.4g} to {high:.4g}); {first.name} is "
            f"{100 * first.share:.0f}% of the variance of one judgment{self.on_scale} ({100 * first.share_low:.0f} to "
            f"{100 * first.share_high:.0f}%)."
        )

    @property
    def first(self) -> PosteriorComponent:
        """The largest component; the level-1 variance is not an estimate."""
        return max((one for one in self.components if one.kind != "level-1"), key=lambda one: one.share)

    @property
    def on_scale(self) -> str:
        """Words for the scale that components are on, where it is not that of the scores."""
        return "" if self.terms.link == "identity" else " on the scale of log odds"

    @cached_property
    def caveats(self) -> tuple[Caveat, ...]:
        """What the reader must know: of the table, of the sampler, and of the prior."""
        lost = self.checks.divergences
        return (*self.own_caveats, *([caveats.divergences(lost, len(self.draws))] if lost else []))

    def rows(self) -> list[Row]:
        """One row a component: term, variance, se, low, high, levels, kind, share, share_low, share_high."""
        return [one.row() for one in self.components]


# Sensitivity to the prior: the draws reweighted to priors twice and half as wide.


FACTORS = (0.5, 1.0, 2.0)
_LEAST_ESS = 100


@dataclass(frozen=True)
class Reweighted:
    """What a prior that is wider or narrower would give.

    Parameters
    ----------
    factor : float
        How many times as wide: the scale of half-t priors, the standard deviation of the logarithm of lognormal ones.
    value, low, high : float
        The mean, and its 95% interval.
    component : str
        The component whose share of the variance of one judgment changes most.
    share : float
        Median of its share.
    k, ess : float
        Shape of the tail of the weights, and how many equal draws they are worth.
    """

    factor: float
    value: float
    low: float
    high: float
    component: str
    share: float
    k: float
    ess: float

    @property
    def reliable(self) -> bool:
        """Whether the draws bear it."""
        return self.k <= WORST_K and self.ess >= _LEAST_ESS


@dataclass(frozen=True)
class Sensitivity(Result):
    """What other priors would change; made by `Posterior.sensitivity`.

    Parameters
    ----------
    with_prior : tuple of Reweighted
        With priors half as wide, as they are, and twice as wide.
    changes : tuple of float
        By how much the share of the component of each changes.
    """

    with_prior: tuple[Reweighted, ...]
    changes: tuple[float, ...]

    derived = ("sentence",)

    @property
    def sentence(self) -> str:
        """The mean's interval with other priors, and the share that changes most, or that the draws do not tell."""
        narrow, own, wide = self.with_prior
        parts = []
        for one, change, words in ((narrow, self.changes[0], "half"), (wide, self.changes[2], "twice")):
            if not one.reliable:
                parts.append(f"priors {words} as wide differ too much to be told from these draws")
                continue
            parts.append(
                f"with priors {words} as wide the mean's interval is {one.low:.4g} to {one.high:.4g} and no share "
                f"moves by more than {100 * abs(change):.1f} points ({one.component})"
            )
        return f"The mean's interval is {own.low:.4g} to {own.high:.4g}; {'; '.join(parts)}."

    def rows(self) -> list[Row]:
        """One row a prior."""
        return [vars(one) | {"reliable": one.reliable} for one in self.with_prior]


def sensitivity(posterior: DrawnComponents) -> Sensitivity:
    """Reweight the draws to priors half and twice as wide; see `Posterior.sensitivity`.

    References
    ----------
    Kallioinen, Paananen, Burkner and Vehtari (2024), Detecting and diagnosing prior and likelihood sensitivity with
    power-scaling, Statistics and Computing 34, section 2.3.
    """
    known, laws = posterior.known_before
    now = log_density(known, laws).sum(axis=1)
    columns, names = [part.draws for part in posterior.parts.values()], [*posterior.parts]
    shares = np.array(columns) / np.sum(columns, axis=0)
    medians = np.median(shares, axis=1)
    found, changes = [], []
    for factor in FACTORS:
        weight, k = smoothed(log_density(known, widened(laws, factor)).sum(axis=1) - now)
        mean = posterior.mean.draws
        low, high = quantiles(mean, weight, np.array([0.025, 0.975])).tolist()
        moved = np.array([float(quantiles(share, weight, np.array(0.5))) for share in shares]) - medians
        most = int(np.argmax(np.abs(moved)))
        changes.append(float(moved[most]))
        ess = float(1 / np.sum(weight**2))
        value = float(quantiles(mean, weight, np.array(0.5)))
        found.append(Reweighted(factor, value, low, high, names[most], medians[most] + moved[most], k, ess))
    return Sensitivity(tuple(found), tuple(changes))
