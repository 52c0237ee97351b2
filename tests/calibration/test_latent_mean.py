"""Coverage of the mean over the random effects of 0/1 scores, from few prompts and near the end."""

import numpy as np
import polars as pl
import pytest
from scipy.optimize import brentq

import quorate as q
from quorate.errors import NotEstimable
from quorate.numerics.links.search import logistic_normal

ITEMS, JUDGES, STUDIES = 60, np.array([-0.3, 0.0, 0.3]), 80
SD = {"item": 1.0, "prompt": 0.4, "item:prompt": 0.5, "item:judge": 0.5}


@pytest.mark.parametrize(
    ("share", "prompts"), [(0.5, 2), pytest.param(0.5, 5, marks=pytest.mark.slow), (0.9, 2), (0.9, 3), (0.98, 3)]
)
def test_intervals_cover_and_stay_inside(share, prompts):
    total = sum(sd**2 for sd in SD.values())
    center = brentq(lambda at: logistic_normal(at + JUDGES, total)[0].mean() - share, -20, 20)
    at = dict(zip(("item", "prompt", "judge"), np.indices((ITEMS, prompts, 3)).reshape(3, -1), strict=True))
    covered, fitted = 0, 0
    for study in range(STUDIES):
        rng, eta = np.random.default_rng([study, prompts, int(1000 * share)]), center + JUDGES[at["judge"]]
        for term, sd in SD.items():
            key = np.ravel_multi_index([at[name] for name in term.split(":")], [ITEMS] * len(term.split(":")))
            eta = eta + rng.normal(0, sd, ITEMS ** len(term.split(":")))[key]
        frame = pl.DataFrame({**at, "score": (rng.random(len(eta)) < 1 / (1 + np.exp(-eta))).astype(int)})
        try:
            mean = q.decompose(q.read(frame, announce=False, fixed=("judge",)), link="logit", method="pirls").mean
        except NotEstimable:  # a judge whose log odds are infinite
            continue
        low, high = mean.ends
        assert 0 < low < mean.value < high < 1
        covered, fitted = covered + (low <= share <= high), fitted + 1
    print(f"{share}, {prompts} prompts: {covered / fitted:.3f} of {fitted}")
    assert fitted > 0.75 * STUDIES
    assert covered / fitted > 0.93 - 2 * np.sqrt(0.95 * 0.05 / fitted)
