"""Size of the tests of the judge effect, bias of the components and coverage of their intervals, measured.

80 scenarios, 10 generations, 5 judges, and components about those of a published panel: scenario 1.53, generation .25,
residual .9. Every test prints what it measured; the bounds are the claim with three Monte Carlo standard errors.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from quorate.estimate.panel.crossed import judge_effects, judge_tests
from quorate.numerics.panel import crossed as panel

LENIENT = (-0.9, 0.4, 0.0, 0.2, 0.3)
DRAWS = 8_000
PAPER_SIZE = 68.7
"""``P(chi2_4 / 4 > F_.95(4, 3196) (eps + f s2_sj) / (eps + m s2_sj))``: the pooled mean square at its expectation."""


@dataclass(frozen=True)
class Panel:
    """What scores are drawn from."""

    n: int = 80
    m: int = 10
    judges: tuple[float, ...] = (0.0,) * 5
    alpha: float = 1.53
    beta: float = 0.25
    interaction: float = 0.0
    eps: tuple[float, ...] | float = 0.9
    unlike: tuple[float, ...] = (1.0,)

    @property
    def truth(self) -> np.ndarray:
        """Components in the order of `panel.NAMES`."""
        eps = float(np.mean(self.eps))
        return np.array([self.alpha, self.beta, float(np.var(self.judges)), eps, self.interaction])

    def draw(self, rng: np.random.Generator) -> np.ndarray:
        """Scores, shape (n, m, judges); ``unlike`` are relative standard deviations of scenario:judge by judge."""
        n, m, k = self.n, self.m, len(self.judges)
        scenario = np.sqrt(self.alpha) * rng.normal(size=(n, 1, 1))
        generation = np.sqrt(self.beta) * rng.normal(size=(n, m, 1))
        interaction = np.sqrt(self.interaction) * np.array(self.unlike) * rng.normal(size=(n, 1, k))
        return (
            np.array(self.judges) + scenario + generation + interaction + np.sqrt(self.eps) * rng.normal(size=(n, m, k))
        )


PLAIN = Panel()
INTERACTING = Panel(interaction=0.49)
UNEQUAL = Panel(n=30, m=2, interaction=0.2, unlike=(0.1, 0.1, 0.1, 0.5, 2.0), eps=(0.2, 0.3, 0.4, 1.0, 2.6))


def sizes(design: Panel, draws: int, seed: int) -> dict[str, float]:
    """Percent of tables in which each test at 5% sees a judge effect."""
    rng, hits = np.random.default_rng(seed), []
    for _ in range(draws):
        found = panel.sums(design.draw(rng))
        judge, pooled, _ = judge_tests(found, panel.mean_squares(found))
        hits.append([pooled.p < 0.05, judge.p < 0.05, judge.p_adjusted < 0.05])
    return dict(zip(("paper", "default", "adjusted"), 100 * np.mean(hits, axis=0), strict=True))


def error(percent: float, draws: int) -> float:
    """Monte Carlo standard error of a percentage."""
    return float(np.sqrt(percent * (100 - percent) / draws))


def report(title: str, draws: int, found: dict[str, float]) -> None:
    line = ", ".join(f"{name} {value:.1f} ({error(value, draws):.1f})" for name, value in found.items())
    print(f"\n{title}, {draws} draws, percent (Monte Carlo se): {line}")


def test_size_without_interaction() -> None:
    """Both tests keep their size when the published model holds; the correction costs a little where not needed."""
    found = sizes(PLAIN, DRAWS, 1)
    report("size at 5%, no interaction", DRAWS, found)
    for name in ("paper", "default"):
        assert abs(found[name] - 5) < 3 * error(5, DRAWS)
    assert 3.5 < found["adjusted"] < 5


def test_size_with_an_interaction() -> None:
    """Judges who differ by scenario only: the published test sees an effect of all in two tables of three."""
    found = sizes(INTERACTING, DRAWS, 2)
    report("size at 5%, interaction .49", DRAWS, found)
    assert abs(found["paper"] - PAPER_SIZE) < 3 * error(PAPER_SIZE, DRAWS) + 0.2
    assert abs(found["default"] - 5) < 3 * error(5, DRAWS)
    assert 3.5 < found["adjusted"] < 5


def test_size_with_judges_of_unequal_noise() -> None:
    """The default is too sure when one judge is much noisier; Greenhouse and Geisser's correction is about right."""
    found = sizes(UNEQUAL, DRAWS, 3)
    report("size at 5%, unequal judges, 30 scenarios x 2", DRAWS, found)
    assert found["default"] > 8
    assert 4 < found["adjusted"] < 6


