"""Decomposition: the components of a fit, its mean, and how both would vary."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import cached_property

import numpy as np

from quorate.estimate.components.bootstrap import Bootstrap, bootstrap, default_draws, studentised
from quorate.estimate.components.fit import Fitted
from quorate.estimate.components.model import Component, Interval
from quorate.estimate.means.mean import Basis, Estimate, mean_for
from quorate.estimate.means.prediction import tail_df
from quorate.estimate.means.targets import Target
from quorate.frozen import dataclass
from quorate.numerics.inference import variance_interval
from quorate.streams import stream
from quorate.table.results import Row
from quorate.wording import brief


@dataclass(frozen=True, eq=False, repr=False)
class Decomposition(Fitted):
    """Variance components of a table of judgments.

    Made by `decompose`. Components are read by name with `variance`, all together with `components` or `to_frame`, and
    the mean with its intervals is `mean`.
    """

    derived = ("components", "caveats")

    def __repr__(self) -> str:
        parts = ", ".join(f"{name} {value:.4g}" for name, value in self.variances.items())
        return brief("Decomposition", parts)

    @cached_property
    def components(self) -> tuple[Component, ...]:
        """All components, random ones first, with standard errors and 95% intervals."""
        out = []
        for (name, value), members in zip(self.variances.items(), self.identified.classes, strict=True):
            se = float(np.sqrt(max(self.covariance[members[-1], members[-1]], 0.0)))
            df, tails = self.freedom(members[-1]), self.tails[name]
            low, high = variance_interval(value, se, df, 0.95, tails=tails)
            law: Interval = "normal" if tails is None else "robust"
            share = max(value, 0.0) / self.total
            out.append(Component(name, value, se, low, high, self.n_levels(members[-1]), "random", share, law))
        for name, value in self.sensitivities.items():
            levels = len(self.judgments.facet(name).levels)
            out.append(Component(name, value, np.nan, np.nan, np.nan, levels, "sensitivity", value / self.total, None))
        return tuple(out)

    @cached_property
    def tails(self) -> Mapping[str, float | None]:
        """Degrees of freedom of robust intervals, by component; None where its interval is that of normal effects.

        Unless an interval is asked for, it is robust where the tails are heavier than those of normal effects.
        """
        out: dict[str, float | None] = dict.fromkeys(self.representatives)
        for name, t in self.representatives.items() if self.interval != "normal" else ():
            df = self.freedom(t)
            robust = tail_df(self, t, df)
            out[name] = robust if robust is not None and (self.interval == "robust" or robust < df) else None
        return out

    @property
    def mean(self) -> Estimate:
        """The mean score: random facets stand for their population, fixed facets and systems for themselves.

        A random facet of one level, or whose variance the design leaves nothing to see of, does too, with a caveat.
        """
        return self.mean_for()

    def mean_for(self, **targets: Target) -> Estimate:
        """The mean score for a stated target.

        Parameters
        ----------
        **targets : str or Pool
            Per facet: "population" (levels drawn from an infinite population), "panel" or "finite" (these levels are
            all there is), "sensitivity" (fixed facets: the published index, not a sampling variance) or ``pool(K)``.
            A grouping facet such as a category also takes "absorbed" and "fixed". Other facets keep their default.

        Raises
        ------
        NotEstimable
            If the data do not determine the variance that the target needs.
        """
        if not all(isinstance(one, Hashable) for one in targets.values()):
            return mean_for(self, targets)  # which says what is wrong
        asked = frozenset(targets.items())
        if asked not in self._means:
            self._means[asked] = mean_for(self, targets)
        return self._means[asked]

    @cached_property
    def _means(self) -> dict[frozenset[tuple[str, Target]], Estimate]:
        """Means that were asked for: a page asks for the same many times."""
        return {}

    def bootstrap(self, n: int = 1000, *, rng: int | np.random.Generator | None = None) -> Bootstrap:
        """How the components, their shares and the mean would vary over studies of this design.

        Parametric: data are redrawn from the fitted model, as the few sums that the likelihood needs and never as rows,
        and every draw is fitted again by the same method.

        Parameters
        ----------
        n : int
            Draws, at least 100.
        rng : int or numpy.random.Generator, optional
            Seed or generator; the same draws every time if left out.

        Returns
        -------
        Bootstrap
            Draws of the components and of the fixed facets' level means, with their intervals.

        Raises
        ------
        InvalidInput
            If ``n`` is too small, or the fit is by ``method="anova"``.

        Notes
        -----
        R: ``lme4::bootMer(fit, VarCorr, nsim = 1000, type = "parametric")``.

        References
        ----------
        Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapter 6.

        Examples
        --------
        >>> import quorate as q
        >>> from quorate.simulate import write_demo
        >>> fit = q.decompose(q.read(write_demo("scores.csv")))
        >>> draws = fit.bootstrap(100)
        >>> item = draws.interval("item")
        >>> item.low < item.value < item.high
        True
        """
        return bootstrap(self, n, stream(0, "bootstrap") if rng is None else np.random.default_rng(rng))

    @property
    def default_bootstrap(self) -> Bootstrap:
        """The draws behind ``mean.at(method="bootstrap").ends``: 1,000 under the default seed."""
        return default_draws(self)

    def studentised(self, basis: Basis, level: float) -> float:
        """Half-width of the bootstrap-t interval of a mean, by draws of this fit."""
        return studentised(basis, level)

    def rows(self) -> list[Row]:
        """One row a component: term, variance, se, low, high, levels, kind, share."""
        return [one.row() for one in self.components]
