"""Comparisons of scores against studies whose truth is known: simulated, and redrawn from real scores."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.decide.score_studies import studies_of_plan
from quorate.estimate.leaderboard import leaderboard
from quorate.simulate.comparisons import OWN, Pair, replay_comparisons, simulate_comparisons

pytestmark = pytest.mark.calibration
STUDIES = 400
"""The standard error of a size of 5% is then 1.1 points."""


@pytest.mark.parametrize(("items", "judges", "prompts"), [(50, 2, 2), (50, 3, 3), (200, 5, 3), (50, 10, 5)])
def test_size_with_judges_and_prompts_drawn(items, judges, prompts):
    found = simulate_comparisons(Pair(items, judges, prompts), studies=STUDIES)
    print(f"| {items} | {judges} | {prompts} | {found.found:.3f} | {found.naive:.3f} | {found.df:.1f} |")
    least = 0.0 if (judges, prompts) == (2, 2) else 0.025  # one degree of freedom each: conservative
    assert least <= found.found <= 0.07
    assert found.naive > 0.2


def test_size_with_missing_cells():
    found = simulate_comparisons(Pair(60, missing=0.25), studies=100)
    print(f"a quarter of the cells missing: size {found.found:.3f}, naive {found.naive:.3f}")
    assert 0.01 <= found.found <= 0.09


def test_size_with_items_of_each_system():
    found = simulate_comparisons(Pair(50, 3, nested=True), studies=100)
    print(f"items of each system: size {found.found:.3f}")
    assert 0.01 <= found.found <= 0.09


@pytest.mark.parametrize(("judges", "prompts", "studies"), [(1, 1, 200), (3, 3, 50)])
def test_size_with_fewer_and_noisier_items_of_one_system(judges, prompts, studies):
    found = simulate_comparisons(Pair(100, judges, prompts, nested=True, fewer=0.2, noisier=4.0), studies=studies)
    print(f"100 and 20 items, four times as noisy, {judges} judges: size {found.found:.3f}")
    assert found.found <= 0.1


def test_size_of_equivalence_at_the_margin():
    found = simulate_comparisons(Pair(50, 8, 5, difference=0.5), studies=300, margin=0.5)
    print(f"a difference at the margin: equivalent in {found.equivalent:.3f}")
    assert 0.02 <= found.equivalent <= 0.07


@pytest.mark.parametrize(
    ("items", "judges", "prompts", "difference", "within"),
    [(50, 5, 3, 0.6, 0.05), (200, 10, 3, 0.3, 0.05), (50, 3, 3, 0.6, 0.05), (50, 2, 2, 0.8, 0.1)],
)
def test_power_is_as_projected_from_the_components(items, judges, prompts, difference, within):
    pair = Pair(items, judges, prompts, difference=difference)
    parts = {term: 2 * sd**2 for term, sd in OWN.items()}
    source = q.components({**parts, "cell": 2 * pair.cell**2, "replicate": 2 * pair.replicate**2})
    plan = q.project(source, items=items, judges=judges, prompts=prompts, replicates=1)
    projected = studies_of_plan(plan).finds(difference, 0.05)
    found = simulate_comparisons(pair, studies=300)
    print(f"| {items} | {judges} | {prompts} | {difference} | {projected:.3f} | {found.found:.3f} |")
    assert found.found == pytest.approx(projected, abs=within)
    assert found.missed <= 0.07


def equal_systems(rng):
    """Five systems of one mean on 30 items by 4 judges, each of whom favours some."""
    score = sum(rng.normal(0, sd, size) for sd, size in [(0.3, (5, 1, 4)), (0.4, (5, 30, 1)), (0.6, (5, 30, 4))])
    system, item, judge = (axis.ravel() for axis in np.indices(score.shape))
    return q.read(
        pl.DataFrame({"system": system, "item": item, "judge": judge, "score": score.ravel()}), fixed=(), announce=False
    )


def test_a_leaderboard_seldom_tells_equal_systems_apart():
    rng, studies, apart, single = np.random.default_rng(7), 100, 0, 0
    for _ in range(studies):
        board = leaderboard(equal_systems(rng))
        apart += bool(board.ranks.above.any())
        low, high = board.difference(board.systems[0], board.systems[-1]).interval()
        single += not low <= 0 <= high
    print(f"five equal systems: some two apart in {apart / studies:.3f}; first and last alone {single / studies:.3f}")
    assert apart / studies <= 0.09
    assert single > apart


def reward(shared, column):
    """Answer chosen by people and the first that was not, scored by five judges, or by one with seven prompts."""
    frame = pl.read_parquet(shared / "data" / "rewardbench2_judges_k8.parquet").drop_nulls("score")
    frame = frame.filter((pl.col("temperature") == 1) | pl.col("temperature").is_null(), pl.col("response") < 2)
    kept = pl.col("prompt") == "base" if column == "judge" else pl.col("judge") == "gpt-5.4-mini"
    named = frame.filter(kept).with_columns(
        system=pl.when(pl.col("is_chosen")).then(pl.lit("chosen")).otherwise(pl.lit("rejected"))
    )
    facets = {"system": "system", "item": "item", column: column, "answer": "replicate"}
    return q.read(named, facets=facets, fixed=(), announce=False)


def test_size_on_real_scores_with_judges_drawn(shared):
    scores = reward(shared, "judge")
    for items, levels, whole, most in [
        (100, 5, False, 0.08),
        (500, 5, False, 0.11),
        (500, 10, False, 0.08),
        (500, 2, True, 0.08),
        (500, 3, True, 0.11),
    ]:
        options = {"items": items, "levels": levels, "whole_pool": whole}
        found = replay_comparisons(scores, "chosen", "rejected", studies=250, **options)
        drawn = "from a pool of 5" if whole else "like these"
        print(f"| {items} | {levels} judges {drawn} | {found.found:.3f} | {found.naive:.3f} | {found.df:.1f} |")
        assert 0.02 <= found.found <= most
        assert found.naive > found.found


def test_size_on_real_scores_with_prompts_drawn(shared):
    scores = reward(shared, "prompt")
    found = replay_comparisons(scores, "chosen", "rejected", drawn="prompt", items=500, levels=3, studies=150)
    print(f"| 500 | 3 prompts like these | {found.found:.3f} | {found.naive:.3f} | {found.df:.1f} |")
    assert 0.01 <= found.found <= 0.08
