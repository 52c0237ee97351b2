from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidInput, NotEstimable, UnknownTerm
from quorate.estimate.means.flags import PipelineVariance, chi_square_interval, flags, shrunk


def spread_of(frame: pl.DataFrame, **reading):
    return flags(q.decompose(q.read(frame, announce=False, **reading)), most=10**6)


def by_label(found, role="item"):
    return {one.labels[role]: one for one in found.flags}


@pytest.fixture
def simulated(simulate):
    """Items of which every tenth is judged with three times the spread of the others."""

    def draw(keep=1.0, items=200, seed=3):
        frame = simulate({"item": items, "judge": 5, "prompt": 4}, seed=seed, replicates=2, sd={"item:judge": 0.2})
        rng = np.random.default_rng(seed)
        wild = (frame["item"].str.slice(4).cast(pl.Int64) % 10 == 0).to_numpy()
        noise = np.repeat(rng.normal(0, 3, len(frame) // 2), 2)
        frame = frame.with_columns(score=pl.col("score") + pl.Series(noise * wild), wild=pl.Series(wild))
        return frame.filter(pl.Series(rng.random(len(frame)) < keep))

    return draw


@pytest.mark.slow
def test_the_variance_of_complete_data_is_that_of_cells_after_judge_and_prompt(simulate):
    """By hand: cell means less the mean over items of their configuration, plus what replicates add inside."""
    frame = simulate({"item": 400, "judge": 3, "prompt": 3}, seed=5, replicates=2)
    found = by_label(spread_of(frame))
    cells = frame.group_by("item", "judge", "prompt").agg(pl.col("score").mean().alias("mean"), pl.col("score").var())
    left = cells.with_columns(left=pl.col("mean") - pl.col("mean").mean().over("judge", "prompt"))
    by_hand = left.group_by("item").agg(pl.col("left").var() + pl.col("score").mean() / 2)
    expected = dict(by_hand.iter_rows())
    ours = np.array([found[item].variance for item in expected])
    np.testing.assert_allclose(ours, list(expected.values()), rtol=0.02)


@pytest.mark.wide(1)
@pytest.mark.parametrize("keep", [1.0, 0.5])
def test_items_that_are_judged_wildly_are_found_also_with_half_the_judgments(simulated, keep):
    frame = simulated(keep)
    wild = set(frame.filter(pl.col("wild"))["item"])
    found = spread_of(frame, facets={name: name for name in ("item", "judge", "prompt", "replicate")})
    first = [one.labels["item"] for one in found.flags[: len(wild)]]
    assert len(wild & set(first)) >= 0.9 * len(wild)
    assert found.between > 0


def test_it_is_unbiased_whatever_is_missing_and_however_often_a_cell_was_judged(simulated):
    """The average item's spread, from all judgments and from half of them."""
    facets = {name: name for name in ("item", "judge", "prompt", "replicate")}
    whole, half = (spread_of(simulated(keep, items=200), facets=facets) for keep in (1.0, 0.5))
    assert half.mean == pytest.approx(whole.mean, rel=0.07)
    assert {one.n for one in half.flags} != {40}


def test_a_strict_judge_and_a_hard_prompt_are_not_taken_for_disagreement(simulate):
    frame = simulate({"item": 100, "judge": 4, "prompt": 3}, seed=2)
    lenient = pl.when(pl.col("judge") == "judge0000").then(50.0).otherwise(0.0)
    before, after = spread_of(frame), spread_of(frame.with_columns(score=pl.col("score") + lenient))
    assert after.mean == pytest.approx(before.mean, rel=0.02)


@pytest.mark.slow
def test_degrees_of_freedom_are_those_of_chi_square(simulate):
    """Items that do not differ: the spread varies as chi-square does, with few judges who agree with themselves."""
    sd = {"item:judge": 1.5, "item:prompt": 0.0, "cell": 0.5, "replicate": 0.3}
    ratios = []
    for seed in range(8):
        found = spread_of(simulate({"item": 300, "judge": 4, "prompt": 4}, seed=seed, replicates=2, sd=sd))
        variance = np.array([one.variance for one in found.flags])
        ratios.append(2 * variance.mean() ** 2 / variance.var(ddof=1) / found.flags[0].df)
    assert found.flags[0].df < 5  # 16 configurations
    assert np.mean(ratios) == pytest.approx(1, abs=0.15)


def test_one_cell_per_judge_rests_on_as_many_degrees_of_freedom_as_judges_less_one(simulate):
    found = spread_of(simulate({"item": 50, "judge": 6}, sd={"cell": 0, "replicate": 0.5}))
    assert found.flags[0].df == pytest.approx(5)


@pytest.mark.slow
def test_items_that_differ_by_chance_alone_are_not_ordered(simulate):
    """All drawn to one value, with a caveat, in about half of the draws; small excess in the others."""
    found = [spread_of(simulate({"item": 40, "judge": 5}, seed=seed)) for seed in range(8)]
    none = [one for one in found if one.between == 0]
    assert none
    assert all(len({round(flag.expected, 9) for flag in one.flags}) == 1 for one in none)
    assert all("no-excess" in [caveat.code for caveat in one.caveats] for one in none)


def test_shrinking_keeps_the_mean_and_draws_the_uncertain_more():
    variance, df = np.array([1.0, 1.0, 9.0, 9.0] * 10), np.array([2.0, 50.0, 2.0, 50.0] * 10)
    expected, mean, between = shrunk(variance, df)
    assert mean == 5
    assert between > 0
    assert expected[1] < expected[0] < 5 < expected[2] < expected[3]


def test_an_item_that_was_judged_twice_does_not_lead(simulate):
    frame = simulate({"item": 60, "judge": 8}, seed=4)
    twice = (pl.col("item") != "item0000") | pl.col("judge").is_in(["judge0000", "judge0001"])
    apart = pl.when((pl.col("item") == "item0000") & (pl.col("judge") == "judge0000")).then(3.0).otherwise(0.0)
    found = spread_of(frame.filter(twice).with_columns(score=pl.col("score") + apart))
    lone = by_label(found)["item0000"]
    assert lone.df == pytest.approx(1)
    assert lone.expected < 0.9 * lone.variance
    assert found.caveats[0].code == "few-df"


def test_intervals_are_chi_square_and_agreement_has_no_upper_limit():
    low, high = chi_square_interval(2.0, 10.0)
    assert (low, high) == (pytest.approx(0.9764, abs=1e-4), pytest.approx(6.1596, abs=1e-4))  # 20 / 20.483, 20 / 3.247
    assert chi_square_interval(0.0, 10.0)[0] == 0
    assert np.isnan(chi_square_interval(0.0, 10.0)[1])


def test_items_without_any_repetition_are_left_out_and_counted():
    rows = {"item": list("aaabbbc"), "judge": list("xyzxyzx"), "score": [1.0, 2, 5, 2, 2, 3, 1]}
    found = spread_of(pl.DataFrame(rows))
    assert (found.items, found.left_out) == (2, 1)


def test_replicates_alone_give_a_spread(simulate):
    found = spread_of(simulate({"item": 30}, replicates=4))
    assert found.over == ()
    assert found.flags[0].df == pytest.approx(3)


def test_one_judge_cannot_show_where_judges_differ(simulate):
    found = spread_of(simulate({"item": 30, "judge": 1, "prompt": 4}))
    assert "over prompts only" in next(one.sentence for one in found.caveats if one.code == "one-judge")


@pytest.mark.slow
def test_labels_find_an_item_that_is_nested_or_crossed_with_systems(simulate):
    frame = simulate({"item": 10, "system": 2, "judge": 4})
    assert set(spread_of(frame).flags[0].labels) == {"item", "system"}
    answers = frame.rename({"system": "response"})
    found = spread_of(answers, facets={name: name for name in ("item", "response", "judge")})
    assert (found.items, found.over) == (20, ("judge",))
    repeated = frame.select("judge", "score", item=pl.col("item"), part=pl.col("system"))
    nested = spread_of(repeated, facets={"item": "item", "judge": "judge"}, nested={"item": "part"})
    assert (nested.items, set(nested.flags[0].labels)) == (20, {"item", "part"})


def test_facets_of_a_configuration_can_be_named(simulate):
    fit = q.decompose(q.read(simulate({"item": 20, "judge": 3, "prompt": 3}), announce=False))
    assert flags(fit, over=["judge"]).over == ("judge",)
    assert set(flags(fit, over="judge").flags[0].labels) == {"item", "prompt"}
    with pytest.raises(InvalidInput, match='over: "item" is what is measured'):
        flags(fit, over=["item"])
    with pytest.raises(UnknownTerm, match="rater"):
        flags(fit, over=["rater"])
    with pytest.raises(InvalidInput, match="most: must be a whole number of at least 1, got 0"):
        flags(fit, most=0)


def test_nothing_judged_twice_is_said(simulate):
    fit = q.decompose(q.read(simulate({"item": 20}), announce=False))
    with pytest.raises(NotEstimable, match="no item was judged twice"):
        flags(fit)


def test_degrees_of_freedom_from_counts_are_those_of_the_matrices(simulate):
    """tr(AS)^2 / tr(ASAS), with the matrices written out, for an item with gaps."""
    frame = simulate({"item": 30, "judge": 4, "prompt": 3}, keep=0.7, seed=1)
    fit = q.decompose(q.read(frame, announce=False))
    found = PipelineVariance(fit, ["item"])
    judgments = fit.judgments
    cells = np.flatnonzero(found.code == 0)
    s = np.diag(np.full(len(cells), fit.variances["cell + replicate"]))
    for facet in ("judge", "prompt"):
        label = judgments.column(facet)[cells]
        s += fit.variance(f"item:{facet}") * (label[:, None] == label)
    a = np.eye(len(cells)) - 1 / len(cells)
    assert found.df[0] == pytest.approx(np.trace(a @ s) ** 2 / np.trace(a @ s @ a @ s))


@pytest.mark.slow
def test_spread_predicts_misclassification_on_real_judgments(shared):
    """LLMBar: 419 items, 6 judges x 8 prompts x 2 orders. The source paper has r = -.68 on 50 other items."""
    rows = pl.read_parquet(shared / "data" / "llmbar_judges_prompts.parquet").with_columns(
        pl.col("subset", "judge", "prompt").cast(pl.String)
    )
    rows = rows.filter(pl.col("subset").str.starts_with("LLMBar"), pl.col("winner").is_not_null())
    whole = rows.group_by("prompt").agg(pl.struct("judge", "swapped").n_unique()).filter(pl.col("judge") == 12)
    rows = rows.join(whole.select("prompt"), on="prompt").with_columns(first=(pl.col("winner") == 1).cast(pl.Int8))
    facets = {"item": "item", "judge": "judge", "prompt": "prompt", "order": "swapped"}
    spread = {
        int(label): one.variance for label, one in by_label(spread_of(rows, score="first", facets=facets)).items()
    }
    right = dict(rows.group_by("item").agg(pl.col("correct").cast(pl.Float64).mean()).iter_rows())
    pairs = np.array([(spread[item], right[item]) for item in spread])
    assert len(pairs) == 419
    assert np.corrcoef(pairs.T)[0, 1] == pytest.approx(-0.40, abs=0.01)
    thirds = np.array_split(pairs[np.argsort(pairs[:, 0]), 1], 3)
    assert [third.mean() for third in thirds] == pytest.approx([0.69, 0.55, 0.47], abs=0.02)


@pytest.mark.slow
def test_spread_of_models_predicts_how_far_they_are_from_people(shared):
    """Six models on three scales against twelve people, 250 items of six benchmarks; also within each of these."""
    rows = pl.read_parquet(shared / "data" / "rating_scale_human_llm.parquet").filter(pl.col("has_human"))
    names = ("benchmark", "dimension", "judge", "judge_type", "item", "scale_max")
    rows = rows.with_columns(pl.col(*names).cast(pl.String))
    rows = rows.with_columns(item=pl.concat_str("benchmark", "item", "dimension", separator="/"))
    models, people = (rows.filter(pl.col("judge_type") == kind) for kind in ("llm", "human"))
    facets = {"item": "item", "judge": "judge", "prompt": "scale_max"}
    spread = {label: one.variance for label, one in by_label(spread_of(models, score="score01", facets=facets)).items()}
    mean = [dict(part.group_by("item").agg(pl.col("score01").mean()).iter_rows()) for part in (models, people)]
    pairs = np.array([(spread[item], abs(mean[0][item] - mean[1][item])) for item in mean[1]])
    assert len(pairs) == 250
    assert np.corrcoef(pairs.T)[0, 1] == pytest.approx(0.35, abs=0.01)
    group = np.array([item.partition("/")[0] for item in mean[1]])
    within = [np.corrcoef(pairs[group == name].T)[0, 1] for name in np.unique(group)]
    assert [min(within), max(within)] == pytest.approx([0.16, 0.40], abs=0.01)
    order = np.argsort(-pairs[:, 0])
    assert pairs[order[:50], 1].mean() > 1.8 * pairs[order[50:], 1].mean()
