from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from examples import few, of_components
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import quorate as q
from quorate.errors import InvalidInput, NotEstimable
from quorate.numerics.mixed.information import adjustment

FACETS = ("item", "prompt", "judge", "temperature")
SIZES = {"item": 12, "prompt": 4, "judge": 3, "temperature": 2}


def with_category(frame, categories=4):
    return frame.with_columns(category=pl.col("item").str.slice(-4).cast(pl.Int64) % categories)


@pytest.fixture(scope="module")
def balanced(simulate):
    frame = with_category(simulate(SIZES, replicates=3, seed=5))
    facets = {name: name for name in (*FACETS, "replicate")}
    return q.decompose(q.read(frame, facets=facets, nested={"item": "category"}, fixed=("judge", "temperature")))


@pytest.fixture(scope="module")
def unbalanced(judged):
    return q.decompose(judged({"item": 14, "prompt": 4, "judge": 3}, keep=0.7, replicates=2, seed=6))


def closed_formula(v, n, p, m, h, r, c, *, item=True, judge=False):
    """Variance of the mean of a full factorial: items and prompts drawn, judges and temperatures as they are."""
    between = v("item") / n + v("category") / c if item else 0.0
    interactions = v("item:judge") / (n * m) + v("item:temperature") / (n * h) if item or judge else 0.0
    return (
        between
        + v("prompt") / p
        + v("item:prompt") / (n * p)
        + interactions
        + v("prompt:judge") / (p * m)
        + v("prompt:temperature") / (p * h)
        + v("cell") / (n * p * m * h)
        + v("replicate") / (n * p * m * h * r)
    )


# Balanced data


def test_the_mean_of_balanced_data_is_the_mean_of_the_scores(balanced):
    assert balanced.mean.value == pytest.approx(balanced.judgments.mean.mean(), rel=1e-10)
    assert balanced.mean.n == balanced.judgments.n_answers == 12 * 4 * 3 * 2 * 3


def test_variance_of_a_full_factorial_is_the_closed_formula(balanced):
    wanted = closed_formula(balanced.variance, 12, 4, 3, 2, 3, 4)
    assert of_components(balanced).variance == pytest.approx(wanted, rel=1e-9)


def test_finite_items_leave_out_the_item_and_what_crosses_the_panel(balanced):
    wanted = closed_formula(balanced.variance, 12, 4, 3, 2, 3, 4, item=False)
    assert of_components(balanced, item="finite").variance == pytest.approx(wanted, rel=1e-9)


def test_a_population_of_judges_adds_their_spread_less_its_noise(balanced):
    """S^2 of the judge means (divisor M - 1), less what item, prompt and cell put into it."""
    v = balanced.variance
    spread = 3 / 2 * v("judge")
    noise = v("item:judge") / 12 + v("prompt:judge") / 4 + v("cell") / (12 * 4 * 2) + v("replicate") / (12 * 4 * 2 * 3)
    wanted = closed_formula(v, 12, 4, 3, 2, 3, 4) + max(spread - noise, 0) / 3
    assert spread > noise
    assert of_components(balanced, judge="population").variance == pytest.approx(wanted, rel=1e-9)


def test_sensitivity_adds_the_index_of_the_paper(balanced):
    estimate = of_components(balanced, judge="sensitivity")
    assert estimate.variance == pytest.approx(
        of_components(balanced).variance + balanced.variance("judge") / 3, rel=1e-9
    )
    assert "sensitivity" in {caveat.code for caveat in estimate.caveats}
    assert "sensitivity" not in {caveat.code for caveat in of_components(balanced).caveats}


@pytest.mark.parametrize(
    ("target", "k"), [("absorbed", 1 / 12), ("population", 1 / 4), ("fixed", 0.0), ("finite", 0.0)]
)
def test_targets_of_a_category(balanced, target, k):
    category = balanced.variance("category")
    wanted = of_components(balanced).variance + category * (k - 1 / 4)
    assert of_components(balanced, category=target).variance == pytest.approx(wanted, rel=1e-9)


