from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from quorate.analysis.votes import votes_view
from quorate.reporting import votes_figures as figures
from quorate.table.read_votes import read_votes


@pytest.fixture(scope="module")
def view():
    """Three systems: x is far behind, y and z are nearly tied; votes of a prompt come in twos that agree."""
    rows = [
        (a, b, b if i // 2 % 10 < wins else a, f"p{i // 2}")
        for a, b, wins in (("x", "y", 8), ("y", "z", 5), ("x", "z", 8))
        for i in range(400)
    ]
    frame = pl.DataFrame(rows, schema=["model_a", "model_b", "winner", "prompt"], orient="row")
    return votes_view(read_votes(frame, announce=False))


@pytest.mark.parametrize("name", ["margins", "decided", "equal", "dependence"])
def test_charts_are_drawn(view, name):
    import vl_convert

    drawn = vl_convert.vegalite_to_svg(getattr(figures, name)(view).to_dict())
    assert "<svg" in drawn
    assert "NaN" not in drawn


def test_early_and_later_margins_are_drawn_with_what_changed(view):
    import vl_convert

    changed = replace(view.stability, drift_p=np.array([0.001, 0.5, 0.5]))
    spec = figures.drift(changed).to_dict()
    assert "NaN" not in vl_convert.vegalite_to_svg(spec)
    (rows,) = [data for data in _data(spec) if "which" in data[0]]
    assert [row["which"] for row in rows] == [figures.CHANGED, figures.SAME, figures.SAME]


def test_the_band_and_both_curves_are_there(view):
    spec = figures.decided(view).to_dict()
    assert [layer["mark"]["type"] for layer in spec["layer"]] == ["area", "line", "point"]
    laws = [{row["law"] for row in data if "law" in row} for data in _data(spec)]
    assert max(map(len, laws)) == 2
    assert spec["layer"][0]["encoding"]["x"]["scale"]["type"] == "log"


def _data(spec):
    return spec.get("datasets", {}).values() or [
        part["data"]["values"] for part in (spec, *spec["layer"]) if "data" in part
    ]
