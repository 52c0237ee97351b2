"""Margins, their law, cluster-robust errors and detectability against votes simulated from known margins."""

from __future__ import annotations

import numpy as np
import pytest

from quorate.estimate.votes.clustered import cluster_robust
from quorate.estimate.votes.margins import margins
from quorate.estimate.votes.signals import GRID, margin_law, one_vote_each, rate_variance, share_below
from quorate.estimate.votes.stability import stability, tie_sensitivity
from quorate.numerics.votes.clusters import Clusters, design_effect, margin_likelihood
from quorate.numerics.votes.clusters import margin_law as deconvolved
from quorate.numerics.votes.power import drawn_power, effective_clusters, exact_power, robust, t_reach
from quorate.planning.power.detectability import detectability
from quorate.table.read_votes import read_votes

LAWS = {
    "half-normal .12": lambda rng, pairs: np.minimum(np.abs(rng.normal(0, 0.12, pairs)), 0.49),
    "half-normal .04": lambda rng, pairs: np.abs(rng.normal(0, 0.04, pairs)),
    "uniform to .3": lambda rng, pairs: rng.uniform(0, 0.3, pairs),
    "all tied": lambda _, pairs: np.zeros(pairs),
}


def rms(x):
    return float(np.sqrt(np.mean(np.square(x))))


@pytest.mark.parametrize("pairs", [40, 350])
@pytest.mark.parametrize("name", LAWS)
def test_near_ties_and_decided_pairs_without_noise(name, pairs):
    """Pairs with 200 to 500 votes. The law is far less biased where most pairs are near ties, and noisier elsewhere."""
    rng = np.random.default_rng(1)
    near, decided = [], []
    for _ in range(60):
        true = LAWS[name](rng, pairs)
        n = rng.integers(200, 500, pairs)
        wins = rng.binomial(n, 0.5 + true * rng.choice([-1, 1], pairs))
        law = margin_law(wins, n)
        truth = (true <= 0.05).mean()
        near.append(((np.abs(wins / n - 0.5) <= 0.05).mean() - truth, law.share_below(0.05) - truth))
        power = (float(exact_power(p, [1000], 0.05).mean()) for p in (0.5 + true, wins / n))
        at_truth, at_estimate = power
        decided.append(
            (at_estimate - at_truth, float(law.chance @ exact_power(0.5 + law.margin, [1000], 0.05)[:, 0]) - at_truth)
        )
    for what, found in (("near ties (.05)", np.array(near)), ("decided at 1,000", np.array(decided))):
        raw, corrected = found.T
        print(
            f"{name}, {pairs} pairs, {what}: bias as estimated {raw.mean():+.3f} (rms {rms(raw):.3f}), "
            f"without noise {corrected.mean():+.3f} (rms {rms(corrected):.3f})"
        )
        assert abs(corrected.mean()) < max(0.025, 0.7 * abs(raw.mean()))


def test_stopping_early_makes_the_law_less_noisy():
    rng, errors = np.random.default_rng(4), []
    for _ in range(40):
        true = LAWS["half-normal .12"](rng, 350)
        n = rng.integers(200, 500, 350)
        likelihood = margin_likelihood(rng.binomial(n, 0.5 + true), n, GRID)
        laws = [deconvolved(likelihood, steps=steps) for steps in (20, 500)]
        errors.append([float(share_below(law, 0.05)) - (true <= 0.05).mean() for law in laws])
    early, late = map(rms, np.transpose(errors))
    print(f"near ties (.05), root mean square error: {early:.3f} after 20 steps, {late:.3f} after 500")
    assert early < 0.6 * late


