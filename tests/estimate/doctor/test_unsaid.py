"""Several scales in one column of scores, and labels that start again inside another column."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q

ROWS = [(i, j, s, (i * 7 + j * 3 + s) % (6 if s else 11)) for i in range(24) for j in range(3) for s in (0, 1)]
FRAME = pl.DataFrame(ROWS, schema=["item", "judge", "form", "score"], orient="row").with_columns(
    pl.col("form").replace_strict({0: "ten", 1: "five"})
)


def said(table):
    codes = ("several-scales", "labels-restart")
    return [finding.sentence for finding in q.doctor(table).findings if finding.code in codes]


@pytest.mark.parametrize("facets", [None, {"form": "form"}])
@pytest.mark.slow
def test_scores_on_two_scales(facets, tmp_path):
    path = tmp_path / "s.csv"
    FRAME.write_csv(path)
    told = (
        "scores of form five from 0 to 5 and ten from 0 to 10: if these are different scales, read one of them, with "
        "where=\"form = 'five'\""
    )
    for source in (path, FRAME, FRAME.lazy()):
        assert said(q.read(source, facets=facets, recognise=True, announce=False)) == [told]
    assert said(q.read(path, where="form = 'five'", announce=False)) == []
    assert said(q.read(path, scale=(0, 10), announce=False)) == []


def test_scores_that_only_happen_to_end_elsewhere():
    assert said(q.read(FRAME.with_columns(pl.col("score") * 1.37), announce=False)) == []
    assert said(q.read(FRAME.filter(pl.col("item") < 5), announce=False)) == []


def test_a_source_that_is_gone_has_nothing_more_to_say(tmp_path):
    path = tmp_path / "s.csv"
    FRAME.write_csv(path)
    table = q.read(path, recognise=True, announce=False)
    path.unlink()
    assert said(table) == []


def test_labels_that_start_again():
    rows = [(p, t, i, (p + t * i) % 5) for p in range(1, 11) for t, k in ((1, 2), (2, 4)) for i in range(1, k + 1)]
    frame = pl.DataFrame(rows, schema=["judge", "test", "item", "score"], orient="row")
    told = (
        "labels of item count from 1 again at every level of test, 2 to 4 of them: if they are others there, declare "
        'nested={"item": "test"}'
    )
    assert said(q.read(frame, announce=False)) == [told]
    assert said(q.read(frame, nested={"item": "test"}, announce=False)) == []
    crossed = frame.filter(pl.col("item") < 3)
    assert said(q.read(crossed, announce=False)) == []


def test_published_tables(shared):
    persons = {"Person": "Person", "Subtest": "Subtest"}
    table = q.read(shared / "data" / "gtheory_rajaratnam_2.parquet", facets=persons, recognise=True, announce=False)
    assert 'nested={"item": "Subtest"}' in said(table)[0]
    of_text = {"dimension": "dimension"}
    table = q.read(shared / "data" / "rating_scale_human_llm.parquet", facets=of_text, recognise=True, announce=False)
    assert said(table)[0].startswith("scores of scale_max 5 from 0 to 5, 10 from 0 to 10 and 100 from 0 to 100")
    assert 'where="scale_max = 5"' in said(table)[0]


@pytest.mark.parametrize(("shared", "codes"), [(0.0, []), (0.6, ["repeats-share"])])
def test_repeats_whose_labels_share_something_are_no_repeats(shared, codes):
    rng = np.random.default_rng(4)
    item, run = (at.ravel() for at in np.indices((50, 3)))
    score = rng.normal(size=50)[item] + shared * rng.normal(size=3)[run] + 0.5 * rng.normal(size=150)
    frame = pl.DataFrame({"item": item, "replicate": run, "score": score})
    found = [one for one in q.doctor(q.read(frame, announce=False)).findings if one.code.startswith("repeats")]
    assert [one.code for one in found] == codes
    assert all('"run": "replicate"' in one.sentence for one in found)
