"""Two one-sided exact tests against R (``tests/reference/binomial.txt``), enumeration, and every number of votes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

from quorate.errors import InvalidInput, NotEstimable
from quorate.numerics.votes import equivalence

REFERENCE = json.loads((Path(__file__).parents[2] / "reference" / "binomial.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("wanted", REFERENCE["equivalence"], ids=lambda row: f"{row['n']}-{row['margin']}")
def test_regions_sizes_power_and_p_values_of_r(wanted):
    n, margin, alpha = wanted["n"], wanted["margin"], wanted["alpha"]
    u = float(equivalence.critical_value(n, margin, alpha))
    assert u == wanted["most"] if wanted["most"] >= 0 else 2 * u < n
    assert equivalence.size(n, margin, alpha) == pytest.approx(wanted["size"], rel=1e-9, abs=1e-12)
    assert equivalence.power(n, 0.5, margin, alpha) == pytest.approx(wanted["power"], rel=1e-9, abs=1e-12)
    off = equivalence.power(n, 0.5 + margin / 3, margin, alpha)
    assert off == pytest.approx(wanted["power_off"], rel=1e-9, abs=1e-12)
    assert equivalence.p_value(np.round(0.48 * n), n, margin) == pytest.approx(wanted["p"], rel=1e-9)


def test_numbers_of_votes_of_r():
    (first, second) = REFERENCE["equivalence_n"]
    assert equivalence.smallest_n(first["margin"], 0.5, 0.9, 0.05) == first["n"]
    assert equivalence.smallest_n(second["margin"], 0.5, 0.8, 0.05) == second["n"]


@pytest.mark.wide(12)
@pytest.mark.parametrize("n", [1, 3, 20, 101, 400])
@pytest.mark.parametrize("margin", [0.02, 0.1, 0.3, 0.49])
@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.2])
def test_size_is_that_of_enumeration_and_at_most_alpha_outside_the_margin(n, margin, alpha):
    k = np.arange(n + 1)
    claims = np.maximum(stats.binom.sf(k - 1, n, 0.5 - margin), stats.binom.cdf(k, n, 0.5 + margin)) <= alpha * (
        1 + 1e-9
    )
    size = max(stats.binom.pmf(k, n, p)[claims].sum() for p in (0.5 - margin, 0.5 + margin))
    assert equivalence.size(n, margin, alpha) == pytest.approx(size, abs=1e-12)
    assert size <= alpha * (1 + 1e-9)
    beyond = np.linspace(0.5 + margin, 1, 50)
    assert np.all(equivalence.power(n, beyond, margin, alpha) <= size + 1e-12)
    assert np.array_equal(claims, equivalence.p_value(k, n, margin) <= alpha * (1 + 1e-9))


@given(st.floats(0.06, 0.49), st.floats(0, 0.6), st.floats(0.02, 0.98), st.sampled_from([0.001, 0.01, 0.05, 0.2, 0.45]))
def test_the_number_found_is_that_of_a_look_at_every_number(margin, within, part, alpha):
    target, true = alpha + (1 - alpha) * part, within * margin
    bound = (np.sqrt(-np.log(alpha) / 2) + np.sqrt(np.log(2 / (1 - target)) / 2)) ** 2 / (margin - true) ** 2
    n = np.arange(1, int(bound) + 100)
    short = n[equivalence.power(n, 0.5 + true, margin, alpha) < target]
    assert equivalence.smallest_n(margin, 0.5 + true, target, alpha) == (short[-1] + 1 if len(short) else 1)


def test_votes_of_either_side_need_the_same_number():
    assert equivalence.smallest_n(0.1, 0.47, 0.9, 0.05) == equivalence.smallest_n(0.1, 0.53, 0.9, 0.05)


@pytest.mark.parametrize("n", [12, 50, 500, 100_000])
@pytest.mark.parametrize("p", [0.5, 0.52])
def test_smallest_margin_is_where_the_power_is_first_reached(n, p):
    margin = equivalence.smallest_margin(n, p, 0.8, 0.05)
    assert equivalence.power(n, p, margin + 1e-9, 0.05) >= 0.8
    assert equivalence.power(n, p, margin - 1e-9, 0.05) < 0.8


def test_too_few_votes_show_no_equivalence():
    with pytest.raises(NotEstimable, match="n: 3 judgments cannot show equivalence"):
        equivalence.smallest_margin(3, 0.5, 0.95, 0.05)


def test_a_search_without_end_is_refused():
    with pytest.raises(InvalidInput, match="more judgments than an exact search"):
        equivalence.smallest_n(0.1, 0.6 - 1e-6, 0.9, 0.05)


def test_nothing_is_shown_by_an_empty_region():
    assert equivalence.critical_value(5, 0.01, 0.05) < 2.5
    assert equivalence.power(5, 0.5, 0.01, 0.05) == 0


@pytest.mark.parametrize(("wins", "losses", "n"), [(12, 5, 40), (3, 9, 60), (7, 0, 30), (20, 20, 50)])
def test_score_tests_of_a_lead_take_the_shares_that_are_likeliest_then(wins, losses, n):
    """The shares of Tango (1998) by search instead of in closed form."""

    def score(won, lost, lead):
        def unlikely(q):
            logs = ((won, q + lead), (lost, q), (n - won - lost, 1 - lead - 2 * q))
            return -sum(count * np.log(share) for count, share in logs if count)

        ends = (1e-12, (1 - lead) / 2 - 1e-12)
        q = optimize.minimize_scalar(unlikely, bounds=ends, method="bounded", options={"xatol": 1e-12}).x
        return (won - lost - n * lead) / np.sqrt(n * (2 * q + lead * (1 - lead)))

    for lead in (0.1, 0.35):
        expected = stats.norm.cdf(max(score(wins, losses, lead), score(losses, wins, lead)))
        assert equivalence.tango(wins, losses, n, lead) == pytest.approx(expected, rel=2e-4, abs=1e-12)
