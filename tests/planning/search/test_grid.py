from __future__ import annotations

import numpy as np
import pytest

import quorate as q
from quorate.errors import InvalidInput
from quorate.planning.designs.schemes import Scheme
from quorate.planning.designs.sources import Design, from_components, from_fit
from quorate.planning.search.grid import MIXTURES, Piece, allowed, around, named_panels, weighted_cycles

HELD = {"item": 12, "prompt": 2, "judge": 3, "replicate": 1}


def designs(grid):
    """Every design, as its layout and counts."""
    for piece in grid.pieces():
        for index in range(piece.size):
            yield piece.scheme.layout, piece.scheme.per_item, tuple(sorted(piece.design(index).items()))


def test_every_design_once():
    grid = allowed({"items": [6, 12], "judges": range(1, 4), "prompts": [1, 2]}, ("factorial", "cyclic"), "item", HELD)
    found = list(designs(grid))
    assert len(found) == len(set(found)) == 2 * 3 * 2 + 2 * 2 * 2


def test_layouts_that_come_to_the_same_are_counted_once():
    limits = {"items": 12, "judges": [1, 3], "prompts": [1, 2], "per_item": [1, 2, 3]}
    grid = allowed(limits, ("factorial", "cyclic", "latin", "blocks"), "item", HELD)
    by_layout = {}
    for layout, per_item, counts in designs(grid):
        levels = dict(counts)
        by_layout.setdefault(layout, set()).add((per_item, levels["judge"], levels["prompt"]))
    assert by_layout["cyclic"] == {(None, 3, 1), (None, 3, 2)}
    assert by_layout["latin"] == {(None, 1, 2), (None, 3, 2), (2, 3, 2), (3, 3, 2)}
    assert by_layout["blocks"] == {(2, 3, 1), (2, 3, 2)}


def test_a_layout_on_its_own_keeps_all_its_designs():
    grid = allowed({"judges": [1, 3]}, ("cyclic",), "item", HELD)
    assert {dict(counts)["judge"] for _, _, counts in designs(grid)} == {1, 3}


def test_a_cycle_needs_items_enough():
    grid = allowed({"items": [5, 6], "judges": [3]}, ("latin",), "item", HELD)
    assert [dict(counts)["item"] for _, _, counts in designs(grid)] == [6]


def test_splitting_keeps_every_design():
    piece = Piece(Scheme("factorial"), {"judge": 3}, {"item": np.arange(1, 30), "prompt": np.array([1, 2, 4])})
    parts = list(piece.split(10))
    assert max(part.size for part in parts) <= 10
    whole = {tuple(sorted(piece.design(i).items())) for i in range(piece.size)}
    assert {tuple(sorted(part.design(i).items())) for part in parts for i in range(part.size)} == whole


def test_counts_broadcast_to_the_shape_and_agree_with_the_designs():
    piece = Piece(Scheme("factorial"), {"judge": 3}, {"item": np.array([4, 8]), "prompt": np.array([1, 2, 4])})
    counts = {name: np.broadcast_to(count, piece.shape).ravel() for name, count in piece.counts().items()}
    for index in range(piece.size):
        assert {name: values[index] for name, values in counts.items()} == piece.design(index)


@pytest.mark.parametrize("values", [7, np.int64(7), [7], np.array([7, 7]), (n for n in [7])])
def test_limits_may_be_given_in_many_ways(values):
    assert allowed({"items": values}, ("factorial",), "item", HELD).levels["item"] == (7,)


def test_facets_by_their_role():
    grid = allowed({"annotator": [2, 4]}, ("factorial",), "item", {**HELD, "annotator": 1})
    assert grid.levels["annotator"] == (2, 4)


@pytest.fixture(scope="module")
def fit(simulate):
    frame = simulate({"item": 30, "prompt": 3, "judge": 4, "temperature": 2}, replicates=2, seed=9)
    return q.decompose(q.read(frame, facets={n: n for n in ("item", "prompt", "judge", "temperature", "replicate")}))


def test_designs_around_the_one_at_hand(fit):
    found = around(from_fit(fit, Design(targets={"judge": "population"})), {"call": 1.0})
    assert (min(found["items"]), max(found["items"]), len(found["items"])) == (2, 120, 119)
    assert found["prompt"] == (1, 2, 3, 4, 5, 6)
    assert found["judge"] == tuple(range(1, 9))
    assert found["replicates"] == (1, 2, 3)
    assert "temperature" not in found  # a panel: with fewer levels the mean would be of something else


def test_no_more_judges_than_have_a_price(fit):
    source = from_fit(fit, Design(targets={"judge": "population"}))
    assert around(source, {"judge": {"a": 1.0, "b": 2.0}})["judge"] == (1, 2)
    panel = from_fit(fit, Design(targets={"judge": "panel"}))
    assert "judge" not in around(panel, {"judge": {"a": 1.0, "b": 2.0}})


def test_a_large_study_is_searched_at_steps(fit):
    items = around(from_fit(fit, Design(items=10_000)), {"call": 1.0})["items"]
    assert len(items) in (2000, 2001)
    assert 10_000 in items
    assert max(items) == 40_000


