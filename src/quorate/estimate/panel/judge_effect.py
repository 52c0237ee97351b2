"""Judge effects of a crossed panel, and tests of whether judges differ at all and whether they do by scenario."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from quorate.arrays import Floats
from quorate.estimate.means.effects import LevelEffect
from quorate.numerics.distributions import f_tail
from quorate.numerics.panel import crossed as panel

_INTERACTION_SIZE = 0.01


@dataclass(frozen=True)
class FTest:
    """An F test.

    Parameters
    ----------
    f : float
        Ratio of mean squares; nan where both are zero.
    df, df_error : float
        Degrees of freedom.
    p : float
        Probability of a larger F if there is no effect.
    """

    f: float
    df: int
    df_error: int
    p: float


@dataclass(frozen=True)
class JudgeTest(FTest):
    """The test of the judge effect against scenario:judge, with its correction for judges of unequal noise.

    Parameters
    ----------
    epsilon : float
        Greenhouse and Geisser's; 1 if the judges' scenario means vary alike.
    p_adjusted : float
        ``p`` with both degrees of freedom times ``epsilon``.
    """

    epsilon: float
    p_adjusted: float


def judge_effects(
    judges: Sequence[str], sums: panel.Sums, drawn: panel.MeanSquares, level: float
) -> tuple[LevelEffect, ...]:
    """Every judge against the panel, with standard error and percentile interval from resampled scenarios."""
    n, m = sums.n, sums.m
    se = drawn.gamma.std(axis=0) * np.sqrt(n / (n - 1))
    bounds = np.quantile(drawn.gamma, [(1 - level) / 2, (1 + level) / 2], axis=0)
    rows = zip(judges, *np.array([sums.gamma, se, *bounds, sums.mean + sums.gamma]).tolist(), strict=True)
    return tuple(
        LevelEffect("judge", label, effect, error, low, high, mean, n * m, n - 1.0)
        for label, effect, error, low, high, mean in rows
    )


def judge_tests(sums: panel.Sums, table: panel.MeanSquares) -> tuple[JudgeTest, FTest, FTest | None]:
    """Tests of the judge effect against scenario:judge and against the pooled residual, and of scenario:judge itself.

    The last is None with one generation, which leaves nothing to compare it with.
    """
    n, m, k = table.n, table.m, table.k
    default = _f_test(table.judge, table.interaction, k - 1, (n - 1) * (k - 1))
    pooled = _f_test(table.judge, table.pooled, k - 1, (n * m - 1) * (k - 1))
    epsilon = panel.greenhouse_geisser(sums)
    adjusted = f_tail(epsilon * default.df, epsilon * default.df_error, default.f)
    judge = JudgeTest(**asdict(default), epsilon=epsilon, p_adjusted=adjusted)
    if m == 1:
        return judge, pooled, None
    return judge, pooled, _f_test(table.interaction, table.within, (n - 1) * (k - 1), n * (m - 1) * (k - 1))


def _f_test(effect: Floats, error: Floats, df: int, df_error: int) -> FTest:
    f = panel.f_ratio(float(effect), float(error))
    return FTest(f, df, df_error, f_tail(df, df_error, f))


def contradictory(judge: JudgeTest, pooled: FTest, interaction: FTest | None, size: float) -> bool:
    """Whether tests of the judge effect answer differently because there is an interaction, at 1% of its own test."""
    present = interaction is not None and interaction.p < _INTERACTION_SIZE
    return present and (judge.p_adjusted < size) != (pooled.p < size)
