from __future__ import annotations

import quorate as q
from quorate.plan.designs.sources import Design, from_components

SOURCE = q.components({"item": 1.0, "prompt": 0.1, "item:judge": 0.2}, sensitivity={"judge": 0.01})


def source(**targets):
    return from_components(SOURCE, Design(items=10, given={"prompt": 3, "judge": 2}, targets=targets))


def test_narrower_targets_have_fewer_facets_that_stand_for_others():
    [narrow] = source().narrower
    assert narrow.targets["prompt"] == "panel"
    assert narrow.targets["item"] == "population"
    assert source(prompt="panel").narrower == ()


def test_all_facets_are_drawn_but_those_of_which_only_the_levels_are_known():
    drawn = source(item="finite", prompt="panel").drawn
    assert (drawn.targets["item"], drawn.targets["prompt"]) == ("population", "population")
    assert drawn.targets["judge"] == "sensitivity"
