from __future__ import annotations

import pytest

from quorate.reporting import gaming_tables as tables


def test_one_row_per_design(surface):
    found = surface(prices={"call": 0.01})
    first, *_ = rows = tables.prizes(found)
    assert [row["design"] for row in rows] == [one.label for one in found.prizes]
    assert (first["prize"], first["calls"], first["price"]) == (found.prizes[0].value, 170, pytest.approx(1.7))
    assert first["low"] is None  # published components come without an interval


def test_changes_with_the_part_that_they_take_away(surface):
    found = surface()
    for row in tables.mitigation(found):
        assert row["share"] == pytest.approx(row["reduction"] / found.prizes[0].value)
        assert row["prize"] == pytest.approx(found.prizes[0].value - row["reduction"])


def test_other_numbers_of_attempts(surface):
    found = surface(k=12)
    rows = {(row["design"], row["attempts"]): row["prize"] for row in tables.attempts(found)}
    first = found.prizes[0]
    assert rows[first.label, 12] == pytest.approx(first.value)
    assert rows[first.label, 10] == pytest.approx(1.538753 * first.se, rel=1e-6)
    assert rows[first.label, 27] == pytest.approx(1.998269 * first.se, rel=1e-6)


def test_a_grid_of_prompts_and_judges(surface):
    cells = {(row["prompts"], row["judges"]) for row in tables.grid(surface())}
    assert cells == {(1, 1), (5, 1), (1, 3), (5, 3)}
    assert tables.grid(surface(designs=[{"judges": 1}, {"judges": 3}])) == []
    assert tables.grid(surface(designs=[{"prompts": 1, "judges": 1}, {"prompts": 2, "judges": 3}])) == []


def test_what_it_rests_on(surface):
    said = {row["what"]: row["value"] for row in tables.facts(surface())}
    assert said["largest of so many standard normals, on average"] == "1.998269"
    assert said["unit of prizes"] == "Elo points"
    assert tables.unit(surface(scale="score")) == "score units"
