import math
import re

import numpy as np
import pytest

from quorate.errors import InvalidInput
from quorate.planning.policy import Policy
from quorate.study.file import load
from quorate.study.questions import questions
from quorate.study.rounds import expected, policy_of, roster_of

ROWS = [
    {"id": f"q{n}", "prompt": "p", "response": "r", "kind": kind, "weight": n + 1}
    for n, kind in enumerate(("sums", "maps", "sums"))
]
TWO = {"a": {"kind": "python", "price": {"call": 0.01}}, "b": {"kind": "python", "price": {"call": 0.02}}}


def made(path, usual=None) -> Policy:
    return policy_of(questions(load(path)), usual)


def policy(study, settings=None, **changes):
    changes = {"rows": ROWS, "judges": TWO, "budget": {"calls": 500}, **changes}
    return made(study(adaptive={"delta": 0.3, **(settings or {})}, **changes))


def test_every_combination_is_an_arm_and_the_ledger_says_what_is_left(study):
    found = policy(study, temperatures=[0, 0.7], prompts=["score", "score-reasoned"])
    assert list(found.arms.roster.levels) == ["item", "prompt", "judge", "temperature"]
    assert (len(found.arms), found.budget) == (3 * 2 * 2 * 2, math.inf)
    assert found.precision.bounds == ((1, 10),)
    assert found.warmup == 5


def test_items_are_in_their_categories(study):
    path = study(rows=ROWS, items={"file": "items.jsonl", "category": "kind"}, adaptive={}, budget={"calls": 500})
    found = roster_of(questions(load(path)))
    assert dict(found.levels)["category"] == ("maps", "sums")
    assert found.nested == {"item": "category"}
    assert found.column("category").tolist() == [1, 0, 1]


def test_a_continuous_scale_among_prompts_has_no_steps(study):
    whole = policy(study)
    assert whole.rules[0].step == 1
    prompts = {"score": "score", "mean": {"built_in": "score", "expected": True}}
    mixed = policy(study, prompts=prompts)
    assert mixed.rules[0].step is None
    assert mixed.precision.bounds == ((1, 10),)


def test_prices_are_those_of_calls_that_go_well(study):
    path = study(rows=ROWS, judges=TWO, adaptive={"objective": "average", "delta": 0.3}, budget={"money": 9})
    asked = questions(load(path))
    assert expected(asked) == {"a": 0.01, "b": 0.02}
    found = policy_of(asked, expected(asked))
    assert np.asarray(found.rules[0].price).ravel().tolist() == [0.01, 0.02] * 3


def test_weights(study):
    by_column = policy(study, {"weights": "weight"})
    assert np.asarray(by_column.rules[0].weight).ravel().tolist() == [1, 1, 2, 2, 3, 3]
    by_label = policy(
        study,
        {"weights": {"category": {"maps": 4}, "judge": {"b": 0.5}}},
        items={"file": "items.jsonl", "category": "kind"},
    )
    assert np.asarray(by_label.rules[0].weight).ravel().tolist() == [1, 0.5, 4, 2, 1, 0.5]
    of_systems = policy(
        study,
        {"weights": "weight", "cycle": "judge"},
        rows=[row | {"by": by, "weight": row["weight"] * (1 + (by == "new"))} for row in ROWS for by in ("old", "new")],
        items={"file": "items.jsonl", "system": "by"},
    )
    assert np.asarray(of_systems.rules[0].weight).ravel().tolist() == [1, 2, 2, 4, 3, 6]


def pilot(path, scores, judges="ab"):
    lines = [
        f"q{item},score,{judge},{r},{score}"
        for item, own in enumerate(scores)
        for judge in judges
        for r, score in enumerate(own)
    ]
    (path.parent / "pilot.csv").write_text("\n".join(["item,prompt,judge,replicate,score", *lines]) + "\n")
    return path


def robin(study, scores, **settings):
    settings = {"name": "robin", "variances": "pilot.csv", **settings}
    return pilot(study(rows=ROWS, judges=TWO, adaptive=settings, budget={"calls": 90}), scores)


