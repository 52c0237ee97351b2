"""Joint means of several systems by one model for all their judgments, and any contrast of these means."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations

import numpy as np

from quorate.arguments import argument
from quorate.arrays import Floats
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.components.decompose import decompose
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.components.decomposition import Method as Estimator
from quorate.estimate.components.model import CELL
from quorate.estimate.means.effects import level_labels
from quorate.estimate.means.mean import Estimate, contrast, contrasts
from quorate.estimate.means.targets import FINITE, PANEL, POPULATION, Target, default_targets
from quorate.table.judgments import Judgments, checked
from quorate.wording import brief


@dataclass(frozen=True, eq=False, repr=False)
class JointMeans:
    """Mean score of every system, with what any contrast of them needs.

    Parameters
    ----------
    fit : Decomposition
        The model: systems fixed, and every random term also by system.
    facet : str
        Role of the systems.
    systems : tuple of str
        Labels.
    chosen : bool
        Whether terms, covariates or residuals were chosen, so that systems need not be alike in the model.
    asked : mapping of str to str
        What other facets stand for, where that was asked.
    """

    fit: Decomposition
    facet: str
    systems: tuple[str, ...]
    chosen: bool = False
    asked: Mapping[str, Target] = field(default_factory=dict)

    def __repr__(self) -> str:
        return brief("JointMeans", ", ".join(self.systems))

    @property
    def rows(self) -> Floats:
        """Weights of each system's mean on the fixed effects, shape (systems, p)."""
        return self.fit.assembled.fixed.levels[self.facet]

    @property
    def targets(self) -> Mapping[str, Target]:
        """What every facet of the model stands for."""
        return {
            **default_targets(self.fit),
            **{name: self.asked[name] for name in self.asked if name in self.fit.judgments.names},
        }

    @property
    def value(self) -> Floats:
        """Means, shape (systems,)."""
        return self.rows @ self.fit.beta

    @cached_property
    def covariance(self) -> Floats:
        """Covariance of the means for these targets, at the estimated components; shape (systems, systems)."""
        return self.rows @ self.fit.beta_covariance @ self.rows.T

    def contrast(self, weights: Sequence[float] | Floats) -> Estimate:
        """A weighted sum of the means, as an estimate.

        Parameters
        ----------
        weights : sequence of float, shape (systems,)
            Weight of every mean; 1 and -1 for a difference.
        """
        return contrast(self.fit, np.asarray(weights, dtype=float) @ self.rows, self.targets)

    def contrasts(self, weights: Floats) -> list[Estimate]:
        """Several weighted sums at once, in a fraction of the time of one after the other.

        Parameters
        ----------
        weights : array, shape (contrasts, systems)
            Weight of every mean in each.
        """
        like = np.arange(len(weights))
        if self.exchangeable:  # the same weights on other systems have the same variance
            kinds = np.unique(np.sort(weights, axis=1), axis=0, return_index=True, return_inverse=True)
            like = kinds[1][kinds[2].ravel()]
        return contrasts(self.fit, weights @ self.rows, self.targets, like)

    @cached_property
    def exchangeable(self) -> bool:
        """Whether the design is the same with any two systems exchanged: all have the same cells, as often answered."""
        if self.chosen:
            return False
        judgments = self.fit.judgments
        system = judgments.level_codes([self.facet])
        rest = judgments.level_codes([name for name in judgments.names if name != self.facet])
        times = np.zeros((int(rest.max()) + 1, len(self.systems)), dtype=np.int64)
        times[rest, system] = judgments.n
        return bool((times == times[:, :1]).all())


