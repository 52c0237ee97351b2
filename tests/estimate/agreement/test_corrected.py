"""The result of a corrected mean, by strata too."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.errors import NotEstimable
from quorate.reporting.pages.people.corrected import methods


def scored(labels):
    """Scores of 300 items in two categories by a judge, of the first so many of each also by a person."""
    rng = np.random.default_rng(1)
    second = np.arange(300) % 3 == 0
    truth = rng.normal(size=300) + 2 * second
    rows = [(i, "ab"[int(second[i])], "llm", truth[i] + 0.5 + 0.5 * rng.normal()) for i in range(300)]
    for h, count in enumerate(labels):
        rows += [(int(i), "ab"[h], "ann", truth[i]) for i in np.flatnonzero(second == h)[:count]]
    return q.read(pl.DataFrame(rows, schema=["item", "category", "judge", "score"], orient="row"), announce=False)


def test_labels_at_rates_of_their_own_by_category():
    """Half of the labels are of a third of the items: without strata the mean leans to these."""
    table = scored((40, 40))
    found = q.agreement.corrected(table, "ann", strata="category")
    assert abs(found.value - 2 / 3) < 3 * found.se
    assert abs(found.people - 2 / 3) < 3 * found.people_se
    assert found.people < q.agreement.corrected(table, "ann").people
    assert found.se < found.people_se
    assert (found.strata, found.labels) == ("category", 80)
    assert abs(found.bias - 0.5) < 4 * found.bias_se
    assert "labels-unlike-the-rest" not in [one.code for one in found.caveats]
    assert "every category is corrected by its own labels" in methods(found)


def test_a_category_needs_two_labels():
    with pytest.raises(NotEstimable, match='strata: 1 label in category "b", and its error needs two'):
        q.agreement.corrected(scored((40, 1)), "ann", strata="category")


def of_categories(rng, means, n=300):
    """Judge and people on items of categories with these shares of yes; a third labelled."""
    rows = []
    for place, mean in enumerate(means):
        truth = rng.random(n) < mean
        said = np.where(rng.random(n) < 0.85, truth, ~truth)
        rows += [(f"{place}-{i}", f"c{place}", "model", int(x)) for i, x in enumerate(said)]
        rows += [(f"{place}-{i}", f"c{place}", "ann", int(x)) for i, x in enumerate(truth) if i % 3 == 0]
    return pl.DataFrame(rows, schema=["item", "category", "judge", "score"], orient="row")


def test_every_category_is_corrected_by_itself():
    frame = of_categories(np.random.default_rng(6), (0.5, 0.5, 0.85))
    found = q.agreement.corrected(q.read(frame, announce=False), "ann")
    assert [one.name for one in found.segments] == ["c0", "c1", "c2"]
    for one in found.segments:
        own = q.read(frame.filter(pl.col("category") == one.name).drop("category"), announce=False)
        alone = q.agreement.corrected(own, "ann")
        assert (one.value, one.low, one.high) == pytest.approx((alone.value, *alone.estimate.ends))
    assert found.segments[2].p < 0.001
    assert found.to_dict()["segments"][2]["name"] == "c2"
    two = pl.concat([frame.with_columns(system=pl.lit("x")), frame.with_columns(system=pl.lit("y"))])
    shifted = two.with_columns(
        score=pl.when(pl.col("system") == "x").then(pl.col("score")).otherwise(1 - pl.col("score"))
    )
    gap = q.agreement.corrected(q.read(shifted, announce=False), "ann", "x", "y").segments
    assert gap[2].p < 0.001  # of no difference: .85 less .15
    assert gap[2].value > 0.5


@pytest.mark.slow
def test_categories_that_are_alike_are_seldom_said_to_differ():
    rng = np.random.default_rng(1)
    found = [
        q.agreement.corrected(q.read(of_categories(rng, (0.7,) * 4, 90), announce=False), "ann") for _ in range(200)
    ]
    wrong = np.mean([any(one.p <= 0.05 for one in each.segments) for each in found])
    assert wrong <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 200)
