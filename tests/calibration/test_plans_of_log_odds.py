"""Plans from a fit of log odds promise the half-width that such fits of their studies find."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy.optimize import brentq

import quorate as q
from quorate.errors import NotEstimable
from quorate.numerics.links.search import logistic_normal
from quorate.planning.designs.dstudy import projection, scheme_of
from quorate.planning.designs.sources import Design, from_fit

STUDIES, JUDGES = 80, np.array([-0.3, 0.0, 0.3])
FIRST = {"item": 1.0, "prompt": 0.4, "item:prompt": 0.5, "item:judge": 0.5}
SECOND = {"item": 2.0, "prompt": 0.6, "item:prompt": 0.5, "item:judge": 1.0}
CASES = [  # standard deviations of the log odds, rate, prompts, items
    (FIRST, 0.5, 5, 60),
    (FIRST, 0.8, 5, 60),
    pytest.param(FIRST, 0.9, 5, 100, marks=pytest.mark.slow),
    (SECOND, 0.9, 5, 100),
]


def fitted(rng, law, center, items, prompts):
    """The fit of a study by three judges who are known."""
    size = {"item": items, "prompt": prompts, "judge": 3}
    odds = center + JUDGES
    for term, sd in law.items():
        odds = odds + rng.normal(0, sd, [count if name in term.split(":") else 1 for name, count in size.items()])
    columns = dict(zip(size, np.indices(odds.shape).reshape(3, -1), strict=True))
    columns |= {"score": (rng.random(odds.size) < 1 / (1 + np.exp(-odds.ravel()))).astype(int)}
    return q.decompose(q.read(pl.DataFrame(columns), announce=False), link="logit", method="pirls")


def planned(law, center, share, items, prompts):
    """The plan by these standard deviations, as no pilot would find them exactly."""
    pilot = fitted(np.random.default_rng(5), law, center, 200, 20)
    levels = {name: pilot.n_levels(name) for name in pilot.names}
    likely = [law.get(name, 0.0) ** 2 * (1 - 1 / levels[name] if ":" not in name else 1) for name in pilot.names]
    rows = np.column_stack([np.ones(3), pilot.assembled.fixed.levels["judge"][:, 1:]])
    effects = np.linalg.solve(rows, center + JUDGES)
    fixed = np.concatenate([-effects[:1], effects[1:]])
    exact = replace(pilot, optimum=replace(pilot.optimum, variance=np.array(likely), fixed=fixed))
    source = from_fit(exact, Design(items=items, given={"prompt": prompts}))
    source = replace(source, scale=replace(source.scale, value=share))
    return projection(source, source.counts, source.replicates, scheme_of("factorial", None, None))


@pytest.mark.parametrize(("law", "share", "prompts", "items"), CASES)
def test_what_a_plan_of_log_odds_promises_is_realised(law, share, prompts, items):
    """Monte Carlo error of the median: 3 to 5%."""
    total = sum(sd**2 for sd in law.values())
    center = brentq(lambda at: logistic_normal(at + JUDGES, total)[0].mean() - share, -20, 20)
    plan, rng, found = planned(law, center, share, items, prompts), np.random.default_rng([9, int(100 * share)]), []
    for _ in range(STUDIES):
        try:
            found.append(fitted(rng, law, center, items, prompts).mean.half_width)
        except NotEstimable:  # a judge whose log odds are infinite
            continue
    ratio = float(np.median(found)) / plan.half_width
    print(f"{share}, {prompts} prompts, {items} items: promised {plan.half_width:.4f}, ratio {ratio:.3f}")
    assert len(found) > 0.9 * STUDIES
    assert ratio == pytest.approx(1, abs=0.12)
