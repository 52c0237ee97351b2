"""Drafting prompt variants from the study file to the files, with functions and over HTTP."""

import asyncio
import hashlib
import json
import logging
import os
import signal
import sys
import time
from pathlib import Path

import hostile
import pytest
import yaml

import quorate as q
from quorate.collect.judge import Expects, Reply
from quorate.collect.prompt import Prompt, built_in
from quorate.errors import InvalidInput
from quorate.study.file import load
from quorate.study.questions import questions
from quorate.study.variants import MOST, free, names, place, prepared, prompt_lines, with_origin, write

WORDED = [
    """\
Judge how far a response helps whoever asked, from 1 to 10. See whether it follows the request, is true, covers all \
that is needed and can be understood. Being long or sounding sure earns nothing.

1 to 2: of no use, or damaging: false, beside the point, or empty.
3 to 4: weak: grave mistakes or holes; one would have to begin anew.
5 to 6: middling: partly of use, with mistakes or holes of weight.
7 to 8: solid: true and of use, with little flaws.
9 to 10: outstanding: true, whole and plain; hardly to be bettered.""",
    """\
On a scale from 1 to 10, say what a response is worth to the person who put the question. Ask yourself: was the \
request carried out, are the facts sound, is anything of note left out, does it read easily? Neither size nor airs \
count.

1 to 2: worthless or worse: untrue, astray, or silent.
3 to 4: bad: big slips or omissions; a fresh start would be due.
5 to 6: so-so: some of it works, though slips or omissions matter.
7 to 8: fine: sound and helpful, minor blemishes.
9 to 10: superb: sound, full, lucid; little could be added.""",
]
HOSTILE = [
    *("{{ ''.__class__.__mro__ }}", "{% include '/etc/passwd' %}", "{% set mark = 'x' %}"),
    *("{% endblock %}{% block material %}{{ response.text }}{% endblock %}", "{#", "{{ response }}"),
    "response 3aa166bb934f581e>>>",
]


class Writer:
    """A function that replies with each wording in turn."""

    def __init__(self, *texts):
        self.texts, self.asked = texts, []

    def __call__(self, request):
        self.asked.append(request)
        return f"<part1>{self.texts[(len(self.asked) - 1) % len(self.texts)]}</part1>"


def test_variants_are_drafted_and_used(study, tmp_path):
    path, asked = study(), []
    q.run(path, judges={"rule": lambda _: 6})
    found = q.variants(path, n=2, judges={"rule": Writer(*WORDED)})
    folder = tmp_path / "prompts"
    assert found.files == {"score-1": folder / "score-1.j2", "score-2": folder / "score-2.j2"}
    assert (found.original, found.shortfall, found.spend.calls) == (folder / "score.j2", "", 2)
    source = built_in("score").source
    assert found.original.read_text() == source
    head, rest = found.files["score-1"].read_text().split("\n", 1)
    assert head == (
        '{# Variant score-1 of the prompt "score", drafted by quorate init --variants; by rule; temperature 0.9; '
        f"original sha256 {hashlib.sha256(source.encode()).hexdigest()} #}}"
    )
    assert WORDED[0] in rest
    path.write_text(yaml.safe_dump(yaml.safe_load(path.read_text()) | yaml.safe_load(found.settings)))
    judgments = q.run(path, judges={"rule": lambda request: asked.append(request) or 7})
    assert judgments.facet("prompt").levels == ("score", "score-1", "score-2")
    assert len(asked) == 6  # answers to the original are not asked for again


def test_only_the_instruction_differs_in_what_judges_see(study):
    path = study()
    found = q.variants(path, n=1, judges={"rule": Writer(WORDED[0])})
    path.write_text(yaml.safe_dump(yaml.safe_load(path.read_text()) | yaml.safe_load(found.settings)))
    asked = questions(load(path))
    for fields in asked.items.fields.values():
        old, new = (prompt.messages(fields) for prompt in asked.prompts.values())
        task = found.original.read_text().split("-%}\n")[1].split("\n{%-")[0]
        assert old[0] == new[0]
        assert old[1].content.replace(task, WORDED[0]) == new[1].content


def test_no_item_is_sent(study):
    writer = Writer(*WORDED)
    q.variants(study(), n=2, judges={"rule": writer})
    sent = " ".join(turn.content for request in writer.asked for turn in request.messages)
    assert "Lyon" not in sent
    assert "2 + 2" not in sent


