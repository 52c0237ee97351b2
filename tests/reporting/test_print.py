from __future__ import annotations

import csv
import io
import json
import math
import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from rich.console import Console

from quorate.errors import InvalidInput
from quorate.reporting.draw.marks import INK, Marks, layered
from quorate.reporting.page import Caption, Figure, Page, Section, Short, Step, Tile, particulars
from quorate.reporting.paper.reproduce import Provenance
from quorate.reporting.print.cells import cell, columns, csv_table, markdown_table, plain_markdown
from quorate.reporting.print.files import (
    MARKDOWN_MOST_ROWS,
    as_html,
    as_json,
    as_markdown,
    directory,
    slug,
    svg,
    writable,
    write_chart,
    write_charts,
)
from quorate.reporting.print.terminal import LINES, as_text, grid, paragraph, points, printed
from quorate.reporting.report import page_of

ROWS = [
    {"level": "a|b", "share": 0.125, "n": 1200, "why_not": "", "high": math.inf},
    {"level": "=1+1", "share": None, "n": 3, "why_not": "", "high": 2.5},
]


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [
        ("share", 0.0001, "<0.1%"),
        ("gain", -0.0001, "0.0%"),
        ("gain", -0.123, "-12.3%"),
        ("more_cost", 3.6, "+3.60"),
        ("possible", True, "yes"),
        ("se", math.nan, "–"),
        ("high", math.inf, "unbounded"),
        ("n", 1234567, "1,234,567"),
        ("level", "text", "text"),
    ],
)
def test_cells(key, value, text):
    assert cell(key, value) == text


def test_empty_columns_are_left_out_and_titles_are_words():
    assert columns(ROWS, {"n": "judgments"}) == {"level": "level", "share": "share", "n": "judgments", "high": "high"}


def test_csv_has_full_precision_and_no_formulas():
    rows = list(csv.reader(io.StringIO(csv_table([*ROWS, {"level": "x", "n": 1, "high": 1 / 3}], {}))))
    assert rows[0] == ["level", "share", "n", "high"]
    assert rows[2][0] == "'=1+1"
    assert float(rows[3][3]) == 1 / 3


def test_markdown_tables_keep_their_columns():
    lines = markdown_table(ROWS, {}).splitlines()
    assert lines[1] == "| --- | ---: | ---: | ---: |"
    assert lines[2] == "| a\\|b | 12.5% | 1,200 | unbounded |"


def test_markdown_is_shown_as_it_is():
    assert plain_markdown("<b>*a*</b>\n[x](y) & `z`") == "&lt;b&gt;\\*a\\*&lt;/b&gt; \\[x\\](y) &amp; \\`z\\`"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("see https://a.example/x", r"see https\://a.example/x"),
        ("WWW.a.example and mailto:a", r"WWW\.a.example and mailto\:a"),
        ("a@b.example", r"a\@b.example"),
        ("https: a, awww.b, @c", r"https\: a, awww.b, @c"),
    ],
)
def test_an_address_is_no_link(text, shown):
    assert plain_markdown(text) == shown


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


def test_a_result_plots_the_first_chart_of_its_page_or_that_of_a_name(shape, monkeypatch):
    fit = shape("balanced").fit
    chart = fit.plot("components").to_dict()
    assert INK not in json.dumps(chart)
    assert chart["title"]["text"].startswith("73% of the uncertainty")
    monkeypatch.setattr("quorate.reporting.print.files.find_spec", lambda _: None)
    few = shape("items only").fit
    assert ET.fromstring(few.plot()._repr_svg_()).attrib["role"] == "img"
    with pytest.raises(InvalidInput, match='name: no chart "nothing"; there are intervals, '):
        few.plot("nothing")


ENDINGS = (".html", ".htm", ".md", ".json")


def test_a_place_that_can_be_written_is_left_as_it_was(tmp_path):
    old = tmp_path / "report.html"
    old.write_text("old")
    writable(old, ENDINGS)
    directory(tmp_path, "charts")
    assert [(one.name, one.read_text()) for one in tmp_path.iterdir()] == [("report.html", "old")]


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("report.pdf", r'--report: must end in \.html, \.md or \.json, got "report\.pdf"'),
        ("nowhere/report.html", "--report: .*nowhere/report.html cannot be written"),
        ("folder.html", "folder.html is a folder; name a file in it"),
        ("file/report.html", "cannot be written"),
    ],
)
def test_a_place_that_cannot_be_written_is_refused(tmp_path, name, says):
    (tmp_path / "folder.html").mkdir()
    (tmp_path / "file").touch()
    with pytest.raises(InvalidInput, match=says) as caught:
        writable(tmp_path / name, ENDINGS, "--report")
    assert "\n" not in str(caught.value)


def test_a_folder_is_made_where_its_parent_exists(tmp_path):
    directory(tmp_path / "new", "--charts")
    assert (tmp_path / "new").is_dir()
    with pytest.raises(InvalidInput, match=r"--charts: .*none.new cannot be written \(No such file"):
        directory(tmp_path / "none" / "new", "--charts")
    (tmp_path / "file").touch()
    with pytest.raises(InvalidInput, match=r"--charts: .*file cannot be written \(File exists"):
        directory(tmp_path / "file", "--charts")


