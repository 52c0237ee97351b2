"""Intervals of arms while scores come in: how often each method misses, by how scores are collected and when one stops.

Monte Carlo tolerance: a share of 0.05 among m draws has a standard error of ``sqrt(.0475 / m)``; levels that are proven
are tested with three of these.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from quorate.numerics.sequential import bandit, confidence_sequence

LEVEL = 0.95
METHODS = ("t", "bernstein", "asymptotic", "anytime")


class Law(NamedTuple):
    """Scores of an arm and their chances, on a scale."""

    scores: np.ndarray
    chances: np.ndarray
    low: float
    high: float

    @property
    def mean(self) -> float:
        return float(self.scores @ self.chances)

    @property
    def variance(self) -> float:
        return float((self.scores - self.mean) ** 2 @ self.chances)

    def draw(self, shape, rng):
        return self.scores[
            np.minimum(np.searchsorted(np.cumsum(self.chances), rng.random(shape)), len(self.scores) - 1)
        ]

    @property
    def scale(self):
        return {"low": self.low, "high": self.high}


def law(scores, chances, low, high):
    return Law(np.array(scores, dtype=float), np.array(chances), low, high)


LAWS = {
    "1 to 3": law([1, 2, 3], [0.2, 0.5, 0.3], 1, 3),
    "0 to 10": law([5, 6, 7, 8, 9, 10], [0.05, 0.1, 0.25, 0.35, 0.2, 0.05], 0, 10),
    "yes or no, .02": law([0, 1], [0.98, 0.02], 0, 1),
    "nearly constant": law([7, 8], [0.01, 0.99], 0, 10),
}
# Arms of one family are on one scale, so that a policy may compare their variances.
FAMILIES = {
    "scores 0 to 10": {
        "wide": law(np.arange(11), np.full(11, 1 / 11), 0, 10),
        "around 8": LAWS["0 to 10"],
        "0 or 10, .02": law([0, 10], [0.98, 0.02], 0, 10),
        "nearly constant": LAWS["nearly constant"],
    },
    "scores 1 to 3": {
        "1 or 3": law([1, 3], [0.5, 0.5], 1, 3),
        "all three": LAWS["1 to 3"],
        "3 at .02": law([1, 3], [0.98, 0.02], 1, 3),
        "3 at .01, else 2": law([2, 3], [0.99, 0.01], 1, 3),
    },
    "yes or no": {f"{p}": law([0, 1], [1 - p, p], 0, 1) for p in (0.5, 0.9, 0.1, 0.02)},
}


def running(scores, start):
    """Counts, means and sums of squares after 1, 2, ... scores along the last axis."""
    n = np.arange(1.0, scores.shape[-1] + 1)
    total, squares = np.cumsum(scores - start, axis=-1), np.cumsum((scores - start) ** 2, axis=-1)
    return n, start + total / n, np.maximum(squares - total**2 / n, 0.0)


def options(method, one, arms=1):
    return {"method": method, "level": LEVEL, "step": 1.0, "arms": arms, **one.scale}


def missed(method, one, n, mean, ss, arms=1):
    lower, upper = confidence_sequence.interval(n, mean, ss, **options(method, one, arms))
    return ~((lower <= one.mean) & (one.mean <= upper))


def tolerance(draws):
    return 3 * np.sqrt(0.05 * 0.95 / draws)


def told(shares, digits=4):
    return ", ".join(f"{name} {share:.{digits}f}" for name, share in shares.items())


@pytest.mark.parametrize("name", LAWS)
def test_a_number_of_scores_fixed_beforehand(name):
    one, studies = LAWS[name], 5000
    rng = np.random.default_rng(1)
    for n in (10, 30, 100, 300):
        mean, ss = fixed(one, n, studies, rng)
        shares = {method: float(missed(method, one, n, mean, ss).mean()) for method in METHODS}
        lower, upper = confidence_sequence.interval(n, mean, ss, method="t", level=LEVEL)
        bare = float(np.mean((one.mean < lower) | (upper < one.mean)))
        print(f"{name}, n {n}: misses {told(shares)}; t without a floor {bare:.4f}")
        assert max(shares["anytime"], shares["bernstein"]) <= 0.05 + tolerance(studies)


def fixed(one, n, studies, rng):
    """Means and sums of squares of n scores each."""
    counts = rng.multinomial(n, one.chances, studies)
    mean = counts @ one.scores / n
    return mean, np.maximum(counts @ (one.scores - one.low) ** 2 - n * (mean - one.low) ** 2, 0.0)


def paths(name, studies, most, seed):
    one = LAWS[name]
    scores = one.draw((studies, most), np.random.default_rng(seed))
    return one, running(scores, one.low)


@pytest.mark.parametrize("name", LAWS)
def test_looking_after_every_score(name):
    studies, most = 1000, 2000
    one, (n, mean, ss) = paths(name, studies, most, 2)
    shares = {m: float(missed(m, one, n, mean, ss)[:, 9:].any(axis=1).mean()) for m in METHODS[:3]}
    span = one.high - one.low
    evidence = confidence_sequence.mean_log_evidence(
        n, (mean - one.low) / span, ss / span**2, (one.mean - one.low) / span
    )
    shares["anytime"] = float((evidence.max(axis=1) >= -np.log(1 - LEVEL)).mean())
    print(f"{name}, looks after 10 to {most} scores: ever misses {told(shares, 3)}")
    assert shares["anytime"] <= 0.05 + tolerance(studies)
    assert shares["t"] > 0.3


def test_long_looking_defeats_what_is_made_for_a_fixed_number():
    """A fair coin at 400 looks between 10 and ten million tosses."""
    studies, looks = 2000, np.unique(np.geomspace(10, 1e7, 400).astype(int))
    heads = np.cumsum(np.random.default_rng(3).binomial(np.diff(looks, prepend=0), 0.5, (studies, len(looks))), axis=1)
    mean, coin = heads / looks, law([0, 1], [0.5, 0.5], 0, 1)
    ss = looks * mean * (1 - mean)
    out = {m: missed(m, coin, looks, mean, ss) for m in METHODS[:3]}
    out["anytime"] = confidence_sequence.mean_log_evidence(looks, mean, ss, 0.5) >= -np.log(1 - LEVEL)
    for until in (1e3, 1e5, 1e7):
        ever = {m: float(wrong[:, looks <= until].any(axis=1).mean()) for m, wrong in out.items()}
        print(f"fair coin, looks after 10 to {until:,.0f} tosses: ever misses {told(ever, 3)}")
    assert ever["anytime"] <= 0.05 + tolerance(studies)
    assert ever["bernstein"] > 0.05 + tolerance(studies)


@pytest.mark.parametrize(("first", "enough"), [(2, 8), (20, 60)])
@pytest.mark.parametrize("name", LAWS)
def test_stopping_once_the_interval_is_narrow(name, first, enough):
    """The target is what ``enough`` scores reach where the variance is known."""
    studies, most = 600, 1500
    one, (n, mean, ss) = paths(name, studies, most, 4)
    sd = np.sqrt(one.variance)
    target = 1.96 * sd / np.sqrt(enough)
    for m in METHODS:
        good = confidence_sequence.within(n, mean, ss, target, **options(m, one))
        good[:, : first - 1] = False
        stop = np.where(good.any(axis=1), good.argmax(axis=1), most - 1)
        at = np.arange(studies), stop
        wrong = float(missed(m, one, n[stop], mean[at], ss[at]).mean())
        print(
            f"{name}, target {target:.3f} ({enough} scores), looks from {first}: {m} stops after {n[stop].mean():.0f}, "
            f"misses {wrong:.3f}, bias {(mean[at].mean() - one.mean) / sd:+.3f} sd; {most} scores were not enough for "
            f"{1 - good.any(axis=1).mean():.2f}"
        )
        if m == "anytime":
            assert wrong <= 0.05 + tolerance(studies)


def robin_hood(scores, budget, rule, warmup):
    """Pulls, means and sums of squares of one run: arms are pulled in the order of the least priority on their way."""
    n, mean, ss = running(scores, 0.0)
    order = np.minimum.accumulate(rule.priority(n, mean, ss / n)[:, warmup - 1 :], axis=1)
    taken = np.zeros(order.size, dtype=bool)
    taken[np.argsort(-order.ravel(), kind="stable")[: budget - len(scores) * warmup]] = True
    pulls = warmup + taken.reshape(order.shape).sum(axis=1)
    assert pulls.max() < scores.shape[1]
    at = np.arange(len(scores)), pulls - 1
    return pulls, mean[at], ss[at]


@pytest.mark.parametrize("family", FAMILIES)
def test_robin_hood(family):
    """Four kinds of 12 arms each, 60 pulls per arm."""
    laws, each, runs, length = FAMILIES[family], 12, 300, 500
    arms = len(laws) * each
    lam, warmup = bandit.constants("experiment", arms, 60 * arms, 0.007)
    rule, rng = bandit.Rule(lam=lam, step=1.0), np.random.default_rng(5)
    found = [
        robin_hood(np.concatenate([one.draw((each, length), rng) for one in laws.values()]), 60 * arms, rule, warmup)
        for _ in range(runs)
    ]
    parts = [np.array(part, dtype=float).reshape(runs, len(laws), each) for part in zip(*found, strict=True)]
    together = dict.fromkeys(METHODS, np.zeros(runs, dtype=bool))
    for i, (name, one) in enumerate(laws.items()):
        n, mean, ss = (part[:, i] for part in parts)
        shares = {m: float(missed(m, one, n, mean, ss).mean()) for m in METHODS}
        same = round(float(n.mean()))
        t = float(missed("t", one, same, *fixed(one, same, n.size, rng)).mean())
        bias, noise = float(mean.mean() - one.mean), float(mean.std() / np.sqrt(n.size))
        wald = -float(np.cov(n.ravel(), mean.ravel())[0, 1] / n.mean())
        pooled = float((n * mean).sum() / n.sum()) - one.mean
        print(
            f"{family}, {name}: {n.mean():.0f} pulls ({n.min():.0f} to {n.max():.0f}); misses {told(shares)}; t with "
            f"{same} pulls each {t:.4f}; bias {bias:+.4f} (noise {noise:.4f}, {bias / mean.std():+.2f} standard "
            f"errors), by its identity {wald:+.4f}, weighted by pulls {pooled:+.4f}"
        )
        assert shares["anytime"] <= 0.05 + tolerance(n.size)
        if name in {"0 or 10, .02", "0.9", "0.1"}:
            assert shares["t"] > t + 0.02
        assert abs(bias - wald) <= 4 * noise + 1e-12
        together = {m: together[m] | missed(m, one, n, mean, ss, arms).any(axis=1) for m in METHODS}
    any_of = {m: float(wrong.mean()) for m, wrong in together.items()}
    print(f"{family}: any of {arms} intervals made to hold together misses {told(any_of, 3)}")
    assert any_of["anytime"] <= 0.05 + tolerance(runs)
