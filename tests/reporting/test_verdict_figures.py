from __future__ import annotations

import pytest

import quorate as q
from quorate.reporting import verdict_figures as figures


def drawn(chart):
    import vl_convert

    out = vl_convert.vegalite_to_svg(chart.to_dict())
    assert "NaN" not in out
    return out


@pytest.mark.parametrize("margin", [None, 0.04])
def test_the_difference_with_what_counts_as_equal(ballots, rated, margin):
    for found in (
        q.compare(ballots(), "a", "b", margin=margin),
        q.compare(rated(), "system 0", "system 1", margin=margin),
    ):
        out = drawn(figures.intervals(found))
        assert out.count("stroke-dasharray") == (1 if margin is None else 3)


def test_hostile_names_are_drawn(ballots, hostile):
    assert "<img" not in drawn(figures.intervals(q.compare(ballots(hostile), hostile[0], hostile[1])))


def test_sources(rated):
    assert ">judge</text>" in drawn(figures.sources(q.compare(rated(), "system 0", "system 1")))
