"""Rows that are no judgments, beside those that are: checks, other events of a log, what was asked twice."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from tests.table.reading.test_sheet import MARKS, N, rows, sheet

import quorate as q
from quorate.cli import main
from quorate.table.reading.reading import Unsure


def read(path, **options):
    return q.read(path, announce=False, **options)


def trials(tmp_path, *, practice=True):
    """A log of trials: votes among consents and other events, some of them practice."""
    rng, cells = np.random.default_rng(1), []
    for person in range(10):
        cells.append((f"s{person}", "consent", "intro", "", "", "", ""))
        for n in range(12):
            kind = "practice" if practice and n < 2 else "main"
            pair = rng.permutation(["flux", "pixart"])
            cells.append((f"s{person}", "pair", kind, f"i{n}", *pair, ("left", "right")[rng.integers(2)]))
    return sheet(tmp_path, *rows("subject_id,task,phase,item,left_system,right_system,choice", cells))


def test_votes_among_other_events_and_practice(tmp_path):
    assert len(read(trials(tmp_path)).outcome) == 100
    assert len(read(trials(tmp_path, practice=False)).outcome) == 120


def test_rows_that_a_platform_mixed_in_to_check_its_workers(tmp_path):
    """And what both engines found for a query, whose units are of one engine each."""
    cells = [
        (f"u{2 * n + k}", f"w{j}", MARKS[n, k], engine, "false", f"query {n}", "")
        for n in range(N)
        for k, engine in enumerate(("bm25", "hybrid"))
        for j in range(3)
    ]
    cells += [(f"g{n}", f"w{n % 3}", 1 + n % 4, "", "true", f"query of ours {n}", 1 + n % 4) for n in range(12)]
    header = "_unit_id,_worker_id,relevance,engine,_golden,query,relevance_gold"
    table = read(sheet(tmp_path, *rows(header, cells)))
    assert (table.n_levels("item"), table.facet("system").levels) == (N, ("bm25", "hybrid"))
    assert table.n_answers == 6 * N


def test_questions_that_two_versions_answered_are_items_though_a_few_were_asked_twice(tmp_path):
    cells = [
        (
            f"hash_{n}_{k}",
            version,
            f"What of {n - (n == N - 1)} and the rest of it?",
            MARKS[n, k] / 10,
            0.0004 * (n + k),
        )
        for n in range(N)
        for k, version in enumerate(("k3", "k8"))
    ]
    path = sheet(tmp_path, *rows("record_id,app_version,input,Relevance,Relevance cost in USD", cells))
    found = q.compare(path).difference
    assert (found.items, found.fit.judgments.score) == (N - 1, "Relevance")


@pytest.mark.parametrize("name", ["hallucination", "quality"])
def test_of_what_an_export_measures_less_is_better_where_its_name_says_so(tmp_path, monkeypatch, capsys, name):
    stars = np.random.default_rng(3).random((40, 2)) < (0.2, 0.7)
    tasks = [
        {
            "id": 2 * n + k,
            "data": {"letter": f"l{n}", "model_name": model},
            "annotations": [
                {
                    "id": 9 * n + k,
                    "completed_by": {"id": 1},
                    "result": [
                        {"from_name": name, "to_name": "t", "type": "rating", "value": {"rating": int(stars[n, k])}},
                        {"from_name": "tone", "to_name": "t", "type": "rating", "value": {"rating": 1 + n % 5}},
                    ],
                }
            ],
        }
        for n in range(40)
        for k, model in enumerate(("few", "many"))
    ]
    path = tmp_path / "project-1-at-2025-01-01-00-00-abcdefgh.json"
    path.write_text(json.dumps(tasks))
    monkeypatch.chdir(tmp_path)
    main(["compare", str(path)])
    shown = " ".join(capsys.readouterr().out.split())
    pair = "few against many" if name == "hallucination" else "many against few"
    assert f"{pair}: {name} better" in shown


def test_two_files_whose_names_end_alike_are_files(tmp_path, monkeypatch, capsys):
    for name, shift in (("bm25", 0), ("splade", 3)):
        lines = [f"map\t{topic}\t{(MARKS[topic, 0] + shift) / 20:.4f}" for topic in range(N)]
        lines += [f"P_10\t{topic}\t{MARKS[topic, 1] / 10:.4f}" for topic in range(N)]
        (tmp_path / f"{name}.txt").write_text("\n".join([*lines, f"runid\tall\t{name}"]) + "\n")
    monkeypatch.chdir(tmp_path)
    main(["compare", "bm25.txt", "splade.txt"])
    assert "2 measures" in capsys.readouterr().out


@pytest.mark.parametrize("varied", [False, True])
def test_letters_beside_an_order_are_of_the_column_or_of_the_place(tmp_path, varied):
    rng, cells = np.random.default_rng(2), []
    for n in range(60):
        pair = rng.permutation(["v5", "v6"]) if varied else ("v5", "v6")
        cells.append((f"p{n}", *pair, ("AB", "BA")[rng.integers(2)], "AB"[rng.integers(2)], 0.7))
    path = sheet(tmp_path, *rows("prompt_id,model_a,model_b,presented_order,verdict,confidence", cells))
    if varied:  # the columns are in the order shown
        assert len(read(path).outcome) == 60
        return
    with pytest.raises(Unsure, match="a letter may be of the column or of the place") as found:
        read(path)
    assert len(q.read_votes(path, winner="verdict", order="presented_order", announce=False).outcome) == 60
    assert found.value.ways[0].options == {"winner": "verdict", "facets": {"order": "presented_order"}}


@pytest.mark.parametrize(("name", "asks"), [("class-name", True), ("passed", False), ("result", False)])
def test_0_and_1_of_systems_where_no_name_says_which_is_good(tmp_path, name, asks):
    cells = [(f"d{n}", system, int(MARKS[n, k] > 5)) for n in range(N) for k, system in enumerate(("x", "y"))]
    said = np.array(["unfaithful", "faithful"])[[one[2] for one in cells]]
    words = sheet(tmp_path, *rows(f"dialog_id,variant,{name}", [(*c[:2], w) for c, w in zip(cells, said, strict=True)]))
    assert q.compare(words).difference.items == N
    path = sheet(tmp_path, *rows(f"dialog_id,variant,{name}", cells))
    if not asks:
        assert q.compare(path).difference.items == N
        return
    with pytest.raises(Unsure, match="no name says which is better") as found:
        q.compare(path)
    assert [way.what for way in found.value.ways] == ["1 is better", "0 is better"]


def test_records_in_parquet_are_columns_of_their_fields(tmp_path):
    frame = pl.DataFrame(
        {
            "doc": [{"id": f"d{n}", "choices": ["a", "b"][: 1 + n % 2], "kept": True} for n in range(N)],
            "metric": [{"match": int(MARKS[n, 0] > 5)} for n in range(N)],
        }
    )
    path = tmp_path / "details.parquet"
    frame.write_parquet(path)
    table = read(path)
    assert (table.score, table.n_levels("item"), table.names) == ("metric.match", N, ("item",))


def visits(seed: int, spread: float) -> pl.DataFrame:
    """90 messages of 20 users, of whom each met one of two versions that differ by 1."""
    rng = np.random.default_rng(seed)
    user, own = rng.integers(0, 20, 90), spread * rng.normal(size=20)
    score = rng.normal(size=90) + own[user] + user % 2
    names = {"item": [f"m{n}" for n in range(90)], "judge": [f"u{one}" for one in user]}
    return pl.DataFrame({**names, "system": [f"v{one % 2}" for one in user], "score": score})


@pytest.mark.parametrize("spread", [0.0, 0.8])
def test_users_of_one_version_each_are_what_is_drawn(spread):
    """The standard error is that of what is found over studies, and intervals hold the truth; Monte Carlo error .04."""
    found = [q.compare(read(visits(seed, spread)), "v1", "v0").difference for seed in range(60)]
    values, errors = np.array([(one.value, one.se) for one in found]).T
    assert np.sqrt(np.mean(errors**2)) == pytest.approx(values.std(), rel=0.3)
    covers = np.mean([one.at(0.95).low <= 1 <= one.at(0.95).high for one in found])
    assert covers >= 0.9
    grouped = visits(0, spread).rename({"judge": "user"})
    same = q.read(grouped, facets={"user": "user"}, nested={"item": "user"}, recognise=True, announce=False)
    assert q.compare(same, "v1", "v0").difference.se == pytest.approx(found[0].se, rel=0.02)
