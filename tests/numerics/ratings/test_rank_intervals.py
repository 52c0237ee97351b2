from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr, stdtr

from quorate.numerics.ratings import highest
from quorate.numerics.ratings import rank_intervals as ranking
from quorate.numerics.ratings.highest import agreeing, best, best_in_student
from quorate.numerics.ratings.rank_intervals import (
    difference_se,
    in_student,
    normal_deviations,
    rank_groups,
    rank_intervals,
)


def draws(covariance, df=np.inf, count=100_000):
    return normal_deviations(np.asarray(covariance, dtype=float), df, count, np.random.default_rng(1))


@pytest.mark.parametrize(("df", "wanted"), [(np.inf, 3.314493), (10, 3.877676)])
def test_three_independent_estimates_need_tukeys_range(df, wanted):
    """In R: ``qtukey(.95, 3, Inf)`` and ``qtukey(.95, 3, 10)``, over the root of 2."""
    found = rank_intervals(np.zeros(3), np.eye(3), draws(np.eye(3), df), 0.95)
    assert found.critical == pytest.approx(wanted / np.sqrt(2), abs=0.02)


@pytest.mark.slow
def test_standard_errors_of_their_own_need_students_quantile_at_the_same_level():
    """Two estimates: ``qt(.975, 7)`` in R; the quantile for more is that of t where the normal law has theirs."""
    found = rank_intervals(np.zeros(2), np.eye(2), draws(np.eye(2)), 0.95, df=7)
    assert found.critical == pytest.approx(2.364624, abs=0.03)
    normal, few = (rank_intervals(np.zeros(5), np.eye(5), draws(np.eye(5)), 0.95, df) for df in (np.inf, 11))
    assert ndtr(-normal.critical) == pytest.approx(stdtr(11, -few.critical))


def test_each_difference_has_the_quantile_of_its_own_degrees_of_freedom():
    df = np.array([[50.0, 50, 3], [50, 50, 3], [3, 3, 3]])
    drawn_, estimate = draws(np.eye(3)), np.array([5.0, 0.0, 0.0])
    each = rank_intervals(estimate, np.eye(3), drawn_, 0.95, df)
    for value in (50, 3):
        alike = rank_intervals(estimate, np.eye(3), drawn_, 0.95, value)
        np.testing.assert_allclose(each.critical[df == value], alike.critical)
    assert each.above.tolist() == [[False, True, False], [False] * 3, [False] * 3]
    assert each.marginal_high.tolist() == [2, 3, 3]


def test_a_system_chosen_beforehand_needs_the_quantile_of_its_own_differences():
    """The first two vary as one, so their differences from the rest are half as many; the third has all."""
    covariance = np.diag([1.0, 1.0, 1.0, 9.0])
    covariance[0, 1] = covariance[1, 0] = 1 - 1e-6
    drawn_ = draws(covariance)
    se = difference_se(covariance)
    own = [
        np.quantile(np.max(np.delete(np.abs(drawn_[:, [i]] - drawn_) / (se[i] + np.eye(4)[i]), i, 1), 1), 0.95)
        for i in range(4)
    ]
    assert own[3] < own[2] - 0.1
    estimate = np.array([-50.0, -50.0, 0.0, (own[2] + own[3]) / 2 * se[2, 3]])
    found = rank_intervals(estimate, covariance, drawn_, 0.95)
    assert (found.marginal_low[3], found.marginal_high[3]) == (1, 1)
    assert (found.marginal_low[2], found.marginal_high[2]) == (1, 2)


def test_deviations_with_a_law_of_their_own():
    narrow = rank_intervals(np.zeros(3), np.eye(3), draws(np.eye(3)), 0.95)
    wide = rank_intervals(np.zeros(3), 4 * np.eye(3), draws(np.eye(3)), 0.95, drawn=np.eye(3))
    assert wide.critical == pytest.approx(narrow.critical, rel=1e-6)


