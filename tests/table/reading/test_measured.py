"""What columns measure alike, versions of one score, what stands in several files, and other ways of writing."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from tests.table.reading.test_forms import book, levels, read
from tests.table.reading.test_measures import SHARES
from tests.table.reading.test_sheet import MARKS, N, rows, sheet

import quorate as q
from quorate.cli import main
from quorate.errors import InvalidInput
from quorate.table.exchange.rows import Rows
from quorate.table.facts.profile import looked_at
from quorate.table.reading.reading import Unsure

RNG = np.random.default_rng(7)
HARD = RNG.uniform(0.1, 0.7, 4 * N)
FINE = np.clip(HARD[:, None] + RNG.normal(0, 0.08, (4 * N, 3)) + [0, 0.05, 0.1], 0, 1).round(4)
"""What three systems reach of queries that are hard for all alike."""


def test_columns_of_broken_numbers_that_go_together_are_compared(tmp_path):
    cells = [(f"q{n}", f"who did {n}", *FINE[n]) for n in range(4 * N)]
    path = sheet(tmp_path, *rows("qid,query,BM25,DPR,Kolibri", [*cells, ("all", "", *FINE.mean(axis=0).round(4))]))
    found = q.compare(path, "BM25", "Kolibri")
    assert found.difference.estimate.value == pytest.approx((FINE[:, 0] - FINE[:, 2]).mean())
    with pytest.raises(Unsure, match="BM25, DPR and Kolibri hold scores on one scale"):
        read(path, where="qid <> 'all'")


def test_columns_that_do_not_go_together_are_no_family(tmp_path):
    apart = RNG.uniform(0, 1, (4 * N, 2)).round(4)
    path = sheet(tmp_path, *rows("qid,Kolibri,Meise", [(f"q{n}", *apart[n]) for n in range(4 * N)]))
    with pytest.raises(Unsure, match="no column looks like a judgment by its name"):
        q.compare(path)


def test_a_word_for_the_same_measure_joins_columns_of_which_less_is_better(tmp_path):
    cells = [(f"u{n}", 3.5 + n, *FINE[n]) for n in range(4 * N)]
    path = sheet(tmp_path, *rows("utt_id,duration_sec,wer_alpha,wer_whisper_tiny,wer_gamma", cells))
    assert q.rank(path).sentence.startswith("wer_alpha is first of 3 systems")


def test_models_of_question_answering_are_no_quality_assurance(tmp_path):
    for name, at in (("qa_baseline", 0), ("qa_finetuned", 1)):
        cells = [(f"nq-{n}", f"who {n % 5}", ("x", "y")[n % 2], "xyz"[n % 3], MARKS[n, at] % 2) for n in range(N)]
        sheet(tmp_path, *rows("id,question,gold,prediction,exact_match", cells)).rename(tmp_path / f"{name}.csv")
    found = q.compare((tmp_path / "qa_baseline.csv", tmp_path / "qa_finetuned.csv"))
    assert {found.difference.a, found.difference.b} == {"qa_baseline", "qa_finetuned"}


def test_keys_within_keys_are_systems_and_what_they_solved(tmp_path):
    held = {f"s{k}": {f"repo__{n}": bool(MARKS[n, k] % 2) for n in range(N)} for k in range(2)}
    path = tmp_path / "resolved.json"
    path.write_text(json.dumps(held))
    assert q.compare(path).difference.shared_items == N


def test_counts_add_up_whatever_one_label_is_called(tmp_path):
    counts = RNG.multinomial(5, [0.5, 0.3, 0.2], N)
    table = read(
        sheet(tmp_path, *rows("commentaire,acceptable,limite,toxique", [(f"c{n}", *counts[n]) for n in range(N)]))
    )
    assert (levels(table)["item"], len(table.labels)) == (N, 3)


def test_a_judge_that_never_says_one_of_the_words_is_one(tmp_path, capsys):
    words = ("correct", "partially correct", "incorrect", "refusal")
    cells = [(f"q{n}", *(words[m % 4] for m in MARKS[n, :2]), words[MARKS[n, 2] % 3]) for n in range(N)]
    path = sheet(tmp_path, *rows("question_id,human_1,human_2,llm_judge", cells))
    assert main(["judges", str(path)]) in (0, 2)
    assert "llm_judge is right on" in capsys.readouterr().out


def test_one_question_that_is_asked_of_each_system_compares_them(tmp_path):
    head = [
        "Carimbo de data/hora",
        "De 1 a 5, que nota dá ao Assistente Aurora?",
        "De 1 a 5, que nota dá ao Assistente Boto?",
    ]
    cells = [[f"{1 + n % 28:02}/05/2025 10:{n % 60:02}:07", *map(int, MARKS[n, :2])] for n in range(N)]
    book(tmp_path / "respostas.xlsx", {"Respostas": [head, *cells]})
    found = q.compare(tmp_path / "respostas.xlsx")
    assert abs(found.difference.estimate.value) == pytest.approx(abs((MARKS[:, 0] - MARKS[:, 1]).mean()))


def test_two_versions_of_a_score_are_two_measures(tmp_path, capsys):
    cells = [(f"e{n}", "uv"[k], *MARKS[n, [k, 2 - k]]) for n in range(N) for k in range(2)]
    path = sheet(tmp_path, *rows("example,assistant,score,score_new", cells))
    assert main(["compare", str(path)]) in (0, 2)
    assert "2 measures, each by itself" in capsys.readouterr().out


def test_a_leaderboard_may_be_of_its_columns(tmp_path):
    marks = (RNG.uniform(20, 70, (12, 1)) + RNG.normal(0, 4, (12, 4))).round(2)
    cells = [(f"org/m{n}", marks[n].mean().round(2), *marks[n], 7.5 + n) for n in range(12)]
    path = sheet(tmp_path, *rows("Model,Average,IFEval,BBH,GPQA,MUSR,#Params (B)", cells))
    with pytest.raises(Unsure, match="perhaps averages") as asked:
        q.rank(path)
    (way,) = asked.value.ways
    assert way.options["wide"] == {"item": ("IFEval", "BBH", "GPQA", "MUSR")}


def test_a_sheet_may_write_one_column_with_commas(tmp_path):
    halves = [f"{m},{5 * (n % 2)}" for n, m in enumerate(MARKS[:, 1])]
    cells = [[f"p{n}", int(MARKS[n, 0]), halves[n], int(MARKS[n, 2])] for n in range(N)]
    book(tmp_path / "notas.xlsx", {"3B": [["alumno", "evaluador 1", "evaluador 2", "evaluador 3"], *cells]})
    assert levels(read(tmp_path / "notas.xlsx")) == {"item": N, "judge": 3}


def test_numbers_of_two_choices_are_no_decimals(tmp_path):
    cells = [[f"p{n}", int(MARKS[n, 0]), f"{1 + n % 2},{3 + n % 2}"] for n in range(N)]
    book(tmp_path / "poll.xlsx", {"1": [["item", "score", "chosen"], *cells]})
    with looked_at(tmp_path / "poll.xlsx", Rows()) as table:
        assert not table.column("chosen").numeric


def test_a_number_of_rows_in_another_language_is_no_item(tmp_path):
    cells = [(f"t{n}", "uv"[k], "ewa", *MARKS[n, [k, 2 - k]]) for n in range(N) for k in range(2)]
    numbered = [(1 + at, *cell) for at, cell in enumerate(cells)]
    table = read(sheet(tmp_path, *rows("Lp.,id_tekstu,model,oceniający,płynność,adekwatność", numbered)))
    assert levels(table)["item"] == N


def test_text_with_few_letters_beside_one_another_is_shift_jis_by_its_kana(tmp_path):
    lines = ["文ID,システム,自然性", *(f"jsut_{n:04},提案手法,{n % 5}" for n in range(20))]
    path = tmp_path / "mos.csv"
    path.write_bytes("\n".join(lines).encode("cp932"))
    assert levels(read(path))["item"] == 20


def test_marks_with_their_ends_in_brackets_are_of_who_gave_them(tmp_path):
    head = "Schüler-Nr.,Erstkorrektur (Punkte),Zweitkorrektur (Punkte)"
    assert levels(read(sheet(tmp_path, *rows(head, [(f"s{n}", *MARKS[n, :2]) for n in range(N)])))) == {
        "item": N,
        "judge": 2,
    }


@pytest.mark.parametrize(
    ("head", "asked"), [("phrase,auditeur,système,note", False), ("Satz,Prüfer,System,Note", True)]
)
def test_marks_of_one_language_are_more_where_they_are_better(tmp_path, head, asked):
    cells = [
        (f"t{n}", f"a{j}", "uv"[k], 1 + MARKS[(n + j) % N, k + j] % 5)
        for n in range(N)
        for j in range(2)
        for k in range(2)
    ]
    path = sheet(tmp_path, *rows(head, cells))
    if asked:
        with pytest.raises(Unsure, match="in Germany and Austria 1 is the best mark"):
            q.compare(path)
    else:
        assert q.compare(path).difference.shared_items == N


def test_tests_of_one_name_in_several_files_are_several(tmp_path):
    cells = [
        (model, f"tests/f{n // 4}.py", f"test_{n % 4}", ("passed", "failed")[MARKS[n, k] % 2])
        for n in range(N)
        for k, model in enumerate(("sonnet", "o4-mini"))
    ]
    found = q.compare(sheet(tmp_path, *rows("model,file,test,outcome", cells)))
    assert found.difference.shared_items == N


def test_each_measure_has_the_systems_that_one_column_tells(tmp_path, capsys):
    cells = [
        (f"q{n}", f"E{e}", who, 1 + MARKS[(n + e) % N, k] % 5, 1 + MARKS[(n + 2 * e) % N, k + 1] % 5, 100 + n)
        for n in range(N)
        for e in range(2)
        for k, who in enumerate(("physician", "chatbot"))
    ]
    path = sheet(tmp_path, *rows("question_id,evaluator,responder,quality,empathy,word_count", cells))
    assert main(["compare", str(path)]) in (0, 2)
    assert "2 measures, each by itself" in capsys.readouterr().out


def test_what_everybody_was_asked_of_each_by_name_compares_them(tmp_path):
    cells = [(f"P{n}", 20 + n, *MARKS[n, :2]) for n in range(N)]
    head = "Participante,Edad,Satisfacción con Lía (1-5),Satisfacción con Bruno (1-5)"
    found = q.compare(sheet(tmp_path, *rows(head, cells)))
    assert abs(found.difference.estimate.value) == pytest.approx(abs((MARKS[:, 0] - MARKS[:, 1]).mean()))


def test_votes_in_files_of_people_have_them_as_judges_and_ids_as_prompts(tmp_path):
    for k, who in enumerate(("anna", "bence", "csilla")):
        cells = [(n, *("uv" if (n + k) % 2 else "vu"), ("left", "right", "equal")[MARKS[n, k] % 3]) for n in range(N)]
        sheet(tmp_path, *rows("pair_id,left_system,right_system,preferred", cells)).rename(tmp_path / f"{who}.csv")
    votes = read(tmp_path)
    assert {one.name for one in votes.facets} == {"judge", "prompt"}


def test_what_people_answered_at_length_is_no_label(tmp_path):
    texts = ("move it to the left", "move it to the top")
    cells = [(f"p{n}", ("f", "m")[n % 2], texts[n % 2], f"2026-03-{1 + n % 28:02}") for n in range(N)]
    assert main(["judges", str(sheet(tmp_path, *rows("participant_id,gender,answer_text,date", cells)))]) == 1


def test_what_describes_people_is_not_compared_where_something_else_is(tmp_path):
    cells = [
        (f"c{n}", f"R{j}", who, ("f", "m")[(n + j) % 2], 1 + MARKS[(n + j) % N, k] % 5)
        for n in range(N)
        for j in range(2)
        for k, who in enumerate(("IA", "Residente"))
    ]
    found = q.compare(sheet(tmp_path, *rows("caso,radiólogo,informe_origen,sexo,puntuación", cells)))
    assert {found.difference.a, found.difference.b} == {"IA", "Residente"}


def test_one_named_criterion_of_two_is_enough_beside_systems_and_judges(tmp_path):
    cells = [
        (f"a{n}", f"g{j}", "uv"[k], *MARKS[(n + j) % N, k : k + 2])
        for n in range(N)
        for j in range(2)
        for k in range(2)
    ]
    table = read(sheet(tmp_path, *rows("Artikel-Nr,Gutachter,System,Kohärenz,Schmiss", cells)))
    assert levels(table)["criterion"] == 2


@pytest.mark.parametrize("head", ["ndcg,mrr,recall", "rouge1,rouge2,rougeL", "bertscore,unieval,gptscore"])
def test_what_programs_measured_of_one_system_is_no_family(tmp_path, head):
    path = sheet(tmp_path, *rows(f"qid,{head}", [(f"q{n}", *FINE[n]) for n in range(4 * N)]))
    assert {one.name for one in q.analyze(path).measures} == set(head.split(","))
    with pytest.raises(InvalidInput, match='no facet "system"'):
        q.compare(path)


def test_two_numbered_scores_beside_their_mean_are_no_versions_of_it(tmp_path):
    cells = [(f"q{n}", *MARKS[n, :2], MARKS[n, :2].mean()) for n in range(N)]
    found = q.analyze(sheet(tmp_path, *rows("id,score_1,score_2,score", cells)))
    assert found.estimate.value == pytest.approx(MARKS[:N, :2].mean())


def test_words_that_english_has_too_do_not_say_that_a_note_is_french(tmp_path):
    cells = [(f"q{n // 2}", f"some words {n}", "uv"[n % 2], 1 + MARKS[n // 2, n % 2] % 6) for n in range(2 * N)]
    with pytest.raises(Unsure, match="in Germany and Austria 1 is the best mark"):
        read(sheet(tmp_path, *rows("id,text,model,Note", cells)))
    assert read(sheet(tmp_path, *rows("id,phrase,auditeur,Note", cells))).score == "Note"


def test_what_is_their_mean_is_none_of_columns_that_go_together(tmp_path):
    cells = [(f"q{n}", *FINE[n], FINE[n].mean().round(4)) for n in range(4 * N)]
    for head in ("BM25,DPR,Kolibri,Mittel", "BM25,DPR,Kolibri,Zusammen"):
        found = q.rank(sheet(tmp_path, *rows(f"qid,{head}", cells)))
        assert sorted(found.systems) == ["BM25", "DPR", "Kolibri"]


def test_a_column_that_is_the_same_in_every_row_is_not_what_is_compared(tmp_path):
    cells = [
        (f"q{n}", who, "gpt-4o-mini", *SHARES[n, k : k + 2]) for n in range(N) for k, who in enumerate(("bm25", "e5"))
    ]
    path = sheet(tmp_path, *rows("question_id,retriever,generator,faithfulness,answer_relevancy", cells))
    assert {one.answer.a for one in q.compare(path).measures} <= {"bm25", "e5"}


def test_a_count_beside_marks_is_no_score(tmp_path):
    cells = [
        (f"H{j:02}", f"satz_{n}", "uvw"[k], 1 + MARKS[n, k] % 5, 1 + (n + j + k) % 4)
        for n in range(N)
        for j in range(3)
        for k in range(3)
    ]
    table = read(sheet(tmp_path, *rows("Hörer,Satz,Verfahren,Natürlichkeit (1-5),Anzahl Wiedergaben", cells)))
    assert (levels(table)["judge"], levels(table)["system"]) == (3, 3)
    assert table.score == "Natürlichkeit (1-5)"


def test_places_of_what_was_found_beside_their_relevance_are_no_ranking(tmp_path):
    cells = [
        (f"query {n}", who, 1 + r, f"SKU{n}{k}{r}", f"r_{j}", MARKS[(n + r) % N, k] % 4)
        for n in range(12)
        for k, who in enumerate(("prod", "semantic"))
        for r in range(4)
        for j in range(2)
    ]
    table = read(sheet(tmp_path, *rows("query,engine,rank,product_id,rater,relevance", cells)))
    assert (table.score, levels(table)["system"]) == ("relevance", 2)


def test_left_and_right_are_known_in_russian(tmp_path):
    names = ("Алиса", "Салют", "Базовая")
    cells = [
        (n, names[n % 3], names[(n + 1) % 3], f"р{n % 2}", ("левая", "правая", "ничья")[MARKS[n, 0] % 3])
        for n in range(N)
    ]
    votes = read(sheet(tmp_path, *rows("№,система слева,система справа,асессор,победитель", cells)))
    assert {one.name for one in votes.facets} == {"judge"}


@pytest.mark.parametrize("names", [("score_v1", "score_v2"), ("Voto assistente A", "Voto assistente B")])
def test_scores_of_versions_are_compared_where_the_same_is_asked_again(tmp_path, names):
    cells = [(n, f"question {n % 4}", ("lou", "kim")[n // 5 % 2], *(MARKS[n, :2] % 5)) for n in range(N)]
    found = q.compare(sheet(tmp_path, *rows(f"N.,question,reviewer,{','.join(names)}", cells)))
    assert found.difference.shared_items == N


def test_a_sheet_of_a_pilot_is_left_out(tmp_path):
    cells = [(f"a{n}", who, MARKS[n, k]) for n in range(N) for k, who in enumerate(("ines", "jon"))]
    head = ("abstract", "rater", "score")
    path = book(
        tmp_path / "rounds.xlsx", {"Pilot": [head, *cells], "Main": [head, *((*row[:2], 6 - row[2]) for row in cells)]}
    )
    assert q.analyze(path).estimate.value == pytest.approx(6 - MARKS[:N, :2].mean())


def test_draws_are_no_rivals_of_a_grade(tmp_path):
    cells = [(f"q{n}", "uv"[k], 1 + t, 1 + (MARKS[n, k] + t) % 5) for n in range(N) for k in range(2) for t in range(3)]
    assert q.compare(sheet(tmp_path, *rows("item_key,pipeline,draw,grade", cells))).difference.shared_items == N


@pytest.mark.parametrize("sides", ["left,right", "left_model,right_model"])
def test_users_who_voted_twice_are_judges(tmp_path, sides):
    cells = [
        (
            f"v{n}",
            f"u_{n // 2 if n % 3 else n}",
            f"p{n % 7}",
            "uv"[n % 2],
            "vu"[n % 2],
            ("left", "right", "tie")[MARKS[n, 0] % 3],
        )
        for n in range(N)
    ]
    votes = read(sheet(tmp_path, *rows(f"vote_id,user,prompt,{sides},vote", cells)))
    assert {one.name for one in votes.facets} == {"judge", "prompt"}


def test_two_sides_are_found_among_many_columns_of_text(tmp_path):
    more = ",".join(f"note_{k}" for k in "abcdefghijklm")
    pairs = ("flux", "sdxl")
    cells = [
        (
            *(f"{k}{n % 3}" for k in "abcdefghijklm"),
            f"P{n}",
            pairs[n % 2],
            pairs[1 - n % 2],
            ("left", "right", "tie")[MARKS[n, 0] % 3],
        )
        for n in range(N)
    ]
    path = sheet(tmp_path, *rows(f"{more},Input.prompt_id,Input.left_model,Input.right_model,Answer.preference", cells))
    assert read(path).models == pairs


def test_places_in_texts_that_somebody_marked_are_no_labels(tmp_path):
    path = tmp_path / "all.jsonl"
    path.write_text(
        "\n".join(json.dumps({"id": n, "text": f"Ada {n}", "label": [[0, 3 + n % 2, "PER"]]}) for n in range(N))
    )
    with pytest.raises(InvalidInput, match="no column looks like a judgment"):
        q.analyze(path)


def test_what_every_system_was_asked_is_the_item_beside_a_count_of_rows(tmp_path):
    cells = [
        (f"c{j}", f"line_{n}", ("claude-3-5-haiku", "gemini-1.5-flash")[k], MARKS[n, k])
        for n in range(N)
        for j in range(2)
        for k in range(2)
    ]
    cells = [(len(cells) - place, *row) for place, row in enumerate(cells)]
    table = read(sheet(tmp_path, *rows("entry,critic,line_id,writer_model,stars", cells)))
    assert levels(table) == {"item": N, "judge": 2, "system": 2}


def test_questions_that_every_pipeline_answered_pair_them(tmp_path):
    cells = [
        (f"question {n}?", f"found {n} {k}", *SHARES[n, k : k + 2], who) for n in range(N) for k, who in enumerate("uv")
    ]
    cells = [(place, *row) for place, row in enumerate(cells)]
    head = ",user_input,retrieved_contexts,faithfulness,answer_relevancy,pipeline"
    found = q.analyze(sheet(tmp_path, *rows(head, cells)))
    assert [one.answer.difference.shared_items for one in found.measures] == [N, N]


def test_a_judge_that_never_says_unclear_is_one_of_the_others(tmp_path):
    words = ("yes", "no", "unclear")
    cells = [(n + 1, *(words[MARKS[n, k] % 3] for k in range(2)), words[MARKS[n, 2] % 2]) for n in range(N)]
    table = read(sheet(tmp_path, *rows(",rater_A,rater_B,rater_C", cells)))
    assert (table.labels, levels(table)["judge"]) == (("no", "unclear", "yes"), 3)


def test_polish_letters_of_windows_are_read(tmp_path):
    cells = [(f"k{n}", "jury", "za\u017c\u00f3\u0142ci\u0107 g\u0119\u015bl\u0105", MARKS[n, 0]) for n in range(N)]
    path = sheet(tmp_path, *rows("id,s\u0119dzia,tekst,ocena", cells))
    path.write_bytes(path.read_text(encoding="utf-8").encode("cp1250"))
    assert any("Windows-1250" in note for note in read(path).notes)


def test_of_a_record_that_says_what_a_reward_is_made_of_the_reward_is_the_score(tmp_path):
    runs = [
        {
            "task_id": n,
            "reward": float(one),
            "info": {"reward_info": {"info": {"r_actions": float(one)}}},
            "trial": t,
        }
        for n in range(N)
        for t in range(2)
        for one in [MARKS[n, t] % 2]
    ]
    for name in ("a", "b"):
        (tmp_path / f"{name}.json").write_text(json.dumps(runs))
    found = q.compare((tmp_path / "a.json", tmp_path / "b.json"))
    assert found.estimate.value == 0


def test_a_model_whose_name_has_a_sum_in_it_is_no_total(tmp_path):
    cells = [(f"RAD-{n}", *MARKS[n, :2], *(MARKS[n, 1:3])) for n in range(N)]
    head = "case_id,MedSum-7B accuracy,MedSum-7B completeness,GPT-4o accuracy,GPT-4o completeness"
    with pytest.raises(Unsure) as found:
        q.compare(sheet(tmp_path, *rows(head, cells)))
    assert "made of" not in str(found.value)


def test_a_sum_beside_one_criterion_is_none_and_words_among_marks_are_asked_about(tmp_path):
    cells = [
        (f"z{n}", who, ("k. A.", "pending", MARKS[n, k])[min(n, 2)], MARKS[n, k + 1], MARKS[n, k] + MARKS[n, k + 1])
        for n in range(N)
        for k, who in enumerate(("Claude 3.5", "JurBERT"))
    ]
    head = "Aktenzeichen,Modell,Richtigkeit (1-5),Verst\u00e4ndlichkeit (1-5),Summe"
    with pytest.raises(Unsure, match=r'Richtigkeit \(1-5\) holds numbers, and .*"pending".* in other rows'):
        q.compare(sheet(tmp_path, *rows(head, cells)))
    table = read(sheet(tmp_path, *rows(head, [row for row in cells if row[2] != "pending"])))
    assert table.facet("criterion").levels == ("Richtigkeit (1-5)", "Verst\u00e4ndlichkeit (1-5)")


def test_sides_that_only_their_place_names_are_no_systems(tmp_path):
    cells = [
        (n, f"left answer {n} is long", f"right answer {n} is long", ("left", "right")[MARKS[n, 0] % 2])
        for n in range(N)
    ]
    path = sheet(tmp_path, *rows("no,left_text,right_text,choice", cells))
    for ask in (q.rank, q.compare):
        with pytest.raises(Unsure, match="left_text and right_text are sides, and no systems by their names"):
            ask(path)


def test_words_for_no_mark_and_grades_of_a_search(tmp_path):
    grades = ("Bad", "Fair", "Good", "Excellent", "Perfect")
    cells = [
        (f"q{n}", "uv"[k], grades[MARKS[n, k] % 5], "NP" if n == 3 else MARKS[n, k]) for n in range(N) for k in range(2)
    ]
    table = read(sheet(tmp_path, *rows("query,engine,grade", [row[:3] for row in cells])))
    assert (table.score_facts.low, table.score_facts.high) == (1, 5)
    assert read(sheet(tmp_path, *rows("id,modelo,Nota", [(*row[:2], row[3]) for row in cells]))).n_answers == 2 * N - 2


def test_a_hit_shows_one_text_of_one_system(tmp_path):
    cells = [
        (f"H{n}{k}", f"A{(n + j) % 7}", f"doc{n}", ("BART", "PEGASUS")[k], MARKS[n, k])
        for n in range(N)
        for k in range(2)
        for j in range(2)
    ]
    table = read(sheet(tmp_path, *rows("HITId,AnnotatorID,DocID,Summarizer,Coherence", cells)))
    assert (levels(table)["item"], levels(table)["system"]) == (N, 2)


def test_releases_that_are_numbers_tell_rows_apart(tmp_path):
    cells = [(f"Q-{n}", r, "uv"[k], MARKS[n, k]) for n in range(N) for r in (2.3, 2.4) for k in range(2)]
    assert (
        levels(read(sheet(tmp_path, *rows("query,assistant_release,retriever,relevance", cells))))["assistant_release"]
        == 2
    )


@pytest.mark.parametrize("many", [1, 1_000])
def test_blanks_around_labels_say_nothing(tmp_path, many):
    cells = [(f"d{n}-{m}", ("Chispa", " Chispa ", "Brisa")[n % 3], MARKS[n, 0]) for n in range(N) for m in range(many)]
    path = sheet(tmp_path, *rows("item,system,score", cells))
    assert levels(read(path)) == {"item": N * many, "system": 2}
    frame = pl.read_csv(path)
    assert frame["system"].n_unique() == 3
    assert q.read(frame, announce=False).facet("system").levels == ("Brisa", "Chispa")
    duel = frame.select(model_a="system", model_b=pl.lit("Nova"), winner=pl.lit("Nova "))
    assert q.read_votes(duel, announce=False).models == ("Brisa", "Chispa", "Nova")


def test_what_two_files_share_is_the_item_and_not_a_text_that_differs(tmp_path):
    for name, at in (("old", 0), ("new", 1)):
        cells = [(f"KB-{n:03}", f"{name} asks about thing {n}", MARKS[n, at] % 2) for n in range(N)]
        sheet(tmp_path, *rows("ticket,question,correct", cells)).rename(tmp_path / f"{name}.csv")
    found = q.compare((tmp_path / "old.csv", tmp_path / "new.csv"))
    assert found.difference.shared_items == N


def test_columns_that_cross_judges_with_criteria_are_a_measure_for_each_criterion(tmp_path):
    heads = ",".join(f"expert_{j}_{name}" for j in (1, 2) for name in ("fluency", "coherence"))
    cells = [(f"d{n}", s, *MARKS[n - 5 * k], MARKS[n - k, 1]) for n in range(N) for k, s in enumerate("xy")]
    found = q.analyze(sheet(tmp_path, *rows(f"doc_id,system_id,{heads}", cells)))
    assert [one.name for one in found.measures] == ["fluency", "coherence"]
    assert {one.answer.difference.n for one in found.measures} == {2 * N}


@pytest.mark.parametrize(("column", "compared"), [("variant", True), ("prompt", False)])
def test_sides_of_an_experiment_are_compared_and_no_wordings(tmp_path, column, compared):
    cells = [(f"c{n}", arm, MARKS[n, k] % 2) for n in range(N) for k, arm in enumerate(("control", "treatment"))]
    said = [(one, arm, "👎👍"[mark]) for one, arm, mark in cells]
    for head, held in (("score", cells), ("feedback", said)):  # which the names say, and what the columns hold
        found = read(sheet(tmp_path, *rows(f"id,{column},{head}", held)))
        assert ("system" in found.names) == compared


def test_comments_in_a_table_are_left_out(tmp_path):
    lines = ["# exported, by a tool", "# 0 to 9; more is better", "item,system,score"]
    cells = [f"{n},{s},{MARKS[n, k]}" for n in range(N) for k, s in enumerate("xy")]
    assert levels(read(sheet(tmp_path, *lines, *cells, "# end"))) == {"item": N, "system": 2}
    assert levels(read(sheet(tmp_path, "#,system,score", *cells))) == {"item": N, "system": 2}


def test_sides_that_only_their_place_names_are_asked_about_by_every_command(tmp_path):
    path = sheet(tmp_path, *rows("item,reader,preferred", [(f"c{n}", "uv"[n % 2], "AB"[n % 3 > 0]) for n in range(N)]))
    for ask in (q.analyze, q.rank, q.compare):
        with pytest.raises(Unsure, match="A and B are sides, and no systems by their names"):
            ask(path)


def test_numbers_of_rows_without_a_name_are_no_score_beside_who_judged(tmp_path):
    cells = [(f"A{n}", s, f"R{j}", MARKS[n, k + j]) for n in range(N) for k, s in enumerate("xy") for j in (0, 1)]
    cells = [(place, *one) for place, one in enumerate(cells)]
    found = q.analyze(sheet(tmp_path, *rows(",accession,system,reader,quality", cells)))
    assert found.difference.shared_items == N


def test_names_of_products_beside_who_judged_are_systems_and_criteria_stay(tmp_path):
    cells = [(f"S{n}", who, MARKS[n - j, 0], MARKS[n - j, 1]) for n in range(N) for j, who in enumerate(("Ana", "Ben"))]
    found = q.analyze(sheet(tmp_path, *rows("id,judge,Rating: DeepTrans,Rating: Lingua v2", cells)))
    assert {found.difference.a, found.difference.b} == {"DeepTrans", "Lingua v2"}
    with pytest.raises(Unsure, match="their names do not say what they are"):
        read(sheet(tmp_path, *rows("id,judge,Wren,Aurora", cells)))


def test_what_scores_mean_is_said_of_a_file_that_is_read_by_itself(tmp_path, capsys):
    cells = [(f"u{n}", s, MARKS[n, k] / 10 + k) for n in range(N) for k, s in enumerate("xy")]
    path = sheet(tmp_path, *rows("utt,system,wer", cells))
    assert main(["rank", str(path), "--less-is-better", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["exit_code"] == 0
    assert q.rank(q.read(path, less_is_better=True, announce=False)).systems == ("x", "y")


def test_codes_of_several_judges_beside_two_answers_are_asked_about(tmp_path):
    cells = [(n, f"This to {n} is long enough", f"That to {n} is as long", *(MARKS[n] % 3)) for n in range(N)]
    with pytest.raises(Unsure, match="annotator1, annotator2 and annotator3 stand beside response1 and response2"):
        read(sheet(tmp_path, *rows("idx,response1,response2,annotator1,annotator2,annotator3", cells)))


def test_one_to_their_number_once_for_every_item_may_be_places_or_points(tmp_path):
    cells = [(f"b{n}", s, 1 + (n + k) % 3) for n in range(N) for k, s in enumerate("xyz")]
    with pytest.raises(Unsure, match="points holds 1 to 3, each once for every brief: places, of which 1 is the best"):
        q.rank(sheet(tmp_path, *rows("brief,bot,points", cells)))


def test_slots_that_each_name_a_system_and_its_place_are_no_systems(tmp_path):
    heads = "segment,judgeId," + ",".join(f"system{k}Id,system{k}rank" for k in range(1, 4))
    cells = [(n, "uv"[n % 2], *(one for k in range(3) for one in ("xyz"[n - k & 1], MARKS[n, k]))) for n in range(N)]
    with pytest.raises(Unsure, match="every row holds several systems with their places"):
        q.rank(sheet(tmp_path, *rows(heads, cells)))


def test_scores_beside_what_each_answered_are_of_systems(tmp_path):
    heads = ",".join(f"{name}_{what}" for what in ("output", "score") for name in ("wren", "kite"))
    cells = [(f"h{n}", f"wren says {n}", f"kite says {n}", *MARKS[n, :2]) for n in range(N)]
    assert q.analyze(sheet(tmp_path, *rows(f"id,{heads}", cells))).difference.shared_items == N


def test_decimal_commas_beside_words_for_no_mark(tmp_path):
    cells = [
        (f"A{n}", s, "k. A." if n == 3 else f"{MARKS[n, k]},{5 * (n % 2)}")
        for n in range(N)
        for k, s in enumerate("xy")
    ]
    path = book(
        tmp_path / "noten.xlsx", {"Noten": [("Aufgabe", "System", "Punkte"), *cells, ("Mittelwert", "", "3,47")]}
    )
    table = read(path, score="Punkte", missing=["k. A."], where="Aufgabe <> 'Mittelwert'")
    assert table.n_answers == 2 * N - 2


def test_one_to_their_number_in_columns_may_be_places_or_points(tmp_path):
    cells = [(f"p{n}", *(1 + (n + k) % 3 for k in range(3))) for n in range(N)]
    with pytest.raises(Unsure, match="x, y and z hold 1 to 3 in every row, each once") as open_:
        q.rank(sheet(tmp_path, *rows("prompt,x,y,z", cells)))
    assert [way.what for way in open_.value.ways] == ["1 is the best", "more is better"]


def test_questions_answered_by_one_of_two_products_or_neither_are_votes(tmp_path):
    cells = [(f"R_{n}", *(("Briefly", "NewsNut", "About the same")[mark % 3] for mark in MARKS[n])) for n in range(N)]
    votes = read(sheet(tmp_path, *rows("ResponseId,Q5,Q6,Q7", cells)))
    assert (votes.models, votes.n, votes.facet("judge").column) == (("Briefly", "NewsNut"), 3 * N, "ResponseId")
