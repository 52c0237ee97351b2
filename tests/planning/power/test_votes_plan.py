from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from tables import votes_table

from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.votes.margins import margins
from quorate.planning.power.clusters import clustered_sample_size
from quorate.planning.power.pilot import feasibility
from quorate.planning.power.votes_plan import plan_votes
from quorate.table.read_votes import read_votes


@pytest.mark.parametrize(
    ("options", "words", "enough"),
    [
        ({"margin": 0.06}, "A margin of 0.06, 56% of the votes, needs 749 decisive votes (power 0.9).", True),
        ({"margin": 0.06, "budget": 500}, "500 independent votes would see a margin of 0.073 or more", False),
        ({"budget": 500}, "500 independent votes would see a margin of 0.073", True),
        ({"budget": 1}, "1 independent vote would see nothing, even if all agreed", False),
        ({"pilot": (28, 50), "budget": 500}, "You need 749 (from 70 to no finite number)", False),
        ({"pilot": (45, 50), "budget": 500}, "Feasible", True),
        ({"pilot": (25, 50)}, "No number of judgments shows a margin of 0", True),
        ({"margin": 0.06, "icc": 0.1, "cluster": 3}, "899 are worth the 749 that are needed.", True),
        (
            {"margin": 0.06, "icc": 0.1},
            "Unattainable: a margin of 0.06, 56% of the votes, needs 749 independent decisive votes",
            False,
        ),
        ({"margin": 0.06, "icc": 0.1, "cluster": 3, "budget": 898}, "is worth 748 independent ones", False),
        ({"margin": 0.06, "icc": 0.1, "cluster": 3, "budget": 899}, "is worth 749 independent ones", True),
        ({"pilot": (60, 100), "icc": 0.1}, "Unattainable: the pilot of 100 says a margin of 0.100", False),
        ({"pilot": (60, 100), "icc": 0.1, "budget": 50}, "Underpowered even at the largest margin", False),
        ({"budget": 4, "icc": 1, "cluster": 50}, "the budget of 4 is worth 1 independent one.", False),
    ],
)
def test_how_many_are_needed_and_whether_a_budget_has_them(options, words, enough):
    plan = plan_votes(**options)
    assert words in plan.sentence
    assert plan.enough is enough
    assert plan.to_dict()["sentence"] == plan.sentence


def test_rows_carry_each_margin_to_votes_in_clusters():
    plan = plan_votes(pilot=(60, 100), icc=0.01, cluster=5)
    assert [row["case"] for row in plan.rows()] == ["largest", "estimate", "smallest"]
    assert [row["needed"] for row in plan.rows()] == [plan.pilot.needed_low, plan.pilot.needed, plan.pilot.needed_high]
    assert plan.rows()[1]["votes"] == clustered_sample_size(plan.needed, icc=0.01, cluster=5).n == plan.clustered.n
    assert plan_votes(budget=300).rows() == []
    assert plan_votes(0.06).rows() == [{"case": "stated", "margin": 0.06, "needed": 749, "votes": 749}]


def test_the_argument_to_change_is_spelled_as_the_reader_gives_it():
    plan = plan_votes(0.06, icc=0.1)
    assert "say with cluster how many" in plan.sentence
    assert "say with --cluster how many" in plan.sentence.spelled(lambda argument: f"--{argument.name}")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "margin: give the margin to be seen, .03 for 53% of the votes, a pilot, or a budget"),
        ({"margin": 0.1, "pilot": (3, 5)}, "margin: give it or pilot, not both"),
        ({"margin": 0.1, "cluster": 3}, "cluster: votes of one cluster count less only if they are alike"),
        ({"margin": 0.1, "budget": 0}, "budget: "),
        ({"pilot": (9, 5)}, "wins: "),
    ],
)
def test_what_is_refused(options, words):
    with pytest.raises(InvalidInput, match=words):
        plan_votes(**options)


