from __future__ import annotations

import pytest

from quorate.analysis.reach import within_reach
from quorate.errors import NotEstimable


def test_judges_that_are_all_that_matters_stay_as_they_are(demo):
    best = within_reach(demo.fit, demo.panel.target, None)
    assert {plan.design["judge"] for plan in best.frontier} == {3}


def test_it_is_at_least_as_good_as_the_study_at_its_price(demo):
    best = demo.optimum
    assert best.plan.se <= best.own.se
    assert best.plan.cost <= best.own.cost
    assert best.same_se.cost <= best.own.cost


def test_prices_are_those_given(demo):
    best = within_reach(demo.fit, demo.headline.target, {"call": 0.5})
    assert best.own.cost == 0.5 * best.own.calls


def test_every_shape_has_designs_or_a_reason(analysis):
    assert (analysis.optimum is None) == bool(analysis.optimum_reason)


def test_what_the_data_do_not_determine_is_refused(shape, monkeypatch):
    def nothing(*_, **__):
        raise NotEstimable("these data do not say")

    monkeypatch.setattr("quorate.plan.search.optimize.optimize", nothing)
    with pytest.raises(NotEstimable):
        within_reach(shape("balanced").fit, shape("balanced").headline.target, None)
