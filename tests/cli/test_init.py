from __future__ import annotations

import json
import sys
from types import SimpleNamespace

import pytest
import yaml

from quorate.collect.judge import Reply
from quorate.study.file import load


def test_the_study_is_valid_and_can_be_quoted(run, tmp_path):
    ran = run("init")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines() == [
        "Written: study.yaml, items.jsonl",
        "What it may cost: quorate run study.yaml --quote",
    ]
    assert load(tmp_path / "study.yaml").judges.keys() == {"local-model"}
    quoted = run("run", "study.yaml", "--quote")
    assert quoted.code == 0
    assert quoted.out.startswith("24 cells to ask")


def test_what_is_commented_out_is_valid_too(run, tmp_path):
    run("init", "s.yaml")
    path = tmp_path / "s.yaml"
    text = path.read_text()
    for wanted in ("system: system", "key_env:", "structured:", "price:", "concurrency:", "rate:", "order:", "money:"):
        assert f"# {wanted}" in text
        text = text.replace(f"# {wanted}", wanted)
    text = text.replace("# ledger:", "ledger:").replace("# own:", "own:")
    for line in ("small:", "  kind: local", "recorded:", "  kind: replay", "  table: scores.csv"):
        text = text.replace(f"  # {line}", f"  {line}")
    path.write_text(text)
    assert len(load(path).judges) == 3
    assert load(path).budget.money == 1.0


@pytest.mark.parametrize(
    ("recipe", "cells"), [("ailuminate", 36), ("arena", 24), ("goal", 12), ("mmlu", 30), ("people", 8)]
)
def test_designs_are_valid_and_can_be_quoted(run, tmp_path, recipe, cells):
    """Two items and three judges: two wordings at three temperatures or in both orders, one, five; or four and two."""
    assert run("init", "--recipe", recipe).code == 0
    assert len(load(tmp_path / "study.yaml").judges) == (2 if recipe == "people" else 3)
    quoted = run("run", "study.yaml", "--quote")
    assert (quoted.code, quoted.err) == (0, "")
    assert quoted.out.startswith(f"{cells} cells to ask")
    assert ("buys what the goal needs" in quoted.out) == (recipe == "goal")


def test_nothing_is_overwritten(run, tmp_path):
    (tmp_path / "items.jsonl").write_text("mine")
    ran = run("init", "new.yaml")
    assert (ran.code, ran.err.count("\n")) == (1, 1)
    assert "items.jsonl is there already" in ran.err
    assert (tmp_path / "items.jsonl").read_text() == "mine"
    assert not (tmp_path / "new.yaml").exists()


PROMPTS = ["editor.j2", "exam.j2", "plain.j2"]
FILES = sorted([*PROMPTS, "README.md", "items.jsonl", "replay.yaml", "scores.csv", "server.csv", "study.yaml"])


def test_the_example_is_written_into_a_folder(run, tmp_path):
    ran = run("init", "--example")
    assert (ran.code, ran.err) == (0, "")
    assert "quorate run smollm2/study.yaml --quote" in ran.out
    assert sorted(path.name for path in (tmp_path / "smollm2").iterdir()) == FILES
    assert sum(path.stat().st_size for path in (tmp_path / "smollm2").iterdir()) < 300_000
    for name in ("study.yaml", "replay.yaml"):
        quoted = run("run", f"smollm2/{name}", "--quote")
        assert (quoted.code, quoted.out.startswith("648 cells to ask")) == (0, True)
    again = run("init", "--example")
    assert (again.code, again.err.count("\n")) == (1, 1)
    assert "smollm2 is there already" in again.err
    assert run("init", "elsewhere", "--example").code == 0
    assert (tmp_path / "elsewhere" / "scores.csv").is_file()


