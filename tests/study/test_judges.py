"""Kinds of judges: several people are a judge each."""

import json
from csv import field_size_limit
from types import SimpleNamespace

import polars as pl
import pytest

from quorate.collect.judge import Reply
from quorate.errors import InvalidInput
from quorate.study.file import Items, load
from quorate.study.goal import KINDS, PeopleSettings, PythonSettings, seated
from quorate.study.judges import ItemTable, alike, check, digests, endpoint, made, pace, price, read_items
from quorate.study.questions import questions

ENDPOINT = {"kind": "endpoint", "base_url": "http://127.0.0.1:1/v1", "model": "m", "params": {"max_tokens": 9}}


def test_settings_reach_the_endpoint(study):
    judge = ENDPOINT | {"key_env": "THE_KEY", "timeout": 5, "price": {"input": 1, "output": 2}, "query": {"v": "1"}}
    found = load(study(judges={"m": judge}))
    made_of = endpoint("m", found.judges["m"])
    assert (made_of.url, made_of.model, made_of.key_env, made_of.timeout) == (judge["base_url"], "m", "THE_KEY", 5.0)
    assert (dict(made_of.params), dict(made_of.query)) == ({"max_tokens": 9}, {"v": "1"})
    assert made_of.price == price(found, "m")
    assert price(found, "m").cost(1_000_000, 1_000_000) == 3


def test_the_digest_is_of_what_answers_depend_on(study):
    def of(**changes):
        return digests(load(study(judges={"m": ENDPOINT | changes})))["m"]

    same = [{"timeout": 5}, {"key_env": "K"}, {"price": {"call": 1}}, {"concurrency": 2}, {"rate": 1}]
    other = [{"model": "n"}, {"params": {}}, {"base_url": "http://127.0.0.1:2/v1"}, {"structured": "json_schema"}]
    other += [{"api": "gemini"}, {"api": "anthropic"}]
    assert {of(**changes) for changes in (*same, {"api": "openai"})} == {of()}
    assert len({of(), *(of(**changes) for changes in other)}) == 7


def test_the_digest_of_a_recorded_table_is_that_of_its_file(study, tmp_path):
    path = study(judges={"r": {"kind": "replay", "table": "t.csv"}})
    (tmp_path / "t.csv").write_text("item,judge,score\nq1,r,1\n")
    before = digests(load(path))
    (tmp_path / "t.csv").write_text("item,judge,score\nq1,r,2\n")
    assert digests(load(path)) != before


def test_functions_are_given_by_name(study):
    found = load(study())
    assert made(found, {"rule": lambda _: 1})["rule"].name == "rule"
    with pytest.raises(InvalidInput, match=r'judge "rule": is a function.*quorate.run\(path, judges=\{"rule"'):
        made(found)
    with pytest.raises(InvalidInput, match='no judge "ruler" of kind python'):
        made(found, {"rule": len, "ruler": len})


def test_a_judge_may_be_given_for_a_function(study):
    class Own:
        name = "rule"

        async def ask(self, _request):
            return Reply("ok", 1.0)

        async def close(self):
            pass

    own = Own()
    assert made(load(study()), {"rule": own})["rule"] is own
    own.name = "other"
    with pytest.raises(InvalidInput, match='"rule" is given a judge whose name is "other"'):
        made(load(study()), {"rule": own})


def test_probabilities_are_not_asked_of_a_form_that_has_none(study):
    prompts = {"p": {"built_in": "score", "expected": True}}
    with pytest.raises(InvalidInput, match=r"anthropic gives no token probabilities, which prompts\.p\.expected needs"):
        check(load(study(judges={"m": ENDPOINT | {"api": "anthropic"}}, prompts=prompts)))


def test_settings_are_checked_without_keys(study):
    check(load(study(judges={"m": ENDPOINT | {"key_env": "NOT_THERE"}})))
    with pytest.raises(InvalidInput, match='judge "m": url: must be an http'):
        check(load(study(judges={"m": ENDPOINT | {"base_url": "127.0.0.1"}})))
    with pytest.raises(InvalidInput, match='judge "m": headers: "X-Api-Key" looks like a key'):
        check(load(study(judges={"m": ENDPOINT | {"headers": {"X-Api-Key": "sk-1"}}})))
    with pytest.raises(InvalidInput, match="environment variable NOT_THERE is not set"):
        made(load(study(judges={"m": ENDPOINT | {"key_env": "NOT_THERE"}})))


