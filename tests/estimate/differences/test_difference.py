from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_ind, ttest_rel
from tables import scores_table

import quorate as q
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.differences.difference import (
    by_mean,
    closest,
    common_share,
    difference,
    stratified_difference,
)
from quorate.estimate.differences.spread import UnlikeSystem, unlike_system
from quorate.estimate.means.mean import contrast

SIZES = {"item": 30, "judge": 4, "prompt": 3, "system": 3}
A, B = "system0000", "system0001"


def two_by_item(a, b):
    n = len(a)
    rows = {"system": ["a"] * n + ["b"] * n, "item": [*range(n)] * 2, "score": [*a, *b]}
    return q.read(pl.DataFrame(rows), announce=False)


@given(st.lists(st.tuples(st.integers(0, 10), st.integers(0, 10)), min_size=4, max_size=12))
def test_with_items_only_it_is_the_paired_t_test(scores):
    a, b = (np.array(x, dtype=float) for x in zip(*scores, strict=True))
    d = a - b
    if np.ptp(d) == 0:
        return
    found = difference(two_by_item(a, b), "a", "b")
    assert found.value == pytest.approx(d.mean(), abs=1e-9)
    assert found.se == pytest.approx(d.std(ddof=1) / np.sqrt(len(d)))
    assert found.df == pytest.approx(len(d) - 1)


def test_p_values_agree_with_the_intervals_that_they_rest_on(judged):
    found = difference(judged(SIZES, fixed=()), A, B)
    p = found.p_difference()
    assert min(abs(end) for end in found.at(1 - p).ends) == pytest.approx(0, abs=1e-9)
    margin = abs(found.value) + found.se
    low, high = found.equivalence_interval(found.p_equivalence(margin)).ends
    assert max(abs(low), abs(high)) == pytest.approx(margin)
    assert difference(judged(SIZES, fixed=()), B, A).value == pytest.approx(-found.value)


def test_judges_as_a_population_count_and_as_a_panel_do_not(judged):
    panel = difference(judged(SIZES, fixed=("judge",)), A, B)
    drawn = difference(judged(SIZES, fixed=("judge",)), A, B, targets={"judge": "population"})
    assert drawn.value == pytest.approx(panel.value)
    assert drawn.se > panel.se
    assert drawn.common_share > panel.common_share
    assert sum(drawn.estimate.shares.values()) == pytest.approx(1)
    pool = difference(judged(SIZES, fixed=()), A, B, targets={"judge": q.pool(8)})
    assert panel.se < pool.se < drawn.se


@pytest.mark.slow
def test_cells_of_one_system_alone_are_not_left_out_unasked(judged):
    judgments = judged(SIZES, fixed=())
    assert difference(judgments, A, B).method == "paired"
    cell = np.cumsum(judgments.column("system") == 1)
    nearly = judgments.keep((judgments.column("system") != 1) | (cell % 60 > 0))  # 354 of 360 shared
    found = difference(nearly, A, B)
    assert (found.method, found.fit.judgments.n_cells) == ("paired", 354)
    some = judgments.keep((judgments.column("system") != 1) | (cell % 20 > 0))  # 342 of 360
    assert difference(some, A, B).method == "joint"
    assert difference(some, A, B).n == 702
    assert difference(some, A, B, method="paired").n == 342
    apart = judgments.keep((judgments.column("item") < 15) == (judgments.column("system") == 0))
    assert difference(apart, A, B).method == "joint"


def test_what_one_model_cannot_answer_is_paired(judged):
    judgments = judged(SIZES, fixed=("judge",))
    some = judgments.keep((judgments.column("system") != 1) | (judgments.column("judge") < 3))
    assert difference(some, A, B).method == "paired"  # a panel of four that one system did not have all of
    assert difference(some, A, B).caveats[-1].code == "unpaired-cells"
    gaps = judgments.keep((judgments.column("system") != 1) | (np.cumsum(judgments.column("system") == 1) % 9 > 0))
    assert difference(gaps, A, B).method == "joint"
    for targets in ({"judge": q.pool(9)}, {"item": "panel"}, {"judge": "finite"}):
        assert difference(gaps, A, B, targets=targets).method == "paired"
    assert difference(gaps, A, B, targets={"judge": "population", "item": "population"}).method == "joint"


