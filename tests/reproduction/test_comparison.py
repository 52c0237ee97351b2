from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from quorate.reproduction import comparison
from quorate.reproduction.comparison import Compared, Ran, Reproduction, by_chance, chance, compared, held_together, off
from quorate.reproduction.reproduce import Chunk, by_id
from quorate.reproduction.studies.tee.components import RESIDUALS
from quorate.reproduction.study import Publication, Published, Results, Study, Value

FIGURES = (
    Published("near", "Table 1", 10.0, 0.5),
    Published("noisy", "Table 1", 10.0, 0.5),
    Published("wrong", "Table 2", 10.0, 0.5, erratum="E1"),
    Published("off", "Table 2", 10.0, 0.5),
    Published("bound", "Table 3", 10.0, rule="at least"),
    Published("lost", "Table 3", 10.0, needs="the votes"),
    Published("kept", "other votes", 10.0, own=True),
    Published("input", "Table 4", 10.0, returned=True),
    Published("small", "Table 4", 1.0),
    Published("low", "Table 4", 10.0, 0.5, rule="at least"),
    Published("lower", "Table 4", 10.0, 0.5, rule="at least"),
)
VALUES = {
    "near": 10.4,
    "noisy": Value(12.0, 0.7),
    "wrong": 20.0,
    "off": 11.0,
    "bound": 9.9,
    "kept": 10.0,
    "new": Value(1.0, 0.1),
    "input": 10.0,
    "small": Value(0.9, 0.4),
    "low": Value(9.6, 0.4),
    "lower": Value(9.4, 0.4),
}


@pytest.fixture
def figures(monkeypatch):
    known = Publication({"a": "A (2026)"}, {"a.b": FIGURES}, {"E0": "Not seen", "E1": "Twice as large"})
    monkeypatch.setattr(comparison, "publication", lambda: known)
    return compared(Study("a.b", "A study", lambda _: Results(VALUES)), Results(VALUES))


def test_verdicts(figures):
    assert {one.what: one.verdict for one in figures} == {
        "near": "agrees",
        "noisy": "agrees",  # within three Monte Carlo errors
        "wrong": "erratum",
        "off": "disagrees",
        "bound": "disagrees",
        "lost": "cannot be recomputed",
        "kept": "as written down",
        "new": "not in the paper",
        "input": "returned",
        "small": "too noisy to tell",  # three Monte Carlo errors are more than the figure
        "low": "agrees",
        "lower": "too noisy to tell",  # below the bound but for Monte Carlo error
    }
    words = {one.what: one.verdict_words for one in figures}
    assert words["wrong"] == "disagrees: erratum E1"
    assert words["lost"] == "cannot be recomputed: the votes"
    assert {one.what: one.tolerance for one in figures}["noisy"] == pytest.approx(math.hypot(0.5, 2.1))


def test_the_sentence_counts_them_all(figures):
    found = Reproduction(figures, (Ran("a.b", "A study", 0, 0),), 1)
    assert found.sentence == (
        "Of 10 published figures 3 agree, 1 disagrees by a known error of the paper, 1 is an input that comes back, 2 "
        "are too noisy to tell, 2 disagree without an explanation and 1 cannot be recomputed here. 1 figure of ours on "
        "other data is as written down."
    )
    assert found.errata == {"E1": "Twice as large"}
    assert [one.what for one in found.unexplained] == ["off", "bound"]
    rows = found.rows()
    assert len(rows) == len(figures)
    assert list(rows[0]) == [
        *("study", "what", "place", "published", "ours", "error", "tolerance", "rule", "verdict", "why", "p")
    ]
    assert found.to_dict()["figures"][5]["ours"] is None


@pytest.mark.parametrize(
    ("rule", "ours", "distance"),
    [("equal", 10.5, 0.5), ("equal", 9.4, 0.6), ("at least", 9.5, 0.5), ("at least", 11, -1), ("at most", 10.6, 0.6)],
)
def test_bounds_and_numbers(rule, ours, distance):
    assert off(Published("x", "y", 10.0, rule=rule), ours) == pytest.approx(distance)


