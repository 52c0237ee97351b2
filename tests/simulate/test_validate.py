from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import quorate as q
from quorate.errors import InvalidInput, NotEstimable
from quorate.table.judgments import Facet


@pytest.fixture(scope="module")
def table(judged):
    """Prompts and judges that differ as much as items do."""
    return judged({"item": 40, "prompt": 4, "judge": 3}, seed=6)


@pytest.fixture(scope="module")
def found(table):
    return q.scores.validate(table, [24, 96], runs=20, pilot=12)


@pytest.mark.slow
def test_the_plan_by_the_pilot_errs_least_and_its_intervals_hold(found):
    for budget in found.budgets:
        naive, optimal = found.at("standard", budget), found.at("optimal", budget)
        assert optimal.rmse + 2 * optimal.rmse_error < naive.rmse - 2 * naive.rmse_error
        assert optimal.coverage >= 0.9 > naive.coverage
        assert optimal.calls <= budget
        assert (optimal.runs, optimal.failed) == (20, 0)
    assert found.at("naive", 24) != found.at("optimal", 24)
    assert (found.pilot, found.holdout, found.pilot_calls) == (12, 28, 12 * 12)
    assert found.sentence.startswith("With 96 judgments the plan optimal errs by 0.")


def test_a_plan_that_asks_everything_is_the_mean_itself(table):
    everything = q.scores.validate(table, [28 * 12], ["optimal"], pilot=12, runs=4).cells[0]
    assert everything.rmse == pytest.approx(0, abs=1e-9)
    assert everything.design == "28 items × 4 prompts × 3 judges"


def test_the_same_seed_draws_the_same_studies(table):
    one, same, other = (q.scores.validate(table, [24], runs=2, rng=seed) for seed in (1, 1, 2))
    assert one == same
    assert one != other


def test_what_cannot_be_drawn_is_refused_by_name(table):
    few = table.keep(table.column("item") < 12)
    with pytest.raises(NotEstimable, match="12 items: at least 20 are needed"):
        q.scores.validate(few, [24])
    with pytest.raises(InvalidInput, match="pilot: 5 to 20 of 40 items are needed"):
        q.scores.validate(table, [24], pilot=30)
    with pytest.raises(InvalidInput, match="budgets: whole numbers of at least 2"):
        q.scores.validate(table, [1])
    with pytest.raises(InvalidInput, match="plans: one of naive, standard, optimal"):
        q.scores.validate(table, [24], ["best"])
    with pytest.raises(InvalidInput, match="plans: one of naive, standard, optimal"):
        q.scores.validate(table, [24], [])
    with pytest.raises(InvalidInput, match="runs: a whole number of at least 2"):
        q.scores.validate(table, [24], runs=1)


def test_categories_are_left_out_and_gaps_are_missing(judged):
    table = judged({"item": 30, "prompt": 3, "judge": 2}, seed=2, keep=0.95)
    found = q.scores.validate(table, [30], runs=4, pilot=10)
    assert all(np.isfinite(one.rmse) for one in found.cells)


def test_judges_are_drawn_whatever_their_family(judged):
    table = judged({"item": 24, "prompt": 3, "judge": 4}, seed=2)
    judges = table.facet("judge").levels
    family = np.array([0, 0, 1, 1], dtype=np.int32)[table.column("judge")]
    nested = [replace(one, parent="family", fixed=False) if one.name == "judge" else one for one in table.facets]
    facets = (*nested, Facet("family", "family", ("x", "y")))
    grouped = replace(table, facets=facets, codes=np.column_stack([table.codes, family]))
    drawn = [replace(one, fixed=False) if one.name == "judge" else one for one in table.facets]
    options = {"runs": 3, "pilot": 8, "rng": 1}
    assert len(judges) == 4
    assert q.scores.validate(grouped, [24], **options) == q.scores.validate(
        replace(table, facets=tuple(drawn)), [24], **options
    )
    own = [replace(one, parent="judge") if one.name == "prompt" else one for one in table.facets]
    with pytest.raises(NotEstimable, match="prompt is nested in judge: a plan that has fewer of one would have others"):
        q.scores.validate(replace(table, facets=tuple(own)), [24])
