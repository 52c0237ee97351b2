import pytest

import quorate as q
from quorate.decide.scores import studies_like
from quorate.errors import NotEstimable
from quorate.estimate.differences.difference import difference
from quorate.planning.search.optimize import studies_of_plan

SIZES = {"item": 30, "judge": 5, "prompt": 3, "system": 2}
DRAWN = {"judge": "population", "prompt": "population"}


def found(judged, targets=DRAWN, **options):
    return difference(judged(SIZES, fixed=(), **options), "system0000", "system0001", targets=targets)


def test_studies_like_this_setup_are_those_of_the_paired_t(judged):
    own = found(judged, targets=None)
    law = studies_like(own)
    assert (law.se, law.df) == pytest.approx((own.se, 29))


def test_the_same_design_as_a_plan_is_the_same_study(judged):
    own = found(judged, replicates=2)
    law = studies_of_plan(q.project(own.fit))
    assert law.se == pytest.approx(own.fit.mean_for(**DRAWN).basis.plain ** 0.5)
    assert law.df == pytest.approx(29)
    assert len(law.drawn) == 2


def test_more_judges_find_more(judged):
    own = found(judged)
    few, many = (studies_of_plan(q.project(own.fit, judges=n)) for n in (3, 12))
    assert many.detectable(0.05, 0.9) < few.detectable(0.05, 0.9)


@pytest.mark.parametrize("prompts", [1, 2])
def test_a_plan_of_too_few_levels_of_what_is_drawn_is_refused(judged, prompts):
    plan = q.project(found(judged).fit, items=80, judges=5, prompts=prompts)
    with pytest.raises(NotEstimable, match="prompt: a study of fewer than 3 levels says nothing of others"):
        studies_of_plan(plan)
