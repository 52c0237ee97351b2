"""Several columns of scores: judges, questions to people, or criteria."""

from __future__ import annotations

import json

import polars as pl
import pytest

import quorate as q


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
