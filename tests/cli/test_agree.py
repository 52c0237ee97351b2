from __future__ import annotations

import random

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
    ran = run("agree", path, "--human-winner", "person", "--each", "judge", "--seed", 1)
    said = " ".join(ran.out.split())
    assert (ran.code, ran.err) == (0, "")
    assert max(map(len, ran.out.splitlines())) <= 80
    assert "a all with ties 200 80% " in said
    assert "b all with ties 200 60% " in said
    assert "judges all without 160 75% " in said
    assert "a b all with ties 20.0 " in said
    assert "people = person" in said
    assert "not used" not in said


def test_single_cells_and_a_threshold(run, path):
    options = ["--human-winner", "person", "--each", "judge", "--each", "prompt_type", "--threshold", 0.6]
    found = run("agree", path, *options, "--json").json
    assert list(found["ties"]) == ["judges", "a, easy", "a, hard", "b, easy", "b, hard"]
    assert set(found["thresholds"].values()) == {0.6}
    assert set(found["ties"].values()) == {1.0}
    assert set(found["human_ties"].values()) == {0.0}


def test_people_among_the_judges(run, path):
    found = run("agree", path, "--human", "a", "--by", "prompt_type", "--json").json
    rates = {(one["category"], one["kind"]): one["value"] for one in found["rates"]}
    assert rates["all", "overall"] == pytest.approx(0.8)
    assert {"easy", "hard"} <= {category for category, _ in rates}


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("", "--human: name the judges who are people, or give --human-winner"),
        ("--human a --human-winner person", "--human: name the judges"),
        ("--human nobody", "nobody"),
        ("--human-winner nobody", 'no column "nobody"'),
        ("--human a --by colour", "colour"),
        ("--human a --level 2", "level: must lie between 0 and 1"),
    ],
)
def test_what_is_refused_in_one_line(run, path, words, says):
    ran = run("agree", path, *words.split())
    assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)
    assert says in ran.err
