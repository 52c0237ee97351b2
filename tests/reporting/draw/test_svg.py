from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from quorate.reporting.draw import marks
from quorate.reporting.draw.svg import Panel
from quorate.reporting.draw.vega import Marks, channel, layered


def drawn(*layers: Marks, width: int = 400, **properties) -> ET.Element:
    return ET.fromstring(Panel(layered(layers, **properties), width).svg("What it shows", alone=True))


def found(drawing: ET.Element, tag: str) -> list[ET.Element]:
    return list(drawing.iter(f"{{http://www.w3.org/2000/svg}}{tag}"))


def texts(drawing: ET.Element) -> list[str]:
    return [one.text or "" for one in found(drawing, "text")]


def places(elements: list[ET.Element], name: str) -> list[float]:
    return [float(one.attrib[name]) for one in elements]


ROWS = [{"judge": "a", "mean": 1.0, "low": 0.0, "high": 2.0}, {"judge": "b", "mean": 3.0, "low": 2.5, "high": 4.0}]
X = channel("mean:Q", title="mean", scale={"domain": [0, 4], "nice": False})


def base(rows=ROWS) -> Marks:
    return Marks(rows).encode(y=channel("judge:N", sort=None, title=None)).tall({"step": 20})


def test_an_interval_is_a_line_with_its_point_within():
    drawing = drawn(base().mark("rule").encode(x=marks.like(X, "low"), x2="high"), base().mark("point").encode(x=X))
    lines = [one for one in found(drawing, "line") if "stroke-opacity" not in one.attrib]
    points = found(drawing, "circle")
    assert len(lines) == len(points) == 2
    for line, point, row in zip(lines, points, ROWS, strict=True):
        start, end, middle = float(line.attrib["x1"]), float(line.attrib["x2"]), float(point.attrib["cx"])
        share = (row["mean"] - row["low"]) / (row["high"] - row["low"])
        assert middle == pytest.approx(start + share * (end - start), abs=0.1)
        assert line.attrib["y1"] == line.attrib["y2"] == point.attrib["cy"]


def test_rows_stand_below_each_other_by_their_step():
    assert places(found(drawn(base().mark("point").encode(x=X)), "circle"), "cy") == [10, 30]


def test_what_is_not_known_is_not_drawn():
    rows = [*ROWS, {"judge": "c", "mean": None}, {"judge": "d", "mean": float("nan")}]
    assert len(found(drawn(base(rows).mark("point").encode(x=X)), "circle")) == 2


def test_a_curve_goes_from_left_to_right_and_breaks_where_a_value_is_missing():
    rows = [{"n": n, "value": None if n == 2 else n / 10} for n in (4, 3, 2, 1, 0)]
    line = Marks(rows).mark("line").encode(x="n:Q", y="value:Q")
    (way,) = [one.attrib["d"] for one in found(drawn(line, height=100), "path") if one.attrib.get("fill") == "none"]
    parts = [part.split("L") for part in way.split("M")[1:]]
    assert [len(part) for part in parts] == [2, 2]
    across = [float(point.split()[0]) for part in parts for point in part]
    assert across == sorted(across)


def test_bars_of_one_name_stand_on_each_other():
    rows = [{"judge": "a", "part": part, "share": share} for part, share in (("bias", 0.25), ("noise", 0.5))]
    colours = {"domain": ["bias", "noise"], "range": ["#000000", "#FFFFFF"]}
    bar = (
        Marks(rows)
        .mark("bar")
        .encode(
            x="share:Q", y=channel("judge:N", sort=None), color=channel("part:N", scale=colours, legend={"title": None})
        )
    )
    drawing = drawn(bar, height={"step": 20})
    first, second = [one for one in found(drawing, "rect") if one.attrib.get("height") == "18"]
    assert float(second.attrib["x"]) == pytest.approx(float(first.attrib["x"]) + float(first.attrib["width"]), abs=0.2)
    assert float(second.attrib["width"]) == pytest.approx(2 * float(first.attrib["width"]), abs=0.2)
    assert {"bias", "noise"} <= set(texts(drawing))


def test_a_logarithmic_axis_has_ratios_as_distances():
    rows = [{"n": n, "value": 1.0} for n in (1, 10, 100)]
    scale = {"type": "log", "domain": [1, 100]}
    one, two, three = places(
        found(drawn(Marks(rows).mark("point").encode(x=channel("n:Q", scale=scale), y="value:Q"), height=90), "circle"),
        "cx",
    )
    assert two - one == pytest.approx(three - two, abs=0.11)


@pytest.mark.parametrize("width", [340, 720])
def test_nothing_stands_outside(width):
    """Words by a generous guess of their width, at the left and at the right."""
    rows = [{"judge": "a judge with quite a long name " * 2, "mean": 4.0, "text": "at the edge"}]
    words = base(rows).mark("text", align="left", dx=6).encode(x=X, text="text:N")
    panel = Panel(layered([base(rows).mark("point").encode(x=X), words]), width)
    drawing = ET.fromstring(panel.svg("", alone=True))
    assert panel.left <= 0.45 * width
    assert panel.left + panel.across <= width - 60
    assert any(text.endswith("\u2026") for text in texts(drawing))


def test_labels_on_a_phone_do_not_touch():
    scale = {"domain": [0, 50_000], "nice": False}
    tall = Marks([{"n": 1.0, "value": 1.0}]).mark("point").encode(x=channel("n:Q", scale=scale), y="value:Q")
    wide, narrow = (texts(drawn(tall, width=width, height=90)) for width in (720, 240))
    assert len(narrow) < len(wide)


def test_names_are_turned_where_there_is_no_room_for_them():
    rows = [{"judge": "a", "system": f"system {i}", "mean": float(i)} for i in range(12)]
    colour = channel("mean:Q", scale={"domain": [0, 11], "range": ["#000000", "#FFFFFF"]}, legend=None)
    fields = base(rows).mark("rect").encode(x=channel("system:N", sort=None, title=None), color=colour)
    drawing = drawn(fields)
    assert sum("rotate" in one.attrib.get("transform", "") for one in found(drawing, "text")) == 12
    assert [one.attrib["fill"] for one in found(drawing, "rect")][1:3] == ["#000000", "#171717"]


def test_many_points_that_nobody_points_at_are_one_path():
    rows = [{"x": float(i % 5), "y": float(i)} for i in range(500)]
    cloud = Marks(rows).mark("point", aria=False).encode(x="x:Q", y="y:Q", tooltip=["x:Q"])
    assert not found(drawn(cloud, height=100), "circle")


def test_a_pointer_finds_its_row():
    panel = Panel(layered([base().mark("point").encode(x=X, tooltip=["judge:N", "mean:Q"])]), 400)
    drawing = ET.fromstring(panel.svg("", alone=True))
    assert [one.attrib["data-t"] for one in found(drawing, "circle")] == ["0.0", "0.1"]
    assert panel.tips == {
        ("rows0", "judge", "mean"): {0: [("judge", "a"), ("mean", 1.0)], 1: [("judge", "b"), ("mean", 3.0)]}
    }


def test_it_says_what_it_shows():
    drawing = drawn(base().mark("point").encode(x=X))
    assert (drawing.attrib["role"], drawing.attrib["aria-label"]) == ("img", "What it shows")
