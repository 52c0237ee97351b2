"""Targets of a mean: what it stands for, facet by facet, and the weights that this puts on the levels of a term."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TypedDict

import numpy as np

from quorate import rules
from quorate.arrays import Floats, first_of_each
from quorate.errors import InvalidInput
from quorate.estimate.components.fit import Fitted
from quorate.frozen import dataclass
from quorate.roles import JUDGE, SYSTEM, TEMPERATURE, TURN
from quorate.table.judgments import Judgments
from quorate.wording import counted, listed, plural

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
        rules.whole("pool", self.size, 1)

    def __str__(self) -> str:
        return f"pool of {self.size}"

    def to_plain(self) -> str:
        """The same text, for JSON."""
        return str(self)


Target = str | Pool


class ModelOptions(TypedDict, total=False):
    """Options of every question of scores: the terms of their model, and what facets stand for in a mean."""

    targets: Mapping[str, Target] | None
    random: Sequence[str] | None
    covariates: Sequence[str] | None
    residual_by: str | None


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


def all_drawn(fit: Fitted) -> dict[str, Target]:
    """Every random facet stands for others, a fixed one for itself; as do systems, and what leaves nothing to see."""
    apart = {*_covariates(fit), *fit.absorbed, *({SYSTEM} - {fit.judgments.object})}
    facets = fit.judgments.facets
    return {facet.name: PANEL if facet.fixed or facet.name in apart else POPULATION for facet in facets}


FEWEST_DRAWN = 3
"""Levels of a facet from which they say something about others: of two the interval has one degree of freedom."""
_NEVER_DRAWN = (SYSTEM, TEMPERATURE, TURN)


def default_targets(fit: Fitted) -> dict[str, Target]:
    """Targets of this study's setup: items stand for others, with what groups them unless fixed; all else is given."""
    judgments = fit.judgments
    own = {judgments.object, *judgments.ancestors(judgments.object)} - {*_covariates(fit), *fit.absorbed}
    inside = {name for name in judgments.names if judgments.object in judgments.ancestors(name)}
    drawn = {name for name in own if not judgments.facet(name).fixed and name != SYSTEM} | inside | {judgments.object}
    return {name: POPULATION if name in drawn else PANEL for name in judgments.names}


def like_these(fit: Fitted) -> tuple[dict[str, Target], tuple[str, ...]]:
    """Judges, prompts and the like that stand for others like them, beside the items; and those that are too few.

    A facet speaks for others from three levels on, of it and of what it is in. Systems, temperatures and turns stand
    for themselves, as does whatever else was declared to be fixed but judges.
    """
    judgments, out = fit.judgments, default_targets(fit)
    apart = {*_covariates(fit), *_NEVER_DRAWN, judgments.object, *judgments.ancestors(judgments.object)}
    could = [
        facet.name
        for facet in judgments.facets
        if out[facet.name] == PANEL and facet.name not in apart and (facet.name == JUDGE or not facet.fixed)
    ]
    few = tuple(name for name in could if judgments.n_levels(name) < FEWEST_DRAWN)
    left = [name for name in could if not {name, *judgments.ancestors(name)} & {*few}]
    return dict.fromkeys(left, POPULATION), few


def drawn_too(fit: Fitted, asked: Mapping[str, Target]) -> dict[str, Target]:
    """What is asked, with `like_these` for the rest, but for what known levels that are asked for come with."""
    judgments = fit.judgments
    known = [name for name, target in asked.items() if _is_known(target) and name in judgments.names]
    above = {up for name in known for up in judgments.ancestors(name)}
    return {**{name: to for name, to in like_these(fit)[0].items() if name not in above}, **asked}


def among(known: Mapping[str, Target], asked: Mapping[str, Target]) -> dict[str, Target]:
    """Targets with what is asked of the same facets in their place."""
    return {name: asked.get(name, target) for name, target in known.items()}


def unsaid(fit: Fitted, asked: Collection[str]) -> str:
    """What a study is too small to say of others, but for what is asked; empty where nothing is left out."""
    few = [name for name in like_these(fit)[1] if name not in asked]
    return "; ".join(too_few(name, fit.judgments.n_levels(name)) for name in few)


def too_few(name: str, levels: int) -> str:
    """Why a facet says nothing about others.

    Examples
    --------
    >>> too_few("prompt", 2)
    '2 prompts cannot tell how other prompts differ: a third would'
    """
    if levels == 1:
        return f"1 {name} says nothing about other {plural(name)}: three would"
    return f"{counted(levels, name)} cannot tell how other {plural(name)} differ: a third would"


