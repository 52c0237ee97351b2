from __future__ import annotations

import pytest

import quorate as q
from quorate.analysis.words import significant
from quorate.reporting import gaming_figures as figures


def drawn(chart):
    import vl_convert

    out = vl_convert.vegalite_to_svg(chart.to_dict())
    assert "NaN" not in out
    return out


@pytest.mark.parametrize("name", ["prizes", "grid", "attempts", "mitigation"])
def test_charts(surface, name):
    assert "<svg" in drawn(getattr(figures, name)(surface()))


@pytest.mark.parametrize("name", ["prizes", "attempts", "mitigation"])
def test_charts_with_nothing_to_gain(surface, name):
    assert "<svg" in drawn(getattr(figures, name)(surface(k=1)))


def test_the_surface_names_every_prize(surface):
    found = surface()
    out = drawn(figures.grid(found))
    assert all(f">{significant(one.value)}</text>" in out for one in found.prizes)


def test_what_changes_cost_stands_beside_them(surface):
    out = drawn(figures.mitigation(surface()))
    assert ">no more calls</text>" in out
    assert ">+170 calls</text>" in out


def test_long_intervals_go_on(table):
    fit = q.decompose(q.read(table(judges=2, items=8), announce=False))
    assert "<svg" in drawn(figures.prizes(q.gaming(fit, 27, rng=1)))


def test_more_designs_than_lines(surface):
    many = surface(designs=[{"prompts": v, "judges": m} for v in range(1, 6) for m in range(1, 5)])
    assert (
        len(figures.attempts(many).to_dict()["layer"][0]["encoding"]["color"]["scale"]["domain"]) == figures.MOST_LINES
    )
    assert "<svg" in drawn(figures.attempts(many))
