from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from numpy.polynomial.hermite_e import hermegauss
from posteriors import posterior_of

import quorate as q
from quorate.errors import InvalidInput, NotConverged, UnknownTerm
from quorate.estimate.posterior.posterior import gaussian, log_odds, refuse_unconverged
from quorate.numerics.posterior import chains, densities
from quorate.simulate import write_demo


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    return q.read(write_demo(tmp_path_factory.mktemp("scores") / "scores.csv"), announce=False)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"draws": 99}, "draws: must be a whole number of at least 100, got 99"),
        ({"warmup": 10.5}, "warmup: must be a whole number of at least 100, got 10.5"),
        ({"chains": 1}, "chains: must be a whole number of at least 2, got 1"),
        ({"seed": -1}, "seed: must be a whole number of at least 0"),
        ({"prior": {"annotator": 1.0}}, "prior: has none of the components"),
        ({"targets": {"judge": "sensitivity"}}, "judge: a sensitivity is an index"),
        ({"link": "probit"}, 'link: must be one of identity, logit, ordinal, got "probit"'),
        ({"link": "logit"}, 'link: "logit" is for scores of two values'),
        ({"link": "ordinal", "residual_by": "judge"}, "residual_by: is for scores as numbers, not with a link"),
        ({"link": "ordinal", "targets": {"judge": "panel"}}, "targets: with a link random facets stand for their"),
    ],
)
def test_options_are_checked_before_anything_is_sampled(table, options, words):
    with pytest.raises(InvalidInput, match=words):
        q.scores.posterior(table, **options)


def test_tables_that_cannot_be_sampled_are_refused(table, monkeypatch):
    with pytest.raises(InvalidInput, match=r"expects what quorate\.read returns"):
        q.scores.posterior("scores.csv")
    with pytest.raises(UnknownTerm):
        q.scores.posterior(table, targets={"annotator": "panel"})
    monkeypatch.setattr(chains, "find_spec", lambda _: None)
    with pytest.raises(InvalidInput, match=r"pip install 'quorate\[bayes\]'"):
        q.scores.posterior(table)
    monkeypatch.setattr(densities, "marginal_size", lambda _: 1e9)
    with pytest.raises(InvalidInput, match="arrays of 1,000,000,000 numbers"):
        q.scores.posterior(table)


@pytest.mark.bayes
def test_the_same_seed_draws_the_same_and_the_pilot_is_heard(table):
    told: list[float] = []
    found = q.scores.posterior(table, prior=q.decompose(table), draws=500, on_quote=told.append)
    assert len(told) == 1
    assert json.loads(json.dumps(found.to_dict()))["prior"][0]["origin"] == "pilot"
    alone = q.decompose(table).components
    for one, other in zip(found.components, alone, strict=False):
        if one.kind == "random" and one.name not in ("prompt", "prompt:judge", "category"):
            assert one.variance == pytest.approx(other.variance, rel=0.2), one.name
            assert one.high - one.low < other.high - other.low, one.name


def test_redrawn_studies_have_the_cells_and_the_parameters_of_the_prior():
    """The mean stays: its prior is flat."""
    columns = {"item": np.repeat(np.arange(20), 4), "replicate": np.tile(np.arange(4), 20)}
    table = q.read(pl.DataFrame(columns | {"score": np.arange(80) * 7 % 11}), announce=False)
    model = gaussian(table, None, (), None, {"cell": 1.0, "replicate": 4.0}, None)
    rng, sizes = np.random.default_rng(1), []
    for _ in range(300):
        truth, study = model.redrawn(rng)
        assert [*truth] == ["cell", "replicate", "mean"]
        assert truth["mean"] == pytest.approx(table.mean.mean())
        sizes.append([np.sqrt(truth["cell"]), np.sqrt(truth["replicate"])])
        assert study.fit.assembled.problem.n_rows == model.fit.assembled.problem.n_rows
    assert np.median(sizes, axis=0) == pytest.approx([0.7649, 2 * 0.7649], rel=0.2)  # standard error 6%


