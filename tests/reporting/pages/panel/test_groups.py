from __future__ import annotations

import pytest
from charts import drawn

import quorate as q
from quorate.analysis.panel import PanelAnalysis
from quorate.reporting.pages.panel.page import means as groups_means
from quorate.reporting.pages.panel.page import page
from quorate.reporting.pages.panel.page import panels as groups_panels
from quorate.reporting.pages.panel.page import variances as groups_variances


@pytest.fixture
def view(shape):
    table = shape("panel").judge_panel.panel.judgments
    tiers = {name: "dear" if i < 2 else "cheap" for i, name in enumerate(table.facet("judge").levels)}
    return PanelAnalysis(q.judges(table, group=tiers, resamples=100))


def test_three_exhibits_of_groups_have_the_numbers_of_the_panel(view):
    names = [figure.name for figure in page(view).sections[0].figures]
    assert [name for name in names if "group" in name] == [
        "panel-groups",
        "panel-group-variances",
        "panel-group-panels",
    ]
    assert "Each group of judges was fitted by itself" in page(view).methods
    means, variances, panels = (make(view) for make in (groups_means, groups_variances, groups_panels))
    overall = {row["group"]: row["bias"] for row in means.rows if not row["system"]}
    assert overall == {one.judge: one.bias for one in view.panel.group_bias.overall}
    first = view.panel.groups[view.order[0]]
    assert [row["se"] for row in variances.rows[:2]] == [one.se for one in first.variances]
    assert [row["precision"] for row in panels.rows[:4]] == [one.precision for one in first.panels]
    assert panels.caption.finding.startswith("For the same money, judges of ")
    for figure in (means, panels):
        assert drawn(figure)


def test_no_exhibits_without_groups(shape):
    view = shape("panel").judge_panel
    assert (groups_means(view), groups_variances(view), groups_panels(view)) == (None, None, None)
