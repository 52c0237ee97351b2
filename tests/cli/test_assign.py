from __future__ import annotations

import csv
import json

import pytest

import quorate as q


@pytest.fixture
def items(tmp_path):
    path = tmp_path / "items.csv"
    path.write_text("question_id,topic,text\n" + "".join(f'q{i},{"uvw"[i % 3]},"a, b"\n' for i in range(12)))
    return path


def rows(path, delimiter=","):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter=delimiter))


def test_calls_are_written(run, items, tmp_path):
    ran = run("assign", "--items", items, "--judges", "a,b,c", "--prompts", "x,y", "--out", "calls.csv")
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[0] == "12 calls: 12 items, 2 prompts, 3 judges; layout latin, seed 1."
    assert lines[1] == "Calls per judge: a 4, b 4, c 4."
    assert lines[-1] == "Written: calls.csv"
    assert "only the sum item + item:prompt + item:judge + cell + replicate can be" in ran.out
    assert "--pilot 1 is the least that tells them apart" in ran.out
    calls = rows(tmp_path / "calls.csv")
    assert list(calls[0]) == ["item", "prompt", "judge", "replicate"]
    assert sorted(call["item"] for call in calls) == sorted(f"q{i}" for i in range(12))
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_without_a_file_the_first_calls_are_shown(run):
    ran = run("assign", "--items", 100, "--judges", "a,b", "--seed", 3)
    assert ran.code == 0
    assert "The first of 100 calls (--out calls.csv writes them all)" in ran.out
    assert len(ran.out.partition("The first of")[2].splitlines()) == 8


def test_json(run, tmp_path):
    words = ["assign", "--items", 8, "--judges", "a,b,c", "--layout", "cyclic", "--json"]
    found = run(*words).json
    assert found["calls"] == 8
    assert len(found["remainder"]) == 2
    assert found["aliases"] == [["cell", "item", "replicate"]]
    assert found["completion"] == {"pilot": 1, "calls": 6}
    assert sorted(found["cells"]["item"]) == [str(i) for i in range(1, 9)]
    written = run(*words, "--out", "calls.jsonl").json
    assert written["written"] == "calls.jsonl"
    assert "cells" not in written
    lines = [json.loads(line) for line in (tmp_path / "calls.jsonl").read_text().splitlines()]
    assert [line["judge"] for line in lines] == found["cells"]["judge"]


def test_categories_come_from_a_column(run, items, tmp_path):
    run(
        "assign", "--items", items, "--judges", "a,b,c,d", "--category", "topic", "--layout", "cyclic", "--out", "c.tsv"
    )
    calls = rows(tmp_path / "c.tsv", "\t")
    assert list(calls[0]) == ["item", "category", "judge", "replicate"]
    assert all("uvw"[int(call["item"][1:]) % 3] == call["category"] for call in calls)
    assert {(call["category"], call["judge"]) for call in calls} == {(c, j) for c in "uvw" for j in "abcd"}


@pytest.mark.parametrize("name", ["items.txt", "plain.csv", "items.jsonl", "items.parquet"])
def test_items_from_any_file(run, tmp_path, name):
    import polars as pl

    path = tmp_path / name
    if name == "items.txt":
        path.write_text('﻿ü 1\n\n"2"\nc,d\n', encoding="utf-8")
    elif name == "plain.csv":
        path.write_text('anything\nü 1\n"""2"""\n"c,d"\n', encoding="utf-8")
    else:
        frame = pl.DataFrame({"item": ["ü 1", '"2"', "c,d"], "n": [1, 2, 3]})
        frame.write_ndjson(path) if name == "items.jsonl" else frame.write_parquet(path)
    found = run("assign", "--items", path, "--judges", "a,b", "--json").json
    assert sorted(found["cells"]["item"]) == ['"2"', "c,d", "ü 1"]


def test_numbers_as_labels(run, tmp_path):
    import polars as pl

    pl.DataFrame({"item_id": [7, 8, 9], "w": [1.0, 2.0, 2.0]}).write_parquet(tmp_path / "n.parquet")
    words = ["assign", "--items", tmp_path / "n.parquet", "--judges", "a", "--layout", "cyclic", "--json"]
    assert sorted(run(*words).json["cells"]["item"]) == ["7", "8", "9"]
    found = run(*words, "--item-column", "item_id", "--category", "w").json["cells"]
    assert set(found["category"]) == {"1", "2"}


