import math
import re

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidInput
from quorate.numerics.sequential.bandit import Constants
from quorate.simulate.allocation.allocation import grid_of


def pool(arms=60, draws=20, seed=1):
    """Whole scores with a few arms that vary much."""
    rng = np.random.default_rng(seed)
    sd = np.where(np.arange(arms) % 10 == 0, 1.5, 0.4)
    return np.round(rng.normal(3, sd[:, None], (arms, draws)))


@pytest.mark.slow
def test_allocation_by_variance_saves_where_few_arms_vary():
    found = q.scores.simulate_allocation(pool(), 6000, runs=30)
    assert found.saved().low > 0.3
    assert found.saved("robin").value > 0.3
    final = {name: one.errors[:, -1].mean() for name, one in found.outcomes.items()}
    assert max(final["robin"], final["robin-hood"]) < 0.7 * final["uniform"]
    assert "saved (95% interval" in found.sentence


def test_everything_is_in_the_order_of_the_source():
    scores = pool()
    found = q.scores.simulate_allocation(scores, 6000, runs=5)
    assert found.means == pytest.approx(scores.mean(axis=1))
    assert found.variances == pytest.approx(scores.var(axis=1))
    assert found.labels == tuple(map(str, range(60)))
    assert found.pulls["robin-hood"][::10].mean() > 3 * np.median(found.pulls["robin-hood"])
    assert found.ideal.sum() == pytest.approx(1)


def test_the_warm_up_is_uniform_and_its_end_is_on_the_curve():
    found = q.scores.simulate_allocation(pool(), 6000, runs=5)
    assert found.constants.warmup == 20
    early = found.spent <= 20 * 60
    assert 20 * 60 in found.spent
    assert (found.outcomes["robin-hood"].errors[:, early] == found.outcomes["uniform"].errors[:, early]).all()


def test_the_same_seed_gives_the_same_answer_and_another_another():
    one, same, other = (
        q.scores.simulate_allocation(pool(), 3000, runs=3, seed=seed).outcomes["robin-hood"] for seed in (1, 1, 2)
    )
    assert (one.errors == same.errors).all()
    assert (one.errors != other.errors).any()


def test_without_the_floor_arms_that_seemed_constant_are_starved():
    """Arms that give 1 once in 50: two of three show no variance in 20 pulls."""
    rng = np.random.default_rng(1)
    rare = np.zeros((60, 50))
    rare[:, 0] = 1
    scores = np.concatenate([rare, rng.integers(0, 2, (20, 50))])
    with_floor, without = (q.scores.simulate_allocation(scores, 8000, floor=floor, runs=15) for floor in (True, False))
    assert with_floor.step == 1
    assert without.step is None
    bias = [found.outcomes["robin-hood"].bias[:60].mean() for found in (with_floor, without)]
    assert bias[1] < -0.4 * 0.02
    assert abs(bias[0]) < 0.2 * 0.02
    assert abs(without.outcomes["uniform"].bias[:60].mean()) < 0.1 * 0.02


def test_policies_can_be_chosen_and_only_robin_hood_needs_a_warm_up():
    found = q.scores.simulate_allocation(pool(), 100, policies=["robin", "uniform"], runs=2)
    assert found.policies == ("uniform", "robin")
    assert q.scores.simulate_allocation(pool(), 100, policies="uniform", runs=2).policies == ("uniform",)


def test_the_theory_needs_a_larger_budget():
    with pytest.raises(InvalidInput, match="budget: ROBIN-HOOD begins with 307 pulls of each of 60 arms"):
        q.scores.simulate_allocation(pool(), 6000, variant="theory")
    found = q.scores.simulate_allocation(pool(), 30_000, variant="theory", runs=2)
    assert found.constants.warmup == math.ceil(16 * math.log(4 * 60 * 30_000 / 0.007))
    assert found.pulls["robin-hood"].min() >= found.constants.warmup


def test_replay_of_more_draws_than_answers_is_said():
    assert [c.code for c in q.scores.simulate_allocation(pool(), 6000, runs=2).caveats] == ["reused-answers"]
    assert q.scores.simulate_allocation(pool(draws=120), 6000, runs=2).caveats == ()


