from __future__ import annotations

import json
import time
from collections import Counter
from dataclasses import replace

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from examples import few
from hypothesis import given
from hypothesis import strategies as st

from quorate.errors import InvalidData, InvalidInput, UnknownColumn
from quorate.table.read_votes import read_votes

LABELS = ("model_a", "model_b", "tie", "tie (bothbad)", None)
MODELS = ("a", "gpt\n4", "<script>", "ü;\"'", "z")
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "model_a": st.sampled_from(MODELS),
            "model_b": st.sampled_from(MODELS),
            "winner": st.sampled_from(LABELS),
            "judge": st.sampled_from(["j", "k", None]),
            "prompt": st.integers(0, 3) | st.none(),
            "category": st.sampled_from(["c", "d", None]),
            "order": st.sampled_from(["model_a", "model_b", None]),
            "time": st.integers(0, 100).map(float) | st.none(),
            "count": st.integers(0, 3),
            "status": st.sampled_from(["ok", "refused", "error"]),
        }
    ),
    min_size=1,
    max_size=20,
).filter(lambda rows: any(row["model_a"] != row["model_b"] and row["count"] for row in rows))
SCHEMA = {
    **dict.fromkeys(("model_a", "model_b", "winner", "judge"), pl.String),
    "prompt": pl.Int64,
    "category": pl.String,
    "order": pl.String,
    "time": pl.Float64,
    "count": pl.Int64,
    "status": pl.String,
}


def in_plain_python(rows):
    """What every row says, by the definition: models in order, outcome and order turned with them."""
    types = {}
    for row in rows:
        if row["prompt"] is not None and row["category"] is not None:
            types.setdefault(row["prompt"], set()).add(row["category"])
    again = any(len(found) > 1 for found in types.values())
    for row in rows:
        a, b = row["model_a"], row["model_b"]
        if a == b or row["count"] == 0:
            continue
        outcome = LABELS.index(row["winner"]) if row["status"] == "ok" else 4
        order = {"model_a": 0, "model_b": 1, None: -1}[row["order"]]
        prompt = None if row["prompt"] is None else str(row["prompt"])
        if prompt is not None and again and row["category"] is not None:
            prompt += f" ({row['category']})"
        if a > b:
            a, b = b, a
            outcome, order = (1, 0, 2, 3, 4)[outcome], {0: 1, 1: 0, -1: -1}[order]
        yield a, b, outcome, order, row["judge"], prompt, row["category"], row["time"], row["count"]


def flattened(votes):
    """The same from a table of votes."""

    def labels(name):
        levels = [*votes.facet(name).levels, None]
        return [levels[code] for code in votes.column(name)]

    names = [[votes.models[code] for code in column] for column in (votes.model_a, votes.model_b)]
    times = [None if np.isnan(moment) else moment for moment in votes.time]
    columns = (votes.outcome.tolist(), votes.order.tolist(), labels("judge"), labels("prompt"), labels("prompt_type"))
    return list(zip(*names, *columns, times, votes.weights.tolist(), strict=True))


def in_every_form(frame, folder):
    frame.write_parquet(folder / "votes.parquet")
    frame.write_ndjson(folder / "votes.jsonl")
    frame.write_csv(folder / "votes.csv", quote_style="non_numeric")
    yield from (folder / "votes.parquet", str(folder / "votes.jsonl"), folder / "votes.csv")
    yield from (frame, frame.lazy(), frame.with_columns(pl.col(pl.String).cast(pl.Categorical)))
    yield from (frame.to_pandas(), frame.to_arrow())