def test_names_with_commas_and_signs(run):
    words = ["--judges", '"gpt,4=o",b', "--prompts", '"be, kind", x']
    found = run("assign", "--items", 8, *words, "--json").json
    assert found["calls_by_judge"] == {"gpt,4=o": 4, "b": 4} or found["calls_by_judge"] == {"b": 4, "gpt,4=o": 4}
    assert set(found["cells"]["prompt"]) == {"be, kind", "x"}
    weighted = ["--judges", '"gpt,4",b', "--layout", "weighted", "--places", "gpt,4=3", "--places", "b=1"]
    assert run("assign", "--items", 8, *weighted, "--json").json["calls_by_judge"]["gpt,4"] == 6


def test_judges_and_prompts_may_be_numbers_of_them(run):
    found = run("assign", "--items", 6, "--judges", 3, "--prompts", 2, "--layout", "factorial", "--json").json
    assert found["calls_by_judge"] == {"judge-1": 12, "judge-2": 12, "judge-3": 12}
    assert set(found["cells"]["prompt"]) == {"prompt-1", "prompt-2"}


def test_every_layout(run):
    words = "--items 12 --judges a,b,c"
    more = {
        "factorial": "",
        "random": "",
        "cyclic": "--generations 2 --replicates 2",
        "weighted": "--places a=4,b=1,c=1",
        "latin": "--prompts x,y --per-item 2 --levels temperature=0,1",
        "blocks": "--per-item 2",
    }
    calls = {"factorial": 36, "random": 12, "cyclic": 48, "weighted": 12, "latin": 48, "blocks": 24}
    for layout, options in more.items():
        found = run("assign", *f"{words} --layout {layout} {options} --json".split()).json
        assert (found["layout"], found["calls"]) == (layout, calls[layout])


@pytest.mark.wide(4)
@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--items 13 --judges a,b,c", "Turns do not divide evenly: 1 of 3 judges, drawn by the seed, got more"),
        ("--items 12 --judges a,b,c --layout random", "Shares differ by chance"),
        ("--items 12 --judges a,b --layout weighted --places a=3,b=1", "Judges have unequal places"),
        ("--items 12 --judges a,b --pilot 2", "Pilot: judged in every combination, and first: 2 items."),
        ("--items 20 --judges a,b,c,d,e,f,g,h,i,j,k,l,m", "Calls per judge: 1 to 2."),
        ("--items 12 --judges a,b --layout weighted --places a=3,b=1", "layout weighted 1:3, seed 1."),
        ("--items 12 --judges a,b,c --layout blocks --per-item 2", "layout blocks, 2 per item, seed 1."),
        ("--items 12 --judges a,b,c --per-item 2", "layout blocks, 2 per item, seed 1."),
    ],
)
def test_what_is_said_of_shares(run, words, said):
    out = run("assign", *words.split()).said
    assert said in out or said.replace("1:3", "3:1") in out


def test_a_plan_too_large_to_look_at_is_still_made(run):
    judges = ",".join(f"j{i}" for i in range(1000))
    ran = run("assign", "--items", 3000, "--judges", judges)
    assert ran.code == 0
    assert "3,000 calls: 3,000 items, 1,000 judges" in ran.out
    assert "is found by looking at a few of its periods" in ran.out
    assert run("assign", "--items", 3000, "--judges", judges, "--json").json["aliases"] is None


def test_labels_are_written_as_they_are(run, tmp_path):
    (tmp_path / "items.txt").write_text("=1+1\n@x\n[red]y[/red]\x1b[2J\n", encoding="utf-8")
    ran = run("assign", "--items", "items.txt", "--judges", "-a,+b", "--layout", "cyclic", "--out", "calls.csv")
    assert ran.code == 0
    assert {row["item"] for row in rows(tmp_path / "calls.csv")} == {"=1+1", "@x", "[red]y[/red]\x1b[2J"}
    shown = run("assign", "--items", "items.txt", "--judges", "x,y").out
    assert "\x1b" not in shown
    assert "[red]y[/red]\\x1b[2J" in shown


