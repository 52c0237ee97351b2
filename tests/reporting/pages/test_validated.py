from __future__ import annotations

import pytest

import quorate as q
from quorate.analysis.certify import Certificate, Certified
from quorate.analysis.demo import against_truth
from quorate.reporting.pages.validated import certificate, page, truth_section


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


def test_coverage_is_shown_with_its_error():
    found = Certified("", 0.951, 0.005, 1.02, 0.01, None, None, 2000, 3)
    (figure,) = certificate(Certificate("mean", 0.95, (found,), 1)).figures
    assert figure.rows[0]["coverage"] == "95.1% ± 0.5"
    assert (figure.rows[0]["studies"], figure.rows[0]["told_apart"]) == (1997, None)


def test_which_intervals_hold_the_truth(demo):
    (figure,) = truth_section(against_truth(demo, 1)).figures
    assert [row["holds_truth"] for row in figure.rows] == ["misses it", "holds it", "holds it"]
    assert "naive one did in 34.1%" in figure.caption.finding
