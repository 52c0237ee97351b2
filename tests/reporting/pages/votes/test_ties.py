from __future__ import annotations

import polars as pl

import quorate as q
from quorate.reporting.pages.votes.page import ties


def test_each_way_to_count_ties_has_a_row():
    rows = {"model_a": ["x"] * 400, "model_b": ["y"] * 400, "winner": ["x"] * 90 + ["y"] * 210 + ["tie"] * 100}
    votes = q.read_votes(pl.DataFrame(rows), announce=False)
    figure = ties(q.votes.tie_sensitivity(votes))
    assert [row["ties"] for row in figure.rows] == ["ties left out", "ties as halves", "ties as losses of the first"]
    assert [round(row["margin"], 3) for row in figure.rows] == [0.2, 0.15, 0.275]
    assert figure.caption.finding == "Of 1 pair, 0 are nearly tied"
    view = q.analyze(votes)
    assert view.ties.tie_share == 0.25
    assert "correlate" not in view.ties.sentence
    assert view.to_dict()["ties"]["tie_share"] == 0.25
    assert q.analyze(votes.keep(votes.outcome < 2)).ties is None
