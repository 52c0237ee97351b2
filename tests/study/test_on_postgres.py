"""A study whose ledger is on Postgres: run, gone on with, looked at and read, with nothing in a file."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
import yaml
from goal_studies import functions, scored, settings

import quorate as q
from quorate.cli import main
from quorate.decide.goals.look import Ending
from quorate.errors import InvalidInput
from quorate.study.file import load
from quorate.study.loop import carry_out
from quorate.table.exchange.ledger import columns

CANARY = "canary4f71"


def length(request):
    return len(request.messages[-1].content) % 10 + 1


def call(*arguments, folder):
    command = [sys.executable, "-c", "import sys; from quorate.cli import main; sys.exit(main())", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=100, check=False)


@pytest.mark.postgres
def test_a_study_is_carried_out_gone_on_with_and_read(study, cluster, tmp_path):
    place = cluster.place()
    path = study(ledger=place, prompts=["score", "score-reasoned"], replicates=2, budget={"calls": 5})
    assert not q.status(path).judges
    first = carry_out(load(path), judges={"rule": length})
    assert (first.quote.cells, first.outcome.complete, first.outcome.left) == (12, False, 7)
    path = study(ledger=place, prompts=["score", "score-reasoned"], replicates=2)
    found = q.run(path, judges={"rule": length})
    assert (found.names, int(found.n.sum())) == (("item", "prompt", "judge"), 12)
    assert q.status(path).complete
    assert int(q.read(place, announce=False).n.sum()) == 12
    so_far = q.interim(path)
    assert ([look.n for look in so_far.looks], so_far.looks[-1].units) == ([8, 11, 12], 3)
    assert not list(tmp_path.glob("*.db*"))
    with pytest.raises(InvalidInput, match=r'item "q1".* changed since this ledger was planned'):
        q.run(study(ledger=place, rows=[{"id": "q1", "prompt": "p", "response": "new"}]), judges={"rule": length})


@pytest.mark.postgres
def test_a_quote_leaves_nothing_behind(study, cluster):
    place = cluster.place()
    assert carry_out(load(study(ledger=place)), judges={"rule": length}, yes=False).outcome is None
    assert not q.status(study(ledger=place)).judges


@pytest.mark.postgres
def test_an_adaptive_study_goes_round_by_round(study, cluster):
    rows = [{"id": f"q{n}", "prompt": "p", "response": "r" * n} for n in range(4)]
    path = study(ledger=cluster.place(), rows=rows, adaptive={"name": "uniform", "batch": 8}, budget={"calls": 24})
    assert int(q.run(path, judges={"rule": length}).n.sum()) == 24
    assert "the policy decides" in q.interim(path).sentence


@pytest.mark.postgres
def test_a_study_with_a_goal_decides_as_it_does_in_a_file(study, cluster):
    judges, looks = functions(scored(gap=0.8)), {}
    for name in (cluster.place(), "study.db"):
        path = study(ledger=name, **settings())
        carried = carry_out(load(path), judges=judges, on_look=looks.setdefault(name, []).append)
        assert carried.outcome.complete
        assert q.status(path).looks == tuple(looks[name])
    there, here = looks.values()
    assert there == here
    assert (here[-1].ending, here[-1].outcome) == (Ending.REACHED, "better")


@pytest.mark.postgres
def test_battles_are_drawn_as_in_a_file(study, cluster):
    rows = [
        {"id": f"{a}{b}{n}", "one": a, "two": b, "prompt": "p", "response_a": a, "response_b": b}
        for a, b in ("xy", "xz", "yz")
        for n in range(30)
    ]
    items, drawn = {"file": "items.jsonl", "system_a": "one", "system_b": "two"}, []
    for place in (cluster.place(), "study.db"):
        path = study(ledger=place, rows=rows, items=items, prompts=["pairwise"], battles={"batch": 15},
                     budget={"calls": 60})  # fmt: skip
        votes = q.run(path, judges={"rule": lambda request: "AB"[len(request.cell["item"]) % 2]})
        assert "reweighted" in [one.code for one in q.rank(votes, regularisation=1.0).caveats]
        held = columns(load(path).database)
        drawn.append(sorted(zip(held["item"].tolist(), held["propensity"].tolist(), strict=True)))
        assert q.status(path).complete
    assert drawn[0] == drawn[1]
    assert len(drawn[0]) == 60


@pytest.mark.postgres
def test_commands_take_the_address(study, cluster, tmp_path):
    place = cluster.place(over_tcp=True)
    scores = "".join(f"{name},score,rule,{n},{n + 2}\n" for name in ("q1", "q2", "q3") for n in (1, 2))
    (tmp_path / "scores.csv").write_text(f"item,prompt,judge,replicate,score\n{scores}")
    study(ledger=place, replicates=2, judges={"rule": {"kind": "replay", "table": "scores.csv"}})
    ran = call("run", "study.yaml", "--yes", folder=tmp_path)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert f"Now: quorate analyze {place}" in "".join(ran.stdout.splitlines())
    assert json.loads(call("status", "study.yaml", "--json", folder=tmp_path).stdout)["ledger"] == place
    read = call("analyze", place, "--json", folder=tmp_path)
    assert read.returncode == 0, read.stderr
    assert "Postgres ledger study" in read.stdout


def test_a_password_in_a_study_is_refused_and_never_printed(study, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PGPASSWORD", CANARY)
    with_password = f"postgresql://ann:{CANARY}@db.example/evals"
    for given in (with_password, [with_password], {"url": with_password}):
        path = study(ledger=given)
        with pytest.raises(InvalidInput, match="ledger: ") as caught:
            load(path)
        assert CANARY not in str(caught.value)
    study(ledger=with_password)
    monkeypatch.chdir(tmp_path)
    for command in (["run", "study.yaml", "--yes"], ["status", "study.yaml"], ["analyze", with_password]):
        assert main(command) == 1
        out, err = capsys.readouterr()
        assert out == ""
        assert "holds a password; leave it out, and put it into the environment variable PGPASSWORD" in err
        assert CANARY not in err


def test_a_server_that_cannot_be_reached_is_one_line_without_the_password(study, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PGPASSWORD", CANARY)
    monkeypatch.setattr("quorate.table.exchange.postgres.session.PATIENCE", 0.1)
    study(ledger="postgresql://ann@127.0.0.1:1/evals")
    monkeypatch.chdir(tmp_path)
    for command in (["status", "study.yaml"], ["analyze", "postgresql://ann@127.0.0.1:1/evals", "--debug"]):
        assert main(command) == 1
        assert CANARY not in "".join(capsys.readouterr())
    assert yaml.safe_load((tmp_path / "study.yaml").read_text())["ledger"] == "postgresql://ann@127.0.0.1:1/evals"
