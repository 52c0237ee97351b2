"""Residual components: the cell, the replicate, and their levels where they differ by level."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quorate.arrays import Floats
from quorate.errors import InvalidInput
from quorate.estimate.components.model import CELL, Model
from quorate.numerics.mixed.problem import WithinCells
from quorate.roles import REPLICATE
from quorate.table.judgments import Judgments


@dataclass(frozen=True)
class Noise:
    """Residual components of a model.

    Parameters
    ----------
    weight : array, shape (cells, components)
        Variance of a cell mean per unit of each component.
    names : tuple of str
        ``cell`` and ``replicate``, with their level where they differ by level.
    levels : tuple of str
        Levels with residuals of their own; empty when they are common.
    inside : WithinCells
        The likelihood inside cells.
    identical : tuple of str
        Replicate components left out because every replicate repeats the score of its cell: their variance is zero.
    """

    weight: Floats
    names: tuple[str, ...]
    levels: tuple[str, ...]
    inside: WithinCells
    identical: tuple[str, ...]


def residuals(judgments: Judgments, model: Model, residual_by: str | None, scale: float) -> Noise:
    """Residual components of the answered cells.

    Raises
    ------
    InvalidInput
        If ``residual_by`` is not a fixed facet.
    """
    strata, suffixes = [np.ones(judgments.n_cells, dtype=bool)], [""]
    levels: tuple[str, ...] = ()
    if residual_by is not None:
        facet = judgments.facet(residual_by)
        if not facet.fixed:
            raise InvalidInput(f'residual_by: "{residual_by}" is random; only a fixed facet can have its own residuals')
        levels = facet.levels
        strata = [judgments.column(residual_by) == level for level in range(len(levels))]
        suffixes = [f"[{residual_by}={label}]" for label in levels]
    columns: dict[str, Floats] = {}
    ss, df, identical = [], [], []
    logs = 0.0
    replicated = bool(judgments.n.max() > 1)
    for member, suffix in zip(strata, suffixes, strict=True):
        inner, freedom = float(judgments.ss[member].sum()) / scale**2, float((judgments.n[member] - 1).sum())
        varies = inner > 1e-12 * freedom
        unseen = replicated and freedom == 0
        if model.cell or not varies:
            columns[CELL + suffix] = member.astype(float)
            ss.append(0.0)
            df.append(0.0)
        if varies or unseen:
            columns[REPLICATE + suffix] = member / judgments.n
            ss.append(inner)
            df.append(freedom)
            logs += float(np.log(judgments.n[member]).sum())
        elif freedom > 0:
            identical.append(REPLICATE + suffix)
    order = sorted(range(len(columns)), key=lambda i: list(columns)[i].startswith(REPLICATE))
    names = tuple(list(columns)[i] for i in order)
    inside = WithinCells(np.array(ss)[order], np.array(df)[order], logs)
    return Noise(np.column_stack([columns[name] for name in names]), names, levels, inside, tuple(identical))
