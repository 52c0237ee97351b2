"""Verdicts in double brackets, in the texts of judges."""

from __future__ import annotations

import json

import polars as pl
import pytest
from logs import json_lines

import quorate as q
from quorate.errors import InvalidInput
from quorate.table.pairs import TIE

WON = ("A", "B", "C")


def compared(n):
    pair = ("swift", "tern") if n % 2 else ("tern", "swift")
    said = f"[[A]] would be too kind {n}. " if n % 9 == 0 else f"Both are fine {n}. "
    text = "no verdict" if n == 5 else f"{said}My verdict: [[{WON[n % 3]}]]"
    return {"q": f"t{n // 2}", "assistant_a": pair[0], "assistant_b": pair[1], "judge": "j", "text": text, "ms": 90 + n}


def test_the_last_word_in_double_brackets_says_who_won(tmp_path):
    path = tmp_path / "judged.jsonl"
    rows = [compared(n) for n in range(40)]
    path.write_text(json_lines(rows))
    first = sum(n % 3 == 0 if n % 2 else n % 3 == 1 for n in range(40) if n != 5)
    for source in (path, pl.DataFrame(rows)):
        votes = q.read(source, announce=False)
        assert votes.wins("swift", "tern") == first
        assert ((votes.outcome == TIE).sum(), votes.n) == (sum(n % 3 == 2 for n in range(40) if n != 5), 39)


@pytest.mark.parametrize("told", [True, False])
def test_numbers_in_double_brackets_are_scores_where_they_are_called_ratings(tmp_path, told):
    word = "Rating:" if told else "see"
    path = tmp_path / "rated.jsonl"
    rows = [
        {"question_id": n, "model": model, "judgment": f"It is fine {n}. {word} [[{(n * 3 + at) % 7}]]"}
        for n in range(30)
        for at, model in enumerate(("swift", "tern"))
    ]
    path.write_text(json_lines(rows))
    if told:
        table = q.read(path, announce=False)
        assert (table.n_answers, table.mean.max(), table.facet("system").levels) == (60, 6, ("swift", "tern"))
    else:
        with pytest.raises(InvalidInput, match="no column looks like a judgment"):
            q.read(path, announce=False)


@pytest.mark.parametrize(
    "text",
    ["Say [[A]], [[B]] or [[C]]. It is [[A]]", "as [[Help:A]] says", "My verdict is [[A]]"],
    ids=["instructions", "links", "one alone"],
)
def test_other_words_in_brackets_are_no_verdicts(tmp_path, text):
    path = tmp_path / "rows.json"
    rows = [{**compared(n), "text": f"{n} {text}"} for n in range(20)]
    path.write_text(json.dumps(rows))
    with pytest.raises(InvalidInput):
        q.read_votes(path, announce=False)


@pytest.mark.parametrize("order", ["swapped", "shown_first"])
def test_what_a_stands_for_is_asked_where_the_order_changes(tmp_path, order):
    path = tmp_path / "judged.jsonl"
    rows = [
        {
            "question_id": f"t{n // 2}",
            "model_a": "swift",
            "model_b": "tern",
            order: bool(n % 2) if order == "swapped" else ("swift", "tern")[n % 2],
            "text": f"Both {n}. [[{WON[n % 3]}]]",
        }
        for n in range(36)
    ]
    path.write_text(json_lines(rows))
    with pytest.raises(InvalidInput, match=r"A is what was shown first\), or .*A is model_a\)") as caught:
        q.read(path, announce=False)
    by_place, as_named = (way.options for way in caught.value.ways)
    first = sum(n % 3 == n % 2 for n in range(36))
    for source in (path, pl.DataFrame(rows)):
        assert q.read(source, announce=False, kind="votes", **by_place).wins("swift", "tern") == first
        assert q.read(source, announce=False, kind="votes", **as_named).wins("swift", "tern") == 12
