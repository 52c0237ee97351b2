from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidInput, NotEstimable, UnknownTerm
from quorate.estimate.means.effects import (
    configuration_facets,
    configurations,
    effects,
    level_labels,
    of_families,
    predicted_term,
    strata,
    stratified_mean,
    table_of_means,
)
from quorate.estimate.means.prediction import predict

SIZES = {"item": 12, "prompt": 4, "judge": 3}


def test_two_levels_of_a_fixed_facet_are_half_the_treatment_contrast(shared):
    """lme4: correct ~ 1 + swapped + (1|item) + (1|judge) + (1|prompt) + all two-way interactions of these."""
    reference = json.loads((shared / "reference" / "lme4_eval_data.json").read_text())["llmbar_correct"]
    frame = pl.read_parquet(shared / "data" / "llmbar_judges_prompts.parquet")
    frame = frame.filter(pl.col("subset").cast(pl.String).str.starts_with("LLMBar"))
    ran = frame.group_by("prompt").agg(pl.col("judge").n_unique()).filter(pl.col("judge") == 6)["prompt"]
    frame = frame.filter(pl.col("prompt").is_in(ran.to_list()))
    facets = {"item": "item", "judge": "judge", "prompt": "prompt", "order": "swapped"}
    judgments = q.read(frame, score="correct", facets=facets, fixed=("order",))
    assert judgments.n_answers == reference["nobs"]
    random = ["item", "judge", "prompt", "item:judge", "item:prompt", "judge:prompt"]
    first, second = effects(q.decompose(judgments, random=random), "order")
    assert second.effect == pytest.approx(reference["fixef"]["swapped"] / 2, rel=1e-5)
    assert first.effect == -second.effect
    assert second.se == pytest.approx(reference["fixef_se"]["swapped"] / 2, rel=1e-4)


def test_balanced_and_additive_effects_are_those_of_the_analysis_of_variance(shared):
    facets = {"plate": "plate", "sample": "sample"}
    data = shared / "data" / "lme4_penicillin.parquet"
    judgments = q.read(data, score="diameter", facets=facets, object="plate", fixed=())
    fit = q.decompose(judgments, random=["plate", "sample"])
    means = table_of_means(fit, "plate", "sample").mean.mean(axis=0)
    for i, one in enumerate(effects(fit, "sample")):
        assert one.effect == pytest.approx(means[i] - means.mean())
        assert one.mean == pytest.approx(means[i])
        assert one.se == pytest.approx(np.sqrt(fit.variance("cell") * (1 - 1 / 6) / 24))
        assert one.df == pytest.approx(23 * 5)


@pytest.mark.wide(2)
@pytest.mark.parametrize("facet", ["prompt", "judge"])
@pytest.mark.parametrize("shrink", [False, True])
def test_effects_sum_to_zero_and_keep_the_order_of_the_levels(judged, facet, shrink):
    fit = q.decompose(judged(SIZES, keep=0.8, replicates=2))
    found = effects(fit, facet, shrink=shrink)
    assert sum(one.effect for one in found) == pytest.approx(0, abs=1e-9)
    assert tuple(one.level for one in found) == fit.judgments.facet(facet).levels
    assert sum(one.n for one in found) == fit.judgments.n_answers
    assert all(one.low < one.effect < one.high for one in found)


@pytest.mark.slow
def test_a_random_facet_is_compared_as_if_it_were_fixed(judged):
    """Generalised least squares at the fitted components, written out."""
    fit = q.decompose(judged(SIZES, keep=0.8, seed=2))
    judgments = fit.judgments
    v = fit.variance("cell") * np.eye(judgments.n_cells)
    for term in ("item", "item:prompt", "item:judge", "prompt:judge"):
        code = judgments.level_codes(term.split(":"))
        v += fit.variance(term) * np.equal.outer(code, code)
    prompt, judge = (np.eye(size)[judgments.column(name)] for name, size in (("prompt", 4), ("judge", 3)))
    x = np.hstack([prompt, judge[:, 1:]])
    covariance = np.linalg.inv(x.T @ np.linalg.solve(v, x))
    beta = covariance @ x.T @ np.linalg.solve(v, judgments.mean)
    contrast = np.hstack([np.eye(4) - 0.25, np.zeros((4, 2))])
    found = effects(fit, "prompt")
    np.testing.assert_allclose([one.effect for one in found], contrast @ beta, rtol=1e-6)
    plain = np.sqrt(np.diag(contrast @ covariance @ contrast.T))
    assert all(
        0 <= one.se / se - 1 < 0.05 for one, se in zip(found, plain, strict=True)
    )  # Kenward and Roger's addition


