from __future__ import annotations

import numpy as np
import pytest
from posteriors import posterior_of

import quorate as q
from quorate.errors import InvalidInput
from quorate.estimate.posterior.prior import Law, laws_for, laws_of, terms_of


def by_name(scores, prior):
    return {law.name: law for law in laws_for(terms_of(scores), prior)}


def test_by_default_priors_say_little(scores):
    spread = scores.assembled.scale
    assert laws_for(terms_of(scores), None) == tuple(
        Law(name, "half-t", spread, np.inf, "default") for name in scores.variances
    )
    assert laws_of(laws_for(terms_of(scores), None), spread).scale == pytest.approx(1.0)


def test_a_fit_is_as_wide_as_it_was_unsure(scores):
    """On ``df`` degrees of freedom the log of a standard deviation has error sqrt(trigamma(df / 2)) / 2."""
    laws, parts = by_name(scores, scores), {one.name: one for one in scores.components}
    sure = laws["item:judge"]
    assert (sure.family, sure.origin, sure.scale**2) == (
        "lognormal",
        "pilot",
        pytest.approx(parts["item:judge"].variance),
    )
    relative = parts["item:judge"].se / parts["item:judge"].variance
    assert sure.width == pytest.approx(relative / 2, rel=0.02)
    assert laws["replicate"].width < sure.width < laws["item"].width
    unsure = laws["prompt"]
    assert unsure.family == "half-t"
    assert unsure.quantile(np.array(0.975)) ** 2 == pytest.approx(parts["prompt"].high)


def test_a_posterior_is_taken_as_its_draws_are(scores):
    laws = by_name(scores, posterior_of(scores))
    assert {law.family for law in laws.values()} == {"lognormal"}
    assert laws["item"].width == pytest.approx(0.15, rel=0.08)  # half of that of the variance
    assert laws["item"].scale ** 2 == pytest.approx(scores.variance("item"), rel=0.03)


def test_published_components_give_the_size_alone(scores):
    laws = by_name(scores, q.components({"item": 0.25, "prompt": 0.0}))
    assert laws["item"] == Law("item", "half-t", 0.5, np.inf, "published")
    assert laws["prompt"].origin == laws["cell"].origin == "default"
    assert by_name(scores, {"item": 0.25}) == by_name(scores, q.components({"item": 0.25}))


def test_sums_that_the_scores_cannot_tell_apart_add_up(scores):
    """A study without replicates knows the sum of cell and replicate; the pilot knew both."""
    table = scores.judgments
    once = q.decompose(table.keep(table.n > 0), random=["item", "item:judge"])  # cells of the same facets
    laws = by_name(once, scores)
    assert laws["item"].scale ** 2 == pytest.approx(scores.variance("item"))
    both = q.components({"cell": 0.04, "replicate": 0.05})
    name = next(iter(by_name(once, both)))
    assert name in laws


def test_what_is_no_earlier_study_is_refused(scores):
    with pytest.raises(InvalidInput, match="prior: has none of the components of this model"):
        laws_for(terms_of(scores), {"annotator": 0.2})
    with pytest.raises(
        InvalidInput, match="prior: a fit, a posterior, components or variances by name are needed, got"
    ):
        laws_for(terms_of(scores), "pilot.csv")
    with pytest.raises(InvalidInput, match="finite variance of at least 0"):
        laws_for(terms_of(scores), {"item": -1.0})
