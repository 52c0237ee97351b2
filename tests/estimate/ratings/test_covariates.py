"""Ratings at equal covariates: against arena-rank, and what they do to a board."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from reference.style import votes as reference_votes

import quorate as q
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.ratings.counts import tally
from quorate.numerics.ratings.bradley_terry import fit, scores
from quorate.numerics.ratings.draws import centred
from quorate.numerics.ratings.inverses import inverse_information

RECORDED = json.loads((Path(__file__).parents[2] / "reference" / "style.json").read_text())
STYLE = ["length", "lists"]
FACETS = {"length_a": "length_a", "length_b": "length_b", "lists": "lists"}


@pytest.fixture(scope="module")
def frame():
    return pl.DataFrame(reference_votes())


@pytest.fixture(scope="module")
def votes(frame):
    return q.read_votes(frame, facets=FACETS, announce=False)


@pytest.fixture(scope="module")
def board(votes):
    return q.rank(votes, ties="half", covariates=STYLE)


def agrees(board, recorded):
    """Ratings and coefficients, to 1e-6."""
    wanted = dict(zip(sorted(board.systems), recorded["rating"], strict=True))
    np.testing.assert_allclose(board.rating, [wanted[name] for name in board.systems], atol=1e-6)
    found = [one.value for one in board.coefficients.values()]
    np.testing.assert_allclose(found, recorded["coefficients"], atol=1e-6)


def test_ratings_and_coefficients_are_those_of_arena_rank(board, frame):
    agrees(board, RECORDED["plain"])
    style = frame.with_columns(length=pl.col("length_a") - pl.col("length_b"))
    normal = style.with_columns([(pl.col(name) - pl.col(name).mean()) / pl.col(name).std(ddof=0) for name in STYLE])
    pair = [tuple(sorted(pair)) for pair in zip(frame["model_a"], frame["model_b"], strict=True)]
    weights = np.array([1 / max(pair.count(one), 50) for one in pair])
    table = q.read_votes(normal, facets={name: name for name in STYLE}, announce=False)
    agrees(q.rank(table, ties="half", covariates=STYLE, weights=weights), RECORDED["centred"])


def test_standard_errors_are_those_of_arena_rank_before_they_allow_for_leverage(votes):
    counted = tally(votes, "half", None, position=False, covariates=STYLE)
    at = fit(counted.design, counted.counts[..., None])
    vote, bread = scores(counted.design, at.theta[:, 0]).toarray(), inverse_information(counted.design, at, 0.0)
    meat = vote.T @ (counted.counts.ravel()[:, None] * vote)
    found = np.sqrt(np.diag(centred(bread @ meat @ bread, 5)))
    np.testing.assert_allclose(found, RECORDED["plain"]["se"], rtol=1e-6)


def test_it_is_the_same_whichever_way_round_pairs_are_written(frame, board):
    flip = {"model_a": "model_b", "model_b": "model_a", "tie": "tie"}
    turned = frame.rename({"model_a": "model_b", "model_b": "model_a", "length_a": "length_b", "length_b": "length_a"})
    turned = turned.with_columns(pl.col("winner").replace(flip), lists=-pl.col("lists"))
    other = q.rank(q.read_votes(turned, facets=FACETS, announce=False), ties="half", covariates=STYLE)
    np.testing.assert_allclose(other.rating, board.rating, atol=1e-9)
    np.testing.assert_allclose(other.se, board.se, atol=1e-9)


@pytest.mark.parametrize(
    ("names", "error", "message"),
    [
        (["width"], InvalidInput, 'the votes have no "width", nor "width_a" and "width_b"'),
        (["lists", "lists"], InvalidInput, "names, each once"),
        ("lists", InvalidInput, "names, each once"),
        (["word"], InvalidInput, 'expects numbers, but "word" has labels such as "x"'),
        (["same"], NotEstimable, "same never differs"),
        (["gone"], NotEstimable, "gone has no number in 1 rows"),
        (["system"], NotEstimable, "system cannot be told from the ratings"),
    ],
)
def test_what_is_refused(frame, names, error, message):
    place = {f"s{i}": float(i) for i in range(5)}
    apart = pl.col("model_a").replace_strict(place) - pl.col("model_b").replace_strict(place)
    more = frame.with_columns(word=pl.lit("x"), same=pl.lit(0.0), system=apart).with_row_index("gone")
    more = more.with_columns(gone=pl.when(pl.col("gone") > 0).then(pl.col("gone")).cast(pl.Float64))
    known = {name: name for name in ("lists", "word", "same", "gone", "system")}
    with pytest.raises(error, match=message):
        q.rank(q.read_votes(more, facets=known, announce=False), covariates=names)
