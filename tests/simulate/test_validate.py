from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import quorate as q
from quorate.errors import InvalidInput, NotEstimable
from quorate.simulate.validate import CrossedTable
from quorate.table.facets import Facet


@pytest.fixture(scope="module")
def scored(judged):
    """Prompts and judges that differ as much as items do."""
    return judged({"item": 40, "prompt": 4, "judge": 3}, seed=6)


@pytest.fixture(scope="module")
def found(scored):
    return q.scores.validate(scored, [24, 96], runs=20, pilot=12)


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


@pytest.mark.slow
def test_a_plan_that_asks_everything_is_the_mean_itself(scored):
    everything = q.scores.validate(scored, [28 * 12], ["optimal"], pilot=12, runs=4).cells[0]
    assert everything.rmse == pytest.approx(0, abs=1e-9)
    assert everything.design == "28 items × 4 prompts × 3 judges"


@pytest.mark.slow
def test_the_same_seed_draws_the_same_studies(scored):
    one, same, other = (q.scores.validate(scored, [24], runs=2, rng=seed) for seed in (1, 1, 2))
    assert one == same
    assert one != other


@pytest.mark.parametrize(
    ("budget", "plans", "options", "said"),
    [
        (24, ["naive"], {"pilot": 30}, "pilot: 5 to 20 of 40 items are needed"),
        (1, ["naive"], {}, "budgets: whole numbers of at least 2"),
        (24, ["best"], {}, "plans: must be one of naive, standard, optimal"),
        (24, [], {}, "plans: must be one of naive, standard, optimal"),
        (24, ["naive"], {"runs": 1}, "runs: must be a whole number of at least 2"),
    ],
)
def test_what_cannot_be_drawn_is_refused_by_name(scored, budget, plans, options, said):
    with pytest.raises(InvalidInput, match=said):
        q.scores.validate(scored, [budget], plans, **options)
    with pytest.raises(NotEstimable, match="12 items: at least 20 are needed"):
        q.scores.validate(scored.keep(scored.column("item") < 12), [24])


def test_categories_are_left_out_and_gaps_are_missing(judged):
    scored = judged({"item": 30, "prompt": 3, "judge": 2}, seed=2, keep=0.95)
    found = q.scores.validate(scored, [30], runs=4, pilot=10)
    assert all(np.isfinite(one.rmse) for one in found.cells)


def test_judges_are_drawn_whatever_their_family(judged):
    scored = judged({"item": 24, "prompt": 3, "judge": 4}, seed=2)
    judges = scored.facet("judge").levels
    family = np.array([0, 0, 1, 1], dtype=np.int32)[scored.column("judge")]
    nested = [replace(one, parent="family", fixed=False) if one.name == "judge" else one for one in scored.facets]
    facets = (*nested, Facet("family", "family", ("x", "y")))
    grouped = replace(scored, facets=facets, codes=np.column_stack([scored.codes, family]))
    drawn = [replace(one, fixed=False) if one.name == "judge" else one for one in scored.facets]
    options = {"runs": 2, "pilot": 8, "rng": 1}
    assert len(judges) == 4
    assert q.scores.validate(grouped, [24], **options) == q.scores.validate(
        replace(scored, facets=tuple(drawn)), [24], **options
    )
    own = [replace(one, parent="judge") if one.name == "prompt" else one for one in scored.facets]
    with pytest.raises(NotEstimable, match="prompt is nested in judge: a plan that has fewer of one would have others"):
        q.scores.validate(replace(scored, facets=tuple(own)), [24])


SIZES = {"item": 24, "prompt": 2, "judge": 3}


@pytest.fixture(scope="module")
def held(judged):
    return judged(SIZES, replicates=3, seed=4)


@pytest.fixture(scope="module")
def pool(held):
    return CrossedTable(held)


def test_the_mean_of_all_items_is_that_of_all_cells(held, pool):
    assert pool.shape == (24, 2, 3)
    assert pool.mean(np.arange(24)) == pytest.approx(held.mean.mean())


def test_all_answers_of_a_cell_are_its_mean_and_some_of_them_are_answers(held, pool):
    cells, rng = np.arange(held.n_cells), np.random.default_rng(1)
    whole, two = (pool.asked(cells, again, rng) for again in (3, 2))
    assert whole.mean == pytest.approx(held.mean)
    assert whole.ss == pytest.approx(held.ss)
    assert set(two.n.tolist()) == {2}
    left = 3 * held.mean - 2 * two.mean  # the answer that was not drawn
    values, offsets = pool.answers
    known = [np.isclose(left[cell], values[offsets[cell] : offsets[cell + 1]]).any() for cell in cells]
    assert all(known)


@pytest.mark.parametrize(("layout", "per_item"), [("factorial", 6), ("cyclic", 2), ("latin", 1)])
def test_a_plan_asks_every_item_as_its_layout_says(held, pool, layout, per_item):
    fit, rng = q.decompose(held.keep(held.column("item") < 8)), np.random.default_rng(2)
    plan = q.project(fit, items=12, layout=layout, replicates=1, targets=pool.targets(16))
    made = pool.planned(np.arange(8, 24), fit, plan, 0.95, rng)
    assert made.calls == 12 * per_item
    assert made.low < made.value < made.high
    assert made.design.startswith("12 items")


def test_tables_that_are_not_crossed_or_leave_nothing_to_plan_are_refused(held, judged):
    item, judge = held.column("item"), held.column("judge")
    with pytest.raises(NotEstimable, match="33% of all combinations of item, prompt and judge were judged"):
        CrossedTable(held.keep(item % 3 == judge))
    with pytest.raises(NotEstimable, match="1 configuration"):
        CrossedTable(held.only("prompt", "prompt0000").only("judge", "judge0000"))
