"""Leaderboards against a reference."""

from __future__ import annotations

import numpy as np
import pytest

from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.agreement.leaderboards import compare_leaderboards
from quorate.numerics.correlation import williams

SYSTEMS = [f"s{i}" for i in range(12)]


def board(values):
    return dict(zip(SYSTEMS, values, strict=True))


def test_correlations_of_scipy_and_williams_test():
    from scipy.stats import kendalltau, spearmanr

    rng = np.random.default_rng(1)
    truth = rng.normal(size=12)
    one, two = (truth + noise * rng.normal(size=12) for noise in (0.3, 1.0))
    found = compare_leaderboards(board(truth), {"one": board(one), "two": board(two)}, of="ranks")
    by_ratings = compare_leaderboards(board(truth), {"one": board(one), "two": board(two)})
    assert found.boards[0].spearman == pytest.approx(spearmanr(truth, one).statistic)
    assert found.boards[1].kendall == pytest.approx(kendalltau(truth, two).statistic)
    r = [spearmanr(*pair).statistic for pair in ((truth, one), (truth, two), (one, two))]
    assert found.differences[0].p == pytest.approx(float(williams(*r, 12).p))
    assert found.differences[0].difference == pytest.approx(r[0] - r[1])
    r = np.corrcoef([truth, one, two])
    assert by_ratings.boards[0].pearson == pytest.approx(r[0, 1])
    assert by_ratings.differences[0].p == pytest.approx(float(williams(r[0, 1], r[0, 2], r[1, 2], 12).p))


def test_the_order_of_the_systems_is_that_of_their_names():
    values = list(range(12))
    turned = dict(reversed(board(values).items()))
    assert compare_leaderboards(board(values), {"x": turned}).boards[0].spearman == 1


def test_two_boards_in_the_same_order_have_no_test():
    values = list(range(12))
    found = compare_leaderboards(board(values), {"x": board(values), "y": board(values)})
    assert np.isnan(found.differences[0].p)
    assert found.to_dict()["differences"][0]["p"] is None


def test_what_is_refused():
    values = board(range(12))
    with pytest.raises(NotEstimable, match="reference: 3 systems; at least 4"):
        compare_leaderboards({"a": 1, "b": 2, "c": 3}, {})
    with pytest.raises(InvalidInput, match='boards: x and the reference differ in "s0"'):
        compare_leaderboards(values, {"x": {k: v for k, v in values.items() if k != "s0"}})
    with pytest.raises(InvalidInput, match="of: expects one of ratings, ranks, got 'tau'"):
        compare_leaderboards(values, {}, of="tau")
    with pytest.raises(InvalidInput, match='boards: x has no finite rating of "s3"'):
        compare_leaderboards(values, {"x": values | {"s3": np.nan}})
