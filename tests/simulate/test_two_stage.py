import numpy as np
import polars as pl
import pytest
from tables import votes_table

from quorate.analysis.allocation import replay_pair
from quorate.errors import InvalidInput, NotEstimable
from quorate.planning.power.sample_size import power_curve
from quorate.simulate.two_stage import TESTS, _Urn, regime, replay_range, replay_two_stage, simulate_two_stage
from quorate.table.read_votes import read_votes


def pool(wins, losses):
    """Votes of prompt types with so many wins and losses of x against y."""
    rows = [
        ("x", "y", winner, f"t{i}")
        for i, (k, m) in enumerate(zip(wins, losses, strict=True))
        for winner in ["model_a"] * k + ["model_b"] * m
    ]
    return votes_table(rows, "model_a model_b winner prompt_type")


def test_regimes_have_the_same_signal():
    both = [regime(kind) for kind in ("concentrated", "diffuse")]
    assert [float(np.mean(d**2)) for d in both] == pytest.approx([0.0045, 0.0045])
    assert np.count_nonzero(both[0]) == 4


def test_proportional_power_is_that_of_the_exact_test():
    found = simulate_two_stage(np.full(20, 0.05), [1000], studies=4000)
    assert found.power["proportional"][0] == pytest.approx(power_curve(0.05, 1000).power[0, 0], abs=0.02)


def test_types_kept_at_random_hold_their_even_share():
    found = simulate_two_stage(regime("diffuse"), [1000], studies=2000)
    assert found.captured[0] == pytest.approx(found.expected_captured)


def test_a_study_is_the_same_alone_and_among_others():
    alone = simulate_two_stage(regime("diffuse"), [1000], studies=50)
    among = simulate_two_stage(regime("diffuse"), [800, 1000], studies=50)
    assert alone.power["two-stage"][0] == among.power["two-stage"][1]


def test_to_frame_has_a_row_for_every_budget_and_test():
    assert len(simulate_two_stage(regime("diffuse"), [800, 1000], studies=20).to_frame()) == 2 * len(TESTS)


def test_replay_of_the_whole_pool_is_the_whole_pool():
    """All votes drawn, proportional allocation has nothing left to chance."""
    found = replay_two_stage(pool([60] * 10, [40] * 10), "x", "y", [1000], studies=50)
    assert found.power["proportional"].tolist() == [1.0]


def test_replay_draws_no_vote_twice():
    """Of four types of 30 votes screening takes 28 each; the type kept has two left, too few for any verdict."""
    found = replay_two_stage(pool([30, 15, 15, 15], [0, 15, 15, 15]), "x", "y", [118], c=20, studies=50)
    assert found.power["two-stage"].tolist() == [0.0]


def test_the_second_stage_draws_what_the_first_left():
    """What screening took is not put back: with it, the rest of the urn is all that there is."""
    rng, wins, sizes = np.random.default_rng(1), np.array([60, 50, 5]), np.array([100, 100, 90])
    taken = np.full((20, 3), 40)
    none = np.zeros_like(taken)
    won = _Urn(wins, sizes).draw(taken, none, none, rng)
    assert (won + _Urn(wins, sizes).draw(sizes - taken, taken, won, rng) == wins).all()


def test_replay_finds_concentrated_signal():
    wins, losses = [100] * 20, [100] * 20
    wins[:2], losses[:2] = [170, 170], [30, 30]
    found = replay_two_stage(pool(wins, losses), "x", "y", [900], studies=300)
    assert found.gain[0] > 0.3
    assert found.captured[0] > 0.9


def test_refusals():
    with pytest.raises(InvalidInput, match="screening"):
        simulate_two_stage(regime("diffuse"), [600])
    with pytest.raises(InvalidInput, match="margins"):
        simulate_two_stage([0.6, 0.1], [1000])
    with pytest.raises(InvalidInput, match="kind"):
        regime("other")
    votes = pool([30] * 5, [30] * 5)
    with pytest.raises(InvalidInput, match="at most the 300"):
        replay_two_stage(votes, "x", "y", [400])
    with pytest.raises(NotEstimable, match="coarser"):
        replay_two_stage(pool([100, 5], [100, 1]), "x", "y", [100])


def test_the_range_of_budgets_is_what_can_be_replayed():
    votes = pool([30] * 5, [30] * 5)
    least, most = replay_range(votes, "x", "y")
    assert (least, most) == (5 * 17 + 1, 300)
    assert replay_two_stage(votes, "x", "y", [least, most], studies=10).budgets.tolist() == [least, most]
    for budget in (least - 1, most + 1):
        with pytest.raises(InvalidInput, match="budget"):
            replay_two_stage(votes, "x", "y", [budget], studies=10)


def test_types_that_leave_nothing_to_screen():
    one = pool([30], [30])
    with pytest.raises(NotEstimable, match='all decisive votes between "x" and "y" are of one prompt_type'):
        replay_two_stage(one, "x", "y", [50])
    frame = pl.DataFrame(
        {"model_a": ["x", "x"], "model_b": ["y", "z"], "winner": ["x", "x"], "prompt_type": [None, "t"]}
    )
    with pytest.raises(NotEstimable, match='no decisive vote between "x" and "y" has a prompt_type'):
        replay_two_stage(read_votes(frame, announce=False), "x", "y", [50])


def test_what_two_stages_do_not_spend_is_said():
    """Ten types of 80 votes: of 800 the two types that are kept have 160."""
    rows = [("x", "y", "model_a" if i % 3 else "model_b", f"t{t}") for t in range(10) for i in range(80)]
    votes = votes_table(rows, "model_a model_b winner prompt_type")
    found = replay_two_stage(votes, "x", "y", [300, 800], studies=50)
    assert found.unequal.tolist() == [False, True]
    assert found.spent[0] == 300
    assert 160 < found.spent[1] < 800
    notes = replay_pair(votes, "x", "y", [800]).notes
    assert len(notes) == 1
    assert f"Two stages spend {found.spent[1]:,.0f} of 800 votes" in notes[0]