def test_systems_with_degrees_of_freedom_of_their_own():
    found = normal_deviations(np.eye(2), np.array([4.0, np.inf]), 100_000, np.random.default_rng(2))
    assert np.quantile(found, 0.975, axis=0) == pytest.approx([2.776445, 1.959964], abs=0.05)  # qt in R
    together = normal_deviations(np.ones((2, 2)), np.array([4.0, 4.0 + 1e-9]), 1000, np.random.default_rng(2))
    np.testing.assert_allclose(together[:, 0], together[:, 1], rtol=0.5)


def test_two_estimates_need_the_normal_quantile():
    found = rank_intervals(np.array([0.0, 3.0]), np.eye(2), draws(np.eye(2)), 0.95)
    assert found.critical == pytest.approx(1.959964, abs=0.015)
    assert (found.low.tolist(), found.high.tolist()) == ([2, 1], [2, 1])
    assert found.above.tolist() == [[False, False], [True, False]]


def test_ranks_count_what_is_surely_better_and_worse():
    estimate = np.array([5.0, 4.9, 2.0, -3.0])
    found = rank_intervals(estimate, 0.1 * np.eye(4), draws(0.1 * np.eye(4)), 0.95)
    assert found.low.tolist() == [1, 1, 3, 4]
    assert found.high.tolist() == [2, 2, 3, 4]
    assert rank_groups(estimate, found.above).tolist() == [1, 1, 2, 3]


@given(st.integers(0, 10**6), st.integers(2, 7))
def test_a_rank_chosen_beforehand_is_known_at_least_as_well(seed, systems):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(systems, systems))
    covariance, estimate = root @ root.T, 3 * rng.normal(size=systems)
    found = rank_intervals(estimate, covariance, draws(covariance, count=2000), 0.95)
    rank = 1 + (estimate[None] > estimate[:, None]).sum(axis=1)
    assert (found.low <= found.marginal_low).all()
    assert (found.marginal_high <= found.high).all()
    assert ((found.marginal_low <= rank) & (rank <= found.marginal_high)).all()
    group = rank_groups(estimate, found.above)
    assert all(found.above[i, j] for i in range(systems) for j in range(systems) if group[i] < group[j])
    assert (np.diff(group[np.argsort(-estimate)]) >= 0).all()


def test_groups_are_cut_only_where_everyone_before_is_better_than_everyone_after():
    chain = np.array([[0, 0, 1, 1], [0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 0]], dtype=bool)
    assert rank_groups(np.array([4.0, 3, 2, 1]), chain).tolist() == [1, 1, 1, 2]
    assert rank_groups(np.array([1.0, 2, 3, 4]), chain[::-1, ::-1]).tolist() == [2, 1, 1, 1]


def test_estimates_that_vary_together_are_told_apart():
    together = np.full((2, 2), 1.0) + 0.01 * np.eye(2)
    assert difference_se(together) == pytest.approx(np.array([[0, 0.02**0.5], [0.02**0.5, 0]]))
    found = rank_intervals(np.array([1.0, 0.0]), together, draws(together), 0.95)
    assert found.high.tolist() == [1, 2]


def test_the_chance_of_being_best():
    """Two estimates one standard error of their difference apart: pnorm(1) = 0.8413447."""
    chances = best(np.array([1.0, 0.0]), draws(np.eye(2) / 2))
    assert chances == pytest.approx([0.8413447, 0.1586553], abs=0.005)
    assert best(np.zeros(3), draws(np.eye(3))).sum() == pytest.approx(1)


def test_a_singular_law_is_drawn():
    covariance = np.eye(3) - 1 / 3
    found = draws(covariance)
    np.testing.assert_allclose(found.sum(axis=1), 0, atol=1e-6)
    np.testing.assert_allclose(np.cov(found, rowvar=False), covariance, atol=0.02)