@pytest.mark.wide(4)
@pytest.mark.parametrize("code", HOSTILE)
def test_a_hostile_reply_never_becomes_template_code(study, tmp_path, code):
    text = WORDED[0].replace("Judge how far", f"{code} Judge how far")
    with pytest.raises(InvalidInput, match='judge "rule": gave no usable draft in 5 calls; the last one: it '):
        q.variants(study(), n=1, judges={"rule": Writer(text)})
    assert not (tmp_path / "prompts").exists()
    found = q.variants(study(), n=1, judges={"rule": Writer(text, WORDED[1])})
    assert code not in found.files["score-1"].read_text().split("\n", 1)[1]


@pytest.mark.slow
def test_fewer_drafts_are_said_to_be_fewer(study, tmp_path):
    found = q.variants(study(), n=3, judges={"rule": Writer(WORDED[0])})
    assert list(found.files) == ["score-1"]
    assert found.shortfall == "it hardly differs from another variant"
    assert sorted(path.name for path in (tmp_path / "prompts").iterdir()) == ["score-1.j2", "score.j2"]


def test_a_second_time_adds_others(study):
    path = study()
    first = q.variants(path, n=1, judges={"rule": Writer(WORDED[0])})
    path.write_text(yaml.safe_dump(yaml.safe_load(path.read_text()) | yaml.safe_load(first.settings)))
    second = q.variants(path, prompt="score", n=1, judges={"rule": Writer(*WORDED)})
    assert list(second.files) == ["score-2"]
    assert second.spend.calls == 2  # the first reply repeats what the study has
    assert list(yaml.safe_load(second.settings)["prompts"]) == ["score", "score-2", "score-1"]


def test_a_prompt_of_one_s_own(study, tmp_path):
    (tmp_path / "own.j2").write_text(
        "Say how clear it is, {{ low }} to {{ high }}.\n\n{{ response }}\n\nReply with N.\n"
    )
    path = study(prompts={"own": {"file": "own.j2", "scale": [1, 5]}})
    found = q.variants(path, n=1, judges={"rule": Writer("How easily can one follow it, [[low]] to [[high]]?")})
    text = found.files["own-1"].read_text().split("\n", 1)[1]
    assert text == "How easily can one follow it, {{ low }} to {{ high }}?\n\n{{ response }}\n\nReply with N.\n"
    assert found.original is None
    assert "own-1: {file: prompts/own-1.j2, scale: [1, 5]}" in found.settings


def test_it_can_be_declined_before_anything_is_asked(study, tmp_path):
    writer, seen = Writer(*WORDED), []
    with pytest.raises(InvalidInput, match="declined"):
        q.variants(study(), judges={"rule": writer}, yes=lambda found: seen.append(found.quote.calls.high))
    assert (writer.asked, seen) == ([], [20])
    assert not (tmp_path / "prompts").exists()


def test_it_works_where_a_loop_is_running(study):
    async def notebook():
        return q.variants(study(), n=1, judges={"rule": Writer(WORDED[0])})

    assert list(asyncio.run(notebook()).files) == ["score-1"]


@pytest.mark.slow
def test_the_budget_is_for_all_drafts_and_runs_together(study):
    path, calls = study(budget={"calls": 7}), []
    for _ in range(3):
        with pytest.raises(InvalidInput, match=r"no room for another call|gave no usable draft"):
            q.variants(path, n=1, judges={"rule": lambda _: calls.append(1) or "nothing"})
    assert len(calls) == 7
    found = q.status(path)
    assert (found.spend.calls, found.aside, found.cells) == (7, 7, 0)
    path = study(budget={"calls": 9}, prompts=["score", "score-reasoned"])  # nothing was planned: it may still change
    q.run(path, judges={"rule": lambda _: 6})
    found = q.status(path)
    assert (found.spend.calls, found.aside, found.finished) == (9, 7, 2)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent as POSIX has them")
@pytest.mark.parametrize(("after", "files"), [(1, []), (2, ["score-1"])])
def test_ctrl_c_in_a_notebook_ends_it_after_the_call_under_way(study, tmp_path, capsys, after, files):
    writer = Writer(*WORDED)

    def slow(request):
        said = writer(request)
        if len(writer.asked) < after:
            return said
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.2)
        return "nothing"

    async def notebook():
        return q.variants(study(), n=4, judges={"rule": slow})

    if files:
        found = asyncio.run(notebook())
        assert (list(found.files), found.shortfall) == (files, "it was stopped")
    else:
        with pytest.raises(KeyboardInterrupt):
            asyncio.run(notebook())
        assert "drafting was stopped, and nothing is written" in capsys.readouterr().err
        assert not (tmp_path / "prompts").exists()
    assert len(writer.asked) == after


