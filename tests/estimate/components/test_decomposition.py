from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats

import quorate as q
from quorate.errors import NotEstimable, UnknownTerm
from quorate.estimate.components.fit import answers_by_scatter
from quorate.table.facts import repeats

FACETS = {name: name for name in ("item", "prompt", "judge", "replicate")}


@pytest.fixture(scope="module")
def fit(judged):
    return q.decompose(judged({"item": 15, "prompt": 4, "judge": 3}, replicates=2, keep=0.8, seed=2))


def test_terms_are_read_in_any_order(fit):
    assert fit.variance("judge:item") == fit.variance("item:judge") == fit.variances["item:judge"]
    assert fit.variance("prompt:judge:item") == fit.variance("cell")


def test_a_fixed_facet_gives_its_sensitivity(fit):
    means = [fit.fixed_effects["(Intercept)"][0]] * 3
    for k in (1, 2):
        means[k] += fit.fixed_effects[f"judge[judge000{k}]"][0]
    assert fit.variance("judge") == pytest.approx(np.var(means))  # divisor M


def test_an_unknown_term_is_named_with_those_that_exist(fit):
    with pytest.raises(UnknownTerm, match='no term "annotator"'):
        fit.variance("annotator")
    with pytest.raises(KeyError):
        fit.variance("item:annotator")


def test_a_term_that_was_left_out_of_the_model_is_unknown(judged):
    fit = q.decompose(judged({"item": 8, "prompt": 3, "judge": 2}), random=["item", "prompt"])
    with pytest.raises(UnknownTerm, match='no term "item:judge"'):
        fit.variance("item:judge")


def test_without_replicates_the_residual_is_the_cell(judged):
    fit = q.decompose(judged({"item": 8, "prompt": 3, "judge": 2}))
    assert fit.aliases == (frozenset({"cell", "replicate"}),)
    assert fit.variance("cell") == fit.variances["cell + replicate"]
    with pytest.raises(NotEstimable) as refused:
        fit.variance("replicate")
    assert refused.value.names == {"cell", "replicate"}


def test_residuals_by_level_are_read_by_their_name_or_on_average(judged):
    fit = q.decompose(judged({"item": 12, "prompt": 3, "judge": 2}, replicates=2), residual_by="judge")
    levels = [fit.variance(f"cell[judge=judge000{k}]") for k in (0, 1)]
    assert fit.variance("cell") == pytest.approx(np.mean(levels))
    assert levels[0] != levels[1]


def test_components_come_with_standard_errors_and_intervals(fit):
    for component in fit.components:
        if component.kind == "random":
            assert component.low <= component.variance <= component.high
            assert component.se > 0
        else:
            assert np.isnan([component.se, component.low, component.high]).all()
    assert [c.name for c in fit.components if c.kind == "sensitivity"] == ["judge"]
    assert sum(c.share for c in fit.components) == pytest.approx(1)


def test_levels_of_components(fit):
    judgments = fit.judgments
    levels = {component.name: component.levels for component in fit.components}
    assert levels["item"] == 15
    assert levels["item:judge"] == judgments.level_codes(["item", "judge"]).max() + 1
    assert levels["cell"] == judgments.n_cells
    assert levels["replicate"] == judgments.n_answers
    assert levels["judge"] == 3


def test_standard_errors_of_a_balanced_one_way_layout_by_hand(judged):
    """Var(MS) = 2 MS^2 / df, with item = (MSB - MSW) / n."""
    fit = q.decompose(judged({"item": 10}, replicates=4, seed=3))
    within, between = fit.variance("replicate"), fit.variance("replicate") + 4 * fit.variance("item")
    wanted = np.sqrt(2 * between**2 / 9 + 2 * within**2 / 30) / 4
    component = next(c for c in fit.components if c.levels == 10)
    assert component.se == pytest.approx(wanted, rel=1e-5)
    rest = next(c for c in fit.components if c.name == "replicate")
    assert rest.se == pytest.approx(within * np.sqrt(2 / 30), rel=1e-5)
    assert (rest.low, rest.high) == pytest.approx(
        (30 * within / stats.chi2.ppf(0.975, 30), 30 * within / stats.chi2.ppf(0.025, 30)), rel=1e-4
    )


