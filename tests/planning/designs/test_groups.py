from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import quorate as q
from quorate.estimate.means.mean import plain_mean
from quorate.estimate.means.targets import drawn_too
from quorate.planning.designs.weights import given_sizes, group_sizes_of

SIZES = (12, 6, 3, 2)
TERMS = ["category", "item", "prompt", "category:prompt", "item:prompt", "item:judge"]


def table(sizes, domain=None):
    """Normal scores of items in categories, some of them in domains, by 3 prompts and 2 judges."""
    rng, category = np.random.default_rng(3), np.repeat(np.arange(len(sizes)), sizes)
    items = len(category)
    shapes = [(items, 1, 1), (items, 3, 1), (items, 1, 2), (items, 3, 2), (1, 3, 1)]
    score = sum(0.5 * rng.normal(size=shape) for shape in shapes)
    score = score + 0.6 * rng.normal(size=(len(sizes), 1, 1))[category]
    nested, columns = {"item": "category"}, {}
    if domain is not None:
        nested, of = nested | {"category": "domain"}, np.array(domain)[category]
        score = score + 0.7 * rng.normal(size=(len(sizes), 1, 1))[of]
    at = np.indices(score.shape).reshape(3, -1)
    columns = {"item": at[0], "prompt": at[1], "judge": at[2], "category": category[at[0]], "score": score.ravel()}
    columns |= {"domain": of[at[0]]} if domain is not None else {}
    facets = {name: name for name in ("item", "prompt", "judge")}
    return q.read(pl.DataFrame(columns), facets=facets, nested=nested, fixed=("judge",), announce=False)


@pytest.fixture(scope="module")
def fits():
    several = table((8, 5, 3, 2, 4, 2), [0, 0, 0, 1, 1, 2])
    return {"one": q.decompose(table(SIZES), random=TERMS), "in domains": q.decompose(several)}


TARGETS = [
    {},
    {"item": "finite"},
    {"prompt": "panel"},
    {"category": "finite", "prompt": "panel"},
    {"category": "absorbed"},
    {"category": "fixed"},
    {"category": q.pool(20)},
]


@pytest.mark.parametrize("which", ["one", "in domains"])
def test_the_design_of_the_data_has_the_variance_of_the_mean(fits, which):
    """Unequal groups, crossed with prompts or in groups of their own, for every target."""
    for targets in TARGETS:
        asked = drawn_too(fits[which], {"judge": "panel", **targets})
        mean, plan = plain_mean(fits[which], asked), q.project(fits[which], targets={"judge": "panel", **targets})
        assert plan.variance == pytest.approx(mean.basis.plain, rel=1e-8), targets
        for name, share in mean.shares.items():
            assert plan.shares[name] == pytest.approx(share, abs=1e-8), (targets, name)


def test_the_groups_of_a_table():
    sizes = group_sizes_of(table((8, 5, 3, 2, 4, 2), [0, 0, 0, 1, 1, 2]))
    np.testing.assert_allclose(sizes.each["category"], np.array([8, 5, 3, 2, 4, 2]) / 24)
    np.testing.assert_allclose(sizes.each["domain"], np.array([16, 6, 2]) / 24)


@given(
    sizes=st.lists(st.integers(1, 60), min_size=2, max_size=7),
    within=st.floats(0, 10),
    between=st.floats(0, 10),
)
def test_no_weights_are_better(sizes, within, between):
    """Against items that all count alike, and groups that do."""
    share = np.array(sizes) / sum(sizes)
    found = given_sizes(["category"], sizes).weights(within, {"category": between})
    own = between * found.squares["category"] + within * found.items
    assert own <= (between * share @ share + within) * (1 + 1e-9)
    assert own <= (between + within * np.mean(1 / share)) / len(share) * (1 + 1e-9)
    assert found.told["category"] >= 1 / len(sizes)


def test_weights_that_are_asked_for():
    found = given_sizes(["category"], [3, 1], [0.5, 0.5]).weights(1.0, {"category": 2.0})
    assert [float(found.squares["category"]), float(found.apart["category"])] == pytest.approx([0.5, 0.0])
    assert float(found.items) == pytest.approx(0.25 / 0.75 + 1.0)
    assert float(found.told["category"]) == pytest.approx(0.5 * (1 / 0.25 + 1 / 0.75) / 2 / (0.25 / 0.75 + 1.0))


def test_equal_groups_tell_of_their_spread_as_items_bring_to_the_mean():
    found = given_sizes(["category"], [4, 4, 4]).weights(1.0, {"category": 2.0})
    assert float(found.told["category"]) == pytest.approx(1)
