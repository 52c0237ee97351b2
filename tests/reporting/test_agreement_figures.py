from __future__ import annotations

from dataclasses import replace

import pytest

from quorate.analysis.agreement import AgreementView
from quorate.reporting import agreement_figures as figures


def drawn(chart):
    import vl_convert

    out = vl_convert.vegalite_to_svg(chart.to_dict())
    assert "NaN" not in out
    return out


@pytest.mark.parametrize("name", ["rates", "categories", "differences", "positions", "cells"])
def test_charts_are_drawn(agreed, name):
    out = drawn(getattr(figures, name)(agreed()))
    assert "careful" in out


def test_all_cells_have_their_label(agreed):
    out = drawn(figures.cells(agreed()))
    for judge in ("careful", "hasty"):
        for order in ("as listed", "swapped"):
            assert f">{judge}, {order}<" in out


def test_nothing_is_drawn_of_nothing(agreed):
    view = AgreementView(replace(agreed().found, differences=()))
    assert figures.differences(view) is None
    assert figures.positions(view) is None
    assert figures.cells(view) is None
