import numpy as np
import polars as pl
import pytest
from scipy.stats import ttest_ind

import quorate as q
from quorate.estimate.components.decompose import decompose
from quorate.estimate.differences.paired import pairs
from quorate.estimate.differences.satterthwaite import balanced_df, balanced_mean_squares, by_facets, of_few, of_items
from quorate.estimate.means.mean import mean_for
from quorate.numerics.study_power import freedom

A, B = "system0000", "system0001"
SIZES = {"item": 40, "judge": 3, "system": 2}


def estimate(judgments):
    return mean_for(decompose(pairs(judgments, A, B).judgments), {})


def test_in_balanced_data_they_are_those_of_the_enlarged_components(judged):
    found = estimate(judged(SIZES, fixed=(), sd={"judge:system": 0.1}))
    squares = balanced_mean_squares(found)
    assert found.df == pytest.approx(float(freedom(squares.part, squares, 0.0)), rel=1e-3)
    assert of_few(found).df == pytest.approx(float(freedom(squares.part, squares)), rel=1e-3)
    assert of_few(found).df < 0.8 * found.df
    assert of_few(found).se == found.se


def test_the_paired_and_the_two_sample_t_test_stay_as_they_are(judged):
    items = estimate(judged({"item": 6, "system": 2}, fixed=(), replicates=3))
    assert of_few(items).df == pytest.approx(5)
    rng = np.random.default_rng(1)
    x, y = rng.normal(0, 1, 4), rng.normal(0, 3, 6)
    rows = {"system": ["a"] * 4 + ["b"] * 6, "item": range(10), "score": [*x, *y]}
    found = q.compare(q.read(pl.DataFrame(rows), announce=False), "a", "b")
    assert found.difference.df == pytest.approx(ttest_ind(x, y, equal_var=False).df)


def test_many_judges_leave_them_alone(judged):
    found = estimate(judged({**SIZES, "judge": 60}, fixed=()))
    assert of_few(found).df == pytest.approx(found.df, rel=0.05)


def test_parts_by_facets_with_several_levels():
    counts, over = {"item": 9, "judge": 3, "prompt": 1, "topic": 4}, {"item": ("topic",)}
    parts = {"judge": 1.0, "judge:prompt": 2.0, "item": 3.0, "prompt": 5.0, "cell + replicate": 7.0, "topic": -1.0}
    every = frozenset({"item", "judge", "topic"})
    assert by_facets(parts, counts, over) == {
        frozenset({"judge"}): 3.0,
        frozenset({"item", "topic"}): 3.0,
        every: 7.0,
        frozenset({"topic"}): 0.0,
    }
    assert balanced_df(frozenset({"item", "topic", "judge"}), counts, 90, 27, over) == 16
    assert balanced_df(every, counts, 90, 12, over) == 11
    assert balanced_df(frozenset({"item", "replicate"}), counts, 90, 27, over) == 63


def test_what_items_divide():
    assert [of_items(name, "item") for name in ("judge", "item:judge", "judge + cell", "replicate[judge=x]")] == [
        False,
        True,
        True,
        True,
    ]