def test_the_example_asks_what_was_recorded(run, tmp_path):
    run("init", "--example")
    study, replay = (
        yaml.safe_load((tmp_path / "smollm2" / f"{name}.yaml").read_text()) for name in ("study", "replay")
    )
    assert {**study, "judges": replay["judges"]} == replay
    assert replay["judges"].keys() == study["judges"].keys()
    rows = [json.loads(line) for line in (tmp_path / "smollm2" / "items.jsonl").read_text().splitlines()]
    assert len({row["id"] for row in rows}) == len({row["response"] for row in rows}) == 36
    cells = {
        f"{row['id']},{row['category']},{prompt},smollm2,{heat},{replicate}"
        for row in rows
        for prompt in study["prompts"]
        for heat in study["temperatures"]
        for replicate in (1, 2, 3)
    }
    for name in ("scores", "server"):
        recorded = (tmp_path / "smollm2" / f"{name}.csv").read_text().splitlines()[1:]
        assert {line.rsplit(",", 2)[0] for line in recorded} == cells
        assert len(recorded) == 648


def test_the_settings_of_a_server_in_the_comment_are_valid(run, tmp_path):
    run("init", "--example")
    path = tmp_path / "smollm2" / "study.yaml"
    text = path.read_text()
    own, server = text.index("  smollm2:\n"), text.index("  # smollm2:\n")
    comment = text[server : text.index("prompts:")].replace("  # ", "  ")
    path.write_text(text[:own] + comment + text[text.index("prompts:") :])
    assert load(path).judges["smollm2"].structured == "grammar"


@pytest.mark.parametrize("place", ["none/study.yaml", "items.jsonl"])
def test_a_place_that_cannot_be_is_one_line(run, place):
    run("init", place).refused()


def test_the_schema(run):
    found = run("init", "--schema").json
    assert yaml.safe_load(yaml.safe_dump(found))["properties"].keys() >= {"items", "judges", "prompts", "budget"}


NEW = "How clear is it, [[low]] to [[high]]?"
STUDY = """\
items: items.jsonl
judges:
  m: {{kind: endpoint, base_url: "http://127.0.0.1:1/v1", model: m}}
  {more}
prompts:
  own: {{file: own.j2, scale: [1, 5]}}
budget: {{calls: 12}}
"""


@pytest.fixture
def study(tmp_path):
    """A function that writes a study with a prompt of its own."""

    def write(more=""):
        (tmp_path / "items.jsonl").write_text(json.dumps({"id": "q1", "prompt": "p", "response": "r"}) + "\n")
        (tmp_path / "own.j2").write_text("Say how clear it is, {{ low }} to {{ high }}.\n\n{{ response }}\n")
        (tmp_path / "study.yaml").write_text(STUDY.format(more=more))
        return "study.yaml"

    return write


@pytest.fixture
def says(monkeypatch):
    """A function that sets what the endpoint replies, in turn, and gives what it was asked."""

    def replies(*texts):
        asked = []

        async def ask(_, request):
            asked.append(request)
            text = texts[min(len(asked), len(texts)) - 1]
            return Reply("unparsed", text=f"<part1>{text}</part1>")

        monkeypatch.setattr("quorate.collect.judges.remote.EndpointJudge.ask", ask)
        return asked

    return replies


def test_drafts_are_written(run, study, says, tmp_path):
    says(NEW, "Can one follow it? From [[low]] to [[high]].")
    ran = run("init", "--variants", study(), "-n", 2, "--yes")
    assert (ran.code, ran.err) == (0, "")
    lines = ran.said
    assert '8 words of the prompt "own" to be worded anew 2 times by m; the rest stays.' in lines
    assert "Calls 2 / 2 / 10," in lines
    assert "money unknown" in lines
    assert "At most what the budget has left: 12 calls. Every call counts in the ledger." in lines
    assert "  prompts/own-1.j2\n  prompts/own-2.j2\n" in ran.out
    assert "Spent: 2 calls, 2 of them of unknown price; 0.0000 in money." in ran.out
    assert ran.out.endswith(
        "prompts:\n"
        "  own: {file: own.j2, scale: [1, 5]}\n"
        "  own-1: {file: prompts/own-1.j2, scale: [1, 5]}\n"
        "  own-2: {file: prompts/own-2.j2, scale: [1, 5]}\n"
    )
    assert "How clear is it, {{ low }} to {{ high }}?" in (tmp_path / "prompts" / "own-1.j2").read_text()


