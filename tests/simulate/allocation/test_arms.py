import math

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidData, InvalidInput, NotEstimable, UnknownTerm
from quorate.simulate.allocation.arms import arms_of, human_scores


def table(items=3, judges=2, replicates=3):
    codes = [axis.ravel() for axis in np.indices((items, judges, replicates))]
    frame = pl.DataFrame({"item": [f"i{c}" for c in codes[0]], "judge": [f"j{c}" for c in codes[1]], "rep": codes[2]})
    return frame.with_columns(score=pl.Series(10.0 * codes[0] + 3 * codes[1] + codes[2]))


def read(frame):
    facets = {"item": "item", "judge": "judge", "replicate": "rep"}
    return q.read(frame, facets=facets, announce=False)


def test_an_arm_is_a_cell():
    arms = arms_of(read(table()))
    assert arms.pools.values.shape == (6, 1, 3)
    assert arms.labels[1] == "item i0, judge j1"
    assert arms.objects == ("i0", "i0", "i1", "i1", "i2", "i2")
    assert arms.pools.mean.tolist() == [1, 4, 11, 14, 21, 24]
    assert arms.caveats == ()


def test_with_a_cycle_an_arm_is_an_item_and_a_pull_asks_every_judge():
    arms = arms_of(read(table()), "judge")
    assert arms.pools.values.shape == (3, 2, 3)
    assert arms.labels == arms.objects == ("i0", "i1", "i2")
    assert arms.pools.mean.tolist() == [2.5, 12.5, 22.5]
    assert arms.pools.step == 0.5


def test_arms_with_fewer_than_two_answers_are_left_out_and_said():
    thin = table().filter(~((pl.col("item") == "i1") & (pl.col("judge") == "j0") & (pl.col("rep") > 0)))
    arms = arms_of(read(thin))
    assert arms.kept.tolist() == [True, True, False, True, True, True]
    assert [str(c) for c in arms.caveats] == [
        "1 of 6 arms have fewer than 2 answers and are left out: they show no variance"
    ]
    cycle = arms_of(read(thin), "judge")
    assert cycle.labels == ("i0", "i2")
    assert "from every judge" in str(cycle.caveats[0])


def test_rows_may_be_ragged_or_have_gaps():
    arms = arms_of([[1, 2, math.nan], [3.0], [], [4, 5, 6, 7]])
    assert arms.labels == ("0", "3")
    assert arms.pools.sizes.tolist() == [[2], [4]]
    assert arms.caveats[0].code == "too-few-answers"


@pytest.mark.parametrize(
    ("pool", "error", "said"),
    [
        ([[1, 2], [1, math.inf]], InvalidData, "pool: finite answers, or nan for none, got inf in row 1; leave it out"),
        (np.full((3, 4), np.nan), NotEstimable, "2 arms or more with at least 2 answers each are needed .* got 0 of 3"),
        ([[1, 2, 3]], NotEstimable, "got 1 of 1"),
        ([], NotEstimable, "got 0 of 0"),
        (np.ones((3, 4)), NotEstimable, "every one of 3 arms always gave the same answer"),
        ([[0, 1e-200], [0, 0]], InvalidData, "squares are numbers, got some 1e-200 apart at most; rescale the scores"),
        ([[0, 1e200], [0, 0]], InvalidData, r"got some 1e\+200 apart at most; rescale the scores"),
        ("scores.csv", InvalidInput, "pool: expects what quorate.read returns, .* got str"),
        (7, InvalidInput, "got int"),
        ([["a", "b"], ["c", "d"]], InvalidInput, "got list with other values"),
        (np.ones((2, 3, 4)), InvalidInput, "got 3 dimensions"),
        (np.ones(4), InvalidInput, "got 1 dimension$"),
    ],
)
def test_what_cannot_be_replayed_is_refused_in_one_line(pool, error, said):
    with pytest.raises(error, match=said) as caught:
        arms_of(pool)
    assert "\n" not in str(caught.value)


def test_repeated_replicates_are_refused():
    with pytest.raises(InvalidData, match=r"9 rows repeat a key, .*, or name judge, which tells them apart"):
        arms_of(q.read(table(), facets={"item": "item", "replicate": "rep"}, announce=False))


