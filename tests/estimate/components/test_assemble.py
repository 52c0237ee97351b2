from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from examples import few
from hypothesis import given
from hypothesis import strategies as st

import quorate as q
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.components import assemble as module
from quorate.estimate.components.assemble import (
    assemble,
    balanced_strata,
    categories,
    fixed_effects,
    independent_columns,
)
from quorate.estimate.components.model import build, facets_of, of_items
from quorate.estimate.components.published import design
from quorate.numerics.mixed.information import information
from quorate.numerics.mixed.reml import evaluate


def assembled(judgments, *, random=None, covariates=(), reml=True, residual_by=None):
    return assemble(judgments, build(judgments, random, covariates), reml=reml, residual_by=residual_by)


DESIGNS = {
    "crossed": ({}, {}),
    "all random": ({"fixed": ()}, {}),
    "fixed items": ({"fixed": ("item",)}, {}),
    "items in categories": ({"nested": {"item": "category"}}, {}),
    "categories that meet prompts": ({"nested": {"item": "category"}}, {"random": ["category:prompt", "item", "cell"]}),
    "prompts in categories too": ({"nested": {"item": "category", "prompt": "category"}}, {}),
    "prompts in judges": ({"nested": {"prompt": "judge"}, "fixed": ()}, {}),
    "prompts in items": ({"nested": {"prompt": "item"}}, {}),
    "few terms": ({}, {"random": ["prompt", "prompt:judge"]}),
    "no terms": ({}, {"random": []}),
    "a covariate": ({}, {"covariates": ["length", "judge:length"]}),
    "a covariate of items": (
        {"nested": {"item": "category"}},
        {"covariates": ["category"], "random": ["item", "prompt"]},
    ),
    "residuals by judge": ({}, {"residual_by": "judge"}),
    "ml": ({}, {"reml": False}),
}


@pytest.mark.wide(4)
@pytest.mark.parametrize("design", DESIGNS)
@given(seed=st.integers(0, 10**6), replicates=st.integers(1, 3))
@few
def test_the_problem_is_the_model_it_names(simulate, design, seed, replicates):
    """The criterion at any point, against dense algebra on the levels of every named term."""
    reading, options = DESIGNS[design]
    frame = simulate({"item": 7, "prompt": 3, "judge": 3}, replicates=replicates, keep=0.8, seed=seed)
    number = pl.col("item").str.slice(-4).cast(pl.Int64)
    frame = frame.with_columns(category=number % 3, length=(number * 7 + pl.col("prompt").str.len_chars()) % 5)
    facets = {name: name for name in ("item", "prompt", "judge", "replicate")}
    facets |= {name: name for name in options.get("covariates", ()) if name in {"length", "category"}}
    judgments = q.read(frame, facets=facets, **reading)
    got = assembled(judgments, **options)
    problem, replicated = got.problem, got.problem.replicates
    random, residual = got.names[: -problem.n_residual], got.names[-problem.n_residual :]
    levels = [got.judgments.level_codes(name.split(":")) for name in random]
    structures = [np.equal.outer(level, level).astype(float) for level in levels]
    for name in residual:
        weight = 1 / got.judgments.n if name.startswith("replicate") else np.ones(len(got.judgments.n))
        if "[" in name:
            facet = got.judgments.facet("judge").levels.index(name.split("=")[1][:-1])
            weight = weight * (got.judgments.column("judge") == facet)
        structures.append(np.diag(weight))
    theta = np.random.default_rng(seed).uniform(0.1, 1, len(structures))
    v = sum(value * a for value, a in zip(theta, structures, strict=True))
    x, y = got.fixed.x, (got.judgments.mean - got.center) / got.scale
    inner = x.T @ np.linalg.solve(v, x)
    rest = y - x @ np.linalg.solve(inner, x.T @ np.linalg.solve(v, y))
    wanted = np.linalg.slogdet(v).logabsdet + rest @ np.linalg.solve(v, rest) + replicated.log_counts
    has, tail = replicated.df > 0, theta[-problem.n_residual :]
    wanted += replicated.df[has] @ np.log(tail[has]) + np.sum(replicated.ss[has] / tail[has])
    reml = options.get("reml", True)
    wanted += np.linalg.slogdet(inner).logabsdet if reml else 0.0
    wanted += (problem.n_rows - (x.shape[1] if reml else 0)) * np.log(2 * np.pi)
    assert evaluate(problem, theta).criterion == pytest.approx(wanted, rel=1e-9, abs=1e-7)


