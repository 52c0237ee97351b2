"""Means of production scores by the components of a pilot of 30 items x 3 prompts x 3 judges x 3 replicates.

Coverage of 95% intervals, 250 studies a case, Monte Carlo standard error 1.4 points. Each study draws items,
prompts and judges, a pilot, and production scores of new items: by the prompts and judges of the pilot, or new ones.
``make calibrate ARGS="-k mean_from -rP"`` prints the table.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import quorate as q
from quorate.table.facets import Facet
from quorate.table.judgments import Judgments

STUDIES, ITEMS, PILOT = 250, 150, 30
NAMES = ("item", "prompt", "judge")
SD = {
    "item": 0.5,
    "prompt": 0.15,
    "judge": 0.2,
    "item:prompt": 0.2,
    "item:judge": 0.35,
    "prompt:judge": 0.1,
    "cell": 0.2,
    "replicate": 0.4,
}


def normal(rng, shape):
    return rng.normal(size=shape)


def skewed(rng, shape):
    """Gamma of shape 4 (skewness 1), with mean 0 and variance 1."""
    return rng.gamma(4.0, 0.5, shape) - 2.0


def study(rng, law, *, new):
    """Scores of all items by all prompts and judges, three times: those of the pilot, and those of production."""
    levels = {"item": PILOT + ITEMS, "prompt": 6 if new else 3, "judge": 6 if new else 3}
    shape = tuple(levels.values())
    effects = {}
    for name, sd in SD.items():
        if name != "replicate":
            own = NAMES if name == "cell" else name.split(":")
            draw = law if name.startswith("item") else normal
            effects[name] = sd * draw(rng, tuple(size if one in own else 1 for one, size in levels.items()))
    mean = np.broadcast_to(sum(effects.values()), shape)
    scores = mean[..., None] + SD["replicate"] * law(rng, (*shape, 3))
    if not new:
        return scores[:PILOT], scores[PILOT:], effects["judge"].mean()
    return scores[:PILOT, :3, :3], scores[PILOT:, 3:, 3:], 0.0


def judgments(scores, first, kept=None, *, fixed):
    """A table of scores, shape (items, prompts, judges, replicates), or of the cells that are kept."""
    sizes = scores.shape[:-1]
    codes = np.column_stack([code.ravel() for code in np.indices(sizes)]).astype(np.int32)
    flat = scores.reshape(-1, scores.shape[-1])
    mean, n = flat.mean(axis=1), np.full(len(flat), flat.shape[1])
    ss = ((flat - mean[:, None]) ** 2).sum(axis=1)
    labels = [tuple(f"{name}{first + i}" for i in range(size)) for name, size in zip(NAMES, sizes, strict=True)]
    facets = [Facet(name, name, label) for name, label in zip(NAMES, labels, strict=True)]
    facets[2] = replace(facets[2], fixed=fixed)
    table = Judgments(tuple(facets), "item", "score", codes, n, mean, ss, flat.min(1), flat.max(1), {"ok": n})
    return table if kept is None else table.keep(kept.ravel())


def dealt(layout):
    """Which cells of production are judged."""
    item, prompt, judge = np.indices((ITEMS, 3, 3))
    turn = {"factorial": item >= 0, "cyclic": item % 3 == judge, "latin": item % 9 == 3 * prompt + judge}
    return turn[layout]


CASES = [
    pytest.param(layout, target, new, law, marks=[pytest.mark.slow] * (law is skewed))
    for law in (normal, skewed)
    for layout, target, new in (
        ("cyclic", "panel", False),
        ("cyclic", "population", False),
        ("latin", "panel", False),
        ("latin", "population", True),
        ("factorial", "panel", False),
        ("factorial", "population", False),
    )
]


@pytest.mark.parametrize(("layout", "target", "new", "law"), CASES)
def test_mean_from_covers(layout, target, new, law):
    rng = np.random.default_rng(20261123)
    covered, widest = [], []
    for _ in range(STUDIES):
        trial, rest, panel = study(rng, law, new=new)
        pilot = q.decompose(judgments(trial, 0, fixed=True))
        production = judgments(rest[..., :1], 100 if new else PILOT, dealt(layout), fixed=True)
        found = q.scores.mean_from(production, pilot, targets={"judge": target})
        truth = panel if target == "panel" else 0.0
        for (low, high), out in ((found.estimate.ends, covered), (found.weighed.ends, widest)):
            out.append(low <= truth <= high)
    share, wider = 100 * np.mean(covered), 100 * np.mean(widest)
    levels = "new" if new else "same"
    print(f"{layout:9} {target:10} {levels:4} {law.__name__:6} {share:.1f}, wider for zeros {wider:.1f}")
    assert 91 <= share <= 99.5
