from __future__ import annotations

import numpy as np
import pytest


@pytest.fixture
def tables(tmp_path):
    rng = np.random.default_rng(3)
    for name, margin, prompts, each in (("open", 0.05, 150, 1), ("curated", 0.3, 40, 4)):
        rows = [f"x,y,{'b' if rng.random() < 0.5 + margin else 'a'},p{p}" for p in range(prompts) for _ in range(each)]
        text = "\n".join(["model_a,model_b,winner,prompt", *(row.replace(",b,", ",model_b,") for row in rows)])
        (tmp_path / f"{name}.csv").write_text(text.replace(",a,", ",model_a,") + "\n", encoding="utf-8")
    return tmp_path / "open.csv", tmp_path / "curated.csv"


def test_two_files_are_compared_by_their_names(run, tables, tmp_path):
    ran = run("votes", "protocols", *tables, "--report", tmp_path / "page.md")
    said = " ".join(ran.out.split())
    assert (ran.code, ran.err) == (0, "")
    assert max(len(line) for line in ran.out.splitlines() if not line.startswith("Report: ")) <= 80
    assert said.startswith("One vote under curated is worth")
    assert "votes that decide a pair" in said
    assert "To rank or to ablate under a budget, take curated, if" in said
    assert "Votes under open and under curated" in (tmp_path / "page.md").read_text(encoding="utf-8")


def test_everything_as_json(run, tables):
    found = run("votes", "protocols", *tables, "--names", "users,experts", "--budget", 50, "--json").json
    assert found["better"] == "experts"
    assert found["first"]["name"] == "users"
    assert found["budget"] == 50
    assert found["between"]["value"] is None


def test_no_pair_in_common_is_one_line(run, tables, tmp_path):
    other = tmp_path / "other.csv"
    other.write_text(tables[0].read_text().replace("y,", "w,"), encoding="utf-8")
    ran = run("votes", "protocols", tables[0], other)
    assert ran.code == 1
    assert "no pair of systems has 30 decisive votes under both (open 1 pair and other 1 pair)" in ran.err
    assert "--minimum" in ran.err