def test_scores_are_centred_and_scaled(judged):
    judgments = judged({"item": 5, "judge": 3}, replicates=2)
    got = assembled(judgments)
    rows = judgments.n @ judgments.mean / judgments.n_answers
    assert got.center == pytest.approx(rows)
    total = got.problem.replicates.ss.sum() + judgments.n @ ((judgments.mean - got.center) / got.scale) ** 2
    assert total == pytest.approx(judgments.n_answers)


def test_components_are_named_in_the_order_of_the_problem(judged):
    got = assembled(judged({"item": 5, "prompt": 3, "judge": 2}, replicates=2))
    within = {"item", "item:prompt", "item:judge"}
    assert set(got.names[: got.problem.n_within]) == within
    assert set(got.names[3:5]) == {"prompt", "prompt:judge"}
    assert got.names[5:] == ("cell", "replicate")
    assert got.problem.n_residual == 2
    assert got.replicated


def test_without_replicates_the_residual_is_the_cell(judged):
    got = assembled(judged({"item": 5, "judge": 2}), random=["item"])
    assert got.names == ("item", "cell")
    assert not got.replicated


def test_the_facet_with_most_levels_is_eliminated_block_by_block(judged):
    few_items = assembled(judged({"item": 3, "prompt": 40}, fixed=()), random=["item", "prompt"])
    assert len(few_items.problem.units.shared_term) == 3


def test_a_fixed_facet_is_never_a_block(judged):
    """Ten judges and two prompts, judged with prompt:judge alone: fewest levels at once would be by judge."""
    judgments = judged({"item": 8, "prompt": 2, "judge": 10})
    fit = q.decompose(judgments, random=["prompt:judge"])
    levels = judgments.level_codes(["prompt", "judge"])
    x = np.eye(10)[judgments.column("judge")]
    v = fit.variance("prompt:judge") * np.equal.outer(levels, levels)
    v += fit.variance("cell") * np.eye(len(levels))
    means = np.linalg.solve(x.T @ np.linalg.solve(v, x), x.T @ np.linalg.solve(v, judgments.mean))
    np.testing.assert_allclose(fit.assembled.fixed.levels["judge"] @ fit.beta, means, rtol=1e-8)


def test_a_covariate_is_never_a_block(judged):
    judgments = judged({"item": 6, "prompt": 2, "order": 9})
    fit = q.decompose(judgments, random=["prompt:order"], covariates=["order"])
    first = judgments.column("order") == 0
    assert fit.fixed_effects["(Intercept)"][0] == pytest.approx(judgments.mean[first].mean())


def test_cells_without_an_answer_are_left_out_and_counted(simulate):
    frame = simulate({"item": 5, "judge": 2}, replicates=2)
    gone = pl.when((pl.col("item") == "item0001") & (pl.col("judge") == "judge0000")).then(None).otherwise("score")
    frame = frame.with_columns(score=pl.when(gone.is_null()).then(None).otherwise(pl.col("score")))
    facets = {name: name for name in ("item", "judge", "replicate")}
    got = assembled(q.read(frame, facets=facets))
    assert got.judgments.n_cells == 9
    assert got.missing == 2
    without = frame.filter(pl.col("score").is_not_null())
    assert q.decompose(q.read(frame, facets=facets)).variances == pytest.approx(
        q.decompose(q.read(without, facets=facets)).variances
    )


def test_residuals_by_level(judged):
    got = assembled(judged({"item": 5, "judge": 2}, replicates=2), residual_by="judge")
    assert got.residual_levels == ("judge0000", "judge0001")
    assert got.names[-4:] == tuple(
        f"{kind}[judge={level}]" for kind in ("cell", "replicate") for level in got.residual_levels
    )
    assert (got.problem.replicates.df[-2:] == 5).all()


