from __future__ import annotations

import json
import random
from pathlib import Path

import pytest


@pytest.fixture
def path(tmp_path):
    """200 battles: judge a says what people say of 8 in 10, judge b of 6; half of the battles are hard."""
    draw = random.Random(1)
    lines = []
    for number in range(200):
        person = draw.choice(["model_a", "model_b"])
        other = "model_b" if person == "model_a" else "model_a"
        for judge, agrees in (("a", 8), ("b", 6)):
            said = person if number % 10 < agrees else other
            lines.append(f"x,y,p{number},{'hard' if number % 2 else 'easy'},{judge},{said},{person}\n")
    out = tmp_path / "votes.csv"
    out.write_text("".join(["model_a,model_b,prompt,prompt_type,judge,winner,person\n", *lines]))
    return out


def test_agreement_by_a_column_of_people(run, path):
    ran = run("judges", "--agree", path, "--human-label", "person", "--each", "judge", "--seed", 1)
    said = " ".join(ran.out.split())
    assert (ran.code, ran.err) == (0, "")
    assert "a with ties 200 80" in said
    assert "b with ties 200 60" in said
    assert "judges without 160 75" in said
    assert "people = person" in said
    assert "not used" not in said


def test_single_cells_and_a_threshold(run, path):
    options = ["--human-label", "person", "--each", "judge", "--each", "prompt_type", "--threshold", 0.6]
    found = run("judges", "--agree", path, *options, "--json").json
    assert list(found["ties"]) == ["judges", "a, easy", "a, hard", "b, easy", "b, hard"]
    assert set(found["thresholds"].values()) == {0.6}
    assert set(found["ties"].values()) == {1.0}
    assert set(found["human_ties"].values()) == {0.0}


def test_people_among_the_judges(run, path):
    found = run("judges", "--agree", path, "--human", "a", "--by", "prompt_type", "--json").json
    rates = {(one["category"], one["kind"]): one["value"] for one in found["rates"]}
    assert rates["all", "overall"] == pytest.approx(0.8)
    assert {"easy", "hard"} <= {category for category, _ in rates}


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("", "--human: name the judges who are people, or give --human-label"),
        ("--human a --human-label person", "--human: people are judges, a column (--human-label) or a file"),
        ("--human a --people votes.csv", "give one"),
        ("--human a --cells colour", 'no facet "colour"'),
        ("--human a --position", "which response was shown first is not known; read them with --role order=COLUMN"),
        ("--human a --cluster colour", 'no role "colour"'),
        ("--human a --report page.txt", "page.txt"),
        ("--human nobody", "nobody"),
        ("--human-label nobody", 'no column "nobody"'),
        ("--human a --by colour", "colour"),
        ("--human a --level 2", "level: must lie between 0 and 1"),
    ],
)
def test_what_is_refused_in_one_line(run, path, words, says):
    ran = run("judges", "--agree", path, *words.split())
    assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)
    assert says in ran.err


@pytest.fixture
def both_orders(tmp_path):
    """50 prompts of two pairs of systems each, before two judges in both orders; judge b takes what is first."""
    draw = random.Random(2)
    lines = []
    for number in range(50):
        for other in ("y", "z"):
            person = draw.choice(["model_a", "model_b"])
            for judge in ("a", "b"):
                for swapped in ("false", "true"):
                    first = "model_b" if swapped == "true" else "model_a"
                    said = person if judge == "a" or number % 2 else first
                    lines.append(f"x,{other},p{number},{judge},v{number % 2},{swapped},{said},{person}\n")
    out = tmp_path / "orders.csv"
    out.write_text("".join(["model_a,model_b,prompt,judge,wording,swapped,winner,person\n", *lines]))
    return out


def test_cells_position_and_a_report(run, both_orders):
    words = ["--human-label", "person", "--each", "judge", "--cells", "judge,wording", "--position"]
    ran = run(
        "judges", "--agree", both_orders, *words, "--facet", "wording=wording", "--report", "page.md", "--seed", 1
    )
    said = " ".join(ran.out.split())
    assert (ran.code, ran.err) == (0, "")
    assert "of 100 battles in 50 clusters by prompt as people do" in said
    assert "b, v0 100 50" in said
    assert "b 100 75" in said  # b takes the first of every other prompt
    assert "Report: page.md" in said
    assert "## Single judgments, cell by cell" in Path("page.md").read_text(encoding="utf-8")
    run("judges", "--agree", both_orders, *words, "--facet", "wording=wording", "--report", "page.json", "--seed", 3)
    assert json.loads(Path("page.json").read_text(encoding="utf-8"))["provenance"]["seed"] == "3"


def test_clusters_and_what_else_is_in_the_json(run, both_orders):
    words = ["--human-label", "person", "--facet", "wording=wording", "--cells", "judge,order", "--json"]
    found = run("judges", "--agree", both_orders, *words, "--cluster", "wording").json
    assert (found["cluster"], found["rates"][0]["clusters"]) == ("wording", 2)
    assert [one["code"] for one in found["caveats"]] == ["few-clusters"]
    assert len(found["cells"]["cells"]) == 4
    assert "positions" not in found


def test_scores_beside_a_file_of_people(run, tmp_path):
    """Scores from 1 to 5 of both responses; people vote."""
    scores, votes = ["item,system,judge,score\n"], ["model_a,model_b,prompt,winner\n"]
    for number in range(30):
        better = "xy"[number % 2]
        scores += [f"p{number},{s},{j},{4 if s == better else 3 - j}\n" for s in "xy" for j in (0, 2)]
        votes.append(f"x,y,p{number},{better if number % 5 else 'tie'}\n")
    (tmp_path / "scores.csv").write_text("".join(scores))
    (tmp_path / "people.csv").write_text("".join(votes))
    words = ["scores.csv", "--people", "people.csv", "--threshold", 0.5]
    found = run("judges", "--agree", *words, "--json").json
    assert found["rates"][0]["value"] == pytest.approx(0.8)
    assert run("judges", "--agree", *words).code == 0
    ran = run("judges", "--agree", *words, "--cells", "judge")
    assert (ran.code, ran.err) == (1, "quorate: --cells: for votes, and this file has scores; leave it out\n")
    ran = run("judges", "--agree", "scores.csv", "--people", "people.csv")
    assert (ran.code, ran.err.count("--threshold 0.5 to keep it")) == (1, 1)


def test_people_in_a_file_of_their_own_beside_votes(run, path):
    found = run("judges", "--agree", path, "--people", path, "--human-label", "person", "--json").json
    assert (
        found["rates"][0]["value"]
        == run("judges", "--agree", path, "--human-label", "person", "--json").json["rates"][0]["value"]
    )
