from __future__ import annotations

import gc
import json
import weakref

import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidData, InvalidInput, UnknownTerm
from quorate.estimate.components.robustness import (
    by_level,
    leave_one_out,
    options_of,
    stated,
    stated_without_each,
    within_each,
    without_each,
)
from quorate.table.facts import repeats


def test_every_dimension_has_the_components_that_lme4_gives_it_alone(shared):
    """lme4: score ~ 1 + (1|item) + (1|prompt) + (1|item:prompt), one dimension at a time."""
    reference = json.loads((shared / "reference" / "lme4_eval_data.json").read_text())
    facets = {name: name for name in ("item", "prompt", "dimension", "replicate")}
    judgments = q.read(shared / "data" / "topical_chat_gpt35_replicates.parquet", facets=facets)
    parts = {part.level: part for part in by_level(judgments, "dimension", random=["item", "prompt", "cell"])}
    assert len(parts) == 4
    for level in ("coherence", "naturalness"):
        expected, part = reference[f"topical_chat_{level}"], parts[level]
        variances = expected["variance_components"]
        assert part.n == expected["nobs"]
        assert part.estimate.value == pytest.approx(expected["fixef"]["(Intercept)"], abs=2e-5)
        assert part.fit.variance("cell") == pytest.approx(variances["item:prompt"], rel=2e-4)
        assert part.fit.variance("replicate") == pytest.approx(variances["Residual"], rel=1e-4)


def test_residuals_stay_those_of_their_facet_where_another_has_the_same_labels(simulate):
    frame = simulate({"item": 12, "prompt": 2, "judge": 2}, replicates=2)
    frame = frame.with_columns(pl.col("prompt").str.replace("prompt", "judge"))
    fit = q.decompose(q.read(frame, fixed=("prompt", "judge"), announce=False), residual_by="judge")
    assert fit.judgments.facet("prompt").levels == fit.judgments.facet("judge").levels
    assert options_of(fit)["residual_by"] == fit.assembled.residual_by == "judge"
    assert options_of(q.decompose(fit.judgments))["residual_by"] is None


def test_leaving_a_judge_out_of_balanced_judgments(judged):
    """The mean without level j is (M mean - mean_j) / (M - 1)."""
    judgments = judged({"item": 10, "prompt": 3, "judge": 4}, replicates=2)
    full = q.decompose(judgments).mean.value
    alone = {part.level: part.estimate.value for part in by_level(judgments, "judge")}
    parts = leave_one_out(judgments)
    assert [part.level for part in parts] == list(alone)
    for part in parts:
        assert part.change == pytest.approx((full - alone[part.level]) / 3)
        assert part.estimate.value - full == pytest.approx(part.change)
        assert (part.n_items, part.n) == (10, 180)
    assert sum(part.change for part in parts) == pytest.approx(0, abs=1e-9)


@pytest.mark.slow
def test_a_part_is_what_its_judgments_give_alone(judged):
    judgments = judged({"item": 10, "prompt": 3, "judge": 3}, keep=0.9, replicates=2)
    part = leave_one_out(judgments, "prompt")[1]
    alone = q.decompose(judgments.without("prompt", "prompt0001"))
    assert part.fit.variances == alone.variances
    assert part.estimate.se == alone.mean.se
    assert part.estimate.shares == alone.mean.shares


@pytest.mark.slow
def test_a_fit_that_is_there_gives_the_same(judged):
    judgments = judged({"item": 12, "prompt": 3, "judge": 3})
    fit = q.decompose(judgments, random=["item", "prompt", "cell"])
    whole = leave_one_out(judgments, random=["item", "prompt", "cell"])
    assert [part.to_dict() for part in without_each(fit)] == [part.to_dict() for part in whole]
    alone = by_level(judgments, "judge", random=["item", "prompt", "cell"])
    assert [part.to_dict() for part in within_each(fit, "judge")] == [part.to_dict() for part in alone]


