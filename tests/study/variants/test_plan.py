import pytest

from quorate.collect.prompt import built_in
from quorate.errors import InvalidInput
from quorate.study.file import load
from quorate.study.questions import questions
from quorate.study.variants import MOST, prepared

ENDPOINT = {"kind": "endpoint", "base_url": "http://127.0.0.1:1/v1", "model": "m"}
PRICED = ENDPOINT | {"price": {"input": 1, "output": 2}}


def test_what_is_asked_is_known_before(study, tmp_path):
    found = prepared(study(judges={"m": PRICED}, budget={"calls": 7, "money": 1}), n=3)
    assert (found.judge, found.bounds.original.name, found.ask.number, found.ask.tries) == ("m", "score", 3, 5)
    assert list(found.files.items()) == [(f"score-{n}", tmp_path / "prompts" / f"score-{n}.j2") for n in (1, 2, 3)]
    assert found.copies == {tmp_path / "prompts" / "score.j2": built_in("score").source}
    assert found.words == found.bounds.text.words
    assert found.bounds.items[:2] == ("what is 2 + 2?", "4")
    assert (found.left.calls, found.left.money) == (7, 1)


def test_the_quote_is_bounded(study):
    quoted = prepared(study(judges={"m": PRICED}), n=3).quote
    assert (quoted.calls.low, quoted.calls.expected, quoted.calls.high) == (3, 3, 15)
    assert quoted.call is not None
    assert quoted.money.high == 15 * quoted.call > quoted.money.expected > 0
    assert quoted.tokens.high > quoted.tokens.expected > quoted.tokens.low > 0
    unknown = prepared(study(judges={"m": ENDPOINT})).quote
    assert (unknown.money.expected, unknown.money.high, unknown.call) == (None, None, None)


@pytest.mark.parametrize(
    ("params", "limit"),
    [
        ({}, {"max_tokens"}),
        ({"max_tokens": 9000}, {"max_tokens"}),
        ({"max_completion_tokens": 40}, {"max_completion_tokens"}),
    ],
)
def test_there_is_room_for_the_reply(study, params, limit):
    found = prepared(study(judges={"m": ENDPOINT | {"params": params}}), temperature=0.5)
    assert found.ask.params.keys() == {"temperature"} | limit
    room = found.ask.params[min(limit)]
    assert room == (9000 if params.get("max_tokens") else 256 + len(found.bounds.text.parts[0]))


def test_other_wordings_of_the_study_are_known(study, tmp_path):
    (tmp_path / "own.j2").write_text("Rate it.\n\n{{ response }}\n\nMind the rhyme.\n")
    own = {"file": "own.j2", "scale": [1, 10]}
    found = prepared(study(judges={"m": ENDPOINT}, prompts={"a": "score", "b": "score-reasoned", "c": own}), prompt="a")
    assert found.others == (found.bounds.text.parts,)  # the reasoned one has the same task; c has two parts
    (tmp_path / "bare.j2").write_text("{{ response }}")
    bare = {"file": "bare.j2", "scale": [1, 10]}
    assert prepared(study(judges={"m": ENDPOINT}, prompts={"a": "score", "b": bare}), prompt="a").others == ()


def test_the_ledger_s_spend_is_taken_off_the_budget(study, tmp_path, monkeypatch):
    from quorate.study.loop import run

    path = study(budget={"calls": 5})
    run(path, judges={"rule": lambda _: 7})
    assert prepared(path, judges={"rule": len}).left.calls == 2
    with pytest.raises(InvalidInput, match="budget: has no room for another call"):
        prepared(study(budget={"calls": 3}), judges={"rule": len})


@pytest.mark.parametrize(
    ("changes", "options", "said"),
    [
        ({}, {"n": 0}, f"n: must be from 1 to {MOST}, got 0"),
        ({}, {"temperature": 3}, "temperature: must be from 0 to 2"),
        ({}, {"prompt": "scores"}, 'prompt: the study has no prompt "scores", it has score'),
        ({"prompts": ["score", "score-reasoned"]}, {}, "prompt: the study has score, score-reasoned; name one"),
        ({"judges": {"a": ENDPOINT, "b": dict(ENDPOINT)}}, {}, "judge: the study has a, b; name one"),
        ({}, {"judge": "none"}, 'judge: the study has no judge "none"'),
        ({}, {}, r'judge "rule": is a function.*quorate.variants\(path, judges=\{"rule": function\}\)'),
        ({"judges": {"r": {"kind": "replay", "table": "t.csv"}}}, {}, 'judge "r": replays recorded scores'),
        ({"judges": {"b": ENDPOINT | {"kind": "batch"}}}, {}, 'judge "b": answers in batches'),
        ({"judges": {"m": ENDPOINT}, "budget": {"money": 1}}, {}, "judges.m: price is missing"),
        ({"judges": {"m": PRICED}, "budget": {"money": 0.0001}}, {}, "budget: has no room"),
        ({"judges": {"m": PRICED}, "budget": {"calls": 0}}, {}, "budget: has no room"),
    ],
)
def test_what_cannot_be_asked_is_one_line(study, tmp_path, changes, options, said):
    (tmp_path / "t.csv").write_text("item,judge,prompt,score\nq1,r,score,7\n")
    with pytest.raises(InvalidInput, match=said) as caught:
        prepared(study(**changes), **options)
    assert "\n" not in str(caught.value)


def test_files_that_are_there_are_kept(study, tmp_path):
    path = study(judges={"m": ENDPOINT})
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "score.j2").write_text(questions(load(path)).prompts["score"].source)
    prepared(path)
    (tmp_path / "prompts" / "score-2.j2").write_text("mine")
    with pytest.raises(InvalidInput, match=r"score-2\.j2 is there already"):
        prepared(path)
    assert prepared(path, n=1).files.keys() == {"score-1"}
    assert prepared(path, out=tmp_path / "else").files["score-2"] == tmp_path / "else" / "score-2.j2"
    assert prepared(path, force=True).files["score-2"] == tmp_path / "prompts" / "score-2.j2"


def test_a_prompt_that_the_study_reads_is_kept_even_by_force(study, tmp_path):
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "own-1.j2").write_text("Rate it from 1 to 5.\n\n{{ response }}")
    path = study(judges={"m": ENDPOINT}, prompts={"own": {"file": "prompts/own-1.j2", "scale": [1, 5]}})
    with pytest.raises(InvalidInput, match=r"own-1\.j2 is a prompt that the study reads; choose another folder"):
        prepared(path, force=True)