def test_robin_is_told_the_variances_of_an_earlier_table(study):
    found = made(robin(study, [(4, 6), (5, 5, 5), (1, 9)]))
    floor = 4 / 25
    assert found.known.ravel().tolist() == [2, 2, floor, floor, 32, 32]
    cycled = made(robin(study, [(4, 6), (5, 5, 5), (1, 9)], cycle="judge"))
    assert cycled.known.ravel().tolist() == [1, floor / 4, 16]


BAD = {
    "no such facet": ({"cycle": "temperature"}, {}, "adaptive: cycle: the study has no facet temperature; it has"),
    "three judges": (
        {"objective": "boundary", "between": "judge", "tolerance": 1},
        {"judges": {**TWO, "c": {"kind": "python"}}},
        "adaptive: between: two levels are compared, judge has 3",
    ),
    "calls": ({"delta": 0.007}, {"budget": {"calls": 90}}, "adaptive: .*; give budget.calls: 120 or delta: 0.02"),
    "money": ({}, {"budget": {"money": 0.3}}, "adaptive: .*takes 0.45, got 0.3; give budget.money: "),
    "calls beside money": ({}, {"budget": {"money": 30, "calls": 20}}, "adaptive: .*30 in all, got 20"),
    "free": (
        {},
        {"judges": {"a": {"kind": "python", "price": {"call": 0}}}, "budget": {"money": 1}},
        "a costs nothing",
    ),
    "free by price": (
        {"objective": "average"},
        {"judges": {**TWO, "c": {"kind": "python", "price": {"call": 0}}}, "budget": {"money": 9, "calls": 99}},
        "adaptive: objective: average goes by error per price, and c costs nothing",
    ),
    "uniform": ({"name": "uniform", "objective": "average"}, {}, "adaptive: name: uniform asks every arm equally"),
    "no boundary": ({"objective": "boundary", "tolerance": 1}, {}, "adaptive: objective: .*needs either at="),
    "no tolerance": ({"objective": "boundary", "at": 3}, {}, "adaptive: tolerance: "),
    "both stops": ({"objective": "boundary", "at": 3, "tolerance": 1, "decide": True, "target": 1}, {}, "give one of"),
    "decide by t": (
        {"objective": "boundary", "at": 3, "tolerance": 1, "decide": True, "interval": "t"},
        {},
        'adaptive: decide: .*interval must be "anytime"',
    ),
    "decide what": ({"decide": True}, {}, "adaptive: decide: "),
    "no column": ({"weights": "size"}, {}, 'adaptive: weights: "q0" has no number above 0 in the column "size"'),
    "a word": ({"weights": "kind"}, {}, 'adaptive: weights: "q0" has no number above 0'),
    "no such label": ({"weights": {"judge": {"c": 2}}}, {}, 'adaptive: weights: judge has no "c"'),
    "no facet to weigh": ({"weights": {"system": {"c": 2}}}, {}, "adaptive: weights: the study has no facet system"),
    "a cycle weighed": ({"weights": {"judge": {"a": 2}}, "cycle": "judge"}, {}, "adaptive: weights: differ within"),
}


@pytest.mark.parametrize(("settings", "changes", "said"), BAD.values(), ids=BAD)
def test_what_does_not_fit_is_refused_in_words_of_the_study(study, settings, changes, said):
    settings = {"delta": 0.3, **settings} if settings.get("name") != "uniform" else settings
    path = study(**{"rows": ROWS, "judges": TWO, "budget": {"calls": 500}, "adaptive": settings, **changes})
    asked = questions(load(path))
    with pytest.raises(InvalidInput) as error:
        policy_of(asked, None if asked.study.budget.money is None else expected(asked))
    assert re.search(said, str(error.value)), str(error.value)