def test_covariance_of_a_crossed_layout_by_hand(judged):
    """item = (MSI - MSE) / J and judge = (MSJ - MSE) / I share the error mean square."""
    fit = q.decompose(judged({"item": 12, "judge": 6}, fixed=(), seed=4))
    residual, item, judge = (fit.variance(name) for name in ("cell", "item", "judge"))
    order = [fit.assembled.names.index(name) for name in ("item", "judge", "cell")]
    error, ms_item, ms_judge = residual, residual + 6 * item, residual + 12 * judge
    noise = 2 * error**2 / 55
    wanted = np.array(
        [
            [(2 * ms_item**2 / 11 + noise) / 36, noise / 72, -noise / 6],
            [noise / 72, (2 * ms_judge**2 / 5 + noise) / 144, -noise / 12],
            [-noise / 6, -noise / 12, noise],
        ]
    )
    np.testing.assert_allclose(fit.covariance[np.ix_(order, order)], wanted, rtol=1e-5)


def test_fixed_effects_of_balanced_data_are_differences_of_means(judged):
    judgments = judged({"item": 9, "prompt": 3, "judge": 3}, seed=5)
    fit = q.decompose(judgments)
    means = [judgments.only("judge", level).mean.mean() for level in judgments.facet("judge").levels]
    values = [value for value, _ in fit.fixed_effects.values()]
    np.testing.assert_allclose(values, [means[0], means[1] - means[0], means[2] - means[0]], rtol=1e-9)


@pytest.mark.parametrize(("library", "kind"), [(pl, pl.DataFrame), (pd, pd.DataFrame)])
def test_the_frame_is_of_the_callers_library(library, kind, simulate):
    frame = simulate({"item": 8, "judge": 2}, seed=1)
    source = frame if library is pl else pd.DataFrame(frame.to_dict(as_series=False))
    fit = q.decompose(q.read(source, facets={"item": "item", "judge": "judge"}))
    out = fit.to_frame()
    assert isinstance(out, kind)
    assert list(out.columns) == ["term", "variance", "se", "low", "high", "levels", "kind", "share", "interval"]
    assert list(out["term"]) == [*fit.variances, "judge"]


def test_the_criterion_is_that_of_the_scores_not_of_the_scaled_ones(judged):
    """Independent scores about a mean: minus twice the restricted log-likelihood in closed form."""
    judgments = judged({"item": 9, "judge": 2}, fixed=())
    fit = q.decompose(judgments, random=[])
    n, s2 = 18, fit.variance("cell")
    assert s2 == pytest.approx(np.var(judgments.mean, ddof=1), rel=1e-6)
    wanted = (n - 1) * (np.log(2 * np.pi * s2) + 1) + np.log(n)
    assert fit.criterion == pytest.approx(wanted, rel=1e-9)


def test_it_shows_its_components(fit):
    assert repr(fit).startswith("Decomposition(item ")


@pytest.mark.slow
def test_a_component_has_the_degrees_of_freedom_of_its_mean_square(judged):
    fit = q.decompose(judged({"item": 12, "prompt": 4, "judge": 3}, replicates=2))
    wanted = {"item": 11, "prompt": 3, "item:prompt": 33, "item:judge": 22, "prompt:judge": 6, "cell": 66}
    found = {name: fit.freedom(fit.assembled.names.index(name)) for name in wanted}
    assert found == pytest.approx(wanted, rel=1e-4)


def codes(fit):
    return {caveat.code: str(caveat) for caveat in fit.caveats}


def test_a_large_complete_study_needs_none(judged):
    assert q.decompose(judged({"item": 40, "prompt": 6, "judge": 3}, replicates=2, seed=1)).caveats == ()


