"""Crossed panels: which scores are used, judge effects, components and tests. References as in the test of numerics."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from panel_scores import draw, nested, read

import quorate as q
from quorate.estimate.panel.crossed import CrossedScores, PanelComponents, crossed, panel_caveats

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
        (scores(left_out=1), "incomplete-scenarios", "every scenario: 1 scenario;"),
        (scores(generations_left_out=4), "incomplete-scenarios", "every scenario: 4 generations;"),
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
