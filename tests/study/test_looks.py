"""Looks of a study with a goal: bought round by round, the same whatever is interrupted, and ended once."""

from __future__ import annotations

from inspect import iscoroutinefunction

import pytest
from goal_studies import SCORES, drawn, functions, rows, scored, settings, two_more

import quorate as q
from quorate.collect.ledger.ledger import Ledger
from quorate.collect.runner import run as runner
from quorate.collect.runner.lane import Ended
from quorate.decide.goals.look import Ending, Look
from quorate.errors import InvalidInput, NotEstimable
from quorate.study import status as look_at
from quorate.study.file import load
from quorate.study.loop import carry_out
from quorate.study.questions import questions
from quorate.study.status import Looking

ASKED = functions(scored())


@pytest.fixture
def quick(monkeypatch):
    """A function that puts looks that cost nothing to compute in the place of the statistics."""

    def replace(**options):
        for name, function in two_more(**options).items():
            monkeypatch.setattr(name, function)

    replace()
    return replace


def looks(path):
    with Ledger.open(load(path).database) as ledger:
        return [one.content for one in ledger.looks()]


def test_a_study_buys_what_its_goal_needs_and_stops(study):
    """With the statistics as they are."""
    path, said = study(**settings()), []
    carried = carry_out(load(path), judges=ASKED, on_look=said.append)
    status = q.status(path)
    assert carried.outcome.complete
    assert status.complete
    assert [one.number for one in said] == list(range(1, len(said) + 1))
    assert tuple(said) == status.looks
    assert (said[-1].ending, said[-1].buys.calls) == (Ending.REACHED, 0)
    assert said[-1].spent.calls == status.spend.calls == status.cells
    assert said[-1].spent.money == pytest.approx(0.01 * status.cells)
    assert carried.reached == said[-1].sentence
    assert f"Goal: {carried.reached}." in status.sentence
    again = carry_out(load(path), judges=ASKED, on_look=said.append)
    assert (again.quote.cells, again.quote.more, again.outcome.finished) == (0, False, 0)
    assert tuple(said) == q.status(path).looks


def test_answers_of_which_hardly_one_has_a_score_are_said_to_be_so(study):
    """A panel of which one judge answers one question of twelve in a form that can be read."""

    def judge(request):
        return 7 if request.cell["item"] == "q3" else "Well."

    path = study(rows=[{"id": f"q{n}", "prompt": "p", "response": "r"} for n in range(12)], goal={"half_width": 0.5})
    said = r"goal: 1 of 12 answers have a score, .* 1 item: at least 2 .*; rule: 92% of 12 calls .* \"Well\.\""
    with pytest.raises(NotEstimable, match=said):
        carry_out(load(path), judges={"rule": judge})


@pytest.mark.slow
def test_a_study_answers_its_question_on_every_category(study):
    """With the statistics as they are: x is better on prose, by one function for all judges."""

    def judge(request):
        prose = int(request.cell["item"][1:]) % 2
        return scored(gap=1.5 * prose)(request)

    kinds = [{**row, "kind": "prose" if int(row["id"][1:]) % 2 else "verse"} for row in rows(400)]
    goal = {"compare": ["x", "y"], "margin": 0.8, "by": "category"}
    path = study(**settings(rows=kinds, items={**SCORES, "category": "kind"}, goal=goal, budget={"money": 60}))
    carried = carry_out(load(path), judges=functions(judge))
    last = q.status(path).looks[-1]
    assert carried.outcome.complete
    assert last.outcome == "better on prose, equivalent on verse"
    assert last.spent.calls == q.status(path).spend.calls
    found = q.interim(path)
    assert found.path.goal.endswith(", on every category of items, at 95%")
    assert {one.question for one in last.parts} == {"x less y on prose", "x less y on verse"}


@pytest.mark.slow
def test_every_look_is_found_again_from_the_ledger(study):
    """By the statistics as they are, from what the ledger holds when the look is kept."""
    path, again = study(**settings(goal={"compare": ["x", "y"], "margin": 0.1}, rows=rows(200))), []
    asked = questions(load(path))

    def found_again(said):
        with Ledger.open(load(path).database) as ledger:
            *before, latest = ledger.looks()
            plan = Looking(asked)
            found, cells = plan.look(ledger, tuple(before), said.spent.calls, said.spent.money)
            again.append((latest.content["look"], found.to_dict(), said.buys.calls, len(cells)))

    carry_out(load(path), judges=ASKED, on_look=found_again)
    assert len(again) > 1
    assert all(kept == found and bought == cells for kept, found, bought, cells in again)


def test_every_round_is_asked_and_said_once(study, quick, capsys):
    path = study(**settings())
    assert carry_out(load(path), yes=False, judges=ASKED).quote.cells == 8
    found = q.run(path, judges=ASKED)
    assert int(found.n.sum()) == 24
    err = capsys.readouterr().err
    assert [line.split(":")[1].strip() for line in err.splitlines()] == [
        f"round {number} of at most 4" for number in (1, 2, 3)
    ]
    assert [one["look"]["judgments"] for one in looks(path)] == [8, 16, 24]
    assert [Look.from_dict(one["look"]) for one in looks(path)] == list(q.status(path).looks)
    assert q.status(path).to_dict()["looks"][0] == looks(path)[0]["look"]


