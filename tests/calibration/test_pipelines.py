"""Leaderboards by judges against the truth over redrawn pipelines; ratios of standard errors; battles needed."""

from __future__ import annotations

import time

import numpy as np
import polars as pl
import pytest
from calibration.redrawn_battles import BattleComponents, BattlePanel, draw_panel, simulate_battles

import quorate as q
from quorate.planning.battles import sample_battles
from quorate.simulate.pipelines.cells import votes_margins
from quorate.simulate.pipelines.pipelines import pipelines
from quorate.simulate.pipelines.result import Scale

SYSTEMS, PROMPTS = 8, 5
ALIKE = BattleComponents(judge=0.0, prompt=0.0, position=0.0)
MILD = BattleComponents(judge=0.1, prompt=0.03)
STRONG = BattleComponents(judge=0.4, prompt=0.13)


@pytest.mark.parametrize("kind", ["likert", "pairwise"])
@pytest.mark.parametrize("components", [ALIKE, MILD, STRONG])
def test_ratios_follow_the_tastes_of_judges(kind, components):
    """As many battles, systems, judges and prompts as in the paper."""
    rng = np.random.default_rng(1)
    panel = draw_panel(55, 3, 5, components, rng)
    table = simulate_battles(panel, 4676, components, rng, kind=kind)
    start = time.process_time()
    found = pipelines(table, resamples=400)
    seconds = time.process_time() - start
    single, average = found.of("single"), found.of("average")
    print(
        f"{kind}, taste of judges {components.judge}, of prompts {components.prompt}: single published "
        f"{single.redrawn_ratio:.2f}, aware {single.ratio:.2f}; average published {average.redrawn_ratio:.2f}, aware "
        f"{average.ratio:.2f} ({table.n_cells} cells, 400 resamples in {seconds:.1f} s)"
    )
    assert 1.0 < average.redrawn_ratio < 1.15
    assert single.redrawn_ratio > 1.2
    if components is ALIKE:
        assert single.ratio < 1.05
        assert average.ratio < 1.05
    if components is STRONG:
        assert single.ratio > single.redrawn_ratio > 3
        assert average.ratio > 2


def others(panel, judges, components, rng):
    """The same systems before other judges and prompts."""
    drawn = draw_panel(SYSTEMS, judges, PROMPTS, components, rng)
    return BattlePanel(panel.worth, drawn.by_judge, drawn.by_prompt, drawn.position)


def boards(table):
    """Win rates by the mean over single cells, and by the mean of cells."""
    scale, once = Scale(table, "win rate", "half", 0.0), np.ones((len(table), 1), dtype=np.float32)
    every = scale.boards(table.verdicts(table.margin), once).mean(axis=1)
    return every, scale.boards(table.verdicts(table.mean)[:, None], once)[:, 0]


def held(errors, truth):
    """Shares of systems whose intervals hold the truth: naive, as published, aware."""
    at = [int(one.system.split()[1]) - 1 for one in errors.systems]
    truths = np.array([truth[i] for i in at])
    away = np.abs(np.array([one.value for one in errors.systems]) - truths)
    published = away <= 1.96 * np.array([one.redrawn for one in errors.systems])
    out = [published.mean()]
    for aware in (False, True):
        low, high = np.array([errors.interval(one.system, aware=aware).ends for one in errors.systems]).T
        out.append(np.mean((low <= truths) & (truths <= high)))
    return out[1], out[0], out[2]


def told(name, found):
    """Mean coverage over studies, with its Monte Carlo error."""
    rates, error = np.mean(found, axis=0), np.std(found, axis=0) / np.sqrt(len(found))
    said = [
        f"{what} {rate:.3f} ({se:.3f})"
        for what, rate, se in zip(("naive", "published", "aware"), rates, error, strict=True)
    ]
    print(f"{name}: {', '.join(said)}")
    return rates