def made(*sections: Section, **options) -> Page:
    return Page("T", "S.", sections, Figure("facts", Caption("Read"), [{"rows": 3}]), "As usual.", dict, **options)


def test_a_page_without_charts_is_small():
    assert len(as_html(made())) < 20_000


def test_the_next_step_is_there_as_on_a_terminal():
    text = as_html(made(next_step=Step("Buy <more>.", "quorate plan 'a&b.csv'")))
    assert "Buy &lt;more&gt;." in text
    assert "quorate plan &#39;a&amp;b.csv&#39;" in text


def test_controls_and_directions_are_taken_out_wherever_they_are():
    rows = [{"na\u202eme": "x\x00\ny", "n": 1}]
    figure = Figure("f", Caption("find\x07ing", ("li\u2066ne",)), rows, headers={"n": "num\u202dber"})
    parts = (Section("a", "tit\x1ble", ("pa\rragraph",), (figure,)),)
    text = as_html(made(*parts, caveats=("ca\x08veat",), prompts=(("la\u202ebel", "one\x00\ntwo"),)))
    assert not re.search("[\x00-\x09\x0b-\x1f\u202a-\u202e\u2066-\u2069]", re.sub("<style>.*?</style>", "", text))
    assert "<pre><bdi>one\ntwo</bdi></pre>" in text


