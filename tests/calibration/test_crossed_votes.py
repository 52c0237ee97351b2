"""Votes that prompts, people and batches make alike, crossed: size of verdicts and monitoring, coverage of ratings."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.special import stdtr

import quorate as q
from quorate.decide.outcome import Outcome
from quorate.estimate.votes.margin import margin_of_votes
from quorate.numerics.votes.clustered import multiways


def two_systems(rng, prompts, people, each, spread, batches=0, uneven=False):
    """Votes on two systems that are equal on average over prompts, people and batches."""
    n = prompts * each
    if uneven:
        chance = rng.gamma(1.0, 1.0, people) + 0.05
        judge = rng.choice(people, n, p=chance / chance.sum())
        weight = rng.gamma(1.0, 1.0, prompts) + 0.05
        prompt = rng.choice(prompts, n, p=weight / weight.sum())
    else:
        prompt = np.repeat(np.arange(prompts), each)
        judge = np.concatenate([rng.choice(people, each, replace=each > people) for _ in range(prompts)])
    columns = {"prompt": prompt, "judge": judge}
    share = 0.5 + rng.normal(0, spread[0], prompts)[prompt] + rng.normal(0, spread[1], people)[judge]
    if batches:
        columns["cluster"] = rng.integers(0, batches, n)
        share += rng.normal(0, spread[2], batches)[columns["cluster"]]
    winner = np.where(rng.random(n) < np.clip(share, 0, 1), "model_a", "model_b")
    frame = pl.DataFrame({"model_a": ["x"] * n, "model_b": ["y"] * n, "winner": winner, **columns})
    return q.read_votes(frame, announce=False)


@pytest.mark.parametrize(
    ("seed", "law"),
    [
        pytest.param(1, (100, 10, 4, (0.15, 0.10)), marks=pytest.mark.slow),
        pytest.param(2, (200, 25, 3, (0.15, 0.10)), marks=pytest.mark.slow),
        (3, (60, 8, 6, (0.15, 0.10))),
        pytest.param(4, (12, 40, 40, (0.15, 0.10)), marks=pytest.mark.slow),
        pytest.param(5, (100, 20, 5, (0.15, 0.10), 0, True), marks=pytest.mark.slow),
        pytest.param(6, (100, 30, 4, (0.10, 0.10, 0.10), 12), marks=pytest.mark.slow),
    ],
)
def test_false_differences_are_as_many_as_said(seed, law):
    """1,200 studies: from 4 to 6.5%, with two Monte Carlo standard errors (.0063) on either side."""
    rng, studies = np.random.default_rng(seed), 1200
    found = [margin_of_votes(two_systems(rng, *law), "x", "y").p_difference() <= 0.05 for _ in range(studies)]
    assert 0.04 - 0.0126 <= np.mean(found) <= 0.065 + 0.0126


@pytest.mark.parametrize("most", [0.2, 0.35, 0.5, 0.7])
@pytest.mark.parametrize(("people", "sd"), [(12, 0.05), (12, 0.1), (30, 0.1)])
def test_one_person_with_many_of_the_votes(most, people, sd):
    """4,000 studies of 400 votes, 5 on each of 80 prompts: at most 6.5%, with two standard errors (.0039)."""
    rng, studies, n = np.random.default_rng(5), 4000, 400
    chance = [most, *[(1 - most) / (people - 1)] * (people - 1)]
    judge = rng.choice(people, (studies, n), p=chance)
    prompt = np.tile(np.repeat(np.arange(80), 5), (studies, 1))
    share = 0.5 + np.take_along_axis(rng.normal(0, sd, (studies, people)), judge, 1)
    share += np.take_along_axis(rng.normal(0, 0.1, (studies, 80)), prompt, 1)
    won, study = (rng.random((studies, n)) < share).ravel().astype(float), np.repeat(np.arange(studies), n)
    found = multiways(study, won, np.ones(len(won)), [prompt.ravel(), judge.ravel()]).share
    p = np.maximum(2 * stdtr(found.df, -abs(found.value - 0.5) / found.se), found.least_p)
    print(f"| {most} | {people} | {sd} | {np.mean(p <= 0.05):.3f} |")
    assert 0.003 <= np.mean(p <= 0.05) <= 0.065 + 0.0078


@pytest.mark.parametrize("spread", [0.0, 0.1, 0.2])
def test_monitoring_of_people_who_differ_stops_as_seldom_as_said(spread):
    """500 streams of 400 votes by 10 people: at most 5.5%, with two Monte Carlo standard errors (.010)."""
    rng, streams = np.random.default_rng(7), 500
    stops = 0
    for _ in range(streams):
        judge = rng.integers(0, 10, 400)
        share = np.clip(0.5 + rng.normal(0, spread, 10)[judge], 0, 1)
        winner = np.where(rng.random(400) < share, "model_a", "model_b")
        frame = pl.DataFrame({"model_a": ["x"] * 400, "model_b": ["y"] * 400, "winner": winner, "judge": judge})
        stops += q.votes.monitor(q.read_votes(frame, announce=False), "x", "y").outcome is not Outcome.UNDECIDED
    assert stops / streams <= 0.055 + 0.02


@pytest.mark.parametrize(
    ("seed", "law"),
    [
        pytest.param(8, (150, 20, 8, 0.5, 0.4), marks=pytest.mark.slow),
        pytest.param(9, (80, 40, 10, 0.3, 0.3), marks=pytest.mark.slow),
        (10, (300, 15, 3, 0.6, 0.3)),
    ],
)
def test_intervals_of_ratings_hold_for_prompts_and_people_like_these(seed, law):
    """300 boards of 5 systems: 93 to 97%, with two Monte Carlo standard errors of the mean over systems (.008)."""
    rng, boards = np.random.default_rng(seed), 300
    held = np.mean([board(rng, *law) for _ in range(boards)])
    assert 0.93 - 0.016 <= held <= 0.97 + 0.016


@pytest.mark.parametrize(("seed", "law"), [(11, (150, 2, 2, 0.5, 0.3)), (12, (150, 2, 2, 0.3, 0.8))])
def test_intervals_of_ratings_hold_with_two_people(seed, law):
    """Asked for people like these at least 93%, with two Monte Carlo standard errors, by one degree of freedom."""
    rng, boards = np.random.default_rng(seed), 200
    by = ("prompt", "judge")
    assert np.mean([board(rng, *law, cluster=by) for _ in range(boards)]) >= 0.93 - 0.018


@pytest.mark.parametrize("apart", [0.0, 0.3])
def test_margins_of_two_judges_hold_for_these(apart):
    """Of 1,000 studies of 60 prompts that two judges judge, one likes x more: 93 to 97%, with 1.4% of Monte Carlo."""
    rng, studies = np.random.default_rng(13), 1000
    frame = {"prompt": np.repeat(np.arange(60), 2), "judge": np.tile(["g", "h"], 60)}
    frame |= {"model_a": ["x"] * 120, "model_b": ["y"] * 120}
    held, width = 0, []
    for study in range(studies):
        share = 0.5 + np.tile([apart, -apart / 3], 60) / 2 + np.repeat(rng.uniform(-0.2, 0.2, 60), 2)
        winner = np.where(rng.random(120) < share, "a", "b")
        votes = q.read_votes(pl.DataFrame({**frame, "winner": winner}), announce=False)
        low, high = margin_of_votes(votes, "x", "y").ends
        if study < 10:
            assert q.compare(votes, "x", "y").difference.ends == (low, high)
        held += low <= apart / 6 <= high
        width.append(high - low)
    print(f"| {apart} | {held / studies:.3f} | {np.mean(width):.3f} |")
    assert 0.93 - 0.014 <= held / studies <= 0.97 + 0.014
    assert np.mean(width) < 0.22


def board(rng, prompts, people, each, by_prompt, by_judge, cluster=None):
    """Share of the systems whose intervals hold; all are equal, each liked more on some prompts and by some people."""
    n, names = prompts * each, np.array(list("abcde"))
    prompt, judge, a = np.repeat(np.arange(prompts), each), rng.integers(0, people, n), rng.integers(0, 5, n)
    b = (a + rng.integers(1, 5, n)) % 5
    liking = rng.normal(0, by_prompt, (prompts, 5))[prompt] + rng.normal(0, by_judge, (people, 5))[judge]
    rows = np.arange(n)
    won = rng.random(n) < 1 / (1 + np.exp(liking[rows, b] - liking[rows, a]))
    columns = {"model_a": names[a], "model_b": names[b], "winner": np.where(won, "model_a", "model_b")}
    votes = q.read_votes(pl.DataFrame({**columns, "prompt": prompt, "judge": judge}), announce=False)
    low, high = q.rank(votes, cluster=cluster).intervals.T
    return np.mean((low <= 0) & (high >= 0))
