"""Intervals of agreement: differences of pipelines, position bias, Krippendorff's alpha, accuracy."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.estimate.agreement.battles import Battles, position_bias
from quorate.estimate.agreement.coefficients import alpha, sums_of_alpha
from quorate.estimate.agreement.leaderboards import accuracy, accuracy_by_cell
from quorate.numerics.chances import score_intervals
from quorate.numerics.nominal import ALPHA


def test_differences_of_pipelines_on_the_same_battles():
    """Two pipelines right in .70 and .62, nested in difficulty; three categories, ties a quarter."""
    rng = np.random.default_rng(1)
    n, held, false = 150, [], []
    prompts = [f"p{i:03d}" for i in range(n)]
    keys = tuple((prompt, "x", "y") for prompt in prompts)
    frame = {"prompt": prompts, "model_a": "x", "model_b": "y", "topic": [f"t{i % 3}" for i in range(n)]}
    for _ in range(300):
        people = rng.choice([0, 1, 2], n, p=[0.4, 0.35, 0.25])
        easy = rng.random(n)
        said = [
            np.where(easy < right + 0.15 * rng.normal(size=n), people, (people + 1) % 3) for right in (0.7, 0.62, 0.7)
        ]
        human = q.read_votes(
            pl.DataFrame({**frame, "winner": np.array(["x", "y", "tie"])[people]}), prompt_type="topic", announce=False
        )
        tables = {str(i): Battles(keys, np.array([1.0, -1.0, 0.0])[one], 0.05, False) for i, one in enumerate(said)}
        found = q.agreement.agreement(tables, human, by="prompt_type", resamples=400, rng=rng)
        overall = {(d.first, d.second): d for d in found.differences if d.kind == "overall" and d.category == "all"}
        one, null = overall["0", "1"], overall["0", "2"]
        held.append(one.low <= TRUE <= one.high)
        false.append((null.low > 0 or null.high < 0, null.p <= 0.05))
    intervals, exact = np.mean(false, axis=0)
    print(f"interval of the difference covers {np.mean(held):.3f}; without one it excludes 0 in {intervals:.3f}, "
          f"the exact test rejects {exact:.3f}")  # fmt: skip
    assert 0.92 <= np.mean(held) <= 0.975
    assert intervals <= 0.075
    assert exact <= 0.06


def true_difference():
    from scipy.integrate import quad

    def right(share):
        return quad(lambda z: np.clip(share + 0.15 * z, 0, 1) * np.exp(-z * z / 2) / np.sqrt(2 * np.pi), -8, 8)[0]

    return right(0.7) - right(0.62)


TRUE = true_difference()


@pytest.mark.parametrize("bias", [0.0, 0.06])
def test_position_bias(bias):
    """60 battles of very unequal quality, each judged in both orders by 4 prompts of one judge."""
    rng = np.random.default_rng(2)
    rejected, held = [], []
    order = np.tile([False, True], 60 * 4)
    prompt = np.repeat(np.arange(60), 8)
    for _ in range(300):
        quality = np.clip(0.5 + 0.3 * rng.normal(size=60), 0.06, 0.94)[prompt]
        first = rng.random(480) < np.where(order, 1 - quality, quality) + bias
        winner = np.where(first ^ order, "x", "y")
        frame = {"prompt": prompt, "judge": "llm", "model_a": "x", "model_b": "y", "swapped": order, "winner": winner}
        found = position_bias(q.read_votes(pl.DataFrame(frame), announce=False))[0]
        rejected.append(found.p <= 0.05)
        held.append(found.low <= bias <= found.high)
    print(f"position bias {bias}: found in {np.mean(rejected):.3f}, interval covers {np.mean(held):.3f}")
    assert 0.93 <= np.mean(held) <= 0.97
    if not bias:
        assert np.mean(rejected) <= 0.07


def alphas_hold(scores, items, true, metric="interval"):
    """Whether intervals of alpha hold it, of scores item by item; that of a table is the same, as the first shows."""
    judges = len(scores[0]) // items
    item, judge = np.repeat(np.arange(items), judges), np.tile(np.arange(judges), items)
    low, high = score_intervals([sums_of_alpha(item, score, metric, 0.95) for score in scores], ALPHA).T
    first = alpha(q.read(pl.DataFrame({"item": item, "judge": judge, "score": scores[0]}), announce=False), metric)
    assert (first.low, first.high) == pytest.approx((low[0], high[0]), abs=1e-7)
    return (low <= true) & (true <= high)


@pytest.mark.parametrize("items", [20, 60])
def test_alpha(items):
    """4 judges, items and noise of equal variance: alpha of 1/2."""
    rng = np.random.default_rng(3)
    scores = [np.repeat(rng.normal(size=items), 4) + rng.normal(size=items * 4) for _ in range(500)]
    held = alphas_hold(scores, items, 0.5)
    print(f"alpha, {items} items: 95% interval covers {np.mean(held):.3f}")
    assert np.mean(held) >= (0.89 if items == 20 else 0.91)


@pytest.mark.parametrize(("items", "share"), [(30, 0.5), (30, 0.9), (100, 0.9)])
def test_alpha_of_categories(items, share):
    """3 judges say an item's category, a first one of ``share`` or a second, with chance .9, else one at random."""
    rng, scores = np.random.default_rng(5), []
    for _ in range(250):
        true = np.repeat(rng.random(items) < share, 3)
        scores.append(np.where(rng.random(3 * items) < 0.9, true, rng.random(3 * items) < share).astype(float))
    held = alphas_hold([score for score in scores if np.ptp(score) > 0], items, 0.81, "nominal")
    print(f"nominal alpha, {items} items, {share}: 95% interval covers {np.mean(held):.3f}")
    assert np.mean(held) >= 0.92  # a standard error of .014 for 250 studies