def test_items_that_were_scored_once_are_named():
    with pytest.raises(NotEstimable, match="got 0 of 6; every item was scored once: score items several times"):
        arms_of(read(table(replicates=1)))


def test_a_facet_that_not_every_judge_has_is_named():
    """One judge at three temperatures, each with the same replicates; the other at none."""
    frame = table(judges=4).with_columns(temperature=pl.col("judge"))
    facets = {"item": "item", "judge": "judge", "temperature": "temperature", "replicate": "rep"}
    own = q.read(frame, facets=facets, announce=False)
    alone = r'"temperature" has levels that not every judge has: leave it out, with --facet temperature= on'
    with pytest.raises(NotEstimable, match=alone):
        arms_of(own, "judge")
    one = frame.with_columns(judge=pl.col("judge").replace({"j1": "j0", "j2": "j0"}))
    both = r"--facet temperature= --facet replicate= on .* with recognise=True, facets=\{\"temperature\": \"\", \"rep"
    with pytest.raises(NotEstimable, match=both):
        arms_of(q.read(one, facets=facets, announce=False), "judge")
    followed = q.read(one, recognise=True, facets={"temperature": "", "replicate": ""}, announce=False)
    assert arms_of(followed, "judge").pools.sizes.tolist() == [[9, 3]] * 3


def test_judges_of_other_items_are_named():
    frame = table(items=4).filter((pl.col("item") < "i2") == (pl.col("judge") == "j0"))
    with pytest.raises(NotEstimable, match="have every judge score the same items several times"):
        arms_of(read(frame), "judge")


def test_a_cycle_must_be_a_facet_of_judgments():
    with pytest.raises(UnknownTerm, match="no facet"):
        arms_of(read(table()), "prompt")
    with pytest.raises(InvalidInput, match=r'cycle: a facet other than the object .* got "item"; use "judge"'):
        arms_of(read(table()), "item")
    alone = q.read(table(judges=1), facets={"item": "item", "replicate": "rep"}, announce=False)
    with pytest.raises(InvalidInput, match="these judgments have no other, so leave cycle out"):
        arms_of(alone, "item")
    with pytest.raises(InvalidInput, match='cycle: an array does not tell levels of "judge" apart'):
        arms_of([[1, 2], [3, 4]], "judge")


def test_human_scores_are_matched_by_label_or_by_row():
    arms = arms_of(read(table()))
    assert human_scores({"i2": 1, "i0": 3, "i1": 2}, arms).tolist() == [3, 3, 2, 2, 1, 1]
    rows = arms_of([[1, 2], [3], [4, 5], [1, 3], [2, 2]])
    assert human_scores([7, 8, 9, 5, 6], rows).tolist() == [7, 9, 5, 6]
    assert human_scores({0: 1.5, 2: 2.5, 3: 0}, rows)[:3].tolist() == [1.5, 2.5, 0]


def test_an_arm_without_a_human_score_has_none():
    rows = arms_of([[1, 2], [3, 1], [4, 5], [1, 3]])
    assert np.isnan(human_scores({0: 1.5, 2: 2.5, 3: 0}, rows)).tolist() == [False, True, False, False]
    assert np.isnan(human_scores([1, 2, math.nan, 3], rows)).tolist() == [False, False, True, False]


@pytest.mark.parametrize(
    ("human", "said"),
    [
        ({"i0": 1}, 'human: 3 arms or more with a score are needed to correlate, got 2 of 6; use labels such as "i0"'),
        ({"i0": 1, "i1": math.inf, "i2": 2}, 'human: finite scores, or nan for none, got inf for "i1"'),
        ([1, 2, 3], r"human: a mapping from labels, or one score for each of 6 arms, got shape \(3,\)"),
        ({"i0": "x", "i1": 1, "i2": 1}, "human: numbers, got list with other values"),
    ],
)
def test_human_scores_that_do_not_fit_are_refused(human, said):
    with pytest.raises(InvalidInput, match=said):
        human_scores(human, arms_of(read(table())))
