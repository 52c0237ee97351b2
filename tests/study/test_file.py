"""Answers of a study: scores, or votes where two systems are named."""

import json
import re
from datetime import date

import pytest
import yaml
from under_way import scored, voted

import quorate as q
from quorate.errors import InvalidInput
from quorate.study.file import answers, load, schema
from quorate.study.problems import first_problem, parsed

ENDPOINT = {"kind": "endpoint", "base_url": "http://127.0.0.1:1/v1", "model": "m"}


def test_a_study_is_read(study):
    found = load(study(judges={"m": ENDPOINT, "r": {"kind": "replay", "table": "t.csv"}}, temperatures=[0, 0.7]))
    assert found.judges["m"].base_url == "http://127.0.0.1:1/v1"
    assert found.temperatures == [0.0, 0.7]
    assert found.prompts["score"].built_in == "score"
    assert (found.layout.name, found.replicates, found.seed) == ("factorial", 1, 1)
    assert found.database == found.folder / "study.db"
    assert load(study(ledger="x.db")).database.name == "x.db"


BAD = {
    "unknown": ({"judge": {}}, "judge: there is no such setting; did you mean"),
    "no items": ({"items": None}, "items: is missing; give it"),
    "no judges": ({"judges": {}}, r"judges: must be more than nothing, such as judges: .*got nothing$"),
    "no prompts": ({"prompts": []}, r"prompts: must be more than nothing, such as prompts: \[score\], got nothing$"),
    "no budget": ({"budget": None}, "budget: is missing"),
    "empty budget": ({"budget": {}}, "budget: give calls, money or both"),
    "negative calls": ({"budget": {"calls": -1}}, "budget.calls: must be at least 0, .*got -1"),
    "calls as text": ({"budget": {"calls": "100"}}, "budget.calls: must be a whole number, .*got '100'; write"),
    "calls as truth": ({"budget": {"calls": True}}, "budget.calls: must be a whole number, .*got True"),
    "infinite money": ({"budget": {"money": float("inf")}}, "budget.money: .*finite"),
    "no kind": (
        {"judges": {"m": {"model": "m"}}},
        "judges.m: kind is missing; one of endpoint, batch, local, replay, python, person, people",
    ),
    "wrong kind": ({"judges": {"m": {"kind": "openai"}}}, "judges.m: kind must be one of .*, got 'openai'"),
    "no model": ({"judges": {"m": {"kind": "endpoint", "base_url": "u"}}}, "judges.m.model: is missing"),
    "a key": ({"judges": {"m": {**ENDPOINT, "api_key": "sk-1"}}}, "judges.m.api_key: .*never write a key here"),
    "a key for a name": ({"judges": {"m": {**ENDPOINT, "key_env": "sk-1"}}}, "judges.m.key_env: must be the name of"),
    "typo": ({"judges": {"m": {**ENDPOINT, "parms": {}}}}, 'judges.m.parms: .*did you mean "params"'),
    "endless timeout": ({"judges": {"m": {**ENDPOINT, "timeout": 1e300}}}, "judges.m.timeout: must be at most 86,400"),
    "no timeout": ({"judges": {"m": {**ENDPOINT, "timeout": 1e-300}}}, "judges.m.timeout: must be at least 0.01"),
    "endless rate": ({"judges": {"m": {**ENDPOINT, "rate": 1e300}}}, "judges.m.rate: must be at most 1,000,000"),
    "text timeout": ({"judges": {"m": {**ENDPOINT, "timeout": "60s"}}}, "judges.m.timeout: must be .*got '60s'$"),
    "no rate": ({"judges": {"m": {**ENDPOINT, "rate": 0}}}, "judges.m.rate: must be at least 0.001, got 0"),
    "half a price": ({"judges": {"m": {**ENDPOINT, "price": {"input": 1}}}}, "judges.m.price: .*input and output"),
    "no price": ({"judges": {"m": {**ENDPOINT, "price": {}}}}, "judges.m.price: .*leave price out"),
    "judges as list": ({"judges": ["m"]}, "judges: must be a mapping, such as judges: .*got .'m'.$"),
    "way": ({"judges": {"m": {**ENDPOINT, "structured": "xml"}}}, "judges.m.structured: must be one of .* got 'xml'"),
    "two sources": ({"prompts": {"a": {"built_in": "score", "file": "a.j2"}}}, "prompts.a: give either"),
    "no scale": ({"prompts": {"a": {"file": "a.j2"}}}, r"prompts.a: a file needs its scale, such as \[1, 10\]"),
    "key of no labels": ({"prompts": {"a": {"file": "a.j2", "scale": [0, 1], "key": "k"}}}, "prompts.a: .*list of lab"),
    "scale of three": ({"prompts": {"a": {"file": "a.j2", "scale": [1, 2, 3]}}}, "prompts.a.scale: .*at most 2"),
    "own scale": ({"prompts": {"a": {"built_in": "score", "scale": [1, 2]}}}, "prompts.a: scale is that of the built"),
    "prompt twice": ({"prompts": ["score", "score"]}, "prompts: list each prompt once"),
    "prompt number": ({"prompts": [1]}, "prompts: list names of built-in prompts"),
    "temperature text": ({"temperatures": ["hot"]}, r"temperatures\[0\]: must be a finite .*such as 0.7, got 'hot'"),
    "temperature twice": ({"temperatures": [0, 0.0]}, "temperatures: give each one once"),
    "no temperatures": ({"temperatures": []}, "temperatures: must be more than nothing, .*got nothing"),
    "two temperatures": (
        {"temperatures": [0], "judges": {"m": {**ENDPOINT, "params": {"temperature": 1}}}},
        "judges.m.params: temperature is set by temperatures",
    ),
    "no replicates": ({"replicates": 0}, "replicates: must be at least 1"),
    "half a replicate": ({"replicates": 1.5}, "replicates: must be a whole number, .*got 1.5$"),
    "layout": ({"layout": "latn"}, "layout.name: must be one of .*all-judges, got 'latn'; did you mean .latin"),
    "order": ({"order": "random"}, "order: must be one of listed, swapped, both, got 'random'"),
    "adaptive": ({"adaptive": {}, "replicates": 2}, "adaptive: the policy says how often"),
    "seed": ({"seed": -1}, "seed: must be at least 0"),
    "seed of 65 bits": ({"seed": 2**64}, "seed: must be at most 9,223,372,036,854,775,807"),
    "no tries": ({"tries": 0}, "tries: must be at least 1"),
    "tries without end": ({"tries": 1001}, "tries: must be at most 1,000"),
    "ledger in memory": ({"ledger": "./:memory:"}, "ledger: must be a file that outlives the run"),
    "name of blanks": ({"judges": {" ": {"kind": "python"}}}, "judges. : must have text"),
    "name no text": ({"judges": {7: {"kind": "python"}}}, 'judges: a name must be a text, got 7; write "7" in quo'),
    "name of a date": ({"judges": {date(2024, 1, 1): {}}}, "judges: a name must be a text, got 2024-01-01; write"),
    "budget alone": ({"budget": 100}, r"budget: must be a mapping, such as budget: {calls: 1000}, got 100$"),
    "price alone": ({"judges": {"m": {**ENDPOINT, "price": 0.5}}}, "judges.m.price: must be a mapping, such as price"),
    "temperature alone": ({"temperatures": "hot"}, r"temperatures: must be a list, such as temperatures: \[0, 0.7\]"),
    "meant": ({"judgs": {}}, 'judgs: there is no such setting; did you mean "judges".( .and 1 more|$)'),
    "calls without end": ({"budget": {"calls": 10**30}}, "budget.calls: must be at most 1,000,000,000,000,000"),
    "money without end": ({"budget": {"money": 1e30}}, "budget.money: must be at most 1,000,000,000"),
    "replicates without end": ({"replicates": 10**11}, "replicates: must be at most 1,000,000"),
    "line end": ({"judges": {"a\nb": {"kind": "python"}}}, "judges.*: must have text, without line ends"),
}


