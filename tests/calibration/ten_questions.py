"""Ten evaluations made up from the question alone, without a look at the code, beside the textbook's estimators.

Every law is a process of marking, not a model of components; what a study is asked is its true mean, or the true
difference, with the judges it has and (where judges or prompts are drawn) with all there might be. Run as
``python -m calibration.ten_questions [STUDIES]`` for the figures of ``docs/methods/intervals.md``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

import quorate as q
from quorate.estimate.differences.difference import difference
from quorate.estimate.means.mean import readings

Ends = tuple[float, float]


class Study(NamedTuple):
    """Scores of one study, shape (systems, items, judgments of an item), nan where there is none, and what is true."""

    scores: Any
    setup: float
    others: float | None
    prompts: int = 1
    strata: Any = None


def logistic(x: Any) -> Any:
    """The chance of log odds."""
    return 1 / (1 + np.exp(-x))


def strict_graders(rng: np.random.Generator) -> Study:
    """80 answers are right or wrong (70% right), and three graders mistake them at their own rates."""
    right = rng.random(80) < 0.7
    missed, passed = np.array([0.05, 0.1, 0.25]), np.array([0.02, 0.15, 0.2])
    chance = np.where(right[:, None], 1 - missed, passed)
    return Study(
        (rng.random(chance.shape) < chance)[None] * 1.0, float((0.7 * (1 - missed) + 0.3 * passed).mean()), None
    )


def percent_marks(rng: np.random.Generator) -> Study:
    """50 essays of beta quality on 0 to 100, in whole marks, by five of many judges: lenient or not, and unalike."""
    quality = 100 * rng.beta(8, 3, 50)
    lenient = rng.normal(0, 4, 5)
    marks = quality[:, None] + lenient + rng.normal(0, 6, (50, 5)) + rng.normal(0, 3, (50, 1))
    # Clipping at the ends makes the truth an integral; a large sample of essays stands for it.
    many = 100 * np.random.default_rng(1).beta(8, 3, 20_000)[:, None]
    spread = np.random.default_rng(2).normal(0, np.hypot(6, 3), (20_000, 1))
    all_of_them = np.random.default_rng(3).normal(0, 4, (20_000, 1))
    one = np.clip(np.round(many + lenient + spread), 0, 100).mean()
    return Study(
        np.clip(np.round(marks), 0, 100)[None],
        float(one),
        float(np.clip(np.round(many + all_of_them + spread), 0, 100).mean()),
    )


def bimodal_items(rng: np.random.Generator) -> Study:
    """100 tasks, half nearly always solved and half nearly never, four attempts each."""
    chance = np.where(rng.random(100) < 0.5, 0.96, 0.07)[:, None]
    return Study((rng.random((100, 4)) < chance)[None] * 1.0, 0.515, None)


def rare_harm(rng: np.random.Generator) -> Study:
    """150 prompts, harm in 3% on average (beta, most never), seen by two graders."""
    chance = rng.beta(0.15, 4.85, 150)[:, None]
    return Study((rng.random((150, 2)) < chance)[None] * 1.0, 0.03, None)


def hard_noise(rng: np.random.Generator) -> Study:
    """40 items that are the noisier the harder they are, three judges, two prompts."""
    hard = rng.normal(0, 0.5, (40, 1))
    return Study((hard + np.exp(hard) * rng.normal(0, 0.6, (40, 6)))[None], 0.0, None, 2)


def refusals(rng: np.random.Generator) -> Study:
    """60 items, four judges of different severity, of which the severe decline 60% of items, the mild 10%."""
    severe = np.array([-0.6, -0.1, 0.2, 0.5])
    scores = rng.normal(0, 0.7, (60, 1)) + severe + rng.normal(0, 0.5, (60, 4))
    scores[rng.random((60, 4)) < np.array([0.6, 0.3, 0.2, 0.1])] = np.nan
    return Study(scores[~np.isnan(scores).all(axis=1)][None], 0.0, None)


def many_wordings(rng: np.random.Generator) -> Study:
    """60 items, six of many wordings that move the mean and favour items, two judges."""
    wording, item = rng.normal(0, 0.3, 6), rng.normal(0, 0.8, (60, 1, 1))
    favour = rng.normal(0, 0.3, (60, 6, 1))
    scores = item + wording[None, :, None] + favour + rng.normal(0, 0.5, (60, 6, 2))
    return Study(scores.reshape(1, 60, 12), float(wording.mean()), 0.0, 6)


def close_stars(rng: np.random.Generator) -> Study:
    """Two systems in stars of 1 to 5 on the same 70 items by three judges; b is a with other luck: no difference."""
    item = rng.normal(1.4, 0.8, 70)
    felt = item + rng.normal(0, 0.4, (2, 70)) - rng.normal(0, 0.2, 1)
    stars = felt[..., None] + rng.normal(0, 0.7, (2, 70, 3))
    return Study(1.0 + (stars[..., None] > np.array([-1.5, -0.5, 0.5, 1.5])).sum(-1), 0.0, None)


def lucky_solver(rng: np.random.Generator) -> Study:
    """Two solvers on the same 120 tasks, one attempt each: a solves 62%, b 50%, mostly the same ones."""
    hard = rng.normal(0, 1.5, 120)
    chance = np.stack([logistic(0.83 - hard), logistic(0.0 - hard)])
    nodes, weight = np.polynomial.hermite_e.hermegauss(41)
    true = float((weight * (logistic(0.83 - 1.5 * nodes) - 0.5)).sum() / weight.sum())
    return Study((rng.random((2, 120)) < chance)[..., None] * 1.0, true, None)


def unequal_topics(rng: np.random.Generator) -> Study:
    """Two systems on 100 items of four topics of 60, 25, 10 and 5, a ahead in the small ones only; three judges."""
    topic = np.repeat(np.arange(4), [60, 25, 10, 5])
    gain = np.array([0.0, 0.1, 0.6, 1.0])[topic]
    item = rng.normal(0, 0.6, 100) + topic * 0.4
    one = item + rng.normal(0, 0.3, (2, 100)) + np.stack([gain, np.zeros(100)])
    return Study(one[..., None] + rng.normal(0, 0.6, (2, 100, 3)), float(gain.mean()), None, strata=topic)


LAWS: dict[str, tuple[Callable[[np.random.Generator], Study], str]] = {
    "graders who mistake right and wrong": (strict_graders, "wilson"),
    "whole marks of 0 to 100, five judges drawn": (percent_marks, "t"),
    "tasks nearly always or nearly never solved": (bimodal_items, "wilson"),
    "harm in 3%": (rare_harm, "wilson"),
    "harder items are noisier": (hard_noise, "t"),
    "severe judges decline most": (refusals, "bootstrap"),
    "six wordings drawn": (many_wordings, "t"),
    "two: the same stars": (close_stars, "t"),
    "two: one attempt, 62% and 50%": (lucky_solver, "t"),
    "two: four topics of 60, 25, 10, 5": (unequal_topics, "strata"),
}


def table_of(study: Study) -> pd.DataFrame:
    """The scores as a table of one row per judgment."""
    place = np.argwhere(~np.isnan(study.scores))
    each = study.scores.shape[2] // study.prompts
    out = {"item": place[:, 1], "prompt": place[:, 2] // each, "judge": place[:, 2] % each}
    if study.scores.shape[0] == 2:
        out["system"] = np.array(["a", "b"])[place[:, 0]]
    if study.strata is not None:
        out["category"] = study.strata[place[:, 1]]
    frame = pd.DataFrame(out).astype(str)
    fixed = [name for name in ("prompt", "judge") if frame[name].nunique() == 1]
    return frame.drop(columns=fixed).assign(score=study.scores[tuple(place.T)])


def textbook(study: Study, how: str, rng: np.random.Generator) -> Ends:
    """What a statistics text would do by hand: t or Welch of item means, Wilson, or a bootstrap over items."""
    scores = study.scores[0] if len(study.scores) == 1 else study.scores[0] - study.scores[1]
    if how == "bootstrap":
        draws = [additive(scores[rng.integers(len(scores), size=len(scores))]) for _ in range(400)]
        low, high = np.quantile(draws, [0.025, 0.975])
        return float(low), float(high)
    mean = scores.mean(axis=1)
    n, se, value = len(mean), mean.std(ddof=1) / np.sqrt(len(mean)), float(mean.mean())
    df = n - 1.0
    if how == "strata":
        groups = [mean[study.strata == one] for one in np.unique(study.strata)]
        parts = np.array([len(g) * g.var(ddof=1) / n**2 for g in groups])
        se, df = np.sqrt(parts.sum()), parts.sum() ** 2 / (parts**2 / [len(g) - 1 for g in groups]).sum()
    half = float(stats.t.ppf(0.975, df) * se)
    if how != "wilson":
        return value - half, value + half
    k = half**2 / (value * (1 - value)) if se else stats.t.ppf(0.975, df) ** 2 / n
    middle, reach = value + k / 2, np.sqrt(k * value * (1 - value) + k**2 / 4)
    return (middle - reach) / (1 + k), (middle + reach) / (1 + k)


def additive(scores: Any) -> float:
    """Mean over judges of the least squares means, of items and judges that add up, by sweeping."""
    there = ~np.isnan(scores)
    item, judge = np.zeros(scores.shape[0]), np.zeros(scores.shape[1])
    for _ in range(30):
        item = np.where(there, scores - judge, 0).sum(1) / there.sum(1)
        judge = np.where(there, scores - item[:, None], 0).sum(0) / there.sum(0)
    return float(item.mean() + judge.mean())


def quorates(study: Study) -> tuple[Ends, Ends | None]:
    """The package's two intervals with nothing asked for."""
    table = q.read(table_of(study))
    if len(study.scores) == 2:
        found = difference(table, "a", "b")
        return found.estimate.ends, found.others and found.others.estimate.ends
    both = readings(q.decompose(table))
    return both.setup.ends, both.others and both.others.ends


