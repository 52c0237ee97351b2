"""Scores so far: every look is the analysis of what had come by then; items decide once they are finished."""

import pytest
from under_way import scored

import quorate as q
from quorate.study.file import load
from quorate.table.arrived import sizes


def test_a_look_is_the_analysis_of_what_had_come_by_then(half, found):
    assert [look.n for look in found.looks] == list(sizes(60)) == [8, 11, 16, 22, 32, 45, 60]
    now = found.looks[-1]
    table = q.read(load(half).database, announce=False)
    panel = q.analyze(table, targets={"system": "panel"}, link="identity")
    mean = panel.setup
    assert (now.value, now.low, now.high) == pytest.approx((mean.value, *mean.at(0.95).ends))
    widths = [look.high - look.low for look in found.looks]
    assert widths[-1] < widths[2] / 1.5
    assert found.agreement[0].pairs == 12  # what both judges have scored so far
    assert found.status.finished == 60


def test_items_count_for_a_decision_once_they_are_finished(found):
    assert found.looks[0].units == 0
    assert not found.looks[0].always_low < 10
    assert found.looks[-1].units == 6  # of the second judge's 12 cells
    assert [found.verdicts, found.decisions[0].units] == [("Undecided between amber and basalt, after 6 items.",), 6]


@pytest.mark.slow
def test_a_study_that_is_done(tmp_path):
    done = q.interim(scored(tmp_path, calls=200, items=6))
    assert done.to_dict()["status"]["complete"]
    now = done.looks[-1]
    assert now.units == done.decisions[0].units == 6
    assert now.always_low < now.low < now.high < now.always_high  # deciding at any time takes more
