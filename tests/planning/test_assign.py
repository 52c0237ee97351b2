"""Assignments: balanced to within one, random, reproducible, and weighted as the projection has it."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

import quorate as q
from quorate.errors import InvalidInput, NotEstimable, UnknownTerm
from quorate.planning.assign import assign
from quorate.planning.assignment import aliasing
from quorate.planning.designs.layouts import lay_out
from quorate.planning.designs.names import LAYOUTS
from quorate.planning.designs.schemes import Scheme
from quorate.table.cells import Cells

JUDGES, PROMPTS = ("a", "b", "c"), ("x", "y")
H = 4 / 9 * (1 / 2 + 1 + 1) / 24
"""Weight of an item in a cycle of 2, 1 and 1 places, 24 items."""
OPTIONS = {"weighted": {"places": {"a": 4, "b": 1, "c": 2}}, "blocks": {"per_item": 2}}
EVERY = [
    *((layout, OPTIONS.get(layout, {})) for layout in LAYOUTS),
    ("latin", {"per_item": 2}),
    ("latin", {"per_item": 5}),
    ("cyclic", {"generations": 2}),
    ("cyclic", {"generations": 3, "replicates": 2}),
    ("random", {"generations": 2}),
    ("weighted", {**OPTIONS["weighted"], "generations": 2}),
    ("latin", {"generations": 4, "levels": {"temperature": [0, 1]}}),
    ("factorial", {"generations": 2, "levels": {"language": ["de"]}}),
]


def plan(items=13, layout="latin", prompts=PROMPTS, **options):
    return assign(items=items, judges=JUDGES, prompts=prompts, layout=layout, **options)


def keys(one, *names):
    return list(zip(*(one.column(name).tolist() for name in names), strict=True))


def test_it_is_a_table_of_calls():
    one = q.assign(items=["i1", "i2", "i3", "i4"], judges=["a", "b"], prompts=["x", "y"])
    assert isinstance(one, Cells)
    assert one.columns == ("item", "prompt", "judge", "replicate")
    assert sorted(one.column("item").tolist()) == ["i1", "i2", "i3", "i4"]
    assert sorted(keys(one, "prompt", "judge")) == [("x", "a"), ("x", "b"), ("y", "a"), ("y", "b")]


def test_without_prompts_pairs_are_judges():
    one = assign(items=6, judges=JUDGES)
    assert (one.layout, one.columns) == ("cyclic", ("item", "judge", "replicate"))
    assert set(one.calls().values()) == {2}


@pytest.mark.wide(3)
@pytest.mark.parametrize(("layout", "options"), EVERY)
def test_calls_and_weights_are_those_of_the_projection(layout, options):
    """Every sum of squared weights that a variance is made of, from the rows themselves."""
    one = plan(layout=layout, **options)
    assert len(one) == int(one.laid.calls)
    assert len(set(keys(one, *one.columns))) == len(one)
    if layout == "random":
        return
    for by in ((), ("judge",), ("judge", "prompt")):
        laid = lay_out(one.scheme, one.laid.counts, "item", balance=by)
        weight = one.weights([name for name in by if name in laid.assigned])
        assert weight.sum() == pytest.approx(1)
        for size in range(1, len(one.levels) + 1):
            for facets in combinations(one.levels, size):
                key = np.unique(np.stack([one.code(name) for name in facets]), axis=1, return_inverse=True)[1]
                squares = np.sum(np.bincount(key.ravel(), weight) ** 2)
                assert laid.concentration(frozenset(facets)) == pytest.approx(squares), (by, facets)


@pytest.mark.parametrize(("layout", "options"), EVERY)
def test_projecting_an_assignment_is_one_call(layout, options):
    one = plan(layout=layout, prompts=PROMPTS, **options)
    terms = {"item": 0.3, "item:judge": 0.2, "prompt": 0.1, "item:prompt": 0.1, "cell": 0.2}
    more = {f"item:{name}": 0.1 for name in ("generation", "temperature", "language") if name in one.levels}
    source = q.components({**terms, **more}, sensitivity={"judge": 0.3})
    planned = q.project(source, **one.project_options())
    assert (planned.calls, planned.layout, planned.per_item) == (len(one), layout, one.scheme.per_item)
    assert planned.places == one.scheme.named_places


def test_every_category_has_every_judge_within_one():
    topics = ["u"] * 10 + ["v"] * 7 + ["w"] * 5 + ["z"] * 1
    for seed in range(5):
        one = assign(items=23, categories=topics, judges=JUDGES, layout="cyclic", seed=seed)
        assert one.columns == ("item", "category", "judge", "replicate")
        table = Counter(keys(one, "category", "judge"))
        for topic in set(topics):
            counts = [table[topic, judge] for judge in JUDGES]
            assert max(counts) - min(counts) <= 1
        assert max(one.calls().values()) - min(one.calls().values()) <= 1
        assert {item: topics[int(item) - 1] for item in one.levels["item"]} == dict(keys(one, "item", "category"))


def test_a_mapping_gives_categories_and_its_order_does_not_matter():
    topics = {f"i{number}": "uvw"[number % 3] for number in range(17)}
    one, other = (assign(items=dict(pairs), judges=JUDGES) for pairs in (topics.items(), reversed(topics.items())))
    listed = assign(items=list(topics), categories=list(topics.values()), judges=reversed(JUDGES))
    assert keys(one, *one.columns) == keys(other, *other.columns) == keys(listed, *listed.columns)


@pytest.mark.parametrize(("layout", "options"), EVERY)
def test_the_seed_decides(layout, options):
    one, same, other = (plan(layout=layout, seed=seed, **options) for seed in (5, 5, 6))
    assert keys(one, *one.columns) == keys(same, *same.columns)
    assert keys(one, *one.columns) != keys(other, *other.columns)


def test_a_stored_seed_means_the_same_calls_for_ever():
    one = assign(items=5, judges=JUDGES, prompts=PROMPTS, layout="cyclic", seed=1)
    assert keys(one, "item", "prompt", "judge")[:4] == FIRST


FIRST = [("1", "y", "a"), ("1", "x", "a"), ("5", "y", "b"), ("5", "x", "b")]


@pytest.mark.slow
def test_items_meet_judges_at_random():
    """Over seeds, every item meets every judge equally often, and so does every place in the order of asking."""
    met, first = Counter(), Counter()
    for seed in range(1200):
        one = assign(items=4, judges=JUDGES, layout="cyclic", seed=seed)
        met.update(keys(one, "item", "judge"))
        first.update([(one.column("item")[0], one.remainder)])
    expected = 1200 / 3
    assert sum((met[str(i), j] - expected) ** 2 / expected for i in range(1, 5) for j in JUDGES) < 30
    assert len(met) == 12
    assert len(first) == 12
    assert sum((count - 100) ** 2 / 100 for count in first.values()) < 31  # 11 degrees of freedom, .1%


def test_whatever_part_is_done_is_nearly_balanced():
    topics = ["u"] * 200 + ["v"] * 100
    one = assign(items=300, categories=topics, judges=JUDGES, prompts=PROMPTS)
    for done in range(1, 300):
        counts = Counter(zip(one.code("prompt")[:done].tolist(), one.code("judge")[:done].tolist(), strict=True))
        assert max(counts.values()) - min(counts[v, m] for v in range(2) for m in range(3)) <= 1
    assert 0.5 < np.mean(one.column("category")[:100] == "u") < 0.83


def test_what_does_not_divide_evenly():
    one = assign(items=8, judges=JUDGES, layout="cyclic")
    assert len(one.remainder) == 2
    assert sorted(one.judge_weights.values()) == [2 / 8, 3 / 8, 3 / 8]
    assert sum(one.judge_weights.values()) == pytest.approx(1)
    effects = {"a": 0.5, "b": -0.1, "c": 0.3}
    plain = np.mean([effects[judge] for judge in one.column("judge")]) - np.mean(list(effects.values()))
    assert one.bias(effects) == pytest.approx(plain)
    assert one.bias(dict.fromkeys(JUDGES, 7.0)) == pytest.approx(0)
    corrected = one.weights() @ [effects[judge] for judge in one.column("judge")]
    assert corrected == pytest.approx(np.mean(list(effects.values())))
    assert assign(items=9, judges=JUDGES, layout="cyclic").remainder == ()


@pytest.mark.parametrize(("n", "k"), [(8, 3), (7, 4), (41, 5), (40, 5), (3, 2)])
def test_the_mean_square_of_the_bias_is_that_of_a_random_remainder(n, k):
    judges, r = [f"j{number}" for number in range(k)], n % k
    one = assign(items=n, judges=judges, layout="cyclic")
    assert one.bias_square(0.9) == pytest.approx(r * (k - r) * 0.9 / (n**2 * (k - 1)))
    gamma = np.random.default_rng(3).normal(size=k)
    gamma -= gamma.mean()
    chosen = [sum(gamma[list(extra)]) / n for extra in combinations(range(k), r)]
    assert one.bias_square(np.mean(gamma**2)) == pytest.approx(np.mean(np.square(chosen)))
    source = q.components({"item": 0.3}, sensitivity={"judge": 0.9})
    planned = q.project(source, balanced=0.0, targets={"judge": "panel"}, **one.project_options())
    assert planned.shares["judge"] * planned.variance == pytest.approx(one.bias_square(0.9))


def share(n, m, v=1.0):
    """Variance of a mean with equal weights of m judges who have n turns between them, one judgment's being v."""
    q_, r = divmod(n, m)
    return v / m**2 * (r / (q_ + 1) + (m - r) / q_)


