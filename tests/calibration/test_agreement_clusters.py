"""Agreement by clusters: coverage of rates and of differences, and what clusters do to real votes of translators."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.special import stdtrit

import quorate as q
from quorate.numerics.votes import clustered
from quorate.numerics.votes.binomial import clopper_pearson, p_value

STUDIES = 1000


@pytest.mark.parametrize("groups", [6, 10, 20, 60])
@pytest.mark.parametrize("p", [0.6, 0.9])
@pytest.mark.parametrize("icc", [0.02, 0.3])
@pytest.mark.parametrize("sizes", ["even", "uneven"])
def test_intervals_of_rates(groups, p, icc, sizes):
    """Beta-binomial clusters of 8, or of 4 and 20."""
    rng = np.random.default_rng(groups)
    size = np.where(np.arange(groups) % 3 == 0, 20.0, 4.0) if sizes == "uneven" else np.full(groups, 8.0)
    n = np.broadcast_to(size, (STUDIES, groups)).copy()
    chance = rng.beta(p * (1 / icc - 1), (1 - p) * (1 / icc - 1), n.shape)
    wins = rng.binomial(n.astype(int), chance).astype(float)
    found = clustered.shares(wins, n)
    ends = np.array([clustered.interval(found.one(at), 0.95) for at in range(STUDIES)])
    half = stdtrit(found.df, 0.975) * found.se
    alone = np.array(clopper_pearson(wins.sum(axis=1), n.sum(axis=1), 0.95)).T
    own, single = (np.mean((one[:, 0] <= p) & (p <= one[:, 1])) for one in (ends, alone))
    student = np.mean(np.abs(found.value - p) <= half)
    print(
        f"{groups} {sizes} clusters, rate {p}, icc {icc}: covers {own:.3f}, Student {student:.3f}, exact {single:.3f}"
    )
    assert own >= 0.90
    assert own >= student - 0.02


@pytest.mark.parametrize(("level", "least"), [(0.95, 0.89), (1 - 0.05 / 6, 0.95)])
def test_intervals_of_rates_near_one_in_very_uneven_clusters(level, least):
    """40 beta-binomial clusters of 1, 2, 3 and 30: ten of them have most of the votes."""
    rng = np.random.default_rng(40)
    n = np.tile([1.0, 2.0, 3.0, 30.0], (STUDIES, 10))
    wins = rng.binomial(n.astype(int), rng.beta(0.95 * 4, 0.05 * 4, n.shape)).astype(float)  # correlation 1 / (4 + 1)
    found = clustered.shares(wins, n)
    ends = np.array([clustered.interval(found.one(at), level) for at in range(STUDIES)])
    held = np.mean((ends[:, 0] <= 0.95) & (ends[:, 1] >= 0.95))
    print(f"40 clusters of 1 to 30, worth {found.effective[0]:.1f}: covers {held:.3f} for {level:.4f}")
    assert least <= held < level


@pytest.mark.parametrize("groups", [8, 15, 40])
@pytest.mark.parametrize("gain", [0.0, 0.15])
def test_differences_by_prompts(groups, gain):
    """Two pipelines on prompts of 6 battles; which of the two is right depends on the prompt."""
    rng = np.random.default_rng(groups)
    truth = float(np.mean(leaning(gain, (np.arange(100_000) + 0.5) / 100_000)))
    held, rejected, exact = [], [], []
    for _ in range(STUDIES):
        lean = leaning(gain, rng.random(groups))
        u = rng.random((groups, 6))
        gains = np.where(u < (0.5 + lean[:, None]) / 2, 1, np.where(u < 0.5, -1, 0)).astype(float)
        found = clustered.share((gains + 1).sum(axis=1) / 2, np.full(groups, 6.0), ((gains + 1) ** 2).sum(axis=1) / 4)
        low, high, p = clustered.balance(found, 0.95)
        up, down = (gains == 1).sum(), (gains == -1).sum()
        held.append(low <= truth <= high)
        rejected.append(p <= 0.05)
        exact.append(float(p_value(up, up + down)) <= 0.05 if up + down else False)
    words = f"covers {np.mean(held):.3f}, rejects {np.mean(rejected):.3f}; McNemar's test {np.mean(exact):.3f}"
    print(f"{groups} prompts, difference {truth:.3f}: {words}")
    assert 0.92 <= np.mean(held) <= 0.985
    assert gain or np.mean(rejected) <= 0.065


def leaning(gain, chance):
    """What prompts gain on average, by their place in the law of prompts: at most one half."""
    return np.clip(gain + 0.25 * stdtrit(8, chance), -0.5, 0.5)


def test_translators_by_sentence_and_by_person(shared):
    """The table of the docs: the annotator with most votes against all others, in four pairs of languages."""
    rows = pl.read_parquet(shared / "data" / "wmt15_human_pairwise.parquet")
    rows = rows.with_columns(pl.col(pl.Categorical).cast(pl.String))
    for lang in ("rus-eng", "fin-eng", "ces-eng", "eng-deu"):
        part = rows.filter(pl.col("lang") == lang)
        most = part["judge"].value_counts(sort=True)["judge"][0]
        votes = q.read_votes(part, prompt="segment", announce=False)
        rate = q.agreement.agreement(votes, most, rng=1).rate("judges")
        low, high = (float(end) for end in clopper_pearson(round(rate.value * rate.n), rate.n, 0.95))
        others = votes.keep(votes.column("judge") != votes.facet("judge").levels.index(most))
        place = np.stack([others.column("prompt"), others.model_a, others.model_b])
        first = np.isin(np.arange(others.rows), np.unique(place, axis=1, return_index=True)[1])
        by_person = q.agreement.agreement(votes.only("judge", most), others.keep(first), cluster="judge", rng=1)
        person = by_person.rate("judges")
        print(
            f"{lang}: {rate.value:.3f} of {rate.n} ({low:.3f} to {high:.3f} as single battles); by {rate.clusters} "
            f"sentences {rate.low:.3f} to {rate.high:.3f}; one label each, by {person.clusters} people "
            f"{person.value:.3f} ({person.low:.3f} to {person.high:.3f}) {[one.sentence for one in by_person.caveats]}"
        )
        assert rate.high - rate.low > 3 * (high - low)
