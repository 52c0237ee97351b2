"""Models of votes side by side."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from reference.style import votes as styled
from tables import votes_table

import quorate as q
from quorate.errors import InvalidInput, NotEstimable
from quorate.numerics.ratings.bradley_terry import fit
from quorate.numerics.ratings.ties import DAVIDSON


@pytest.fixture(scope="module")
def frame():
    people = np.array(["ann", "bob", "cy"])[np.arange(900) % 3]
    return pl.DataFrame(styled()).with_columns(prompt=np.arange(900) // 9, judge=people, order=pl.col("model_a"))


@pytest.fixture(scope="module")
def votes(frame):
    return q.read_votes(frame, covariates=["length"], announce=False)


@pytest.fixture(scope="module")
def found(votes):
    return q.votes.models(votes, covariates=["length"], folds=4)


@pytest.mark.slow
def test_aic_is_that_of_the_rating_of_each(found, votes):
    assert {one.name for one in found.models} == {
        *("Davidson", "Davidson at equal length", "Davidson at equal length, order"),
        *("Davidson at equal length, slopes of judges", "Davidson at equal length, ties of every system"),
        *("Rao and Kupper at equal length", "Thurstone, Glenn and David at equal length"),
    }
    for one in found.models:
        value = q.rank(votes, **one.options).log_likelihood
        assert one.log_likelihood == pytest.approx(value, rel=1e-9)
        assert one.aic == pytest.approx(2 * one.parameters - 2 * value)
    size = {one.name: one.parameters for one in found.models}
    assert size["Davidson"] == 5  # four differences and ties
    assert size["Davidson at equal length, ties of every system"] == 10
    assert [one.loss for one in found.models] == sorted(one.loss for one in found.models)
    assert found.models[-1].name == "Davidson"
    assert found.models[-1].behind > 5 * found.models[-1].se
    assert found.sentence.startswith("Of 7 models of 900 votes, ")


@pytest.mark.slow
def test_the_loss_is_that_of_votes_left_out_by_hand(votes):
    """Each prompt is in one part; the fit to the others gives its votes their chances."""
    found = q.votes.models(votes, cluster="prompt", folds=2)
    davidson = next(one for one in found.models if one.name == "Davidson")
    from quorate.estimate.ratings.counts import tally
    from quorate.estimate.ratings.models import RIDGE, parts

    counted = tally(votes, "davidson", None, position=False)
    held = parts(counted, "prompt", 2, 1)
    assert held.held == "prompt"
    assert all(len(set(held.part[held.cluster == level])) == 1 for level in range(100))
    pair = {(a, b): k for k, (a, b) in enumerate(zip(counted.design.a, counted.design.b, strict=True))}
    total = 0.0
    at = np.array([pair[ab] for ab in zip(votes.model_a, votes.model_b, strict=True)])
    outcome = np.minimum(votes.outcome, 2)
    for fold in (0, 1):
        counts = np.zeros((2, 1, 10, 3, 1))  # of the votes that are fitted, and of those left out
        np.add.at(counts, ((held.part == fold).astype(int), 0, at, outcome, 0), 1)
        theta = fit(counted.design, counts[0], RIDGE).theta[:, 0]
        for (a, b), k in pair.items():
            total -= counts[1, 0, k, :, 0] @ DAVIDSON.log_chances(theta[a] - theta[b], theta[-1])
    assert davidson.loss == pytest.approx(total / 900, rel=1e-9)


@pytest.mark.slow
def test_slopes_of_judges_are_tried_where_there_are_judges(votes):
    found = q.votes.models(votes, cluster="prompt", folds=2)
    assert "Davidson, slopes of judges" in {one.name for one in found.models}
    assert found.to_dict()["models"][0]["behind"] is None
    assert found.even > found.models[0].loss


def test_counted_votes_are_held_out_one_by_one():
    """In one row there are all wins of x over y: they are not left out together."""
    pairs = [("x", "y", 60, 40), ("x", "z", 70, 30), ("y", "z", 55, 45)]
    found = q.votes.models(votes_table(pairs, "model_a model_b a b", wins=("a", "b")))
    assert [one.name for one in found.models] in (
        ["Bradley and Terry", "Thurstone"],
        ["Thurstone", "Bradley and Terry"],
    )
    assert found.held == "vote"
    assert found.models[0].loss < found.even == pytest.approx(np.log(2))


def test_what_is_refused(votes):
    with pytest.raises(InvalidInput, match="folds: must be a whole number from 2 to 100, got 1"):
        q.votes.models(votes, folds=1)
    with pytest.raises(NotEstimable, match="folds: 3 levels of judge are fewer than 5 parts"):
        q.votes.models(votes, cluster="judge")