SOURCE = q.components({"item": 0.5, "item:judge": 0.3, "cell": 0.2}, sensitivity={"judge": 0.1})
PRICES = {"judge": {"dear": 0.16, "cheap": 0.01, "middle": 0.04}}
LIMITS = {"items": range(30, 601, 3), "judges": [3]}
PANEL = {"judge": "panel"}


def made(**design):
    return from_components(SOURCE, Design(items=100, given={"judge": 3}, **design))


def test_places_go_with_the_root_of_the_price():
    """Neyman allocation: prices 1, 4, 16 give places 4 : 2 : 1."""
    found = weighted_cycles(made(), PRICES, [3])
    assert (4, 2, 1) in {scheme.places for scheme in found[3]}
    assert all(scheme.judges == ("cheap", "middle", "dear") and scheme.balanced == 1 for scheme in found[3])
    assert all(np.gcd.reduce(scheme.places) == 1 and len(set(scheme.places)) > 1 for scheme in found[3])


@pytest.mark.slow
def test_a_price_of_the_item_evens_the_places_out():
    options = {"limits": LIMITS, "targets": PANEL, "layouts": ("weighted",)}
    places = [
        q.plan(SOURCE, budget=budget, prices=PRICES | {"item": item}, **options).plan.places
        for item, budget in ((0.0, 15), (0.1, 60))
    ]
    ratio = [max(found.values()) / min(found.values()) for found in places]
    assert ratio[0] > 1.5 * ratio[1]


@pytest.mark.parametrize("judges", [[1], [4]])
def test_one_judge_or_more_than_have_a_price_make_no_weighted_cycle(judges):
    assert weighted_cycles(made(), PRICES, judges) == {}


def test_nothing_tells_judges_apart():
    with pytest.raises(InvalidInput, match="nothing tells judges apart; give each a price"):
        weighted_cycles(made(), {"call": 1.0}, [3])


def test_weighted_cycles_save_what_theory_says():
    """With equal variances the variance per cost is that of equal places times (mean sqrt p)^2 / mean p."""
    options = {"prices": PRICES, "limits": LIMITS, "targets": PANEL}
    equal = q.plan(SOURCE, budget=20, layouts=("cyclic",), **options)
    weighted = q.plan(SOURCE, budget=20, layouts=("cyclic", "weighted"), **options)
    p = np.array([0.01, 0.04, 0.16])
    assert weighted.plan.layout == "weighted"
    places = weighted.plan.places
    assert places["cheap"] / places["dear"] == pytest.approx(4, rel=0.3)
    assert places["middle"] / places["dear"] == pytest.approx(2, rel=0.3)
    saved = np.mean(np.sqrt(p)) ** 2 / np.mean(p)
    assert (weighted.se / equal.se) ** 2 == pytest.approx(saved, rel=0.03)
    assert weighted.cost <= 20
    assert weighted.judges == ("cheap", "middle", "dear")


@pytest.mark.slow
def test_every_weighted_cycle_is_looked_at():
    limits = {"items": range(20, 200, 21), "judges": [2, 3]}
    options = {"prices": PRICES, "targets": PANEL}
    best = q.plan(SOURCE, budget=4, limits=limits, layouts=("cyclic", "weighted"), traded=True, **options)
    schemes = [piece.scheme for piece in best.searched.found.pieces]
    assert {scheme.balanced for scheme in schemes if scheme.layout == "weighted"} == set(MIXTURES)
    plans = [
        q.project(
            SOURCE,
            items=items,
            judges=judges,
            layout=scheme.layout,
            places=scheme.named_places,
            balanced=scheme.balanced,
            **options,
        )
        for scheme in schemes
        for judges in ([len(scheme.places)] if scheme.places else limits["judges"])
        for items in limits["items"]
    ]
    affordable = [plan for plan in plans if plan.cost <= 4]
    assert best.se == pytest.approx(min(plan.se for plan in affordable), rel=1e-9)
    assert best.candidates == len(plans) - len(limits["items"]) * 2  # two cyclic pieces, listed twice above


@pytest.mark.slow
def test_a_traded_bias_is_worth_it_where_judges_differ_little():
    source = q.components({"item": 0.5, "cell": 0.5}, sensitivity={"judge": 1e-4})
    source = q.components(source.random | {"item:judge": 0.0}, sensitivity={"judge": 1e-4})
    options = {"budget": 10, "prices": PRICES, "limits": LIMITS, "targets": PANEL, "layouts": ("cyclic", "weighted")}
    kept, traded = q.plan(source, **options), q.plan(source, traded=True, **options)
    assert traded.plan.balanced < 1
    assert traded.se < 0.98 * kept.se


