from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from examples import few
from hypothesis import given
from hypothesis import strategies as st

import quorate as q
from quorate.errors import InvalidData, InvalidInput, NotEstimable
from quorate.estimate.components.decompose import is_default
from quorate.estimate.components.model import build, residuals

SIZES = {"item": 12, "prompt": 3, "judge": 3}
FACETS = {name: name for name in SIZES}
REPLICATED = {**FACETS, "replicate": "replicate"}
UNBALANCED = {"keep": 0.75, "replicates": 2}


@pytest.fixture(scope="module")
def frame(simulate):
    return simulate(SIZES, seed=3, **UNBALANCED)


@pytest.fixture(scope="module")
def fit(frame):
    return q.decompose(q.read(frame, facets=REPLICATED))


def refit(frame, **options):
    return q.decompose(q.read(frame, facets=REPLICATED), **options)


# Invariance


@pytest.mark.slow
@given(factor=st.sampled_from([1e-4, 0.3, 20.0, 1e6]), method=st.sampled_from(["reml", "ml"]))
@few
def test_scores_in_other_units(frame, factor, method):
    one, other = (refit(f, method=method) for f in (frame, frame.with_columns(pl.col("score") * factor)))
    for term, value in one.variances.items():
        assert other.variance(term) == pytest.approx(factor**2 * value, rel=1e-6, abs=1e-9 * factor**2)
    assert other.mean.se == pytest.approx(factor * one.mean.se, rel=1e-6)
    assert other.mean.df == pytest.approx(one.mean.df, rel=1e-5)
    free = one.judgments.n_answers - (3 if method == "reml" else 0)
    assert other.criterion == pytest.approx(one.criterion + 2 * free * np.log(factor), rel=1e-9, abs=1e-7)


@pytest.mark.wide(1)
@pytest.mark.parametrize("shift", [-3.0, 1000.0, 1e7])
def test_a_constant_added_to_all_scores_moves_the_mean_alone(frame, fit, shift):
    other = refit(frame.with_columns(pl.col("score") + shift))
    assert other.variances == pytest.approx(fit.variances, rel=1e-5, abs=1e-8)
    assert other.mean.value == pytest.approx(fit.mean.value + shift, rel=1e-12)
    assert other.mean.se == pytest.approx(fit.mean.se, rel=1e-6)


@pytest.mark.slow
@given(seed=st.integers(0, 10**6))
@few
def test_the_order_of_rows_does_not_matter(frame, fit, seed):
    order = np.random.default_rng(seed).permutation(len(frame))
    other = refit(frame[order])
    assert other.variances == pytest.approx(fit.variances, rel=1e-9)
    assert other.mean.ends == pytest.approx(fit.mean.ends, rel=1e-9)


@pytest.mark.slow
def test_the_names_of_levels_do_not_matter(frame, fit):
    renamed = frame.with_columns(
        pl.concat_str(pl.lit("z"), pl.col(name).str.slice(-4).cast(pl.Int64).mul(-7).add(500)).alias(name)
        for name in SIZES
    )
    other = refit(renamed)
    assert other.variances == pytest.approx(fit.variances, rel=1e-6)
    assert other.mean.value == pytest.approx(fit.mean.value, rel=1e-9)
    assert other.mean.se == pytest.approx(fit.mean.se, rel=1e-7)
    assert other.variance("judge") == pytest.approx(fit.variance("judge"), rel=1e-7)


@pytest.mark.slow
def test_the_object_of_measurement_is_only_a_name(frame, fit):
    facets = {"question": "item", "prompt": "prompt", "judge": "judge", "replicate": "replicate"}
    other = q.decompose(q.read(frame, facets=facets, object="question"))
    assert other.variance("question:judge") == pytest.approx(fit.variance("item:judge"), rel=1e-9)


def test_a_repeated_key_is_refused_with_its_place(frame):
    twice = pl.concat([frame, frame[:1]])
    with pytest.raises(InvalidData, match="1 row repeats a key, the first at item item0000"):
        refit(twice)


def test_without_a_replicate_column_repeated_cells_are_replicates(frame, fit):
    other = q.decompose(q.read(frame, facets=FACETS))
    assert other.variances == pytest.approx(fit.variances, rel=1e-12)


