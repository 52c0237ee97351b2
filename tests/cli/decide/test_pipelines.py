from __future__ import annotations

import json
import random
from pathlib import Path

import pytest


@pytest.fixture
def path(tmp_path):
    """Four systems in 120 battles before three judges, of whom one is fond of the last, and a person."""
    draw = random.Random(3)
    lines = []
    for number in range(120):
        one, two = draw.sample(range(4), 2)
        gap = 0.5 * (two - one) + draw.gauss(0, 0.5)
        for judge, taste in (("a", 0.0), ("b", 0.1), ("c", 0.8), ("ann", 0.0)):
            seen = gap + taste * ((one == 3) - (two == 3)) + draw.gauss(0, 0.5)
            lines.append(f"s{one},s{two},p{number},{judge},{'model_a' if seen > 0 else 'model_b'}\n")
    out = tmp_path / "votes.csv"
    out.write_text("".join(["model_a,model_b,prompt,judge,winner\n", *lines]))
    return out


def test_leaderboards_with_both_error_bars(run, path):
    words = ["--human", "ann", "--by", "win rate", "--cell", "judge=a", "--resamples", 200]
    ran = run("rank", "--pipelines", path, *words, "--report", "page.html", "--charts", "charts")
    said = " ".join(ran.out.split())
    assert (ran.code, ran.err) == (0, "")
    assert said.startswith("Error bars that hold for other levels of judge like these are ")
    assert "system value naive se aware se times 95% interval" in said
    assert "Report: page.html" in said
    run("rank", "--pipelines", path, *words, "--report", "page.json")
    assert json.loads(Path("page.json").read_text())["provenance"]["seed"] == "1"
    found = run("rank", "--pipelines", path, *words, "--json").json
    assert (found["by"], found["cells"], found["resamples"]) == ("win rate", {"judges": 3}, 200)
    assert [one["kind"] for one in found["errors"]] == ["single", "average"]


def test_scores_without_people(run, tmp_path):
    draw = random.Random(4)
    rows = [
        f"i{i},s{s},j{j},{min(5, max(1, round(3 + 0.6 * s + draw.gauss(0, 1))))}\n"
        for i in range(60)
        for s in range(3)
        for j in range(2)
    ]
    (tmp_path / "scores.csv").write_text("".join(["item,system,judge,score\n", *rows]))
    found = run("rank", "--pipelines", "scores.csv", "--facet", "system=system", "--resamples", 100, "--json").json
    assert [one["system"] for one in found["errors"][1]["systems"]] == ["s2", "s1", "s0"]
    assert found["leaderboards"] is None


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("--ties davidson --by=win_rate", "is not one of"),
        ("--human nobody", '"nobody"'),
        ("--human ann --people votes.csv", "give one"),
        ("--cell judge", "--cell: expects a pair such as judge=gpt"),
        ("--cells colour", 'no facet "colour"'),
        ("--resamples 50", "resamples: a whole number of at least 100"),
    ],
)
def test_what_is_refused_in_one_line(run, path, words, says):
    ran = run("rank", "--pipelines", path, *words.split())
    assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)
    assert says in ran.err
