"""Plans by pilots on simulated tables: errors and coverage of `quorate.scores.validate`, over tables of two laws.

Each table has 120 items x 4 prompts x 4 judges x 2 answers; 12 pilots of 30 items are drawn from each of 25 tables.
The Monte Carlo standard error counts tables. ``make calibrate ARGS="-k test_validate -rP"`` prints the figures.
"""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q

TABLES, RUNS, BUDGETS = 25, 12, (60, 240)
SIZES = {"item": 120, "prompt": 4, "judge": 4, "replicate": 2}


def gaussian(rng):
    """Normal effects."""
    sd = {"item": 0.5, "prompt": 0.2, "judge": 0.3, "item:prompt": 0.2, "item:judge": 0.35, "all": 0.4}
    return effects(rng, sd, rng.normal)


def shares(rng):
    """Scores of 0 and 1 whose log odds have normal effects, about 70% of them 1."""
    sd = {"item": 1.5, "prompt": 0.4, "judge": 0.6, "item:prompt": 0.5, "item:judge": 0.8, "all": 0.0}
    odds = 1.2 + effects(rng, sd, rng.normal)
    return (rng.random(odds.shape) < 1 / (1 + np.exp(-odds))).astype(float)


def effects(rng, sd, draw):
    """The sum of the effects of every term, shape (items, prompts, judges, answers)."""
    shape = tuple(SIZES.values())
    total = np.zeros(shape)
    for term, spread in sd.items():
        own = SIZES if term == "all" else term.split(":")
        total = total + draw(0.0, max(spread, 1e-9), tuple(n if name in own else 1 for name, n in SIZES.items()))
    return total


def table(scores):
    codes = np.indices(scores.shape).reshape(scores.ndim, -1)
    columns = dict(zip(SIZES, codes, strict=True))
    return q.read(
        pl.DataFrame({**columns, "score": scores.ravel()}), facets={name: name for name in SIZES}, announce=False
    )


@pytest.mark.parametrize("law", [gaussian, pytest.param(shares, marks=pytest.mark.slow)])
def test_plans_by_pilots_err_less_and_their_intervals_hold(law):
    rng = np.random.default_rng(20261123)
    found = [q.scores.validate(table(law(rng)), BUDGETS, runs=RUNS, rng=number) for number in range(TABLES)]
    for budget in BUDGETS:
        each = {name: [one.at(name, budget) for one in found] for name in ("naive", "standard", "optimal")}
        rmse = {name: np.sqrt(np.mean([one.rmse**2 for one in cells])) for name, cells in each.items()}
        cover = {name: np.mean([one.coverage for one in cells]) for name, cells in each.items()}
        error = {name: np.std([one.coverage for one in cells]) / np.sqrt(TABLES) for name, cells in each.items()}
        claimed = {name: np.sqrt(np.mean([one.se**2 for one in cells])) for name, cells in each.items()}
        for name in each:
            said = f"{100 * cover[name]:.1f} +- {100 * error[name]:.1f}"
            print(
                f"{law.__name__:8} {budget:4} {name:8} rmse {rmse[name]:.4f} claimed {claimed[name]:.4f} covers {said}"
            )
        assert rmse["optimal"] < 0.8 * min(rmse["naive"], rmse["standard"])
        assert cover["optimal"] >= 0.92
        assert 0.85 <= claimed["optimal"] / rmse["optimal"] <= 1.15


def llmbar(shared):
    """Whether judges are right, in the core that every judge saw with every prompt in both orders."""
    frame = pl.read_parquet(shared / "data" / "llmbar_judges_prompts.parquet").drop_nulls("correct")
    prompts = frame.group_by("prompt").len().sort("len", "prompt", descending=True).head(8).select("prompt")
    frame = frame.join(prompts, on="prompt", how="semi").with_columns(score=pl.col("correct").cast(pl.Int8))
    asked = frame.select("item", "judge", "prompt").unique().group_by("item").len()
    frame = frame.join(asked.filter(pl.col("len") == pl.col("len").max()), on="item", how="semi")
    return frame, {"item": "item", "judge": "judge", "prompt": "prompt", "replicate": "swapped"}


def topical(shared):
    """Scores of coherence by one judge with seven prompts, twenty times each."""
    frame = pl.read_parquet(shared / "data" / "topical_chat_gpt35_replicates.parquet")
    return frame.filter(pl.col("dimension") == "coherence"), {
        "item": "item",
        "prompt": "prompt",
        "replicate": "replicate",
    }


def rewardbench(shared):
    """Scores of every fifth response that is the best, by five judges with the base prompt."""
    frame = pl.read_parquet(shared / "data" / "rewardbench2_judges_k8.parquet").drop_nulls("score")
    base = (pl.col("prompt") == "base") & pl.col("is_chosen") & (pl.col("temperature").fill_null(1) == 1)
    return frame.filter(base, pl.col("item") % 5 == 0), {"item": "item", "judge": "judge", "replicate": "replicate"}


@pytest.mark.parametrize(
    ("source", "budgets"), [(llmbar, (100, 400, 1500)), (topical, (60, 200, 800)), (rewardbench, (100, 400, 1500))]
)
def test_plans_on_real_tables(shared, source, budgets):
    frame, facets = source(shared)
    found = q.scores.validate(q.read(frame, facets=facets, score="score", announce=False), budgets, runs=60)
    for one in found.cells:
        error = f"{one.rmse:.4f} +- {one.rmse_error:.4f}, claimed {one.se:.4f}"
        print(f"{source.__name__:11} {one.budget:5} {one.plan:8} {error}, covers {one.coverage:.2f}: {one.design}")
    for budget in budgets:
        best, naive = found.at("optimal", budget), found.at("naive", budget)
        assert best.rmse < 0.85 * naive.rmse
        assert best.coverage > naive.coverage
        assert best.coverage >= 0.85  # three errors below .95 with 60 runs


def test_intervals_hold_for_judges_of_two_families():
    """Six judges of two makers who err together are drawn whatever their maker, from a pool that is all there is."""
    rng, sizes = np.random.default_rng(7), {"item": 100, "prompt": 3, "judge": 6}
    shape, found = tuple(sizes.values()), []
    for number in range(TABLES):
        judge = np.repeat(rng.normal(0, 0.3, 2), 3) + rng.normal(0, 0.15, 6)
        own = np.repeat(rng.normal(0, 0.25, (100, 1, 2)), 3, axis=2) + rng.normal(0, 0.15, (100, 1, 6))
        score = rng.normal(0, 0.5, (100, 1, 1)) + judge + own + rng.normal(0, 0.4, shape)
        codes = dict(zip(sizes, np.indices(shape).reshape(3, -1), strict=True))
        frame = pl.DataFrame({**codes, "score": score.ravel()}).with_columns(family=pl.col("judge") // 3)
        read = q.read(frame, nested={"judge": "family"}, announce=False)
        found.append(q.scores.validate(read, (60,), ("optimal",), runs=RUNS, rng=number).cells[0])
    cover = [one.coverage for one in found]
    error = np.std(cover) / np.sqrt(TABLES)
    print(f"covers {100 * np.mean(cover):.1f} +- {100 * error:.1f}")
    assert 0.95 - 3 * error - 0.02 <= np.mean(cover) <= 0.985