@pytest.mark.parametrize(("n", "m"), [(8, 3), (7, 4), (41, 5), (40, 5)])
def test_what_the_correction_costs(n, m):
    source = q.components({"item": 0.7}, sensitivity={"judge": 0.9})
    options = assign(items=n, judges=[f"j{number}" for number in range(m)], layout="cyclic").project_options()
    equal = q.project(source, targets={"judge": "panel"}, **options).variance
    whole, r = divmod(n, m)
    assert equal == pytest.approx(share(n, m, 0.7))
    assert equal - 0.7 / n == pytest.approx(0.7 * r * (m - r) / (m**2 * whole * (whole + 1) * n))


def test_the_best_mixture_of_equal_judges_and_equal_judgments():
    places = {"a": 4, "b": 1, "c": 1}
    one = assign(items=12, judges=JUDGES, layout="weighted", places=places)
    source = q.components({"item": 0.7}, sensitivity={"judge": 0.1})
    bias = one.bias_square(0.1)
    extra = 0.7 * (sum(1 / n for n in one.calls().values()) / 9 - 1 / 12)
    best = bias / (bias + extra)
    found = [
        q.project(source, targets={"judge": "panel"}, balanced=b, **one.project_options()).variance
        for b in (best - 0.01, best, best + 0.01)
    ]
    assert found[1] == pytest.approx(0.7 / 12 + bias * extra / (bias + extra))
    assert found[1] < min(found[0], found[2])