def test_a_pool_lies_between_panel_and_population(balanced):
    """S^2 (1/M - 1/K) for a fixed facet, sigma^2 (1/L - 1/K) for a random one."""
    panel, pool, population = (
        of_components(balanced, judge=target).variance for target in ("panel", q.pool(4), "population")
    )
    assert pool - panel == pytest.approx((population - panel) * (1 / 3 - 1 / 4) / (1 / 3), rel=1e-9)
    v = balanced.variance
    finite = of_components(balanced, prompt=q.pool(9)).variance
    wanted = of_components(balanced).variance - v("prompt") / 9 - v("prompt:judge") / 27 - v("prompt:temperature") / 18
    assert finite == pytest.approx(wanted, rel=1e-9)


def test_a_large_pool_is_a_population_and_the_levels_themselves_a_panel(balanced):
    for facet, size in (("judge", 3), ("prompt", 4), ("item", 12)):
        whole, large = (of_components(balanced, **{facet: q.pool(k)}).se for k in (size, 10**9))
        assert whole == pytest.approx(of_components(balanced, **{facet: "panel"}).se, rel=1e-9)
        assert large == pytest.approx(
            of_components(balanced, **{facet: "population"} | ({"category": "finite"} if facet == "item" else {})).se,
            rel=1e-6,
        )


def test_nothing_is_left_where_everything_is_itself_but_the_replicate(balanced):
    all_panel = dict.fromkeys(FACETS, "panel")
    estimate = of_components(balanced, **all_panel)
    assert estimate.variance == pytest.approx(balanced.variance("replicate") / estimate.n, rel=1e-6)


def test_shares_are_the_parts_of_the_variance(balanced):
    estimate = of_components(balanced, judge="population")
    assert sum(estimate.shares.values()) == pytest.approx(1)
    assert estimate.shares["item:prompt"] == pytest.approx(
        balanced.variance("item:prompt") / 48 / estimate.variance, rel=1e-8
    )
    assert estimate.shares["judge"] > 0
    assert estimate.target["judge"] == "population"


# Any data


def test_variance_is_the_weighted_sum_over_levels_whatever_is_missing(unbalanced):
    """``sum_t sigma2_t sum_l w_l^2`` with the weights of generalised least squares, by dense algebra."""
    judgments, v = unbalanced.judgments, unbalanced.variance
    judge = judgments.column("judge")
    x = np.column_stack([np.ones(len(judge)), judge == 1, judge == 2]).astype(float)
    terms = ("item", "prompt", "item:prompt", "item:judge", "prompt:judge")
    structures = []
    for term in terms:
        levels = judgments.level_codes(term.split(":"))
        structures.append(np.equal.outer(levels, levels).astype(float))
    structures += [np.eye(len(judge)), np.diag(1 / judgments.n)]
    sigma2 = [v(term) for term in (*terms, "cell", "replicate")]
    inverse = np.linalg.inv(sum(s * a for s, a in zip(sigma2, structures, strict=True)))
    contrast = np.array([1, 1 / 3, 1 / 3])
    w = inverse @ x @ np.linalg.solve(x.T @ inverse @ x, contrast)
    estimate = of_components(unbalanced)
    assert estimate.value == pytest.approx(w @ judgments.mean, rel=1e-9)
    parts = [s * (w @ a @ w) for s, a in zip(sigma2, structures, strict=True)]
    plain = estimate.basis.plain
    assert plain == pytest.approx(sum(parts), rel=1e-9)
    assert estimate.shares["item:judge"] == pytest.approx(parts[3] / plain, rel=1e-8)
    assert estimate.variance > plain  # estimating the components costs something


def test_the_adjustment_is_that_of_kenward_and_roger(unbalanced):
    problem, solved, scale = unbalanced.assembled.problem, unbalanced.point.solved, unbalanced.assembled.scale
    extra = adjustment(problem, solved, unbalanced.assembled.fixed.mean, unbalanced.covariance / scale**4)
    assert of_components(unbalanced).variance == pytest.approx(
        of_components(unbalanced).basis.plain + scale**2 * extra, rel=1e-9
    )


