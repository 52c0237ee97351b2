"""Identification: what a design can tell apart, before anything is fitted to its scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from quorate.arrays import Floats
from quorate.errors import NotEstimable
from quorate.estimate.components.assemble import Assembled, assemble
from quorate.estimate.components.model import build
from quorate.numerics.mixed.identify import Identified, identify
from quorate.numerics.mixed.information import information, null_point
from quorate.numerics.mixed.solved import Solved, solve
from quorate.table.judgments import Judgments


@dataclass(frozen=True)
class Design:
    """A model laid out for some judgments.

    Parameters
    ----------
    assembled : Assembled
        The likelihood, with names.
    null : Solved
        The linear system where raw rows have variance 1 and are uncorrelated.
    g : array, shape (components, components)
        ``G_st``, twice the expected information there.
    identified : Identified
        Which components can be told apart.
    """

    assembled: Assembled
    null: Solved
    g: Floats
    identified: Identified


def design(
    judgments: Judgments,
    *,
    random: Sequence[str] | None = None,
    covariates: Sequence[str] = (),
    reml: bool = True,
    residual_by: str | None = None,
) -> Design:
    """Lay a model out and find what it can tell apart; options as for `quorate.decompose`.

    Raises
    ------
    NotEstimable
        If nothing can be estimated: no answers, one item, equal scores, or a residual that fixed effects absorb.
    InvalidInput
        If the model needs more memory than 8 GB.
    """
    assembled = assemble(judgments, build(judgments, random, covariates), reml=reml, residual_by=residual_by)
    problem = assembled.problem
    null = solve(problem, null_point(problem), reml=True)
    g = 2 * information(problem, null)
    identified = identify(g, problem.n_rows)
    tail = set(range(problem.n_components - problem.n_residual, problem.n_components))
    if not tail & set(identified.representatives):
        raise NotEstimable("the residual variance is absorbed by the fixed effects: there are as many effects as cells")
    first, noise = problem.n_components - problem.n_residual, problem.units.noise
    seen = sorted(tail & set(identified.representatives))
    unseen = np.any(noise[~noise[:, np.array(seen) - first].any(axis=1)] > 0, axis=0)
    if unseen.any():
        raise no_residual([level_of(assembled.names[first + r]) for r in np.flatnonzero(unseen)])
    return Design(assembled, null, g, identified)


def level_of(name: str) -> str:
    """The level of ``residual_by`` that a residual component belongs to, as "judge=a"; empty where it is common."""
    return name.partition("[")[2].removesuffix("]")


def no_residual(levels: list[str]) -> NotEstimable:
    """The error that says which levels have no residual variance of their own."""
    facet, names = levels[0].partition("=")[0], dict.fromkeys(level.partition("=")[2] for level in levels)
    have, which = ("has", "that") if len(names) == 1 else ("have", "every such")
    return NotEstimable(
        f"{facet} {', '.join(names)} {have} no residual variance: the terms fit those scores exactly, and a variance "
        f"of their own has no estimate. Drop residual_by, or leave {which} {facet} out"
    )