@pytest.mark.parametrize(
    ("layout", "options", "expected"),
    [
        (
            "factorial",
            {},
            {"item": 1 / 24, "judge": 1 / 3, "item:judge": 1 / 72, "item:prompt": 1 / 48, "cell": 1 / 144},
        ),
        ("random", {}, {"judge": 1 / 3 + 2 / 72, "item:judge": 1 / 24, "item:prompt": 1 / 48, "cell": 1 / 48}),
        ("cyclic", {}, {"item": 1 / 24, "judge": 1 / 3, "item:judge": 1 / 24, "item:prompt": 1 / 48, "cell": 1 / 48}),
        ("blocks", {"per_item": 2}, {"item": 1 / 24, "judge": 1 / 3, "item:judge": 1 / 48, "cell": 1 / 96}),
        ("latin", {}, {"prompt": 1 / 2, "judge": 1 / 3, "prompt:judge": 1 / 6, "item:judge": 1 / 24, "cell": 1 / 24}),
        ("latin", {"per_item": 2}, {"item": 1 / 24, "item:prompt": 1 / 48, "item:judge": 1 / 48, "cell": 1 / 48}),
        ("weighted", {"places": {"a": 2, "b": 1, "c": 1}}, {"item": H, "judge": 1 / 3, "item:judge": H, "cell": H / 2}),
    ],
)
def test_weights_in_closed_form(layout, options, expected):
    """24 items, 2 prompts, 3 judges: the table of ``docs/methods/layouts.md``."""
    scheme = replace(plan(24, layout, **options).scheme, balanced=0.0 if layout == "random" else 1.0)
    laid = lay_out(scheme, {"item": 24, "prompt": 2, "judge": 3}, "item", balance=["judge"])
    found = {name: ("item:prompt:judge" if name == "cell" else name).split(":") for name in expected}
    assert {name: float(laid.concentration(frozenset(facets))) for name, facets in found.items()} == pytest.approx(
        expected
    )


