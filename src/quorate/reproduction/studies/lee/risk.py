"""Bounds of risk (Theorems 3.2 to 3.6) against the best test there is, and against tests that know no margins."""

from __future__ import annotations

import math

import numpy as np

from quorate.numerics.votes.binomial import Errors, divergence, errors, log_ratio, power
from quorate.planning.power.prompt_types import bottleneck, proportional, two_stage
from quorate.reproduction.study import Drawing, Outcome, Study, Value
from quorate.simulate.two_stage import regime, simulate_two_stage
from quorate.table.results import Row

ALPHA, CONSTANT = 0.05, 9 / 4
"""Level of tests, and what a divergence is at most times the squared margin (Lemma 3.1)."""
MARGINS = (0.02, 0.05, 0.1, 0.2, 0.25)
DIVERGENCES = np.arange(1, 17) / 2
TYPES, SIGNAL = 20, 0.003
"""Types of equal weight, and their mean squared margin: all of it on one type is a margin of .245."""
UNEVEN = np.repeat([1.0, 0.25], TYPES // 2)
"""Half of the types are asked about a quarter as often."""
STUDIES, MANY = 4000, (10_000, 100_000)
VOTES, DRAWN = 400, 1000
"""Votes of a study with random margins, and studies."""


def outcome(rng: np.random.Generator) -> Outcome:
    """What the theorems bound, over their bounds."""
    sizes = np.linspace(0.001, 0.25, 250)
    ratio = divergence(sizes) / sizes**2
    values: dict[str, Value | float] = {
        "divergence over squared margin, smallest": float(ratio.min()),
        "divergence over squared margin, largest": float(ratio.max()),
        "votes that screening 80 questions takes": two_stage(10**6, np.ones(80)).first,  # the questions of MT-Bench
    }
    values |= {**known(), **random(rng), **weakest(), **two_stages()}
    title = "Risk of tests of votes with a margin of .1, by divergence, and the lower bound (Theorems 3.2 and 3.3)"
    return Outcome(values, (Drawing("lee.risk", "risk", title, curves(0.1), x="divergence", y="risk", by="test"),))


def known() -> dict[str, float]:
    """Theorems 3.2 and 3.3: the least risk, and the errors at half of the divergence, for margins of one size."""
    least, first, rate = [], [], []
    for margin in MARGINS:
        for n, information in votes_of(margin):
            half = errors(n, margin, information / 2)
            least.append(errors(n, margin).risk / (math.exp(-information) / 2))
            first.append(half.first / math.exp(-information / 2))
            rate.append(-math.log(half.risk) / information)
    return {
        "least risk over the bound of Theorem 3.2, smallest": min(least),
        "first error over its bound in Theorem 3.3, largest": max(first),
        "exponent of the risk, divergence of .5 to 8, smallest": min(rate),
    }


def votes_of(margin: float) -> list[tuple[int, float]]:
    """Votes that have about each divergence, and the one that they have."""
    each = float(divergence(margin))
    counts = [math.ceil(asked / each) for asked in DIVERGENCES.tolist()]
    return [(n, n * each) for n in counts]


def curves(margin: float) -> list[Row]:
    """Risks of tests of votes with this margin, by divergence."""
    rows: list[Row] = []
    for n, information in votes_of(margin):
        missed = 1 - float(power(n, 0.5 + margin, ALPHA))
        risks = {
            "best test": errors(n, margin).risk,
            "threshold at half": errors(n, margin, information / 2).risk,
            "lower bound": math.exp(-information) / 2,
            "binomial test at .05": Errors(ALPHA, missed).risk,
        }
        rows += [{"divergence": information, "risk": risk, "test": test} for test, risk in risks.items()]
    return rows


def random(rng: np.random.Generator) -> dict[str, Value | float]:
    """Proposition 3.4: margins drawn from two laws, for the test at half of the expected divergence."""
    values: dict[str, Value | float] = {}
    shape = (DRAWN, VOTES)
    laws = {"uniform": rng.uniform(-0.25, 0.25, shape), "one in ten": np.where(rng.random(shape) < 0.1, 0.25, 0.0)}
    for name, margin in laws.items():
        each = float(divergence(margin).mean())
        values[f"{name} margins: divergence over votes x mean square"] = each / float((margin**2).mean())
        half = VOTES * each / 2
        fair = log_ratio(rng.random(shape) < 0.5, 1, margin) >= half
        found = log_ratio(rng.random(shape) < 0.5 + margin, 1, margin) >= half
        risk = fair + (1.0 - found)
        error = float(risk.std(ddof=1)) / math.sqrt(DRAWN)
        values[f"{name} margins: risk of the test that knows them"] = Value(float(risk.mean()), error)
    return values


def weakest() -> dict[str, Value | float]:
    """Theorem 3.5: all signal on the type that is worst off, for the test that knows which, and for those that do not.

    The bound is that of its proof, with the constant of Lemma 3.1.
    """
    values: dict[str, Value | float] = {}
    margin = math.sqrt(SIGNAL * TYPES)
    weights, over = np.ones(TYPES), []
    for name, asked in (("in proportion", weights), ("uneven", UNEVEN)):
        for budget in (500, 1000, 2000, 4000):
            counts = proportional(budget, asked)
            risk = errors(int(counts.min()), margin).risk
            over.append(risk / (math.exp(-CONSTANT * SIGNAL * bottleneck(counts, weights)) / 2))
            values[f"{budget:,} votes {name}: least risk at the weakest type"] = risk
    values["least risk over the bound of Theorem 3.5, smallest"] = min(over)
    alone = np.where(np.arange(TYPES) == 0, margin, 0.0)
    opposite = np.sqrt(SIGNAL) * (-1.0) ** np.arange(TYPES)
    for name, margins in (("weakest type", alone), ("opposite signs", opposite)):
        study = simulate_two_stage(margins, [4000], studies=STUDIES)
        for test, words in (("proportional", "binomial test"), ("proportional, any type", "test over types")):
            missed = 1 - float(study.power[test][0])
            error = math.sqrt(missed * (1 - missed) / STUDIES)
            values[f"4,000 votes, {name}: risk of the {words}"] = Value(Errors(ALPHA, missed).risk, error)
    return values


def two_stages() -> dict[str, Value | float]:
    """Theorem 3.6: studies in two stages that miss a concentrated signal, whatever is spent."""
    studies = 5 * STUDIES
    missed = 1 - simulate_two_stage(regime("concentrated"), MANY, studies=studies).power["two-stage"]
    values: dict[str, Value | float] = {
        f"two stages, {budget:,} votes: missed, %": Value(100 * part, 100 * math.sqrt(part * (1 - part) / studies))
        for budget, part in zip(MANY, missed.tolist(), strict=True)
    }
    ratio = float(missed[1] / missed[0])
    error = ratio * math.sqrt(float(((1 - missed) / missed).sum()) / studies)
    return values | {"two stages: missed at 100,000 votes over at 10,000": Value(ratio, error)}


STUDY = Study("lee.risk", "Bounds of risk, and tests that know the margins or do not", outcome)