@pytest.mark.wide(10)
@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--judges a", "missing option '--items'"),
        ("--items nope.csv --judges a", "no such file nope.csv"),
        ("--items nope.txt --judges a", "--items: nope.txt cannot be read (No such file or directory)"),
        ("--items empty.csv --judges a", "empty.csv: is empty"),
        ("--items header.csv --judges a", "items: at least one is needed, got none"),
        ("--items latin1.txt --judges a", "latin1.txt is not UTF-8 text"),
        ("--items binary.csv --judges a", "binary.csv: is binary"),
        ("--items two.csv --judges a", 'which column of two.csv names the items ("p", "q")? Say --item-column'),
        ("--items ids.csv --judges a", 'which column of ids.csv names the items ("item_id", "question")?'),
        ("--items two.csv --item-column r --judges a", '--item-column: no column "r"; the data have "p", "q"'),
        ("--items two.csv --item-column p --category z --judges a", '--category: no column "z"'),
        ("--items 5 --category z --judges a", "--item-column, --category: need a table of items"),
        ("--items 5 --judges 12345", "--judges: at most 9,999 are numbered, got 12345"),
        ("--items 5 --judges 0", "--judges: at least one is needed, got none"),
        ("--items 5 --judges a,b --layout weighted --places a=1,b=x", "--places: b must be a whole number"),
        ("--items 5 --judges a,b --layout weighted --places a", "--places: number 1 must be a whole number"),
        ("--items 5 --judges a,b --levels t", "--levels: expects a pair such as temperature=0,1"),
        ("--items 5 --judges a,b --out no/calls.csv", "--out: there is no folder no"),
        ("--items 5 --judges a,b --out folder.csv", "--out: folder.csv is a folder"),
        ("--items two.csv --item-column p --judges a --out two.csv", "--out: two.csv is what is read"),
    ],
)
def test_what_is_refused_in_one_line(run, tmp_path, words, message):
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "folder.csv").mkdir()
    assert message in run("assign", *words.split()).refused()
    assert {name: (tmp_path / name).read_bytes() for name in FILES} == FILES


FILES = {
    "empty.txt": b"\n \n",
    "empty.csv": b"",
    "header.csv": b"item\n",
    "twice.txt": b"x\ny\nx\n",
    "latin1.txt": b"\xe9t\xe9\n",
    "binary.csv": b"item\n\0\0\n",
    "two.csv": b"p,q\n1,2\n",
    "ids.csv": b"n,item_id,question\n1,2,3\n",
    "gaps.csv": b'item,b\nx,1\n" ",2\n',
}


def test_an_existing_file_stays_when_something_is_wrong(run, tmp_path):
    (tmp_path / "calls.csv").write_text("old")
    assert run("assign", "--items", 5, "--judges", "a,a", "--out", "calls.csv").code == 1
    assert (tmp_path / "calls.csv").read_text() == "old"
    assert run("assign", "--items", 5, "--judges", "a,b", "--out", "calls.csv").code == 1
    assert (tmp_path / "calls.csv").read_text() == "old"
    assert run("assign", "--items", 5, "--judges", "a,b", "--out", "calls.csv", "--force").code == 0
    assert len(rows(tmp_path / "calls.csv")) == 5


def test_battles_are_drawn_and_written(run, tmp_path):
    path, out = tmp_path / "votes.csv", tmp_path / "next.csv"
    rows = [("x", "y", "model_a"), ("x", "z", "model_a"), ("y", "z", "model_b"), ("x", "y", "model_b")] * 10
    path.write_text("model_a,model_b,winner\n" + "\n".join(map(",".join, rows)))
    options = {"criterion": "D", "floor": 0.3, "horizon": 60}
    plan = q.votes.next_battles(q.read_votes(path, announce=False), 30, **options, systems=("new",))
    given = [word for name, value in options.items() for word in (f"--{name}", value)]
    words = ("assign", "--after", path, "--number", 30, *given, "--system", "new")
    ran = run(*words, "--out", out)
    assert plan.sentence in ran.said
    with out.open() as file:
        written = list(csv.DictReader(file))
    assert [float(row["propensity"]) for row in written] == plan.battles()["propensity"]
    found = run(*words, "--json").json
    assert found["equal"] == plan.equal
    out.write_text(
        "system_a,system_b,winner,propensity\n"
        + "\n".join(f"{row['system_a']},{row['system_b']},tie,{row['propensity']}" for row in written)
    )
    votes = q.read_votes(out, announce=False)
    assert "propensity" in votes.names


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
    assert ran.said.startswith(expected.sentence)
    got = [line.split(",") for line in written.read_text().splitlines()]
    assert got == [["first", "second", "about", "prompt"], *(lines[i] for i in expected.chosen.tolist())]
    found = run("assign", "--pool", pool, *columns, "--floor", "2", "--json").json
    assert (found["floor"], found["written"]) == (2, None)


def test_too_small_a_pool_is_a_finding_and_what_is_refused(run, pool):
    columns = ("--model-a", "first", "--model-b", "second")
    short = run("assign", "--pool", pool, *columns, "--floor", "5")
    assert short.code == 2
    assert " no\n" in short.out
    assert "Nothing is written" in short.out
    assert '"model_a"' in run("assign", "--pool", pool, "--floor", "2").err
    assert "is what is read" in run("assign", "--pool", pool, *columns, "--floor", "2", "--out", pool).err
