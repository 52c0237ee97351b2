"""Small studies of every shape that an analysis or a report must cope with, each analysed once."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.analysis.judgments import Analysis, analyze_judgments
from quorate.simulate.demo import demo_table

HOSTILE = (
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(2)>",
    "\"double\" 'single' & | `tick` \\",
    "x" * 5000,
    "مرحبا",
    "👩‍👧 line\u2028break \u202eflip",
    "=1+1",
    "nul\x00 and\nnewline",
)


def scores(
    items: int = 12,
    judges: int = 3,
    prompts: int = 2,
    replicates: int = 2,
    *,
    labels: tuple[str, ...] = (),
    seed: int = 1,
) -> pl.DataFrame:
    """Crossed scores; 0 judges or prompts means that there is no such column."""
    rng = np.random.default_rng(seed)
    item, judge, prompt = rng.normal(0, 1, items), rng.normal(0, 0.5, judges or 1), rng.normal(0, 0.3, prompts or 1)
    rows = []
    for i, j, p, r in product(range(items), range(judges or 1), range(prompts or 1), range(replicates)):
        row = {"item": f"item {i}", "score": 5 + item[i] + judge[j] + prompt[p] + rng.normal(0, 0.5)}
        row |= {"judge": labels[j] if labels else f"judge {j}"} if judges else {}
        row |= {"prompt": labels[p] if labels else f"prompt {p}"} if prompts else {}
        rows.append(row | ({"replicate": r} if replicates > 1 else {}))
    return pl.DataFrame(rows)


def panel_scores(
    items: int = 30,
    judges: int = 4,
    systems: int = 3,
    generations: int = 2,
    *,
    labels: tuple[str, ...] = (),
    own: float = 0.0,
    turn: float = 0.0,
    interaction: float = 0.0,
    seed: int = 1,
) -> pl.DataFrame:
    """Scores of a panel: judge 0 is lenient, by ``turn`` more for the last system; every judge prefers its namesake.

    System 0 is the best, by half a point each. One system or generation means that there is no such column.
    """
    rng = np.random.default_rng(seed)
    item, noise = rng.normal(0, 1, items), rng.normal(0, 0.4, (items, judges, systems, generations))
    shared, apart = rng.normal(0, 0.4, (items, systems, generations)), rng.normal(0, 1, (items, judges, systems))
    rows = []
    for i, j, s, g in product(*map(range, noise.shape)):
        score = 5 + item[i] - 0.5 * s + 0.6 * (j == 0) + own * (j == s) + turn * (j == 0 and s == systems - 1)
        score += shared[i, s, g] + noise[i, j, s, g] + interaction * apart[i, j, s]
        row = {"item": f"item {i}", "judge": labels[j] if labels else f"judge {j}", "score": score}
        row |= {"system": labels[s] if labels else f"system {s}"} if systems > 1 else {}
        rows.append(row | ({"generation": f"{i} {s} {g}"} if generations > 1 else {}))
    return pl.DataFrame(rows)


def _of_panel(**options: Any) -> Analysis:
    return analyze_judgments(q.read(panel_scores(**options), announce=False))


def _gap() -> Analysis:
    gap = (pl.col("judge") == "judge 0") & (pl.col("system") == "system 1")
    return analyze_judgments(q.read(panel_scores().filter(~gap), announce=False))


def _demo() -> Analysis:
    return analyze_judgments(q.read(pl.DataFrame(demo_table()), status="status"), price=0.002, half_width=0.05)


def _unbalanced() -> Analysis:
    whole = scores(items=20, replicates=3)
    kept = whole.with_columns(category=pl.col("item").str.slice(5, 1)).sample(fraction=0.7, seed=3)
    return analyze_judgments(q.read(kept))


def _hostile() -> Analysis:
    frame = scores(6, judges=len(HOSTILE), prompts=len(HOSTILE), replicates=1, labels=HOSTILE)
    group = pl.col("item").str.slice(5, 1).alias("<b>group</b>")
    return analyze_judgments(q.read(frame.with_columns(group), nested={"item": "<b>group</b>"}))


def _hostile_items() -> Analysis:
    column = 'i"<b>d'
    names = pl.DataFrame({"item": [f"item {i}" for i in range(len(HOSTILE))], column: HOSTILE})
    frame = scores(items=len(HOSTILE), prompts=3, replicates=1).join(names, on="item").drop("item")
    return analyze_judgments(q.read(frame, facets={"item": column, "judge": "judge", "prompt": "prompt"}))


SHAPES: dict[str, Callable[[], Analysis]] = {
    "demo": _demo,
    "balanced": lambda: analyze_judgments(q.read(scores())),
    "unbalanced": _unbalanced,
    "one judge": lambda: analyze_judgments(q.read(scores(judges=1))),
    "no prompt": lambda: analyze_judgments(q.read(scores(prompts=0))),
    "items only": lambda: analyze_judgments(q.read(scores(judges=0, prompts=0, replicates=3))),
    "random judges": lambda: analyze_judgments(q.read(scores(judges=4), fixed=())),
    "two judges, no replicates": lambda: analyze_judgments(q.read(scores(judges=2, prompts=3, replicates=1))),
    "many levels": lambda: analyze_judgments(q.read(scores(items=2, judges=55, prompts=51, replicates=1))),
    "hostile labels": _hostile,
    "hostile items": _hostile_items,
    "panel": lambda: _of_panel(labels=("GPT", "Llama", "Qwen", "Claude"), own=0.3, turn=2.5),
    "panel, one system": lambda: _of_panel(systems=1),
    "panel, interaction": lambda: _of_panel(systems=1, generations=4, interaction=1.2),
    "panel, one response": lambda: _of_panel(generations=1, judges=3),
    "panel, many": lambda: _of_panel(judges=20, systems=12, generations=1, items=25),
    "panel, hostile labels": lambda: _of_panel(judges=6, systems=3, items=8, labels=HOSTILE),
    "panel, incomplete": lambda: analyze_judgments(q.read(panel_scores().sample(fraction=0.8, seed=1), announce=False)),
    "panel, gap": _gap,
}
_MADE: dict[str, Analysis] = {}


def made(name: str) -> Analysis:
    """The analysis of one shape, made once per process."""
    if name not in _MADE:
        _MADE[name] = SHAPES[name]()
    return _MADE[name]


APART = ("demo", "unbalanced", "one judge", "items only", "random judges", "hostile labels", "panel", "panel, gap")
"""Shapes of which each has something that no other has; every shape is drawn."""
FEW = ("demo", "one judge", "items only", "hostile labels", "panel")
"""Shapes whose pages have a layout of their own."""
ALL = [*FEW, *(pytest.param(name, marks=pytest.mark.slow) for name in SHAPES if name not in FEW)]
"""Every shape; `make test-slow` has the others."""


@pytest.fixture(params=APART)
def analysis(request) -> Analysis:
    """Each shape with something of its own in turn."""
    return made(request.param)


@pytest.fixture
def demo() -> Analysis:
    """Simulated data with everything in them."""
    return made("demo")


@pytest.fixture
def shape() -> Callable[[str], Analysis]:
    """A shape by name."""
    return made


@pytest.fixture
def table() -> Callable[..., pl.DataFrame]:
    """Makes crossed scores."""
    return scores


@pytest.fixture
def panel_table() -> Callable[..., pl.DataFrame]:
    """Makes scores of a panel."""
    return panel_scores


@pytest.fixture
def hostile() -> tuple[str, ...]:
    """Labels that try to break out of the page."""
    return HOSTILE


@pytest.fixture(scope="session")
def replays() -> Any:
    """Adaptive allocation over two dimensions, of noisy and of constant items, by two judges; with human scores."""
    rng = np.random.default_rng(3)
    rows = [
        (item, dimension, judge, r, item % 5 + bias + rng.integers(0, 1 + 3 * (item % 3)) * (dimension == "clear"))
        for dimension in ("clear", "short")
        for item in range(12)
        for judge, bias in (("x", 0), ("y", 1))
        for r in range(8)
    ]
    frame = pl.DataFrame(rows, schema=["item", "dimension", "judge", "replicate", "score"], orient="row")
    frame = frame.with_columns(human=pl.col("item") % 4 + (pl.col("dimension") == "short"), same=pl.lit(2))
    return q.read(frame, facets={"dimension": "dimension"}, recognise=True, announce=False)


def ballots(labels: tuple[str, ...] = ("a", "b", "c"), each: int = 60, spread: float = 1.0) -> q.Votes:
    """Votes on all pairs of systems, each system better than those after it."""
    strength = np.linspace(spread, -spread, len(labels))
    pairs = [(i, j) for i in range(len(labels)) for j in range(i + 1, len(labels))]
    wins = [round(each / (1 + np.exp(strength[j] - strength[i]))) for i, j in pairs]
    rows = [(labels[i], labels[j], won, each - won) for (i, j), won in zip(pairs, wins, strict=True)]
    frame = pl.DataFrame(rows, schema=["model_a", "model_b", "for_a", "for_b"], orient="row")
    return q.read_votes(frame, wins=("for_a", "for_b"), announce=False)


def rated(gap: float = 0.4, favour: float = 0.1, systems: int = 3, judges: int = 4) -> q.Judgments:
    """Scores of systems ``gap`` apart by judges who favour systems with that standard deviation; judges are drawn."""
    rng = np.random.default_rng(3)
    taste = rng.normal(0, favour, (systems, judges))
    rows = [
        (f"system {s}", f"item {i}", f"judge {j}", 5 - gap * s + np.sin(i) + taste[s, j] + rng.normal(0, 0.5))
        for s, i, j in product(range(systems), range(40), range(judges))
    ]
    frame = pl.DataFrame(rows, schema=["system", "item", "judge", "score"], orient="row")
    return q.read(frame, fixed=(), announce=False)


@pytest.fixture(name="ballots", scope="session")
def _ballots() -> Callable[..., q.Votes]:
    """Makes votes on all pairs of systems."""
    return ballots


@pytest.fixture(name="rated", scope="session")
def _rated() -> Callable[..., q.Judgments]:
    """Makes scores of systems by judges that were drawn."""
    return rated


@pytest.fixture(name="surface", scope="session")
def _surface() -> Callable[..., Any]:
    """Makes what gaming is worth, from published components."""

    def surface(**options: Any) -> Any:
        parts = {"item": 0.09, "item:judge": 0.04, "prompt": 0.002, "prompt:judge": 0.001}
        arena = q.components(parts, sensitivity={"judge": 0.002})
        return q.scores.gaming(arena, **{"items": 170, "scale": "elo", **options})

    return surface


def agreed(labels: tuple[str, ...] = ("careful", "hasty"), topics: tuple[str, ...] = ("easy", "hard")) -> Any:
    """Agreement of judges with people on 80 battles, with categories, position bias and cells.

    The first judge says what people say in nine of ten and never prefers a position, every other one often the first.
    """
    rows = []
    for i, (j, judge), turned in product(range(80), enumerate(labels), (False, True)):
        right = (i + 3 * j) % 10 < (9 if j == 0 else 6)
        first = turned != (i % 2 == 0)  # what people prefer is shown first
        said = right if j == 0 else (first if i % 3 else right)
        rows.append((f"p{i}", topics[i % len(topics)], judge, turned, "xy"[i % 2 == int(said)], "xy"[i % 2 == 1]))
    names = ["prompt", "topic", "judge", "swapped", "winner", "people"]
    frame = pl.DataFrame(rows, schema=names, orient="row").with_columns(model_a=pl.lit("x"), model_b=pl.lit("y"))
    judged, people = (
        q.read_votes(frame, winner=name, prompt_type="topic", announce=False) for name in ("winner", "people")
    )
    options = {"each": "judge", "by": "prompt_type", "cells": ("judge", "order"), "position": True}
    return q.agreement.agreement(judged, people, resamples=200, rng=1, **options)


@pytest.fixture(name="agreed", scope="session")
def _agreed() -> Callable[..., Any]:
    """Makes an agreement with people and what else is known of its judges."""
    return agreed
