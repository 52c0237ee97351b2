"""Prediction-powered win rates: coverage by resampling real battles, and by simulation where judges are of use."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.stats import binom

import quorate as q
from quorate.estimate.agreement.labelled import vote_units
from quorate.estimate.agreement.prediction_powered import of_sample
from quorate.numerics.distributions import t_quantile
from quorate.numerics.prediction_powered import Sample, powered_mean

CLAUDE = "claude-opus-4-20250514"
STUDIES = 1000


def covers(found, truth):
    half = t_quantile(found.df, 0.975) * found.se
    alone = t_quantile(found.labels_df, 0.975) * found.labels_se
    return abs(found.value - truth) <= half, abs(found.labels_value - truth) <= alone, (found.labels_se / found.se) ** 2


def summary(rows):
    """Coverage of both intervals, and the median of how much labels are worth."""
    held, alone, gain = zip(*rows, strict=True)
    return np.mean(held), np.mean(alone), np.median(gain)


def study(y, f, labelled, others):
    n = len(labelled)
    return Sample(y[labelled], f[labelled], f[others], np.arange(n), np.arange(n, n + len(others)))


@pytest.fixture(scope="module")
def battles(shared):
    """Human and mean judge share of every battle of Claude against each of its opponents."""
    path = shared / "data" / "arena_human_vs_llm_judges.parquet"
    reading = {"prompt": "item", "announce": False}
    people = q.read_votes(path, winner="human_winner", judge="judge", **reading).only("judge", "gpt-5.2")
    judges = q.read_votes(path, winner="judge_winner", judge="judge", **reading)
    out = {}
    for other in people.models:
        if other != CLAUDE:
            truth, said = (vote_units(table, "prompt", CLAUDE, other, None) for table in (people, judges))
            known = dict(zip(said.keys, said.value, strict=True))
            both = [(y, known[key]) for key, y in zip(truth.keys, truth.value, strict=True) if key in known]
            values = np.array(both)
            out[other] = values[~np.isnan(values).any(axis=1)].T
    return out


@pytest.mark.parametrize("n", [20, 50, 100])
def test_real_battles(battles, n):
    """Population: labelled and other battles drawn with replacement. Finite: labels drawn without, of these battles."""
    rng = np.random.default_rng(n)
    for other, (y, f) in battles.items():
        rows = []
        for _ in range(STUDIES):
            drawn = rng.integers(len(y), size=len(y))
            order = rng.permutation(len(y))
            for name, place, options in [
                ("population", drawn, {}),
                ("weight 1", drawn, {"tuning": 1.0}),
                ("finite", order, {"finite": True}),
            ]:
                found = powered_mean(study(y, f, place[:n], place[n:]), **options)
                if found.se > 0 and found.labels_se > 0:  # `corrected` refuses unanimous labels
                    rows.append((name, *covers(found, y.mean())))
        for name in ("population", "weight 1", "finite"):
            held, alone, gain = np.mean([row[1:] for row in rows if row[0] == name], axis=0)
            print(
                f"Claude against {other}, people {y.mean():.3f}, judges {f.mean():.3f}, {n} labels, {name}: covers "
                f"{held:.3f} (labels alone {alone:.3f}); labels worth {gain:.2f} times as many"
            )
            assert 0.91 <= held <= 0.98


@pytest.mark.parametrize(("n", "right"), [(20, 0.9), (50, 0.9), (50, 0.75), (200, 0.9)])
def test_binary_judges_that_are_often_right(n, right):
    """People prefer a in .6 of battles; a judge agrees with chance ``right``, otherwise says a in .8."""
    rng = np.random.default_rng(n)
    rows = []
    for _ in range(3 * STUDIES):
        y = (rng.random(n + 1000) < 0.6).astype(float)
        f = np.where(rng.random(n + 1000) < right, y, rng.random(n + 1000) < 0.8).astype(float)
        rows.append(covers(powered_mean(study(y, f, np.arange(n), np.arange(n, n + 1000))), 0.6))
    held, alone, gain = summary(rows)
    print(f"{n} labels, right {right}: covers {held:.3f} (labels alone {alone:.3f}); worth {gain:.2f} times as many")
    assert held >= (0.87 if n == 20 else 0.925)  # with 20 labels, one differs from the judge
    assert gain > 1.5


@pytest.mark.parametrize(
    ("n", "p"),
    [
        pytest.param(*at, marks=() if at in ((20, 0.05), (50, 0.02), (100, 0.5)) else pytest.mark.slow)
        for at in product((20, 50, 100), (0.02, 0.05, 0.5))
    ],
)
def test_shares_that_are_rare(n, p):
    """A judge who says yes to ``right`` of the true and no to ``clear`` of the false; all samples count.

    Whole labels leave gaps: of 20 at .05 Wilson's interval of the labels alone covers .925, the exact one .985. Of .5 a
    judge who is nearly always right has one error or none among 20 labels, and what was added to them decides.
    """
    rng, size = np.random.default_rng(n), n + 1000
    most = 0.984 if n > 20 else 1.0 if p == 0.5 else 0.995
    for right, clear in ((0.9, 0.7), (0.8, 0.8), (0.95, 0.9), (0.5, 0.97)):
        held, plain = [], []
        for _ in range(STUDIES):
            y = rng.random(size) < p
            said = np.where(y, rng.random(size) < right, rng.random(size) >= clear).astype(float)
            found = of_sample(study(y.astype(float), said, np.arange(n), np.arange(n, size)), share=True)
            low, high = found.estimate.ends
            held.append(low <= p <= high)
            plain.append(abs(found.value - p) <= t_quantile(found.df, 0.975) * found.se)
        print(f"{n} labels, share {p}, judge {right}/{clear}: {np.mean(held):.3f}, by t {np.mean(plain):.3f}")
        assert 0.93 <= np.mean(held) <= most  # .93 to .97 and two Monte Carlo errors of .007, but with 20 labels


@pytest.mark.parametrize(
    ("n", "p", "nearest"),
    [(20, 0.02, 0.940), (20, 0.05, 0.984), (50, 0.02, 0.982), (50, 0.05, 0.962), (100, 0.02, 0.949)],
)
def test_what_an_interval_of_whole_labels_can_cover(n, p, nearest):
    """Chances of runs of counts: of the labels alone, the least that is .93 or more; exact."""
    below = np.append(0.0, binom.cdf(np.arange(n + 1), n, p))
    runs = below[None, :] - below[:, None]
    assert runs[runs >= 0.93].min() == pytest.approx(nearest, abs=5e-4)


@pytest.mark.parametrize("n", [3, 5, 8, 15])
def test_few_labels(n):
    """Normal labels whose prediction has noise of .6, and the binary judge of above; studies without error refused."""
    rng = np.random.default_rng(n)
    size, held, alone = n + 200, {"normal": [], "binary": []}, []
    for _ in range(STUDIES):
        y = rng.normal(size=size)
        binary = (rng.random(size) < 0.6).astype(float)
        said = np.where(rng.random(size) < 0.9, binary, rng.random(size) < 0.8).astype(float)
        for name, label, predicted, truth in (
            ("normal", y, y + 0.6 * rng.normal(size=size), 0.0),
            ("binary", binary, said, 0.6),
        ):
            found = powered_mean(study(label, predicted, np.arange(n), np.arange(n, size)))
            if found.se > 1e-12:
                held[name].append(covers(found, truth)[0])
        alone.append(found.se > 1e-12)
    print(
        f"{n} labels: covers {np.mean(held['normal']):.3f}, binary {np.mean(held['binary']):.3f} of the "
        f"{np.mean(alone):.2f} that have an error"
    )
    assert np.mean(held["normal"]) > 0.88
    assert np.mean(held["binary"]) > (0.8 if n < 8 else 0.88)


def test_clustered_battles():
    """60 prompts of 5 battles, icc .4 for people and judge alike, half of each prompt's battles labelled at random."""
    rng = np.random.default_rng(7)
    held = {True: [], False: []}
    for _ in range(STUDIES):
        cluster = np.repeat(np.arange(60), 5)
        lean = np.clip(0.6 + rng.normal(0, 0.32, 60), 0, 1)[cluster]
        y = (rng.random(300) < lean).astype(float)
        f = np.where(rng.random(300) < 0.6, y, rng.random(300) < lean).astype(float)
        labelled = rng.random(300) < 0.5
        truth = np.clip(0.6 + np.random.default_rng(1).normal(0, 0.32, 10**5), 0, 1).mean()
        for by_cluster, found_in in held.items():
            code = cluster if by_cluster else np.arange(300)
            found = powered_mean(Sample(y[labelled], f[labelled], f[~labelled], code[labelled], code[~labelled]))
            found_in.append(covers(found, truth)[0])
    print(f"clustered prompts: covers {np.mean(held[True]):.3f}; taken as independent {np.mean(held[False]):.3f}")
    assert 0.925 <= np.mean(held[True]) <= 0.975
    assert np.mean(held[False]) < 0.9


