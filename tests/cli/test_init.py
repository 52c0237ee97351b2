"""`quorate init`: a study file that is valid as it is."""

from __future__ import annotations

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


def test_nothing_is_overwritten(run, tmp_path):
    (tmp_path / "items.jsonl").write_text("mine")
    ran = run("init", "new.yaml")
    assert (ran.code, ran.err.count("\n")) == (1, 1)
    assert "items.jsonl is there already" in ran.err
    assert (tmp_path / "items.jsonl").read_text() == "mine"
    assert not (tmp_path / "new.yaml").exists()


@pytest.mark.parametrize("place", ["none/study.yaml", "items.jsonl"])
def test_a_place_that_cannot_be_is_one_line(run, place):
    ran = run("init", place)
    assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)


def test_the_schema(run):
    found = run("init", "--schema").json
    assert yaml.safe_load(yaml.safe_dump(found))["properties"].keys() >= {"items", "judges", "prompts", "budget"}
