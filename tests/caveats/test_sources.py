"""Caveats of where data come from."""

from __future__ import annotations

from quorate.caveats import averages_as_attempts, averages_of_judges, cached_answers, prelabelled


def test_models_that_labelled_before_are_named():
    assert str(prelabelled(3, 1200, ["gpt", "claude"])).startswith(
        "3 of 1,200 annotations began with a label by gpt, c"
    )


def test_copies_are_counted_among_answers():
    said = str(cached_answers(1_200, 3_600))
    assert said.startswith("1,200 of 3,600 answers are repeats that come from a cache")


def test_a_statistic_beside_what_judges_said():
    assert str(averages_of_judges(["safety_score"], ["harm"])).endswith("what each judge said is in harm")


def test_averages_are_named_by_their_result():
    assert "the same score in match, rubric: averages" in str(averages_as_attempts(["match", "rubric"]))
