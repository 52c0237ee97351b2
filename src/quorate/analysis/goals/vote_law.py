"""Law of a goal of votes: shares, ties and how much judges agree, from the votes of a study."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats, Ints
from quorate.decide.goals.goal import BestGoal, PreferGoal
from quorate.errors import NotEstimable
from quorate.estimate.agreement.verdicts import VARIANT
from quorate.roles import JUDGE, PROMPT
from quorate.simulate.goals.votes import VoteLaw
from quorate.table.votes import Votes


class _Votes(NamedTuple):
    """A vote of every judge on every battle in every wording, both orders together."""

    value: Floats
    pair: Ints
    battle: Ints
    human: NDArray[np.bool_]


def law_of_votes(goal: PreferGoal | BestGoal, votes: Votes, people: Collection[str]) -> tuple[VoteLaw, float]:
    """How votes come about, and the margin for the first of two systems, or for the best against the nearest.

    The margin is that of people, where there are any among the judges. Votes of both orders of a pair are one vote, and
    its ties are those that give its variance: with the share ``s`` it is ``s (1 - s) - ties / 4``.

    Raises
    ------
    NotEstimable
        If there are no votes on the systems of the goal.
    """
    if isinstance(goal, PreferGoal):
        if not {goal.a, goal.b} <= set(votes.models):
            raise NotEstimable(f"{goal.a} and {goal.b} have no votes yet")
        votes = votes.pair(goal.a, goal.b)
    if not votes.n:
        raise NotEstimable("the systems have no votes yet")
    one = _collapsed(votes, people)
    kind = 2 * one.pair + one.human
    mean = (np.bincount(kind, one.value) / np.maximum(np.bincount(kind), 1))[kind]
    off = one.value - mean
    ties = float(np.clip(4 * np.mean(mean * (1 - mean) - off**2), 0.0, 1.0))
    voted = one.human if one.human.any() else ~one.human
    shares = np.bincount(one.pair[voted], one.value[voted]) / np.maximum(np.bincount(one.pair[voted]), 1)
    effect = float(shares[0] - 0.5) if isinstance(goal, PreferGoal) else _ahead(votes, shares - 0.5)
    limit = (1 - ties) / 2
    icc, effect = _icc(off, one.battle), float(np.clip(effect, -limit, limit))
    models = None
    if isinstance(goal, PreferGoal) and one.human.any() and not one.human.all() and icc < 1:
        follows = float(np.sqrt(icc))
        alone = (float(one.value[~one.human].mean()) - follows * (0.5 + effect)) / (1 - follows)
        models = float(np.clip(alone, ties / 2, 1 - ties / 2))
    return VoteLaw(ties, icc, models), effect


def _collapsed(votes: Votes, people: Collection[str]) -> _Votes:
    """Votes for the first of two systems, of which those of one judge on one battle in one wording are one."""
    value = 1 - votes.encoded("half")
    known = np.isfinite(value) & (votes.column(PROMPT) >= 0)
    pair = np.unique(np.column_stack([votes.model_a, votes.model_b])[known], axis=0, return_inverse=True)[1].reshape(-1)
    item = votes.column(PROMPT)[known].astype(np.int64)
    battle = np.unique(np.column_stack([pair, item]), axis=0, return_inverse=True)[1].reshape(-1)
    judge, wording = (
        votes.column(name)[known].astype(np.int64) if name in votes.names else np.zeros_like(item)
        for name in (JUDGE, VARIANT)
    )
    given = np.column_stack([battle, judge, wording])
    unit, first, code = np.unique(given, axis=0, return_index=True, return_inverse=True)
    code = code.reshape(-1)
    mean = np.bincount(code, value[known]) / np.bincount(code)
    names = votes.facet(JUDGE).levels if JUDGE in votes.names else ("",)
    human = np.isin(np.array(names, dtype=object), list(people))[unit[:, 1]]
    return _Votes(mean, pair[first], battle[first], human)


def _ahead(votes: Votes, margins: Floats) -> float:
    """Margin of the system that does best where it does worst, against the one that is nearest to it."""
    known = np.isfinite(votes.encoded("half")) & (votes.column(PROMPT) >= 0)
    pairs = np.unique(np.column_stack([votes.model_a, votes.model_b])[known], axis=0)
    worst = np.full(len(votes.models), np.inf)
    for (a, b), margin in zip(pairs.tolist(), margins.tolist(), strict=True):
        worst[a], worst[b] = min(worst[a], margin), min(worst[b], -margin)
    return float(worst[np.isfinite(worst)].max())


def _icc(off: Floats, battle: Ints) -> float:
    """Correlation of two votes on one battle, from 0 to 1: the mean product of two deviations, over their variance.

    Where every battle has one vote it is 0: nothing is known of it, nor does it matter.
    """
    total, square, count = (np.bincount(battle, part) for part in (off, off**2, np.ones(len(off))))
    twos, variance = float(np.sum(count * (count - 1))), float(np.mean(off**2))
    return float(np.clip(np.sum(total**2 - square) / twos / variance, 0.0, 1.0)) if twos and variance else 0.0