def test_the_method_must_be_known(frame):
    with pytest.raises(InvalidInput, match='method: must be one of reml, ml, anova, got "mcmc"'):
        refit(frame, method="mcmc")


# Recovery


@pytest.mark.slow
def test_components_are_recovered(judged):
    sd = {
        "item": 1.0,
        "prompt": 0.5,
        "judge": 0.3,
        "item:prompt": 0.6,
        "item:judge": 0.8,
        "cell": 0.5,
        "replicate": 0.4,
    }
    fit = q.decompose(judged({"item": 400, "prompt": 20, "judge": 3}, sd=sd, replicates=2, seed=8, keep=0.9))
    for term in ("item", "item:prompt", "item:judge", "cell", "replicate"):
        assert fit.variance(term) == pytest.approx(sd[term] ** 2, rel=0.2), term


@pytest.mark.slow
def test_residuals_by_level_are_recovered(simulate):
    frame = simulate({"item": 300, "prompt": 3, "judge": 2}, replicates=3, seed=5, sd={"cell": 0.0, "replicate": 0.0})
    rng = np.random.default_rng(6)
    rows, loud = len(frame), (frame["judge"] == "judge0001").to_numpy()
    cell = np.repeat(rng.normal(size=rows // 3), 3) * np.where(loud, 0.9, 0.3)
    frame = frame.with_columns(score=pl.col("score") + cell + rng.normal(size=rows) * np.where(loud, 1.2, 0.2))
    fit = refit(frame, residual_by="judge")
    found = {component.name: component for component in fit.components}
    wanted = {"cell": (0.09, 0.81), "replicate": (0.04, 1.44)}
    for kind, values in wanted.items():
        for level, value in zip(("judge0000", "judge0001"), values, strict=True):
            component = found[f"{kind}[judge={level}]"]
            assert component.variance == pytest.approx(value, abs=2.5 * component.se)
            assert component.se < 0.15 * max(values)
        assert fit.variance(kind) == pytest.approx(np.mean(values), rel=0.15)
    pooled = refit(frame)
    assert fit.criterion < pooled.criterion - 100


def test_residuals_by_level_equal_separate_fits_where_nothing_is_shared(judged):
    """Items of their own for each judge: with no term across judges the likelihood is a sum."""
    judgments = judged({"item": 30, "judge": 2, "prompt": 4}, replicates=2, seed=2, fixed=("judge",))
    kept = judgments.keep((judgments.column("item") % 2) == judgments.column("judge"))
    fit = q.decompose(kept, random=["cell"], residual_by="judge")
    for level in ("judge0000", "judge0001"):
        alone = q.decompose(kept.only("judge", level), random=["cell"])
        for kind in ("cell", "replicate"):
            assert fit.variance(f"{kind}[judge={level}]") == pytest.approx(alone.variance(kind), rel=1e-6)


@pytest.mark.slow
def test_a_level_never_judged_twice_has_one_residual(simulate):
    frame = simulate(SIZES, seed=4, replicates=3)
    once = (pl.col("judge") == "judge0001") & (pl.col("replicate") > 0)
    fit = refit(frame.filter(~once), residual_by="judge")
    assert fit.aliases == (frozenset({"cell[judge=judge0001]", "replicate[judge=judge0001]"}),)
    assert fit.variances["replicate[judge=judge0000]"] > 0
    with pytest.raises(NotEstimable):
        q.project(fit, replicates=2)


# Estimators


@pytest.mark.parametrize("replicates", [1, 3])
def test_anova_is_reml_on_balanced_data_with_positive_components(judged, replicates):
    judgments = judged({"item": 20, "prompt": 5, "judge": 4}, replicates=replicates, seed=11)
    reml, anova = (q.decompose(judgments, method=method) for method in ("reml", "anova"))
    assert min(reml.variances.values()) > 0
    assert anova.variances == pytest.approx(reml.variances, rel=1e-5)
    assert anova.mean.ends == pytest.approx(reml.mean.ends, rel=1e-6)
    assert anova.criterion == pytest.approx(reml.criterion, rel=1e-9)


def test_anova_with_terms_that_cannot_be_told_apart(judged):
    judgments = judged({"item": 20, "prompt": 4, "judge": 1}, seed=7)
    reml, anova = (q.decompose(judgments, method=method) for method in ("reml", "anova"))
    assert anova.variances == pytest.approx(reml.variances, rel=1e-6)


def test_negative_anova_estimates_are_kept_and_said(judged):
    sd = {"item": 0.0, "item:judge": 0.0, "prompt": 0.0, "cell": 0.0}
    judgments = judged({"item": 5, "prompt": 3, "judge": 3}, replicates=4, sd=sd, seed=1)
    fit = q.decompose(judgments, method="anova")
    negative = {name for name, value in fit.variances.items() if value < 0}
    assert negative
    assert {c.code for c in fit.caveats} >= {"negative"}
    assert all(name in str(c) for c in fit.caveats if c.code == "negative" for name in negative)
    assert fit.mean.se > 0


def test_anova_refuses_unbalanced_data(frame):
    with pytest.raises(NotEstimable, match="balanced data are needed"):
        refit(frame, method="anova")


def test_ml_variances_of_a_balanced_one_way_layout_by_hand(simulate):
    """Both estimators put MSE in the residual; ML divides the between sum of squares by a, REML by a - 1."""
    frame = simulate({"item": 8}, replicates=5, seed=2)
    y = frame["score"].to_numpy().reshape(8, 5)
    between, within = 5 * np.sum((y.mean(axis=1) - y.mean()) ** 2), np.sum((y - y.mean(axis=1, keepdims=True)) ** 2)
    facets = {"item": "item", "replicate": "replicate"}
    for method, divisor in (("reml", 7), ("ml", 8)):
        fit = q.decompose(q.read(frame, facets=facets), method=method)
        assert fit.variance("replicate") == pytest.approx(within / 32, rel=1e-6)
        assert fit.variance("item") == pytest.approx((between / divisor - within / 32) / 5, rel=1e-6)


# What cannot be told apart


def cells(rows, score=None):
    names = ["item", "prompt", "judge"]
    frame = pl.DataFrame(rows, schema=names, orient="row").cast(pl.String)
    rng = np.random.default_rng(0)
    noise = rng.normal(size=len(frame))
    item = rng.normal(size=1000)[frame["item"].cast(pl.Int64).to_numpy()]
    return q.read(frame.with_columns(score=item + noise), facets={name: name for name in names})


def test_one_judge():
    fit = q.decompose(cells([(i, v, 0) for i in range(20) for v in range(3)]))
    assert set(fit.aliases) == {
        frozenset({"item", "item:judge"}),
        frozenset({"prompt", "prompt:judge"}),
        frozenset({"item:prompt", "cell", "replicate"}),
    }
    with pytest.raises(NotEstimable, match="only the sum item") as refused:
        fit.variance("item")
    assert refused.value.names == {"item", "item:judge"}
    assert fit.variance("item:judge + item") == fit.variances["item + item:judge"]


def test_one_call_per_item():
    """Prompt and judge in turn, the pair cycled: all that varies by item is one sum."""
    fit = q.decompose(cells([(i, i % 9 // 3, i % 3) for i in range(45)]))
    assert set(fit.aliases) == {frozenset({"item", "item:prompt", "item:judge", "cell", "replicate"})}
    assert set(fit.variances) > {"prompt", "prompt:judge"}


def test_cycling_prompt_and_judge_together_loses_the_prompt():
    fit = q.decompose(cells([(i, i % 3, i % 3) for i in range(45)]))
    assert set(fit.absorbed) == {"prompt", "prompt:judge"}
    assert list(map(len, fit.aliases)) == [5]
    with pytest.raises(NotEstimable, match="absorbed by the fixed effects"):
        fit.variance("prompt")


def test_a_latin_square_of_three_calls_per_item():
    """Every item meets every prompt once and every judge once."""
    fit = q.decompose(cells([(i, v, (i + v) % 3) for i in range(30) for v in range(3)]))
    assert set(fit.aliases) == {frozenset({"item:prompt", "item:judge", "cell", "replicate"})}
    assert fit.variance("item") > 0


def test_generations_judged_in_turn():
    """Ten generations of every scenario, generation g by judge g mod 3: a generation has one judgment only."""
    rows = [(i, g, g % 3) for i in range(12) for g in range(10)]
    frame = pl.DataFrame(rows, schema=["scenario", "generation", "judge"], orient="row").cast(pl.String)
    frame = frame.with_columns(score=pl.Series(np.random.default_rng(1).normal(size=len(rows))))
    facets = {name: name for name in ("scenario", "generation", "judge")}
    fit = q.decompose(q.read(frame, facets=facets, object="scenario", nested={"generation": "scenario"}))
    assert set(fit.aliases) == {frozenset({"generation", "cell", "replicate"})}
    assert "scenario:judge" in fit.variances


def test_a_complete_design_has_no_aliases_apart_from_the_replicate(judged):
    judgments = judged({"item": 10, "prompt": 3, "judge": 3})
    assert q.decompose(judgments).aliases == (frozenset({"cell", "replicate"}),)
    assert q.decompose(judged({"item": 10, "prompt": 3, "judge": 3}, replicates=2)).aliases == ()


def test_the_sum_that_is_estimated_does_not_depend_on_which_name_it_has(judged):
    """item and item:judge with one judge: fitting either alone gives the sum."""
    judgments = judged({"item": 20, "prompt": 3, "judge": 1}, seed=9)
    whole = q.decompose(judgments)
    alone = q.decompose(judgments, random=["item", "prompt"])
    assert whole.variance("item + item:judge") == pytest.approx(alone.variance("item"), rel=1e-8)
    assert whole.criterion == pytest.approx(alone.criterion, rel=1e-12)


# Nothing to estimate


def test_as_many_fixed_effects_as_cells(simulate):
    frame = simulate({"item": 2, "judge": 2}).filter(pl.col("item").str.slice(-1) == pl.col("judge").str.slice(-1))
    with pytest.raises(NotEstimable, match="as many effects as cells"):
        q.decompose(q.read(frame, facets={"item": "item", "judge": "judge"}))


@pytest.mark.wide(2)
@pytest.mark.parametrize("method", ["reml", "ml", "anova"])
@pytest.mark.parametrize("fixed", [("judge",), ()])
def test_judges_that_copy_one_another(simulate, method, fixed):
    """Additive scores are fitted exactly: no residual is left."""
    frame = simulate({"item": 10, "judge": 3})
    exact = np.repeat(np.arange(10.0) ** 2, 3) + np.tile([0.0, 0.1, 0.25], 10)
    judgments = q.read(frame.with_columns(score=exact), facets={"item": "item", "judge": "judge"}, fixed=fixed)
    with pytest.raises(NotEstimable, match="fit the scores exactly"):
        q.decompose(judgments, method=method)


def test_a_residual_that_rounding_errors_reach(simulate):
    """A residual of 1e-12 of the variance: what a search finds are rounding errors."""
    frame = simulate({"item": 10, "judge": 3}, sd={"item:judge": 0.0, "cell": 1e-6, "replicate": 0.0}, seed=3)
    with pytest.raises(NotEstimable, match="fit the scores exactly"):
        q.decompose(q.read(frame, facets={"item": "item", "judge": "judge"}))


@pytest.mark.wide(1)
@pytest.mark.parametrize("spread", [1e-2, 1e-3, 1e-4, 3e-5])
def test_a_small_residual_is_no_copy(simulate, spread):
    frame = simulate({"item": 10, "judge": 3}, sd={"item:judge": 0.0, "cell": spread, "replicate": 0.0}, seed=3)
    fit = q.decompose(q.read(frame, facets={"item": "item", "judge": "judge"}))
    assert fit.variance("cell") == pytest.approx(spread**2, rel=0.7)


@pytest.mark.wide(2)
@pytest.mark.parametrize(("spread", "seed"), [(1e-3, 0), (1e-4, 1), (3e-5, 2), (3e-5, 3)])
def test_reml_is_anova_where_the_noise_is_tiny(simulate, spread, seed):
    """Both are unbiased for the same components, so they agree where none is at its bound."""
    sd = {"cell": spread, "replicate": spread, "item:judge": 10 * spread, "prompt:judge": 10 * spread}
    judgments = q.read(
        simulate({"item": 20, "prompt": 3, "judge": 3}, replicates=2, sd=sd, seed=seed), facets=REPLICATED
    )
    reml, anova = (q.decompose(judgments, method=method) for method in ("reml", "anova"))
    assert min(anova.variances.values()) > 0
    assert reml.variance("cell") == pytest.approx(anova.variance("cell"), rel=1e-3)
    assert reml.variance("replicate") == pytest.approx(anova.variance("replicate"), rel=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_tiny_noise_in_an_unbalanced_table(simulate, seed):
    sd = {"cell": 1e-4, "replicate": 0.0}
    fit = q.decompose(
        q.read(simulate({"item": 60, "prompt": 4, "judge": 3}, keep=0.85, sd=sd, seed=seed), facets=FACETS)
    )
    assert fit.variance("cell + replicate") == pytest.approx(1e-8, rel=0.25)


@pytest.mark.wide(2)
@pytest.mark.parametrize(
    ("replicates", "options"), [(1, {}), (1, {"method": "ml"}), (2, {}), (1, {"random": ["item:judge", "cell"]})]
)
def test_a_judge_without_residual_variance_is_named(simulate, replicates, options):
    """It gives every prompt of an item the same score: a variance of its own has no estimate above zero."""
    frame = simulate({"item": 20, "prompt": 3, "judge": 3}, replicates=replicates, seed=1)
    same = pl.col("score").first().over("item", "judge")
    constant = frame.with_columns(pl.when(pl.col("judge") == "judge0001").then(same).otherwise("score").alias("score"))
    facets = REPLICATED if replicates > 1 else FACETS
    with pytest.raises(
        NotEstimable, match=r"^judge judge0001 has no residual variance: .* Drop residual_by, or leave that judge out$"
    ):
        q.decompose(q.read(constant, facets=facets), residual_by="judge", **options)


def test_replicates_that_repeat_their_cell(simulate):
    frame = simulate(SIZES, seed=6)
    copies = pl.concat([frame, frame.with_columns(replicate=pl.lit(1, dtype=pl.Int64))])
    once, twice = refit(frame), refit(copies)
    assert twice.variance("replicate") == 0.0
    assert twice.variance("cell") == pytest.approx(once.variance("cell"), rel=1e-6)
    assert twice.mean.ends == pytest.approx(once.mean.ends, rel=1e-6)
    assert "identical-replicates" in {c.code for c in twice.caveats}


@pytest.mark.slow
def test_replicates_that_hardly_differ(simulate):
    frame = simulate(SIZES, seed=6, replicates=2, sd={"replicate": 1e-3})
    fit = refit(frame)
    assert fit.variance("replicate") == pytest.approx(1e-6, rel=0.5)
    assert fit.variance("cell") == pytest.approx(0.25, rel=0.5)


def test_a_fit_knows_whether_it_is_the_default(judged):
    judgments = judged({"item": 8, "prompt": 2, "judge": 2})
    assert is_default(q.decompose(judgments))
    options = [{"random": ["item", "cell"]}, {"method": "ml"}, {"interval": "normal"}, {"residual_by": "judge"}]
    options += [{"covariates": ["prompt"]}]
    assert not any(is_default(q.decompose(judgments, **one)) for one in options)


# item, prompt, judge, score
NINE = [
    (0, 0, 0, 5.777814162815541),
    (0, 1, 0, 8.984386436256234),
    (0, 1, 2, 6.742439402381782),
    (0, 1, 2, 6.758264174859356),
    (1, 0, 2, -1.6941000848270509),
    (1, 0, 2, -1.569571306785706),
    (1, 1, 0, 9.441042072072843),
    (1, 1, 1, -17.815692231151452),
    (1, 1, 2, -1.1491131991748764),
]


def read(rows, **options):
    columns = ["item", "prompt", "judge", "score"]
    return q.read(pl.DataFrame(rows, schema=columns, orient="row"), announce=False, **options)


@pytest.mark.slow
@pytest.mark.parametrize("pair", ["prompt", "item:prompt"])
def test_the_lowest_of_two_minima(pair):
    """A search from the moment estimates alone ends at 39.950; lme4: ``tests/reference/local_minimum.txt``."""
    fit = q.decompose(read(NINE, fixed=()), random=["item", pair, "item:judge", "prompt:judge"])
    assert fit.criterion == pytest.approx(37.0080610, abs=3e-7)


def test_a_level_that_the_fixed_effects_fit_exactly_is_named():
    with pytest.raises(NotEstimable, match="judge 1 has no residual variance"):
        q.decompose(read(NINE), residual_by="judge")


def test_a_design_whose_residual_is_lowest_at_zero():
    """Seven cells: random terms can take up all there is, and no criterion is at a residual of zero itself."""
    rng = np.random.default_rng(4)
    rows = [(i, v, m, 3.0 * i + rng.normal()) for i, v, m in [(0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0), (2, 0, 0)]]
    with pytest.raises(NotEstimable, match="residual variance is zero"):
        q.decompose(read(rows, fixed=()))


def test_every_component_names_what_its_interval_takes_effects_to_be():
    """Few levels and noise are taken to be normal; a sensitivity has no interval."""
    rng = np.random.default_rng(5)
    item, prompt, judge = (at.ravel() for at in np.indices((50, 3, 3)))
    score = np.exp(rng.normal(size=50))[item] + rng.normal(0, 0.1, 3)[prompt] + rng.normal(0, 0.3, len(item))
    frame = pl.DataFrame({"item": item, "prompt": prompt, "judge": judge, "score": score})
    fit = q.decompose(q.read(frame, announce=False), random=["item", "prompt"])
    assert {row["term"]: row["interval"] for row in fit.rows()} == {
        "item": "robust",
        "prompt": "normal",
        "cell + replicate": "normal",
        "judge": None,
    }


OF_ANSWERS = {name: name for name in ("item", "judge", "replicate")}


def noise_of(judgments, *, random=None, residual_by=None, scale=1.0):
    return residuals(judgments, build(judgments, random, ()), residual_by, scale)


def test_cells_and_replicates(judged):
    judgments = judged({"item": 5, "judge": 2}, replicates=3, keep=0.8, seed=1)
    noise = noise_of(judgments, scale=2.0)
    assert noise.names == ("cell", "replicate")
    np.testing.assert_allclose(noise.weight, np.column_stack([np.ones(len(judgments.n)), 1 / judgments.n]))
    np.testing.assert_allclose(noise.inside.ss, [0, judgments.ss.sum() / 4])
    np.testing.assert_allclose(noise.inside.df, [0, judgments.n_answers - judgments.n_cells])
    assert noise.inside.log_counts == pytest.approx(np.log(judgments.n).sum())
    assert noise.identical == noise.levels == ()


def test_a_model_without_the_cell_has_replicates_only(judged):
    noise = noise_of(judged({"item": 5, "judge": 2}, replicates=3), random=["item"])
    assert noise.names == ("replicate",)


def test_no_cell_judged_twice(judged):
    for random in (None, ["item"]):
        noise = noise_of(judged({"item": 5, "judge": 2}), random=random)
        assert noise.names == ("cell",)
        assert noise.inside.df.tolist() == [0]


def test_replicates_that_repeat_their_cell_are_left_out(simulate):
    frame = simulate({"item": 5, "judge": 2})
    copies = pl.concat([frame, frame.with_columns(replicate=pl.lit(1, dtype=pl.Int64))])
    noise = noise_of(q.read(copies, facets=OF_ANSWERS))
    assert noise.names == ("cell",)
    assert noise.identical == ("replicate",)
    assert noise.inside.log_counts == 0.0
    np.testing.assert_array_equal(noise.weight, np.ones((10, 1)))


def test_one_judge_that_repeats_itself_and_one_that_was_asked_once(simulate):
    frame = simulate({"item": 30, "judge": 3}, replicates=2, seed=1)
    first = pl.col("score").first().over("item", "judge")
    frame = frame.with_columns(score=pl.when(pl.col("judge") == "judge0001").then(first).otherwise("score"))
    frame = frame.filter((pl.col("judge") != "judge0002") | (pl.col("replicate") == 0))
    judgments = q.read(frame, facets=OF_ANSWERS)
    noise = noise_of(judgments, residual_by="judge")
    assert noise.names == (
        *("cell[judge=judge0000]", "cell[judge=judge0001]", "cell[judge=judge0002]", "replicate[judge=judge0000]"),
        "replicate[judge=judge0002]",
    )
    assert noise.identical == ("replicate[judge=judge0001]",)
    assert noise.inside.df.tolist() == [0, 0, 0, 30, 0]
    fit = q.decompose(judgments, residual_by="judge")
    assert fit.aliases == (frozenset({"cell[judge=judge0002]", "replicate[judge=judge0002]"}),)
