from __future__ import annotations

import pytest
from posteriors import check_of, posterior_of

import quorate as q
from quorate.estimate.posterior import check
from quorate.estimate.posterior import posterior as module
from quorate.numerics.posterior import chains


@pytest.fixture(scope="module")
def scores(crossed, tmp_path_factory):
    path = tmp_path_factory.mktemp("posterior") / "scores.csv"
    path.write_text(crossed())
    return path


@pytest.fixture
def sampled(monkeypatch):
    """Draws without a sampler; what the function was called with."""
    asked = {}

    def posterior(judgments, *, on_quote, **options):
        asked.update(options)
        on_quote(asked.get("seconds", 5.0))
        return posterior_of(q.decompose(judgments))

    monkeypatch.setattr(module, "posterior", posterior)
    return asked


def test_components_prior_and_checks_are_printed_and_written(run, scores, sampled, tmp_path):
    (tmp_path / "pilot.json").write_text('{"random": {"item": 0.5}}')
    ran = run("analyze", "--posterior", scores, "--prior", "pilot.json", "--seed", 3, "--report", tmp_path / "page.md")
    assert (ran.code, ran.err) == (0, "Sampling takes about 5 s.\n")
    assert "credible interval" in ran.out
    said = run("analyze", "--posterior", scores, "--prior", "pilot.json", "--seed", 3, "--full").said
    assert "half-t, scale" in said
    assert "priors twice as wide" in said
    assert dict(sampled["prior"].random) == {"item": 0.5}
    assert sampled["seed"] == 3
    assert "Prior" in (tmp_path / "page.md").read_text()


def test_judgments_of_an_earlier_study_are_fitted(run, scores, sampled):
    ran = run("analyze", "--posterior", scores, "--prior", scores, "--json")
    assert ran.code == 0
    assert ran.json["checks"]["chains"] == 4
    assert sampled["prior"].variances == q.decompose(q.read(scores, announce=False)).variances


def test_a_check_prints_ranks_and_takes_no_targets(run, scores, monkeypatch, tmp_path):
    asked = {}
    monkeypatch.setattr(check, "check_posterior", lambda _, **options: asked.update(options) or check_of())
    ran = run("analyze", "--posterior", scores, "--check", 200, "--link", "ordinal", "--report", tmp_path / "page.html")
    assert ran.code == 0
    assert (asked["studies"], asked["link"]) == (200, "ordinal")
    assert "draws" not in asked
    assert "Nothing speaks against posteriors of such tables" in ran.said
    assert "ranks-1" in (tmp_path / "page.html").read_text()
    ran = run("analyze", "--posterior", scores, "--check", 200, "--target", "judge=panel")
    assert "--target: a check is of the mean of default targets" in ran.err


def test_long_sampling_is_asked_about(run, scores, sampled, monkeypatch):
    sampled["seconds"] = 300.0
    ran = run("analyze", "--posterior", scores)
    assert (ran.code, ran.out) == (1, "")
    assert "Sampling takes about 300 s.\nquorate: --yes: nobody is here to say yes" in ran.err
    assert run("analyze", "--posterior", scores, "--yes").code == 0
    monkeypatch.setattr("quorate.cli.analyze.confirmed", lambda: False)
    assert run("analyze", "--posterior", scores).code == 2


def test_without_the_extra_it_is_named(run, scores, monkeypatch):
    monkeypatch.setattr(chains, "find_spec", lambda _: None)
    ran = run("analyze", "--posterior", scores)
    assert (ran.code, ran.err) == (1, "quorate: posterior: needs a sampler; run pip install 'quorate[bayes]'\n")
