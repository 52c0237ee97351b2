from __future__ import annotations

import json

import polars as pl
import pytest
from tests.estimate.ratings.test_corrected_ratings import frame, labelled

import quorate as q


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("board") / "votes.csv"
    labelled(frame(300, favour=3), 100).with_columns(chance=0.25).write_csv(path)
    return path


def test_the_board_that_people_would_give(run, table, tmp_path):
    page = tmp_path / "board.md"
    ran = run("rank", table, "--human", "person", "--half-width", "0.3", "--price", "2", "--report", page)
    expected = q.agreement.corrected_ratings(q.read_votes(table, announce=False), "person")
    plan = q.agreement.plan_board_labels(expected, half_width=0.3, price=2)
    said = " ".join(ran.out.split())
    assert (ran.code, ran.err) == (0, "")
    assert said.startswith(expected.sentence)
    assert plan.sentence in said
    assert "Judges alone rate s2 " in said
    assert plan.sentence in page.read_text()
    by = run(
        "rank", table, "--human", "person", "--strata", "prompt_type", "--elo", "--ties", "half", "--json",
        "--sampling-probability", "chance",
    )  # fmt: skip
    found = json.loads(by.out)
    board = found["board"]
    assert (board["strata"], board["ratings"]["ties"], len(board["weights"])) == ("prompt_type", "half", 4)
    assert found["goal"] == "resolved"
    assert board["systems"][0]["rating"] > 900


@pytest.mark.slow
def test_people_in_a_file_of_their_own_and_nobody_told_apart(run, table, tmp_path):
    votes = pl.read_csv(table)
    judges, people = tmp_path / "judges.csv", tmp_path / "people.csv"
    votes.filter(pl.col("judge") != "person").write_csv(judges)
    votes.filter(pl.col("judge") == "person").write_csv(people)
    apart, together = (
        run("rank", *named).out.split("Columns")[0]
        for named in ((judges, "--people", people), (table, "--human", "person"))
    )
    assert apart == together
    close = pl.col("model_a").is_in(["s1", "s2"]) & pl.col("model_b").is_in(["s1", "s2"])
    votes.filter(close).write_csv(judges)
    assert run("rank", judges, "--human", "person", "--level", "0.999").code == 2
    assert "--human: name the judges who are people" in run("rank", table).err
