from __future__ import annotations

import json
import re

import polars as pl
import pytest
from quorate.reporting.votes_report import write_votes_report

from quorate.analysis.pair import pair_view
from quorate.analysis.votes import votes_view
from quorate.errors import InvalidInput
from quorate.reporting.print.charts import write_section_charts
from quorate.reporting.votes_said import sections_of
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


def test_a_page_with_all_charts(view, tmp_path):
    text = write_votes_report(view, tmp_path / "votes.html", note="simulated <b>").read_text(encoding="utf-8")
    found = re.search(r'<script type="application/json" id="charts">(.*?)</script>', text, re.DOTALL)
    assert set(json.loads(found[1])) == {"margins", "decided", "equal-budget", "stability", "dependence"}
    assert text.count("data-chart=") == 5
    assert "simulated &lt;b&gt;" in text
    assert "http://" not in text.split("<script>")[0]


def test_markdown_from_votes(view, tmp_path):
    text = write_votes_report(view.votes, tmp_path / "votes.md", command="quorate votes analyze").read_text()
    for heading in ("How far apart the models are", "How many votes decide", "Data health", "Methods"):
        assert f"\n## {heading}\n" in text
    assert "| y vs z | 400 |" in text
    assert "- command: quorate votes analyze" in text


def test_a_facet_of_ones_own(view, tmp_path):
    text = write_votes_report(view.votes, tmp_path / "votes.md", cluster="prompt", minimum=400).read_text()
    assert "3, with 400 decisive votes or more" in text


def test_two_systems_come_with_the_charts_as_files(view, tmp_path):
    pair = pair_view(view.votes, "y", "z", margin=0.05, cluster="prompt")
    text = write_votes_report(pair, tmp_path / "two.html", charts=tmp_path / "charts").read_text(encoding="utf-8")
    assert '<p class="sentence">Undecided whether y or z is preferred' in text
    assert text.index('id="verdict"') < text.index('id="margins"')
    assert (tmp_path / "charts" / "verdict.svg").read_text(encoding="utf-8").startswith("<svg")


def test_every_chart_is_a_file_named_after_its_figure(view, tmp_path):
    written = write_section_charts(sections_of(view), tmp_path / "charts")
    assert [path.name for path in written] == [
        f"{name}.svg" for name in ("margins", "decided", "equal-budget", "stability", "dependence")
    ]
    assert all(path.read_text(encoding="utf-8").startswith("<svg") for path in written)


def test_a_format_that_is_not_known(view, tmp_path):
    with pytest.raises(InvalidInput, match="chart_format"):
        write_votes_report(view, tmp_path / "votes.md", charts=tmp_path, chart_format="gif")


@pytest.mark.parametrize("name", ["votes.txt", "no-folder/votes.html"])
def test_places_that_cannot_be_written(view, tmp_path, name):
    with pytest.raises(InvalidInput, match="path"):
        write_votes_report(view, tmp_path / name)
