from __future__ import annotations

import pytest

import quorate as q
from quorate.reporting.pages.validated import page


@pytest.fixture(scope="module")
def found(judged):
    return q.scores.validate(judged({"item": 24, "prompt": 2, "judge": 3}, seed=6), [12, 48], runs=4, pilot=8)


def test_errors_and_coverage_are_drawn_by_budget_and_plan(found):
    made = page(found)
    errors, coverage, designs = made.figures
    assert [(row["plan"], row["budget"], row["value"]) for row in errors.rows] == [
        (one.plan, one.budget, one.rmse) for one in found.cells
    ]
    assert [row["value"] for row in coverage.rows] == [one.coverage for one in found.cells]
    assert [row["design"] for row in designs.rows] == [one.design for one in found.cells]
    assert errors.caption.finding.startswith("With 48 judgments ")
    assert len(errors.chart()["layer"]) == 3
    assert len(coverage.chart()["layer"]) == 4
    assert made.sentence == found.sentence
    facts = {row["what"]: row["value"] for row in made.facts.rows}
    assert (facts["items of a pilot"], facts["items held out"]) == (8, 16)
