from __future__ import annotations

import numpy as np
import polars as pl

import quorate as q
from quorate.table.facts.repeats import drawn_cells


def test_items_are_drawn_of_every_category_alike():
    items = [f"{code:04d}" for code in range(1200)]
    rows = {"item": items * 2, "judge": ["a"] * 1200 + ["b"] * 1200, "score": np.arange(2400) % 7}
    frame = pl.DataFrame(rows | {"subset": ["rare" if int(item) % 10 == 0 else "usual" for item in items] * 2})
    judgments = q.read(frame, nested={"item": "subset"})
    drawn = judgments.keep(drawn_cells(judgments, 1200))
    assert drawn_cells(judgments, 2400) is None, "all of them"
    assert drawn_cells(judgments, 900) is None, "too few items"
    assert drawn.n_levels("item") == 600
    assert np.bincount(drawn.level_codes(["subset"])).tolist() == [120, 1080]
