from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from tables import scores_table

import quorate as q
from quorate.errors import InvalidInput
from quorate.estimate.agreement.rightness import OF_VOTES, rightness, verdicts

ROWS = [
    *(("a", "x", 1), ("a", "y", 2), ("a", "ann", 1), ("a", "bob", 1)),
    *(("b", "x", 3), ("b", "y", 3), ("b", "ann", 3), ("b", "bob", 2)),
    *(("c", "x", 2), ("c", "ann", 2), ("c", "bob", 2)),
    ("d", "x", 1),
]


@pytest.fixture(scope="module")
def seen():
    table = scores_table(ROWS, "item judge score")
    return rightness(table, ["ann", "bob"])


def test_items_of_which_people_tie_or_say_nothing_have_no_label(seen):
    assert (seen.unlabelled, seen.undecided) == (1, 1)
    assert seen.judges == ("x", "y")
    assert seen.levels == (("x",), ("y",))
    np.testing.assert_array_equal(seen.right, [[1.0, 0.0], [1.0, np.nan]])


def test_ties_of_the_majority_count_in_parts(seen):
    np.testing.assert_array_equal(seen.majority(), [0.5, 1.0])
    np.testing.assert_array_equal(seen.by_judge(), seen.right)
    np.testing.assert_array_equal(seen.majority(np.array([1])), [0.0, np.nan])


MIXED_ROWS = [
    (1, "b", "a", "x", "model_a", 2),
    (1, "a", "b", "x", "tie", 1),
    (1, "a", "b", "y", "both bad", 1),
    (2, "a", "c", "x", "model_b", 1),
    (2, "a", "c", "y", None, 1),
]
NAMES = ["prompt", "model_a", "model_b", "judge", "winner", "count"]


def votes(**options):
    return q.read_votes(pl.DataFrame(MIXED_ROWS, schema=NAMES, orient="row"), announce=False, **options)


def test_votes_are_shares_of_verdicts_by_battle_and_configuration():
    found = verdicts(votes())
    assert (found.unit, found.names, found.wording) == ("battle", OF_VOTES, "variant")
    assert found.units == ("1: a against b", "2: a against c")
    assert found.cluster == ("1", "2")
    assert (found.roles, found.levels) == (("judge",), (("x",), ("y",)))
    rows = dict(zip(zip(found.of.tolist(), found.code.tolist(), strict=True), found.shares.tolist(), strict=True))
    assert rows == {(0, 0): pytest.approx([0, 2 / 3, 1 / 3]), (0, 1): [0, 0, 1], (1, 0): [0, 1, 0]}
    assert found.n.tolist() == [3, 1, 1]


def test_a_key_must_be_there():
    with pytest.raises(InvalidInput, match="key: no segment says which votes are of one battle"):
        verdicts(votes(), "segment")
    assert verdicts(votes(), "judge").cluster == ("x", "x", "y")


def test_scores_and_labels_keep_their_words():
    frame = pl.DataFrame({"item": ["i", "i", "k"], "judge": ["x", "y", "x"], "score": [1, 0, 1]})
    found = verdicts(q.read(frame, announce=False))
    assert (found.unit, found.names, found.units, found.cluster) == ("item", ("0", "1"), ("i", "k"), ("i", "k"))
    words = q.read(frame.with_columns(score=pl.lit("up")), labels=True, announce=False)
    with pytest.raises(Exception, match="two different labels"):
        verdicts(words)
