from __future__ import annotations

import json

import numpy as np
import pytest

import quorate as q


@pytest.fixture(scope="module")
def scores(tmp_path_factory):
    """200 items with scores by a judge that is half a point too kind; two people scored 40 of them."""
    rng = np.random.default_rng(4)
    truth = rng.normal(5, 1, 200)
    lines = [f"i{i},llm,{truth[i] + 0.5 + rng.normal(0, 0.4):.3f}" for i in range(200)]
    lines += [f"i{i},{'ann' if i % 2 else 'bob'},{truth[i]:.3f}" for i in range(40)]
    path = tmp_path_factory.mktemp("corrected") / "scores.csv"
    path.write_text("item,judge,score\n" + "\n".join(lines) + "\n")
    return path


def test_what_people_would_find(run, scores, tmp_path):
    page = tmp_path / "corrected.md"
    ran = run("compare", scores, "--human", "ann", "--human", "bob", "--cluster", "none", "--report", page)
    said = " ".join(ran.out.split())
    assert (ran.code, ran.err) == (0, "")
    expected = q.agreement.corrected(q.read(scores, announce=False), ["ann", "bob"], cluster=())
    assert said.startswith(expected.sentence)
    assert "labels alone" in said
    assert "were chosen at random" in said or "at random" in said
    assert expected.sentence in page.read_text()
    found = json.loads(run("compare", scores, "--human", "ann", "--human", "bob", "--level", "0.9", "--json").out)
    assert (found["level"], found["cluster"]) == (0.9, ["judge"])


def test_people_in_a_file_of_their_own_and_what_is_refused(run, scores, tmp_path):
    lines = scores.read_text().splitlines()
    judges, people = tmp_path / "judges.csv", tmp_path / "people.csv"
    judges.write_text("\n".join([lines[0], *(one for one in lines if ",llm," in one)]) + "\n")
    people.write_text("\n".join([lines[0], *(one for one in lines if ",ann," in one or ",bob," in one)]) + "\n")
    apart = run("compare", judges, "--people", people, "--cluster", "none").out.split("Columns")[0]
    together = run("compare", scores, "--human", "ann", "--human", "bob", "--cluster", "none").out.split("Columns")[0]
    assert apart == together
    people.write_text(people.read_text().replace("score", "zebra"))
    refused = run("compare", judges, "--people", people).err
    assert "zebra taken for the score, the only column of marks" in refused
    assert "a, b: a difference of scores is of two systems" in run("compare", scores, "x", "--human", "ann").err


def test_a_column_of_labels_is_what_their_own_file_says(run, tmp_path):
    """A wide table: every judge's vote with the label of its battle beside it, on a part of the battles."""
    rng = np.random.default_rng(5)
    battles = [(i, *("xyz"[k] for k in rng.choice(3, 2, replace=False)), rng.random() < 0.5) for i in range(240)]
    lines, people = [], []
    for i, a, b, first in battles:
        said = "" if i % 3 else (a if first else b)
        people += [f"{i},{a},{b},ann,{said}"] if said else []
        for judge in ("i", "j"):
            vote = a if first ^ (rng.random() < 0.3) else b
            lines.append(f"{i},{a},{b},{judge},{vote},{said}")
    wide, own, alone = (tmp_path / name for name in ("wide.csv", "people.csv", "judges.csv"))
    wide.write_text("\n".join(["prompt,model_a,model_b,judge,winner,label", *lines]))
    alone.write_text("\n".join(["prompt,model_a,model_b,judge,winner", *(one.rpartition(",")[0] for one in lines)]))
    own.write_text("\n".join(["prompt,model_a,model_b,judge,winner", *people]))
    prices = ("--human-price", 1, "--price", 0.01, "--budget", 90)
    for words in (("compare", "x"), ("rank",), ("plan", "--a", "x", *prices)):
        command, *rest = words
        label = run(command, wide, *rest, "--human-label", "label", "--cluster", "prompt", "--json").json
        people_file = run(command, alone, *rest, "--people", own, "--cluster", "prompt", "--json").json
        assert label == people_file