@pytest.mark.parametrize(("m", "r"), [(1, 1), (2, 2), (3, 0), (4, 1), (8, 2)])
def test_responses_in_closed_form(m, r):
    one = plan(24, "cyclic", (), generations=m)
    both = frozenset({"item", "judge"})
    assert one.laid.concentration(both) == pytest.approx((1 / 3 + r * (3 - r) / (3 * m**2)) / 24)
    counts = {"item": 24, "judge": 3, "generation": m}
    drawn = lay_out(Scheme("random", balanced=0.0), counts, "item", balance=["judge"])
    assert drawn.concentration(both) == pytest.approx((1 / 3 + 2 / 3 / m) / 24)
    assert drawn.concentration(frozenset({"judge"})) == pytest.approx(1 / 3 + 2 / 3 / (24 * m))


@pytest.mark.parametrize(("m", "k"), [(7, 3), (13, 4), (4, 2), (6, 5)])
def test_judges_of_balanced_blocks_are_compared_equally_well(m, k):
    """Least squares within items: 2 k s2 / (lambda M) for every pair."""
    judges = [f"j{number:02}" for number in range(m)]
    period = len(assign(items=1000, judges=judges, layout="blocks", per_item=k).laid.cycle.of_class) // k
    one = assign(items=period, judges=judges, layout="blocks", per_item=k)
    member = np.zeros((period, m))
    member[one.code("item"), one.code("judge")] = 1
    shared = period * k * (k - 1) / (m * (m - 1))
    covariance = np.linalg.pinv(np.diag(member.sum(axis=0)) - member.T @ member / k)
    pairs = [covariance[a, a] + covariance[b, b] - 2 * covariance[a, b] for a, b in combinations(range(m), 2)]
    np.testing.assert_allclose(pairs, 2 * k / (shared * m))


def test_one_judge_has_no_bias():
    one = assign(items=3, judges=["a"])
    assert (one.bias_square(1.0), one.bias({"a": 3.0}), one.remainder) == (0.0, 0.0, ())


def test_places_by_name_keep_their_names():
    for seed in range(6):
        one = plan(14, "weighted", (), places={"a": 4, "c": 2, "b": 1}, seed=seed)
        assert one.calls() == {"a": 8, "b": 2, "c": 4}
        assert one.remainder == ()
    by_order = assign(items=14, judges=["c", "a", "b"], layout="weighted", places=[2, 4, 1])
    assert by_order.calls() == {"a": 8, "b": 2, "c": 4}
    uneven = plan(15, "weighted", (), places={"a": 4, "c": 2, "b": 1})
    assert len(uneven.remainder) == 1


