from __future__ import annotations

import inspect
import json
from pathlib import Path

import pytest

import quorate as q
from quorate.cli.options.designs import components_from
from quorate.cli.options.groups import Prices
from quorate.cli.options.reading import Reading, ScoreReading, VoteReading, ends, role_of, with_column
from quorate.errors import InvalidInput, UnknownTerm
from quorate.table.judgments import Judgments
from quorate.table.notes import left_unused, read_as
from quorate.table.reading.taken import ARGUMENTS
from quorate.table.votes import Votes


def test_every_option_reaches_the_reader(tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text("q,who,group,points,state\n1,a,g,3,ok\n1,b,g,-,ok\n2,a,h,5,ok\n2,b,h,4,refused\n")
    options = {"score": "points", "facet": ["question=q", "judge=who"], "object_": "question", "fixed": ""}
    found = ScoreReading(**options, nested=["question=group"], status="state", missing=["-"], scale="0,10").judgments(
        path
    )
    assert found.names == ("question", "judge", "group")
    assert (found.object, found.facet("question").parent) == ("question", "group")
    assert not any(facet.fixed for facet in found.facets)
    assert found.scale == (0.0, 10.0)
    assert {name: int(n.sum()) for name, n in found.status.items()} == {"ok": 2, "missing": 1, "refused": 1}


@pytest.mark.parametrize("scale", ["1,5", " 1, 5"])
def test_ends_of_a_scale(scale):
    assert ends(scale) == (1.0, 5.0)


@pytest.mark.parametrize("scale", ["5", "", "low,high", "1,2,3"])
def test_what_is_no_scale(scale):
    with pytest.raises(InvalidInput, match="--scale: expects the least and the greatest score, such as 1,5"):
        ends(scale)


def test_one_facet_leaves_the_others_recognised(tmp_path):
    path = tmp_path / "named.csv"
    path.write_text("item,grader_name,variant,status,score\n1,a,p,ok,3\n1,b,q,refused,0\n2,a,q,ok,5\n2,b,p,ok,4\n")
    found = ScoreReading(facet=["judge=grader_name"]).judgments(path)
    assert found.names == ("item", "prompt", "judge")
    assert found.n_answers == 3
    assert "prompt = column variant" in found.notes
    left = ScoreReading(facet=["judge=grader_name", "prompt="], status="").judgments(path)
    assert (left.names, left.n_answers) == (("item", "judge"), 4)
    assert "not used: variant, status" in left.notes
    more = ScoreReading().judgments(path, also=("item", "grader_name"))
    assert more.names == ("item", "prompt", "grader_name")


def test_without_options_columns_are_recognised(scores):
    found = ScoreReading().judgments(scores)
    assert found.names == ("item", "prompt", "judge")
    assert [facet.name for facet in found.facets if facet.fixed] == ["judge"]


@pytest.fixture
def path(tmp_path):
    out = tmp_path / "votes.csv"
    out.write_text("model_a,model_b,winner,who,w\n" + "x,y,1,a,2\nx,y,2,b,1\n")
    return out


def test_roles_are_given_by_column(path):
    found = VoteReading(role=["judge=who", "count=w"]).votes(path)
    assert found.n == 3
    assert found.facet("judge").levels == ("a", "b")
    assert role_of("who", found) == role_of("judge", found) == "judge"
    assert role_of(None, found) is None
    with pytest.raises(UnknownTerm, match='no role "model"'):
        role_of("model", found)


def test_labels_of_one_meaning_add_up(path):
    found = VoteReading(outcome=["a=1", "tie=2"]).votes(path)
    assert (found.n_decisive, found.tie_share) == (1, 0.5)
    assert VoteReading(outcome=["missing=1", "missing=2"]).votes(path).n == 0


@pytest.mark.parametrize(("options", "said"), [({"role": ["judge"]}, "--role"), ({"outcome": ["tie"]}, "--outcome")])
def test_a_pair_without_a_value_is_refused(path, options, said):
    with pytest.raises(InvalidInput, match=f"{said}: expects a pair"):
        VoteReading(**options).votes(path)


@pytest.fixture
def both(tmp_path) -> Path:
    """A file that could be read either way."""
    path = tmp_path / "both.csv"
    path.write_text("item,model_a,model_b,winner,score\n1,x,y,model_a,3\n2,x,y,model_b,4\n")
    return path


def test_the_columns_say_what_it_is(both, scores):
    assert isinstance(Reading().table(both), Votes)
    assert isinstance(Reading().table(scores), Judgments)


def test_an_option_says_it_first(both, tmp_path):
    assert isinstance(Reading(facet=["item=item"]).table(both), Judgments)
    path = tmp_path / "other.csv"
    path.write_text("left,right,winner\nx,y,left\nx,y,right\n")
    assert isinstance(Reading(model_a="left", model_b="right", outcome=["a=left", "b=right"]).table(path), Votes)


def test_options_of_both_contradict_each_other(both):
    with pytest.raises(InvalidInput, match="--score: for scores, and --model-a is for votes"):
        Reading(score="points", model_a="left").table(both)


def test_options_of_the_other_kind_are_refused(both, scores):
    with pytest.raises(InvalidInput, match="--judge-price: for scores, and this file has votes; leave it out"):
        Reading().table(both, Prices(judge_price=["a=1"]))
    assert isinstance(Reading().table(scores, Prices(judge_price=["a=1"])), Judgments)


def test_a_column_that_is_used_otherwise_is_not_unused():
    notes = [read_as("judge", ["j"]), *left_unused(["human", "other"])]
    assert with_column(notes, "people", "human") == ["judge = column j", "people = column human", "not used: other"]
    assert with_column(left_unused(["human"]), "human", "human") == ["human = column human"]
    assert with_column(notes, "people", None) == notes


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
    assert said in run("analyze", wide, "--roles", "r.yaml").refused()


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
    assert "Two judges agree on 70.2%" in kept.out
    assert kept.out == by_itself.out


GOOD = {"random": {"item": 0.01, "item:judge": 2}, "sensitivity": {"judge": 0.0005}}


def test_components_are_read(tmp_path):
    path = tmp_path / "c.json"
    path.write_text("\ufeff" + json.dumps(GOOD), encoding="utf-8")
    found = components_from(path)
    assert found.random == {"item": 0.01, "item:judge": 2.0}
    assert found.sensitivity == {"judge": 0.0005}


def test_nesting_is_read(tmp_path):
    path = tmp_path / "c.json"
    path.write_text(json.dumps({"random": {"item": 1.0, "response": 2.0}, "nested": {"response": "item"}}))
    assert components_from(path).above == {"response": ("item",)}


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is not JSON"),
        (b"{", "is not JSON"),
        (b"[" * 100_000, "is not JSON"),
        (b"\xff\xfe", "is not UTF-8 text"),
        (b"[1]", "expects components such as"),
        (b"{}", "expects components such as"),
        (b'{"random": {"item": 1}, "fixed": {}}', "expects components such as"),
        (b'{"random": 3}', '"random" must map terms to variances'),
        (b'{"random": {"item": 1}, "nested": []}', '"nested" must map facets to facets'),
        (b'{"random": {"item": 1}, "sensitivity": []}', '"sensitivity" must map terms to variances'),
        (b'{"random": {}}', "at least one random term"),
        (b'{"random": {"item": -1}}', '"item" must be a finite variance'),
        (b'{"random": {"item": "1"}}', '"item" must be a finite variance'),
        (b'{"random": {"item": NaN}}', '"item" must be a finite variance'),
        (b'{"random": {"item": 1' + b"0" * 400 + b"}}", '"item" must be a finite variance'),
    ],
)
def test_a_broken_file_is_named_with_what_is_wrong(run, tmp_path, content, says):
    path = tmp_path / "c.json"
    path.write_bytes(content)
    with pytest.raises(InvalidInput) as raised:
        components_from(path)
    assert str(raised.value).startswith(f"{path}: ")
    assert says in str(raised.value)
    run("plan", "--design", path, "--items", 10).refused()


def test_a_file_that_is_not_there(run):
    ran = run("plan", "--design", "none.json", "--items", 10)
    assert (ran.code, ran.err) == (1, "quorate: none.json: cannot be read (No such file or directory)\n")
