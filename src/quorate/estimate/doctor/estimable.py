"""Which components a design tells apart, in words, and what would tell the others apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.components.model import CELL, closure, leaves
from quorate.roles import REPLICATE
from quorate.wording import counted, listed, plural


@dataclass(frozen=True)
class Analysis:
    """One analysis and whether the judgments support it.

    Parameters
    ----------
    name : str
        What it is called.
    possible : bool
        Whether it can be done.
    reason : str
        What it rests on, or why it cannot be done; one line.
    fix : str
        What would make it possible; empty where it is, or where nothing is known to.
    """

    name: str
    possible: bool
    reason: str
    fix: str = ""


def component_analyses(fit: Decomposition) -> Iterator[Analysis]:
    """One entry for every component of a fit: random terms, replicates, and the spread of fixed facets."""
    yield from (_component(fit, t) for t in range(len(fit.assembled.names)))
    if REPLICATE not in fit.assembled.names:
        yield _replicate(fit)
    for name in fit.assembled.fixed.levels:
        levels = fit.judgments.n_levels(name)
        reason = f"spread of {counted(levels, name)}, taken as chosen: an index, not a variance of draws"
        if levels == 1:
            yield Analysis(_title(name), False, f"1 {name}: nothing to compare it with", _more(name))
        else:
            yield Analysis(_title(name), True, reason)


def facets_of(fit: Decomposition, name: str) -> frozenset[str]:
    """Facets of a component, with those they are nested in."""
    judgments = fit.judgments
    return closure(judgments, judgments.names if name in (CELL, REPLICATE) else name.split(":"))


def class_of(fit: Decomposition, t: int) -> tuple[str, ...]:
    """Names of the components that only their sum with component ``t`` tells; empty where ``t`` is absorbed."""
    names = fit.assembled.names
    members = next((m for m in fit.identified.classes if t in m), ())
    out = [names[s] for s in members]
    return tuple(out) if CELL not in out or fit.assembled.replicated else (*out, REPLICATE)


def _component(fit: Decomposition, t: int) -> Analysis:
    name, members = fit.assembled.names[t], class_of(fit, t)
    if not members:
        return _absorbed(fit, name)
    flat = [row for row in fit.identified.null if row[t]]
    if len(members) > 1 and members != (CELL, REPLICATE):
        return _aliased(fit, name, members)
    if flat:
        others = [fit.assembled.names[s] for row in flat for s in np.flatnonzero(row) if s != t]
        reason = f"cannot be told apart from {listed(dict.fromkeys(others))} in this design"
        return Analysis(_title(name), False, reason, "judge combinations of levels that do not occur yet")
    return Analysis(_title(name), True, _rests_on(fit, name))


def _rests_on(fit: Decomposition, name: str) -> str:
    judgments = fit.judgments
    if name == REPLICATE:
        return f"{counted(judgments.n_answers, 'answer')} in {counted(judgments.n_cells, 'cell')}"
    if name == CELL:
        together = "" if fit.assembled.replicated else "; includes the replicate noise, as no cell was judged twice"
        return counted(judgments.n_cells, CELL) + together
    facets = name.split(":")
    levels = int(judgments.level_codes(facets).max()) + 1
    return counted(levels, name) if len(facets) == 1 else f"{levels:,} combinations of {listed(facets)}"


def _absorbed(fit: Decomposition, name: str) -> Analysis:
    single = _single(fit, facets_of(fit, name))
    if single:
        return Analysis(_title(name), False, listed(f"1 {one}" for one in single), _more(*single))
    return Analysis(_title(name), False, "the fixed effects leave nothing to see of it")


def _aliased(fit: Decomposition, name: str, members: tuple[str, ...]) -> Analysis:
    judgments = fit.judgments
    sets = [facets_of(fit, one) for one in members]
    core = min(sets, key=len)
    extra = [one for one in judgments.names if one in frozenset.union(*sets) - core]
    only = f"only the sum {' + '.join(members)} can be estimated"
    if single := _single(fit, frozenset(extra)):
        return Analysis(_title(name), False, f"{only}: {listed(f'1 {one}' for one in single)}", _more(*single))
    whole = ":".join(leaves(judgments, core))
    met = listed(f"one {one}" for one in extra)
    fix = f"give each {whole} more than one {listed(extra, 'or')}"
    if len(core) == len(extra) == 1 and not judgments.facet(extra[0]).fixed:
        fix += f', or declare nested={{"{whole}": "{extra[0]}"}} if the {extra[0]} is a property of the {whole}'
    return Analysis(_title(name), False, f"{only}: each {whole} occurs with {met}", fix)


def _replicate(fit: Decomposition) -> Analysis:
    if fit.assembled.replicated:
        return Analysis(_title(REPLICATE), True, "zero: every replicate repeats the score of its cell")
    reason = "no cell was judged twice, so it is part of the cell component"
    return Analysis(_title(REPLICATE), False, reason, "judge some cells again, 3 times for a pilot")


def _single(fit: Decomposition, facets: frozenset[str]) -> list[str]:
    judgments = fit.judgments
    return [name for name in judgments.names if name in facets and judgments.n_levels(name) == 1]


def _more(*names: str) -> str:
    return f"use at least 2 {listed(plural(name) for name in names)}"


def _title(name: str) -> str:
    return f"component {name}"
