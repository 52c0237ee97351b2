from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtri

from quorate.errors import InvalidInput, NotEstimable
from quorate.numerics.votes import binomial, equivalence
from quorate.planning.power.sample_size import (
    detectable_margin,
    equivalence_margin,
    equivalence_size,
    least_judgments,
    power_curve,
    sample_size,
    whole,
)

REFERENCE = json.loads((Path(__file__).parents[2] / "reference" / "binomial.json").read_text(encoding="utf-8"))
METHODS = ["normal", "variance", "exact"]
POWERS = st.floats(0.55, 0.99)
ALPHAS = st.floats(0.001, 0.3)


@pytest.mark.parametrize(
    ("margin", "at_5", "at_1"),
    [(0.190, 73, 104), (0.321, 26, 37), (0.187, 76, 107), (0.285, 33, 46), (0.05, 1051, 1488)],
)
def test_numbers_of_table_1_and_3_rounded_up(margin, at_5, at_1):
    """Lee (2026) rounds to the nearest: 73/103, 26/36, 75/106, 32/46."""
    assert (sample_size(margin, method="normal"), sample_size(margin, alpha=0.01, method="normal")) == (at_5, at_1)


def test_the_worked_example():
    """0.06 needs 730; the paper's 731 is 2.63 / 0.06^2, where the constant is 2.626856."""
    assert sample_size(0.06, method="normal") == 730
    assert sample_size(0.5 / np.sqrt(1e6), method="normal") == int(np.ceil(2.626856 * 4e6))


@pytest.mark.parametrize(
    ("margin", "variance", "exact"),
    [(0.321, 22, 25), (0.285, 28, 33), (0.19, 69, 77), (0.1, 259, 274), (0.06, 726, 749)],
)
def test_numbers_with_the_own_variance_and_by_the_exact_test(margin, variance, exact):
    assert sample_size(margin, method="variance") == variance
    assert sample_size(margin, method="exact") == exact


@pytest.mark.wide(10)
@pytest.mark.parametrize("wanted", REFERENCE["sizes"], ids=lambda row: f"{row['margin']}-{row['alpha']}-{row['power']}")
def test_numbers_of_r(wanted):
    """By the exact test they are those of `smallest_n`, which is held against R in tests/numerics/votes."""
    asked = {"alpha": wanted["alpha"], "power": wanted["power"]}
    for method in ("normal", "variance"):
        assert sample_size(wanted["margin"], **asked, method=method) == wanted[method]


def test_500_judgments_find_six_points_three_times_in_four():
    curve = power_curve(0.06, 500)
    assert curve.power.shape == (1, 1)
    assert curve.power[0, 0] == pytest.approx(0.7507, abs=5e-5)


def test_a_power_that_is_met_to_its_last_digit_is_found():
    margin = detectable_margin(284, power=0.623, method="exact")
    assert detectable_margin(sample_size(margin, power=0.623), power=0.623, method="exact") <= margin + 1e-9


def test_one_judgment_more_can_be_one_too_few():
    assert power_curve(0.1, [263, 264]).power[0] == pytest.approx([0.9022, 0.8928], abs=5e-5)


def test_what_500_judgments_see():
    assert detectable_margin(500, method="normal") == pytest.approx(0.07248, abs=5e-6)


@given(st.integers(11, 10**6), ALPHAS, POWERS, st.sampled_from(["normal", "variance"]))
def test_margin_and_number_are_inverse(n, alpha, power, method):
    try:
        margin = detectable_margin(n, alpha=alpha, power=power, method=method)
    except NotEstimable:
        return
    assert sample_size(margin, alpha=alpha, power=power, method=method) == n
    assert detectable_margin(sample_size(margin, alpha=alpha, power=power), alpha=alpha, power=power) <= margin * (
        1 + 1e-9
    )


