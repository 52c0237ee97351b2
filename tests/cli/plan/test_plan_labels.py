from __future__ import annotations

import json

import numpy as np
import pytest

import quorate as q


@pytest.fixture(scope="module")
def scores(tmp_path_factory):
    """80 items with scores by a judge that is half a point too kind, and by a person."""
    rng = np.random.default_rng(4)
    truth = rng.normal(5, 1, 80)
    lines = [f"i{i},c{i % 2},llm,{truth[i] + 0.5 + rng.normal(0, 0.6):.3f}" for i in range(80)]
    lines += [f"i{i},c{i % 2},ann,{truth[i]:.3f}" for i in range(80)]
    path = tmp_path_factory.mktemp("labels") / "scores.csv"
    path.write_text("item,category,judge,score\n" + "\n".join(lines) + "\n")
    return path


def test_it_says_what_the_library_says(run, scores, tmp_path):
    page = tmp_path / "labels.md"
    words = ("plan", scores, "--human", "ann", "--human-price", 1, "--judge-price", "llm=0.02")
    ran = run(*words, "--half-width", 0.1, "--strata", "category", "--report", page)
    assert (ran.code, ran.err) == (0, "")
    prices = {"human": 1.0, "judge": {"llm": 0.02}}
    plan = q.agreement.plan_labels(
        q.read(scores, announce=False), "ann", prices=prices, half_width=0.1, strata="category"
    )
    said = " ".join(ran.out.split())
    assert said.startswith(plan.sentence)
    assert all(line in said for line in plan.says)
    assert f"c0 50% {plan.strata[0].labels}" in said
    assert plan.sentence in page.read_text()
    found = json.loads(run(*words, "--half-width", 0.1, "--strata", "category", "--json").out)
    assert found == json.loads(json.dumps(plan.to_dict()))


def test_what_is_refused_in_the_words_of_the_command(run, scores):
    words = ("plan", scores, "--human", "ann", "--human-price", 1)
    assert "--budget: exactly one of it, --half-width and --margin is needed" in run(*words, "--price", 1).err
    assert "one of call or judge" in run(*words, "--budget", 9).err
    assert "--margin: is between two systems; name them with --a" in run(*words, "--price", 1, "--margin", 1).err
