"""The estimator: what a page shows of a study, files of it, and orders line by line."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from under_way import scored

import quorate as q
from quorate.reporting.print.files import WIDTHS
from quorate.study.file import load
from quorate.web.estimator import Estimator, carried_out


@pytest.fixture
def estimator(tmp_path):
    return Estimator(load(scored(tmp_path, calls=20, items=6)))


@pytest.mark.slow
def test_orders(estimator, tmp_path):
    found = carried_out(estimator, '{"do": "estimate"}')
    assert json.loads(json.dumps(found)) is not None
    assert found["sentence"].startswith("So far the mean score is ")
    assert found["finished"] == 20
    assert [one["title"] for one in found["sections"]][:2] == ["The estimate so far", "What is decided"]
    assert found["charts"]["looks"].keys() == WIDTHS.keys()
    assert all(drawing.startswith("<svg") for drawing in found["charts"]["looks"].values())
    (figure,) = found["sections"][0]["figures"]
    assert all(len(row) == len(figure["titles"]) == len(figure["numbers"]) for row in figure["rows"])
    place = tmp_path / "judgments.parquet"
    assert carried_out(estimator, json.dumps({"do": "judgments", "path": str(place)})) == {"path": str(place)}
    assert q.read(place, announce=False).n_answers == 20


def test_a_report_is_there_however_little_is_known(tmp_path):
    estimator = Estimator(load(scored(tmp_path, calls=1, items=6)))
    place = tmp_path / "report.md"
    carried_out(estimator, json.dumps({"do": "report", "path": str(place)}))
    assert "**The only score is " in place.read_text(encoding="utf-8")


def test_an_error_is_its_line(estimator):
    answer = carried_out(estimator, json.dumps({"do": "judgments", "path": "/nowhere/at/all.csv"}))
    assert "/nowhere" in answer["error"]


@pytest.mark.slow
def test_it_is_a_process_that_ends_with_its_input(tmp_path):
    path = scored(tmp_path, calls=20, items=6)
    orders = '{"do": "estimate"}\n{"do": "estimate"}\n'
    command = [sys.executable, "-m", "quorate.web.estimator", str(path)]
    ran = subprocess.run(command, input=orders, capture_output=True, text=True, timeout=120, check=True)
    first, second = map(json.loads, ran.stdout.splitlines())
    assert first["sentence"] == second["sentence"]
    assert first["charts"]["looks"]["wide"].startswith("<svg")
