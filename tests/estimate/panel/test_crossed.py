"""Crossed panels: which scores are used, judge effects, components and tests. References as in the test of numerics."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from panel_scores import draw, long, nested, read

import quorate as q
from quorate.errors import InvalidInput, NotEstimable, UnknownTerm
from quorate.estimate.panel.crossed import (
    CrossedScores,
    FTest,
    JudgeTest,
    PanelComponents,
    contradictory,
    crossed,
    crossed_scores,
    differences,
    judge_effects,
    judge_tests,
    panel_caveats,
    with_intervals,
)
from quorate.numerics.panel import crossed as panel

REFERENCE = json.loads((Path(__file__).parents[2] / "reference" / "crossed.json").read_text(encoding="utf-8"))


class TestCrossed:
    @pytest.mark.parametrize("name", REFERENCE)
    def test_tests_against_r(self, name):
        wanted, found = REFERENCE[name], crossed(nested(REFERENCE[name]["score"]), resamples=100)
        default, paper = found.judge_test, found.paper_test
        assert (default.f, default.p) == pytest.approx((wanted["judge"]["f"], wanted["judge"]["p"]))
        assert (default.df, default.df_error) == (wanted["judge"]["df"], wanted["interaction"]["df"])
        assert (default.epsilon, default.p_adjusted) == pytest.approx((wanted["epsilon"], wanted["p_adjusted"]))
        assert (paper.f, paper.p) == pytest.approx((wanted["judge_pooled"]["f"], wanted["judge_pooled"]["p"]))
        assert (paper.df, paper.df_error) == (wanted["judge_pooled"]["df"], wanted["pooled"]["df"])
        if found.m == 1:
            assert found.interaction_test is None
        else:
            ratio = wanted["interaction"]["ms"] / wanted["within"]["ms"]
            assert found.interaction_test.f == pytest.approx(ratio)
            assert (found.interaction_test.df, found.interaction_test.df_error) == (
                wanted["interaction"]["df"],
                wanted["within"]["df"],
            )

    def test_separated_is_reml_on_balanced_data(self):
        table = nested(draw(20, 4, 3))
        found, fit = crossed(table, resamples=100).separated, q.decompose(_chosen(table))
        assert found.negative == ()
        assert found.alpha == pytest.approx(fit.variance("item"), rel=1e-5)
        assert found.beta == pytest.approx(fit.variance("generation"), rel=1e-5)
        assert found.interaction == pytest.approx(fit.variance("item:judge"), rel=1e-5)
        assert found.eps == pytest.approx(fit.variance("cell"), rel=1e-5)

    def test_judges_against_the_panel(self):
        x = draw()
        found = crossed(nested(x))
        effects = np.array([one.effect for one in found.gamma])
        assert effects == pytest.approx(x.mean(axis=(0, 1)) - x.mean())
        assert effects.sum() == pytest.approx(0)
        se = np.std(x.mean(axis=1) - x.mean(axis=(1, 2))[:, None], axis=0, ddof=1) / np.sqrt(12)
        assert [one.se for one in found.gamma] == pytest.approx(se, rel=0.06)
        for one, mean in zip(found.gamma, x.mean(axis=(0, 1)), strict=True):
            assert one.low < one.effect < one.high
            assert (one.facet, one.mean, one.n, one.df) == ("judge", pytest.approx(mean), 36, 11)
        assert found.mean_interval[0] < found.mean < found.mean_interval[1]

    def test_intervals_are_around_the_estimates_and_widen_with_the_level(self):
        wide, narrow = (crossed(nested(draw(40)), level=level) for level in (0.99, 0.8))
        for name, (low, high) in narrow.separated.intervals.items():
            assert wide.separated.intervals[name][0] < low < narrow.separated.values[name] < high
            assert high < wide.separated.intervals[name][1]
        assert "interaction" not in narrow.paper.intervals

    def test_the_seed(self):
        table = nested(draw())
        one, two, other = crossed(table), crossed(table), crossed(table, rng=5)
        assert one.separated == two.separated
        assert one.separated.intervals != other.separated.intervals
        assert other.separated.intervals == crossed(table, rng=np.random.default_rng(5)).separated.intervals

    def test_one_generation_says_what_it_cannot_tell_apart(self):
        found = crossed(nested(draw(40, 1)))
        assert np.isnan([found.separated.beta, found.separated.interaction, found.paper.beta]).all()
        assert set(found.separated.intervals) == {"alpha", "gamma", "eps"}
        assert [one.code for one in found.caveats] == ["one-response"]
        assert not found.disagree

    def test_as_a_frame_and_as_plain_values(self):
        found = crossed(nested(draw()))
        frame = found.to_frame("polars")
        assert frame.columns == ["model", "component", "term", "variance", "low", "high"]
        assert frame.height == 9
        row = frame.row(by_predicate=(pl.col("model") == "paper") & (pl.col("component") == "beta"), named=True)
        assert (row["variance"], row["term"]) == (found.paper.beta, "generation")
        plain = found.to_dict()
        low, high = found.paper.intervals["beta"]
        assert plain["paper"]["beta"] == found.paper.beta
        assert plain["paper"]["intervals"]["beta"] == [low, high]
        assert plain["judge_test"]["p_adjusted"] == found.judge_test.p_adjusted
        assert (plain["n"], plain["m"], plain["k"]) == (12, 3, 4)
        assert [one["level"] for one in plain["gamma"]] == list(found.judges)
        json.dumps(plain)


def _chosen(table):
    """The same with judges as chosen levels."""
    frame = pl.DataFrame(
        {
            name: [table.facet(name).levels[i] for i in table.level_codes([name])]
            for name in ("item", "generation", "judge")
        }
        | {"score": table.mean}
    )
    return read(frame, nested={"generation": "item"}, fixed=("judge",))


class TestDisagreement:
    def test_an_interaction_moves_the_generation_variance(self):
        found = crossed(nested(draw(60, 6, interaction=0.9)))
        assert "beta" in found.differs
        assert found.disagree

    def test_no_interaction(self):
        found = crossed(nested(draw(60, 6, interaction=0)))
        assert found.differs == ()
        assert not found.disagree

    def test_only_the_published_test_sees_a_judge_effect(self):
        found = crossed(nested(draw(12, 3, judges=0, interaction=0.9, seed=8)))
        assert found.paper_test.p < 0.01
        assert found.judge_test.p_adjusted > 0.1
        assert "judge effect" in found.differs


def test_people_and_models_on_three_rating_scales(shared):
    """Of 18 judges one left an MT-Bench item without a score: 149 of 150 scenarios are complete."""
    frame = pl.read_parquet(shared / "data" / "rating_scale_human_llm.parquet").filter(
        pl.col("temperature").is_null(), pl.col("dimension") == "overall", pl.col("has_human")
    )
    facets = {"item": "item", "judge": "judge", "generation": "scale_max"}
    table = q.read(frame, score="score01", facets=facets, nested={"item": "benchmark"}, announce=False)
    found = crossed(table)
    assert (found.n, found.m, found.k) == (149, 3, 18)
    assert found.left_out + found.n == table.n_levels("item")
    assert found.separated.interaction > found.separated.eps
    assert "beta" in found.differs


def scores(n=30, m=2, left_out=0, generations_left_out=0, answers=(1, 1)):
    labels = tuple(str(i) for i in range(n))
    return CrossedScores(np.zeros((n, m, 3)), labels, ("a", "b", "c"), left_out, generations_left_out, None, answers)


def components(**changed):
    values = dict.fromkeys(("alpha", "beta", "gamma", "eps", "interaction"), 0.5) | changed
    return PanelComponents(**values, intervals=dict.fromkeys(values, (0.0, 1.0)))


def said(table, separated=None, paper=None):
    return list(panel_caveats(table, separated or components(), paper or components()))


def test_a_complete_panel_has_none():
    assert said(scores()) == []


@pytest.mark.parametrize(
    ("table", "code", "part"),
    [
        (scores(left_out=1), "incomplete-scenarios", "every item: 1 item;"),
        (scores(generations_left_out=4), "incomplete-scenarios", "every item: 4 answers;"),
        (scores(answers=(1, 8)), "averaged-answers", "the mean of its 1 to 8 answers"),
        (scores(answers=(8, 8)), "averaged-answers", "the mean of its 8 answers"),
        (scores(n=29), "few-items", "29 items"),
    ],
)
def test_one_reason_one_caveat(table, code, part):
    (found,) = said(table)
    assert found.code == code
    assert part in found.sentence
    assert "\n" not in found.sentence


def test_one_generation_leaves_two_sums():
    sentences = [one.sentence for one in said(scores(m=1))]
    assert any("each item has one response" in sentence for sentence in sentences)


def test_components_below_zero_are_named_with_their_model():
    (found,) = said(scores(), components(beta=-0.1), components(beta=-0.2, gamma=-0.1))
    assert found.code == "left-negative"
    assert "taken as zero" not in found.sentence
    assert "beta (generation), beta as published (generation), gamma as published (judge)" in found.sentence


class TestScores:
    def test_every_score_is_where_it_belongs(self):
        x = draw()
        found = crossed_scores(read(long(x).sample(fraction=1, shuffle=True, seed=1), nested={"generation": "item"}))
        assert np.array_equal(found.x, x)
        assert found.scenarios[:2] == ("s000", "s001")
        assert found.judges == ("j0", "j1", "j2", "j3")
        assert (found.left_out, found.generations_left_out, found.generation) == (0, 0, "generation")
        assert found.answers == (1, 1)

    def test_generations_may_be_crossed_with_scenarios(self):
        x = draw()
        frame = long(x).with_columns(pl.col("generation").str.slice(5)).rename({"generation": "scale"})
        assert np.array_equal(crossed_scores(read(frame), generation="scale").x, x)

    def test_without_generations_there_is_one(self):
        x = draw(m=1)
        found = crossed_scores(read(long(x).drop("generation")))
        assert np.array_equal(found.x, x)
        assert found.generation is None

    def test_repeated_answers_count_by_their_mean(self):
        x = draw(m=2)
        frame = pl.concat([long(x), long(x + 1)[:5]])
        found = crossed_scores(read(frame, nested={"generation": "item"}))
        assert found.x.ravel()[:5] == pytest.approx(x.ravel()[:5] + 0.5)
        assert np.array_equal(found.x.ravel()[5:], x.ravel()[5:])
        assert found.answers == (1, 2)

    def test_items_and_judges_may_be_nested(self):
        x = draw(4, 1, 3)
        frame = long(x).drop("generation").with_columns(pl.col("item").replace({"s002": "s000", "s003": "s001"}))
        frame = frame.with_columns(category=pl.Series(["a"] * 6 + ["b"] * 6), vendor=pl.Series(["v", "w", "w"] * 4))
        found = crossed_scores(read(frame, nested={"item": "category", "judge": "vendor"}))
        assert found.scenarios == ("a / s000", "b / s000", "a / s001", "b / s001")
        assert np.array_equal(found.x, x[[0, 2, 1, 3]])

    def test_a_property_of_judges_or_scenarios_is_no_facet_to_choose_from(self):
        frame = long(draw(4, 2, 3), kind=["llm", "llm", "human"] * 8, subset=["a"] * 12 + ["b"] * 12)
        assert crossed_scores(read(frame, nested={"generation": "item"})).x.shape == (4, 2, 3)


class TestMissing:
    def test_as_many_scores_as_possible_are_kept(self):
        """One of 3 generations of most scenarios is not complete: two are kept of each, and what has fewer left out."""
        x = draw(6, 3, 2)
        gone = [("s000-2", "j0"), ("s001-0", "j1"), ("s002-1", "j0"), ("s003-0", "j0"), ("s003-1", "j0")]
        keep = [(g, j) not in gone for g, j in long(x).select("generation", "judge").rows()]
        found = crossed_scores(read(long(x).filter(keep), nested={"generation": "item"}))
        assert found.scenarios == ("s000", "s001", "s002", "s004", "s005")
        kept = [(0, [0, 1]), (1, [1, 2]), (2, [0, 2]), (4, [0, 1]), (5, [0, 1])]
        assert np.array_equal(found.x, [x[i][j] for i, j in kept])
        assert (found.left_out, found.generations_left_out) == (1, 5)

    def test_one_scenario_is_no_panel_however_many_generations_it_has(self):
        x = draw(3, 5, 2)
        keep = [i == "s000" or g.endswith("-4") for i, g in long(x).select("item", "generation").rows()]
        assert np.array_equal(
            crossed_scores(read(long(x).filter(keep), nested={"generation": "item"})).x[1:], x[1:, 4:]
        )

    def test_a_score_without_value_is_missing(self):
        frame = long(draw(5, 1, 3)).drop("generation")
        frame = frame.with_columns(score=pl.when(pl.int_range(15) == 4).then(None).otherwise("score"))
        assert crossed_scores(read(frame)).scenarios == ("s000", "s002", "s003", "s004")

    def test_too_few_scenarios_names_the_judge_to_leave_out(self):
        frame = long(draw(5, 1, 3)).drop("generation").filter((pl.col("judge") != "j1") | (pl.col("item") == "s001"))
        with pytest.raises(NotEstimable, match=r'got 1 of 5 items; .* by judgments.without\("judge", "j1"\)'):
            crossed_scores(read(frame))

    def test_judges_who_share_no_scenario(self):
        frame = pl.DataFrame({"item": list("abcd"), "judge": list("xyxy"), "score": [1.0, 2, 3, 4]})
        with pytest.raises(NotEstimable, match="got 0 of 4 items"):
            crossed_scores(read(frame))

    def test_one_judge(self):
        with pytest.raises(NotEstimable, match="at least 2 judges who answered, got 1"):
            crossed_scores(nested(draw(k=1)))


class TestInput:
    def test_another_facet(self):
        frame = long(draw(4, 1, 4)).drop("generation").with_columns(prompt=pl.Series(list("pq") * 8))
        frame = frame.with_columns(judge=pl.Series(["x", "x", "y", "y"] * 4))
        message = (
            'prompt: a crossed panel has one level of each, got 2; .*only={"prompt": "p"}, or .*generation="prompt"'
        )
        with pytest.raises(InvalidInput, match=message):
            crossed(read(frame))
        assert crossed_scores(read(frame).only("prompt", "q")).x.shape == (4, 1, 2)
        assert crossed_scores(read(frame), generation="prompt").x.shape == (4, 2, 2)

    @pytest.mark.parametrize("generation", ["item", "judge"])
    def test_generation_is_neither_scenario_nor_judge(self, generation):
        with pytest.raises(InvalidInput, match=f'other than the scenario and the judge, got "{generation}"'):
            crossed_scores(nested(draw()), generation=generation)

    def test_judges_are_not_what_is_measured(self):
        with pytest.raises(InvalidInput, match='read with object="item"'):
            crossed_scores(read(long(draw()), object="judge"))

    def test_unknown_facets(self):
        with pytest.raises(UnknownTerm, match="scale"):
            crossed_scores(nested(draw()), generation="scale")
        with pytest.raises(UnknownTerm, match="judge"):
            crossed_scores(read(long(draw()).rename({"judge": "prompt"}), nested={"generation": "item"}))

    @pytest.mark.parametrize(("option", "value"), [("level", 1.0), ("resamples", 99)])
    def test_options(self, option, value):
        with pytest.raises(InvalidInput, match=option):
            crossed(nested(draw()), **{option: value})

    def test_a_path_is_not_judgments(self):
        with pytest.raises(InvalidInput, match=r"quorate\.read"):
            crossed("scores.csv")


SEES, SEES_NOT = FTest(9.0, 2, 40, 0.001), FTest(1.0, 2, 40, 0.3)


def default(p_adjusted):
    return JudgeTest(3.0, 2, 20, 0.04, 0.8, p_adjusted)


@pytest.mark.parametrize(
    ("judge", "pooled", "interaction", "expected"),
    [
        (default(0.06), SEES, SEES, True),
        (default(0.02), SEES_NOT, SEES, True),
        (default(0.02), SEES, SEES, False),
        (default(0.06), SEES, SEES_NOT, False),
        (default(0.06), SEES, None, False),
    ],
)
def test_answers_differ_because_of_an_interaction(judge, pooled, interaction, expected):
    assert contradictory(judge, pooled, interaction, 0.05) is expected


def test_two_judges_need_no_adjustment():
    sums = panel.sums(np.random.default_rng(1).normal(size=(6, 3, 2)))
    judge, _, _ = judge_tests(sums, panel.mean_squares(sums))
    assert judge.epsilon == pytest.approx(1)
    assert judge.p_adjusted == pytest.approx(judge.p)


def test_judges_who_always_agree_leave_nothing_to_test():
    sums = panel.sums(np.random.default_rng(1).normal(size=(6, 3, 1)) * np.ones(3))
    for test in judge_tests(sums, panel.mean_squares(sums)):
        assert np.isnan([test.f, test.p]).all()


def test_a_judge_who_is_always_one_higher():
    sums = panel.sums(np.random.default_rng(1).normal(size=(6, 3, 1)) + np.array([0.0, 1.0]))
    judge, pooled, _ = judge_tests(sums, panel.mean_squares(sums))
    assert (judge.f, judge.p, pooled.f, pooled.p) == (np.inf, 0, np.inf, 0)
    drawn = panel.resampled(sums, 200, np.random.default_rng(2))
    effects = judge_effects(["a", "b"], sums, drawn, 0.95)
    assert [(one.level, one.effect, one.se) for one in effects] == [
        ("a", pytest.approx(-0.5), pytest.approx(0)),
        ("b", pytest.approx(0.5), pytest.approx(0)),
    ]


DRAWN = np.linspace(0, 1, 101)[:, None] + np.arange(5)


def fitted(**changed):
    """Every component at .5 in an interval from 0 to 1, unless changed."""
    values = dict.fromkeys(("alpha", "beta", "gamma", "eps", "interaction"), 0.5) | changed
    return PanelComponents(**values, intervals=dict.fromkeys(values, (0.0, 1.0)))


def test_percentile_intervals():
    found = with_intervals(np.arange(5) + 0.5, DRAWN, 0.9)
    assert (found.alpha, found.interaction) == (0.5, 4.5)
    assert found.intervals["beta"] == pytest.approx((1.05, 1.95))


def test_what_is_not_estimated_has_no_interval():
    found = with_intervals(np.array([1, np.nan, 2, 3, np.nan]), DRAWN, 0.9)
    assert set(found.intervals) == set(found.values) == {"alpha", "gamma", "eps"}
    assert found.to_dict()["gamma"] == found.gamma == 2
    assert found.to_dict()["intervals"]["gamma"] == pytest.approx([2.05, 2.95])
    assert "beta" not in found.to_dict()


def test_negative_estimates_are_named():
    assert fitted(beta=-0.1, gamma=0.0, interaction=-1e-9).negative == ("beta", "interaction")


@pytest.mark.parametrize("value", [-0.2, 1.2])
def test_differences_both_ways(value):
    assert differences(fitted(beta=value), fitted()) == ("beta",)
    assert differences(fitted(), fitted(beta=value)) == ("beta",)


def test_residuals_are_not_compared():
    assert differences(fitted(eps=9.0), fitted()) == ()
