from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import logsumexp

from quorate.numerics.sequential import confidence_sequence as cs
from quorate.numerics.sequential import fair_coin as sequential


def summary(scores):
    scores = np.asarray(scores, dtype=float)
    return len(scores), scores.mean(), np.sum((scores - scores.mean()) ** 2)


def capital(scores, share):
    """What the bets win: a third each of two stakes for and against, and of the beta law; by sums over fine grids."""
    stake = (np.arange(4000) + 0.5) / 4000
    law = np.log(1 - stake) * (cs._GAMMA - 1) - cs._GAMMA * (1 - stake)
    law -= logsumexp(law)
    above = logsumexp(law + np.log1p(stake * (scores[:, None] / share - 1)).sum(axis=0))
    below = logsumexp(law + np.log1p(stake * ((1 - scores[:, None]) / (1 - share) - 1)).sum(axis=0))
    angle = stake * np.pi / 2  # the beta law with both parameters 1/2 is even over angles
    q = np.sin(angle) ** 2
    mixed = np.log(scores[:, None] * q / share + (1 - scores[:, None]) * (1 - q) / (1 - share)).sum(axis=0)
    return logsumexp([above, below, logsumexp(mixed) - np.log(len(q))]) - np.log(3)


def test_the_gamma_mixture_of_confseq():
    """confseq 0.0.11, boundaries_test.cpp: gamma_exponential_log_mixture(10, 100, v_opt=100, c=2) is -0.2490165.

    Its rho, for alpha_opt = .05 on one side: ``v_opt / (2 log(1 / .1) + log(1 + 2 log(1 / .1)))``.
    """
    log = 2 * np.log(10)
    rho = 100 / (log + np.log1p(log))
    assert cs._log_gamma_mixture(10 / 2, 100 / 4, rho / 4) == pytest.approx(-0.2490165, abs=1e-7)


@pytest.mark.parametrize(("gain", "spread"), [(0.0, 0.0), (3.0, 1.0), (40.0, 90.0), (500.0, 2e5)])
def test_the_gamma_mixture_is_the_integral_over_stakes(gain, spread):
    shape, top = 2.0, gain / (gain + spread + 1)

    def law(u):
        return u ** (shape - 1) * np.exp(-shape * u)

    def wealth(u):
        return law(u) * np.exp((1 - u) * gain + (np.log(u) + 1 - u) * spread)

    mean = quad(wealth, 0, 1, points=[1 - top], limit=500)[0] / quad(law, 0, 1)[0]
    assert cs._log_gamma_mixture(gain, spread, shape) == pytest.approx(np.log(mean), abs=1e-6)


@pytest.mark.parametrize("t", [1e-12, 1e-5, 9.9e-4, 1.1e-3, 0.3, 40.0])
def test_the_excess_is_exact_where_its_terms_cancel(t):
    expected = t**2 * quad(lambda s: s / (1 + s * t), 0, 1)[0]
    assert cs._excess(np.array(t)) == pytest.approx(expected, rel=1e-9, abs=0)


def test_the_gamma_mixture_has_no_seam():
    spread = cs._LARGE - 2 + np.array([-1e-3, 1e-3])
    for gain in (10.0, 99.0, 101.0, 1000.0):
        below, above = cs._log_gamma_mixture(np.full(2, gain), spread, 2.0)
        assert above == pytest.approx(below, abs=2e-7)


@given(
    st.lists(st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.8, 1.0]), min_size=1, max_size=40),
    st.floats(min_value=0.02, max_value=0.98),
)
def test_the_evidence_is_never_above_what_bets_on_the_scores_win(scores, share):
    evidence = cs.log_evidence(*summary(scores), share)
    assert evidence <= capital(np.array(scores), share) + 1e-4


@pytest.mark.parametrize("chances", [(0.6, 0.3, 0.1), (0.02, 0.02, 0.96), (0.0, 0.5, 0.5)])
def test_the_evidence_against_the_true_mean_is_expected_to_be_one_at_most(chances):
    values = np.array([0.0, 0.5, 1.0])
    for n in (1, 3, 6):
        expected = sum(
            np.prod([chances[i] for i in drawn])
            * np.exp(cs.log_evidence(*summary(values[list(drawn)]), values @ chances))
            for drawn in product(range(3), repeat=n)
        )
        assert expected <= 1


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=60))
def test_the_ends_are_where_the_evidence_reaches_its_limit(thousandths):
    n, mean, ss = summary(np.array(thousandths) / 1000)
    lower, upper = cs.bounded_mean(n, mean, ss, 0.05)
    assert 0 <= lower <= mean <= upper <= 1
    for end, edge in ((lower, 0.0), (upper, 1.0)):
        assert end == edge or cs.log_evidence(n, mean, ss, end) >= np.log(20)
        assert cs.log_evidence(n, mean, ss, end + (mean - edge) / 2**39) < np.log(20)


