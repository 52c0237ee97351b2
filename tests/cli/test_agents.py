from __future__ import annotations

import numpy as np
import polars as pl
import pytest

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
    assert ran.said.startswith(found.sentence)
    assert "code and size" in (tmp_path / "page.md").read_text()
    part = run("agents", "chain", path, "--stages", "plan,test", "--where", "item < 20", "--json").json
    assert part["n"] == 60
    assert 'no column "design"' in run("agents", "chain", path, "--stages", "design,test").err


def test_agents_of_a_file(run, tmp_path):
    path = tmp_path / "scores.csv"
    draw = np.random.default_rng(2).normal(5, 1, (20, 3, 2))
    rows = [(i, f"j{j}", f"p{p}", draw[i, j, p] + 0.5 * p) for i in range(20) for j in range(3) for p in range(2)]
    pl.DataFrame(rows, schema=["item", "judge", "prompt", "score"], orient="row").write_csv(path)
    ran = run("agents", "ensemble", path, "--agents", "5", "--levels", "prompt=2")
    assert (ran.code, ran.err) == (0, "")
    expected = q.agents.ensemble(q.decompose(q.read(path, announce=False)), agents=5, levels={"prompt": 2})
    assert ran.said.startswith(expected.sentence)
    assert run("agents", "ensemble", path, "--over", "prompt", "--json").json["agents"] == 2


@pytest.fixture(scope="module")
def talks(tmp_path_factory):
    """30 conversations of 3 turns by 2 judges."""
    draw = np.random.default_rng(2).normal(5, 1, (30, 3, 2))
    rows = [(i, t + 1, f"j{j}", draw[i, t, j] + t) for i in range(30) for t in range(3) for j in range(2)]
    path = tmp_path_factory.mktemp("talks") / "talks.csv"
    pl.DataFrame(rows, schema=["item", "turn", "judge", "score"], orient="row").write_csv(path)
    return path


def test_turns_of_a_file(run, talks, tmp_path):
    ran = run("agents", "hazard", talks, "--threshold", "8", "--levels", "judge=2", "--report", tmp_path / "page.md")
    assert (ran.code, ran.err) == (0, "")
    expected = q.agents.hazard(q.decompose(q.read(talks, announce=False)), 8, levels={"judge": 2})
    assert ran.said.startswith(expected.sentence)
    assert expected.sentence in (tmp_path / "page.md").read_text()
    below = run("agents", "hazard", talks, "--threshold", "4", "--below", "--level", "0.9", "--json").json
    assert (below["above"], below["level"]) == (False, 0.9)
    assert below["turns"][0]["hazard"]["value"] > below["turns"][2]["hazard"]["value"]
    assert "turns: they are chosen levels, and item is drawn" in run(
        "agents", "hazard", talks, "--threshold", "8", "--turns", "item"
    ).err  # fmt: skip
