"""Whether a screened panel is as sure as it says, and what it loses for want of knowing the judges.

Pools of judges are drawn, each with a pilot of its own. The squared error of a main study is taken in expectation over
its new items, exactly, given what the pilot made of it. Every test prints what it measured;
``docs/methods/screening.md`` has the tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from quorate.numerics.panel.judges import effects, grubbs
from quorate.numerics.panel.subsets import Choice, exchange, exhaustive, turns
from quorate.planning.panel.screening import Screening, screen
from quorate.planning.panel.shortlist import facts
from quorate.table.facets import Facet
from quorate.table.judgments import Judgments

JUDGES, POOLS = 20, 100
NAMES = np.array([f"judge{i:03d}" for i in range(JUDGES)])


@dataclass(frozen=True)
class World:
    """Pools of judges: how they differ, how scores come about, what judgments cost."""

    items: int = 20
    tau: float = 0.4
    shape: float = 3.0
    loading: float = 0.0
    scale: bool = False
    twenty: bool = False
    budget: float = 200.0
    corrected: bool = True


@dataclass(frozen=True)
class Truth:
    """One pool: mean of each judge, the variance of its judgments and what it adds to the item's, and prices."""

    latent: np.ndarray
    loading: np.ndarray
    noise: np.ndarray
    price: np.ndarray
    mean: np.ndarray
    spread: np.ndarray


WORLDS = {
    "as below": World(),
    "budget 2000": World(budget=2000.0),
    "budget 100": World(budget=100.0),
    "5 judges cost 20": World(twenty=True),
    "pilot of 10": World(items=10),
    "pilot of 40": World(items=40),
    "judges alike": World(tau=0.0),
    "judges nearly alike": World(tau=0.1),
    "judges far apart": World(tau=1.0),
    "equal noise": World(shape=np.inf),
    "very unequal noise": World(shape=0.5),
    "unequal loadings": World(loading=0.3),
    "five points": World(scale=True),
    "uncorrected": World(corrected=False),
    "uncorrected, pilot of 10": World(corrected=False, items=10),
}


def table(x: np.ndarray, names: np.ndarray = NAMES) -> Judgments:
    codes = np.column_stack([c.ravel() for c in np.indices(x.shape)]).astype(np.int32)
    items = tuple(f"item{i:03d}" for i in range(len(x)))
    n, y = np.ones(x.size, dtype=np.int64), x.ravel()
    facets = (Facet("item", "item", items), Facet("judge", "judge", tuple(names)))
    return Judgments(facets, "item", "score", codes, n, y, np.zeros(x.size), y, y, {"ok": n})


def scores(world: World, truth: Truth, items: int, rng: np.random.Generator) -> np.ndarray:
    x = rng.normal(0, 0.5, (items, 1)) * truth.loading + truth.latent
    x = x + rng.normal(size=x.shape) * np.sqrt(truth.noise)
    return np.clip(np.rint(2 * x + 3), 1, 5) if world.scale else x


def pool(world: World, rng: np.random.Generator) -> Truth:
    latent = rng.normal(0, world.tau, JUDGES)
    uneven = rng.gamma(world.shape, 1 / world.shape, JUDGES) if np.isfinite(world.shape) else np.ones(JUDGES)
    loading = 1 + world.loading * rng.normal(size=JUDGES)
    price = np.where(np.arange(JUDGES) < 5, 20.0, 1.0) if world.twenty else rng.lognormal(0, 1, JUDGES)
    truth = Truth(latent, loading, 0.25 * uneven, price, latent, loading**2 * 0.25 + 0.25 * uneven)
    if not world.scale:
        return truth
    many = scores(world, truth, 20_000, rng)
    return replace(truth, mean=many.mean(axis=0), spread=many.var(axis=0), noise=grubbs(many).judge)


def squared_error(truth: Truth, members: np.ndarray, counts: np.ndarray, bias: float) -> float:
    """Expected squared error of the mean of the judges' means, less ``bias``."""
    off = truth.mean[members].mean() - truth.mean.mean() - bias
    return float(np.sum(truth.spread[members] / counts) / members.sum() ** 2 + off**2)


def best(
    spread: np.ndarray, error: np.ndarray, price: np.ndarray, budget: float
) -> tuple[np.ndarray, np.ndarray, float]:
    """Members of the best panel, items of each, and its variance by the numbers given."""
    choice = Choice(spread, error, price, budget, None, 1, len(price))
    members, values = exchange(choice)
    chosen = members[values.argmin()]
    found = turns(choice, chosen)
    assert found is not None
    left = error[np.ix_(chosen, chosen)].sum()
    return chosen, found.counts, float(np.sum(spread[chosen] / found.counts) + left) / chosen.sum() ** 2


def left_by_pilot(world: World, truth: Truth) -> np.ndarray:
    """Posterior covariance of the biases when the pool's spread and the judges' noise are known."""
    noise, tau2 = truth.noise / world.items, truth.mean.var(ddof=1) if world.scale else world.tau**2
    pull, weight = tau2 / (tau2 + noise), 1 / (tau2 + noise)
    covariance = np.diag(pull * noise) + np.outer(pull, pull) / weight.sum()
    centring = np.eye(JUDGES) - 1 / JUDGES
    return centring @ covariance @ centring


