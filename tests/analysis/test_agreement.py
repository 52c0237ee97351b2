from __future__ import annotations

import polars as pl
import pytest

import quorate as q
from quorate.analysis.agreement import AgreementAnalysis, agreement_view
from quorate.errors import InvalidInput


def test_what_was_asked_is_there(agreed):
    view = agreed()
    assert view.best.pipeline == "careful"
    assert view.categories == ("easy", "hard")
    assert view.sentence == view.found.sentence
    assert view.caveats == ()
    content = view.to_dict()
    assert [one["judge"] for one in content["positions"]] == ["careful", "hasty"]
    assert len(content["cells"]["cells"]) == 4


def test_what_was_not_asked_is_not(agreed):
    content = AgreementAnalysis(agreed().found).to_dict()
    assert "positions" not in content
    assert "cells" not in content


def test_cells_and_positions_are_found_where_they_are_asked():
    rows = [
        (f"p{i}", judge, turned, "xy"[(i + j) % 3 == 0], "xy"[i % 3 == 0])
        for i in range(30)
        for j, judge in enumerate(("a", "b"))
        for turned in (False, True)
    ]
    frame = pl.DataFrame(rows, schema=["prompt", "judge", "swapped", "winner", "people"], orient="row")
    frame = frame.with_columns(model_a=pl.lit("x"), model_b=pl.lit("y"))
    judged, people = (q.read_votes(frame, winner=name, announce=False) for name in ("winner", "people"))
    view = agreement_view(judged, people, cells=["judge"], positions=True, resamples=100, rng=1)
    assert view.found.to_dict() == q.agreement.agreement(judged, people, resamples=100, rng=1).to_dict()
    assert view.cells.roles == ("judge",)
    assert [one.judge for one in view.positions] == ["a", "b"]
    assert agreement_view(judged, people, resamples=100, rng=1).positions == ()


@pytest.mark.parametrize("asked", [{"cells": ["judge"]}, {"positions": True}])
def test_scores_have_no_cells_and_no_positions(asked):
    rows = [
        (f"p{i}", judge, system, float(i % 3 + s))
        for i in range(8)
        for judge in ("a", "b")
        for s, system in enumerate("xy")
    ]
    scores = q.read(pl.DataFrame(rows, schema=["item", "judge", "system", "score"], orient="row"), announce=False)
    with pytest.raises(InvalidInput, match=f"{next(iter(asked))}: is for votes"):
        agreement_view(scores, ["b"], key="item", resamples=100, rng=1, **asked)
