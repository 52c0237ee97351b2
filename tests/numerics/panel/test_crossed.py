"""Mean squares, components and tests of crossed panels, against formulas and R (``tests/reference/crossed.txt``)."""

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.numerics.distributions import f_tail
from quorate.numerics.panel import crossed as panel

REFERENCE = json.loads((Path(__file__).parents[2] / "reference" / "crossed.json").read_text(encoding="utf-8"))
STRATA = ("scenario", "generation", "judge", "interaction", "within", "pooled")
TABLES = st.tuples(st.integers(2, 6), st.integers(1, 4), st.integers(2, 5), st.integers(0, 10_000))


def draw(n=7, m=3, k=4, seed=1):
    """Scores with every effect of the model, judges of unequal noise."""
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=(n, m, k)) * np.linspace(0.4, 1.2, k)
    scenario, generation = rng.normal(size=(n, 1, 1)), 0.6 * rng.normal(size=(n, m, 1))
    return 5 + scenario + generation + 0.5 * rng.normal(size=k) + 0.7 * rng.normal(size=(n, 1, k)) + noise


def squares(x):
    return panel.mean_squares(panel.sums(x))


def by_name(components):
    return dict(zip(panel.NAMES, components.tolist(), strict=True))


@pytest.fixture(params=REFERENCE)
def wanted(request):
    return REFERENCE[request.param]


class TestAgainstR:
    """``aov`` with error strata, ``anova`` of an ``mlm``, and ``lmer``."""

    def test_mean_squares(self, wanted):
        found = squares(np.array(wanted["score"]))
        for name in STRATA:
            if wanted[name]:
                assert getattr(found, name) == pytest.approx(wanted[name]["ms"], rel=1e-10)
            else:
                assert np.isnan(getattr(found, name))

    @pytest.mark.parametrize(("row", "error"), [("judge", "interaction"), ("judge_pooled", "pooled")])
    def test_judge_effect(self, wanted, row, error):
        found = squares(np.array(wanted["score"]))
        f = panel.f_ratio(float(found.judge), float(getattr(found, error)))
        assert f == pytest.approx(wanted[row]["f"], rel=1e-10)
        p = f_tail(wanted[row]["df"], wanted[error]["df"], f)
        assert p == pytest.approx(wanted[row]["p"], rel=1e-9)

    def test_greenhouse_geisser(self, wanted):
        epsilon = panel.greenhouse_geisser(panel.sums(np.array(wanted["score"])))
        assert epsilon == pytest.approx(wanted["epsilon"], rel=1e-10)
        test, error = wanted["judge"], wanted["interaction"]
        p = f_tail(epsilon * test["df"], epsilon * error["df"], test["f"])
        assert p == pytest.approx(wanted["p_adjusted"], rel=1e-9)

    @pytest.mark.parametrize("name", ["interacting", "pair"])
    def test_reml_where_all_components_are_positive(self, name):
        wanted = REFERENCE[name]
        found = by_name(panel.separated(squares(np.array(wanted["score"]))))
        ours = (found["alpha"], found["beta"], found["interaction"], found["eps"])
        theirs = [wanted["reml"][term] for term in ("item", "item:generation", "item:judge", "Residual")]
        assert ours == pytest.approx(theirs, rel=1e-6)


