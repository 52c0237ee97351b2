"""Goals of several parts: of every category of items, or of the mean of every system."""

from dataclasses import replace

import numpy as np
import pytest
from decide.goals.carried import carried

from quorate.decide.goals.goal import BestGoal, CompareGoal, HalfWidthGoal, Offer, Spent
from quorate.decide.goals.look import UNDECIDED, Ending, Look
from quorate.decide.goals.parts import Parts, has_parts, shared
from quorate.decide.goals.rounds import look
from quorate.errors import InvalidInput
from quorate.estimate.components.decompose import decompose
from quorate.simulate.goals.goal import world

ITEMS = tuple(f"i{n:03}" for n in range(240))
KINDS = tuple(("verse", "prose", "prose")[n % 3] for n in range(240))
THREE = Offer(ITEMS, ("a", "b"), systems=("x", "y", "z"), calls=3000)
BY_KIND = Offer(ITEMS, ("a", "b"), systems=("x", "y"), calls=3000, categories=KINDS)
LAW = {"item": 0.1, "cell": 0.2}
COMPARED = CompareGoal("x", "y", margin=0.35, by="category")


def of_world(goal, drawn):
    """The looks, the batches, and what was answered at the end."""

    def answered(batches):
        made = drawn.nothing()
        for cells in batches:
            made = drawn.asked(cells, made)
        return drawn.judgments(made)

    batches, past = carried(goal, drawn.offer, answered)
    return past, batches, answered(batches)


@pytest.fixture(scope="module")
def means():
    """Of three systems, the last of which varies most."""
    drawn = world(THREE, LAW, [0.0, 1.0, 2.0], np.random.default_rng(1))
    drawn.score[:, 2] = 2 + 1.8 * (drawn.score[:, 2] - 2)
    return of_world(HalfWidthGoal(0.15), drawn)


@pytest.fixture(scope="module")
def kinds():
    """Of two systems that differ on prose alone."""
    effects = [{"prose": 0.8, "verse": 0.0}, 0.0]
    return of_world(COMPARED, world(BY_KIND, LAW, effects, np.random.default_rng(3)))


def test_which_goals_have_parts():
    assert has_parts(HalfWidthGoal(0.1), THREE)
    assert not has_parts(HalfWidthGoal(0.1), replace(THREE, systems=()))
    assert has_parts(COMPARED, BY_KIND)
    assert not has_parts(replace(COMPARED, by=None), BY_KIND)
    assert not has_parts(BestGoal(), THREE)


def test_every_mean_is_as_its_own_scores_have_it_and_narrow_enough(means):
    past, batches, table = means
    last = past[-1]
    assert (last.ending, last.outcome, len(batches[0])) == (Ending.REACHED, "known", 30 * 3 * 2)
    for name, part in zip(THREE.systems, last.parts, strict=True):
        own = decompose(table.only("system", name)).mean
        assert (part.low, part.high) == pytest.approx(own.ends, rel=1e-6)
        assert own.half_width <= 0.15
    assert last.question == "mean of z"


def test_a_system_that_is_known_is_asked_no_more(means):
    past, batches, table = means
    asked = [cells.calls("system") for cells in batches]
    done = [sum(one.parts[0].ending is not None for one in past), sum(one.parts[2].ending is not None for one in past)]
    assert done[0] > done[1]
    first = next(at for at, one in enumerate(past) if one.parts[0].ending)
    assert all(not each.get("x") for each in asked[first + 1 :])
    assert past[first].parts[0] == past[-1].parts[0]
    assert "x" not in past[first].systems
    assert "known of x" in past[first].note
    counts = {name: table.only("system", name).n_answers for name in THREE.systems}
    assert counts["x"] < counts["z"]


def test_every_category_is_tested_by_itself_at_its_part_of_the_level(kinds):
    past, batches, _ = kinds
    prose, verse = past[-1].parts
    assert (past[-1].ending, prose.outcome, verse.outcome) == (Ending.REACHED, "better", "equivalent")
    assert past[-1].outcome == "better on prose, equivalent on verse"
    assert (prose.level, past[-1].alpha <= 0.05) == (pytest.approx(0.975), True)
    assert batches[0].nested == {"item": "category"}
    rows, kind = np.unique(batches[0].code("item")), np.array(BY_KIND.group_order)
    assert sorted(kind[rows].tolist()) == ["prose"] * 30 + ["verse"] * 30


def test_looks_are_kept_whole_and_found_again(kinds):
    past, batches, table = kinds
    assert [Look.from_dict(one.to_dict()) for one in past] == past
    spent = Spent(sum(map(len, batches)))
    assert look(COMPARED, BY_KIND, table, past[:-1], spent)[0] == past[-1]


def test_a_budget_that_is_short_is_shared_and_raised():
    short = replace(BY_KIND, calls=260)
    goal = replace(COMPARED, margin=0.1)
    past, batches, table = of_world(goal, world(short, LAW, [0.05, 0.0], np.random.default_rng(3)))
    assert past[-1].ending in (Ending.FUTILE, Ending.BUDGET, Ending.LOOKS)
    assert sum(map(len, batches)) <= 260
    assert past[-1].outcome == UNDECIDED
    stopped = replace(past[-1], parts=tuple(replace(one, ending=Ending.FUTILE) for one in past[-1].parts), ending=None)
    more, cells = look(goal, BY_KIND, table, [stopped], Spent(260))
    assert (more.ending, len(cells) > 0) == (None, True)


def test_those_who_need_less_leave_the_rest_to_others():
    assert shared({0: 10.0, 1: 50.0, 2: 70.0}, 100.0) == {1: 45.0, 2: 45.0}
    assert shared({0: 10.0, 1: 50.0}, 100.0) == {}
    assert shared({0: 80.0, 1: 80.0}, 100.0) == {0: 50.0, 1: 50.0}


@pytest.mark.parametrize(
    ("offer", "words"),
    [
        (replace(BY_KIND, categories=None), "two categories of items or more are needed"),
        (replace(BY_KIND, categories=("rare",) * 3 + ("often",) * 237), '"rare" has 3; use coarser'),
    ],
)
def test_categories_that_cannot_be_told_are_refused(offer, words):
    with pytest.raises(InvalidInput, match=words):
        Parts(COMPARED, offer)