def test_panel_weights_do_not_depend_on_how_often_a_judge_was_asked(simulate):
    """A judge who saw a tenth of the items still counts for a third of the mean."""
    frame = simulate({"item": 60, "judge": 3}, seed=3)
    frame = frame.with_columns(score=pl.col("score") + 10 * (pl.col("judge") == "judge0002"))
    rare = (pl.col("judge") == "judge0002") & (pl.col("item").str.slice(-1) != "0")
    full, thin = (
        q.decompose(q.read(f, facets={"item": "item", "judge": "judge"})) for f in (frame, frame.filter(~rare))
    )
    assert thin.mean.value == pytest.approx(full.mean.value, abs=3 * thin.mean.se)
    assert abs(frame.filter(~rare)["score"].mean() - full.mean.value) > 3 * thin.mean.se


@pytest.mark.parametrize("targets", [{"item": "finite"}, {"item": "finite", "prompt": "panel"}, {"item": q.pool(90)}])
def test_categories_weigh_as_their_finite_items_do(simulate, targets):
    """12 items in one category and 3 in each of two others: the estimate weighs categories, the target items."""
    frame = simulate({"item": 18, "prompt": 3, "judge": 2}, replicates=2, seed=4)
    number = pl.col("item").str.slice(-4).cast(pl.Int64)
    frame = frame.with_columns(category=pl.when(number < 12).then(0).otherwise(number % 2 + 1))
    frame = frame.with_columns(score=pl.col("score") + 3 * (pl.col("category") - 1))
    facets = {name: name for name in ("item", "prompt", "judge", "replicate")}
    fit = q.decompose(q.read(frame, facets=facets, nested={"item": "category"}, fixed=("judge",)))
    judgments, v = fit.judgments, fit.variance
    terms = ("category", "item", "prompt", "item:prompt", "item:judge", "prompt:judge")
    structures = [np.eye(int(c.max()) + 1)[c] for c in (judgments.level_codes(t.split(":")) for t in terms)]
    inner = v("cell") + v("replicate") / 2
    sigma = sum(v(t) * z @ z.T for t, z in zip(terms, structures, strict=True)) + inner * np.eye(judgments.n_cells)
    x = np.column_stack([np.ones(judgments.n_cells), judgments.column("judge") == 1]).astype(float)
    w = np.linalg.solve(sigma, x)
    w = w @ np.linalg.solve(x.T @ w, [1, 0.5])
    each = np.full(judgments.n_cells, 1 / judgments.n_cells)  # the target weighs every cell alike
    size = targets["item"].size if targets["item"] != "finite" else 18
    finite = {"category", "item", "item:judge"} | (set(terms) if "prompt" in targets else set())
    wanted = v("replicate") / 2 * w @ w + v("cell") * w @ w
    wanted -= v("cell") / judgments.n_cells if "prompt" in targets else 0.0
    for term, z in zip(terms, structures, strict=True):
        wanted += v(term) * np.sum((z.T @ (w - each * (term in finite))) ** 2)
        if size > 18 and term in ("item", "item:judge"):
            wanted += v(term) * (1 / 18 - 1 / size) * (0.5 if term == "item:judge" else 1)
    estimate = of_components(fit, **targets)
    assert v("category") > 1
    assert estimate.basis.plain == pytest.approx(wanted, rel=1e-8)
    assert estimate.shares["category"] > 0.1


def test_more_of_everything_known_apart_only_narrows(unbalanced):
    """Each step from populations to panels removes variance."""
    order = [{"judge": "population"}, {}, {"item": "finite"}, {"item": "finite", "prompt": "panel"}]
    variances = [of_components(unbalanced, **targets).basis.plain for targets in order]
    assert variances == sorted(variances, reverse=True)