class TestComponents:
    def test_the_paper(self):
        """Equations 23 to 28, as printed."""
        x = draw()
        n, m, k = x.shape
        mean, scenario, generation, judge = x.mean(), x.mean(axis=(1, 2)), x.mean(axis=2), x.mean(axis=(0, 1))
        ms_w = np.sum((x - generation[:, :, None] - judge + mean) ** 2) / ((n * m - 1) * (k - 1))
        ms_g = k / (n * (m - 1)) * np.sum((generation - scenario[:, None]) ** 2)
        ms_s = m * k / (n - 1) * np.sum((scenario - mean) ** 2)
        s2_gamma = np.mean((judge - mean) ** 2) - ms_w / (n * m) * (k - 1) / k
        found = panel.paper(squares(x))
        assert found[:4] == pytest.approx([(ms_s - ms_g) / (m * k), (ms_g - ms_w) / k, s2_gamma, ms_w], rel=1e-12)
        assert np.isnan(found[4])

    @given(TABLES.filter(lambda table: table[1] > 1))
    def test_the_models_differ_by_the_interaction(self, table):
        """Exactly by what the expected mean squares say, table by table."""
        x = draw(*table)
        n, m, k = x.shape
        ours, theirs = (by_name(model(squares(x))) for model in (panel.separated, panel.paper))
        part = m * (n - 1) / (n * m - 1) * ours["interaction"]
        assert theirs["eps"] == pytest.approx(ours["eps"] + part)
        assert theirs["beta"] == pytest.approx(ours["beta"] - part / k)
        assert theirs["alpha"] == pytest.approx(ours["alpha"] + ours["interaction"] / k)
        left = ours["interaction"] * (k - 1) / k * (m - 1) / (n * m - 1)
        assert theirs["gamma"] == pytest.approx(ours["gamma"] + left)

    @pytest.mark.slow
    def test_known_components_come_back_on_average(self):
        """600 tables of 12 x 3 x 3; five Monte Carlo standard errors."""
        rng = np.random.default_rng(7)
        gamma = np.array([-0.3, 0.1, 0.2])
        parts = [np.sqrt(v) * rng.normal(size=(600, 12, *s)) for v, s in ((1, (1, 1)), (0.3, (3, 1)), (0.4, (1, 3)))]
        tables = sum(parts) + gamma + 0.8 * rng.normal(size=(600, 12, 3, 3))
        found = np.array([panel.separated(squares(x)) for x in tables])
        truth = [1, 0.3, float(np.mean(gamma**2)), 0.64, 0.4]
        error = found.std(axis=0) / np.sqrt(len(found))
        assert np.all(np.abs(found.mean(axis=0) - truth) < 5 * error)

    def test_one_generation_has_no_variance_of_generations(self):
        x = draw(m=1)
        k = x.shape[2]
        ours, theirs = by_name(panel.separated(squares(x))), by_name(panel.paper(squares(x)))
        assert np.isnan([ours["beta"], theirs["beta"], ours["interaction"], theirs["interaction"]]).all()
        scenario = k * np.var(x.mean(axis=(1, 2)), ddof=1)
        assert ours["alpha"] == pytest.approx((scenario - ours["eps"]) / k)
        assert {name: theirs[name] for name in ("alpha", "gamma", "eps")} == pytest.approx(
            {name: ours[name] for name in ("alpha", "gamma", "eps")}
        )

    def test_estimates_below_zero_stay_there(self):
        x = np.array([[[1.0, 2.0], [2.0, 1.0]], [[2.0, 1.0], [1.0, 2.0]]])
        assert panel.separated(squares(x))[[1, 4]] == pytest.approx([-0.5, -0.5])

    def test_judges_who_agree_have_no_variance(self):
        """Not even that of rounding: 0.1 + 0.2 is not 0.3."""
        one = np.array([0.1, 0.2, 0.7])[:, None, None] * np.ones((1, 2, 1)) + np.array([0.1, 0.2])[:, None]
        found = squares(np.tile(one, 3))
        assert found.judge == found.interaction == found.within == found.pooled == 0
        assert by_name(panel.separated(found))["gamma"] == 0


