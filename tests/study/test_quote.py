"""What a study with a goal may buy."""

from __future__ import annotations

import math
import random
from copy import deepcopy
from functools import partial

import pytest
from goal_studies import JUDGES, SCORES, rows, settings

from quorate.collect.judge import Reply
from quorate.collect.ledger.facts import JudgeStatus
from quorate.collect.runner.lane import Limits
from quorate.decide.goals.goal import BestGoal, CompareGoal, HalfWidthGoal, PreferGoal
from quorate.decide.goals.plans import crossed
from quorate.errors import InvalidInput
from quorate.study import loop
from quorate.study.file import load
from quorate.study.offer import bought, goal_of, offer_of, question_of
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


@pytest.mark.wide(2)
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


PAIRS = {"file": "items.jsonl", "system_a": "a", "system_b": "b"}


def asked(path):
    return questions(load(path))


def test_questions_are_those_of_the_file(study):
    def question(**changes):
        return question_of(asked(study(**settings(**changes))))

    assert question() == CompareGoal("x", "y", margin=0.5)
    target = {"judge": "population"}
    assert question(goal={"half_width": 0.1, "target": target}) == HalfWidthGoal(0.1, target)
    assert question(goal={"rank": "best", "level": 0.9}) == BestGoal(0.9)
    with pytest.raises(InvalidInput, match=r'goal.compare: the items have no system "z"; they have x, y'):
        question(goal={"compare": ["x", "z"]})
    with pytest.raises(InvalidInput, match="has none; give it one"):
        goal_of(load(study()))


def test_shares_of_categories_are_stated_or_those_of_the_items(study):
    kinds = [{**row, "kind": "odd" if int(row["id"][1:]) % 4 == 1 else "even"} for row in rows(40)]
    given = {"rows": kinds, "items": {**SCORES, "category": "kind"}}
    compare = {"compare": ["x", "y"], "margin": 0.5}

    def asks(**goal):
        found = asked(study(**settings(**given, goal={**compare, **goal})))
        return question_of(found), offer_of(found)

    goal, offer = asks(category_shares={"odd": 0.5, "even": 0.5})
    assert goal.category_shares == offer.category_shares == {"odd": 0.5, "even": 0.5}
    assert offer.group_order == ("even", "odd") * 10  # until one of them has no more
    goal, offer = asks(category_shares="items")
    assert (goal.category_shares, len(offer.order)) == ({"even": 0.75, "odd": 0.25}, 40)
    assert asks(by="category")[0].by == "category"
    assert asks(target={"category": "population"})[0].category_shares is None
    with pytest.raises(InvalidInput, match=r"have 2 categories, .* give category_shares: items for a mean over these"):
        asks()
    for shares in ({"odd": 0.5, "even": 0.6}, {"odd": 0.5, "new": 0.5}):
        with pytest.raises(InvalidInput, match=r"goal.category_shares: a share above 0 for each .*\(even and odd\)"):
            asks(category_shares=shares)


def test_an_offer_has_all_that_may_be_asked_and_what_it_costs(study):
    judges = {**JUDGES, "m": {**ENDPOINT, "price": {"input": 1, "output": 10}, "params": {"max_tokens": 100}}}
    three = asked(study(**settings(rows=rows(5, ("x", "y", "z")), judges=judges)))
    before = JudgeStatus("m", 0, 0, 10, 0, {"ok": 10}, 0.4, tokens_in=10_000, tokens_out=3_000)
    found = offer_of(three, (before,))
    assert (found.systems, found.judges, len(found.items)) == (("x", "y"), (*JUDGES, "m"), 5)
    assert (found.money, found.calls, found.looks, found.replicates) == (20, None, 4, 1)
    assert found.prices == {**dict.fromkeys(JUDGES, 0.01), "m": pytest.approx(0.004)}
    unpriced = asked(study(**settings(judges={"m": ENDPOINT}, budget={"calls": 70})))
    assert offer_of(unpriced).prices is None


def test_what_is_bought_are_cells_of_the_study(study):
    categories = [{**row, "kind": "odd" if int(row["id"][1:]) % 2 else "even"} for row in rows(4)]
    items = {**SCORES, "category": "kind"}
    found = asked(study(**settings(rows=categories, items=items, temperatures=[0.5])))
    cells = bought(found, crossed(offer_of(found), {"item": 4, "judge": 4, "prompt": 1}))
    whole = found.cells()
    assert set(cells.levels) == set(whole.levels)
    assert cells.nested == whole.nested
    assert sorted(found.keys(cells)) == sorted(found.keys(whole))


def test_battles_of_two_systems_are_asked_in_both_orders(study):
    texts = {"prompt": "p", "response_a": "r", "response_b": "s"}
    battles = [{"id": f"q{n}", "a": "xy"[n % 2], "b": "yx"[n % 2], **texts} for n in range(4)]
    battles.append({"id": "q9", "a": "x", "b": "z", **texts})
    goal = {"goal": {"prefer": ["x", "y"], "margin": 0.1}, "items": PAIRS, "prompts": ["pairwise"], "order": "both"}
    found = asked(study(**settings(rows=battles, budget={"calls": 101}, **goal)))
    assert question_of(found) == PreferGoal("x", "y", margin=0.1)
    offer = offer_of(found)
    assert (offer.items, offer.calls, offer.prices["a"]) == (("q0", "q1", "q2", "q3"), 50, 0.02)
    cells = bought(found, crossed(offer, {"item": 4, "judge": 4, "prompt": 1}, ()))
    assert len(cells) == 2 * 4 * 4
    assert set(found.keys(cells)) < set(found.keys(found.cells()))
    twice = [*battles, {"id": "q0", "a": "y", "b": "x", **texts}]
    with pytest.raises(InvalidInput, match='"q0" stands for two battles'):
        offer_of(asked(study(**settings(rows=twice, **goal))))


def test_battles_of_several_systems_are_told_apart_by_pair(study):
    texts = {"prompt": "p", "response_a": "r", "response_b": "s"}
    pairs = [("x", "y"), ("z", "y"), ("x", "z")]
    battles = [{"id": f"q{n}", "a": a, "b": b, **texts} for n in range(3) for a, b in pairs]
    goal = {"goal": {"rank": "best"}, "items": PAIRS, "prompts": ["pairwise"], "budget": {"calls": 101}}
    found = asked(study(**settings(rows=battles, **goal)))
    assert question_of(found) == BestGoal()
    offer = offer_of(found)
    assert offer.items[:3] == ("q0: x and y", "q0: y and z", "q0: x and z")
    assert (offer.pairs[:3], len(offer.items), offer.systems) == (tuple(pairs), 9, ())
    cells = bought(found, crossed(offer, {"item": 9, "judge": 4, "prompt": 1}, ()))
    assert sorted(found.keys(cells)) == sorted(found.keys(found.cells()))
    target = {**goal, "goal": {"rank": "best", "target": {"judge": "population"}}}
    with pytest.raises(InvalidInput, match=r"goal.target: is for scores"):
        load(study(**settings(rows=battles, **target)))
