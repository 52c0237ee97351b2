from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from quorate.reporting.page import Caption, Figure, Section


def test_a_figure_is_a_table_unless_it_has_a_chart():
    figure = Figure("means", Caption("Means are alike", ()), [{"mean": 1.0}])
    assert (figure.chart, figure.headers, figure.folded, figure.unfolded) == (None, {}, False, False)


def test_a_section_is_not_changed_once_made():
    section = Section("panel", "The panel", ("text",), ())
    with pytest.raises(FrozenInstanceError):
        section.title = "Another"