@pytest.mark.parametrize("battles", [300, 1200])
def test_coverage_over_cells_redrawn_from_those_at_hand(battles):
    """A study takes one of the 30 cells; the truth is the mean leaderboard of all 30, over endless battles."""
    rng, components = np.random.default_rng(2), BattleComponents()
    panel = draw_panel(SYSTEMS, 3, PROMPTS, components, rng)
    truth = boards(simulate_battles(panel, 20_000, components, rng))[0]
    found = []
    for seed in range(80):
        table = simulate_battles(panel, battles, components, rng)
        single = pipelines(table, by="win rate", cell=one_cell(table, rng), resamples=160, seed=seed).of("single")
        found.append(held(single, truth))
    naive, _, aware = told(f"{battles} battles, cells redrawn, single", found)
    assert naive < 0.9
    assert aware > 0.93  # made for other judges than these, it is wider than these need


@pytest.mark.parametrize(
    ("judges", "components"),
    [(2, STRONG), (3, BattleComponents()), pytest.param(6, BattleComponents(), marks=pytest.mark.slow), (3, STRONG)],
)
def test_coverage_over_other_judges_and_prompts(judges, components):
    """Every study has judges and prompts of its own; the truth is the leaderboard over endlessly many of them."""
    rng = np.random.default_rng(3)
    panel = draw_panel(SYSTEMS, judges, PROMPTS, components, rng)
    truths = [
        boards(simulate_battles(others(panel, judges, components, rng), 600, components, rng))
        for _ in range(300 if judges > 2 else 100)
    ]
    truth = dict(zip(("single", "average"), np.mean(truths, axis=0), strict=True))
    found = {"single": [], "average": []}
    for seed in range(150 if judges > 2 else 60):
        table = simulate_battles(others(panel, judges, components, rng), 600, components, rng)
        errors = pipelines(table, by="win rate", cell=one_cell(table, rng), resamples=240, seed=seed)
        for kind, shares in found.items():
            shares.append(held(errors.of(kind), truth[kind]))
    rates = {
        kind: told(f"{judges} judges of many, taste {components.judge}, {kind}", shares)
        for kind, shares in found.items()
    }
    assert rates["single"][0] < 0.7
    assert rates["average"][1] < 0.9  # cells drawn battle by battle do not see that all battles share their judges
    assert all(0.89 < rate[2] < 0.995 for rate in rates.values())


def one_cell(table, rng):
    chosen = rng.integers(table.n_cells)
    return {name: labels[chosen] for name, labels in table.levels.items()}


@pytest.mark.parametrize(
    ("pool", "systems", "topics", "floor"), [(41_591, 55, 4, 40), (100_000, 55, 4, 40), (2_000, 20, 3, 10)]
)
def test_battles_needed(pool, systems, topics, floor):
    rng = np.random.default_rng(1)
    share = rng.dirichlet(np.ones(systems))
    a, b = rng.choice(systems, (2, pool), p=share)
    a, b = a[a != b], b[a != b]
    topic = rng.choice(topics, len(a), p=rng.dirichlet(np.full(topics, 3.0)))
    start = time.process_time()
    found = sample_battles(a, b, topic, floor=floor)
    seconds = time.process_time() - start
    first, second = a * topics + topic, b * topics + topic
    by_chance = [until_filled(first, second, floor, rng.permutation(len(a))) for _ in range(5)]
    at_random = [ties_at_random(first, second, floor, rng.permutation(len(a))) for _ in range(3)]
    print(
        f"pool of {len(a):,}, {systems} systems, {topics} categories, floor {floor}: {len(found):,} battles, bound "
        f"{found.fewest:,}; ties at random {np.mean(at_random):,.0f}; battles at random {np.mean(by_chance):,.0f}; "
        f"{len(found.short)} cells short; {seconds:.2f} s"
    )
    assert len(found) <= 1.05 * found.fewest
    assert len(found) < min(at_random) < min(by_chance)