def test_mirrored_scores_have_the_mirrored_interval():
    lower, upper = cs.bounded_mean([5, 40, 3000], [0.2, 0.9, 0.01], [0.3, 1.0, 20.0], 0.01)
    low, high = cs.bounded_mean([5, 40, 3000], [0.8, 0.1, 0.99], [0.3, 1.0, 20.0], 0.01)
    assert 1 - high == pytest.approx(lower, abs=1e-9)
    assert 1 - low == pytest.approx(upper, abs=1e-9)


def test_without_scores_nothing_is_excluded():
    lower, upper = cs.bounded_mean([0], [0.5], [0.0], 0.05)
    assert (lower[0], upper[0]) == (0, 1)


def test_small_variances_make_it_narrower_than_the_sequence_of_votes():
    n, mean = 200, 0.5
    votes = np.diff(sequential.confidence_sequence(n * mean, n, 0.95, 0.5), axis=0)
    widths = [np.diff(cs.bounded_mean(n, mean, n * variance, 0.05), axis=0) for variance in (0.25, 0.02, 0.0)]
    assert widths[0] < 1.12 * votes
    assert widths[1] < 0.5 * votes
    assert widths[2] < 0.2 * votes


@pytest.mark.parametrize(
    ("n", "mean", "ss", "share", "wanted"),
    [
        (1, 0.5, 0, 0.01, 0.0841316258033),
        (8, 0.75, 0.5, 0.2, 3.2540771324),
        (8, 0.75, 0.5, 0.95, -0.327698518174),
        (40, 0.3, 1.2, 0.5, 3.98431999633),
        (40, 0.02, 0.05, 0.2, 3.79609971413),
        (300, 0.5, 3, 0.45, 11.7557347646),
        (300, 0.5, 3, 0.56, 15.5372437529),
        (2000, 0.9, 180, 0.88, 1.01188606511),
        (2000, 0.001, 0.5, 0.01, 11.9803715478),
        (50, 1, 0, 0.8, 7.61194414945),
        (50, 0, 0, 0.001, -0.99713266699),
    ],
)
def test_the_evidence_to_ten_digits(n, mean, ss, share, wanted):
    """mpmath 1.4.1 with 50 digits, from the closed forms in docs/methods/adaptive-intervals.md."""
    assert cs.log_evidence(n, mean, ss, share) == pytest.approx(wanted, rel=1e-10)


@pytest.mark.parametrize(
    ("n", "mean", "ss", "alpha", "lower", "upper"),
    [
        (1, 0.5, 0, 1e-9, 0, 1),
        (1, 0, 0, 0.05, 0, 0.99166297577),
        (10, 0.5, 2.5, 1e-9, 0.0024087028294, 0.99759129717),
        (40, 0.3, 1.2, 0.05, 0.17085660378, 0.46787681812),
        (40, 1e-12, 0, 1e-9, 0, 0.45449591791),
        (1000, 1, 0, 1e-9, 0.97465841271, 1),
        (1000, 0.5, 250, 1e-9, 0.38857635968, 0.61142364032),
        (1000, 0.5, 1, 1e-9, 0.4830847223, 0.5169152777),
    ],
)
def test_the_ends_to_ten_digits(n, mean, ss, alpha, lower, upper):
    """mpmath 1.4.1 with 40 digits, by halves."""
    np.testing.assert_allclose(cs.bounded_mean(n, mean, ss, alpha), (lower, upper), rtol=0, atol=1e-10)


def test_it_works_at_the_edges_of_what_numbers_can_be():
    """With a billion scores the ends are next to the mean: normal ones, 13 standard errors away at most."""
    mean = np.array([0.0, 0.3, 0.5, 1.0])
    lower, upper = cs.bounded_mean(1e9, mean, 1e9 * mean * (1 - mean), 1e-9)
    margin = 13 * np.sqrt(mean * (1 - mean) / 1e9)
    assert np.all((lower >= mean - margin - 1e-7) & (upper <= mean + margin + 1e-7))
    assert np.all((lower[1:] < 1 - 1e-9) & (upper[:-1] > 1e-9))
    assert np.all((upper - lower)[1:3] > margin[1:3])
    assert np.all(np.isfinite(cs.log_evidence(1e9, mean[:, None], 0.0, np.linspace(1e-9, 1 - 1e-9, 50))))
    assert cs.log_evidence(1e9, 0.5, 0.0, 0.0) == np.inf
