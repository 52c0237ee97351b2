from __future__ import annotations

import json

import numpy as np
import polars as pl

import quorate as q


def test_agents_of_a_file(run, tmp_path):
    path = tmp_path / "scores.csv"
    draw = np.random.default_rng(2).normal(5, 1, (20, 3, 2))
    rows = [(i, f"j{j}", f"p{p}", draw[i, j, p] + 0.5 * p) for i in range(20) for j in range(3) for p in range(2)]
    pl.DataFrame(rows, schema=["item", "judge", "prompt", "score"], orient="row").write_csv(path)
    ran = run("agents", "ensemble", path, "--agents", "5", "--levels", "prompt=2")
    assert (ran.code, ran.err) == (0, "")
    expected = q.agents.ensemble(q.decompose(q.read(path, announce=False)), agents=5, levels={"prompt": 2})
    assert " ".join(ran.out.split()).startswith(expected.sentence)
    assert json.loads(run("agents", "ensemble", path, "--over", "prompt", "--json").out)["agents"] == 2
