"""The gaming surface (Fig. 6): what the best of 27 submissions gains, by design of the judging."""

from __future__ import annotations

import math

import numpy as np

from quorate.decide.gaming.gaming import elo_slope, gaming
from quorate.estimate.components.published import components
from quorate.reproduction.published import inputs
from quorate.reproduction.study import Drawing, Outcome, Study


def outcome(_: np.random.Generator) -> Outcome:
    """Prizes in Elo points, from archived standard deviations of log odds."""
    odds_to_rate = 400 / math.log(10) / elo_slope(0.5)
    values = {}
    for name, sd in inputs()["gaming"].items():
        source = components({"item": (sd * odds_to_rate) ** 2})
        prize = gaming(source, items=1, designs=[{}], scale="elo").prizes[0].value
        prompts, _, judges = name.partition(",")
        values[f"{prompts} x {judges} prompts and judges, Elo" if judges else "votes of people, Elo"] = prize
    rows = [{"design": name.removesuffix(", Elo"), "Elo": value} for name, value in values.items()]
    drawing = Drawing(
        "tee.gaming", "gaming", "Best of 27 submissions, Elo points (Fig. 6)", rows, x="Elo", y="design", mark="bar"
    )
    return Outcome(values, (drawing,))


STUDY = Study("tee.gaming", "What the best of 27 submissions gains", outcome)