def test_accuracy():
    """40 items, 4 prompts, 5 judges, all drawn: the interval holds the accuracy with others like them."""
    rng, held, naive = np.random.default_rng(4), [], []
    shape = (40, 4, 5)
    columns = dict(zip(("item", "prompt", "judge"), np.indices(shape).reshape(3, -1), strict=True))
    for _ in range(100):
        chance = 0.7 + 0.15 * rng.uniform(-1, 1, (40, 1, 1)) + 0.05 * rng.uniform(-1, 1, (1, 4, 1))
        chance = chance + 0.08 * rng.uniform(-1, 1, (1, 1, 5))
        score = (rng.random(shape) < chance).astype(float).ravel()
        whole = accuracy(q.read(pl.DataFrame({**columns, "score": score}), announce=False), ())[0]
        held.append(whole.low <= 0.7 <= whole.high)
        naive.append(whole.naive_low <= 0.7 <= whole.naive_high)
    print(f"accuracy: corrected interval covers {np.mean(held):.3f}, naive {np.mean(naive):.3f}")
    assert np.mean(held) >= 0.92
    assert np.mean(naive) < 0.85


def test_llmbar_position_bias_and_accuracy(shared):
    """The table of the docs: every judge's position bias, and accuracy on the complete core."""
    rows = pl.read_parquet(shared / "data" / "llmbar_judges_prompts.parquet")
    named = rows.with_columns(model_a=pl.lit("output 1"), model_b=pl.lit("output 2"))
    votes = q.read_votes(named, prompt="item", facets={"variant": "prompt"}, announce=False)
    for one in position_bias(votes):
        print(
            f"{one.judge}: first {one.first:.3f}, when first {one.when_first:.3f}, when second {one.when_second:.3f}; "
            f"{one.battles} battles, {0.5 + one.bias:.3f} ({0.5 + one.low:.3f} to {0.5 + one.high:.3f}), "
            f"p {one.p:.2g}, alike in both orders {one.consistent:.3f}"
        )
    core = rows.filter(pl.col("subset").cast(pl.String).str.starts_with("LLMBar"))
    judges = core.group_by("prompt").agg(pl.col("judge").n_unique())
    core = core.join(judges.filter(pl.col("judge") == 6).select("prompt"), on="prompt")
    facets = {"item": "item", "judge": "judge", "prompt": "prompt", "position": "swapped"}
    right = core.with_columns(score=pl.col("correct").cast(pl.Float64))
    found = accuracy(q.read(right, facets=facets, fixed=("judge", "position"), announce=False))
    for one in found:
        print(
            f"{one.facet} {one.level}: {one.value:.3f} ({one.low:.3f} to {one.high:.3f}); answers taken as independent "
            f"{one.naive_low:.3f} to {one.naive_high:.3f}"
        )
    assert not any(one.reason for one in found)
    scores = q.read(right, facets=facets, fixed=("judge", "position"), announce=False)
    for cell in sorted(accuracy_by_cell(scores).cells, key=lambda one: -one.value):
        print(
            f"{', '.join(cell.levels)}: {cell.value:.3f} ({cell.low:.3f} to {cell.high:.3f}; for all at once "
            f"{cell.all_low:.3f} to {cell.all_high:.3f}), {cell.n} answers to {cell.clusters} items"
        )


def test_arena_people_and_judges(shared):
    """The table of the docs: agreement of two judges and of both together with people, by pair of models."""
    path = shared / "data" / "arena_human_vs_llm_judges.parquet"
    reading = {"prompt": "item", "prompt_type": "pair", "announce": False}
    people = q.read_votes(path, winner="human_winner", **reading).only("judge", "gpt-5.2")
    judges = q.read_votes(path, winner="judge_winner", **reading)
    found = q.agreement.agreement(judges, people, each="judge", by="prompt_type", rng=1)
    for one in found.rates:
        print(
            f"{one.pipeline}, {one.category}, {one.kind}: {one.value:.3f} ({one.low:.3f} to {one.high:.3f}) of {one.n}"
        )
    for one in found.differences:
        if one.first == "gpt-4o-mini":
            print(
                f"{one.first} less {one.second}, {one.category}, {one.kind}: {one.value:.3f} ({one.low:.3f} to "
                f"{one.high:.3f}), p {one.p:.3f}, {one.n} battles"
            )
    for judge in judges.facet("judge").levels:
        for pair in judges.facet("prompt_type").levels:
            share = np.mean([name == CLAUDE for name in winners(judges.only("judge", judge).only("prompt_type", pair))])
            print(f"{judge} prefers Claude in {share:.3f}, {pair}")
    other = 1 - float(np.mean([v == CLAUDE for v in winners(people)]))
    print(f"saying always that Claude loses: {other:.3f}")
    assert other > found.rate("gpt-4o-mini").value > found.rate("gpt-5.2").value


CLAUDE = "claude-opus-4-20250514"


def winners(votes):
    """The model preferred in every vote that is decisive."""
    sides = zip(votes.model_a, votes.model_b, votes.outcome, strict=True)
    return [votes.models[(a, b)[side]] for a, b, side in sides if side < 2]