def test_size_where_the_interaction_is_that_of_one_judge() -> None:
    """The same with 80 scenarios x 10: more data do not help."""
    found = sizes(replace(INTERACTING, unlike=(0.2, 0.2, 0.2, 0.2, 2.2)), DRAWS, 4)
    report("size at 5%, interaction of one judge", DRAWS, found)
    assert found["default"] > 8
    assert 4 < found["adjusted"] < 6


def test_bias_of_the_components() -> None:
    """Ours are unbiased; the published ones are off by exactly what the expected mean squares say."""
    design = replace(INTERACTING, judges=LENIENT)
    n, m, k, draws = design.n, design.m, 5, 3000
    rng, ours, theirs = np.random.default_rng(5), [], []
    for _ in range(draws):
        found = panel.mean_squares(panel.sums(design.draw(rng)))
        ours.append(panel.separated(found))
        theirs.append(panel.paper(found)[:4])
    alpha, beta, gamma, eps, interaction = design.truth
    f = m * (n - 1) / (n * m - 1)
    left = interaction * (k - 1) / k * (m - 1) / (n * m - 1)
    biased = [alpha + interaction / k, beta - f * interaction / k, gamma + left, eps + f * interaction]
    for name, values, expected in (("separated", ours, design.truth), ("paper", theirs, biased)):
        mean, se = np.mean(values, axis=0), np.std(values, axis=0) / np.sqrt(draws)
        print(f"\n{name}, {draws} draws, mean (Monte Carlo se; expected):", end=" ")
        rows = zip(panel.NAMES, mean, se, expected, strict=False)
        print(", ".join(f"{label} {a:.4f} ({b:.4f}; {c:.4f})" for label, a, b, c in rows))
        assert np.all(np.abs(mean - expected) < 3.5 * se)
    assert np.mean(theirs, axis=0)[1] == pytest.approx(0.154, abs=0.003)


COVERAGE = {
    "panel": (replace(INTERACTING, judges=LENIENT), 1500, 91.0),
    "no judge effect": (INTERACTING, 1500, 91.0),
    "20 scenarios x 4 x 3 judges": (Panel(n=20, m=4, interaction=0.49, judges=(-0.5, 0.1, 0.4)), 1500, 86.0),
}


@pytest.mark.parametrize("name", COVERAGE)
def test_coverage_of_the_bootstrap_intervals(name: str) -> None:
    """2,000 resamples; what 95% intervals cover, by component, and for the judge effects one at a time."""
    design, draws, least = COVERAGE[name]
    rng, truth = np.random.default_rng(6), design.truth
    effects = np.array(design.judges) - np.mean(design.judges)
    hits, judge_hits = [], []
    for _ in range(draws):
        found = panel.sums(design.draw(rng))
        drawn = panel.resampled(found, 2000, rng)
        low, high = np.quantile(panel.separated(drawn), [0.025, 0.975], axis=0)
        hits.append((low <= truth) & (truth <= high))
        rows = judge_effects([str(i) for i in range(len(effects))], found, drawn, 0.95)
        judge_hits.append([one.low <= effect <= one.high for one, effect in zip(rows, effects, strict=True)])
    covered = dict(zip(panel.NAMES, 100 * np.mean(hits, axis=0), strict=True))
    covered["each judge"] = 100 * float(np.mean(judge_hits))
    report(f"coverage of 95% intervals, {name}", draws, covered)
    assert min(covered.values()) > least - 3 * error(least, draws)
    assert 90 < covered["each judge"] < 97