@pytest.mark.slow
@given(st.integers(20, 5000), ALPHAS, POWERS)
def test_the_exact_margin_is_where_these_judgments_have_that_power(n, alpha, power):
    margin = detectable_margin(n, alpha=alpha, power=power, method="exact")
    assert power_curve(margin, n, alpha=alpha).power[0, 0] == pytest.approx(power, abs=1e-9)
    needed = sample_size(margin, alpha=alpha, power=power, method="exact")
    assert detectable_margin(needed, alpha=alpha, power=power, method="exact") <= margin + 1e-9


@given(st.floats(0.01, 0.49), st.floats(0.001, 0.01), ALPHAS, POWERS, st.sampled_from(METHODS))
def test_a_larger_margin_never_needs_more(margin, more, alpha, power, method):
    options = {"alpha": alpha, "power": power, "method": method}
    assert sample_size(margin + more, **options) <= sample_size(margin, **options)


@given(st.floats(0.02, 0.5), st.floats(0.001, 0.2), POWERS, st.sampled_from(METHODS))
def test_more_power_and_a_stricter_level_never_need_less(margin, alpha, power, method):
    base = sample_size(margin, alpha=alpha, power=power, method=method)
    assert sample_size(margin, alpha=alpha / 2, power=power, method=method) >= base
    assert sample_size(margin, alpha=alpha, power=(1 + power) / 2, method=method) >= base


@pytest.mark.parametrize("method", METHODS)
def test_more_judgments_see_smaller_margins(method):
    """One judgment more can see less by the exact test, while its critical value rests; twenty more never do."""
    margins = [detectable_margin(n, method=method) for n in range(20, 400, 20)]
    assert margins == sorted(margins, reverse=True)


def test_power_at_the_number_found_is_the_power_asked_for():
    for method in ("normal", "variance"):
        for margin in (0.05, 0.1, 0.2):
            curve = power_curve(margin, sample_size(margin, method=method), method=method)
            assert curve.power[0, 0] == pytest.approx(0.9, abs=0.01)
            assert curve.power[0, 0] >= 0.9


def test_a_curve_is_a_table():
    curve = power_curve([0.0, 0.1], [100, 274, 500])
    assert curve.power.shape == (2, 3)
    assert np.all(curve.power[0] <= 0.05)
    frame = curve.to_frame()
    assert list(frame.columns) == ["margin", "n", "power"]
    assert frame["n"].to_list() == [100, 274, 500] * 2
    assert frame["power"].to_list() == curve.power.ravel().tolist()
    assert curve.to_dict()["power"][1] == curve.power[1].tolist()


def test_a_margin_of_zero_is_no_margin():
    with pytest.raises(InvalidInput, match=r"margin: above 0, got 0; no number .* state a margin of equivalence"):
        sample_size(0)


@pytest.mark.parametrize("margin", [-0.1, 0.6, np.nan, np.inf, "0.1", None])
def test_what_is_no_margin_is_refused(margin):
    with pytest.raises(InvalidInput, match=r"margin: a number above 0 and at most 0\.5"):
        sample_size(margin)


@pytest.mark.parametrize("alpha", [0, 1, -0.05, np.nan, "5%"])
def test_what_is_no_level_is_refused(alpha):
    for call in (lambda: sample_size(0.1, alpha=alpha), lambda: power_curve(0.1, 10, alpha=alpha)):
        with pytest.raises(InvalidInput, match="alpha: must lie between 0 and 1, got"):
            call()


@pytest.mark.parametrize("power", [0.05, 1, 0, np.nan, 90])
def test_a_power_that_comes_free_or_never_is_refused(power):
    with pytest.raises(InvalidInput, match=r"power: a number above alpha \(0.05\) and below 1, got"):
        detectable_margin(100, power=power)


@pytest.mark.parametrize("n", [0, -5, 10.5, np.nan, 10**30, "many"])
def test_what_is_no_number_of_judgments_is_refused(n):
    with pytest.raises(InvalidInput, match="n: a number of judgments, whole and from 1"):
        detectable_margin(n)


