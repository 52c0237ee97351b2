from __future__ import annotations

import json
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from quorate.errors import InvalidInput
from quorate.numerics.votes import binomial, kl
from quorate.plan.power.divergence import kl_budget, least_judgments, oracle_test
from quorate.plan.power.sample_size import sample_size


def test_a_budget_is_the_sum_over_votes():
    d = np.array([0.1, -0.2, 0.05])
    one, many = kl_budget(np.repeat(d, [3, 1, 7])), kl_budget(d, [3, 1, 7])
    assert one.total == pytest.approx(many.total) == pytest.approx([3, 1, 7] @ kl.divergence(d))
    assert one.judgments == many.judgments == 11
    assert many.error_floor == pytest.approx(np.exp(-many.total) / 2)


@given(st.lists(st.floats(-0.25, 0.25), min_size=1, max_size=30))
def test_the_bounds_of_lemma_3_1_hold_for_budgets(margins):
    budget = kl_budget(margins)
    assert budget.low * (1 - 1e-9) <= budget.total + 1e-300
    assert budget.total <= budget.high * (1 + 1e-9) + 1e-300


def test_there_is_no_upper_bound_with_margins_beyond_a_quarter():
    budget = kl_budget([0.1, 0.3])
    assert np.isnan(budget.high)
    assert json.loads(json.dumps(budget.to_dict(), allow_nan=False))["high"] is None


def test_margins_of_opposite_signs_inform_and_do_not_cancel():
    assert kl_budget([0.1, -0.1], 50).total == pytest.approx(kl_budget(0.1, 100).total)


@given(st.floats(0.01, 0.5), st.floats(0.001, 0.2), st.floats(0.3, 0.99))
def test_no_test_does_with_fewer_than_the_least(margin, alpha, power):
    least = least_judgments(margin, alpha=alpha, power=power)
    assert not kl_budget(margin, least).rules_out(alpha=alpha, power=power)
    assert least == 1 or kl_budget(margin, least - 1).rules_out(alpha=alpha, power=power)
    assert least <= sample_size(margin, alpha=alpha, power=power, method="exact")


@pytest.mark.parametrize(("margins", "information"), [((0.25,) * 8, None), ((0.1, -0.2, 0.05, 0.3), 0.4)])
def test_the_size_of_the_oracle_is_at_most_its_bound_by_enumeration(margins, information):
    d = np.array(margins)
    found = [oracle_test(y, d, information=information) for y in product([0, 1], repeat=len(d))]
    assert np.mean([test.rejects for test in found]) <= found[0].size_bound
    assert np.mean(np.exp([test.statistic for test in found])) == pytest.approx(1)
    assert found[0].threshold == pytest.approx((information or kl_budget(d).total) / 2)


def oracle_errors(n, d):
    """Rates of both kinds of error, by enumeration, of the oracle for one margin; and the bound of the first."""
    k = np.arange(n + 1)
    found = [oracle_test(wins, d, n) for wins in k]
    rejects = np.array([test.rejects for test in found])
    assert np.array_equal(rejects, k >= np.flatnonzero(rejects)[0])
    first, second = stats.binom.pmf(k, n, 0.5)[rejects].sum(), stats.binom.pmf(k, n, 0.5 + d)[~rejects].sum()
    return first, second, found[0].size_bound


def test_the_oracle_of_one_margin_is_a_binomial_test_with_its_exact_errors():
    first, second, bound = oracle_errors(200, 0.15)
    assert first <= bound
    assert first + second >= kl_budget(0.15, 200).error_floor


def test_the_errors_of_the_oracle_fall_with_the_information():
    few, many = (sum(oracle_errors(n, 0.15)[:2]) for n in (200, 800))
    assert many < few / 5


def test_signs_are_part_of_what_the_oracle_knows():
    """Two types that cancel in a pooled count: the oracle sees them, the binomial test does not."""
    assert oracle_test([70, 30], [0.2, -0.2], 100).rejects
    assert not oracle_test([30, 70], [0.2, -0.2], 100).rejects
    assert binomial.p_value(100, 200) == 1


def test_a_contradicted_certainty_is_not_rejected():
    found = oracle_test([2], [0.5], 3)
    assert found.statistic == -np.inf
    assert not found.rejects


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: kl_budget(0.6), "margins: a number from -0.5 to 0.5, got 0.6"),
        (lambda: kl_budget([0.1, np.nan]), "margins: a number from -0.5 to 0.5, got nan"),
        (lambda: kl_budget(0.1, 0), "judgments: a number of judgments"),
        (lambda: kl_budget([0.1, 0.2], [1, 2, 3]), "margins, judgments, wins: one value each, .* got 2, 3, 1"),
        (lambda: oracle_test(4, 0.1, 3), "wins: a number of judgments, whole, from 0 to all of them, got 4"),
        (lambda: oracle_test([1, 2, 3], [0.1, 0.2], 5), "margins, judgments, wins: one value each"),
        (lambda: oracle_test(1, 0.0), "information: a number above 0, got 0"),
        (lambda: oracle_test(1, 0.1, information=np.nan), "information: a number above 0, got nan"),
        (lambda: least_judgments(0), "margin: above 0, got 0"),
        (lambda: least_judgments(0.1, power=0.01), "power: a number above alpha"),
        (lambda: kl_budget(0.1).rules_out(alpha=0), "alpha: a number between 0 and 1"),
        (lambda: least_judgments(1e-9), r"more than 2\^53 judgments"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()
