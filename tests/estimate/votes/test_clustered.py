from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from scipy import stats
from scipy.special import erfc
from tables import votes_table

from quorate.errors import InvalidInput, NotEstimable, UnknownTerm
from quorate.estimate.votes.clustered import cells, cluster_robust, clustered_by, repeating
from quorate.table.read_votes import read_votes


def voted(winners, **columns):
    rows = len(winners)
    frame = pl.DataFrame({"model_a": ["x"] * rows, "model_b": ["y"] * rows, "winner": winners, **columns})
    return read_votes(frame, announce=False)


@pytest.fixture(scope="module")
def dependent():
    """400 prompts with three judges each, who agree with chance .7 or vote on their own."""
    rng = np.random.default_rng(6)
    shared, own = rng.random((400, 1)) < 0.55, rng.random((400, 3)) < 0.55
    vote = np.where(rng.random((400, 3)) < 0.7, shared, own)
    prompt = np.repeat(np.arange(400), 3)
    return voted(
        np.where(vote.ravel(), "y", "x").tolist(), prompt=prompt.tolist(), judge=np.tile([1, 2, 3], 400).tolist()
    )


def test_error_is_that_of_the_prompts_means(dependent):
    """Prompts of one size: the sandwich is the standard error of the mean of their means."""
    found = cluster_robust(dependent, by="prompt")
    rate = np.bincount(dependent.column("prompt"), dependent.encoded()) / 3
    assert found.rate[0] == pytest.approx(rate.mean())
    assert found.error[0] == pytest.approx(rate.std(ddof=1) / 20)
    assert found.effective[0] == pytest.approx(400)
    assert found.icc[0] == pytest.approx(0.49, abs=0.1)
    assert found.design_effect[0] == pytest.approx(1 + 2 * found.icc[0], rel=0.01)
    assert found.ratio[0] == pytest.approx(np.sqrt(found.design_effect[0]), rel=0.01)


def test_interval_is_a_t_interval(dependent):
    found = cluster_robust(dependent, by="prompt", level=0.9)
    low, high = found.interval
    assert (high - low)[0] / 2 == pytest.approx(1.64868 * found.error[0], rel=1e-3)  # R: qt(.95, 399)


def test_few_judges_make_wide_intervals(dependent):
    found = cluster_robust(dependent, by="judge")
    low, high = found.interval
    assert (high - low)[0] / 2 == pytest.approx(4.30265 * found.error[0], rel=1e-3)  # R: qt(.975, 2)


def test_by_prompts_and_judges_variances_add_up_and_the_facet_with_the_fewest_says_the_rest():
    """Cameron, Gelbach and Miller: V(prompt) + V(judge) - V(both), the last of single votes; never below one alone."""
    rng = np.random.default_rng(3)
    prompt, judge = (at.ravel() for at in np.indices((60, 10)))
    for spread in (0.3, 0.0):
        rate = 0.5 + rng.normal(0, spread / 2, 60)[prompt] + rng.normal(0, spread, 10)[judge]
        kept = rng.random(600) < np.where(judge < 2, 1.0, 0.5)
        votes = voted(np.where(rng.random(600) < rate, "y", "x")[kept].tolist(), prompt=prompt[kept], judge=judge[kept])
        found, *ways = (cluster_robust(votes, by=by) for by in (("prompt", "judge"), "prompt", "judge"))
        n, p = found.n[0], found.rate[0]
        one, other, both = *(way.error[0] ** 2 for way in ways), p * (1 - p) / (n - 1)
        assert found.error[0] ** 2 == pytest.approx(max(one + other - both, one, other))
        assert (found.clusters[0], found.icc[0], found.effective[0]) == (10, ways[1].icc[0], ways[1].effective[0])
        size = np.bincount(judge[kept])
        reach = stats.t.ppf(0.975, size.sum() ** 2 / (size @ size) - 1) * found.error[0]
        assert found.interval[1][0] == pytest.approx(p + reach, rel=1e-4)


def test_single_votes_have_nothing_to_resemble():
    found = cluster_robust(voted(["x", "y"] * 150, prompt=list(range(300))), by="prompt")
    assert found.design_effect[0] == pytest.approx(1.0)
    assert np.isnan(found.icc[0])
    assert found.summary().sentence.startswith("No prompt has two votes on one pair")
    assert json.loads(json.dumps(found.to_dict()))["icc"] == [None]


def test_the_part_of_clusters_with_two_votes_is_of_those_of_all_pairs():
    rows = [("x", "y", "x", f"p{i // 2}") for i in range(60)] + [
        ("x", "z", "x" if i % 3 else "z", f"p{i}") for i in range(70)
    ]
    assert (
        cluster_robust(votes_table(rows, "model_a model_b winner prompt"), by="prompt", minimum=50).summary().repeated
        == 30 / 100
    )


def test_one_cluster_has_no_error():
    found = cluster_robust(voted(["x", "y"] * 150, judge=["me"] * 300), by="judge")
    assert np.isnan(found.error).all()
    assert np.isnan(found.interval[0]).all()
    assert found.summary().pairs == 0
    halves = found.half_splits(splits=3)
    assert np.isnan(halves.independent).all()
    assert json.loads(json.dumps(halves.to_dict()))["sizes"] == [None, None]
    assert "cannot be split" in halves.sentence
    assert json.loads(json.dumps(found.summary().to_dict()))["icc"] is None


