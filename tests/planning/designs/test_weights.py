from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidInput
from quorate.estimate.means.targets import Pool
from quorate.planning.designs.layouts import lay_out
from quorate.planning.designs.schemes import Scheme
from quorate.planning.designs.weights import (
    answers_of,
    coefficient,
    given_sizes,
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