def test_status_has_the_calls(run, study, says):
    says(NEW)
    run("init", "--variants", study(), "-n", 1, "--yes")
    said = run("status", "study.yaml")
    assert (said.code, said.err) == (2, "")
    lines = said.said
    assert lines.startswith("Nothing is planned yet: the first run does that. Spent: 1 of 12 calls, ")
    assert lines.endswith("1 of the calls for drafts of prompts.")
    assert run("status", "study.yaml", "--json").json["aside"] == 1
    again = run("init", "--variants", "study.yaml", "-n", 1, "--yes", "--force")
    assert "At most what the budget has left: 11 calls." in again.said


def test_fewer_than_wanted_is_2(run, study, says):
    says(NEW)
    ran = run("init", "--variants", study(), "-n", 2, "--yes", "--out", "other")
    assert (ran.code, ran.err) == (2, "")
    assert "1 of 2 drafts could be used; the last one could not: it hardly differs" in ran.said
    assert "{file: other/own-1.j2" in ran.out


def test_none_is_1_in_one_line_and_nothing_is_written(run, study, says, tmp_path):
    says("{{ x }}")
    ran = run("init", "--variants", study(), "-n", 2, "--yes")
    assert (ran.code, ran.err.count("\n")) == (1, 1)
    assert ran.err.startswith('quorate: judge "m": gave no usable draft in 10 calls; the last one: it has braces')
    assert not (tmp_path / "prompts").exists()


def test_files_are_only_overwritten_by_force(run, study, says, tmp_path):
    asked = says(NEW)
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "own-1.j2").write_text("mine")
    ran = run("init", "--variants", study(), "-n", 1, "--yes")
    assert (ran.code, ran.out, ran.err.count("\n"), asked) == (1, "", 1, [])
    assert "own-1.j2 is there already" in ran.err
    assert "--force" in ran.err
    assert run("init", "--variants", "study.yaml", "-n", 1, "--yes", "--force").code == 0
    assert (tmp_path / "prompts" / "own-1.j2").read_text() != "mine"


def test_nothing_is_asked_without_a_yes(run, study, says, monkeypatch, tmp_path):
    asked = says(NEW)
    ran = run("init", "--variants", study(), "-n", 1)
    assert (ran.code, ran.err.count("\n")) == (1, 1)
    assert ran.err.startswith("quorate: --yes: nobody is here to say yes")
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr("typer.confirm", lambda *_, **__: False)
    assert run("init", "--variants", "study.yaml", "-n", 1).code == 2
    assert asked == []
    assert not (tmp_path / "prompts").exists()
    monkeypatch.setattr("typer.confirm", lambda *_, **__: True)
    ran = run("init", "--variants", "study.yaml", "-n", 1)
    assert ran.code == 0
    assert "m is asked at 127.0.0.1:1, with no key." in ran.out


def test_json(run, study, says):
    says(NEW)
    assert run("init", "--variants", study(), "--json").err.startswith("quorate: --json: cannot ask you")
    found = run("init", "--variants", "study.yaml", "-n", 1, "--json", "--yes").json
    assert found["files"] == {"own-1": "prompts/own-1.j2"}
    assert (found["prompt"], found["judge"], found["original"], found["shortfall"]) == ("own", "m", None, "")
    assert (found["spend"]["calls"], found["spend"]["unpriced"]) == (1, 1)


@pytest.mark.parametrize(
    ("more", "options", "said"),
    [
        ("old: {kind: replay, table: t.csv}", ["--judge", "old"], 'judge "old": replays recorded scores'),
        ("rule: {kind: python}", ["--judge", "rule"], 'judge "rule": is a function'),
        ("rule: {kind: python}", [], "--judge: the study has m, rule; name one of them"),
        ("", ["--prompt", "none"], '--prompt: the study has no prompt "none"'),
        ("", ["-n", "50"], "n: must be a whole number from 1 to 20, got 50"),
        ("", ["--temperature", "-1"], "--temperature: must be from 0 to 2"),
        ("", ["--out", "own.j2"], "--out: own.j2/own-1.j2 cannot be written"),
    ],
)
def test_what_cannot_be_done_is_one_line(run, study, more, options, said):
    assert run("init", "--variants", study(more), "--yes", *options).refused().startswith(f"quorate: {said}")
