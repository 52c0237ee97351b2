from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from examples import of_components

import quorate as q
from quorate.errors import InvalidInput, NotEstimable

SIZES = {"item": 18, "prompt": 3, "judge": 3}


@pytest.fixture(scope="module")
def scores(judged):
    """A crossed table, every cell judged twice."""
    return judged(SIZES, replicates=2, seed=8)


@pytest.fixture(scope="module")
def pilot(scores):
    return q.decompose(scores)


def once(table):
    """The first answer of every cell, as if it were the only one."""
    n = np.ones(table.n_cells, dtype=int)
    return replace(table, n=n, ss=np.zeros(len(n)), status={"ok": n}, distinct=None)


def dealt(table, layout):
    """The cells of a layout in which every item meets one judge, or one pair of prompt and judge."""
    item, prompt, judge = (table.level_codes([name]) for name in SIZES)
    return once(table.keep(item % 3 == judge if layout == "cyclic" else item % 9 == 3 * prompt + judge))


def test_a_table_that_is_its_own_pilot_has_the_mean_it_had(scores, pilot):
    for target in ("panel", "population", q.pool(9)):
        found, own = q.scores.mean_from(scores, pilot, targets={"judge": target}), of_components(pilot, judge=target)
        assert (found.estimate.value, found.estimate.se, found.weighed.df) == pytest.approx(
            (own.value, own.se, own.df), rel=1e-9
        )
        assert found.estimate.ends == pytest.approx(own.at(method="satterthwaite").ends, rel=1e-9)
    assert found.spread == pytest.approx(1, abs=1e-6)  # the sum of REML equations
    assert {(one.pilot, one.production, one.shared) for one in found.levels} == {(18, 18, 18), (3, 3, 3)}


def test_value_and_variance_are_those_of_dense_algebra(scores, pilot):
    """Generalised least squares of judges in turn at the pilot's components; single answers have cell and replicate."""
    table, v = dealt(scores, "cyclic"), pilot.variance
    codes = {name: table.column(name) for name in SIZES}
    pairs = {"item:prompt": 3, "item:judge": 3, "prompt:judge": 3}
    columns = dict(codes) | {
        name: codes[name.split(":")[0]] * n + codes[name.split(":")[1]] for name, n in pairs.items()
    }
    same = {name: np.equal.outer(code, code) for name, code in columns.items() if name != "judge"}
    covariance = sum(v(name) * alike for name, alike in same.items())
    covariance = covariance + (v("cell") + v("replicate")) * np.eye(table.n_cells)
    x = np.eye(3)[codes["judge"]]
    inside = np.linalg.inv(x.T @ np.linalg.solve(covariance, x))
    weight = np.linalg.solve(covariance, x) @ inside @ np.full(3, 1 / 3)
    found = q.scores.mean_from(table, pilot)
    assert found.estimate.value == pytest.approx(weight @ table.mean, rel=1e-9)
    assert found.weighed.basis.plain == pytest.approx(weight @ covariance @ weight, rel=1e-8)
    assert found.estimate.se == pytest.approx(np.sqrt(found.weighed.basis.plain), rel=0.05)  # but for the adjustment


@pytest.mark.parametrize("layout", ["cyclic", "latin"])
def test_a_layout_has_the_standard_error_that_its_plan_promised(scores, pilot, layout):
    found = q.scores.mean_from(dealt(scores, layout), pilot, targets={"judge": "population"})
    plan = q.project(pilot, layout=layout, replicates=1, targets={"judge": "population"})
    assert np.sqrt(found.weighed.basis.plain) == pytest.approx(plan.se, rel=1e-6)
    assert found.weighed.df > plan.df  # the pilot saw every judge on every item


def test_answers_to_one_cell_count_as_one_where_the_pilot_never_asked_twice(scores):
    pilot = q.decompose(once(scores))
    twice, single = q.scores.mean_from(scores, pilot), q.scores.mean_from(once(scores), pilot)
    assert twice.estimate.se == pytest.approx(single.estimate.se, rel=1e-9)
    assert (twice.estimate.n, single.estimate.n) == (2 * 162, 162)


def test_new_levels_and_one_of_them_are_judged_by_what_the_pilot_saw(scores, pilot):
    one = scores.only("prompt", scores.facet("prompt").levels[0]).only("judge", scores.facet("judge").levels[0])
    renamed = [replace(facet, levels=tuple(f"new {x}" for x in facet.levels)) for facet in one.facets]
    found = q.scores.mean_from(replace(one, facets=tuple(renamed)), pilot, targets={"judge": "population"})
    assert found.weighed.shares["prompt"] * found.weighed.basis.plain == pytest.approx(pilot.variance("prompt"))
    assert {one.shared for one in found.levels} == {0}


def test_scores_that_vary_otherwise_than_the_pilot_says_are_told(scores, pilot):
    assert "unlike-the-pilot" not in {one.code for one in q.scores.mean_from(dealt(scores, "latin"), pilot).caveats}
    wide = replace(scores, mean=3 * scores.mean, ss=9 * scores.ss)
    found = q.scores.mean_from(wide, pilot)
    assert found.spread == pytest.approx(9, rel=0.2)
    assert "unlike-the-pilot" in {one.code for one in found.caveats}
    assert {str(one)[:14] for one in found.caveats if one.code == "few-items"} == {"in the pilot: "}


def test_what_the_pilot_cannot_know_is_refused_by_name(scores, pilot, judged):
    with pytest.raises(InvalidInput, match='the pilot has no facet "temperature"'):
        q.scores.mean_from(judged({**SIZES, "temperature": 2}, seed=1), pilot)
    with pytest.raises(InvalidInput, match='has no facet "prompt", which the pilot has'):
        q.scores.mean_from(judged({"item": 18, "judge": 3}, seed=1), pilot)
    with pytest.raises(InvalidInput, match="a pool of 2 cannot hold"):
        q.scores.mean_from(scores, pilot, targets={"judge": q.pool(2)})
    with pytest.raises(InvalidInput, match=r"pilot: expects what quorate\.decompose returns"):
        q.scores.mean_from(scores, scores)
    with pytest.raises(InvalidInput, match="and these are a pilot"):
        _ = q.scores.mean_from(scores, pilot).weighed.at(method="bootstrap").ends
    one = q.decompose(scores.only("prompt", scores.facet("prompt").levels[0]))
    with pytest.raises(NotEstimable, match="needs item, item:prompt"):
        q.scores.mean_from(scores, one)
    nested = replace(scores, facets=(replace(scores.facets[0], parent="prompt"), *scores.facets[1:]))
    with pytest.raises(InvalidInput, match="item is nested otherwise"):
        q.scores.mean_from(nested, pilot)


def test_a_pilot_of_log_odds_is_refused(scores):
    rng = np.random.default_rng(1)
    half = (rng.random(scores.n_cells) < 0.5).astype(float)
    binary = replace(once(scores), mean=half, low=half, high=half)
    with pytest.raises(InvalidInput, match="components are of log odds"):
        q.scores.mean_from(binary, q.decompose(binary, link="logit", method="pirls"))