class Elements(HTMLParser):
    """Elements of a page with their attributes, in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


def test_no_text_ends_the_element_or_the_attribute_that_it_stands_in():
    def page(word):
        def chart():
            return layered([Marks([{"x": word}]).mark("point").encode(x="x:N", tooltip=["x:N"])])

        figure = Figure("f", Caption(word, (word,)), [{word: word}], chart, headers={word: word})
        texts = {
            "caveats": (word,),
            "tiles": (Tile(word, word),),
            "prompts": ((word, word),),
            "source": lambda: {word: word},
        }
        return as_html(made(Section("a", word, (word,), (figure,)), **texts))

    text = page('"> </script><img src=x onerror=alert(1)>&')
    plain, hostile = Elements(page("word")).found, Elements(text).found
    assert [tag for tag, _ in hostile] == [tag for tag, _ in plain]
    assert [set(attributes) for _, attributes in hostile] == [set(attributes) for _, attributes in plain]
    labels = [attributes["aria-label"] for _, attributes in hostile if "alert" in attributes.get("aria-label", "")]
    assert len(labels) == 3  # two drawings and a table
    told = text.partition('json">')[2].partition("</script>")[0]
    assert "onerror" in told
    assert not set("<>&") & set(told)  # a browser ends a script at </script and a space, too


def test_what_is_said_around_comes_first_and_what_is_not_known_is_null():
    facts = Figure("facts", Caption("Read"), [{"rows": 3}])
    page = Page("T", "S.", (), facts, "As usual.", lambda: {"se": float("nan"), "levels": ("a",)})
    found = json.loads(as_json(page))
    assert list(found) == ["title", "methods", "provenance", "se", "levels"]
    assert (found["se"], found["levels"]) == (None, ["a"])
    noted = Page("T", "S.", (), facts, "As usual.", dict, origin=Provenance(note="made up"))
    assert json.loads(as_json(noted))["note"] == "made up"


HOSTILE = "[red]x[/red]\x1b[31m:smile:"


def test_nothing_of_the_data_is_markup_or_obeyed():
    out = Console(file=io.StringIO(), width=80, highlight=False, markup=False, emoji=False)
    lines = [*paragraph(out, HOSTILE), *points(out, [HOSTILE])]
    lines += printed(out, grid([HOSTILE, "n"], [[HOSTILE, "1"]], [False, True]))
    assert sum(r"[red]x[/red]\x1b[31m:smile:" in line for line in lines) == 4
    assert paragraph(out, "") == []


def markdown_made(*sections: Section, **options) -> Page:
    facts = Figure("facts", Caption("What was read"), [{"what": "rows", "n": 3}])
    return Page("a_b <i>", "It *holds*.", sections, facts, "As usual.", dict, **options)


def test_text_figures_and_origin_in_order():
    rows = [{"n": i} for i in range(MARKDOWN_MOST_ROWS + 5)]
    first = Section("a", "First", ("one", "two"), (Figure("f", Caption("Rows", ("All of them.",)), rows),))
    text = as_markdown(
        markdown_made(first, Section("b", "Second"), caveats=("few",), seed=1, origin=Provenance(note="made up"))
    )
    order = ["# a\\_b &lt;i&gt;", "> made up", "**It \\*holds\\*.**", "- few", "## First\n\n- one\n- two", "### Rows"]
    order += ["And 5 more rows.", "All of them.", "## Second\n\n## Methods", "### What was read", "- seed: 1"]
    places = [text.index(part) for part in order]
    assert places == sorted(places)
    assert text.count("\n| ") == 2 + MARKDOWN_MOST_ROWS + 3


def test_without_note_and_caveats():
    assert as_markdown(markdown_made()).startswith("# a\\_b &lt;i&gt;\n\n**It \\*holds\\*.**\n\n## Methods")


def test_markdown_controls_and_directions_are_taken_out_wherever_they_are():
    rows = [{"na\u202eme": "x\x00\ny", "n": 1}]
    figure = Figure("f", Caption("find\x07ing", ("li\u2066ne",)), rows, headers={"n": "num\u202dber"})
    text = as_markdown(markdown_made(Section("a", "tit\x1ble", ("pa\rragraph",), (figure,)), caveats=("ca\x08veat",)))
    assert not re.search("[\x00-\x09\x0b-\x1f\u202a-\u202e\u2066-\u2069]", text)
    assert "| x y | 1 |" in text


def test_the_same_sections_with_tables(demo):
    text = as_markdown(page_of(demo, origin=Provenance(note="Simulated, not real judgments.")))
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == [
        *("How far the mean can be trusted", "Where the uncertainty comes from", "What to buy next"),
        *("Judges and prompts", "The panel of judges", "What a single configuration would have told"),
        *("Checks of the model", "Data health", "Items to send to people", "Methods"),
    ]
    assert "> Simulated, not real judgments." in text
    assert demo.sentence in text
    assert "| judge-a | 0.22" in text


@pytest.mark.wide(2)
def test_every_shape_is_written(analysis):
    assert as_markdown(page_of(analysis)).startswith("# Judgments from a polars frame\n")


def test_hostile_labels_are_text(shape):
    text = as_markdown(page_of(shape("hostile labels"), origin=Provenance(command="quorate <script>")))
    assert not re.search(r"<(script|img|b)\b", text)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text


@pytest.mark.slow
def test_long_tables_are_cut_and_say_so(shape):
    assert "And 2,705 more rows." in as_markdown(page_of(shape("many levels")))


GOLDEN = Path(__file__).with_name("terminal.txt")


def page(boards: int = 3, caveats: int = 3) -> Page:
    rows = [
        {
            "system": f"s{i}",
            "mean": 4.5 - i / 4,
            "low": 4.2 - i / 4,
            "high": 4.8 - i / 4,
            "share": 0.9 / 4**i,
            "n": 1200,
        }
        for i in range(boards)
    ]
    rows[-1] |= {"low": -math.inf, "system": "odd\x1b[31m\u202e[b]"}
    heads = {"system": "system", "mean": "mean", "low": "95% interval", "share": "best", "n": "scores"}
    board = Figure("board", Caption("s0 leads"), rows, short=Short(heads, of="mean", at=4.0, percent=("share",)))
    parts = [{"part": name, "share": share} for name, share in (("judge", 0.65), ("item", 0.35))]
    sources = Figure(
        "sources", Caption("65% is of judges", ("Of Var(mean).",)), parts, short=Short({"part": "", "share": "share"})
    )
    unseen = Figure("unseen", Caption("Not for a terminal"), parts)
    return Page(
        "scores.csv",
        "s0 is better than all others.",
        (Section("board", "The board", ("A word on it.",), (board,)), Section("why", "Why", (), (sources, unseen))),
        particulars("facts", "What was ranked", {"systems": boards, "level": 0.95}),
        "As usual.",
        dict,
        caveats=tuple(f"caveat {i}" for i in range(caveats)),
        next_step=Step("Next: one more judge.", "quorate plan scores.csv"),
    )


def console(encoding: str = "utf-8", width: int = 80) -> Console:
    return Console(file=io.TextIOWrapper(io.BytesIO(), encoding), width=width, highlight=False, markup=False)


def test_what_is_printed():
    """Where the golden file differs on purpose, it is what this prints: write it and look at the change."""
    read = "item = question; judge; system = model"
    shown = {
        "a screen": as_text(page(), console(), read=read),
        "all of it": as_text(page(), console(), read=read, full=True),
        "ASCII": as_text(page(), console("ascii")),
        "narrow": as_text(page(), console(width=40)),
        "many systems": as_text(page(40), console(), read=read),
    }
    text = "".join(f"=== {name}\n" + "".join(f"{line}\n" for line in lines) for name, lines in shown.items())
    assert text == GOLDEN.read_text(encoding="utf-8")


@pytest.mark.wide(4)
@pytest.mark.parametrize("boards", [1, 4, 100])
@pytest.mark.parametrize("caveats", [0, 1, 9])
def test_a_screen_is_a_screen(boards, caveats):
    lines = as_text(page(boards, caveats), console(), read="word " * 100)
    assert len(lines) < LINES
    assert max(map(len, lines)) <= 80


def test_colour_is_left_out_when_told(monkeypatch):
    out = Console(file=io.StringIO(), force_terminal=True, width=80, highlight=False, markup=False)
    assert "\x1b[1m" in as_text(page(), out)[0]
    monkeypatch.setenv("NO_COLOR", "1")
    plain = Console(file=io.StringIO(), force_terminal=True, width=80, highlight=False, markup=False)
    assert not [line for line in as_text(page(), plain) if "\x1b[3" in line]
