"""Forms with grids, heads of merged cells, words of other languages, and labels that are written in several ways."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from tests.table.reading.test_sheet import MARKS, N, rows, sheet
from tests.table.test_several import sheet as worksheet
from tests.table.test_several import workbook

import quorate as q
from quorate.table.reading.reading import Unsure


def read(path, **options):
    return q.read(path, announce=False, **options)


def book(path, sheets):
    return workbook(path, *(worksheet(name, cells) for name, cells in sheets.items()))


def levels(table):
    return {facet.name: len(facet.levels) for facet in table.facets}


def test_the_rows_of_a_grid_are_what_everybody_rated(tmp_path):
    heads = ",".join(f"How good was it? [{name}]" for name in ("Aya", "Bora", "Ceres"))
    cells = [(f"p{n}@x.org", *MARKS[n]) for n in range(N)]
    table = read(sheet(tmp_path, *rows(f"E-Mail-Adresse,{heads}", cells)))
    assert (levels(table), table.facet("system").levels) == ({"item": N, "system": 3}, ("Aya", "Bora", "Ceres"))


def test_several_grids_cross_what_was_shown_with_what_was_rated(tmp_path):
    words = ("Péssimo", "Ruim", "Regular", "Bom", "Muito bom")
    heads = ",".join(f"Avalie a notícia {n} [{name}]" for n in range(4) for name in ("Redator", "IA"))
    cells = [(f"Nome {n}", *(words[MARKS[(n + at) % N, at % 3] % 5] for at in range(8))) for n in range(N)]
    table = read(sheet(tmp_path, *rows(f"Seu nome,{heads}", cells)))
    assert levels(table) == {"item": 4, "judge": N, "system": 2}
    assert (table.score_facts.low, table.score_facts.high) == (1, 5)


def test_answers_to_many_questions_are_votes_on_each_and_no_sides(tmp_path):
    said = ("A (old)", "B (new)", "Same")
    heads = ",".join(f"Question {n}: which is better?" for n in range(8))
    cells = [(f"p{n}@x.org", *(said[MARKS[(n + at) % N, 0] % 3] for at in range(8))) for n in range(N)]
    table = read(sheet(tmp_path, *rows(f"Email address,{heads}", cells)))
    assert table.models == ("A (old)", "B (new)")
    assert [len(table.facet(name).levels) for name in ("prompt", "judge")] == [8, N]
    same = sum(MARKS[(n + at) % N, 0] % 3 == 2 for n in range(N) for at in range(8))
    assert (table.n, table.n_decisive) == (8 * N, 8 * N - same)


@pytest.mark.parametrize("suffix", ["xlsx", "csv"])
def test_names_of_judges_below_merged_names_of_systems(tmp_path, suffix):
    head = ["", "", "ChatGPT", "", "Gemini", ""], ["Nº", "Pregunta", "Ana", "Luis", "Ana", "Luis"]
    cells = [[n + 1, f"una pregunta {n}", *MARKS[n][:2], *MARKS[n][1:]] for n in range(N)]
    total = ["", "Promedio", *(round(float(MARKS[:, at].mean()), 2) for at in (0, 1, 1, 2))]
    lines = [*head, *cells, total]
    if suffix == "csv":
        path = sheet(tmp_path, *(",".join(map(str, line)) for line in lines))
    else:
        path = book(tmp_path / "sheet.xlsx", {"Notas": lines})
    assert levels(read(path)) == {"item": N, "judge": 2, "system": 2}


def test_a_sheet_of_two_columns_beside_the_judgments_is_their_key(tmp_path):
    cells = [["Phrase n°", "Relecteur·rice", "Système", "Note /20"]]
    cells += [[n + 1, who, s, int(MARKS[n, at])] for n in range(N) for at, who in enumerate("xy") for s in ("A1", "B2")]
    path = book(tmp_path / "notes.xlsx", {"Notes": cells, "Barème": [["Note", "Sens"], [1, "faux"], [20, "juste"]]})
    table = read(path)
    assert levels(table) == {"item": N, "judge": 2, "system": 2}
    assert "Barème left out" in str(table.notes[0])


def test_sheets_and_files_with_names_of_people_are_judges_beside_versions(tmp_path):
    head = ["email_id", "v1_score", "v2_score"]
    sheets = {
        name: [head, *([f"e{n}", *MARKS[n][at:][:2]] for n in range(N))] for at, name in enumerate(("Kim", "Ana"))
    }
    table = read(book(tmp_path / "ratings.xlsx", sheets))
    assert (levels(table), table.facet("system").levels) == ({"item": N, "judge": 2, "system": 2}, ("v1", "v2"))
    folder = tmp_path / "ratings"
    folder.mkdir()
    for at, name in enumerate(("alice", "ben", "dalia")):
        cells = [(f"i{n}", system, MARKS[n, at]) for n in range(N) for system in ("gan", "diffusion")]
        sheet(folder, *rows("item_id,generator,realism", cells), name=f"ratings_{name}.csv")
    assert levels(read(folder)) == {"item": N, "judge": 3, "system": 2}


def test_merged_names_of_what_is_compared_are_filled_in(tmp_path):
    cells = [("Writer A" if not n % 8 else "", f"t{n % 8}", MARKS[n, 0]) for n in range(N)]
    names = iter(("Writer A", "Writer B", "Writer C"))
    cells = [(next(names) if who else "", *rest) for who, *rest in cells]
    board = q.rank(sheet(tmp_path, *rows("module,item,clarity", cells)))
    assert {one["system"] for one in board.rows()} == {"Writer A", "Writer B", "Writer C"}


def test_labels_that_differ_in_capitals_alone_are_one(tmp_path):
    """In any table, whatever its columns are called, and in a frame."""
    cells = [
        (f"i{n}", ("gpt", "GPT")[n % 5 == 0] + "-4" if who else " claude"[n % 7 == 0 :], system, MARKS[n, who])
        for n in range(N)
        for who in (0, 1)
        for system in ("old1", "new1")
    ]
    path = sheet(tmp_path, *rows("item,judge,system,score", cells))
    for source in (path, pl.read_csv(path)):
        table = read(source)
        assert table.facet("judge").levels == ("claude", "gpt-4")
    kept = read(path, facets={"item": "item", "judge": "judge", "system": "system"})
    assert kept.n_levels("judge") > 2


def test_numbers_are_judged_where_all_who_judge_met_them(tmp_path):
    cells = [(4000 + n, who, MARKS[n, who]) for n in range(N) for who in range(3)]
    table = read(sheet(tmp_path, *rows("cup,panelist,aroma", cells)))
    assert levels(table) == {"item": N, "judge": 3}
    few = [(100 + 5 * (n - 4000) * (who + 1) % 37, who, mark) for n, who, mark in cells]
    with pytest.raises(Unsure, match="is what is judged"):  # few have a number in common
        read(sheet(tmp_path, *rows("cup,panelist,aroma", few)))


@pytest.mark.parametrize("name", ["case_ref", "conversation_key", "pregunta_n"])
def test_last_words_that_say_that_a_column_names_something(tmp_path, name):
    cells = [(f"c{n}", system, MARKS[n, at]) for at, system in enumerate(("one1", "two2")) for n in range(N)]
    table = read(sheet(tmp_path, *rows(f"{name},model,usefulness", cells)))
    assert (table.facet("item").column, levels(table)) == (name, {"item": N, "system": 2})


def test_who_made_what_is_judged_people_or_machines_is_compared(tmp_path):
    heads = "encounter_id,patient_age,author_type,reviewer,up_to_date,accurate,pdqi_total"
    cells = [
        (f"E{n}", 30 + n, kind, f"Dr. {who}", *MARKS[n][at:][:2], sum(MARKS[n][at:][:2]))
        for n in range(N)
        for at, kind in enumerate(("Physician", "LLM"))
        for who in "xy"
    ]
    table = read(sheet(tmp_path, *rows(heads, cells)))
    assert (table.score, table.facet("system").column) == ("pdqi_total", "author_type")


def test_one_column_is_over_all_beside_what_else_was_rated(tmp_path):
    cells = [(f"P{j}", s, *MARKS[(3 * s + j) % N], MARKS[s, 0]) for s in range(N) for j in range(4)]
    table = read(sheet(tmp_path, *rows("panelist,sample_code,sweetness,acidity,bitterness,overall_liking", cells)))
    assert (table.score, table.facet("item").column) == ("overall_liking", "sample_code")


def test_two_columns_that_may_each_be_what_is_compared_are_asked_about(tmp_path):
    cells = [
        (f"q{n}", a, b, MARKS[n, 0] / 10) for n in range(N) for a in ("bm25", "dense") for b in ("llama-3", "gpt-4o")
    ]
    path = sheet(tmp_path, *rows("query_id,retriever,generator,answer_score", cells))
    with pytest.raises(Unsure, match="retriever and generator could each be the system"):
        q.compare(path)


def test_judges_are_taken_for_judges_where_they_are_asked_about(tmp_path):
    lines = rows("Clause,Risk (Haynes),Risk (Petrova),Risk (Osei)", [(f"§{n}", *MARKS[n]) for n in range(N)])
    path = sheet(tmp_path, *lines)
    assert {one.judge for one in q.judges(path).bias.overall} == {*lines[0].split(",")[1:]}
    with pytest.raises(Unsure, match="their names do not say what they are"):
        q.analyze(path)


def test_judges_of_one_item_alone_are_left_out(tmp_path):
    cells = [(f"c{n}", who, MARKS[n, at]) for n in range(N) for at, who in enumerate(("ann", "bob"))]
    found = q.judges(sheet(tmp_path, *rows("item,judge,score", [*cells, ("c0", "eve", 9)])))
    assert {one.judge for one in found.bias.overall} == {"ann", "bob"}
    assert "1 of 3 judges left out, who judged one item alone" in str(found.judgments.notes[0])


def test_the_first_and_the_second_that_were_shown_are_no_places(tmp_path):
    """Who was shown first is known then, whatever the columns are called."""
    pairs = [("vega", "lyra"), ("lyra", "vega")]
    cells = [(f"h{n}", *pairs[n % 2], pairs[n % 2][MARKS[n, 0] % 2], f"w{n % 4}") for n in range(N)]
    path = sheet(tmp_path, *rows("headline,shown_first,shown_second,chosen,worker", cells))
    first = [int(n % 2 == 0) for n in range(N)]
    assert (read(path).models, read(path).order.tolist()) == (("lyra", "vega"), first)
    named = {"model_a": "shown_first", "model_b": "shown_second", "winner": "chosen"}
    assert read(path, **named, facets={"order": "model_a"}).order.tolist() == first


@pytest.mark.parametrize(
    ("head", "said"),
    [("White,Black,Result", ("1-0", "0-1", "1/2-1/2")), ("sys1,sys2,better", ("sys1", "sys2", "draw"))],
)
def test_games_and_sides_by_other_words(tmp_path, head, said):
    names = ("crab", "eel", "orca")
    cells = [(names[n % 3], names[(n + 1 + n % 2) % 3], said[MARKS[n, 0] % 3]) for n in range(N)]
    votes = read(sheet(tmp_path, *rows(head, cells)))
    known = [MARKS[n, 0] % 3 for n in range(N)]
    assert (votes.models, (votes.outcome == 2).sum()) == (names, known.count(2))


def test_what_reviewers_wrote_is_not_what_they_judged(tmp_path):
    words = ("A strong baseline section.", "Clear writing with limited novelty.")
    cells = [
        (n // 3, f"Reviewer_{n:03x}a", f"{MARKS[n, 0]}: {'abcdefghijk'[MARKS[n, 0]]} so", "2 fair", words[n % 2])
        for n in range(N)
    ]
    table = read(sheet(tmp_path, *rows("number,signature,rating,presentation,summary", cells)))
    assert levels(table) == {"item": N // 3}


def test_ids_of_samples_are_of_answers_where_another_comes_back(tmp_path):
    cells = [
        (f"s{n}{m}{e}", f"logs/2025_{m}.eval", f"m{m}1", f"ctf_{n}", e, "CI"[MARKS[n, m] % 2])
        for n in range(N)
        for m in (0, 1)
        for e in (1, 2)
    ]
    table = read(sheet(tmp_path, *rows("sample_id,log,model,id,epoch,score_includes", cells)))
    assert (table.facet("item").column, levels(table)) == ("id", {"item": N, "system": 2})
    assert table.rows.max() == 2


def test_records_of_argilla_in_lines(tmp_path):
    records = [
        {
            "id": f"{n}{system}",
            "fields": {"instruction": f"Azaldu {n}"},
            "metadata": {"model": system, "prompt_id": f"p{n}"},
            "responses": {
                "naturalness": [
                    {"value": int(m), "user_id": f"u{at}", "status": ("submitted", "draft")[n == at == 0]}
                    for at, m in enumerate(MARKS[n])
                ]
            },
        }
        for n in range(N)
        for system in ("one1", "two2")
    ]
    path = tmp_path / "records.jsonl"
    path.write_text("\n".join(map(json.dumps, records)) + "\n")
    table = read(path)
    assert (levels(table), table.n_answers) == ({"item": N, "judge": 3, "system": 2}, 6 * N - 2)


def test_votes_of_several_beside_the_two_that_they_are_of(tmp_path):
    pairs = [("deepl", "nllb"), ("nllb", "madlad"), ("madlad", "deepl")]
    cells = [(f"s{n}", *pairs[n % 3], *((*pairs[n % 3], "tie")[m % 3] for m in MARKS[n])) for n in range(N)]
    votes = read(sheet(tmp_path, *rows("segment,mt_1,mt_2,vote_helena,vote_ivan,vote_ruth", cells)))
    assert (votes.models, levels(votes)["judge"]) == (("deepl", "madlad", "nllb"), 3)


def test_lists_of_scores_below_the_keys_of_json_are_of_the_same_items(tmp_path):
    held = {name: {"coverage": MARKS[:, at].tolist(), "fluency": MARKS[:, 2].tolist()} for at, name in enumerate("pb")}
    path = tmp_path / "scores.json"
    path.write_text(json.dumps({"scored_on": "2026-04-11", "systems": held}))
    found = q.compare(path)
    assert found.difference.fit.judgments.n_levels("item") == N
    assert abs(found.estimate.value) == pytest.approx(abs((MARKS[:, 0] - MARKS[:, 1]).mean()) / 2)


def test_names_of_judges_differ_in_capitals_wherever_they_are_found(tmp_path):
    who = [("Jonas", " jonas", "Mia", "MIA")[at] for at in MARKS[:, 2] % 4]
    cells = [(f"q{n}", who[n], system, *MARKS[n][:2]) for n in range(N) for system in ("Bot1", "Alt2")]
    table = read(sheet(tmp_path, *rows("Frage-Nr.,Wer bewertet?,System,Klarheit,Richtigkeit", cells)))
    assert {level.strip().lower() for level in table.facet("judge").levels} == {"jonas", "mia"}
    assert levels(table)["judge"] == 2


def test_heads_of_two_lines_whichever_is_above(tmp_path):
    head = ["Nº,Texto,Ana,,Rubén,,Itziar,", ",,DeepL,Motor propio,DeepL,Motor propio,DeepL,Motor propio"]
    cells = [f"{n + 1},T{n},{','.join(map(str, [*MARKS[n], *MARKS[n - 1]]))}" for n in range(N)]
    found = q.compare(sheet(tmp_path, *head, *cells))
    assert levels(found.difference.fit.judgments) == {"item": N, "judge": 3}


def test_addresses_of_those_who_judged_are_not_what_they_judged(tmp_path):
    cells = [
        (f"p{j}@x.org", f"6f3d-{j}", f"speech_{n}", s, MARKS[n, j % 3])
        for j in range(5)
        for n in range(6)
        for s in "ab"
    ]
    table = read(sheet(tmp_path, *rows("email,session_uuid,trial_id,rating_stimulus,rating_score", cells)))
    assert levels(table) == {"item": 6, "judge": 5, "system": 2}


def test_marks_of_which_one_may_be_the_best_are_asked_about(tmp_path):
    cells = [
        (f"T{n}", who, s, 1 + MARKS[n, at] % 6) for n in range(N) for at, who in enumerate("xy") for s in ("A1", "B2")
    ]
    path = sheet(tmp_path, *rows("Text,Lektorat,Variante,Note", cells))
    with pytest.raises(Unsure, match="in Germany and Austria 1 is the best mark"):
        q.rank(path)
    assert levels(read(path)) == {"item": N, "prompt": 2, "judge": 2}


def test_measurements_by_their_units_are_no_scores(tmp_path):
    cells = [(f"S{n}", f"drug{n % 2}", 120 + MARKS[n, 0], 118 + MARKS[n, 1], f"site {n % 3}") for n in range(N)]
    with pytest.raises(Unsure, match="perhaps site is one"):
        q.compare(sheet(tmp_path, *rows("subject,arm,sbp_baseline_mmHg,sbp_week12_mmHg,site", cells)))


def test_a_participant_is_judged_by_those_who_are_named_beside(tmp_path):
    cells = [
        (f"A{n}", who, v, MARKS[n, at]) for n in range(N) for at, who in enumerate("xyz") for v in ("first", "second")
    ]
    table = read(sheet(tmp_path, *rows("participant,physio,viewing,gait_score", cells)))
    assert (table.facet("item").column, levels(table)["judge"]) == ("participant", 3)


def test_scores_of_two_arms_by_three_models(tmp_path):
    names = [f"{arm}_score_{model}" for arm in ("base", "ft") for model in ("gpt4o", "claude", "llama")]
    cells = [(f"q{n}", *(MARKS[n] / 10), *(MARKS[n - 1] / 10)) for n in range(N)]
    assert levels(read(sheet(tmp_path, *rows(",".join(["id", *names]), cells)))) == {"item": N, "judge": 3, "system": 2}


def test_a_judge_of_its_own_among_people_is_held_against_them(tmp_path):
    said = ("ok", "not ok")
    cells = [(f"r{n}", *(said[m % 2] for m in MARKS[n])) for n in range(N)]
    with pytest.raises(Unsure, match="radiologist_1 and radiologist_2 are what people said by name, gpt4_judge"):
        read(sheet(tmp_path, *rows("report,radiologist_1,radiologist_2,gpt4_judge", cells)))


def test_empty_files_of_several_are_left_out(tmp_path):
    folder = tmp_path / "labels"
    folder.mkdir()
    for at, name in enumerate(("admin", "ngoc_anh")):
        sheet(
            folder,
            *rows("id,label", [(n, ("cat", "dog", "fox")[MARKS[n, at] % 3]) for n in range(N)]),
            name=f"{name}.csv",
        )
    (folder / "unknown.csv").write_text("")
    table = read(folder)
    assert "empty, and left out: unknown.csv" in [str(note) for note in table.notes]


def test_labels_that_differ_in_capitals_alone_are_one_label(tmp_path):
    said = ("Correct", "correct", "Wrong", "partly")
    cells = [(f"c{n}", who, said[MARKS[n, at] % 4]) for n in range(N) for at, who in enumerate(("ann", "bob"))]
    path = sheet(tmp_path, *rows("item,judge,verdict", cells))
    table = read(path, labels=True, score="verdict", facets={"item": "item", "judge": "judge"})
    assert len(table.labels) == 3
    assert "those that differ in capitals or blanks alone are one" in str(table.notes[0])
    share = read(path, label="Correct", score="verdict", facets={"item": "item", "judge": "judge"})
    assert share.mean.sum() == sum(said[m % 4].lower() == "correct" for m in MARKS[:, :2].ravel())


@pytest.mark.parametrize(
    ("encoding", "lines"),
    [
        (
            "cp932",
            ["質問ID,評価者,モデル,評点", *(f"Q{n},佐藤{m},モデル{m}あ,{n % 5}" for n in range(20) for m in (1, 2))],
        ),
        ("gb18030", ["题号,评审员,模型,得分", *(f"Q{n},王芳{m},文心{m},{n % 5}" for n in range(20) for m in (1, 2))]),
        (
            "cp949",
            ["item,judge,model,score", *(f"질문{n},김철수{m},모델{m},{n % 5}" for n in range(20) for m in (1, 2))],
        ),
        (
            "cp1251",
            [
                "вопрос,эксперт,модель,оценка",
                *(f"вопрос{n},Иванова{m},новая{m},{n % 5}" for n in range(20) for m in (1, 2)),
            ],
        ),
    ],
)
def test_text_of_other_scripts_is_read_as_it_was_written(tmp_path, encoding, lines):
    path = tmp_path / "scores.csv"
    path.write_bytes("\n".join(lines).encode(encoding))
    table = read(path)
    assert levels(table) == {"item": 20, "judge": 2, "system": 2}
    assert [level for level in table.facet("judge").levels if level in "".join(lines)] != []
    assert "text that is not UTF-8" in str(table.notes[0])


def test_letters_in_twos_are_no_other_script(tmp_path):
    cells = [(f"Füße {n}", *MARKS[n], "Süßes, groß") for n in range(N)]
    path = tmp_path / "brot.csv"
    path.write_bytes("\n".join(rows("Probe;Prüfer Kühn;Prüferin Weiß;Prüfer Adler;Rest", cells, ";")).encode("cp1252"))
    assert read(path).facet("judge").levels == ("Prüfer Adler", "Prüfer Kühn", "Prüferin Weiß")


def test_places_that_somebody_gave_and_wins_of_the_first_and_the_second(tmp_path):
    order = [(0, 1, 2), (1, 0, 2), (0, 2, 1)]
    cells = [(f"r{n}", f"plan {s}", 1 + order[n % 3].index(s)) for n in range(N) for s in range(3)]
    assert read(sheet(tmp_path, *rows("resident,proposal,rank_given", cells))).models == ("plan 0", "plan 1", "plan 2")
    pairs = [("a1", "b2"), ("b2", "c3"), ("c3", "a1"), ("a1", "c3"), ("b2", "a1")]
    cells = [(*pair, 3 + n, 9 - n, 1) for n, pair in enumerate(pairs)]
    votes = read(sheet(tmp_path, *rows("first,second,first_wins,second_wins,draws", cells)))
    assert votes.weights.sum() == sum(sum(row[2:]) for row in cells)


def test_a_third_marker_of_some_alone_is_left_out(tmp_path):
    cells = [(f"c{n}", *MARKS[n][:2], MARKS[n, 2] if n % 5 == 0 else "") for n in range(N)]
    table = read(sheet(tmp_path, *rows("candidate_no,examiner_1,examiner_2,third_marker", cells)))
    assert levels(table) == {"item": N, "judge": 2}


def test_surveys_with_codes_before_their_questions_say_which_mark_is_the_best(tmp_path):
    def survey(legend):
        asked = [
            f'"U0{n}[{code}]. Paragraph {n}: Please give marks{legend} to each. [{name}]"'
            for n in (1, 2, 3)
            for code, name in (("DeepL", "DeepL"), ("Google", "Google Translate"))
        ]
        marks = np.random.default_rng(4).integers(1, 4, (24, 6)) + np.array([0, 2] * 3)
        lines = [f'"{n + 3}";"2025-03-01";"4";' + ";".join(f'"{one}"' for one in row) for n, row in enumerate(marks)]
        head = '"id. Response ID";"submitdate. Date submitted";"lastpage. Last page";' + ";".join(asked)
        return sheet(tmp_path, head, *lines, name="results-survey1.csv")

    best = [q.rank(survey(legend)).systems[0] for legend in (" (1 = sehr gut, 6 = ungen\u00fcgend)", " (6 = best)")]
    assert best == ["DeepL", "Google Translate"]
    table = q.read(survey(" (1 = best, 6 = worst)"), announce=False)
    assert (table.n_levels("item"), table.n_levels("judge")) == (3, 24)


def test_surveys_with_what_was_asked_about_below_their_questions(tmp_path):
    said = ("Not at all helpful", "Slightly helpful", "Moderately helpful", "Very helpful", "Extremely helpful")
    marks = np.random.default_rng(5).integers(0, 4, (30, 3)) + np.array([0, 1, 0])
    rows = ["Respondent ID,Email Address,Which year?,How helpful was each?,,,Anything else?"]
    rows += [",,Response,Ash,Birch,Cedar,Open-Ended Response"]
    rows += [f"11{n},,Year {9 + n % 2},{said[a]},{said[b]},{said[c]}," for n, (a, b, c) in enumerate(marks)]
    table = q.read(sheet(tmp_path, *rows), announce=False)
    assert (table.facet("system").levels, table.n_answers, table.score_facts.high) == (("Ash", "Birch", "Cedar"), 90, 5)
