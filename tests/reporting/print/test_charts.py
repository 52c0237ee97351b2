from __future__ import annotations

import struct
from xml.etree import ElementTree as ET

import pytest

from quorate.errors import InvalidInput
from quorate.reporting.draw.marks import INK
from quorate.reporting.print.charts import on_paper, slug, specification, write_chart, write_charts
from quorate.reporting.report import page_of

LABELLED = ("components", "effects-judge", "effects-prompt", "means", "leave-one-out", "flagged")
"""Charts that show names that users gave."""


def charts_of(analysis):
    return [figure for figure in page_of(analysis).figures if figure.chart]


def texts(path) -> list[str]:
    return [element.text or "" for element in ET.parse(path).iter("{http://www.w3.org/2000/svg}text")]


def test_every_chart_of_the_report_is_a_file_with_a_stable_name(undrawn, demo, tmp_path):
    paths = write_charts(page_of(demo), tmp_path)
    assert [path.stem for path in paths] == [figure.name for figure in charts_of(demo)]
    assert sorted(tmp_path.iterdir()) == sorted(paths)


def test_a_drawing_has_its_finding(demo, tmp_path):
    figure = next(figure for figure in charts_of(demo) if figure.name == "components")
    said = " ".join(" ".join(texts(write_chart(figure, tmp_path / "components.svg"))).split())
    assert "65% of the uncertainty comes from the choice of judges" in said


def test_a_picture_has_300_dots_to_the_inch(shape, tmp_path):
    one = write_chart(charts_of(shape("items only"))[0], tmp_path / "a.png").read_bytes()
    width = struct.unpack(">I", one[16:20])[0]
    per_metre = struct.unpack(">I", one[one.index(b"pHYs") + 4 :][:4])[0]
    assert one.startswith(b"\x89PNG")
    assert 6 * 300 <= width <= 8.5 * 300
    assert per_metre == round(300 / 0.0254)


def test_hostile_labels_stay_text_in_drawings(shape, tmp_path, hostile):
    labelled = [figure for figure in charts_of(shape("hostile labels")) if figure.name in LABELLED]
    assert len(labelled) == len(LABELLED)
    for path in (write_chart(figure, tmp_path / f"{figure.name}.svg") for figure in labelled):
        names = {element.tag.rpartition("}")[2] for element in ET.parse(path).iter()}
        assert not names & {"script", "img", "foreignObject", "a", "b"}
        assert "\u202e" not in path.read_text(encoding="utf-8")
    assert hostile[0] in texts(tmp_path / "effects-judge.svg")


def test_colours_are_not_taken_from_a_page_and_data_are_left_alone(demo):
    spec = on_paper(charts_of(demo)[0])
    data = [layer.get("data") for layer in spec["layer"]]
    assert INK not in str({name: value for name, value in spec.items() if name not in ("layer", "datasets")})
    assert spec["config"]["background"] == "white"
    assert data == [layer.get("data") for layer in specification(charts_of(demo)[0])["layer"]]


def test_titles_are_broken_into_lines_that_fit(demo):
    for figure in charts_of(demo):
        title = on_paper(figure)["title"]
        assert max(map(len, title["text"])) <= 78
        assert max(map(len, title["subtitle"]), default=0) <= 92


def test_places_and_formats_that_will_not_do(demo, tmp_path):
    with pytest.raises(InvalidInput, match=r"charts: .*none.new cannot be written"):
        write_charts(page_of(demo), tmp_path / "none" / "new")
    with pytest.raises(InvalidInput, match='chart_format: must be svg or png, got "pdf"'):
        write_charts(page_of(demo), tmp_path, "pdf")


def test_names_of_files_are_plain():
    assert slug("../Effects of <b>") == "effects-of-b"
    assert slug("مرحبا") == "chart"