def test_predictions_are_drawn_towards_the_average(judged):
    fit = q.decompose(judged(SIZES, seed=1))
    for plain, drawn in zip(effects(fit, "prompt"), effects(fit, "prompt", shrink=True), strict=True):
        assert 0 < drawn.effect / plain.effect < 1


def test_nothing_is_claimed_for_a_random_facet_whose_variance_is_estimated_at_zero(judged):
    fit = q.decompose(judged({"item": 30, "prompt": 3}, sd={"prompt": 0.0}, seed=4))
    assert fit.variance("prompt") == 0
    assert all(
        one.effect == 0 and np.isnan(one.se) and np.isnan(one.low) for one in effects(fit, "prompt", shrink=True)
    )
    assert all(one.se > 0 and one.low < 0 < one.high for one in effects(fit, "prompt"))


def test_a_nested_facet(simulate):
    frame = simulate({"person": 10, "task": 3, "rater": 4}, seed=5)
    facets = {name: name for name in ("person", "task", "rater")}
    judgments = q.read(frame, facets=facets, object="person", nested={"rater": "task"}, fixed=())
    fit = q.decompose(judgments)
    plain, drawn = effects(fit, "rater"), effects(fit, "rater", shrink=True)
    assert len(plain) == 12
    assert plain[0].level == drawn[0].level == "task0000 / rater0000"
    means = [frame.filter(pl.col("task") == t, pl.col("rater") == r)["score"].mean() for t, r in
             (one.level.split(" / ") for one in plain)]  # fmt: skip
    np.testing.assert_allclose([one.mean for one in plain], means)
    assert np.corrcoef([one.mean for one in drawn], means)[0, 1] > 0.95


def test_one_judge_gives_the_effect_of_each_prompt_with_that_judge(judged):
    fit = q.decompose(judged({"item": 12, "prompt": 4, "judge": 1}))
    assert predicted_term(fit, "prompt") == "prompt:judge"
    means = table_of_means(fit, "prompt", "judge").mean[:, 0]
    np.testing.assert_allclose([one.effect for one in effects(fit, "prompt")], means - means.mean(), rtol=1e-6)
    assert sum(one.effect for one in effects(fit, "prompt", shrink=True)) == pytest.approx(0, abs=1e-9)


def test_what_is_refused(judged):
    fit = q.decompose(judged({"item": 60, "prompt": 3, "judge": 2}))
    with pytest.raises(InvalidInput, match="item has 60 levels, at most 50 are compared"):
        effects(fit, "item")
    with pytest.raises(InvalidInput, match="level: must lie between 0 and 1, got 95"):
        effects(fit, "judge", level=95)
    with pytest.raises(UnknownTerm, match='no facet "annotator"'):
        effects(fit, "annotator")
    with pytest.raises(InvalidInput, match="item is the only random facet"):
        effects(q.decompose(judged({"item": 6, "judge": 2, "temperature": 2})), "item")
    with pytest.raises(NotEstimable, match="one level, and nothing to compare it with"):
        effects(q.decompose(judged({"item": 8, "prompt": 3, "judge": 1})), "judge")


