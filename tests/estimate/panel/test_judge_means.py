"""Means of judges and systems, and their contrasts, against R: ``tests/reference/bias.R``, printed in ``bias.txt``."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import quorate as q
from quorate.errors import InvalidInput, NotEstimable, UnknownTerm
from quorate.estimate.panel.judge_means import _by_influence, _by_items, _fit, _panel, judge_means, means_of

REFERENCE = json.loads((Path(__file__).parents[2] / "reference" / "bias.json").read_text(encoding="utf-8"))
CONTRASTS = np.array(REFERENCE["fits"]["contrasts"]).reshape(-1, 3, 2)
SIZES = {"item": 9, "judge": 3, "system": 2}


def read(name, **options):
    frame = pl.DataFrame(REFERENCE["data"][name])
    roles = ("item", "judge", "system", "prompt")
    facets = {role: role for role in roles if role in frame.columns}
    return q.read(frame, facets=facets, announce=False, **options)


def means_as(judgments, **options):
    """The systems in the order of R's columns."""
    means = judge_means(judgments, **options)
    assert (means.judges, means.systems) == (("a", "b", "c"), ("s", "t"))
    return means


def test_prompts_at_random_are_kenward_and_roger():
    """lmer(score ~ 0 + judge:system + (1|item) + (1|prompt) + (1|item:judge) + ...), vcovAdj and contest1D."""
    wanted = REFERENCE["fits"]["mixed"]
    means = means_as(read("prompts"))
    assert (means.method, means.reason) == ("reml", "prompts are drawn at random too")
    found = means.contrast(CONTRASTS)
    np.testing.assert_allclose(means.mean.ravel(), wanted["mean"], rtol=1e-6)
    np.testing.assert_allclose(found.value, wanted["value"], rtol=1e-5)
    np.testing.assert_allclose(found.se, wanted["se"], rtol=1e-5)
    np.testing.assert_allclose(found.df, wanted["df"], rtol=1e-4)
    joint = means.joint(CONTRASTS[1:3])
    assert (joint.statistic, joint.df2) == pytest.approx((wanted["F"], wanted["df2"]), rel=1e-4)
    plain = (wanted["lmertest_F"], wanted["lmertest_df2"])
    assert (joint.statistic, joint.df2) == pytest.approx(plain, rel=0.05), "lmerTest: observed information, no addition"


def test_items_with_all_systems_are_the_paired_t_and_hotelling():
    """t.test of each contrast's values by item; anova(lm(contrasts ~ 1), test = "Hotelling-Lawley")."""
    wanted = REFERENCE["fits"]["by_items"]
    means = means_as(read("paired"))
    assert (means.method, means.reason, means.n_items) == ("items", "", 9)
    found = means.contrast(CONTRASTS)
    for name in ("value", "se", "df", "p"):
        np.testing.assert_allclose(getattr(found, name), wanted[name], rtol=1e-9)
    joint = means.joint(CONTRASTS[1:3])
    assert (joint.statistic, joint.df2, joint.p) == pytest.approx((wanted["F"], wanted["df2"], wanted["joint_p"]))


def test_items_of_one_system_each_are_welch():
    wanted = REFERENCE["fits"]["unpaired"]
    found = means_as(read("unpaired", nested={"item": "system"})).contrast(CONTRASTS[[9, 1]])
    assert found.value == pytest.approx([wanted["difference"], wanted["bias"]])
    assert found.se == pytest.approx([wanted["difference_se"], wanted["bias_se"]])
    assert found.df == pytest.approx([wanted["difference_df"], wanted["bias_df"]])


def test_gaps_are_the_least_squares_of_r():
    """The plain sandwich there is smaller: it does not count what each item adds to the means it is measured by."""
    wanted = REFERENCE["fits"]["sandwich"]
    means = means_as(read("gaps"))
    assert (means.method, means.reason) == ("items", "some answers are missing")
    np.testing.assert_allclose(means.mean.ravel(), wanted["mean"], rtol=1e-6)
    found = means.contrast(CONTRASTS)
    np.testing.assert_allclose(found.value, wanted["value"], rtol=1e-5)
    assert means.n.ravel().tolist() == [8] * 6
    assert (np.sqrt(9 / 8) * np.array(wanted["se"]) < found.se * 1.06).all()
    assert (found.se < 1.5 * np.array(wanted["se"])).all()
    assert ((found.df > 4) & (found.df < 8)).all()


