"""The gaming surface (Fig. 6): what the best of 27 submissions gains, by design of the judging."""

from __future__ import annotations

import math

import numpy as np

from quorate.decide.gaming import elo_slope, gaming
from quorate.estimate.components.published import components
from quorate.reproduction.published import inputs
from quorate.reproduction.study import Drawing, Outcome, Study


def prize(sd: float) -> float:
    """What the best of 27 gains in Elo points, from the standard deviation of log odds."""
    source = components({"item": (sd * 400 / math.log(10) / elo_slope(0.5)) ** 2})
    return gaming(source, items=1, designs=[{}], scale="elo").prizes[0].value


def outcome(_: np.random.Generator) -> Outcome:
    """Prizes in Elo points, from archived standard deviations of log odds."""
    values = {}
    for name, sd in inputs()["gaming"].items():
        prompts, _, judges = name.partition(",")
        values[f"{prompts} x {judges} prompts and judges, Elo" if judges else "votes of people, Elo"] = prize(sd)
    rows = [{"design": name.removesuffix(", Elo"), "Elo": value} for name, value in values.items()]
    drawing = Drawing(
        "tee.gaming", "gaming", "Best of 27 submissions, Elo points (Fig. 6)", rows, x="Elo", y="design", mark="bar"
    )
    return Outcome(values, (drawing,))


STUDY = Study("tee.gaming", "What the best of 27 submissions gains", outcome)
