from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import quorate as q
from quorate.errors import InvalidInput
from quorate.estimate.means.mean import plain_mean
from quorate.estimate.means.targets import Pool, drawn_too
from quorate.planning.designs.layouts import lay_out
from quorate.planning.designs.schemes import Scheme
from quorate.planning.designs.weights import (
    answers_of,
    coefficient,
    given_sizes,
    group_sizes_of,
    known_judges,
    own_facets,
    published,
    refuse_small_pools,
    spread,
)

COUNTS = {"item": 12, "prompt": 2, "judge": 3}
POPULATION = dict.fromkeys((*COUNTS, "category"), "population")
LAID = lay_out(Scheme("factorial"), COUNTS, "item", replicates=4, groups={"category": 5})


def weight(name, targets, laid=LAID, groups=None):
    own = own_facets(name, tuple(COUNTS)) if name in ("cell", "replicate") else frozenset(name.split(":"))
    return float(coefficient(name, own, own, laid, {}, groups, POPULATION | targets))


@pytest.mark.parametrize(
    ("name", "wanted"),
    [("item", 1 / 12), ("prompt:judge", 1 / 6), ("cell", 1 / 72), ("category", 1 / 5), ("category:judge", 1 / 15)],
)
def test_crossed_terms_of_a_population(name, wanted):
    assert weight(name, {}) == pytest.approx(wanted)


def test_targets_take_away_what_they_hold():
    assert weight("judge", {"judge": "panel"}) == 0
    assert weight("judge", {"judge": Pool(6)}) == pytest.approx(1 / 3 - 1 / 6)
    assert weight("item:judge", {"judge": "panel"}) == pytest.approx(1 / 36)
    assert np.isnan(weight("judge", {"judge": Pool(2)}))


def test_groups_that_weigh_unequally():
    """Weights .6, .2, .1, .05 and .05 of the groups, whose squares add up to .415."""
    sizes = given_sizes(["category"], [60, 20, 10, 5, 5])
    alike = sizes.weights(1.0, {})
    assert weight("category", {}, groups=alike) == pytest.approx(0.415)
    assert weight("category:judge", {}, groups=alike) == pytest.approx(0.415 / 3)
    assert weight("category", {"category": "finite"}, groups=alike) == pytest.approx(0)
    assert weight("item", {}, groups=alike) == pytest.approx(1 / 12)
    apart = sizes.weights(0.0, {"category": 1.0})
    assert weight("category", {}, groups=apart) == pytest.approx(1 / 5)
    assert weight("category", {"category": "finite"}, groups=apart) == pytest.approx(0.415 - 1 / 5)
    assert weight("item", {}, groups=apart) == pytest.approx((1 / 0.6 + 1 / 0.2 + 1 / 0.1 + 40) / 25 / 12)


def test_replicates_divide_replicates_only():
    assert [answers_of(name, LAID) for name in ("replicate", "replicate[judge=a]", "cell")] == [4, 4, 1]


def test_published_sensitivities():
    assert float(published(["judge"], {"judge": "sensitivity"}, LAID)) == pytest.approx(1 / 3)
    assert float(published(["judge"], {"judge": "panel"}, LAID)) == 0
    assert float(published(["judge"], {"judge": Pool(6)}, LAID)) == pytest.approx(6 / 5 * (1 / 3 - 1 / 6))
    with pytest.raises(InvalidInput, match="a sensitivity of judge is known, not its population variance"):
        published(["judge"], {"judge": "population"}, LAID)


def test_a_fixed_facet_that_stands_for_more():
    assert float(spread("judge", "population", LAID)) == pytest.approx(1 / 3)
    assert float(spread("judge", Pool(6), LAID)) == pytest.approx(1 / 6)


def test_small_pools_are_refused_for_a_single_design():
    refuse_small_pools(LAID, {"judge": Pool(3)}, {})
    with pytest.raises(InvalidInput, match="a pool of 2 cannot hold the 3 levels of judge"):
        refuse_small_pools(LAID, {"judge": Pool(2)}, {})
    with pytest.raises(InvalidInput, match="a pool of 20 cannot hold the 24 levels of prompt"):
        refuse_small_pools(LAID, {"prompt": Pool(20)}, {"prompt": ("item",)})


def fit(effects, sd=0.3, items=60):
    rng = np.random.default_rng(2)
    rows = [
        {"item": i, "judge": judge, "score": base + shift + sd * rng.normal()}
        for i in range(items)
        for base in [rng.normal()]
        for judge, shift in effects.items()
    ]
    return q.decompose(q.read(pl.DataFrame(rows), announce=False))


def laid(judges, balanced=0.0, places=(4, 1, 1)):
    scheme = Scheme("weighted", places=places, judges=judges, balanced=balanced)
    return lay_out(scheme, {"item": 60, "judge": 3}, "item", balance=("judge",))


def test_the_square_is_that_of_the_bias():
    known = known_judges(fit({"a": 1.0, "b": -0.4, "c": -0.6}))
    for judges, effects in ((("a", "b", "c"), [1.0, -0.4, -0.6]), (("c", "a", "b"), [-0.6, 1.0, -0.4])):
        layout = laid(judges)
        assert known.knows(layout)
        bias = float((layout.shares("judge") - 1 / 3) @ effects)
        assert known.square(layout) == pytest.approx(bias**2, rel=0.2)
    assert known.square(laid(("a", "b", "c"), balanced=1.0)) == pytest.approx(0, abs=1e-12)
    assert known.spread == pytest.approx(np.var([1.0, -0.4, -0.6], ddof=1), rel=0.2)


def test_judges_alike_still_may_differ():
    known = known_judges(fit({"a": 0.0, "b": 0.0, "c": 0.0}, sd=1.0))
    assert known.spread > 0
    assert known.square(laid(("a", "b", "c"))) > 0


def test_others_are_not_known():
    known = known_judges(fit({"a": 0.0, "b": 0.3, "c": 0.0}))
    assert not known.knows(laid(("a", "b", "x")))
    assert not known.knows(laid(()))


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


VARIANCES = st.floats(0, 10, allow_subnormal=False)


@given(sizes=st.lists(st.integers(1, 60), min_size=2, max_size=7), within=VARIANCES, between=VARIANCES)
@example(sizes=[1, 2], within=0.0, between=1e-300)
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
