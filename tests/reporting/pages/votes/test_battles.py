"""The page on which pairs get the next votes."""

import json

import polars as pl
import pytest

import quorate as q
from quorate.reporting.pages.votes.protocols import MOST_ROWS, battles_page


@pytest.fixture(scope="module")
def plan():
    rows = [(f"s{i:02}", f"s{j:02}", 9 - i % 3, 3 + j % 2) for i in range(22) for j in range(i)]
    frame = pl.DataFrame(rows, schema=["model_a", "model_b", "a", "b"], orient="row")
    return q.votes.next_battles(q.read_votes(frame, wins=("a", "b"), announce=False), 300, horizon=2000)


def test_the_page_says_who_gets_the_votes(plan):
    found = battles_page(plan)
    assert found.sentence == plan.sentence
    assert [tile.value for tile in found.tiles] == ["300", found.tiles[1].value, f"{plan.equal:,.0f}"]
    (figure,) = found.sections[0].figures
    assert len(figure.rows) == MOST_ROWS
    assert figure.rows[0]["chance"] == plan.chance.max()
    half = int(figure.caption.finding.split()[6].replace(",", ""))
    assert plan.chance[:half].sum() >= 0.5 > plan.chance[: half - 1].sum()
    assert "A-optimal" in found.methods
    assert figure.chart is not None
    assert len(json.dumps(figure.chart())) > 1000