def test_what_has_no_price_is_unknown_and_not_free(study):
    found = load(study(judges={"m": ENDPOINT, "f": {"kind": "python"}, "r": {"kind": "replay", "table": "t.csv"}}))
    assert [price(found, name).cost(1, 1) for name in "mfr"] == [None, None, 0.0]


def test_a_judge_is_asked_at_its_rate(study):
    written = load(study(judges={"m": ENDPOINT | {"rate": 2.5, "concurrency": 3}}))
    assert (pace(written, "m").rate, pace(written, "m").concurrency) == (2.5, 3)
    assert pace(load(study(judges={"m": ENDPOINT})), "m").rate is None


@pytest.mark.parametrize("params", [{"api_key": "x"}, {"stop": ["sk-proj-0123456789abcdef"]}])
def test_parameters_of_a_judge_that_is_no_endpoint_hold_no_keys_either(study, params):
    with pytest.raises(InvalidInput, match='judge "m": params') as caught:
        check(load(study(judges={"m": {"kind": "local", "params": params}})))
    assert "0123456789" not in str(caught.value)


@pytest.mark.parametrize("other", ["gpt\u20114", "GPT-4", "g\u0440t-4", "gpt-\uff14", "gpt-4\u0301", "gpt_4", "gpt 4"])
def test_names_that_look_like_another_are_found(other):
    assert alike(["claude", "gpt-4", other]) == (("gpt-4", other),)


def test_other_names_are_told_apart():
    assert alike(["gpt-4", "gpt-4o", "gpt-41", "llama", "qwen-2.5", "qwen-25", "\u0434\u0430", "\u043d\u0435"]) == ()


def read(folder, text, name="items.jsonl", **columns):
    (folder / name).write_text(text, encoding="utf-8")
    return read_items(Items(file=name, **columns), folder)


def lines(*rows):
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def test_json_lines_stay_as_they_are(tmp_path):
    found = read(tmp_path, "\n" + lines({"id": 1, "response": "2024-01-01"}, {"id": "b", "response": "007"}))
    assert found.fields == {("1", ""): {"response": "2024-01-01"}, ("b", ""): {"response": "007"}}
    assert (found.names, found.systems, found.categories) == (("1", "b"), (), {})


def test_csv_and_parquet_say_the_same(tmp_path):
    csv = read(tmp_path, 'id,response,note\na,"one\n\ntwo, ""three""",\nb,007,x\n', "items.csv")
    assert csv.fields["a", ""] == {"response": 'one\n\ntwo, "three"'}
    assert csv.fields["b", ""] == {"response": "007", "note": "x"}
    pl.DataFrame({"id": ["a", "b"], "response": ['one\n\ntwo, "three"', "007"], "note": [None, "x"]}).write_parquet(
        tmp_path / "items.parquet"
    )
    parquet = read_items(Items(file="items.parquet"), tmp_path)
    assert parquet.fields == csv.fields
    assert parquet.digest(("a", "")) == csv.digest(("a", ""))


def test_systems_and_categories_are_not_shown_to_judges(tmp_path):
    rows = [{"n": i, "kind": "k", "by": s, "response": f"{i}{s}"} for i in "ab" for s in "xy"]
    found = read(tmp_path, lines(*rows), id="n", category="kind", system="by")
    assert found.systems == ("x", "y")
    assert found.categories == {"a": "k", "b": "k"}
    assert found.fields["a", "y"] == {"response": "ay"}
    assert found.digest(("a", "x")) != found.digest(("a", "y"))


