"""`quorate status`: how far a study is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from quorate.cli.console import console
from quorate.cli.study import show
from quorate.study.status import status as found_in

STUDY = """\
items: items.jsonl
judges:
  recorded: {kind: replay, table: scores.csv}
prompts: [score]
budget: {calls: 2}
"""


@pytest.fixture
def study(tmp_path):
    (tmp_path / "items.jsonl").write_text("".join(f'{{"id": "q{n}", "prompt": "p", "response": "r"}}\n' for n in "123"))
    (tmp_path / "scores.csv").write_text("item,judge,score\nq1,recorded,1\nq2,recorded,2\nq3,recorded,30\n")
    (tmp_path / "study.yaml").write_text(STUDY)
    return "study.yaml"


def test_before_during_and_after(run, study, tmp_path):
    ran = run("status", study)
    assert (ran.code, ran.err) == (2, "")
    assert ran.out == "Nothing is asked yet: study.db is made by the first run.\n"
    run("run", study, "--yes")
    ran = run("status", study)
    assert (ran.code, ran.err) == (2, "")
    assert ran.out.startswith("2 of 3 cells are finished")
    assert "Spent: 2 of 2 calls, 0.0000 in money." in ran.out
    (tmp_path / "study.yaml").write_text(STUDY.replace("calls: 2", "calls: 9").replace("budget", "tries: 1\nbudget"))
    run("run", study, "--yes")
    ran = run("status", study)
    assert ran.code == 0
    assert "3 of 3 cells are finished, 1 of them given up." in ran.out
    assert "33.3%" in ran.out


def test_money_of_calls_without_a_price_is_not_zero(run, study, capsys):
    run("run", study, "--yes")
    found = found_in(study)
    for money, said in ((0.0, "an unknown amount of money"), (0.25, "at least 0.2500 in money")):
        show(console(), replace(found, spend=replace(found.spend, money=money, unpriced=2)))
        assert f"Spent: 2 of 2 calls, {said}; 2 calls of unknown price." in " ".join(capsys.readouterr().out.split())


def test_json(run, study):
    run("run", study, "--yes")
    found = run("status", study, "--json").json
    assert (found["cells"], found["finished"], found["complete"]) == (3, 2, False)
    assert found["judges"][0]["judge"] == "recorded"
    assert found["budget"] == {"calls": 2, "money": None}


@pytest.mark.parametrize(
    ("recorded", "said"),
    [
        ("q9", "Why calls of recorded failed: replay: replicate 1 of"),
        ("q2,q3", "Why calls of recorded failed: recorded as error (1)."),
    ],
)
@pytest.mark.slow
def test_why_a_judge_does_not_answer(run, study, tmp_path, recorded, said):
    rows = [f"{item},recorded,1,ok" for item in recorded.split(",")] + ["q1,recorded,,error"] * ("q9" not in recorded)
    (tmp_path / "scores.csv").write_text("\n".join(["item,judge,score,status", *rows]))
    (tmp_path / "study.yaml").write_text(
        STUDY.replace("calls: 2", "calls: 3").replace(".csv}", ".csv, concurrency: 1}")
    )
    run("run", study, "--yes")
    shown = " ".join(run("status", study).out.split())
    assert said in shown
    assert run("status", study, "--json").json["judges"][0]["error"] in shown


def test_what_is_wrong_is_one_line(run):
    ran = run("status", "none.yaml")
    assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)
    assert "quorate init writes one" in ran.err
