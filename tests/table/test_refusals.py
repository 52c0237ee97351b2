"""Every refusal of reading names the option that would have worked, or is one for which no option can help."""

from __future__ import annotations

import ast
import inspect
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import quorate as q
from quorate.errors import QuorateError

FOLDER = Path(q.__file__).parent / "table"
READING = ("read.py", "read_scores.py", "read_votes.py", "files.py", "results.py")
"""Modules beside the folders `columns`, `collapse` and `exchange` that raise while a source is read."""
ERRORS = ("InvalidData", "InvalidInput", "UnknownColumn", "NotNumbers")
OPTIONS = {*inspect.signature(q.read).parameters, "covariates"} - {"source", "announce", "recognise"}

NO_OPTION = {
    "the file is damaged, cut off or empty: it must be copied or written again": """
        exchange/csv_text:open_csv exchange/csv_text:columns_by exchange/csv_text:_in_memory
        exchange/csv_text:open_sheets files:_unpacked exchange/json_lines:open_json exchange/format:head
        exchange/foreign/records:document exchange/ledger:_reading exchange/ledger:_columns_on files:explained
        files:open""",
    "columns that are no table of judgments, which the names given say": """
        exchange/variables:variables exchange/variables:values_of exchange/rows:of_frame exchange/rows:_in_order""",
    "a cell of a list or a count cannot be read, which the column that is named says": """
        exchange/wide:_entries exchange/wide:repeated""",
    "there is no row, no score or no vote in it": """
        collapse/grouped:judgments read_votes:_votes read_votes:_kept
        exchange/foreign/every_eval_ever:read_samples exchange/ledger:columns""",
    "it holds averages, or scores of all documents together": """
        exchange/foreign/every_eval_ever:read_samples exchange/foreign/lm_eval:_files
        exchange/foreign/promptfoo:read_outputs""",
    "two columns, files, runs or labels have one name, and nothing in them tells which is which": """
        exchange/csv_text:columns_by results:wrapped""",
    "it is no table of judgments at all": """
        exchange/parquet:open_parquet exchange/format:refuse_matrix exchange/json_lines:_of_object
        exchange/ledger:_check_ledger files:_by_name files:_format_in results:wrapped""",
    "nothing is there, or it may not be opened": """
        files:located files:explained files:_require files:_tables files:_together
        exchange/foreign/together:as_levels exchange/ledger:columns exchange/ledger:check_room""",
    "the address of a ledger on Postgres, or the way to it": """
        exchange/postgres/address:_address exchange/postgres/address:place_of exchange/postgres/session:__init__
        exchange/postgres/session:_connect exchange/postgres/session:_connected""",
    "something must be installed": "results:frame",
    "the message begins with the argument that was given": """
        columns/vote_roles:_known_roles columns/vote_roles:_of_rankings columns/vote_columns:in_pairs
        columns/vote_columns:_refuse read:kind_of""",
    "the other function reads it": "columns/vote_columns:as_votes",
    "a message that is passed on": "files:_or_plain",
}
"""Functions whose refusals name no option, by the reason why none can help."""


def refusals() -> Iterator[tuple[str, bool]]:
    """The function of every refusal of reading, and whether what it says names an option."""
    folders = (path for name in ("columns", "collapse", "exchange") for path in sorted((FOLDER / name).rglob("*.py")))
    for path in (*(FOLDER / name for name in READING), *folders):
        text = path.read_text()
        if not any(f"{error}(" in text for error in ERRORS):
            continue
        functions = [one for one in ast.walk(ast.parse(text)) if isinstance(one, ast.FunctionDef)]
        naming = {"argument", *(one.name for one in functions if "argument" in _called(one))}
        for function in functions:
            parts = [*ast.walk(function)]
            refused = [one for one in parts if isinstance(one, ast.Call) and getattr(one.func, "id", "") in ERRORS]
            fixes: set[str] = set()
            for one in parts if refused else ():
                if isinstance(one, ast.Assign) and (_called(one.value) & naming or _names(one.value) & fixes):
                    fixes |= {target.id for target in one.targets if isinstance(target, ast.Name)}
            for one in refused:
                texts = (part.value for part in ast.walk(one) if isinstance(part, ast.Constant))
                first = next((text for text in texts if isinstance(text, str)), "")
                named = one.func.id == "UnknownColumn" or first.split(":")[0] in OPTIONS
                named = named or bool(_called(one) & naming or _names(one) & fixes)
                # what a log of a tool lacks; where it is a plain table too, `Located.open` names ``format``
                named = named or (one.func.id == "InvalidData" and "foreign" in path.parts)
                yield f"{path.relative_to(FOLDER).with_suffix('')}:{function.name}", named