def test_robin_needs_a_table_that_says_enough(study):
    with pytest.raises(InvalidInput, match=r'adaptive: variances: "q1, a" has fewer than 2 answers in .*pilot\.csv'):
        made(robin(study, [(4, 6), (5,), (1, 9)]))
    path = robin(study, [(4, 6), (5, 5), (1, 9)])
    text = path.read_text().replace("- score", "- score\n").replace("prompts:\n- score", "prompts:\n  score: EXPECTED")
    path.write_text(text.replace("EXPECTED", "{built_in: score, expected: true}"))
    with pytest.raises(InvalidInput, match=r'adaptive: variances: answers to "q1, a" in .* are all equal'):
        made(path)


def test_robin_needs_a_table_of_the_same_questions(study):
    path = robin(study, [(4, 6), (5, 5), (1, 9)])
    table = path.parent / "pilot.csv"
    table.write_text(table.read_text().replace("q2", "q7"))
    with pytest.raises(InvalidInput, match=r"adaptive: variances: .*pilot\.csv does not hold answers to the same"):
        made(path)
    table.write_text("item,score\nq0,1\nq0,2\n")
    with pytest.raises(InvalidInput, match=r"adaptive: variances: .* does not hold answers to the same questions"):
        made(path)
    table.unlink()
    with pytest.raises(InvalidInput, match=r"adaptive: variances: .* does not hold answers .*pilot\.csv"):
        made(path)


def test_a_layout_has_no_policy(study):
    with pytest.raises(InvalidInput, match="the study has a layout"):
        made(study())


def test_a_policy_is_read(study):
    found = load(study(adaptive={"objective": "boundary", "at": 7, "tolerance": 0.5, "decide": True})).adaptive
    assert (found.name, found.batch, found.at, found.decide, found.level) == ("robin-hood", 256, 7.0, True, 0.95)


ELSEWHERE = {
    "attributes": "attributes: a reply has one score, so list the attributes as prompts",
    "prices": "prices: are those of the judges; give price there, and budget.money",
    "budget": "budget: is the study's own",
    "seed": "seed: is the study's own",
    "scale": "scale: is that of the prompts",
    "bounds": "bounds: are those of the prompts",
    "floor": "floor: is always there",
    "replicates": "replicates: are what the policy finds",
}
BAD_OF_ADAPTIVE = {
    **{name: ({name: 1}, said) for name, said in ELSEWHERE.items()},
    "level alone": ({"level": 0.9}, "level is that of an early stop; give target, or decide"),
    "interval alone": ({"interval": "t"}, "interval is that of an early stop"),
    "cycle compared": (
        {"cycle": "judge", "between": "judge", "objective": "boundary", "tolerance": 1},
        "judge is asked whole each time, or compared; leave cycle or between out",
    ),
    "delta": ({"name": "uniform", "delta": 0.1}, "delta is a constant of robin-hood"),
    "robin": ({"name": "robin"}, "robin is told all variances: give variances, .* robin-hood finds them"),
    "variances": ({"variances": "pilot.csv"}, "robin is told all variances"),
}


@pytest.mark.parametrize(("settings", "said"), BAD_OF_ADAPTIVE.values(), ids=BAD_OF_ADAPTIVE)
def test_what_cannot_be_is_refused_with_the_reason(study, settings, said):
    with pytest.raises(InvalidInput) as error:
        load(study(adaptive=settings))
    assert re.search(f"study.yaml: adaptive: {said}", str(error.value)), str(error.value)


FIELDS = {
    "facet": ({"cycle": "item"}, "adaptive.cycle: must be one of judge, .*got 'item'$"),
    "target": ({"target": 0}, "adaptive.target: .*greater than 0"),
    "level": ({"target": 1, "level": 95}, "adaptive.level: .*less than 1"),
    "weights": ({"weights": {"judge": {"a": 0}}}, "adaptive.weights.*: .*greater than 0"),
    "typo": ({"objectve": "worst"}, "adaptive.objectve: there is no such setting"),
}


@pytest.mark.parametrize(("settings", "said"), FIELDS.values(), ids=FIELDS)
def test_settings_that_break_a_rule_name_their_place(study, settings, said):
    with pytest.raises(InvalidInput, match=said):
        load(study(adaptive=settings))
