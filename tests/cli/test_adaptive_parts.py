from __future__ import annotations

import io

import numpy as np
import polars as pl
import pytest
from rich.console import Console

import quorate as q
from quorate.analysis.allocation import allocation_view, view_of
from quorate.cli.adaptive_parts import show


@pytest.fixture
def out():
    return Console(file=io.StringIO(), width=80, highlight=False, markup=False)


def said(out):
    return " ".join(out.file.getvalue().split())


def test_a_replay_of_an_array(out):
    pool = np.random.default_rng(1).normal(0, np.repeat([0.1, 2], [20, 10])[:, None], (30, 20))
    found = q.simulate_allocation(pool, 2000, runs=4, human=np.arange(30.0))
    show(out, view_of(found))
    text = said(out)
    assert text.startswith(found.sentence)
    assert "30 arms; 4 runs of 2,000 calls." in text
    assert "policy Pearson Spearman Kendall" in text
    assert "Columns" not in text


def test_policies_are_in_one_order_with_what_they_save(out):
    pool = np.random.default_rng(1).normal(0, np.repeat([0.1, 2], [20, 10])[:, None], (30, 20))
    found = q.simulate_allocation(pool, 2000, runs=1)
    show(out, view_of(found))
    rows = [line.split() for line in out.file.getvalue().splitlines() if line.startswith("  ")]
    assert [row[0] for row in rows[1:4]] == ["uniform", "ROBIN-HOOD", "ROBIN"]
    assert rows[2][2] == f"{found.saved().value:.0%}"
    assert "±" not in out.file.getvalue()


def test_a_caveat_of_all_levels_comes_once(out):
    rng = np.random.default_rng(1)
    rows = [(i, k, r, rng.normal(0, i % 3)) for k in "ab" for i in range(9) for r in range(4)]
    frame = pl.DataFrame(rows, schema=["item", "kind", "replicate", "score"], orient="row")
    judgments = q.read(frame, facets={"kind": "kind"}, recognise=True, announce=False)
    show(out, allocation_view(judgments, 400, by="kind", runs=3))
    assert said(out).count("an arm has 4 answers") == 1
    assert "kind arms budget saved a 9" in said(out)
