from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import typer
import yaml
from goal_studies import SCORES, rows, scored, two_more
from under_way import scored as interim_scored

from quorate.cli.asking import confirmed, money_span, span
from quorate.cli.console import console
from quorate.cli.study import show
from quorate.collect.judge import Message, Request
from quorate.decide.goals.look import Ending
from quorate.errors import InvalidInput
from quorate.study.quote import Range
from quorate.study.status import status as found_in

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
    assert "the budget has no room for another call; 2 cells are left" in ran.said
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
    assert "the most that the policy may ask, here shared equally" in ran.said
    assert "It may stop before" not in ran.out
    assert "6 of 6 calls" in ran.out
    (tmp_path / "aim.yaml").write_text((tmp_path / "study.yaml").read_text().replace("batch: 3", "batch: 3, target: 9"))
    assert "It may stop before." in run("run", "aim.yaml", "--quote").said
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
    refused = run("run", study(more=more), "--yes").refused()
    assert said in refused
    assert "internal error" not in refused


def test_a_study_without_a_score_is_2_and_says_it(run, study, tmp_path):
    study()
    table = (tmp_path / "scores.csv").read_text().splitlines()
    (tmp_path / "scores.csv").write_text("\n".join([table[0], *(f"{row.rpartition(',')[0]},30" for row in table[1:])]))
    ran = run("run", "study.yaml", "--yes")
    out = ran.said
    assert (ran.code, ran.err) == (2, "")
    assert "recorded: 100% of 6 calls gave a reply without a score." in out
    assert "No cell has a score, so there is nothing to analyze" in out
    assert "quorate analyze" not in out
    assert len(run("run", "study.yaml", "--yes", "--json").json["unscored"]) == 1
    status = run("status", "study.yaml")
    assert "recorded: 100% of 6 calls gave a reply without a score." in status.said
    assert len(run("status", "study.yaml", "--json").json["unscored"]) == 1


@pytest.mark.slow
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


@pytest.fixture
def goal(tmp_path, monkeypatch):
    """A function that writes a study of recorded scores, whose looks cost nothing to compute."""

    def write(**options):
        for name, function in two_more(**options).items():
            monkeypatch.setattr(name, function)
        items = rows(12)
        (tmp_path / "items.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in items))
        judge, lines = scored(), ["item,system,prompt,judge,replicate,score"]
        for row in items:
            for name in "ab":
                cell = {"item": row["id"], "system": row["s"], "prompt": "score", "judge": name, "replicate": "1"}
                request = Request("k", (Message("user", ""),), {}, None, name, cell)
                lines.append(f"{','.join(cell.values())},{judge(request)}")
        (tmp_path / "scores.csv").write_text("\n".join(lines) + "\n")
        content = {
            "items": SCORES,
            "judges": {name: {"kind": "replay", "table": "scores.csv", "price": {"call": 0.01}} for name in "ab"},
            "prompts": ["score"],
            "goal": {"compare": ["x", "y"], "margin": 0.5},
            "looks": 3,
            "budget": {"money": 2},
        }
        (tmp_path / "study.yaml").write_text(yaml.safe_dump(content))
        return "study.yaml"

    return write


def test_every_look_is_a_line_and_what_is_reached_is_0(run, goal, tmp_path):
    path = goal()
    quoted = run("run", path, "--quote")
    assert quoted.code == 0
    assert "8 cells to ask. The budget for all runs is 2.00 in money." in quoted.said
    assert "After that it buys what the goal needs, in at most 3 looks, and stops." in quoted.said
    assert "by components to assume: quorate run study.yaml --quote --components FILE" in quoted.said
    ran = run("run", path, "--yes")
    assert (ran.code, ran.err) == (0, "")
    lines = [line for line in ran.out.splitlines() if line.startswith("Round")]
    assert [line[:20] for line in lines] == [f"Round {number} of at most 3"[:20] for number in (1, 2, 3)]
    assert "8 more calls, 0.08 in money." in ran.said
    assert "the goal is reached." in ran.said
    assert ran.out.splitlines()[-1] == "The path to the goal: quorate status --interim study.yaml --report path.html"
    status = run("status", path)
    assert status.code == 0
    assert "24 of 24 cells are finished. Goal: round 3 of at most 3" in status.said
    assert len(run("status", path, "--json").json["looks"]) == 3
    assert run("status", "--interim", path, "--report", tmp_path / "path.md").code == 0
    page = " ".join((tmp_path / "path.md").read_text(encoding="utf-8").replace("|", " ").split())
    assert "looks 3" in page
    assert "(Lan and DeMets 1983; O'Brien and Fleming 1979)" in page.replace("\\", "")


@pytest.mark.slow
def test_as_json_there_are_looks_and_no_lines(run, goal):
    looks = run("run", goal(), "--yes", "--json").json["looks"]
    assert [look["number"] for look in looks] == [1, 2, 3]
    assert run("status", "study.yaml", "--json").json["looks"] == looks


@pytest.mark.slow
def test_what_is_not_reached_is_2(run, goal):
    ran = run("run", goal(ending=Ending.FUTILE), "--yes")
    assert (ran.code, ran.err) == (2, "")
    assert "the goal is not reached, and nothing more is asked for it" in ran.said
    assert "To go on, raise the budget in study.yaml." in ran.out
    assert run("status", "study.yaml").code == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("--components", "law.json", "--yes"),
            "--components, --effect, --tie-share, --icc, --studies: are for --quote",
        ),
        (("--effect", "0.2", "--quote"), "components: nothing is answered yet; assume some, such as"),
        (("--components", "none.json", "--quote"), "none.json: cannot be read"),
    ],
)
def test_what_does_not_go_together_is_refused(run, goal, words, said):
    ran = run("run", goal(), *words)
    assert ran.code == 1
    assert said in " ".join(ran.err.split())


