from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.planning.power.protocols import protocols
from quorate.reporting.print.files import specification
from quorate.reporting.report import page_of, write


def votes(seed, margins, prompts, each):
    rng = np.random.default_rng(seed)
    rows = [
        ("xyz"[k], "base", "model_b" if rng.random() < 0.5 + margin else "model_a", f"p{p}")
        for k, margin in enumerate(margins)
        for p in range(prompts)
        for _ in range(each)
    ]
    return q.read_votes(
        pl.DataFrame(rows, schema=["model_a", "model_b", "winner", "prompt"], orient="row"), announce=False
    )


@pytest.fixture(scope="module")
def found():
    return protocols(votes(1, (0.05, 0.1, 0.1), 120, 1), votes(2, (0.2, 0.3, 0.25), 40, 4), names=("open", "curated"))


@pytest.fixture(scope="module")
def page(found):
    return page_of(found)


def test_what_follows_stands_first(page, found):
    assert page.sentence == found.sentence
    assert [section.name for section in page.sections] == ["advice", "margins"]
    assert page.sections[0].text == found.advice
    assert [tile.label for tile in page.tiles] == [
        "votes decide a pair under open",
        "votes decide a pair under curated",
    ]
    assert page.tiles[1].value == f"{found.second.needed:,.0f}"


def test_the_two_beside_each_other(page, found):
    [beside] = [figure for figure in page.figures if figure.name == "protocols"]
    rows = {row["what"]: row for row in beside.rows}
    assert rows["what a vote adds to the square of z"]["second"] == found.second.signals.signal.value
    assert rows["variance of win rates between prompts"]["first"] is None
    assert beside.caption.finding == "curated decides with fewer votes"


def test_every_pair_is_counted_and_drawn(page):
    figures = {figure.name: figure for figure in page.figures}
    assert sum(row["first"] for row in figures["distribution"].rows) == 3
    assert [row["pair"] for row in figures["pairs"].rows] == ["base vs x", "base vs y", "base vs z"]
    assert len(figures["scaling"].rows) == 6
    for name in ("distribution", "pairs", "scaling"):
        assert "NaN" not in json.dumps(specification(figures[name])), name


def test_it_is_written(page, tmp_path):
    text = write(page, tmp_path / "page.md").read_text(encoding="utf-8")
    assert "To rank or to ablate under a budget, take curated, if" in text
    assert "jackknife over prompts" in text
