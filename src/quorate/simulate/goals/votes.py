"""Votes on everything that may be bought, drawn from shares, ties and how much judges agree."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from quorate import rules
from quorate.arrays import Floats, Ints
from quorate.decide.goals.goal import BestGoal, Offer, PreferGoal
from quorate.errors import InvalidInput
from quorate.frozen import dataclass
from quorate.roles import ITEM, JUDGE, PROMPT
from quorate.table.cells import Cells
from quorate.table.facets import Facet
from quorate.table.pairs import TIE, A, B, Codes
from quorate.table.votes import Votes

_VOTES = np.array([1.0, 0.0, 0.5])  # of the first system, by outcome


@dataclass(frozen=True)
class VoteLaw:
    """How votes come about, beside the share for one of two systems.

    Every battle has a verdict, drawn by the share of votes. A vote follows it with chance ``sqrt(icc)`` and is drawn by
    itself otherwise, so that any two votes on a battle, of people or of models, have the correlation ``icc``.

    Parameters
    ----------
    ties : float
        Share of votes that are ties, which count half for either system.
    icc : float
        Correlation of two votes on one battle, from 0 to 1.
    models : float, optional
        Share of votes for the first system that models give where they do not follow the verdict; as people unless
        given.

    Raises
    ------
    InvalidInput
        If a number is out of range.
    """

    ties: float = 0.0
    icc: float = 0.0
    models: float | None = None

    def __post_init__(self) -> None:
        for name in ("ties", "icc", "models"):
            value = getattr(self, name)
            if value is not None:
                rules.number(name, value, least=0, most=1)

    def chances(self, share: Floats) -> Floats:
        """Chances of a vote for the first system, for the second, and of a tie, by share; shape (3, ...).

        Raises
        ------
        InvalidInput
            If a share cannot be with so many ties.
        """
        share = np.asarray(share, dtype=float)
        half = self.ties / 2
        if np.any(share < half - 1e-12) or np.any(share > 1 - half + 1e-12):
            raise InvalidInput(
                f"effect: with {self.ties:g} of the votes ties, shares are from {half:g} to {1 - half:g}, so that the "
                f"distance from one half is at most {0.5 - half:g}"
            )
        return np.stack([share - half, 1 - half - share, np.full(share.shape, self.ties)])

    def variance(self, share: float) -> float:
        """Variance of one vote."""
        return vote_variance(self.chances(np.asarray(share)))


def vote_variance(chances: Floats) -> float:
    """Variance of a vote for the first system, by the chances of its outcomes."""
    return float(chances @ _VOTES**2 - (chances @ _VOTES) ** 2)


@dataclass(frozen=True, eq=False)
class VoteWorld:
    """Votes on everything on offer.

    Parameters
    ----------
    offer : Offer
        What may be bought.
    pairs : tuple of pairs of str
        The two systems of every item, in the order in which items are taken.
    outcome : array of int8, shape (items, prompts, judges)
        Votes: 0 for the first system, 1 for the second, 2 a tie.
    """

    offer: Offer
    pairs: tuple[tuple[str, str], ...]
    outcome: NDArray[np.int8]

    def nothing(self) -> NDArray[np.bool_]:
        """No votes, in the shape of the outcomes."""
        return np.zeros(self.outcome.shape, dtype=np.bool_)

    def asked(self, cells: Cells, before: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Votes that were given, with some more."""
        made = before.copy()
        none = np.zeros(len(cells), dtype=np.int64)
        made[tuple(cells.code(name) if name in cells.levels else none for name in (ITEM, PROMPT, JUDGE))] = True
        return made

    def judgments(self, made: NDArray[np.bool_]) -> Votes:
        """The table of the votes that were given."""
        item, _, judge = np.nonzero(made)
        models, sides = self._systems
        sides = sides[item]
        facets = (Facet(PROMPT, PROMPT, self.offer.item_order), Facet(JUDGE, JUDGE, self.offer.judge_order, fixed=True))
        codes = {PROMPT: item.astype(np.int32), JUDGE: judge.astype(np.int32)}
        swapped = np.zeros(len(item), dtype=np.bool_)
        return Votes(models, sides[:, 0], sides[:, 1], self.outcome[made], swapped, facets, codes)

    @cached_property
    def _systems(self) -> tuple[tuple[str, ...], Codes]:
        """All systems, and the places of the two of every item."""
        kinds, kind = _kinds(self.pairs)
        models = tuple(sorted({name for pair in kinds for name in pair}))
        return models, np.array([[models.index(name) for name in pair] for pair in kinds], dtype=np.int32)[kind]


def vote_world(
    goal: PreferGoal | BestGoal, offer: Offer, law: VoteLaw, effect: float, rng: np.random.Generator
) -> VoteWorld:
    """Votes drawn from a law.

    Parameters
    ----------
    goal : PreferGoal or BestGoal
        What is asked.
    offer : Offer
        What may be bought.
    law : VoteLaw
        How votes come about.
    effect : float
        Share of votes for ``a`` less a half; that of the best system, the first one, against each of the others, which
        are equal.
    rng : numpy.random.Generator
        For the draws.
    """
    if isinstance(goal, PreferGoal):
        best, pairs = goal.a, ((goal.a, goal.b),) * len(offer.items)
    else:
        pairs = tuple(offer.pairs[at] for at in offer.order)
        best = min(name for pair in pairs for name in pair)
    kinds, kind = _kinds(pairs)
    side = np.array([(pair[0] == best) - float(pair[1] == best) for pair in kinds])[kind]
    share = 0.5 + effect * side
    sizes = (len(pairs), max(len(offer.prompts), 1), len(offer.judges))
    verdict = _drawn(law.chances(share), rng, (len(pairs), 1, 1))
    human = np.isin(offer.judge_order, offer.people)
    own = share[:, None] if law.models is None else np.where(human, share[:, None], law.models)
    own = np.broadcast_to(own, (len(pairs), len(human)))
    alone = _drawn(law.chances(own)[:, :, None], rng, sizes)
    return VoteWorld(offer, pairs, np.where(rng.random(sizes) < np.sqrt(law.icc), verdict, alone))


def _kinds(pairs: Sequence[tuple[str, str]]) -> tuple[tuple[tuple[str, str], ...], Ints]:
    """Pairs of systems that occur, and which of them every item has."""
    place = {pair: at for at, pair in enumerate(dict.fromkeys(pairs))}
    return tuple(place), np.fromiter((place[pair] for pair in pairs), np.int64, len(pairs))


def _drawn(chances: Floats, rng: np.random.Generator, sizes: Sequence[int]) -> NDArray[np.int8]:
    """Outcomes by their chances, of shape (3, ...), one for each of a table of some sizes."""
    shape = (3, *chances.shape[1:], *(1 for _ in range(len(sizes) + 1 - chances.ndim)))
    first, second, _ = chances.reshape(shape)
    u = rng.random(tuple(sizes))
    return np.where(u < first, A, np.where(u < first + second, B, TIE)).astype(np.int8)