@pytest.mark.slow
def test_the_floor_goes_by_the_declared_scale_and_it_is_said_when_it_does_not():
    scores = pool() * 2  # only even numbers were given so far
    guessed, declared = (
        q.scores.simulate_allocation(scores, 3000, runs=50, scale=scale) for scale in (None, range(-8, 19))
    )
    assert (guessed.step, declared.step) == (2, 1)
    (said,) = guessed.notes
    assert said == (
        "The floor of variances takes possible scores to be 2 apart, the smallest gap between answers; "
        "declare the scale if others are possible."
    )
    assert declared.notes == ()
    assert declared.pulls["robin-hood"].tolist() != guessed.pulls["robin-hood"].tolist()
    assert guessed.to_dict()["notes"] == list(guessed.notes)
    assert q.scores.simulate_allocation(scores, 3000, runs=50, floor=False, points=2).notes == ()
    assert q.scores.simulate_allocation(scores, 3000, runs=50, policies="uniform", points=2).notes == ()


def test_the_scale_of_a_cycle_is_shared_by_its_judges():
    assert (
        q.scores.simulate_allocation(judged(3), 5400, cycle="judge", runs=2, scale=np.arange(0, 15, 0.5)).step
        == 0.5 / 3
    )


def test_how_many_arms_have_a_human_score_is_said():
    human = np.where(np.arange(60) % 3 == 0, np.nan, np.arange(60.0))
    found = q.scores.simulate_allocation(pool(), 3000, runs=2, human=human, scale=range(-9, 10))
    assert found.notes[0] == "40 of 60 arms have a human score; correlations are of their means."


@pytest.mark.parametrize(
    ("human", "said"),
    [
        (np.where(np.arange(60) < 3, np.arange(60.0), np.nan), "With fewer than 20 arms they are largely chance."),
        (np.full(60, 3.0), "All human scores are 3, so that there is no correlation with them."),
    ],
)
def test_human_scores_that_say_little_are_named(human, said):
    found = q.scores.simulate_allocation(pool(), 3000, runs=2, human=human, scale=range(-9, 10))
    assert said in " ".join(found.notes)


@pytest.mark.wide(1)
@pytest.mark.parametrize(
    ("runs", "interval", "said"),
    [(19, False, "No interval of the budget saved"), (20, True, "may be too narrow"), (50, True, "")],
)
def test_runs_must_be_enough_for_an_interval(runs, interval, said):
    found = q.scores.simulate_allocation(pool(), 3000, runs=runs, scale=range(-9, 10), points=10)
    assert ("95% interval" in found.sentence) is interval
    assert math.isnan(found.saved().low) is not interval
    assert (said in " ".join(found.notes)) if said else found.notes == ()


def judged(judges=1):
    rng = np.random.default_rng(1)
    item, judge, rep = (axis.ravel() for axis in np.indices((30, judges, 10)))
    score = np.round(5 + item % 5 + judge * 0.5 + rng.normal(0, 0.3 + (item % 6 == 0) * 1.5))
    frame = pl.DataFrame({"item": item, "judge": judge, "rep": rep, "score": score})
    return q.read(frame, facets={"item": "item", "judge": "judge", "replicate": "rep"}, announce=False)


def test_judgments_are_replayed_by_cell():
    found = q.scores.simulate_allocation(judged(), 1800, runs=5, human={i: i % 5 for i in range(30)})
    assert len(found.labels) == 30
    assert found.saved().value > 0.2
    assert math.isnan(found.saved().low)
    assert set(found.curve) >= {"pearson", "spearman", "kendall"}
    assert found.outcomes["uniform"].correlations[0, -1] > 0.9


@pytest.mark.slow
def test_answers_of_a_file_are_read_again(shared):
    """360 items of one dimension and prompt, less those not scored; 20 answers each."""
    facets = {"item": "item", "prompt": "prompt", "dimension": "dimension", "replicate": "replicate"}
    path = shared / "data" / "topical_chat_gpt35_replicates.parquet"
    every = q.read(path, score="score", facets=facets, announce=False)
    one = every.only("dimension", "groundedness").only("prompt", "geval")
    found = q.scores.simulate_allocation(one, 50 * one.n_cells, runs=5, points=10)
    assert len(found.labels) == one.n_cells == 357
    assert found.means == pytest.approx(one.mean)
    assert found.variances == pytest.approx(one.ss / one.n)
    assert found.step == 1


