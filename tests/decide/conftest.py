"""Tables of votes between two systems."""

from __future__ import annotations

import polars as pl
import pytest

from quorate.table.read_votes import read_votes


@pytest.fixture(scope="session")
def between():
    """A function that reads votes for x, votes for y and ties, with further columns."""

    def read(wins, losses, ties=0, **columns):
        winner = ["model_a"] * wins + ["model_b"] * losses + ["tie"] * ties
        frame = pl.DataFrame(
            {"model_a": ["x"] * len(winner), "model_b": ["y"] * len(winner), "winner": winner, **columns}
        )
        return read_votes(frame, announce=False)

    return read