def test_votes_to_assume_are_simulated(run, tmp_path):
    texts = {"prompt": "p", "response_a": "by x", "response_b": "by y"}
    lines = [json.dumps({"id": f"q{n}", "a": "x", "b": "y", **texts}) for n in range(300)]
    (tmp_path / "items.jsonl").write_text("\n".join(lines))
    content = {
        "items": {"file": "items.jsonl", "system_a": "a", "system_b": "b"},
        "judges": {"rule": {"kind": "python", "price": {"call": 0.01}}},
        "prompts": ["pairwise"],
        "goal": {"prefer": ["x", "y"], "margin": 0.15},
        "budget": {"money": 3},
    }
    (tmp_path / "votes.yaml").write_text(yaml.safe_dump(content))
    plain = run("run", "votes.yaml", "--quote")
    assert "What that comes to, by votes to assume: quorate run votes.yaml --quote --icc 0.5" in plain.said
    words = ("run", "votes.yaml", "--quote", "--tie-share", "0.1", "--effect", "0.2", "--studies", "2")
    assert "With 10% ties and a correlation of 0.5 between votes on one battle as assumed and a" in run(*words).said
    assert run(*words, "--json").json["goal"]["icc"] == 0.5


def test_amounts_that_are_not_known_are_said_to_be():
    assert span(Range(1000, 2000.4, None)) == "1,000 / 2,000 / ?"
    assert money_span(Range(0.5, 1, None)) == "0.5 / 1 / ?"
    assert money_span(Range(None, None, None)) == "unknown"


def test_a_yes_is_asked_of_somebody(monkeypatch):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: False))
    with pytest.raises(InvalidInput, match="add it to go ahead, or ask later"):
        confirmed(", or ask later")
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr("typer.confirm", lambda *_, **__: True)
    assert confirmed()


def test_ctrl_c_at_the_question_ends_the_command_at_once(monkeypatch):
    def interrupted(*_, **__):
        raise typer.Abort

    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr("typer.confirm", interrupted)
    with pytest.raises(KeyboardInterrupt):
        confirmed()


STATUS_STUDY = """\
items: items.jsonl
judges:
  recorded: {kind: replay, table: scores.csv}
prompts: [score]
budget: {calls: 2}
"""


@pytest.fixture
def status_study(tmp_path):
    (tmp_path / "items.jsonl").write_text("".join(f'{{"id": "q{n}", "prompt": "p", "response": "r"}}\n' for n in "123"))
    (tmp_path / "scores.csv").write_text("item,judge,score\nq1,recorded,1\nq2,recorded,2\nq3,recorded,30\n")
    (tmp_path / "study.yaml").write_text(STATUS_STUDY)
    return "study.yaml"


def test_before_during_and_after(run, status_study, tmp_path):
    ran = run("status", status_study)
    assert (ran.code, ran.err) == (2, "")
    assert ran.out == "Nothing is asked yet: study.db is made by the first run.\n"
    run("run", status_study, "--yes")
    ran = run("status", status_study)
    assert (ran.code, ran.err) == (2, "")
    assert ran.out.startswith("2 of 3 cells are finished")
    assert "Spent: 2 of 2 calls, 0.0000 in money." in ran.out
    (tmp_path / "study.yaml").write_text(
        STATUS_STUDY.replace("calls: 2", "calls: 9").replace("budget", "tries: 1\nbudget")
    )
    run("run", status_study, "--yes")
    ran = run("status", status_study)
    assert ran.code == 0
    assert "3 of 3 cells are finished, 1 of them given up." in ran.out
    assert "33.3%" in ran.out


