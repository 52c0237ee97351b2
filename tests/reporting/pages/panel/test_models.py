from __future__ import annotations

import pytest
from charts import drawn, scale, spec

from quorate.analysis.panel import APART, PUBLISHED, promised
from quorate.analysis.words import significant
from quorate.reporting.pages.panel.page import components


def test_components_are_there_where_the_models_disagree_only(shape):
    assert components(shape("panel, one system").judge_panel) is None
    rows = components(shape("panel, interaction").judge_panel).rows
    found = {(row["component"], row["model"]): row["variance"] for row in rows}
    assert found["item × judge", APART] == pytest.approx(1.44, rel=0.3)
    assert ("item × judge", PUBLISHED) not in found
    assert found["generation", PUBLISHED] < 0 < found["generation", APART]


def test_components_say_what_changes(shape):
    view = shape("panel, interaction").judge_panel
    caption, found = components(view).caption, promised(view.panel.crossed["all"])
    assert caption.finding.startswith("With item × judge set apart, the ")
    assert "n = 30 items × 4 generations × 4 judges" in caption.lines[0]
    published, apart = (significant(found[name]) for name in (PUBLISHED, APART))
    assert f"a standard error of {published} by the published model, of {apart} by the other." in caption.lines[1]


def test_components_are_side_by_side(shape):
    figure = components(shape("panel, interaction").judge_panel)
    assert scale(figure, "color")["domain"] == [APART, PUBLISHED]
    assert len(drawn(figure)) == len(figure.rows) == 9
    assert "squared" in next(layer["encoding"]["x"]["title"] for layer in spec(figure)["layer"][1:])
