"""Plans against simulated studies: size and power as promised, and how often a pilot's range holds what is needed."""

from __future__ import annotations

import numpy as np
import pytest

from quorate.numerics.distributions import t_quantile
from quorate.numerics.votes import binomial, equivalence
from quorate.planning.power.clusters import clustered_sample_size
from quorate.planning.power.pilot import Reach, feasibility
from quorate.planning.power.sample_size import equivalence_size, power_curve, sample_size

STUDIES = 200_000
POINT = 0.01


def rate(hits):
    return float(np.mean(hits))


@pytest.mark.parametrize("n", [25, 50, 77, 274, 500, 749, 5000])
def test_size_of_the_test_of_a_difference(n):
    rng = np.random.default_rng(n)
    seen = rate(binomial.p_value(rng.binomial(n, 0.5, STUDIES), n) <= 0.05)
    exact = float(binomial.size(n, 0.05))
    print(f"n {n}: rejects {seen:.4f} of fair studies, exact size {exact:.4f}")
    assert exact <= 0.05
    assert seen == pytest.approx(exact, abs=0.002)


@pytest.mark.parametrize("method", ["normal", "variance", "exact"])
@pytest.mark.parametrize("margin", [0.321, 0.285, 0.19, 0.1, 0.06])
def test_power_of_planned_studies(method, margin):
    rng = np.random.default_rng(7)
    n = sample_size(margin, method=method)
    seen = rate(binomial.p_value(rng.binomial(n, 0.5 + margin, STUDIES), n) <= 0.05)
    predicted = float(power_curve(margin, n).power[0, 0])
    print(f"margin {margin}, {method}: n {n}, finds it in {seen:.3f}, exact power {predicted:.3f}")
    assert seen == pytest.approx(predicted, abs=POINT)
    if method == "exact":
        assert seen >= 0.9 - 0.003


@pytest.mark.parametrize(("n", "margin"), [(100, 0.1), (281, 0.1), (281, 0.2), (1104, 0.05), (5000, 0.05)])
def test_size_of_the_test_of_equivalence(n, margin):
    rng = np.random.default_rng(n)
    exact = float(equivalence.size(n, margin, 0.05))
    for p in (0.5 - margin, 0.5 + margin):
        seen = rate(equivalence.p_value(rng.binomial(n, p, STUDIES), n, margin) <= 0.05)
        print(f"n {n}, margin {margin}, p {p:.2f}: claims {seen:.4f}, exact size {exact:.4f}")
        assert seen == pytest.approx(exact, abs=0.002)
    assert exact <= 0.05


@pytest.mark.parametrize(("margin", "true"), [(0.1, 0.0), (0.1, 0.03), (0.05, 0.0)])
def test_power_of_planned_studies_of_equivalence(margin, true):
    rng = np.random.default_rng(8)
    n = equivalence_size(margin, true_margin=true)
    seen = rate(equivalence.p_value(rng.binomial(n, 0.5 + true, STUDIES), n, margin) <= 0.05)
    predicted = float(equivalence.power(n, 0.5 + true, margin, 0.05))
    print(f"margin {margin}, true {true}: n {n}, shows equivalence in {seen:.3f}, exact power {predicted:.3f}")
    assert seen == pytest.approx(predicted, abs=POINT)
    assert seen >= 0.9 - 0.003


@pytest.mark.parametrize("n", [30, 50, 100])
@pytest.mark.parametrize("margin", [0.02, 0.06, 0.19])
def test_how_often_the_range_of_a_pilot_holds_the_number_needed(n, margin):
    """The interval covers 95% and more; the single number is off by a factor of two in most pilots of small margins."""
    rng = np.random.default_rng(9)
    true, budget = sample_size(margin), sample_size(margin) // 2
    plans = [feasibility(wins, n, budget=budget) for wins in range(n + 1)]
    wins = rng.binomial(n, 0.5 + margin, STUDIES)
    holds = np.array([p.needed_low <= true <= (np.inf if p.needed_high is None else p.needed_high) for p in plans])
    near = np.array([p.needed is not None and 0.5 <= p.needed / true <= 2 for p in plans])
    wrong = np.array([p.reach is Reach.FEASIBLE for p in plans])
    held, close, false = (rate(x[wins]) for x in (holds, near, wrong))
    print(
        f"pilot of {n}, margin {margin}: range holds {true} in {held:.3f}, number within a factor of 2 in {close:.3f},"
    )
    print(f"    half the budget needed is called feasible in {false:.4f}")
    assert held >= 0.95 - 0.002
    assert false <= 0.05 + 0.002


@pytest.mark.parametrize(("icc", "size", "power"), [(0.05, 4, 0.9), (0.3, 3, 0.9), (0.01, 20, 0.877)])
def test_power_of_a_study_of_clusters_that_is_inflated(icc, size, power):
    """Votes of a prompt share its win rate, from a beta law; a t test of the means of prompts; the normal formula."""
    rng = np.random.default_rng(10)
    margin, studies = 0.1, 20_000
    plan = clustered_sample_size(sample_size(margin, method="normal"), icc=icc, cluster=size)
    critical = t_quantile(plan.clusters - 1, 0.975)
    found = {}
    for p in (0.5, 0.5 + margin):
        share = rng.beta(p * (1 / icc - 1), (1 - p) * (1 / icc - 1), (studies, plan.clusters))
        means = rng.binomial(size, share) / size
        t = (means.mean(axis=1) - 0.5) / (means.std(axis=1, ddof=1) / np.sqrt(plan.clusters))
        naive = binomial.p_value(np.round(means.sum(axis=1) * size), plan.clusters * size) <= 0.05
        found[p] = rate(np.abs(t) > critical), rate(naive)
    (size_, size_naive), (power_, _) = found.values()
    print(f"icc {icc}, {plan.clusters} clusters of {size}: t test of means: size {size_:.3f}, power {power_:.3f};")
    print(f"    test that ignores clusters: size {size_naive:.3f}")
    assert power_ == pytest.approx(power, abs=0.01)
    assert size_ == pytest.approx(0.05, abs=0.005)
    assert size_naive > 0.055


def test_errors_of_the_oracle_with_margins_of_both_signs():
    rng = np.random.default_rng(11)
    for votes in (200, 400, 800):
        d = rng.uniform(-0.25, 0.25, votes)
        known = float(np.sum(binomial.divergence(d)))
        y = {name: rng.random((20_000, votes)) < p for name, p in (("fair", 0.5), ("margins", 0.5 + d))}
        ratio = {name: np.log1p(np.where(v, 2 * d, -2 * d)).sum(axis=1) for name, v in y.items()}
        first, second = rate(ratio["fair"] >= known / 2), rate(ratio["margins"] < known / 2)
        bound = np.exp(-known / 2)
        print(f"{votes} votes, K {known:.1f}: errors {first:.4f} (bound {bound:.4f}) and {second:.4f}")
        assert first <= bound + 0.0005
        assert first + second >= np.exp(-known) / 2
