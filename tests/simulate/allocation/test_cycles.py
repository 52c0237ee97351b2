import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidInput, NotEstimable
from quorate.simulate.allocation.cycles import CYCLE, MIXED, compare_cycles, sweep_allocation

FACETS = {"item": "item", "judge": "judge", "replicate": "rep"}


def judged(judges=3, items=40):
    """Judges with a leniency of their own, and one for each item."""
    rng = np.random.default_rng(1)
    item, judge, rep = (axis.ravel() for axis in np.indices((items, judges, 8)))
    own = rng.normal(0, 0.7, (items, judges))
    score = np.round(5 + judge + own[item, judge] + rng.normal(0, 0.3 + (item % 8 == 0) * 1.5))
    frame = pl.DataFrame({"item": item, "judge": [f"j{c}" for c in judge], "rep": rep, "score": score})
    return q.read(frame, facets={"item": "item", "judge": "judge", "replicate": "rep"}, announce=False)


@pytest.fixture(scope="module")
def compared():
    return compare_cycles(judged(), 3 * 40 * 60, runs=40)


@pytest.fixture(scope="module")
def few():
    return compare_cycles(judged(items=16), 3 * 16 * 60, runs=6)


@pytest.mark.slow
def test_cycles_have_no_bias_and_single_judges_have_that_of_the_data(compared):
    judgments = judged()
    mean = judgments.mean.reshape(40, 3)
    panel = mean.mean(axis=1)
    for place, name in enumerate(judgments.facet("judge").levels):
        for policy in ("uniform", "robin-hood"):
            row = compared.row(name, policy)
            assert row.bias_squared == pytest.approx(((mean[:, place] - panel) ** 2).mean(), rel=0.03)
            assert row.shift == pytest.approx((mean[:, place] - panel).mean(), abs=0.02)
    assert abs(compared.row().bias_squared) < 0.1 * compared.row().variance
    assert compared.row().mse < 0.1 * min(compared.row(name).mse for name in judgments.facet("judge").levels)


@pytest.mark.slow
def test_calls_are_equal_and_adapting_cycles_helps(compared):
    assert {row.calls for row in compared.rows} == {7200}
    assert compared.row(CYCLE, "robin-hood").wce < 0.9 * compared.row(CYCLE, "uniform").wce
    assert len(compared.rows) == 8


def test_a_single_judge_is_off_by_what_it_is_off(few):
    mean = judged(items=16).mean.reshape(16, 3)
    for place in range(3):
        assert few.row(f"j{place}", "uniform").shift == pytest.approx(
            (mean[:, place] - mean.mean(axis=1)).mean(), abs=0.1
        )


def test_the_sentence_and_the_frame_say_it(few):
    assert few.sentence.startswith("ROBIN-HOOD over whole cycles is off the mean of the panel by 0.")
    assert "of it bias, which no budget mends." in few.sentence
    assert few.to_frame().columns[:3] == ["design", "policy", "calls"]
    assert repr(few).startswith("CycleComparison(")


def steady_frame(items=10):
    item, judge, rep = (axis.ravel() for axis in np.indices((items, 3, 8)))
    score = item % 3 + (judge > 0) * (2.0 * (rep % 2) - 1)
    return pl.DataFrame({"item": item, "judge": [f"j{c}" for c in judge], "rep": rep, "score": score})


def steady():
    """One judge that always says the mean of the panel, and two that do so on average."""
    return q.read(steady_frame(), facets=FACETS, announce=False)


def test_a_judge_that_is_never_off_is_the_best_and_has_no_bias_to_speak_of():
    compared = compare_cycles(steady(), 900, runs=3)
    assert compared.row("j0").mse == 0
    assert compared.sentence.endswith("the best single judge, j0, by 0 with as many calls.")
    assert repr(compared) == f"CycleComparison({compared.sentence})"


def test_a_judge_who_gives_one_score_to_all_gets_all_calls():
    """Without a floor no arm has a priority, and all take turns; with one, all have the same."""
    frame = steady_frame().with_columns(score=pl.when(pl.col("judge") == "j0").then(5.0).otherwise("score"))
    for floor in (True, False):
        compared = compare_cycles(q.read(frame, facets=FACETS, announce=False), 901, runs=3, floor=floor)
        assert compared.row("j0").calls == compared.row("j0", "uniform").calls == 900
        assert compared.row("j0").variance == 0


@pytest.mark.slow
def test_bias_is_freed_of_the_chance_of_few_runs():
    """Two runs of an unbiased cycle are off by half of its variance, squared: that is not bias."""
    compared = compare_cycles(judged(items=300), 3 * 300 * 40, runs=2)
    assert abs(compared.row().bias_squared) < 0.2 * compared.row().variance


@pytest.mark.slow
def test_the_floor_goes_by_the_declared_scale():
    guessed, same, other = (
        compare_cycles(judged(), 7200, runs=2, scale=scale) for scale in (None, range(-50, 50), range(-50, 51, 50))
    )
    assert guessed.rows == same.rows
    assert same.row("j1") != other.row("j1")
    alone = q.scores.simulate_allocation(judged().only("judge", "j1"), 7200, runs=2, scale=range(-50, 50))
    assert same.row("j1").variance == pytest.approx(alone.outcomes["robin-hood"].variance.mean())
    assert guessed.notes[0].startswith("The floor of variances takes possible scores to be 1 apart")
    assert (same.notes, compare_cycles(judged(), 7200, runs=2, floor=False).notes) == ((), ())
    with pytest.raises(InvalidInput, match="scale: possible scores from 1 to 5, but an answer is 0; widen it"):
        compare_cycles(steady(), 900, scale=range(1, 6))


def test_what_does_not_fit_is_refused():
    with pytest.raises(NotEstimable, match="judge: a cycle needs 2 or more levels, got 1"):
        compare_cycles(judged(1), 7200)
    with pytest.raises(InvalidInput, match="budget: ROBIN-HOOD begins with 20 pulls of each of 40 arms by 3 calls"):
        compare_cycles(judged(), 1000)
    with pytest.raises(InvalidInput, match=r"judgments: expects what quorate\.read returns"):
        compare_cycles(np.ones((3, 4)), 7200)
    with pytest.raises(InvalidInput, match="runs: must be a whole number from 2 to"):
        compare_cycles(judged(), 7200, runs=1)


def test_an_unknown_design_is_refused(few):
    with pytest.raises(
        InvalidInput, match=r'design, policy: one of whole cycles, j0, j1, j2 with .* got "j9, robin-hood"'
    ):
        few.row("j9")


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


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.parametrize(
    ("budget", "options", "said"),
    [
        (6000, {"deltas": ()}, "deltas, floors: at least one of each is needed, got none"),
        (2000, {"deltas": (0.0001,)}, "budget: ROBIN-HOOD begins with 37 pulls of each of 60 arms"),
        (6000, {"warmups": (20, 101)}, "warmups: must be a whole number from 1 to 100, got 101"),
        (6000, {"warmups": 20}, "warmups: whole numbers such as \\(20, 40\\), got 20"),
        (2000, {"runs": 0}, "runs: must be a whole number"),
    ],
)
def test_arguments_are_checked(budget, options, said):
    with pytest.raises(InvalidInput, match=said):
        sweep_allocation(pool(), budget, **options)
