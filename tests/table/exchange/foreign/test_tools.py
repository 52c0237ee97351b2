"""Every format of another tool: listed once, told from plain tables, and named in the docs."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path

import pytest

from quorate.table.exchange import foreign
from quorate.table.exchange.format import Format
from quorate.table.exchange.glance import Glance
from quorate.table.files import TOOLS

FOLDER = Path(foreign.__file__).parent


def readers() -> dict[str, Format]:
    """The formats of all modules of the folder, by their names."""
    paths = [path.relative_to(FOLDER).with_suffix("").parts for path in FOLDER.rglob("[a-z]*.py")]
    modules = [import_module(".".join((foreign.__name__, *parts))) for parts in paths]
    return {module.FORMAT.name: module.FORMAT for module in modules if hasattr(module, "FORMAT")}


def test_each_has_a_name_of_its_own_and_is_marked_as_a_tool():
    assert len({form.name for form in TOOLS}) == len(TOOLS)
    assert {form.name for form in TOOLS} == readers().keys()
    assert all(form.tool and not form.suffixes for form in (*TOOLS, *readers().values()))


@pytest.fixture(scope="module")
def samples(shared) -> list[Glance]:
    """Every sample of a format, looked at once."""
    return [Glance(path) for path in (shared / "data" / "formats").rglob("*")]


def test_the_words_of_a_tool_stand_in_everything_that_its_reader_claims(samples):
    named, claimed = {form.name: form for form in TOOLS}, []
    for name, reader in readers().items():
        own = [glance.path for glance in samples if reader.claims(glance)]
        assert own == [glance.path for glance in samples if named[name].claims(glance)]
        claimed += [name] * bool(own)
    assert len(claimed) >= 15


@pytest.mark.parametrize("form", TOOLS, ids=lambda form: form.name)
def test_plain_tables_are_not_claimed(form, tmp_path):
    plain = {
        "scores.csv": "item,judge,score\na,x,1\n",
        "votes.csv": "model_a,model_b,winner,judge\nx,y,model_a,j\n",
        "scores.jsonl": json.dumps({"item": "a", "judge": "x", "score": 1}),
        "votes.jsonl": json.dumps({"model_a": "x", "model_b": "y", "winner": "x", "prompt": "p"}),
        "votes.json": json.dumps([{"model_a": "x", "model_b": "y", "winner": "x", "judge": "j", "prompt": "p"}]),
        "list.json": json.dumps([{"item": "a", "score": 1}]),
        "object.json": json.dumps({"items": [1, 2], "results": []}),
        "empty": "",
    }
    for name, text in plain.items():
        (tmp_path / name).write_text(text)
        assert not form.claims(Glance(tmp_path / name)), name
    assert not form.claims(Glance(tmp_path))
    assert not form.claims(Glance(tmp_path / "absent"))


def test_every_sample_is_claimed_by_one_format_at_most(samples):
    files = [glance for glance in samples if glance.path.is_file()]
    claims = {glance.path: [form.name for form in TOOLS if form.claims(glance)] for glance in files}
    assert not {path.name: names for path, names in claims.items() if len(names) > 1}


def test_the_docs_name_every_format():
    text = (Path(__file__).parents[4] / "docs" / "data.md").read_text(encoding="utf-8")
    assert not [form.name for form in TOOLS if f"`{form.name}`" not in text]
