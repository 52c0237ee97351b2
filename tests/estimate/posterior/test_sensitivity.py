from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from posteriors import posterior_of


@pytest.fixture(scope="module")
def found(scores):
    return posterior_of(scores)


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
