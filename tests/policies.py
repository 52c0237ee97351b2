"""Adaptive policies driven by draws that are at hand."""

from __future__ import annotations

import numpy as np

import quorate as q

SCALE = range(1, 6)
OBJECTIVES = ("uniform", "worst", "boundary")
WIDE = 0.3
"""A delta that makes the warm-up 5 pulls: 4 log(1 / 0.3) = 4.8."""


def scores_of(arms, draws, seed, values=5):
    """Draws of arms with very unequal variances, many of them equal."""
    rng = np.random.default_rng(seed)
    middle, spread = rng.integers(1, values + 1, arms), rng.integers(0, values, arms)
    noise = rng.integers(0, 2, (arms, draws)) * rng.integers(0, 2, (arms, draws)) * spread[:, None]
    return np.clip(middle[:, None] + noise, 1, values).astype(float)


def drive(policy, draws, progress=None, *, batch=1, most=None, log=None):
    """Ask and answer until the policy is done, or ``most`` calls were made; every answer comes at once."""
    progress = policy.start() if progress is None else progress
    while len(cells := policy.next_cells(progress, batch)):
        rows = progress.roster.find(cells.levels, cells.codes)
        progress = progress.answered(cells, draws[rows, cells.replicate - 1])
        if log is not None:
            log.extend(zip(rows.tolist(), cells.replicate.tolist(), strict=True))
        if most is not None and progress.calls.sum() >= most:
            return progress
    assert policy.done(progress)
    return progress


def deciding(**changes):
    """A policy that stops asking of an arm once its side of the threshold is told."""
    options = {"objective": "boundary", "tolerance": 0.5, "decide": True, "delta": WIDE, "scale": SCALE}
    return q.scores.adaptive(**{"budget": 5000, **options, **changes})


def answered(policy, share, rng, batch=16):
    """Ask until the policy is done; answers from 1 to 5 are binomial, each arm with a share of its own."""
    progress = policy.start()
    while not policy.done(progress):
        cells = policy.next_cells(progress, batch)
        rows = progress.roster.find(cells.levels, cells.codes)
        progress = progress.answered(cells, 1.0 + rng.binomial(4, share[rows]))
    return progress


def right(objective, draws, truth, budget):
    """Share of the items in which the better of two systems is found."""
    arms = {"item": range(len(truth)), "system": ["a", "b"]}
    aim = {"between": "system", "tolerance": 0.25} if objective == "boundary" else {}
    name = "uniform" if objective == "uniform" else "robin-hood"
    rest = {} if name == "uniform" else {"objective": objective}
    policy = q.scores.adaptive(name, arms=arms, budget=budget, scale=SCALE, delta=WIDE, **aim, **rest)
    mean = drive(policy, draws, batch=20).mean.reshape(-1, 2)
    return float((np.sign(mean[:, 0] - mean[:, 1]) == np.sign(truth)).mean())


def paired_systems(seed):
    """How much better the first of two systems is on each of 40 items, and draws of both."""
    rng = np.random.default_rng(seed)
    truth = rng.choice([-2, -1, -0.3, 0.3, 1, 2], 40)
    centre = np.stack([3 + truth / 2, 3 - truth / 2], axis=1).ravel()
    return truth, np.clip(np.rint(rng.normal(centre[:, None], 1.0, (80, 800))), 1, 5)


def moved_by_batches(seed, batches):
    """How many of 600 pulls of 20 arms are others when answers come in batches."""
    draws = scores_of(20, 600, seed)
    policy = q.scores.adaptive(arms=range(20), budget=600, scale=SCALE, delta=WIDE, seed=seed)
    exact = drive(policy, draws).n
    return [int(np.abs(drive(policy, draws, batch=batch).n - exact).sum() // 2) for batch in batches]


def calls_to_target(name, target, seed):
    """Calls until every one of 30 arms is known to the target."""
    common = {"arms": range(30), "budget": 60_000, "scale": SCALE, "together": False, "delta": WIDE}
    policy = q.scores.adaptive(name, target=target, seed=seed, **common)
    found = drive(policy, scores_of(30, 4000, seed), batch=30)
    assert policy.reached(found)
    return int(found.calls.sum())
