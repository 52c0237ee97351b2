from __future__ import annotations

import numpy as np
import pytest


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """Three systems, four types of prompts: x beats y clearly, y and z are nearly tied."""
    rng = np.random.default_rng(6)
    share = {("x", "y"): 0.7, ("y", "z"): 0.51, ("x", "z"): 0.72}
    lines = [
        f"{a},{b},{'model_a' if rng.random() < p else 'model_b'},p{i // 2},t{i % 4},j{i % 25}"
        for (a, b), p in share.items()
        for i in range(600)
    ]
    out = tmp_path_factory.mktemp("votes") / "votes.csv"
    out.write_text("model_a,model_b,winner,prompt,prompt_type,judge\n" + "\n".join(lines) + "\n")
    return out


def test_all_pairs(run, path):
    ran = run("votes", "analyze", path)
    said = " ".join(ran.out.split())
    assert (ran.code, ran.err) == (0, "")
    assert max(map(len, ran.out.splitlines())) <= 80
    assert "pairs that so many votes each would decide" in said.lower()
    assert "1 of 3 pairs (33.3%" in said
    assert "by pairs 10% 50% 90% 99% prompt 3" in said
    assert "Columns: model_a = model_a" in said


def test_all_pairs_as_json(run, path):
    found = run("votes", "analyze", path, "--json", "--cluster", "judge").json
    assert len(found["power"]) == 3
    assert [one["by"] for one in found["dependence"]] == ["judge"]
    assert found["near_ties"]["count"] == 1


def test_a_report_on_all_pairs(run, path, tmp_path):
    page = tmp_path / "votes.html"
    ran = run("votes", "analyze", path, "--report", page)
    assert (ran.code, ran.err) == (0, "")
    assert "Report:" in ran.out
    assert page.read_text(encoding="utf-8").count("data-chart=") == 3
    text = tmp_path / "votes.md"
    assert run("votes", "analyze", path, "--json", "--report", text).json["near_ties"]["count"] == 1
    assert "## Data health" in text.read_text(encoding="utf-8")
    assert "- command: quorate votes analyze" in text.read_text(encoding="utf-8")


def test_the_verdict_on_two(run, path):
    ran = run("votes", "analyze", path, "--a", "x", "--b", "y", "--cluster", "prompt")
    assert ran.code == 0
    assert ran.out.startswith("x is better than y: x wins ")
    assert run("votes", "analyze", path, "--a", "y", "--b", "x").code == 2
    open_ = run("votes", "analyze", path, "--a", "y", "--b", "z", "--price", 0.5)
    assert open_.code == 2
    said = " ".join(open_.out.split())
    assert said.startswith("Undecided whether y or z is preferred")
    assert "no sign that they are alike" in said
    assert "taken as independent" in said


def test_what_is_claimed_decides_the_exit_code(run, path):
    words = ["--a", "y", "--b", "z", "--margin", 0.15]
    assert run("votes", "analyze", path, *words, "--claim", "equivalent").code == 0
    assert run("votes", "analyze", path, *words, "--claim", "better").code == 2
    assert run("votes", "analyze", path, *words, "--json").json["outcome"] == "equivalent"


def test_smaller_studies_of_the_same_votes(run, path):
    ran = run("votes", "replay", path, "--budgets", "50,200")
    said = " ".join(ran.out.split())
    assert ran.code == 0
    assert "50 independent" in said
    assert "200 prompt" in said
    assert all(one["wrong"] <= 0.1 for one in run("votes", "replay", path, "--budgets", "200", "--json").json)


def test_types_of_prompts_first(run, path):
    words = ["votes", "replay", path, "--a", "x", "--b", "y", "--budgets", "200,300"]
    assert "How often each way to spend the votes finds the difference" in run(*words).out
    assert len(run(*words, "--json").json["power"]["proportional"]) == 2


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("analyze --a x", "--a, --b: give both systems, or neither"),
        ("analyze --a x --b q", 'no term "q"'),
        ("analyze --a x --b y --claim equivalent", "margin"),
        ("analyze --a x --b y --cluster colour", 'no term "colour"'),
        ("analyze --minimum 100000", "100,000"),
        ("replay --budgets none", "--budgets: expects numbers such as"),
        ("replay --cluster colour", 'no term "colour"'),
        ("replay --a x --b y --budgets 50", "budget"),
        ("analyze --a x --b y --report votes.html", "--report: is on all pairs; leave out --a and --b"),
        ("analyze --report votes.txt", "--report: must end in .html or .md"),
        ("analyze --within colour", 'no term "colour"'),
    ],
)
def test_what_is_refused_in_one_line(run, path, words, says):
    command, *rest = words.split()
    ran = run("votes", command, path, *rest)
    assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)
    assert says in ran.err
