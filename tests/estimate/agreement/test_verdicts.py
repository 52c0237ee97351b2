from __future__ import annotations

import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidInput
from quorate.estimate.agreement.rightness import OF_VOTES, verdicts

ROWS = [
    (1, "b", "a", "x", "model_a", 2),
    (1, "a", "b", "x", "tie", 1),
    (1, "a", "b", "y", "both bad", 1),
    (2, "a", "c", "x", "model_b", 1),
    (2, "a", "c", "y", None, 1),
]
NAMES = ["prompt", "model_a", "model_b", "judge", "winner", "count"]


def votes(**options):
    return q.read_votes(pl.DataFrame(ROWS, schema=NAMES, orient="row"), announce=False, **options)


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
