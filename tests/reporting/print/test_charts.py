from __future__ import annotations

import json
from xml.etree import ElementTree as ET

import pytest

from quorate.errors import InvalidInput
from quorate.reporting.draw.marks import INK
from quorate.reporting.print.files import slug, svg, write_chart, write_charts
from quorate.reporting.report import page_of

LABELLED = ("components", "effects-judge", "effects-prompt", "means", "leave-one-out", "flagged")
"""Charts that show names that users gave."""


def charts_of(analysis):
    return [figure for figure in page_of(analysis).whole.figures if figure.chart]


def texts(path) -> list[str]:
    return [element.text or "" for element in ET.parse(path).iter("{http://www.w3.org/2000/svg}text")]


def test_every_chart_of_the_report_is_a_file_with_a_stable_name(demo, tmp_path):
    paths = write_charts(page_of(demo), tmp_path)
    assert [path.stem for path in paths] == [figure.name for figure in charts_of(demo)]
    assert sorted(tmp_path.iterdir()) == sorted(paths)


def test_a_drawing_has_its_finding(demo, tmp_path):
    figure = next(figure for figure in charts_of(demo) if figure.name == "components")
    said = " ".join(" ".join(texts(write_chart(figure, tmp_path / "components.svg"))).split())
    assert "65% of the uncertainty comes from the choice of judges" in said


def test_hostile_labels_stay_text_in_drawings(shape, tmp_path, hostile):
    labelled = [figure for figure in charts_of(shape("hostile labels")) if figure.name in LABELLED]
    assert len(labelled) == len(LABELLED)
    for path in (write_chart(figure, tmp_path / f"{figure.name}.svg") for figure in labelled):
        names = {element.tag.rpartition("}")[2] for element in ET.parse(path).iter()}
        assert not names & {"script", "img", "foreignObject", "a", "b"}
        assert "\u202e" not in path.read_text(encoding="utf-8")
    assert hostile[0] in texts(tmp_path / "effects-judge.svg")


def test_a_drawing_is_black_on_white_wherever_it_stands(demo):
    drawing = svg(charts_of(demo)[0], 720)
    assert 'color="#14181D"' in drawing
    assert 'fill="#fff"' in drawing


def test_titles_are_broken_into_lines_that_fit(demo):
    for figure in charts_of(demo):
        lines = [element.text for element in ET.fromstring(svg(figure, 720, titled=True)).iter() if element.text]
        assert max(map(len, lines)) <= 92


def test_a_place_that_will_not_do(demo, tmp_path):
    with pytest.raises(InvalidInput, match=r"charts: .*none.new cannot be written"):
        write_charts(page_of(demo), tmp_path / "none" / "new")


def test_names_of_files_are_plain():
    assert slug("../Effects of <b>") == "effects-of-b"
    assert slug("مرحبا") == "chart"


def test_a_result_plots_the_first_chart_of_its_page_or_that_of_a_name(demo, monkeypatch):
    chart = demo.fit.plot("components").to_dict()
    assert INK not in json.dumps(chart)
    assert chart["title"]["text"].startswith("65% of the uncertainty")
    monkeypatch.setattr("quorate.reporting.print.files.find_spec", lambda _: None)
    assert ET.fromstring(demo.fit.plot()._repr_svg_()).attrib["role"] == "img"
    with pytest.raises(InvalidInput, match='name: no chart "nothing"; there are intervals, '):
        demo.fit.plot("nothing")
