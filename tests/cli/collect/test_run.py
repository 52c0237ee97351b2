"""`quorate run`: the price first, then the calls, within the budget and in the right exit code."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

STUDY = """\
items: items.jsonl
judges:
  recorded: {{kind: replay, table: scores.csv}}
prompts: [score]
replicates: 2
budget: {{calls: {calls}}}
"""


@pytest.fixture
def study(tmp_path):
    """A function that writes a study of six cells, whose answers were recorded."""

    def write(calls=10, more=""):
        rows = [{"id": f"q{n}", "prompt": "p", "response": "r" * n} for n in (1, 2, 3)]
        (tmp_path / "items.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        scores = "".join(f"q{n},score,recorded,{r},{n + r}\n" for n in (1, 2, 3) for r in (1, 2))
        (tmp_path / "scores.csv").write_text(f"item,prompt,judge,replicate,score\n{scores}")
        (tmp_path / "study.yaml").write_text(STUDY.format(calls=calls) + more)
        return "study.yaml"

    return write


def test_a_study_runs_to_the_end(run, study):
    ran = run("run", study(), "--yes")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("6 cells to ask. The budget for all runs is 10 calls.\n")
    assert "6 cells finished: every cell is answered or given up." in ran.out
    assert "Spent in all runs: 6 calls; 0.0000 in money." in ran.out
    assert ran.out.splitlines()[-1] == "Now: quorate analyze study.db"
    again = run("run", "study.yaml", "--yes")
    assert again.code == 0
    assert again.out.startswith("0 cells to ask; 6 are finished already.")
    assert run("doctor", "study.db").code == 0


@pytest.mark.slow
def test_a_budget_that_is_spent_is_2(run, study):
    ran = run("run", study(calls=4), "--yes")
    assert (ran.code, ran.err) == (2, "")
    assert "the budget has no room for another call; 2 cells are left" in " ".join(ran.out.split())
    assert run("run", study(calls=6), "--yes").code == 0


def test_the_quote_alone_asks_nothing(run, study, tmp_path):
    ran = run("run", study(), "--quote")
    assert ran.code == 0
    assert "recorded      6  6 / 6 / 30" in ran.out
    assert not (tmp_path / "study.db").exists()


def test_a_quote_needs_no_yes(run, study, tmp_path):
    ran = run("run", study(), "--quote", "--yes")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == "quorate: --quote: give it or --yes, not both; it shows the price and asks nothing\n"
    assert not (tmp_path / "study.db").exists()


def test_nothing_is_asked_without_a_yes(run, study, monkeypatch, tmp_path):
    ran = run("run", study())
    assert (ran.code, ran.err.count("\n")) == (1, 1)
    assert ran.err.startswith("quorate: --yes: nobody is here to say yes")
    for answer, code in (("n", 2), ("y", 0)):
        monkeypatch.setattr("typer.confirm", lambda *_, answer=answer, **__: answer == "y")
        monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
        assert run("run", "study.yaml").code == code
        assert (tmp_path / "study.db").exists() == (answer == "y")


def test_json(run, study):
    assert run("run", study(), "--json").err.startswith("quorate: --json: cannot ask you")
    quoted = run("run", "study.yaml", "--json", "--quote").json
    assert (quoted["outcome"], quoted["quote"]["judges"][0]["cells"]) == (None, 6)
    ran = run("run", "study.yaml", "--json", "--yes").json
    assert ran["ledger"] == "study.db"
    assert (ran["outcome"]["complete"], ran["outcome"]["ended"], ran["outcome"]["calls"]) == (
        True,
        "complete",
        {"recorded": 6},
    )


def test_an_unknown_price_is_said_to_be_unknown(run, study, tmp_path):
    study()
    judge = "{kind: endpoint, base_url: 'http://127.0.0.1:1/v1', model: m, key_env: SOME_VARIABLE}"
    text = STUDY.format(calls=9).replace("{kind: replay, table: scores.csv}", judge)
    (tmp_path / "study.yaml").write_text(text)
    ran = run("run", "study.yaml", "--quote")
    assert "The price of recorded is not known: the study gives none." in ran.out
    assert "unknown" in ran.out
    assert "recorded is asked at 127.0.0.1:1, with the key in SOME_VARIABLE." in ran.out


@pytest.mark.slow
def test_an_adaptive_study_says_what_it_reached(run, study, tmp_path):
    study()
    text = (tmp_path / "study.yaml").read_text().replace("replicates: 2\n", "adaptive: {name: uniform, batch: 3}\n")
    (tmp_path / "study.yaml").write_text(text.replace("calls: 10", "calls: 6"))
    ran = run("run", "study.yaml", "--yes")
    assert ran.code == 0
    assert "the most that the policy may ask, here shared equally" in " ".join(ran.out.split())
    assert "It may stop before" not in ran.out
    assert "6 of 6 calls" in ran.out
    (tmp_path / "aim.yaml").write_text((tmp_path / "study.yaml").read_text().replace("batch: 3", "batch: 3, target: 9"))
    assert "It may stop before." in " ".join(run("run", "aim.yaml", "--quote").out.split())
    (tmp_path / "study.yaml").write_text((tmp_path / "study.yaml").read_text().replace("uniform", "robin-hood"))
    assert "3 arms, 60 in all, got 6; give budget.calls: 60" in run("run", "study.yaml", "--yes").err


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("surprise: 1\n", "study.yaml: surprise: there is no such setting"),
        ("seed: [\n", "study: study.yaml is not YAML: line"),
        ("order: both\n", "only two responses can be swapped"),
        ("layout: weighted\n", "places"),
    ],
)
def test_what_is_wrong_is_one_line_and_1(run, study, more, said):
    ran = run("run", study(more=more), "--yes")
    assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)
    assert said in ran.err
    assert "internal error" not in ran.err


def test_a_study_without_a_score_is_2_and_says_it(run, study, tmp_path):
    study()
    table = (tmp_path / "scores.csv").read_text().splitlines()
    (tmp_path / "scores.csv").write_text("\n".join([table[0], *(f"{row.rpartition(',')[0]},30" for row in table[1:])]))
    ran = run("run", "study.yaml", "--yes")
    out = " ".join(ran.out.split())
    assert (ran.code, ran.err) == (2, "")
    assert "recorded: 100% of 6 calls gave a reply without a score." in out
    assert "No cell has a score, so there is nothing to analyze" in out
    assert "quorate analyze" not in out
    assert len(run("run", "study.yaml", "--yes", "--json").json["unscored"]) == 1
    status = run("status", "study.yaml")
    assert "recorded: 100% of 6 calls gave a reply without a score." in " ".join(status.out.split())
    assert len(run("status", "study.yaml", "--json").json["unscored"]) == 1


def test_a_finished_study_needs_no_judge(run, study, tmp_path):
    import quorate as q

    study()
    text = (tmp_path / "study.yaml").read_text().replace("{kind: replay, table: scores.csv}", "{kind: python}")
    (tmp_path / "study.yaml").write_text(text)
    assert "is a function" in run("run", "study.yaml", "--yes").err
    q.run("study.yaml", judges={"recorded": lambda _: 7})
    ran = run("run", "study.yaml", "--yes")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("0 cells to ask; 6 are finished already.")


WRONG = {
    "table": ("scores.csv", "none.csv", "study.yaml: judges.recorded.table: none.csv cannot be read"),
    "name": (
        "[score]",
        "[scor]",
        'study.yaml: prompts.scor: no built-in prompt "scor"; did you mean "score"? There are',
    ),
    "scales": ("[score]", "[score, helpfulness]", "study.yaml: prompts: score scores 1 to 10 and helpfulness 0 to 4"),
    "file": ("[score]", "{a: {file: a.j2, scale: [1, 2]}}", "study.yaml: prompts.a.file: a.j2 cannot be read"),
}


@pytest.mark.parametrize(("old", "new", "said"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_beside_the_study_names_it(run, study, tmp_path, old, new, said):
    study()
    (tmp_path / "study.yaml").write_text((tmp_path / "study.yaml").read_text().replace(old, new))
    ran = run("run", "study.yaml", "--yes")
    assert (ran.code, ran.err.count("\n")) == (1, 1)
    assert ran.err.startswith(f"quorate: {said}")


def test_a_study_and_its_data_are_not_mixed_up(run, study):
    study()
    assert "items.jsonl holds data; expects a study file" in run("run", "items.jsonl").err
    assert "of a study file, name the ledger" in run("analyze", "study.yaml", "--no-report").err


def test_files_from_outside_the_folder_are_named_as_hosts_are(run, study, tmp_path):
    path = Path(study())
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "mine").mkdir()
    (tmp_path / "elsewhere" / "p.j2").write_text("Rate {{ response }}")
    for name in ("items.jsonl", "scores.csv"):
        (tmp_path / name).rename(tmp_path / "mine" / name)
    (tmp_path / "mine" / "p.j2").symlink_to(tmp_path / "elsewhere" / "p.j2")
    text = path.read_text().replace("[score]", "{score: {file: p.j2, scale: [1, 10]}}")
    (tmp_path / "mine" / "study.yaml").write_text(text)
    said = f"Read from outside the study's folder, and sent to judges: {tmp_path.resolve()}/elsewhere/p.j2."
    assert said.replace(" ", "") in "".join(run("run", "mine/study.yaml", "--quote").out.split())
    (tmp_path / "mine" / "p.j2").unlink()
    (tmp_path / "mine" / "p.j2").write_text("Rate {{ response }}")
    assert "outside" not in run("run", "mine/study.yaml", "--quote").out