def test_an_effect_in_a_sum_with_others_is_refused(judged):
    judgments = judged({"item": 12, "prompt": 3, "judge": 2})
    item, prompt, judge = (judgments.column(name) for name in SIZES)
    one_call = judgments.keep((item % 3 == prompt) & (item // 3 % 2 == judge))
    with pytest.raises(NotEstimable, match="cannot be told apart"):
        effects(q.decompose(one_call), "item", shrink=True)


def test_items_weigh_the_same_in_a_table_of_means():
    """One item judged twice, another once, a third under one prompt only."""
    rows = [("a", "p", "x", 1, 2.0), ("a", "p", "x", 2, 4.0), ("b", "p", "x", 1, 5.0), ("c", "r", "x", 1, 1.0)]
    frame = pl.DataFrame(rows, schema=["item", "prompt", "judge", "replicate", "score"], orient="row")
    means = table_of_means(q.read(frame), "judge", "prompt")
    assert (means.rows, means.columns) == (("x",), ("p", "r"))
    np.testing.assert_array_equal(means.mean, [[4.0, 1.0]])
    np.testing.assert_array_equal(means.n, [[3, 1]])


def test_a_combination_without_answers_is_nan():
    frame = pl.DataFrame({"item": [1, 2], "judge": ["x", "y"], "prompt": ["p", "r"], "score": [1.0, None]})
    means = table_of_means(q.read(frame), "judge", "prompt")
    assert (means.rows, means.columns) == (("x",), ("p",))
    frame = pl.DataFrame({"item": [1, 1, 2], "judge": list("xyx"), "prompt": list("aab"), "score": [1, 2, 4]})
    np.testing.assert_array_equal(table_of_means(q.read(frame), "judge", "prompt").mean, [[1, 4], [2, np.nan]])


def test_balanced_means_average_to_the_mean(judged):
    judgments = judged(SIZES, replicates=2)
    means = table_of_means(judgments, "prompt", "judge")
    assert means.mean.mean() == pytest.approx(q.decompose(judgments).mean.value)
    with pytest.raises(InvalidInput, match='two different facets are needed, got "judge" twice'):
        table_of_means(judgments, "judge", "judge")


def test_labels_of_a_nested_facet_carry_their_parents_only_where_they_repeat(simulate):
    frame = simulate({"item": 2, "prompt": 2}).with_columns(own=pl.col("item") + pl.col("prompt"))
    facets = {"item": "item", "prompt": "prompt"}
    assert level_labels(q.read(frame, facets=facets, nested={"prompt": "item"}), "prompt")[1] == "item0001 / prompt0000"
    own = q.read(frame, facets={"item": "item", "prompt": "own"}, nested={"prompt": "item"})
    assert set(level_labels(own, "prompt")) == set(frame["own"])


def test_an_interaction_is_predicted_by_its_cells(shape):
    fit = shape("balanced").fit
    found = effects(fit, "judge:item")
    predicted = predict(fit, "item:judge").effect
    assert [row.effect for row in found] == pytest.approx(predicted - predicted.mean())
    items, judges = (fit.judgments.facet(name).levels for name in ("item", "judge"))
    assert {row.level for row in found} == {f"{item}:{judge}" for item in items for judge in judges}
    assert sum(row.n for row in found) == fit.judgments.n_answers


def test_the_mean_of_a_cell_holds_the_effects_of_its_facets(shape):
    fit = shape("balanced").fit
    at = {row.level: row for row in effects(fit, "item:judge")}
    judge = {row.level: row.effect for row in effects(fit, "judge")}
    item = {row.level: row.effect for row in effects(fit, "item", shrink=True)}
    for row in at.values():
        names = row.level.split(":")
        expected = fit.mean.value + item[names[0]] + judge[names[1]] + row.effect
        assert row.mean == pytest.approx(expected, abs=1e-6)


def test_an_interaction_that_the_model_has_not_is_unknown(shape):
    with pytest.raises(UnknownTerm, match="item:robot"):
        effects(shape("balanced").fit, "item:robot")


ROWS = [
    ("a", "p", "x", 1.0),
    ("a", "p", "x", 3.0),
    ("b", "p", "x", 4.0),
    ("a", "p", "y", 5.0),
    ("b", "p", "y", 9.0),
    ("c", "p", "y", 1.0),
    ("a", "q", "x", 7.0),
]


@pytest.fixture
def judgments():
    frame = pl.DataFrame(ROWS, schema=["item", "prompt", "judge", "score"], orient="row")
    return q.read(frame, facets={name: name for name in ("item", "prompt", "judge")})


def test_every_configuration_that_occurs(judgments):
    found = {(c.labels["prompt"], c.labels["judge"]): c for c in configurations(judgments, ("prompt", "judge"))}
    assert set(found) == {("p", "x"), ("p", "y"), ("q", "x")}
    first = found["p", "x"]  # items 2 (the mean of two answers) and 4
    assert (first.value, first.n_items) == (3.0, 2)
    assert first.se == pytest.approx(np.std([2, 4], ddof=1) / np.sqrt(2))
    assert found["p", "y"].se == pytest.approx(np.std([5, 9, 1], ddof=1) / np.sqrt(3))


def test_one_item_has_no_standard_error(judgments):
    one = next(c for c in configurations(judgments, ("prompt", "judge")) if c.labels["prompt"] == "q")
    assert one.value == 7.0
    assert np.isnan(one.se)


def test_facets_that_are_not_fixed_are_averaged_within_items(judgments):
    by_judge = {c.labels["judge"]: c for c in configurations(judgments, ("judge",))}
    assert by_judge["x"].value == pytest.approx(np.mean([np.mean([2, 7]), 4]))


def test_a_configuration_fixes_neither_items_nor_what_belongs_to_them(simulate):
    frame = simulate({"item": 4, "answer": 2, "prompt": 2, "judge": 2})
    frame = frame.with_columns(category=pl.col("item").str.slice(-1), benchmark=pl.col("item").str.slice(-1))
    facets = {name: name for name in ("item", "answer", "prompt", "judge", "benchmark")}
    judgments = q.read(frame, facets=facets, nested={"item": "category", "answer": "item"})
    assert configuration_facets(judgments, frozenset({"benchmark"})) == ("prompt", "judge")


MODELS = ["gpt-4o", "gpt-4.1", "claude-3", "claude-4", "gemini-1", "gemini-2", "llama-2", "llama-3"]


@pytest.fixture(scope="module")
def frame() -> pl.DataFrame:
    """Scores in which judges of one maker err together."""
    rng = np.random.default_rng(3)
    item, judge = (at.ravel() for at in np.indices((40, 8)))
    score = rng.normal(size=40)[item] + 0.8 * rng.normal(size=4)[judge // 2] + 0.2 * rng.normal(size=8)[judge]
    score += 0.5 * rng.normal(size=320)
    return pl.DataFrame({"item": item, "judge": [MODELS[k] for k in judge], "score": score})


def test_names_that_share_makers_are_said_and_modelled(frame):
    plain = q.analyze(q.read(frame, announce=False))
    said = next(caveat for caveat in plain.caveats if caveat.code == "judges-share-makers")
    assert "openai: gpt-4.1, gpt-4o" in said.sentence
    assert said.sentence.endswith('model it with families="auto"')
    modelled = q.analyze(q.read(frame, families="auto", announce=False))
    codes = {caveat.code for caveat in modelled.caveats}
    assert "judges-in-families" in codes
    assert "judges-share-makers" not in codes
    assert modelled.others.se > 1.2 * plain.others.se
    assert modelled.others.target["family"] == "population"


def test_design_effect(frame):
    fit = q.decompose(q.read(frame, families="auto", announce=False))
    family, judge = fit.variance("family"), fit.variance("judge")
    (said,) = of_families(fit.mean_for(judge="population"))
    correlation = family / (family + judge)
    assert f"correlate by {correlation:.2f} (design effect {1 + correlation:.1f})" in said.sentence
    assert f"count as {8 / (1 + correlation):.1f} judges" in said.sentence
    assert not of_families(fit.mean_for(judge="panel"))


@pytest.mark.parametrize(("copies", "said"), [((0, 1, 2, 3), False), ((0, 0, 2, 2), True)])
def test_judges_that_may_be_copies_are_said_with_what_models_them(copies, said):
    rng = np.random.default_rng(3)
    errors = rng.normal(size=(60, 4))[:, list(copies)] + 0.2 * rng.normal(size=(60, 4))
    item, judge = (at.ravel() for at in np.indices((60, 4)))
    frame = pl.DataFrame(
        {"item": item, "judge": [f"j{k}" for k in judge], "score": (rng.normal(size=(60, 1)) + errors).ravel()}
    )
    found = [one for one in q.analyze(q.read(frame, announce=False)).caveats if one.code == "judges-err-together"]
    assert bool(found) is said
    if said:
        assert "there are 2 to speak for others" in found[0].sentence
        assert 'families={"' in found[0].sentence


rng = np.random.default_rng(4)
GROUP = np.repeat([1, 2, 7], [12, 8, 5])
SCORE = rng.normal(size=25) + GROUP
FRAME = {"item": np.arange(25), "category": GROUP, "score": SCORE}
SHARES = {"1": 0.2, "2": 0.5, "7": 0.3}


def test_the_mean_is_the_textbook_one_though_categories_are_numbers():
    """Cochran (1977), 5.3, with one variance within strata."""
    table = strata(q.read(pl.DataFrame(FRAME), facets={"item": "item", "category": "category"}, announce=False))
    fit = q.decompose(table, covariates=["category"])
    found = stratified_mean(fit, SHARES, {})
    means = [SCORE[one == GROUP].mean() for one in (1, 2, 7)]
    within = sum(((SCORE[one == GROUP] - mean) ** 2).sum() for one, mean in zip((1, 2, 7), means, strict=True)) / 22
    weights = np.array([0.2, 0.5, 0.3])
    assert found.value == pytest.approx(weights @ means)
    assert found.se == pytest.approx(np.sqrt(within * (weights**2 / [12, 8, 5]).sum()), rel=1e-5)
    assert found.df == pytest.approx(22, rel=1e-4)
    with pytest.raises(NotEstimable, match='category "9" has no scores yet'):
        stratified_mean(fit, {"1": 0.5, "9": 0.5}, {})
