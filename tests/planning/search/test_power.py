from itertools import product

import pytest

import quorate as q
from quorate.estimate.differences.difference import difference
from quorate.planning.search.optimize import best_study, cheapest_study, studies_of_plan

SIZES = {"item": 30, "judge": 4, "prompt": 3, "system": 2}
NULL = {"system": 0.0, "judge:system": 0.2, "prompt:system": 0.15}
LIMITS = {"items": [10, 40, 200], "judge": [3, 4, 9], "prompt": [3, 5, 8], "replicates": [1]}


PRICES = [{"call": 1.0}, {"call": 0.01, "item": 1.0}, {"call": 0.01, "prompt": 5.0}]


@pytest.fixture(scope="module", params=product(range(1), PRICES), ids=str)
def priced(request, judged):
    """The difference of two equal systems, all designs as an optimiser has them, and price and studies of each."""
    seed, prices = request.param
    found = difference(judged(SIZES, fixed=(), sd=NULL, seed=seed), "system0000", "system0001")
    searched = q.plan(found.fit, budget=1e300, prices=prices, limits=LIMITS, layouts="factorial").searched
    every = product(*(LIMITS[name] for name in ("items", "judge", "prompt")))
    plans = [q.project(found.fit, items=i, judges=j, prompts=p, replicates=1, prices=prices) for i, j, p in every]
    return found, searched, [(plan.cost, studies_of_plan(plan)) for plan in plans]


@pytest.mark.parametrize(("goal", "times"), [("difference", 2.5), ("equivalence", 4.0)])
@pytest.mark.slow
def test_no_design_that_is_allowed_is_cheaper(priced, goal, times):
    found, searched, laws = priced

    def chance(law):
        d = times * found.se
        return law.finds(d, 0.05) if goal == "difference" else law.shows_equal(0.0, d, 0.05)

    best = cheapest_study(searched, chance, 0.8)
    enough = [cost for cost, law in laws if chance(law) >= 0.8]
    assert best.cost == pytest.approx(min(enough))


def test_no_study_is_found_for_what_none_can_show(judged):
    found = difference(judged(SIZES, fixed=(), sd=NULL), "system0000", "system0001")
    searched = q.plan(found.fit, budget=1e300, limits=LIMITS).searched
    assert cheapest_study(searched, lambda law: law.finds(0.0, 0.05), 0.8) is None


def test_no_design_within_the_budget_has_more_power(priced):
    found, searched, laws = priced

    def chance(law):
        return law.finds(2.5 * found.se, 0.05)

    power = [(cost, chance(law)) for cost, law in laws]
    for budget in sorted(cost for cost, _ in laws)[3:20:8]:
        best = best_study(searched, chance, 0.9, budget)
        assert best.cost <= budget
        most = max(own for cost, own in power if cost <= budget)
        assert chance(studies_of_plan(best)) == pytest.approx(most)
    assert best_study(searched, chance, 0.9, 0.01) is None