@pytest.mark.calibration
def test_answers_missing_where_the_other_scored_low_bias_pairs_and_not_one_model():
    """Truly equal; of the second system, the cells are gone in which the first scored low."""
    rng, off = np.random.default_rng(3), {"paired": [], None: []}
    for _ in range(20):
        item = rng.normal(0, 1, 120)
        x, y = (item + rng.normal(0, 0.8, 120) for _ in range(2))
        gone = x < np.quantile(x, 0.3)
        rows = {"system": ["a"] * 120 + ["b"] * int((~gone).sum()), "item": [*range(120), *np.flatnonzero(~gone)]}
        table = q.read(pl.DataFrame({**rows, "score": [*x, *y[~gone]]}), announce=False)
        for method, found in off.items():
            found.append(difference(table, "a", "b", method=method).value)
    se = np.std(off[None], ddof=1) / np.sqrt(20)
    assert abs(np.mean(off[None])) < 3 * se
    assert np.mean(off["paired"]) > 8 * se


def unlike_pair(lacks, seed=4, n=100):
    """Two systems, the second three times as noisy, without the cells that ``lacks`` says of the first's scores."""
    rng = np.random.default_rng(seed)
    item = rng.normal(0, 0.7, n)
    x, y = item + rng.normal(0, 0.5, n), item + rng.normal(0, 1.5, n)
    has = np.flatnonzero(~lacks(x))
    rows = {"system": ["a"] * n + ["b"] * len(has), "item": [*range(n), *has.tolist()]}
    return q.read(pl.DataFrame({**rows, "score": [*x, *y[has]]}), announce=False)


def test_systems_that_do_not_vary_alike_are_paired_unasked_and_it_is_said():
    some = unlike_pair(lambda x: np.arange(len(x)) % 5 < 2)
    found = difference(some, "a", "b")
    assert found.method == "paired"
    assert found.caveats[-1].code == "compared-by-pairs"
    assert "b varies more from item to item than the other" in found.caveats[-1].sentence
    assert "pairs are wrong where a cell is missing because of" in found.caveats[-1].sentence
    asked = [difference(some, "a", "b", method=method) for method in ("paired", "joint")]
    assert [one.method for one in asked] == ["paired", "joint"]
    assert (found.value, found.se) == (asked[0].value, asked[0].se)
    assert "compared-by-pairs" not in [one.code for found in asked for one in found.caveats]


def test_pairs_are_not_taken_unasked_where_scores_show_what_is_missing_or_few_items_are_shared():
    hidden = difference(unlike_pair(lambda x: x < np.quantile(x, 0.4)), "a", "b")
    assert (hidden.method, "unlike-systems" in [one.code for one in hidden.caveats]) == ("joint", True)
    assert difference(unlike_pair(lambda x: np.arange(len(x)) >= 2), "a", "b").method == "joint"


def test_the_joint_model_is_of_these_two_systems_alone(judged):
    judgments = judged(SIZES, fixed=())
    alone = difference(judgments.without("system", "system0002"), A, B, method="joint")
    assert difference(judgments, A, B, method="joint").se == pytest.approx(alone.se)


def test_one_shared_item_is_refused_by_name():
    rows = {"system": list("aabb"), "item": [1, 2, 2, 3], "judge": ["x"] * 4, "score": [1, 2, 4, 3]}
    with pytest.raises(NotEstimable, match="a and b share 1 item: at least 2 are needed"):
        difference(q.read(pl.DataFrame(rows), announce=False), "a", "b", method="paired")


def test_a_difference_that_never_varies_has_no_standard_error():
    with pytest.raises(NotEstimable, match="a less b is 2 in all 3 shared cells"):
        difference(two_by_item([3, 4, 5], [1, 2, 3]), "a", "b")


def test_an_unknown_method_is_refused(judged):
    with pytest.raises(InvalidInput, match="must be one of paired, joint"):
        difference(judged(SIZES, fixed=()), A, B, method="welch")


def test_nearly_all_is_of_the_cells_of_the_system_that_has_more(judged):
    judgments = judged({"item": 20, "system": 2}, fixed=())
    few = judgments.keep((judgments.column("system") == 0) | (judgments.column("item") < 8))
    assert difference(few, A, B).method == "joint"  # all 8 of the one are shared, and 8 of 20 of the other


def test_items_of_each_system_give_welchs_t_test():
    rng = np.random.default_rng(5)
    x, y = rng.normal(0, 0.5, 100), rng.normal(0.4, 2.0, 20)
    found = difference(read_apart(x, y), "a", "b")
    welch = ttest_ind(x, y, equal_var=False)  # R: t.test(x, y)
    assert (found.p_difference(), found.df) == pytest.approx((welch.pvalue, welch.df))
    assert found.estimate.ends == pytest.approx(tuple(welch.confidence_interval()))


