"""Win rates and means corrected by a few labels."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from tables import scores_table

import quorate as q
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.agreement.prediction_powered import corrected, of_sample
from quorate.numerics.distributions import t_quantile
from quorate.numerics.prediction_powered import Sample, powered_mean
from quorate.reporting.pages.people.corrected import methods

CLAUDE, FLASH = "claude-opus-4-20250514", "gemini-2.5-flash"


def tables(n=300, labels=60, seed=1, right=0.85):
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.6
    said = np.where(rng.random(n) < right, truth, True)

    def votes(winner, judge):
        frame = {"prompt": np.arange(len(winner)), "model_a": "x", "model_b": "y", "winner": winner, "judge": judge}
        frame["cluster"] = np.arange(len(winner)) % 20
        return q.read_votes(pl.DataFrame(frame), announce=False)

    return votes(np.where(said, "x", "y"), "llm"), votes(np.where(truth, "x", "y")[:labels], "person"), said, truth


def test_it_is_the_powered_mean_of_matched_battles():
    judged, human, said, truth = tables()
    found = corrected(judged, human, "x", "y", cluster=())
    y, f = truth[:60].astype(float), said.astype(float)
    exact = powered_mean(Sample(y, f[:60], f[60:], np.arange(60), np.arange(60, 300)))
    assert (found.value, found.se, found.tuning) == pytest.approx((exact.value, exact.se, exact.tuning))
    assert (found.labels, found.predictions) == (60, 240)
    assert found.judges == pytest.approx(said.mean())
    assert found.bias == pytest.approx(np.mean(f[:60] - y))
    assert found.effective == pytest.approx(60 * (found.people_se / found.se) ** 2)
    assert found.effective > 60


def test_the_other_model_has_the_rest():
    judged, human, *_ = tables()
    one, two = (corrected(judged, human, *pair) for pair in (("x", "y"), ("y", "x")))
    assert two.value == pytest.approx(1 - one.value)
    assert two.se == pytest.approx(one.se)
    low, high = one.estimate.at(0.9).ends
    assert two.estimate.at(0.9).ends == pytest.approx((1 - high, 1 - low))


def test_mean_scores_of_items(judged):
    table = judged({"item": 80, "judge": 3}, seed=2)
    people = table.only("judge", table.facet("judge").levels[0])
    labelled = people.keep(people.level_codes(["item"]) < 30)
    judges = table.without("judge", table.facet("judge").levels[0])
    found = corrected(judges, labelled)
    assert (found.labels, found.predictions, found.what) == (30, 50, "mean score")
    assert found.se < found.people_se
    assert found.people == pytest.approx(labelled.mean.mean())


def test_clusters_and_what_is_said():
    judged, human, *_ = tables()
    found = corrected(judged, human, "x", "y", cluster="cluster")
    assert found.df == 19
    assert "Win rate of x against y: 0." in found.sentence
    assert "The predictions make 60 labels worth" in found.sentence
    assert found.to_dict()["estimate"]["low"] == found.estimate.low


def test_battles_of_one_prompt_are_a_cluster_against_all_opponents():
    rng = np.random.default_rng(1)
    lean = rng.random(60)
    rows = [(i, "x", other, "xo"[int(rng.random() > lean[i])]) for i in range(60) for other in ("o1", "o2", "o3")]
    rows = [(i, a, b, b if w == "o" else a) for i, a, b, w in rows]
    frame = pl.DataFrame(rows, schema=["prompt", "model_a", "model_b", "winner"], orient="row")
    judged, human = (q.read_votes(frame[:n], announce=False) for n in (180, 60))
    found = corrected(judged, human, "x", tuning=0.5)
    assert found.df == 19
    assert found == corrected(judged, human, "x", cluster="prompt", tuning=0.5)
    alone = corrected(judged, human, "x", "o1", tuning=0.5)
    assert alone.df > 19
    few = next(
        str(one) for one in corrected(judged, human.keep(np.arange(60) < 45), "x").caveats if "labels" in one.code
    )
    assert "random" in few
    assert any(
        "45 labels in 15 clusters" in str(one) for one in corrected(judged, human.keep(np.arange(60) < 45), "x").caveats
    )


def test_bias_of_clusters():
    judged, human, said, truth = tables()
    found = corrected(judged, human, "x", "y", cluster="cluster")
    gap = said[:60].astype(float) - truth[:60]
    sums = np.bincount(np.arange(60) % 20, gap - gap.mean()) / 60
    assert found.bias_se == pytest.approx(np.sqrt(np.sum(sums**2) * 20 / 19))


def test_equal_labels_leave_no_error_whatever_their_rounding(judged):
    frame = pl.DataFrame(
        {"item": [f"i{k:03d}" for k in range(60)], "judge": "llm", "score": np.random.default_rng(1).random(60)}
    )
    said = q.read(frame, announce=False)
    for labels in (3, 7, 11):
        same = q.read(frame[:labels].with_columns(score=pl.lit(0.7)), announce=False)
        with pytest.raises(NotEstimable, match="leave no error"):
            corrected(said, same)


def test_constant_predictions_that_differ_are_unlike_the_rest():
    judged, human, *_ = tables(labels=40)
    said = judged.keep(np.ones(300, bool))
    frame = {"prompt": np.arange(300), "model_a": "x", "model_b": "y", "judge": "llm"}
    frame["winner"] = np.where(np.arange(300) < 40, "x", "y")
    said = q.read_votes(pl.DataFrame(frame), announce=False)
    found = [str(one) for one in corrected(said, human, "x", "y").caveats]
    assert any("than of the others: they do not look" in one for one in found)


def test_caveats():
    judged, human, *_ = tables(labels=12)
    assert {one.code for one in corrected(judged, human, "x").caveats} == {"labels-at-random", "few-labels"}
    fewer = judged.keep(np.arange(300) >= 20)
    judged, human, *_ = tables(labels=80)
    found = corrected(fewer, human, "x")
    assert "left-without-prediction" in {one.code for one in found.caveats}
    assert found.labels == 60
    biased = judged.keep(np.append(judged.outcome[:80] == 0, np.ones(220, bool)))
    assert "labels-unlike-the-rest" in {one.code for one in corrected(biased, human, "x").caveats}


@pytest.mark.parametrize("won", [0, 1])
def test_labels_that_all_agree_have_the_interval_of_wilson(won):
    rng = np.random.default_rng(1)
    f, others = rng.random(50) < 0.1, rng.random(500) < 0.1
    sample = Sample(np.full(50, float(won)), f * 1.0, others * 1.0, np.arange(50), np.arange(50, 550))
    found = of_sample(sample, share=True)
    assert (found.value, found.tuning, found.rarer) == (won, 0, 0)
    away = abs(won - np.array(found.estimate.ends))
    assert sorted(away) == pytest.approx([0, 0.0714], abs=0.006)  # R: prop.test(0, 50, correct = FALSE)$conf.int
    assert found.estimate.ends == pytest.approx(found.alone.ends, abs=1e-3)
    assert found.se > 0
    assert found.effective == pytest.approx(50, rel=0.01)
    few = next(one for one in found.caveats if one.code == "few-labels")
    assert "0 of the rarer answer" in str(few)


def test_scores_of_zero_and_one_are_shares(judged):
    items = [f"i{k:03d}" for k in range(90)]
    frame = pl.DataFrame({"item": items, "judge": "llm", "score": np.tile([0.0, 1, 0.2], 30)})
    people = frame[:30].with_columns(score=pl.Series([1.0] + [0.0] * 29), judge=pl.lit("person"))
    found = corrected(q.read(frame, announce=False), q.read(people, announce=False))
    assert found.rarer == 1
    low, high = found.estimate.ends
    assert 0 <= low < found.value < high < 0.3
    assert found.trials is not None


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((None,), {}, "a: the model whose win rate is wanted is needed with votes"),
        (("x", "x"), {}, 'b: an opponent of "x" is needed, got "x"'),
        (("x", "y"), {"tuning": 2}, "tuning: must be from 0 to 1, got 2"),
    ],
)
def test_what_is_refused(arguments, options, message):
    judged, human, *_ = tables()
    with pytest.raises(InvalidInput, match=message):
        corrected(judged, human, *arguments, **options)


def test_what_cannot_be_estimated(judged):
    votes, human, *_ = tables(labels=2)
    with pytest.raises(NotEstimable, match="2 units have a label and a prediction and 298 a prediction alone"):
        corrected(votes, human, "x")
    with pytest.raises(InvalidInput, match="a, b: a difference of scores is of two systems"):
        corrected(judged({"item": 9, "judge": 2}), "judge0000", "x")


@pytest.mark.slow
def test_real_battles_where_judges_say_next_to_nothing(shared):
    """Claude against Gemini 2.5 Flash: people .409; the two judges, .209 and .486, are of no use for single battles."""
    path = shared / "data" / "arena_human_vs_llm_judges.parquet"
    people = q.read_votes(path, winner="human_winner", prompt="item", announce=False).only("judge", "gpt-5.2")
    judges = q.read_votes(path, winner="judge_winner", prompt="item", announce=False)
    pair = people.pair(CLAUDE, FLASH)
    labelled = pair.keep(np.random.default_rng(1).permutation(pair.rows) < 100)
    found = corrected(judges.only("judge", "gpt-4o-mini"), labelled, CLAUDE, FLASH)
    assert found.judges == pytest.approx(0.209, abs=0.001)
    low, high = found.estimate.ends
    assert low < 0.409 < high
    assert found.effective == pytest.approx(100, rel=0.1)


def test_labels_of_people_and_battles_of_one_cluster_are_allowed_for_together():
    """By default the person and the cluster; of both the variances are those of Cameron, Gelbach and Miller."""
    judged, human, *_ = tables()
    person = np.arange(60) // 6
    frame = pl.DataFrame(
        {
            "prompt": np.arange(60),
            "model_a": "x",
            "model_b": "y",
            "winner": np.where(human.encoded() == 0, "x", "y"),
            "judge": [f"person {i}" for i in person],
        }
    )
    people = q.read_votes(frame, announce=False)
    found = corrected(judged, people, "x", "y")
    assert (found.cluster, found.clusters) == (("cluster", "judge"), (20, 10))
    assert "60 labels in 20 clusters and 10 judges" in found.sentence
    alone = [corrected(judged, people, "x", "y", cluster=name) for name in ("cluster", "judge")]
    assert found.se >= max(one.se for one in alone) * (1 - 1e-9)
    assert corrected(judged, people, "x", "y", cluster=(), level=0.9).estimate.ends == pytest.approx(
        corrected(judged, people, "x", "y", cluster=()).estimate.at(0.9).ends
    )
    twice = q.read_votes(pl.concat([frame, frame.with_columns(judge=pl.lit("another"))]), announce=False)
    with pytest.raises(InvalidInput, match="a battle has one"):
        corrected(judged, twice, "x", "y", cluster="judge")
    assert corrected(judged, twice, "x", "y").cluster == ("cluster",)


def test_marks_near_the_end_of_their_scale_have_limits_within_it():
    """Those of Wilson; symmetric, the upper limit would be beyond 5."""
    rng = np.random.default_rng(3)
    marks = 5 - rng.choice(3, 60, p=[0.9, 0.08, 0.02]).astype(float)
    said = np.minimum(5, marks + rng.choice([0.0, -1.0], 60, p=[0.8, 0.2]))
    frame = pl.DataFrame(
        {"item": [*range(60), *range(25)], "judge": ["m"] * 60 + ["p"] * 25, "score": [*said, *marks[:25]]}
    )
    near = q.agreement.corrected(q.read(frame, scale=(1, 5), announce=False), "p")
    half = near.se * t_quantile(near.df, 0.975)
    assert near.value + half > 5
    share = (near.value - 1) / 4
    k = (half / 4) ** 2 / (share * (1 - share))
    ends = [(share + k / 2 + side * np.sqrt((half / 4) ** 2 + k**2 / 4)) / (1 + k) for side in (-1, 1)]
    assert near.estimate.ends == pytest.approx([1 + 4 * end for end in ends])
    far = q.agreement.corrected(q.read(frame, scale=(-50, 50), announce=False), "p")
    assert far.estimate.ends == pytest.approx((near.value - half, near.value + half), abs=0.002)
    assert "near-an-end" not in {caveat.code for caveat in far.caveats}


def scored(labels):
    """Scores of 300 items in two categories by a judge, of the first so many of each also by a person."""
    rng = np.random.default_rng(1)
    second = np.arange(300) % 3 == 0
    truth = rng.normal(size=300) + 2 * second
    rows = [(i, "ab"[int(second[i])], "llm", truth[i] + 0.5 + 0.5 * rng.normal()) for i in range(300)]
    for h, count in enumerate(labels):
        rows += [(int(i), "ab"[h], "ann", truth[i]) for i in np.flatnonzero(second == h)[:count]]
    return scores_table(rows, "item category judge score")


def test_labels_at_rates_of_their_own_by_category():
    """Half of the labels are of a third of the items: without strata the mean leans to these."""
    table = scored((40, 40))
    found = q.agreement.corrected(table, "ann", strata="category")
    assert abs(found.value - 2 / 3) < 3 * found.se
    assert abs(found.people - 2 / 3) < 3 * found.people_se
    assert found.people < q.agreement.corrected(table, "ann").people
    assert found.se < found.people_se
    assert (found.strata, found.labels) == ("category", 80)
    assert abs(found.bias - 0.5) < 4 * found.bias_se
    assert "labels-unlike-the-rest" not in [one.code for one in found.caveats]
    assert "every category is corrected by its own labels" in methods(found)


def test_a_category_needs_two_labels():
    with pytest.raises(NotEstimable, match='strata: 1 label in category "b", and its error needs two'):
        q.agreement.corrected(scored((40, 1)), "ann", strata="category")


def of_categories(rng, means, n=300):
    """Judge and people on items of categories with these shares of yes; a third labelled."""
    rows = []
    for place, mean in enumerate(means):
        truth = rng.random(n) < mean
        said = np.where(rng.random(n) < 0.85, truth, ~truth)
        rows += [(f"{place}-{i}", f"c{place}", "model", int(x)) for i, x in enumerate(said)]
        rows += [(f"{place}-{i}", f"c{place}", "ann", int(x)) for i, x in enumerate(truth) if i % 3 == 0]
    return pl.DataFrame(rows, schema=["item", "category", "judge", "score"], orient="row")


def test_every_category_is_corrected_by_itself():
    frame = of_categories(np.random.default_rng(6), (0.5, 0.5, 0.85))
    found = q.agreement.corrected(q.read(frame, announce=False), "ann")
    assert [one.name for one in found.segments] == ["c0", "c1", "c2"]
    for one in found.segments:
        own = q.read(frame.filter(pl.col("category") == one.name).drop("category"), announce=False)
        alone = q.agreement.corrected(own, "ann")
        assert (one.value, one.low, one.high) == pytest.approx((alone.value, *alone.estimate.ends))
    assert found.segments[2].p < 0.001
    assert found.to_dict()["segments"][2]["name"] == "c2"
    two = pl.concat([frame.with_columns(system=pl.lit("x")), frame.with_columns(system=pl.lit("y"))])
    shifted = two.with_columns(
        score=pl.when(pl.col("system") == "x").then(pl.col("score")).otherwise(1 - pl.col("score"))
    )
    gap = q.agreement.corrected(q.read(shifted, announce=False), "ann", "x", "y").segments
    assert gap[2].p < 0.001  # of no difference: .85 less .15
    assert gap[2].value > 0.5


@pytest.mark.slow
def test_categories_that_are_alike_are_seldom_said_to_differ():
    rng = np.random.default_rng(1)
    found = [
        q.agreement.corrected(q.read(of_categories(rng, (0.7,) * 4, 90), announce=False), "ann") for _ in range(200)
    ]
    wrong = np.mean([any(one.p <= 0.05 for one in each.segments) for each in found])
    assert wrong <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 200)
