"""Accuracy with intervals for what was drawn."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy import stats

import quorate as q
from quorate.errors import InvalidData, InvalidInput, NotEstimable, UnknownTerm
from quorate.estimate.agreement.agreement import battle_clusters
from quorate.estimate.agreement.battles import pairwise_battles
from quorate.estimate.agreement.leaderboards import accuracy, accuracy_by_cell, named


@pytest.fixture(scope="module")
def llmbar(llmbar_rows):
    facets = {"item": "item", "judge": "judge", "prompt": "prompt", "position": "swapped"}
    right = llmbar_rows.with_columns(score=pl.col("correct").cast(pl.Float64))
    return q.read(right, facets=facets, fixed=("judge", "position"), announce=False)


def clustered_both_ways(rows):
    """Half an interval of a share by sums over items and over prompts (Cameron, Gelbach and Miller, 2011)."""
    right = rows.with_columns(off=pl.col("correct").cast(pl.Float64) - rows["correct"].mean())

    def variance(*by):
        sums = right.group_by(by).agg(pl.col("off").sum())["off"].to_numpy()
        return sums @ sums / len(rows) ** 2 * len(sums) / (len(sums) - 1)

    few = stats.t.ppf(0.975, rows["prompt"].n_unique() - 1)
    items, prompts, cells = variance("item"), variance("prompt"), variance("item", "prompt")
    return np.sqrt(few**2 * prompts + stats.norm.ppf(0.975) ** 2 * (items - cells))


@pytest.mark.slow
def test_judges_and_prompts_on_llmbar(llmbar, llmbar_rows):
    found = {(one.facet, one.level): one for one in accuracy(llmbar)}
    assert len(found) == 1 + 6 + 8
    whole, best, falcon = found["all", "all"], found["judge", "GPT-4"], found["judge", "Falcon"]
    assert best.value == pytest.approx(0.836, abs=5e-4)
    assert (whole.drawn, best.drawn) == (("item", "judge", "prompt"), ("item", "prompt"))
    assert not any(one.reason for one in found.values())
    for one in found.values():
        if one.facet == "judge":
            half = clustered_both_ways(llmbar_rows.filter(pl.col("judge") == one.level).drop_nulls("correct"))
            assert one.high - one.low == pytest.approx(2 * half, rel=0.1)
        else:  # other judges
            assert one.high - one.low > 10 * (one.naive_high - one.naive_low)
    assert whole.high - whole.low > 4 * (falcon.high - falcon.low)  # other judges could be as bad or as good
    assert falcon.low < 0.538 < falcon.high


def test_it_is_the_mean_and_its_interval(judged):
    table = judged({"item": 40, "prompt": 3, "judge": 3}, seed=1, sd={"item": 0.1, "prompt": 0.01, "judge": 0.01})
    scaled = q.read(
        pl.DataFrame({"item": ["a", "a", "b", "b"] * 2, "judge": list("xy") * 4, "prompt": ["p"] * 4 + ["q"] * 4,
                      "score": [1, 1, 0, 1, 1, 0, 0, 1]}), announce=False)  # fmt: skip
    whole = accuracy(scaled)[0]
    estimate = q.decompose(scaled).mean_for(judge="population", prompt="population")
    assert whole.value == estimate.value
    assert whole.low == max(estimate.ends[0], 0)
    assert whole.naive_low < 0.625 < whole.naive_high
    with pytest.raises(InvalidData, match="from 0 to 1; got"):
        accuracy(table)
    with pytest.raises(InvalidInput, match="level: must lie"):
        accuracy(scaled, level=2)


def test_where_there_is_no_interval_the_reason_is_given():
    rows = {"item": ["a", "b"], "judge": ["x", "y"], "score": [1.0, 0.0]}
    found = {one.level: one for one in accuracy(q.read(pl.DataFrame(rows), announce=False))}
    assert found["x"].value == 1
    assert found["x"].reason
    assert found["x"].to_dict()["low"] is None


def votes_of(prompts, pairs, annotators=None):
    frame = {"prompt": prompts, "model_a": [a for a, _ in pairs], "model_b": [b for _, b in pairs]}
    frame |= {"winner": ["model_a"] * len(prompts), "judge": annotators or ["h"] * len(prompts)}
    return q.read_votes(pl.DataFrame(frame), announce=False)


THREE = [("x", "y"), ("x", "z"), ("y", "z")]


def test_battles_of_one_prompt_are_a_cluster():
    votes = votes_of(["p", "p", "p", "q"], [*THREE, ("x", "y")])
    name, code = battle_clusters(votes, "prompt", None)
    items = [item for item, *_ in pairwise_battles(votes).keys]
    assert name == "prompt"
    assert [code[i] == code[j] for i in range(4) for j in range(4)] == [a == b for a in items for b in items]


def test_prompts_of_one_battle_each_are_no_clusters():
    name, code = battle_clusters(votes_of(["p", "q", "r"], THREE), "prompt", None)
    assert name is None
    assert code.tolist() == [0, 1, 2]


def test_annotators_may_be_the_clusters():
    votes = votes_of(["p", "q", "r"], [("x", "y")] * 3, ["ann", "bob", "ann"])
    name, code = battle_clusters(votes, "prompt", "judge")
    assert name == "judge"
    assert code.tolist() == [0, 1, 0]


def test_a_battle_has_one_cluster():
    twice = votes_of(["p", "p"], [("x", "y")] * 2, ["ann", "bob"])
    with pytest.raises(InvalidInput, match='judge: a battle has one, got "ann" and "bob"'):
        battle_clusters(twice, "prompt", "judge")
    with pytest.raises(InvalidInput, match="cluster: 1 battles have no judge"):
        battle_clusters(votes_of(["p", "q"], [("x", "y")] * 2, ["ann", None]), "prompt", "judge")
    with pytest.raises(UnknownTerm):
        battle_clusters(twice, "prompt", "colour")


@pytest.fixture(scope="module")
def llmbar_rows(shared):
    """The complete core: 419 items, 6 judges, 8 prompts, both orders."""
    rows = pl.read_parquet(shared / "data" / "llmbar_judges_prompts.parquet")
    rows = rows.with_columns(pl.col(pl.Categorical).cast(pl.String)).filter(pl.col("subset").str.starts_with("LLMBar"))
    judges = rows.group_by("prompt").agg(pl.col("judge").n_unique())
    return rows.join(judges.filter(pl.col("judge") == 6).select("prompt"), on="prompt")


def by_items(right, item, level):
    """Share, its interval by items, from the definitions: dense matrices and scipy's laws."""
    sums = pl.DataFrame({"right": right, "item": item}).group_by("item").agg(pl.col("right").sum(), n=pl.len())
    wins, sizes = sums["right"].to_numpy().astype(float), sums["n"].to_numpy().astype(float)
    n, p, k = sizes.sum(), wins.sum() / sizes.sum(), len(sizes)
    w = sizes / n
    variance = np.sum((wins - p * sizes) ** 2 / (1 - w)) / n**2
    grand = np.sum(wins**2 / sizes) - wins.sum() ** 2 / n
    between, within = grand / (k - 1), np.sum(wins - wins**2 / sizes) / (n - k)
    size = (n - np.sum(sizes**2) / n) / (k - 1)
    icc = np.clip((between - within) / (between + (size - 1) * within), 0, 1)
    a = np.diag((1 - w) ** -0.5) @ (np.eye(k) - np.outer(w, np.ones(k)))
    m = a @ np.diag(sizes * (1 + (sizes - 1) * icc)) @ a.T
    df = np.trace(m) ** 2 / np.sum(m * m)
    ratio = stats.t.ppf((1 + level) / 2, df) ** 2 * variance / (p * (1 - p))
    return p, *sorted(np.roots([1 + ratio, -2 * p - ratio, p**2]))


