"""Rates of judges, repeated runs, streams against a baseline, cycles of boards: coverage, false alarms, delays."""

from __future__ import annotations

from functools import cache

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.estimate.agreement.yardsticks import share_of
from quorate.estimate.ratings.bradley_terry import cycles
from quorate.numerics.sequential.confidence_sequence import log_evidence_of_fall


@pytest.mark.parametrize("labels", [30, 100, 300])
def test_intervals_of_rates_cover(labels):
    """Wilson's intervals on 30 to 300 labels and rates of .02 to .98; Monte Carlo error .005 each."""
    rng, runs, item = np.random.default_rng(1), 2000, np.arange(labels)

    @cache  # of equal counts the interval is the same
    def interval(hits, n, weighed):
        own = item if weighed else item[:n]
        return share_of((own < hits).astype(float), 0.95, own, (own < n).astype(float) if weighed else None)

    for passed in (0.5, 0.8):
        for sensitivity in (0.02, 0.1, 0.5, 0.9, 0.98):
            false = 0.1 * (1 - passed) / (0.1 * (1 - passed) + passed * sensitivity)
            drawn = rng.random((runs, 2, labels))
            gold = drawn[:, 0] < passed
            said = drawn[:, 1] < np.where(gold, sensitivity, 0.1)
            kinds = (gold & said, gold, sensitivity), (~gold & ~said, ~gold, 0.9), (~gold & said, said, false)
            held = []
            for hit, of, true in kinds:
                found = [interval(*one, of is said) for one in zip(hit.sum(axis=1), of.sum(axis=1), strict=True)]
                held.append(np.mean([not (one.low > true or one.high < true) for one in found]))
            print(labels, passed, sensitivity, np.round(held, 3))
            assert min(held) >= (0.90 if labels < 100 else 0.93)


@pytest.mark.parametrize(
    ("items", "runs", "law", "least"),
    [(40, 4, (3, 1), 0.85), (100, 4, (3, 1), 0.91), (60, 4, (9, 0.5), 0.91), (60, 5, (2, 2), 0.93)],
)
@pytest.mark.parametrize("studies", [150, pytest.param(1500, marks=pytest.mark.slow)])
def test_chances_of_repeated_runs_cover(items, runs, law, least, studies):
    """All of 3 runs pass, any does, two differ: Wilson's intervals over items whose chances are of a beta law."""
    rng, held = np.random.default_rng(items + runs), np.zeros(3)
    a, b = law
    none = np.prod([(b + at) / (a + b + at) for at in range(3)])
    true = np.prod([(a + at) / (a + b + at) for at in range(3)]), 1 - none, 2 * a * b / ((a + b) * (a + b + 1))
    item, run = np.indices((items, runs)).reshape(2, -1)
    for _ in range(studies):
        passed = (rng.random((items, runs)) < rng.beta(a, b, (items, 1))).astype(int)
        frame = pl.DataFrame({"item": item, "run": run, "score": passed.ravel()})
        table = q.read(frame, facets={"item": "item", "run": "run"}, announce=False)
        [one] = q.agents.repeated_runs(table, k=[3]).systems
        found = one.passing[0].all, one.passing[0].any, one.differ
        held += [each.low <= at <= each.high for each, at in zip(found, true, strict=True)]
    print(items, runs, law, np.round(true, 3), (held / studies).round(3))
    assert (held / studies >= least - 2 * np.sqrt(0.05 * 0.95 / studies)).all()


