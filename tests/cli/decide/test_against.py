from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import quorate as q


@pytest.fixture(scope="module")
def scores(tmp_path_factory):
    """Verdicts of three judges under two prompts on 60 items, with the label of each item in a column."""
    rng = np.random.default_rng(3)
    truth, lines = rng.integers(0, 2, 60), []
    for i in range(60):
        for judge, share in (("a", 0.9), ("b", 0.7), ("c", 0.5)):
            for prompt in "pq":
                said = truth[i] if rng.random() < share else 1 - truth[i]
                lines.append(f"i{i},{judge},{prompt},{said},{truth[i]}")
    path = tmp_path_factory.mktemp("against") / "scores.csv"
    path.write_text("item,judge,prompt,score,gold\n" + "\n".join(lines) + "\n")
    return path


def test_judges_stand_beside_the_labels_of_a_column(run, scores, tmp_path):
    page = tmp_path / "against.md"
    options = ("--splits", "40", "--resamples", "100", "--seed", "2")
    ran = run("judges", scores, "--human-label", "gold", *options, "--report", page)
    assert (ran.code, ran.err) == (0, "")
    tables = [q.read(scores, score=score, announce=False) for score in ("score", "gold")]
    wanted = q.agreement.against(*tables, splits=40, resamples=100, rng=2)
    said = " ".join(ran.out.split())
    assert said.startswith(wanted.sentence)
    assert "no prompt was asked twice" in said
    assert wanted.sentence in page.read_text()
    found = run("judges", scores, "--human-label", "gold", *options, "--json").json
    assert found["majority"]["value"] == wanted.majority.value
    assert found["worth"]["value"] == wanted.worth.value


def test_people_are_named_once(run, scores, tmp_path):
    both = run("judges", scores, "--human", "a", "--human-label", "gold").err
    assert "one of the three" in both
    (tmp_path / "people.csv").write_text(scores.read_text().replace("score,gold", "mark,score"))
    theirs = run("judges", scores, "--people", "people.csv", "--json").json
    assert theirs["items"] == 60
    (tmp_path / "people.csv").write_text(scores.read_text().replace("score", "zebra"))
    assert "people.csv is read as the judges are, and " in run("judges", scores, "--people", "people.csv").err


def test_votes_stand_beside_the_votes_of_people(run, tmp_path):
    rng, lines = np.random.default_rng(8), []
    for prompt in range(60):
        truth = rng.choice(["model_a", "tie", "model_b"])
        for judge in "abc":
            said = truth if rng.random() < 0.7 else "model_a"
            lines += [f"{prompt},x,y,{judge},{variant},{said},{truth}" for variant in "pq"]
    path = tmp_path / "votes.csv"
    path.write_text("prompt,model_a,model_b,judge,variant,winner,people\n" + "\n".join(lines) + "\n")
    options = ("--splits", "20", "--resamples", "100", "--human-label", "people", "--facet", "variant=variant")
    ran = run("judges", path, *options)
    assert (ran.code, ran.err) == (0, "")
    said = " ".join(ran.out.split())
    assert "of 60 labelled battles" in said
    assert "configuration battles right" in said
    assert run("judges", path, "--human", "a", "--json", "--splits", "20").json["unit"] == "battle"
    mixed = run("judges", path, *options, "--score", "winner", "--winner", "people")
    assert "--winner: for votes, and --score is for scores" in mixed.err


def test_a_column_of_people_beside_columns_of_judges_and_a_bar(run, tmp_path):
    rng = np.random.default_rng(4)
    gold = rng.integers(0, 2, 100)
    said = {
        f"judge_{name}": np.where(rng.random(100) < share, gold, 1 - gold) for name, share in (("a", 0.95), ("b", 0.6))
    }
    path = tmp_path / "judged.csv"
    pl.DataFrame({"item": range(100), **said, "human": gold}).write_csv(path)
    for option in ("--human", "--human-label"):
        ran = run("judges", path, option, "human", "--bar", "sensitivity=.7,specificity=.7", "--json")
        found = json.loads(ran.out)
        assert (ran.code, [one["judge"] for one in found["rates"]]) == (2, ["judge_a", "judge_b"])
        assert found["rates"][0]["right"]["value"] == pytest.approx(np.mean(said["judge_a"] == gold))
        assert found["sentence"].startswith(
            "By the bar of sensitivity 0.7 and specificity 0.7, judge_a is fit and judge_b is not"
        )
    assert run("judges", path).code == 1
    assert "expects numbers such as sensitivity=.9" in run("judges", path, "--human", "human", "--bar", "high").err
