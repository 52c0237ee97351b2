"""Shares of votes by several facets at once.

Reference values are those of R 4.2.2 with sandwich 3.0-2::

    > library(sandwich)
    > i <- 0:23
    > d <- data.frame(y = as.numeric((i %/% 4) + 1.5 * (i %% 4) + (i * 7) %% 5 / 2 > 5),
    +                 prompt = i %/% 4, judge = i %% 4, third = i %/% 12)
    > paste(d$y, collapse = "")
    [1] "000000010001001101110111"
    > fit <- lm(y ~ 1, d)
    > se <- function(f) print(sqrt(vcovCL(fit, cluster = f, type = "HC0", cadjust = TRUE)[1, 1]), digits = 12)
    > se(~ prompt); se(~ judge); se(~ prompt + judge); se(~ third); se(~ prompt + third); se(~ prompt + judge + third)
    [1] 0.123603308118
    [1] 0.173472166622
    [1] 0.186554918242
    [1] 0.25
    [1] 0.25
    [1] 0.256528513633

and hold to the printed digits. All cells of one set of facets are of one size: ``G / (G - 1)`` is ``1 / (1 - w)``.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.numerics.votes.clustered import combined, multiway, multiways, share

CELL = np.arange(24)
Y = np.array([float(digit) for digit in "000000010001001101110111"])
FACETS = {"prompt": CELL // 4, "judge": CELL % 4, "third": CELL // 12}
ONES = np.ones(24)


@pytest.mark.parametrize(
    ("names", "se"),
    [
        (("prompt",), 0.123603308118),
        (("judge",), 0.173472166622),
        (("prompt", "judge"), 0.186554918242),
        (("third",), 0.25),
        (("prompt", "third"), 0.25),
        (("prompt", "judge", "third"), 0.256528513633),
    ],
)
def test_standard_errors_are_those_of_sandwich(names, se):
    assert multiway(Y, ONES, [FACETS[name] for name in names]).share.se == pytest.approx(se, abs=1e-11)


def test_one_facet_is_its_clusters():
    rng = np.random.default_rng(1)
    code, won = rng.integers(0, 30, 200), (rng.random(200) < 0.6).astype(float)
    sizes = np.bincount(code).astype(float)
    assert multiway(won, np.ones(200), [code]).share == pytest.approx(share(np.bincount(code, won), sizes))


@given(st.integers(0, 10_000), st.integers(2, 3))
def test_it_is_at_least_the_largest_by_one_facet_and_its_df_no_fewer_than_theirs(seed, facets):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(12, 60))
    codes = [np.unique(rng.integers(0, rng.integers(2, 12), n), return_inverse=True)[1] for _ in range(facets)]
    won = (rng.random(n) < 0.5).astype(float)
    found = multiway(won, rng.integers(1, 4, n).astype(float), codes)
    if min(way.clusters for way in found.ways) > 1:
        assert found.share.se >= max(way.se for way in found.ways) * (1 - 1e-12)
        assert found.share.df >= min(way.df for way in found.ways) * (1 - 1e-12)
    assert found.share.effective == min(way.effective for way in found.ways)


def test_degrees_of_freedom_are_between_those_of_the_facets_that_matter():
    one = combined(np.array(4.0), np.array([4.0, 0.0]), np.array([9.0, 99.0]))
    both = combined(np.array(4.0), np.array([2.0, 2.0]), np.array([9.0, 9.0]))
    assert (float(one[1]), float(both[1])) == (9.0, 18.0)


def test_two_clusters_leave_one_degree_of_freedom_however_alike_they_are():
    alike = combined(np.array([4.0, 4.0]), np.array([[4.0, 4.0], [1e-9, 1e-9]]), np.array([[99.0, 99.0], [1.0, 2.0]]))
    assert alike[1][0] == 1.0
    assert alike[1][1] == pytest.approx(99.0)


def test_a_row_may_stand_for_several_votes():
    rng = np.random.default_rng(2)
    prompt, judge, won = rng.integers(0, 8, 40), rng.integers(0, 5, 40), (rng.random(40) < 0.4).astype(float)
    times = rng.integers(1, 4, 40)
    rows = np.repeat(np.arange(40), times)
    counted = multiway(won, times.astype(float), [prompt, judge]).share
    single = multiway(won[rows], np.ones(len(rows)), [prompt[rows], judge[rows]]).share
    assert tuple(counted) == pytest.approx(tuple(single))


@given(st.integers(0, 10**6), st.integers(1, 3))
def test_many_studies_at_once_are_each_of_them(seed, facets):
    """Studies of other sizes, one of a single cluster, with ties and rows that stand for several votes."""
    rng = np.random.default_rng(seed)
    study = np.repeat(np.arange(4), [12, 1, 30, 7])
    outcome, weight = rng.choice([0.0, 0.5, 1.0], len(study)), rng.integers(1, 4, len(study)).astype(float)
    codes = [rng.integers(0, 5, len(study)) for _ in range(facets)]
    found = multiways(study, outcome, weight, codes)
    for at in range(4):
        own = study == at
        wanted = multiway(outcome[own], weight[own], [code[own] for code in codes])
        assert found.share.one(at) == pytest.approx(wanted.share, abs=1e-12, nan_ok=True)
        one = [share(*_sums(outcome[own], weight[own], code[own])) for code in codes]
        for way, alone in zip(found.ways, one, strict=True):
            assert way.one(at) == pytest.approx(alone, abs=1e-12, nan_ok=True)


def _sums(outcome, weight, code):
    at = np.unique(code, return_inverse=True)[1]
    return np.bincount(at, weight * outcome), np.bincount(at, weight), np.bincount(at, weight * outcome**2)
