from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.decide.next_step import SingleVotes, TiedVotes, detectable, t_reach
from quorate.errors import InvalidInput
from quorate.estimate.votes.margin import margin_of_votes
from quorate.numerics.votes import binomial, equivalence
from quorate.planning.power.sample_size import detectable_margin, equivalence_size, sample_size


def mean_power(votes, share, chance):
    """Power where each vote counts with the chance ``share``, by adding up the binomial law."""
    k = np.arange(votes + 1)
    mass = np.diff(binomial.lower_tail(k, votes, share), prepend=0.0)
    return float(mass @ chance(k))


@given(st.floats(0.06, 0.5), st.floats(0.05, 1.0), st.sampled_from([0.01, 0.05]), st.sampled_from([0.8, 0.9, 0.95]))
def test_the_promised_power_is_kept_however_few_votes_and_however_many_ties(d, share, alpha, power):
    votes = SingleVotes(alpha, share).difference(d, power)
    assert mean_power(votes, share, lambda k: binomial.power(k, 0.5 + d, alpha)) >= power - 1e-6


@given(st.floats(0.15, 0.45), st.floats(0, 0.1), st.floats(0.2, 1.0))
def test_the_promised_power_is_kept_for_equivalence(margin, d, share):
    votes = SingleVotes(0.05, share).equivalence(margin, d, 0.9)

    def chance(k):
        return np.concatenate([[0.0], equivalence.power(k[1:], 0.5 + d, margin, 0.05)])

    assert mean_power(votes, share, chance) >= 0.9 - 1e-6


def test_the_normal_number_would_not_keep_it():
    d = 0.19
    assert binomial.power(sample_size(d, method="normal"), 0.5 + d, 0.05) < 0.9
    assert SingleVotes(0.05).difference(d, 0.9) == sample_size(d, method="exact")


def test_where_the_exact_search_ends_the_normal_number_is_taken():
    with pytest.raises(InvalidInput):
        sample_size(1e-5, method="exact")
    assert SingleVotes(0.05).difference(1e-5, 0.9) == sample_size(1e-5, method="normal")


def test_what_a_number_of_votes_does():
    half = SingleVotes(0.05, 0.5)
    assert half.seen(1000, 0.9) == detectable_margin(500, method="exact")
    assert half.seen(6, 0.9) is None
    assert half.chance(1000, 0.06, None) == pytest.approx(0.7507, abs=5e-5)
    assert half.chance(1000, 0.02, 0.1) == equivalence.power(500, 0.5 + 0.02, 0.1, 0.05)
    assert SingleVotes(0.05, 0.25, by_chance=False).difference(0.3, 0.9) == 4 * sample_size(0.3, method="exact")


def test_ties_as_halves_are_left_out_of_a_difference_only():
    single = SingleVotes(0.05, 0.5)
    tied = TiedVotes(single, 0.5)
    assert tied.difference(0.1, 0.9) == single.difference(0.2, 0.9)
    assert tied.seen(1000, 0.9) == pytest.approx(0.5 * single.seen(1000, 0.9))
    assert tied.chance(300, 0.1, None) == single.chance(300, 0.2, None)
    votes = tied.equivalence(0.1, 0.02, 0.9)
    assert votes == np.ceil(equivalence_size(0.1, true_margin=0.02, method="normal") / 2)
    assert tied.chance(votes - 1, 0.02, 0.1) < 0.9 <= tied.chance(votes + 1, 0.02, 0.1)


def test_t_reach_has_the_power_asked_for():
    from scipy.special import nctdtr, stdtrit

    for df in (2.5, 20, 1e6):
        assert 1 - nctdtr(df, t_reach(df, 0.05, 0.9), stdtrit(df, 0.975)) == pytest.approx(0.9, abs=1e-6)
    assert t_reach(1e6, 0.05, 0.9) == pytest.approx(1.95996 + 1.28155, abs=1e-4)


def test_detectable(between):
    assert detectable(margin_of_votes(between(2, 1), "x", "y"), 0.05, 0.9) is None
    exact = detectable(margin_of_votes(between(250, 250), "x", "y"), 0.05, 0.9)
    half = detectable(margin_of_votes(between(250, 250), "x", "y", ties="half"), 0.05, 0.9)
    assert exact == pytest.approx(0.0734, abs=1e-4)
    assert half == pytest.approx(exact, rel=0.02)
    few = between(60, 40, prompt=[f"p{i % 4}" for i in range(100)])
    assert detectable(margin_of_votes(few, "x", "y"), 0.05, 0.9) is None
