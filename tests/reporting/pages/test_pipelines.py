from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tables import votes_table

import quorate as q
from quorate.reporting.pages.pipelines import methods, systems
from quorate.reporting.paper.reproduce import Provenance
from quorate.reporting.report import page_of


@pytest.fixture(scope="module")
def found():
    """Four systems before three judges, of whom one is fond of the last; with a leaderboard by people."""
    rng = np.random.default_rng(2)
    rows = []
    for prompt in range(150):
        one, two = rng.choice(4, 2, replace=False)
        gap = 0.5 * (two - one) + 0.5 * rng.normal()
        for judge, taste in (("a", 0.0), ("b", 0.1), ("c", 0.8), ("person", 0.0)):
            seen = gap + taste * (int(one == 3) - int(two == 3)) + 0.5 * rng.normal()
            rows.append((prompt, judge, f"s{one}", f"s{two}", f"s{one if seen > 0 else two}"))
    votes = votes_table(rows, "prompt judge model_a model_b winner")
    return q.scores.pipelines(votes, "person", by="win rate", cell={"judge": "a"}, resamples=100)


def test_rows_have_both_error_bars(found):
    rows, errors = systems(found.of("single")), found.of("single")
    assert [row["value"] for row in rows] == sorted((row["value"] for row in rows), reverse=True)
    assert rows[0]["ratio"] == pytest.approx(rows[0]["aware"] / rows[0]["naive"])
    assert (rows[0]["low"], rows[0]["high"]) == errors.interval(errors.systems[0].system).ends


def test_sections_and_words(found):
    page = page_of(found, origin=Provenance())
    assert [part.title for part in page.sections] == [
        "One cell for all battles",
        "The mean of all cells",
        "Beside the leaderboard by people",
    ]
    correlations, differences = page.sections[2].figures
    assert {row["leaderboard"] for row in correlations.rows} == {"judges, single", "judges, average"}
    assert len(differences.rows) == 1
    assert "variance between levels of judge" in methods(found)
    assert page.provenance["seed"] == "none was stated; without one, it is 1"
    assert page_of(found, origin=Provenance(seed=7)).provenance["seed"] == "7"


def test_only_what_varied_is_named(found):
    page = page_of(found, origin=Provenance())
    values = {"judges": 3, "cells: each one judge": 3, "systems": 4}
    assert page.facts.rows == [{"what": name, "value": value} for name, value in values.items()]
    caption = page.sections[0].figures[0].caption
    assert caption.finding.startswith("Error bars over judges too are ")
    assert "blue: over judges like these too. An arrow: the interval goes on." in caption.lines


def test_an_order_has_both_levels_and_no_others_like_them(found):
    swapped = replace(found, facets={"judges": {"judge": 3, "order": 2}}, cells={"judges": 6})
    page = page_of(swapped, origin=Provenance())
    assert page.facts.rows[2] == {"what": "cells: each one judge and order", "value": 6}
    assert "blue: over judges like these and both orders too. An arrow: the interval goes on." in (
        page.sections[0].figures[0].caption.lines
    )
    assert "between levels of judge and, for one cell, between both orders, beyond" in methods(swapped)
    assert "the variance for one cell, between both orders" in methods(replace(found, facets={"judges": {"order": 2}}))