@pytest.mark.slow
def test_gaps_are_what_leaving_out_items_would_change():
    """Generalised least squares with the components held, written out cell by cell."""
    panel = _panel(read("gaps"), "judge", None, None)
    fit, judgments = _fit(panel, ""), panel.judgments
    item, judge, system = (judgments.level_codes([name]) for name in ("item", "judge", "system"))
    same = np.equal.outer(item, item).astype(float)
    parts = {
        "item": same,
        "item:judge": same * np.equal.outer(judge, judge),
        "item:system": same * np.equal.outer(system, system),
    }
    values = {one.name: one.variance for one in fit.components if one.name != "combination"}
    v = sum(value * parts.get(name, np.eye(len(item))) for name, value in values.items())
    x = np.eye(6)[panel.code]

    def estimate(kept):
        weighted = x[kept].T @ np.linalg.inv(v[np.ix_(kept, kept)])
        return np.linalg.solve(weighted @ x[kept], weighted @ judgments.mean[kept])

    moved = np.array([estimate(item != i) - estimate(item >= 0) for i in range(9)])
    spread = np.sqrt(7 / 8) * moved @ CONTRASTS.reshape(-1, 6).T
    means = judge_means(read("gaps"))
    np.testing.assert_allclose(means.contrast(CONTRASTS).se, np.sqrt(np.sum(spread**2, axis=0)), rtol=1e-6)


def overlapping(seed):
    """90 items, of which 0 to 59 have system A and 30 to 89 have B; three judges score all."""
    rng = np.random.default_rng(seed)
    item = 2 * rng.normal(size=90)
    spans = {"A": range(60), "B": range(30, 90)}
    rows = [(i, judge, s, item[i] + 0.3 * (s == "B")) for s, span in spans.items() for i in span for judge in "xyz"]
    frame = pl.DataFrame(rows, schema=["item", "judge", "system", "score"], orient="row")
    return frame.with_columns(pl.col("score") + 0.5 * rng.normal(size=len(rows)))


AHEAD = np.full((1, 3, 1), 1 / 3) * np.array([-1.0, 1.0])


def test_systems_that_share_some_items_are_compared_on_those():
    frame = overlapping(1)
    means = judge_means(q.read(frame, announce=False))
    assert (means.method, means.reason) == ("items", "systems share some of their items only")
    found, both = means.contrast(AHEAD), frame.filter(pl.col("item").is_between(30, 59))
    sides = both.group_by("item", "system").agg(pl.col("score").mean()).sort("item")
    a, b = (sides.filter(pl.col("system") == name)["score"].to_numpy() for name in "AB")
    paired = stats.ttest_rel(b, a)
    assert found.value[0] == pytest.approx((b - a).mean(), abs=0.03)
    assert found.se[0] == pytest.approx((b - a).mean() / paired.statistic, rel=0.05)
    assert found.df[0] == pytest.approx(29, abs=2)


@pytest.mark.slow
@given(st.integers(0, 10**6), st.sampled_from(["overlapping", "paired", "apart"]))
def test_one_score_less_changes_little(seed, kind):
    """Also where it turns plain means into a model."""
    frame = overlapping(seed)
    if kind == "paired":
        frame = frame.filter(pl.col("item").is_between(30, 59))
    if kind == "apart":
        frame = frame.filter((pl.col("item") < 30) | (pl.col("item") >= 60))
    dropped = pl.int_range(pl.len()) != seed % len(frame)
    whole, less = (judge_means(q.read(data, announce=False)).contrast(AHEAD) for data in (frame, frame.filter(dropped)))
    assert less.se[0] == pytest.approx(whole.se[0], rel=0.1)
    assert less.value[0] == pytest.approx(whole.value[0], abs=0.5 * whole.se[0])