A = {"id": "a", "by": "x", "kind": "k", "response": "r"}
BAD = {
    "twice": (lines(A, A), 'row 2: "a" stands twice', {}),
    "no column": (lines({"name": "a"}), 'row 1: items.id: no column "id"', {}),
    "no name": (lines({"id": ""}), 'row 1: "id" must be a name, got ""', {}),
    "list": (lines({"id": [1]}), 'row 1: "id" must be a name', {}),
    "none": ("", "there are no items", {}),
    "no json": ("{\n", "line 1 is not JSON", {}),
    "nan": ('{"id": "a", "x": NaN}\n', "line 1 is not JSON .NaN", {}),
    "no object": ("[1]\n", "line 1 is not a JSON object", {}),
    "system": (lines(A, A | {"by": "y"}, A | {"id": "b"}), '"b" has no row for the system "y"', {"system": "by"}),
    "nothing to read": (
        lines({"id": "a", "prompt": " ", "response": ""}),
        'row 1: "a": prompt and response without text give a judge nothing to read; drop the row',
        {},
    ),
    "category": (lines(A, A | {"by": "y", "kind": "l"}), "another category", {"system": "by", "category": "kind"}),
}


@pytest.mark.parametrize(("text", "said", "columns"), BAD.values(), ids=BAD)
def test_items_that_cannot_be_used(tmp_path, text, said, columns):
    with pytest.raises(InvalidInput, match=said) as error:
        read(tmp_path, text, **columns)
    assert str(error.value).isprintable()


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(InvalidInput, match="relative to the study"):
        read_items(Items(file="none.jsonl"), tmp_path)
    with pytest.raises(InvalidInput, match="more or fewer cells"):
        read(tmp_path, "id,response\na\n", "items.csv")
    with pytest.raises(InvalidInput, match="quote"):
        read(tmp_path, 'id,response\na,"b" c\n', "items.csv")
    (tmp_path / "items.jsonl").write_bytes(b'{"id": "\xff"}\n')
    with pytest.raises(InvalidInput, match="not UTF-8"):
        read_items(Items(file="items.jsonl"), tmp_path)


def test_the_process_keeps_its_own_limit_of_a_cell(tmp_path):
    before = field_size_limit()
    read(tmp_path, "id,response\na,x\n", "items.csv")
    with pytest.raises(InvalidInput):
        read(tmp_path, "id,response\na,x,y\n", "items.csv")
    assert field_size_limit() == before


class Counted(dict):
    """A mapping that counts how many of its names were looked through."""

    seen = 0

    def __iter__(self):
        for name in super().__iter__():
            self.seen += 1
            yield name


def test_whether_items_are_pairs_is_known_without_looking_through_them():
    """It is asked for every cell and every request."""
    for name, pairs in ((("", "x", "y"), True), (("", "x"), False)):
        fields = Counted({(f"q{number}", *name[1:]): {} for number in range(1000)})
        assert ItemTable(fields, {}, ()).pairs is pairs
        assert fields.seen == 1


def test_every_seat_of_several_people_is_a_judge():
    raters = PeopleSettings(kind="people", seats=2, price=0.3)
    found = seated({"m": PythonSettings(kind="python"), "raters": raters})
    assert list(found) == ["m", "raters 1", "raters 2"]
    assert (found["raters 1"].kind, found["raters 2"].price) == ("person", 0.3)
    with pytest.raises(ValueError, match='"raters 1" is the name of a seat and of another judge'):
        seated({"raters 1": PythonSettings(kind="python"), "raters": raters})
    assert KINDS == ("endpoint", "batch", "local", "replay", "python", "person", "people")


PAIRS = [{"id": i, "prompt": "p", "response_a": f"{i} one", "response_b": f"{i} two"} for i in "ab"]


def leased(cells, row):
    names = {name: cells.column(name)[row] for name in cells.levels}
    return SimpleNamespace(key="k", judge=names["judge"], levels=names, replicate=int(cells.replicate[row]))


def test_every_cell_has_a_key_of_its_own(study):
    path = study(prompts=["score", "score-reasoned"], temperatures=[0, 0.7], replicates=3)
    asked = questions(load(path))
    cells = asked.cells()
    keys = list(asked.keys(cells))
    assert list(cells.levels) == ["item", "prompt", "judge", "temperature"]
    assert len(set(keys)) == len(cells) == 3 * 2 * 2 * 3
    again = questions(load(path))
    assert list(again.keys(again.cells())) == keys