def test_residuals_by_a_random_facet_are_refused(judged):
    with pytest.raises(InvalidInput, match='residual_by: "prompt" is random'):
        assembled(judged({"item": 5, "prompt": 2}), residual_by="prompt")


def test_no_usable_score(simulate):
    frame = simulate({"item": 3, "judge": 2}).with_columns(score=pl.lit(None, dtype=pl.Float64))
    with pytest.raises(NotEstimable, match="no judgment has a usable score"):
        assembled(q.read(frame, facets={"item": "item", "judge": "judge"}))


def test_one_item(judged):
    with pytest.raises(NotEstimable, match="1 item: at least 2 are needed"):
        assembled(judged({"item": 1, "judge": 4}))


@pytest.mark.parametrize("value", [0.0, 3.0, 0.1, 1e9])
def test_equal_scores(simulate, value):
    frame = simulate({"item": 4, "judge": 3}).with_columns(score=pl.lit(value))
    with pytest.raises(NotEstimable, match="all 12 scores are equal"):
        assembled(q.read(frame, facets={"item": "item", "judge": "judge"}))


def test_everything_fixed(judged):
    with pytest.raises(InvalidInput, match="every facet is fixed"):
        assembled(judged({"item": 4, "judge": 3}, fixed=("item", "judge")))


def test_a_fixed_facet_with_too_many_levels_says_which_column_is_large():
    rows = 7200
    frame = pl.DataFrame(
        {
            "item": [f"i{k}" for k in range(rows)] * 2,
            "rater": [f"r{k}" for k in range(rows)] + [f"r{rows - k}" for k in range(rows)],
        }
    ).with_columns(score=pl.Series(np.sin(np.arange(2 * rows))))
    judgments = q.read(frame, facets={"item": "item", "rater": "rater"}, fixed=("rater",))
    columns = "item has 7,200 levels, rater has 7,20"
    with pytest.raises(InvalidInput, match=r"7,20\d fixed effects, at most 4,000 are fitted; .*" + columns):
        assembled(judgments, random=["item"])


@pytest.mark.slow
def test_mean_squares_of_a_study_with_replicates(judged):
    judgments = judged({"item": 6, "prompt": 4}, replicates=3, seed=1)
    fit = q.decompose(judgments)
    got = balanced_strata(fit.assembled)
    y = judgments.mean.reshape(6, 4)
    y = y if judgments.column("item")[1] == 0 else y.reshape(4, 6).T
    item, prompt = y.mean(axis=1), y.mean(axis=0)
    rest = y - item[:, None] - prompt + y.mean()
    squares = [4 * np.sum((item - y.mean()) ** 2), 6 * np.sum((prompt - y.mean()) ** 2), np.sum(rest**2)]
    order = [fit.assembled.names.index(name) for name in ("item", "prompt")]
    scaled = got.squares * fit.assembled.scale**2
    np.testing.assert_allclose([*scaled[order], *scaled[2:]], [*squares, judgments.ss.sum()])
    np.testing.assert_allclose(got.df, [*np.array([5, 3])[order], 15, 48])


def test_cells_with_different_numbers_of_answers(judged):
    fit = q.decompose(judged({"item": 6, "prompt": 4}, replicates=3, keep=0.9, seed=2))
    with pytest.raises(NotEstimable, match="cells differ in their number of answers"):
        balanced_strata(fit.assembled)


def test_missing_cells(judged):
    fit = q.decompose(judged({"item": 6, "prompt": 4}, keep=0.9, seed=2))
    with pytest.raises(NotEstimable, match="some levels have more cells"):
        balanced_strata(fit.assembled)


@pytest.mark.parametrize("options", [{"covariates": ["prompt"]}, {"residual_by": "judge"}])
def test_models_that_are_not_an_analysis_of_variance(judged, options):
    fit = q.decompose(judged({"item": 6, "prompt": 4, "judge": 2}, seed=2), **options)
    with pytest.raises(NotEstimable, match="the model has covariates or several residual variances"):
        balanced_strata(fit.assembled)


