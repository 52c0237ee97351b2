"""Judgments simulated from known components, cell by cell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pytest

from quorate.table.facets import Facet
from quorate.table.judgments import Judgments

TABLE_8 = {
    "item": 0.055,
    "prompt": 0.015,
    "item:prompt": 0.008,
    "item:temperature": 0.008,
    "item:judge": 0.020,
    "prompt:temperature": 0.003,
    "prompt:judge": 0.003,
    "replicate": 0.030,
}
"""Messing (2026), Table 8; its residual is read as the replicate, item and category together as the item."""

NAMES = ("item", "prompt", "temperature", "judge")


@dataclass(frozen=True)
class Design:
    """A full factorial with known components."""

    items: int
    prompts: int = 3
    temperatures: int = 3
    judges: int = 3
    replicates: int = 5
    components: dict[str, float] = field(default_factory=lambda: dict(TABLE_8))
    judge_variance: float | None = None
    fixed: tuple[str, ...] = ("judge", "temperature")
    missing: float = 0.0
    binary: bool = False

    @property
    def sizes(self) -> tuple[int, int, int, int]:
        return self.items, self.prompts, self.temperatures, self.judges


@dataclass(frozen=True)
class Draw:
    """One simulated table, and the means it is an estimate of: of all items, and of these items."""

    judgments: Judgments
    population: float
    finite_items: float


def draw(design: Design, rng: np.random.Generator) -> Draw:
    """Simulate one table."""
    effects = {
        term: rng.normal(0, np.sqrt(variance), _shape(term, design))
        for term, variance in design.components.items()
        if term != "replicate"
    }
    mean = np.broadcast_to(sum(effects.values()), design.sizes)
    mean = mean + _levels(design.temperatures)[:, None] + _judges(design, rng)
    centre = 0.5 if design.binary else 0.0
    items = sum(float(effects[name].mean()) for name in ("item", "item:judge", "item:temperature"))
    return Draw(_answers(design, mean + centre, rng), centre, centre + items)


def _shape(term: str, design: Design) -> list[int]:
    return [size if name in term.split(":") else 1 for name, size in zip(NAMES, design.sizes, strict=True)]


def _levels(n: int) -> np.ndarray:
    return np.linspace(-0.15, 0.15, n) if n > 1 else np.zeros(1)


def _judges(design: Design, rng: np.random.Generator) -> np.ndarray:
    if design.judge_variance is None:
        return _levels(design.judges)
    return rng.normal(0, np.sqrt(design.judge_variance), design.judges)


def _answers(design: Design, mean: np.ndarray, rng: np.random.Generator) -> Judgments:
    cells = mean.size
    codes = np.column_stack([c.ravel() for c in np.indices(design.sizes)]).astype(np.int32)
    n = np.full(cells, design.replicates)
    flat = mean.ravel()
    if design.binary:
        hits = rng.binomial(design.replicates, np.clip(flat, 0, 1))
        average = hits / design.replicates
        ss = design.replicates * average * (1 - average)
    else:
        noise = design.components["replicate"]
        average = flat + rng.normal(0, np.sqrt(noise / design.replicates), cells)
        ss = noise * rng.chisquare(design.replicates - 1, cells) if design.replicates > 1 else np.zeros(cells)
    facets = tuple(
        Facet(name, name, tuple(f"{name}{i}" for i in range(size)), name in design.fixed)
        for name, size in zip(NAMES, design.sizes, strict=True)
    )
    table = Judgments(facets, "item", "score", codes, n, average, ss, average, average, {"ok": n})
    return table.keep(rng.random(cells) >= design.missing) if design.missing else table


LONGEST = ("test_goals_are_reached_as_promised", "test_the_quote_is_what_happens")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the tests that take minutes, so that no worker ends with one of them alone."""
    items.sort(key=lambda item: item.name not in LONGEST)


@pytest.fixture(scope="session")
def simulate() -> Callable[[Design, np.random.Generator], Draw]:
    """The simulator."""
    return draw


@pytest.fixture(scope="session")
def design() -> type[Design]:
    """The design to simulate from."""
    return Design
