"""Targets of a mean: what it stands for, facet by facet, and the weights that this puts on the levels of a term."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from numbers import Integral
from typing import TYPE_CHECKING

import numpy as np

from quorate.arrays import Floats
from quorate.errors import InvalidInput
from quorate.roles import JUDGE, SYSTEM
from quorate.table.judgments import Judgments
from quorate.wording import counted, listed, plural

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
    """Population for random facets, panel for fixed ones and for those whose variance leaves nothing to see.

    Systems stand for themselves, though their effects are random: a claim is about the systems that were run, and no
    others are like them.
    """
    out: dict[str, Target] = {}
    apart = {*_covariates(fit), *fit.absorbed, *({SYSTEM} - {fit.judgments.object})}
    for facet in fit.judgments.facets:
        chosen = facet.fixed or facet.name in apart
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
        if target not in (FINITE, PANEL) and not isinstance(target, Pool):
            continue
        for up in judgments.ancestors(name):
            if asked.get(up) in (POPULATION, SENSITIVITY, ABSORBED):
                raise InvalidInput(
                    f'{name}: {target} levels come with their {up}, which cannot be "{asked[up]}" then; '
                    f'use {up}="finite"'
                )
            out[up] = FINITE
    return {**out, **asked}


def free_facets(fit: Decomposition) -> list[str]:
    """Facets that can stand for others or for themselves alone; not the items, what groups them, and covariates."""
    judgments = fit.judgments
    apart = {judgments.object, *judgments.ancestors(judgments.object), *_covariates(fit)}
    return [name for name in judgments.names if name not in apart]


def choices(targets: Mapping[str, Target], free: Collection[str]) -> dict[frozenset[str], dict[str, Target]]:
    """The same targets with every choice of the free facets standing for others, by the names of those that do.

    Those with a target of another kind, such as a pool, keep it.

    Examples
    --------
    >>> found = choices({"item": "population", "prompt": "population", "judge": "panel"}, ["prompt", "judge"])
    >>> [sorted(drawn) for drawn in found]
    [[], ['prompt'], ['judge'], ['judge', 'prompt']]
    >>> found[frozenset(["judge"])]
    {'item': 'population', 'prompt': 'panel', 'judge': 'population'}
    """
    names = [name for name in free if targets[name] in (POPULATION, PANEL, FINITE)]
    sets = chain.from_iterable(combinations(names, size) for size in range(len(names) + 1))
    rest: dict[str, Target] = {**targets, **dict.fromkeys(names, PANEL)}
    return {frozenset(drawn): {**rest, **dict.fromkeys(drawn, POPULATION)} for drawn in sets}


def scope(judgments: Judgments, targets: Mapping[str, Target], facet: str) -> str:
    """Whom a comparison of the levels of a facet speaks for: "for prompts like these, for this panel of 5 judges"."""
    item = judgments.object
    names = [name for name in judgments.names if name not in (item, facet, *judgments.ancestors(item))]
    known = [name for name in names if _is_known(targets.get(name, POPULATION))]
    like = [plural(name) for name in names if name not in known]
    words = [f"for {listed(like)} like these"] if like else []
    return ", ".join([*words, *(speaks_for(judgments, name, targets[name]) for name in known)])


def speaks_for(judgments: Judgments, name: str, target: Target) -> str:
    """Whom a mean speaks for as one facet goes, in the words of every command: "for this panel of 5 judges".

    Examples
    --------
    >>> import polars, quorate as q
    >>> rows = {"item": [1, 1, 2, 2], "judge": ["a", "b"] * 2, "score": [4, 5, 3, 5]}
    >>> table = q.read(polars.DataFrame(rows), announce=False)
    >>> [speaks_for(table, "judge", target) for target in ("panel", "population", pool(20))]
    ['for this panel of 2 judges', 'for judges like these', 'for a pool of 20 judges']
    """
    if isinstance(target, Pool):
        return f"for a {target} {plural(name)}"
    if not _is_known(target):
        return f"for {plural(name)} like these"
    levels = judgments.n_levels(name)
    if levels == 1:
        return f"for this {name} only"
    return f"for {'this panel of' if name == JUDGE else 'these'} {counted(levels, name)}{' only' * (name != JUDGE)}"


def of_this_panel(judgments: Judgments, facet: str, targets: Mapping[str, Target], asked: Mapping[str, Target]) -> bool:
    """Whether a comparison is for a panel of several judges because nothing else was asked of it."""
    several = JUDGE in judgments.names and facet != JUDGE and judgments.n_levels(JUDGE) > 1
    return several and JUDGE not in asked and targets.get(JUDGE) == PANEL


def _is_known(target: Target) -> bool:
    """Whether a facet stands for levels that are known, if only by their number."""
    return isinstance(target, Pool) or target in (PANEL, FINITE)


def _covariates(fit: Decomposition) -> set[str]:
    """Facets that are in the model as covariates only."""
    names = {name for term in fit.assembled.model.covariates for name in term.split(":")}
    return names - set(fit.assembled.model.fixed)


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


def distance(
    judgments: Judgments,
    facets: Sequence[str],
    targets: Mapping[str, Target],
    weight: Floats,
    stratum: tuple[str, str] | None = None,
) -> float:
    """``sum_l (w_l - tau_l)^2`` of a term all of whose facets are limited to known levels.

    ``tau`` is one measure for all terms: objects weigh equally, what is nested in a level shares its weight equally, a
    group weighs as its objects do, and the levels of crossed facets (of a pool too) weigh equally. Combinations never
    judged have their weight in the target as well.

    Parameters
    ----------
    judgments : Judgments
        The answered cells.
    facets : sequence of str
        Facets of the term.
    targets : mapping of str to str or Pool
        What each facet stands for.
    weight : array, shape (cells,)
        Weight of each cell in the estimate.
    stratum : (str, str), optional
        Facet and level to which the term is limited.
    """
    above = {up for name in facets for up in judgments.ancestors(name)}
    leaves = [name for name in facets if name not in above]
    shares = {name: share(judgments, name, targets[name]) for name in leaves}
    squares: dict[str, float] = {}
    for name in leaves:
        target = targets[name]  # the unseen levels of a pool included
        squares[name] = 1 / target.size if isinstance(target, Pool) else float(shares[name] @ shares[name])
    if stratum is not None:
        facet, level = stratum
        at = judgments.level_index(facet, level)
        weight = weight * (judgments.column(facet) == at)
        squares[facet] = float(shares[facet][at] ** 2) if facet in shares else 1 / len(judgments.facet(facet).levels)
    tau_cell = np.prod([shares[name][judgments.level_codes([name])] for name in leaves], axis=0)
    level_of_cell = judgments.level_codes(leaves)
    total = np.bincount(level_of_cell, weight)
    tau = np.zeros_like(total)
    tau[level_of_cell] = tau_cell
    concentrated = float(total @ total)
    rest = concentrated - 2 * float(total @ tau) + float(np.prod(list(squares.values())))
    return rest if rest > 1e-12 * concentrated else 0.0


def share(judgments: Judgments, name: str, target: Target) -> Floats:
    """Weight that a target puts on every level of a facet, shape (levels,)."""
    code = judgments.level_codes([name])
    n = int(code.max()) + 1
    if isinstance(target, Pool):
        return np.full(n, 1 / target.size)
    if name in judgments.ancestors(judgments.object):
        item = judgments.level_codes([judgments.object])
        first = np.unique(item, return_index=True)[1]
        return np.bincount(code[first], minlength=n) / len(first)
    parent = judgments.facet(name).parent
    if parent is None or name == judgments.object:
        return np.full(n, 1 / n)
    owner = np.zeros(n, dtype=np.int64)
    owner[code] = judgments.level_codes([parent])
    out: Floats = share(judgments, parent, "finite")[owner] / np.bincount(owner)[owner]
    return out