@pytest.mark.slow
def test_every_judge_and_prompt_of_llmbar(llmbar_rows):
    named_rows = llmbar_rows.with_columns(model_a=pl.lit("output 1"), model_b=pl.lit("output 2"))
    judged = q.read_votes(named_rows, prompt="item", facets={"variant": "prompt"}, announce=False)
    key = q.read_votes(named_rows, winner="label", prompt="item", announce=False)
    found = accuracy_by_cell(judged, key, by=("judge", "variant"))
    assert len(found.cells) == 48
    cells = {one.levels: one for one in found.cells}
    for levels, part in llmbar_rows.drop_nulls("winner").group_by("judge", "prompt"):
        one = cells[levels]
        right = (part["winner"] == part["label"]).to_numpy().astype(float)
        value, low, high = by_items(right, part["item"], 0.95)
        assert (one.n, one.clusters) == (len(part), part["item"].n_unique())
        assert (one.value, one.low, one.high) == pytest.approx((value, low, high), rel=1e-9)
        assert (one.all_low, one.all_high) == pytest.approx(by_items(right, part["item"], 1 - 0.05 / 48)[1:])
    best, worst = cells["GPT-4", "Metrics_Reference"], cells["LLaMA2", "Vanilla_NoRules"]
    assert (best.value, best.low, best.high) == pytest.approx((0.8723, 0.8406, 0.8985), abs=1e-4)
    assert (worst.value, worst.all_low, worst.all_high) == pytest.approx((0.3955, 0.3292, 0.4658), abs=1e-4)
    assert "right most often in GPT-4, Metrics_Reference 87.2%" in found.sentence


@pytest.mark.slow
def test_scores_of_right_answers_say_the_same(llmbar_rows):
    part = llmbar_rows.filter(pl.col("judge").is_in(["GPT-4", "Falcon"]) & pl.col("prompt").is_in(["CoT", "Metrics"]))
    facets = {"item": "item", "judge": "judge", "prompt": "prompt", "position": "swapped"}
    scores = q.read(part.with_columns(score=pl.col("correct").cast(pl.Float64)), facets=facets, announce=False)
    named_rows = part.with_columns(model_a=pl.lit("output 1"), model_b=pl.lit("output 2"))
    votes = q.read_votes(named_rows, prompt="item", facets={"variant": "prompt"}, announce=False)
    key = q.read_votes(named_rows, winner="label", prompt="item", announce=False)
    by_votes = accuracy_by_cell(votes, key, by=("judge", "variant"))
    assert accuracy_by_cell(scores).cells == by_votes.cells