def test_few_items(judged):
    assert "29 items" in codes(q.decompose(judged({"item": 29, "prompt": 6}, seed=1)))["few-items"]


def test_one_and_two_levels(judged):
    found = codes(q.decompose(judged({"item": 40, "prompt": 2, "judge": 1}, seed=1)))
    assert "1 judge" in found["one-level"]
    two = codes(q.decompose(judged({"item": 40, "prompt": 2, "judge": 2}, replicates=2, seed=1)))
    assert "2 prompts: they hardly show how far prompts differ" in two["few-levels"]
    assert "judge" not in two["few-levels"]  # a chosen panel rests on no degrees of freedom


def test_boundary_and_few_levels(judged):
    sd = {"prompt": 0.0, "item:prompt": 0.0, "prompt:judge": 0.0}
    for seed in range(20):
        fit = q.decompose(judged({"item": 40, "prompt": 3, "judge": 2}, replicates=2, sd=sd, seed=seed))
        if fit.variance("prompt") == 0:
            found = codes(fit)
            assert "prompt" in found["boundary"]
            assert "3 levels" in found["zero-few-levels"]
            return
    pytest.fail("no sample of 20 has a prompt variance at the boundary")


def test_missing_scores_are_counted(simulate):
    frame = simulate({"item": 40, "prompt": 6}, seed=1)
    frame = frame.with_columns(score=pl.when(pl.int_range(pl.len()) % 24 == 0).then(None).otherwise("score"))
    found = codes(q.decompose(q.read(frame, facets={"item": "item", "prompt": "prompt"})))
    assert "4.2%" in found["missing"]


def test_aliases_and_absorbed_terms(simulate):
    frame = simulate({"item": 45, "prompt": 3, "judge": 3}, seed=1)
    number = pl.col("item").str.slice(-4).cast(pl.Int64) % 3
    same = (number == pl.col("prompt").str.slice(-1).cast(pl.Int64)) & (
        number == pl.col("judge").str.slice(-1).cast(pl.Int64)
    )
    found = codes(q.decompose(q.read(frame.filter(same), facets={n: n for n in ("item", "prompt", "judge")})))
    assert "cell + item + item:judge + item:prompt + replicate" in found["aliased"]
    assert "prompt, prompt:judge" in found["absorbed"]


def test_a_residual_without_replicates_is_no_alias_to_mention(judged):
    assert "aliased" not in codes(q.decompose(judged({"item": 40, "prompt": 6, "judge": 3}, seed=1)))


@pytest.mark.slow
def test_components_barely_told_apart(simulate):
    """Two judges who share one item of twelve thousand."""
    frame = simulate({"item": 12_000, "judge": 2}, seed=1)
    number = pl.col("item").str.strip_prefix("item").cast(pl.Int64)
    own = number % 2 == pl.col("judge").str.slice(-1).cast(pl.Int64)
    fit = q.decompose(q.read(frame.filter(own | (number == 0)), facets={"item": "item", "judge": "judge"}))
    assert "near-alias" in codes(fit)


def test_columns_left_over_where_rows_count_as_repeats(simulate):
    """A scale that nothing names: its levels look like replicates."""
    frame = simulate({"item": 30, "judge": 3}, replicates=2, seed=1).rename({"replicate": "scale_max"})
    facets = {"item": "item", "judge": "judge"}
    found = codes(q.decompose(q.read(frame, facets=facets, recognise=True, announce=False)))
    assert "not used so far: scale_max" in found["unnamed-replicates"]
    named = q.read(frame, facets=facets | {"scale": "scale_max"}, recognise=True, announce=False)
    assert "unnamed-replicates" not in codes(q.decompose(named))
    once = q.read(
        frame.filter(pl.col("scale_max") == frame["scale_max"][0]), facets=facets, recognise=True, announce=False
    )
    assert "unnamed-replicates" not in codes(q.decompose(once))


