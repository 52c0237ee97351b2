from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from quorate.errors import InvalidInput
from quorate.reporting.pages.table import page


@dataclass(frozen=True)
class TwoWords:
    """What it is about.

    More of it.
    """

    value: float
    place: Path
    made_from: Any = field(default=None, repr=False)
    shares: dict[str, float] = field(default_factory=lambda: {"a": 0.25, "b": 0.75})
    parts: tuple[dict[str, Any], ...] = ({"name": "x", "of": {"n": 1}}, {"name": "y", "of": {"n": 2}})


def test_what_a_dataclass_holds_is_on_its_page():
    made = page(TwoWords(0.5, Path("a/b"), made_from=object()))
    assert (made.title, made.sentence) == ("Two words", "What it is about.")
    assert made.content()["place"] == "a/b"
    assert "made_from" not in made.content()
    assert {row["what"]: row["value"] for row in made.facts.rows} == {"value": 0.5, "place": "a/b"}
    shares, parts = made.figures
    assert shares.rows == [{"what": "a", "value": 0.25}, {"what": "b", "value": 0.75}]
    assert parts.rows == [{"name": "x", "of n": 1}, {"name": "y", "of n": 2}]


def test_several_results_are_one_table():
    made = page((TwoWords(1.0, Path("a")), TwoWords(2.0, Path("b"))))
    assert made.title == "Two words"
    assert [row["value"] for row in made.figures[0].rows] == [1.0, 2.0]


def test_nothing_has_no_page():
    with pytest.raises(InvalidInput, match="result: an empty tuple"):
        page(())