def one_pool(world: World, seed: int, resamples: int = 1) -> tuple[Truth, np.ndarray, Screening]:
    rng = np.random.default_rng([seed, 5])
    truth = pool(world, rng)
    x = scores(world, truth, world.items, rng)
    prices = {"judge": dict(zip(NAMES.tolist(), truth.price.tolist(), strict=True))}
    options = {"budget": world.budget, "uncorrected": not world.corrected, "resamples": resamples, "rng": seed}
    return truth, x, screen(table(x), prices=prices, **options)


def errors(world: World, seed: int) -> dict[str, float]:
    """Promised and true squared errors of one pool's panels."""
    truth, x, made = one_pool(world, seed)
    panel, pilot = made.panel, facts(x[:, None, :], np.zeros(JUDGES))
    members, counts = np.isin(NAMES, panel.judges), np.array(panel.items_per_judge)
    gamma = pilot.effects.gamma
    plain, plain_counts, plain_promise = best(x.var(axis=0, ddof=1), np.outer(gamma, gamma), truth.price, world.budget)
    return {
        "size": float(members.sum()),
        "promised": panel.se**2,
        "promised, uncorrected": panel.se_uncorrected**2,
        "corrected": squared_error(truth, members, counts, panel.bias),
        "raw": squared_error(truth, members, counts, float(gamma[members].mean())),
        "uncorrected": squared_error(truth, members, counts, 0.0),
        "known variances": best(truth.spread, left_by_pilot(world, truth), truth.price, world.budget)[2],
        "known judges": best(truth.spread, np.zeros((JUDGES, JUDGES)), truth.price, world.budget)[2],
        "plain, promised": plain_promise,
        "plain": squared_error(truth, plain, plain_counts, 0.0),
    }


def root_means(rows: Iterator[dict[str, float]]) -> tuple[dict[str, float], dict[str, np.ndarray]]:
    table_ = list(rows)
    columns = {name: np.array([row[name] for row in table_]) for name in table_[0]}
    return {name: float(np.sqrt(values.mean())) for name, values in columns.items()}, columns


@pytest.mark.parametrize(
    "name", [pytest.param(one, marks=() if one == "as below" else pytest.mark.slow) for one in WORLDS]
)
def test_a_panel_is_as_sure_as_it_says(name: str) -> None:
    world = WORLDS[name]
    rms, columns = root_means(errors(world, seed) for seed in range(POOLS))
    kind, promise = ("corrected", "promised") if world.corrected else ("uncorrected", "promised, uncorrected")
    ratio = rms[kind] / rms[promise]
    spread = (columns[kind] / rms[promise] ** 2 - columns[promise] / rms[promise] ** 2).std() / np.sqrt(POOLS) / 2
    print(
        f"\n| {name} | {columns['size'].mean():.1f} | {rms[promise]:.4f} | {rms[kind]:.4f} | {ratio:.3f} ({spread:.3f})"
        f" | {rms['corrected']:.4f} / {rms['raw']:.4f} / {rms['uncorrected']:.4f}"
        f" | {rms[kind] / rms['known variances'] - 1:+.1%} | {rms[kind] / rms['known judges'] - 1:+.1%}"
        f" | {rms['plain'] / rms['plain, promised']:.2f} | {rms['plain'] / rms[kind] - 1:+.1%} |"
    )
    low = 0.8 if world.tau == 0 else 0.94
    assert low - 2 * spread < ratio < 1.08 + 2 * spread
    assert rms["corrected"] <= rms["raw"] * (0.95 if world.tau <= 0.1 else 1.03)


@pytest.mark.parametrize(
    "name",
    [
        "pilot of 10",
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("as below", "budget 2000", "5 judges cost 20", "judges nearly alike")
        ),
    ],
)
def test_stability_is_what_it_says(name: str) -> None:
    """Near: the panel's standard error, by the true variances, is at most 5% above that of the best."""
    world, claimed, near, claimed_loss, loss = WORLDS[name], [], [], [], []
    for seed in range(60):
        truth, _, made = one_pool(world, seed, resamples=100)
        error = left_by_pilot(world, truth)
        choice = Choice(truth.spread, error, truth.price, made.panel.cost, None, 1, JUDGES)
        values = exchange(choice)[1]
        ratio = np.sqrt(choice.of(np.isin(NAMES, made.panel.judges)) / values.min())
        claimed.append(made.stability.within)
        claimed_loss.append(made.stability.loss)
        near.append(ratio <= 1.05)
        loss.append(ratio - 1)
    print(
        f"\n| {name} | {np.mean(near):.2f} | {np.mean(claimed):.2f} | {np.mean(loss):.1%} | "
        f"{np.mean(claimed_loss):.1%} |"
    )
    assert abs(np.mean(near) - np.mean(claimed)) < 0.25


