from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import quorate as q
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.agreement.yardsticks import mean_of, more_labels, share_of, split_half
from quorate.numerics.votes.binomial import wilson


def test_a_share_of_whole_verdicts_has_about_wilsons_interval():
    found = share_of(np.repeat([1.0, 0.0], [150, 50]), 0.95, np.arange(200))
    assert found.value == 0.75
    assert (found.low, found.high) == pytest.approx([float(end) for end in wilson(150, 200, 0.95)], abs=2e-3)
    averaged = share_of(np.repeat([0.8, 0.7], [100, 100]), 0.95, np.arange(200))  # differ less than whole verdicts do
    assert averaged.high - averaged.low < 0.03
    assert share_of(np.ones(20), 0.95, np.arange(20)).low < 0.9
    assert math.isnan(share_of(np.array([np.nan]), 0.95, np.arange(1)).value)


def test_a_mean_has_students_interval():
    found = mean_of(np.array([1.0, 2.0, 3.0, np.nan]), 0.95, np.arange(4))
    assert (found.value, found.high) == pytest.approx((2.0, 2.0 + 4.302653 / math.sqrt(3)))


def test_more_labels_are_those_that_a_normal_test_needs():
    gains = np.repeat([1.0, -1.0, 0.0], [12, 8, 80])
    needed = ((1.959964 + 1.281552) * gains.std(ddof=1) / 0.04) ** 2
    assert more_labels(gains, 0.95, np.arange(100)) == math.ceil(needed) - 100
    assert math.isinf(more_labels(np.array([1.0, -1.0]), 0.95, np.arange(2)))


def test_the_best_configuration_of_one_half_is_tested_on_the_other():
    right = np.column_stack([np.ones(10), np.zeros(10)])
    found = split_half(right, np.full(10, 0.5), np.arange(10), 40, 0.95, np.random.default_rng(1))
    assert (found.apparent, found.chosen.value, found.lift.value, found.left.value) == (1.0, 1.0, 0.5, -0.5)
    noisy = np.random.default_rng(2).integers(0, 2, (60, 5)).astype(float)
    other = split_half(noisy, noisy.mean(axis=1), np.arange(60), 100, 0.95, np.random.default_rng(1))
    assert other.lift.low < 0 < other.lift.high
    assert other.apparent > other.chosen.value


def test_configurations_of_one_item_each_cannot_be_tested():
    right = np.where(np.eye(6, dtype=bool), 1.0, np.nan)
    found = split_half(right, np.ones(6), np.arange(6), 20, 0.95, np.random.default_rng(1))
    assert np.isnan([found.lift.value, found.left.low]).all()


def test_copies_in_one_cluster_add_nothing():
    """Items that each come three times, in clusters, have the intervals of the items once."""
    once, cluster = np.random.default_rng(3).random(40), np.arange(40)
    thrice, copies = np.repeat(once, 3), np.repeat(cluster, 3)
    for measure in (share_of, mean_of):
        alone, together = measure(once, 0.95, cluster), measure(thrice, 0.95, copies)
        assert (together.value, together.low, together.high) == pytest.approx((alone.value, alone.low, alone.high))
        assert measure(thrice, 0.95, np.arange(120)).high < together.high
    assert math.isnan(mean_of(thrice, 0.95, np.zeros(120, dtype=int)).low)


PEOPLE = ("ana", "ben", "eva")


def table(marks, names=(*PEOPLE, "m")):
    """Marks by item and judge; nan where one did not judge."""
    frame = pl.DataFrame({"item": [f"i{at:03}" for at in range(len(marks))]} | dict(zip(names, marks.T, strict=True)))
    long = frame.unpivot(index="item", variable_name="judge", value_name="score")
    return q.read(long.filter(pl.col("score").is_not_nan()), announce=False)