def joint_means(
    judgments: Judgments,
    *,
    facet: str = "system",
    targets: Mapping[str, Target] | None = None,
    random: Sequence[str] | None = None,
    covariates: Sequence[str] | None = None,
    method: Estimator | None = None,
    residual_by: str | None = None,
) -> JointMeans:
    """Mean score of every system from all judgments at once, whether or not systems share items, judges and prompts.

    Random are all other facets that are drawn, by themselves, in pairs, and each of these also by system; a facet that
    stands for itself is fixed, with its interaction with the system. What systems share cancels in their contrasts. All
    systems are taken to vary alike.

    Parameters
    ----------
    judgments : Judgments
        From `quorate.read`.
    facet : str
        Role of the systems.
    targets : mapping of str to str, optional
        What other facets stand for: "population" or "panel". By default "panel" for those read as fixed.
    random, covariates, method, residual_by
        As for `quorate.decompose`; each random term that is named is also taken by system, and a facet that is a
        covariate is no random term.

    Raises
    ------
    UnknownTerm
        If there is no such facet or term.
    InvalidInput
        If a target is another, or the systems are the object of measurement.
    NotEstimable
        If there are fewer than two systems, a fixed level never met some system, or every system has one item.

    Notes
    -----
    R: ``lmer(score ~ system + (1|item) + (1|judge) + (1|item:judge) + (1|item:system) + (1|judge:system) + ...)`` and
    ``emmeans(fit, ~ system)``.

    Examples
    --------
    >>> import polars
    >>> import quorate as q
    >>> rows = {"system": list("xxxyyy"), "item": [1, 2, 3, 4, 5, 6], "score": [4, 5, 3, 2, 4, 3]}
    >>> joint_means(q.read(polars.DataFrame(rows), announce=False)).contrast([1, -1]).value
    1.0
    """
    checked(judgments).facet(facet)
    if facet == judgments.object:
        raise InvalidInput(f'facet: "{facet}" is the object of measurement; read with object= as what it is judged on')
    answered = judgments.keep(judgments.n > 0)
    flat = _flat(answered, facet, targets or {})
    systems = flat.facet(facet).levels
    if len(systems) < 2:
        rule = f"{facet}: at least 2 are needed to compare them, got {len(systems)}"
        votes = judgments.source.instead
        also = "; the same file holds votes: read them with " + argument("part", votes) if votes else ""
        raise NotEstimable(rule + also, {facet})
    asked = {name for term in covariates or () for name in term.split(":")}
    if facet in asked:
        raise InvalidInput(f'covariates: "{facet}" is what is compared; leave it out')
    fixed = [other.name for other in flat.facets if other.fixed and other.name != facet and len(other.levels) > 1]
    terms = random_terms(flat, facet, asked) if random is None else by_system(random, facet)
    fit = decompose(
        flat,
        random=terms,
        covariates=[*(f"{name}:{facet}" for name in fixed if name not in asked), *(covariates or ())],
        method=method or "reml",
        residual_by=residual_by,
    )
    return JointMeans(fit, facet, systems, bool(asked or random or residual_by), targets or {})


def _flat(judgments: Judgments, facet: str, targets: Mapping[str, Target]) -> Judgments:
    """The same cells with systems fixed and in no parent, and other facets as the targets have them."""
    _check_targets(judgments, facet, targets)
    dropped = {*judgments.ancestors(facet), *_of_system(judgments, facet)}
    facets, columns = [], []
    for old in judgments.facets:
        if old.name in dropped:
            continue
        inside = old.name == facet or old.parent in dropped | {facet}
        column = judgments.level_codes([old.name]) if inside and old.parent is not None else judgments.column(old.name)
        labels = level_labels(judgments, old.name) if inside else old.levels
        single = judgments.n_levels(old.name) == 1 and old.name != judgments.object
        panel = targets.get(old.name, PANEL if old.fixed else POPULATION) == PANEL
        fixed = old.name == facet or single or panel
        parent = None if inside else old.parent
        facets.append(replace(old, levels=labels, parent=parent, fixed=fixed, values=None if inside else old.values))
        columns.append(column)
    return replace(judgments, facets=tuple(facets), codes=np.column_stack(columns).astype(np.int32))


def _check_targets(judgments: Judgments, facet: str, targets: Mapping[str, Target]) -> None:
    for name, target in targets.items():
        judgments.facet(name)
        if name == facet:
            raise InvalidInput(f'{name}: systems stand for themselves; leave "{name}" out of the targets')
        if name == judgments.object and target in (PANEL, FINITE):
            raise InvalidInput(
                f'{name}: "{target}" is for a paired comparison; of one model for all it is "population"'
            )
        if target not in (PANEL, POPULATION):
            raise InvalidInput(f'{name}: the target must be one of "population", "panel", got {str(target)!r}')


def _of_system(judgments: Judgments, facet: str) -> set[str]:
    """Facets that have one level in each system, and several in all: they only say again which system it is."""
    system = judgments.level_codes([facet])
    out = set()
    for name in judgments.names:
        joint = judgments.level_codes([facet, name])
        if name != facet and judgments.n_levels(name) > 1 and joint.max() == system.max():
            out.add(name)
    if judgments.object in out:
        item = judgments.object
        raise NotEstimable(
            f"{item}: every system has 1 {item}; at least 2 of one are needed for a standard error", {item}
        )
    return out


def by_system(random: Sequence[str], facet: str) -> list[str]:
    """Random terms as they are named, each also by system, and the cell."""
    alike = [term for term in random if term != CELL and facet not in term.split(":")]
    return list(dict.fromkeys([*random, *(f"{term}:{facet}" for term in alike), CELL]))


def random_terms(judgments: Judgments, facet: str, but: Collection[str] = ()) -> list[str]:
    """Random facets, their pairs, and their pairs with fixed facets; each also by system; what groups items alone."""
    grouping = set(judgments.ancestors(judgments.object))
    names = [name for name in judgments.names if name not in (facet, *but) and judgments.n_levels(name) > 1]
    random = [name for name in names if not judgments.facet(name).fixed]
    alone = [(name,) for name in random]
    crossed = [name for name in names if name not in grouping]
    related = {(name, up) for name in names for up in judgments.ancestors(name)}
    both = [pair for pair in combinations(crossed, 2) if set(pair) & set(random) and not {pair, pair[::-1]} & related]
    terms = [":".join(term) for term in (*alone, *both)]
    return [*terms, *(f"{term}:{facet}" for term in terms), "cell"]
