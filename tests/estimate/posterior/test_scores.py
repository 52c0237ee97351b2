from __future__ import annotations

import numpy as np
import pytest
from posteriors import posterior_of

import quorate as q
from quorate.errors import UnknownTerm
from quorate.simulate import write_demo


@pytest.fixture(scope="module")
def fit(tmp_path_factory):
    return q.decompose(q.read(write_demo(tmp_path_factory.mktemp("scores") / "scores.csv"), announce=False))


@pytest.fixture(scope="module")
def found(fit):
    return posterior_of(fit, judge="population")


def test_components_are_quantiles_of_their_draws(found):
    draws = found.drawn("judge:item")
    assert found.variance("item:judge") == np.median(draws) == found.variances["item:judge"]
    assert found.interval("item:judge", 0.8) == pytest.approx(np.quantile(draws, [0.1, 0.9]))
    one = next(one for one in found.components if one.name == "item:judge")
    assert (one.low, one.high) == pytest.approx(np.quantile(draws, [0.025, 0.975]))
    assert found.variance("judge") == pytest.approx(np.median(found.level_squares["judge"]))
    assert [row["term"] for row in found.rows()] == [*found.variances, "judge"]
    with pytest.raises(UnknownTerm):
        found.drawn("annotator")


def test_targets_that_were_asked_are_those_of_the_mean(found):
    assert found.mean.target["judge"] == "population"
    assert found.mean.se > found.mean_for().se
