"""What a mean is meant to stand for, facet by facet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING

from quorate.errors import InvalidInput
from quorate.table.judgments import Judgments

if TYPE_CHECKING:
    from quorate.estimate.components.decomposition import Decomposition

POPULATION = "population"
PANEL = "panel"
FINITE = "finite"
SENSITIVITY = "sensitivity"
ABSORBED = "absorbed"
FIXED = "fixed"


@dataclass(frozen=True)
class Pool:
    """A finite pool of levels from which the ones used were drawn.

    Parameters
    ----------
    size : int
        Levels in the pool.
    """

    size: int

    def __post_init__(self) -> None:
        if isinstance(self.size, bool) or not isinstance(self.size, Integral) or self.size < 1:
            raise InvalidInput(f"pool: the size must be a whole number of at least 1, got {self.size!r}")

    def __str__(self) -> str:
        return f"pool of {self.size}"

    def to_plain(self) -> str:
        """The same text, for JSON."""
        return str(self)


Target = str | Pool


def pool(size: int) -> Pool:
    """A target made of a finite pool of levels, such as the 20 judges you could have asked.

    Parameters
    ----------
    size : int
        Levels in the pool, at least as many as were used.

    Examples
    --------
    >>> pool(20)
    Pool(size=20)
    """
    return Pool(size)


def default_targets(fit: Decomposition) -> dict[str, Target]:
    """Population for random facets, panel for fixed ones and for those whose variance leaves nothing to see."""
    out: dict[str, Target] = {}
    for facet in fit.judgments.facets:
        chosen = facet.fixed or facet.name in _covariates(fit) or facet.name in fit.absorbed
        out[facet.name] = PANEL if chosen else POPULATION
    return out


def resolve(fit: Decomposition, asked: Mapping[str, Target]) -> dict[str, Target]:
    """Targets of every facet: the ones asked for, defaults for the rest.

    Facets that group a finite facet, or one with a pool, are finite with it.

    Raises
    ------
    UnknownTerm
        If a facet does not exist.
    InvalidInput
        If a target does not fit its facet.
    """
    judgments = fit.judgments
    out = default_targets(fit)
    for name, target in asked.items():
        _check(judgments, name, target)
        if name in _covariates(fit) and target not in (PANEL, FINITE):
            raise InvalidInput(f'{name}: a covariate stands for its own levels ("panel"); got {str(target)!r}')
    for name, target in asked.items():
        if target in (FINITE, PANEL) or isinstance(target, Pool):
            _check_above(judgments, name, asked)
            out.update(dict.fromkeys(judgments.ancestors(name), FINITE))
    return {**out, **asked}


def _covariates(fit: Decomposition) -> set[str]:
    """Facets that are in the model as covariates only."""
    names = {name for term in fit.assembled.model.covariates for name in term.split(":")}
    return names - set(fit.assembled.model.fixed)


def _check_above(judgments: Judgments, name: str, asked: Mapping[str, Target]) -> None:
    for up in judgments.ancestors(name):
        if asked.get(up) in (POPULATION, SENSITIVITY, ABSORBED):
            raise InvalidInput(
                f'{name}: {asked[name]} levels come with their {up}, which cannot be "{asked[up]}" then; '
                f'use {up}="finite"'
            )


def is_grouping(judgments: Judgments, name: str) -> bool:
    """Whether a facet only groups the object of measurement, as a category groups items."""
    return name in judgments.ancestors(judgments.object)


def _check(judgments: Judgments, name: str, target: Target) -> None:
    facet = judgments.facet(name)
    allowed = [POPULATION, PANEL, FINITE] + ([SENSITIVITY] if facet.fixed else [])
    allowed += [ABSORBED, FIXED] if is_grouping(judgments, name) else []
    if isinstance(target, Pool):
        levels = judgments.n_levels(name)
        if target.size < levels:
            raise InvalidInput(f"{name}: a pool of {target.size} cannot hold the {levels} levels in the data")
    elif target not in allowed:
        listed = ", ".join(f'"{value}"' for value in allowed)
        raise InvalidInput(f"{name}: the target must be one of {listed} or pool(K), got {target!r}")