def test_many_draws_are_taken_in_parts(monkeypatch):
    from quorate.numerics.ratings import rank_intervals as module

    args = np.arange(4.0), np.eye(4), draws(np.eye(4), count=1000), 0.9
    whole = rank_intervals(*args)
    monkeypatch.setattr(module, "_MOST", 400)
    assert rank_intervals(*args).critical == whole.critical


ENDS = "low", "high", "marginal_low", "marginal_high"


def test_many_systems_have_the_law_that_few_have(monkeypatch):
    """Limits by bins of degrees of freedom, and draws by a triangular root: exactly, and within luck."""
    from quorate.numerics.ratings import rank_intervals as module

    rng = np.random.default_rng(3)
    root = rng.normal(size=(40, 40))
    centre = np.eye(40) - 1 / 40
    covariance = centre @ root @ root.T @ centre
    df = rng.uniform(1, 300, (40, 40))
    df = np.maximum(df, df.T)
    args = 20 * rng.normal(size=40), covariance, draws(covariance, count=2000), 0.95, df
    found = rank_intervals(*args)
    apart = (args[0][:, None] - args[0]) / np.where(np.eye(40) == 1, np.inf, module.difference_se(covariance))
    assert (found.above == (apart > found.critical)).all()
    monkeypatch.setattr(module, "_BINS", 1)
    assert all((getattr(rank_intervals(*args), name) == getattr(found, name)).all() for name in ENDS)
    monkeypatch.setattr(module, "_BY_VECTORS", 10)
    drawn = draws(covariance, count=20_000)
    found = np.cov(drawn - drawn.mean(axis=1, keepdims=True), rowvar=False)
    np.testing.assert_allclose(found, covariance, atol=0.05 * covariance.max())


