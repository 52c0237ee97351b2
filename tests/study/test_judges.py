import pytest

from quorate.collect.judge import Reply
from quorate.errors import InvalidInput
from quorate.study.file import load
from quorate.study.judges import alike, check, digests, endpoint, made, pace, price

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
