from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from posteriors import latent_posterior_of

import quorate as q
from quorate.errors import UnknownTerm
from quorate.estimate.posterior.prior import laws_for
from quorate.reporting.report import page_of


@pytest.fixture(scope="module")
def fit():
    rng = np.random.default_rng(8)
    shape = 40, 3, 3, 2
    eta = 2 + rng.normal(0, 1.5, (40, 1, 1, 1)) + np.array([-0.8, 0.1, 0.7])[:, None] + rng.logistic(0, 1, shape)
    item, prompt, judge, replicate = (axis.ravel() for axis in np.indices(shape))
    columns = {"item": item, "prompt": prompt, "judge": judge, "replicate": replicate}
    scores = q.read(pl.DataFrame(columns | {"score": (eta.ravel() > 0).astype(int)}), fixed=["judge"], announce=False)
    return q.decompose(scores, link="logit", random=["item", "item:judge"])


@pytest.fixture(scope="module")
def found(fit):
    return latent_posterior_of(fit)


def test_components_are_those_of_the_fit(found, fit):
    assert [(one.name, one.kind, one.levels) for one in found.components] == [
        (one.name, one.kind, one.levels) for one in fit.components
    ]
    assert found.variance("item") == pytest.approx(fit.variance("item"), rel=0.05)
    assert found.variance("replicate") == pytest.approx(np.pi**2 / 3)
    assert found.variance("judge") == pytest.approx(fit.sensitivity("judge"), rel=0.02)
    assert found.interval("judge:item").high > found.variance("item:judge")
    assert sum(one.share for one in found.components) == pytest.approx(1, abs=0.02)
    with pytest.raises(UnknownTerm):
        found.drawn("annotator")


def test_the_mean_is_over_the_random_effects_and_inside_its_scale(found, fit):
    low, high = found.mean.ends
    assert 0 < low < found.mean.value < high < 1
    assert found.mean.value == pytest.approx(fit.mean.value, abs=0.01)
    assert found.mean.target == {"item": "population", "prompt": "population", "judge": "panel"}


def test_it_says_scale_prior_and_sensitivity(found):
    assert "of the variance of one judgment on the scale of log odds" in found.sentence
    plain = json.loads(json.dumps(found.to_dict()))
    assert plain["prior"][0]["scale"] == 2.5
    assert found.sensitivity.with_prior[2].reliable
    made = page_of(found)
    assert "normal effects on log odds (a logit model)" in made.methods
    assert "All parameters were sampled" in made.methods
    assert "in log odds" in made.sections[0].figures[1].caption.lines[0]


def test_it_is_a_prior_of_the_next_study(found):
    laws = laws_for(found.terms, found)
    assert {(law.family, law.origin) for law in laws} == {("lognormal", "pilot")}
    assert laws[0].width == pytest.approx(0.15, rel=0.1)