class TestProperties:
    @given(TABLES)
    def test_sums_of_squares_add_up(self, table):
        x = draw(*table)
        n, m, k = x.shape
        found = squares(x)
        df = {"scenario": n - 1, "judge": k - 1, "interaction": (n - 1) * (k - 1)}
        if m > 1:
            df |= {"generation": n * (m - 1), "within": n * (m - 1) * (k - 1)}
        total = sum(float(getattr(found, name)) * d for name, d in df.items())
        assert total == pytest.approx(float(np.sum((x - x.mean()) ** 2)))
        assert sum(df.values()) == x.size - 1

    @given(TABLES, st.floats(-1e6, 1e6), st.sampled_from([-3.0, 0.01, 40.0]))
    def test_shift_and_scale(self, table, shift, scale):
        x = draw(*table)
        before, after = squares(x), squares(shift + scale * x)
        for model in (panel.paper, panel.separated):
            assert model(after) == pytest.approx(scale**2 * model(before), rel=1e-5, abs=1e-5 * scale**2, nan_ok=True)
        assert after.gamma == pytest.approx(scale * before.gamma, rel=1e-5, abs=1e-7)

    @pytest.mark.slow
    @given(TABLES, st.randoms(use_true_random=False))
    def test_order_does_not_matter(self, table, random):
        x = draw(*table)
        orders = [random.sample(range(size), size) for size in x.shape]
        y = x[np.ix_(*orders)]
        for model in (panel.paper, panel.separated):
            assert model(squares(y)) == pytest.approx(model(squares(x)), nan_ok=True)
        assert squares(y).gamma == pytest.approx(squares(x).gamma[orders[2]])
        assert panel.greenhouse_geisser(panel.sums(y)) == pytest.approx(panel.greenhouse_geisser(panel.sums(x)))

    @given(TABLES)
    def test_epsilon_is_between_its_bounds(self, table):
        k = table[2]
        epsilon = panel.greenhouse_geisser(panel.sums(draw(*table)))
        assert 1 / (k - 1) - 1e-9 <= epsilon <= 1 + 1e-9
        assert k > 2 or epsilon == pytest.approx(1)


class Every:
    """Draws every resample once."""

    def integers(self, n, size):
        drawn = np.array(list(product(range(n), repeat=n)))
        assert drawn.shape == size
        return drawn


class Counting:
    """A generator that notes what it was asked for."""

    def __init__(self, rng):
        self.rng, self.sizes = rng, []

    def integers(self, n, size):
        self.sizes.append(size)
        return self.rng.integers(n, size=size)


class TestResampled:
    def test_it_is_the_table_of_the_drawn_scenarios(self):
        x = draw(6, 2, 3)
        found = panel.resampled(panel.sums(x), 50, np.random.default_rng(3))
        chosen = np.random.default_rng(3).integers(6, size=(50, 6))
        for at, rows in enumerate(chosen):
            y = squares(x[rows])
            assert found.scenario[at] == pytest.approx(y.scenario * 6 / 5)
            assert found.interaction[at] == pytest.approx(y.interaction * 6 / 5)
            assert (found.generation[at], found.within[at]) == pytest.approx((y.generation, y.within))
            assert found.gamma[at] == pytest.approx(y.gamma)
            assert found.mean[at] == pytest.approx(y.mean)

    @pytest.mark.parametrize("model", [panel.paper, panel.separated])
    @pytest.mark.parametrize("m", [1, 3])
    def test_every_component_averages_to_its_estimate(self, model, m):
        """Over all 256 resamples of 4 scenarios, not only about."""
        found = panel.sums(draw(4, m, 3))
        drawn = model(panel.resampled(found, 4**4, Every()))
        assert drawn.mean(axis=0) == pytest.approx(model(panel.mean_squares(found)), nan_ok=True)

    def test_large_tables_are_drawn_in_pieces(self, monkeypatch):
        found = panel.sums(draw(9))
        whole = panel.resampled(found, 40, np.random.default_rng(1))
        monkeypatch.setattr(panel, "_CHUNK", 100)
        rng = Counting(np.random.default_rng(1))
        assert panel.separated(panel.resampled(found, 40, rng)) == pytest.approx(panel.separated(whole))
        assert rng.sizes == [(11, 9)] * 3 + [(7, 9)]


class TestF:
    def test_nothing_to_divide_by(self):
        assert panel.f_ratio(1.0, 0.0) == np.inf
        assert np.isnan(panel.f_ratio(0.0, 0.0))
        assert f_tail(2, 10, np.inf) == 0
        assert np.isnan(f_tail(2, 10, np.nan))

    def test_known_quantile(self):
        """R: ``pf(3.4928, 4, 12, lower.tail = FALSE)``."""
        assert f_tail(4, 12, 3.4928) == pytest.approx(0.04113764, abs=5e-9)

    def test_no_epsilon_without_interaction(self):
        assert np.isnan(panel.greenhouse_geisser(panel.sums(np.ones((3, 2, 3)))))