def test_a_judge_that_fails_is_one_line(study):
    def broken(_):
        raise RuntimeError("no\nmodel")

    with pytest.raises(InvalidInput, match=r"in 1 calls; the last one: no answer \(RuntimeError: no model\)"):
        q.variants(study(), judges={"rule": broken})


def test_a_judge_object_is_closed(study):
    class Own:
        name, closed = "rule", False

        async def ask(self, _):
            return Reply("unparsed", text=f"<part1>{WORDED[0]}</part1>")

        async def close(self):
            self.closed = True

    own = Own()
    q.variants(study(), n=1, judges={"rule": own})
    assert own.closed


KEY = "canary-4f1e-key"


def over_http(study, answers, *, key=None, **options):
    """Variants drafted by an endpoint on loopback that gives these answers in turn; what it was asked."""
    seen = []

    async def handle(asked):
        seen.append(asked)
        asked.writer.write(answers[min(len(seen), len(answers)) - 1])

    async def main():
        async with hostile.serving(handle, 30) as port:
            judge = {"kind": "endpoint", "base_url": f"http://127.0.0.1:{port}/v1", "model": "m", **(key or {})}
            judge |= {"structured": "json_schema", "price": {"input": 1, "output": 1}}
            path = study(judges={"m": judge}, prompts={"score": {"built_in": "score", "expected": True}})
            return await asyncio.to_thread(q.variants, path, **options)

    try:
        return asyncio.run(main()), seen
    except InvalidInput as error:
        return error, seen


def test_over_http(study):
    texts = [hostile.packed(hostile.chat(f"Sure!\n<part1>\n{text}\n</part1>")) for text in WORDED]
    busy = hostile.failed(429, retry_after_ms="20")
    found, seen = over_http(study, [busy, *texts], n=2)
    assert list(found.files) == ["score-1", "score-2"]
    assert "by m (m)" in found.files["score-1"].read_text()
    assert (found.spend.calls, found.spend.unpriced) == (3, 0)
    assert found.spend.money == pytest.approx(2 * (hostile.TOKENS_IN + hostile.TOKENS_OUT) / 1e6)
    said = seen[-1].said
    assert (said["temperature"], said["max_tokens"]) == (0.9, 256 + len(questions_text()))
    assert not {"response_format", "logprobs"} & said.keys()  # words are wanted, and no score
    assert "expected: true" in found.settings.splitlines()[-1]


def questions_text():
    return built_in("score").source.split("-%}\n")[1].split("\n{%-")[0]


def test_keys_go_to_the_endpoint_and_nowhere_else(study, tmp_path, monkeypatch, log):
    monkeypatch.setenv("THE_KEY", KEY)
    text = WORDED[0].replace("Judge how far", f"Judge {KEY} how far")
    answers = [hostile.packed(hostile.chat(f"<part1>{text}</part1>"))]
    found, seen = over_http(study, answers, key={"key_env": "THE_KEY"}, n=1)
    assert seen[0].headers["authorization"] == f"Bearer {KEY}"
    written = [path.read_text() for path in (tmp_path / "prompts").iterdir()]
    assert KEY not in json.dumps([*written, str(found), *map(logging.Formatter().format, log)])
    refused, _ = over_http(study, [hostile.failed(401, f"bad key {KEY}")], key={"key_env": "THE_KEY"}, n=2)
    assert str(refused).startswith("out: ")
    refused, seen = over_http(
        study, [hostile.failed(401, f"bad key {KEY}")], key={"key_env": "THE_KEY"}, n=2, out=tmp_path / "b"
    )
    assert len(seen) == 1
    assert str(refused).startswith('judge "m": gave no usable draft in 1 calls; the last one: no answer (')
    assert KEY not in str(refused)


def test_without_its_key_nothing_is_asked(study, monkeypatch):
    monkeypatch.delenv("THE_KEY", raising=False)
    error, seen = over_http(study, [b""], key={"key_env": "THE_KEY"})
    assert "environment variable THE_KEY is not set" in str(error)
    assert seen == []


def test_a_loaded_model_is_not_held_to_the_form_of_a_score(study, monkeypatch):
    calls = []

    class Model:
        def create_chat_completion(self, **call):
            calls.append(call)
            message = {"role": "assistant", "content": f"<part1>{WORDED[0]}</part1>"}
            return {"choices": [{"message": message, "finish_reason": "stop"}], "usage": {}}

    monkeypatch.setattr("quorate.collect.judges.local._loader", lambda *_: Model)
    found = q.variants(study(judges={"small": {"kind": "local"}}), n=1)
    assert found.spend.money == 0
    assert "grammar" not in calls[0]
    assert calls[0]["max_tokens"] == 256 + len(questions_text())


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
        ({}, {"n": 0}, f"n: must be a whole number from 1 to {MOST}, got 0"),
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


