from __future__ import annotations

import json

import pytest

import quorate as q
from quorate.errors import InvalidInput, UnknownTerm
from quorate.numerics.posterior import marginal, nuts
from quorate.simulate import write_demo


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    return q.read(write_demo(tmp_path_factory.mktemp("scores") / "scores.csv"), announce=False)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"draws": 99}, "draws: a whole number of at least 100 is needed, got 99"),
        ({"warmup": 10.5}, "warmup: a whole number of at least 100 is needed, got 10.5"),
        ({"chains": 1}, "chains: a whole number of at least 2 is needed, got 1"),
        ({"seed": -1}, "seed: must be a whole number of at least 0"),
        ({"prior": {"annotator": 1.0}}, "prior: has none of the components"),
        ({"targets": {"judge": "sensitivity"}}, "judge: a sensitivity is an index"),
        ({"link": "probit"}, "link: one of 'identity', 'logit', 'ordinal' is needed, got 'probit'"),
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
    monkeypatch.setattr(nuts, "find_spec", lambda _: None)
    with pytest.raises(InvalidInput, match=r"pip install 'quorate\[bayes\]'"):
        q.scores.posterior(table)
    monkeypatch.setattr(marginal, "size", lambda _: 1e9)
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
