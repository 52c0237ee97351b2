"""The example study with the real model, in this process and behind a server, up to the report.

Where two answers are about as likely, rounding says which one wins, also at temperature 0, where `SAME` of the scores
must be the same. Another processor or another build adds up numbers in another order than the one that was recorded. On
one machine, the first question about a prompt reads all of it at once, and the next ones read only its last token anew;
that moves a log-probability by up to about 0.1, and makes the three answers of `sums-2` under `exam` 2, 9 and 9.
"""

from __future__ import annotations

import json
import sqlite3
from importlib import import_module
from pathlib import Path

import pytest
import yaml

import quorate as q
from quorate.cli import main
from quorate.table.reread import answers

pytestmark = pytest.mark.local
HERE = Path(__file__).parent
SAME = 0.9
ITEMS = 6


@pytest.fixture
def server(monkeypatch):
    monkeypatch.syspath_prepend(HERE)
    return import_module("server")


def scores(table):
    """Scores of every cell, in the order of its replicates."""
    judgments = q.read(table, recognise=True, announce=False)
    roles = ("item", "prompt", "temperature")
    columns = [(judgments.facet(role).levels, judgments.column(role)) for role in roles]
    values, offsets = answers(judgments)
    return {
        tuple(levels[codes[cell]] for levels, codes in columns): values[offsets[cell] : offsets[cell + 1]].tolist()
        for cell in range(judgments.n_cells)
    }


def agreement(found, recorded):
    """Share of the cells at temperature 0 whose scores are those that were recorded."""
    cold = [cell for cell in found if cell[2] == "0"]
    return sum(set(found[cell]) == set(recorded[cell]) for cell in cold) / len(cold)


def analysed(ledger, report):
    assert main(["analyze", str(ledger), "--report", str(report)]) == 0
    page = report.read_text(encoding="utf-8")
    for word in ("item", "prompt", "temperature", "smollm2"):
        assert word in page


def test_in_process(example):
    assert main(["run", str(example / "study.yaml"), "--yes"]) == 0
    found, recorded = scores(example / "study.db"), scores(example / "scores.csv")
    assert found.keys() == recorded.keys()
    assert len(found) == 36 * 3 * 2
    assert {len(one) for one in found.values()} == {3}
    assert agreement(found, recorded) >= SAME
    cold = [len(set(one)) == 1 for cell, one in found.items() if cell[2] == "0"]
    assert sum(cold) >= SAME * len(cold)
    warm = [len(set(one)) > 1 for cell, one in found.items() if cell[2] == "0.7"]
    assert sum(warm) > len(warm) / 4
    analysed(example / "study.db", example / "report.html")


def test_behind_a_server(example, model, server):
    """Six of the items, twice at each temperature."""
    path, rows = example / "items.jsonl", (example / "items.jsonl").read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join(rows[:: len(rows) // ITEMS]) + "\n", encoding="utf-8")
    with server.serving(model, example) as url:
        study = yaml.safe_load((example / "study.yaml").read_text(encoding="utf-8"))
        study["judges"]["smollm2"] = server.behind(url)
        study["replicates"] = 2
        (example / "server.yaml").write_text(yaml.safe_dump(study), encoding="utf-8")
        assert main(["run", str(example / "server.yaml"), "--yes"]) == 0
    found = scores(example / "server.db")
    assert len(found) == ITEMS * 3 * 2
    assert {len(one) for one in found.values()} == {2}
    assert agreement(found, scores(example / "scores.csv")) >= SAME
    cold = [len(set(one)) == 1 for cell, one in found.items() if cell[2] == "0"]
    assert sum(cold) >= SAME * len(cold)
    analysed(example / "server.db", example / "report.html")


@pytest.mark.parametrize("kind", ["local", "endpoint"])
def test_expected_scores(example, model, server, kind):
    """A score between the points of the scale, the same whatever the temperature: it is of the words alone."""
    path, rows = example / "items.jsonl", (example / "items.jsonl").read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join(rows[:2]) + "\n", encoding="utf-8")
    study = yaml.safe_load((example / "study.yaml").read_text(encoding="utf-8"))
    study |= {"replicates": 1, "prompts": {name: {**one, "expected": True} for name, one in study["prompts"].items()}}

    def run():
        (example / "expected.yaml").write_text(yaml.safe_dump(study), encoding="utf-8")
        return main(["run", str(example / "expected.yaml"), "--yes"])

    if kind == "local":
        assert run() == 0
    else:
        with server.serving(model, example, "--logits_all", "true") as url:
            study["judges"]["smollm2"] = server.behind(url)
            assert run() == 0
    found = scores(example / "expected.db")
    assert len(found) == 2 * 3 * 2
    for (item, prompt, temperature), (score,) in found.items():  # rounding moves one by up to about 0.1, as above
        assert 0 < score < 9
        assert temperature == "0" or score == pytest.approx(found[item, prompt, "0"][0], abs=0.2)


def test_the_order_of_asking_changes_near_ties_at_most(example):
    """Questions that wait are put together by their words; each has its own seed and its own answer.

    Asked in turn, most questions read their prompt anew instead of its last token only, hence the tolerance. With other
    seeds, three of four scores at 0.7 would differ, as the recorded replicates do.
    """
    replies = []
    for name, concurrency in (("one", 1), ("many", 64)):
        study = yaml.safe_load((example / "study.yaml").read_text(encoding="utf-8"))
        study["judges"]["smollm2"]["concurrency"] = concurrency
        study |= {"replicates": 2, "budget": {"calls": 200}, "ledger": f"{name}.db"}
        study["items"] = {**study["items"], "file": "few.jsonl"}
        rows = (example / "items.jsonl").read_text(encoding="utf-8").splitlines()
        (example / "few.jsonl").write_text("\n".join(rows[:2]) + "\n", encoding="utf-8")
        (example / "few.yaml").write_text(yaml.safe_dump(study), encoding="utf-8")
        assert main(["run", str(example / "few.yaml"), "--yes"]) == 0
        ledger = sqlite3.connect(f"file:{example / name}.db?mode=ro", uri=True)
        replies.append(dict(ledger.execute("SELECT key, text FROM cells JOIN attempts ON attempts.id = accepted")))
        ledger.close()
    one, many = replies
    assert one.keys() == many.keys()
    same = sum(json.loads(one[key]) == json.loads(many[key]) for key in one)
    assert same >= SAME * len(one)
