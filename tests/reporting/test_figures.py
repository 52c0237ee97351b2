from __future__ import annotations

import pytest

from quorate.analysis.judgments import Analysis
from quorate.reporting import captions, figures, tables
from quorate.reporting.draw.marks import MOST_ROWS

MOST = {"means": MOST_ROWS**2, "frontier": 2000, "flagged": 20 + 20 * 61}
EVERYWHERE = ("intervals", "components", "per_judgment", "what_if", "single")


def drawings(analysis: Analysis):
    """Every figure that this analysis has, by name."""
    for name in EVERYWHERE:
        yield name, getattr(figures, name)(analysis)
    for facet in analysis.effects:
        yield f"effects {facet}", figures.effects(analysis, facet)
        if analysis.support.facts.answers < analysis.support.facts.rows:
            yield f"missing {facet}", figures.missing(analysis, facet)
    needs = {"means": "means", "leave_one_out": "leave_one_out", "by_category": "by_category"}
    for name, needed in {**needs, "frontier": "optimum", "flagged": "flags"}.items():
        if getattr(analysis, needed):
            yield name, getattr(figures, name)(analysis)
    if analysis.support.facts.crossings:
        yield "crossings", figures.crossings(analysis)


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
        assert 0 < len(values(chart)) <= MOST.get(name, MOST_ROWS), name


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
    from quorate.analysis.judgments import analyze_judgments

    tiny = analyze_judgments(q.read(table(items=3, judges=2, prompts=0, replicates=1)))
    scores, rows = tiny.support.facts.scores, values(figures.intervals(tiny))
    assert any(row["beyond_high"] for row in rows)
    assert all(scores.low <= row["shown_low"] <= row["shown_high"] <= scores.high for row in rows)


def test_many_levels_are_never_one_mark_each(shape):
    many = shape("many levels")
    assert len(values(figures.single(many))) == len(values(figures.effects(many, "judge"))) == MOST_ROWS
    assert len(values(figures.means(many))) == MOST_ROWS**2


def marks_of(chart) -> list[str]:
    return [layer["mark"]["type"] for layer in chart.to_dict()["layer"]]


def test_the_study_and_the_best_designs_are_named_on_the_frontier(demo):
    rows = [row for row in values(figures.frontier(demo)) if "text" in row]
    assert [row["place"] for row in rows] == ["as it is", "best at the same cost", "cheapest as precise"]
    assert marks_of(figures.frontier(demo))[:3] == ["point", "line", "point"]
    own, same_cost, same_se = rows
    assert same_cost["se"] < own["se"]
    assert same_se["cost"] < own["cost"]


def test_the_axis_of_prices_is_a_log_axis_in_the_unit_that_is_known(demo, shape):
    for analysis, title in ((demo, "price in USD (log scale)"), (shape("balanced"), "judgments in all (log scale)")):
        x = figures.frontier(analysis).to_dict()["layer"][0]["encoding"]["x"]
        assert (x["title"], x["scale"]["type"]) == (title, "log")


def test_no_two_changes_share_a_place(demo):
    """One row of the chart for each, whatever their standard errors."""
    rows = [row for row in values(figures.what_if(demo)) if "change" in row]
    assert len({row["change"] for row in rows}) == len(rows) == len(demo.what_if)
    assert [row["se"] for row in rows] == sorted(row["se"] for row in rows)


def test_every_pair_of_facets_is_drawn_and_its_words_can_be_read(shape):
    rows = values(figures.crossings(shape("unbalanced")))
    assert len(rows) == 6
    assert {row["layout"]: row["text"] for row in rows}["nested"] == "item in category"
    assert all(contrast(row["colour"], row["ink"]) >= 4.5 for row in rows)


def contrast(one: str, other: str) -> float:
    """Contrast of two colours after WCAG 2."""

    def luminance(colour: str) -> float:
        text = {"white": "#FFFFFF"}.get(colour, colour).lstrip("#")
        parts = [int(text[i : i + 2], 16) / 255 for i in (0, 2, 4)]
        red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_long_labels_on_an_axis_can_be_told_apart_and_read_in_full(table):
    import quorate as q
    from quorate.analysis.judgments import analyze_judgments

    names = tuple(f"vendor/a-model-with-a-very-long-name/{end}" for end in ("2026-thinking", "2026-fast", "2025"))
    found = analyze_judgments(q.read(table(prompts=0, labels=names), announce=False))
    rows = values(figures.effects(found, "judge"))
    assert len({row["level"] for row in rows}) == 3
    assert max(len(row["level"]) for row in rows) <= 34
    assert {row["in_full"] for row in rows} == set(names)