def test_every_item_judged_by_part_of_the_panel(simulate):
    """Balanced in every facet, and yet not orthogonal."""
    import polars as pl

    frame = simulate({"item": 6, "judge": 3}, seed=2)
    number = pl.col("item").str.slice(-1).cast(pl.Int64) % 3
    kept = frame.filter(number != pl.col("judge").str.slice(-1).cast(pl.Int64))
    fit = q.decompose(q.read(kept, facets={"item": "item", "judge": "judge"}))
    with pytest.raises(NotEstimable, match="not orthogonal"):
        balanced_strata(fit.assembled)


def test_smaller_blocks_are_the_same_model(simulate, monkeypatch):
    """Blocks of item and judge, with items among the shared levels, where whole items would be large and unlike."""
    frame = simulate({"item": 9, "prompt": 3, "judge": 4}, replicates=2, keep=0.7, seed=4)
    judgments = q.read(frame, nested={}, announce=False)
    terms = ["item", "item:judge", "item:prompt", "cell"]
    whole, theta = assembled(judgments, random=terms), {"item": 0.4, "item:judge": 0.3, "item:prompt": 0.2}
    monkeypatch.setattr(module, "_LARGE", 0)
    monkeypatch.setattr(module, "_PRODUCTS", 1e-3)
    small = assembled(judgments, random=terms)
    assert [module.block_facets(one.judgments, one.model) for one in (whole, small)] == [("item", "judge")] * 2
    assert (whole.problem.n_shared, small.problem.n_shared) == (0, 2)
    found = {}
    for one in (whole, small):
        at = np.array([theta.get(name, 0.5) for name in one.names])
        point, order = evaluate(one.problem, at), np.argsort(one.names)
        wide = information(one.problem, point.solved)[np.ix_(order, order)]
        found[one.problem.n_shared] = (point.criterion, point.gradient[order], point.effects[: one.problem.p], wide)
    for plain, other in zip(found[0], found[2], strict=True):
        np.testing.assert_allclose(other, plain, rtol=1e-9, atol=1e-9)


def read(cells, **options):
    rows = [(f"i{i}", str(r), score) for i, scores in enumerate(cells) for r, score in enumerate(scores)]
    frame = pl.DataFrame(rows, schema=["item", "replicate", "score"], orient="row")
    return q.read(frame, announce=False, **options)


def test_two_scores():
    values, counts = categories(read([[1, 3, 3], [1], [3, 3]]), "logit")
    assert values.tolist() == [1, 3]
    assert counts.tolist() == [[1, 2], [1, 0], [0, 2]]
    assert categories(read([[1, 3, 3], [1], [3, 3]]), "ordinal")[1].tolist() == counts.tolist()


@pytest.mark.parametrize("cells", [[[1, 2, 4], [3, 3], [2, 5], [4]], [[1, 2, 4, 4, 5], [3, 3], [2, 5, 1, 1], [4]]])
def test_marks_of_few_and_of_many_answers(cells):
    values, counts = categories(read(cells), "ordinal")
    assert values.tolist() == [1, 2, 3, 4, 5]
    assert counts.tolist() == [[scores.count(mark) for mark in (1, 2, 3, 4, 5)] for scores in cells]


def test_scores_that_a_link_is_not_for():
    with pytest.raises(InvalidInput, match=r'two values, such as 0 and 1, and these have more; .*link="ordinal"'):
        categories(read([[1, 2], [3]]), "logit")
    with pytest.raises(InvalidInput, match="at most 20 different scores, and these have 25"):
        categories(read([[i] for i in range(25)]), "ordinal")


def classes(laid):
    return {frozenset(laid.assembled.names[t] for t in members) for members in laid.identified.classes}


