from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import quorate as q


def test_the_label_of_a_pilot(run, tmp_path):
    path = tmp_path / "pilot.csv"
    draw = np.random.default_rng(2).normal(0, 1, (20, 3, 2))
    rows = [(i, f"p{p}", r, i / 5 + draw[i, p, r]) for i in range(20) for p in range(3) for r in range(2)]
    pl.DataFrame(rows, schema=["item", "prompt", "replicate", "score"], orient="row").write_csv(path)
    options = ("--levels", "prompt=3", "--replicates", "2", "--drawn", "prompt", "--bias", "0.1")
    ran = run("regress", "--surrogate", path, *options, "--report", tmp_path / "page.md")
    assert (ran.code, ran.err) == (0, "")
    fit = q.decompose(q.read(path, announce=False))
    expected = q.scores.surrogate(fit, levels={"prompt": 3}, replicates=2, drawn=["prompt"], bias=0.1)
    assert " ".join(ran.out.split()).startswith(expected.sentence)
    assert expected.sentence[:60] in (tmp_path / "page.md").read_text(encoding="utf-8")
    found = json.loads(run("regress", "--surrogate", path, *options, "--json").out)
    assert found["variance"] == pytest.approx(expected.variance)
    assert found["parts"]["bias"] == 0.1