def test_repeated_answers_count_as_each_by_itself():
    """Four answers in a cell of the table, or of four facet levels with one each: the same intervals."""
    rng = np.random.default_rng(5)
    answers = [(i, k, float(rng.random() < p)) for i, p in enumerate(rng.beta(2, 1, 12)) for k in range(1 + i % 5)]
    frame = pl.DataFrame(answers, schema=["item", "again", "score"], orient="row").with_columns(judge=pl.lit("x"))
    one, other = (
        accuracy_by_cell(q.read(frame, facets=facets, announce=False), by=("judge",)).cells[0]
        for facets in (
            {"item": "item", "judge": "judge", "replicate": "again"},
            {"item": "item", "judge": "judge", "prompt": "again"},
        )
    )
    assert (one.n, one.clusters) == (other.n, other.clusters) == (len(answers), 12)
    ends = [(x.value, x.low, x.high, x.all_low, x.all_high) for x in (one, other)]
    assert ends[0] == pytest.approx(ends[1], rel=1e-12)


def test_a_vote_for_a_tie_is_right_where_people_tie():
    rows = [("p", "j", "tie"), ("q", "j", "tie"), ("r", "j", "tie (bothbad)"), ("s", "j", None)]
    rows += [("p", "h", "tie"), ("q", "h", "model_a"), ("r", "h", "tie"), ("s", "h", "model_a")]
    frame = pl.DataFrame(rows, schema=["prompt", "judge", "winner"], orient="row")
    votes = q.read_votes(frame.with_columns(model_a=pl.lit("x"), model_b=pl.lit("y")), announce=False)
    one = accuracy_by_cell(votes, "h", by="judge").cells[0]
    assert (named(one), one.n, one.value) == ("j", 3, pytest.approx(2 / 3))


def test_orders_are_cells_and_clusters_may_be_named():
    rows = [(p, order, "xy"[order == (p % 2)]) for p in range(8) for order in (False, True)]
    frame = pl.DataFrame(rows, schema=["prompt", "swapped", "winner"], orient="row")
    frame = frame.with_columns(model_a=pl.lit("x"), model_b=pl.lit("y"), topic=pl.col("prompt") % 4)
    votes = q.read_votes(frame, prompt_type="topic", announce=False)
    key = q.read_votes(frame.with_columns(winner=pl.lit("x")).unique("prompt"), announce=False)
    found = accuracy_by_cell(votes, key, by=("order",), cluster="prompt_type")
    assert [(one.levels, one.value, one.clusters) for one in found.cells] == [
        (("as listed",), 0.5, 4),
        (("swapped",), 0.5, 4),
    ]
    assert found.to_frame().shape == (2, 8)
    assert found.to_dict()["cluster"] == "prompt_type"


def test_one_item_has_no_interval():
    rows = {"item": ["a", "a"], "judge": ["x", "y"], "score": [1.0, 0.0]}
    found = accuracy_by_cell(q.read(pl.DataFrame(rows), announce=False), by=("judge",))
    assert np.isnan(found.cells[0].low)
    assert found.to_dict()["cells"][0]["all_high"] is None


def test_what_is_refused():
    frame = pl.DataFrame({"model_a": ["x"], "model_b": ["y"], "winner": ["x"], "prompt": ["p"], "judge": ["j"]})
    votes = q.read_votes(frame, announce=False)
    other = q.read_votes(frame.with_columns(prompt=pl.lit("q")), announce=False)
    scores = q.read(pl.DataFrame({"item": ["a", "b"], "judge": ["x", "x"], "score": [1.0, 7.0]}), announce=False)
    with pytest.raises(InvalidInput, match="human: votes of people"):
        accuracy_by_cell(votes)
    with pytest.raises(InvalidInput, match="human: scores say themselves"):
        accuracy_by_cell(scores, votes)
    with pytest.raises(InvalidInput, match="by: at least one role"):
        accuracy_by_cell(votes, other, by=())
    with pytest.raises(NotEstimable, match="none is of a battle that people decided"):
        accuracy_by_cell(votes, other, by=("judge",))
    with pytest.raises(InvalidData, match="from 0 to 1"):
        accuracy_by_cell(scores, by=("judge",))
    with pytest.raises(UnknownTerm, match="colour"):
        accuracy_by_cell(votes, votes, by=("colour",))


def test_an_interval_of_one_cluster_is_not_known():
    rows = {"item": ["a"] * 2, "judge": ["x", "y"], "score": [1, 0]}
    table = q.read(pl.DataFrame(rows), announce=False)
    assert "x 100.0% (interval not known) and least often in y 0.0%" in accuracy_by_cell(table, by=("judge",)).sentence
