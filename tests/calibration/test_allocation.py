"""Adaptive allocation at the paper's scale and on real judgments; the figures of docs/methods/adaptive.md."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.numerics.sequential.bandit import Rule, constants, known_variance_bound, unknown_variance_bound
from quorate.simulate.allocation.arms import arms_of
from quorate.simulate.allocation.cycles import CYCLE, MIXED, compare_cycles, sweep_allocation
from quorate.simulate.allocation.result import (
    LEAST_RUNS,
    STEADY_RUNS,
    Adaptive,
    Runs,
    redrawn_runs,
    saved_interval,
    saving,
)

DIMENSIONS = ("coherence", "engagingness", "groundedness", "naturalness")


def scores(arms=1000, draws=30):
    """Whole scores from 0 to 4: normal means about 2 with sd 1, and standard deviations from a gamma law."""
    rng = np.random.default_rng(1)
    mean, sd = rng.normal(2, 1, (arms, 1)), rng.gamma(1.5, 0.35, (arms, 1))
    return np.clip(np.round(mean + sd * rng.normal(size=(arms, draws))), 0, 4)


def final(found, name):
    return float(found.outcomes[name].errors[:, -1].mean())


def dearer(found):
    """How many times the calls of ROBIN, which knows variances, ROBIN-HOOD needs for the final error of uniform."""
    return (1 - found.saved().value) / (1 - found.saved("robin").value)


def show(title, found):
    cells = [f"{name} {final(found, name):.3f}" for name in found.outcomes]
    hood, robin = found.saved(), found.saved("robin")
    print(
        f"\n{title}: {len(found.labels)} arms, {found.budget:,} calls, {', '.join(cells)}; saved {hood.value:.1%} "
        f"({hood.low:.1%} to {hood.high:.1%}), ROBIN {robin.value:.0%}, {dearer(found):.2f} times the calls of ROBIN; "
        f"normal means {found.ceiling:.0%}; mean over largest variance {found.variance_ratio:.0%}, "
        f"warm-up {found.warmup_share:.0%}, {np.mean(found.variances == 0):.0%} of arms without variance"
    )


def show_curve(found):
    """Largest errors at several budgets, of 100 calls each in all."""
    columns = ("spent", "policy", "wce_mean", "wce_sd")
    for spent, policy, mean, sd in zip(*(found.curve[name] for name in columns), strict=True):
        each = 100 * int(spent) / found.budget
        if abs(each - 20 * round(each / 20)) < 0.001:
            print(f"    {each:.0f} calls each, {policy}: largest error {mean:.3f} (sd {sd:.3f})")


def show_people(found):
    """Correlations with people at several budgets: Pearson, Spearman, Kendall."""
    columns = ("spent", "policy", "pearson", "spearman", "kendall")
    for spent, policy, *values in zip(*(found.curve[name] for name in columns), strict=True):
        each = int(spent) // len(found.labels)
        print(f"    {each} calls each, {policy}: correlation with people {', '.join(f'{v:.3f}' for v in values)}")


def with_people(judgments, human, runs):
    """A replay that is correlated with human scores at 20, 60 and 100 calls each."""
    points = [each * judgments.n_cells for each in (20, 60, 100)]
    return q.scores.simulate_allocation(judgments, points[-1], runs=runs, human=human, points=points)


def test_the_scale_of_the_paper():
    """The theory's lam with the warm-up of the experiments is exactly uniform; each with its own saves half."""
    found = q.scores.simulate_allocation(scores(), 100_000)
    show("simulated", found)
    sweep = sweep_allocation(scores(), 100_000, deltas=(0.007, 0.07, 0.3), warmups=(20, 40, 80), floors=(True, False))
    for name in sweep.outcomes:
        spread = sweep.outcomes[name].pulls
        print(f"    {name}: {sweep.final(name):.3f}, pulls {spread.min():.0f} to {spread.max():.0f}")
    assert final(found, "robin-hood") < 0.7 * final(found, "uniform")
    assert found.saved().low > 0.4
    assert np.ptp(sweep.outcomes[MIXED].pulls) == 0
    assert sweep.final(MIXED) == sweep.final("uniform")
    assert sweep.final("delta 0.007") < sweep.final("delta 0.007, no floor")
    assert sweep.final("delta 0.3, no floor") > sweep.final("uniform")
    assert sweep.final("delta 0.3, warm-up 20, no floor") < 0.5 * sweep.final("delta 0.3, no floor")
    assert sweep.final("delta 0.3, warm-up 80") > sweep.final("delta 0.3, warm-up 40")


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_topical_chat(shared, dimension):
    """One prompt, 20 answers of a cell, 100 calls each on average; then all prompts."""
    frame = pl.read_parquet(shared / "data" / "topical_chat_gpt35_replicates.parquet")
    frame = frame.filter(pl.col("dimension") == dimension)
    human = {str(item): score for item, score in frame.select("item", "human_score").unique().iter_rows()}
    facets = {"item": "item", "prompt": "prompt", "replicate": "replicate"}
    judgments = q.read(frame, score="score", facets=facets, announce=False)
    one = judgments.only("prompt", "geval")
    budget = 100 * one.n_cells
    found = q.scores.simulate_allocation(one, budget, runs=100)
    show(f"{dimension}, one prompt", found)
    show_curve(found)
    people = with_people(one, human, runs=30)
    show_people(people)
    starved = q.scores.simulate_allocation(one, budget, runs=100, floor=False, points=25)
    print(f"    without the floor: {final(starved, 'robin-hood'):.3f}, saved {starved.saved().value:.0%}")
    everything = q.scores.simulate_allocation(judgments, 50 * judgments.n_cells, points=25)
    show(f"{dimension}, all prompts", everything)
    assert 0 < found.saved().value < 0.5
    assert found.why
    assert starved.saved().value < 0
    assert everything.saved().low > 0
    for name in people.outcomes:
        assert (people.outcomes[name].correlations[:, -1] > people.outcomes["uniform"].correlations[:, 0]).all()
        assert people.outcomes[name].correlations == pytest.approx(people.outcomes["uniform"].correlations, abs=0.01)


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_what_the_bound_and_the_floor_are_worth(shared, dimension):
    """Saving on topical_chat with and without either, and with a floor for the whole width of the scale."""
    frame = pl.read_parquet(shared / "data" / "topical_chat_gpt35_replicates.parquet")
    frame = frame.filter((pl.col("dimension") == dimension) & (pl.col("prompt") == "geval"))
    facets = {"item": "item", "replicate": "replicate"}
    pools = arms_of(q.read(frame, score="score", facets=facets, announce=False)).pools
    budget, lam = 100 * pools.arms, constants("experiment", pools.arms, 100 * pools.arms, 0.007).lam
    rules = {
        f"{bound} bound, {floor}": Adaptive(Rule(lam if bound == "with" else 0.0, step), 20)
        for bound in ("with", "without")
        for floor, step in {"no floor": None, "floor of one step": 1.0, "floor of two": 2.0}.items()
    }
    grid = np.linspace(2 * pools.arms, budget, 50).astype(int)
    found = Runs(pools, grid, 50, 1).outcomes(("uniform", *rules), rules)
    curves = {name: one.errors.mean(axis=0)[None] for name, one in found.items()}
    saved = {name: float(saving(curves[name], curves["uniform"], grid)[0]) for name in rules}
    print(f"\n{dimension}: " + "; ".join(f"{name} {value:.0%}" for name, value in saved.items()))
    for floor in ("no floor", "floor of one step", "floor of two"):
        assert saved[f"with bound, {floor}"] > saved[f"without bound, {floor}"]
    assert saved["with bound, floor of one step"] > saved["with bound, no floor"]