def test_degrees_of_freedom_of_some_items_are_those_of_all(judged, monkeypatch):
    judgments = judged({"item": 2000, "prompt": 2, "judge": 3}, keep=0.9)
    want, fit = q.decompose(judgments), q.decompose(judgments)
    monkeypatch.setattr(repeats, "MOST_CELLS", judgments.n_cells // 4)
    for t in want.identified.representatives:
        assert fit.freedom(t) == pytest.approx(want.freedom(t), rel=0.02)


def test_projection_is_that_of_the_dense_matrix(judged):
    fit = q.decompose(judged({"item": 5, "prompt": 2, "judge": 3}, keep=0.8))
    assembled, theta = fit.assembled, fit.theta
    problem = assembled.problem
    codes = [fit.judgments.level_codes(name.split(":")) for name in assembled.names[: -problem.n_residual]]
    v = sum(theta[t] * (code[:, None] == code) for t, code in enumerate(codes))
    v = v + np.diag(1 / fit.projection.weight)
    inverse, x = np.linalg.inv(v), assembled.fixed.x
    p = inverse - inverse @ x @ np.linalg.solve(x.T @ inverse @ x, x.T @ inverse)
    y = np.random.default_rng(1).normal(size=len(v))
    np.testing.assert_allclose(fit.projection.of(y), p @ y, atol=1e-9)
    np.testing.assert_allclose(fit.projected, p @ assembled.y, atol=1e-9)
    # Within blocks: the diagonal without what levels across blocks add.
    inside = sum(theta[t] * (codes[t][:, None] == codes[t]) for t in range(problem.n_within))
    within = np.linalg.inv(inside + np.diag(1 / fit.projection.weight))
    np.testing.assert_allclose(fit.projection.diagonal, np.diag(within), rtol=1e-9)


ARMS, EACH, MEAN = 20, 60, 1.32
RARE = 1 + 4 * (np.arange(25) < 2)  # 5 with a chance of .08, else 1


def adaptive_ledger(seed):
    """Answers of every arm in the order in which ROBIN-HOOD asked for them."""
    rng = np.random.default_rng(seed)
    policy = q.scores.adaptive(
        arms=[f"i{at:02}" for at in range(ARMS)], budget=ARMS * EACH, scale=range(1, 6), seed=seed
    )
    progress, rows = policy.start(), []
    while not policy.done(progress):
        cells = policy.next_cells(progress, batch=40)
        scores = rng.choice(RARE, len(cells))
        rows += zip(cells.column("item"), cells.replicate.tolist(), scores.tolist(), strict=True)
        progress = progress.answered(cells, scores)
    return pl.DataFrame(rows, schema=["item", "replicate", "score"], orient="row")


@pytest.mark.slow
def test_means_after_an_adaptive_allocation_are_off_and_the_first_answers_of_each_are_not():
    whole, first = [], []
    for seed in range(25):
        frame = adaptive_ledger(seed)
        fewest = frame.group_by("item").len()["len"].min()
        for found, kept in ((whole, frame), (first, frame.filter(pl.col("replicate") <= fewest))):
            found.append(kept.group_by("item").agg(pl.col("score").mean())["score"].mean())
    error = np.std(first, ddof=1) / 5
    assert np.mean(whole) < MEAN - 0.03
    assert abs(np.mean(first) - MEAN) < 3 * error


def test_it_is_said_with_the_command_that_mends_it():
    judgments = q.read(adaptive_ledger(1))
    [caveat] = [one for one in q.decompose(judgments).caveats if one.code == "adaptive-answers"]
    assert f'where="replicate <= {int(judgments.n.min())}"' in caveat.sentence


def test_equal_numbers_and_numbers_by_chance_say_nothing():
    rng = np.random.default_rng(2)
    for counts in (np.full(40, 30), rng.integers(10, 40, 40)):
        item = np.repeat(np.arange(40), counts)
        frame = pl.DataFrame({"item": item.astype(str), "score": rng.choice(RARE, len(item))})
        assert answers_by_scatter(q.read(frame)) == ()
