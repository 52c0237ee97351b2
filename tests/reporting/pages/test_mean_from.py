from __future__ import annotations

import pytest

import quorate as q
from quorate.reporting.pages.means import mean_from_page


@pytest.fixture(scope="module")
def found(judged):
    """Judges in turn on the items of their own pilot."""
    scores = judged({"item": 18, "prompt": 3, "judge": 3}, replicates=2, seed=8)
    turn = scores.keep(scores.level_codes(["item"]) % 3 == scores.column("judge"))
    return q.scores.mean_from(turn, q.decompose(scores), targets={"judge": "population"})


def test_the_mean_stands_beside_the_pilot_with_its_sources_and_levels(found):
    made = mean_from_page(found)
    means, sources, levels = made.figures
    assert (means.rows[0]["value"], means.rows[0]["low"], means.rows[0]["high"]) == (
        found.estimate.value,
        *found.estimate.ends,
    )
    assert means.rows[-1]["value"] == found.pilot.mean_for(judge="population").value
    assert sum(row["share"] for row in sources.rows) == pytest.approx(1)
    assert sources.caption.finding.endswith(sources.rows[0]["component"])
    assert [row["facet"] for row in levels.rows] == ["item", "prompt", "judge"]
    assert levels.caption.finding == "All levels were in the pilot"
    assert all(figure.chart() for figure in (means, sources))
    assert made.sentence == found.sentence
    assert {"production answers": 108, "judge stands for": "population"}.items() <= {
        row["what"]: row["value"] for row in made.facts.rows
    }.items()