@pytest.mark.slow
def test_summary_and_half_splits(dependent):
    found = cluster_robust(dependent, by="prompt")
    summary = found.summary((0.5,))
    assert summary.ratio == pytest.approx(tuple(found.ratio))
    assert summary.repeated == 1.0
    halves = found.half_splits(splits=200, rng=1)
    assert halves.sizes[0] == pytest.approx(erfc(1.96 / np.sqrt(2 * found.design_effect[0])), abs=0.03)
    assert halves.sizes[1] == pytest.approx(0.05, abs=0.02)
    assert halves.to_frame().shape == (1, 3)
    assert found.to_frame().shape[0] == 1
    assert "split by prompt" in json.loads(json.dumps(halves.to_dict()))["sentence"]


def test_refusals(dependent):
    with pytest.raises(InvalidInput, match="level"):
        cluster_robust(dependent, by="prompt", level=2)
    with pytest.raises(NotEstimable, match="minimum"):
        cluster_robust(dependent, by="prompt", minimum=5000)


@pytest.fixture(scope="module")
def wmt15(shared):
    path = shared / "data" / "wmt15_human_pairwise.parquet"
    votes = read_votes(path, facets={"expanded": "expanded"}, announce=False)
    return votes.only("expanded", "false").within("prompt_type")


@pytest.mark.slow
def test_wmt15_rankings_give_one_vote_to_each_pair(wmt15):
    """Inside a pair there is nothing to ignore; of systems against all others, a nominal 5% test has 15%."""
    inside = cluster_robust(wmt15, by="cluster")
    assert inside.repeated.sum() == 0
    systems = cluster_robust(wmt15, by="cluster", unit="model")
    assert systems.summary((0.5,)).ratio[0] == pytest.approx(1.365, abs=0.001)
    plain, clustered = systems.half_splits(splits=50).sizes
    assert plain == pytest.approx(0.154, abs=0.02)
    assert clustered == pytest.approx(0.05, abs=0.01)


@pytest.mark.slow
def test_wmt15_prompts_and_judges(wmt15):
    prompts = cluster_robust(wmt15, by="prompt")
    assert prompts.summary((0.5,)).ratio[0] == pytest.approx(1.110, abs=0.001)
    plain, clustered = prompts.half_splits(splits=50).sizes
    assert plain == pytest.approx(0.083, abs=0.01)
    assert clustered == pytest.approx(0.05, abs=0.01)
    judges = cluster_robust(wmt15, by="judge").half_splits(splits=50).sizes
    assert judges[1] == pytest.approx(0.05, abs=0.015)


def test_two_judges_with_the_same_votes_say_nothing_of_others():
    found = cluster_robust(voted(["x", "y", "y"] * 200, judge=["a"] * 300 + ["b"] * 300), by="judge")
    assert np.isnan([found.ratio[0], found.error[0], found.interval[0][0]]).all()
    summary = found.summary()
    assert (summary.pairs, summary.to_dict()["ratio"]) == (0, [None] * 4)
    assert summary.sentence == "Standard errors by judge are not known: on no pair do its levels differ."


def votes_with(**columns):
    rows = len(next(iter(columns.values())))
    frame = {"model_a": ["x"] * rows, "model_b": ["y"] * rows, "winner": ["model_a"] * rows}
    return read_votes(pl.DataFrame({**frame, **columns}), announce=False)


def test_facets_whose_levels_repeat_are_found():
    votes = votes_with(prompt=["p", "p", "q", "r"], judge=["a", "b", "c", "d"], prompt_type=["m", "m", "n", "n"])
    every = np.ones(4, dtype=bool)
    assert repeating(votes, every) == clustered_by(votes, None, every) == ("prompt",)
    assert clustered_by(votes, None, np.array([True, False, True, True])) == ()
    assert clustered_by(votes, (), every) == ()
    assert clustered_by(votes, ("judge", "prompt"), every) == ("judge", "prompt")
    assert clustered_by(votes, "prompt_type", every) == ("prompt_type",)


def test_one_level_is_no_cluster():
    votes = votes_with(prompt=["p", "p", "q", "r"], judge=["a"] * 4)
    every = np.ones(4, dtype=bool)
    assert repeating(votes, every) == ("prompt", "judge")
    assert clustered_by(votes, None, every) == ("prompt",)


def test_names_are_checked():
    votes, every = votes_with(prompt=["p", "p", "q"]), np.ones(3, dtype=bool)
    with pytest.raises(UnknownTerm):
        clustered_by(votes, ("prompt", "judge"), every)
    assert clustered_by(votes, ("prompt", "prompt"), every) == ("prompt",)


def test_a_row_without_a_label_is_a_level_of_its_own():
    votes = votes_with(prompt=["p", None, "q", "p", None])
    assert len(set(cells(votes, "prompt").tolist())) == 4
    assert repeating(votes, np.ones(5, dtype=bool)) == ("prompt",)
    assert repeating(votes, np.array([True, True, True, False, True])) == ()