class Crash(BaseException):
    """The end of a process, at a moment that a test chooses."""


def crashing(monkeypatch, owner, name, *, at, after):
    """The ``at``-th call of a function ends the process, before or after it has done its work."""
    real, calls = getattr(owner, name), []

    def crash(of_this):
        if len(calls) == at and after is of_this:
            raise Crash

    def broken(*given, **more):
        calls.append(name)
        crash(False)
        found = real(*given, **more)
        crash(True)
        return found

    async def broken_later(*given, **more):
        calls.append(name)
        crash(False)
        found = await real(*given, **more)
        crash(True)
        return found

    monkeypatch.setattr(owner, name, broken_later if iscoroutinefunction(real) else broken)


MOMENTS = {"when a look is recorded and not kept": (Ledger, "add_look", 2, True)}
MORE = {
    "before a round is asked": (runner, "collect", 2, False),
    "before the pilot is planned": (Ledger, "plan", 1, False),
    "when it is planned": (Ledger, "plan", 1, True),
    "when a round is planned and not recorded": (Ledger, "plan", 2, True),
    "before a look is recorded": (Ledger, "add_look", 1, False),
    "when the last look is recorded and not kept": (Ledger, "add_look", 3, True),
    "when a round is answered": (runner, "collect", 2, True),
}
EVERY = [
    *(pytest.param(*moment, id=name) for name, moment in MOMENTS.items()),
    *(pytest.param(*moment, id=name, marks=pytest.mark.slow) for name, moment in MORE.items()),
]


@pytest.mark.slow
@pytest.mark.parametrize(("owner", "name", "at", "after"), EVERY)
@pytest.mark.fault("a runner is killed")
def test_a_study_that_is_killed_decides_as_it_would_have(study, quick, monkeypatch, owner, name, at, after):
    path = study(**settings())
    carry_out(load(path), judges=ASKED)
    expected, cells = looks(path), q.status(path).cells
    path.with_suffix(".db").unlink()
    with monkeypatch.context() as patched:
        crashing(patched, owner, name, at=at, after=after)
        with pytest.raises(Crash):
            carry_out(load(path), judges=ASKED)
    assert len(looks(path)) < 3
    assert carry_out(load(path), judges=ASKED).outcome.complete
    assert (looks(path), q.status(path).cells) == (expected, cells)


@pytest.mark.parametrize(("name", "at"), [("plan", 2), pytest.param("add_look", 1, marks=pytest.mark.slow)])
def test_the_second_stage_is_that_of_the_first_look_whenever_it_is_killed(study, monkeypatch, name, at):
    """With the statistics as they are: the first stage chooses the type, and no later run chooses again."""
    texts = {"prompt": "p", "response_a": "by x", "response_b": "by y", "a": "x", "b": "y"}
    rows = [{"id": f"q{n}", "topic": "abcd"[n % 4], **texts} for n in range(120)]

    def judge(request):
        text = request.messages[-1].content
        wins = int(request.cell["item"][1:]) % 4 == 2 or drawn(request.cell["item"]) > 0
        return "A" if wins == (text.index("by x") < text.index("by y")) else "B"

    goal = {"prefer": ["x", "y"], "stages": 2, "per_type": 8}
    items = {"file": "items.jsonl", "system_a": "a", "system_b": "b", "category": "topic"}
    path = study(rows=rows, items=items, prompts=["pairwise"], goal=goal, budget={"calls": 50})
    with monkeypatch.context() as patched:
        crashing(patched, Ledger, name, at=at, after=True)
        with pytest.raises(Crash):
            carry_out(load(path), judges={"rule": judge})
    carried = carry_out(load(path), judges={"rule": judge})
    first, last = (one["look"] for one in looks(path))
    assert first["design"] == {"per_type": 8, "kept": ["c"], "votes": [18]}
    assert (last["outcome"], last["value"], last["ending"]) == ("better", 0.5, "reached")
    assert q.status(path).cells == 50
    found = q.interim(path)
    assert found.sentence.endswith("for x: c 100% of 18. The goal was reached, after 2 looks and 50 of 50 calls.")
    assert found.looks == ()
    assert carried.outcome.complete


@pytest.mark.slow
def test_looks_of_two_runners_are_those_of_one(study, quick, monkeypatch):
    """Another runner goes to the end while this one computes its first look."""
    path = study(**settings())
    real, began = two_more()["quorate.study.status.look"], []

    def slow(*given):
        found = real(*given)
        if not began:
            began.append(True)
            assert carry_out(load(path), judges=ASKED).outcome.complete
        return found

    monkeypatch.setattr("quorate.study.status.look", slow)
    said = []
    assert carry_out(load(path), judges=ASKED, on_look=said.append).outcome.complete
    assert [one.number for one in said] == [one["look"]["number"] for one in looks(path)] == [1, 2, 3]


