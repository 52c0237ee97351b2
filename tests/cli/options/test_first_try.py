"""The first command on a file that people have, without any option: read right, or asked about."""

from __future__ import annotations

import json

import pytest

RIGHT = {
    "R01_matrix_no_id.csv": {"item": 24, "judge": 3},
    "R04_person_rows_rater_columns.csv": {"item": 30, "judge": 4},
    "R06_id_score.csv": {"item": 60},
    "R08_score_twice.json": {"item": 60, "system": 1},
    "R10_subject_rater_rating_one_each.csv": {"item": 36, "judge": 3},
    "R18_counts_per_category.csv": {"item": 30},
    "R23_RaterID_with_item_and_score.csv": {"item": 60, "judge": 3},
}
ASKED = {
    "R12_two_responses_label_code.jsonl": "which of the two is better",
    "R14_no_judgment_at_all.csv": "no column looks like a judgment",
    "R16_no_header_matrix.csv": "the first line holds values, not names",
    "R33_judges_equal_effects.csv": "it may be meant as: quorate analyze",
}


@pytest.mark.parametrize(("name", "levels"), RIGHT.items())
def test_shapes_that_leave_one_reading_are_read(run, shared, name, levels):
    ran = run("doctor", shared / "data" / "shapes" / name, "--json")
    facets = {one["name"]: one["levels"] for one in json.loads(ran.out)["facts"]["facets"]}
    assert facets.items() >= {role: n for role, n in levels.items() if role != "system"}.items()


@pytest.mark.parametrize(("name", "words"), ASKED.items())
def test_shapes_that_leave_several_readings_are_asked_about(run, shared, name, words):
    ran = run("analyze", shared / "data" / "shapes" / name)
    assert ran.code == 1
    assert words in ran.err
    assert ran.err.count("\n") == 1
    assert not ran.out


def test_wins_by_columns_are_votes(run, shared):
    ran = run("analyze", shared / "data" / "shapes" / "R20_wins_columns.csv")
    assert "wins 46.5% of 910" in ran.out


def test_rankings_are_turned_round(run, shared):
    assert run("rank", shared / "data" / "shapes" / "R21_rankings.csv").out.startswith("A is first of 4 systems")


@pytest.mark.parametrize(("name", "verb"), [("rare.csv", "judges"), ("R33_judges_equal_effects.csv", "analyze")])
def test_the_question_is_a_command(run, shared, name, verb):
    file = shared / "data" / ("answers" if name == "rare.csv" else "shapes") / name
    asked = run("analyze", file)
    command = asked.err.partition("it may be meant as: quorate ")[2].partition(" (")[0]
    assert command.startswith(f"{verb} ")
    assert run(*command.split(), *(["--no-report"] if verb == "analyze" else [])).code == 0


def test_models_named_like_the_two_sides_win_by_name(run, shared):
    ran = run("compare", shared / "data" / "answers" / "names_2.csv")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("model-a is better than model-b: model-a wins 81.2% of 400 decisive votes")
