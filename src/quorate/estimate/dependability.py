"""How dependably items, people or systems are told apart: generalizability and dependability coefficients."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from quorate.caveats import Caveat
from quorate.errors import InvalidInput, NotEstimable, UnknownTerm
from quorate.estimate.decomposition import Decomposition
from quorate.estimate.mean import draw_of
from quorate.estimate.model import CELL, REPLICATE, closure
from quorate.estimate.targets import PANEL, POPULATION, default_targets
from quorate.table.judgments import Judgments

Floats = NDArray[np.float64]
Kind = Literal["universe", "relative", "absolute"]


@dataclass(frozen=True)
class Contribution:
    """What one component adds.

    Parameters
    ----------
    component : str
        Term, or the sum of terms that cannot be told apart.
    kind : {"universe", "relative", "absolute"}
        Universe score variance; error of comparisons as well as of decisions against a standard; error of the latter
        only.
    variance : float
        The component over the number of levels it is averaged over.
    """

    component: str
    kind: Kind
    variance: float


@dataclass(frozen=True)
class Dependability:
    """Generalizability and dependability of the mean score of an object of measurement.

    Parameters
    ----------
    object : str
        Role of the object of measurement.
    n_objects : int
        Its levels in the data.
    levels : mapping of str to float
        Levels per object that are averaged over, nested ones within one parent, ``replicate`` within one cell.
    fixed : tuple of str
        Facets whose levels are the whole universe.
    contributions : tuple of Contribution
        What the variances below are made of.
    generalizability, phi : float
        Generalizability coefficient and index of dependability, between 0 and 1; nan where all variances are zero.
    generalizability_se, phi_se : float
        Their standard errors by the delta method.
    caveats : tuple of Caveat
        Those of the components.
    """

    object: str
    n_objects: int
    levels: Mapping[str, float]
    fixed: tuple[str, ...]
    contributions: tuple[Contribution, ...]
    generalizability: float
    phi: float
    generalizability_se: float
    phi_se: float
    caveats: tuple[Caveat, ...]

    @property
    def universe(self) -> float:
        """Universe score variance: how much the objects truly differ."""
        return self._sum("universe")

    @property
    def relative_error(self) -> float:
        """Variance of the error in comparing objects; its root is the standard error of a comparison's each side."""
        return self._sum("relative")

    @property
    def absolute_error(self) -> float:
        """Variance of the error in holding an object against a standard."""
        return self.relative_error + self._sum("absolute")

    def _sum(self, kind: Kind) -> float:
        return sum(one.variance for one in self.contributions if one.kind == kind)


def dependability(
    fit: Decomposition, object: str | None = None, *, fixed: Collection[str] | None = None, **levels: float
) -> Dependability:
    """How dependably a mean score tells items (people, systems) apart, and holds them against a standard.

    Components are sorted by the facets ``a`` that they contain beside the object ``p`` and what it is nested in, and
    divided by the levels ``n_a`` that are averaged over::

        universe   sigma2(p) + sigma2(parents of p) + sum of sigma2(p a) / n_a      for a all fixed
        relative   sum of sigma2(p a) / n_a                                         for a not all fixed
        absolute   relative + sum of sigma2(a) / n_a                                for a not all fixed, without p

        generalizability = universe / (universe + relative)      comparisons and rankings of objects
        phi              = universe / (universe + absolute)      decisions against a standard

    A facet that groups the object (a category) counts to the universe score, because objects of all groups are compared;
    fit one group alone (`quorate.estimate.robustness.by_level`) for comparisons within it.

    Parameters
    ----------
    fit : Decomposition
        From `quorate.decompose`.
    object : str, optional
        Role of the object of measurement; the table's by default. It must be random.
    fixed : collection of str, optional
        Facets whose levels are the whole universe: always these judges. By default those that are fixed in the fit, and
        those with one level; ``()`` generalises over all.
    **levels : float
        Levels per object of each facet, and ``replicate``. By default those in the data: the harmonic mean over objects,
        nested levels within one parent. Levels of fixed facets cannot be changed.

    Returns
    -------
    Dependability

    Raises
    ------
    UnknownTerm
        If a facet does not exist.
    InvalidInput
        If the object is fixed, or levels are below 1 or given for a fixed facet.
    NotEstimable
        If the coefficients need components apart that the design cannot tell apart.

    Notes
    -----
    R: ``gtheory::dstudy(gtheory::gstudy(score ~ (1|item) + (1|judge) + (1|item:judge), data), colname.objects = "item")``.

    References
    ----------
    Brennan (2001), Generalizability Theory, chapter 4: any random model, then mixed models, where interactions of the
    object with fixed facets alone, divided by their levels, join the universe score. The data of table 3.2 (page 73) are
    in the tests.

    Examples
    --------
    >>> import polars
    >>> import quorate as q
    >>> rows = {"item": [1, 1, 2, 2, 3, 3, 4, 4], "judge": list("xyxyxyxy"), "score": [1, 2, 2, 4, 3, 4, 5, 5]}
    >>> fit = q.decompose(q.read(polars.DataFrame(rows), fixed=()))
    >>> round(dependability(fit).phi, 3), round(dependability(fit, judge=4).phi, 3)
    (0.882, 0.937)
    """
    judgments = fit.judgments
    target = object or judgments.object
    if judgments.facet(target).fixed:
        raise InvalidInput(f'object: "{target}" is fixed; read the data with it left out of fixed=')
    chosen = _fixed(fit, target, fixed)
    counts = _levels(fit, target, chosen, levels)
    rows = [_kind(fit, name, target, chosen, counts) for name in fit.assembled.names]
    parts = _Parts(fit, rows)
    parts.add_drawn(target, chosen, counts)
    parts.refuse_unidentified()
    return _result(fit, target, chosen, counts, parts)