def rating_scale(shared: Path, scale: int) -> tuple[np.ndarray, np.ndarray]:
    """Overall scores, brought to 0 to 1, of the texts that 12 people and 6 models scored."""
    frame = pl.read_parquet(shared / "data" / "rating_scale_human_llm.parquet")
    frame = frame.with_columns(pl.col("benchmark", "dimension", "judge").cast(pl.String))
    frame = frame.filter((pl.col("dimension") == "overall") & pl.col("temperature").is_null() & pl.col("has_human"))
    frame = frame.filter(pl.col("scale_max") == scale).with_columns(id=pl.format("{} {}", "benchmark", "item"))
    wide = frame.pivot(on="judge", index="id", values="score01").drop_nulls().drop("id")
    return wide.to_numpy().astype(float), np.array(wide.columns)


def real(x: np.ndarray, names: np.ndarray, prices: np.ndarray, budget: float, seed: int) -> dict[str, float]:
    """A pilot of 20 of the items; the main study draws its items from all of them, with replacement."""
    rng = np.random.default_rng([seed, 6])
    sample = x[rng.choice(len(x), 20, replace=False)]
    order = np.argsort(names)
    by_name = {"judge": dict(zip(names.tolist(), prices.tolist(), strict=True))}
    made = screen(table(sample[:, order], names[order]), prices=by_name, budget=budget, resamples=1, rng=seed)
    members = np.isin(names[order], made.panel.judges)
    mean, spread = x.mean(axis=0)[order], x.var(axis=0)[order]
    truth = Truth(mean, mean, mean, prices[order], mean, spread)
    pilot = facts(sample[:, None, order], np.zeros(len(names)))
    counts = np.array(made.panel.items_per_judge)
    drawn = next(panel for panel in made.alternatives if panel.label.endswith("at random, in turn"))
    centring = np.eye(len(names)) - 1 / len(names)
    alone = effects(sample[:, order].mean(axis=0), centring @ np.diag(pilot.noise / 20) @ centring)
    chosen, turned, promise = best(pilot.spread, alone.covariance, prices[order], budget)
    return {
        "size": float(members.sum()),
        "models": float(sum(len(name) > 2 for name in made.panel.judges)),
        "promised": made.panel.se**2,
        "promised, uncorrected": made.panel.se_uncorrected**2,
        "corrected": squared_error(truth, members, counts, made.panel.bias),
        "raw": squared_error(truth, members, counts, float(pilot.effects.gamma[members].mean())),
        "uncorrected": squared_error(truth, members, counts, 0.0),
        "independent, promised": promise,
        "independent": squared_error(truth, chosen, turned, float(alone.mean[chosen].mean())),
        "random": drawn.se_uncorrected**2,
        "crossed": next(p.se for p in made.alternatives if p.label == "all judges on every item") ** 2,
    }


@pytest.mark.parametrize(
    ("scale", "people"),
    [pytest.param(*at, marks=() if at == (5, 1.0) else pytest.mark.slow) for at in product((5, 10, 100), (1.0, 20.0))],
)
def test_people_and_models_on_real_texts(shared: Path, scale: int, people: float) -> None:
    x, names = rating_scale(shared, scale)
    prices = np.where([len(name) > 2 for name in names], 1.0, people)
    rms, columns = root_means(real(x, names, prices, 600.0, seed) for seed in range(POOLS))
    ratio = rms["corrected"] / rms["promised"]
    print(
        f"\n| {scale} | {people:.0f} | {columns['size'].mean():.1f} ({columns['models'].mean():.1f})"
        f" | {rms['promised']:.4f} | {rms['corrected']:.4f} | {ratio:.3f}"
        f" | {rms['independent'] / rms['independent, promised']:.3f} | {rms['raw']:.4f}"
        f" | {rms['promised, uncorrected']:.4f} | {rms['uncorrected']:.4f}"
        f" | {rms['random']:.4f} | {rms['crossed']:.4f} |"
    )
    assert 0.8 < ratio < 1.2


@pytest.mark.parametrize("corrected", [True, False])
@pytest.mark.parametrize("name", ["as below", "5 judges cost 20", "judges nearly alike"])
def test_exchanging_judges_against_the_full_search(name: str, corrected: bool) -> None:
    world, ratio = replace(WORLDS[name], corrected=corrected), []
    for seed in range(40):
        rng = np.random.default_rng([seed, 5])
        truth = pool(world, rng)
        pilot = facts(scores(world, truth, world.items, rng)[:, None, :], np.zeros(JUDGES))
        choice = Choice(pilot.spread, pilot.error(corrected=corrected), truth.price, world.budget, None, 1, JUDGES)
        ratio.append(np.sqrt(exchange(choice)[1].min() / exhaustive(choice)[1].min()))
    exact = np.mean(np.array(ratio) < 1 + 1e-9)
    print(f"\n{name}, corrected {corrected}: found {exact:.0%}, mean {np.mean(ratio):.4f}, most {np.max(ratio):.4f}")
    assert np.min(ratio) > 1 - 1e-9
    assert np.max(ratio) < (1.001 if corrected else 1.15)
