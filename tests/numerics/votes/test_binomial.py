"""The exact test against R (``tests/reference/binomial.txt``), scipy.stats, and a look at every number of votes."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from quorate.errors import InvalidInput
from quorate.numerics.votes import binomial
from quorate.numerics.votes.binomial import divergence, errors, log_ratio

REFERENCE = json.loads((Path(__file__).parents[2] / "reference" / "binomial.json").read_text(encoding="utf-8"))
ALPHAS = st.sampled_from([0.001, 0.01, 0.05, 0.1, 0.2, 0.5, 0.9])


def column(rows, name):
    return np.array([row[name] for row in rows])


def outcomes(n):
    return np.arange(n + 1)


@pytest.fixture
def tests():
    return REFERENCE["tests"]


def test_p_values_of_r(tests):
    assert binomial.p_value(column(tests, "k"), column(tests, "n")) == pytest.approx(column(tests, "p"), rel=1e-10)


@pytest.mark.parametrize(("name", "level"), [("exact", 0.95), ("exact99", 0.99)])
def test_exact_intervals_of_r(tests, name, level):
    got = np.transpose(binomial.clopper_pearson(column(tests, "k"), column(tests, "n"), level))
    assert got == pytest.approx(column(tests, name), rel=1e-9, abs=1e-12)


def test_wilson_intervals_of_r(tests):
    got = np.transpose(binomial.wilson(column(tests, "k"), column(tests, "n"), 0.95))
    assert got == pytest.approx(column(tests, "wilson"), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.99])
def test_wilson_intervals_hold_the_share_also_at_the_ends(level):
    n = np.arange(1.0, 2000.0)
    for share in (0.0, 0.5, 1.0):
        low, high = binomial.wilson(share * n, n, level)
        assert np.all((low >= 0) & (low <= share) & (share <= high) & (high <= 1))
    assert np.all(binomial.wilson(0 * n, n, level)[0] == 0)
    assert np.all(binomial.wilson(n, n, level)[1] == 1)


@pytest.mark.parametrize("wanted", REFERENCE["power"], ids=lambda wanted: str(wanted["alpha"]))
def test_critical_values_sizes_and_power_of_r(wanted):
    n, alpha = np.array(wanted["n"]), wanted["alpha"]
    assert np.array_equal(binomial.critical_value(n, alpha), wanted["critical"])
    assert binomial.size(n, alpha) == pytest.approx(wanted["size"], rel=1e-9)
    assert binomial.power(n, 0.56, alpha) == pytest.approx(wanted["p56"], rel=1e-9)
    assert binomial.power(n, 0.40, alpha) == pytest.approx(wanted["p40"], rel=1e-9)


@pytest.mark.wide(10)
@pytest.mark.parametrize("wanted", REFERENCE["sizes"], ids=lambda row: f"{row['margin']}-{row['alpha']}-{row['power']}")
def test_numbers_of_votes_of_r(wanted):
    assert binomial.smallest_n(0.5 + wanted["margin"], wanted["power"], wanted["alpha"]) == wanted["exact"]


@pytest.mark.wide(8)
@pytest.mark.parametrize("n", [1, 2, 5, 6, 17, 100, 1001])
@pytest.mark.parametrize("alpha", [0.001, 0.05, 0.0625, 0.3])
def test_size_is_that_of_enumeration_and_at_most_alpha(n, alpha):
    """What rejects is what has a p-value of at most alpha, ties included."""
    k = outcomes(n)
    rejected = np.minimum(1, 2 * np.minimum(stats.binom.cdf(k, n, 0.5), stats.binom.sf(k - 1, n, 0.5))) <= alpha * (
        1 + 1e-9
    )
    size = float(stats.binom.pmf(k, n, 0.5)[rejected].sum())
    assert binomial.size(n, alpha) == pytest.approx(size, abs=1e-12)
    assert size <= alpha * (1 + 1e-9)
    c = binomial.critical_value(n, alpha)
    assert np.array_equal(rejected, (k <= c) | (k >= n - c))
    assert np.array_equal(rejected, binomial.p_value(k, n) <= alpha * (1 + 1e-9))


@pytest.mark.parametrize("p", [0.0, 0.2, 0.5, 0.56, 1.0])
@pytest.mark.parametrize("n", [1, 6, 50, 501])
def test_power_is_that_of_enumeration(n, p):
    k, c = outcomes(n), binomial.critical_value(n, 0.05)
    wanted = stats.binom.pmf(k, n, p)[(k <= c) | (k >= n - c)].sum()
    assert binomial.power(n, p, 0.05) == pytest.approx(wanted, abs=1e-12)


def test_power_of_many_numbers_and_shares_is_one_call():
    n, p = np.arange(1, 60), np.array([[0.5], [0.7], [0.95]])
    got = binomial.power(n, p, 0.05)
    assert got.shape == (3, 59)
    assert got[1, 40] == pytest.approx(binomial.power(41, 0.7, 0.05), rel=1e-12)


def test_lower_tail_at_and_beyond_its_ends():
    assert binomial.lower_tail([-2, -1, 4, 5, 9], 5, 0.3) == pytest.approx([0, 0, 1 - 0.3**5, 1, 1])


def test_critical_values_hold_for_a_million_votes_and_for_tiny_levels():
    for n, alpha in [(10**6, 0.05), (10**6, 1e-300), (10**9, 0.01), (2000, 1e-200)]:
        c = float(binomial.critical_value(n, alpha))
        assert binomial.p_value(c, n) <= alpha < binomial.p_value(c + 1, n)


@pytest.mark.slow
@given(st.floats(0.05, 0.5), st.floats(0.02, 0.98), ALPHAS)
def test_the_number_found_is_that_of_a_look_at_every_number(margin, part, alpha):
    target = alpha + (1 - alpha) * part
    bound = (np.sqrt(np.log(2 / alpha) / 2) + np.sqrt(-np.log(1 - target) / 2)) ** 2 / margin**2
    n = np.arange(1, int(bound) + 100)
    short = n[binomial.power(n, 0.5 + margin, alpha) < target]
    assert binomial.smallest_n(0.5 + margin, target, alpha) == (short[-1] + 1 if len(short) else 1)


def test_both_directions_need_the_same_number():
    assert binomial.smallest_n(0.44, 0.9, 0.05) == binomial.smallest_n(0.56, 0.9, 0.05) == 749


@pytest.mark.slow
def test_a_number_beyond_a_million_is_the_last_step_of_the_saw():
    n = binomial.smallest_n(0.501, 0.9, 0.05)
    assert n > 2_000_000
    assert binomial.power(n - 1, 0.501, 0.05) < 0.9
    assert np.all(binomial.power(np.arange(n, n + 5000), 0.501, 0.05) >= 0.9)


def test_power_rises_along_a_run():
    """What the search rests on: with n - 2 c fixed, two votes more never lower the power, on either side."""
    h, n = np.meshgrid(np.arange(1, 40), np.arange(1, 400))
    keep = (n >= h) & ((n - h) % 2 == 0)
    h, n = h[keep], n[keep]
    for p in (0.5, 0.5001, 0.55, 0.8, 0.99):
        now, later = (binomial.rejection((m - h) / 2, m, p) for m in (n, n + 2))
        assert np.all(later >= now - 1e-12)


def test_a_search_without_end_is_refused():
    with pytest.raises(InvalidInput, match=r'margin: 1e-07 takes more judgments than .* use method="normal"'):
        binomial.smallest_n(0.5 + 1e-7, 0.9, 0.05)


def test_what_can_be_searched_is_known_beforehand():
    assert binomial.is_searchable(0.501, 0.9, 0.05)
    assert not binomial.is_searchable(0.5 + 1e-7, 0.9, 0.05)


def test_normal_power_is_alpha_without_a_margin_and_near_the_exact_one():
    assert binomial.normal_power(100, 0.5, 0.05) == pytest.approx(0.05)
    n = np.arange(500, 2000)
    exact = binomial.power(n, 0.55, 0.05)
    for own in (False, True):
        assert np.max(np.abs(binomial.normal_power(n, 0.55, 0.05, own_variance=own) - exact)) < 0.035


def test_normal_power_of_a_unanimous_vote():
    assert binomial.normal_power([3, 4], 1.0, 0.05, own_variance=True).tolist() == [0, 1]
    assert binomial.normal_power([3, 4], 0.0, 0.05, own_variance=True).tolist() == [0, 1]


@given(st.integers(1, 400), st.data(), st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_intervals_hold_the_share_and_mirror(n, data, level):
    k = data.draw(st.integers(0, n))
    for interval in (binomial.wilson, binomial.clopper_pearson):
        low, high = interval(k, n, level)
        assert 0 <= low <= k / n + 1e-12
        assert k / n - 1e-12 <= high <= 1
        assert np.transpose(interval(n - k, n, level)) == pytest.approx([1 - high, 1 - low], abs=1e-9)


def test_exact_intervals_cover_their_level_whatever_the_share():
    n = 40
    low, high = binomial.clopper_pearson(outcomes(n), n, 0.95)
    for p in np.linspace(0.01, 0.99, 99):
        assert stats.binom.pmf(outcomes(n), n, p)[(low <= p) & (p <= high)].sum() >= 0.95


def test_exact_interval_leaves_out_one_half_where_the_test_rejects():
    k = outcomes(50)
    low, high = binomial.clopper_pearson(k, 50, 0.95)
    assert np.array_equal((low > 0.5) | (high < 0.5), binomial.p_value(k, 50) <= 0.05)


def test_log_likelihoods():
    k, n = np.array([0, 3, 5]), 5
    wanted = stats.binom.logpmf(k, n, 0.6) - stats.binom.logpmf(k, n, 0.5)
    got = binomial.log_likelihood(k, n, 0.6) - binomial.log_likelihood(k, n, 0.5)
    assert got == pytest.approx(wanted)
    assert binomial.log_likelihood([0, 5, 1], 5, [0, 1, 1]).tolist() == [0, 0, -np.inf]


@pytest.mark.parametrize("threshold", [-50.0, -0.5, 0.0, 0.7, 50.0])
def test_errors_are_those_of_all_outcomes(threshold):
    """Six votes, one by one, with margins of both signs: every outcome with its chance."""
    margin = 0.2 * np.array([1, -1, 1, 1, -1, 1])
    outcomes = np.array(list(product((0, 1), repeat=6)))
    ratio = log_ratio(outcomes, np.ones(6), margin)
    chance = np.prod(np.where(outcomes == 1, 0.5 + margin, 0.5 - margin), axis=1)
    found = errors(6, 0.2, threshold)
    assert found.first == pytest.approx(float((ratio >= threshold - 1e-9).sum()) / 64, abs=1e-12)
    assert found.second == pytest.approx(float(chance[ratio < threshold - 1e-9].sum()), abs=1e-12)
    assert found.risk == found.first + found.second


def test_the_expected_ratio_is_the_divergence():
    n, margin = np.array([10, 20]), np.array([0.1, -0.25])
    expected = log_ratio(n * (0.5 + margin), n, margin)
    assert expected == pytest.approx(float(n @ divergence(margin)))


def test_no_test_has_less_risk_than_at_threshold_zero():
    best = errors(50, 0.1).risk
    assert all(errors(50, 0.1, threshold).risk >= best for threshold in (-1, -0.3, 0.3, 1))


def test_divergence_by_its_definition():
    d = np.array([-0.49, -0.25, -0.06, 0.03, 0.2, 0.4])
    p = 0.5 + d
    assert binomial.divergence(d) == pytest.approx(p * np.log(2 * p) + (1 - p) * np.log(2 * (1 - p)), rel=1e-12)


def test_divergence_at_its_ends_and_near_zero():
    assert binomial.divergence([-0.5, 0.0, 0.5]) == pytest.approx([np.log(2), 0, np.log(2)])
    assert binomial.divergence(1e-9) == pytest.approx(2e-18, rel=1e-9)


@given(st.floats(-0.25, 0.25))
def test_it_lies_between_two_parabolas_up_to_a_quarter(d):
    """Lee (2026), Lemma 3.1."""
    assert 2 * d**2 * (1 - 1e-12) <= binomial.divergence(d) + 1e-300
    assert binomial.divergence(d) <= 9 / 4 * d**2 * (1 + 1e-12) + 1e-300


@pytest.mark.parametrize("margins", [(0.1, -0.2, 0.05), (0.25,) * 6, (0.4, 0.4, -0.3, 0.1)])
def test_no_test_has_less_error_than_the_floor(margins):
    """The best test rejects where the alternative is likelier: its error rates sum to the overlap of the two laws."""
    d = np.array(margins)
    y = np.array(list(product([0, 1], repeat=len(d))))
    alternative = np.prod(np.where(y == 1, 0.5 + d, 0.5 - d), axis=1)
    overlap = np.minimum(alternative, 0.5 ** len(d)).sum()
    assert np.exp(-binomial.divergence(d).sum()) / 2 <= overlap
