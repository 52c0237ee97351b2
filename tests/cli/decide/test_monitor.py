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
    ran = run("monitor", votes, "--a", "x", "--b", "y")
    assert ran.code == 0
    assert ran.out.startswith("Stop: x is better than y;")
    assert run("monitor", votes, "--a", "y", "--b", "x", "--json").json["outcome"] == "worse"


def test_a_stricter_level_needs_more_votes(run, votes):
    ran = run("monitor", votes, "--a", "x", "--b", "y", "--level", ".9999999")
    assert ran.code == 2
    assert ran.out.startswith("Go on: undecided")


def test_one_system_is_refused(run, votes):
    assert "--a, --b: votes on two systems are watched; name both" in run("monitor", votes).err


def test_systems_of_one_name_are_told_apart(run, votes):
    frame = pl.read_csv(votes).with_columns(prompt_type=pl.Series(["code", "prose"] * 30))
    frame.write_csv(votes)
    ran = run("monitor", votes, "--a", "x (code)", "--b", "y (code)", "--within", "prompt_type", "--json")
    assert ran.json["n"] + ran.json["left"] == 30
