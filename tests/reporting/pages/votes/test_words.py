from __future__ import annotations

import polars as pl
import pytest

from quorate.analysis.votes import votes_view
from quorate.reporting.pages.votes.page import coverage, kind, methods, options, taken, typical
from quorate.table.read_votes import read_votes


@pytest.fixture(scope="module")
def votes():
    """Votes of a prompt come in twos that agree."""
    columns = {"model_a": ["x"] * 400, "model_b": ["y"] * 400, "prompt": [f"p{i // 2}" for i in range(400)]}
    winner = ["model_a" if i // 2 % 10 < 6 else "model_b" for i in range(400)]
    return read_votes(pl.DataFrame({**columns, "winner": winner}), announce=False)


def test_how_votes_are_taken_is_said_everywhere(votes):
    view, alone = votes_view(votes), votes_view(votes, cluster=())
    assert taken(view) == "clustered by prompt, so many being worth fewer"
    assert typical(view) == " Votes clustered by prompt: of the median pair 2.01 are worth one independent vote."
    assert (taken(alone), typical(alone)) == ("taken as independent", "")
    assert kind(view).startswith("by Student's t")
    assert (kind(alone), coverage(alone)) == ("exact", "95%")
    assert options(view).endswith("votes clustered by prompt")
    assert "Votes are clustered by prompt: a number of them counts as so many over" in methods(view)
    assert methods(alone).endswith("Votes are taken as independent.")
