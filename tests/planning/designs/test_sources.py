from __future__ import annotations

import pytest

import quorate as q
from quorate.planning.designs.sources import Design, from_components

SOURCE = q.components({"item": 1.0, "prompt": 0.1, "item:judge": 0.2}, sensitivity={"judge": 0.01})


def source(**targets):
    return from_components(SOURCE, Design(items=10, given={"prompt": 3, "judge": 2}, targets=targets))


def test_facets_stand_for_what_is_asked_of_them():
    found = source(prompt="panel")
    assert (found.targets["item"], found.targets["prompt"]) == ("population", "panel")
    assert found.targets["judge"] == "sensitivity"


def test_a_product_of_fixed_facets_is_divided_by_the_levels_of_all():
    jt = {"judge": 0.01, "temperature": 0.02, "judge:temperature": 0.11}
    found = q.components({"item": 0.25, "replicate": 0.16}, sensitivity=jt)
    both = q.project(found, items=50, judges=3, temperatures=2).variance
    assert both == pytest.approx(0.25 / 50 + 0.16 / 300 + 0.01 / 3 + 0.02 / 2 + 0.11 / 6)
    one = q.project(found, items=50, judges=3).variance  # at one temperature, which is a condition of the study
    assert one == pytest.approx(0.25 / 50 + 0.16 / 150 + 0.01 / 3)
