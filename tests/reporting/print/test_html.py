from __future__ import annotations

import re
from html.parser import HTMLParser

from quorate.reporting.draw.vega import Marks, layered
from quorate.reporting.page import Caption, Figure, Page, Section, Step, Tile
from quorate.reporting.print.files import as_html


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
        texts = {"caveats": (word,), "tiles": (Tile(word, word),), "prompts": ((word, word),), "source": {word: word}}
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