@pytest.mark.parametrize(("people", "topics"), [(10, 30), (20, 20), pytest.param(20, 60, marks=pytest.mark.slow)])
def test_labels_that_share_people_and_topics(people, topics):
    """200 labels of crossed people and topics, whose leanings are both part of the error; coverage exact to .007."""
    n, m, studies = 200, 800, 1000
    rng, held = np.random.default_rng(21), np.zeros((studies, 3), dtype=bool)
    for at in range(studies):
        topic, person = rng.integers(0, topics, n + m), rng.integers(0, people, n)
        lean = rng.normal(0, 0.4, topics)[topic]
        latent = lean + rng.normal(0, 1, n + m)
        f = latent + rng.normal(0, 0.7, n + m)
        y = latent[:n] + rng.normal(0, 0.4, people)[person]
        by_person = (person, people + np.arange(m))
        by_topic = (topic[:n], topic[n:])
        ways = [
            Sample(y, f[:n], f[n:], np.arange(n), np.arange(n, n + m)),
            Sample(y, f[:n], f[n:], *by_person),
            Sample(y, f[:n], f[n:], *by_person, (by_topic,)),
        ]
        for way, sample in enumerate(ways):
            low, high = of_sample(sample).estimate.ends
            held[at, way] = low <= 0 <= high
    alone, one, both = held.mean(axis=0)
    print(f"{people} people, {topics} topics: independent {alone:.3f}, by person {one:.3f}, by both {both:.3f}")
    assert 0.93 <= both <= 0.975
