from __future__ import annotations

import json

import pytest
from quorate.reporting.allocation_export import allocation_json, allocation_markdown

from quorate.analysis.allocation import allocation_view
from quorate.errors import InvalidInput
from quorate.reporting.allocation_section import allocation_sections
from quorate.reporting.allocation_view import allocation_view
from quorate.reporting.print.charts import write_section_charts
from quorate.reporting.reproduce import Provenance


@pytest.fixture(scope="module")
def view(replays):
    return allocation_view(replays, 2000, only={"dimension": "clear"}, human="human", sweep=True, runs=4)


def test_json_is_the_view_with_its_origin(view):
    content = json.loads(allocation_json(view, Provenance("quorate adaptive x", None, "simulated")))
    assert content["sentence"] == view.sentence
    assert content["note"] == "simulated"
    assert content["provenance"]["command"] == "quorate adaptive x"
    assert len(content["studies"][0]["sweep"]["setting"]) == 6


def test_markdown_has_every_section(view):
    text = allocation_markdown(view, Provenance())
    for heading in ("What it saves", "Where the noise is", "Agreement with people", "Other constants", "Methods"):
        assert f"\n## {heading}\n" in text


def test_charts_are_files_black_on_white(view, tmp_path):
    paths = write_section_charts(allocation_sections(view), tmp_path / "charts")
    assert [path.name for path in paths] == [
        f"{name}.svg" for name in ("curve", "variances", "means", "profile", "human", "settings")
    ]
    drawn = paths[0].read_text(encoding="utf-8")
    assert drawn.startswith("<svg")
    assert "currentColor" not in drawn
    with pytest.raises(InvalidInput, match="chart_format"):
        write_section_charts(allocation_sections(view), tmp_path, "gif")