@pytest.mark.parametrize("icc", [0.0, 0.1, 0.4])
@pytest.mark.parametrize(
    "sizes", [[2] * 150, [1, 2, 3, 14] * 15, [3, 5, 8, 10, 20, 60, 100]], ids=["even", "mixed", "few"]
)
def test_coverage_of_cluster_robust_intervals(icc, sizes):
    """Clusters draw their win rate from a beta law around .55. Seven uneven clusters are too few for the full level."""
    rng, n = np.random.default_rng(2), np.array(sizes)
    studies, m = 4000, len(n)
    scale = (1 - icc) / icc if icc else np.inf
    p = rng.beta(0.55 * scale, 0.45 * scale, (studies, m)) if icc else np.full((studies, m), 0.55)
    wins = rng.binomial(n, p)
    found = Clusters(
        np.repeat(np.arange(studies), m), wins.ravel().astype(float), np.tile(n, studies).astype(float), studies
    )
    share, error = robust(found.sums, m)
    plain = np.abs(share - 0.55) <= 1.959964 * np.sqrt(share * (1 - share) / n.sum())
    covers = np.abs(share - 0.55) <= t_reach(effective_clusters(found.sums) - 1, 0.05) * error
    by_number = np.abs(share - 0.55) <= t_reach(m - 1, 0.05) * error
    effect, expected = float(np.nanmean(design_effect(found.sums))), 1 + (np.sum(n**2) / n.sum() - 1) * icc
    print(
        f"{m} clusters, icc {icc}: covers votes {plain.mean():.3f}, clusters {covers.mean():.3f} "
        f"(with C - 1 degrees of freedom {by_number.mean():.3f}); design effect {effect:.2f} (true {expected:.2f})"
    )
    assert covers.mean() > (0.93 if m >= 60 else 0.9)
    assert covers.mean() >= by_number.mean()
    assert effect == pytest.approx(1.0, abs=0.03) if icc == 0 else effect > 1


def test_draws_have_the_power_of_the_formula():
    rng = np.random.default_rng(3)
    p = 0.5 + rng.uniform(0, 0.2, 50)
    drawn, exact = drawn_power(p, [25, 50, 200, 500], 0.05, 50_000, rng), exact_power(p, [25, 50, 200, 500], 0.05)
    print(f"largest distance {np.abs(drawn - exact).max():.4f}")
    assert np.abs(drawn - exact).max() < 0.011


@pytest.fixture(scope="module")
def wmt15(shared):
    path = shared / "data" / "wmt15_human_pairwise.parquet"
    votes = read_votes(path, facets={"expanded": "expanded"}, announce=False)
    looked_at = votes.only("expanded", "false")
    return {"all rows": votes.within("prompt_type"), "real looks": looked_at.within("prompt_type")}


@pytest.mark.parametrize("which", ["all rows", "real looks"])
def test_wmt15_margins(wmt15, which):
    found = margins(wmt15[which])
    quantiles, near, law = found.quantiles(), found.near_ties(), found.law()
    print(f"{which}: {len(found)} pairs; margins {quantiles.to_dict()}")
    print(f"{near.to_dict()}; mean square {law.mean_square_raw:.5f}, without noise {law.mean_square:.5f}")
    print(stability(wmt15[which]).sentence, tie_sensitivity(wmt15[which]).sentence)
    print(one_vote_each(wmt15[which]).sentence, rate_variance(wmt15[which]).medians)
    assert near.low < near.share < near.high


@pytest.mark.parametrize("which", ["all rows", "real looks"])
@pytest.mark.parametrize("unit", ["pair", "model"])
@pytest.mark.parametrize("by", ["prompt", "judge", "cluster"])
def test_wmt15_what_ignoring_dependence_costs(wmt15, which, unit, by):
    """Random halves of the same votes: the size that each interval really has."""
    found = cluster_robust(wmt15[which], by=by, unit=unit)
    halves = found.half_splits(splits=200)
    print(f"{which}, {unit}: {found.summary().sentence} {halves.sentence}")
    assert halves.sizes[1] == pytest.approx(0.05, abs=0.012)


def test_wmt15_detectability(wmt15):
    """Budgets of 50, 200 and 500: by the formula and with whole prompts, and the size of both intervals."""
    votes = wmt15["real looks"]
    plain = detectability(votes, budgets=[50, 200, 500], cluster=())
    whole = detectability(votes, budgets=[50, 200, 500], method="clusters", cluster="prompt")
    print(f"decided {plain.decided.round(3)}, without noise {plain.corrected.round(3)}")
    print(f"decided by prompt {whole.decided.round(3)}")
    print(f"sizes {[size.round(3).tolist() for size in whole.sizes]}; z at 50: {plain.z(50)}, at 100: {plain.z(100)}")
    assert whole.sizes[0][1] > 0.07
    assert (whole.decided <= plain.decided + 0.02).all()