@pytest.mark.slow
def test_judges_of_a_fit_come_more_often_where_they_scatter_more(tmp_path):
    import polars as pl

    rng = np.random.default_rng(5)
    sd = {"steady": 0.2, "shaky": 1.6}
    rows = [
        {"item": i, "judge": judge, "score": base + scatter * rng.normal()}
        for i in range(150)
        for base in [rng.normal()]
        for judge, scatter in sd.items()
        for _ in range(2)
    ]
    fit = q.decompose(q.read(pl.DataFrame(rows)), residual_by="judge")
    best = q.plan(fit, budget=600, limits={"items": range(10, 601), "judges": [2]}, layouts=("cyclic", "weighted"))
    assert best.plan.places is not None
    assert best.plan.places["shaky"] > best.plan.places["steady"]


def noisy_fit(sd, prompts=(0.0,), items=80, seed=0):
    import polars as pl

    rng = np.random.default_rng(seed)
    rows = [
        {"item": i, "judge": judge, "prompt": v, "score": base + effect + scatter * rng.normal()}
        for i in range(items)
        for base in [0.3 * rng.normal()]
        for v, effect in enumerate(prompts)
        for judge, scatter in sd.items()
    ]
    frame = pl.DataFrame(rows) if len(prompts) > 1 else pl.DataFrame(rows).drop("prompt")
    return q.decompose(q.read(frame, announce=False), residual_by="judge")


def test_the_steadiest_judges_are_found_whatever_the_order_of_prices():
    fit = noisy_fit({"a": 2.5, "b": 0.3, "c": 0.3})
    options = {
        "limits": {"items": range(3, 200, 4), "judges": [1, 2, 3]},
        "layouts": ("factorial", "cyclic"),
        "budget": 100,
        "targets": {"judge": "panel"},
    }
    found = [
        q.plan(fit, prices={"judge": prices}, **options)
        for prices in ({"a": 1.0, "b": 1.0, "c": 1.0}, {"c": 1.0, "b": 1.0, "a": 1.0}, {"a": 0.5, "b": 1.0, "c": 1.0})
    ]
    assert all("a" not in best.judges for best in found)
    assert found[0].se == pytest.approx(found[1].se)
    one = q.project(fit, items=50, judges=["a"], prices={"judge": {"a": 0.5, "b": 1.0}})
    assert one.cost == 25
    assert one.se > 3 * q.project(fit, items=50, judges=["b"]).se


def test_a_judge_who_is_not_known_is_taken_as_an_average_one():
    fit = noisy_fit({"a": 1.5, "b": 1.5})
    prices = {"judge": {"a": 1.0, "b": 1.0, "new": 1.0}}
    found = named_panels(from_fit(fit, Design()), prices, [3], ("a", "b"))
    assert [set(panel) for panel in found[3]] == [{"a", "b", "new"}]
    own = q.project(fit, items=60, judges=["a", "b", "new"], layout="cyclic")
    assert own.se == pytest.approx(q.project(fit, items=60, judges=3, layout="cyclic").se, rel=0.02)


@pytest.mark.slow
def test_terms_that_places_do_not_move_do_not_even_them_out():
    fit = noisy_fit({"a": 0.2, "b": 0.2, "c": 2.0}, prompts=(2.0, -2.0, 0.0))
    options = {"limits": {"items": range(30, 401), "prompts": [3], "judges": [3]}, "targets": {"prompt": "finite"}}
    best = q.plan(fit, budget=1200, layouts=("cyclic", "weighted"), **options)
    assert best.plan.places["c"] >= 4 * best.plan.places["a"]


def test_a_traded_bias_of_named_judges_is_their_own():
    """The fit knows that the dear judge is the outlier: asking it less leaves more than a random order would."""
    import polars as pl

    rng = np.random.default_rng(3)
    effect = {"a": 0.0, "b": 0.0, "dear": 1.5}
    rows = [
        {"item": i, "judge": judge, "score": base + shift + 0.5 * rng.normal()}
        for i in range(60)
        for base in [rng.normal()]
        for judge, shift in effect.items()
    ]
    fit = q.decompose(q.read(pl.DataFrame(rows), announce=False))
    places = {"a": 4, "b": 4, "dear": 1}
    plan = q.project(fit, items=90, layout="weighted", places=places, balanced=0.0, targets=PANEL)
    bias = sum(count / 9 * effect[name] for name, count in places.items()) - 0.5
    assert plan.variance * plan.shares["judge"] == pytest.approx(bias**2, rel=0.15)
    anyone = q.project(fit, items=90, layout="weighted", places=(4, 4, 1), balanced=0.0, targets=PANEL)
    assert anyone.shares["judge"] < plan.shares["judge"]


def test_the_price_of_a_plan_is_that_of_its_calls():
    prices = {"judge": {"a": 1.0, "b": 1.0, "dear": 100.0}}
    best = q.plan(SOURCE, budget=210, prices=prices, layouts=("cyclic",), limits={"items": range(3, 12), "judges": [3]})
    for seed in range(4):
        calls = q.assign(
            items=best.plan.design["item"], judges=best.judges, layout="cyclic", order="given", seed=seed
        ).calls()
        assert sum(prices["judge"][name] * count for name, count in calls.items()) == best.cost
