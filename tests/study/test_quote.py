import math
import random
from copy import deepcopy
from functools import partial

import pytest

from quorate.collect.judge import Reply
from quorate.collect.ledger.facts import JudgeStatus
from quorate.collect.runner.lane import Limits
from quorate.errors import InvalidInput
from quorate.study import loop
from quorate.study.file import load
from quorate.study.questions import questions
from quorate.study.quote import quote, worst
from quorate.study.status import status

ENDPOINT = {"kind": "endpoint", "base_url": "http://127.0.0.1:1/v1", "model": "m"}
PRICED = ENDPOINT | {"price": {"input": 1, "output": 10}, "params": {"max_tokens": 100}}


def made(path, *seen, **cells):
    asked = questions(load(path))
    return quote(asked, cells, seen=seen)


def test_low_expected_and_high_are_in_order_and_add_up(study):
    before = JudgeStatus("m", 5, 0, 1, 0)
    found = made(study(judges={"m": PRICED, "f": {"kind": "python", "price": {"call": 2}}}), before, m=5, f=3)
    assert (found.cells, found.done, found.unpriced) == (8, 1, ())
    one, other = found.judges
    assert (one.calls.low, one.calls.expected, one.calls.high) == (5, 5, 25)
    for amount in (one.tokens, one.money):
        assert 0 < amount.low < amount.expected < amount.high
    assert (other.money.low, other.money.expected, other.money.high) == (6, 6, 30)
    assert found.money.expected == one.money.expected + 6
    assert other.tokens.high is None
    assert found.tokens.high is None


def test_the_worst_case_is_a_token_for_every_byte_and_the_longest_reply(study):
    rows = [{"id": "a", "prompt": "p", "response": "ü" * 1000}]
    asked = questions(load(study(rows=rows, judges={"m": PRICED})))
    text = sum(len(turn.content.encode()) for turn in next(asked.messages()))
    price = worst(asked)["m"]
    assert (text + 100 * 10) / 1e6 < price < (text + 100 * 10 + 100) / 1e6


def test_an_unknown_price_is_unknown(study):
    found = made(study(judges={"m": ENDPOINT, "n": PRICED}), m=1, n=1)
    assert found.unpriced == ("m",)
    assert found.money.expected is None
    assert found.judges[0].call is None


@pytest.mark.parametrize(
    ("judge", "said"),
    [(ENDPOINT, "judges.m: price is missing"), (PRICED | {"params": {}}, "judges.m: params.max_tokens is missing")],
)
def test_money_is_not_capped_without_a_worst_case(study, judge, said):
    asked = questions(load(study(judges={"m": judge}, budget={"money": 1})))
    with pytest.raises(InvalidInput, match=said):
        worst(asked)


def test_judges_without_cells_are_not_quoted(study):
    assert made(study(), rule=0).judges == ()


@pytest.mark.parametrize(("tokens_in", "tokens_out"), [(3, 2), (600, 60), (900_000, 70_000)])
def test_what_is_expected_is_learned_from_the_answers_so_far(study, tokens_in, tokens_out):
    statuses = {"ok": 2, "unparsed": 1, "error": 9, "lost": 4}
    seen = JudgeStatus("m", 7, 0, 3, 0, statuses, tokens_in=tokens_in, tokens_out=tokens_out)
    path = study(judges={"m": PRICED, "n": deepcopy(PRICED)})
    one, other = made(path, seen, m=7, n=7).judges
    assert (one.answers, other.answers) == (3, 0)
    assert one.tokens.expected == pytest.approx(7 * (tokens_in + tokens_out) / 3)
    assert one.money.expected == pytest.approx(7 * (math.ceil(tokens_in / 3) + 10 * math.ceil(tokens_out / 3)) / 1e6)
    assert one.tokens.low <= one.tokens.expected <= one.tokens.high
    assert other == made(path, n=7).judges[0]
    assert made(path, seen, m=7).done == 3


def test_answers_that_do_not_say_what_they_took_teach_nothing(study):
    seen = JudgeStatus("m", 7, 0, 3, 0, {"ok": 3})
    path = study(judges={"m": PRICED})
    assert made(path, seen, m=7).judges == made(path, m=7).judges


def failing(share, seed, *, retryable=True):
    rng = random.Random(seed)

    def rule(request):
        return Reply("error", retryable=retryable, error="down") if rng.random() < share else 5

    return rule


@pytest.mark.parametrize(("share", "retryable"), [(1.0, True), (0.6, True), (0.3, True), (1.0, False), (0.5, False)])
def test_no_failing_judge_takes_more_calls_than_the_highest_quoted(study, monkeypatch, share, retryable):
    monkeypatch.setattr(loop, "Limits", partial(Limits, backoff=0.001, longest_backoff=0.002, cooldown=0.01))
    path = study(judges={name: {"kind": "python"} for name in ("a", "b")}, budget={"calls": 1000}, tries=2)
    high = made(path, a=3, b=3).calls.high
    for seed in range(2):
        place = study(
            judges={name: {"kind": "python"} for name in ("a", "b")},
            budget={"calls": 1000},
            tries=2,
            ledger=f"{seed}.db",
        )
        rules = {"a": failing(share, seed, retryable=retryable), "b": lambda _: 5}
        loop.carry_out(load(place), judges=rules)
        assert status(place).spend.calls <= high
        one = status(place).judges[0].calls
        assert one <= 6 if share == 1 else one <= 6 + 5  # what fails before the first answer comes on top


def test_judges_whose_names_look_alike_are_named(study):
    assert made(study(judges={"gpt-4": PRICED, "gpt\u20114": ENDPOINT | {"params": {}}})).alike == (
        ("gpt-4", "gpt\u20114"),
    )
