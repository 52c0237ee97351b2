"""Two ways of collecting votes: coverage of the differences, and how often the advice names the better one."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from quorate.estimate.votes.signals import Moment, per_vote
from quorate.numerics.votes import clusters
from quorate.numerics.votes.clusters import Clusters

STUDIES = 2000
LAWS = {
    # margins of the pairs, standard deviation of win rates over prompts, prompts, votes of each on a pair
    "open": ((0.05, 0.10, 0.20), 0.25, 150, 2),
    "open, one vote each": ((0.05, 0.10, 0.20), 0.25, 300, 1),
    "curated": ((0.15, 0.20, 0.30), 0.15, 40, 4),
    "curated, 80 prompts": ((0.15, 0.20, 0.30), 0.15, 80, 4),
    "as open, curated": ((0.05, 0.10, 0.20), 0.25, 60, 5),
    "few prompts": ((0.15, 0.20, 0.30), 0.15, 15, 6),
}


@cache
def truth(name):
    """Mean squared margin, what a vote adds to the square of z, and the variance between prompts."""
    margins, sd, _, each = LAWS[name]
    rate = np.clip(0.5 + np.array(margins)[:, None] + sd * np.random.default_rng(0).normal(size=(3, 200_000)), 0, 1)
    p, between = rate.mean(axis=1), rate.var(axis=1)
    effect = 1 + (each - 1) * between / (p * (1 - p))
    return np.mean((p - 0.5) ** 2), np.mean(4 * (p - 0.5) ** 2 / effect), np.mean(between)


def drawn(name, rng):
    """Sums of the prompts of one study; what prompts share, they share over pairs."""
    margins, sd, prompts, each = LAWS[name]
    effects = np.sqrt(0.3) * rng.normal(size=prompts) + np.sqrt(0.7) * rng.normal(size=(3, prompts))
    rate = np.clip(0.5 + np.array(margins)[:, None] + sd * effects, 0, 1)
    pair, prompt = (each.ravel() for each in np.indices(rate.shape))
    wins = rng.binomial(each, rate).ravel().astype(float)
    blocks = np.random.default_rng(7).permutation(prompts) % 200
    return clusters.block_sums(
        Clusters(pair, wins, np.full(len(wins), float(each)), 3), blocks[prompt], min(prompts, 200)
    )


def mean_square(sums):
    return clusters.square(sums).mean(axis=-1)


def mean_between(sums):
    return clusters.between(sums).mean(axis=-1)


def studies(first, second, seed, statistics):
    """Differences of each statistic in every study."""
    rng = np.random.default_rng(seed)
    for _ in range(STUDIES):
        one, two = drawn(first, rng), drawn(second, rng)
        yield [
            Moment(*clusters.jackknife(two, each)).minus(Moment(*clusters.jackknife(one, each))) for each in statistics
        ]


@pytest.mark.parametrize(
    ("first", "second", "least"),
    [
        ("open", "curated", (0.925, 0.925)),
        ("open", "curated, 80 prompts", (0.93, 0.93)),
        ("open", "as open, curated", (0.925, 0.925)),
        ("open", "few prompts", (0.89, 0.90)),
    ],
)
def test_intervals_of_differences_cover(first, second, least):
    """2,000 studies: Monte Carlo error .005, at .9 .007."""
    apart = [two - one for one, two in zip(truth(first), truth(second), strict=True)]
    held = np.zeros(2)
    for square, between in studies(first, second, 1, (mean_square, mean_between)):
        for place, (found, true) in enumerate(((square, apart[0]), (between, apart[2]))):
            low, high = found.ends
            held[place] += low <= true <= high
    share = held / STUDIES
    print(f"{first} | {second}: squared margins {share[0]:.3f}, variances between prompts {share[1]:.3f}")
    assert (share >= np.array(least) - 0.015).all()
    assert (share <= 0.975).all()


@pytest.mark.parametrize(
    ("first", "second", "right"),
    [
        ("open", "curated", 0.6),
        ("open, one vote each", "curated, 80 prompts", 0.75),
        ("open", "as open, curated", 0.0),
        ("open", "open", 0.0),
    ],
)
def test_the_advice_names_the_better_protocol(first, second, right):
    """The worse one is named in at most 2.5% of 2,000 studies (Monte Carlo error .35%)."""
    better = truth(second)[1] - truth(first)[1]
    named = np.zeros(2)
    for (found,) in studies(first, second, 2, (per_vote,)):
        low, high = found.ends
        named += (low > 0, high < 0)
    share = named / STUDIES
    worth = f"a vote {truth(first)[1]:.3f} | {truth(second)[1]:.3f}"
    print(f"{first} | {second}: {worth}; second named {share[0]:.3f}, first {share[1]:.3f}")
    wrong = share[1] if better > 1e-9 else share[0] if better < -1e-9 else share.max()
    assert wrong <= 0.025 + 0.012
    assert share[0 if better >= 0 else 1] >= right


@pytest.mark.parametrize("alike", [0.0, 0.8])
def test_intervals_of_votes_on_the_same_prompts_cover(alike):
    """2,000 studies of 60 prompts, easy or hard alike under both; .005 Monte Carlo error."""
    rng, prompts, each = np.random.default_rng(3), 60, 4
    first, second = (np.array(LAWS[name][0]) for name in ("open", "curated"))
    rate = np.random.default_rng(0).normal(size=(3, 200_000))
    true = [np.mean((np.clip(0.5 + m[:, None] + 0.2 * rate, 0, 1).mean(axis=1) - 0.5) ** 2) for m in (first, second)]
    held, widths = np.zeros(2), np.zeros(2)
    for _ in range(STUDIES):
        common, own = rng.normal(size=(3, prompts)), rng.normal(size=(2, 3, prompts))
        sums = []
        for margins, effects in zip((first, second), own, strict=True):
            mixed = np.sqrt(alike) * common + np.sqrt(1 - alike) * effects
            wins = rng.binomial(each, np.clip(0.5 + margins[:, None] + 0.2 * mixed, 0, 1)).ravel().astype(float)
            pair, prompt = (one.ravel() for one in np.indices((3, prompts)))
            sums.append(clusters.block_sums(Clusters(pair, wins, np.full(len(wins), float(each)), 3), prompt, prompts))
        one, two = (Moment(*clusters.jackknife(each_sums, mean_square)) for each_sums in sums)
        for place, paired in enumerate((False, True)):
            low, high = two.minus(one, paired=paired).ends
            held[place] += low <= true[1] - true[0] <= high
            widths[place] += high - low
    print(
        f"alike {alike}: apart {held[0] / STUDIES:.3f}, together {held[1] / STUDIES:.3f}, "
        f"width together over apart {widths[1] / widths[0]:.2f}"
    )
    assert 0.93 <= held[1] / STUDIES <= 0.97
