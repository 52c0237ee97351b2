from __future__ import annotations

import re

from charts import drawn

from quorate.reporting.draw.marks import MOST_ROWS
from quorate.reporting.pages.judgments.people import single, single_section


def test_single_configurations_come_by_their_mean(demo):
    rows = single(demo).rows
    assert len(rows) == 15
    assert sum(row["naive_misses"] for row in rows) == sum(one.misses for one in demo.naive.single)
    assert [row["mean"] for row in rows] == sorted(row["mean"] for row in rows)


def test_configurations_are_named_by_what_differs(shape):
    assert {row["configuration"] for row in single(shape("one judge")).rows} == {"prompt 0", "prompt 1"}


def test_how_many_configurations_would_have_missed(demo):
    misses = sum(one.misses for one in demo.naive.single)
    finding = f"{misses} of 15 single configurations would have missed the mean of all"
    assert single(demo).caption.finding == finding


def test_of_many_evenly_spaced_ones_are_shown(shape):
    figure = single(shape("many levels"))
    assert len(drawn(figure)) == MOST_ROWS
    assert re.match(r"And 2,755 more: evenly spaced", figure.caption.lines[-1])


def test_one_configuration_is_said(shape):
    assert "one configuration" in " ".join(single_section(shape("items only")).text)
