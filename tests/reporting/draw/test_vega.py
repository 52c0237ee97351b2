from __future__ import annotations

import altair as alt
import pytest

from quorate.reporting.draw.vega import Marks, channel, layered


@pytest.mark.parametrize("apart", [False, True])
def test_a_drawing_is_that_of_altair(apart):
    rows = [{"a": 1, "b": 2}]
    base = Marks(rows).encode(x="a:Q", tooltip=["b:Q"]).tall({"step": 9})
    other = Marks([{"a": 3}]).mark("rule").encode(x="a:Q") if apart else base.mark("rule")
    made = layered([base.mark("point", size=9).encode(y=channel("b:Q", title=None)), other], width=300)
    theirs = alt.Chart(alt.InlineData(values=tuple(rows))).encode(x="a:Q", tooltip=["b:Q"])
    line = alt.Chart(alt.InlineData(values=[{"a": 3}])).mark_rule().encode(x="a:Q") if apart else theirs.mark_rule()
    layers = [theirs.mark_point(size=9).encode(y=alt.Y("b:Q", title=None))]
    layers.append(line)
    own = alt.LayerChart(layer=layers, width=300, height=alt.Step(9)).to_dict()
    for spec in (made, own):
        for layer in spec["layer"]:
            name = layer.pop("data", spec.get("data"))["name"]
            layer["rows"] = list(spec["datasets"][name])
    assert made["layer"] == own["layer"]
    assert {name: made[name] for name in ("width", "height")} == {name: own[name] for name in ("width", "height")}


def test_rows_that_marks_share_are_there_once():
    base = Marks([{"a": 1}])
    made = layered([base.mark("point"), Marks([{"a": 2}]).mark("rule"), base.mark("rule")])
    assert len(made["datasets"]) == 2
    assert made["layer"][0]["data"] == made["layer"][2]["data"] != made["layer"][1]["data"]


def test_marks_stay_as_they_are():
    base = Marks([{"a": 1}]).encode(x="a:Q")
    base.mark("point").encode(y="a:Q").only(lambda row: row["a"] > 1).tall(3)
    assert base.rows == [{"a": 1}]
    assert base.parts == {"encoding": {"x": {"field": "a", "type": "quantitative"}}}
