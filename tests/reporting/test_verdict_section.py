from __future__ import annotations

import quorate as q
from quorate.reporting.verdict_section import verdict_facts, verdict_sections


def names(found):
    return [part.name for part in verdict_sections(found)]


def test_what_would_decide_is_there_while_it_is_open(ballots, rated):
    assert names(q.compare(ballots(), "a", "c")) == ["verdict"]
    assert names(q.compare(ballots(each=20, spread=0.2), "a", "b")) == ["verdict", "next"]
    assert names(q.compare(rated(), "system 0", "system 2")) == ["verdict", "sources"]
    assert names(q.compare(rated(gap=0.2, favour=0.05, judges=6), "system 0", "system 1")) == [
        "verdict",
        "next",
        "sources",
    ]


def test_that_nothing_would_is_said():
    import polars as pl

    votes = q.read_votes(
        pl.DataFrame({"model_a": ["x"] * 2, "model_b": ["y"] * 2, "winner": ["x", "y"]}), announce=False
    )
    _, step = verdict_sections(q.compare(votes, "x", "y"))
    assert step.figures == ()
    assert step.text[0].startswith("Nothing that could be bought would")


def test_what_was_compared(rated):
    rows = verdict_facts(q.compare(rated(), "system 0", "system 1")).rows
    assert rows[0] == {"what": "first system", "value": "system 0"}
