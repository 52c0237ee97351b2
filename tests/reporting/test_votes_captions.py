from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from quorate.analysis.votes import votes_view
from quorate.reporting import votes_captions as captions
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
    assert captions.facts(view.votes).finding == "1,200 votes between 3 models"
    assert captions.pairs(view).finding == "All 3 pairs, the closest first"
    assert captions.analyses(view.support).finding.endswith("analyses of these votes are possible")


def test_how_many_votes_decide_half_of_the_pairs(view):
    assert "half of the pairs are decided by" in captions.decided(view).finding
    weak = replace(view, found=replace(view.found, corrected=view.found.corrected / 10))
    assert captions.decided(weak).finding == "Even 5,000 votes each decide only 7% of the pairs"


def test_no_ratio_is_said(view):
    assert captions.dependence(replace(view, dependence=())).finding == "No ratio of standard errors is known"


def test_votes_from_which_on_half_of_the_studies_are_clear(view):
    found = captions.equal(view)
    assert found.finding == "With 50 votes or fewer for each pair, half of the studies are clear of an even split"
    assert "From about 1.96 on (dashed), a test with level 0.05 finds a difference." in found.lines
    later = replace(view, equal=view.equal[:1] + tuple(replace(one, median=1.0) for one in view.equal[1:]))
    assert captions.equal(replace(later, equal=(later.equal[1], view.equal[2]))).finding.startswith(
        "With 200 votes for"
    )
    never = captions.equal(replace(later, equal=later.equal[1:])).finding
    assert never == "Even with 1,000 votes for each pair, most studies cannot rule out an even split"


def test_early_votes_are_compared_with_what_noise_alone_does(view):
    found = captions.drift(view.stability)
    assert found.finding.startswith(
        "Margins in the first 50 votes of each pair and in its others have a rank correlation"
    )
    assert "; noise alone leaves 0." in found.finding
    assert found.lines[1] == "Votes are in the order of their rows, which is time only if the file is in that order."
    assert found.lines[2].startswith("0% of 3 pairs changed at level 0.05; about 5% do by chance")
    assert "in the order of time" in captions.drift(replace(view.stability, ordered_by="time")).lines[1]


def test_margins_that_cannot_be_ranked_have_no_correlation(view):
    alike = replace(view.stability, spearman=np.nan, expected=np.nan)
    assert captions.drift(alike).finding == "Margins cannot be ranked: all pairs have the same"
    one = replace(view.stability, pairs=("x vs y",), drift_p=np.array([1e-9]))
    assert captions.drift(one).finding.endswith("in the others (p < 0.0001 of no change)")


def test_few_levels_are_not_to_be_trusted(view):
    assert captions.few_levels(view) == ()
    frame = pl.DataFrame({"model_a": ["x"] * 400, "model_b": ["y"] * 400, "judge": ["p", "q"] * 200})
    few = votes_view(read_votes(frame.with_columns(winner=pl.Series(["x", "y", "x", "x"] * 100)), announce=False))
    assert captions.dependence(few).lines[-1] == "Not to be trusted with fewer than 20: 2 judges."


def test_studies_in_which_all_votes_agree_are_explained(view):
    assert "Unbounded: all votes of the study agree." not in captions.equal(view).lines
    certain = replace(view, equal=(replace(view.equal[0], high=np.inf),))
    assert captions.equal(certain).lines[-1] == "Unbounded: all votes of the study agree."
