"""Shared levels by products and random signs, against the same by inverses."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.errors import NotConverged
from quorate.estimate.components import assemble
from quorate.numerics.mixed import information as information_module
from quorate.numerics.mixed import sampled as conjugate
from quorate.numerics.mixed import sampled as levels
from quorate.numerics.mixed.information import information
from quorate.numerics.mixed.reml import evaluate, traces
from quorate.numerics.mixed.sampled import conjugate_gradients
from quorate.numerics.mixed.solved import sampling_error, solve

FACETS = {"item": "item", "judge": "judge", "prompt": "prompt", "replicate": "rep"}
RANDOM = ["item", "judge", "prompt", "item:prompt", "cell"]
THETA = {
    "all": np.array([0.6, 0.05, 0.2, 0.1, 0.3, 0.1]),
    "a level term at zero": np.array([0.6, 0.05, 0.0, 0.1, 0.3, 0.1]),
    "a few at zero, hardly any of many": np.array([0.6, 0.0, 1e-9, 0.0, 0.3, 0.2]),
}


def table(items=300, judges=90, each=5, seed=0):
    """Items, each by a few of many judges with one of 3 prompts, some twice."""
    rng = np.random.default_rng(seed)
    item = np.repeat(np.arange(items), each)
    judge = np.concatenate([rng.choice(judges, each, replace=False) for _ in range(items)])
    prompt = rng.integers(0, 3, len(item))
    score = rng.normal(size=items)[item] + 0.5 * rng.normal(size=judges)[judge] + np.array([0, 0.4, -0.3])[prompt]
    frame = pl.DataFrame({"item": item, "judge": judge, "prompt": prompt})
    frame = pl.concat([frame.with_columns(score=pl.Series(score + rng.normal(0, 0.8, len(item)))) for _ in range(2)])
    return frame.with_columns(rep=np.repeat([0, 1], len(item))).filter(~((pl.col("rep") == 1) & (pl.col("item") > 200)))


@pytest.fixture(scope="module")
def few_levels():
    return q.read(table(), facets=FACETS, fixed=())


@pytest.fixture(scope="module")
def both(few_levels):
    """The same fit by the inverse, and by products with a term of 90 levels taken by signs."""
    exact = q.decompose(few_levels, random=RANDOM)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(assemble, "MOST_INVERTED", 0)
        sampled = q.decompose(few_levels, random=RANDOM)
    assert (exact.assembled.problem.sampled, sampled.assembled.problem.sampled) == (False, True)
    assert exact.assembled.names == sampled.assembled.names
    return exact, sampled


@pytest.mark.slow
def test_the_terms_are_of_every_kind(both):
    problem = both[1].assembled.problem
    levels = np.bincount(problem.units.shared_term)
    assert problem.n_within == 2
    assert sorted(levels.tolist()) == [3, 90], "one exact, one by signs"
    assert problem.n_residual == 2


def test_components_differ_by_less_than_the_signs_say(both):
    exact, sampled = both
    caveat = next(one for one in sampled.caveats if one.code == "sampled-traces")
    assert "sampled-traces" not in {one.code for one in exact.caveats}
    covariance = sampled.covariance / sampled.assembled.scale**4
    said = float(sampling_error(sampled.assembled.problem, sampled.point.solved, covariance).max())
    assert 0 < said < 0.1
    assert f"{said:.1%}" in caveat.sentence
    for name, value in exact.variances.items():
        se = next(c.se for c in exact.components if c.name == name)
        assert abs(sampled.variances[name] - value) < 4 * said * se + 1e-6
    assert np.isnan(sampled.criterion)


def test_mean_and_errors_agree(both):
    exact, sampled = both
    assert sampled.mean.value == pytest.approx(exact.mean.value, abs=0.02 * exact.mean.se)
    assert sampled.mean.se == pytest.approx(exact.mean.se, rel=0.01)
    for mine, theirs in zip(sampled.components, exact.components, strict=True):
        assert mine.se == pytest.approx(theirs.se, rel=0.15), mine.name


@pytest.mark.parametrize("facet", ["judge", "item", "prompt"])
def test_predictions_agree(both, facet):
    exact, sampled = (q.scores.effects(fit, facet, shrink=True) for fit in both)
    size = max(abs(row.effect) for row in exact)
    for mine, theirs in zip(sampled, exact, strict=True):
        assert mine.effect == pytest.approx(theirs.effect, abs=0.01 * size)
        assert mine.se == pytest.approx(theirs.se, rel=0.1)


@pytest.mark.wide(1)
@pytest.mark.parametrize(
    "name", ["all", pytest.param("a level term at zero", marks=pytest.mark.slow), "a few at zero, hardly any of many"]
)
def test_solutions_and_traces_at_a_point(both, name, monkeypatch):
    """What is solved agrees to rounding, what is averaged over 600 signs and 80 draws to its error."""
    theta = THETA[name]
    monkeypatch.setattr(levels, "SIGNS", 600)
    monkeypatch.setattr("quorate.numerics.mixed.sampled.SIGNS", 600)
    monkeypatch.setattr(information_module, "DRAWS", 80)
    dense, sampled = (fit.assembled.problem for fit in both)
    one, other = evaluate(dense, theta), evaluate(sampled, theta)
    np.testing.assert_allclose(other.effects, one.effects, atol=1e-7)
    np.testing.assert_allclose(other.hessian, one.hessian, rtol=1e-6, atol=1e-6 * np.abs(one.hessian).max())
    at, there = solve(dense, theta), solve(sampled, theta)
    np.testing.assert_allclose(there.levels.of_fixed, at.levels.of_fixed, atol=1e-9)
    wanted = traces(dense, at)
    np.testing.assert_allclose(traces(sampled, there), wanted, rtol=12e-3, atol=1e-6 * np.abs(wanted).max())
    np.testing.assert_allclose(there.levels.diagonal, at.levels.diagonal, rtol=0.08)
    wanted = information(dense, at)
    scale = np.sqrt(np.outer(np.diag(wanted), np.diag(wanted)))
    np.testing.assert_allclose(information(sampled, there) / scale, wanted / scale, atol=0.03)


def test_the_information_on_a_term_of_few_levels_is_exact(monkeypatch):
    """Half the trace of ``P A_s P A_t`` over raw rows, from matrices written out; of prompts, which have 3 levels."""
    frame = table(40, 12)
    monkeypatch.setattr(assemble, "MOST_INVERTED", 0)
    assembled = q.decompose(q.read(frame, facets=FACETS, fixed=()), random=RANDOM).assembled
    assert assembled.problem.sampled
    theta = THETA["all"]
    keys = {"item:prompt": ["item", "prompt"], "cell": ["item", "judge", "prompt"], "replicate": [*frame.columns]}
    codes = [frame.select(pl.struct(keys.get(name, [name])).rank("dense")).to_series() for name in assembled.names]
    shared = [np.equal.outer(code.to_numpy(), code.to_numpy()).astype(float) for code in codes]
    inverse = np.linalg.inv(np.tensordot(theta, shared, 1))
    of_all = inverse.sum(axis=1)
    projection = inverse - np.outer(of_all, of_all) / of_all.sum()
    prompt = assembled.names.index("prompt")
    wanted = [np.sum((projection @ shared[prompt]) * (projection @ one).T) / 2 for one in shared]
    found = information(assembled.problem, solve(assembled.problem, theta))
    assert found[prompt] == pytest.approx(np.array(wanted), rel=1e-5)
    assert found[:, prompt] == pytest.approx(found[prompt])


@pytest.mark.slow
def test_maximum_likelihood_leaves_fixed_effects_out_of_traces(few_levels, monkeypatch):
    exact = q.decompose(few_levels, random=RANDOM, method="ml")
    monkeypatch.setattr(assemble, "MOST_INVERTED", 0)
    sampled = q.decompose(few_levels, random=RANDOM, method="ml")
    for name, value in exact.variances.items():
        assert sampled.variances[name] == pytest.approx(value, rel=0.02), name


def test_what_cannot_be_told_apart_is_the_same(monkeypatch):
    frame = table(80, 30).with_columns(twin=pl.col("judge"))
    read = q.read(frame, facets={**FACETS, "twin": "twin"}, fixed=())
    terms = ["item", "judge", "twin", "prompt"]
    exact = q.decompose(read, random=terms)
    monkeypatch.setattr(assemble, "MOST_INVERTED", 0)
    monkeypatch.setattr(levels, "FEW_LEVELS", 4)
    sampled = q.decompose(read, random=terms)
    assert frozenset({"judge", "twin"}) in exact.aliases
    assert sampled.aliases == exact.aliases
    assert sampled.absorbed == exact.absorbed


@pytest.mark.slow
def test_bootstrap_draws_are_fitted_again(few_levels, monkeypatch):
    monkeypatch.setattr(assemble, "MOST_INVERTED", 0)
    small = q.decompose(q.read(table(60, 20), facets=FACETS, fixed=()), random=["item", "judge"])
    low, high = small.bootstrap(100).interval("item").ends
    assert low < small.variance("item") < high


def test_conjugate_gradients(monkeypatch):
    rng = np.random.default_rng(5)
    half = rng.normal(size=(60, 40))
    matrix = half.T @ half + np.diag(rng.uniform(1, 100, 40))
    right = np.column_stack([rng.normal(size=(40, 3)), np.zeros(40), matrix[:, 0]])
    got = conjugate_gradients(lambda v: matrix @ v, np.diag(matrix), right, 1e-12)
    np.testing.assert_allclose(got, np.linalg.solve(matrix, right), atol=1e-9)
    monkeypatch.setattr(conjugate, "_MOST_PRODUCTS", 3)
    with pytest.raises(NotConverged, match="effects of 40 levels were not found after 3 products"):
        conjugate_gradients(lambda v: matrix @ v, np.diag(matrix), right)


def test_conjugate_gradients_take_no_more_products_than_there_are_levels_however_unlike_these_are():
    rng = np.random.default_rng(5)
    half, scale = rng.normal(size=(60, 40)), np.geomspace(1, 1000, 40)
    matrix = scale[:, None] * (half.T @ half + np.diag(rng.uniform(1, 100, 40))) * scale
    right, products = rng.normal(size=(40, 1)), []

    def times(v):
        products.append(v)
        return matrix @ v

    got = conjugate_gradients(times, np.diag(matrix), right, 1e-12)
    np.testing.assert_allclose(matrix @ got, right, atol=1e-8)
    assert len(products) <= 40


# What random signs say of their own error, against other signs.


@pytest.mark.slow
def test_the_error_is_the_spread_over_other_signs(monkeypatch):
    rng = np.random.default_rng(2)
    item, judge = np.repeat(np.arange(400), 4), rng.integers(0, 100, 1600)
    score = rng.normal(size=400)[item] + 0.5 * rng.normal(size=100)[judge] + rng.normal(size=1600)
    frame = pl.DataFrame({"item": item, "judge": judge, "score": score}).unique(["item", "judge"], maintain_order=True)
    judgments = q.read(frame, facets={"item": "item", "judge": "judge"}, fixed=())
    monkeypatch.setattr(assemble, "MOST_INVERTED", 0)
    fits = []
    for seed in range(30):
        monkeypatch.setattr(levels, "stream", lambda *_, seed=seed: np.random.default_rng(seed))
        fits.append(q.decompose(judgments, random=["item", "judge"]))
    said = np.mean(
        [sampling_error(f.assembled.problem, f.point.solved, f.covariance / f.assembled.scale**4) for f in fits], axis=0
    )
    moved = np.std([f.theta for f in fits], axis=0, ddof=1) * fits[0].assembled.scale ** 2
    moved /= np.sqrt(np.diag(fits[0].covariance))
    # A standard deviation of 30 has an error of 13%, one of 48 signs 10% (and 2% on average over 30).
    assert moved == pytest.approx(said, rel=0.35)
    assert said.max() < 0.05