@given(ROWS)
@few
def test_every_source_gives_what_plain_python_gives(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("votes")
    expected = list(in_plain_python(rows))
    frame = pl.DataFrame(rows, schema=SCHEMA)
    tables = [read_votes(source, announce=False) for source in in_every_form(frame, folder)]
    with duckdb.connect() as connection:
        relation = connection.read_parquet(str(folder / "votes.parquet"))
        tables.append(read_votes(relation, announce=False))
    for votes in tables:
        assert flattened(votes) == expected
        assert votes.itself == sum(row["model_a"] == row["model_b"] for row in rows)
        assert votes.n + votes.n_missing == sum(row[-1] for row in expected)


@given(ROWS, st.data())
def test_writing_pairs_the_other_way_round_changes_nothing(rows, data):
    turned = {"model_a": "model_b", "model_b": "model_a"}
    exchanged = [
        {
            **row,
            "model_a": row["model_b"],
            "model_b": row["model_a"],
            "winner": turned.get(row["winner"], row["winner"]),
            "order": turned.get(row["order"]),
        }
        if data.draw(st.booleans())
        else row
        for row in rows
    ]
    one, other = (read_votes(pl.DataFrame(some, schema=SCHEMA), announce=False) for some in (rows, exchanged))
    assert flattened(one) == flattened(other)
    for a, b in one.pairs():
        np.testing.assert_array_equal(one.pair(a, b).encoded("half"), 1 - one.pair(b, a).encoded("half"))
        assert one.wins(a, b) == other.wins(a, b) == one.pair(b, a).wins(a, b)
        assert one.pair(a, b).encoded().tolist() == pytest.approx(other.pair(a, b).encoded().tolist(), nan_ok=True)


def frame_of(**columns):
    rows = max(len(column) for column in columns.values())
    return pl.DataFrame({"model_a": ["x"] * rows, "model_b": ["y"] * rows, "winner": ["a"] * rows} | columns)


@given(ROWS)
@few
def test_rows_that_agree_are_counted_by_whoever_reads_them(tmp_path_factory, rows):
    rows = rows * 3
    frame = pl.DataFrame(rows, schema=SCHEMA)
    wanted = Counter()
    for row in in_plain_python(rows):
        wanted[row[:-2]] += row[-1]
    *written, _, lazy, _, _, _ = in_every_form(frame, tmp_path_factory.mktemp("votes"))
    for source in (*written, lazy):
        votes = read_votes(source, counted=True, announce=False)
        assert votes.time is None
        assert not [note for note in votes.notes if note.role == "time"]
        found = flattened(replace(votes, time=np.full(votes.rows, np.nan)))
        assert Counter({row[:-2]: row[-1] for row in found}) == wanted
        assert len({row[:-2] for row in found}) <= len(found) <= len(rows) / 3
        assert votes.itself == sum(row["model_a"] == row["model_b"] for row in rows)


def test_rows_that_hardly_agree_are_read_as_they_are(tmp_path):
    votes = {"model_a": "x", "model_b": "y", "winner": "x", "prompt": [f"p{i}" for i in range(50)]}
    pl.DataFrame(votes).write_parquet(tmp_path / "votes.parquet")
    found = read_votes(tmp_path / "votes.parquet", counted=True, announce=False)
    assert (found.rows, found.count) == (50, None)
    assert read_votes(tmp_path / "votes.parquet", counted=True, announce=False, prompt="").rows == 1


def test_counted_or_not_a_wrong_row_is_named_by_its_place(tmp_path):
    (tmp_path / "votes.csv").write_text("model_a,model_b,winner\n" + "x,y,x\n" * 9 + "x,y,z\n")
    with pytest.raises(InvalidData, match="in row 10"):
        read_votes(tmp_path / "votes.csv", counted=True, announce=False)


def test_what_was_recognised_is_logged_once(logged, capsys):
    votes = read_votes(frame_of(winner=["a", "tie"], question_id=[1, 2], extra=[0, 0]))
    assert "; ".join(message for _, message in logged) == (
        "model_a = column model_a; model_b = column model_b; winner = column winner; "
        'prompt = column question_id; not used: extra; winner: "a" is model_a, "tie" is a tie'
    )
    assert len(votes.notes) == 6
    logged.clear()
    read_votes(frame_of(winner=["a"]), announce=False)
    assert not logged
    assert capsys.readouterr().err == ""


def test_a_row_that_is_not_ok_is_missing_whatever_it_says():
    frame = frame_of(winner=["a", "gibberish", "tie", None], status=["ok", "error", "refused", "ok"])
    votes = read_votes(frame, announce=False)
    assert votes.outcome.tolist() == [0, 4, 4, 4]
    assert votes.statuses == {"ok": 1, "refused": 1, "error": 1, "missing": 1}
    with pytest.raises(InvalidData, match='"gibberish" in row 2'):
        read_votes(frame, status="", announce=False)
    with pytest.raises(InvalidData, match='column "status" has statuses that are not known: "fine"'):
        read_votes(frame_of(winner=["a"], status=["fine"]), announce=False)


def test_a_model_against_itself_is_left_out_and_counted():
    votes = read_votes(frame_of(model_a=["x", "y", "x"], winner=["a", "b", "b"]), announce=False)
    assert (votes.rows, votes.itself) == (2, 1)
    assert votes.notes[-1] == "1 row compares a model with itself: left out"
    with pytest.raises(InvalidData, match="every row compares a model with itself"):
        read_votes(frame_of(model_a=["y", "y"]), announce=False)


@pytest.mark.parametrize("empty", [None, "", "  "])
def test_every_vote_needs_two_models(empty):
    with pytest.raises(InvalidData, match='column "model_b" is empty in row 2'):
        read_votes(frame_of(model_b=["y", empty]), announce=False)


def test_prompts_that_start_again_in_each_type():
    again = frame_of(prompt=[1, 2, 1, None, 1], category=["de", "de", "fr", "fr", None])
    votes = read_votes(again, announce=False)
    assert votes.facet("prompt").levels == ("1", "1 (de)", "1 (fr)", "2 (de)")
    assert votes.column("prompt").tolist() == [1, 3, 2, -1, 0]
    assert "prompt: labels occur under several levels of prompt_type and are told apart by them" in votes.notes
    apart = read_votes(frame_of(prompt=[1, 2, 1], category=["de", "fr", "de"]), announce=False)
    assert apart.facet("prompt").levels == ("1", "2")


def test_labels_that_are_not_there_are_said():
    votes = read_votes(frame_of(judge=["j", None, None]), announce=False)
    assert votes.notes[-1] == "judge: 2 rows without a label"


def test_counted_wins():
    frame = pl.DataFrame(
        {"home": ["y", "x"], "away": ["x", "y"], "h": [4, 0], "w": [3, 2], "t": [1, 0], "judge": ["j", "k"]}
    )
    votes = read_votes(frame, model_a="home", model_b="away", wins=("h", "w", "t"), announce=False)
    assert (votes.wins("y", "x"), votes.wins("x", "y"), votes.n, votes.rows) == (6, 3, 10, 4)
    assert votes.only("judge", "k").n == 2
    with pytest.raises(InvalidInput, match="outcomes: says what labels of a winner mean, but wins counts them"):
        read_votes(frame, model_a="home", model_b="away", wins=("h", "w"), outcomes={"a": 1}, announce=False)
    with pytest.raises(InvalidInput, match="count: wins are counts already"):
        read_votes(frame, model_a="home", model_b="away", wins=("h", "w"), count="t", announce=False)
    with pytest.raises(InvalidData, match="every count is 0"):
        read_votes(frame.with_columns(h=0, w=0), model_a="home", model_b="away", wins=("h", "w"), announce=False)


@pytest.mark.parametrize(
    ("source", "error", "message"),
    [
        ("nowhere.csv", InvalidInput, "no such file"),
        ({"model_a": ["x"]}, InvalidInput, "expects a path or a data frame, got dict"),
        (pl.DataFrame({"a": [1]}), UnknownColumn, 'model_a: no column "model_a"; the data have "a"'),
        (pl.DataFrame(schema=["model_a", "model_b", "winner"]), InvalidData, "has no rows"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), InvalidInput, "two columns have one name"),
    ],
)
def test_what_cannot_be_read(source, error, message):
    with pytest.raises(error, match=message) as caught:
        read_votes(source, announce=False)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("model_a,model_b,winner\n", "has no rows"),
        ("model_a,model_b,winner\nx,y\n", "line 2: the header has 3 columns"),
        ("model_a,model_b,winner\nx,y,maybe\n", '"maybe" in row 1 names neither model'),
        ("model_a,model_b,winner\nx,,a\n", 'column "model_b" is empty in row 1'),
    ],
)
def test_broken_files(tmp_path, text, message):
    (tmp_path / "votes.csv").write_text(text, encoding="utf-8")
    with pytest.raises(InvalidData, match=message):
        read_votes(tmp_path / "votes.csv", announce=False)