def test_a_part_in_figures_is_the_same(judged):
    fit = q.decompose(judged({"item": 12, "prompt": 3, "judge": 2}))
    parts = tuple(without_each(fit))
    for part, figures in zip(parts, stated(without_each(fit), 0.9), strict=True):
        assert (figures.level, figures.reason) == (part.level, part.reason)
        assert figures.estimate.value == part.estimate.value
        assert (figures.estimate.low, figures.estimate.high) == part.estimate.at(0.9).ends


@pytest.mark.slow
def test_fits_of_parts_in_figures_are_let_go(judged):
    fit, fits = q.decompose(judged({"item": 12, "prompt": 3, "judge": 3})), []

    def watched():
        for part in without_each(fit):
            fits.append(weakref.ref(part.fit))
            yield part

    stated(watched(), 0.95)
    gc.collect()
    assert [one() for one in fits] == [None, None, None]


def test_options_reach_every_fit(judged):
    judgments = judged({"item": 10, "prompt": 3, "judge": 3})
    parts = by_level(judgments, "judge", random=["item", "prompt"], method="anova")
    assert all(
        part.fit.method == "anova" and set(part.fit.variances) == {"item", "prompt", "cell + replicate"}
        for part in parts
    )


def test_parts_without_an_estimate_stay_with_their_reason():
    rows = {"item": [1, 1, 2, 2, 3, 3, 4, 4], "subset": list("aaaabbcc"), "judge": list("xyxyxyxy")}
    frame = pl.DataFrame(rows | {"score": [1, 2, 3, 5, 2, 2, None, None]})
    first, one_item, unanswered = by_level(q.read(frame, nested={"item": "subset"}), "subset")
    assert first.reason == ""
    assert one_item.reason.startswith("1 item: at least 2 are needed")
    assert (one_item.n_items, one_item.n, one_item.estimate, one_item.change) == (1, 2, None, None)
    assert (unanswered.n_items, unanswered.n) == (0, 0)
    assert unanswered.reason.startswith("no judgment has a usable score")


@pytest.mark.slow
def test_levels_of_a_nested_facet_are_left_out_one_by_one(simulate):
    frame = simulate({"person": 8, "task": 2, "rater": 3})
    facets = {name: name for name in ("person", "task", "rater")}
    judgments = q.read(frame, facets=facets, object="person", nested={"rater": "task"}, fixed=())
    parts = leave_one_out(judgments, "rater")
    assert [part.n for part in parts] == [40] * 6
    assert len({part.level for part in parts}) == 6


def test_what_is_refused(judged):
    judgments = judged({"item": 6, "prompt": 3, "judge": 1})
    with pytest.raises(InvalidInput, match="judge has one level, and without it nothing is left"):
        leave_one_out(judgments)
    with pytest.raises(UnknownTerm, match='no facet "annotator"'):
        by_level(judgments, "annotator")
    twice = pl.DataFrame({"item": [1, 1, 2], "judge": list("xxx"), "replicate": [1, 1, 1], "score": [1, 2, 3]})
    with pytest.raises(InvalidData, match="repeat"):
        by_level(q.read(twice), "judge")


def test_refits_of_some_items_stand_for_those_of_all(judged, monkeypatch):
    """2,000 items of which 500 are drawn: the means agree to a small part of a standard error."""
    fit = q.decompose(judged({"item": 2000, "prompt": 2, "judge": 3}, keep=0.9))
    want = stated_without_each(fit, "judge", {}, 0.95)
    monkeypatch.setattr(repeats, "MOST_CELLS", fit.judgments.n_cells // 4)
    got = stated_without_each(fit, "judge", {}, 0.95)
    assert [part.items for part in want] == [None] * 3
    for part, exact in zip(got, want, strict=True):
        assert (part.level, part.items, part.estimate.n) == (exact.level, 500, exact.estimate.n)
        assert part.estimate.value == pytest.approx(exact.estimate.value, abs=1.5 * exact.estimate.se)
        assert part.estimate.se == pytest.approx(exact.estimate.se, rel=0.2)
        low, high = part.estimate.low, part.estimate.high
        assert high - low == pytest.approx(exact.estimate.high - exact.estimate.low, rel=0.4)