def test_money_of_calls_without_a_price_is_not_zero(run, status_study, capsys):
    run("run", status_study, "--yes")
    found = found_in(status_study)
    for money, said in ((0.0, "an unknown amount of money"), (0.25, "at least 0.2500 in money")):
        show(console(), replace(found, spend=replace(found.spend, money=money, unpriced=2)))
        assert f"Spent: 2 of 2 calls, {said}; 2 calls of unknown price." in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("recorded", "said"),
    [
        ("q9", "Why calls of recorded failed: replay: replicate 1 of"),
        ("q2,q3", "Why calls of recorded failed: recorded as error (1)."),
    ],
)
@pytest.mark.slow
def test_why_a_judge_does_not_answer(run, status_study, tmp_path, recorded, said):
    rows = [f"{item},recorded,1,ok" for item in recorded.split(",")] + ["q1,recorded,,error"] * ("q9" not in recorded)
    (tmp_path / "scores.csv").write_text("\n".join(["item,judge,score,status", *rows]))
    (tmp_path / "study.yaml").write_text(
        STATUS_STUDY.replace("calls: 2", "calls: 3").replace(".csv}", ".csv, concurrency: 1}")
    )
    run("run", status_study, "--yes")
    shown = run("status", status_study).said
    assert said in shown
    assert run("status", status_study, "--json").json["judges"][0]["error"] in shown


def test_what_is_wrong_is_one_line(run):
    assert "quorate init writes one" in run("status", "none.yaml").refused()


def test_half_done_and_nothing(run, tmp_path, capsys):
    path = interim_scored(tmp_path, calls=20, items=6)
    capsys.readouterr()
    ran = run("status", "--interim", path, "--report", tmp_path / "so-far.md")
    assert (ran.code, ran.err) == (2, "")
    assert ran.out.startswith("20 of 24 cells are finished. So far the mean score is ")
    assert "to watch" in ran.out
    assert "What is decided" in (tmp_path / "so-far.md").read_text(encoding="utf-8")
    (tmp_path / "study.db").rename(tmp_path / "gone.db")
    nothing = run("status", "--interim", path, "--json")
    assert nothing.code == 2
    assert nothing.json["kind"] == "none"


SERVE_STUDY = """\
items: items.jsonl
judges:
  ana: {kind: person}
  raters: {kind: people, seats: 2}
prompts: [score]
budget: {calls: 100}
"""


@pytest.fixture
def listened(tmp_path, monkeypatch):
    """Where it would have listened."""
    (tmp_path / "items.jsonl").write_text(json.dumps({"id": "q1", "prompt": "p", "response": "r"}))
    (tmp_path / "study.yaml").write_text(SERVE_STUDY)
    places = []

    def listen(app, host, port):
        app.state.site.desk.close()
        places.append((host, port))

    monkeypatch.setattr("quorate.web.serve.listen", listen)
    return places


def test_links_are_shown_once(run, listened):
    ran = run("serve", "study.yaml", "--port", "9001")
    assert (ran.code, ran.err, listened) == (0, "", [("127.0.0.1", 9001)])
    assert [line.split(": ")[0].strip() for line in ran.out.splitlines()[1:5]] == [
        "owner",
        "ana",
        "raters 1",
        "raters 2",
    ]
    assert "/link/" not in run("serve", "study.yaml").out
    one = run("serve", "study.yaml", "--link", "raters 2", "--link", "owner")
    assert [line.split(": ")[0].strip() for line in one.out.splitlines()[1:3]] == ["owner", "raters 2"]
    assert (
        'links: nobody is called "raters 9"; there are owner, ana'
        in run("serve", "study.yaml", "--link", "raters 9").err
    )
    again = run("serve", "study.yaml", "--links", "--public", "--host", "0.0.0.0")
    assert again.out.count("/link/") == 4
    assert "Those from before end." in again.out
    assert "not encrypted" in again.out


def test_another_host_needs_a_word(run, listened):
    ran = run("serve", "study.yaml", "--host", "0.0.0.0")
    assert (ran.code, listened) == (1, [])
    assert ran.err.startswith("quorate: --host: other machines can reach 0.0.0.0")
