"""Diagnosis of a fit: what its model takes for granted, looked at piece by piece."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any

import numpy as np

from quorate.arguments import argument
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.components.latent import LatentDecomposition
from quorate.estimate.diagnostics import judges
from quorate.estimate.diagnostics.check import SIGNIFICANT, Check, chance, together
from quorate.estimate.diagnostics.difficulty import Third, curvature, interaction_by_difficulty, split_facets
from quorate.estimate.diagnostics.drift import drift, order_column
from quorate.estimate.diagnostics.residuals import Residuals
from quorate.estimate.diagnostics.tails import Quantiles, quantiles
from quorate.streams import stream
from quorate.table.facts.describe import score_facts
from quorate.table.results import Result, Row, plain
from quorate.wording import counted, listed

RESAMPLES = 499
FEWEST = 99


@dataclass(frozen=True, eq=False, repr=False)
class Diagnosis(Result):
    """What stands out in a fit, and what does not. Made by `diagnose`.

    Parameters
    ----------
    fit : Decomposition
        The fit that was looked at.
    checks : tuple of Check
        One row for everything that was looked at, with p-values that are read together by Holm's method.
    not_looked_at : mapping of str to str
        Checks that the data do not allow, and why.
    quantiles : tuple of Quantiles
        Effects of every random term, and the residuals, against a normal law; none where nothing was drawn.
    thirds : tuple of Third
        Variance between judges, prompts and the like on easy and on hard items.
    resamples : int
        Data sets drawn from the fit; 0 where nothing was drawn.
    """

    fit: Decomposition = field(repr=False)
    checks: tuple[Check, ...]
    not_looked_at: Mapping[str, str]
    quantiles: tuple[Quantiles, ...] = field(repr=False)
    thirds: tuple[Third, ...]
    resamples: int

    derived = ("sentence",)

    @property
    def standing_out(self) -> tuple[Check, ...]:
        """Checks that stand out among all of them, the least likely first."""
        found = [one for one in self.checks if one.verdict == "stands out"]
        return tuple(sorted(found, key=lambda one: one.p))

    @property
    def sentence(self) -> str:
        """How many checks were made, and what stands out."""
        tested = sum(one.verdict != "described" for one in self.checks)
        if not tested:
            return "Nothing could be tested in these data."
        least, few = math.ceil(tested / SIGNIFICANT), ""
        if 0 < self.resamples < least and any(one.p_error > 0 for one in self.checks):
            few = f" Nothing drawn can stand out among so many with {self.resamples} resamples; take {least}."
        if not self.standing_out:
            return f"Nothing stands out in {counted(tested, 'check')} of what the model takes for granted.{few}"
        first = [f"{one.looked_at} ({chance(one.adjusted)})" for one in self.standing_out]
        verb = "stands" if len(first) == 1 else "stand"
        return f"Of {counted(tested, 'check')} {len(first)} {verb} out: {listed(first, most=2)}.{few}"

    @property
    def residuals(self) -> Residuals:
        """What the fit leaves of every cell, with what it fits."""
        return Residuals(self.fit)

    def rows(self) -> list[Row]:
        """One row for every check."""
        names = ("name", "looked_at", "measure", "statistic", "p", "p_error", "adjusted", "verdict")
        return [{name: getattr(one, name) for name in (*names, "sentence", "meaning", "remedy")} for one in self.checks]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values; the quantiles of every term with its levels."""
        return {**super().to_dict(), "quantiles": plain([row for one in self.quantiles for row in one.rows()])}

    def _backend(self) -> str | None:
        return self.fit.judgments.source.backend