def test_a_random_layout_has_no_remainder():
    one = plan(50, "random", ())
    assert one.remainder == ()
    assert len(set(one.calls().values())) > 1


def test_judges_of_a_block_differ_and_meet_equally_often():
    one = assign(items=14, judges=[f"j{i}" for i in range(7)], layout="blocks", per_item=3)
    blocks = {}
    for item, judge in keys(one, "item", "judge"):
        blocks.setdefault(item, set()).add(judge)
    pairs = Counter(pair for block in blocks.values() for pair in combinations(sorted(block), 2))
    assert {len(block) for block in blocks.values()} == {3}
    assert set(pairs.values()) == {2}


def test_judges_take_turns_by_responses():
    one = assign(items=4, judges=JUDGES, layout="cyclic", generations=3)
    assert one.columns == ("item", "generation", "judge", "replicate")
    assert sorted(keys(one, "item", "judge")) == sorted((str(i), j) for i in range(1, 5) for j in JUDGES)
    assert one.nested == {"generation": "item"}


def test_a_pilot_is_judged_in_every_combination_and_comes_first():
    alone = plan(40, "latin")
    one = plan(40, "latin", pilot=3)
    assert one.pilot_items == one.levels["item"][:3] == alone.levels["item"][:3]
    assert len(one) == 37 + 3 * 6 * 2
    first = keys(one, "item", "prompt", "judge", "replicate")[:36]
    assert len(set(first)) == 36
    assert {item for item, *_ in first} == set(one.pilot_items)
    rows = np.array(keys(one, *one.columns), dtype=object)
    assert sorted(map(tuple, rows[~one.added])) == sorted(keys(alone, *alone.columns))
    assert one.layout_calls == alone.layout_calls
    assert one.judge_weights["a"] == pytest.approx(one.calls("judge")["a"] / len(one))
    assert one.weights()[one.added].sum() == 0
    assert one.weights().sum() == pytest.approx(1)
    assert q.project(q.components({"item": 1.0, "prompt": 1.0, "item:judge": 1.0}), **one.project_options()).calls == 40


def test_a_pilot_keeps_replicates():
    one = assign(items=12, judges=JUDGES, layout="cyclic", replicates=3, pilot=2)
    assert len(one) == 10 * 3 + 2 * 3 * 3


@pytest.mark.slow
def test_scores_of_the_calls_are_read_and_fitted(tmp_path):
    """The calls go out, scores come back in another column, and everything is recognised."""
    import polars as pl

    one = plan(60, "latin", pilot=10, categories=["u", "v", "w"] * 20)
    one.write(tmp_path / "calls.csv")
    rng = np.random.default_rng(2)
    calls = pl.read_csv(tmp_path / "calls.csv")
    calls.with_columns(score=pl.Series(rng.normal(size=len(one)))).write_csv(tmp_path / "scores.csv")
    judgments = q.read(tmp_path / "scores.csv", announce=False)
    assert judgments.n_answers == len(one)
    assert judgments.facet("item").parent == "category"
    assert q.decompose(judgments).aliases == ()


@pytest.mark.slow
def test_responses_come_back_inside_their_items():
    import polars as pl

    one = assign(items=30, judges=JUDGES, layout="cyclic", generations=2)
    frame = one.to_frame("polars").with_columns(score=pl.Series(np.random.default_rng(2).normal(size=len(one))))
    judgments = q.read(frame, announce=False)
    assert judgments.facet("generation").parent == "item"
    assert q.decompose(judgments).aliases == one.aliasing.aliases


