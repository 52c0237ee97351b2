"""Standard errors and degrees of freedom, against R: lme4, lmerTest, pbkrtest, and dense matrices.

``tests/reference/inference.txt`` is what R ran and printed, ``inference.json`` what it wrote. For one contrast the
degrees of freedom of Kenward and Roger are Satterthwaite's with the expected information in the scale of variances,
which is ours. lmerTest takes the observed information: the same at the optimum of balanced data, 1 to 2% lower here
where data are unbalanced; and it leaves out components at zero, which moves its answer the other way.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from examples import of_components

import quorate as q

FOLDER = Path(__file__).parent.parent / "reference"
REFERENCE = json.loads((FOLDER / "inference.json").read_text(encoding="utf-8"))
CROSSED = {"item:prompt:judge": "cell", "Residual": "replicate"}


@dataclass(frozen=True)
class Case:
    """How a fit in R is written here: facets, and our names of its components where they differ."""

    facets: tuple[str, ...] = ("item", "prompt", "judge")
    reading: dict = field(default_factory=dict)
    names: dict = field(default_factory=lambda: dict(CROSSED))


CASES = {
    "unbalanced": Case(),
    "balanced": Case(),
    "boundary": Case(),
    "nested": Case(
        ("item", "response", "judge"),
        {"nested": {"response": "item"}},
        {"item:response": "response", "Residual": "cell"},
    ),
}
UNBALANCED = ["unbalanced", "nested"]


@pytest.fixture(params=CASES)
def name(request):
    return request.param


@pytest.fixture
def wanted(name):
    return REFERENCE["fits"][name]


@pytest.fixture
def terms(name, wanted):
    """Our names of the components, in R's order."""
    return [CASES[name].names.get(term, term) for term in wanted["terms"]]


@pytest.fixture
def fit(name, terms):
    case = CASES[name]
    frame = pl.DataFrame(REFERENCE["data"][name])
    judgments = q.read(frame, facets={f: f for f in case.facets}, fixed=("judge",), **case.reading)
    return q.decompose(judgments, random=[term for term in terms if term != "replicate"])


def standard_errors(fit, terms):
    found = {c.name.split(" + ")[0]: c.se for c in fit.components}
    return [found[term] for term in terms]


def test_the_fit_is_the_same(fit, terms, wanted):
    assert fit.criterion == pytest.approx(wanted["criterion_lme4"], rel=1e-10)
    theirs = np.array([wanted["components"][term] for term in wanted["terms"]])
    np.testing.assert_allclose([fit.variance(term) for term in terms], theirs, atol=1e-6 * theirs.max())


def test_the_mean_and_its_standard_errors(fit, wanted):
    """Without adjustment those of lme4, with it those of pbkrtest."""
    mean = of_components(fit)
    assert mean.value == pytest.approx(wanted["value"], rel=1e-8)
    assert np.sqrt(mean.basis.plain) == pytest.approx(wanted["plain_se"], rel=1e-6)
    assert mean.se == pytest.approx(wanted["kenward_roger_se"], rel=1e-6)


@pytest.mark.parametrize("name", UNBALANCED)
def test_unbalanced_data_are_adjusted(fit, wanted):
    added = of_components(fit).variance - of_components(fit).basis.plain
    theirs = wanted["kenward_roger_se"] ** 2 - wanted["plain_se"] ** 2
    assert theirs > 1e-5
    assert added == pytest.approx(theirs, rel=1e-4)


def test_degrees_of_freedom_are_those_of_kenward_and_roger(fit, wanted):
    assert of_components(fit).df == pytest.approx(wanted["kenward_roger_df"], rel=2e-6)
    assert of_components(fit).df == pytest.approx(wanted["expected_df"], rel=2e-6)


@pytest.mark.parametrize("name", ["balanced"])
def test_degrees_of_freedom_of_balanced_data_are_those_of_lmertest(fit, wanted):
    assert of_components(fit).df == pytest.approx(wanted["satterthwaite_df"], rel=2e-6)


@pytest.mark.parametrize("name", UNBALANCED)
def test_lmertest_differs_by_its_observed_information(fit, wanted):
    assert wanted["satterthwaite_df"] == pytest.approx(wanted["observed_df"], rel=1e-6)
    assert 0.98 * of_components(fit).df < wanted["satterthwaite_df"] < of_components(fit).df


@pytest.mark.parametrize("name", ["boundary"])
def test_lmertest_has_more_degrees_of_freedom_without_a_component_at_zero(fit, wanted):
    assert fit.variance("prompt") == 0.0
    assert of_components(fit).df < wanted["satterthwaite_df"] < 1.01 * of_components(fit).df


@pytest.mark.wide(2)
def test_standard_errors_of_components_are_those_of_the_expected_information(fit, terms, wanted):
    np.testing.assert_allclose(standard_errors(fit, terms), wanted["expected_se"], rtol=2e-6)


@pytest.mark.parametrize(("name", "tolerance"), [("balanced", 5e-6), ("unbalanced", 0.08), ("nested", 0.02)])
def test_observed_information_is_near(fit, terms, wanted, tolerance):
    """By numerical second derivatives; equal where data are balanced."""
    np.testing.assert_allclose(standard_errors(fit, terms), wanted["observed_se"], rtol=tolerance)


def test_the_transcript_is_of_these_values(wanted):
    transcript = (FOLDER / "inference.txt").read_text(encoding="utf-8")
    for key in ("criterion_lme4", "plain_se", "satterthwaite_df", "kenward_roger_se", "kenward_roger_df"):
        assert f"{wanted[key]:.12g}" in transcript
