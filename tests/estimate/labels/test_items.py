import polars as pl
import pytest

import quorate as q
from quorate.estimate.labels import item_labels, label_shares, ratings


def test_items_by_how_far_judges_agree():
    said = {"sure": "uuuu", "most": "uuud", "split": "uudd", "apart": "udoo", "one": "d"}
    rows = [(item, f"j{j}", label) for item, labels in said.items() for j, label in enumerate(labels)]
    frame = pl.DataFrame(rows, schema=["item", "judge", "score"], orient="row")
    table = q.read(frame, labels=True, announce=False)
    found = item_labels(table, ratings(table, label_shares(table)))
    assert [(one.item, one.judges, one.majority) for one in found] == [
        ("apart", 4, ""),
        ("split", 4, ""),
        ("most", 4, "u"),
        ("sure", 4, "u"),
        ("one", 1, "d"),
    ]
    assert [one.entropy for one in found] == pytest.approx([1.5, 1.0, 0.811278, 0.0, 0.0], abs=1e-6)
    assert [one.share for one in found] == pytest.approx([0.5, 0.5, 0.75, 1.0, 1.0])
    assert found[0].commonest == "o"