# Intervals


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_one_way_data_have_the_exact_t_interval(judged, level):
    judgments = judged({"item": 9}, replicates=4, seed=2)
    estimate = q.decompose(judgments).mean
    means = judgments.mean
    half = stats.t.ppf((1 + level) / 2, 8) * means.std(ddof=1) / 3
    assert estimate.df == pytest.approx(8, rel=1e-6)
    assert estimate.at(level).ends == pytest.approx((means.mean() - half, means.mean() + half), rel=1e-6)
    assert estimate.at(level).half_width == pytest.approx(half, rel=1e-6)
    assert estimate.at(level, "pivotal").half_width == pytest.approx(half, rel=0.02)
    z = stats.norm.ppf((1 + level) / 2) * means.std(ddof=1) / 3
    assert estimate.at(level, "wald").half_width == pytest.approx(z, rel=1e-6)


def test_degrees_of_freedom_of_two_crossed_facets_by_hand(judged):
    """Var(mean) = (MSI + MSJ - MSE) / IJ, on Satterthwaite's degrees of freedom."""
    judgments = judged({"item": 12, "rater": 5}, seed=4)
    fit = q.decompose(judgments, method="anova")
    strata = fit.strata
    ms = strata.squares / strata.df * fit.assembled.scale**2
    variance = (ms[0] + ms[1] - ms[2]) / 60
    assert of_components(fit).variance == pytest.approx(variance, rel=1e-9)
    assert of_components(fit).df == pytest.approx(2 * variance**2 / (np.sum(2 * ms**2 / strata.df) / 3600), rel=1e-6)


def test_a_fixed_facet_taken_as_a_draw_is_the_random_facet(judged):
    """Balanced data with positive components: the same variance, degrees of freedom and intervals."""
    fixed, random = (judged({"item": 12, "judge": 4}, fixed=chosen, seed=4) for chosen in (("judge",), ()))
    one, other = of_components(q.decompose(fixed), judge="population"), of_components(q.decompose(random))
    assert min(q.decompose(random).variances.values()) > 0
    assert one.se == pytest.approx(other.se, rel=1e-6)
    assert one.df == pytest.approx(other.df, rel=1e-5)
    for method in ("satterthwaite", "wald", "pivotal"):
        assert one.at(method=method).ends == pytest.approx(other.at(method=method).ends, rel=1e-2)


@pytest.mark.slow
def test_degrees_of_freedom_are_at_least_one(judged):
    """Two judges as draws and items that hardly differ: moments alone would give 0.7."""
    for seed in range(40):
        judgments = judged({"item": 6, "judge": 2}, sd={"item": 0.0, "judge": 0.3}, seed=seed)
        fit = q.decompose(judgments)
        estimate = of_components(fit, judge="population")
        drawn = estimate.basis.drawn["judge"]
        spread = 2 * (drawn.factor * drawn.square) ** 2  # on 1 degree of freedom
        if estimate.shares["judge"] > 0 and 2 * estimate.basis.plain**2 < spread * (1 + 1e-9):  # and items add more
            assert estimate.df == 1.0
            return
    pytest.fail("no sample of 40 has degrees of freedom below one")


def test_degrees_of_freedom_count_components_at_zero(judged):
    """With prompts at the boundary their mean square still has its noise: the interval is no normal one."""
    sd = {"prompt": 0.0, "item:prompt": 0.0}
    for seed in range(20):
        fit = q.decompose(judged({"item": 30, "prompt": 3}, replicates=2, sd=sd, seed=seed))
        if fit.variance("prompt") == 0.0:
            slope = fit.mean.basis.gradient
            position = fit.assembled.names.index("prompt")
            kept = np.delete(np.arange(len(slope)), position)
            without = 2 * fit.mean.basis.plain**2 / (slope[kept] @ fit.covariance[np.ix_(kept, kept)] @ slope[kept])
            assert of_components(fit).df < without
            return
    pytest.fail("no sample of 20 has a prompt variance at the boundary")


