from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

from quorate.report import votes_captions as captions
from quorate.report.votes_view import votes_view
from quorate.table.read_votes import read_votes


@pytest.fixture(scope="module")
def view():
    """Three systems: x is far behind, y and z are nearly tied; votes of a prompt come in twos that agree."""
    rows = [
        (a, b, b if i // 2 % 10 < wins else a, f"p{i // 2}")
        for a, b, wins in (("x", "y", 8), ("y", "z", 5), ("x", "z", 8))
        for i in range(400)
    ]
    frame = pl.DataFrame(rows, schema=["model_a", "model_b", "winner", "prompt"], orient="row")
    return votes_view(read_votes(frame, announce=False))


def test_findings_state_the_numbers(view):
    assert captions.margins(view).finding.startswith("Half of the pairs have a margin of 0.300 or less, which needs ")
    ratio = captions.dependence(view).finding
    assert ratio == "By prompt, the standard error of the median pair is 1.42 times the independent one"
    assert captions.facts(view).finding == "1,200 votes between 3 models"
    assert captions.pairs(view).finding == "All 3 pairs, the closest first"
    assert captions.analyses(view).finding.endswith("analyses of these votes are possible")


def test_how_many_votes_decide_half_of_the_pairs(view):
    assert "half of the pairs are decided by" in captions.decided(view).finding
    weak = replace(view, found=replace(view.found, corrected=view.found.corrected / 10))
    assert captions.decided(weak).finding == "Even 5,000 votes each decide only 7% of the pairs"


def test_no_ratio_is_said(view):
    assert captions.dependence(replace(view, dependence=())).finding == "No ratio of standard errors is known"
