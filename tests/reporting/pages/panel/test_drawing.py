from __future__ import annotations

import pytest
from charts import contrast

from quorate.reporting.pages.panel.biases import COLOURS, Series, axis, headers


def test_axes_have_units(shape):
    assert axis(shape("panel").judge_panel, "mean of") == "mean of score (score units)"


def test_heads_name_the_level(shape):
    assert headers(shape("panel").judge_panel)["low"] == "low, 95%"


@pytest.mark.parametrize(
    ("names", "room", "columns"),
    [(("a" * 30, "b" * 30), 280, 1), (("a", "b", "c"), 280, 3), (("a" * 10,) * 4, 190, 2), (("a" * 10,) * 4, 280, 2)],
)
def test_legends_fit_a_narrow_page(names, room, columns):
    series = Series("system", names, ("#000000",) * len(names), ("circle",) * len(names), room)
    assert series.legend()["columns"] == columns


@pytest.mark.parametrize("colour", COLOURS)
def test_colours_of_systems_are_seen_on_white_and_on_black(colour):
    assert min(contrast(colour, page) for page in ("#ffffff", "#14181d")) >= 3
