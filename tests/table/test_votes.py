from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import votes_table

import quorate as q
from quorate.errors import InvalidInput, UnknownTerm
from quorate.table.pairs import BOTH_BAD, MISSING, TIE, A, B, pairs_of, summed, turn
from quorate.table.read_votes import read_votes
from quorate.table.votes import Votes, checked_votes

ROWS = [
    # model_a, model_b, winner, judge, lang
    ("x", "y", "model_a", "j1", "de"),
    ("y", "x", "model_a", "j1", "de"),
    ("x", "y", "tie", "j2", "de"),
    ("y", "x", "tie (bothbad)", "j2", "fr"),
    ("x", "z", "model_b", "j1", "fr"),
    ("x", "z", None, "j1", "fr"),
    ("z", "y", "model_a", None, None),
]


@pytest.fixture
def votes():
    return votes_table(ROWS, "model_a model_b winner judge lang")


def test_counts(votes):
    assert (votes.rows, votes.n, votes.n_decisive, votes.n_missing) == (7, 6, 4, 1)
    assert votes.totals == (1, 3, 1, 1, 1)
    assert votes.tie_share == pytest.approx(2 / 6)
    assert votes.statuses == {"ok": 6, "missing": 1}
    assert repr(votes) == "Votes(6 votes, 4 decisive; models 3, pairs 3)"


def test_wins_of_one_model_over_another(votes):
    assert votes.wins("x", "y") == 1
    assert votes.wins("y", "x") == 1
    assert votes.wins("x", "z") == 0
    assert votes.wins("z", "x") == 1
    assert votes.wins("z", "y") == 1
    with pytest.raises(UnknownTerm, match='no system "w"'):
        votes.wins("w", "x")


def test_a_pair_is_oriented_as_asked(votes):
    forward, backward = votes.pair("x", "y"), votes.pair("y", "x")
    assert (forward.models, backward.models) == (("x", "y"), ("y", "x"))
    assert forward.outcome.tolist() == [0, 1, 2, 3]
    assert backward.outcome.tolist() == [1, 0, 2, 3]
    np.testing.assert_array_equal(forward.encoded(), 1 - backward.encoded())
    assert backward.wins("y", "x") == votes.wins("y", "x")
    np.testing.assert_array_equal(backward.pair("x", "y").outcome, forward.outcome)
    np.testing.assert_array_equal(forward.swapped, ~backward.swapped)


def test_the_order_turns_with_the_pair():
    frame = pl.DataFrame({"model_a": ["x", "y", "x"], "model_b": ["y", "x", "y"], "winner": ["a", "a", "b"]})
    votes = read_votes(frame.with_columns(shown_first=pl.Series(["x", "x", None])), announce=False)
    assert votes.pair("x", "y").order.tolist() == [0, 0, -1]
    assert votes.pair("y", "x").order.tolist() == [1, 1, -1]
    assert votes.pair("y", "x").describe().first == votes.describe().first


def test_a_pair_that_is_none(votes):
    with pytest.raises(InvalidInput, match='"x" against itself'):
        votes.pair("x", "x")
    apart = votes.keep(votes.model_a == 0).keep(np.array([True] * 4 + [False, False]))
    assert apart.models == ("x", "y")
    with pytest.raises(UnknownTerm):
        apart.pair("x", "z")
    lone = pl.DataFrame({"model_a": ["x", "z"], "model_b": ["y", "w"], "winner": ["tie", "tie"]})
    with pytest.raises(InvalidInput, match='no vote compares "x" with "w"'):
        read_votes(lone, announce=False).pair("x", "w")


@pytest.mark.parametrize(
    ("ties", "expected"),
    [
        ("drop", [0, 1, np.nan, np.nan, 1, np.nan, 1]),
        ("half", [0, 1, 0.5, 0.5, 1, np.nan, 1]),
        ("pessimistic", [0, 1, 1, 1, 1, np.nan, 1]),
    ],
)
def test_encodings_of_ties(votes, ties, expected):
    np.testing.assert_array_equal(votes.encoded(ties), expected)


def test_pessimistic_is_against_the_model_named_first(votes):
    for first, second in (("x", "y"), ("y", "x")):
        y = votes.pair(first, second)
        assert np.nanmean(y.encoded("pessimistic")) >= np.nanmean(y.encoded("half"))
        assert y.encoded("pessimistic")[y.outcome >= 2].tolist() == [1, 1]


def test_an_encoding_that_is_not_known(votes):
    with pytest.raises(InvalidInput, match='must be one of drop, half, pessimistic, got "skip"'):
        votes.encoded("skip")


def test_keeping_drops_models_and_levels_that_do_not_occur(votes):
    kept = votes.only("prompt_type", "fr")
    assert kept.models == ("x", "y", "z")
    assert kept.facet("judge").levels == ("j1", "j2")
    assert kept.only("judge", "j1").models == ("x", "z")
    assert kept.only("judge", "j1").facet("prompt_type").levels == ("fr",)
    assert kept.only("judge", "j1").status.tolist() == [0, 5]
    assert votes.keep(np.zeros(7, dtype=bool)).n == 0


@pytest.mark.parametrize("mask", [[True], np.ones(7), np.arange(7)])
def test_a_mask_must_be_one_boolean_per_row(votes, mask):
    with pytest.raises(InvalidInput, match="mask: expects 7 booleans"):
        votes.keep(mask)