def test_judges_as_draws_have_their_degrees_of_freedom(simulate):
    """Judges far apart, all else small: 2 degrees of freedom for 3 judges."""
    frame = simulate({"item": 200, "judge": 3}, seed=1, sd={"judge": 100.0})
    fit = q.decompose(q.read(frame, facets={"item": "item", "judge": "judge"}))
    estimate = of_components(fit, judge="population")
    assert estimate.df == pytest.approx(2, rel=1e-2)
    assert of_components(fit).df > 100
    means = fit.assembled.fixed.levels["judge"] @ fit.beta
    exact = stats.ttest_1samp(means, 0).confidence_interval(0.95)
    assert estimate.ends == pytest.approx((exact.low, exact.high), rel=0.02)
    assert estimate.at(method="pivotal").half_width == pytest.approx((exact.high - exact.low) / 2, rel=0.05)


@pytest.mark.slow
def test_intervals_of_a_balanced_study_agree_roughly(balanced):
    """Wald is the narrowest; the pivotal interval, drawn once for all, repeats itself."""
    methods = ("wald", "bootstrap", "satterthwaite", "pivotal")
    mean = of_components(balanced)
    widths = {method: mean.at(0.95, method).half_width for method in methods}
    assert widths["wald"] < widths["bootstrap"]
    assert widths["wald"] < widths["satterthwaite"]
    assert widths["bootstrap"] == pytest.approx(widths["satterthwaite"], rel=0.35)
    assert widths["pivotal"] == pytest.approx(widths["satterthwaite"], rel=0.35)
    assert of_components(balanced).at(0.95, "pivotal").half_width == widths["pivotal"]


def test_pivotal_needs_balanced_data_and_a_sampling_variance(unbalanced, balanced):
    with pytest.raises(NotEstimable, match="balanced data are needed"):
        _ = unbalanced.mean.at(method="pivotal").ends
    with pytest.raises(InvalidInput, match="'pivotal' does not apply to a sensitivity"):
        _ = of_components(balanced, judge="sensitivity").at(method="pivotal").ends


@given(level=st.floats(0.01, 0.995))
@few
def test_intervals_are_centred_and_grow_with_the_level(unbalanced, level):
    low, high = unbalanced.mean.at(level).ends
    assert (low + high) / 2 == pytest.approx(unbalanced.mean.value)
    assert unbalanced.mean.at(level + 0.004).half_width > (high - low) / 2 > 0


@pytest.mark.parametrize("level", [0, 1, 1.5, -0.1, float("nan"), 95])
def test_levels_outside_the_unit_interval(balanced, level):
    with pytest.raises(InvalidInput, match="level: must lie between 0 and 1"):
        _ = balanced.mean.at(level).ends


def test_an_unknown_method(balanced):
    wanted = 'satterthwaite, pivotal, bootstrap, wald, got "exact"'
    with pytest.raises(InvalidInput, match=wanted):
        _ = balanced.mean.at(method="exact").ends


# What the data do not determine


def latin(simulate, items=30):
    """One judge per item, in turn, every prompt."""
    frame = simulate({"item": items, "prompt": 3, "judge": 3}, seed=2)
    number = pl.col("item").str.slice(-4).cast(pl.Int64) % 3
    kept = frame.filter(number == pl.col("judge").str.slice(-1).cast(pl.Int64))
    return q.decompose(q.read(kept, facets={name: name for name in ("item", "prompt", "judge")}))


def test_a_cyclic_study_has_a_mean_for_a_population_of_items(simulate):
    fit = latin(simulate)
    v = fit.variances
    wanted = (
        v["item + item:judge"] / 30 + v["item:prompt + cell + replicate"] / 90 + v["prompt"] / 3 + v["prompt:judge"] / 9
    )
    assert of_components(fit).variance == pytest.approx(wanted, rel=1e-6)


