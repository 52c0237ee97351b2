"""How much more a judge gives than people, and how far both order items alike, against scipy and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from tables import scores_table

import quorate as q
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.agreement.yardsticks import mean_of

N = 60


@pytest.fixture(scope="module")
def marks():
    """Marks of two people and of two judges from 1 to 7, of which the second is half a mark lenient."""
    rng = np.random.default_rng(5)
    true = rng.normal(4, 1.2, N)
    shift = {"ann": 0.0, "bob": 0.0, "llm": 0.1, "lenient": 0.8}
    return {name: np.clip(np.round(true + more + rng.normal(0, 0.6, N)), 1, 7) for name, more in shift.items()}


def table(marks, names):
    rows = [(f"i{i}", name, float(marks[name][i])) for name in names for i in range(N)]
    return scores_table(rows, "item judge score")


def test_gap_and_correlation_are_those_of_means_over_items(marks):
    found = q.agreement.against(table(marks, marks), ["ann", "bob"])
    people = (marks["ann"] + marks["bob"]) / 2
    assert [one.judge for one in found.marks] == ["lenient", "llm"]
    for one in found.marks:
        gap = marks[one.judge] - people
        interval = stats.ttest_1samp(gap, 0).confidence_interval(0.95)
        assert (one.items, one.given, one.said) == pytest.approx((N, marks[one.judge].mean(), people.mean()))
        assert (one.gap.value, one.gap.low, one.gap.high) == pytest.approx((gap.mean(), *interval))
        r = stats.pearsonr(marks[one.judge], people)
        assert one.correlation.value == pytest.approx(r.statistic)
        fisher = r.confidence_interval(0.95)  # of normal scores, which these nearly are
        assert (one.correlation.low, one.correlation.high) == pytest.approx((fisher.low, fisher.high), abs=0.08)
    lenient, _ = found.marks
    assert lenient.gap.low > 0.5


def test_one_judge_says_its_gap_first_and_where_people_tie_too(marks):
    found = q.agreement.against(table(marks, ["ann", "bob", "llm"]), ["ann", "bob"])
    assert found.undecided > 0
    assert found.marks[0].items == N == found.items + found.undecided
    assert found.sentence.startswith(f"llm gives {abs(found.marks[0].gap.value):.2f} ")
    assert f"on {N} items, and correlates with them by" in found.sentence
    assert f"of {found.items} items, kappa" in found.sentence


def test_repeats_weigh_alike_and_items_without_a_label_are_left_out(marks):
    rows = [(f"i{i}", "llm", again, float(marks["llm"][i]) + again) for i in range(N) for again in range(3)]
    rows += [(f"i{i}", "ann", 0, float(marks["ann"][i])) for i in range(N - 10)]
    (one,) = q.agreement.against(scores_table(rows, "item judge replicate score"), "ann").marks
    gap = (marks["llm"] + 1 - marks["ann"])[: N - 10]
    assert (one.items, one.gap.value) == pytest.approx((N - 10, gap.mean()))


@pytest.mark.parametrize("cut", [4, None])
def test_verdicts_and_labels_have_no_marks(marks, cut):
    if cut is None:
        rows = [(f"i{i}", name, "abc"[int(marks[name][i]) % 3]) for name in ("ann", "llm") for i in range(N)]
        read = scores_table(
            rows, "item judge label", score="label", labels=True, facets={"item": "item", "judge": "judge"}
        )
    else:
        read = table({name: (one > cut) * 1.0 for name, one in marks.items()}, ["ann", "llm"])
    assert q.agreement.against(read, "ann").marks == ()


def test_several_judges_are_said_by_the_one_that_orders_items_most_as_people_do(marks):
    found = q.agreement.against(table(marks, marks), ["ann", "bob"])
    best = max(found.marks, key=lambda one: one.correlation.value)
    assert found.sentence.startswith(f"Of 2 judges, {best.judge} orders items most as people do. {best.judge} gives ")


@pytest.mark.parametrize("people", ["ann", ["ann", "bob"]])
def test_marks_too_fine_to_be_the_same_are_held_against_people_too(marks, people):
    fine = {name: 13.7 * one + np.arange(N) / 100 for name, one in marks.items()}
    found = q.agreement.against(table(fine, marks), people)
    assert isinstance(found, q.types.AgainstMarks)
    said = np.mean([fine[name] for name in ([people] if isinstance(people, str) else people)], axis=0)
    rivals = {name: fine[name] for name in marks if name not in people}
    for one in found.marks:
        gap = stats.ttest_1samp(rivals[one.judge] - said, 0)
        assert (one.gap.low, one.gap.high) == pytest.approx(tuple(gap.confidence_interval(0.95)))
    mean = np.mean([*rivals.values()], axis=0)
    assert found.together.gap.value == pytest.approx((mean - said).mean())
    assert found.together.correlation.value == pytest.approx(stats.pearsonr(mean, said).statistic)
    assert [one["judge"] for one in found.rows()] == [*(one.judge for one in found.marks), "the mean of all judges"]


def test_means_of_people_lie_between_the_marks_of_a_judge(marks):
    half = {"ann": marks["ann"] + 0.5, "llm": marks["llm"]}
    found = q.agreement.against(table(half, half), "ann")
    assert (found.items, found.together) == (N, None)
    assert found.sentence.startswith("llm gives ")
    with pytest.raises(InvalidInput, match="bar: is for judges who pass or fail, and these give marks"):
        q.agreement.against(table(half, half), "ann", bar=0.8)
    rows = [(f"i{i}", name, i + (name == "ann") / 2) for name in half for i in range(3)]
    read = scores_table([*rows, ("z", "llm", 9.0)], "item judge score")
    with pytest.raises(NotEstimable, match="4 marked items are the least, got 3"):
        q.agreement.against(read, "ann")


@pytest.mark.calibration
def test_the_gap_covers(marks):
    """Of 1000 studies; what is said of a whole table is the same, as ten of them show."""
    rng = np.random.default_rng(9)
    held, studies = 0, 1000
    for study in range(studies):
        true = rng.normal(4, 1, 40)
        given = np.round(10 + np.stack([true, true + 0.3]) + rng.normal(0, 0.7, (2, 40)))
        gap = mean_of(given[1] - given[0], 0.95, np.arange(40))
        held += gap.low <= 0.3 <= gap.high
        if study < 10:
            rows = [(f"i{i}", name, float(given[j, i])) for j, name in enumerate(("ann", "llm")) for i in range(40)]
            found = q.agreement.against(scores_table(rows, "item judge score"), "ann", resamples=20, splits=20)
            whole = found.marks[0].gap
            assert (whole.low, whole.high) == pytest.approx((gap.low, gap.high))
    assert held / studies == pytest.approx(0.95, abs=3 * np.sqrt(0.95 * 0.05 / studies))
