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