def resolve(fit: Fitted, asked: Mapping[str, Target], *, drawn: bool = False) -> dict[str, Target]:
    """Targets of every facet: the ones asked for, for the rest those of this study's setup.

    For the rest random facets stand for others where ``drawn``, or where items are to stand for themselves: something
    must be left that could have come out otherwise. Facets that group a finite facet, or one with a pool, are finite
    with it; families come with judges like these.

    Raises
    ------
    UnknownTerm
        If a facet does not exist.
    InvalidInput
        If a target does not fit its facet.
    """
    judgments = fit.judgments
    out = all_drawn(fit) if drawn or asked.get(judgments.object, POPULATION) != POPULATION else default_targets(fit)
    for name, target in asked.items():
        _check(judgments, name, target)
        if name in _covariates(fit) and target not in (PANEL, FINITE):
            raise InvalidInput(f'{name}: a covariate stands for its own levels ("panel"); got {str(target)!r}')
    apart = {*judgments.ancestors(judgments.object), judgments.object}
    for name, target in asked.items():
        if target == POPULATION:
            free = {*judgments.ancestors(name)} - apart
            out.update({up: POPULATION for up in free if not judgments.facet(up).fixed})
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


def scope(judgments: Judgments, targets: Mapping[str, Target], facet: str) -> str:
    """Whom a number speaks for, but for items: "for judges like these, with these 2 prompts".

    Examples
    --------
    >>> import polars, quorate as q
    >>> rows = {"item": [1, 1, 2, 2], "judge": ["a", "b"] * 2, "score": [4, 5, 3, 5]}
    >>> table = q.read(polars.DataFrame(rows), announce=False)
    >>> [scope(table, {"judge": target}, "item") for target in ("panel", "population", pool(20))]
    ['with these 2 judges', 'for judges like these', 'for a pool of 20 judges']
    """
    item = judgments.object
    names = [name for name in judgments.names if name not in (item, facet, *judgments.ancestors(item))]
    pools = {name: targets[name] for name in names if isinstance(targets.get(name), Pool)}
    these = [name for name in names if name not in pools and _is_known(targets.get(name, POPULATION))]
    like = [plural(name) for name in names if name not in (*these, *pools) and item not in judgments.ancestors(name)]
    several = [counted(judgments.n_levels(name), name) for name in these if judgments.n_levels(name) > 1]
    words = [f"for {listed(like)} like these"] if like else []
    words += [f"for a {target} {plural(name)}" for name, target in pools.items()]
    words += [f"with these {listed(several)}"] if several else []
    return ", ".join([*words, *(f"with this {name} only" for name in these if judgments.n_levels(name) == 1)])


def _is_known(target: Target) -> bool:
    """Whether a facet stands for levels that are known, if only by their number."""
    return isinstance(target, Pool) or target in (PANEL, FINITE)


def _covariates(fit: Fitted) -> set[str]:
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
    whole = float(weight.sum())
    apart = False
    for name in leaves:  # of systems of which one is taken off the other, just that is wanted
        sums = np.asarray(np.bincount(judgments.level_codes([name]), weight), dtype=np.float64)
        less = -sums[sums < 0].sum()
        if less > 0 and less > np.abs(weight).sum() / 4:  # negative weights of unequal designs are small
            shares[name], whole, apart = np.abs(sums) if apart else sums, 1.0, True
    squares: dict[str, float] = {}
    for name in leaves:
        target = targets[name]  # the unseen levels of a pool included
        squares[name] = 1 / target.size if isinstance(target, Pool) else float(shares[name] @ shares[name])
    if stratum is not None:
        facet, level = stratum
        at = judgments.level_index(facet, level)
        weight = weight * (judgments.column(facet) == at)
        squares[facet] = float(shares[facet][at] ** 2) if facet in shares else 1 / len(judgments.facet(facet).levels)
    level_of_cell = judgments.level_codes(leaves)
    total, first = np.bincount(level_of_cell, weight), first_of_each(level_of_cell)
    tau = whole * np.prod([shares[name][judgments.level_codes([name])[first]] for name in leaves], axis=0)
    concentrated = float(total @ total)
    rest = concentrated - 2 * float(total @ tau) + whole**2 * float(np.prod(list(squares.values())))
    return rest if rest > 1e-12 * concentrated else 0.0


def share(judgments: Judgments, name: str, target: Target) -> Floats:
    """Weight that a target puts on every level of a facet, shape (levels,)."""
    code = judgments.level_codes([name])
    n = int(code.max()) + 1
    if isinstance(target, Pool):
        return np.full(n, 1 / target.size)
    if name in judgments.ancestors(judgments.object):
        item = judgments.level_codes([judgments.object])
        first = first_of_each(item)
        return np.bincount(code[first], minlength=n) / len(first)
    parent = judgments.facet(name).parent
    if parent is None or name == judgments.object:
        return np.full(n, 1 / n)
    owner = np.zeros(n, dtype=np.int64)
    owner[code] = judgments.level_codes([parent])
    out: Floats = share(judgments, parent, "finite")[owner] / np.bincount(owner)[owner]
    return out
