"""Tiny designs: is the criterion of a fit the lowest that a search from many places finds?"""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.errors import NotConverged, QuorateError
from quorate.estimate.components.decomposition import Decomposition
from quorate.numerics.mixed.newton import minimise
from quorate.numerics.mixed.reml import Point, evaluate

pytestmark = pytest.mark.calibration
DESIGNS, RESTARTS, LEAST = 100, 20, 5e-11


def tiny(rng):
    """At most 5 x 4 x 4 x 3 scores with gaps, some components zero; judges fixed in half, some with own residuals."""
    sizes = [int(rng.integers(low, high)) for low, high in ((2, 6), (2, 5), (2, 5), (1, 4))]
    item, prompt, judge, replicate = (at.ravel() for at in np.indices(sizes))
    sd = np.exp(rng.normal(0, 1.5, 7)) * (rng.random(7) < 0.7)
    score = rng.normal(0, max(sd[6], 0.05), len(item))
    terms = (item, prompt, judge, item * 9 + prompt, item * 9 + judge, prompt * 9 + judge)
    for size, at in zip(sd[:6], terms, strict=True):
        score += size * rng.normal(size=at.max() + 1)[at]
    keep = rng.random(len(item)) < rng.choice([0.3, 0.5, 0.8, 1.0])
    columns = {"item": item, "prompt": prompt, "judge": judge, "replicate": replicate, "score": score}
    fixed = rng.random() < 0.5
    own = "judge" if fixed and rng.random() < 0.3 else None
    return pl.DataFrame(columns).filter(keep), ["judge"] if fixed else [], own


def best(fit: Decomposition, rng) -> float:
    """The lowest criterion that searches from random places end in."""
    problem, kept = fit.assembled.problem, np.array(fit.identified.representatives)

    def at(theta):
        full = np.zeros(problem.n_components)
        full[kept] = theta
        point = evaluate(problem, full)
        bend = point.hessian[np.ix_(kept, kept)]
        return Point(point.criterion, point.gradient[kept], bend, point.solved, point.effects)

    lowest, least = np.inf, LEAST * problem.needs_noise[kept]
    for start in np.exp(rng.normal(-1.5, 2, (RESTARTS, len(kept)))):
        try:
            lowest = min(lowest, minimise(at, start, least=least, most=60).point.criterion)
        except (NotConverged, np.linalg.LinAlgError):
            continue
    return lowest


def test_no_fit_is_above_the_best_of_many_searches():
    rng, above, fits, refused = np.random.default_rng(16), [], 0, 0
    for _ in range(DESIGNS):
        frame, fixed, own = tiny(rng)
        try:
            fit = q.decompose(q.read(frame, fixed=fixed, announce=False), residual_by=own)
        except QuorateError:
            refused += 1
            continue
        fits += 1
        above.append(fit.point.criterion - best(fit, rng))
    print(f"{fits} fits, {refused} refused: at most {max(above):.1e} above the best of {RESTARTS} searches")
    assert max(above) < 1e-6
