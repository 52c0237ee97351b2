from __future__ import annotations

import json

import pytest

import quorate as q


@pytest.fixture
def pool(tmp_path):
    path = tmp_path / "pool.csv"
    rows = [("x", "y", "code"), ("x", "y", "chat"), ("x", "z", "code"), ("y", "z", "chat"), ("z", "w", "code")] * 3
    path.write_text("first,second,about,prompt\n" + "".join(f"{a},{b},{c},p{i}\n" for i, (a, b, c) in enumerate(rows)))
    return path


def test_battles_are_chosen_and_written(run, pool, tmp_path):
    columns = ("--model-a", "first", "--model-b", "second", "--category", "about")
    written = tmp_path / "battles.csv"
    ran = run("assign", "--pool", pool, *columns, "--floor", "2", "--out", written)
    assert (ran.code, ran.err) == (0, "")
    lines = [line.split(",") for line in pool.read_text().splitlines()[1:]]
    expected = q.votes.sample_battles(*(list(one) for one in zip(*(line[:3] for line in lines), strict=True)), floor=2)
    assert " ".join(ran.out.split()).startswith(expected.sentence)
    got = [line.split(",") for line in written.read_text().splitlines()]
    assert got == [["first", "second", "about", "prompt"], *(lines[i] for i in expected.chosen.tolist())]
    found = json.loads(run("assign", "--pool", pool, *columns, "--floor", "2", "--json").out)
    assert (found["floor"], found["written"]) == (2, None)


def test_too_small_a_pool_is_a_finding_and_what_is_refused(run, pool):
    columns = ("--model-a", "first", "--model-b", "second")
    short = run("assign", "--pool", pool, *columns, "--floor", "5")
    assert short.code == 2
    assert " no\n" in short.out
    assert "Nothing is written" in short.out
    assert '"model_a"' in run("assign", "--pool", pool, "--floor", "2").err
    assert "is what is read" in run("assign", "--pool", pool, *columns, "--floor", "2", "--out", pool).err
