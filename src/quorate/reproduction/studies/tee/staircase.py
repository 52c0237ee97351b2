"""The staircase: coverage of intervals that leave out more and more of the pipeline (Table 8, Figs. 1 and 11)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from quorate.arrays import Floats
from quorate.estimate.components.decompose import decompose
from quorate.estimate.components.published import Components, components
from quorate.estimate.means.effects import configurations
from quorate.estimate.means.mean import Estimate, plain_mean
from quorate.numerics.distributions import t_quantile
from quorate.reproduction.study import Drawing, MonteCarlo, Outcome, Value, share
from quorate.simulate.crossed import draw_judgments
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
"""Its residual is read as the replicate, item and category together as the item."""
LEVELS = (-0.15, 0.0, 0.15)
"""Means of three temperatures, and of three judges: they add up to zero, so that the true mean is zero."""
ITEMS = {f"{items:,} items": items for items in (20, 50, 100, 200, 500, 1000, 2000)}
SCENARIOS = ("A", "B", "C", "D", "E")
OURS = ("ours for these judges", "ours for judges like these")


def drawn(
    rng: np.random.Generator, items: int, *, prompts: int, all_of: tuple[str, ...], fixed: bool = False
) -> Judgments:
    """A table of all levels of some fixed facets and of one level, drawn, of the others."""
    levels = {name: LEVELS if name in all_of else (LEVELS[rng.integers(3)],) for name in ("temperature", "judge")}
    sizes = {"item": items, "prompt": prompts} | {name: len(own) for name, own in levels.items()}
    return draw_judgments(_law(fixed), levels=sizes, replicates=5 if prompts > 1 else 1, effects=levels, rng=rng)


def _law(fixed: bool) -> Components:
    """Table 8, with temperatures and judges fixed or, as the paper fits them, random."""
    spread = float(np.var(LEVELS))
    return components(TABLE_8, sensitivity={"temperature": spread, "judge": spread} if fixed else None)


def covers(value: float, se: float) -> float:
    """Whether the normal interval holds the true mean, zero."""
    return float(abs(value) <= t_quantile(np.inf, 0.975) * se)


def replicate(items: int, rng: np.random.Generator) -> list[float]:
    """Whether the intervals of the five scenarios hold the truth, and ours of the table of scenario D."""
    [alone] = configurations(drawn(rng, items, prompts=1, all_of=()), ("prompt", "temperature", "judge"))
    found = [covers(alone.value, alone.se)]
    three = drawn(rng, items, prompts=3, all_of=())
    found.append(_wald(three, ("item", "prompt")))
    judges = drawn(rng, items, prompts=3, all_of=("judge",))
    found.append(_wald(judges, ("item", "prompt", "judge")))
    whole = drawn(rng, items, prompts=3, all_of=("judge", "temperature"))
    terms = ("item", "prompt", "judge", "temperature")
    found += [_wald(whole, terms), _wald(whole, (*terms, "prompt:judge", "prompt:temperature"))]
    ours = decompose(drawn(rng, items, prompts=3, all_of=("judge", "temperature"), fixed=True))
    drawn_too = ours.mean_for(prompt="population", judge="population", temperature="population")
    return [*found, _held(ours.mean_for(prompt="population")), _held(drawn_too)]


def _wald(table: Judgments, terms: tuple[str, ...]) -> float:
    mean = drawn_mean(table, terms)
    return covers(mean.value, mean.se)


def drawn_mean(table: Judgments, terms: tuple[str, ...]) -> Estimate:
    """The mean with the standard error that the paper gives it: by the components, every facet of the model drawn."""
    return plain_mean(decompose(table, random=terms), {name: "population" for name in terms if ":" not in name})


def _held(mean: Estimate) -> float:
    low, high = mean.ends
    return float(low <= 0 <= high)


def outcome(draws: Mapping[str, Floats]) -> Outcome:
    """Coverage of every scenario at every number of items."""
    values: dict[str, Value | float] = {}
    rows = []
    for name, numbers in draws.items():
        for kind, hits in zip((*SCENARIOS, *OURS), numbers.T, strict=True):
            found = share(hits)
            values[f"{kind}, {name}: cover, %"] = found
            rows.append({"items": ITEMS[name], "cover, %": found.value, "interval": kind})
    title = "Coverage of 95% intervals by number of items (Figs. 1a and 11b), and of ours"
    drawing = Drawing("mc.staircase", "staircase", title, rows, "items", "cover, %", by="interval", log=True)
    return Outcome(values, (drawing,))


STUDY = MonteCarlo("mc.staircase", "Coverage where parts of the pipeline are left out", ITEMS, replicate, outcome)
