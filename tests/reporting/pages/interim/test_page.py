"""The page of a study under way."""

from __future__ import annotations

import pytest
from under_way import scored, voted

import quorate as q
from quorate.reporting.pages.interim import page


@pytest.fixture(scope="module", params=[scored, voted])
def found(request, tmp_path_factory):
    return page(q.interim(request.param(tmp_path_factory.mktemp("study"), calls=60, items=16)))


def test_what_is_on_it(found):
    names = [section.name for section in found.sections]
    assert [name for name in names if name != "sources"] == ["progress", "estimate", "decided", "next", "agreement"]
    progress = found.sections[0].figures[0]
    assert [row["judge"] for row in progress.rows] == ["m", "n"]
    assert sum(row["answered"] for row in progress.rows) == 60
    assert found.tiles[0].label.startswith("of 64 cells finished (94%)")
    agreement = found.sections[-1].figures[0]
    assert agreement.caption.finding.startswith("Answers of two of the models")
    assert not any(text.endswith("..") for section in found.sections for text in section.text)
