"""Saha et al. (2026), LLM-as-Judge on a Budget."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from quorate.arrays import Floats
from quorate.errors import InvalidData
from quorate.numerics.sequential.bandit import constants, greedy, known_variance_bound, unknown_variance_bound
from quorate.reproduction.study import (
    Contents,
    Drawing,
    MonteCarlo,
    Needed,
    Reanalysis,
    Results,
    Study,
    Value,
    columns,
    mean,
    ratio,
)
from quorate.simulate.allocation.allocation import simulate_allocation
from quorate.simulate.allocation.cycles import MIXED, sweep_allocation
from quorate.simulate.allocation.result import (
    CORRELATIONS,
    ROBIN,
    ROBIN_HOOD,
    UNIFORM,
    redrawn_runs,
    saved_interval,
    saving,
)

# Warm-ups, allocations and bounds of ROBIN and ROBIN-HOOD.


ARMS, BUDGET = 1016, 100_000


def bounds(_: np.random.Generator) -> Results:
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
    return Results(values)


BOUNDS = Study("budget.bounds", "Warm-ups, allocations and bounds", bounds)


# ROBIN-HOOD on answers of a judge beside scores of people: topical_chat, four qualities, 20 answers of one prompt.


QUALITIES = ("coherence", "engagingness", "groundedness", "naturalness")
PROMPT, EACH, RUNS = "analyze_rate_auto_cot", 100, 30
"""One prompt; calls of every item in all; runs."""
FLOOR = "with a floor"


def read_scores(path: Path) -> dict[str, tuple[Floats, Floats]]:
    """By quality: answers by item, shape (items, draws), nan for none; and the mean score of people."""
    table = columns(path, text=("item", "dimension", "prompt"), numbers=("replicate", "score", "human_score"))
    found = {}
    for quality in QUALITIES:
        rows = (table["prompt"] == PROMPT) & (table["dimension"] == quality)
        if not rows.any():
            raise InvalidData(f'{path}: has no answers of {quality} to prompt "{PROMPT}"; is it another file?')
        items, item = np.unique(table["item"][rows].astype(str), return_inverse=True)
        draw = np.unique(table["replicate"][rows], return_inverse=True)[1]
        answers = np.full((len(items), int(draw.max()) + 1), np.nan)
        answers[item, draw] = table["score"][rows]
        people = np.full(len(items), np.nan)
        people[item] = table["human_score"][rows]
        found[quality] = answers, people
    return found


SCORES = Needed(
    "topical_chat_gpt35_replicates.parquet",
    "answers of GPT-3.5 on topical_chat (github.com/d223302/A-Closer-Look-To-LLM-Evaluation)",
    read_scores,
)


def people(files: Contents, rng: np.random.Generator) -> Results:
    """Correlations with people and with the judge itself, and what is saved, by quality."""
    values: dict[str, Value | float] = {}
    rows = []
    for quality, (answers, people) in files.of(SCORES).items():
        items, seed = len(answers), int(rng.integers(2**31))
        points = [each * items for each in range(20, EACH + 1, 10)]
        replays = {
            whom: simulate_allocation(
                answers, points[-1], runs=RUNS, seed=seed, floor=whom == FLOOR, human=human, points=points
            )
            for whom, human in (("people", people), ("its own means", np.nanmean(answers, axis=1)), (FLOOR, None))
        }
        for whom in ("people", "its own means"):
            curves = replays[whom].outcomes[ROBIN_HOOD].correlations
            for name, curve in zip(CORRELATIONS, curves, strict=True):
                values[f"{quality}: {name.title()} with {whom}"] = float(curve[-1])
            series = quality if whom == "people" else f"{quality}, itself"
            rows += [
                {"calls of an item": point // items, "Pearson": float(value), "series": series}
                for point, value in zip(points, curves[0], strict=True)
                if whom == "people" or quality == QUALITIES[0]
            ]
        for words, replay in (("", replays["people"]), (f" {FLOOR}", replays[FLOOR])):
            hood, uniform = replay.outcomes[ROBIN_HOOD].errors, replay.outcomes[UNIFORM].errors
            half = hood[:, points.index(points[-1] // 2)]
            values[f"{quality}: ROBIN-HOOD{words} at half over uniform at all"] = ratio(half, uniform[:, -1])
            saved = replay.saved()
            values[f"{quality}: ROBIN-HOOD{words} saves, %"] = Value(100 * saved.value, 25 * (saved.high - saved.low))
    title = (
        "Correlation of ROBIN-HOOD's means with people and with the judge itself, topical_chat (as Figs. 6, 7 and 9)"
    )
    drawing = Drawing("budget.people", "people", title, rows, "calls of an item", "Pearson", by="series")
    return Results(values, (drawing,))


PEOPLE = Reanalysis("budget.people", "A judge, itself and people, on topical_chat", (SCORES,), people)


# Worst-case errors by budget: uniform allocation, ROBIN and ROBIN-HOOD (section 5.2, Figs. 3 to 9).
#
# The scores of the two judges are not public. Pools of 30 whole scores from 0 to 4 are drawn whose mean standard
# deviation is that of helpfulness in the authors' notebooks (.479 and .528). How unlike standard deviations are is not
# published: they follow a gamma law of shape 2, with which uniform allocation ends with the error of .3 of Fig. 3. Two
# further laws show what depends on it.


POINTS_OF_SCORES, HIGHEST = 30, 4
POINTS = tuple(range(10_000, BUDGET + 1, 10_000))
USUAL, POOR = 0.007, 0.07
FLOORED, FLOORED_POOR = f"delta {USUAL:g}", f"delta {POOR:g}"
PAPER, PLATEAU = f"{FLOORED}, no floor", f"{FLOORED_POOR}, no floor"
SETTINGS = (UNIFORM, ROBIN, PAPER, FLOORED, PLATEAU, FLOORED_POOR, MIXED)


class Pool(NamedTuple):
    """Gamma law of standard deviations, before scores are rounded and cut off at the ends of the scale."""

    shape: float
    scale: float

    def draw(self, rng: np.random.Generator) -> Floats:
        """Scores of every pair, about means that differ with a standard deviation of 1."""
        centre, sd = rng.normal(HIGHEST / 2, 1, (ARMS, 1)), rng.gamma(self.shape, self.scale, (ARMS, 1))
        return np.clip(np.rint(centre + sd * rng.normal(size=(ARMS, POINTS_OF_SCORES))), 0, HIGHEST)


POOLS = {"sd .479": Pool(2, 0.2296), "sd .528": Pool(2, 0.2623), "sd .479, less alike": Pool(1.5, 0.3139)}
POOLS |= {"sd .479, more alike": Pool(5, 0.0873)}


def replicate(pool: Pool, rng: np.random.Generator) -> Floats:
    """Worst-case errors of every setting, correlations of ROBIN-HOOD's means with the true ones, and the mean sd."""
    scores, seed = pool.draw(rng), int(rng.integers(2**31))
    once = {"runs": 1, "seed": seed, "points": POINTS}
    swept = sweep_allocation(scores, BUDGET, deltas=(USUAL, POOR), floors=(False, True), **once)  # type: ignore[arg-type]
    own = scores.mean(axis=1)
    alone = simulate_allocation(scores, BUDGET, policies=ROBIN_HOOD, floor=False, human=own, **once)  # type: ignore[arg-type]
    errors = [swept.outcomes[name].errors[0] for name in SETTINGS]
    return np.concatenate([*errors, *alone.outcomes[ROBIN_HOOD].correlations, [scores.std(axis=1).mean()]])


