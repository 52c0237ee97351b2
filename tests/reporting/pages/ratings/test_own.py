from __future__ import annotations

from quorate.estimate.ratings.contrast import Contrast
from quorate.reporting.pages.ratings.page import rates


def test_rates_are_in_order_with_what_is_sure():
    found = {name: Contrast(name, value, 0.2, 50.0, 9) for name, value in (("a", -1.0), ("b", 1.0), ("c", 0.1))}
    figure = rates("slopes", "judge", found, 0.95, "slope")
    assert [row["level"] for row in figure.rows] == ["b", "c", "a"]
    assert figure.caption.finding == "2 judges of 3 surely differ from the mean"