def until_filled(first, second, floor, order):
    """Battles judged in this order until every cell has its floor, or all it can have."""
    there = np.bincount(np.append(first, second))
    left, found = np.minimum(there, floor), 0
    for at in order:
        found += 1
        for cell in (first[at], second[at]):
            left[cell] -= 1
        if found % 50 == 0 and (left <= 0).all():
            break
    return found


def ties_at_random(first, second, floor, order):
    """The rule of the paper: battles that help two cells, then those that help one, in this order."""
    lack = np.full(max(first.max(), second.max()) + 1, floor)
    chosen = np.zeros(len(first), dtype=bool)
    for least in (2, 1):
        for at in order:
            ends = first[at], second[at]
            if not chosen[at] and sum(lack[end] > 0 for end in ends) >= least:
                chosen[at] = True
                for end in ends:
                    lack[end] = max(lack[end] - 1, 0)
    return int(chosen.sum())


def test_real_judges(shared):
    frame = pl.read_parquet(shared / "data" / "llmbar_judges_prompts.parquet")
    items = frame.group_by("item").agg(pl.struct("judge", "prompt").n_unique().alias("n")).filter(pl.col("n") == 65)
    full = frame.filter(pl.col("item").is_in(items["item"].to_list()))
    prompts = full.group_by("prompt").agg(pl.col("judge").n_unique()).filter(pl.col("judge") == 6)["prompt"].to_list()
    gold, other = pl.lit("better answer"), pl.lit("worse answer")
    full = full.filter(pl.col("prompt").is_in(prompts)).with_columns(
        model_a=pl.when(pl.col("label") == 1).then(gold).otherwise(other),
        model_b=pl.when(pl.col("label") == 1).then(other).otherwise(gold),
    )
    votes = q.read_votes(full, prompt="item", order="swapped", facets={"variant": "prompt"}, announce=False)
    show("llmbar, votes", pipelines(votes, by="win rate"))
    table = votes_margins(votes)
    scale, once = Scale(table, "win rate", "half", 0.0), np.ones((len(table), 1), dtype=np.float32)
    rates = scale.boards(table.verdicts(table.margin), once)[table.systems.index("better answer")]
    print(f"better answers win {rates.min():.3f} to {rates.max():.3f} of battles, by cell")
    frame = pl.read_parquet(shared / "data" / "topical_chat_gpt35_replicates.parquet")
    for dimension in ("coherence", "engagingness"):
        some = frame.filter((pl.col("dimension") == dimension) & (pl.col("replicate") == 0))
        facets = {"item": "context", "system": "system", "prompt": "prompt"}
        scores = q.read(
            some.select("context", "system", "prompt", "score"), score="score", facets=facets, announce=False
        )
        show(f"topical chat, scores of {dimension}", pipelines(scores, threshold=0.5))
    frame = pl.read_parquet(shared / "data" / "arena_human_vs_llm_judges.parquet").drop("pair")
    judged = q.read_votes(frame.drop("human_winner"), winner="judge_winner", prompt="item", announce=False)
    once = frame.unique("item").drop("judge", "judge_winner")
    people = q.read_votes(once, winner="human_winner", prompt="item", announce=False)
    found = pipelines(judged, people, cell={"judge": "gpt-5.2"})
    show("arena, votes", found)
    for board in found.leaderboards.boards:
        print(f"{board.board}: correlation {board.pearson:.2f} with people, Spearman's {board.spearman:.2f}")
    print(f"Williams' test: p {found.leaderboards.differences[0].p:.2f}")
    assert min(one.ratio for one in found.errors) > 1


def show(name, found):
    ratios = ", ".join(f"{one.kind} published {one.redrawn_ratio:.2f}, aware {one.ratio:.2f}" for one in found.errors)
    print(f"{name} ({found.cells['judges']} cells, {len(found.errors[0].systems)} systems): {ratios}")
