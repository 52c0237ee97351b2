"""Judges of a crowd, of whom each sees a part of the items and some not every system."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from tables import scores_table

import quorate as q
from quorate.estimate.differences.difference import difference
from quorate.estimate.differences.methods import judges_met, open_panel

JUDGES, ITEMS, GAP = 17, 20, -0.9


def crowd(rng, own=0.3, workers=3):
    """Three systems on each item, scored by three workers each, of whom some do much; and what these say on average."""
    judge, by_system = rng.normal(0, 0.5, JUDGES), rng.normal(0, own, (JUDGES, 3))
    item, inner = rng.normal(0, 0.5, ITEMS), rng.normal(0, 0.4, (ITEMS, 3))
    active = 1 / np.arange(1, JUDGES + 1) ** 0.5
    rows = [
        (f"i{i}", f"j{j}", f"s{s}", [0, 0.3, -GAP][s] + item[i] + inner[i, s] + judge[j] + by_system[j, s] + noise)
        for i in range(ITEMS)
        for s in range(3)
        for j in rng.choice(JUDGES, workers, replace=False, p=active / active.sum())
        for noise in rng.normal(0, 0.7, 1)
    ]
    table = scores_table(rows, "item judge system score")
    seen = [int(level[1:]) for level in table.facet("judge").levels]
    return table, GAP + (by_system[seen, 0] - by_system[seen, 2]).mean()


def drawn(table, **targets):
    return open_panel(table, judges_met(table, "system"), targets)


def test_two_systems_of_a_crowd_are_compared_by_all_their_scores():
    """Of pairs of the judges who met both on one item there are a tenth, and their interval is twice as wide."""
    table, _ = crowd(np.random.default_rng(0))
    assert drawn(table) == {"judge": "population"}
    assert drawn(table, judge="panel") == {}
    found = difference(table, "s0", "s2")
    pairs = difference(table, "s0", "s2", method="paired")
    assert (found.method, found.items) == ("joint", ITEMS)
    assert found.estimate.high - found.estimate.low < 0.7 * (pairs.estimate.high - pairs.estimate.low)
    assert q.rank(table).difference("s0", "s2").value == pytest.approx(found.value)
    assert q.compare(table, "s0", "s2").outcome.value == "worse"


def test_a_panel_that_met_all_systems_or_too_few_judges_stay_as_they_are():
    table, _ = crowd(np.random.default_rng(1))
    whole = table.keep(np.isin(table.column("judge"), table.column("judge")[:1]))
    assert drawn(whole) == {}
    frame = pl.DataFrame({"item": [1, 2, 3, 4] * 2, "judge": list("aabbccdd"), "system": list("xxxxyyyy")})
    few = q.read(frame.with_columns(score=pl.Series([1.0, 2, 3, 5, 2, 4, 1, 2])), announce=False)
    assert drawn(few) == {}


@pytest.mark.parametrize("workers", [1, 3])
def test_scores_that_the_pairs_of_items_and_judges_fit_exactly_are_told_from_noise_without_these(workers):
    for seed in (23, 31):
        found = difference(crowd(np.random.default_rng(seed), workers=workers)[0], "s0", "s2")
        assert np.isfinite(found.estimate.se)
        assert found.estimate.se > 0


@pytest.mark.calibration
def test_differences_of_a_crowd_cover():
    held, of_others, studies = 0, 0, 200
    for seed in range(studies):
        table, among_these = crowd(np.random.default_rng(seed))
        found = difference(table, "s0", "s2")
        held += found.estimate.low <= among_these <= found.estimate.high
        others = difference(table, "s0", "s2", targets={"judge": "population"}).estimate
        of_others += others.low <= GAP <= others.high
    tolerance = 3 * np.sqrt(0.95 * 0.05 / studies)
    assert held / studies == pytest.approx(0.95, abs=tolerance)
    assert of_others / studies == pytest.approx(0.95, abs=tolerance)
