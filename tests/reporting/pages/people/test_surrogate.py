from __future__ import annotations

import numpy as np

from quorate.estimate.regression.surrogate import Surrogate
from quorate.reporting.pages.people.regression import surrogate_page


def test_the_page_has_every_component():
    draws = np.linspace(0.2, 0.4, 101)
    made = surrogate_page(Surrogate({"prompt": 0.1, "replicate": 0.2, "bias": 0.1}, 0.4, {"prompt": 3}, 2, 0.95, draws))
    (figure,) = made.figures
    assert [row["component"] for row in figure.rows] == ["prompt", "replicate", "bias"]
    assert figure.caption.finding == "50.0% of the variance is replicate"
    assert made.tiles[1].label == "its variance; 0.305 to 0.495"