def test_one_judge(judged):
    laid = design(judged({"item": 8, "prompt": 3, "judge": 1}))
    assert classes(laid) == {
        frozenset({"item", "item:judge"}),
        frozenset({"prompt", "prompt:judge"}),
        frozenset({"item:prompt", "cell"}),
    }


def test_the_scores_do_not_matter(simulate):
    frame = simulate({"item": 8, "prompt": 3, "judge": 2}, keep=0.8)
    facets = {name: name for name in ("item", "prompt", "judge")}
    first, second = (design(q.read(one, facets=facets)) for one in (frame, frame.with_columns(pl.col("score") ** 2)))
    np.testing.assert_allclose(first.g, second.g, rtol=1e-9)
    assert first.identified.classes == second.identified.classes


def test_a_residual_that_fixed_effects_absorb_is_refused():
    frame = pl.DataFrame({"item": [1, 2, 3], "prompt": list("abc"), "score": [1.0, 2.0, 4.0]})
    with pytest.raises(NotEstimable, match="as many effects as cells"):
        design(q.read(frame), covariates=["prompt"])


def coded(frame, *, covariates=(), **reading):
    facets = {name: name for name in frame.columns if name not in ("score", "replicate")}
    judgments = q.read(frame, facets=facets, **reading)
    return fixed_effects(judgments, build(judgments, None, covariates)), judgments


def test_treatment_contrasts_against_the_first_level(simulate):
    fixed, judgments = coded(simulate({"item": 3, "judge": 3}))
    assert fixed.names == ("(Intercept)", "judge[judge0001]", "judge[judge0002]")
    judge = judgments.column("judge")
    np.testing.assert_array_equal(fixed.x, np.column_stack([np.ones(9), judge == 1, judge == 2]))


def test_the_mean_weighs_levels_equally_however_often_they_occur(simulate):
    frame = simulate({"item": 6, "judge": 3, "temperature": 2}, keep=0.7)
    fixed, _ = coded(frame)
    np.testing.assert_allclose(fixed.mean, [1, 1 / 3, 1 / 3, 1 / 2])
    np.testing.assert_allclose(fixed.levels["judge"].mean(axis=0), fixed.mean)
    np.testing.assert_allclose(fixed.levels["temperature"], [[1, 1 / 3, 1 / 3, 0], [1, 1 / 3, 1 / 3, 1]])


def test_numbers_are_taken_as_they_are_and_averaged(simulate):
    frame = simulate({"item": 4, "judge": 2}).with_columns(length=pl.Series([10, 10, 20, 20, 40, 40, 50, 50]))
    fixed, judgments = coded(frame, covariates=("length",))
    position = fixed.names.index("length")
    np.testing.assert_array_equal(
        np.sort(fixed.x[:, position]), np.sort(judgments.facet("length").values[judgments.column("length")])
    )
    assert fixed.mean[position] == pytest.approx(30)


def test_a_number_of_two_values_zero_and_one_is_a_factor(simulate):
    frame = simulate({"item": 4, "judge": 2}).with_columns(swapped=pl.Series([0, 1, 1, 1, 0, 1, 1, 1]))
    fixed, _ = coded(frame, covariates=("swapped",))
    assert fixed.names[-1].startswith("swapped[")
    assert fixed.mean[-1] == 0.5  # both orders weigh equally, not as often as they occur


def test_interactions_of_covariates(simulate):
    frame = simulate({"item": 4, "judge": 2, "order": 2})
    fixed, _ = coded(frame, covariates=("order", "judge:order"))
    assert fixed.names[-1] == "judge[judge0001]:order[order0001]"
    np.testing.assert_allclose(fixed.mean, [1, 0.5, 0.5, 0.25])
    np.testing.assert_allclose(fixed.levels["judge"][1], [1, 1, 0.5, 0.5])


def test_columns_that_repeat_others_are_left_out(simulate):
    length = np.repeat([10.0, 20, 40, 50], 3)
    frame = simulate({"item": 4, "judge": 3}).with_columns(length=length, tokens=3 * length + 7)
    fixed, _ = coded(frame, covariates=("length", "tokens"))
    assert fixed.names == ("(Intercept)", "judge[judge0001]", "judge[judge0002]", "length")


