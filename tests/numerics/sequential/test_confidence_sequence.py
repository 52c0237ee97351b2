from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logsumexp

from quorate.numerics.sequential import confidence_sequence


def summary(scores):
    scores = np.asarray(scores, dtype=float)
    return len(scores), scores.mean(), np.sum((scores - scores.mean()) ** 2)


def capital(scores, share):
    """What the bets on these very scores come to."""
    above = np.log1p(confidence_sequence.STAKES * (scores[:, None] / share - 1)).sum(axis=0)
    below = np.log1p(confidence_sequence.STAKES * ((1 - scores[:, None]) / (1 - share) - 1)).sum(axis=0)
    return logsumexp(np.logaddexp(above, below), b=confidence_sequence.WEIGHTS) - np.log(2)


@pytest.mark.parametrize(("wins", "n", "high", "share"), [(12, 40, 1.0, 0.2), (30, 40, 0.6, 0.3), (5, 5, 0.7, 0.1)])
def test_scores_of_two_values_of_which_one_loses_all_leave_no_doubt(wins, n, high, share):
    scores = np.repeat([0.0, high], [n - wins, wins])
    above = np.log1p(confidence_sequence.STAKES * (scores[:, None] / share - 1)).sum(axis=0)
    assert confidence_sequence.mean_log_evidence(*summary(scores), share) == pytest.approx(
        logsumexp(above, b=confidence_sequence.WEIGHTS) - np.log(2)
    )


@given(
    st.lists(st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.8, 1.0]), min_size=1, max_size=40),
    st.floats(min_value=0.02, max_value=0.98),
)
def test_the_evidence_is_never_above_what_bets_on_the_scores_win(scores, share):
    evidence = confidence_sequence.mean_log_evidence(*summary(scores), share)
    assert evidence <= capital(np.array(scores), share) + 1e-9


@pytest.mark.parametrize("chances", [(0.6, 0.3, 0.1), (0.02, 0.02, 0.96), (0.0, 0.5, 0.5)])
def test_the_evidence_against_the_true_mean_is_expected_to_be_one_at_most(chances):
    values = np.array([0.0, 0.5, 1.0])
    for n in (1, 3, 6):
        expected = sum(
            np.prod([chances[i] for i in drawn])
            * np.exp(confidence_sequence.mean_log_evidence(*summary(values[list(drawn)]), values @ chances))
            for drawn in product(range(3), repeat=n)
        )
        assert expected <= 1


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=60))
def test_the_ends_are_where_the_evidence_reaches_its_limit(thousandths):
    n, mean, ss = summary(np.array(thousandths) / 1000)
    lower, upper = confidence_sequence.bounded_mean(n, mean, ss, 0.05)
    assert 0 <= lower <= mean <= upper <= 1
    for end, edge in ((lower, 0.0), (upper, 1.0)):
        assert end == edge or confidence_sequence.mean_log_evidence(n, mean, ss, end) >= np.log(20)
        assert confidence_sequence.mean_log_evidence(n, mean, ss, end + (mean - edge) / 2**39) < np.log(20)


def test_mirrored_scores_have_the_mirrored_interval():
    lower, upper = confidence_sequence.bounded_mean([5, 40, 3000], [0.2, 0.9, 0.01], [0.3, 1.0, 20.0], 0.01)
    low, high = confidence_sequence.bounded_mean([5, 40, 3000], [0.8, 0.1, 0.99], [0.3, 1.0, 20.0], 0.01)
    assert 1 - high == pytest.approx(lower, abs=1e-9)
    assert 1 - low == pytest.approx(upper, abs=1e-9)


def test_without_scores_nothing_is_excluded():
    lower, upper = confidence_sequence.bounded_mean([0], [0.5], [0.0], 0.05)
    assert (lower[0], upper[0]) == (0, 1)


def test_small_variances_make_it_narrower_than_the_sequence_of_votes():
    n, mean = 200, 0.5
    votes = np.diff(confidence_sequence.confidence_sequence(n * mean, n, 0.95, 0.5), axis=0)
    widths = [
        np.diff(confidence_sequence.bounded_mean(n, mean, n * variance, 0.05), axis=0) for variance in (0.25, 0.02, 0.0)
    ]
    assert widths[0] < 1.12 * votes
    assert widths[1] < 0.5 * votes
    assert widths[2] < 0.2 * votes


@pytest.mark.parametrize(
    ("n", "mean", "ss", "share", "wanted"),
    [
        (1, 0.5, 0, 0.01, 2.47799060715),
        (8, 0.75, 0.5, 0.2, 6.05207783364),
        (8, 0.75, 0.5, 0.95, 2.57386889466),
        (40, 0.3, 1.2, 0.5, 6.63072102),
        (40, 0.02, 0.05, 0.2, 5.2075428088),
        (300, 0.5, 3, 0.45, 13.5991239115),
        (300, 0.5, 3, 0.56, 18.375134597),
        (2000, 0.9, 180, 0.88, 1.17705031614),
        (2000, 0.001, 0.5, 0.01, 13.3468698327),
        (50, 1, 0, 0.8, 8.02542427974),
        (50, 0, 0, 0.001, -0.669718141897),
    ],
)
def test_the_evidence_to_ten_digits(n, mean, ss, share, wanted):
    """mpmath 1.4.1 with 50 digits, from the closed forms in docs/methods/adaptive-intervals.md."""
    assert confidence_sequence.mean_log_evidence(n, mean, ss, share) == pytest.approx(wanted, rel=1e-10)


@pytest.mark.parametrize(
    ("n", "mean", "ss", "alpha", "lower", "upper"),
    [
        (1, 0.5, 0, 1e-9, 1.1650299817e-10, 0.99999999988),
        (1, 0, 0, 0.05, 0, 0.98819206783),
        (10, 0.5, 2.5, 1e-9, 0.0028324144446, 0.99716758556),
        (40, 0.3, 1.2, 0.05, 0.20492196142, 0.43310615268),
        (40, 1e-12, 0, 1e-9, 5.4207427671e-13, 0.45792572329),
        (1000, 1, 0, 1e-9, 0.97551004836, 1),
        (1000, 0.5, 250, 1e-9, 0.39141837354, 0.60858162646),
        (1000, 0.5, 1, 1e-9, 0.48407553662, 0.51592446338),
    ],
)
def test_the_ends_to_ten_digits(n, mean, ss, alpha, lower, upper):
    """mpmath 1.4.1 with 50 digits, by halves."""
    np.testing.assert_allclose(confidence_sequence.bounded_mean(n, mean, ss, alpha), (lower, upper), rtol=0, atol=1e-10)


def test_it_works_at_the_edges_of_what_numbers_can_be():
    """With a billion scores the ends are next to the mean: normal ones, 13 standard errors away at most."""
    mean = np.array([0.0, 0.3, 0.5, 1.0])
    lower, upper = confidence_sequence.bounded_mean(1e9, mean, 1e9 * mean * (1 - mean), 1e-9)
    margin = 13 * np.sqrt(mean * (1 - mean) / 1e9)
    assert np.all((lower >= mean - margin - 1e-7) & (upper <= mean + margin + 1e-7))
    assert np.all((lower[1:] < 1 - 1e-9) & (upper[:-1] > 1e-9))
    assert np.all((upper - lower)[1:3] > margin[1:3])
    assert np.all(
        np.isfinite(confidence_sequence.mean_log_evidence(1e9, mean[:, None], 0.0, np.linspace(1e-9, 1 - 1e-9, 50)))
    )
    assert confidence_sequence.mean_log_evidence(1e9, 0.5, 0.0, 0.0) > 1e11
