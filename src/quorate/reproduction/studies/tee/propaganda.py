"""Propaganda items: where configurations disagree, they are wrong (section I.1)."""

from __future__ import annotations

import numpy as np

from quorate.estimate.agreement.yardsticks import tertiles
from quorate.numerics.correlation import of_pair, pearson
from quorate.reproduction.published import inputs
from quorate.reproduction.study import Drawing, Outcome, Study


def outcome(_: np.random.Generator) -> Outcome:
    """Correlation of an item's variance with its accuracy, and accuracy by tertiles of the variance."""
    content = inputs()["propaganda"]
    n, yes = np.array(content["n"], dtype=float), np.array(content["n"]) * 0.0 + content["yes"]
    rate = yes / n
    variance = rate * (1 - rate) * n / (n - 1)
    right = np.where(content["people say yes"], rate, 1 - rate)
    majority = np.array(right > 0.5, dtype=float)
    values = {
        "items": float(len(n)),
        "correlation of variance and accuracy": of_pair(pearson, variance, right),
        "average accuracy of judgments, %": 100 * float(right.mean()),
        "accuracy of the majority, %": 100 * float(majority.mean()),
    }
    thirds = tertiles(variance, right, majority, np.arange(len(n)), 0.95)
    for name, third in zip(("low", "medium", "high"), thirds, strict=True):
        values[f"accuracy at {name} variance, %"] = 100 * third.average.value
    rows = [{"variance": float(v), "accuracy": float(a)} for v, a in zip(variance, right, strict=True)]
    title = "Accuracy of an item's judgments against their variance (Fig. 17)"
    return Outcome(
        values, (Drawing("tee.propaganda", "propaganda", title, rows, x="variance", y="accuracy", mark="point"),)
    )


STUDY = Study("tee.propaganda", "Disagreement of configurations and their errors, 50 items", outcome)