def test_an_attribute_of_a_fixed_facet_leaves_no_mean_over_both(simulate):
    frame = simulate({"item": 4, "judge": 3}).with_columns(family=pl.Series([0, 0, 1] * 4).cast(pl.String))
    with pytest.raises(NotEstimable, match="judge and family never occur together freely"):
        coded(frame, covariates=("family",))


def test_fixed_facets_that_never_occur_freely_have_no_mean():
    """Judge a only at temperature 0, judge b at 0 and 1, judge c at 2 only."""
    pairs = [("a", "0"), ("b", "0"), ("b", "1"), ("c", "2")]
    rows = [(f"i{i}", *pair, i + k * 0.3) for i in range(4) for k, pair in enumerate(pairs)]
    frame = pl.DataFrame(rows, schema=["item", "judge", "temperature", "score"], orient="row")
    with pytest.raises(NotEstimable, match="judge and temperature never occur together freely"):
        coded(frame)


def test_a_covariate_with_missing_values_is_refused(simulate):
    frame = simulate({"item": 4, "judge": 2}).with_columns(length=pl.Series([1.0, 1, 2, 2, 4, 4, None, None]))
    with pytest.raises(InvalidInput, match='"length" has missing values'):
        coded(frame, covariates=("length",))


def test_a_covariate_that_hardly_varies_is_refused(simulate):
    """Seconds since 1970 within one hour: their variation is lost beside their size."""
    frame = simulate({"item": 4, "judge": 2}).with_columns(time=1.7e9 + 450.0 * np.arange(8))
    with pytest.raises(InvalidInput, match=r'"time" varies by .* subtract a constant'):
        coded(frame, covariates=("time",))
    fixed, _ = coded(frame.with_columns(time=pl.col("time") - 1.7e9), covariates=("time",))
    assert "time" in fixed.names


@pytest.mark.slow
def test_a_fixed_facet_may_have_as_many_levels_as_there_is_room_for():
    frame = pl.DataFrame({"item": [str(i % 7) for i in range(2100)], "judge": [str(i % 1050) for i in range(2100)]})
    fixed, judgments = coded(frame.with_columns(score=pl.Series(np.arange(2100.0) % 11)), fixed=("judge",))
    assert fixed.rows.shape == (1050, 1050)
    np.testing.assert_array_equal(fixed.x[:, 3], judgments.column("judge") == 3)


def test_columns_that_depend_on_earlier_ones_are_left_out_and_known_by_them():
    rng = np.random.default_rng(1)
    x, times = rng.normal(size=(12, 4)), rng.integers(1, 5, 12)
    full = np.column_stack([x[:, :2], x[:, 0] - 300 * x[:, 1], x[:, 2:], x[:, 3] + 2 * x[:, 0]])
    kept, dropped, made_of = independent_columns(full, times)
    assert (kept, dropped) == ([0, 1, 3, 4], [2, 5])
    np.testing.assert_allclose(full[:, kept] @ made_of, full[:, dropped], atol=1e-9)


def test_many_levels_are_told_apart_as_few_are():
    """Indicators of 500 levels and of their 5 groups, of which 4 follow from them."""
    level = np.arange(500)
    x = np.column_stack([np.ones(500), level[:, None] == np.arange(1, 500), level[:, None] % 5 == np.arange(1, 5)])
    kept, dropped, made_of = independent_columns(x.astype(float), 1 + level % 3)
    assert (kept, dropped) == (list(range(500)), [500, 501, 502, 503])
    np.testing.assert_allclose(x[:, kept] @ made_of, x[:, dropped], atol=1e-8)


def test_what_items_divide():
    assert all(of_items(name, "item") for name in ("item", "item:judge", "cell + replicate", "judge + cell[judge=a]"))
    assert not any(of_items(name, "item") for name in ("judge", "judge:prompt"))


def test_the_facets_of_a_sum():
    assert facets_of("item:judge + cell[judge=a]") == {"item", "judge", "cell"}
