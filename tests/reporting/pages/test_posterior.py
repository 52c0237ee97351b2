from __future__ import annotations

import pytest
from posteriors import check_of, posterior_of

import quorate as q
from quorate.reporting.pages.posterior import page
from quorate.reporting.report import page_of
from quorate.simulate import write_demo


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    return posterior_of(
        q.decompose(q.read(write_demo(tmp_path_factory.mktemp("scores") / "scores.csv"), announce=False))
    )


def test_the_page_shows_prior_and_posterior_of_every_component(found):
    made = page(found)
    assert [figure.name for figure in made.figures] == ["components", "priors", "means"]
    parts, priors, means = made.figures
    assert [row["component"] for row in parts.rows] == [one.name for one in found.components]
    assert len(priors.rows) == 2 * len(found.prior)
    assert [row["component"] for row in priors.rows[:2]] == ["item, prior", "item, posterior"]
    assert priors.rows[1]["sd"] ** 2 == pytest.approx(found.variance("item"), rel=1e-6)
    assert priors.rows[0]["low"] == pytest.approx(found.prior[0].quantile(0.025))
    assert [row["prior"] for row in means.rows] == [
        f"priors {words}" for words in ("half as wide", "as they are", "twice as wide")
    ]
    assert all(len(figure.chart()["layer"]) >= 2 for figure in made.figures)


def test_the_methods_paragraph_says_prior_sampler_and_sensitivity(found):
    made = page_of(found)
    assert "half-t with 3 degrees of freedom, its scale the standard deviation of all scores" in made.methods
    assert found.checks.sentence in made.methods
    assert found.sensitivity.sentence in made.methods
    facts = {row["what"]: row["value"] for row in made.facts.rows}
    assert facts["divergences"] == 0
    assert facts["seconds, quoted and taken"] == "12, 10"
    assert made.seed == 1


def test_the_page_has_a_histogram_of_every_parameter_with_its_band():
    found = check_of(worst=0.6)
    made = page_of(found)
    *histograms, tests = made.figures
    assert [figure.caption.finding.partition(":")[0] for figure in histograms] == [*found.ranks]
    assert "all bars in the band, p = 1.000" in histograms[0].caption.finding
    assert "outside the band, p = 0.000" in histograms[2].caption.finding
    assert [row["studies"] for row in histograms[2].rows] == [*found.uniformity["mean"].counts]
    low, high = found.band
    assert [row["in the band"] for row in histograms[2].rows] == [
        low <= count <= high for count in found.uniformity["mean"].counts
    ]
    assert len(histograms[0].chart()["layer"]) == 3
    assert len(tests.rows) == 3
    assert "Talts et al., 2018" in made.methods