def test_items_with_the_same_text_keep_their_own_keys(study):
    rows = [{"id": i, "prompt": "p", "response": "r"} for i in "abc"]
    asked = questions(load(study(rows=rows, prompts={"one": "score", "two": "score"})))
    assert len(set(asked.keys(asked.cells()))) == 6


def test_a_question_has_the_item_and_the_temperature(study):
    asked = questions(load(study(temperatures=[0.7])))
    cells = asked.cells()
    request = asked.request(leased(cells, 0))
    assert request.params == {"temperature": 0.7}
    assert asked.items.fields[request.cell["item"], ""]["response"] in request.messages[-1].content
    assert request.cell["replicate"] == "1"
    plain = questions(load(study()))
    assert plain.request(leased(plain.cells(), 0)).params == {}


def test_pairs_are_asked_both_ways_round(study):
    asked = questions(load(study(rows=PAIRS, prompts=["pairwise"], order="both")))
    cells = asked.cells()
    assert cells.levels["order"] == ("listed", "swapped")
    said = {}
    for row in range(len(cells)):
        request = asked.request(leased(cells, row))
        text = request.messages[-1].content
        item = request.cell["item"]
        first = text.index(f"{item} one") < text.index(f"{item} two")
        said[item, request.cell["order"]] = (first, request.expects.swapped)
    assert said == {(i, o): (o == "listed", o == "swapped") for i in "ab" for o in ("listed", "swapped")}
    assert len(set(asked.keys(cells))) == 4


def test_systems_are_a_facet_that_judges_do_not_see(study):
    rows = [{"id": i, "by": s, "prompt": "p", "response": f"{i} {n}"} for i in "ab" for n, s in enumerate(("Xi", "Yo"))]
    asked = questions(load(study(rows=rows, items={"file": "items.jsonl", "system": "by"})))
    cells = asked.cells()
    assert cells.levels["system"] == ("Xi", "Yo")
    assert not any("Xi" in turn.content for row in range(4) for turn in asked.request(leased(cells, row)).messages)


def test_what_cannot_be_asked_is_found_before_anything_is_sent(study, tmp_path):
    with pytest.raises(InvalidInput, match=r'items: "q1": prompt "pairwise"'):
        list(questions(load(study(prompts=["pairwise"]))).messages())
    with pytest.raises(InvalidInput, match=r'items: "q1": .*only two responses can be swapped'):
        list(questions(load(study(order="both"))).messages())
    with pytest.raises(InvalidInput, match="score scores 1 to 10 and helpfulness 0 to 4"):
        questions(load(study(prompts=["score", "helpfulness"])))
    with pytest.raises(InvalidInput, match='no built-in prompt "scor"'):
        questions(load(study(prompts=["scor"])))
    with pytest.raises(InvalidInput, match=r"prompts.own.file: .*cannot be read"):
        questions(load(study(prompts={"own": {"file": "own.j2", "scale": [1, 5]}})))


def test_a_prompt_of_the_study(study, tmp_path):
    (tmp_path / "own.j2").write_text("Rate {{ response }} from 1 to 5.")
    asked = questions(load(study(prompts={"own": {"file": "own.j2", "scale": [1, 5]}})))
    assert asked.scale.high == 5
    before = {part.name: part.digest for part in asked.parts()}
    (tmp_path / "own.j2").write_text("Rate {{ response }} from 1 to 5!")
    after = {part.name: part.digest for part in questions(load(tmp_path / "study.yaml")).parts()}
    assert {name for name in before if before[name] != after[name]} == {"own"}
    assert before.keys() == {"own", "rule", "q1", "q2", "q3"}


def test_a_null_that_a_prompt_needs_is_named_with_its_row(study):
    rows = [{"id": "a", "prompt": "p", "response": "r"}, {"id": "b", "prompt": "p", "response": None, "note": None}]
    with pytest.raises(InvalidInput, match=r'items: "b": .*; "response" is null or empty in row 2 of items.jsonl$'):
        list(questions(load(study(rows=rows))).messages())
