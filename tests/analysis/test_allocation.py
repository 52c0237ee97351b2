from __future__ import annotations

import json
import math

import numpy as np
import polars as pl
import pytest
from tables import votes_table

import quorate as q
from quorate.analysis.allocation import (
    allocation_view,
    arms_text,
    between,
    final_error,
    replay_pair,
    replay_pairs,
    view_of,
)
from quorate.errors import InvalidData, InvalidInput, NotEstimable, UnknownColumn, UnknownTerm
from quorate.simulate.allocation.result import Saved


@pytest.mark.slow
def test_a_study_is_that_of_simulate_allocation(replays):
    clear = replays.only("dimension", "clear")
    view = allocation_view(replays, 1200, only={"dimension": "clear"}, runs=5, seed=2)
    (study,) = view.studies
    direct = q.scores.simulate_allocation(clear, 1200, runs=5, seed=2)
    assert study.allocation.to_dict() == direct.to_dict()
    assert view.sentence == direct.sentence
    assert (study.answers, study.facets) == ((8, 8), ("item", "judge"))
    assert (study.sweep, study.cycles, study.level) == (None, None, "")


@pytest.mark.slow
def test_options_reach_the_replay(replays):
    (study,) = allocation_view(replays, 2400, only={"dimension": "clear"}, runs=2, delta=0.3, floor=False).studies
    assert study.allocation.constants.warmup == 5
    assert study.allocation.step is None


def test_levels_that_cannot_be_studied_say_why(replays):
    view = allocation_view(replays, 1200, by="dimension", runs=5, human="human")
    assert [study.level for study in view.studies] == ["clear"]
    assert "always gave the same answer" in view.reasons["short"]
    assert view.exit_code == 2
    assert view.studies[0].allocation.human


def test_levels_are_compared_in_one_sentence(replays):
    view = allocation_view(replays.only("dimension", "clear"), 600, by="judge", runs=20)
    ordered = sorted(view.studies, key=lambda study: study.saved.value)
    assert f"{ordered[0].saved.value:.0%} ({ordered[0].level}) to" in view.sentence
    assert f"above 0 for {len(view.sure)} of 2" in view.sentence
    assert view.exit_code == (0 if all(study.saved.low > 0 for study in view.studies) else 2)
    assert [study.facets for study in view.studies] == [("item",), ("item",)]


def test_a_cycle_is_compared_with_single_judges_and_constants_are_swept(replays):
    view = allocation_view(replays, 2000, only={"dimension": "clear"}, cycle="judge", sweep=True, runs=5)
    (study,) = view.studies
    assert study.facets == ("item",)
    assert study.allocation.calls_per_pull == 2
    assert {row.design for row in study.cycles.rows} == {"whole cycles", "x", "y"}
    assert "delta 0.0007" in study.sweep.settings
    assert "delta 0.3, warm-up 20" in study.sweep.settings
    assert json.loads(json.dumps(view.to_dict(), allow_nan=False))["studies"][0]["cycles"]["rows"]


def test_a_sweep_leaves_out_warm_ups_that_the_budget_does_not_hold(replays):
    view = allocation_view(replays, 24 * 12, only={"dimension": "clear"}, sweep=True, runs=3, delta=0.1)
    assert [name for name in view.studies[0].sweep.settings if name.startswith("delta")] == [
        "delta 0.07",
        "delta 0.1",
        "delta 0.3",
    ]


@pytest.mark.slow
def test_the_theory_needs_no_sweep_of_the_experiments(replays):
    view = allocation_view(replays, 24 * 400, only={"dimension": "clear"}, variant="theory", sweep=True, runs=2)
    assert view.studies[0].allocation.constants.warmup > 200
    assert view.studies[0].sweep is not None


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"by": "colour"}, UnknownTerm, "colour"),
        ({"by": "item"}, InvalidInput, "neither measured nor cycled"),
        ({"by": "judge", "cycle": "judge"}, InvalidInput, "neither measured nor cycled"),
        ({"only": {"judge": "z"}}, UnknownTerm, '"z"'),
        ({"human": "humans"}, UnknownColumn, 'human: no column "humans"'),
        ({"human": "human"}, InvalidData, "several values"),
        ({"only": {"dimension": "short"}}, NotEstimable, "always gave the same answer"),
        ({"by": "dimension", "runs": 0}, InvalidInput, "runs"),
        ({"cycle": "item"}, InvalidInput, "cycle"),
    ],
)
def test_what_is_refused(replays, options, error, says):
    with pytest.raises(error, match=says):
        allocation_view(replays, 3000, **options)


