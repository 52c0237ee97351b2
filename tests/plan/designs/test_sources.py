from __future__ import annotations

import quorate as q
from quorate.plan.designs.sources import Design, from_components

SOURCE = q.components({"item": 1.0, "prompt": 0.1, "item:judge": 0.2}, sensitivity={"judge": 0.01})


def source(**targets):
    return from_components(SOURCE, Design(items=10, given={"prompt": 3, "judge": 2}, targets=targets))


def test_facets_stand_for_what_is_asked_of_them():
    found = source(prompt="panel")
    assert (found.targets["item"], found.targets["prompt"]) == ("population", "panel")
    assert found.targets["judge"] == "sensitivity"
