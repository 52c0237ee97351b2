import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.numerics.sequential.confidence_sequence import Moments, against_difference, against_mean, mean_log_evidence


def moments(*draws):
    """Of scores between 0 and 1."""
    n = np.array([len(own) for own in draws], dtype=float)
    mean = np.array([np.mean(own) if len(own) else 0.5 for own in draws])
    ss = np.array([np.sum((np.array(own) - m) ** 2) for own, m in zip(draws, mean, strict=True)])
    return Moments(n, mean, ss)


def test_evidence_against_a_mean_is_that_of_the_sequence():
    found = moments([0.2, 0.4] * 20, [0.9] * 5)
    np.testing.assert_array_equal(against_mean(found, 0.5), mean_log_evidence(*found, 0.5))
    assert against_mean(found, 1.1).tolist() == [np.inf, np.inf]
    assert against_mean(found, -0.1).tolist() == [np.inf, np.inf]
    np.testing.assert_array_equal(found.of(np.array([1])).mean, [0.9])


@given(seed=st.integers(0, 10_000), n=st.integers(0, 3000), share=st.floats(0, 1))
def test_evidence_against_a_mean_holds_for_those_beyond_it(seed, n, share):
    rng = np.random.default_rng(seed)
    mean = rng.choice([rng.uniform(), 10 ** rng.uniform(-4, -1)])
    found = Moments(*np.array([[n], [mean], [n * mean * (1 - mean) * 10 ** rng.uniform(-4, 0)]]))
    beyond = np.linspace(share, 1 if share >= mean else 0, 301)
    evidence = against_mean(found, share).item()
    every = [mean_log_evidence(*found, one).item() for one in beyond]
    assert evidence <= np.min(every) + 0.05 * max(evidence, 1)


@given(seed=st.integers(0, 10_000), shift=st.floats(-0.9, 0.9))
def test_evidence_against_a_difference_is_no_more_than_against_any_pair_of_means(seed, shift):
    rng = np.random.default_rng(seed)
    first = moments(rng.binomial(4, rng.uniform(), rng.integers(0, 120)) / 4)
    second = moments(rng.binomial(4, rng.uniform(), rng.integers(0, 120)) / 4)
    found = against_difference(first, second, shift).item()
    a, b = np.meshgrid(np.linspace(0, 1, 101), np.linspace(0, 1, 101))
    seen = (first.mean - second.mean).item()
    beyond = (a - b <= shift) if seen > shift else (a - b >= shift)
    pairs = against_mean(Moments(*(np.full(beyond.sum(), x[0]) for x in first)), a[beyond]) + against_mean(
        Moments(*(np.full(beyond.sum(), x[0]) for x in second)), b[beyond]
    )
    least = pairs.min()
    assert found <= least + 1e-9


def test_a_difference_that_cannot_be_is_excluded():
    found = against_difference(moments([0.5]), moments([0.5]), 1.5), against_difference(moments([]), moments([]), -1.5)
    assert found == (np.inf, np.inf)


def test_more_scores_tell_two_means_apart():
    limit = -np.log(0.05)
    few, many = [(moments([0.2, 0.4] * k), moments([0.5, 0.7] * k)) for k in (3, 30)]
    assert against_difference(*few, 0.0).item() < limit < against_difference(*many, 0.0).item()
    assert against_difference(*many, 0.0).item() == pytest.approx(against_difference(*many[::-1], 0.0).item())
    grid = np.linspace(0.3, 0.6, 2001)
    pairs = [against_mean(Moments(*(np.full(2001, x[0]) for x in one)), grid) for one in many]
    assert against_difference(*many, 0.0).item() > 0.95 * np.min(np.sum(pairs, axis=0))