@pytest.mark.parametrize("items", [100_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
def test_a_million_items_take_seconds(items):
    start = time.process_time()
    one = assign(items=items, judges=JUDGES, prompts=PROMPTS)
    assert len(one) == items
    assert max(one.calls().values()) - min(one.calls().values()) <= 1
    assert time.process_time() - start < items / 100_000


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"items": 10**9}, "items: must be a whole number from 1 to 10,000,000, got 1000000000"),
        ({"items": 0}, "items: must be a whole number from 1"),
        ({"items": []}, "items: at least one is needed, got none"),
        ({"items": ["a", "b", "a"]}, "items: 'a' is given twice"),
        ({"items": 1000, "replicates": 10_001}, "items: a plan has at most 10,000,000 calls, got 10,001,000"),
        ({"judges": "abc"}, "judges: expects a sequence of labels, got 'abc'"),
        ({"judges": []}, "judges: at least one is needed, got none"),
        ({"judges": ["a", "a"]}, "judges: 'a' is given twice"),
        ({"prompts": ["x", "x"]}, "prompts: 'x' is given twice"),
        ({"layout": "round"}, "layout: must be one of factorial, random, cyclic"),
        ({"layout": "blocks"}, 'per_item: is needed with layout="blocks"'),
        ({"layout": "blocks", "per_item": 4}, "per_item: must be between 1 and the number of judges, 3; got 4"),
        ({"layout": "cyclic", "per_item": 2}, "per_item: is needed with"),
        ({"items": 5}, "takes 6 turns to use everything and needs 6 items; 5 items are too few"),
        ({"places": {"a": 1}}, "places: one for each judge is needed; 'b' has none"),
        ({"places": [1, 2]}, "places: one for each of 3 judges is needed, got 2"),
        ({"places": 3}, "places: maps judges to whole numbers, got 3"),
        ({"places": [1, 2, 3]}, 'places: goes with layout="weighted"'),
        ({"layout": "weighted", "places": [1, 2, 0]}, "places: must be whole numbers from 1"),
        ({"layout": "weighted"}, 'places: is needed with layout="weighted"'),
        ({"seed": -1}, "seed: must be a whole number of at least 0, got -1"),
        ({"replicates": 0}, "replicates: must be a whole number from 1"),
        ({"generations": 1.5}, "generations: must be a whole number from 1"),
        ({"pilot": 13}, "pilot: must be a whole number from 0 to 12, got 13"),
        ({"pilot": -1}, "pilot: must be a whole number from 0 to 12"),
        ({"categories": ["u"]}, "categories: one for each of 12 items is needed, got 1"),
        ({"items": {"i": "u"}, "categories": ["u"]}, "categories: items map to their categories already"),
        ({"levels": {"judge": ["x"]}}, "levels: 'judge' is not free"),
        ({"levels": {"Score": ["x"]}}, "levels: 'Score' is not free"),
        ({"levels": {"a:b": ["x"]}}, "levels: maps names of facets"),
        ({"levels": {"temperature": []}}, "levels: temperature needs at least one label"),
        ({"levels": {"t": [1], "T": [2]}}, "levels: 'T' is not free"),
    ],
)
def test_what_is_refused_in_one_line(options, message):
    with pytest.raises(InvalidInput) as caught:
        assign(**{"items": 12, "judges": list(JUDGES), "prompts": list(PROMPTS), **options})
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_categories_with_their_numbers_of_items_and_their_shares_of_the_mean():
    """60, 30 and 10 items; the mean that is meant has them as equals, so a judgment of chat counts six times."""
    sizes, shares = {"math": 60, "code": 30, "chat": 10}, dict.fromkeys(("math", "code", "chat"), 1 / 3)
    plan = q.assign(items=100, judges=["x", "y", "z"], layout="cyclic", category_items=sizes)
    assert plan.category_items == sizes
    weights, category = plan.weights(category_shares=shares), plan.column("category")
    assert weights.sum() == pytest.approx(1)
    for name in sizes:
        mine = category == name
        assert weights[mine].sum() == pytest.approx(1 / 3)
        by_judge = [weights[mine & (plan.column("judge") == judge)].sum() for judge in "xyz"]
        assert by_judge == pytest.approx([1 / 9] * 3)
    plain = plan.weights((), category_shares={"math": 0.6, "code": 0.3, "chat": 0.1})
    np.testing.assert_allclose(plain, 1 / 100)
    for wrong in ({"math": 1.0}, {**shares, "math": 0.5}, {"math": -1.0, "code": 1.0, "chat": 1.0}):
        with pytest.raises(InvalidInput, match=r"category_shares: one for each of the categories \(chat, code, math\)"):
            plan.weights(category_shares=wrong)
    for options, said in (({"items": 99}, "100 items in all, and items says 99"), ({"items": ["a"]}, "for a number")):
        with pytest.raises(InvalidInput, match=said):
            q.assign(judges=["x"], category_items=sizes, **options)


