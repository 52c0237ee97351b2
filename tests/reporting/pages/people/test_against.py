from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.reporting.pages.people.against import page


@pytest.fixture(scope="module")
def found():
    """Three judges under two prompts, asked twice, on 40 items."""
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 40)
    rows = [(f"i{i}", "ann", "p", 0, int(truth[i])) for i in range(40)]
    for judge, share in (("a", 0.9), ("b", 0.7), ("c", 0.5)):
        for i in range(40):
            for prompt in "pq":
                rows += [(f"i{i}", judge, prompt, k, int(abs(truth[i] - (rng.random() > share)))) for k in range(2)]
    names = ["item", "judge", "prompt", "replicate", "score"]
    table = q.read(pl.DataFrame(rows, schema=names, orient="row"), announce=False)
    return q.agreement.against(table, "ann", splits=20, resamples=50)


def test_every_part_has_its_figure(found):
    made = page(found)
    figures = {figure.name: figure for figure in made.figures}
    assert list(figures) == [
        "rates", "gaps", "summary", "configurations", "tertiles", "flips", "stability", "drops",
    ]  # fmt: skip
    assert figures["summary"].rows[1]["value"] == found.majority.value
    assert [row["value"] for row in figures["configurations"].rows] == sorted(
        (one.value for one in found.configurations), reverse=True
    )
    assert [row["judge"] for row in figures["drops"].rows] == [one.judge for one in found.drops]
    assert figures["flips"].rows[1]["value"] == found.flips.rerun.value
    assert all(figure.chart() for figure in figures.values())
    assert made.sentence == found.sentence
    assert made.tiles[2].value == f"{found.worth.value:.1f}"
    assert {"labelled items": 40}.items() <= {row["what"]: row["value"] for row in made.facts.rows}.items()
