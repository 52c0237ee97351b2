"""How a file is read, kept by the doctor and used by every command."""

from __future__ import annotations

import inspect

import pytest

import quorate as q
from quorate.table.reading.kept import ARGUMENTS


@pytest.fixture
def wide(tmp_path):
    path = tmp_path / "wide.csv"
    rows = [f"q{i},{1 + i % 5},{1 + (i * 3) % 5},{1 + (i * 2) % 4}" for i in range(30)]
    path.write_text("id,gpt,claude,$HOME\n" + "\n".join(rows) + "\n")
    return path


def test_the_doctor_proposes_keeps_and_the_rest_follow(run, wide, tmp_path):
    ran = run("doctor", wide, "--save", "roles.yaml")
    assert (ran.code, ran.err) == (2, "")
    assert f"quorate analyze {wide} --wide 'judge=gpt,claude,$HOME' --facet item=id" in ran.out
    assert "q.read(" in ran.out
    kept = (tmp_path / "roles.yaml").read_text()
    assert "wide:" in kept
    for command in ("doctor", "analyze"):
        words = [command, wide, "--roles", "roles.yaml", "--json"]
        assert run(*words).code == 0
    assert run("rank", wide, "--roles", "roles.yaml", "--system", "judge").err == ""
    direct = run("analyze", wide, "--wide", "judge=gpt,claude,$HOME", "--facet", "item=id", "--json").json
    assert run("analyze", wide, "--roles", "roles.yaml", "--json").json["setup"] == direct["setup"]


def test_json_of_a_proposal(run, wide):
    found = run("doctor", wide, "--json").json
    assert found["options"]["wide"] == {"judge": ["gpt", "claude", "$HOME"]}
    assert found["error"] == "gpt, claude and $HOME hold scores on one scale, and their names do not say what they are"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("score: [", "is not what --save of quorate doctor writes"),
        ("- a", "is not what --save of quorate doctor writes"),
        ("scroe: x", 'no option in r.yaml "scroe"'),
        ("x" * 70_000, "is not what --save"),
    ],
)
def test_broken_files_are_one_line(run, wide, tmp_path, text, said):
    (tmp_path / "r.yaml").write_text(text)
    ran = run("analyze", wide, "--roles", "r.yaml")
    assert (ran.code, ran.err.count("\n")) == (1, 1)
    assert said in ran.err


def test_roles_kept_beside_a_file_are_taken_up_everywhere(run, wide, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("analyze", wide).code == 1
    said = ("--wide", "judge=gpt,claude", "--facet", "item=id")
    direct = run("analyze", wide, *said, "--json").json
    assert run("doctor", wide, *said, "--save", ".quorate.yaml").code == 0
    ran = run("analyze", wide)
    assert "Read as: as .quorate.yaml beside it says" in ran.out
    assert run("analyze", wide, "--json").json["setup"] == direct["setup"]
    assert q.read(wide, announce=False).facet("judge").levels == ("claude", "gpt")
    assert run("doctor", wide, "--save", ".quorate.yaml", "--force").code == 0  # and stay
    assert run("analyze", wide, "--json").json["setup"] == direct["setup"]
    (tmp_path / "other.csv").write_text("item,score\n" + "".join(f"q{i},{i % 5}\n" for i in range(20)))
    assert ".quorate.yaml" not in run("analyze", tmp_path / "other.csv").out


def test_what_is_kept_are_arguments_of_read():
    assert {*ARGUMENTS} == {*inspect.signature(q.read).parameters} - {"source", "announce", "recognise"}


def test_what_cannot_be(run, wide):
    assert "roles: none.yaml cannot be read" in run("analyze", wide, "--roles", "none.yaml").err
    assert "--save: must end in .yaml" in run("doctor", wide, "--save", "roles.txt").err
    run("doctor", wide, "--save", "roles.yaml")
    both = run("analyze", wide, "--roles", "roles.yaml", "--score", "gpt")
    assert "--score: --roles says how the file is read" in both.err
    assert run("analyze", wide).err.startswith("quorate: ")


def test_what_is_read_by_itself_is_kept_too(run, tmp_path):
    path = tmp_path / "cross.csv"
    path.write_text("rater1,low,mid,high\nlow,10,3,1\nmid,2,11,4\nhigh,1,3,12\n")
    run("doctor", path, "--save", "roles.yaml")
    by_itself, kept = run("analyze", path, "--no-report"), run("analyze", path, "--roles", "roles.yaml", "--no-report")
    assert "two judges agree on 70.2%" in kept.out
    assert kept.out == by_itself.out
