"""`quorate run`, `status` and `interim` of a study with a goal: a line per look, what stopped it, and the exit code."""

from __future__ import annotations

import json

import pytest
import yaml
from goal_studies import SCORES, rows, scored, two_more

from quorate.collect.judge import Message, Request
from quorate.decide.goals.look import Ending


@pytest.fixture
def goal(tmp_path, monkeypatch):
    """A function that writes a study of recorded scores, whose looks cost nothing to compute."""

    def write(**options):
        for name, function in two_more(**options).items():
            monkeypatch.setattr(name, function)
        items = rows(12)
        (tmp_path / "items.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in items))
        judge, lines = scored(), ["item,system,prompt,judge,replicate,score"]
        for row in items:
            for name in "ab":
                cell = {"item": row["id"], "system": row["s"], "prompt": "score", "judge": name, "replicate": "1"}
                request = Request("k", (Message("user", ""),), {}, None, name, cell)
                lines.append(f"{','.join(cell.values())},{judge(request)}")
        (tmp_path / "scores.csv").write_text("\n".join(lines) + "\n")
        content = {
            "items": SCORES,
            "judges": {name: {"kind": "replay", "table": "scores.csv", "price": {"call": 0.01}} for name in "ab"},
            "prompts": ["score"],
            "goal": {"compare": ["x", "y"], "margin": 0.5},
            "looks": 3,
            "budget": {"money": 2},
        }
        (tmp_path / "study.yaml").write_text(yaml.safe_dump(content))
        return "study.yaml"

    return write


def flat(text):
    return " ".join(text.split())


def test_every_look_is_a_line_and_what_is_reached_is_0(run, goal, tmp_path):
    path = goal()
    quoted = run("run", path, "--quote")
    assert quoted.code == 0
    assert "8 cells to ask. The budget for all runs is 2.00 in money." in flat(quoted.out)
    assert "After that it buys what the goal needs, in at most 3 looks, and stops." in flat(quoted.out)
    assert "by components to assume: quorate run study.yaml --quote --components FILE" in flat(quoted.out)
    ran = run("run", path, "--yes")
    assert (ran.code, ran.err) == (0, "")
    lines = [line for line in ran.out.splitlines() if line.startswith("Round")]
    assert [line[:20] for line in lines] == [f"Round {number} of at most 3"[:20] for number in (1, 2, 3)]
    assert "8 more calls, 0.08 in money." in flat(ran.out)
    assert "the goal is reached." in flat(ran.out)
    assert ran.out.splitlines()[-1] == "The path to the goal: quorate status --interim study.yaml --report path.html"
    status = run("status", path)
    assert status.code == 0
    assert "24 of 24 cells are finished. Goal: round 3 of at most 3" in flat(status.out)
    assert len(json.loads(run("status", path, "--json").out)["looks"]) == 3
    assert run("status", "--interim", path, "--report", tmp_path / "path.md").code == 0
    page = " ".join((tmp_path / "path.md").read_text(encoding="utf-8").replace("|", " ").split())
    assert "looks 3" in page
    assert "(Lan and DeMets 1983; O'Brien and Fleming 1979)" in page.replace("\\", "")


@pytest.mark.slow
def test_as_json_there_are_looks_and_no_lines(run, goal):
    looks = json.loads(run("run", goal(), "--yes", "--json").out)["looks"]
    assert [look["number"] for look in looks] == [1, 2, 3]
    assert json.loads(run("status", "study.yaml", "--json").out)["looks"] == looks


@pytest.mark.slow
def test_what_is_not_reached_is_2(run, goal):
    ran = run("run", goal(ending=Ending.FUTILE), "--yes")
    assert (ran.code, ran.err) == (2, "")
    assert "the goal is not reached, and nothing more is asked for it" in flat(ran.out)
    assert "To go on, raise the budget in study.yaml." in ran.out
    assert run("status", "study.yaml").code == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("--components", "law.json", "--yes"),
            "--components, --effect, --tie-share, --icc, --studies: are for --quote",
        ),
        (("--effect", "0.2", "--quote"), "components: nothing is answered yet; assume some, such as"),
        (("--components", "none.json", "--quote"), "none.json: cannot be read"),
    ],
)
def test_what_does_not_go_together_is_refused(run, goal, words, said):
    ran = run("run", goal(), *words)
    assert ran.code == 1
    assert said in flat(ran.err)


def test_votes_to_assume_are_simulated(run, tmp_path):
    texts = {"prompt": "p", "response_a": "by x", "response_b": "by y"}
    lines = [json.dumps({"id": f"q{n}", "a": "x", "b": "y", **texts}) for n in range(300)]
    (tmp_path / "items.jsonl").write_text("\n".join(lines))
    content = {
        "items": {"file": "items.jsonl", "system_a": "a", "system_b": "b"},
        "judges": {"rule": {"kind": "python", "price": {"call": 0.01}}},
        "prompts": ["pairwise"],
        "goal": {"prefer": ["x", "y"], "margin": 0.15},
        "budget": {"money": 3},
    }
    (tmp_path / "votes.yaml").write_text(yaml.safe_dump(content))
    plain = run("run", "votes.yaml", "--quote")
    assert "What that comes to, by votes to assume: quorate run votes.yaml --quote --icc 0.5" in flat(plain.out)
    words = ("run", "votes.yaml", "--quote", "--tie-share", "0.1", "--effect", "0.2", "--studies", "2")
    assert "With 10% ties and a correlation of 0.5 between votes on one battle as assumed and a" in flat(
        run(*words).out
    )
    assert json.loads(run(*words, "--json").out)["goal"]["icc"] == 0.5
