import numpy as np
import pytest

from quorate.numerics.nominal import (
    COEFFICIENTS,
    Ratings,
    cohen,
    cohen_intervals,
    cohen_rows,
    cohen_slopes,
    tally,
    with_interval,
)

ABSENT = 0
# Krippendorff (2011), Computing Krippendorff's alpha-reliability, example C: 4 observers, 12 units; 0 is no value.
FOUR = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, 0, 0, 0],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 0, 3],
    [0, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 0],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, 0],
]
# Fleiss (1971), table 1: 30 patients, 6 psychiatrists each, diagnoses 1 to 5; psychiatrists are not told apart.
DIAGNOSES = """
0 0 0 6 0  0 3 0 0 3  0 1 4 0 1  0 0 0 0 6  0 3 0 3 0  2 0 4 0 0  0 0 4 0 2  2 0 3 1 0  2 0 0 4 0  0 0 0 0 6
1 0 0 5 0  1 1 0 4 0  0 3 3 0 0  1 0 0 5 0  0 2 0 3 1  0 0 5 0 1  3 0 0 1 2  5 1 0 0 0  0 2 0 4 0  1 0 2 0 3
0 0 0 0 6  0 1 0 5 0  0 2 0 1 3  2 0 0 4 0  1 0 0 4 1  0 5 0 1 0  4 0 0 0 2  0 2 0 4 0  1 0 5 0 0  0 0 0 0 6
"""
SHORT = {"agreement": "agreement", "alpha": "Krippendorff's alpha", "fleiss": "Fleiss' kappa", "ac1": "Gwet's AC1"}
STEPS = {short: COEFFICIENTS[name] for short, name in SHORT.items()}


def ratings(rows):
    """Ratings from a row for every judge, labels from 1."""
    values = np.array(rows)
    judge, item = np.nonzero(values != ABSENT)
    said = values[judge, item] - 1
    return Ratings(item, judge, said, np.ones(len(said)), values.shape[1], values.shape[0], int(said.max()) + 1)


def found(rows, level=0.95):
    return {name: with_interval(ratings(rows), steps, level) for name, steps in STEPS.items()}


def test_four_observers():
    """Alpha as Krippendorff (2011) prints it; all four as the manual of R's irrCAC prints them.

    ``gwet.ac1.raw(cac.raw4raters)``: pa 0.8181818, AC1 0.77544; ``fleiss.kappa.raw``: 0.76117;
    ``krippen.alpha.raw``: 0.74342. Gwet (2014), Handbook of Inter-Rater Reliability, has the same examples.
    """
    values = {name: one.value for name, one in found(FOUR).items()}
    assert values["alpha"] == pytest.approx(0.743, abs=5e-4)
    assert values == pytest.approx(
        {"agreement": 0.8181818, "alpha": 0.74342, "fleiss": 0.76117, "ac1": 0.77544}, abs=6e-6
    )


def test_diagnoses_of_fleiss():
    """Fleiss (1971): P = .5556, kappa = .430."""
    counts = np.array(DIAGNOSES.split(), dtype=int).reshape(30, 5)
    rows = np.array([np.repeat(np.arange(1, 6), count) for count in counts]).T
    values = {name: one.value for name, one in found(rows.tolist()).items()}
    assert values["agreement"] == pytest.approx(0.5556, abs=5e-5)
    assert values["fleiss"] == pytest.approx(0.430, abs=5e-4)


def test_two_raters_of_gwet():
    """Gwet (2008), 125 subjects with cells 118, 5, 2, 0: AC1 .941, kappa -.023; the formula written out beside it."""
    first = [1] * 118 + [1] * 5 + [2] * 2
    second = [1] * 118 + [2] * 5 + [1] * 2
    values = found([first, second])
    assert values["agreement"].value == pytest.approx(118 / 125, abs=1e-12)
    share = (123 + 120) / 250
    chance = 2 * share * (1 - share)
    assert values["ac1"].value == pytest.approx((118 / 125 - chance) / (1 - chance), abs=1e-12)
    assert values["ac1"].value == pytest.approx(0.941, abs=5e-4)
    kappa = cohen(cohen_rows(np.eye(2)[np.array(first) - 1], np.eye(2)[np.array(second) - 1]).sum(axis=0))
    assert kappa == pytest.approx(-0.0234, abs=5e-5)
    assert not values["ac1"].judges


