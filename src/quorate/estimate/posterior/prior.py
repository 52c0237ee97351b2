"""Priors of standard deviations: next to nothing, or what an earlier study found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol, runtime_checkable

import numpy as np

from quorate.arguments import argument
from quorate.arrays import Floats
from quorate.errors import InvalidInput
from quorate.estimate.components.assemble import Link
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.components.latent import LatentDecomposition
from quorate.estimate.components.model import CELL
from quorate.estimate.components.published import Components, components
from quorate.frozen import dataclass
from quorate.numerics.posterior.densities import Laws, quantile
from quorate.table.judgments import Judgments
from quorate.wording import listed

Family = Literal["half-t", "lognormal"]
Origin = Literal["default", "pilot", "published"]
LOG_ODDS = 2.5
"""Default scale of half-t priors of standard deviations of log odds, and of t priors of thresholds and effects."""
_WIDEST = 0.7
"""Standard deviation of the logarithm above which a pilot has bounded a component and not found it."""
_UPPER = float(quantile(np.array(0.975), 1.0, np.inf))
"""What 97.5% of a half-t law of scale 1 stay below."""


@dataclass(frozen=True)
class Law:
    """The prior of one standard deviation.

    Parameters
    ----------
    name : str
        Component.
    family : {"half-t", "lognormal"}
        Half-t on 3 degrees of freedom, or lognormal.
    scale : float
        Scale of the half-t law or median of the lognormal one, in the unit of the components.
    width : float
        Standard deviation of the logarithm; infinite for a half-t law.
    origin : {"default", "pilot", "published"}
        Where it comes from.
    """

    name: str
    family: Family
    scale: float
    width: float
    origin: Origin

    def __str__(self) -> str:
        if self.family == "half-t":
            return f"half-t, scale {self.scale:.3g} ({self.origin})"
        return f"about {self.scale:.3g}, ±{100 * self.width:.0f}% ({self.origin})"

    def quantile(self, p: Floats) -> Floats:
        """Quantiles of the standard deviation."""
        return quantile(p, self.scale, self.width)


@dataclass(frozen=True)
class Terms:
    """What the components of a model are called, and what their prior is by default.

    Parameters
    ----------
    members : mapping of str to frozenset of str
        Terms that each component is the sum of.
    facets : frozenset of str
        Facets of the table: a cell of others is another term.
    scale : float
        Scale of the half-t law that is the default.
    link : {"identity", "logit", "ordinal"}
        What components are of.
    """

    members: Mapping[str, frozenset[str]]
    facets: frozenset[str]
    scale: float
    link: str


def terms_of(fit: Decomposition) -> Terms:
    """Terms of a model of scores as numbers; the default scale is the standard deviation of all scores."""
    members = dict(zip(fit.representatives, map(frozenset, fit.classes), strict=True))
    return Terms(members, frozenset(fit.judgments.names), fit.assembled.scale, "identity")


def latent_terms(names: Sequence[str], judgments: Judgments, link: Link) -> Terms:
    """Terms of a model of log odds."""
    members = {name: frozenset(name.split(" + ")) for name in names}
    return Terms(members, frozenset(judgments.names), LOG_ODDS, link)


@runtime_checkable
class Drawn(Protocol):
    """What a `Posterior` or `LatentPosterior` gives as a prior."""

    @property
    def terms(self) -> Terms:
        """Its terms."""

    @property
    def draws(self) -> Floats:
        """Variances, shape (draws, components)."""


Prior = Decomposition | LatentDecomposition | Drawn | Components | Mapping[str, float]
"""An earlier fit, a posterior, published components, or variances by name."""


def laws_of(laws: Sequence[Law], scale: float) -> Laws:
    """The laws as arrays, in units of ``scale``."""
    return Laws(np.array([law.scale for law in laws]) / scale, np.array([law.width for law in laws]))


def laws_for(terms: Terms, prior: Prior | None) -> tuple[Law, ...]:
    """The prior of every component of a model: from an earlier study where that has it, else the default.

    Raises
    ------
    InvalidInput
        If the earlier study has none of the components, or its components are of another kind.
    """
    default = {name: Law(name, "half-t", terms.scale, np.inf, "default") for name in terms.members}
    if prior is None:
        return tuple(default.values())
    earlier = _earlier(terms, prior)
    found = {name: law for name, members in terms.members.items() if (law := earlier(name, members)) is not None}
    if not found:
        raise InvalidInput(
            f"prior: has none of the components of this model ({listed(default, most=8)}); give one that has, or none"
        )
    return tuple({**default, **found}.values())


class _Fitted:
    """Laws from a fit or a posterior: the components that make up a class here, added up."""

    def __init__(self, terms: Terms, pilot: Decomposition | LatentDecomposition | Drawn) -> None:
        self.pilot, of = pilot, _terms(pilot)
        if of.link != terms.link:
            raise InvalidInput(
                f'prior: its components are by link "{of.link}", those of this model by link "{terms.link}"; fit the '
                "earlier study with the same " + argument("link", terms.link)
            )
        self.places = [
            (place, members)
            for place, members in enumerate(of.members.values())
            if of.facets == terms.facets or CELL not in {name.partition("[")[0] for name in members}
        ]

    def __call__(self, name: str, members: frozenset[str]) -> Law | None:
        places = [place for place, names in self.places if names <= members]
        if frozenset().union(*(names for place, names in self.places if place in places)) != members:
            return None
        if isinstance(self.pilot, Drawn):
            sd = np.sqrt(self.pilot.draws[:, places].sum(axis=1))
            logs = np.log(np.maximum(sd, 1e-300))
            return _law(name, float(np.exp(logs.mean())), float(logs.std()), float(np.quantile(sd, 0.975)))
        variance = sum(max(self.pilot.components[place].variance, 0.0) for place in places)
        high = sum(self.pilot.components[place].high for place in places)
        at = places
        if isinstance(self.pilot, Decomposition):
            at = [self.pilot.identified.representatives[place] for place in places]
        error = float(np.sqrt(max(self.pilot.covariance[np.ix_(at, at)].sum(), 0.0)))
        return _law(name, float(np.sqrt(variance)), _log_sd(variance, error), float(np.sqrt(high)))


def _terms(pilot: Decomposition | LatentDecomposition | Drawn) -> Terms:
    if isinstance(pilot, Decomposition):
        return terms_of(pilot)
    if isinstance(pilot, LatentDecomposition):
        return latent_terms(pilot.names, pilot.judgments, pilot.link)
    return pilot.terms


def _earlier(terms: Terms, prior: Prior) -> _Fitted | _Published:
    if isinstance(prior, (Decomposition, LatentDecomposition, Drawn)):
        return _Fitted(terms, prior)
    if isinstance(prior, Components):
        return _Published(prior)
    if isinstance(prior, Mapping):
        return _Published(components(prior))
    kind = type(prior).__name__
    raise InvalidInput(f"prior: a fit, a posterior, components or variances by name are needed, got {kind}")


class _Published:
    """Laws from components whose precision nobody knows: half-t, of the size that was published."""

    def __init__(self, published: Components) -> None:
        self.random = published.random

    def __call__(self, name: str, members: frozenset[str]) -> Law | None:
        if not members <= self.random.keys():
            return None
        variance = sum(self.random[member] for member in members)
        return Law(name, "half-t", float(np.sqrt(variance)), np.inf, "published") if variance > 0 else None


def _law(name: str, median: float, width: float, upper: float) -> Law | None:
    """Lognormal about what a pilot found; half-t below the limit it gives where it found next to nothing."""
    if width <= _WIDEST:
        return Law(name, "lognormal", median, width, "pilot")
    return Law(name, "half-t", upper / _UPPER, np.inf, "pilot") if 0 < upper < np.inf else None


def _log_sd(variance: float, error: float) -> float:
    """Standard deviation of the log of a standard deviation that an estimate with this standard error leaves.

    A variance estimated on ``df = 2 (variance / error)^2`` degrees of freedom is ``variance df / chi2_df``.
    """
    from scipy.special import polygamma

    if variance <= 0 or error <= 0:
        return np.inf
    return float(np.sqrt(polygamma(1, (variance / error) ** 2))) / 2