@pytest.mark.parametrize(("changes", "said"), BAD.values(), ids=BAD)
def test_what_is_wrong_is_one_line_with_its_place(study, changes, said):
    with pytest.raises(InvalidInput) as error:
        load(study(**changes))
    line = str(error.value)
    assert re.search(f"study.yaml: {said}", line), line
    assert line.isprintable()
    assert len(line) < 400
    assert "sk-1" not in line


def test_every_other_problem_is_counted(study):
    with pytest.raises(InvalidInput, match="2 more to repair"):
        load(study(seed="a", replicates="b", tries="c"))


def test_the_schema_describes_what_is_read(study):
    found = json.loads(json.dumps(schema()))
    assert set(found["properties"]) > set(yaml.safe_load(study().read_text()))
    assert found["additionalProperties"] is False
    assert set(found["required"]) == {"items", "judges", "prompts", "budget"}


BAD_OF_PROBLEMS = {
    "items: [": "is not YAML: line 1",
    "a: 1\nb: 2\na: 3\n": 'is not YAML: line 3: "a" is given twice',
    "a: &x [1]\nb: *x\n": "aliases",
    "- a\n": "holds no settings",
    "": "holds no settings",
    "just words": "holds no settings",
    "a: !!python/object/apply:os.getcwd []\n": "is not YAML: line 1: could not determine a constructor",
    "[" * 1000: "is not YAML",
    "? [a]\n: 1\n": "is not YAML",
    "a: 1\nb: 0100\n": "line 2: 0100 is another number in YAML",
    "a: 1:30\n": "line 1: 1:30 is another number in YAML",
    "007: 1\n": "line 1: 007 is another number in YAML",
    "budget:\n  <<: {calls: 9}\n": 'line 2: "<<" is not used here',
}


