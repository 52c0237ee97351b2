"""Mean of one table by the components of another: scores of production, variance of a pilot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from functools import cached_property
from typing import Any, cast

import numpy as np

from quorate.arrays import Floats
from quorate.caveats import Caveat, unlike_the_pilot, zero_in_the_pilot
from quorate.errors import InvalidInput, NotConverged, NotEstimable
from quorate.estimate.components.assemble import assemble
from quorate.estimate.components.decompose import decompose
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.components.latent import LatentDecomposition
from quorate.estimate.components.model import CELL
from quorate.estimate.components.published import level_of
from quorate.estimate.means.intervals import limits, score_ends
from quorate.estimate.means.mean import Estimate, Weighed, estimate, on_scale, weighed
from quorate.estimate.means.targets import POPULATION, Pool, Target, resolve, scope
from quorate.frozen import dataclass
from quorate.numerics.inference import checked_level
from quorate.numerics.mixed.information import identify, information, null_point
from quorate.numerics.mixed.reml import evaluate, traces
from quorate.numerics.mixed.solved import solve
from quorate.roles import REPLICATE
from quorate.table.judgments import Judgments, checked
from quorate.table.results import Ends, Result, Row, StatedInterval, plain
from quorate.wording import at_level, counted, decimals, listed

_FAR = 2.5
"""Standard errors from 1 at which the spread of the scores is not what the pilot says."""


@dataclass(frozen=True)
class Shared:
    """Levels of a facet in both tables.

    Parameters
    ----------
    facet : str
        Role.
    pilot, production : int
        Levels in each, counted within their parents.
    shared : int
        Labels that are in both.
    target : str or Pool
        What the facet stands for.
    """

    facet: str
    pilot: int
    production: int
    shared: int
    target: Target


@dataclass(frozen=True)
class MeanFrom(Result):
    """A mean of scores whose uncertainty a pilot knows.

    Parameters
    ----------
    weighed : Estimate
        Mean and weights of the production table; components and degrees of freedom of the pilot.
    levels : tuple of Shared
        What the two tables have in common, facet by facet.
    spread, spread_se : float
        How much the production scores vary, over what the pilot's components say; with its standard error where they
        are right.
    level : float
        Coverage of the interval.
    production : Judgments
        The answered scores.
    """

    weighed: Estimate = field(repr=False)
    levels: tuple[Shared, ...]
    spread: float
    spread_se: float
    level: float
    production: Judgments = field(repr=False)

    entries = "estimate df=weighed.df spread spread_se shares=weighed.shares levels=rows alone sentence caveats"

    @property
    def pilot(self) -> Decomposition:
        """Where the components come from."""
        return cast("Decomposition", self.weighed.basis.fit)

    @cached_property
    def estimate(self) -> StatedInterval:
        """Student's interval on the pilot's degrees of freedom, of log odds where the mean is near an end of the scale.

        That of ``weighed`` is wider, for what a component estimated at zero may be.
        """
        made, ends = self.weighed, score_ends(self.pilot.judgments)

        def law(level: float) -> Ends:
            return limits(made.value, made.at(level, "satterthwaite").half_width, made.n, ends)

        targets = {one.facet: one.target for one in self.levels}
        whom = scope(self.production, targets, self.production.object)
        return StatedInterval(made.value, made.se, made.n, self.level, law, whom)

    @cached_property
    def alone(self) -> Estimate | str:
        """The same mean from the production table alone, or why it cannot tell."""
        pilot = self.pilot
        model, covariates = pilot.assembled.model, pilot.assembled.model.covariates
        random = [":".join(term) for term in model.random] + ([CELL] if model.cell else [])
        try:
            fit = decompose(
                self.production, random=random, covariates=covariates, residual_by=pilot.assembled.residual_by
            )
            return fit.mean_for(**{one.facet: one.target for one in self.levels})
        except (NotEstimable, NotConverged, InvalidInput) as error:
            return str(error)

    @property
    def caveats(self) -> tuple[Caveat, ...]:
        """What the reader must know: of the mean, and of the pilot where that is meant."""
        own = {caveat.code for caveat in self.pilot.caveats}
        out = [
            replace(one, sentence="in the pilot: " + one.sentence) if one.code in own else one
            for one in self.weighed.caveats
            if one.code != "zero-few-levels"
        ]
        known, drawn = self.pilot.variances, [one for one in self.levels if one.target == POPULATION]
        out += [zero_in_the_pilot(one.facet, one.pilot) for one in drawn if known.get(one.facet) == 0]
        if abs(self.spread - 1) > _FAR * self.spread_se:
            out.append(unlike_the_pilot(self.spread, self.spread_se))
        return tuple(out)

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        found, pilot, table = self.estimate, self.pilot.judgments, self.production
        places = 1 + decimals(found.half_width)
        ends = f"{found.low:.{places}f} to {found.high:.{places}f}"
        return (
            f"Mean {found.value:.{places}f} of {counted(found.n, 'answer')} on "
            f"{counted(table.n_levels(table.object), table.object)}; {at_level(self.level)} interval {ends}"
            f"{f' {found.scope}' if found.scope else ''}. Their variance is from a pilot of "
            f"{counted(pilot.n_answers, 'answer')} on {counted(pilot.n_levels(pilot.object), pilot.object)}."
        )

    def rows(self) -> list[Row]:
        """One row a facet: its levels in the pilot, in production and in both, and what it stands for."""
        return [{**vars(one), "target": str(one.target)} for one in self.levels]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        alone = self.alone
        own = {"reason": alone} if isinstance(alone, str) else {"se": alone.se, "interval": alone.at(self.level).ends}
        return super().to_dict() | {"alone": plain(own)}


def mean_from(
    production: Judgments,
    pilot: Decomposition | LatentDecomposition,
    *,
    targets: Mapping[str, Target] | None = None,
    level: float = 0.95,
) -> MeanFrom:
    """The mean of a table that cannot know its own error, by the components of a pilot.

    A study in which every item meets one judge in turn is precise, but does not show what another judge would change.
    The mean and the weights of its scores are its own; how much each of them varies, and how well that is known, is the
    pilot's. Levels may be shared or new.

    Parameters
    ----------
    production : Judgments
        The scores whose mean is wanted, in any layout, with the facets of the pilot.
    pilot : Decomposition
        From `quorate.decompose` without a link, of a crossed study. Scores of both must come about in the same way: the
        same scale, items of the same kind, judges and prompts drawn from the same ones.
    targets : mapping of str to str or Pool, optional
        What facets stand for: population, panel, finite, sensitivity or pool(K), such as ``{"judge": "panel"}``. As for
        `Decomposition.mean_for`.
    level : float
        Coverage of the interval.

    Returns
    -------
    MeanFrom

    Raises
    ------
    InvalidInput
        If a facet is in one table alone or nested otherwise, a pool does not hold the production levels, or the pilot
        was fitted with a link.
    NotEstimable
        If the pilot does not determine the variance that these scores have; carries the range.

    Notes
    -----
    R: ``lme4::lmer`` on the production table with its variance parameters held at those of the pilot.

    References
    ----------
    Messing (2026), Eqs. 3 and 10. Satterthwaite (1946), Biometrics Bulletin 2, 110-114. Derived in
    ``docs/methods/intervals.md``.

    Examples
    --------
    >>> import quorate as q
    >>> from quorate.simulate import write_demo
    >>> scores = q.read(write_demo("scores.csv"))
    >>> pilot = q.decompose(scores)
    >>> mean_from(scores, pilot).estimate.value == pilot.mean.value
    True
    """
    checked_level(level)
    if isinstance(pilot, LatentDecomposition):
        raise InvalidInput("pilot: its components are of log odds, the mean is of scores; decompose without a link")
    if not isinstance(pilot, Decomposition):
        raise InvalidInput(f"pilot: expects what quorate.decompose returns, got {type(pilot).__name__}; decompose it")
    table = _alike(checked(production), pilot)
    table = table.keep(table.n > 0)
    chosen = resolve(pilot, targets or {}, drawn=True)
    for name, target in chosen.items():
        if isinstance(target, Pool) and table.n_levels(name) > target.size:
            raise InvalidInput(f"{name}: a pool of {target.size} cannot hold the {table.n_levels(name)} in production")
    seen, to_own = at_components(table, pilot)
    found = estimate(pilot, weighed_by(seen, pilot, to_own, table.n_answers), chosen)
    spread, spread_se = _spread(seen, pilot, to_own)
    levels = tuple(
        Shared(
            one.name,
            pilot.judgments.n_levels(one.name),
            table.n_levels(one.name),
            len({*one.levels} & {*pilot.judgments.facet(one.name).levels}),
            chosen[one.name],
        )
        for one in table.facets
    )
    return MeanFrom(on_scale(found), levels, spread, spread_se, level, table)


def _alike(production: Judgments, pilot: Decomposition) -> Judgments:
    """The production table with its facets in the order and the kinds of the pilot; refused if they are others."""
    known = pilot.judgments
    for name in production.names:
        if name not in known.names:
            raise InvalidInput(
                f'production: the pilot has no facet "{name}" ({listed(known.names)}), so nothing says how scores vary '
                f"with it; read production without it, or collect a pilot with several levels of it"
            )
    for facet in known.facets:
        if facet.name not in production.names:
            raise InvalidInput(
                f'production: has no facet "{facet.name}", which the pilot has; name its column, one value in every '
                "row if it did not vary"
            )
        if production.facet(facet.name).parent != facet.parent:
            raise InvalidInput(f"production: {facet.name} is nested otherwise than in the pilot; read both alike")
    if production.object != known.object:
        raise InvalidInput(f"production: is about {production.object}s, the pilot about {known.object}s")
    order = [production.names.index(name) for name in known.names]
    facets = tuple(replace(production.facets[i], fixed=known.facet(production.names[i]).fixed) for i in order)
    return replace(production, facets=facets, codes=production.codes[:, order])


def at_components(table: Judgments, pilot: Decomposition) -> tuple[Decomposition, Floats]:
    """The production table at the pilot's components, and the matrix that makes its components of the pilot's.

    Where the pilot never judged a cell twice it knows cell and replicate by their sum alone, and answers to one
    production cell count as one.
    """
    names = pilot.assembled.names
    if not any(name.startswith(REPLICATE) for name in names):
        once = np.minimum(table.n, 1)
        table = replace(table, n=once, ss=np.zeros(len(once)), status={}, distinct=None)
    problem_of = assemble(table, pilot.assembled.model, reml=True, residual_by=pilot.assembled.residual_by)
    problem = problem_of.problem
    to_own = np.array([[_holds(name, other, problem_of.names) for other in names] for name in problem_of.names])
    for name, row in zip(problem_of.names, to_own, strict=True):
        if not row.any():
            raise InvalidInput(f"production: the pilot has no residual of {level_of(name)}; leave that level out")
    theta = to_own @ (np.maximum(pilot.theta, 0.0) * (pilot.assembled.scale / problem_of.scale) ** 2)
    null = solve(problem, null_point(problem), reml=True)
    identified = identify(2 * information(problem, null), problem.n_rows)
    return Decomposition(problem_of, identified, theta, evaluate(problem, theta), pilot.method), to_own


def _holds(name: str, other: str, names: tuple[str, ...]) -> float:
    """Whether a component of the pilot is in one of the production table, where single answers are whole cells."""
    alone = name.startswith(CELL) and name.replace(CELL, REPLICATE, 1) == other and other not in names
    return float(name == other or alone)


def weighed_by(seen: Decomposition, pilot: Decomposition, to_own: Floats, n: int) -> Weighed:
    """The mean of the production scores as the pilot's components weigh in it."""
    own = weighed(seen, seen.assembled.fixed.mean, to_own @ pilot.covariance @ to_own.T)
    levels = {name: len(rows) for name, rows in seen.assembled.fixed.levels.items()}

    def gradient(targets: Mapping[str, Target]) -> Floats:
        return np.asarray(own.gradient(targets) @ to_own)

    return replace(own, n=n, concentrated=own.concentrated @ to_own, gradient=gradient, levels=levels)


def _spread(seen: Decomposition, pilot: Decomposition, to_own: Floats) -> tuple[float, float]:
    """``y'Py`` of the production scores over its degrees of freedom, 1 at the true components, and its standard error.

    With independent errors of both tables: ``2 / free`` of its own scores, and what the pilot's components are off.
    """
    problem, solved = seen.assembled.problem, seen.point.solved
    free = problem.n_rows - problem.p
    ratio = 1 - float(seen.theta @ seen.point.gradient) / free
    slopes = traces(problem, solved)
    slopes[-problem.n_residual :] += problem.replicates.df / np.maximum(solved.theta[-problem.n_residual :], 1e-300)
    slopes = slopes @ to_own / (free * seen.assembled.scale**2)
    return ratio, float(np.sqrt(2 / free + slopes @ pilot.covariance @ slopes))