def _called(node: ast.AST) -> set[str]:
    calls = (one.func for one in ast.walk(node) if isinstance(one, ast.Call))
    return {one.id for one in calls if isinstance(one, ast.Name)}


def _names(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def test_every_refusal_names_an_option_or_says_why_there_is_none():
    found = list(refusals())
    assert len(found) > 200
    known = {name for names in NO_OPTION.values() for name in names.split()}
    assert sorted({name for name, named in found if not named} - known) == []
    assert sorted(known - {name for name, _ in found}) == []


SCORES = "item,judge,score\na,x,{}\na,y,2\nb,x,3\nb,y,4\n"
VOTES = "model_a,model_b,winner\nx,y,{}\ny,x,{}\nx,y,{}\n"
TASK = {"_task_hash": 1, "_input_hash": 1, "answer": "accept", "options": [{"id": "rot"}, {"id": "fine"}]}
BATTLE = {"model_a": "x", "model_b": "y", "judge": "z", "turn": 1, "anony": True, "tstamp": 1.0}


@pytest.mark.wide(8)
@pytest.mark.parametrize(
    ("name", "text", "given", "wanted"),
    [
        ("s.csv", SCORES.format("bad"), {}, ["missing"]),
        ("s.csv", SCORES.format("1e300") + "a,x,5\n", {}, ["missing"]),
        ("s.csv", SCORES.format("9"), {"scale": (1, 5)}, ["missing"]),
        ("s.csv", SCORES.format("1").replace("b,y", ",y"), {}, ["where"]),
        ("s.csv", SCORES.format("1").replace("b,y", "b,") + "b,(missing),1\n", {}, ["where"]),
        ("s.csv", "item,judge,score\na,x,rot\na,y,fine\nb,x,fine\nb,y,odd\n", {}, ["label"]),
        ("s.txt", SCORES.format("1").replace("item", "question"), {"score": "scor"}, ["score"]),
        ("s.data", SCORES.format("1"), {}, ["format"]),
        ("s.csv", VOTES.format("7", "9", "7"), {}, ["outcomes"]),
        ("s.csv", VOTES.format("x", "y", "x").replace("\ny,x", "\n,x"), {}, ["where"]),
        ("s.jsonl", "".join(f"{json.dumps({**TASK, 'accept': [one]})}\n" for one in ("rot", "fine")), {}, ["label"]),
        ("s.json", json.dumps([{**BATTLE, "winner": one} for one in ("7", "9")]), {}, ["format", "outcomes"]),
    ],
)
def test_the_option_that_is_named_reads_the_file(tmp_path, name, text, given, wanted):
    path = tmp_path / name
    path.write_text(text)
    given = dict(given)
    for option in wanted:
        with pytest.raises(QuorateError) as refused:
            q.read(path, announce=False, recognise=True, **given)
        said = {one.name: one.value for one in refused.value.arguments}
        assert option in said
        value = {"a": "7", "b": "9"} if option == "outcomes" else said[option]
        given[option] = (value,) if option == "missing" else value
    assert q.read(path, announce=False, recognise=True, **given).source.name
