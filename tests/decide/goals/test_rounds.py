"""Studies with a goal, from the pilot to the end."""

import numpy as np
import pytest

from quorate.decide.goals.goal import CompareGoal, Offer, Spent
from quorate.decide.goals.rounds import Ending, Look, look, pilot
from quorate.errors import InvalidInput
from quorate.table.judgments import OK, Facet, Judgments

GOAL = CompareGoal("x", "y", margin=0.3)
OFFER = Offer(
    items=tuple(f"i{n:03}" for n in range(200)),
    judges=("a", "b", "c"),
    prompts=("p", "q", "r"),
    systems=("x", "y"),
    calls=3000,
)


def answered(batches, gap):
    """Scores of all calls: items, and judges by items, differ; the systems by ``gap``."""
    rng = np.random.default_rng(5)
    levels = batches[0].levels
    codes = np.concatenate([cells.codes for cells in batches])
    own = rng.normal(0, 0.3, (200, 2, 1, 1)) + rng.normal(0, 0.3, (200, 2, 1, 3)) + rng.normal(0, 0.3, (200, 2, 3, 3))
    score = own[tuple(codes.T)] - gap * codes[:, 1]
    n, facets = np.ones(len(codes), int), tuple(Facet(name, name, levels[name], name == "judge") for name in levels)
    table = Judgments(facets, "item", "score", codes, n, score, np.zeros(len(n)), score, score, {OK: n})
    return table.keep(np.ones(len(n), bool))


def carried(gap):
    batches, past = [pilot(GOAL, OFFER)], []
    while True:
        spent = Spent(sum(map(len, batches)))
        found, cells = look(GOAL, OFFER, answered(batches, gap), past, spent)
        past.append(found)
        if found.ending:
            return batches, past
        batches.append(cells)


@pytest.mark.parametrize(("gap", "outcome"), [(0.5, "better"), (0.0, "equivalent")])
def test_a_study_ends_with_its_question_answered(gap, outcome):
    batches, past = carried(gap)
    assert past[-1].ending is Ending.REACHED
    assert past[-1].outcome == outcome
    assert sum(map(len, batches)) <= OFFER.calls
    assert [one.fraction for one in past] == sorted(one.fraction for one in past)
    asked = np.concatenate([np.column_stack([cells.codes, cells.replicate]) for cells in batches])
    assert len(np.unique(asked, axis=0)) == len(asked)  # nothing is bought twice
    assert all(len(cells) == one.buys.calls for cells, one in zip(batches[1:], past[:-1], strict=True))
    again = look(GOAL, OFFER, answered(batches, gap), past[:-1], Spent(sum(map(len, batches))))[0]
    assert again == past[-1]
    assert [Look.from_dict(one.to_dict()) for one in past] == past
    with pytest.raises(InvalidInput, match="ended the study"):
        look(GOAL, OFFER, answered(batches, gap), past, Spent(1))


def test_a_pilot_is_crossed_at_the_floors_and_must_be_paid_for():
    cells = pilot(GOAL, OFFER)
    assert len(cells) == 30 * 2 * 3 * 3
    assert set(cells.calls("judge").values()) == {180}
    with pytest.raises(InvalidInput, match="a pilot takes 540 calls"):
        pilot(GOAL, Offer(OFFER.items, OFFER.judges, OFFER.prompts, OFFER.systems, calls=500))