def drawn(n, shares, seed=1):
    """Two values of which each judge has a share right."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    return np.column_stack([np.where(rng.random(n) < share, truth, 1 - truth) for share in shares]).astype(float)


@pytest.mark.parametrize("alignment", ["same", "distance"])
def test_it_is_what_section_3_of_the_paper_defines(alignment):
    rng = np.random.default_rng(4)
    marks = np.clip(np.rint(3 + rng.normal(size=(60, 1)) + 0.8 * rng.normal(size=(60, 4))), 1, 5)
    marks[rng.random(marks.shape) < 0.1] = np.nan
    found = q.agreement.alt_test(table(marks), "m", epsilon=0.15, alignment=alignment)
    p = []
    for j, one in enumerate(found.each):
        w_model, w_person = [], []
        for row in marks:
            others = [row[k] for k in range(3) if k != j and np.isfinite(row[k])]
            if not others or np.isnan(row[j]) or np.isnan(row[3]):
                continue
            if alignment == "same":
                s_model, s_person = (np.mean([mark == o for o in others]) for mark in (row[3], row[j]))
            else:
                s_model, s_person = (-np.sqrt(np.mean([(mark - o) ** 2 for o in others])) for mark in (row[3], row[j]))
            w_model.append(float(s_model >= s_person))
            w_person.append(float(s_person >= s_model))
        assert (one.items, one.model, one.people) == (len(w_model), np.mean(w_model), np.mean(w_person))
        d = np.array(w_person) - np.array(w_model)
        wanted = stats.ttest_1samp(d, 0.15, alternative="less").pvalue
        assert one.p == pytest.approx(wanted)
        p.append(wanted)
    adjusted = stats.false_discovery_control(p, method="by")
    assert [one.beaten for one in found.each] == list(adjusted <= 0.05)
    assert found.winning_rate == np.mean(adjusted <= 0.05)
    assert found.advantage == pytest.approx(np.mean([one.model for one in found.each]))


@pytest.mark.slow
@given(st.permutations(range(60)), st.integers(0, 3))
def test_order_of_items_and_shifts_of_all_marks_change_nothing(order, shift):
    marks = drawn(60, (0.7, 0.8, 0.9, 0.8))
    whole, other = (q.agreement.alt_test(table(one), "m") for one in (marks, marks[list(order)] + shift))
    for one, again in zip(whole.each, other.each, strict=True):
        assert (one.model, one.people, one.p) == pytest.approx((again.model, again.people, again.p))


def test_a_good_model_passes_and_a_coin_does_not():
    good, coin = (
        q.agreement.alt_test(table(drawn(300, (0.8, 0.8, 0.8, share))), "m", epsilon=0.1) for share in (0.95, 0.5)
    )
    assert good.passes
    assert "m may stand in for people: it does as well as 3 of 3" in good.sentence
    assert not coin.passes
    assert "is not shown to" in coin.sentence


def test_people_are_named_or_all_others():
    marks = drawn(60, (0.8, 0.8, 0.8, 0.9, 0.9))
    judgments = table(marks, (*PEOPLE, "m", "n"))
    assert len(q.agreement.alt_test(judgments, "m", people=PEOPLE).each) == 3
    assert len(q.agreement.alt_test(judgments, "m").each) == 4
    with pytest.raises(NotEstimable, match="people: three are the least"):
        q.agreement.alt_test(judgments, "m", people=PEOPLE[:2])
    with pytest.raises(InvalidInput, match="model: one of the judges"):
        q.agreement.alt_test(judgments, "ana", people=PEOPLE)
    with pytest.raises(NotEstimable, match="30 items"):
        q.agreement.alt_test(table(marks[:20, :4]), "m")


@pytest.mark.calibration
def test_a_model_worse_by_epsilon_beats_nobody_but_by_chance():
    """Three equal people, and a model whose differences are epsilon on average: any is beaten in 5% of 500 at most."""
    gap = np.mean(
        [one.people - one.model for one in q.agreement.alt_test(table(drawn(60_000, (0.8, 0.8, 0.8, 0.6))), "m").each]
    )
    wrong = 0
    for seed in range(500):
        marks = drawn(100, (0.8, 0.8, 0.8, 0.6), seed)
        wrong += q.agreement.alt_test(table(marks), "m", epsilon=float(gap)).winning_rate > 0
    assert wrong / 500 <= 0.05 + 3 * np.sqrt(0.0475 / 500)
