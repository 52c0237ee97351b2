from __future__ import annotations

import numpy as np
import pytest
from posteriors import posterior_of

import quorate as q
from quorate.errors import InvalidInput, UnknownTerm


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