def test_a_system_whose_scores_are_all_one_brings_no_variance():
    y = np.random.default_rng(1).normal(3.2, 1.0, 20)
    found = difference(read_apart(np.full(30, 3.0), y), "a", "b")
    assert (found.se, found.df) == pytest.approx((y.std(ddof=1) / np.sqrt(20), 19))


def test_one_item_of_its_own_shows_no_variance():
    with pytest.raises(NotEstimable, match="b has 1 item and shares none: at least 2 are needed"):
        difference(read_apart(np.array([1.0, 2.0, 4.0]), np.array([2.0])), "a", "b")


def test_judges_that_both_had_bring_the_same_however_items_vary(judged):
    judgments = judged({"item": 40, "judge": 5, "system": 2}, fixed=(), sd={"judge:system": 0.5})
    apart = judgments.keep((judgments.column("item") < 20) == (judgments.column("system") == 0))
    found = difference(apart, A, B)
    pooled = contrast(found.fit, found.estimate.basis.weight, found.estimate.target)
    assert found.value == pytest.approx(pooled.value)
    assert found.se == pytest.approx(pooled.se, rel=1e-3)  # as many items each: pooled and separate are the same
    assert sum(found.estimate.shares.values()) == pytest.approx(1)
    assert len(found.sides) == 2


def test_where_judges_alone_differ_it_is_the_paired_t_test_over_their_means(judged):
    """Items of each system that hardly vary; each of five judges likes one of the systems more."""
    sd = {"judge:system": 2.0, "item": 0.1, "item:judge": 0.05, "item:system": 0.05, "cell": 0.3, "replicate": 0.0}
    judgments = judged({"item": 40, "judge": 5, "system": 2}, fixed=(), sd=sd)
    apart = judgments.keep((judgments.column("item") < 20) == (judgments.column("system") == 0))
    found = difference(apart, A, B, targets={"judge": "population"})
    code = apart.column("system") * 5 + apart.column("judge")
    means = (np.bincount(code, apart.mean) / np.bincount(code)).reshape(2, 5)
    assert found.df == pytest.approx(4, rel=0.02)
    assert found.p_difference() == pytest.approx(ttest_rel(*means).pvalue, rel=0.01)
    assert common_share(found.estimate) == pytest.approx(0.995, abs=0.002)


def read_apart(x, y):
    rows = {"system": ["a"] * len(x) + ["b"] * len(y), "item": range(len(x) + len(y)), "score": [*x, *y]}
    return q.read(pl.DataFrame(rows), announce=False)


def test_scores_that_are_missing_are_said_of_pairs_and_of_boards():
    """A judge who refuses what is low biases any difference; one model for all says so as pairs do."""
    rng, rows = np.random.default_rng(2), []
    for system, mean in (("u", 0.0), ("v", -0.2)):
        for item in range(40):
            for judge in range(3):
                score = mean + np.sin(item) + rng.normal(0, 0.5)
                rows.append((system, f"i{item}", f"j{judge}", None if system == "v" and score < -1 else score))
    table = scores_table(rows, "system item judge score")
    lost = f"{table.rows.sum() - table.n_answers} of 240 judgments"
    for method in ("joint", "paired"):
        said = [one.sentence for one in difference(table, "u", "v", method=method).caveats if one.code == "missing"]
        assert said[0].startswith(lost)
    assert next(one.sentence for one in q.rank(table).caveats if one.code == "missing").startswith(lost)


@pytest.fixture(scope="module")
def table():
    """Means of 2, 5 and 4.5; one system was asked and never answered."""
    scores = {"low": [1, 2, 3], "best": [5, 4, 6], "good": [4, 4.5, 5], "mute": [None] * 3}
    rows = [(system, item, score) for system, own in scores.items() for item, score in enumerate(own)]
    return scores_table(rows, "system item score")


def test_systems_by_their_means(table):
    assert by_mean(table) == {"best": 5.0, "good": 4.5, "low": 2.0}


def test_the_two_that_are_closest_are_planned_for_and_named(table):
    found = closest(table)
    assert (found.a, found.b, found.value) == ("best", "good", pytest.approx(0.5))
    assert found.caveats[0].code == "closest-two"
    assert "of 3 systems best and good differ least" in str(found.caveats[0])


def test_of_two_there_is_nothing_to_say(table):
    two = table.keep(table.column("system") != table.level_index("system", "low"))
    assert "closest-two" not in [one.code for one in closest(two).caveats]