@pytest.mark.bayes
def test_the_posterior_of_a_balanced_one_way_table_is_known():
    """Flat on both standard deviations but for a wide half-t: two dimensions, integrated on a grid."""
    rng = np.random.default_rng(4)
    scores = rng.normal(0, 0.6, 12)[:, None] + rng.normal(0, 1.0, (12, 5))
    rows = [{"item": i, "replicate": r, "score": scores[i, r]} for i in range(12) for r in range(5)]
    table = q.read(pl.DataFrame(rows), announce=False)
    found = q.scores.posterior(table, draws=3000, seed=5, on_quote=lambda _: None)
    between = 5 * scores.mean(axis=1).var(ddof=1) * 11
    within = float(((scores - scores.mean(axis=1, keepdims=True)) ** 2).sum())
    spread = float(scores.std())
    item, noise = np.meshgrid(np.linspace(1e-3, 3, 1500), np.linspace(0.5, 2, 800), indexing="ij")
    expected = noise**2 + 5 * item**2
    log = -0.5 * (11 * np.log(expected) + between / expected + 48 * np.log(noise**2) + within / noise**2)
    log -= 2 * (np.log1p((item / spread) ** 2 / 3) + np.log1p((noise / spread) ** 2 / 3))
    weight = np.exp(log - log.max())
    for name, axis, summed in (("item", item[:, 0], 1), ("replicate", noise[0], 0)):
        law = np.cumsum(weight.sum(axis=summed))
        wanted = np.interp([0.1, 0.5, 0.9], law / law[-1], axis)
        assert np.quantile(np.sqrt(found.drawn(name)), [0.1, 0.5, 0.9]) == pytest.approx(wanted, abs=0.02), name
    flat = (weight * expected).sum() / weight.sum()  # variance of the mean given both, averaged
    assert found.mean.se**2 == pytest.approx(flat / 60, rel=0.08)
    assert found.mean.value == pytest.approx(scores.mean(), abs=0.02)


def test_chains_that_do_not_agree_are_refused_with_what_to_raise(table):
    found = posterior_of(q.decompose(table))
    r_hat = {**found.checks.r_hat, "item": 1.04}
    with pytest.raises(NotConverged, match=r"R-hat 1.040 of item, at most 1.01.*Use draws=1000 and warmup=400") as told:
        refuse_unconverged(replace(found, checks=replace(found.checks, r_hat=r_hat)), 500, 200)
    assert told.value.partial.variances == found.variances
    ess = {**found.checks.ess, "prompt": 100.0}
    with pytest.raises(NotConverged, match=r"100 effective draws of prompt, at least 400 are needed. Use draws=3000$"):
        refuse_unconverged(replace(found, checks=replace(found.checks, ess=ess)), 500, 200)
    ess["prompt"] = float("nan")
    with pytest.raises(NotConverged, match="nan effective draws of prompt"):
        refuse_unconverged(replace(found, checks=replace(found.checks, ess=ess)), 500, 200)


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


def few_marks(marks: int = 2, items: int = 30, prompts: int = 3, each: int = 4, sd: float = 1.2) -> q.types.Judgments:
    rng = np.random.default_rng(5)
    shape = items, prompts, each
    eta = rng.normal(0, sd, (items, 1, 1)) + rng.normal(0, 0.5, (1, prompts, 1)) + rng.logistic(0.4, 1, shape)
    item, prompt, replicate = (axis.ravel() for axis in np.indices(shape))
    score = np.digitize(eta, np.linspace(-1.5, 1.5, marks - 1) if marks > 2 else [0.0]).ravel()
    columns = {"item": item, "prompt": prompt, "replicate": replicate, "score": score}
    return q.read(pl.DataFrame(columns), announce=False)


