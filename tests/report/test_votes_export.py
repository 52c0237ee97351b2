from __future__ import annotations

import polars as pl
import pytest

from quorate.errors import InvalidInput
from quorate.report.votes_export import write_votes_charts
from quorate.report.votes_view import votes_view
from quorate.table.read_votes import read_votes


@pytest.fixture(scope="module")
def votes():
    """Three systems: x is far behind, y and z are nearly tied; votes of a prompt come in twos that agree."""
    rows = [
        (a, b, b if i // 2 % 10 < wins else a, f"p{i // 2}")
        for a, b, wins in (("x", "y", 8), ("y", "z", 5), ("x", "z", 8))
        for i in range(400)
    ]
    frame = pl.DataFrame(rows, schema=["model_a", "model_b", "winner", "prompt"], orient="row")
    return read_votes(frame, announce=False)


def test_every_chart_is_a_file_named_after_its_figure(votes, tmp_path):
    written = write_votes_charts(votes_view(votes), tmp_path / "charts")
    assert [path.name for path in written] == [
        f"{name}.svg" for name in ("margins", "decided", "equal-budget", "stability", "dependence")
    ]
    assert all(path.read_text(encoding="utf-8").startswith("<svg") for path in written)


def test_a_format_that_is_not_known(votes, tmp_path):
    with pytest.raises(InvalidInput, match="chart_format"):
        write_votes_charts(votes_view(votes), tmp_path, "gif")
