from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from posteriors import posterior_of

import quorate as q
from quorate.errors import InvalidInput, UnknownTerm


def test_it_is_plain_and_says_what_it_found(posterior):
    plain = json.loads(json.dumps(posterior.to_dict()))
    assert plain["checks"]["sentence"].startswith("4 chains of 500 draws: R-hat at most 1.001")
    assert plain["sentence"].startswith("Mean ")
    assert plain["mean"]["target"]["judge"] == "population"
    assert len(posterior.to_frame()) == len(posterior.components)
    assert "few-levels" not in [caveat.code for caveat in posterior.caveats]


def test_divergences_are_told(scores):
    said = [caveat.sentence for caveat in posterior_of(scores, divergences=7).caveats]
    assert any(sentence.startswith("7 of 2,000 draws diverged") for sentence in said)


@pytest.fixture(scope="module")
def found(scores):
    return posterior_of(scores)


def test_the_mean_of_populations_has_the_draws_of_the_fixed_effects(found):
    weight = found.fit.assembled.fixed.mean
    assert found.mean.draws == pytest.approx((found.centre + found.around) @ weight)
    assert found.mean.at(0.5).ends[0] == pytest.approx(np.quantile(found.mean.draws, 0.25))
    assert found.mean.n == found.judgments.n_answers
    assert sum(found.mean.shares.values()) == pytest.approx(1)


def test_facets_that_stand_for_themselves_make_it_narrower_and_draws_wider(found):
    """As the standard errors of the fit, which the draws were made about; Student's t on 2 degrees is wide."""
    for targets, most in (({"item": "panel"}, 1.2), ({"prompt": "panel"}, 1.2), ({"judge": "population"}, 1.6)):
        ratio = found.mean_for(**targets).se / found.mean.se
        of_fit = found.fit.mean_for(**targets).se / found.fit.mean.se
        assert 0.8 * of_fit < ratio < most * of_fit, targets
        assert (ratio > 1) == ("judge" in targets)
    assert found.mean_for(judge=q.pool(10)).se < found.mean_for(judge="population").se
    assert found.mean_for(item="panel").shares["item"] < 1e-4


def test_targets_are_checked(found):
    with pytest.raises(InvalidInput, match="judge: a sensitivity is an index, which has no posterior"):
        found.mean_for(judge="sensitivity")
    with pytest.raises(UnknownTerm):
        found.mean_for(annotator="panel")


def test_wide_priors_move_little_and_as_they_are_nothing(found):
    narrow, own, wide = found.sensitivity.with_prior
    assert (own.low, own.high) == pytest.approx(found.mean.ends, abs=3e-3)
    assert found.sensitivity.changes[1] == pytest.approx(0, abs=1e-3)
    assert narrow.reliable
    assert wide.reliable
    assert "with priors twice as wide the mean's interval is" in found.sensitivity.sentence


def test_the_draws_are_those_of_the_other_prior(found):
    """One component, lognormal prior and posterior: the reweighted posterior is known."""
    width = 0.15  # of the log of each standard deviation among the draws
    law = [
        replace(law, family="lognormal", width=2 * width, scale=1.2 * np.sqrt(v))
        for law, v in zip(found.prior, found.variances.values(), strict=True)
    ]
    sharp = replace(found, prior=tuple(law))
    wide = sharp.sensitivity.with_prior[2]
    assert wide.reliable
    assert wide.ess < len(found.draws)


def test_priors_that_the_draws_cannot_tell_about_are_said(found):
    sharp = [replace(law, scale=law.scale / 100, width=0.05, family="lognormal") for law in found.prior]
    told = replace(found, prior=tuple(sharp)).sensitivity
    assert not told.with_prior[0].reliable
    assert "priors half as wide differ too much to be told from these draws" in told.sentence
