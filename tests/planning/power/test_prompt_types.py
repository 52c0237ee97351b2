import numpy as np
import pytest
from tables import votes_table

from quorate.errors import InvalidInput, NotEstimable, UnknownTerm
from quorate.planning.power.prompt_types import (
    bottleneck,
    checked_counts,
    combined_p_value,
    concentrated_pairs,
    concentration,
    proportional,
    two_stage,
)


def test_proportional_allocation_has_the_largest_bottleneck():
    w = np.array([0.5, 0.3, 0.2])
    best = bottleneck(proportional(1000, w), w)
    assert best == pytest.approx(1000)
    rng = np.random.default_rng(0)
    assert bottleneck(rng.multinomial(1000, w, 500), w) < best
    assert bottleneck([600, 200, 200], w) == pytest.approx(200 / 0.3)


def test_sizes_of_algorithm_1():
    plan = two_stage(5000, np.ones(50), c=10, retained=0.1)
    assert (plan.per_type, plan.kept, plan.first, plan.second) == (40, 5, 2000, 3000)


def test_the_second_stage_is_spent_on_the_largest_margins_in_proportion():
    plan = two_stage(1000, [4, 3, 2, 1, 1, 1, 1, 1, 1, 1], retained=0.2)
    half = plan.per_type // 2
    wins = np.full(10, half)
    wins[[1, 2]] = plan.per_type, 0
    n = plan.focus(wins)
    assert np.flatnonzero(n).tolist() == [1, 2]
    assert n.sum() == plan.second
    assert n[1] / n[2] == pytest.approx(3 / 2, rel=0.01)


@pytest.mark.parametrize(
    ("budget", "options", "message"),
    [
        (600, {}, "above 600, which screening 20 types with 30 judgments each takes"),
        (100, {}, "in proportion"),
        (2000, {"c": 0}, "c: must be above 0"),
        (2000, {"retained": 1.5}, "retained"),
        (2000.5, {}, "budget"),
    ],
)
def test_refusals(budget, options, message):
    with pytest.raises(InvalidInput, match=message):
        two_stage(budget, np.ones(20), **options)


@pytest.mark.parametrize("weights", [[], [1, 0], [1, np.nan], [1]])
def test_weights_are_checked(weights):
    with pytest.raises(InvalidInput, match="weights"):
        two_stage(2000, weights)


def test_ties_of_the_first_stage_leave_margins_of_the_others():
    plan = two_stage(1000, [1, 1, 1, 1, 1], retained=0.2, per_type=10)
    assert plan.focus([8, 5, 5, 3, 0]).tolist() == [0, 0, 0, 0, 950]
    assert plan.focus([7, 5, 5, 3, 0], n=[7, 10, 10, 10, 0]).tolist() == [950, 0, 0, 0, 0]
    with pytest.raises(InvalidInput, match="wins: whole numbers from 0 to its n, got 8 for type 1"):
        plan.focus([8, 5, 5, 3, 0], n=[7, 10, 10, 10, 10])


def test_both_stages_are_symmetric_in_direction():
    assert combined_p_value(40, 60, 90, 150, 0.3) == pytest.approx(combined_p_value(20, 60, 60, 150, 0.3))


@pytest.mark.parametrize("wrong", [31, -1, 2.5, np.nan, np.inf, "many"])
def test_counts_that_cannot_be_are_refused_in_one_line(wrong):
    bad = [*[15] * 19, wrong]
    for call in (two_stage(2000, np.ones(20)).focus, lambda wins: checked_counts(wins, [30] * 20)):
        with pytest.raises(InvalidInput, match=r"^wins: ") as caught:
            call(bad)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("n", [[30], [30, 0], [30, 2.5], [30, np.nan], 30, "all"])
def test_votes_of_types_are_checked(n):
    with pytest.raises(InvalidInput, match=r"^n: "):
        checked_counts([10, 20], n)


def test_other_screenings_are_allowed_and_said():
    usual, other = two_stage(2000, np.ones(20)), two_stage(2000, np.ones(20), per_type=5, retained=0.5)
    assert (other.per_type, other.kept, other.second) == (5, 10, 1900)
    assert usual.notes == ()
    few, kept = other.notes
    assert "by 5 votes of each type, fewer than 30" in few
    assert "Keeping 10 of 20 types, not 2 to 6" in kept
    assert two_stage(2000, np.ones(20), c=3).per_type == 9


