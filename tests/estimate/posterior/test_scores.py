from __future__ import annotations

import numpy as np
import pytest

from quorate.errors import UnknownTerm


def test_components_are_quantiles_of_their_draws(posterior):
    draws = posterior.drawn("judge:item")
    assert posterior.variance("item:judge") == np.median(draws) == posterior.variances["item:judge"]
    assert posterior.interval("item:judge").at(0.8).ends == pytest.approx(np.quantile(draws, [0.1, 0.9]))
    one = next(one for one in posterior.components if one.name == "item:judge")
    assert (one.low, one.high) == pytest.approx(np.quantile(draws, [0.025, 0.975]))
    assert posterior.variance("judge") == pytest.approx(np.median(posterior.level_squares["judge"]))
    assert [row["term"] for row in posterior.rows()] == [*posterior.variances, "judge", "category"]
    with pytest.raises(UnknownTerm):
        posterior.drawn("annotator")


def test_targets_that_were_asked_are_those_of_the_mean(posterior):
    assert posterior.mean.target["judge"] == "population"
    assert posterior.mean.se > posterior.mean_for().se