def test_chance_is_that_of_monte_carlo_error_beyond_the_tolerance():
    assert chance(3.0, 0.0, 1.0, 0) == pytest.approx(0.0026998, rel=1e-4)  # two sides of the normal law
    assert chance(3.0, 0.0, 1.0, 11) == pytest.approx(0.0133437, rel=1e-4)  # R: 2 * pt(-3, 10)
    assert chance(math.hypot(2.0, 3.0), 2.0, 1.0, 0) == pytest.approx(chance(3.0, 0.0, 1.0, 0))
    assert chance(0.5, 0.5, 1.0, 0) == chance(-4.0, 0.0, 1.0, 0) == 1
    assert math.isnan(chance(5.0, 1.0, 0.0, 0))
    assert math.isnan(chance(math.nan, 1.0, 1.0, 0))


def figure(errors, at=0):
    """A simulated figure so many Monte Carlo errors away."""
    verdict = "agrees" if abs(errors) <= 3 else "disagrees"
    p = chance(abs(errors), 0.0, 1.0, 0)
    return Compared("a.b", f"figure {at}", "", 0.0, errors, 1.0, 3.0, "equal", verdict, p=p)


def verdicts(errors):
    return [one.verdict for one in held_together([figure(each, at) for at, each in enumerate(errors)])]


def test_one_figure_of_many_may_be_off_and_one_alone_may_not():
    assert verdicts([3.3]) == ["disagrees"]
    many = [0.0] * 235
    assert verdicts([*many, 3.3])[-1] == "within chance"
    assert verdicts([*many, 4.5])[-1] == "disagrees"
    assert verdicts([*many, 3.3, 4.5])[-2:] == ["within chance", "disagrees"]
    assert (by_chance(150), by_chance(236), by_chance(1000)) == (3, 3, 8)  # SciPy: binom.ppf(.995, n, 2 * norm.cdf(-3))
    assert set(verdicts([*many, 3.1, 3.1, 3.1])[-3:]) == {"within chance"}
    assert set(verdicts([*many, 3.1, 3.1, 3.1, 3.1])[-4:]) == {"disagrees"}


def test_what_is_not_simulated_is_never_excused(figures):
    exact = Compared("a.b", "exact", "", 0.0, 1.0, 0.0, 0.1, "equal", "disagrees")
    lost = Compared("a.b", "lost", "", 0.0, math.nan, 1.0, 3.0, "equal", "disagrees", p=chance(math.nan, 0.0, 1.0, 0))
    held = held_together([*(figure(0.0, at) for at in range(200)), exact, lost])
    assert [one.verdict for one in held[-2:]] == ["disagrees", "disagrees"]
    assert [one.what for one in Reproduction(held_together(figures), (), 1).unexplained] == ["off", "bound"]


@pytest.mark.calibration
def test_a_run_in_which_nothing_is_wrong_has_a_miss_in_one_of_a_hundred():
    """2,000 runs of 236 figures; Monte Carlo error of a chance of .01 is .0022."""
    rng = np.random.default_rng(3)
    wrong = sum("disagrees" in verdicts(rng.standard_normal(236)) for _ in range(2000))
    assert wrong <= 2000 * (0.01 + 3 * 0.0022)


def test_a_wrong_law_is_found_among_as_many_figures_as_a_whole_run_has(monkeypatch):
    """Residuals of one temperature a fifth too large, eight replicates, beside 235 figures with which all is well."""
    wrong = replace(by_id("mc.hetero"), laws={"all": (1.2 * RESIDUALS[0], *RESIDUALS[1:])})
    monkeypatch.setattr("quorate.reproduction.reproduce.by_id", lambda _: wrong)
    outcome = wrong.outcome({"all": Chunk("mc.hetero", "all", 0, 8, 1).draw()})
    held = held_together([*compared(wrong, outcome, "", 8), *(figure(0.0, at) for at in range(235))])
    off_by = [one.what for one in held if one.verdict == "disagrees"]
    assert off_by
    assert all(what.startswith("temperature 0,") for what in off_by)


def test_what_is_excused_is_said():
    found = Reproduction(held_together([*(figure(0.0, at) for at in range(235)), figure(3.3)]), (), 1)
    assert found.unexplained == ()
    assert found.figures[-1].why == "one of 236 simulated figures may be so far off (p = 0.00097)"
    assert (
        found.sentence == "Of 236 published figures 235 agree and 1 is off by no more than chance leaves among so many."
    )