# What an assignment says of itself, where it refuses to.


@pytest.mark.parametrize("effects", [{"a": 1.0}, {"a": 1.0, "b": 2.0, "c": 3.0}, {}])
def test_a_bias_needs_the_effect_of_every_judge(effects):
    with pytest.raises(InvalidInput, match="effects: one for each judge is needed"):
        assign(items=5, judges=["a", "b"]).bias(effects)


def test_weights_by_a_facet_that_is_not_there():
    with pytest.raises(UnknownTerm, match='no facet "prompt"'):
        assign(items=5, judges=["a", "b"]).weights(("prompt",))


@pytest.mark.parametrize("balanced", [-0.1, 1.1, float("nan")])
def test_a_mixture_lies_between_its_parts(balanced):
    one = assign(items=7, judges=["a", "b"], layout="cyclic")
    half = (one.weights() + one.weights(())) / 2
    np.testing.assert_allclose(one.weights(balanced=0.5), half)
    with pytest.raises(InvalidInput, match="balanced: must lie between 0"):
        one.weights(balanced=balanced)


def test_options_of_a_projection():
    one = assign(items=5, judges=["a", "b"], layout="weighted", places={"a": 2, "b": 1}, levels={"temperature": [0, 1]})
    options = one.project_options()
    assert options.pop("places") == {"a": 2, "b": 1}
    assert options == {"items": 5, "judges": 2, "levels": {"temperature": 2}, "replicates": 1, "layout": "weighted"}


def test_what_it_shows_of_itself():
    assert repr(assign(items=5, judges=["a", "b"])) == "Assignment(5 calls; labels: item 5, judge 2)"


# Aliasing: what plans leave together is what the data then leave together, and the pilot tells it.


WHOLE = frozenset({"cell", "replicate"})
KNOWN = [
    ("factorial", PROMPTS, {}, {WHOLE}),
    ("factorial", PROMPTS, {"replicates": 2}, set()),
    ("random", (), {}, {WHOLE | {"item"}}),
    ("cyclic", (), {}, {WHOLE | {"item"}}),
    ("cyclic", (), {"replicates": 2}, {frozenset({"item", "cell"})}),
    ("cyclic", PROMPTS, {}, {frozenset({"item", "item:judge"}), WHOLE | {"item:prompt"}}),
    ("weighted", (), {"places": {"a": 3, "b": 1, "c": 1}}, {WHOLE | {"item"}}),
    ("latin", PROMPTS, {}, {WHOLE | {"item", "item:prompt", "item:judge"}}),
    ("latin", PROMPTS, {"per_item": 2}, {WHOLE | {"item:prompt", "item:judge"}}),
    ("blocks", (), {"per_item": 2}, {WHOLE}),
    ("cyclic", (), {"generations": 2}, {WHOLE | {"generation", "item:judge"}}),
    ("cyclic", (), {"generations": 6}, {WHOLE | {"generation"}}),
]


def scored(one):
    """The judgments of an assignment, read back from a table with scores."""
    import polars as pl

    frame = one.to_frame("polars").with_columns(score=pl.Series(np.random.default_rng(1).normal(size=len(one))))
    facets = {name: name for name in one.columns}
    return q.read(frame, facets=facets, nested=dict(one.nested))


