from __future__ import annotations

import numpy as np

import quorate as q
from quorate.analysis.allocation import allocation_view, view_of
from quorate.reporting.allocation_section import allocation_facts, allocation_sections


def test_one_study_by_subject(replays):
    view = allocation_view(replays, 2000, only={"dimension": "clear"}, human="human", cycle="judge", sweep=True, runs=4)
    sections = allocation_sections(view)
    assert [section.name for section in sections] == ["saving", "arms", "human", "settings", "cycles"]
    names = [figure.name for section in sections for figure in section.figures]
    assert names == ["curve", "policies", "variances", "means", "profile", "human", "settings", "cycles"]
    assert sections[0].text[0].startswith("An arm is one item")
    found = view.studies[0].allocation
    assert {*found.why, *found.notes} < set(sections[0].text)
    assert found.notes[1].startswith("12 of 12 arms have a human score; correlations are of their means.")


def test_several_levels_each_with_its_section_and_names_of_its_own(replays):
    view = allocation_view(replays, 1200, by="dimension", runs=3)
    first, second = allocation_sections(view)
    assert first.text[0].startswith("No study of short: pool: every one")
    assert second.title == "dimension: clear"
    both = allocation_view(replays.only("dimension", "clear"), 600, by="judge", runs=20)
    assert allocation_sections(both)[0].title == "Levels of judge"
    names = [figure.name for section in allocation_sections(both) for figure in section.figures]
    assert len(names) == len(set(names)) == 11


def test_one_run_and_one_policy():
    pool = np.random.default_rng(1).normal(0, 1, (20, 20))
    view = view_of(q.simulate_allocation(pool, 1000, runs=1, policies="uniform"))
    names = [figure.name for section in allocation_sections(view) for figure in section.figures]
    assert names == ["curve", "policies", "variances", "means"]
    assert allocation_facts(view).rows[0]["value"] == "1,000 calls in 1 run, seed 1"


def test_human_scores_that_do_not_vary_are_a_table_alone(replays):
    view = allocation_view(replays, 1200, only={"dimension": "clear"}, human="same", runs=2)
    section = next(section for section in allocation_sections(view) if section.name == "human")
    assert section.figures[0].chart is None
    assert "not known" in section.figures[0].caption.finding