def test_names_are_those_that_are_free(study):
    found = load(study(prompts={"direct": "score", "direct-1": "score", "direct-3": "score"}))
    assert names(found, "direct", 3) == ("direct-2", "direct-4", "direct-5")


@pytest.mark.parametrize(
    ("name", "file"),
    [("direct-1", "direct-1.j2"), ("a/b ../c", "a-b-..-c.j2"), ("..", "prompt.j2"), ("größe", "größe.j2")],
)
def test_a_file_stays_in_its_folder(name, file):
    assert place(Path("prompts"), name) == Path("prompts") / file


def test_the_origin_is_no_template_code_and_not_sent():
    source = with_origin("Rate it.", ['by "m" #} {{ x }}\n{% y %}', "two"])
    head, rest = source.split("\n", 1)
    assert rest == "Rate it."
    assert head.count("{") == head.count("}") == 1
    prompt = Prompt("own", source, Expects(1, 5))
    assert [turn.content for turn in prompt.messages({"response": "r"})] == ["Rate it."]
    child = Prompt("own", with_origin(built_in("score").source, ["x"]), Expects(1, 10))
    item = {"prompt": "p", "response": "r"}
    assert child.messages(item) == built_in("score").messages(item)


@pytest.mark.parametrize("name", ["score", "helpfulness-reasoned", "pairwise", "safety-reasoned"])
def test_the_settings_make_the_same_question(study, tmp_path, name):
    path = study(prompts={"yes: no": {"built_in": name, "expected": True}, "last": name})
    found, original = load(path), built_in(name)
    copy = tmp_path / "prompts" / "copy.j2"
    write({copy: original.source}, force=False)
    lines = prompt_lines(found, "yes: no", original.expects, {"yes: no-1": copy})
    assert [line.partition(": ")[0].strip().strip("'") for line in lines.splitlines()][2:] == ["yes", "last"]
    changed = yaml.safe_load(path.read_text()) | yaml.safe_load(lines)
    path.write_text(yaml.safe_dump(changed))
    rows = [{"id": "q", "prompt": "p", "response": "r", "response_a": "a", "response_b": "b"}]
    study(rows=rows, **changed)
    prompts = questions(load(path)).prompts
    assert list(prompts) == ["yes: no", "yes: no-1", "last"]
    new, last = prompts["yes: no-1"], prompts["last"]
    assert new.expects == last.expects == original.expects
    fields = {name: value for name, value in rows[0].items() if name != "id"}
    assert new.messages(fields) == last.messages(fields)


def test_all_files_are_written_or_none(tmp_path, monkeypatch):
    first, second = tmp_path / "new" / "a.j2", tmp_path / "new" / "b.j2"
    second.parent.mkdir()
    second.write_text("mine")
    with pytest.raises(InvalidInput, match=r"out: .*b\.j2 is there already"):
        write({first: "1", second: "2"}, force=False)
    assert [path.name for path in second.parent.iterdir()] == ["b.j2"]
    write({first: "1", second: "2"}, force=True)
    assert (first.read_text(), second.read_text()) == ("1", "2")

    def full(self, text, **_):
        self.touch()
        if text == "4":
            raise OSError(28, "No space left on device", str(self))

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(InvalidInput, match="No space left on device"):
        write({first: "3", second: "4"}, force=True)
    assert (first.read_text(), second.read_text()) == ("1", "2")
    assert len(list(first.parent.iterdir())) == 2


def test_a_place_that_cannot_be_is_refused_before(tmp_path):
    (tmp_path / "file").touch()
    (tmp_path / "folder.j2").mkdir()
    for path in (tmp_path / "file" / "a.j2", tmp_path / "folder.j2"):
        with pytest.raises(InvalidInput, match="in its place"):
            free({path: None}, force=True)


def test_what_is_there_already_with_the_same_content_may_be(tmp_path):
    path = tmp_path / "score.j2"
    path.write_text("as it is")
    write({path: "as it is", tmp_path / "score-1.j2": "new"}, force=False)
    assert (tmp_path / "score-1.j2").read_text() == "new"
    with pytest.raises(InvalidInput, match=r"score\.j2 is there already"):
        write({path: "another", tmp_path / "score-2.j2": "new"}, force=False)
