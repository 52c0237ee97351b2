"""Crossed panels: which scores are used, judge effects, components and tests. References as in the test of numerics."""

import numpy as np
import polars as pl
import pytest
from panel_scores import draw, long, nested, read

from quorate.errors import InvalidInput, NotEstimable, UnknownTerm
from quorate.estimate.panel.crossed import crossed, crossed_scores


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