def rewardbench_frame(shared, every):
    frame = pl.read_parquet(shared / "data" / "rewardbench2_judges_k8.parquet")
    base = (pl.col("prompt") == "base") & (pl.col("temperature").is_null() | (pl.col("temperature") == 1))
    frame = frame.filter(base & (pl.col("item") % every == 0))
    return frame.with_columns(response=pl.col("item").cast(pl.String) + "/" + pl.col("response").cast(pl.String))


def rewardbench(shared, every):
    facets = {"item": "response", "judge": "judge", "replicate": "replicate"}
    return q.read(rewardbench_frame(shared, every), score="score", facets=facets, announce=False)


@pytest.mark.slow
def test_rewardbench2_judge_by_judge(shared):
    """Learning variances costs about half as many calls again; more is lost of a saving where there is less of it."""
    judgments = rewardbench(shared, 5)
    chosen = rewardbench_frame(shared, 5).select("response", pl.col("is_chosen").cast(float)).unique()
    human = dict(chosen.iter_rows())
    for judge in judgments.facet("judge").levels:
        one = judgments.only("judge", judge)
        found = q.scores.simulate_allocation(one, 100 * one.n_cells, points=25)
        show(judge, found)
        show_curve(found)
        people = with_people(one, human, runs=5)
        show_people(people)
        assert found.saved().low > 0.3
        assert 1.2 < dearer(found) < 2
        assert found.variance_ratio < 0.07 or (judge == "gpt-5.4-nano" and found.saved("robin").value < 0.7)
        for name in people.outcomes:
            assert people.outcomes[name].correlations == pytest.approx(
                people.outcomes["uniform"].correlations, abs=0.01
            )


