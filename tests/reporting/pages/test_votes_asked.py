import numpy as np
import pytest
from tables import votes_table

import quorate as q
from quorate.reporting.pages.votes.asked import models_page, plan_page, sample_page, watched_page


def chart_of(page):
    (figure,) = page.sections[0].figures
    return figure, figure.chart and figure.chart()


def test_a_plan_draws_what_each_margin_takes():
    plan = q.votes.plan_votes(0.06, icc=0.1, cluster=3, budget=500)
    page = plan_page(plan)
    figure, chart = chart_of(page)
    assert figure.rows == plan.rows()
    assert [tile.value for tile in page.tiles] == [f"{plan.clustered.n:,}", "500", f"{plan.detectable:.3g}"]
    assert figure.caption.finding == "It takes 899 votes"
    assert chart["layer"]


def test_a_pilot_that_includes_no_difference_has_a_margin_without_a_number():
    figure, chart = chart_of(plan_page(q.votes.plan_votes(pilot=(24, 46))))
    assert [row["votes"] is None for row in figure.rows] == [False, False, True]
    assert "more than any number" in figure.caption.lines[-1]
    assert chart["layer"]


def test_a_plan_of_a_budget_alone_has_no_margins():
    assert plan_page(q.votes.plan_votes(budget=300)).sections == ()


@pytest.mark.parametrize(("kinds", "columns"), [(None, ["system", "battles", "reached"]), (["p", "p", "q"], None)])
def test_battles_of_a_pool_are_counted_by_system(kinds, columns):
    found = q.votes.sample_battles(["x", "x", "y"], ["y", "z", "z"], kinds, floor=2)
    figure, _ = chart_of(sample_page(found))
    assert [*figure.rows[0]] == (columns or ["system", "category", "battles", "reached"])
    assert ("by category" in found.sentence) == (kinds is not None)


def test_looks_have_their_sequence_and_the_last_comes_first():
    draw = np.random.default_rng(3)
    rows = [("x", "y", "model_a" if draw.random() < 0.55 else "model_b", f"p{k}") for k in range(300)]
    found = q.votes.monitor(votes_table(rows, "model_a model_b winner prompt"), "x", "y", cluster=())
    figure, chart = chart_of(watched_page(found))
    assert figure.rows[0]["votes"] == found.n[-1]
    assert len(figure.rows) <= 20 < len(found.n)
    assert figure.rows[0]["low"] == pytest.approx(0.5 + found.low[-1])
    assert chart["layer"]


def test_models_are_held_against_the_first():
    draw = np.random.default_rng(4)
    rows = [("x", "y", ("model_a", "model_b", "tie")[draw.integers(3)], f"p{k}") for k in range(120)]
    found = q.votes.models(votes_table(rows, "model_a model_b winner prompt"), folds=2)
    figure, chart = chart_of(models_page(found))
    assert [row["model"] for row in figure.rows] == [one.name for one in found.models]
    assert figure.caption.finding == f"{found.models[0].name} predicts best"
    assert chart["layer"]
