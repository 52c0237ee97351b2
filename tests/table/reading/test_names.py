"""What words in the names of columns say."""

from __future__ import annotations

import pytest

from quorate.table.columns.outcomes import plain
from quorate.table.reading.names import QUESTION, measures, no_score


@pytest.mark.parametrize(
    ("name", "question", "measured", "none"),
    [
        ("Q12", True, False, False),
        ("item 3a", True, False, False),
        ("response_len", False, True, True),
        ("quality", False, False, False),
        ("plain_first", False, False, True),
        ("art_id", False, False, True),
    ],
)
def test_words_say_what_a_column_may_hold(name, question, measured, none):
    assert (QUESTION.fullmatch(plain(name)) is not None, measures(name), no_score(name)) == (question, measured, none)