def _worst_case(draws: Mapping[str, Floats]) -> Results:
    """Errors of the policies over each other, the budget saved, and correlations of a judge with itself."""
    values: dict[str, Value | float] = {}
    for law, numbers in draws.items():
        errors, correlations = split(numbers)
        at = {name: {point: errors[name][:, i] for i, point in enumerate(POINTS)} for name in SETTINGS}
        end, half, warm = BUDGET, BUDGET // 2, 20_000
        values[f"{law}: mean standard deviation"] = mean(numbers[:, -1])
        values[f"{law}: error of uniform allocation"] = mean(at[UNIFORM][end])
        values[f"{law}: error of ROBIN-HOOD at half"] = mean(at[PAPER][half])
        values[f"{law}: ROBIN-HOOD at half over uniform at all"] = ratio(at[PAPER][half], at[UNIFORM][end])
        values[f"{law}: ROBIN-HOOD over uniform in the warm-up"] = ratio(at[PAPER][warm], at[UNIFORM][warm])
        values[f"{law}: ROBIN-HOOD over uniform"] = ratio(at[PAPER][end], at[UNIFORM][end])
        values[f"{law}: ROBIN-HOOD over ROBIN"] = ratio(at[PAPER][end], at[ROBIN][end])
        values[f"{law}: delta .07, all over half"] = ratio(at[PLATEAU][end], at[PLATEAU][half])
        values[f"{law}: delta .07 at half over uniform"] = ratio(at[PLATEAU][half], at[UNIFORM][half])
        values[f"{law}: delta .07 over uniform"] = ratio(at[PLATEAU][end], at[UNIFORM][end])
        values[f"{law}: delta .07 with a floor over uniform"] = ratio(at[FLOORED_POOR][end], at[UNIFORM][end])
        values[f"{law}: {MIXED}, over uniform"] = ratio(at[MIXED][end], at[UNIFORM][end])
        for name, words in ((PAPER, "ROBIN-HOOD"), (FLOORED, "ROBIN-HOOD with a floor"), (ROBIN, "ROBIN")):
            values[f"{law}: {words} saves, %"] = saved(errors[name], errors[UNIFORM])
        for name, found in zip(CORRELATIONS, correlations, strict=True):
            values[f"{law}: {name.title()} with its own means"] = mean(found[:, -1])
    return Results(values, drawings(draws["sd .479"]))


