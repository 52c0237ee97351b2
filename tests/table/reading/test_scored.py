"""The score and the facets of judgments whose columns have names of their own."""

from __future__ import annotations

import json

import polars as pl
import pytest

import quorate as q
from quorate.table.exchange.rows import Rows
from quorate.table.facts.profile import looked_at
from quorate.table.reading.scored import scores_of

ROWS = [(i, j, i // 4, j // 2) for i in range(12) for j in range(4)]
FRAME = pl.DataFrame(ROWS, schema=["case", "person", "ward", "shift"], orient="row").with_columns(
    (pl.col("case") * 7 + pl.col("person") * 3).mod(5).alias("mark"), pl.lit(2024).alias("year")
)


def proposed(frame):
    with looked_at(frame, Rows()) as table:
        found = scores_of(table)
        return (None, ()) if found is None else (dict(found.options), found.reasons)


def test_the_score_is_told_by_its_name_and_measures_are_none():
    options, reasons = proposed(FRAME.with_columns((pl.col("case") * 37 + 400).alias("response_len")))
    assert options == {"score": "mark", "facets": {"item": "case", "person": "person"}}
    assert reasons[0].startswith("mark holds numbers from 0 to 4")
    assert 'every person belongs to one shift: nested={"person": "shift"} if drawn so' in reasons


def test_two_columns_for_one_role():
    options, reasons = proposed(FRAME.with_columns(pl.col("case").alias("item"), pl.col("case").alias("item_id")))
    assert options["facets"]["item"] == "item"
    assert "item is the item; item_id says the same" in reasons


def test_how_things_were_shown_is_a_facet_and_no_score():
    rows = [(i, j, s, int((i + j + s) % 3 > 0)) for i in range(9) for j in range(2) for s in (0, 1)]
    options, _ = proposed(pl.DataFrame(rows, schema=["item", "judge", "swapped", "correct"], orient="row"))
    assert options == {"score": "correct", "facets": {"swapped": "swapped"}}


def test_rows_are_numbered_where_no_column_says_what_they_are():
    assert proposed(pl.DataFrame({"score": [1.5, 2.5, 3.5]}))[0] == {"facets": {"item": "row number"}}


def test_ids_and_flags_are_no_scores():
    frame = pl.DataFrame({"art_id": [1, 2, 3] * 2, "plain_first": [0, 1] * 3, "note": [f"n{i}" for i in range(6)]})
    assert proposed(frame) == (None, ())
    options, _ = proposed(frame.with_columns(winner=pl.Series(["variant", "plain", "tie"] * 2)))
    assert (options["score"], options["labels"]) == ("winner", True)


def test_other_criteria_are_no_facets():
    rows = [(f"r{i}", f"w{j}", 1 + (i + j) % 5, 1 + (2 * i + j) % 5) for i in range(12) for j in range(3)]
    frame = pl.DataFrame(rows, schema=["doc", "worker_id", "coherence", "fluency"], orient="row")
    options, _ = proposed(frame)
    assert options["facets"] == {"item": "doc"}
    assert options["wide"] == {"criterion": ("coherence", "fluency")}


def test_prompts_are_measured_where_nothing_else_is_and_percentages_may_be_many():
    rows = [(f"p{i}", m, f"{(i * 13 + j * 7) % 97}%") for i in range(30) for j, m in enumerate("xyz")]
    frame = pl.DataFrame(rows, schema=["prompt", "model", "grade"], orient="row")
    options, reasons = proposed(frame)
    assert options == {"score": "grade", "facets": {"item": "prompt"}}
    assert "grade holds words: percentages are shares of 1" in reasons


def test_runs_are_no_scores():
    rows = [(f"t{i}", r, m, (i + r * m) % 3 > 0) for i in range(20) for r in range(3) for m in range(2)]
    frame = pl.DataFrame(rows, schema=["task_id", "run", "arm", "passed"], orient="row")
    options, _ = proposed(frame)
    assert options == {"score": "passed", "facets": {"item": "task_id", "run": "run", "arm": "arm"}}


def test_letters_are_grades_by_the_name_of_their_column():
    rows = [(f"e{i}", j, "ABCD"[(i + j * i) % 4]) for i in range(20) for j in range(3)]
    frame = pl.DataFrame(rows, schema=["essay", "rater", "grade"], orient="row")
    options, reasons = proposed(frame)
    assert (options["score"], options["numbers"]) == ("grade", {"D": 1, "C": 2, "B": 3, "A": 4})
    assert "if they are answers or the sides of a comparison, say label=" in reasons[0]
    options, reasons = proposed(frame.rename({"grade": "choice"}))
    assert options["labels"]
    assert 'if they are grades, say numbers={"' in reasons[0]


def test_questions_of_one_passage_may_be_alike():
    frame = pl.DataFrame(
        [(i // 3, i, int(i % 5 > 1)) for i in range(30)], schema=["passage", "question", "correct"], orient="row"
    )
    assert proposed(frame)[0] == {"score": "correct", "facets": {"passage": "passage"}}


def test_a_try_is_no_score_and_a_reply_that_could_not_be_parsed_none():
    rows = [(i, k, "parse error" if (i, k) == (2, 1) else str((i + k) % 2)) for i in range(8) for k in (1, 2, 3)]
    options, _ = proposed(pl.DataFrame(rows, schema=["task", "try", "passed"], orient="row"))
    assert options == {"score": "passed", "missing": ("parse error",), "facets": {"item": "task", "replicate": "try"}}


def test_requests_are_what_is_judged():
    frame = pl.DataFrame([(i, int(i % 3 > 0)) for i in range(30)], schema=["request", "passed"], orient="row")
    assert proposed(frame)[0] == {"score": "passed", "facets": {"item": "request"}}


def sheet(row, columns, n=24):
    return pl.DataFrame(
        {row: [f"p{i}" for i in range(n)]}
        | {name: [1 + (i * i + 3 * place + i * place) % 5 for i in range(n)] for place, name in enumerate(columns)}
    )


@pytest.mark.parametrize(
    ("row", "columns", "role", "other"),
    [
        ("id", ["gpt", "claude", "amber"], "judge", "criterion"),
        ("id", ["helpfulness", "clarity", "tone"], "criterion", "judge"),
        ("user_input", ["faithfulness", "answer_correctness"], "criterion", "judge"),
        ("respondent_id", ["q1", "q2", "q3"], "item", "criterion"),
        ("participant", ["I was heard", "It was easy"], "item", "criterion"),
        ("annotator_id", ["good", "right"], "item", "criterion"),
        ("id", ["question_1", "question_2", "question_3"], "item", "judge"),
    ],
)
def test_what_columns_are_is_said_with_what_else_they_could_be(tmp_path, row, columns, role, other):
    path = tmp_path / "sheet.csv"
    sheet(row, columns).write_csv(path)
    found = q.propose(path)
    assert (found.options["wide"], found.problem) == ({role: tuple(columns)}, "")
    assert f'if they are {"judges" if other == "judge" else "criteria"}, say wide={{"{other}"' in found.reasons[1]
    table = q.read(path, announce=False, recognise=True, **found.options)
    who = "judge" if role == "item" else "item"
    assert (table.n_cells, len(table.facet(role).levels), len(table.facet(who).levels)) == (
        24 * len(columns),
        len(columns),
        24,
    )


@pytest.mark.parametrize("judges", [("gpt", "claude"), (None,)])
def test_criteria_inside_a_record(tmp_path, judges):
    path = tmp_path / "nested.jsonl"
    rows = [
        {
            "id": f"a{i}",
            **({"judge": judge} if judge else {}),
            "scores": {"helpful": 1 + (i * i + at) % 5, "clear": 1 + i % 5},
        }
        for i in range(20)
        for at, judge in enumerate(judges)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = q.propose(path)
    assert found.options["wide"] == {"criterion": ("scores.helpful", "scores.clear")}
    assert (found.options["fixed"][-1], found.problem) == ("criterion", "")
    assert any('score="scores.helpful"' in one or "if they are" in one for one in found.reasons)
    table = q.read(path, announce=False, recognise=True, **found.options)
    assert (table.n_cells, table.facet("criterion").fixed) == (40 * len(judges), True)


def test_the_role_of_wide_columns_is_a_facet_whatever_its_name(tmp_path):
    path = tmp_path / "sheet.csv"
    sheet("id", ["tone", "depth"]).write_csv(path)
    for recognise in (True, False):
        table = q.read(
            path, wide={"aspect": ["tone", "depth"]}, facets={"item": "id"}, recognise=recognise, announce=False
        )
        assert (table.n_cells, table.facet("aspect").levels) == (48, ("depth", "tone"))


def test_columns_of_the_same_words_are_labels_of_judges(tmp_path):
    words = ["spam", "ham", "promo"]
    rows = [{"id": f"m{i}"} | {f"ann{j}": words[(i + (i * j) % 5 // 4) % 3] for j in range(3)} for i in range(40)]
    frame = pl.DataFrame(rows).with_columns(
        language=pl.Series(["de", "en"] * 20), source=pl.Series(["web", "mail"] * 20)
    )
    path = tmp_path / "words.csv"
    frame.write_csv(path)
    found = q.propose(path)
    assert found.options == {
        "wide": {"judge": ("ann0", "ann1", "ann2")},
        "facets": {"item": "id"},
        "labels": True,
    }
    assert not found.problem
    assert len(q.scores.labels(q.read(path, recognise=True, announce=False, **found.options)).pairs) == 3


def test_criteria_in_rows_are_chosen_beside_what_is_chosen_anyway():
    rows = [
        (i, t, c, 1 + (i + 3 * k + at) % 5)
        for i in range(8)
        for at, t in enumerate((0.0, 1.0))
        for k, c in enumerate("pq")
    ]
    options, _ = proposed(pl.DataFrame(rows, schema=["item", "temperature", "dimension", "score"], orient="row"))
    assert options == {"facets": {"dimension": "dimension"}, "fixed": ("temperature", "dimension")}
