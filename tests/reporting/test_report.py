from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest

import quorate as q
from quorate.analysis.judgments import analyze_judgments
from quorate.errors import InvalidInput
from quorate.reporting.report import FIT, OF_MEAN, PAGES, page_of, page_of_any, report


class Page(HTMLParser):
    """What a page is made of: elements with attributes, and the text of headings, cells and scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self.texts.append((tag, ""))

    def handle_data(self, data):
        tag, text = self.texts[-1] if self.texts else ("", "")
        self.texts[-1:] = [(tag, text + data)]

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def written(result, tmp_path: Path, name: str = "report.html", **options) -> str:
    return report(result, tmp_path / name, **options).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Pages by the name of their shape, each rendered once."""
    made: dict[str, str] = {}

    def page(name: str, analysis) -> str:
        if name not in made:
            made[name] = written(analysis, tmp_path_factory.mktemp("pages"), command="quorate analyze <b>x</b>", seed=3)
        return made[name]

    return page


def charts(text: str) -> dict[str, str]:
    """Drawings of every chart, for a desk and for a phone, and what a pointer shows."""
    return dict(re.findall(r'<div class="chart" data-chart="([^"]*)">(.*?</script>)', text, re.DOTALL))


def told(text: str) -> dict[str, list]:
    """What a pointer over marks of every chart shows: titles, and rows by their place."""
    return {name: json.loads(re.search(r"json\">(.*?)</script>", one)[1]) for name, one in charts(text).items()}


def test_it_is_one_small_file(pages, demo):
    assert len(pages("demo", demo).encode()) < 300_000


def test_nothing_is_loaded_from_anywhere(pages, demo):
    text = pages("demo", demo)
    page = Page(text)
    loaded = [one.get("src") for tag in ("script", "img", "iframe", "link", "source") for one in page.all(tag)]
    assert not any(loaded)
    assert all(one["href"].startswith(("#", "data:")) for one in page.all("a"))
    assert not re.search(r"https?://", text)
    policy = next(one["content"] for one in page.all("meta") if one.get("http-equiv") == "Content-Security-Policy")
    assert "default-src 'none'" in policy
    assert "connect-src" not in policy


def test_only_the_scripts_of_the_page_run(pages, demo):
    text = pages("demo", demo)
    policy = next(
        one["content"] for one in Page(text).all("meta") if one.get("http-equiv") == "Content-Security-Policy"
    )
    (allowed,) = re.findall(r"script-src ([^;]*);", policy)
    (script,) = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    assert allowed == f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


