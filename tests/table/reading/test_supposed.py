"""Roles that names do not say outright: what languages, ends of names, structure and the question itself tell."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidInput
from quorate.table.columns.languages import plain
from quorate.table.reading.reading import Unsure, complete
from quorate.table.reading.score import refuse_scales_of

N = 24
ITEM = [f"t{n // 3}" for n in range(3 * N)]
JUDGE = ["ann", "bob", "cem"] * N
MARK = [1 + (n * n + n // 5) % 5 for n in range(3 * N)]
SYSTEM = ["x", "y", "z"] * N


def roles_of(columns, **options):
    table = q.read(pl.DataFrame(columns), announce=False, **options)
    return {facet.name: facet.column for facet in table.facets} | {"score": table.score}


@pytest.mark.parametrize(
    ("columns", "roles"),
    [
        # names in other languages
        ({"Aufsatz": ITEM, "Prüfer": JUDGE, "Punkte": MARK}, {"item": "Aufsatz", "judge": "Prüfer", "score": "Punkte"}),
        ({"vin": ITEM, "juge": JUDGE, "note": MARK}, {"item": "vin", "judge": "juge", "score": "note"}),
        (
            {"id_pregunta": ITEM, "evaluador": JUDGE, "puntuación": MARK},
            {"item": "id_pregunta", "judge": "evaluador", "score": "puntuación"},
        ),
        ({"问题": ITEM, "评委": JUDGE, "得分": MARK}, {"item": "问题", "judge": "评委", "score": "得分"}),
        (
            {"Brief": ITEM, "Prüfer": JUDGE, "Verständlichkeit (1-5)": MARK},
            {"item": "Brief", "judge": "Prüfer", "score": "Verständlichkeit (1-5)"},
        ),
        # who judged, by the end of a name or a profession where nobody is judged
        ({"ticket": ITEM, "qa_reviewer": JUDGE, "score": MARK}, {"item": "ticket", "judge": "qa_reviewer"}),
        ({"essay": ITEM, "teacher": JUDGE, "mark": MARK}, {"item": "essay", "judge": "teacher", "score": "mark"}),
        # what is judged, as it alone tells rows apart beside who judged
        ({"cheese": ITEM, "taster": JUDGE, "points": MARK}, {"item": "cheese", "judge": "taster", "score": "points"}),
        (
            {"page_url": ITEM, "auditor": JUDGE, "severity": MARK, "browser": ["firefox", "chrome", "chrome"] * N},
            {"item": "page_url", "judge": "auditor", "score": "severity"},
        ),
        # ids and their texts, parts of documents, days and tries
        (
            {"qid": [*range(3 * N)], "question": [f"why {n % 70}" for n in range(3 * N)], "score": MARK},
            {"item": "qid", "score": "score"},
        ),
        (
            {"doc_id": [f"d{n // 9}" for n in range(3 * N)], "seg_id": ITEM, "rater": JUDGE, "score": MARK},
            {"item": "seg_id", "doc_id": "doc_id", "judge": "rater"},
        ),
        (
            {"speaker": ITEM, "session": ["t1", "t2", "t3"] * N, "rater": ["ann", "bob"] * 36, "fluency_score": MARK},
            {"item": "speaker", "session": "session", "judge": "rater"},
        ),
        # who judged once each tells nothing of judges
        ({"paper_number": ITEM, "reviewer": [f"r{n}" for n in range(3 * N)], "rating": MARK}, {"item": "paper_number"}),
    ],
)
def test_what_is_told(columns, roles):
    assert roles_of(columns).items() >= roles.items()
    assert ("judge" in roles_of(columns)) == ("judge" in roles)


@pytest.mark.parametrize(
    ("names", "role"),
    [
        (["Dr. Hansen", "Dr. Liu", "Nurse Kelly"], "judge"),
        (["MK", "JS", "TR"], "judge"),
        (["Erstkorrektur", "Zweitkorrektur"], "judge"),
        (["judge_gpt4o", "judge_claude35", "judge_llama70b"], "judge"),
        (["J1", "J2", "J3"], "judge"),
        (["run_1", "run_2", "run_3"], "replicate"),
    ],
)
def test_columns_side_by_side(names, role):
    frame = pl.DataFrame({"case_id": [*range(N)]} | {name: MARK[at * 9 : at * 9 + N] for at, name in enumerate(names)})
    table = q.read(frame, announce=False)
    levels = {*table.facet(role).levels} if role == "judge" else {*names}
    assert levels == {*names}
    assert table.n_answers == N * len(names)
    assert ("judge" in table.names) == (role == "judge")


def test_a_total_of_its_parts_is_the_score_where_who_judged_is_known():
    parts = {f"C{at}": MARK[at:] + MARK[:at] for at in range(3)}
    frame = pl.DataFrame({"essay": ITEM, "marker": JUDGE, **parts}).with_columns(total=sum(pl.col(c) for c in parts))
    table = q.read(frame, announce=False)
    assert table.score == "total"
    assert table.mean.mean() == pytest.approx(frame["total"].mean())


def test_codes_of_coders_are_asked_about():
    frame = pl.DataFrame({"unit": [*range(N)], "coder1": MARK[:N], "coder2": MARK[5 : N + 5]})
    with pytest.raises(Unsure, match="their numbers may be codes") as found:
        q.read(frame)
    assert [bool(way.options.get("labels")) for way in found.value.ways] == [True, False]


def test_what_a_program_computed_is_asked_about():
    metrics = {name: np.roll(MARK, 5 * at) / 7 for at, name in enumerate(["BLEU", "TER", "COMET"])}
    with pytest.raises(Unsure, match="BLEU, TER and COMET may each be the score"):
        q.read(pl.DataFrame({"seg": ITEM, "sys": SYSTEM, **metrics}))


# What is compared


@pytest.mark.parametrize(
    ("columns", "system"),
    [
        ({"item": ITEM, "prompt_version": ["v1", "v2", "v3"] * N, "score": MARK}, "prompt_version"),
        ({"ticket_id": ITEM, "support_agent": SYSTEM, "score": MARK}, "support_agent"),
        ({"utt": [f"u{n // 6}" for n in range(6 * N)], "listener": ["l1", "l2"] * (3 * N), "MOS": MARK * 2,
          "codebook": [a for a in "xyz" for _ in "ab"] * N}, "codebook"),
    ],
)  # fmt: skip
def test_what_is_compared_is_told_where_systems_are_to_be(columns, system, tmp_path):
    frame = pl.DataFrame(columns)
    board = q.rank(frame)
    assert {*board.systems} == {*frame[system].to_list()}
    path = tmp_path / "scores.csv"
    frame.write_csv(path)
    assert q.rank(str(path)).systems == board.systems


def test_columns_of_models_are_compared_and_else_asked_about():
    names = ("gpt-4o", "claude-3-opus", "llama-3-8b")
    frame = pl.DataFrame(
        {"problem": [f"p{n}" for n in range(N)]} | {name: MARK[at * 7 : at * 7 + N] for at, name in enumerate(names)}
    )
    assert {*q.rank(frame).systems} == {*names}
    with pytest.raises(Unsure, match="their names do not say what they are"):
        q.analyze(frame)
    bare = frame.rename({name: f"c{at}" for at, name in enumerate(names)})
    with pytest.raises(Unsure, match="their names do not say what they are"):
        q.rank(bare)


def test_what_is_judged_is_compared_where_there_is_nothing_else_and_else_asked(logged):
    frame = pl.DataFrame({"item": ITEM, "rater": JUDGE, "score": MARK})
    assert {*q.rank(frame).systems} == {*ITEM}
    assert ("WARNING", "item taken for what is compared") in logged
    with pytest.raises(Unsure, match="no name says what is compared") as found:
        q.rank(frame.with_columns(room=pl.Series(["a", "b"] * 36), desk=pl.Series(["c", "d", "e", "f"] * 18)))
    assert len(found.value.ways) == 3
    for way in found.value.ways:
        assert "system" in way.options["facets"]


# Two scales


def two_scales(factor, tmp_path):
    marks = [mark * factor if judge == "cem" else mark for mark, judge in zip(MARK, JUDGE, strict=True)]
    path = tmp_path / "scores.csv"
    pl.DataFrame({"proposal": ITEM, "expert": JUDGE, "rating": marks}).write_csv(path)
    return path


def test_judges_on_two_scales_are_asked_about(tmp_path):
    with pytest.raises(Unsure, match="ann and bob never go beyond 5, and others to 100: two scales") as found:
        q.read(two_scales(20, tmp_path))
    table = q.read(two_scales(20, tmp_path), **complete(found.value.ways[0].options), announce=False)
    assert table.facet("judge").levels == ("cem",)
    assert q.read(two_scales(4, tmp_path), announce=False).n_answers == 3 * N  # a lenient judge, perhaps
    assert refuse_scales_of(q.read(two_scales(1, tmp_path), announce=False)) is None


# Files as spreadsheets write them


def test_titles_above_the_header_and_totals_below_are_left_out_and_said(tmp_path, logged):
    lines = ["Barthel index (0-20), exported 14.03.2025", "", "case,rater1,rater2"]
    lines += [f"c{n},{MARK[n]},{MARK[n + 3]}" for n in range(N)] + ["Mean,3.1,2.9"]
    path = tmp_path / "export.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    table = q.read(path)
    assert (table.n_levels("item"), table.facet("judge").levels) == (N, ("rater1", "rater2"))
    assert ("WARNING", 'case is "Mean" in one row, which may be made of the others: left out') in logged
    assert any("2 lines above the header left out" in str(note) for note in table.notes)


@pytest.mark.parametrize("above", [1, 2])
def test_an_empty_line_in_a_table_takes_nothing_away(tmp_path, above):
    lines = ["case,rater1,rater2", *(f"c{n},{MARK[n]},{MARK[n + 3]}" for n in range(N))]
    path = tmp_path / "gap.csv"
    path.write_text("\n".join([*lines[:above], "", *lines[above:]]) + "\n", encoding="utf-8")
    table = q.read(path, announce=False)
    assert (table.n_levels("item"), table.facet("judge").levels) == (N, ("rater1", "rater2"))


@pytest.mark.parametrize("line", ["a,b", "a;b;c", '"one, two",'])
def test_a_line_that_is_no_title_is_not_left_out(tmp_path, line):
    path = tmp_path / "broken.csv"
    path.write_text("\n".join([line, *(f"c{n},{MARK[n]},{MARK[n + 3]}" for n in range(N))]) + "\n", encoding="utf-8")
    with pytest.raises(InvalidInput):
        q.read(path)


def test_rows_that_two_columns_name_together(logged):
    marks = {f"J{at}": MARK[at * 9 : at * 9 + N] for at in range(3)}
    frame = pl.DataFrame(
        {"skater": [f"s{n // 4}" for n in range(N)], "element": ["3Lz", "3F", "StSq", "CSp"] * 6, **marks}
    )
    table = q.read(frame)
    assert {facet.name: facet.column for facet in table.facets}.items() >= {
        "item": "skater",
        "element": "element",
    }.items()
    assert ("WARNING", "element tells apart the rows of one skater: taken as a facet") in logged


def test_statuses_of_a_survey_are_none(tmp_path):
    names = [f"Q3_{at}" for at in range(1, 5)]
    frame = pl.DataFrame({"Status": ["IP Address"] * N, "ResponseId": [f"R{n}" for n in range(N)]})
    frame = frame.with_columns(pl.Series(name, MARK[at * 7 : at * 7 + N]) for at, name in enumerate(names))
    table = q.read(frame, announce=False)
    assert {*table.facet("item").levels} == {*names}
    assert table.n_levels("judge") == N


def test_ballots_that_are_counted():
    frame = pl.DataFrame({"ranking": ["x > y > z", "y > x > z", "x > z > y", "z > x > y", "y > z > x"],
                          "ballots": [30, 12, 9, 5, 4]})  # fmt: skip
    votes = q.read(frame, announce=False)
    assert votes.n == 3 * 60
    assert q.rank(votes).systems[0] == "x"


# Names


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("Prüfer 1", "examiner_1"),
        ("Évaluatrice", "evaluator"),
        ("note_sur_20", "note_sur_20"),
        ("Task #", "task_number"),
        ("Total (0-16)", "total"),
        ("tie (bothbad)", "tie_bothbad"),
        ("evaluation_session_id", "evaluation_session_id"),
        ("preference", "preference"),
    ],
)
def test_names_in_english(name, known):
    assert plain(name) == known


# Several judgments in a row


def test_counts_that_a_column_adds_up_are_labels():
    labels = ("hate", "offensive", "neither")
    counts = {name: [(n * 7 + at * 3) % 4 for n in range(N)] for at, name in enumerate(labels)}
    frame = pl.DataFrame({"tweet_no": [*range(N)], **counts, "class": [n % 3 for n in range(N)]})
    table = q.read(frame.with_columns(count=sum(pl.col(name) for name in labels)), announce=False)
    assert {*table.labels} == {*labels}
    assert table.n_answers == len(labels) * sum(map(sum, counts.values()))  # of each label whether it is this one


def test_a_copy_of_the_score_in_a_record_is_left_out():
    records = [{"uuid": f"u{n}", "grade": MARK[n], "grading": {"grade": MARK[n], "by": "x"}} for n in range(N)]
    table = q.read(pl.DataFrame(records).unnest("grading", separator="."), announce=False)
    assert (table.score, table.n_answers) == ("grade", N)


@pytest.mark.parametrize(
    ("names", "levels"),
    [
        (["gpt (Rater 1)", "gpt (Rater 2)", "llama (Rater 1)", "llama (Rater 2)"], {"Rater 1", "Rater 2"}),
        (["gpt4_by_claude", "gpt4_by_gemini", "llama3_by_claude", "llama3_by_gemini"], {"claude", "gemini"}),
    ],
)
def test_systems_by_judges_in_one_name(names, levels):
    marks = {name: MARK[at * 7 : at * 7 + N] for at, name in enumerate(names)}
    frame = pl.DataFrame({"prompt_id": [*range(N)], **marks})
    board = q.rank(frame)
    assert {*board.systems} == {name.split()[0].split("_")[0] for name in names}
    assert {*board.judgments.facet("judge").levels} == levels


def test_models_by_models_are_asked_about():
    names = [f"{one}_{two}" for one in ("gpt4", "claude3") for two in ("gpt4", "claude3")]
    marks = {name: MARK[at * 7 : at * 7 + N] for at, name in enumerate(names)}
    with pytest.raises(Unsure, match="two things in one name"):
        q.rank(pl.DataFrame({"idx": [*range(N)], **marks}))