def test_fewer_draws_for_more_pairs():
    from quorate.numerics.ratings.rank_intervals import DRAWS, FEWEST_DRAWS, most_draws

    assert [most_draws(n) for n in (2, 1000, 2000, 10**5)] == [DRAWS, DRAWS, DRAWS // 2, FEWEST_DRAWS]


@settings(deadline=None)
@given(st.integers(2, 12), st.integers(0, 10_000), st.sampled_from([0.8, 0.95, 0.99]), st.floats(0.5, 6))
def test_chances_of_being_the_best_never_contradict_the_ranks(systems, seed, level, spread):
    rng = np.random.default_rng(seed)
    estimate, covariance = rng.normal(0, spread, systems), np.diag(rng.uniform(0.1, 2, systems))
    deviations = normal_deviations(covariance, np.inf, 500, rng)
    ranks = rank_intervals(estimate, covariance, deviations, level)
    plain = best(estimate, deviations)
    chance = agreeing(plain, ranks, level)
    edge, first = (1 + level) / 2, ranks.low == 1
    assert chance.sum() == pytest.approx(1)
    assert chance.min() >= 0
    assert (chance[first].max() >= edge - 1e-9) if first.sum() == 1 else (chance.max() <= edge + 1e-9)
    if (first.sum() == 1) == (plain.max() >= edge):  # nothing to mend
        assert chance == pytest.approx(plain, abs=1e-8)


@pytest.mark.parametrize("spread", [0.0, 0.2, 0.8])
def test_the_largest_difference_is_found_from_the_ends_of_a_draw(monkeypatch, spread):
    from quorate.numerics.ratings import rank_intervals as module

    rng = np.random.default_rng(4)
    sd = np.exp(rng.normal(0, spread, 120))
    part = (rng.normal(size=(60, 120)) * sd).astype(np.float32)
    covariance = np.diag(sd**2) + 0.02
    variance = np.diag(covariance)
    scale = module._scale(covariance, variance, slice(None))
    wanted = module._from_all(part, scale)
    for many in (100, 1000):  # of kinds, or all alike
        monkeypatch.setattr(module, "_MANY", many)
        monkeypatch.setattr(module, "_ALIKE", 0.0 if many < 120 else np.inf)
        members, widest, _ = module._kinds(covariance, variance)
        assert (len(members) > 1) == (many < 120 and spread > 0)
        for left in (module._LEFT, 0.5):  # more or fewer of them looked at one by one
            monkeypatch.setattr(module, "_LEFT", left)
            found = module._from_ends(part, np.zeros_like(part), lambda *ends: scale[ends], members, widest)
            np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("spread", [0.1, 0.8])
@pytest.mark.parametrize("many", [100, 1000])  # of kinds, or the surest differences of each first
def test_draws_that_are_looked_at_some_at_a_time_are_each_its_own(monkeypatch, spread, many):
    from quorate.numerics.ratings import rank_intervals as module

    rng = np.random.default_rng(6)
    sd = np.exp(rng.normal(0, spread, 120))
    part, covariance = (rng.normal(size=(60, 120)) * sd).astype(np.float32), np.diag(sd**2) + 0.02
    wanted = module._from_all(part, module._scale(covariance, np.diag(covariance), slice(None)))
    monkeypatch.setattr(module, "_MANY", many)
    monkeypatch.setattr(module, "_ALIKE", 0.0 if many < 120 else np.inf)
    monkeypatch.setattr(module, "_MOST", 7 * 120)
    monkeypatch.setattr(module, "_LEFT", 0.5)  # many are left to be looked at one by one
    np.testing.assert_array_equal(module._largest(part, covariance), wanted)


def test_many_that_are_all_alike_are_drawn_without_a_product_of_matrices():
    """Independent about their mean; the quantile is Tukey's: ``qtukey(.95, 120, 60) / sqrt(2)`` in R."""
    covariance = 0.25 * (np.eye(120) - 1 / 120)
    found = draws(covariance, 60, 20_000)
    np.testing.assert_allclose(found.sum(axis=1), 0, atol=1e-9)
    assert np.var(found) == pytest.approx(0.25 * 119 / 120 * 60 / 58, rel=0.01)
    everyone = rank_intervals(np.zeros(120), covariance, found, 0.95)
    assert everyone.critical == pytest.approx(4.6597697, rel=0.01)
    nearly = covariance + np.diag(np.linspace(0, 1e-4, 120))
    assert rank_intervals(np.zeros(120), nearly, found, 0.95).critical == pytest.approx(everyone.critical, rel=1e-3)


@pytest.mark.parametrize("df", [4.0, 60.0])
def test_systems_that_are_passed_over_are_never_the_highest(monkeypatch, df):
    rng = np.random.default_rng(1)
    estimate, deviations = rng.normal(size=400), rng.normal(size=(2_000, 400)) / 8
    freedom = np.linspace(df, 10 * df, 400)
    near = highest._near(estimate, deviations, freedom)
    assert df < 50 or len(near) < 200
    full = best(estimate, in_student(deviations, freedom, np.random.default_rng(2)))
    assert set(np.flatnonzero(full)) <= set(near)
    monkeypatch.setattr(highest, "_MANY", 400)
    found = best_in_student(estimate, deviations, freedom, np.random.default_rng(3))
    np.testing.assert_allclose(found, full, atol=4 * np.sqrt(0.25 / 2_000))
    assert (found.sum(), best_in_student(estimate, deviations, np.full(400, np.inf), rng).sum()) == (1, 1)


def test_quantiles_of_many_limits_lie_between_those_of_some():
    limits, edges = np.random.default_rng(1).uniform(1.5, 6.5, 5_000), np.array([1.0, 3.0, 40.0, 1e9])
    exact = ranking._studentised(limits[:, None], edges)
    np.testing.assert_allclose(ranking._at_edges(limits, edges), exact, rtol=1e-4)
    np.testing.assert_allclose(ranking._at_edges(limits, edges)[:, 2:], exact[:, 2:], rtol=2e-6)
    np.testing.assert_array_equal(ranking._at_edges(limits[:300], edges), exact[:300])
