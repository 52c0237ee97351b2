from __future__ import annotations

import polars as pl
import pytest


@pytest.fixture
def votes(tmp_path):
    path = tmp_path / "votes.csv"
    columns = {"model_a": ["x"] * 60, "model_b": ["y"] * 60, "winner": (["model_a"] * 5 + ["model_b"]) * 10}
    pl.DataFrame(columns).write_csv(path)
    return path


def test_votes_decide_as_soon_as_they_do(run, votes):
    ran = run("compare", "--watch", votes, "--a", "x", "--b", "y")
    assert ran.code == 0
    assert ran.out.startswith("Stop: x is better than y;")
    assert run("compare", "--watch", votes, "--a", "y", "--b", "x", "--json").json["outcome"] == "worse"


def test_a_stricter_level_needs_more_votes(run, votes):
    ran = run("compare", "--watch", votes, "--a", "x", "--b", "y", "--level", ".9999999")
    assert ran.code == 2
    assert ran.out.startswith("Go on: undecided")


def test_votes_on_two_systems_need_no_names(run, votes):
    assert run("compare", "--watch", votes).out == run("compare", "--watch", votes, "--a", "x", "--b", "y").out


def test_of_more_systems_two_are_named(run, tmp_path):
    rows = [{"model_a": a, "model_b": b, "winner": "model_a"} for a, b in [("x", "y"), ("y", "z")]]
    pl.DataFrame(rows).write_csv(tmp_path / "board.csv")
    assert "--a, --b: name the two systems; which order of all is sure is said by quorate rank --watch" in (
        run("compare", "--watch", "board.csv").err
    )


def test_systems_of_one_name_are_told_apart(run, votes):
    frame = pl.read_csv(votes).with_columns(prompt_type=pl.Series(["code", "prose"] * 30))
    frame.write_csv(votes)
    ran = run("compare", "--watch", votes, "--a", "x (code)", "--b", "y (code)", "--within", "prompt_type", "--json")
    assert ran.json["n"] + ran.json["left"] == 30
