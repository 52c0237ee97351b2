"""Warm-ups, allocations and bounds of ROBIN and ROBIN-HOOD."""

from __future__ import annotations

import math

import numpy as np

from quorate.numerics.sequential.bandit import constants, greedy, known_variance_bound, unknown_variance_bound
from quorate.reproduction.study import Outcome, Study

ARMS, BUDGET = 1016, 100_000


def outcome(_: np.random.Generator) -> Outcome:
    """Pulls of a warm-up at both failure rates, the counterexample to Lemma 2, and the bounds for equal variances."""
    values: dict[str, float] = {}
    for delta in (0.007, 0.07):
        values[f"pulls of the warm-up, delta {delta:g}"] = math.floor(4 * math.log(1 / delta) * ARMS)
        values[f"pulls of an arm in whole numbers, delta {delta:g}"] = constants(
            "experiment", ARMS, BUDGET, delta
        ).warmup
    # 99 arms of 1.1 pulls each by proportion, and one of 91.1
    proportions = np.array([1.1] * 99 + [91.1])
    values["pulls of the large arm, 91.1 by proportion"] = int(greedy(proportions, 200)[-1])
    variance = np.ones(ARMS)
    theory = constants("theory", ARMS, BUDGET, 0.07).warmup
    values["bound with known variances of 1"] = known_variance_bound(variance, BUDGET, 0.07)
    values["pulls of an arm in the warm-up of the theory"] = theory
    values["bound with unknown variances of 1, ten times the budget"] = unknown_variance_bound(
        variance, 10 * BUDGET, 0.07, constants("theory", ARMS, 10 * BUDGET, 0.07).warmup
    )
    return Outcome(values)


STUDY = Study("budget.bounds", "Warm-ups, allocations and bounds", outcome)
