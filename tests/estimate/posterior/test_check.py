from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from posteriors import check_of

import quorate as q
from quorate.errors import InvalidInput


@pytest.fixture(scope="module")
def scores():
    columns = {"item": np.repeat(np.arange(8), 4), "replicate": np.tile(np.arange(4), 8)}
    return q.read(pl.DataFrame(columns | {"score": np.arange(32) % 3 % 2}), announce=False)


def test_options_are_checked(scores):
    for studies in (49, 60.0, True):
        with pytest.raises(InvalidInput, match="studies: must be a whole number of at least 50"):
            q.scores.check_posterior(scores, studies=studies)
    with pytest.raises(InvalidInput, match="draws: must be a whole number of at least 100"):
        q.scores.check_posterior(scores, draws=10)


def test_it_says_whether_ranks_are_uniform():
    good, bad = check_of(), check_of(worst=0.6)
    assert good.p == 1
    assert good.sentence.startswith("Nothing speaks against posteriors of such tables: ranks of the truth")
    assert (bad.worst, bad.p < 1e-3) == ("mean", True)
    assert bad.sentence.startswith("Posteriors of such tables are not to be relied on")
    assert [row["parameter"] for row in bad.rows()] == ["item", "0|1", "mean"]
    assert sum(bad.rows()[2][f"tenth_{at}"] for at in range(1, 11)) == bad.studies == 200


@pytest.mark.bayes
@pytest.mark.parametrize("link", ["identity", "logit"])
def test_a_small_check(scores, link):
    """50 studies; a least p-value of .001 by Bonferroni once in a thousand seeds."""
    told: list[float] = []
    found = q.scores.check_posterior(scores, link=link, studies=50, draws=150, seed=4, on_quote=told.append)
    assert len(told) == 1
    assert [*found.ranks][-1] == "mean"
    assert found.p > 0.001
