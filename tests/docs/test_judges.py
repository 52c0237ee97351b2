"""The recipes for endpoints: each is a part of a study file as it stands."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import yaml

from quorate.study.file import load
from quorate.study.judges import check, made
from quorate.study.questions import questions

PAGE = Path(__file__).parent.parent.parent / "docs" / "how-to" / "judges.md"
TEXT = PAGE.read_text(encoding="utf-8")
RECIPES = re.findall(r"^```yaml\n(judges:\n.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
REST = {"items": "items.jsonl", "prompts": ["score", "score-reasoned"], "budget": {"calls": 10}}


def name_of(recipe):
    return urlsplit(next(iter(yaml.safe_load(recipe)["judges"].values()))["base_url"]).netloc


@pytest.fixture
def study(tmp_path):
    """A function that writes a study with the judges of a recipe."""

    def write(recipe):
        row = {"id": "q1", "prompt": "p", "response": "r"}
        (tmp_path / "items.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
        path = tmp_path / "study.yaml"
        path.write_text(f"{recipe}\n{yaml.safe_dump(REST)}", encoding="utf-8")
        return load(path)

    return write


def test_every_endpoint_of_the_table_has_a_recipe():
    rows = re.findall(r"^\| (\w[\w.]+) \| `(http[^`]+)`", TEXT, re.MULTILINE)
    assert len(rows) == 5
    given = " ".join(RECIPES).replace("127.0.0.1", "HOST").replace("my-resource", "RESOURCE")
    for name, url in rows:
        assert f"### {name}\n" in TEXT
        assert f"base_url: {url}\n" in given


@pytest.mark.parametrize("recipe", RECIPES, ids=name_of)
def test_a_recipe_is_a_study(study, recipe, monkeypatch):
    found = study(recipe)
    check(found)
    for judge in found.judges.values():
        if judge.key_env:
            monkeypatch.setenv(judge.key_env, "a-key")
    assert made(found).keys() == found.judges.keys()
    assert len(list(questions(found).messages())) == 2


@pytest.mark.parametrize("recipe", RECIPES, ids=name_of)
def test_what_is_commented_out_in_a_recipe_is_valid_too(study, recipe):
    check(study(re.sub(r"^( +)# (\w+: )", r"\1\2", recipe, flags=re.MULTILINE)))


@pytest.mark.parametrize("recipe", RECIPES, ids=name_of)
def test_every_recipe_bounds_the_reply(recipe):
    for judge in yaml.safe_load(recipe)["judges"].values():
        assert {"max_tokens", "max_completion_tokens"} & judge["params"].keys()
