"""Systems that drop out once another is shown to be better."""

import numpy as np
import pytest

from quorate.decide.goals.goal import BestGoal, Offer, Spent
from quorate.decide.goals.look import UNDECIDED
from quorate.decide.goals.rounds import Elimination
from quorate.estimate.components.published import components
from quorate.simulate.crossed import draw_judgments


@pytest.mark.parametrize(("ahead", "left"), [((0.5, 0.5, -3.0), 2), ((3.0, 0.0, -1.0), 1)])
def test_what_is_shown_to_be_worse_is_asked_no_more(ahead, left):
    law = components({"item": 0.3, "system:item": 0.1, "cell": 0.2}, sensitivity={"judge": 0.0, "system": 0.0})
    effects = {"system": np.array(ahead)}
    table = draw_judgments(law, levels={"item": 30, "system": 3, "judge": 2}, effects=effects, rng=1)
    names = {name: tuple(table.facet(name).levels) for name in table.names}
    items = (*names["item"], *(f"more {n}" for n in range(300)))
    offer = Offer(items, names["judge"], systems=names["system"], calls=4000)
    found, cells = Elimination(BestGoal(), offer).look(table, [], Spent(180))
    assert len(found.systems) == left
    if left == 1:
        assert (found.outcome, found.ending) == (names["system"][0], "reached")
    else:
        assert found.outcome == UNDECIDED
        assert set(np.unique(cells.column("system"))) == set(names["system"][:2])
        assert Elimination(BestGoal(), offer).alpha == pytest.approx(0.025)