def split(numbers: Floats) -> tuple[dict[str, Floats], Floats]:
    """Errors by setting, shape (replicates, points), and correlations, shape (3, replicates, points)."""
    curves = np.moveaxis(numbers[:, :-1].reshape(len(numbers), -1, len(POINTS)), 1, 0)
    return dict(zip(SETTINGS, curves, strict=False)), curves[len(SETTINGS) :]


def saved(own: Floats, uniform: Floats) -> Value:
    """Percent of the budget saved for uniform allocation's final error, with a quarter of its bootstrap interval."""
    spent = np.array(POINTS)
    value = saving(own.mean(axis=0)[None], uniform.mean(axis=0)[None], spent)[0]
    low, high = saved_interval(own, uniform, spent, redrawn_runs(len(own), 1), 0.95)
    return Value(100 * float(value), 100 * (high - low) / 4)


def drawings(numbers: Floats) -> tuple[Drawing, ...]:
    """Curves of errors, and of correlations."""
    errors, correlations = split(numbers)
    rows = [
        {"calls": point, "largest error": float(value), "policy": name}
        for name in SETTINGS[:-1]
        for point, value in zip(POINTS, errors[name].mean(axis=0), strict=True)
    ]
    own = [
        {"calls": point, "correlation": float(value), "coefficient": name}
        for name, found in zip(CORRELATIONS, correlations, strict=True)
        for point, value in zip(POINTS, found.mean(axis=0), strict=True)
    ]
    title = "Largest error of any score, mean standard deviation .479 (Figs. 3 to 5 and 8)"
    itself = "Correlation of ROBIN-HOOD's means with the judge's own (Figs. 6, 7 and 9)"
    study, x = "budget.worst-case", "calls"
    return (
        Drawing(study, "worst-case", title, rows, x, "largest error", by="policy"),
        Drawing(study, "itself", itself, own, x, "correlation", by="coefficient"),
    )


WORST_CASE = MonteCarlo(
    "budget.worst-case",
    "Errors of ROBIN-HOOD in pools of rebuilt scores",
    POOLS,
    replicate,
    _worst_case,
    50,
    20,
    chunk=10,
)
