"""A study with a goal, carried out."""

from __future__ import annotations

from quorate.decide.goals.goal import Spent
from quorate.decide.goals.rounds import look, pilot


def carried(goal, offer, answered):
    """Batches and looks from the pilot to the end; ``answered`` says what was answered to some batches."""
    batches, past = [pilot(goal, offer)], []
    while True:
        spent = Spent(sum(map(len, batches)), sum(float(offer.price(cells).sum()) for cells in batches))
        found, cells = look(goal, offer, answered(batches), past, spent)
        past.append(found)
        if found.ending:
            return batches, past
        batches.append(cells)
