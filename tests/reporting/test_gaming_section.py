from __future__ import annotations

from dataclasses import replace

from quorate.reporting.gaming_section import gaming_facts, gaming_sections


def test_prizes_then_changes_then_attempts(surface):
    prizes, changes, attempts = gaming_sections(surface())
    assert [one.name for one in prizes.figures] == ["prizes", "surface"]
    assert [one.name for one in changes.figures] == ["mitigation"]
    assert [one.name for one in attempts.figures] == ["attempts"]


def test_designs_that_are_no_grid_have_no_surface(surface):
    prizes, *_ = gaming_sections(surface(designs=[{"judges": 1}, {"judges": 2}]))
    assert [one.name for one in prizes.figures] == ["prizes"]


def test_without_changes_it_is_said(surface):
    _, changes, _ = gaming_sections(replace(surface(), mitigation=()))
    assert changes.figures == ()
    assert changes.text[0].startswith("The data leave the effect of every change")


def test_what_is_played(surface):
    assert gaming_facts(surface()).rows[0] == {"what": "attempts", "value": 27}