@pytest.mark.wide(5)
@pytest.mark.parametrize(("layout", "prompts", "options", "expected"), KNOWN)
@pytest.mark.parametrize("pilot", [0, pytest.param(4, marks=pytest.mark.slow)])
def test_what_a_plan_leaves_together_the_data_leave_together(layout, prompts, options, expected, pilot):
    one = assign(items=36, judges=JUDGES, prompts=prompts, layout=layout, pilot=pilot, **options)
    found = one.aliasing
    assert set(found.aliases) == (set() if pilot else expected)
    assert set(q.decompose(scored(one)).aliases) == set(found.aliases)
    assert len(found.sentences) == len(found.aliases)


@pytest.mark.parametrize(("layout", "prompts", "options", "expected"), KNOWN)
def test_the_pilot_that_it_names_completes_it_and_a_smaller_does_not(layout, prompts, options, expected):
    plan = {"items": 36, "judges": JUDGES, "prompts": prompts, "layout": layout, **options}
    completion = assign(**plan).aliasing.completion
    if not expected:
        assert completion is None
        return
    done = assign(**plan, pilot=completion.items)
    assert done.aliasing.sentences == ()
    assert done.aliasing.completion is None
    if completion.items > 1:
        assert assign(**plan, pilot=completion.items - 1).aliasing.sentences
    first = done.column("item") == done.levels["item"][0]
    assert completion.calls == completion.items * first.sum()


def test_the_words():
    found = assign(items=141, judges=JUDGES, prompts=PROMPTS).aliasing
    (sentence,) = found.sentences
    assert sentence == (
        "only the sum item + item:prompt + item:judge + cell + replicate can be estimated: each item occurs with one "
        "prompt and one judge"
    )
    assert found.completion.sentence == (
        "pilot=1 is the least that tells them apart: 1 item x 2 prompts x 3 judges x 2 replicates, 12 calls "
        "(30 make the components worth planning with)"
    )
    assert found.remaining == ()


def test_what_no_pilot_tells():
    """With one prompt and one response there is nothing to cross."""
    found = assign(items=20, judges=JUDGES, prompts=["x"], layout="cyclic", generations=1).aliasing
    assert any("generation" in sentence for sentence in found.remaining)
    assert any("1 prompt" in sentence for sentence in found.remaining)
    single = assign(items=20, judges=["a"], layout="cyclic").aliasing
    assert any("1 judge" in sentence for sentence in single.remaining)


def test_one_item_says_so():
    found = assign(items=1, judges=JUDGES, layout="factorial").aliasing
    assert found.completion is None
    assert found.sentences == ("1 item: at least 2 are needed to estimate any variance between them",)


def test_judges_drawn_from_a_population():
    one = assign(items=30, judges=JUDGES, layout="cyclic")
    assert aliasing(one, fixed=(), period=3).aliases == (frozenset({"item", "cell", "replicate"}),)
    crossed = assign(items=30, judges=JUDGES, layout="factorial")
    assert not [one for one in aliasing(crossed, fixed=()).sentences if one.startswith("judge")]


@pytest.mark.parametrize("sizes", [[2] * 30, [1] * 60, [40, 1, 1]])
def test_categories_are_seen_however_small_they_are(sizes):
    topics = [f"t{topic}" for topic, size in enumerate(sizes) for _ in range(size)]
    one = assign(items=len(topics), categories=topics, judges=JUDGES, layout="blocks", per_item=2)
    assert set(one.aliasing.aliases) == set(q.decompose(scored(one)).aliases)


@pytest.mark.slow
def test_a_large_plan_is_looked_at_in_a_few_periods():
    one = assign(items=60_000, judges=[f"j{i}" for i in range(10)], prompts=[f"p{i}" for i in range(10)])
    start = time.process_time()
    assert one.aliasing.completion.items == 1
    assert time.process_time() - start < 10


def test_a_period_can_be_too_large():
    one = assign(items=2000, judges=[f"j{i}" for i in range(1000)])
    with pytest.raises(NotEstimable, match=r"at most; here these have 10,000$"):
        one.aliasing  # noqa: B018