def test_headings_come_in_order(pages, demo):
    levels = [int(tag[1]) for tag, _ in Page(pages("demo", demo)).elements if re.fullmatch(r"h\d", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_every_chart_has_a_place_a_label_numbers_and_a_download(pages, demo):
    text = pages("demo", demo)
    page = Page(text)
    drawings = page.all("svg")
    assert len(charts(text)) == 15
    assert len(drawings) == 2 * 15
    assert all(one["role"] == "img" and one["aria-label"] for one in drawings)
    assert len([one for one in page.all("a") if "download" in one]) == len(page.all("figure")) == len(page.all("table"))


@pytest.mark.slow
def test_downloads_hold_the_numbers(pages, demo):
    link = next(one for one in Page(pages("demo", demo)).all("a") if one.get("download") == "intervals.csv")
    rows = list(csv.DictReader(io.StringIO(base64.b64decode(link["href"].partition("base64,")[2]).decode())))
    assert [float(row["mean"]) for row in rows][1] == demo.fit.mean.value
    assert float(rows[2]["se"]) == demo.others.se


def test_titles_are_on_the_page_and_not_in_the_drawing(pages, demo):
    text = pages("demo", demo)
    assert "65% of the uncertainty" not in "".join(re.findall(r"<text.*?</text>", charts(text)["components"]))


def test_the_answer_comes_first_its_picture_second_and_the_next_step_third(pages, demo):
    header = pages("demo", demo).partition("</header>")[0]
    places = [header.index(one) for one in (demo.sentence, 'data-chart="intervals"', 'class="caveats"')]
    assert places == sorted(places)


def test_a_pointer_shows_the_row_under_it(pages, demo):
    text = pages("demo", demo)
    ((heads, rows),) = told(text)["effects-judge"]
    assert heads[:2] == ["level", "effect"]
    assert re.findall(r'data-t="0\.(\d+)"', charts(text)["effects-judge"])[0] in rows


def test_the_page_says_the_verdict_and_the_caveats(pages, demo):
    text = pages("demo", demo)
    assert demo.sentence in text
    assert all(caveat.sentence in text for caveat in demo.caveats)
    assert "Simulated" not in text


def test_the_record_is_there(pages, demo):
    text = pages("demo", demo)
    assert f"quorate {q.__version__}" in text
    assert "quorate analyze &lt;b&gt;x&lt;/b&gt;" in text
    assert 'data-copy="methods-text"' in text


def test_hostile_labels_stay_text(pages, shape, hostile):
    text = pages("hostile", shape("hostile labels"))
    page = Page(text)
    assert [one for one in page.all("script") if one.get("type") != "application/json"] == [{}]
    assert not page.all("img")
    assert not page.all("b")
    assert not re.search(r"<script>alert|onerror=alert\(2\)>[^&]", text)
    assert not re.search(r"[<>&\u2028\u2029]", "".join(re.findall(r'json">(.*?)</script>', text, re.DOTALL)))
    assert hostile[0] in json.dumps(told(text)["effects-judge"], ensure_ascii=False)


@pytest.mark.slow
def test_hostile_judges_and_systems_stay_text_in_the_panel(pages, shape, hostile):
    text = pages("hostile panel", shape("panel, hostile labels"))
    page = Page(text)
    assert not page.all("img")
    assert not re.search(r"<script>alert|onerror=alert\(2\)>[^&]", text)
    assert not re.search(r"[<>&\u2028\u2029]", "".join(re.findall(r'json">(.*?)</script>', text, re.DOTALL)))
    assert {"panel-bias", "panel-rankings", "panel-preference", "panel-strategies"} <= charts(text).keys()
    assert hostile[0] in json.dumps(told(text)["panel-bias"], ensure_ascii=False)


@pytest.mark.slow
def test_hostile_items_are_text_and_can_still_be_found(pages, shape, hostile, tmp_path):
    analysis = shape("hostile items")
    page = Page(pages("hostile items", analysis))
    assert not page.all("img")
    assert not page.all("b")
    content = json.loads(written(analysis, tmp_path, "items.json"))
    assert {flag["labels"]["item"] for flag in content["flags"]["flags"]} <= set(hostile)
    relation = duckdb.from_arrow(pl.DataFrame({'i"<b>d': hostile}).to_arrow())
    for flag, condition in zip(content["flags"]["flags"], content["rows_of_flagged"], strict=True):
        assert relation.filter(condition).fetchall() == [(flag["labels"]["item"],)]


def test_a_chart_on_demand_is_folded(pages, demo):
    page = pages("demo", demo)
    assert '<details class="folded">' in page
    assert "@media print" in page
    assert "prefers-color-scheme: dark" in page


@pytest.mark.slow
def test_judgments_and_fits_are_analysed_first(shape, tmp_path):
    small = shape("one judge")
    from_fit = json.loads(written(small.fit, tmp_path, "fit.json"))
    from_judgments = json.loads(written(small.judgments, tmp_path, "judgments.json"))
    assert from_fit["setup"] == from_judgments["setup"] == small.to_dict()["setup"]


def test_json_goes_there_and_back(demo, tmp_path):
    content = json.loads(written(demo, tmp_path, "report.JSON", command="quorate", note="Simulated."))
    assert demo.to_dict().items() <= content.items()
    assert content["note"] == content["provenance"]["note"] == "Simulated."


def test_markdown_by_its_ending(demo, tmp_path):
    assert written(demo, tmp_path, "report.md", note="Simulated.").startswith(
        "# Judgments from a polars frame\n\n> Simulated"
    )


def test_a_note_comes_first(shape, tmp_path):
    assert '<p class="note">Simulated &amp; labelled.</p>' in written(
        shape("items only"), tmp_path, note="Simulated & labelled."
    )


@pytest.mark.parametrize("name", ["report.pdf", "report"])
def test_other_endings_are_refused(demo, tmp_path, name):
    with pytest.raises(InvalidInput, match=r"path: must end in \.html, \.md or \.json"):
        report(demo, tmp_path / name)


def test_every_page_of_the_registry_is_there():
    def there(place, below):
        module, _, name = place.partition(":")
        return getattr(import_module(f"{below}.{module}"), name)

    assert all(isinstance(there(kind, "quorate"), type) for kind in (*PAGES, FIT, OF_MEAN))
    assert all(callable(there(page, "quorate.reporting.pages")) for page in PAGES.values())


def test_other_results_are_refused(tmp_path):
    with pytest.raises(InvalidInput, match="result: a table or a result is needed, got str"):
        report("scores.csv", tmp_path / "report.json")


def test_a_place_that_cannot_be_written_is_one_line(demo, tmp_path):
    with pytest.raises(InvalidInput, match="cannot be written") as caught:
        report(demo, tmp_path / "nowhere" / "report.json")
    assert "\n" not in str(caught.value)


def test_a_file_is_replaced_whole_or_not_at_all(shape, tmp_path, monkeypatch):
    old = tmp_path / "report.json"
    old.write_text("old")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(InvalidInput, match="No space left on device"):
        report(shape("items only"), old)
    assert old.read_text() == "old"
    assert list(tmp_path.iterdir()) == [old]


def test_a_report_can_be_read_by_others_as_any_file(demo, tmp_path):
    plain = tmp_path / "plain"
    plain.touch()
    assert report(demo, tmp_path / "report.json").stat().st_mode == plain.stat().st_mode


REAL = {
    "topical_chat_gpt35_replicates": (
        pl.col("dimension") == "coherence",
        {"facets": {"item": "item", "prompt": "prompt", "replicate": "replicate"}, "nested": {"item": "system"}},
    ),
    "rating_scale_human_llm": (
        (pl.col("dimension") == "overall") & pl.col("has_human") & (pl.col("judge_type") == "llm"),
        {
            "score": "score01",
            "facets": {"item": "item", "judge": "judge", "scale": "scale_max"},
            "nested": {"item": "benchmark"},
        },
    ),
}


@pytest.mark.parametrize(
    "name", ["topical_chat_gpt35_replicates", pytest.param("rating_scale_human_llm", marks=pytest.mark.slow)]
)
def test_real_judgments_have_a_page(shared, tmp_path, name):
    rows, roles = REAL[name]
    found = analyze_judgments(q.read(pl.read_parquet(shared / "data" / f"{name}.parquet").filter(rows), **roles))
    text = written(found, tmp_path)
    assert found.sentence in text
    assert len(text.encode()) < 3_000_000
    assert {"intervals", "components", "what-if", "single", "categories"} <= charts(text).keys()


def test_charts_are_written_beside_the_page_and_the_record_is_in_it(shape, tmp_path):
    folder = tmp_path / "charts"
    folder.mkdir()
    text = written(
        shape("items only"),
        tmp_path,
        charts=folder,
        record={"parsing": "first number", "system_prompt": "You\n<judge>.\0\u202e"},
    )
    assert {path.stem for path in folder.iterdir()} == charts(text).keys()
    assert "first number" in text
    assert "<pre><bdi>You\n&lt;judge&gt;.</bdi></pre>" in text


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"charts": "none/new"}, "charts: none/new cannot be written"),
        ({"record": {"promts": "x"}}, 'unknown key "promts"'),
        ({"record": "none.yaml"}, "none.yaml cannot be read"),
    ],
)
def test_what_will_not_do_is_refused_before_the_analysis(demo, tmp_path, options, says):
    with pytest.raises(InvalidInput, match=says):
        report("no analysis could be made of this", tmp_path / "report.json", **options)
    assert not list(tmp_path.iterdir())