GROUP = np.repeat(["code", "law", "math"], [12, 8, 5])
SHARES = {"code": 0.2, "law": 0.5, "math": 0.3}


def test_it_is_the_weighted_sum_of_those_on_the_categories():
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=(2, 25))
    rows = {
        "item": np.tile(np.arange(25), 2),
        "category": np.tile(GROUP, 2),
        "system": np.repeat(["x", "y"], 25),
        "score": np.concatenate([x, y]),
    }
    table = q.read(pl.DataFrame(rows), announce=False)
    found = stratified_difference(table, "x", "y", SHARES)
    own = [(x - y)[name == GROUP] for name in SHARES]
    weights = np.array(list(SHARES.values()))
    parts = [w**2 * each.var(ddof=1) / len(each) for w, each in zip(weights, own, strict=True)]
    assert found.value == pytest.approx(sum(w * each.mean() for w, each in zip(weights, own, strict=True)))
    assert found.se == pytest.approx(np.sqrt(sum(parts)), rel=1e-6)
    assert found.df == pytest.approx(sum(parts) ** 2 / sum(np.square(parts) / [11, 7, 4]), rel=1e-6)
    with pytest.raises(NotEstimable, match='category "verse" has no scores yet'):
        stratified_difference(table, "x", "y", {"code": 0.5, "verse": 0.5})


FOUR_SYSTEMS = {"item": 60, "judge": 3, "system": 4}


def scored(sd, seed=0, items=60, judges=2):
    """Systems of one mean before judges, each with its own spread from item to item, on the same items."""
    rng = np.random.default_rng(seed)
    own = rng.normal(0, 1, (items, 1)) + rng.normal(0, 1, (items, len(sd))) * np.array(sd)
    score = own[:, None] + rng.normal(0, 0.1, (items, judges, len(sd)))
    item, judge, system = (axis.ravel() for axis in np.indices(score.shape))
    frame = pl.DataFrame({"item": item, "judge": judge, "system": [f"s{i}" for i in system], "score": score.ravel()})
    return q.read(frame, announce=False)


def test_the_system_that_varies_more_is_named_with_its_ratio():
    found = unlike_system(scored([1, 1, 1, 2], items=2000))
    assert (found.system, found.own, found.differs) == ("s3", True, True)
    assert found.ratio == pytest.approx(4, rel=0.15)
    assert found.p_value == 0.001
    assert unlike_system(scored([1, 1, 1, 2], items=2000)) == found


def test_systems_alike_are_not_tested_further(judged):
    found = unlike_system(judged(FOUR_SYSTEMS, fixed=()))
    assert found.ratio < 1.5
    assert (found.p_value, found.differs) == (1.0, False)


def test_what_pooling_does_to_standard_errors():
    """Variances 4, 1, 1, 1 are pooled as 7/4: of 5, 2 * 7/4, and of 2 as much."""
    assert UnlikeSystem("x", 4.0, 0.001, own=True).errors(4) == pytest.approx(((3.5 / 5) ** 0.5, 1.75**0.5))


def test_two_systems_that_share_some_items_are_compared_by_all_their_variance():
    table = scored([0.5, 3.0], items=80)
    assert unlike_system(table) is None  # all is shared: the difference has one variance
    some = table.keep((table.column("system") == 0) | (table.column("item") < 40))
    found = unlike_system(some)
    assert (found.system, found.own, found.differs) == ("s1", False, True)
    said = difference(some, "s0", "s1", method="joint").caveats
    assert "too short if it has fewer items" in next(one.sentence for one in said if one.code == "unlike-systems")


def test_items_of_each_system_and_how_often_they_were_judged():
    table = scored([1, 1, 3], items=90)
    item, system = table.column("item"), table.column("system")
    apart = table.keep(item % 3 == system)
    found = unlike_system(apart)
    assert (found.system, found.own, found.differs) == ("s2", False, True)
    once = apart.keep((apart.column("item") > 6) | (apart.column("judge") == 0))
    assert unlike_system(once).system == "s2"


def test_fewer_than_three_items_show_nothing(judged):
    assert unlike_system(judged({"item": 2, "judge": 3, "system": 3}, fixed=())) is None


@pytest.mark.calibration
def test_chance_seldom_makes_systems_unlike():
    rng = np.random.default_rng(1)
    found = [unlike_system(scored([1, 1, 1], seed=int(rng.integers(2**31)), items=12)) for _ in range(60)]
    tested = [one for one in found if one.p_value < 1]
    assert len(tested) > 10  # by chance, of 12 items
    assert sum(one.differs for one in found) <= 3