def test_cohen_as_in_r():
    """R 4.2, psych 2.2.9; of many such items the interval is by the variance of Fleiss, Cohen and Everitt (1969).

    > x <- c(1,1,1,2,2,2,3,3,1,2,3,1,1,2,1,1,2,3,1,1); y <- c(1,1,2,2,2,1,3,3,1,2,1,1,1,2,1,3,2,3,1,2)
    > k <- cohen.kappa(cbind(x, y)); print(k$kappa, digits = 10); print(sqrt(k$var.kappa), digits = 10)
    [1] 0.6031746032
    [1] 0.1559895094
    """
    x = np.array([1, 1, 1, 2, 2, 2, 3, 3, 1, 2, 3, 1, 1, 2, 1, 1, 2, 3, 1, 1]) - 1
    y = np.array([1, 1, 2, 2, 2, 1, 3, 3, 1, 2, 1, 1, 1, 2, 1, 3, 2, 3, 1, 2]) - 1
    assert cohen(cohen_rows(np.eye(3)[x], np.eye(3)[y]).sum(axis=0)) == pytest.approx(0.6031746032, abs=1e-10)
    many = 2000
    ((low, high),) = cohen_intervals([(np.eye(3)[np.tile(x, many)], np.eye(3)[np.tile(y, many)])], 0.95)
    assert high - low == pytest.approx(2 * 1.96 * 0.1559895094 / np.sqrt(many), rel=1e-3)


@pytest.mark.wide(1)
@pytest.mark.parametrize(("n", "right"), [(9, (0.7, 0.7, 0.7)), (40, (0.9, 0.8, 0.2))], ids=["alike", "one off"])
def test_the_jackknife_is_that_of_leaving_out_one_by_one(n, right):
    """Judges who are alike add nothing to what items do; of whom one is off, they do."""
    rng = np.random.default_rng(2)
    m = len(right)
    truth = rng.integers(1, 4, n)
    rows = np.where(rng.random((m, n)) < np.array(right)[:, None], truth, rng.integers(1, 4, (m, n)))
    rows[rng.random((m, n)) < 0.1] = ABSENT
    intervals = found(rows)

    def values(name, items, judges):
        left = np.delete(np.delete(rows, items, axis=1), judges, axis=0)
        own = ratings(np.vstack([left, np.zeros((0, left.shape[1]), dtype=int)]))._replace(labels=3)
        of_items, number, _ = STEPS[name]
        return float(number.value(of_items(tally(own)).sum(axis=0)))

    def log(value):
        return np.log((1 - np.asarray(value)) / (1 + np.asarray(value)))

    for name in ("alpha", "ac1"):
        by_item = log([values(name, [i], []) for i in range(n)])
        by_judge = log([values(name, [], [j]) for j in range(m)])
        both = log([[values(name, [i], [j]) for i in range(n)] for j in range(m)])
        apart = both - both.mean(axis=0) - both.mean(axis=1, keepdims=True) + both.mean()
        parts = ((n - 1) * by_item.var(), (m - 1) * by_judge.var(), (n - 1) * (m - 1) / (n * m) * (apart**2).sum())
        variance = max(parts[0] + parts[1] - parts[2], *parts[:2])
        assert (variance > parts[0]) == (max(right) > min(right))
        one = intervals[name]
        assert one.se == pytest.approx(np.sqrt(variance) * (1 - one.value**2) / 2, rel=1e-9)
        assert one.judges
        assert one.low < one.value < one.high < 1


def test_all_agree_or_have_one_label():
    alike = found([[1, 2, 1, 2], [1, 2, 1, 2], [1, 2, 1, 2]])
    assert all(one.value == 1 and np.isnan(one.se) and one.low < one.high == 1 for one in alike.values())
    one_label = found([[1, 1, 1], [1, 1, 1]])
    assert all(np.isnan(one.low) for one in one_label.values())
    assert np.isnan(one_label["alpha"].value)
    assert np.isnan(one_label["fleiss"].value)
    dissenter = found([[1, 2, 1, 2, 1], [1, 2, 1, 2, 1], [1, 2, 2, 2, 1]])  # without the third all agree
    assert all(one.low < one.value < one.high <= 1 for one in dissenter.values())


def test_parts_of_very_many_are_left_out(monkeypatch):
    rng = np.random.default_rng(5)
    truth = rng.integers(1, 4, 600)
    rows = np.where(rng.random((24, 600)) < 0.7, truth, rng.integers(1, 4, (24, 600)))
    single = found(rows)
    monkeypatch.setattr("quorate.numerics.nominal.MOST_ITEMS", 150)
    monkeypatch.setattr("quorate.numerics.nominal.MOST_JUDGES", 12)
    for name, one in found(rows).items():
        assert one.value == single[name].value
        assert one.se == pytest.approx(single[name].se, rel=0.25)


def test_slopes_are_those_of_small_differences():
    rng = np.random.default_rng(1)
    own = ratings(rng.integers(1, 4, (5, 30)))
    said = [np.eye(3)[rng.integers(0, 3, 30)] for _ in range(2)]
    every = [(cohen, cohen_slopes, cohen_rows(*said)), *((*one.number, one.rows(tally(own))) for one in STEPS.values())]
    for value, slopes, rows in every:
        sums, step = rows.sum(axis=0), 1e-4 * np.eye(rows.shape[1])
        assert slopes(sums) == pytest.approx((value(sums + step) - value(sums - step)) / 2e-4, abs=1e-8)
