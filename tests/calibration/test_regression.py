"""Regressions on labels of a judge: coverage with a tenth of the labels, where the judge's alone cover little."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.errors import NotEstimable

STUDIES = 200
# Within 93 to 97%, and 2.5 Monte Carlo standard errors of 200 studies
LOW, HIGH = 0.93 - 0.038, 0.97 + 0.027


@dataclass(frozen=True)
class Law:
    """How rows come about: the judge is off by what goes with the first regressor."""

    link: str | None = None
    n: int = 1000
    intercept: float = -0.2
    clustered: bool = False
    unequal: bool = False
    collinear: bool = False
    lost: float = 0.0
    chance: float = 0.1


LAWS = {
    "linear": Law(),
    "linear, unequal chances": Law(unequal=True),
    "linear, clusters": Law(clustered=True),
    "linear, near-collinear": Law(collinear=True),
    "linear, a third of the labels never come": Law(lost=1 / 3, n=1500),
    "logit": Law("logit"),
    "logit, unequal chances": Law("logit", unequal=True),
    "logit, clusters": Law("logit", clustered=True),
    "logit, near-collinear": Law("logit", collinear=True),
    "logit, 5%": Law("logit", intercept=-3.2, n=3000),
    "logit, 95%": Law("logit", intercept=2.9, n=3000),
}


PARTS = (
    *((1.0, 30), (0.2, 6), (0.3, (30, 6)), (0.1, (6, 2)), (0.3, (30, 2))),
    *((0.2, (30, 6, 2)), (0.4, 30 * 6 * 2 * 2)),
)
"""Item, prompt, item:prompt, prompt:judge, item:judge, cell and replicate: variance and levels."""


def study(law: Law, rng: np.random.Generator):
    """Regressors, the judge's labels, people's, the chances and the clusters."""
    groups = np.arange(law.n) // 10 if law.clustered else np.arange(law.n)
    shared = rng.normal(size=law.n)[groups] if law.clustered else np.zeros(law.n)
    x = {"length": rng.normal(size=law.n), "code": (rng.random(law.n) < 0.3).astype(float)}
    if law.clustered:
        x["length"] = 0.7 * x["length"] + 0.7 * rng.normal(size=law.n)[groups]
    if law.collinear:
        x["words"] = x["length"] + 0.05 * rng.normal(size=law.n)
    mean = law.intercept + 0.3 * x["length"] + 0.4 * x["code"] + 0.2 * x.get("words", np.zeros(law.n))
    if law.link is None:
        right = mean + 0.7 * shared + rng.normal(size=law.n)
        said = right + 0.5 * x["length"] - 0.3 + 0.6 * rng.normal(size=law.n)
    else:
        # one half of the log odds comes from the cluster without changing the marginal law: the same uniform numbers
        own = rng.normal(size=law.n) if not law.clustered else np.sqrt(0.5) * (shared + rng.normal(size=law.n))
        right = (own < _probit(1 / (1 + np.exp(-mean)))).astype(float)
        off = 1 / (1 + np.exp((3.2 if abs(law.intercept) > 1 else 2.2) - x["length"]))
        said = np.where(rng.random(law.n) < off, 1 - right, right)
    chance = np.full(law.n, law.chance)
    if law.unequal:
        chance = law.chance * np.where(said > np.median(said) - 1e-9, 1.5, 0.5)
    chance = chance * (1 - law.lost)
    labels = np.where(rng.random(law.n) < chance, right, np.nan)
    return x, said, labels, chance, groups if law.clustered else None


def _probit(share):
    from scipy.special import ndtri

    return ndtri(share)


@pytest.mark.parametrize("name", LAWS)
def test_coverage(name):
    law, rng = LAWS[name], np.random.default_rng(sum(map(ord, name)))
    truth = {"intercept": law.intercept, "length": 0.3, "code": 0.4, "words": 0.2}
    held, naive, gain, refused = [], [], [], 0
    for _ in range(STUDIES):
        x, said, labels, chance, cluster = study(law, rng)
        try:
            found = q.regress(said, x, labels, chance, cluster=cluster, link=law.link)
        except NotEstimable:
            refused += 1
            continue
        inside = [
            [low <= truth[one.name] <= high for low, high in (one.estimate.ends, one.from_judges.ends)]
            for one in found.coefficients
        ]
        held.append([one for one, _ in inside])
        naive.append([one for _, one in inside])
        gain.append(found.effective / found.labels)
    cover, judged = np.mean(held, axis=0), np.mean(naive, axis=0)
    print(
        f"{name}: covers {np.round(cover, 3).tolist()}, the judge's {np.round(judged, 3).tolist()}; labels worth "
        f"{np.nanmedian(gain):.2f} times as many; {refused} of {STUDIES} refused"
    )
    assert (cover >= LOW).all()
    assert (cover <= HIGH).all() or abs(law.intercept) > 1
    assert judged.min() < 0.8 or law.collinear
    assert refused <= 0.02 * STUDIES


def test_the_error_of_a_label_is_known_as_well_as_said():
    """Pilots of 30 items, 6 prompts and 2 judges, twice; prompts know the least."""
    rng, held = np.random.default_rng(5), []
    truth = (0.2 + 0.3 + 0.1) / 3 + 0.2 / 3 + 0.4 / 6
    item, prompt, judge, _ = (code.ravel() for code in np.indices((30, 6, 2, 2)))
    for _ in range(STUDIES):
        drawn = [rng.normal(0, np.sqrt(part), size) for part, size in PARTS]
        score = drawn[0][item] + drawn[1][prompt] + drawn[2][item, prompt] + drawn[3][prompt, judge]
        score = score + drawn[4][item, judge] + drawn[5][item, prompt, judge] + drawn[6]
        frame = pl.DataFrame({"item": item, "prompt": prompt, "judge": judge, "score": score})
        found = q.scores.surrogate(q.decompose(q.read(frame, announce=False)), levels={"prompt": 3}, replicates=2)
        low, high = found.estimate.ends
        held.append(low <= truth <= high)
    print(f"error of a label: covers {np.mean(held):.3f}")
    assert np.mean(held) >= LOW


def test_signs_turn_as_often_as_said():
    """Coefficients of many sizes; labels of two runs of a pipeline and labels without error."""
    rng = np.random.default_rng(11)
    n, noise = 400, 0.8
    x = rng.normal(size=(4000, n))
    beta = rng.normal(0, 0.1, size=4000)
    right = beta[:, None] * x + rng.normal(size=(4000, n))
    slopes = [
        np.einsum("ij,ij->i", x, right + noise * rng.normal(size=(4000, n)) * keep) / (x**2).sum(axis=1)
        for keep in (1, 1, 0)
    ]
    se, ratio = np.sqrt((1 + noise**2) / n), noise**2 / (1 + noise**2)
    flips = [q.scores.sign_flip(float(one), float(se), ratio=ratio) for one in slopes[0]]
    again = np.mean(np.sign(slopes[0]) != np.sign(slopes[1]))
    differs = np.mean(np.sign(slopes[0]) != np.sign(slopes[2]))
    said = np.mean([one.again for one in flips]), np.mean([one.differs for one in flips])
    print(f"another run: {again:.3f}, said {said[0]:.3f}; without error: {differs:.3f}, said {said[1]:.3f}")
    assert abs(again - said[0]) < 0.03
    assert abs(differs - said[1]) < 0.03
