"""Replay of allocation: what spending judge calls where scores vary would save, by ROBIN, ROBIN-HOOD and evenly."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from quorate import caveats, rules
from quorate.arrays import Ints
from quorate.errors import InvalidInput
from quorate.numerics.sequential.bandit import Constants, Pools, Rule, Variant, affordable, constants
from quorate.numerics.sequential.replay import forced
from quorate.planning.arms import scales
from quorate.simulate.allocation.arms import arms_of, human_scores
from quorate.simulate.allocation.result import POLICIES, ROBIN_HOOD, Adaptive, Allocation, Runs, runs_note

MOST = 10_000_000
"""Most pulls of a replay: all of a run are held in memory."""
MOST_RUNS = 100_000
"""Most replays."""
_MOST_POINTS = 10_000
_BEYOND = 4.0
"""Monte Carlo errors that the mean of all arms is off before that is said."""
_FEW_SCORED = 20
"""Arms with a human score below which a correlation is mostly chance."""


def simulate_allocation(
    judgments_or_pool: Any,
    budget: int,
    *,
    policies: Sequence[str] = POLICIES,
    runs: int = 50,
    seed: int = 1,
    variant: Variant = "experiment",
    delta: float = 0.007,
    floor: bool = True,
    scale: Iterable[float] | None = None,
    cycle: str | None = None,
    human: Any = None,
    points: int | Sequence[int] = 50,
) -> Allocation:
    """What adaptive allocation of judge calls would save, replayed on answers that exist.

    An *arm* is a cell, such as an item; a pull draws one of its answers, with replacement. The truth is the mean of the
    arm's answers, and the error is the largest of any arm. All policies see the same draws.

    Parameters
    ----------
    judgments_or_pool : Judgments, or array of shape (arms, draws)
        Judgments with replicates, from `quorate.read`, whose single answers are read again; or answers by arm, in rows
        that may differ in length, with nan for none. Arms with fewer than 2 answers are left out.
    budget : int
        Judge calls that could be paid for. Those that buy no whole cycle are not spent.
    policies : sequence of {"uniform", "robin", "robin-hood"}
        Equal numbers of pulls; by known variances, the ceiling; by variances estimated on the way.
    runs : int
        Replays; intervals take 20, and hold as often as they say from 50 on.
    seed : int
        Root of the random numbers.
    variant : {"experiment", "theory"}
        Constants of ROBIN-HOOD, of its experiments or of its theorems.
    delta : float
        Chance of failure of ROBIN-HOOD; a smaller one has a longer warm-up. In (0, 1).
    floor : bool
        Whether an arm whose answers were all equal so far may still vary. Without, as in the paper, it is starved.
    scale : iterable of float, optional
        Possible scores, such as ``range(1, 6)``, whose smallest gap sets the floor; without, that of the answers.
    cycle : str, optional
        Facet of which a pull asks every level once, such as judge; compared with single ones. The arm's score is that
        of the panel.
    human : mapping of str to float, or array of shape (arms,), optional
        Human scores by item label, or by arm, to correlate the means with; nan, or no entry, where there is none.
    points : int or sequence of int
        Budgets of the curves, or how many.

    Returns
    -------
    Allocation

    Raises
    ------
    InvalidInput
        If an argument is out of range, an answer is off the scale, or the budget does not hold the warm-up.
    InvalidData
        If an answer is not finite.
    NotEstimable
        If fewer than 2 arms have 2 answers, no answers vary, or judgments do not know where they came from.
    UnknownTerm
        If there is no facet of the name of ``cycle``.

    References
    ----------
    LLM-as-Judge on a Budget (2026), arXiv 2602.15481, Section 5.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> sd = np.repeat([0.2, 2.0], [150, 50])
    >>> pool = rng.normal(0, sd[:, None], (200, 30))
    >>> replay = simulate_allocation(pool, 20_000)
    >>> bool(replay.saved().low > 0.5)
    True
    >>> replay.sentence
    'ROBIN-HOOD needs ... of 20,000 calls for the largest error, ..., that uniform allocation ends with: ... saved ...'
    """
    asked = (policies,) if isinstance(policies, str) or not isinstance(policies, Iterable) else tuple(policies)
    unknown = next((name for name in asked if name not in POLICIES), None)
    if unknown is not None or not asked:
        got = "none" if not asked else f'"{unknown}"'
        raise InvalidInput(f"policies: some of {', '.join(POLICIES)}, got {got}")
    asked = tuple(name for name in POLICIES if name in asked)
    runs = rules.whole("runs", runs, 1, MOST_RUNS)
    arms = arms_of(judgments_or_pool, cycle)
    pools, each = arms.pools, arms.pools.parts
    budget = rules.whole("budget", budget, pools.arms * each, MOST)
    pulls = budget // each
    if ROBIN_HOOD in asked:
        tuned = affordable(variant, pools.arms, budget, delta, calls=each)
    else:
        tuned = constants(variant, pools.arms, pulls, delta)
    step = step_of(pools, scale, floor=floor)
    grid = grid_of(points, pools.arms, pulls, each, tuned)
    scores = None if human is None else human_scores(human, arms)
    adaptive = {ROBIN_HOOD: Adaptive(Rule(tuned.lam, step), forced(tuned))} if ROBIN_HOOD in asked else {}
    outcomes = Runs(pools, grid, runs, seed, human=scores).outcomes(asked, adaptive)
    notes = [*guess(pools, step if adaptive else None, scale)]
    if scores is not None:
        scored = scores[np.isfinite(scores)]
        few = f" With fewer than {_FEW_SCORED} arms they are largely chance." if len(scored) < _FEW_SCORED else ""
        notes.append(
            f"{len(scored):,} of {len(scores):,} arms have a human score; correlations are of their means.{few}"
        )
        if np.ptp(scored) == 0:
            notes.append(f"All human scores are {scored[0]:g}, so that there is no correlation with them.")
    drawn, held = pulls / pools.arms, float(pools.sizes.mean())
    said = [caveats.reused_answers(drawn, held)] if drawn > held else []
    if adaptive and runs > 1:
        own = outcomes[ROBIN_HOOD]
        average, error = own.bias.mean(), math.sqrt(own.variance.sum() / runs) / pools.arms
        worst = int(np.abs(own.bias).argmax())
        if abs(average) > _BEYOND * error:
            said.append(caveats.adaptive_means(average, error, own.bias[worst], arms.labels[worst], forced(tuned)))
    return Allocation(
        outcomes, grid * each, pools.mean, pools.variance, arms.labels, each, tuned, step, human is not None, runs,
        seed, (*arms.caveats, *said), (*notes, *runs_note(runs)),
    )  # fmt: skip


def step_of(pools: Pools, scale: Iterable[float] | None, *, floor: bool = True) -> float | None:
    """Smallest change of a pull, for the floor of variances; None without a floor, or where all answers are equal.

    Raises
    ------
    InvalidInput
        If the scale is no two numbers or more, or an answer is below or above all of it.
    """
    if scale is None:
        return pools.step if floor else None
    low, high, step = np.array(scales(scale, None, ())[0], dtype=float).tolist()
    values = pools.values[np.isfinite(pools.values)]
    off = values[(values < low) | (values > high)]
    if off.size:
        raise InvalidInput(f"scale: possible scores from {low:g} to {high:g}, but an answer is {off[0]:g}; widen it")
    return step / pools.parts if floor else None


def grid_of(points: int | Sequence[int], arms: int, pulls: int, each: int, tuned: Constants) -> Ints:
    """Pulls at the points of the curves: at least one of each arm, the end of the warm-up, and the whole budget.

    Parameters
    ----------
    points : int or sequence of int
        How many, or the calls spent at each.
    arms, pulls, each : int
        Arms, pulls in all, and calls of one pull.
    tuned : Constants
        Those of the warm-up.

    Raises
    ------
    InvalidInput
        If a point is out of range.
    """
    if not isinstance(points, (Sequence, np.ndarray)):
        count = rules.whole("points", points, 2, _MOST_POINTS)
        grid = np.linspace(max(arms, pulls / count), pulls, count).astype(np.int64)
        return np.unique(np.append(grid, min(tuned.warmup * arms, pulls)))
    grid = np.array(
        [rules.whole("points", point, arms * each, (pulls + 1) * each - 1) // each for point in points], dtype=np.int64
    )
    return np.unique(np.append(grid, pulls))


def guess(pools: Pools, step: float | None, scale: Iterable[float] | None) -> tuple[str, ...]:
    """What a floor took for granted where the scale was not declared."""
    if step is None or scale is not None:
        return ()
    apart = f"The floor of variances takes possible scores to be {step * pools.parts:.3g} apart"
    return (f"{apart}, the smallest gap between answers; declare the scale if others are possible.",)