def test_few_items_with_gaps_are_a_caveat(judged):
    few, many = judged(SIZES), judged({"item": 30, "judge": 3, "system": 2})
    gap = few.keep(np.arange(few.n_cells) != 3)
    assert [caveat.code for caveat in judge_means(gap).caveats] == ["few-items-with-gaps"]
    assert judge_means(few).caveats == judge_means(many.keep(np.arange(many.n_cells) != 3)).caveats == ()


def test_items_in_random_groups_may_have_gaps(judged):
    judgments = judged({"category": 6, "item": 5, "judge": 3}, nested={"item": "category"}, fixed=("judge",))
    weights = (np.eye(3) - 1 / 3)[:, :, None]
    whole = judge_means(judgments).contrast(weights)
    gap = judge_means(judgments.keep(np.arange(judgments.n_cells) != 3))
    assert gap.reason == "some answers are missing"
    np.testing.assert_allclose(gap.contrast(weights).se, whole.se, rtol=0.15)


def test_a_cycle_of_judges_is_welch():
    """Every item has one judge: R: t.test(a, b)."""
    rng = np.random.default_rng(1)
    rows = {"item": np.arange(30), "judge": ["ab"[i % 5 == 0] for i in range(30)], "score": rng.normal(size=30)}
    means = judge_means(q.read(pl.DataFrame(rows), announce=False))
    assert (means.method, means.reason, means.caveats) == ("items", "", ())
    sides = [rows["score"][np.arange(30) % 5 != 0], rows["score"][::5]]
    welch = stats.ttest_ind(*sides, equal_var=False)
    value, se, df = means.contrast(np.array([[[1.0], [-1.0]]]))
    assert (value[0] / se[0], df[0]) == pytest.approx((welch.statistic, welch.df))


def test_a_mean_of_few_items_has_few_degrees_of_freedom(judged):
    judgments = judged({"item": 40, "judge": 3})
    rare = (judgments.column("judge") != 2) | (judgments.column("item") < 3)
    found = judge_means(judgments.keep(rare)).contrast(np.eye(3)[:, :, None] - 1 / 3)
    assert found.df.max() < 4
    one = (judgments.column("judge") != 2) | (judgments.column("item") < 1)
    with pytest.raises(NotEstimable, match="judge judge0002 has scored one item only, which has no spread"):
        judge_means(judgments.keep(one))


def test_a_sandwich_of_complete_data_is_the_spread_over_items(judged):
    panel = _panel(judged(SIZES), "judge", None, None)
    plain, sandwich = _by_items(panel), _by_influence(panel)
    for one, other in zip(plain.contrast(CONTRASTS), sandwich.contrast(CONTRASTS), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9)
    assert sandwich.joint(CONTRASTS[:2]).statistic == pytest.approx(plain.joint(CONTRASTS[:2]).statistic)


def test_an_item_that_is_alone_in_its_systems_joins_the_rest(judged):
    judgments = judged(SIZES)
    lone = (judgments.column("item") != 8) | (judgments.column("system") != 1)
    means = judge_means(judgments.keep(lone))
    assert means.reason == "systems share some of their items only"
    assert ((means.contrast(CONTRASTS).df > 6) & (means.contrast(CONTRASTS).df < 8 + 1e-9)).all()


def test_one_item_is_not_the_fault_of_a_judge(judged):
    with pytest.raises(NotEstimable, match="1 item: at least 2 are needed for a standard error; add some"):
        judge_means(judged({"item": 1, "judge": 3}))


def test_generations_are_averaged_first_whether_read_as_nested_or_crossed(judged):
    sizes = {"item": 8, "generation": 3, "judge": 3}
    crossed = judge_means(judged(sizes))
    nested = judge_means(judged(sizes, nested={"generation": "item"}))
    weights = (np.eye(3) - 1 / 3)[:, :, None]
    assert crossed.method == nested.method == "items"
    np.testing.assert_array_equal(crossed.contrast(weights), nested.contrast(weights))
    assert (nested.contrast(weights).df == 7).all()
    other = judge_means(judged({"item": 8, "answer": 3, "judge": 3}), generation="answer")
    np.testing.assert_array_equal(other.contrast(weights).df, 7)


