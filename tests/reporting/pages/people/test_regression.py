from __future__ import annotations

import numpy as np
import pytest

import quorate as q
from quorate.reporting.pages.people.regression import page


@pytest.fixture(scope="module")
def found():
    """A judge that likes long answers, on 600 of which people labelled a fifth."""
    rng = np.random.default_rng(3)
    length, right = rng.normal(size=(2, 600))
    labels = np.where(rng.random(600) < 0.2, right, np.nan)
    author = rng.integers(40, size=600)
    return q.regress(right + 0.8 * length, {"length": length}, labels, 0.2, cluster={"author": author})


def test_the_page_shows_three_ways(found):
    made, one = page(found), found["length"]
    by_name, ways = made.figures
    assert [row["coefficient"] for row in by_name.rows] == ["intercept", "length"]
    assert by_name.caption.finding == "The judge's labels give 1 of 2 coefficients outside the corrected interval"
    assert [row["value"] for row in ways.rows] == [
        one.value,
        one.judged,
        one.labelled,
    ]
    assert made.sentence == found.sentence
    assert "clustered by author" in made.methods
    assert {row["what"]: row["value"] for row in made.facts.rows}["levels of author"] == 40
    assert all(len(figure.chart()["layer"]) >= 2 for figure in made.figures)
