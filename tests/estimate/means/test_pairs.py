"""The reach of all pairs at once is that of every pair by itself."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.estimate.differences.methods import joint_means
from quorate.estimate.means import pairs as at_once
from quorate.estimate.means.mean import aimed
from quorate.estimate.means.pairs import distances, pair_reaches, together, undetermined
from quorate.estimate.means.targets import distance
from quorate.numerics import pairs as numerics


def table(items=14, judges=3, prompts=1, keep=0.7, systems=5, groups=0, met=None, **options):
    rng = np.random.default_rng(3)
    system, item, judge, prompt = (at.ravel() for at in np.indices((systems, items, judges, prompts)))
    score = rng.normal(0, 0.5, systems)[system] + rng.normal(0, 0.7, items)[item]
    score += rng.normal(0, 0.4, (judges, systems))[judge, system]
    score += rng.normal(0, 0.3, (prompts, systems))[prompt, system]
    score += rng.normal(0, 0.4, (systems, items))[system, item] + rng.normal(0, 0.6, len(system))
    columns = {"item": item, "system": system, "judge": judge, "prompt": prompt, "category": item % max(groups, 1)}
    names = {"category": bool(groups), "judge": judges > 1, "prompt": prompts > 1}
    columns = {name: [f"{name}{at}" for at in own] for name, own in columns.items() if names.get(name, True)}
    kept = (rng.random(len(score)) < keep) & ((judge + system) % judges < (met or judges))
    return q.read(pl.DataFrame(columns | {"score": score.round(3)}).filter(pl.Series(kept)), announce=False, **options)


TABLES = {
    "gaps": {},
    "prompts": {"prompts": 3, "keep": 0.9},
    "judges drawn": {"judges": 4, "fixed": ()},
    "few items of a system": {"keep": 0.25, "items": 40},
    "groups drawn": {"groups": 12, "items": 36, "fixed": ()},
    "groups known": {"groups": 3},
    "other judges": {"judges": 9, "met": 4, "items": 30},
    "many judges": {"judges": 33, "keep": 0.5, "systems": 3, "items": 6, "fixed": ()},
    "no judge": {"judges": 1, "items": 30},
}


@pytest.mark.wide(9)
@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("drawn", [False, True])
def test_all_pairs_have_what_each_has(name, drawn):
    joint = joint_means(table(**TABLES[name]))
    others = [one for one in ("judge", "prompt") if drawn and one in joint.fit.judgments.names]
    targets = {**joint.targets, **dict.fromkeys(others, "population")}
    found, rows = pair_reaches(joint.fit, joint.rows, targets), np.eye(len(joint.systems))
    assert not len(undetermined(joint.fit, joint.rows, joint.targets))
    for at, (i, j) in enumerate(combinations(range(len(rows)), 2)):
        one = aimed(joint.contrast(rows[i] - rows[j]), targets).reach
        assert (found.variance[at], found.df[at]) == pytest.approx((one.variance, one.df), rel=1e-9)
        assert len(found.effects) == len(one.effects) >= len(others)
        for (square, noise, df), effect in zip(found.effects, one.effects, strict=True):
            assert (square[at], noise[at]) == pytest.approx((effect.square, effect.noise), rel=1e-9, abs=1e-20)
            assert df == effect.df


def test_means_of_one_fit_or_of_several_have_the_reach_of_each(monkeypatch):
    judgments = table(keep=0.6)
    own = [q.decompose(judgments.only("system", name)).mean for name in judgments.facet("system").levels]
    joint = joint_means(judgments).contrasts(np.eye(5))
    for held in (1, 1 << 22):
        monkeypatch.setattr(at_once, "_HELD", held)
        for one, found in zip([*own, *joint], [*together(own), *together(joint)], strict=True):
            targets = {**one.target, "judge": "population"}
            assert aimed(found, targets).se == pytest.approx(aimed(one, targets).se, rel=1e-9)


def test_of_many_items_products_are_in_single_precision():
    joint = joint_means(table(items=120))
    found = pair_reaches(joint.fit, joint.rows, joint.targets)
    one = aimed(joint.contrast([1, -1, 0, 0, 0]), joint.targets).reach
    assert found.df[0] == pytest.approx(one.df, rel=1e-7)


def test_pairs_that_are_held_a_few_at_a_time_are_the_same(monkeypatch):
    joint = joint_means(table())
    whole = pair_reaches(joint.fit, joint.rows, joint.targets)
    joint.fit.shared.clear()
    monkeypatch.setattr(numerics, "_HELD", 1)
    np.testing.assert_allclose(pair_reaches(joint.fit, joint.rows, joint.targets).variance, whole.variance, rtol=1e-12)


@pytest.mark.parametrize("facets", [("judge",), ("judge", "system"), ("prompt", "judge", "system")])
@pytest.mark.parametrize("met", [None, 2])
def test_distances_of_pairs_are_those_of_each(facets, met):
    judgments, rng = table(prompts=2, met=met), np.random.default_rng(4)
    judgments = judgments.keep(judgments.n > 0)
    system, judge = judgments.level_codes(["system"]), judgments.level_codes(["judge"])
    weights = np.array([(system == k) / np.sum(system == k) for k in range(5)])
    weights[0] = 4 * weights[0] * (judge == 0)  # of whose judge the others have a part, or which outweighs all
    weights += rng.normal(0, 1e-4, weights.shape)
    known = dict.fromkeys(judgments.names, "panel")
    found = distances(judgments, facets, known, weights)
    each = [distance(judgments, facets, known, weights[i] - weights[j]) for i, j in combinations(range(5), 2)]
    np.testing.assert_allclose(found, each, rtol=1e-9)


def test_pairs_whose_variance_is_open_are_found():
    """Every judge has a prompt: what either brings is known together only."""
    rng = np.random.default_rng(1)
    system, item, judge = (at.ravel() for at in np.indices((3, 12, 4)))
    columns = {"system": system, "item": item, "judge": judge, "prompt": judge, "score": rng.normal(size=len(item))}
    judgments = q.read(pl.DataFrame(columns), announce=False, fixed=())
    joint = joint_means(judgments, targets={"judge": "population", "prompt": "panel"})
    assert undetermined(joint.fit, joint.rows, joint.targets).tolist() == [[0, 1], [0, 2], [1, 2]]
    with pytest.raises(q.NotEstimable):
        joint.contrast([1, -1, 0])
