from __future__ import annotations

from quorate.analysis.demo import against_truth
from quorate.reporting.pages.validated import truth_section


def test_which_intervals_hold_the_truth(demo):
    (figure,) = truth_section(against_truth(demo, 1)).figures
    assert [row["holds_truth"] for row in figure.rows] == ["misses it", "holds it", "holds it"]
    assert "naive one did in 34.1%" in figure.caption.finding
