"""What a study with a goal may buy."""

from __future__ import annotations

import pytest
from goal_studies import JUDGES, SCORES, rows, settings

from quorate.collect.ledger.facts import JudgeStatus
from quorate.decide.goals.goal import BestGoal, CompareGoal, HalfWidthGoal, PreferGoal
from quorate.decide.goals.plans import crossed
from quorate.errors import InvalidInput
from quorate.study.file import load
from quorate.study.offer import bought, goal_of, offer_of, question_of
from quorate.study.questions import questions

ENDPOINT = {"kind": "endpoint", "base_url": "http://127.0.0.1:1/v1", "model": "m"}
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
