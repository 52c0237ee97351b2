"""Checks of a model: how often they reject where nothing is odd, and how often they find what is.

Cheap checks: 1,000 studies of 60 items, 3 prompts and 5 judges under normal laws, under skewed ones (exponential items,
interactions and noise), and skewed with a fifth missing; Monte Carlo standard error of 5%: .007. Tests with draws: 400
studies, .011.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
import pytest
from odd_scores import scores

import quorate as q
from quorate.estimate.diagnostics.check import quantiles
from quorate.estimate.diagnostics.diagnose import likelihood_ratio

STUDIES = 1000
CHEAP = [
    *("noise-by-judge", "odd-judge", "odd-interaction", "curvature"),
    *("difficulty-by-prompt", "difficulty-by-judge", "drift"),
]
POWER = {
    "noise": ("noise-by-judge", 0.85),
    "judge": ("odd-judge", 0.5),
    "interaction": ("odd-interaction", 0.65),
    "difficulty": ("difficulty-by-judge", 0.8),
    "curvature": ("curvature", 0.7),
    "drift": ("drift", 0.85),
}


def rejected(studies: int, law: str = "normal", odd: str = "", **sizes) -> dict[str, float]:
    """Share of studies in which each check has p < .05."""
    rng, found = np.random.default_rng(20260901), Counter()
    for _ in range(studies):
        checks = q.diagnose(q.decompose(scores(rng, law, odd, **sizes)), resamples=0).checks
        found.update(check.name for check in checks if check.p < 0.05)
    return {name: found[name] / studies for name in CHEAP}


LAWS = [
    pytest.param("normal", 0.0, marks=pytest.mark.slow),
    *(pytest.param("skewed", missing, marks=pytest.mark.slow) for missing in (0.0, 0.2)),
]


@pytest.mark.parametrize(("law", "missing"), LAWS)
def test_size(law, missing, record_property):
    found = rejected(STUDIES, law, missing=missing)
    record_property("size", found)
    print(law, missing, found)
    assert all(0.028 <= share <= 0.072 for share in found.values()), found  # 5% +- 1.5, and 1 Monte Carlo error


@pytest.mark.parametrize("odd", POWER)
def test_power(odd):
    name, least = POWER[odd]
    found = rejected(100, odd=odd)
    print(odd, found)
    assert found[name] >= least  # Monte Carlo error .03 to .05


@pytest.mark.slow
@pytest.mark.parametrize("law", ["normal", "skewed"])
def test_size_of_the_likelihood_ratio(law):
    rng, found = np.random.default_rng(3), []
    for _ in range(400):
        judgments = scores(rng, law, items=20, judges=3, replicates=2, cell=0.0)
        found.append(likelihood_ratio(q.decompose(judgments), "cell", 199, rng).p <= 0.05)
    print(law, np.mean(found))
    assert 0.028 - 0.011 <= np.mean(found) <= 0.072 + 0.011


@pytest.mark.slow
@pytest.mark.parametrize("law", ["normal", "skewed"])
def test_size_of_the_likelihood_ratios_of_three_facets(law):
    """15 items, 3 prompts, 3 judges and 2 temperatures, without three-way interactions; 300 studies, error .013."""
    rng, found, studies = np.random.default_rng(3), Counter(), 300
    terms = ["item:prompt:judge", "item:prompt:temperature", "prompt:judge:temperature"]
    drawn = rng.normal if law == "normal" else lambda size: rng.exponential(1, size) - 1
    item, prompt, judge, temperature = (at.ravel() for at in np.indices((15, 3, 3, 2)))
    columns = {"item": item, "prompt": prompt, "judge": judge, "temperature": temperature}
    for _ in range(studies):
        score = drawn(size=15)[item] + 0.4 * rng.normal(size=(15, 3))[item, judge] + 0.5 * drawn(size=len(item))
        fit = q.decompose(q.read(pl.DataFrame({**columns, "score": score}), announce=False))
        found.update(term for term in terms if likelihood_ratio(fit, term, 199, rng).p <= 0.05)
    sizes = {term: found[term] / studies for term in terms}
    print(law, sizes)
    assert all(0.03 - 0.026 <= size <= 0.065 + 0.026 for size in sizes.values())


@pytest.mark.slow
def test_power_of_the_likelihood_ratio():
    rng = np.random.default_rng(4)
    p = [
        likelihood_ratio(q.decompose(scores(rng, items=20, judges=3, replicates=2, cell=0.25)), "cell", 199, rng).p
        for _ in range(100)
    ]
    print(np.mean(np.array(p) <= 0.05))
    assert np.mean(np.array(p) <= 0.05) >= 0.75


@pytest.mark.slow
def test_size_and_power_of_tails():
    rng = np.random.default_rng(5)
    size, power = Counter(), 0
    for _ in range(300):
        size.update(
            check.name for check in quantiles(q.decompose(scores(rng, items=40)), 199, rng)[1] if check.p <= 0.05
        )
    for _ in range(100):
        checks = {check.name: check.p for check in quantiles(q.decompose(scores(rng, odd="tails")), 199, rng)[1]}
        power += checks["tails-of-residual"] <= 0.05
    print({name: count / 300 for name, count in size.items()}, power / 100)
    assert len(size) == 4
    assert all(0.02 <= count / 300 <= 0.085 for count in size.values())  # Monte Carlo error .013
    assert power / 100 >= 0.9
