from __future__ import annotations

import pytest

import quorate as q


def test_one_drawn_facet_has_its_levels_less_one():
    assert q.project(q.components({"item": 1.0}), items=20).df == pytest.approx(19)


def test_judges_that_stand_for_themselves_take_up_items_in_turn():
    source = q.components({"item": 1.0, "item:judge": 0.5}, sensitivity={"judge": 0.1})
    plan = q.project(source, items=20, judges=4, layout="cyclic", targets={"judge": "panel"})
    assert plan.df == pytest.approx(20 - 4)


def test_judges_that_are_drawn_and_take_turns_tell_all_by_themselves():
    plan = q.project(q.components({"item": 1.0, "judge": 0.1}), items=20, judges=4, layout="cyclic")
    assert plan.df == pytest.approx(3)


def test_two_crossed_facets_by_hand():
    """Satterthwaite of ``(MS_i + MS_p - MS_ip) / N``: mean squares 0.75, 0.55 and 0.25 in units of N."""
    plan = q.project(q.components({"item": 5.0, "prompt": 0.9, "item:prompt": 7.5}), items=10, prompts=3)
    i, p, ip = 5 / 10 + 7.5 / 30, 0.9 / 3 + 7.5 / 30, 7.5 / 30
    assert plan.se**2 == pytest.approx(i + p - ip)
    assert plan.df == pytest.approx((i + p - ip) ** 2 / (i**2 / 9 + p**2 / 2 + ip**2 / 18))


def test_those_of_a_balanced_fit_are_those_of_its_mean_squares(simulate):
    fit = q.decompose(q.read(simulate({"item": 30, "prompt": 6}, seed=3), facets={"item": "item", "prompt": "prompt"}))
    item, prompt, rest = (fit.variance(name) for name in ("item", "prompt", "item:prompt + cell + replicate"))
    i, p, ip = item / 30 + rest / 180, prompt / 6 + rest / 180, rest / 180
    assert q.project(fit).df == pytest.approx((i + p - ip) ** 2 / (i**2 / 29 + p**2 / 5 + ip**2 / 145), rel=1e-6)
