from __future__ import annotations

import json

import numpy as np
import polars as pl

import quorate as q


def test_a_chain_in_a_file(run, tmp_path):
    path = tmp_path / "runs.csv"
    a, b, c = np.random.default_rng(1).normal(size=(3, 120)).round(3)
    item = np.arange(120) % 40
    pl.DataFrame({"item": item, "plan": a, "size": c, "code": a + b, "test": a + b + c}).write_csv(path)
    ran = run(
        "agents",
        "chain",
        path,
        "--stages",
        "plan,code+size,test",
        "--cluster",
        "item",
        "--report",
        tmp_path / "page.md",
    )
    assert (ran.code, ran.err) == (0, "")
    found = q.agents.chain(path, ["plan", ("code", "size"), "test"], cluster="item")
    assert " ".join(ran.out.split()).startswith(found.sentence)
    assert "code and size" in (tmp_path / "page.md").read_text()
    part = json.loads(run("agents", "chain", path, "--stages", "plan,test", "--where", "item < 20", "--json").out)
    assert part["n"] == 60
    assert 'no column "design"' in run("agents", "chain", path, "--stages", "design,test").err
