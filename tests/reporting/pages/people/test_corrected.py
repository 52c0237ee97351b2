from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.reporting.pages.people.corrected import page


@pytest.fixture(scope="module")
def found():
    """A judge on 200 battles, of which a person saw 60 and agreed with it on most."""
    rng = np.random.default_rng(2)
    person, alike = rng.random(200) < 0.6, rng.random(200) < 0.85
    said = {"judge": np.where(alike, person, ~person), "person": person}
    rows = [
        (f"p{i}", who, "x", "y", "x" if first[i] else "y")
        for who, first in said.items()
        for i in range(200 if who == "judge" else 60)
    ]
    frame = pl.DataFrame(rows, schema=["prompt", "judge", "model_a", "model_b", "winner"], orient="row")
    return q.agreement.corrected(q.read_votes(frame, announce=False), "person", "x", "y")


def test_the_corrected_mean_stands_beside_what_it_is_made_of(found):
    made = page(found)
    (figure,) = made.figures
    assert [(row["by"], row["value"], row["low"], row["high"]) for row in figure.rows] == [
        ("labels and predictions", found.value, *found.estimate.ends),
        ("labels alone", found.people, *found.alone.ends),
        ("judges, not corrected", found.judges, None, None),
    ]
    assert figure.caption.finding == f"The predictions make 60 labels worth {found.effective:.0f}"
    assert made.sentence.startswith(f"Win rate of x against y: {found.value:.3f}")
    assert len(figure.chart()["layer"]) >= 2
    facts = {row["what"]: row["value"] for row in made.facts.rows}
    assert (facts["labels"], facts["predictions without a label"]) == (60, 140)