def test_levels_that_are_not_there(votes):
    with pytest.raises(UnknownTerm, match='"es"'):
        votes.only("prompt_type", "es")
    with pytest.raises(UnknownTerm, match='"prompt"'):
        votes.column("prompt")


def test_no_label_stays_no_label(votes):
    assert votes.column("judge").tolist() == [0, 0, 1, 1, 0, 0, -1]
    assert votes.keep(votes.column("judge") != 0).column("judge").tolist() == [0, 0, -1]


def test_models_told_apart_by_a_facet(votes):
    apart = votes.within("prompt_type")
    assert apart.models == ("x (de)", "x (fr)", "y (de)", "y (fr)", "z (fr)")
    assert apart.rows == 6
    assert apart.wins("y (de)", "x (de)") == 1
    assert set(apart.pairs()) == {("x (de)", "y (de)"), ("x (fr)", "y (fr)"), ("x (fr)", "z (fr)")}
    assert (apart.model_a < apart.model_b).all()


def test_counts_weigh_rows():
    frame = pl.DataFrame({"model_a": ["x", "x"], "model_b": ["y", "y"], "winner": ["A", "B"], "count": [3, 5]})
    votes = read_votes(frame, announce=False)
    assert (votes.wins("x", "y"), votes.wins("y", "x"), votes.n, votes.rows) == (3, 5, 8, 2)
    assert votes.keep(votes.outcome == B).weights.tolist() == [5]
    assert votes.keep(votes.outcome == A).n == 3


def test_what_is_no_table_of_votes():
    with pytest.raises(InvalidInput, match=r"expects what quorate.read_votes returns, got str"):
        checked_votes("votes.csv")


def test_an_empty_table_says_nothing():
    none = np.zeros(0, dtype=np.int32)
    empty = Votes((), none, none, none.astype(np.int8), none.astype(bool))
    assert (empty.n, len(empty.pairs())) == (0, 0)
    assert np.isnan(empty.tie_share)
    assert empty.describe().graph.components == ()


def test_rows_made_by_hand_are_oriented_alike():
    """One vote for x over y, written in both orders of the pair."""
    made = Votes(
        models=("x", "y"),
        model_a=np.array([0, 1], dtype=np.int32),
        model_b=np.array([1, 0], dtype=np.int32),
        outcome=np.array([0, 1], dtype=np.int8),
        swapped=np.zeros(2, dtype=np.bool_),
        order=np.array([0, 0], dtype=np.int8),
    )
    assert (made.model_a.tolist(), made.model_b.tolist()) == ([0, 0], [1, 1])
    assert made.outcome.tolist() == [0, 0]
    assert made.swapped.tolist() == [False, True]
    assert made.order.tolist() == [0, 1]
    assert (made.wins("x", "y"), made.wins("y", "x"), len(made.pairs())) == (2, 0, 1)
    assert made.pair("y", "x").outcome.tolist() == [1, 1]


ROWS_OF_PAIRS = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 4), st.integers(1, 3)), max_size=30
)


def columns(rows):
    a, b, outcome, count = np.array(rows, dtype=np.int64).reshape(-1, 4).T
    return a.astype(np.int32), b.astype(np.int32), outcome.astype(np.int8), count


@given(ROWS_OF_PAIRS)
def test_votes_are_counted_by_pair_and_outcome(rows):
    rows = [row for row in rows if row[0] < row[1]]
    a, b, outcome, count = columns(rows)
    pairs = pairs_of(("w", "x", "y", "z"), a, b, outcome, count)
    counts = (pairs.a_wins, pairs.b_wins, pairs.ties, pairs.both_bad, pairs.missing)
    for place, (first, second) in enumerate(pairs):
        between = [row for row in rows if (row[0], row[1]) == ("wxyz".index(first), "wxyz".index(second))]
        expected = [sum(row[3] for row in between if row[2] == code) for code in (A, B, TIE, BOTH_BAD, MISSING)]
        assert [int(count[place]) for count in counts] == expected
    assert len(pairs) == len({row[:2] for row in rows})
    assert [pairs.names[code] for code in pairs.code] == [("wxyz"[x], "wxyz"[y]) for x, y, *_ in rows]
    assert pairs.votes.sum() + pairs.missing.sum() == count.sum()


def test_a_hundred_thousand_models():
    a = np.arange(99_999, dtype=np.int32)
    pairs = pairs_of(tuple(map(str, range(100_000))), a, a + 1, np.zeros(99_999, dtype=np.int8), None)
    assert len(pairs) == 99_999
    assert pairs.decisive.tolist() == [1] * 99_999


def test_counts_beyond_32_bits_are_exact():
    assert summed(np.array([0, 0]), np.array([2**40, 1]), 1).tolist() == [2**40 + 1]


@pytest.mark.parametrize(("code", "turned"), [(A, B), (B, A), (TIE, TIE), (BOTH_BAD, BOTH_BAD), (MISSING, MISSING)])
def test_turning_exchanges_the_two_models_only(code, turned):
    both = turn(np.array([code, code], dtype=np.int8), np.array([True, False]))
    assert both.tolist() == [turned, code]


def test_votes_where_scores_are_asked_for_are_referred_to_what_reads_them():
    columns = {"model_a": ["x"] * 9, "model_b": ["y"] * 9, "winner": ["model_a"] * 9, "judge": [*"jkl"] * 3}
    with pytest.raises(InvalidInput, match="hold votes, and scores are asked for; compare and rank"):
        q.judges(q.read_votes(pl.DataFrame(columns), announce=False))
