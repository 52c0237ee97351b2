"""What a plan promises as half-width is what studies of it find: the middle one of 200, for 12 problems."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q

STUDIES = 200
NOISE = {"replicate": 0.4}
ITEM_PROMPT = {"item": 1.0, "prompt": 0.15, "item:prompt": 0.3, **NOISE}
ITEM_JUDGE = {"item": 1.0, "judge": 0.12, "item:judge": 0.5, **NOISE}
ALL = {"item": 1.0, "prompt": 0.1, "judge": 0.1, "item:prompt": 0.2, "item:judge": 0.4, **NOISE}
ITEMS, LEVELS = range(10, 90), range(2, 12)
PROBLEMS = {  # components, half-width asked for, limits, layout
    "items": ({"item": 1.0, **NOISE}, 0.4, {"items": range(5, 200)}, "factorial"),
    "few items": ({"item": 1.0, **NOISE}, 1.0, {"items": range(3, 40)}, "factorial"),
    "small prompts": ({**ITEM_PROMPT, "prompt": 0.02}, 0.4, {"items": ITEMS, "prompts": LEVELS}, "factorial"),
    "prompts": (ITEM_PROMPT, 0.5, {"items": range(10, 80), "prompts": range(2, 12)}, "factorial"),
    "large prompts": ({**ITEM_PROMPT, "prompt": 0.6}, 0.9, {"items": ITEMS, "prompts": LEVELS}, "factorial"),
    "three prompts": (ITEM_PROMPT, 0.9, {"items": range(10, 80), "prompts": 3}, "factorial"),
    "judges": (ITEM_JUDGE, 0.5, {"items": range(10, 80), "judges": range(2, 9)}, "factorial"),
    "four judges": (ITEM_JUDGE, 0.6, {"items": range(10, 80), "judges": 4}, "factorial"),
    "judges again": (ITEM_JUDGE, 0.5, {"items": range(10, 80), "judges": range(2, 9), "replicates": 2}, "factorial"),
    "judges in turn": (ITEM_JUDGE, 0.6, {"items": range(12, 120), "judges": range(3, 9)}, "cyclic"),
    "everything": (ALL, 0.6, {"items": range(10, 60), "judges": range(2, 7), "prompts": range(2, 7)}, "factorial"),
    "everything, tighter": (ALL, 0.45, {"items": ITEMS, "judges": LEVELS, "prompts": LEVELS}, "factorial"),
}


def study(rng, components, plan):
    """Scores of a plan, from normal effects, as they are read."""
    names = [name for name in ("item", "prompt", "judge") if name in plan.design]
    sizes = [*(plan.design[name] for name in names), plan.design["replicate"]]
    axes = [*names, "replicate"]
    score = np.zeros(sizes)
    for term, variance in components.items():
        own = axes if term == "replicate" else term.split(":")
        score = score + np.sqrt(variance) * rng.normal(
            size=[size if axis in own else 1 for axis, size in zip(axes, sizes, strict=True)]
        )
    code = dict(zip(axes, np.indices(sizes).reshape(len(sizes), -1), strict=True))
    kept = (
        code["item"] % plan.design["judge"] == code["judge"] if plan.layout == "cyclic" else np.ones(score.size, bool)
    )
    columns = {name: [f"{name}{one:03d}" for one in codes[kept]] for name, codes in code.items()}
    frame = pl.DataFrame({**columns, "score": score.ravel()[kept]})
    return q.read(frame, facets={name: name for name in axes}, announce=False)


@pytest.mark.parametrize("problem", PROBLEMS)
def test_what_is_promised_is_realised(problem):
    """Monte Carlo error of the median of 200: about 3%."""
    components, wanted, limits, layout = PROBLEMS[problem]
    best = q.plan(q.components(components), half_width=wanted, limits=limits, layouts=(layout,))
    rng = np.random.default_rng(11)
    targets = {name: "population" for name in best.plan.design if name in ("prompt", "judge")}
    found = [q.decompose(study(rng, components, best.plan)).mean_for(**targets) for _ in range(STUDIES)]
    realised = float(np.median([mean.half_width for mean in found]))
    promised = best.plan.half_width
    df = float(np.median([mean.df for mean in found]))
    print(
        f"{problem}: {dict(best.plan.design)}, promised {promised:.3f} by {best.plan.df:.1f} degrees of freedom, "
        f"realised {realised:.3f} by {df:.1f}, ratio {realised / promised:.3f}"
    )
    assert promised <= wanted
    assert realised == pytest.approx(promised, rel=0.1)
