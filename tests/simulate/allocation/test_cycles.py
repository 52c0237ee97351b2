import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidInput, NotEstimable
from quorate.simulate.allocation.cycles import CYCLE, compare_cycles

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
def found():
    return compare_cycles(judged(), 3 * 40 * 60, runs=40)


@pytest.mark.slow
def test_cycles_have_no_bias_and_single_judges_have_that_of_the_data(found):
    judgments = judged()
    mean = judgments.mean.reshape(40, 3)
    panel = mean.mean(axis=1)
    for place, name in enumerate(judgments.facet("judge").levels):
        for policy in ("uniform", "robin-hood"):
            row = found.row(name, policy)
            assert row.bias_squared == pytest.approx(((mean[:, place] - panel) ** 2).mean(), rel=0.03)
            assert row.shift == pytest.approx((mean[:, place] - panel).mean(), abs=0.02)
    assert abs(found.row().bias_squared) < 0.1 * found.row().variance
    assert found.row().mse < 0.1 * min(found.row(name).mse for name in judgments.facet("judge").levels)


@pytest.mark.slow
def test_calls_are_equal_and_adapting_cycles_helps(found):
    assert {row.calls for row in found.rows} == {7200}
    assert found.row(CYCLE, "robin-hood").wce < 0.9 * found.row(CYCLE, "uniform").wce
    assert len(found.rows) == 8


def test_the_sentence_and_the_frame_say_it(found):
    assert found.sentence.startswith("ROBIN-HOOD over whole cycles is off the mean of the panel by 0.")
    assert "of it bias, which no budget mends." in found.sentence
    assert found.to_frame().columns[:3] == ["design", "policy", "calls"]
    assert repr(found).startswith("CycleComparison(")


def steady_frame(items=10):
    item, judge, rep = (axis.ravel() for axis in np.indices((items, 3, 8)))
    score = item % 3 + (judge > 0) * (2.0 * (rep % 2) - 1)
    return pl.DataFrame({"item": item, "judge": [f"j{c}" for c in judge], "rep": rep, "score": score})


def steady():
    """One judge that always says the mean of the panel, and two that do so on average."""
    return q.read(steady_frame(), facets=FACETS, announce=False)


def test_a_judge_that_is_never_off_is_the_best_and_has_no_bias_to_speak_of():
    found = compare_cycles(steady(), 900, runs=3)
    assert found.row("j0").mse == 0
    assert found.sentence.endswith("the best single judge, j0, by 0 with as many calls.")
    assert repr(found) == f"CycleComparison({found.sentence})"


def test_a_judge_who_gives_one_score_to_all_gets_all_calls():
    """Without a floor no arm has a priority, and all take turns; with one, all have the same."""
    frame = steady_frame().with_columns(score=pl.when(pl.col("judge") == "j0").then(5.0).otherwise("score"))
    for floor in (True, False):
        found = compare_cycles(q.read(frame, facets=FACETS, announce=False), 901, runs=3, floor=floor)
        assert found.row("j0").calls == found.row("j0", "uniform").calls == 900
        assert found.row("j0").variance == 0


def test_bias_is_freed_of_the_chance_of_few_runs():
    """Two runs of an unbiased cycle are off by half of its variance, squared: that is not bias."""
    found = compare_cycles(judged(items=300), 3 * 300 * 40, runs=2)
    assert abs(found.row().bias_squared) < 0.2 * found.row().variance


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


def test_calls_that_buy_no_cycle_are_not_spent():
    assert {row.calls for row in compare_cycles(judged(), 7202, runs=2).rows} == {7200}


def test_an_unknown_design_is_refused(found):
    with pytest.raises(
        InvalidInput, match=r'design, policy: one of whole cycles, j0, j1, j2 with .* got "j9, robin-hood"'
    ):
        found.row("j9")