def test_false_alarms_and_delays_over_1500_looks():
    """300 streams each: alarms where nothing changes; the delay of three changes, and where they began."""
    rng, streams, n, at = np.random.default_rng(1), 300, 1500, 300
    limit = np.log(2 / 0.05)

    def alarms(before, after):
        scores = (rng.random((streams, n)) < np.where(np.arange(n) < at, before, after)).astype(float)
        for own in scores:
            evidence = np.maximum(log_evidence_of_fall(own, before)[0], log_evidence_of_fall(1 - own, 1 - before)[0])
            first = int(np.argmax(evidence >= limit)) if (evidence >= limit).any() else None
            yield own, first

    for baseline in (0.5, 0.7, 0.9, 0.95, 0.98):
        false = np.mean([first is not None for _, first in alarms(baseline, baseline)])
        print("false alarms at", baseline, false)
        assert false <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / streams)
    for before, after, most in ((0.9, 0.8, 260), (0.9, 0.7, 90), (0.7, 0.5, 140)):
        delays, held = [], []
        for own, first in alarms(before, after):
            if first is None or first < at:
                continue
            delays.append(first - at)
            start = log_evidence_of_fall(own[: first + 1], before)[1]
            chance = np.exp(start - start.max())
            order = np.argsort(-start)
            kept = order[: int(np.searchsorted(np.cumsum(chance[order]) / chance.sum(), 0.95)) + 1]
            held.append(kept.min() <= at <= kept.max())
        print(before, after, "found", len(delays) / streams, "median delay", np.median(delays), "holds", np.mean(held))
        assert np.median(delays) < most
        assert np.mean(held) > 0.90


@pytest.mark.parametrize(
    ("systems", "size", "per", "spread"), [(6, 900, 1, 0.0), (6, 1500, 5, 1.0), (12, 4000, 2, 0.7)]
)
def test_boards_with_ratings_have_no_cycles_and_cycles_are_found(systems, size, per, spread):
    """200 boards each, votes of a prompt alike: a cycle is named in at most 5% without one, in most with one."""
    rng, named = np.random.default_rng(1), {0.0: 0, 0.85: 0}
    for turn in named:
        for _ in range(200):
            rating, prompt = rng.normal(0, 0.6, systems), np.repeat(np.arange(size // per), per)
            a = rng.integers(0, systems, len(prompt))
            b = (a + rng.integers(1, systems, len(prompt))) % systems
            own = rng.normal(0, spread, (size // per, systems))
            odds = rating[a] - rating[b] + own[prompt, a] - own[prompt, b]
            if turn:
                odds = np.where((a < 3) & (b < 3), np.where((a - b) % 3 == 1, turn, -turn), odds)
            won = rng.random(len(prompt)) < 1 / (1 + np.exp(-odds))
            frame = pl.DataFrame({"prompt": prompt, "model_a": a.astype(str), "model_b": b.astype(str)})
            frame = frame.with_columns(winner=np.where(won, "model_a", "model_b"))
            named[turn] += bool(cycles(q.read_votes(frame, announce=False)))
    print(systems, size, per, spread, named)
    assert named[0.0] <= 10 + 6
    assert named[0.85] > 100 or systems > 6


@pytest.mark.parametrize("ratings", [[0.0] * 8, [0, 0, 1, 1, 2, 2, 3, 3], np.arange(8) * 0.02, np.arange(8) * 0.15])
def test_neighbours_are_seldom_told_apart_wrongly(ratings):
    """200 boards of eight systems by 5,000 votes; as a family of their own, more of them are told apart."""
    rng, ratings = np.random.default_rng(1), np.asarray(ratings, dtype=float)
    i, j = np.triu_indices(8, 1)
    wrong, told, by_all = 0, 0, 0
    for _ in range(200):
        n = rng.multinomial(5000, np.full(28, 1 / 28))
        won = rng.binomial(n, 1 / (1 + np.exp(ratings[j] - ratings[i])))
        frame = pl.DataFrame({"model_a": i.astype(str), "model_b": j.astype(str), "a": won, "b": n - won})
        board = q.rank(q.read_votes(frame, wins=("a", "b"), announce=False))
        apart = [one for one in board.neighbours if one.told_apart]
        wrong += any(ratings[int(one.first)] <= ratings[int(one.second)] for one in apart)
        told, by_all = told + len(apart), by_all + int(np.diag(board.ranks.above, 1).sum())
    print(ratings, wrong / 200, told / 200, by_all / 200)
    assert wrong <= 16
    assert told >= by_all
