from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtri

from quorate.errors import InvalidInput
from quorate.numerics.votes import equivalence
from quorate.planning.power.sample_size import equivalence_margin, equivalence_size


@pytest.mark.parametrize("margin", [0.05, 0.1, 0.2])
@pytest.mark.parametrize("power", [0.8, 0.9])
def test_normal_number_of_systems_that_are_alike_is_the_textbook_one(margin, power):
    """``(z_{1-a} + z_{1-b/2})^2 / (4 e^2)``, as both tests must reject."""
    z = -ndtri(0.05) - ndtri((1 - power) / 2)
    assert equivalence_size(margin, power=power, method="normal") == np.ceil((z / (2 * margin)) ** 2)


def test_exact_and_normal_numbers_agree_in_size():
    for margin in (0.05, 0.1):
        for true in (0.0, 0.02):
            exact, normal = (equivalence_size(margin, true_margin=true, method=name) for name in ("exact", "normal"))
            assert normal < exact < 1.05 * normal


def test_power_stays_at_the_number_and_fails_just_before():
    n = equivalence_size(0.1, true_margin=0.03)
    assert np.all(equivalence.power(np.arange(n, 2 * n), 0.5 + 0.03, 0.1, 0.05) >= 0.9)
    assert equivalence.power(n - 1, 0.5 + 0.03, 0.1, 0.05) < 0.9


def test_a_false_claim_is_made_at_most_as_often_as_allowed():
    n = np.arange(1, 2000)
    for alpha in (0.01, 0.05):
        size = equivalence.power(n, 0.5 + 0.1, 0.1, alpha)
        assert np.all(size <= alpha * (1 + 1e-9))
        assert size[-1] > 0.8 * alpha
        assert np.all(equivalence.power(n, 0.5 + 0.12, 0.1, alpha) <= size)


def test_what_a_number_of_judgments_can_show():
    margin = equivalence_margin(500)
    assert margin == pytest.approx(0.07345, abs=5e-6)
    assert equivalence.power(500, 0.5 + 0.0, margin + 1e-9, 0.05) >= 0.9
    assert equivalence.power(500, 0.5 + 0.0, margin - 1e-9, 0.05) < 0.9
    assert equivalence_margin(500, true_margin=0.02) > margin


def test_it_takes_more_the_narrower_the_margin_and_the_further_the_systems_are_apart():
    for method in ("exact", "normal"):
        sizes = [equivalence_size(margin, method=method) for margin in (0.3, 0.2, 0.1, 0.05)]
        assert sizes == sorted(sizes)
        sizes = [equivalence_size(0.1, true_margin=true, method=method) for true in (0, 0.02, 0.05, 0.08)]
        assert sizes == sorted(sizes)


@pytest.mark.parametrize("margin", [0, 0.5, -0.1, np.nan])
def test_what_is_no_margin_is_refused(margin):
    with pytest.raises(InvalidInput, match=r"margin: a number above 0 and below 0\.5, got"):
        equivalence_size(margin)


def test_nothing_can_be_shown_of_systems_that_differ_by_the_margin():
    with pytest.raises(InvalidInput, match=r"true_margin: a number from 0 and below the margin \(0\.1\)"):
        equivalence_size(0.1, true_margin=0.1)


def test_other_arguments_are_checked():
    with pytest.raises(InvalidInput, match=r"alpha: a number between 0 and 0\.5, got 0\.5"):
        equivalence_size(0.1, alpha=0.5)
    with pytest.raises(InvalidInput, match="power: a number above alpha"):
        equivalence_margin(100, power=1)
    with pytest.raises(InvalidInput, match="n: a number of judgments"):
        equivalence_margin(1.5)
    with pytest.raises(InvalidInput, match='method: one of exact, normal, got "variance"'):
        equivalence_size(0.1, method="variance")


@pytest.mark.parametrize("method", ["exact", "normal"])
def test_numbers_that_no_study_can_collect_are_refused(method):
    with pytest.raises(InvalidInput, match=r"margin: .* judgments"):
        equivalence_size(0.1, true_margin=0.1 - 1e-10, method=method)