def test_a_relation_of_numbers_and_a_tab_separated_file(tmp_path):
    (tmp_path / "votes.tsv").write_text(
        "model_a\tmodel_b\twinner\tjudge\n9\t10\t1\t007\n10\t9\t2\t7\n", encoding="utf-8"
    )
    votes = read_votes(tmp_path / "votes.tsv", announce=False)
    assert (votes.models, votes.wins("9", "10")) == (("10", "9"), 2)
    assert votes.facet("judge").levels == ("007", "7")
    assert len(votes.source.sha256) == 64
    with duckdb.connect() as connection:
        found = read_votes(connection.sql("SELECT 9 AS model_a, 10 AS model_b, 'model_a' AS winner"), announce=False)
    assert found.wins("9", "10") == 1


@pytest.mark.slow
def test_thirty_thousand_models():
    codes = np.arange(30_000)
    frame = frame_of(
        model_a=[f"m{i}" for i in codes], model_b=[f"m{i}" for i in np.roll(codes, 1)], winner=["a"] * 30_000
    )
    started = time.process_time()
    votes = read_votes(frame.with_columns(winner="model_a"), announce=False)
    assert (len(votes.models), len(votes.pairs())) == (30_000, 30_000)
    assert votes.wins("m7", "m6") == 1
    assert time.process_time() - started < 2


