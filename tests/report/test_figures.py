from __future__ import annotations

import pytest

from quorate.report import captions, figures, tables
from quorate.report.marks import MOST_ROWS
from quorate.report.summary import Analysis

EVERYWHERE = ("intervals", "components", "per_judgment", "what_if", "single")


def drawings(analysis: Analysis):
    """Every figure that this analysis has, by name."""
    for name in EVERYWHERE:
        yield name, getattr(figures, name)(analysis)
    for facet in analysis.effects:
        yield f"effects {facet}", figures.effects(analysis, facet)
        if analysis.support.facts.answers < analysis.support.facts.rows:
            yield f"missing {facet}", figures.missing(analysis, facet)
    for name in ("means", "leave_one_out", "by_category"):
        if getattr(analysis, name):
            yield name, getattr(figures, name)(analysis)


def values(chart) -> list[dict[str, object]]:
    """Rows of the layers' data, without those of the lines across."""
    data = [{"values": rows} for rows in chart.to_dict().get("datasets", {}).values()]
    data += [layer.get("data", {}) for layer in chart.to_dict()["layer"]] + [chart.to_dict().get("data", {})]
    found = [row for one in data for row in one.get("values", []) if "at" not in row]
    return list({tuple(row.items()): row for row in found}.values())


def test_every_figure_of_every_shape_is_valid_and_small(analysis):
    for name, chart in drawings(analysis):
        spec = chart.to_dict()  # checked against the schema of Vega-Lite
        assert spec["title"]["text"], name
        assert 0 < len(values(chart)) <= (MOST_ROWS if name != "means" else MOST_ROWS**2), name


def test_titles_are_the_findings(demo):
    assert figures.components(demo).to_dict()["title"]["text"] == captions.components(demo).finding


@pytest.mark.parametrize("name", EVERYWHERE)
def test_axes_have_titles(demo, name):
    encodings = [layer["encoding"] for layer in getattr(figures, name)(demo).to_dict()["layer"]]
    assert any(encoding.get("x", {}).get("title") for encoding in encodings)


def test_points_are_the_numbers_of_the_table(demo):
    drawn = {row["interval"]: row["mean"] for row in values(figures.intervals(demo))}
    assert drawn == {row["interval"]: row["mean"] for row in tables.intervals(demo)}


def test_a_facet_has_one_colour_in_all_figures(demo):
    colours = {row["colour"] for row in values(figures.effects(demo, "judge"))}
    component = next(row for row in values(figures.components(demo)) if row["component"] == "judge")
    assert colours == {component["colour"]}


def test_an_interval_beyond_the_axis_ends_in_an_arrow(demo):
    judge = next(row for row in values(figures.components(demo)) if row["component"] == "judge")
    assert judge["beyond_high"]
    assert judge["shown_high"] < judge["high"]


def test_a_mean_is_not_shown_beyond_the_scores(table):
    import quorate as q
    from quorate.report.summary import analyze

    tiny = analyze(q.read(table(items=3, judges=2, prompts=0, replicates=1)))
    scores, rows = tiny.support.facts.scores, values(figures.intervals(tiny))
    assert any(row["beyond_high"] for row in rows)
    assert all(scores.low <= row["shown_low"] <= row["shown_high"] <= scores.high for row in rows)


def test_many_levels_are_never_one_mark_each(shape):
    many = shape("many levels")
    assert len(values(figures.single(many))) == len(values(figures.effects(many, "judge"))) == MOST_ROWS
    assert len(values(figures.means(many))) == MOST_ROWS**2
