"""Formulas of Zhu et al. (2026) that only tests use, with the item:judge interaction as an option."""

from __future__ import annotations

import math
from dataclasses import dataclass

from quorate.planning.panel.strategies import cyclic


@dataclass(frozen=True)
class Contributions:
    scenario: float
    generation: float
    interaction: float
    residual: float
    judge: float

    @property
    def variance(self):
        return self.scenario + self.generation + self.interaction + self.residual + self.judge

    @property
    def judge_share(self):
        return self.judge / self.variance if self.variance > 0 else math.nan


def proposition_1(alpha, beta, gamma, eps, *, n, m, judges, pool, interaction=0.0):
    """Eq. 2: ``judges`` of a pool score m generations of n scenarios."""
    missing = (pool - judges) / (pool - 1) if pool > 1 else 0.0
    parts = alpha / n, beta / (n * m), interaction / (n * judges), eps / (n * m * judges)
    return Contributions(*parts, gamma / judges * missing)


def coverage(alpha, beta, eps, *, generations, m, pool, interaction=0.0):
    """Eq. 35: cycling when a number of generations is spread over scenarios, m for each."""
    n = generations // m
    return alpha / n + cyclic(beta, eps, n=n, budget=m, pool=pool, interaction=interaction, items="population")