def test_hostile_json(tmp_path):
    rows = [
        {"model_a": "<script>\n", "model_b": 'y"\u2028', "winner": "<script>\n", "judge": "'; DROP TABLE x; --"}
    ] * 2
    (tmp_path / "votes.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    votes = read_votes(tmp_path / "votes.jsonl", announce=False)
    assert votes.wins("<script>", 'y"') == 2  # blanks around a label say nothing
    assert all("\n" not in note for note in votes.notes)


@pytest.mark.slow
def test_wmt15(shared):
    path = shared / "data" / "wmt15_human_pairwise.parquet"
    started = time.process_time()
    votes = read_votes(path, facets={"expanded": "expanded"}, announce=False)
    assert time.process_time() - started < 2
    assert (votes.n, votes.totals[2]) == (443_948, 76_824)
    assert [(facet.name, len(facet.levels)) for facet in votes.facets] == [
        ("prompt", 11_353), ("prompt_type", 10), ("judge", 131), ("cluster", 28_197), ("expanded", 2)
    ]  # fmt: skip
    pairs = votes.within("prompt_type").pairs()
    assert (len(pairs), int((pairs.votes >= 200).sum())) == (724, 712)
    assert votes.only("expanded", "false").n == 210_401
    finnish = votes.only("prompt_type", "fin-eng")
    share = {
        name: sum(finnish.wins(name, other) for other in finnish.models)
        / sum(finnish.wins(name, other) + finnish.wins(other, name) for other in finnish.models)
        for name in finnish.models
    }
    rounded = {name.split(".")[0]: round(value, 3) for name, value in share.items()}
    assert {name: rounded[name] for name in ("online-B", "PROMT-SMT", "online-A", "UoS-stemmed")} == {
        "online-B": 0.731, "PROMT-SMT": 0.606, "online-A": 0.590, "UoS-stemmed": 0.302
    }  # fmt: skip


def test_people_and_judges_in_one_table(shared):
    path = shared / "data" / "arena_human_vs_llm_judges.parquet"
    judges = read_votes(path, winner="judge_winner", announce=False)
    people = read_votes(path, winner="human_winner", announce=False).only("judge", "gpt-5.2")
    claude, *others = judges.models
    found = {}
    for name, votes in {**{n: judges.only("judge", n) for n in judges.facet("judge").levels}, "human": people}.items():
        pairs = [votes.pair(other, claude) for other in others]
        found[name] = [round(float(np.nanmean(pair.encoded())), 3) for pair in pairs]
    assert found == {
        "gpt-4o-mini": [0.209, 0.159, 0.225],
        "gpt-5.2": [0.486, 0.359, 0.705],
        "human": [0.409, 0.235, 0.4],
    }
    assert judges.statuses == {"ok": 1752, "missing": 2}


def test_classics(shared):
    hockey = shared / "data" / "icehockey_bt.parquet"
    with pytest.raises(InvalidData, match=r'column "result" has the numbers 0, 0.5, 1, which do not say who won'):
        read_votes(hockey, winner="result", announce=False)
    votes = read_votes(hockey, winner="result", outcomes={"a": 1, "b": 0, "tie": 0.5}, announce=False)
    assert votes.totals[2] == 125
    assert votes.describe().written.won == 246  # of 366, on pairs that are written in both orders (counted by polars)
    options = {"model_a": "home.team", "model_b": "away.team", "wins": ("home.wins", "away.wins")}
    baseball = read_votes(shared / "data" / "baseball_bt.parquet", announce=False, **options)
    assert baseball.pair("Detroit", "Milwaukee").n == 13
    assert baseball.n == 273


def test_a_label_for_a_tie_beside_names_of_models():
    frame = pl.DataFrame({"model_a": ["x", "y", "x"], "model_b": ["y", "x", "y"], "winner": ["x", "similar", "y"]})
    votes = read_votes(frame, outcomes={"tie": "similar"}, announce=False)
    assert (votes.wins("x", "y"), votes.wins("y", "x"), votes.n - votes.n_decisive) == (1, 1, 1)
