from types import SimpleNamespace

import pytest

from quorate.errors import InvalidInput
from quorate.study.file import load
from quorate.study.questions import questions

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
