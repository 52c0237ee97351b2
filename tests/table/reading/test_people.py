"""What people said beside what judges did."""

from __future__ import annotations

import pytest

from quorate.table.reading.key import people_beside


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        (("judge_passed", "human_passed"), (("human_passed",), ("judge_passed",))),
        (("gold", "gpt-4o", "claude"), (("gold",), ("gpt-4o", "claude"))),
        (("expert_1", "expert_2"), None),
        (("a", "b"), None),
    ],
)
def test_people_are_told_from_judges_by_names(columns, told):
    assert people_beside(columns) == told