@pytest.mark.slow
def test_what_is_not_reached_is_open(study, quick):
    quick(ending=Ending.LOOKS)
    path = study(**settings())
    carried = carry_out(load(path), judges=ASKED)
    assert (carried.outcome.ended, carried.outcome.complete) == (Ended.OPEN, False)
    assert not q.status(path).complete


@pytest.mark.slow
def test_a_goal_that_was_out_of_reach_goes_on_with_a_larger_budget(study, quick):
    quick(ending=Ending.FUTILE)
    path = study(**settings())
    carry_out(load(path), judges=ASKED)
    assert carry_out(load(path), judges=ASKED).outcome.finished == 0
    quick(rounds=4)
    carried = carry_out(load(study(**settings(budget={"money": 30}))), judges=ASKED)
    assert (carried.outcome.complete, [one["look"]["number"] for one in looks(path)]) == (True, [1, 2, 3, 4])


@pytest.mark.slow
def test_the_last_look_is_at_what_the_budget_has_paid(study, quick):
    """The second round has eight calls, for which there is room for six."""
    path = study(**settings(budget={"calls": 14}))
    carried = carry_out(load(path), judges=ASKED)
    assert (carried.outcome.ended, carried.outcome.complete) == (Ended.OPEN, False)
    assert carried.outcome.sentence.endswith(
        "the goal is not reached, and nothing more is asked for it; 2 cells are left"
    )
    last = q.status(path).looks[-1]
    assert (last.ending, last.number, last.judgments, last.spent.calls) == (Ending.BUDGET, 2, 14, 14)
    assert carried.reached == last.sentence
    again = carry_out(load(path), judges=ASKED)
    assert len(looks(path)) == last.number
    assert again.reached == last.sentence


def test_a_goal_that_is_reached_with_the_last_of_the_budget_is_reached(study, quick, monkeypatch):
    """What the budget had no room for is not needed, and is not asked when there is room again."""
    made = look_at.look

    def reached(*given):
        found, cells = made(*given)
        return (found.ended(Ending.REACHED) if found.ending else found), cells

    monkeypatch.setattr(look_at, "look", reached)
    path = study(**settings(budget={"calls": 14}))
    carried = carry_out(load(path), judges=ASKED)
    assert (carried.outcome.ended, carried.outcome.complete) == (Ended.REACHED, True)
    assert carried.outcome.sentence.endswith("the goal is reached; 2 cells are left, which it does not need")
    status = q.status(path)
    assert (status.complete, status.pace, status.seconds_left, status.finished, status.cells) == (True, "", 0.0, 14, 16)
    assert status.looks[-1].spent.calls == 14
    again = carry_out(load(study(**settings(budget={"calls": 90}))), judges=ASKED)
    assert (again.quote.cells, again.quote.more, again.outcome.finished, again.outcome.complete) == (0, False, 0, True)


def test_spent_is_what_was_spent_where_money_ends_a_round(study, quick):
    """Calls would have had room for more."""
    path = study(**settings(budget={"money": 0.14, "calls": 900}))
    carry_out(load(path), judges=ASKED)
    assert [one["look"]["spent"]["calls"] for one in looks(path)] == [8, 14]


def test_a_goal_is_chosen_before_its_answers(study, quick):
    path = study(rows=rows(2), items={"file": "items.jsonl", "system": "s"})
    q.run(path, judges={"rule": lambda _: 5})
    with pytest.raises(InvalidInput, match="a goal that is chosen after its answers proves nothing"):
        q.run(study(**settings()), judges=ASKED)


def test_a_goal_cannot_be_changed(study, quick):
    q.run(study(**settings()), judges=ASKED)
    for changes in ({"looks": 5}, {"goal": {"rank": "best"}}):
        with pytest.raises(InvalidInput, match='setting "goal" changed since this ledger was planned'):
            carry_out(load(study(**settings(**changes))), judges=ASKED)


@pytest.mark.slow
def test_the_best_of_several_systems_is_found_by_votes(study):
    """A judge who always prefers x, and of the others now one and now the other."""
    pairs = [("x", "y"), ("z", "y"), ("x", "z")]
    texts = {name: {"prompt": "p", "response_a": f"by {name[0]}", "response_b": f"by {name[1]}"} for name in pairs}
    rows = [{"id": f"q{n}", "a": a, "b": b, **texts[a, b]} for n in range(60) for a, b in pairs]

    def judge(request):
        first, second = request.cell["system_a"], request.cell["system_b"]
        prefers = first == "x" or (second != "x" and int(request.cell["item"][1:]) % 2)
        return "A" if prefers else "B"

    items = {"file": "items.jsonl", "system_a": "a", "system_b": "b"}
    path = study(rows=rows, items=items, prompts=["pairwise"], goal={"rank": "best"}, budget={"calls": 150})
    looks = []
    carried = carry_out(load(path), judges={"rule": judge}, on_look=looks.append)
    assert carried.outcome.complete
    assert (looks[-1].outcome, looks[-1].systems) == ("x", ("x",))
    assert q.status(path).looks == tuple(looks)
    found = q.interim(path)
    assert found.path.goal == "which system is preferred to each of the others, at 95%"
    assert "margin of votes for x against" in found.sentence
    assert "x: the goal is reached" in found.sentence
