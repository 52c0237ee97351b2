"""Fits of small data sets, against R: lme4, pbkrtest and nlme.

`make.R` makes the data and the fits; `transcript.txt` is what it printed, and `lme4.json` what it wrote.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.estimate.means.mean import contrast
from quorate.estimate.means.targets import all_drawn

REFERENCE = json.loads((Path(__file__).parent / "lme4.json").read_text(encoding="utf-8"))
ITEMS_IN_CATEGORIES = {"nested": {"item": "category"}}
RATERS_IN_TASKS = {"object": "person", "nested": {"rater": "task"}}


@dataclass(frozen=True)
class Case:
    """How a fit in R is written here, and what its components are called."""

    data: str
    facets: tuple[str, ...]
    reading: dict = field(default_factory=dict)
    options: dict = field(default_factory=dict)
    names: dict = field(default_factory=lambda: {"item:prompt:judge": "cell", "Residual": "replicate"})

    def fit(self):
        frame = pl.DataFrame(REFERENCE["data"][self.data])
        return q.decompose(q.read(frame, facets={name: name for name in self.facets}, **self.reading), **self.options)


MAIN = ["item", "prompt", "item:prompt"]
CASES = {
    "crossed": Case("crossed", ("item", "prompt", "judge"), options={"random": [*MAIN, "item:judge", "cell"]}),
    "crossed_ml": Case(
        "crossed",
        ("item", "prompt", "judge", "length"),
        reading=ITEMS_IN_CATEGORIES,
        options={"random": ["category", *MAIN], "covariates": ["length"], "method": "ml"},
    ),
    "boundary": Case(
        "crossed",
        ("item", "prompt", "judge"),
        reading=ITEMS_IN_CATEGORIES,
        options={"random": ["category", *MAIN, "item:judge", "prompt:judge", "cell"]},
    ),
    "nested": Case(
        "nested",
        ("person", "task", "rater"),
        reading=RATERS_IN_TASKS,
        names={"task:rater": "rater", "Residual": "cell"},
    ),
    "strata": Case(
        "crossed",
        ("item", "judge"),
        options={"random": ["item"], "residual_by": "judge"},
        names={"a": "replicate[judge=a]", "b": "replicate[judge=b]"},
    ),
}


@pytest.fixture(params=CASES)
def name(request) -> str:
    return request.param


@pytest.fixture
def fit(name):
    return CASES[name].fit()


@pytest.fixture
def wanted(name):
    return REFERENCE["fits"][name]


def test_criterion(fit, wanted):
    assert fit.criterion == pytest.approx(wanted["criterion"], rel=1e-10)


def test_components(fit, name, wanted):
    got = {term: fit.variance(CASES[name].names.get(term, term)) for term in wanted["components"]}
    assert got == pytest.approx(wanted["components"], abs=5e-6 * max(wanted["components"].values()))


def test_fixed_effects_and_their_standard_errors(fit, wanted):
    values, errors = np.array(list(fit.fixed_effects.values())).T
    np.testing.assert_allclose(values, list(wanted["fixef"].values()), rtol=1e-5)
    np.testing.assert_allclose(errors, list(wanted["se"].values()), rtol=1e-5)


@pytest.mark.parametrize("name", ["crossed", "boundary", "nested"])
def test_standard_errors_with_the_kenward_roger_adjustment(fit, wanted):
    """Contrasts that are one coefficient each; the adjustment is up to 4 parts in a thousand."""
    targets = all_drawn(fit)
    got = [contrast(fit, row, targets).se for row in np.eye(len(fit.beta))]
    np.testing.assert_allclose(got, list(wanted["kenward_roger_se"].values()), rtol=5e-6)


@pytest.mark.parametrize("name", ["boundary"])
def test_a_component_that_lme4_puts_on_the_boundary_is_zero(fit, wanted):
    assert wanted["components"]["prompt:judge"] < 1e-20
    assert fit.variance("prompt:judge") == 0.0
    assert "boundary" in {caveat.code for caveat in fit.caveats}


def test_the_transcript_is_of_these_values():
    """The numbers in the file are the ones that R printed."""
    transcript = (Path(__file__).parent / "transcript.txt").read_text(encoding="utf-8")
    for fit in REFERENCE["fits"].values():
        assert f"{fit['criterion']:.10g}"[:10] in transcript