def test_too_many_levels_and_no_human_score(replays):
    frame = pl.DataFrame({"item": [1, 2] * 30, "kind": [i // 2 for i in range(60)], "score": [1] * 60})
    many = q.read(frame, facets={"item": "item", "kind": "kind"})
    with pytest.raises(InvalidInput, match="at most 20 levels"):
        allocation_view(many, 100, by="kind")
    frame = pl.DataFrame(
        {"item": [1, 1, 2, 2], "score": [1, 2, 1, 3], "human": [None] * 4}, schema_overrides={"human": pl.Float64}
    )
    few = q.read(frame, facets={"item": "item"})
    with pytest.raises(NotEstimable, match=r"no item has a value in column .human."):
        allocation_view(few, 100, human="human")


def test_what_is_wrong_with_the_replicates_is_said(replays):
    rows = {"item": [1, 1, 2, 2] * 4, "kind": ["a", "b"] * 8, "score": [1, 4, 2, 3, 1, 1, 5, 3] * 2}
    view = allocation_view(q.read(pl.DataFrame(rows), facets={"item": "item"}, announce=False), 200, runs=2)
    assert any("not used so far: kind" in sentence for sentence in view.cautions)
    repeated, roles = pl.DataFrame({**rows, "replicate": [1] * 16}), {"item": "item", "replicate": "replicate"}
    with pytest.raises(InvalidData, match=r"14 rows repeat a key, .*not used so far: kind"):
        allocation_view(q.read(repeated, facets=roles, announce=False), 200, runs=2)


def test_a_replay_that_was_made_already():
    rng = np.random.default_rng(1)
    pool = rng.normal(0, np.repeat([0.1, 2], [40, 10])[:, None], (50, 20))
    found = q.scores.simulate_allocation(pool, 2500, runs=20)
    view = view_of(found)
    assert view.exit_code == 0
    assert view_of(q.scores.simulate_allocation(pool, 2500, runs=19)).exit_code == 2
    assert view.sentence == found.sentence
    assert view.judgments is None


@pytest.mark.slow
def test_the_data_of_the_paper(shared):
    judgments = q.read(
        shared / "data" / "topical_chat_gpt35_replicates.parquet",
        facets={"dimension": "dimension"},
        recognise=True,
        announce=False,
    )
    view = allocation_view(judgments, 20_000, by="dimension", only={"prompt": "geval"}, human="human_score", runs=2)
    assert len(view.studies) == 4
    assert {study.facets for study in view.studies} == {("item",)}
    assert all(0.2 < study.allocation.outcomes["uniform"].correlations[1, -1] < 0.7 for study in view.studies)


def test_an_arm_of_one_facet_and_of_several(replays):
    only = {"dimension": "clear"}
    (both,) = allocation_view(replays, 1200, only=only, runs=1).studies
    assert arms_text(both) == (
        "An arm is a combination of item x judge: 24 arms, 8 answers each; 1 run of 1,200 calls."
    )
    (cycled,) = allocation_view(replays, 1200, only=only, cycle="judge", runs=2).studies
    assert arms_text(cycled) == (
        "An arm is one item: 12 arms, 8 answers each from every judge; a pull asks 2 in turn; 2 runs of 1,200 calls."
    )


def test_a_single_run_has_no_deviation_and_no_interval(replays):
    (study,) = allocation_view(replays, 1200, only={"dimension": "clear"}, runs=1).studies
    mean, sd = final_error(study.allocation, "uniform")
    assert mean == study.allocation.outcomes["uniform"].errors[0, -1]
    assert math.isnan(sd)
    assert between(study.saved) == ""
    assert between(Saved("robin", "uniform", 0.1, -0.2, 0.3)) == " (-20% to 30%)"


@pytest.fixture(scope="module")
def votes():
    rng = np.random.default_rng(6)
    rows = [("x", "y", "model_a" if rng.random() < 0.7 else "model_b", f"p{i // 2}", f"t{i % 4}") for i in range(400)]
    return votes_table(rows, "model_a model_b winner prompt prompt_type")


def test_sizes_that_no_pair_has_are_left_out_and_said(votes):
    found = replay_pairs(votes, [50, 5000], minimum=100)
    assert {one.n for one in found.rates} == {50}
    assert {row["method"] for row in found.rows()} == {"independent", "prompt"}
    assert found.rows()[0]["wrong"] == found.rates[0].wrong
    assert found.notes == ("Left out: studies of 5,000 votes; no pair has more than 400 decisive votes.",)
    with pytest.raises(InvalidInput, match="budgets: no pair has more than 400 decisive votes"):
        replay_pairs(votes, [5000])


def test_votes_are_drawn_one_by_one_where_that_is_said(votes):
    found = replay_pairs(votes, [50], cluster=(), minimum=100)
    assert {one.method for one in found.rates} == {"independent"}
    assert found.notes == ("Votes are drawn one by one, and taken as independent.",)


def test_two_systems_and_types_of_prompts(votes):
    found = replay_pair(votes, "x", "y", [30, 200], by="prompt_type")
    assert found.to_dict()["budgets"] == [200]
    assert [note.split(" ")[0] for note in found.notes] == ["Left", "Two"]
    with pytest.raises(InvalidInput, match="budgets: numbers from"):
        replay_pair(votes, "x", "y", [2], by="prompt_type")


def test_screening_is_free_and_said(votes):
    found = replay_pair(votes, "x", "y", [200], by="prompt_type", per_type=3, retained=0.9)
    assert "Screening by 3 votes of each type" in found.notes[0]
    assert "Keeping" in found.notes[1]