@pytest.mark.parametrize("marks", [2, 4])
def test_redrawn_studies_have_the_cells_and_the_log_odds_of_the_prior(marks):
    model = log_odds(few_marks(marks), "logit" if marks == 2 else "ordinal", ["item", "prompt"], (), {"item": 0.04})
    assert [law.origin for law in model.prior] == ["published", "default"]
    rng, total = np.random.default_rng(1), model.laid.layout.counts.sum(axis=1)
    sizes = []
    for _ in range(200):
        truth, study = model.redrawn(rng)
        assert [*truth] == [*model.numbers, "mean"]
        assert study.laid.layout.counts.sum(axis=1).tolist() == total.tolist()
        assert 0 <= truth["mean"] <= marks - 1
        sizes.append(np.sqrt(truth["item"]))
    assert np.median(sizes) == pytest.approx(0.2 * 0.7649, rel=0.25)  # standard error 7%


def test_a_prior_is_of_the_same_link():
    scores = few_marks()
    linear, logit = q.decompose(scores), q.decompose(scores, link="logit", random=["item", "prompt"])
    with pytest.raises(InvalidInput, match='prior: its components are by link "identity", those of this model by link'):
        q.scores.posterior(scores, link="logit", prior=linear)
    with pytest.raises(InvalidInput, match='with the same link="identity"'):
        q.scores.posterior(scores, prior=logit)
    laws = {law.name: law for law in log_odds(scores, "logit", ["item", "prompt"], (), logit).prior}
    assert (laws["item"].family, laws["item"].origin) == ("lognormal", "pilot")
    assert laws["item"].scale ** 2 == pytest.approx(logit.variance("item"))
    assert laws["prompt"].family == "half-t"


@pytest.mark.bayes
def test_the_posterior_of_a_one_way_table_is_known():
    """Two numbers on a grid, item effects integrated out by 40 Gauss-Hermite nodes."""
    scores = few_marks(items=10, prompts=1, each=6)
    found = q.scores.posterior(scores, link="logit", random=["item"], draws=4000, seed=3, on_quote=lambda _: None)
    code = scores.level_codes(["item"])
    ones, n = np.bincount(code, scores.n * scores.mean), np.bincount(code, scores.n)
    node, weight = hermegauss(40)
    sd, cut = np.linspace(1e-3, 8, 500), np.linspace(-7, 7, 401)
    eta = sd[:, None, None] * node - cut[:, None]
    log = np.zeros((len(sd), len(cut)))
    for k, m in zip(ones, n, strict=True):
        log += np.log(np.exp(k * eta - m * np.logaddexp(0, eta)) @ (weight / weight.sum()))
    log -= 2 * np.log1p((sd[:, None] / 2.5) ** 2 / 3) + 2 * np.log1p((cut / 2.5) ** 2 / 3)
    density = np.exp(log - log.max())
    ends = np.array([0.1, 0.5, 0.9])
    for draws, axis, law in (
        (np.sqrt(found.drawn("item")), sd, density.sum(axis=1)),
        (found.thresholds[:, 0], cut, density.sum(axis=0)),
    ):
        below = np.cumsum(law) / law.sum()
        assert np.quantile(draws, ends) == pytest.approx(np.interp(ends, below, axis), abs=0.08)
    mean = (1 / (1 + np.exp(-eta))) @ (weight / weight.sum())
    assert found.mean.draws.mean() == pytest.approx(float((density * mean).sum() / density.sum()), abs=0.01)


@pytest.mark.bayes
@pytest.mark.parametrize(("marks", "link"), [(2, "logit"), (4, "ordinal")])
def test_medians_are_near_maximum_likelihood_where_the_scores_tell(marks, link):
    scores = few_marks(marks, items=120, prompts=8, each=4)
    options = {"link": link, "random": ["item", "prompt"]}
    fit, found = (
        q.decompose(scores, **options),
        q.scores.posterior(scores, **options, seed=1, on_quote=lambda _: None),
    )
    item = next(one for one in fit.components if one.name == "item")
    assert abs(found.variance("item") - item.variance) < 0.5 * item.se
    low, high = found.interval("item").ends
    assert high - low == pytest.approx(item.high - item.low, rel=0.25)
    assert np.median(found.thresholds, axis=0) == pytest.approx(fit.thresholds, abs=0.2)
    assert found.mean.value == pytest.approx(fit.mean.value, abs=0.4 * fit.mean.se)
