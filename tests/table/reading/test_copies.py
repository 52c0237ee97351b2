"""Columns that say again, or less of, what others say; what judges came to together; records in cells."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.table.reading.test_forms import book, levels, read
from tests.table.reading.test_sheet import MARKS, N, rows, sheet

import quorate as q
from quorate.errors import InvalidInput
from quorate.table.reading.reading import Unsure


def mean(table):
    there = table.n > 0
    return float((table.mean[there] * table.n[there]).sum() / table.n.sum())


def test_records_in_cells_are_columns(tmp_path):
    cells = [
        (f"s{n}", f"asked {n}", f'"{{""Factuality"": {n % 2}, ""Closeness"": {MARKS[n, 0] / 10}}}"') for n in range(N)
    ]
    table = read(sheet(tmp_path, *rows("id,input,scores", cells)), score="scores.Closeness")
    assert mean(table) == pytest.approx(MARKS[:, 0].mean() / 10)


def test_tasks_of_toloka_with_known_answers_are_left_out(tmp_path):
    head = "INPUT:query\tINPUT:engine\tOUTPUT:relevance\tGOLDEN:relevance\tASSIGNMENT:worker_id\tASSIGNMENT:status"
    words = ("irrelevant", "partially_relevant", "relevant")
    real = [
        (f"q{n}", engine, words[MARKS[n, j] % 3], "", f"w{(n + j) % 4}", "APPROVED")
        for n in range(N)
        for j, engine in enumerate(("bm25", "dense"))
    ]
    known = [("gold", "bm25", words[n % 3], words[0], f"w{n}", "APPROVED") for n in range(4)]
    path = tmp_path / "assignments.tsv"
    path.write_text("\n".join([head, *("\t".join(one) for one in (*real, *known))]))
    table = read(path)
    assert levels(table) == {"item": N, "system": 2, "judge": 4}
    assert mean(table) == pytest.approx(np.mean([words.index(one[2]) / 2 for one in real]))
    assert any("4" in note and "known" in note for note in table.notes)


def test_what_came_of_a_score_is_no_criterion(tmp_path):
    names = ("groundedness", "relevance", "coherence")
    records = [
        {"inputs.query": f"asked {n}", "line_number": n}
        | {f"outputs.{name}.{name}": MARKS[n, at] for at, name in enumerate(names)}
        | {f"outputs.{name}.gpt_{name}": MARKS[n, at] for at, name in enumerate(names)}
        | {f"outputs.{name}.{name}_result": "fail" if MARKS[n, at] < 3 else "pass" for at, name in enumerate(names)}
        | {f"outputs.{name}.{name}_threshold": 3 for name in names}
        for n in range(N)
    ]
    path = tmp_path / "evaluation_results.json"
    path.write_text(
        json.dumps(
            {
                "rows": [
                    {k: int(v) if k[0] == "o" and not isinstance(v, str) else v for k, v in one.items()}
                    for one in records
                ]
            }
        )
    )
    table = read(path)
    assert table.facet("criterion").levels == tuple(sorted(f"outputs.{name}.{name}" for name in names))
    assert mean(table) == pytest.approx(MARKS.mean())


def test_what_judges_came_to_together_is_no_judge(tmp_path):
    first, second = MARKS[:, 0] % 3, (MARKS[:, 0] + (np.arange(N) % 2)) % 3
    letters = np.array(list("ABC"))
    named = [(f"S{n}", *letters[[first[n], second[n], first[n]]]) for n in range(N)]
    head = "Elevkod,Betyg undervisande lärare,Betyg medbedömare,Sambedömt betyg"
    judged = q.judges(sheet(tmp_path, *rows(head, named)))
    assert judged.judges == 2


def test_a_column_that_is_never_apart_is_asked_about(tmp_path):
    n = 60
    spread = np.random.default_rng(4).integers(0, 3, (n, 2))
    final = np.where(np.arange(n) % 2, spread[:, 0], spread[:, 1])
    cells = [(f"S{i}", *spread[i], final[i]) for i in range(n)]
    with pytest.raises(Unsure, match="zz is never the only one apart: perhaps what the others came to together"):
        q.read(sheet(tmp_path, *rows("item,xx vs,yy vs,zz", cells)))


def test_places_within_rounds_are_of_judges(tmp_path):
    couples = ("Rossi", "Smith", "Petrov", "Jansen")
    order = np.random.default_rng(1).permuted(np.tile(np.arange(1, 5), (15, 1)), axis=1).reshape(5, 3, 4)
    order[:, :, 0], order[order == 1] = 1, 2
    order = np.argsort(np.argsort(order, axis=2), axis=2) + 1
    cells = [(f"dance {d}", couple, *order[d, :, c]) for d in range(5) for c, couple in enumerate(couples)]
    board = q.rank(sheet(tmp_path, *rows("Dance,Couple,A,B,C", cells)))
    assert board.systems[0] == "Rossi"


def test_columns_of_models_whose_questions_come_back(tmp_path):
    cells = [(n + 1, f"soru {n % 4}", *MARKS[n]) for n in range(N)]
    table = q.rank(sheet(tmp_path, *rows("Sıra,Soru,Yerel model puanı,GPT-4o puanı,Gemini puanı", cells))).judgments
    assert levels(table) == {"item": N, "Soru": 4, "system": 3}


@pytest.mark.parametrize("tie", ["однаково", "weder noch", "cmp."])
def test_any_one_word_beside_names_of_who_won_is_a_tie(tmp_path, tie):
    names = ("DeepL", "Google", "ours")
    pairs = [(names[n % 3], names[(n + 1) % 3]) for n in range(N)]
    boards = []
    for word in (tie, "tie"):
        cells = [(f"s{n}", a, b, (a.upper(), b, word)[MARKS[n, 0] % 3]) for n, (a, b) in enumerate(pairs)]
        boards.append(q.rank(sheet(tmp_path, *rows("seg,Система_1,Система_2,Хто кращий", cells))))
    assert boards[0].systems == boards[1].systems
    assert boards[0].rating == pytest.approx(boards[1].rating)


def test_yes_partly_and_no_are_one_half_and_nought(tmp_path):
    words = ("não", "parcial", "sim")
    cells = [(f"P{n}", *(words[mark % 3] for mark in MARKS[n])) for n in range(N)]
    head = "pergunta,Assistente Sabiá,Assistente Maritaca-old,Assistente GPT"
    board = q.rank(sheet(tmp_path, *rows(head, cells)))
    assert mean(board.judgments) == pytest.approx((MARKS % 3).mean() / 2)


def test_a_judge_that_never_says_one_of_the_words_is_held_against_people(tmp_path):
    words = ("unsupported", "partially", "supported")
    cells = [(f"c{n}", words[MARKS[n, 0] % 3], words[MARKS[n, 1] % 3], words[2 * (MARKS[n, 2] % 2)]) for n in range(N)]
    with pytest.raises(Unsure, match="human_1 and human_2 are what people said by name, llm_judge what judges did"):
        read(sheet(tmp_path, *rows("claim_id,human_1,human_2,llm_judge", cells)))


def test_the_sum_of_some_columns_is_the_score(tmp_path):
    cells = [
        (f"c{n}", f"J{j}", *(marks := [MARKS[n, j], MARKS[j, 1], MARKS[(n + j) % N, 2]]), sum(marks))
        for n in range(N)
        for j in range(3)
    ]
    table = read(sheet(tmp_path, *rows("cheese,judge,aspect,texture,taste,Note", cells)))
    assert mean(table) == pytest.approx(np.mean([cell[-1] for cell in cells]))


def test_who_has_initials_behind_the_word_for_who_judges(tmp_path):
    cells = [(f"im{n}", *MARKS[n]) for n in range(N)]
    table = read(sheet(tmp_path, *rows("image_id,grader_KH,grader_MS,grader_TN", cells)))
    assert table.facet("judge").levels == ("grader_KH", "grader_MS", "grader_TN")


@pytest.mark.parametrize("people", [("王敏", "李强", "赵倩"), ("Ольга", "Тарас", "Ірина"), ("Kasia", "Wojtek", "Ola")])
def test_sheets_of_people_of_other_countries_are_of_judges(tmp_path, people):
    sheets = {
        who: [["序号", "文心", "自研模型"], *([n + 1, int(MARKS[n, j]), int(MARKS[n, (j + 1) % 3])] for n in range(N))]
        for j, who in enumerate(people)
    }
    found = q.compare(book(tmp_path / "scores.xlsx", {"说明": [["notes"], ["1 is worst"]], **sheets}))
    assert "3 judges" in found.sentence


def test_grades_that_a_score_is_put_into_are_no_other_score(tmp_path):
    cells = [
        (f"s{n}", ("v2", "v3")[n % 2], MARKS[n % N, 0], 10 * MARKS[n % N, 0], "low" if MARKS[n % N, 0] < 3 else "high")
        for n in range(4 * N)
    ]
    table = read(sheet(tmp_path, *rows("session_id,model,score,score_pct,grade", cells)))
    assert mean(table) == pytest.approx(np.mean([cell[2] for cell in cells]))


def test_a_total_beside_counts_of_labels_counts_none(tmp_path):
    counts = [(3 - n % 3, 1 + n % 2, 1 + n % 3 - n % 2) for n in range(30)]
    cells = [(f"c{n}", *one, sum(one)) for n, one in enumerate(counts)]
    agreed = q.judges(sheet(tmp_path, *rows("comment_id,civil,borderline,toxic,total", cells)))
    assert {*agreed.judgments.labels} == {"civil", "borderline", "toxic"}


def test_folders_of_helm_are_no_columns(tmp_path):
    for at, model in enumerate(("org_a", "org_b")):
        run = tmp_path / "runs" / f"mmlu:subject=anatomy,method=joint,model={model}"
        run.mkdir(parents=True)
        (run / "run_spec.json").write_text(json.dumps({"name": run.name, "adapter_spec": {"model": model}}))
        stats = [
            {
                "instance_id": f"id{n}",
                "train_trial_index": 0,
                "stats": [
                    {
                        "name": {"name": "exact_match"},
                        "count": 1,
                        "sum": int(MARKS[n, at] % 2),
                        "mean": int(MARKS[n, at] % 2),
                    }
                ],
            }
            for n in range(N)
        ]
        (run / "per_instance_stats.json").write_text(json.dumps(stats))
    assert levels(read(tmp_path / "runs"))["system"] == 2


def test_records_two_levels_down_are_rows_without_their_summary(tmp_path):
    agents = [
        {
            "name": name,
            "tasks": [
                {"task": f"t{n}", "attempts": [{"attempt": k, "passed": bool((MARKS[n, at] + k) % 2)} for k in (1, 2)]}
                for n in range(N)
            ],
            "summary": {"pass_rate": 0.5, "total_cost": 1.0 + at},
        }
        for at, name in enumerate(("react", "plan", "walk"))
    ]
    path = tmp_path / "agent_results.json"
    path.write_text(json.dumps({"benchmark": "shell", "agents": agents}))
    table = read(path)
    assert levels(table) == {"item": N, "name": 3}
    assert mean(table) == 0.5


def test_a_score_of_what_is_bad_alone_is_asked_about(tmp_path):
    cells = [
        (f"p{n}", model, ("Clean", "flagged")[bad := MARKS[n, at] % 2], MARKS[n, 0] if bad else "")
        for n in range(N)
        for at, model in enumerate(("old", "new"))
    ]
    with pytest.raises(Unsure, match="severity is empty wherever label is clean, and only there"):
        read(sheet(tmp_path, *rows("prompt_id,model,label,severity", cells)))


def test_of_safe_and_unsafe_more_that_is_safe_is_better(tmp_path):
    cells = [
        (f"p{n}", model, ("Safe", "unsafe", "UNSAFE")[MARKS[n, at] % 3])
        for n in range(N)
        for at, model in enumerate("uv")
    ]
    path = sheet(tmp_path, *rows("prompt_id,target_model,verdict", cells))
    assert mean(read(path)) == pytest.approx((MARKS[:N, :2] % 3 == 0).mean())


def test_codes_of_who_won_of_two_models_are_asked_about(tmp_path):
    names = ("mixtral", "falcon", "yi")
    cells = [(f"q{n}", names[n % 3], names[(n + 1) % 3], MARKS[n, 0] % 3) for n in range(N)]
    with pytest.raises(Unsure, match="outcome holds 0, 1 and 2, and no name says which side is which"):
        q.rank(sheet(tmp_path, *rows("qid,model_x,model_y,outcome", cells)))


def test_tries_of_one_judge_are_held_against_people_together(tmp_path):
    cells = [(f"r{n}", MARKS[n, 0], *MARKS[n]) for n in range(N)]
    with pytest.raises(Unsure, match=r'wide=\{"replicate": .*judges against people'):
        q.judges(sheet(tmp_path, *rows("response_id,human_score,gpt4o_run1,gpt4o_run2,gpt4o_run3", cells)))


def test_sheets_of_systems_with_judges_in_columns(tmp_path):
    sheets = {
        system: [
            ["N°", "Question", "Camille", "Julien", "Sofiane", "Moyenne"],
            *(
                [
                    n + 1,
                    f"ask {n}",
                    *(cells := [int(MARKS[n, (j + at) % 3]) for j in range(3)]),
                    round(sum(cells) / 3, 2),
                ]
                for n in range(N)
            ),
            ["Moyenne générale", "", 3, 3, 3, 3],
        ]
        for at, system in enumerate(("Mistral Large", "GPT-4o", "FT-interne"))
    }
    found = q.rank(book(tmp_path / "scores.xlsx", sheets))
    assert {*found.systems} == {*sheets}
    assert "with these 3 judges" in found.sentence


def test_one_model_in_both_files_is_not_what_is_compared(tmp_path):
    for at, run in enumerate(("main", "pr482")):
        lines = [{"task_id": f"t{n}", "success": bool(MARKS[n, at] % 2), "model": "gpt-4.1"} for n in range(N)]
        (tmp_path / f"{run}.jsonl").write_text("\n".join(map(json.dumps, lines)))
    found = q.compare([tmp_path / "main.jsonl", tmp_path / "pr482.jsonl"])
    assert {found.a, found.b} == {"main", "pr482"}


@pytest.mark.parametrize("extra", [(), ("Table",)])
def test_a_total_of_criteria_with_ends_of_their_own_is_the_score(tmp_path, extra):
    heads = ["Entry", *extra, "Judge", "Aroma /12", "Flavor /20", "Overall /10", "Total /50"]
    cells = [
        (
            300 + n,
            *(n % 3 for _ in extra),
            f"J{j}",
            *(one := [MARKS[n, j], 2 * MARKS[n, 2], MARKS[(n + j) % N, 1]]),
            sum(one),
        )
        for n in range(N)
        for j in range(2)
    ]
    table = read(sheet(tmp_path, *rows(",".join(heads), cells)))
    assert mean(table) == pytest.approx(np.mean([cell[-1] for cell in cells]))


def test_columns_that_cross_systems_with_criteria_are_a_measure_for_each_criterion(tmp_path):
    heads = ",".join(f"{system} ({name})" for system in ("IT5", "Llama") for name in ("Coerenza", "Fedeltà", "Fluenza"))
    cells = [(f"d{n}", f"J{j}", *MARKS[n], *MARKS[(n + j) % N]) for n in range(N) for j in range(2)]
    found = q.compare(sheet(tmp_path, *rows(f"ID,Annotatore,{heads}", cells)), "IT5", "Llama")
    assert found.sentence.startswith("3 measures, each by itself, IT5 against Llama: Coerenza ")


def test_what_a_model_answered_in_numbers_is_no_system(tmp_path):
    cells = [
        (f"S{n}", version, 10 * n + at, judge, ("benar", "salah")[MARKS[n, at] % 2])
        for n in range(N)
        for at, version in enumerate(("singkat", "contoh"))
        for judge in ("Dewi", "Rizky")
    ]
    table = read(sheet(tmp_path, *rows("soal,versi_prompt,jawaban_model,penilai,hasil", cells)))
    assert levels(table) == {"item": N, "judge": 2, "versi_prompt": 2}


def test_names_of_columns_that_say_judge_and_system_cross_both(tmp_path):
    heads = ",".join(
        f"judge_{judge}__sys_{system}" for judge in ("gpt4o", "sonnet") for system in ("zero", "few", "cot")
    )
    cells = [(f"ex{n}", *MARKS[n], *MARKS[(n + 1) % N]) for n in range(N)]
    assert levels(read(sheet(tmp_path, *rows(f"id,{heads}", cells)))) == {"item": N, "judge": 2, "system": 3}


def test_margins_of_a_cross_table_are_no_label(tmp_path):
    counts = np.array([[30, 4, 1], [6, 28, 5], [2, 3, 20]])
    whole = np.block([[counts, counts.sum(1, keepdims=True)], [counts.sum(0), counts.sum()]])
    names = ["low", "mid", "high", "margin"]
    cells = [(name, *row) for name, row in zip(names, whole.tolist(), strict=True)]
    judged = q.judges(sheet(tmp_path, *rows("A by B," + ",".join(names), cells)))
    assert f"agree on {np.trace(counts) / counts.sum():.1%} of items" in judged.sentence


def test_scores_of_two_files_on_two_scales_are_asked_about(tmp_path):
    for name, scale in (("spring", 1), ("autumn", 20)):
        cells = [(f"t{n}", 10 * (scale > 1) + scale * (MARKS[n, 0] % 5 + 1)) for n in range(N)]
        sheet(tmp_path, *rows("task,score", cells)).rename(tmp_path / f"{name}.csv")
    with pytest.raises(Unsure, match="spring never goes beyond 5, and others to 110: two scales"):
        q.compare([tmp_path / "spring.csv", tmp_path / "autumn.csv"])


def test_what_may_be_measured_is_not_taken_for_judges(tmp_path):
    spread = np.random.default_rng(3).integers(40, 110, (90, 2))
    cells = [(f"p{n}", *one) for n, one in enumerate(spread.tolist())]
    with pytest.raises(Unsure, match="alpha and beta hold scores on one scale"):
        q.judges(sheet(tmp_path, *rows("id,alpha,beta", cells)))


def test_labels_of_one_column_in_other_capitals_belong_to_the_others(tmp_path):
    words = ("good", "poor", "so so")
    cells = [
        (f"r{n}", words[MARKS[n, 0] % 3], words[MARKS[n, 1] % 3].upper(), words[2 * (MARKS[n, 2] % 2)])
        for n in range(N)
    ]
    assert q.judges(sheet(tmp_path, *rows("review_id,xa,xb,xc", cells))).judges == 3


@pytest.mark.parametrize(
    ("head", "roles"),
    [
        ("mã_câu,mô_hình,giám_khảo,điểm", ["item", "judge", "system"]),
        ("ασθενής,αξιολογητής,βαθμολογία", ["item", "judge"]),
        ("kép,értékelő,pontszám", ["item", "judge"]),
        ("potilas,arvioija,pisteet", ["item", "judge"]),
        ("id_recenze,anotátorka,body", ["item", "judge"]),
        ("soal,penilai,nilai", ["item", "judge"]),
    ],
)
def test_names_in_more_languages(tmp_path, head, roles):
    systems = ("a1", "b2") if "system" in roles else ("",)
    cells = [
        (f"x{n}", *filter(None, [system]), f"w{j}", MARKS[n, j])
        for n in range(N)
        for system in systems
        for j in range(3)
    ]
    assert sorted(levels(read(sheet(tmp_path, *rows(head, cells))))) == roles


def test_raters_whom_nothing_names(tmp_path):
    path = sheet(tmp_path, *rows("image,rating", [(f"i{n}", mark) for n in range(N) for mark in MARKS[n]]))
    with pytest.raises(InvalidInput, match="of raters whom nothing names, labels=True says how far they agree"):
        q.judges(path)
    assert q.judges(q.read(path, labels=True, announce=False)).judgments.n.sum() == 3 * N


def test_juries_of_one_category_each_have_a_mean(tmp_path):
    cells = [(f"c{k}{n}", f"kind {k}", f"J{k}{j}", MARKS[n, j]) for k in range(3) for n in range(8) for j in range(3)]
    path = sheet(tmp_path, *rows("cheese,category,judge,score", cells))
    assert q.analyze(path).estimate.value == pytest.approx(MARKS[:8].mean(), abs=0.05)


def test_the_final_version_is_no_agreement_of_the_drafts(tmp_path):
    heads = ",".join(f"{version}_{name}" for version in ("draft", "final") for name in ("fluency", "accuracy"))
    cells = [(f"d{n}", *MARKS[n][:2], *MARKS[n][1:]) for n in range(N)]
    with pytest.raises(Unsure, match="draft and final with fluency and accuracy"):
        read(sheet(tmp_path, *rows(f"text_id,{heads}", cells)))