def test_paper_and_dark_screens_have_styles(pages, demo):
    style = re.search(r"<style>(.*?)</style>", pages("demo", demo), re.DOTALL)[1]
    paper = style[style.index("@media print") :]
    assert "color-scheme: light" in paper
    assert "break-inside: avoid" in paper
    assert ".on-screen { display: none; }" in paper
    assert Page(pages("demo", demo)).all("figure")
    assert 'class="keep"' in pages("demo", demo)


def test_the_same_page_in_every_format(ballots, tmp_path):
    ranked = q.rank(ballots())
    assert written(ranked, tmp_path, "page.md", note="simulated").startswith(
        "# Leaderboard from votes\n\n> simulated\n\n**a is first of 3 systems"
    )
    found = json.loads(written(ranked, tmp_path, "page.json", note="simulated"))
    assert (found["note"], found["systems"][0]["system"]) == ("simulated", "a")


def test_a_table_is_named(ballots):
    votes = ballots()
    assert page_of(q.rank(votes), source=votes).provenance["input"] == "polars frame"
    assert "input" not in page_of(q.rank(votes)).provenance


@dataclass(frozen=True)
class TwoWords:
    """What it is about.

    More of it.
    """

    value: float
    place: Path
    made_from: Any = field(default=None, repr=False)
    shares: dict[str, float] = field(default_factory=lambda: {"a": 0.25, "b": 0.75})
    parts: tuple[dict[str, Any], ...] = ({"name": "x", "of": {"n": 1}}, {"name": "y", "of": {"n": 2}})


def test_what_a_dataclass_holds_is_on_its_page():
    made = page_of_any(TwoWords(0.5, Path("a/b"), made_from=object()))
    assert (made.title, made.sentence) == ("Two words", "What it is about.")
    assert made.content()["place"] == "a/b"
    assert "made_from" not in made.content()
    assert {row["what"]: row["value"] for row in made.facts.rows} == {"value": 0.5, "place": "a/b"}
    shares, parts = made.figures
    assert shares.rows == [{"what": "a", "value": 0.25}, {"what": "b", "value": 0.75}]
    assert parts.rows == [{"name": "x", "of n": 1}, {"name": "y", "of n": 2}]


def test_several_results_are_one_table():
    made = page_of_any((TwoWords(1.0, Path("a")), TwoWords(2.0, Path("b"))))
    assert made.title == "Two words"
    assert [row["value"] for row in made.figures[0].rows] == [1.0, 2.0]


def test_nothing_has_no_page():
    with pytest.raises(InvalidInput, match="result: an empty tuple"):
        page_of_any(())
