from __future__ import annotations

import math

import pytest

from quorate.analysis.panel import APART, PUBLISHED
from quorate.reporting import panel_captions, panel_tables
from quorate.reporting import panel_figures as figures
from quorate.reporting.draw.marks import MOST_ROWS
from quorate.reporting.draw.theme import palette

SEVERAL = ("panel", "panel, one response", "panel, many", "panel, hostile labels", "panel, incomplete")


def view_of(shape, name="panel"):
    return shape(name).judge_panel


def values(chart) -> list[dict[str, object]]:
    """Rows of the data, without those of the lines across."""
    spec = chart.to_dict()
    data = [*spec.get("datasets", {}).values(), spec.get("data", {}).get("values", [])]
    data += [layer.get("data", {}).get("values", []) for layer in spec["layer"]]
    found = [row for rows in data for row in rows if "at" not in row]
    return list({str(row): row for row in found}.values())


def scale(chart, channel: str) -> dict[str, object]:
    layers = [layer["encoding"].get(channel, {}).get("scale") for layer in chart.to_dict()["layer"]]
    return next(one for one in layers if one)


@pytest.mark.parametrize("name", SEVERAL)
@pytest.mark.parametrize("draw", ["bias", "rankings"])
def test_charts_of_several_systems_are_valid_and_titled_with_the_finding(shape, name, draw):
    chart = getattr(figures, draw)(view_of(shape, name))
    assert chart.to_dict()["title"]["text"] == getattr(panel_captions, draw)(view_of(shape, name)).finding
    assert values(chart)


def test_a_system_has_the_same_colour_and_shape_in_every_chart(shape):
    view = view_of(shape)
    one, other = (scale(draw(view), "color") for draw in (figures.bias, figures.rankings))
    at = dict(zip(one["domain"], one["range"], strict=True))
    assert dict(zip(other["domain"], other["range"], strict=True)).items() <= at.items()
    marks = [scale(draw(view), "shape") for draw in (figures.bias, figures.rankings)]
    assert (
        dict(zip(marks[1]["domain"], marks[1]["range"], strict=True)).items()
        <= dict(zip(marks[0]["domain"], marks[0]["range"], strict=True)).items()
    )
    assert len(set(one["range"])) == len(set(marks[0]["range"])) == 4


def test_points_are_the_numbers_of_the_table(shape):
    view = view_of(shape)
    drawn = {(row["judge"], row["system"]): row["bias"] for row in values(figures.bias(view))}
    assert drawn == {(row["judge"], row["system"]): row["bias"] for row in panel_tables.bias(view)}


def test_many_systems_make_a_table_of_colours(shape):
    for draw in (figures.bias, figures.rankings):
        chart = draw(view_of(shape, "panel, many"))
        assert [layer["mark"]["type"] for layer in chart.to_dict()["layer"]] == ["rect", "text"]
        low, middle, high = scale(chart, "color")["domain"]
        assert (low, middle) == (-high, 0)
        assert max(len(row["across"]) for row in values(chart)) <= 14
        assert len({row["across"] for row in values(chart)}) == 12


def test_judges_beyond_what_a_chart_shows_are_in_the_table(panel_table):
    import quorate as q
    from quorate.analysis.judgments import analyze_judgments

    view = analyze_judgments(
        q.read(panel_table(items=8, judges=60, systems=1, generations=1), announce=False)
    ).judge_panel
    assert len(values(figures.bias(view))) == MOST_ROWS < len(panel_tables.bias(view)) == 60


def test_judges_on_themselves_have_the_colour_of_judges(shape):
    rows = values(figures.preference(view_of(shape)))
    assert {row["colour"] for row in rows} == {palette(["item", "judge", "system", "generation"])["judge"]}
    assert len(rows) == 3


def test_components_are_side_by_side(shape):
    view = view_of(shape, "panel, interaction")
    chart = figures.components(view)
    assert scale(chart, "color")["domain"] == [APART, PUBLISHED]
    assert len(values(chart)) == len(panel_tables.components(view)) == 9
    assert "squared" in next(layer["encoding"]["x"]["title"] for layer in chart.to_dict()["layer"][1:])


def test_strategies_are_lines_on_log_axes_with_redrawn_studies_and_their_error(shape):
    chart = figures.strategies(view_of(shape))
    layers = chart.to_dict()["layer"]
    assert [layer["mark"]["type"] for layer in layers] == ["line", "rule", "point"]
    assert {layer["encoding"][axis]["scale"]["type"] for layer in layers for axis in "xy"} == {"log"}
    assert layers[0]["encoding"]["y"]["title"] == "standard error of the mean of score (score units)"
    rows = values(chart)
    assert {row["system"] for row in rows} == {"GPT"}
    assert len(rows) == 9
    for row in rows:
        assert row["high"] - row["low"] == pytest.approx(2 * row["error"])


def test_without_redrawn_studies_the_projected_values_are_marked(shape):
    layers = figures.strategies(view_of(shape, "panel, incomplete")).to_dict()["layer"]
    assert [layer["mark"]["type"] for layer in layers] == ["line", "point"]
    assert {layer["encoding"]["y"]["field"] for layer in layers} == {"se_like_these"}


@pytest.mark.parametrize(
    ("names", "room", "columns"),
    [(("a" * 30, "b" * 30), 280, 1), (("a", "b", "c"), 280, 3), (("a" * 10,) * 4, 190, 2), (("a" * 10,) * 4, 280, 2)],
)
def test_legends_fit_a_narrow_page(names, room, columns):
    series = figures.Series("system", names, ("#000000",) * len(names), ("circle",) * len(names), room)
    assert series.legend()["columns"] == columns


@pytest.mark.parametrize("colour", figures.COLOURS)
def test_colours_of_systems_are_seen_on_white_and_on_black(colour):
    for page in ("#ffffff", "#14181d"):
        high, low = sorted((luminance(colour), luminance(page)), reverse=True)
        assert (high + 0.05) / (low + 0.05) >= 3


def luminance(colour: str) -> float:
    """Relative luminance after WCAG 2."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else math.pow((part + 0.055) / 1.055, 2.4) for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