def test_a_curve_refuses_what_is_out_of_range():
    with pytest.raises(InvalidInput, match=r"margins: must be from 0 to 0\.5, got 0\.7"):
        power_curve([0.1, 0.7], 10)
    with pytest.raises(InvalidInput, match=r"ns: a number of judgments, .* got 1\.5"):
        power_curve(0.1, [10, 1.5])


def test_an_unknown_method_is_refused():
    with pytest.raises(InvalidInput, match='method: must be one of normal, variance, exact, got "bayes"'):
        sample_size(0.1, method="bayes")


@pytest.mark.parametrize(("method", "few", "enough"), [("normal", 10, 11), ("variance", 3, 4), ("exact", 5, 6)])
def test_too_few_judgments_see_nothing(method, few, enough):
    with pytest.raises(NotEstimable, match=f"n: {few} judgments see nothing at alpha 0.05 with power 0.9"):
        detectable_margin(few, method=method)
    assert detectable_margin(enough, method=method) <= 0.5


def test_numbers_that_no_study_can_collect_are_refused():
    with pytest.raises(InvalidInput, match=r"more than 2\^53 judgments"):
        sample_size(1e-9, method="normal")
    with pytest.raises(InvalidInput, match=r"more than 2\^53 judgments"):
        sample_size(1e-300, method="normal")
    with pytest.raises(InvalidInput, match='use method="normal"'):
        sample_size(1e-6)


def test_rounding_of_the_arithmetic_is_no_judgment():
    assert whole(730 * (1 + 1e-15)) == 730
    assert whole(730.001) == 731
    assert whole(0.2) == 1


@given(st.floats(0.01, 0.5), st.floats(0.001, 0.2), st.floats(0.3, 0.99))
def test_no_test_does_with_fewer_than_the_least(margin, alpha, power):
    """Both errors of any test sum to exp(-K) / 2 at least (Bretagnolle and Huber)."""
    least = least_judgments(margin, alpha=alpha, power=power)
    floor = [float(np.exp(-n * binomial.divergence(margin)) / 2) for n in (least - 1, least)]
    assert floor[1] <= (alpha + 1 - power) * (1 + 1e-9)
    assert least == 1 or floor[0] > (alpha + 1 - power) * (1 - 1e-9)
    assert least <= sample_size(margin, alpha=alpha, power=power, method="exact")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: least_judgments(0), "margin: above 0, got 0"),
        (lambda: least_judgments(0.1, power=0.01), "power: a number above alpha"),
        (lambda: least_judgments(1e-9), r"more than 2\^53 judgments"),
    ],
)
def test_the_least_is_refused_of_no_margin(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()


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
def test_what_is_no_margin_is_refused_of_equivalence(margin):
    with pytest.raises(InvalidInput, match=r"margin: must lie between 0 and 0\.5, got"):
        equivalence_size(margin)


def test_nothing_can_be_shown_of_systems_that_differ_by_the_margin():
    with pytest.raises(InvalidInput, match=r"true_margin: a number from 0 and below the margin \(0\.1\)"):
        equivalence_size(0.1, true_margin=0.1)


def test_other_arguments_are_checked():
    with pytest.raises(InvalidInput, match=r"alpha: must lie between 0 and 0\.5, got 0\.5"):
        equivalence_size(0.1, alpha=0.5)
    with pytest.raises(InvalidInput, match="power: a number above alpha"):
        equivalence_margin(100, power=1)
    with pytest.raises(InvalidInput, match="n: a number of judgments"):
        equivalence_margin(1.5)
    with pytest.raises(InvalidInput, match='method: must be one of exact, normal, got "variance"'):
        equivalence_size(0.1, method="variance")


@pytest.mark.parametrize("method", ["exact", "normal"])
def test_numbers_that_no_study_can_collect_are_refused_of_equivalence(method):
    with pytest.raises(InvalidInput, match=r"margin: .* judgments"):
        equivalence_size(0.1, true_margin=0.1 - 1e-10, method=method)
