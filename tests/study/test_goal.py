"""Goals of study files: one question, asked in full, of answers that the study gives."""

import re

import pytest

from quorate.errors import InvalidInput
from quorate.study.file import load

SCORES = {"file": "items.jsonl", "system": "s"}
PAIRS = {"file": "items.jsonl", "system_a": "a", "system_b": "b"}
COMPARE = {"compare": ["x", "y"], "margin": 0.2}


def test_goals_are_read(study):
    found = load(study(items=SCORES, goal=COMPARE, looks=3))
    assert (found.goal.kind, found.goal.pair, found.looks) == ("compare", ("x", "y"), 3)
    assert (found.goal.margin, found.goal.power, found.goal.level) == (0.2, 0.9, 0.95)
    found = load(study(goal={"half_width": 0.1, "target": {"judge": "population"}, "level": 0.9}))
    assert (found.goal.kind, found.goal.target, found.goal.level) == ("half_width", {"judge": "population"}, 0.9)
    assert load(study(items=SCORES, goal={"rank": "best"})).goal.kind == "rank"
    assert load(study(items=PAIRS, goal={"prefer": ["x", "y"], "margin": 0.05})).goal.pair == ("x", "y")
    assert load(study()).goal is None


STAGES = {"prefer": ["x", "y"], "stages": 2}
TYPES = {**PAIRS, "category": "topic"}
TYPED = {**SCORES, "category": "topic"}
BAD = {
    "nothing asked": ({"goal": {}}, "goal: ask one question: compare, half_width, rank or prefer; got none"),
    "two questions": ({"goal": {"compare": ["x", "y"], "rank": "best"}}, "goal: ask one question: .*compare and rank"),
    "no mapping": ({"goal": "best"}, r"goal: must be a mapping, such as goal: {compare: \[x, y\].*}, got 'best'"),
    "a list": ({"goal": [COMPARE]}, "goal: must be a mapping"),
    "itself": ({"goal": {"compare": ["x", "x"]}}, 'goal: compare: "x" is compared with itself; name two systems'),
    "one system": (
        {"goal": {"compare": ["x"]}},
        r"goal.compare: must be a list of at least 2, such as compare: \[x, y",
    ),
    "three systems": ({"goal": {"prefer": ["x", "y", "z"]}}, "goal.prefer: must be a list of at most 2"),
    "system as text": ({"goal": {"compare": "x, y"}}, r"goal.compare: must be a list, such as compare: \[x, y\]"),
    "system as number": ({"goal": {"compare": [1, 2]}}, r"goal.compare\[0\]: must be a text, got 1; write .1. in quot"),
    "no width": ({"goal": {"half_width": 0}}, "goal.half_width: must be greater than 0, got 0"),
    "width without end": ({"goal": {"half_width": float("inf")}}, "goal.half_width: must be a finite number"),
    "width as text": ({"goal": {"half_width": "0.1"}}, "goal.half_width: must be a finite number, .*without quotation"),
    "rank of all": ({"goal": {"rank": "all"}}, "goal.rank: must be one of best, got 'all'"),
    "no margin": ({"goal": {"compare": ["x", "y"], "margin": -0.1}}, "goal.margin: must be greater than 0, got -0.1"),
    "margin of votes": ({"items": PAIRS, "goal": {"prefer": ["x", "y"], "margin": 5}}, "margin of votes .*got 5"),
    "margin of a width": ({"goal": {"half_width": 1, "margin": 1}}, "margin is that of two systems"),
    "power of a rank": ({"goal": {"rank": "best", "power": 0.9}}, "power is that of two systems"),
    "target of votes": (
        {"items": PAIRS, "goal": {"prefer": ["x", "y"], "target": {"judge": "panel"}}},
        "goal: target is for scores",
    ),
    "stages of scores": ({"goal": {**COMPARE, "stages": 2}}, "goal: stages are those of votes; give prefer"),
    "three stages": (
        {"items": PAIRS, "goal": {"prefer": ["x", "y"], "stages": 3}},
        "goal.stages: must be at most 2, got 3",
    ),
    "stages without types": ({"items": PAIRS, "goal": STAGES}, "goal.stages: types of items are their categories; giv"),
    "a margin of stages": ({"items": TYPES, "goal": {**STAGES, "margin": 0.1}}, "margin: two stages spend the whole"),
    "looks of stages": ({"items": TYPES, "goal": STAGES, "looks": 3}, "looks: two stages are looked at twice"),
    "retained without stages": (
        {"items": PAIRS, "goal": {"prefer": ["x", "y"], "retained": 0.3}},
        "retained is that of two stages; give stages: 2",
    ),
    "a rank by category": (
        {"items": TYPED, "goal": {"rank": "best", "by": "category"}},
        "goal: by goes with compare and half_width, not with rank",
    ),
    "shares of votes": (
        {"items": TYPES, "goal": {"prefer": ["x", "y"], "category_shares": "items"}},
        "category_shares goes with compare and half_width, not with prefer",
    ),
    "by what": ({"items": TYPED, "goal": {**COMPARE, "by": "judge"}}, "goal.by: must be one of category, got 'judge'"),
    "by and shares": (
        {"items": TYPED, "goal": {**COMPARE, "by": "category", "category_shares": "items"}},
        "category_shares are those of a mean over all categories; leave them or by out",
    ),
    "categories for others": (
        {"items": TYPED, "goal": {**COMPARE, "by": "category", "target": {"category": "population"}}},
        "target: categories stand for themselves here",
    ),
    "no categories": ({"goal": {**COMPARE, "by": "category"}}, "goal.by: asks by the categories of items; give items"),
    "target": ({"goal": {"half_width": 1, "target": {"judge": "all"}}}, "target.judge: must be one of population, pan"),
    "level in percent": ({"goal": {**COMPARE, "level": 95}}, "goal.level: must be less than 1, got 95"),
    "power of one": ({"goal": {**COMPARE, "power": 1}}, "goal.power: must be less than 1, got 1"),
    "alpha": ({"goal": {**COMPARE, "alpha": 0.05}}, "goal: alpha: is 1 - level; give level"),
    "looks within": ({"goal": {**COMPARE, "looks": 5}}, "goal: looks: stand beside the goal, such as looks: 5"),
    "typo": ({"goal": {"compair": ["x", "y"]}}, 'goal.compair: there is no such setting; did you mean "compare"'),
    "looks alone": ({"looks": 3}, "looks: are those on the way to a goal; give goal, or leave looks out"),
    "no looks": ({"goal": COMPARE, "looks": 0}, "looks: must be at least 1, such as looks: 5, got 0"),
    "a thousand looks": ({"goal": COMPARE, "looks": 1000}, "looks: must be at most 20"),
    "no budget": ({"goal": COMPARE, "budget": None}, "budget: is missing; give it"),
    "a policy": ({"goal": COMPARE, "adaptive": {}}, "goal: a study has a goal or a policy, not both"),
    "a layout": ({"goal": COMPARE, "layout": "cyclic"}, "goal: the study finds how much is asked, and of whom"),
    "temperatures": ({"goal": COMPARE, "temperatures": [0, 1]}, "temperatures: a goal is about one"),
    "votes of scores": ({"goal": {"prefer": ["x", "y"]}}, "goal: prefer is of votes; give items.system_a and"),
    "scores of votes": ({"items": PAIRS, "goal": COMPARE}, "goal: compare is of scores, and these items are pairs"),
    "width of votes": ({"items": PAIRS, "goal": {"half_width": 1}}, "goal: half_width is of scores, and these items"),
    "no systems": (
        {"items": "items.jsonl", "goal": COMPARE},
        "goal: compare needs to know who answered; give items.sy",
    ),
}


@pytest.mark.parametrize(("changes", "said"), BAD.values(), ids=BAD)
def test_what_cannot_be_is_refused_in_one_line(study, changes, said):
    with pytest.raises(InvalidInput) as error:
        load(study(**{"items": SCORES, **changes}))
    assert re.search(said, str(error.value)), str(error.value)
    assert "study.yaml: " in str(error.value)
    assert str(error.value).isprintable()
