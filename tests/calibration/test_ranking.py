"""How sure a choice of design is: pilots cut from real data, interventions ranked by simulation, certainty claimed.

Every test prints what it measured; ``docs/methods/optimize.md`` has the tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from calibration.pilots import PilotStudy, pilot_study

import quorate as q

ALL = ("factorial", "cyclic", "latin")
GPT = ("gpt-5.4", "gpt-5.4-mini")
CLAUDE = ("claude-haiku-4.5", "claude-sonnet-4.6")


def rating_scale(shared: Path, *, people: bool) -> q.Judgments:
    """Overall scores on scales of 5, 10 and 100: 175 items by 6 models, or the 150 that 12 people judged too."""
    frame = pl.read_parquet(shared / "data" / "rating_scale_human_llm.parquet")
    frame = frame.with_columns(pl.col("benchmark", "dimension", "judge", "judge_type").cast(pl.String))
    frame = frame.filter((pl.col("dimension") == "overall") & pl.col("temperature").is_null())
    frame = frame.filter(pl.col("has_human") if people else pl.col("judge_type") == "llm")
    frame = frame.with_columns(id=pl.format("{} {}", "benchmark", "item"), scale=pl.col("scale_max").cast(pl.String))
    return q.read(frame, score="score01", facets={"item": "id", "judge": "judge", "prompt": "scale"}, announce=False)


def rewardbench(shared: Path, *judges: str) -> q.Judgments:
    """Scores of the chosen response at temperature 1 (or the model's own): 1,763 items, 7 prompts, 8 replicates."""
    frame = pl.read_parquet(shared / "data" / "rewardbench2_judges_k8.parquet")
    frame = frame.with_columns(pl.col("judge", "prompt").cast(pl.String))
    warm = (pl.col("temperature") == 1.0) | pl.col("temperature").is_null()
    frame = frame.filter(pl.col("is_chosen") & pl.col("judge").is_in(judges) & warm)
    return q.read(frame, facets={name: name for name in ("item", "judge", "prompt", "replicate")}, announce=False)


def study(table: q.Judgments, target: str, layouts: tuple[str, ...], runs: int, **options: Any) -> PilotStudy:
    """Pilots of 30 items and 3 prompts, with every judge. A panel is kept whole: a part answers another question."""
    judges = table.n_levels("judge")
    limits = {
        "items": range(10, 1001, 5),
        "prompts": range(1, table.n_levels("prompt") + 1),
        "judges": [judges] if target == "panel" else range(1, judges + 1),
        "replicates": range(1, 5) if table.n_answers > 2 * table.n_cells else [1],
    }
    return pilot_study(table, limits=limits, layouts=layouts, targets={"judge": target}, runs=runs, **options)


@pytest.fixture(scope="module")
def tables(shared: Path) -> Mapping[str, q.Judgments]:
    return {
        "rating_scale, 6 models": rating_scale(shared, people=False),
        "rating_scale, 18 judges": rating_scale(shared, people=True),
        "rewardbench2, 2 judges": rewardbench(shared, *GPT),
        "rewardbench2, 4 judges": rewardbench(shared, *GPT, *CLAUDE),
    }


def test_the_tables_are_those_of_the_docs(tables: Mapping[str, q.Judgments]) -> None:
    sizes = {
        name: (t.n_answers, t.n_cells, *map(t.n_levels, ("item", "prompt", "judge"))) for name, t in tables.items()
    }
    assert sizes == {
        "rating_scale, 6 models": (3148, 3150, 175, 3, 6),
        "rating_scale, 18 judges": (8099, 8100, 150, 3, 18),
        "rewardbench2, 2 judges": (194_683, 24_392, 1763, 7, 2),
        "rewardbench2, 4 judges": (250_982, 31_444, 1763, 7, 4),
    }


@pytest.mark.parametrize(
    ("name", "layouts", "alike", "loss"),
    [
        ("rating_scale, 6 models", ("factorial",), 0.9, 0.03),
        ("rating_scale, 6 models", ALL, 0.7, 0.03),
        ("rewardbench2, 2 judges", ("factorial",), 0.2, 0.15),
        ("rewardbench2, 2 judges", ALL, 0.8, 0.15),
    ],
)
def test_pilots_cut_from_real_data(
    tables: Mapping[str, q.Judgments], name: str, layouts: tuple[str, ...], alike: float, loss: float
) -> None:
    found = study(tables[name], "panel", layouts, 20, budgets=[1000])
    choice = found.choices[0]
    assert (found.unfitted, choice.undecided, found.ordered) == (0, 0, 1.0)
    assert choice.alike >= alike
    assert choice.loss <= loss
    assert choice.correlation >= 0.9


@pytest.mark.slow
@pytest.mark.parametrize("target", ["panel", "population"])
@pytest.mark.parametrize("layouts", [("factorial",), ALL])
@pytest.mark.parametrize(
    "name", ["rating_scale, 6 models", "rating_scale, 18 judges", "rewardbench2, 2 judges", "rewardbench2, 4 judges"]
)
def test_pilots_cut_from_real_data_at_length(
    tables: Mapping[str, q.Judgments], name: str, layouts: tuple[str, ...], target: str
) -> None:
    found = study(tables[name], target, layouts, 200, budgets=[300, 1000, 3000])
    print(
        f"\n{name}, {target}, {'/'.join(layouts)}: {found.unfitted} unfitted, order {found.largest} {found.ordered:.1%}"
    )
    for choice in found.choices:
        best = choice.best
        print(
            f"  budget {choice.budget:.0f} ({choice.strategies} strategies) best {best.layout} {dict(best.design)} "
            f"se {best.se:.4f}: exact {choice.exact:.1%}, alike {choice.alike:.1%}, close {choice.close:.1%}, "
            f"loss {choice.loss:.1%} (95%: {choice.loss_high:.1%}), rank correlation {choice.correlation:.2f}, "
            f"optimism {choice.optimism:+.1%}, undecided {choice.undecided}"
        )
        assert choice.undecided == 0
        assert choice.loss <= 0.15
    assert found.unfitted == 0


def menu(table: Any) -> dict[str, dict[str, int]]:
    """What might be bought next, as options of `project`."""
    return {
        "double items": {"items": 2 * table.items},
        "2 prompts": {"prompts": table.prompts + 2},
        "1 judge": {"judges": table.judges + 1},
        "2 replicates": {"replicates": table.replicates + 2},
    }


def errors(source: Any, table: Any, targets: Mapping[str, str]) -> np.ndarray:
    """Standard error of the design at hand and after every intervention."""
    at_hand = {name: getattr(table, name) for name in ("items", "prompts", "judges", "temperatures", "replicates")}
    options = [{}, *menu(table).values()]
    return np.array([q.project(source, targets=targets, **(at_hand | changed)).se for changed in options])


def gains(se: np.ndarray, table: Any) -> dict[str, np.ndarray]:
    """Fall of the variance by each intervention: all of it, with the items given, and per judgment added."""
    fall = 1 - (se[1:] / se[0]) ** 2
    factor = [2, (table.prompts + 2) / table.prompts, (table.judges + 1) / table.judges]
    more = np.array([*factor, (table.replicates + 2) / table.replicates]) - 1
    return {"whole": fall, "items given": np.append(-1.0, fall[1:]), "per call": fall / more}


READINGS = {
    "panel": {"judge": "panel", "temperature": "panel"},
    "sensitivity": {"judge": "sensitivity", "temperature": "panel"},
}


@pytest.mark.parametrize(
    ("items", "prompts"),
    [
        pytest.param(*at, marks=() if at in ((30, 3), (50, 5)) else pytest.mark.slow)
        for at in product((30, 50, 200), (3, 4, 5, 10))
    ],
)
def test_the_top_intervention(items: int, prompts: int, simulate: Any, design: Any) -> None:
    """Messing (2026), sections 3 and E.2: is the intervention that helps most the one that helps most in truth?"""
    table, runs = design(items, prompts), 400
    source = q.components(table.components, sensitivity={"judge": 0.015, "temperature": 0.015})
    truth = {name: gains(errors(source, table, targets), table) for name, targets in READINGS.items()}
    hits: dict[tuple[str, str], list[float]] = {}
    loss: dict[tuple[str, str], list[float]] = {}
    rng = np.random.default_rng(1000 * items + prompts)
    for _ in range(runs):
        fit = q.decompose(simulate(table, rng).judgments)
        for name, targets in READINGS.items():
            for by, found in gains(errors(fit, table, targets), table).items():
                true = truth[name][by]
                hits.setdefault((name, by), []).append(np.argmax(found) == np.argmax(true))
                loss.setdefault((name, by), []).append(true.max() - true[np.argmax(found)])
    print(f"\n{items} items, {prompts} prompts, {runs} pilots")
    for (name, by), hit in hits.items():
        true = truth[name][by]
        order, rate = np.argsort(-true), np.mean(hit)
        wrong = np.array(loss[name, by])[~np.array(hit)]
        print(
            f"  {name}, {by}: top {list(menu(table))[order[0]]}, gains {np.round(true[order], 3)}, "
            f"found {rate:.1%} ({np.sqrt(rate * (1 - rate) / runs):.1%}), gain missed when wrong "
            f"{wrong.mean() if len(wrong) else 0:.3f}"
        )
        clear = true[order[1]] / true[order[0]] < 0.2 and prompts >= 5
        assert rate >= (0.9 if clear else 0.3)


LIMITS = {
    "items": range(5, 1001, 5),
    "prompts": range(1, 11),
    "judges": 3,
    "temperatures": 1,
    "replicates": range(1, 4),
}
CALLS = {"call": 1.0}
PRICED = {"call": 1.0, "item": 5.0, "prompt": 30.0}


def certainties(
    table: Any, simulate: Any, rng: np.random.Generator, pilots: int, **options: Any
) -> list[dict[str, float]]:
    """Pilots' plans for 1,000 calls: what is claimed about each, and what is true."""
    options = {"budget": 1000, "limits": LIMITS, **options}
    if table.judge_variance is None:
        source = q.components(table.components, sensitivity={"judge": 0.015, "temperature": 0.015})
        truth = targets = {"judge": "panel", "temperature": "panel"}
    else:
        source = q.components(table.components | {"judge": table.judge_variance}, sensitivity={"temperature": 0.015})
        truth, targets = {"temperature": "panel"}, {"judge": "population"}
        options["limits"] = LIMITS | {"judges": range(1, 7)}
    best = q.plan(source, targets=truth, **options).plan.half_width
    rows = []
    for _ in range(pilots):
        fit = q.decompose(simulate(table, rng).judgments)
        chosen = q.plan(fit, targets=targets, **options)
        plan, claimed = chosen.plan, chosen.ranking(200, rng=rng)
        counts = {f"{name}s": plan.design[name] for name in ("item", "prompt", "judge", "replicate")}
        true = q.project(source, temperatures=1, layout=plan.layout, targets=truth, **counts)
        wider = true.half_width / best
        rows.append(
            {
                "right": wider <= 1 + 1e-9,
                "top": claimed.top,
                "near": wider <= 1.05,
                "within": claimed.within,
                "loss": wider - 1,
                "claimed loss": claimed.loss,
                "held": claimed.se_low <= true.se <= claimed.se_high,
                "optimism": 1 - plan.se / true.se,
            }
        )
    return rows


def show(title: str, rows: list[dict[str, float]]) -> dict[str, float]:
    """Print means, and the frequency of being right by what was claimed."""
    found = {name: np.array([row[name] for row in rows], dtype=float) for name in rows[0]}
    print(
        f"\n{title}, {len(rows)} pilots: " + ", ".join(f"{name} {values.mean():.3f}" for name, values in found.items())
    )
    for claim, event in (("top", "right"), ("within", "near")):
        parts = []
        for low in (0.0, 0.25, 0.5, 0.75):
            here = (found[claim] >= low) & (found[claim] < (low + 0.25 if low < 0.75 else 1.1))
            if here.any():
                parts.append(f"{found[claim][here].mean():.2f} -> {found[event][here].mean():.2f} (n {here.sum()})")
        print(f"  {claim} claimed -> {event}: {'; '.join(parts)}")
    return {name: float(values.mean()) for name, values in found.items()}


@pytest.mark.parametrize("layouts", [("factorial",), pytest.param(ALL, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("items", "prompts"), [(30, 3), *(pytest.param(*size, marks=pytest.mark.slow) for size in ((50, 5), (200, 10)))]
)
def test_certainty_claimed_for_table_8(items: int, prompts: int, layouts: Any, simulate: Any, design: Any) -> None:
    rng = np.random.default_rng(items)
    table = design(items, prompts=prompts, temperatures=1, replicates=2)
    rows = certainties(table, simulate, rng, 80, layouts=layouts, prices=CALLS)
    found = show(f"Table 8, {items} items, {prompts} prompts, {'/'.join(layouts)}", rows)
    assert -0.1 <= found["top"] - found["right"] <= 0.3  # overstated: see docs/methods/optimize.md
    assert abs(found["within"] - found["near"]) <= 0.1


@pytest.mark.slow
@pytest.mark.parametrize(("layouts", "prices"), [(("factorial",), CALLS), (ALL, CALLS), (ALL, PRICED)])
@pytest.mark.parametrize(("items", "prompts"), [(30, 3), (50, 5), (200, 10)])
def test_certainty_claimed_over_many_problems(
    items: int, prompts: int, layouts: Any, prices: Any, simulate: Any, design: Any
) -> None:
    """Components drawn anew for every pilot: those of Table 8, each times exp(N(0, 1))."""
    rng = np.random.default_rng(items + len(layouts) + len(prices))
    rows = []
    for _ in range(120):
        drawn = {name: value * np.exp(rng.normal()) for name, value in design(items).components.items()}
        table = design(items, prompts=prompts, temperatures=1, replicates=2, components=drawn)
        rows += certainties(table, simulate, rng, 1, layouts=layouts, prices=prices)
    found = show(f"many problems, {items} items, {prompts} prompts, {'/'.join(layouts)}, {prices}", rows)
    assert -0.1 <= found["top"] - found["right"] <= 0.3
    assert abs(found["within"] - found["near"]) <= 0.15


@pytest.mark.slow
@pytest.mark.parametrize("judges", [3, 5])
def test_certainty_claimed_for_judges_that_stand_for_others(judges: int, simulate: Any, design: Any) -> None:
    """Judges of the pilot are drawn anew each time; few of them say little about how others differ."""
    rng = np.random.default_rng(judges)
    table = design(50, prompts=5, temperatures=1, judges=judges, replicates=2, judge_variance=0.02)
    rows = certainties(table, simulate, rng, 120, layouts=ALL, prices=CALLS)
    found = show(f"judges drawn, {judges} in the pilot", rows)
    assert found["held"] >= 0.85
    assert abs(found["within"] - found["near"]) <= 0.15