def test_finite_items_of_a_cyclic_study_have_bounds_only(simulate):
    """The item would drop, item:judge would not: between none and all of their sum."""
    fit = latin(simulate)
    with pytest.raises(NotEstimable, match=r"needs .*item:judge.* apart") as refused:
        of_components(fit, item="finite")
    v = fit.variances
    rest = v["prompt"] / 3 + v["prompt:judge"] / 9
    sum_, inner = v["item + item:judge"], v["item:prompt + cell + replicate"]
    highest = rest + sum_ * (1 / 30 - 1 / 90) + inner / 90
    low, high = refused.value.bounds
    assert (low**2, high**2) == pytest.approx((rest + inner / 90, highest), rel=1e-6)
    assert {"item", "item:judge"} <= refused.value.names


def test_cells_and_replicates_never_told_apart(judged):
    fit = q.decompose(judged({"item": 20, "prompt": 4, "judge": 3}, seed=3))
    with pytest.raises(NotEstimable) as refused:
        of_components(fit, item="finite", prompt="panel")
    low, high = refused.value.bounds
    assert low == pytest.approx(0, abs=1e-5)
    assert high**2 == pytest.approx(fit.variance("cell") / 240, rel=1e-6)


def test_one_judge_says_nothing_about_others(judged):
    judgments = judged({"item": 20, "prompt": 4, "judge": 1}, seed=3)
    with pytest.raises(NotEstimable, match=r"one level says nothing about others|Take the judges as they are"):
        q.decompose(judgments).mean_for(judge="population")
    random = judged({"item": 20, "prompt": 4, "judge": 1}, seed=3, fixed=())
    with pytest.raises(NotEstimable, match="at least") as refused:
        q.decompose(random).mean_for(judge="population")
    assert refused.value.bounds[1] == np.inf


def test_two_judges_as_draws_carry_a_caveat(judged):
    fit = q.decompose(judged({"item": 40, "prompt": 6, "judge": 2}, replicates=2, seed=1))
    assert "few-levels" not in {c.code for c in of_components(fit).caveats}
    assert "2 judge levels" in " ".join(map(str, of_components(fit, judge="population").caveats))


def split(spread, seed=8):
    """20 items; two judges at two temperatures of their own each, two others at one and the same."""
    rng = np.random.default_rng(seed)
    pairs = [("a", "0"), ("a", "1"), ("b", "2"), ("b", "3"), ("c", "4"), ("d", "4")]
    rows = [
        {"item": i, "judge": judge, "temperature": at, "replicate": r, "score": spread * int(at) + rng.normal()}
        for i in range(20)
        for judge, at in pairs
        for r in range(2)
    ]
    names = ("item", "judge", "temperature", "replicate")
    return q.decompose(
        q.read(pl.DataFrame(rows), facets={name: name for name in names}, fixed=["judge"], announce=False)
    )


def test_a_variance_that_is_left_open_says_what_to_collect():
    fit = split(2.0)
    with pytest.raises(NotEstimable, match="needs temperature and judge:temperature apart") as refused:
        fit.mean_for(temperature="population")
    low, high = refused.value.bounds
    assert low < 0.99 * high
    advice = "Collect judgments of every judge at several levels of temperature, or read the table without temperature"
    assert str(refused.value).endswith(advice)


def test_a_sum_that_is_zero_leaves_nothing_open():
    """Its range was "between .7791 and .7791", and the whole analysis was refused."""
    fit = split(0.0, seed=0)
    assert fit.variances["temperature + judge:temperature"] == pytest.approx(0, abs=1e-9)
    assert "larger-weight" in [caveat.code for caveat in fit.mean.caveats]


def test_judges_who_each_had_a_prompt_of_their_own_are_read_without_the_prompts_as_advised():
    rng = np.random.default_rng(4)
    effect = rng.normal(size=3)
    rows = [(i, f"j{j}", f"p{j}", i % 5 + effect[j] + rng.normal()) for i in range(12) for j in range(3)]
    frame = pl.DataFrame(rows, schema=["item", "judge", "prompt", "score"], orient="row")
    advice = "Collect judgments of every judge at several levels of prompt, or read the table without prompt"
    with pytest.raises(NotEstimable, match=advice):
        q.analyze(frame)
    assert q.analyze(frame.drop("prompt")).estimate.value == pytest.approx(frame["score"].mean())