@pytest.mark.slow
def test_cycles_of_five_judges(shared):
    """Error against the mean of the panel, at 150 calls for each response."""
    judgments = rewardbench(shared, 10)
    found = compare_cycles(judgments, 150 * judgments.n_levels("item"))
    print(f"\n{found.arms} arms: {found.sentence}")
    for row in found.rows:
        print(
            f"    {row.design}, {row.policy}: bias^2 {row.bias_squared:.5f}, variance {row.variance:.5f}, "
            f"largest error {row.wce:.3f}"
        )
    cycle = found.row()
    assert abs(cycle.bias_squared) < 0.1 * cycle.variance
    assert cycle.wce < found.row(CYCLE, "uniform").wce
    for judge in judgments.facet("judge").levels:
        assert found.row(judge).bias_squared > 100 * found.row(judge).variance
        assert found.row(judge).variance < found.row(judge, "uniform").variance


@pytest.mark.parametrize("budget", [20_000, 80_000])
@pytest.mark.parametrize("rate", [0.02, 0.05, 0.2, 0.5])
def test_bias_of_adaptive_means(rate, budget):
    """300 arms that give 1 at this rate, among 100 that give 1 half the time; pools of 100 answers."""
    rare = (np.arange(100) < round(100 * rate)).astype(float)
    pool = np.concatenate([np.tile(rare, (300, 1)), np.tile(np.arange(100) % 2, (100, 1))])
    bias = {}
    for floor in (True, False):
        found = q.scores.simulate_allocation(pool, budget, runs=50, floor=floor, points=2)
        for name, one in found.outcomes.items():
            if name == "robin-hood" or floor:
                key = name if name != "robin-hood" else f"robin-hood {'with' if floor else 'without'} floor"
                bias[key] = float(one.bias[:300].mean())
                pulls = one.pulls[:300].mean()
                error = float(np.sqrt(one.variance[:300].mean() / 300 / 50))
                each = f"rate {rate}, {budget // 400} calls each: {key}"
                print(f"    {each}, bias {bias[key]:+.5f} ({error:.5f}), {pulls:.0f} pulls")
    assert abs(bias["uniform"]) < 0.0015
    assert abs(bias["robin"]) < 0.0025
    if rate < 0.5:
        assert bias["robin-hood without floor"] < bias["robin-hood with floor"] < 0
    if rate == 0.02 and budget == 80_000:
        assert bias["robin-hood without floor"] < -0.5 * rate
        assert bias["robin-hood with floor"] > -0.15 * rate


def test_the_bounds_hold():
    """Normal scores, whose variances are the sub-Gaussian constants of the theorems, without a floor.

    A pool of 20,000 is as good as the law. The second bound is too wide to be broken: how much too wide is tested.
    """
    rng = np.random.default_rng(1)
    sd = rng.gamma(1.5, 0.5, (20, 1))
    pool = sd * rng.normal(size=(20, 20_000))
    found = q.scores.simulate_allocation(pool, 20_000, variant="theory", delta=0.1, floor=False, runs=100, points=2)
    for name, bound in (
        ("robin", known_variance_bound(found.variances, 20_000, 0.1)),
        ("robin-hood", unknown_variance_bound(found.variances, 20_000, 0.1, found.constants.warmup)),
    ):
        errors = found.outcomes[name].errors[:, -1]
        print(
            f"    {name}: largest error {errors.mean():.4f}, bound {bound:.4f}, above it {np.mean(errors > bound):.2f}"
        )
        assert np.mean(errors > bound) <= 0.1
    assert 4 < bound / errors.mean() < 7


def alike(arms=20, draws=10):
    """Whole scores of arms that vary about equally."""
    return np.round(np.random.default_rng(2).normal(3, 1, (arms, draws)))


@pytest.mark.parametrize(
    ("pool", "budget"),
    [(scores(arms=120, draws=12), 6000), pytest.param(alike(), 2000, marks=pytest.mark.slow)],
    ids=["apart", "alike"],
)
def test_intervals_of_the_saving_need_runs(pool, budget):
    """How often 95% intervals over few runs hold the saving of 3,000 runs."""
    found = q.scores.simulate_allocation(pool, budget, policies=("uniform", "robin-hood"), runs=3000)
    own, other = (found.outcomes[name].errors for name in ("robin-hood", "uniform"))
    truth, rng, covered = found.saved().value, np.random.default_rng(1), {}
    for runs in (2, 5, 10, LEAST_RUNS, STEADY_RUNS):
        chosen = [rng.choice(3000, runs, replace=False) for _ in range(400)]
        weights = redrawn_runs(runs, 1)
        ends = [saved_interval(own[one], other[one], found.spent, weights, 0.95) for one in chosen]
        covered[runs] = float(np.mean([low <= truth <= high for low, high in ends]))
    print(f"\n    saving {truth:.1%}; intervals hold it: {covered}")
    assert covered[5] < 0.9
    assert covered[LEAST_RUNS] > 0.87
    assert covered[STEADY_RUNS] > 0.91
