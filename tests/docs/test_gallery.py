from __future__ import annotations

import re
from pathlib import Path

import pytest

from quorate.reporting.report import PAGES

DOCS = Path(__file__).parent.parent.parent / "docs"
OTHERS = {"judgments.page:page"}
"""A page that is not in the registry: of judgments."""


@pytest.fixture(scope="module")
def reports(script):
    return script("images/reports.py").REPORTS


def test_every_picture_is_of_a_page(reports):
    pages = [page for page, _ in reports.values()]
    assert len(pages) == len(set(pages))
    assert set(pages) <= {*PAGES.values(), *OTHERS}


def test_every_picture_is_there_and_of_a_report(reports):
    pictures = list((DOCS / "images" / "reports").iterdir())
    assert {path.name for path in pictures} == {f"{name}.png" for name in reports}
    assert sum(path.stat().st_size for path in pictures) < 2_000_000


def test_the_gallery_shows_every_picture_once_with_what_is_seen(reports):
    gallery = (DOCS / "gallery.md").read_text(encoding="utf-8")
    shown = re.findall(r"^!\[.{20,}\]\(images/reports/(\S+)\.png\)$", gallery, re.MULTILINE)
    assert sorted(shown) == sorted(reports)