def diagnose(
    fit: Decomposition,
    *,
    order: str | None = None,
    resamples: int = RESAMPLES,
    rng: int | np.random.Generator | None = None,
) -> Diagnosis:
    """Whether the model of a fit describes its data: noise, judges, interactions, tails, drift.

    Looks at what intervals take for granted: that judges are equally noisy, that none is apart from the others, that
    interactions do not depend on how hard an item is, that effects add, that three-way interactions left out are not
    there, that tails are those of a normal law, and that scores do not move with time. Every check is a row with its
    statistic, what it means for the interval and what to do. P-values are read together by Holm's method: a check
    stands out if it is below .05 among all of them.

    Parameters
    ----------
    fit : Decomposition
        From `quorate.decompose`.
    order : str, optional
        Column of the source that says when a score was given: numbers or dates. Default: one that nothing was made of
        and that is called like it, such as ``time`` or ``position``.
    resamples : int
        Data sets drawn from the fit, at least 99, for tails and three-way interactions; with 0 these are left out, as
        is the mean without each judge, and the rest takes next to no time.
    rng : int or numpy.random.Generator, optional
        Seed or generator; the same draws every time if left out.

    Returns
    -------
    Diagnosis

    Raises
    ------
    InvalidInput
        If ``resamples`` is between 1 and 98, or the fit is one of log odds.
    UnknownColumn
        If there is no column ``order``.

    References
    ----------
    Brown and Forsythe (1974), Journal of the American Statistical Association 69, 364-367; Grubbs (1950), Annals of
    Mathematical Statistics 21, 27-58; Tukey (1949), Biometrics 5, 232-242; Crainiceanu and Ruppert (2004), Journal of
    the Royal Statistical Society B 66, 165-185. ``docs/methods/diagnostics.md`` has sizes and powers.

    Examples
    --------
    >>> import polars
    >>> import quorate as q
    >>> from quorate.simulate.demo import demo_table
    >>> found = q.diagnose(q.decompose(q.read(polars.DataFrame(demo_table()), announce=False)), resamples=0)
    >>> [check.name for check in found.checks]
    ['noise-by-judge', 'odd-interaction', 'curvature', 'difficulty-by-prompt', 'difficulty-by-judge']
    """
    if isinstance(fit, LatentDecomposition):
        raise InvalidInput(
            "fit: checks are of scores as numbers, and these components are of log odds; fit without "
            + argument("link", fit.link)
            + ", or hand over its linear, the decomposition of the same scores as numbers"
        )
    if not isinstance(resamples, Integral) or (resamples < FEWEST and resamples != 0):
        raise InvalidInput(f"resamples: 0 or a whole number of at least {FEWEST} is needed, got {resamples!r}")
    generator = stream(0, "diagnose") if rng is None else np.random.default_rng(rng)
    residuals = Residuals(fit)
    looked: dict[str, Check | str] = dict(judges.checks(residuals, refits=resamples > 0))
    looked["curvature"] = _attempted(curvature, residuals)
    thirds: list[Third] = []
    for facet in split_facets(residuals):
        try:
            check, rows = interaction_by_difficulty(residuals, facet)
        except NotEstimable as error:
            looked[f"difficulty-by-{facet}"] = str(error)
            continue
        looked[check.name] = check
        thirds += rows
    column = order or order_column(fit.judgments)
    if order is not None:
        looked["drift"] = drift(residuals, order)
    elif column is not None:
        looked["drift"] = _attempted(drift, residuals, column)
    else:
        looked["drift"] = "no column says when a score was given; name it (order)"
    plots: tuple[Quantiles, ...] = ()
    if resamples:
        from quorate.estimate.diagnostics import interactions

        if score_facts(fit.judgments).binary:
            looked["tails"] = "scores of two values follow no bell curve, and nothing rests on one here"
        else:
            plots, tails = quantiles(fit, int(resamples), generator)
            looked |= {check.name: check for check in tails}
        looked |= dict(interactions.checks(fit, int(resamples), generator))
    made = together([one for one in looked.values() if isinstance(one, Check)])
    reasons = {name: one for name, one in looked.items() if isinstance(one, str)}
    return Diagnosis(fit, made, reasons, plots, tuple(thirds), int(resamples))


def _attempted(look: Callable[..., Check], *of: Any) -> Check | str:
    try:
        return look(*of)
    except NotEstimable as error:
        return str(error)
