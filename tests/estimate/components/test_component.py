"""What a component says of its interval."""

from __future__ import annotations

import numpy as np
import polars as pl

import quorate as q


def test_every_component_names_what_its_interval_takes_effects_to_be():
    """Few levels and noise are taken to be normal; a sensitivity has no interval."""
    rng = np.random.default_rng(5)
    item, prompt, judge = (at.ravel() for at in np.indices((50, 3, 3)))
    score = np.exp(rng.normal(size=50))[item] + rng.normal(0, 0.1, 3)[prompt] + rng.normal(0, 0.3, len(item))
    frame = pl.DataFrame({"item": item, "prompt": prompt, "judge": judge, "score": score})
    fit = q.decompose(q.read(frame, announce=False), random=["item", "prompt"])
    assert {row["term"]: row["interval"] for row in fit.rows()} == {
        "item": "robust",
        "prompt": "normal",
        "cell + replicate": "normal",
        "judge": None,
    }