@pytest.mark.slow
def test_noise_alone_looks_concentrated_until_it_is_subtracted():
    rng = np.random.default_rng(0)
    found = [concentration(rng.binomial(50, 0.5, 20), np.full(20, 50), splits=50, seed=i) for i in range(8)]
    assert np.median([one.naive for one in found]) > 2.5
    assert not any(one.recommended for one in found)


def test_signal_in_few_types_is_found_of_either_sign():
    wins = np.random.default_rng(3).binomial(200, np.r_[0.75, 0.25, np.full(18, 0.55)])
    found = concentration(wins, np.full(20, 200))
    assert found.recommended
    assert 1.5 < found.low < found.ratio < 5
    assert "screen types first" in found.sentence


@pytest.mark.slow
def test_even_signal_is_not():
    rng = np.random.default_rng(1)
    drawn = [concentration(rng.binomial(200, 0.6, 20), np.full(20, 200), splits=50) for _ in range(20)]
    found = drawn[0]
    assert not any(one.recommended for one in drawn)
    assert np.mean([one.ratio for one in drawn]) == pytest.approx(1, abs=0.1)
    assert "in proportion" in found.sentence


def test_what_is_shown_at_one_level_is_not_at_a_higher_one():
    wins = np.random.default_rng(3).binomial(60, np.r_[0.68, 0.32, np.full(8, 0.55)])
    said = [concentration(wins, np.full(10, 60), level=level) for level in (0.6, 0.95)]
    assert 0.1 < said[0].p == said[1].p < 0.4
    assert [one.recommended for one in said] == [True, False]


def test_no_preference_at_all_has_no_ratio():
    found = concentration(np.full(5, 10), np.full(5, 20))
    assert np.isnan(found.ratio)
    assert np.isnan(found.naive)
    assert found.to_dict()["ratio"] is None
    assert not found.recommended


@pytest.mark.slow
def test_a_larger_kappa_takes_more():
    wins = np.random.default_rng(2).binomial(100, np.r_[0.85, 0.15, np.full(18, 0.55)])
    p = [concentration(wins, np.full(20, 100), kappa=kappa).p for kappa in (1.5, 2, 4)]
    assert p == sorted(p)


def test_all_types_hold_all_of_the_signal():
    found = concentration([90, 80, 60, 70, 55], [100] * 5, retained=0.9)
    assert (found.top, found.ratio, found.naive) == (5, 1, 1)
    assert (found.p, found.recommended) == (1, False)
    assert 0 < found.low <= 1
    assert np.isnan(concentration(np.full(5, 50), np.full(5, 100), retained=0.9).ratio)


@pytest.mark.slow
def test_no_types_hold_more_than_all_of_the_signal():
    """The top 4 of 5 hold at most 1.25 times their even share: 1.5 times is out of the question."""
    for seed in range(5):
        wins = np.random.default_rng(seed).binomial(20, 0.5, 5)
        assert concentration(wins, np.full(5, 20), retained=0.8, splits=20).p == 1


def test_refusals_of_concentration():
    with pytest.raises(NotEstimable, match="at least 4"):
        concentration([1, 2], [3, 30])
    with pytest.raises(InvalidInput, match="kappa"):
        concentration([10, 20], [30, 30], kappa=1)
    with pytest.raises(InvalidInput, match="wins"):
        concentration([40, 20], [30, 30])


def test_pairs_whose_signal_is_in_few_types():
    rng = np.random.default_rng(2)
    sides = {"y": [0.9, 0.85, *[0.5] * 8], "z": [0.6] * 10, "w": [0.6] * 9}  # w has no vote on the last type
    rows = [
        ("x", other, f"t{t}", won, 120 - won)
        for other, shares in sides.items()
        for t, won in enumerate(rng.binomial(120, shares).tolist())
    ]
    votes = votes_table(rows, "model_a model_b prompt_type a b", wins=["a", "b"])
    assert concentrated_pairs(votes) == (1, 2)
    with pytest.raises(UnknownTerm, match="topic"):
        concentrated_pairs(votes, by="topic")
