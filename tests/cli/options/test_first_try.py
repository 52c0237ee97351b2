"""The first command on a file that people have, without any option: read right, or asked about."""

from __future__ import annotations

import shlex

import numpy as np
import polars as pl
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


@pytest.mark.wide(4)
@pytest.mark.parametrize(("name", "levels"), RIGHT.items())
def test_shapes_that_leave_one_reading_are_read(run, shared, name, levels):
    ran = run("doctor", shared / "data" / "shapes" / name, "--json")
    facets = {one["name"]: one["levels"] for one in ran.json["facts"]["facets"]}
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
    assert "wins 53.5% of 910" in ran.out


def test_rankings_are_turned_round(run, shared):
    assert run("rank", shared / "data" / "shapes" / "R21_rankings.csv").out.startswith("A is first of 4 systems")


def test_the_question_is_a_command(run, shared):
    asked = run("analyze", shared / "data" / "shapes" / "R33_judges_equal_effects.csv")
    command = asked.err.partition("it may be meant as: quorate ")[2].partition(" (")[0]
    assert command.startswith("analyze ")
    assert run(*command.split(), "--no-report").code == 0


def marks(folder, judges=("gpt4",), people=("human",), *, labelled=1.0):
    """Marks from 1 to 5 of 60 answers, by judges and by people, who said nothing of the last ones."""
    rng = np.random.default_rng(6)
    true = rng.integers(1, 6, 60)
    near = {name: np.clip(true + rng.integers(-1, 2, 60), 1, 5).tolist() for name in (*people, *judges)}
    kept = {name: [mark if i < labelled * 60 else None for i, mark in enumerate(near[name])] for name in people}
    pl.DataFrame({"id": [f"q{i}" for i in range(60)], **near, **kept}).write_csv(folder / "marks.csv")
    return folder / "marks.csv"


@pytest.mark.wide(2)
@pytest.mark.parametrize(
    ("judges", "people"),
    [(["gpt4"], ["human"]), (["gpt4", "claude"], ["expert 1", "expert 2"]), (["llm_score"], ["physician"])],
)
def test_judges_beside_people_are_asked_how_far_they_agree(run, tmp_path, monkeypatch, judges, people):
    monkeypatch.chdir(tmp_path)
    file = marks(tmp_path, judges, people)
    ran, asked = run("judges", file, "--level", "0.9"), run("analyze", file, "--level", "0.9")
    said, _, command = ran.err.strip().partition(": taken as quorate ")
    assert said.endswith("what judges did")
    assert run(*shlex.split(command)).out == ran.out
    assert asked.out.startswith(ran.out.rstrip())
    assert (tmp_path / "marks-quorate.html").is_file()


def test_what_people_said_of_a_few_corrects_the_mean(run, tmp_path):
    file = marks(tmp_path, labelled=0.3)
    ran = run("analyze", file, "--no-report")
    assert "taken as quorate analyze" in ran.err
    assert "labels and predictions" in ran.out
    assert run("judges", file, "--json").json["judges"] == ["gpt4"]


@pytest.mark.parametrize(
    "words",
    [["analyze", "--half-width", "0.1"], ["analyze", "--target", "judge=panel"], ["rank"], ["analyze", "--score", "x"]],
)
def test_who_asks_something_else_is_asked(run, tmp_path, words):
    file = marks(tmp_path)
    ran = run(words[0], file, *words[1:])
    assert (ran.code, ran.out) == (1, "")


def test_a_column_that_is_no_judge_by_its_name_is_asked_about(run, tmp_path):
    assert "it may be meant as: quorate judges" in run("judges", marks(tmp_path, judges=["mark"])).refused()


def test_models_named_like_the_two_sides_win_by_name(run, shared):
    ran = run("compare", shared / "data" / "answers" / "names_2.csv")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("model-a is better than model-b: model-a wins 81.2% of 400 decisive votes")


@pytest.mark.parametrize("command", ["analyze", "judges"])
def test_people_among_models_of_one_column_are_asked_about_as_side_by_side(run, tmp_path, monkeypatch, command):
    """Unless it is said how the file is read, there are systems to be compared, or nobody says who is which."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(4)
    true = rng.normal(3, 1, 15)

    def table(judges, systems=("",)):
        rows = [
            (f"i{i}", judge, system, round(true[i] + rng.normal(0, 0.5), 1))
            for i in range(15)
            for judge in judges
            for system in systems
        ]
        frame = pl.DataFrame(rows, schema=["example_id", "rater", "system", "score"], orient="row")
        (frame if len(systems) > 1 else frame.drop("system")).write_csv("long.csv")

    table(["gpt-4o", "claude-3", "human_1", "human_2"])
    ran = run(command, "long.csv")
    said = "human_1 and human_2 are people by name, claude-3 and gpt-4o models: taken as quorate judges long.csv"
    assert ran.err.startswith(f"quorate: {said} --human human_1 --human human_2")
    assert "orders items most as people do" in ran.said
    alike = run(command, "long.csv", "--facet", "judge=rater")
    assert alike.err == ""
    assert "orders items" not in alike.out
    table(["gpt-4o", "human_1"], systems=("old", "new"))
    assert "taken as quorate judges" not in run(command, "long.csv").err
    table(["x", "y", "human_1"])
    assert "taken as quorate judges" not in run(command, "long.csv").err


@pytest.mark.parametrize("kinds", [["human", "human", "llm"], ["human", "crowd", "llm"], ["expert", "expert", "human"]])
def test_a_column_beside_judges_says_who_of_them_are_people(run, tmp_path, monkeypatch, kinds):
    """If it says so of all of them, and there are both."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    rows = [(f"i{i}", f"r{j}", kinds[j], int(rng.integers(1, 6))) for i in range(40) for j in range(3)]
    pl.DataFrame(rows, schema=["item", "rater", "rater_type", "score"], orient="row").write_csv("long.csv")
    said = "r0 and r1 are people by rater_type, r2 a model: taken as quorate judges long.csv --human r0 --human r1"
    assert run("analyze", "long.csv").err.startswith(f"quorate: {said}") == (kinds == ["human", "human", "llm"])
