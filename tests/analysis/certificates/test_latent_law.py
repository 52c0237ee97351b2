import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.analysis.certify import LatentLaw


def read(items, judges, prompts):
    rng = np.random.default_rng(1)
    own, of_judge = rng.normal(size=items), 0.5 * rng.normal(size=judges)
    rows = [
        (f"i{i:03}", f"j{j}", f"p{p}", float(own[i] + of_judge[j] + rng.normal() > -1))
        for i in range(items)
        for j in range(judges)
        for p in range(prompts)
    ]
    return q.read(pl.DataFrame(rows, schema=["item", "judge", "prompt", "score"], orient="row"), announce=False)


def test_the_law_has_the_marks_and_covariances_that_were_found():
    table = read(200, 4, 3)
    others = q.analyze(table).others
    law = LatentLaw.fitted(others)
    _, drawn = law.draw(400, np.random.default_rng(1))
    assert set(np.unique(drawn)) == {0.0, 1.0}
    assert law.truth == pytest.approx(table.mean.mean(), abs=1e-9)
    assert drawn.mean() == pytest.approx(law.truth, abs=0.02)
    item = np.stack([np.bincount(table.level_codes(["item"]), row) / 12 for row in drawn])
    own = np.bincount(table.level_codes(["item"]), table.mean) / 12
    assert item.var(axis=1).mean() == pytest.approx(own.var(), rel=0.1)