def test_a_cycle_spends_a_call_on_every_judge():
    found = q.scores.simulate_allocation(judged(3), 5402, cycle="judge", runs=5, points=[900, 2700, 5402])
    assert found.calls_per_pull == 3
    assert found.spent.tolist() == [900, 2700, 5400]
    assert found.pulls["robin-hood"].sum() == pytest.approx(1800)
    with pytest.raises(
        InvalidInput, match="20 pulls of each of 30 arms by 3 calls, 1,800 in all, got 902; give budget=1800"
    ):
        q.scores.simulate_allocation(judged(3), 902, cycle="judge")
    assert found.warmup_share == pytest.approx(20 * 30 * 3 / 5400)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"budget": 6000.5}, "budget: must be a whole number from 60 to 10,000,000, got 6000.5"),
        ({"budget": 59}, "budget: must be a whole number from 60 to 10,000,000, got 59"),
        ({"budget": 10**9}, "budget: must be a whole number from 60 to 10,000,000, got 1000000000"),
        ({"budget": True}, "budget: must be a whole number from 60 to 10,000,000, got True"),
        (
            {"budget": 1000},
            "budget: ROBIN-HOOD begins with 20 pulls of each of 60 arms, 1,200 in all, got 1,000; give budg",
        ),
        ({"runs": 0}, "runs: must be a whole number from 1 to 100,000, got 0"),
        ({"policies": ["uniform", "best"]}, 'policies: some of uniform, robin, robin-hood, got "best"'),
        ({"policies": []}, "policies: some of uniform, robin, robin-hood, got none"),
        ({"variant": "paper"}, "variant: must be one of experiment, theory"),
        ({"delta": 2}, "delta: must lie between 0 and 1, got 2"),
        ({"delta": "small"}, 'delta: must lie between 0 and 1, got "small"'),
        ({"policies": "uniform", "variant": "paper"}, "variant: must be one of experiment, theory"),
        ({"policies": 7}, 'policies: some of uniform, robin, robin-hood, got "7"'),
        ({"points": 2.5}, "points: must be a whole number from 2 to 10,000, got 2.5"),
        ({"points": 1}, "points: must be a whole number from 2 to 10,000, got 1"),
        ({"points": [10]}, "points: must be a whole number from 60 to 6,000, got 10"),
        ({"seed": -1}, "seed: must be a whole number of at least 0"),
        ({"scale": [1]}, "scale: the possible scores, two or more, such as range(1, 6), got [1.0]"),
        ({"scale": 5}, "scale: expects numbers, got 5"),
        ({"scale": range(3)}, "scale: possible scores from 0 to 2, but an answer is"),
        ({"human": [1.0]}, "human: a mapping from labels, or one score for each of 60 arms"),
    ],
)
def test_arguments_are_checked_in_one_line(given, said):
    with pytest.raises(InvalidInput, match=re.escape(said)) as caught:
        q.scores.simulate_allocation(**{"judgments_or_pool": pool(), "budget": 6000, "runs": 2} | given)
    assert "\n" not in str(caught.value)


def test_the_grid_has_a_pull_of_every_arm_the_warm_up_and_the_budget():
    own = Constants(5.0, 20)
    assert grid_of(5, 10, 1000, 1, own).tolist() == [200, 400, 600, 800, 1000]
    assert grid_of(4, 10, 1000, 1, own).tolist() == [200, 250, 500, 750, 1000]
    assert grid_of([30, 60], 10, 100, 3, own).tolist() == [10, 20, 100]


def test_the_bias_of_adaptive_means_is_said_with_its_size():
    rare = np.tile(1.0 + 4 * (np.arange(25) < 2), (20, 1))  # 5 with a chance of .08, else 1
    found = q.scores.simulate_allocation(rare, 1200, runs=50, scale=range(1, 6))
    [caveat] = [one for one in found.caveats if one.code == "adaptive-means"]
    average = found.outcomes["robin-hood"].bias.mean()
    assert average < -0.03
    assert f"off by {average:+.2g}" in caveat.sentence
    even = np.tile(np.arange(1.0, 6), (20, 1))
    assert not any(one.code == "adaptive-means" for one in q.scores.simulate_allocation(even, 1200, runs=50).caveats)
