import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.decide.scores.studies import _studies, freedom, studies_like, studies_of_plan
from quorate.errors import NotEstimable
from quorate.estimate.differences.difference import difference
from quorate.numerics.study_power import Squares
from quorate.numerics.study_power import freedom as study_freedom

SIZES = {"item": 30, "judge": 5, "prompt": 3, "system": 2}


def found(judged, **options):
    return difference(judged(SIZES, fixed=(), **options), "system0000", "system0001")


@pytest.mark.parametrize("replicates", [1, 2])
def test_studies_like_a_balanced_one_have_its_standard_error_and_df(judged, replicates):
    own = found(judged, replicates=replicates)
    law = studies_like(own)
    assert law.se == pytest.approx(own.se)
    assert law.df == pytest.approx(own.df, rel=0.02)


def test_the_same_design_as_a_plan_is_the_same_study(judged):
    own = found(judged, replicates=2)
    plan = q.project(own.fit)
    assert studies_of_plan(plan).se == pytest.approx(own.se)
    assert studies_of_plan(plan).df == pytest.approx(studies_like(own).df, rel=1e-4)


def test_the_joint_model_has_the_same_law_where_all_is_shared(judged):
    paired = found(judged)
    joint = difference(judged(SIZES, fixed=()), "system0000", "system0001", method="joint")
    assert studies_like(joint).df == pytest.approx(studies_like(paired).df, rel=0.02)


def test_more_judges_find_more(judged):
    own = found(judged)
    few, many = (studies_of_plan(q.project(own.fit, judges=n)) for n in (3, 12))
    assert many.detectable(0.05, 0.9) < few.detectable(0.05, 0.9)


def test_a_plan_of_one_level_of_what_is_drawn_is_refused(judged):
    plan = q.project(found(judged).fit, items=80, judges=5, prompts=1)
    with pytest.raises(NotEstimable, match="a study of one prompt has no variance to judge it by"):
        studies_of_plan(plan)


@pytest.mark.parametrize("replicates", [1, 3])
def test_freedom_of_many_designs_is_that_of_each(judged, replicates):
    own = found(judged, replicates=3)
    plans = [q.project(own.fit, items=items, judges=4, replicates=replicates) for items in (20, 60)]
    parts = {name: np.array([plan.shares[name] * plan.variance for plan in plans]) for name in plans[0].shares}
    answers = np.array([plan.calls for plan in plans])
    many = freedom(parts, {"item": np.array([20, 60]), "judge": 4, "prompt": 3}, answers, answers / replicates)
    assert many == pytest.approx([studies_of_plan(plan).df for plan in plans])


def test_without_the_correction_for_few_levels_they_are_those_of_a_mean():
    """``docs/decisions/0007``: one formula, and what tests of differences add to it."""
    plan = q.project(q.components({"item": 1.0, "prompt": 0.3, "item:prompt": 0.8}), items=12, prompts=4)
    part = plan.variance * np.array([plan.shares[name] for name in ("item", "prompt", "item:prompt")])
    inside = np.array([[1, 0, 1], [0, 1, 1], [0, 0, 1]], dtype=bool)
    squares = Squares(part, np.array([11.0, 3.0, 33.0]), inside, np.ones(3, dtype=bool))
    assert study_freedom(part, squares, 0.0) == pytest.approx(plan.df)
    levels = {"item": 12, "prompt": 4}
    own = freedom(dict(zip(plan.shares, part, strict=True)), levels, np.array(48), np.array(48))
    assert own == pytest.approx(study_freedom(part, squares))
    assert own < plan.df


def test_repeats_have_the_degrees_of_freedom_of_answers_within_cells():
    """10 items by 5 judges, 10 of 50 cells twice: MS(item) + MS(judge) - MS(replicate), with 9, 4 and 10.

    In the degrees of freedom a part counts 1 + 2 / f times: items 1.22, judges 1.5 and repeats 1.2.
    """
    parts = {"item": 0.1, "judge": 0.1, "replicate": 0.3}
    item, judge, repeat = 0.1 * 11 / 9, 0.1 * 1.5, 0.3 * 1.2
    spent = (item + repeat) ** 2 / 9 + (judge + repeat) ** 2 / 4 + repeat**2 / 10
    by_hand = (item + judge + repeat) ** 2 / spent
    levels = {"item": 10, "judge": 5, "replicate": 2}
    assert _studies(parts, levels, 60, 50).df == pytest.approx(by_hand)
    arrays = {name: np.array(part) for name, part in parts.items()}
    assert freedom(arrays, levels, np.array(60.0), np.array(50.0)) == pytest.approx(by_hand)


def test_what_is_repeated_within_items_adds_no_mean_square_to_a_mean():
    assert _studies({"item": 0.1, "replicate": 0.3}, {"item": 10, "replicate": 2}, 20, 10).df == pytest.approx(9)


def test_systems_without_common_items_have_the_power_of_welchs_test():
    rng = np.random.default_rng(5)
    rows = {
        "system": ["a"] * 100 + ["b"] * 20,
        "item": range(120),
        "score": [*rng.normal(0, 0.5, 100), *rng.normal(0, 2, 20)],
    }
    own = difference(q.read(pl.DataFrame(rows), announce=False), "a", "b")
    law = studies_like(own)
    assert (law.se, law.df) == pytest.approx((own.se, own.df))