@pytest.mark.parametrize(
    ("text", "said"), BAD_OF_PROBLEMS.items(), ids=[said[:20] for said in BAD_OF_PROBLEMS.values()]
)
def test_what_is_no_study_is_one_line(tmp_path, text, said):
    path = tmp_path / "s.yaml"
    path.write_text(text)
    with pytest.raises(InvalidInput) as error:
        parsed(path)
    assert said in str(error.value)
    assert str(error.value).isprintable()


def test_what_cannot_be_read_is_one_line(tmp_path):
    with pytest.raises(InvalidInput, match=r"cannot be read .No such file"):
        parsed(tmp_path / "none.yaml")
    with pytest.raises(InvalidInput, match="is a folder"):
        parsed(tmp_path)
    (tmp_path / "s.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidInput, match="not UTF-8"):
        parsed(tmp_path / "s.yaml")
    (tmp_path / "big.yaml").write_bytes(b"a" * (256 * 1024 + 1))
    with pytest.raises(InvalidInput, match="larger than 256 kB"):
        parsed(tmp_path / "big.yaml")


def test_numbers_are_what_they_look_like(tmp_path):
    path = tmp_path / "s.yaml"
    path.write_text("{a: 100, b: 1e3, c: -1.5e-2, d: '0100', e: 0.5, f: 0, g: \"1:30\", h: 1:30 pm}")
    expected = {"a": 100, "b": 1000.0, "c": -0.015, "d": "0100", "e": 0.5, "f": 0, "g": "1:30", "h": "1:30 pm"}
    assert parsed(path) == expected


def test_the_kind_of_a_judge_is_no_place_in_the_file():
    error = {"type": "missing", "loc": ("judges", "endpoint", "endpoint", "model"), "msg": "", "input": {}}
    assert first_problem([error], ("endpoint",)) == "judges.endpoint.model: is missing; give it"


@pytest.mark.wide(1)
@pytest.mark.parametrize(("make", "kind"), [(scored, q.Judgments), (voted, q.Votes)])
def test_answers_are_scores_or_votes(make, kind, tmp_path):
    assert isinstance(answers(load(make(tmp_path, calls=10))), kind)