def test_the_votes_of_a_pilot_resemble_each_other_as_those_planned_do():
    """100 votes in fives with a correlation of .5 are worth 33: the pilot says less than 60 of 100 would."""
    alone, alike = plan_votes(pilot=(60, 100)), plan_votes(pilot=(60, 100), icc=0.5, cluster=5)
    assert alike.pilot.low < alone.pilot.low
    assert alike.pilot.low == pytest.approx(feasibility(60, 100, worth=100 / 3).low)
    crossed = plan_votes(pilot=(60, 100), icc={"prompt": 0.5, "judge": 0.1}, cluster={"prompt": 5, "judge": 20})
    assert crossed.pilot.low < alike.pilot.low
    assert crossed.clustered.n > alike.clustered.n
    assert "clusters of 5 by prompt and 20 by judge with intra-cluster correlations" in crossed.sentence
    assert json.loads(json.dumps(crossed.to_dict()))["clustered"]["cluster"] == {"prompt": 5, "judge": 20}


def test_a_pilot_of_votes_says_what_votes_that_share_a_prompt_or_a_judge_are_worth():
    """30 prompts by 8 people: the pilot is that of `feasibility` by both; ties do not count, and the first is ``a``."""
    rng = np.random.default_rng(2)
    prompt, judge = (x.ravel() for x in np.meshgrid(np.arange(30), np.arange(8), indexing="ij"))
    won = rng.random(240) < 0.62 + rng.normal(0, 0.15, 30)[prompt] + rng.normal(0, 0.2, 8)[judge]
    winner = np.where(rng.random(240) < 0.1, "tie", np.where(won, "model_a", "model_b"))
    rows = pl.DataFrame({"model_a": "x", "model_b": "y", "winner": winner, "prompt": prompt, "judge": judge})
    votes, some = read_votes(rows, announce=False), winner != "tie"
    by = {"prompt": prompt[some], "judge": judge[some]}
    wanted = feasibility(won[some].astype(int), np.ones(some.sum(), int), budget=500, by=by)
    found = plan_votes(pilot=votes, budget=500)
    assert found.pilot == wanted
    assert (found.needed, found.enough) == (wanted.needed, wanted.needed <= 500)
    assert plan_votes(pilot=votes, a="y", b="x").pilot.margin == pytest.approx(-wanted.margin)
    alone = plan_votes(pilot=read_votes(rows.select("model_a", "model_b", "winner"), announce=False))
    assert alone.pilot == feasibility(int(won[some].sum()), int(some.sum()))
    more = read_votes(pl.concat([rows, rows.with_columns(model_b=pl.lit("z"))]), announce=False)
    for options, said in (
        ({"pilot": more}, "a, b: name the two systems of the pilot"),
        ({"pilot": votes, "icc": 0.1}, "icc.*says itself how alike"),
        ({"pilot": (31, 50), "a": "x", "b": "y"}, "a, b: name two systems of a pilot of votes, and there is none"),
    ):
        with pytest.raises(InvalidInput, match=said):
            plan_votes(**options)
    with pytest.raises(NotEstimable, match="no decisive vote"):
        plan_votes(pilot=read_votes(rows.with_columns(winner=pl.lit("tie")), announce=False))


def other_votes(margins, n=400):
    """Votes on pairs of other systems, x and y of each, with exactly these margins."""
    rows = [(f"x{at}", f"y{at}", round(n * (0.5 + m)), n - round(n * (0.5 + m))) for at, m in enumerate(margins)]
    return votes_table(rows, "model_a model_b for_x for_y", wins=["for_x", "for_y"])


def test_margins_are_borrowed_from_other_pairs():
    found = plan_votes(margins_from=other_votes(np.linspace(0.05, 0.4, 36)))
    apart = margins(other_votes(np.linspace(0.05, 0.4, 36))).quantiles()
    assert found.margin == apart.corrected[1]
    assert found.needed == plan_votes(found.margin).needed
    assert "that of the pair at 25% of 36 other pairs by margin, needs" in found.sentence
    assert [row["margin"] for row in found.rows()] == list(apart.corrected)
    assert found.rows()[0]["needed"] > found.needed > found.rows()[2]["needed"]


def test_what_cannot_be_borrowed_is_refused():
    with pytest.raises(NotEstimable, match="no pair has 50 decisive votes"):
        plan_votes(margins_from=other_votes([0.1, 0.2], n=40))
    with pytest.raises(InvalidInput, match="margins_from"):
        plan_votes(0.1, margins_from=other_votes([0.1, 0.2]))
