import pytest

from quorate.errors import InvalidInput
from quorate.study.file import load
from quorate.study.questions import questions
from quorate.study.quote import quote, sizes, worst

ENDPOINT = {"kind": "endpoint", "base_url": "http://127.0.0.1:1/v1", "model": "m"}
PRICED = ENDPOINT | {"price": {"input": 1, "output": 10}, "params": {"max_tokens": 100}}


def made(path, **cells):
    asked = questions(load(path))
    return quote(asked, cells, sizes(asked), done=1)


def test_low_expected_and_high_are_in_order_and_add_up(study):
    found = made(study(judges={"m": PRICED, "f": {"kind": "python", "price": {"call": 2}}}), m=5, f=3)
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
    price = worst(asked, sizes(asked))["m"]
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
        worst(asked, sizes(asked))


def test_judges_without_cells_are_not_quoted(study):
    assert made(study(), rule=0).judges == ()