def test_other_fixed_facets_weigh_alike(judged):
    judgments = judged({"item": 6, "judge": 2, "temperature": 3})
    means = judge_means(judgments)
    assert means.method == "items"
    order = np.lexsort([judgments.column(name) for name in ("temperature", "judge", "item")])
    scores = judgments.mean[order].reshape(6, 2, 3).mean(axis=2)
    difference = scores[:, 0] - scores[:, 1]
    found = means.contrast(np.array([[[1.0], [-1.0]]]))
    assert found.value[0] == pytest.approx(difference.mean())
    assert found.se[0] == pytest.approx(difference.std(ddof=1) / np.sqrt(6))


def test_a_complete_table_gives_the_same_means_both_ways(judged):
    judgments = judged(SIZES)
    np.testing.assert_allclose(judge_means(judgments).mean, judge_means(judgments, method="reml").mean, rtol=1e-9)


def test_nothing_to_judge_by_is_not_a_standard_error_of_zero():
    rows = {"item": [1, 1, 2, 2, 3, 3], "judge": list("xyxyxy"), "score": [1, 2, 2, 3, 4, 5]}
    means = judge_means(q.read(pl.DataFrame(rows), announce=False))
    found = means.contrast(np.array([[[1.0], [-1.0]]]))
    assert found.value[0] == -1
    assert np.isnan([found.se[0], found.df[0], found.p[0], *np.ravel(found.interval(0.95))]).all()
    assert means.joint(np.array([[[1.0], [-1.0]]])) is None


def test_more_judges_than_items_leave_no_joint_test(judged):
    means = judge_means(judged({"item": 3, "judge": 5}))
    assert means.joint((np.eye(5) - 1 / 5)[1:, :, None]) is None
    assert means.joint((np.eye(5) - 1 / 5)[3:, :, None]).df2 == 1


def test_another_facet_stands_in_for_the_judges(judged):
    means = judge_means(judged({"item": 8, "prompt": 4, "system": 2}), judge="prompt")
    assert (means.method, means.mean.shape) == ("items", (4, 2))


@pytest.mark.parametrize(
    ("sizes", "options", "error", "message"),
    [
        (SIZES, {"method": "anova"}, InvalidInput, "method: must be one of"),
        (SIZES, {"judge": "item"}, InvalidInput, "object of measurement"),
        (SIZES, {"system": "judge"}, InvalidInput, "is the judge"),
        (SIZES, {"judge": "rater"}, UnknownTerm, "rater"),
        ({**SIZES, "prompt": 2}, {"method": "items"}, InvalidInput, r"fixed=\('judge', 'prompt'\)"),
        ({"item": 9, "judge": 1}, {}, NotEstimable, "1 judge: at least 2"),
        ({"item": 3, "judge": 21, "system": 10}, {"method": "reml"}, InvalidInput, "210 combinations"),
    ],
)
def test_what_cannot_be_answered_is_said(judged, sizes, options, error, message):
    with pytest.raises(error, match=message):
        judge_means(judged(sizes), **options)


def test_a_judge_that_never_saw_a_system_is_named(judged):
    judgments = judged(SIZES)
    gap = (judgments.column("judge") == 1) & (judgments.column("system") == 0)
    with pytest.raises(NotEstimable, match="judge judge0001 has scored nothing of system system0000: every judge"):
        judge_means(judgments.keep(~gap))


def test_means_are_passed_on_and_take_no_options(judged):
    means = judge_means(judged(SIZES))
    assert means_of(means, 0.9, {}) is means
    with pytest.raises(InvalidInput, match="system: these means are made already"):
        means_of(means, 0.9, {"system": "system"})
    with pytest.raises(InvalidInput, match="level"):
        means_of(means, 95, {})


def test_it_says_what_it_is(judged):
    assert repr(judge_means(judged(SIZES))) == "JudgeMeans(3 judges, 2 systems, 9 items, by items)"
