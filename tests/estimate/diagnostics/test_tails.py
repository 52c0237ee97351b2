from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from odd_scores import scores

import quorate as q
from quorate.estimate.diagnostics.check import kurtosis, quantiles

REFERENCE = json.loads((Path(__file__).parents[2] / "reference" / "ranef.json").read_text())


@pytest.mark.parametrize(
    ("name", "score", "facets", "random", "reading"),
    [
        (
            *("cake", "angle", {"oven": "replicate", "recipe": "recipe", "temperature": "temperature"}, ["oven"]),
            {"object": "oven", "nested": {"oven": "recipe"}, "fixed": ("recipe", "temperature")},
        ),
        ("penicillin", "diameter", {"plate": "plate", "sample": "sample"}, ["plate", "sample"], {"object": "plate"}),
    ],
)
def test_predictions_and_residuals_are_those_of_lme4(shared, name, score, facets, random, reading):
    """R: ``ranef(lmer(...))`` and ``resid(lmer(...))``, tests/reference/ranef.R."""
    data = shared / "data" / f"lme4_{name}.parquet"
    judgments = q.read(data, score=score, facets=facets, announce=False, **{"fixed": (), **reading})
    covariates = ("recipe:temperature",) if name == "cake" else ()
    plots, _ = quantiles(q.decompose(judgments, random=random, covariates=covariates), 0, np.random.default_rng(1))
    found = {plot.term: plot for plot in plots}
    for term in random:
        np.testing.assert_allclose(found[term].effect, sorted(REFERENCE[name][term].values()), atol=2e-4)
    ends = found["residual"].effect[[*range(6), *range(-6, 0)]]
    np.testing.assert_allclose(ends, REFERENCE[name]["residual"], atol=2e-4)
    assert np.isnan(found["residual"].low).all()


def test_long_tails_stand_out():
    rng = np.random.default_rng(6)
    plots, checks = quantiles(q.decompose(scores(rng, odd="tails", items=100, judges=4)), 99, rng)
    found = {check.name: check for check in checks}
    assert found["tails-of-residual"].p == 0.01
    assert found["tails-of-residual"].p_error == pytest.approx(np.sqrt(0.01 * 0.99 / 99))
    residual = plots[-1]
    assert residual.outside > 0.05 * len(residual.effect)
    assert np.all(residual.low <= residual.high)
    assert residual.rows()[0].keys() == {"term", "level", "effect", "normal", "low", "high"}


def test_kurtosis():
    """Two values in equal numbers: 1 - 3."""
    assert kurtosis(np.array([0.0, 1, 0, 1])) == pytest.approx(-2)
