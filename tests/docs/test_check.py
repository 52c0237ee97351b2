from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def check(script):
    return script("check.py")


def test_every_page_is_in_the_navigation_and_every_entry_is_a_page(check):
    assert check.unlisted(ROOT / "docs", (ROOT / "mkdocs.yml").read_text(encoding="utf-8")) == []


def test_pages_without_entry_and_entries_without_page_are_found(check, tmp_path):
    (tmp_path / "how-to").mkdir()
    for name in ("index.md", "how-to/a.md", "lost.md"):
        (tmp_path / name).touch()
    configuration = "nav:\n  - index.md\n  - How to:\n      - First: how-to/a.md\n      - Second: how-to/b.md\n"
    assert check.unlisted(tmp_path, configuration) == [
        "lost.md: not in the navigation of mkdocs.yml",
        "how-to/b.md: in the navigation of mkdocs.yml, but there is no such page",
    ]


@pytest.mark.parametrize(
    ("html", "problem"),
    [
        ('<a href="other.html#here">x</a> <a href="#top">y</a><p id="top">', None),
        ('<a href="https://example.org/">a link is only followed when it is clicked</a>', None),
        ('<img src="picture.png"><img src="data:image/png;base64,AA">', None),
        ('<a href="gone.html">x</a>', "index.html: gone.html leads nowhere"),
        ('<a href="other.html#gone">x</a>', "index.html: other.html#gone leads nowhere"),
        ('<img src="gone.png">', "index.html: gone.png leads nowhere"),
        ('<script src="//cdn.example.org/x.js"></script>', "index.html: loads //cdn.example.org/x.js from the network"),
        (
            '<link rel="stylesheet" href="https://example.org/x.css">',
            "index.html: loads https://example.org/x.css from the network",
        ),
        (
            '<link rel="preconnect" href="https://example.org">',
            "index.html: loads https://example.org from the network",
        ),
    ],
)
def test_links_and_resources_of_a_page(check, tmp_path, html, problem):
    (tmp_path / "index.html").write_text(html, encoding="utf-8")
    (tmp_path / "other.html").write_text('<p id="here">', encoding="utf-8")
    (tmp_path / "picture.png").touch()
    assert check.broken(tmp_path) == ([problem] if problem else [])


def test_styles_that_load_from_the_network(check, tmp_path):
    (tmp_path / "site.css").write_text(
        '@import "https://example.org/a.css"; a { color: red } p { background: url("//example.org/c.png") }',
        encoding="utf-8",
    )
    assert check.broken(tmp_path) == [
        "site.css: loads https://example.org/a.css from the network",
        "site.css: loads //example.org/c.png from the network",
    ]
