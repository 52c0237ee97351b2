"""Plans of every layout with drawn judges and few levels promise what studies of them find."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.planning.designs.dstudy import scheme_of

STUDIES = 300
LAW = {
    "item": 0.5,
    "prompt": 0.02,
    "judge": 0.05,
    "item:judge": 0.1,
    "item:prompt": 0.05,
    "prompt:judge": 0.01,
    "replicate": 0.3,
}
SECOND = {**LAW, "item": 0.1, "prompt": 0.1, "judge": 0.0, "prompt:judge": 0.05}
CASES = {  # components, design
    "factorial": (LAW, {"items": 40, "prompts": 3, "judges": 3}),
    "cyclic": (LAW, {"items": 120, "prompts": 3, "judges": 3, "layout": "cyclic"}),
    "latin": (LAW, {"items": 180, "prompts": 3, "judges": 3, "layout": "latin"}),
    "blocks": (LAW, {"items": 80, "prompts": 3, "judges": 4, "layout": "blocks", "per_item": 2}),
    "two prompts": (SECOND, {"items": 50, "prompts": 2, "judges": 4}),
    "five in turn": (SECOND, {"items": 100, "prompts": 4, "judges": 5, "layout": "cyclic"}),
}


def study(rng, law, design):
    """Scores of a design, from normal effects: cells that its layout asks for."""
    size = {"item": design["items"], "prompt": design["prompts"], "judge": design["judges"]}
    score = np.zeros(tuple(size.values()))
    for term, variance in law.items():
        own = size if term == "replicate" else term.split(":")
        shape = [count if name in own else 1 for name, count in size.items()]
        score = score + np.sqrt(variance) * rng.normal(size=shape)
    asked = np.ones(score.shape, bool)
    if "layout" in design:
        order = scheme_of(design["layout"], design.get("per_item"), None).order(size)
        turns = len(order["judge"])
        asked[:] = False
        for item in range(size["item"]):
            prompts = order["prompt"][item % turns] if "prompt" in order else np.arange(size["prompt"])[:, None]
            asked[item, prompts, order["judge"][item % turns]] = True
    at = dict(zip(size, np.nonzero(asked), strict=True))
    return q.read(pl.DataFrame({**at, "score": score[asked]}), facets={name: name for name in size}, announce=False)


@pytest.mark.parametrize("case", CASES)
def test_what_a_layout_promises_is_realised(case):
    """Monte Carlo error of the median of 300: about 2.5%."""
    law, design = CASES[case]
    rng = np.random.default_rng(3)  # two prompts speak for themselves alone
    drawn = {"judge": "population", "prompt": "population" if design["prompts"] > 2 else "panel"}
    plan = q.project(q.components(law), targets=drawn, **design)
    found = [q.decompose(study(rng, law, design)).mean_for(**drawn).half_width for _ in range(STUDIES)]
    ratio = float(np.median(found)) / plan.half_width
    print(f"{case}: promised {plan.half_width:.3f}, realised {np.median(found):.3f}, ratio {ratio:.3f}")
    assert 0.97 - 0.05 <= ratio <= 1.04 + 0.05
