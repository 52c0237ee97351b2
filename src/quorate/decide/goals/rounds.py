"""Rounds: a study that states a goal buys a pilot, looks, buys what is needed, and stops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from quorate.decide.goals.best import Elimination
from quorate.decide.goals.compare import Comparison
from quorate.decide.goals.favourite import Favourite
from quorate.decide.goals.goal import BestGoal, CompareGoal, Goal, HalfWidthGoal, PreferGoal, StagedGoal
from quorate.decide.goals.half_width import Precision
from quorate.decide.goals.look import Ending, Look
from quorate.decide.goals.offer import Offer, Spent
from quorate.decide.goals.parts import Parts, has_parts
from quorate.decide.goals.pursuit import Pursuit
from quorate.decide.goals.stages import TwoStages
from quorate.decide.goals.votes import Preference
from quorate.errors import InvalidInput
from quorate.table.cells import Cells
from quorate.table.judgments import Judgments
from quorate.table.votes import Votes

__all__ = ["Ending", "Look", "look", "method", "pilot"]


def pilot(goal: Goal, offer: Offer) -> Cells:
    """The first calls: a small crossed study from which the components are estimated.

    Of scores thirty items, three prompts and, where judges stand for others, three of them, as far as there are so
    many; where judges stand for themselves, all of them. Three answers per cell where a plan may have several. Of a
    goal with parts, such as categories, so many items of each. Of votes fifty battles, with a vote of a person and of
    every model; of several systems fifty of each, and twenty of each pair at least; in two stages so many of every
    type.

    Parameters
    ----------
    goal : CompareGoal, HalfWidthGoal, BestGoal, PreferGoal or StagedGoal
        What is asked.
    offer : Offer
        What may be bought.

    Raises
    ------
    InvalidInput
        If the budget does not pay for it.
    """
    if (votes := of_votes(goal, offer)) is not None:
        return votes.pilot()
    cells = method(goal, offer).pilot()
    if len(offer.affordable(cells, Spent(0))) < len(cells):
        raise InvalidInput(f"budget: a pilot takes {len(cells):,} calls, which is more than it pays for; raise it")
    return cells


def look(
    goal: Goal, offer: Offer, judgments: Judgments | Votes, past: Sequence[Look], spent: Spent
) -> tuple[Look, Cells]:
    """One analysis of all judgments so far, and the calls that are bought next; none at the end.

    The same arguments give the same answer, so that a study that was interrupted decides as it would have done.

    Parameters
    ----------
    goal : CompareGoal, HalfWidthGoal, BestGoal, PreferGoal or StagedGoal
        What is asked.
    offer : Offer
        What may be bought.
    judgments : Judgments or Votes
        All so far, once everything that was bought has come in or failed.
    past : sequence of Look
        The looks before, in their order.
    spent : Spent
        What was spent by now.

    Raises
    ------
    InvalidInput
        If the last look ended the study.
    NotEstimable
        If the judgments say nothing about the goal.
    """
    if past and past[-1].ending is not None:
        raise InvalidInput(f"past: look {past[-1].number} ended the study; there is nothing to buy")
    if (votes := of_votes(goal, offer)) is not None:
        if not isinstance(judgments, Votes):
            raise InvalidInput(f"judgments: votes are needed for this goal, got {type(judgments).__name__}")
        return votes.look(judgments, past, spent)
    if not isinstance(judgments, Judgments):
        raise InvalidInput(f"judgments: scores are needed for this goal, got {type(judgments).__name__}")
    return method(goal, offer).look(judgments, past, spent)


def of_votes(goal: Goal, offer: Offer) -> Preference | TwoStages | Favourite | None:
    """How a goal of votes is pursued; None of another one."""
    if isinstance(goal, PreferGoal):
        return Preference(goal, offer)
    if isinstance(goal, StagedGoal):
        return TwoStages(goal, offer)
    return Favourite(goal, offer) if isinstance(goal, BestGoal) and offer.pairs else None


def method(goal: Goal, offer: Offer) -> Pursuit[Any, Any] | Parts:
    """How a goal of scores is pursued.

    Raises
    ------
    InvalidInput
        If the offer has not the systems that it takes.
    """
    if isinstance(goal, CompareGoal):
        if missing := [name for name in (goal.a, goal.b) if name not in offer.systems]:
            raise InvalidInput(f"goal: no system {missing[0]!r} is on offer; there are {', '.join(offer.systems)}")
        return Parts(goal, offer) if has_parts(goal, offer) else Comparison(goal, offer)
    if isinstance(goal, BestGoal):
        if len(offer.systems) < 2:
            raise InvalidInput(f"goal: the best of two or more systems is meant, got {len(offer.systems)}")
        return Elimination(goal, offer)
    if isinstance(goal, HalfWidthGoal):
        return Parts(goal, offer) if has_parts(goal, offer) else Precision(goal, offer)
    raise InvalidInput(f"goal: expects a goal of scores, got {type(goal).__name__}")
