import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import beta

from quorate.numerics.sequential import confidence_sequence


def test_evidence_is_the_integral_of_likelihood_ratios():
    k, n, share, a = 12, 20, 0.4, 3.0
    ratio = quad(lambda p: (p / share) ** k * ((1 - p) / (1 - share)) ** (n - k) * beta.pdf(p, a, a), 0, 1)[0]
    assert confidence_sequence.share_log_evidence(k, n, share, a) == pytest.approx(np.log(ratio))


@pytest.mark.parametrize("share", [0.5, 0.2])
def test_evidence_is_a_martingale(share):
    n = 30
    k = np.arange(n + 1)
    now = np.exp(confidence_sequence.share_log_evidence(k, n, share, 5.0))
    then = np.exp(confidence_sequence.share_log_evidence([k, k + 1], n + 1, share, 5.0))
    assert share * then[1] + (1 - share) * then[0] == pytest.approx(now)


def test_half_votes_never_raise_the_expected_evidence():
    before = np.exp(confidence_sequence.share_log_evidence(6, 10, 0.5, 5.0))
    after = np.exp(confidence_sequence.share_log_evidence([6, 6.5, 7], 11, 0.5, 5.0))
    assert after @ [0.3, 0.4, 0.3] <= before * (1 + 1e-12)


def test_the_prior_has_the_margin_as_its_spread():
    assert beta.std(*[confidence_sequence.prior(0.06)] * 2) == pytest.approx(0.06)


def test_the_confidence_sequence_is_what_the_test_does_not_reject():
    low, high = confidence_sequence.confidence_sequence([0, 7, 30], [0, 20, 30], 0.95, 12.0)
    assert (low[0], high[0]) == (0, 1)
    for end in (low[1], high[1], low[2]):
        k, n = (30, 30) if end == low[2] else (7, 20)
        assert confidence_sequence.share_log_evidence(k, n, end, 12.0) == pytest.approx(np.log(20), abs=1e-6)
    assert high[2] == 1


def test_the_boundary_is_the_last_count_that_stops():
    n = np.arange(1, 300)
    c = confidence_sequence.boundary(n, 0.05, 12.0)
    for votes, last in zip(n.tolist(), c.tolist(), strict=True):
        k = np.arange(votes // 2 + 1)
        stops = k[confidence_sequence.share_log_evidence(k, votes, 0.5, 12.0) >= np.log(20)]
        assert last == max(stops, default=-1)


def test_stopping_by_hand():
    """Stops after two votes that agree."""
    found = confidence_sequence.stopping(np.array([-1.0, 0.0, -1.0]), 0.6)
    assert found.low.tolist() == pytest.approx([0, 0.16, 0.16])
    assert found.high.tolist() == pytest.approx([0, 0.36, 0.36])
    assert found.expected == pytest.approx(2 + 0.48)


def test_the_range_that_is_kept_ends_outside_of_it():
    low, high = confidence_sequence.kept_range(lambda p: (p < 0.3) | (p > 0.9), np.array([0.5]), 20)
    assert (low, high) == (pytest.approx(0.3, abs=1e-6), pytest.approx(0.9, abs=1e-6))
    assert low < 0.3
    assert high > 0.9
