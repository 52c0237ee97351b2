from __future__ import annotations

import numpy as np
import pytest

from quorate.errors import InvalidData
from quorate.table.columns.labels import encode, status_of, statuses_of, unknown_statuses


@pytest.mark.parametrize(
    ("word", "status"), [("success", "ok"), ("refusal", "refused"), ("length", "truncated"), ("great", None)]
)
def test_words_for_statuses(word, status):
    assert status_of(word) == status


def test_unknown_statuses_are_named():
    message = str(unknown_statuses("st", ["a", None, "b", "c", "d", "e", "f"]))
    assert message == (
        'column "st" has statuses that are not known: "a", (empty), "b", "c", "d" and 2 more; '
        'use one of ok, unparsed, refused, error, truncated, or status="" to ignore the column'
    )


def test_every_level_has_a_status_and_every_row_a_word():
    words = np.array(["Refused ", "ok", None], dtype=object)
    assert statuses_of(encode(words[:2], np.zeros(2, dtype=bool)), "st") == ["refused", "ok"]
    with pytest.raises(InvalidData, match=r"not known: \(empty\); use one of"):
        statuses_of(encode(words, np.array([False, False, True])), "st")
