import numpy as np
import pytest

from quorate.errors import InvalidInput
from quorate.simulate.allocation.cycles import MIXED, sweep_allocation


def pool(arms=60, draws=20):
    rng = np.random.default_rng(1)
    sd = np.where(np.arange(arms) % 10 == 0, 1.5, 0.4)
    return np.round(rng.normal(3, sd[:, None], (arms, draws)))


def test_constants_that_do_not_belong_together_collapse_to_uniform():
    """The bound of the theory is infinite until every arm has its equal share of the budget."""
    budget = 60 * 72
    found = sweep_allocation(pool(), budget, deltas=(0.007,), runs=5)
    assert 4 * found.settings[MIXED].constants.lam > 71
    assert np.ptp(found.outcomes[MIXED].pulls) == 0
    assert (found.outcomes[MIXED].errors == found.outcomes["uniform"].errors).all()
    assert found.final("delta 0.007") < 0.8 * found.final("uniform")


def test_every_delta_is_replayed_on_the_same_draws():
    found = sweep_allocation(pool(), 6000, deltas=(0.007, 0.3), floors=(True, False), mixed=False, runs=5)
    assert list(found.settings) == ["delta 0.007", "delta 0.007, no floor", "delta 0.3", "delta 0.3, no floor"]
    assert [one.constants.warmup for one in found.settings.values()] == [20, 20, 5, 5]
    early = found.spent <= 5 * 60
    for one in found.outcomes.values():
        if one is not found.outcomes["robin"]:
            assert (one.errors[:, early] == found.outcomes["uniform"].errors[:, early]).all()


def test_a_short_warm_up_without_a_floor_is_the_poor_choice():
    """Figure 5 of the paper: the error stays where it is while the budget grows."""
    scores = np.zeros((60, 20))
    scores[:, 0] = 1  # what one answer of 20 shows is not seen in 5
    scores[::10, 5:] = 1
    found = sweep_allocation(scores, 6000, deltas=(0.007, 0.3), floors=(False, True), mixed=False, runs=20)
    poor = found.outcomes["delta 0.3, no floor"].errors.mean(axis=0)
    half = np.searchsorted(found.spent, 3000)
    assert poor[-1] > 0.8 * poor[half]  # halving the variance would leave 0.71
    assert found.saved("delta 0.3, no floor") < 0 < found.saved("delta 0.007")
    assert "at worst (delta 0.3, no floor)" in found.sentence
    assert "Sweep(Largest error" in repr(found)


def test_the_warm_up_can_be_swept_by_itself():
    """A longer one leaves less to adapt; a shorter one than the bound needs, 20 pulls, changes nothing."""
    found = sweep_allocation(pool(), 6000, deltas=(0.007,), warmups=(5, 90), mixed=False, runs=20)
    assert list(found.settings) == ["delta 0.007", "delta 0.007, warm-up 5", "delta 0.007, warm-up 90"]
    assert [one.constants.warmup for one in found.settings.values()] == [20, 5, 90]
    assert len({one.constants.lam for one in found.settings.values()}) == 1
    own, short, long = (found.outcomes[name] for name in found.settings)
    assert (short.errors == own.errors).all()
    assert long.pulls.min() >= 90
    assert 0 < found.saved("delta 0.007, warm-up 90") < found.saved("delta 0.007")
    both = sweep_allocation(pool(), 6000, deltas=(0.3, 0.007), warmups=(20,), mixed=False, runs=2).settings
    assert list(both) == ["delta 0.3", "delta 0.007", "delta 0.3, warm-up 20"]
    assert both["delta 0.3, warm-up 20"].constants == (both["delta 0.3"].constants.lam, 20)


def test_the_scale_is_that_of_the_floor():
    settings = [
        sweep_allocation(pool() * 2, 3000, runs=2, scale=scale, deltas=(0.007,)) for scale in (None, range(-8, 19))
    ]
    assert [one.step for one in settings] == [2, 1]
    assert [len(one.notes) for one in settings] == [1, 0]


def test_tables_have_a_row_per_setting():
    found = sweep_allocation(pool(), 6000, deltas=(0.007, 0.07), runs=2)
    assert found.to_frame().columns == ["setting", "delta", "lam", "warmup", "floor", "wce_mean", "saved"]
    assert {len(column) for column in found.table.values()} == {3}
    assert {len(column) for column in found.curve.values()} == {5 * len(found.spent)}


def test_arguments_are_checked():
    with pytest.raises(InvalidInput, match="deltas, floors: at least one of each is needed, got none"):
        sweep_allocation(pool(), 6000, deltas=())
    with pytest.raises(InvalidInput, match="budget: ROBIN-HOOD begins with 37 pulls of each of 60 arms"):
        sweep_allocation(pool(), 2000, deltas=(0.0001,))
    with pytest.raises(InvalidInput, match="warmups: must be a whole number from 1 to 100, got 101"):
        sweep_allocation(pool(), 6000, warmups=(20, 101))
    with pytest.raises(InvalidInput, match="warmups: whole numbers such as \\(20, 40\\), got 20"):
        sweep_allocation(pool(), 6000, warmups=20)
    with pytest.raises(InvalidInput, match="runs: must be a whole number"):
        sweep_allocation(pool(), 2000, runs=0)
