"""`quorate init`: a study file that is valid as it is."""

from __future__ import annotations

import json

import pytest
import yaml

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
    ran = run("init", place)
    assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)


def test_the_schema(run):
    found = run("init", "--schema").json
    assert yaml.safe_load(yaml.safe_dump(found))["properties"].keys() >= {"items", "judges", "prompts", "budget"}
