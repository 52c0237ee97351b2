"""Designs carried out on simulated scores: their realised standard error is the projected one."""

from __future__ import annotations

import numpy as np
import pytest

import quorate as q

SAFETY = {
    "item": 0.010388865023098515,
    "category": 0.0024294495273483345,
    "prompt": 4.602379577174715e-14,
    "item:prompt": 0.0017939977814810507,
    "item:judge": 0.025050691069557353,
    "prompt:judge": 6.598746549346365e-4,
    "cell": 0.005165442566614013,
    "replicate": 0.011978834819064439,
}
"""Messing (2026), safety: random components from its replication data."""
JUDGE = 4.653511507238085e-4
"""The published judge sensitivity, realised here as the variance of judges drawn at random."""
DESIGNS = [
    ("factorial", 141, 1, 1, 1, 0.039091),
    ("factorial", 50, 1, 2, 1, 0.035732),
    ("cyclic", 141, 1, 3, 1, 0.0279),
    ("latin", 141, 3, 3, 1, 0.0251),
    ("latin", 141, 5, 3, 1, 0.0245),
    ("factorial", 141, 3, 3, 1, 0.019908),
    ("factorial", 141, 5, 3, 8, 0.018840),
]
REPLICATES = 6_000  # Monte Carlo standard error of a standard error: 1 / sqrt(2 x 6000) = 0.9%


def cells_of(layout, items, prompts, judges, replicates):
    """Item, prompt, judge and replicate of every judgment, assigned by hand."""
    if layout == "factorial":
        grid = np.meshgrid(*(np.arange(n) for n in (items, prompts, judges, replicates)), indexing="ij")
        return [axis.ravel() for axis in grid]
    item = np.arange(items)
    if layout == "latin":
        return [item, item % (prompts * judges) // judges, item % judges, np.zeros(items, dtype=int)]
    grid = np.meshgrid(item, np.arange(prompts), indexing="ij")
    item, prompt = (axis.ravel() for axis in grid)
    return [item, prompt, item % judges, np.zeros(len(item), dtype=int)]


def realised(cells, judges, rng):
    """Standard deviation over simulated studies of the mean over judges of the judge means."""
    item, prompt, judge, replicate = cells
    key = {"item": item, "prompt": prompt, "judge": judge, "category": item, "replicate": replicate}
    codes = {}
    for term in (*SAFETY, "judge"):
        names = {"cell": ["item", "prompt", "judge"], "replicate": ["item", "prompt", "judge", "replicate"]}.get(
            term, term.split(":")
        )
        codes[term] = np.unique(np.column_stack([key[name] for name in names]), axis=0, return_inverse=True)[1].ravel()
    weight = 1 / (judges * np.bincount(judge)[judge])
    means = []
    for _ in range(REPLICATES // 100):
        score = np.zeros((100, len(item)), dtype=np.float32)
        for term, code in codes.items():
            sd = np.sqrt(JUDGE if term == "judge" else SAFETY[term])
            effects = rng.normal(0, sd, (100, code.max() + 1)).astype(np.float32)
            score += effects[:, code]
        means.append(score @ weight)
    return float(np.std(np.concatenate(means), ddof=1))


@pytest.mark.parametrize(("layout", "items", "prompts", "judges", "replicates", "published"), DESIGNS)
def test_realised_standard_error(layout, items, prompts, judges, replicates, published):
    components = q.components(SAFETY, sensitivity={"judge": JUDGE})
    plan = q.project(components, items=items, prompts=prompts, judges=judges, replicates=replicates, layout=layout)
    cells = cells_of(layout, items, prompts, judges, replicates)
    assert len(cells[0]) == plan.calls
    found = realised(cells, judges, np.random.default_rng(20261120 + plan.calls))
    print(f"{layout} {items}x{prompts}x{judges}x{replicates}: projected {plan.se:.6f}, realised {found:.6f}")
    assert plan.se == pytest.approx(published, abs=6e-5)
    assert found == pytest.approx(plan.se, rel=0.03)
