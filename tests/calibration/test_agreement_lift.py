"""Whether a projection by category says where averaging judges helps most (Messing 2026: Spearman .80 of 4)."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.numerics.correlation import of_pair, spearman

JUDGES, PROMPTS, BATTLES = 3, 5, 300


def gain(frame: pl.DataFrame, **levels: int) -> float:
    """Dependability of all cells together less that of a single one, from the components of one category."""
    facets = {name: name for name in frame.columns if name != "score"}
    fit = q.decompose(q.read(frame, facets=facets, fixed=(), announce=False))
    return q.scores.dependability(fit, **levels).phi - q.scores.dependability(fit, **dict.fromkeys(levels, 1)).phi


def test_real_judges_by_subset(shared):
    """LLMBar: 6 judges, 8 prompts and 2 orders against a key, in five subsets."""
    rows = pl.read_parquet(shared / "data" / "llmbar_judges_prompts.parquet").drop_nulls("winner")
    rows = rows.with_columns(pl.col(pl.Categorical).cast(pl.String)).filter(pl.col("subset").str.starts_with("LLMBar"))
    judges = rows.group_by("prompt").agg(pl.col("judge").n_unique())
    rows = rows.join(judges.filter(pl.col("judge") == 6).select("prompt"), on="prompt")
    rows = rows.with_columns(score=(pl.col("winner") == 1).cast(pl.Float64), order=pl.col("swapped").cast(pl.String))
    found = []
    for (name,), part in rows.group_by("subset", maintain_order=True):
        predicted = gain(part.select("item", "judge", "prompt", "order", "score"), judge=6, prompt=8, order=2)
        battle = part.group_by("item").agg(pl.col("score").mean(), pl.col("label").first())
        share, key = battle["score"].to_numpy(), battle["label"].to_numpy()
        said = np.where(share > 0.55, 1, np.where(share < 0.45, 2, 0))
        single = float((part["winner"] == part["label"]).mean())
        lift = float(np.mean(said == key)) - single
        decisive = float(np.mean((said == key)[said > 0])) - single
        found.append((predicted, lift, decisive))
        print(
            f"{name}: dependability gains {predicted:.3f}, agreement {lift:+.3f} from {single:.3f}, "
            f"decisive {decisive:+.3f}"
        )
    predicted, lift, decisive = np.array(found).T
    ordered, decided = (of_pair(spearman, predicted, gain) for gain in (lift, decisive))
    print(f"Spearman over five subsets {ordered:.2f}, decisive {decided:.2f}")
    assert of_pair(spearman, predicted, lift) == pytest.approx(1.0)
    assert of_pair(spearman, predicted, decisive) == pytest.approx(0.9)


def test_four_categories_say_little():
    """Chance alone gives .80 or more in 4 of 24 orders of four categories."""
    by_chance = np.mean([of_pair(spearman, range(4), order) > 0.79 for order in permutations(range(4))])
    print(f"Spearman of .80 or more by chance: {by_chance:.3f}")
    assert by_chance == pytest.approx(1 / 6)


@pytest.mark.parametrize(
    ("name", "noise"),
    [("far apart", (0.3, 0.6, 1.0, 1.6)), ("close", (0.8, 0.9, 1.0, 1.1)), ("alike", (0.8, 0.8, 0.8, 0.8))],
)
def test_simulated_categories(name, noise):
    """Four categories of 300 battles, 3 judges by 5 prompts: whole scores, ties below half a point."""
    rng = np.random.default_rng(1)
    found = np.array([study(noise, rng) for _ in range(60)])
    print(
        f"noise {name}: Spearman of predicted gain and lift {found.mean():.2f} on average, .80 or more in "
        f"{np.mean(found > 0.79):.2f}"
    )
    assert found.mean() > 0.25 if name == "far apart" else abs(found.mean()) < 0.4


def study(noise, rng):
    rows = [category(one, rng) for one in noise]
    return of_pair(spearman, [one for one, _ in rows], [two for _, two in rows])


def category(noise, rng):
    """Predicted gain and observed lift of one category, whose judges have this much noise."""
    gap = rng.normal(0, 1, BATTLES)
    person = np.sign(gap + rng.normal(0, 0.6, BATTLES))
    cell = (
        gap[:, None, None] + rng.normal(0, 0.1, (1, JUDGES, 1)) + noise * rng.normal(0, 1, (BATTLES, JUDGES, PROMPTS))
    )
    cell += noise * (rng.normal(0, 0.5, (BATTLES, JUDGES, 1)) + rng.normal(0, 0.3, (BATTLES, 1, PROMPTS)))
    cell = np.rint(cell)
    single = np.mean(verdict(cell) == person[:, None, None])
    both = np.mean(verdict(cell.mean(axis=(1, 2))) == person)
    at = np.indices(cell.shape).reshape(3, -1).astype(str)
    frame = pl.DataFrame({**dict(zip(("item", "judge", "prompt"), at, strict=True)), "score": cell.ravel()})
    return gain(frame, judge=JUDGES, prompt=PROMPTS), both - single


def verdict(margin):
    return np.where(np.abs(margin) < 0.5, 0, np.sign(margin))