def row(name: str, studies: int) -> str:
    """One line of the table."""
    law, how = LAWS[name]
    held: list[bool] = []
    theirs, wider, others = [], [], []
    for seed in range(studies):
        rng = np.random.default_rng([seed, 2026])
        study = law(rng)
        try:
            own, beyond = quorates(study)
        except q.NotEstimable:
            continue
        hand = textbook(study, how, rng)
        held.append(own[0] <= study.setup <= own[1])
        theirs.append(hand[0] <= study.setup <= hand[1])
        wider.append((own[1] - own[0]) / (hand[1] - hand[0]))
        if study.others is not None and beyond is not None:
            others.append(beyond[0] <= study.others <= beyond[1])
    far = f"{100 * np.mean(others):.1f}" if others else ""
    by_hand = {"t": "t over items", "wilson": "Wilson", "bootstrap": "bootstrap", "strata": "Welch by topics"}[how]
    return (
        f"| {name} | {100 * np.mean(held):.1f} | {far} | {by_hand} | {100 * np.mean(theirs):.1f} | "
        f"{np.median(wider):.2f} | {studies - len(held)} |"
    )


if __name__ == "__main__":
    for one in LAWS:
        print(row(one, int(sys.argv[1]) if len(sys.argv) > 1 else 400), flush=True)
