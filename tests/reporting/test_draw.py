from __future__ import annotations

import math
import re
from importlib.resources import files
from xml.etree import ElementTree as ET

import altair as alt
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import (
    CORRECTED,
    KNOWN,
    MISSED,
    NAIVE,
    NOISE,
    OTHERS,
    SEQUENTIAL,
    Marks,
    channel,
    colour,
    kind,
    layered,
    palette,
)
from quorate.reporting.draw.scales import broken, wide
from quorate.reporting.draw.svg import Panel
from quorate.reporting.pages.panel.biases import DIVERGING


def row(value: float, low: float, high: float) -> dict[str, float]:
    return {"mean": value, "low": low, "high": high}


def test_an_interval_inside_the_window_is_drawn_whole():
    found = marks.drawn(row(1, 0.5, 1.5), (0, 2), "#000000")
    assert (found["shown_low"], found["shown_high"], found["beyond_low"], found["beyond_high"]) == (
        0.5,
        1.5,
        False,
        False,
    )


def test_an_unbounded_interval_ends_in_an_arrow():
    found = marks.drawn(row(1, 0, math.inf), (0, 2), "#000000")
    assert (found["shown_low"], found["shown_high"], found["beyond_low"], found["beyond_high"]) == (0, 2, False, True)


@pytest.mark.parametrize("end", [None, math.nan])
def test_no_interval_is_not_drawn(end):
    found = marks.drawn(row(1, end, end), (0, 2), "#000000")
    assert (found["shown_low"], found["beyond_high"]) == (None, False)


finite = st.floats(-1e6, 1e6)


@given(st.lists(st.tuples(finite, st.floats(0, 1e6)), min_size=1, max_size=9))
def test_a_window_holds_every_point(points):
    rows = [row(value, value - half, value + half) for value, half in points]
    low, high = marks.around(rows, "mean")
    assert all(low < one["mean"] < high for one in rows)


def test_one_very_long_interval_does_not_squash_the_others():
    rows = [row(0, -1, 1), row(1, 0, 2), row(2, -1000, 1000)]
    low, high = marks.around(rows, "mean")
    assert -12 < low < high < 12


def test_points_without_intervals_have_a_window():
    assert marks.around([row(1, math.nan, math.nan)], "mean", 0.0) == pytest.approx((-0.06, 1.06))


@pytest.mark.parametrize(
    ("points", "highs", "top"),
    [([1, 2], [3, math.inf], 3.15), ([1], [100], 2.625), ([0], [4], 4.2), ([0], [math.inf], 1)],
)
def test_a_window_from_zero(points, highs, top):
    assert marks.from_zero(points, highs) == pytest.approx((0, top))


def test_a_pointer_shows_the_row_without_what_draws_it():
    rows = [{"level": "a", "n": 1200, "mean": 0.5, "colour": "#000000"}]
    encoding = marks.chart(rows, marks.labels("level"), step=20).parts["encoding"]
    assert [(one["field"], one.get("format")) for one in encoding["tooltip"]] == [
        ("level", None),
        ("n", ","),
        ("mean", ".4~r"),
    ]


def test_a_chart_has_as_many_rows_as_fit():
    rows = [{"x": float(i)} for i in range(-100, 101)]
    assert [r["x"] for r in marks.furthest(rows, "x")][::49] == [-100, 100]
    assert len(marks.spread(rows)) == marks.MOST_ROWS
    assert marks.spread(rows)[-1]["x"] == 100
    assert marks.spread(rows[:3]) == rows[:3]


def test_a_label_that_is_cut_and_one_that_is_not_are_both_there_in_full():
    rows = [{"judge": "j" * 60, "value": 1.0}, {"judge": "short", "value": 2.0}]
    values = marks.chart(rows, marks.labels("judge"), step=20).rows
    assert [row["in_full"] for row in values] == ["j" * 60, "short"]
    assert values[1]["judge"] == "short"


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


@pytest.mark.parametrize(("step", "lines"), [(26, ["noise of one judgment,", "another asked again"]), (20, ["noise…"])])
def test_a_long_name_is_in_two_lines_where_its_row_has_room(step, lines):
    rows = [{"source": name, "share": 0.5} for name in ("item", "noise of one judgment, another asked again")]
    bars = marks.chart(rows, marks.labels("source"), step=step).mark("bar").encode(x="share:Q")
    said = [text for text in texts(drawn(bars, width=710)) if text.startswith(("noise", "another"))]
    assert [text[:5] + text[-1:] if text.endswith("…") else text for text in said] == lines


@given(st.text(st.characters(exclude_categories=("C", "Z")), min_size=20, max_size=80), st.floats(60, 220))
def test_a_name_in_two_lines_is_no_wider_than_its_room(text, room):
    assume(wide(text, 12) > room)
    assert max(wide(line, 12) for line in broken(text, room, 12)) <= room


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


STYLE = files("quorate.reporting").joinpath("print", "page.css").read_text(encoding="utf-8")
WHITE, DARK = "#ffffff", "#14181d"


def luminance(code: str) -> float:
    """Relative luminance of WCAG 2."""
    parts = [int(code[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(a: str, b: str) -> float:
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("colours", [SEQUENTIAL, DIVERGING])
def test_words_stand_out_from_every_shade(colours):
    scale = {"domain": [-1, 0, 1][-len(colours) :], "range": list(colours)}
    rows = marks.readable([{"mean": value / 50} for value in range(-50, 51)], "mean", scale)
    for row in rows:
        ground = marks.shade(row["mean"], scale["domain"], scale["range"])
        assert contrast(row["ink"], ground) >= 4
        assert contrast(row["ink"], ground) == pytest.approx(marks.contrast(row["ink"], ground))


@pytest.mark.parametrize("code", sorted({CORRECTED, NAIVE, MISSED, NOISE, *KNOWN.values(), *OTHERS}))
@pytest.mark.parametrize("page", [WHITE, DARK])
def test_every_colour_stands_out_in_light_and_dark(code, page):
    assert contrast(code, page) >= 3 or (code == CORRECTED and page == DARK)


def test_blue_is_lighter_in_the_dark():
    lighter = re.findall(rf'="{CORRECTED}"\] {{ (?:stroke|fill): (#\w+); }}', STYLE)
    assert len(lighter) == 2
    assert all(contrast(code, DARK) >= 4 for code in lighter)


@pytest.mark.parametrize("theme", re.findall(r":root \{[^}]*\}", STYLE)[:2], ids=["light", "dark"])
def test_text_is_readable(theme):
    named = dict(re.findall(r"--(\w+): (#\w+);", theme))
    for text in ("text", "quiet", "accent", "warn"):
        assert min(contrast(named[text], named[ground]) for ground in ("page", "panel")) >= 4.5


def test_a_facet_has_one_colour():
    facets = ("item", "language", "judge", "order")
    assert colour("judge", facets) == colour("item:judge", facets) == palette(facets)["judge"]
    assert colour("language", facets) == palette(facets)["language"]
    assert len({colour(name, facets) for name in facets}) == 4
    assert colour("item + item:judge", facets) == colour("item", facets)
    assert colour("cell", facets) == colour("replicate[x]", facets) == NOISE


def test_kinds():
    assert [kind(name) for name in ("judge", "item:judge", "item:prompt + cell", "cell[x]", "cell + replicate")] == [
        "main",
        "interaction",
        "interaction",
        "noise",
        "noise",
    ]


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
