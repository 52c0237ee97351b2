"""Files as small teams keep them: ids beside texts, totals in words, two files, nested verdicts."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.table.reading.test_sheet import MARKS, N, rows, sheet

import quorate as q
from quorate.cli import main
from quorate.table.pairs import TIE
from quorate.table.reading.reading import Unsure


def read(path, **options):
    return q.read(path, announce=False, **options)


def test_what_is_called_so_and_groups_rows_is_no_item_beside_an_id_of_each(tmp_path):
    cells = [
        (f"r{n}", MARKS[n % N, n // N], ("Passive", "Promoter")[n % 2], ("Free", "Pro", "Team")[n % 3])
        for n in range(3 * N)
    ]
    table = read(sheet(tmp_path, *rows("Response ID,rating,Segment,Plan", cells)))
    assert (table.names, table.n_levels("item")) == (("item",), 3 * N)


def test_an_id_is_judged_where_a_text_comes_back_under_several(tmp_path):
    cells = [(f"nq-{n}", f"question {n // 2}", judge, MARKS[n, j]) for n in range(N) for j, judge in enumerate("abc")]
    table = read(sheet(tmp_path, *rows("id,question,judge,score", cells)))
    assert (table.names, table.n_levels("item")) == (("item", "judge"), N)
    cells = [(f"p{n}", f"text {n // 2}", "old", "new", f"rater {j}", "AB"[n % 2]) for n in range(N) for j in range(2)]
    votes = read(sheet(tmp_path, *rows("prompt_id,prompt,model_a,model_b,rater,winner", cells)))
    assert len(votes.facet("prompt").levels) == N


def test_na_among_labels_is_none(tmp_path):
    cells = [(n, *(["NA", "low", "high", "mid"][m % 4] for m in row)) for n, row in enumerate(MARKS, 1)]
    assert read(sheet(tmp_path, *rows('"",reader1,reader2,reader3', cells))).labels == ("high", "low", "mid")


def test_numbers_of_rows_and_days_are_no_score_and_nobody_who_judged(tmp_path):
    cells = [
        (f"{n}", f"E{n // 2}", ("Sam", "Dana")[n % 2], MARKS[n, 0], f"2024-03-{1 + n // 6:02}") for n in range(1, N)
    ]
    table = read(sheet(tmp_path, *rows('"",essay,rater,holistic,Closed', cells)))
    assert (table.names, table.score) == (("item", "judge"), "holistic")
    alone = read(
        sheet(tmp_path, *rows("Ticket ID,Closed,CSAT", ((f"T{n}", cell[-1], cell[-2]) for n, cell in enumerate(cells))))
    )
    assert alone.names == ("item",)


@pytest.mark.parametrize("name", ["Total passed", "Class total", "passed total"])
def test_a_total_of_words_is_how_often_one_was_given(tmp_path, name):
    said = np.where(MARKS > 5, "PASS", "FAIL")
    lines = rows("task,gpt-4o,llama3,qwen", ((f"task_{n}", *row) for n, row in enumerate(said)))
    path = sheet(tmp_path, *lines, ",".join([name, *map(str, (MARKS > 5).sum(axis=0))]))
    assert q.rank(path).judgments.n_levels("item") == N


@pytest.mark.parametrize(("column", "system"), [("passed", False), ("resolved", True), ("success", False)])
def test_lists_of_what_was_reached_are_tries(tmp_path, column, system):
    cells = [
        (f"t{n}", *(["abc"[n % 3]] if system else []), f'"{(MARKS[n] > 5).astype(int).tolist()}"') for n in range(N)
    ]
    table = read(sheet(tmp_path, *rows(f"task_id,{'model,' * system}{column}", cells)))
    assert (int(table.n.sum()), "judge" in table.names) == (3 * N, False)


def test_two_runs_that_are_compared_are_the_systems(tmp_path):
    files = [
        sheet(
            tmp_path,
            *rows("case_id,expected,correct", ((n, f"x{n % 9}", MARKS[n, j] % 2) for n in range(N))),
            name=f"eval_{j}.csv",
        )
        for j in (0, 1)
    ]
    assert q.compare(files, "eval_0", "eval_1").outcome.value in ("better", "worse", "undecided")
    lines = {
        name: [json.dumps({"question": f"q{n}", "meta": {"model": name}, "rating": int(MARKS[n, 0])}) for n in range(N)]
        for name in ("base", "sft")
    }
    files = [sheet(tmp_path, *held, name=f"{name}.jsonl") for name, held in lines.items()]
    assert read(files).facet("system").levels == ("base", "sft")


def test_models_of_one_name_are_compared_and_judge_where_another_column_says_the_system(tmp_path):
    path = sheet(
        tmp_path, *rows("qid,Llama-3.1-8B,Llama-3.1-70B", ((n, *(MARKS[n, :2] > 5).astype(int)) for n in range(N)))
    )
    assert q.compare(path).b in ("Llama-3.1-8B", "Llama-3.1-70B")
    lines = [
        json.dumps(
            {
                "qid": n // 2,
                "model": "ab"[n % 2],
                "verdicts": {"gpt-4o": {"score": int(m[0])}, "claude-3": {"score": int(m[1])}},
            }
        )
        for n, m in enumerate(MARKS)
    ]
    assert read(sheet(tmp_path, *lines, name="panel.jsonl")).n_levels("judge") == 2


def test_people_among_models_in_names_that_cross_two_things_judge(tmp_path):
    names = [f"{system}_{judge}" for system in ("mistral", "zephyr", "qwen") for judge in ("gpt4", "human")]
    table = read(
        sheet(tmp_path, *rows("prompt_id," + ",".join(names), ((n, *row, *row[::-1]) for n, row in enumerate(MARKS))))
    )
    assert table.facet("judge").levels == ("gpt4", "human")


def test_each_who_met_every_system_once_is_what_pairs_them(tmp_path):
    cells = [
        (f"R{n}", system, ("Disagree", "Neutral", "Agree")[MARKS[n, j] % 3])
        for n in range(N)
        for j, system in enumerate(("x", "y"))
    ]
    path = sheet(tmp_path, *rows("respondent,system,I would trust this answer", cells))
    assert read(path).n_levels("item") == N


def test_raw_scores_before_standardised_ones_and_shares_of_what_points_there_may_be(tmp_path):
    cells = [(f"s{n}", f"u{j}", MARKS[n, j], round((MARKS[n, j] - 6) / 2.1, 4)) for n in range(N) for j in range(3)]
    assert read(sheet(tmp_path, *rows("SegID,AnnotatorID,RawScore,ZScore", cells))).score == "RawScore"
    cells = [
        (f"s{n}", criterion, MARKS[n, j], most)
        for n in range(N)
        for j, (criterion, most) in enumerate((("a", 10), ("b", 20)))
    ]
    for name in ("points", "score"):
        table = read(sheet(tmp_path, *rows(f"submission,criterion,{name},max_{name}", cells)))
        assert table.mean.mean() == pytest.approx(np.mean([MARKS[:, 0] / 10, MARKS[:, 1] / 20]))


def test_when_somebody_answered_is_who(tmp_path):
    head = "Timestamp," + ",".join(f"Poster {n}: overall (1-5)" for n in range(1, 7))
    cells = [(f"5/{n + 1}/2024 9:45:{n:02}", *(row % 5 + 1), *(row[::-1] % 4 + 1)) for n, row in enumerate(MARKS)]
    table = read(sheet(tmp_path, *rows(head, cells)))
    assert (table.n_levels("item"), table.n_levels("judge")) == (6, N)


def test_attacks_that_succeeded_are_no_merit(tmp_path):
    cells = [(f"a{n}", system, MARKS[n, j] % 2) for n in range(N) for j, system in enumerate(("base", "safe"))]
    with pytest.raises(Unsure, match="less of attack_success is better"):
        read(sheet(tmp_path, *rows("attack_id,target_model,attack_success", cells)))


def test_a_table_with_the_columns_of_a_log_of_ratings_is_one_as_any_other(tmp_path):
    cells = [(81 + n, system, "gpt-4", MARKS[n, j], "Rating") for n in range(N) for j, system in enumerate("ab")]
    table = read(sheet(tmp_path, *rows("question_id,model,judge,score,judgment", cells)))
    assert (table.n_levels("item"), table.n_levels("system")) == (N, 2)


@pytest.mark.parametrize("beside", [True, False])
def test_less_of_what_everybody_knows_is_better(tmp_path, beside):
    cells = [(f"u{n}", system, MARKS[n, j] / (10 + 20 * j)) for n in range(N) for j, system in enumerate(("x", "y"))]
    path = sheet(tmp_path, *rows(f"utt_id,{'model' if beside else 'asr'},wer", cells))
    assert q.rank(path).systems[0] == "y"


def test_a_winner_by_name_beside_the_first_and_the_second_is_no_ranking(tmp_path):
    sides = ("cand", "prod")
    cells = [(n // 2, *(sides, sides[::-1])[n % 2], sides[MARKS[n, 0] % 2]) for n in range(N)]
    table = read(sheet(tmp_path, *rows("prompt_id,first,second,winner", cells)))
    assert (table.models, int((table.outcome == 0).sum())) == (sides, sum(cell[-1] == "cand" for cell in cells))


def test_runs_of_groups_of_things_are_judged_by_these(tmp_path):
    cells = {name: [(f"s{n}", MARKS[n, j] / 10) for n in range(N)] for j, name in enumerate(("unet", "segformer"))}
    files = [sheet(tmp_path, *rows("scene,iou", held), name=f"{name}.csv") for name, held in cells.items()]
    table = read(files)
    assert (table.score, table.n_levels("item"), table.facet("system").levels) == ("iou", N, ("segformer", "unet"))


def test_columns_of_error_rates_are_of_systems_of_which_less_is_better(tmp_path):
    names = [f"wer_{name}" for name in ("whisper-small", "wav2vec2-base")]
    path = sheet(
        tmp_path,
        *rows("clip," + ",".join(names), ((f"c{n}", min(m) / 30, (max(m) + 1) / 30) for n, m in enumerate(MARKS))),
    )
    assert q.rank(path).systems[0] == names[0]


def test_either_side_is_named_by_who_won(tmp_path):
    teams = ("Monash", "Leiden", "Cork")
    cells = [
        (f"H{n // 3}", teams[n % 3], teams[(n + 1) % 3], f"J. {j}", teams[(n + MARKS[n, j] % 2) % 3])
        for n in range(N)
        for j in range(2)
    ]
    assert read(sheet(tmp_path, *rows("hearing,petitioner,respondent,bench,winner", cells))).models == tuple(
        sorted(teams)
    )


def test_the_id_of_a_prompt_is_judged_beside_its_text(tmp_path):
    cells = [
        (f"p{n}", f"text {n // 2}", *("safe", "unsafe")[:1], ("safe", "unsafe")[n % 2], ("safe", "unsafe")[n % 3 > 0])
        for n in range(N)
    ]
    table = read(sheet(tmp_path, *rows("prompt_id,prompt,annotator_1,annotator_2,annotator_3", cells)))
    assert (table.names, table.n_levels("item")) == (("item", "judge"), N)


def test_files_of_models_that_are_called_judges_are_of_these(tmp_path):
    lines = [[json.dumps({"item_id": f"s{n}", "score": int(MARKS[n, j])}) for n in range(N)] for j in range(3)]
    names = ("judge_gpt-4o-mini", "judge_gemma2-27b", "judge_claude-3-haiku")
    files = [sheet(tmp_path, *held, name=f"{name}.jsonl") for name, held in zip(names, lines, strict=True)]
    assert read(files).names == ("item", "judge")


def test_a_judge_that_says_the_same_throughout_is_one_by_how_names_end(tmp_path):
    cells = [(f"p{n}", m[0] % 2, m[1] % 2, 0) for n, m in enumerate(MARKS)]
    table = read(sheet(tmp_path, *rows("prompt_id,gpt4_judge,claude_judge,llamaguard_judge", cells)))
    assert table.n_levels("judge") == 3


def test_what_readers_call_is_held_against_the_truth(tmp_path, capsys):
    """Neither is what is judged by its name, and no truth is what somebody judged."""
    truth = ["no" if m[0] > 5 else "yes" for m in MARKS]
    said = [[right if m[j] % 3 else "no" for right, m in zip(truth, MARKS, strict=True)] for j in range(3)]
    cells = [(f"s{n}", f"RAD{j}", said[j][n], truth[n]) for n in range(N) for j in range(3)]
    path = sheet(tmp_path, *rows("study_uid,radiologist,call,ground_truth", cells))
    with pytest.raises(Unsure) as asked:
        read(path)
    (way,) = asked.value.ways
    assert (way.verb, way.options["score"], way.people) == ("judges", "call", {"human_label": "ground_truth"})
    right = np.mean(np.array(said[0]) == truth)
    assert main(["analyze", str(path), "--no-report"]) == 0
    assert f"RAD0: right {right:.1%}" in " ".join(capsys.readouterr().out.split())


def test_nothing_is_judged_in_a_list_of_who_does_what_until_when(tmp_path):
    cells = [(f"D{n}", f"text {n}", ("Nora", "Grace")[n % 2], n // 8, f"2025-06-{6 + n // 8:02}") for n in range(N)]
    with pytest.raises(Unsure, match="no column looks like a judgment"):
        read(sheet(tmp_path, *rows("doc_id,text,annotator,batch,due", cells)))


@pytest.mark.parametrize("name", ["Agreed mark", "final_mark", "Consensus"])
def test_what_markers_agreed_on_is_no_further_one(tmp_path, name):
    cells = [(f"e{n}", *m, m[0]) for n, m in enumerate(MARKS)]
    assert read(sheet(tmp_path, *rows(f"essay,marker1,marker2,marker3,{name}", cells))).n_levels("judge") == 3


def test_cells_that_are_merged_say_what_is_judged(tmp_path):
    cells = [("" if j else f"CT-{n}", f"Reader {j}", MARKS[n, j]) for n in range(N) for j in range(3)]
    assert read(sheet(tmp_path, *rows("Case,Reader,Quality (1-9)", cells))).n_levels("item") == N


@pytest.mark.parametrize("mark", [" - ", "_", " / "])
def test_columns_of_bots_by_people_are_systems_by_judges(tmp_path, mark):
    head = ",".join(mark.join((bot, name)) for bot in ("Nova", "Orbit") for name in ("Priya", "Tom"))
    path = sheet(tmp_path, *rows(f"Prompt,{head}", ((f"p{n}", *m, m[0]) for n, m in enumerate(MARKS))))
    table = q.rank(path).judgments
    assert {name: table.facet(name).levels for name in ("system", "judge")} == {
        "system": ("Nova", "Orbit"),
        "judge": ("Priya", "Tom"),
    }


def test_surnames_beside_given_names_judge(tmp_path):
    path = sheet(tmp_path, *rows("Submission,Marta,Oyelaran,Pete", ((f"s{n}", *m) for n, m in enumerate(MARKS))))
    assert read(path).facet("judge").levels == ("Marta", "Oyelaran", "Pete")


@pytest.mark.parametrize(("column", "cells"), [("feedback", "👍👎"), ("thumbs", ("up", "down"))])
def test_thumbs_of_assistants_are_of_systems(tmp_path, column, cells):
    lines = [(f"c{n}", ("helper-a", "helper-b")[n % 2], cells[int(m[0] > 5)]) for n, m in enumerate(MARKS)]
    assert read(sheet(tmp_path, *rows(f"chat_id,assistant,{column}", lines))).n_levels("system") == 2


def test_a_total_of_criteria_is_what_teams_are_ranked_by(tmp_path):
    cells = [(f"team {n}", f"judge {j}", *MARKS[n + j], sum(MARKS[n + j])) for n in range(N - 3) for j in range(3)]
    board = q.rank(sheet(tmp_path, *rows("Team,Judge,Innovation,Execution,Pitch,Total", cells)))
    assert len(board.systems) == N - 3
    assert board.judgments.score == "Total"


@pytest.mark.parametrize(
    ("head", "others"),
    [("obs1_t1,obs1_t2,obs2_t1,obs2_t2", {"judge": 2, "time": 2}), ("score_read1,score_read2", {})],
)
def test_occasions_in_names_of_columns(tmp_path, head, others):
    width = head.count(",") + 1
    path = sheet(
        tmp_path, *rows(f"clip,{head}", ((f"clip{n}", *m, m[0], m[1])[: width + 1] for n, m in enumerate(MARKS)))
    )
    table = read(path)
    assert {name: table.n_levels(name) for name in others} == others
    assert table.n_answers == width * N


def test_a_dive_is_that_of_a_diver_in_a_round(tmp_path):
    cells = [(f"diver{n % 8}", n // 8, f"30{n % 5}B", *m) for n, m in enumerate(MARKS)]
    table = read(sheet(tmp_path, *rows("Diver,Round,Dive,J1,J2,J3", cells)))
    assert (table.n_levels("item"), table.n_levels("Round"), table.n_levels("judge")) == (8, 3, 3)


def test_the_recording_of_an_utterance_is_not_what_pairs_systems(tmp_path):
    cells = [
        (f"u{n}", f"u{n}_{tts}.wav", tts, f"L{j}", MARKS[n, j])
        for n in range(N)
        for j in range(3)
        for tts in ("a1", "b1")
    ]
    table = q.rank(sheet(tmp_path, *rows("utt,wav,tts,listener,mos", cells))).judgments
    assert table.n_levels("item") == N


def test_what_is_compared_may_have_the_name_of_a_criterion(tmp_path):
    cells = [
        (f"p{j}", f"s{n}", voice, MARKS[n, j]) for n in range(N) for j in range(3) for voice in ("natural", "VITS")
    ]
    path = sheet(tmp_path, *rows("participant,stimulus,voice,MOS", cells))
    assert q.rank(path).judgments.n_levels("system") == 2


def test_marks_of_so_many_with_words_for_who_was_absent(tmp_path):
    cells = [(f"r{n}", "ann", f"{m[0]}/20" if n else "absent") for n, m in enumerate(MARKS)]
    table = read(sheet(tmp_path, *rows("Report,TA,Mark", cells)))
    assert table.n_answers == N - 1
    assert np.nanmax(table.mean) == MARKS[1:, 0].max() / 20


def test_marks_of_who_judge_each_other_are_no_wins_where_their_mean_stands_beside(tmp_path):
    names = ("Aisha", "Ben", "Carla", "Elif")
    cells = [["" if i == j else MARKS[i, j % 3] for j in range(4)] for i in range(4)]
    means = [round(float(np.mean([mark for mark in row if mark != ""])), 2) for row in cells]
    path = sheet(
        tmp_path,
        *rows("Presenter,Aisha,Ben,Carla,Elif,Average", zip(names, *zip(*cells, strict=True), means, strict=True)),
    )
    table = read(path)
    assert (table.facet("judge").levels, table.n_answers, table.labels) == (names, 12, ())


def test_check_marks_and_crosses_are_right_and_wrong(tmp_path):
    cells = [(f"q{n}", *("✅" if m > 5 else "❌" for m in row)) for n, row in enumerate(MARKS)]
    board = q.rank(sheet(tmp_path, *rows("Question,GPT-4o,Claude 3.5 Sonnet,Llama 3.1 70B", cells)))
    assert board.judgments.n_answers == 3 * N


def test_columns_of_coded_listeners_are_judges(tmp_path):
    head = ",".join(f"L{n:02}" for n in range(1, 10))
    path = sheet(tmp_path, *rows(f"Clip,{head}", ((f"c{n}", *m, *m, *m) for n, m in enumerate(MARKS))))
    assert read(path).n_levels("judge") == 9


def test_who_judged_twice_is_what_every_row_is_of(tmp_path):
    cells = [(f"A{n}", session, MARKS[n, session] % 2) for n in range(N) for session in (1, 2)]
    table = read(sheet(tmp_path, *rows("assessor,session,correct", cells)))
    assert (table.n_levels("item"), table.n_levels("session")) == (N, 2)


@pytest.mark.parametrize("ids", [range(N), [n // 2 for n in range(N)]])
def test_what_was_predicted_is_held_against_the_truth_where_each_stands_once(tmp_path, ids):
    """Where a text comes back, what to count is asked."""
    said = [("refund", "cancel", "invoice")[m[0] % 3] for m in MARKS]
    cells = [(f"text {i}", one, one if m[1] > 4 else "refund") for i, one, m in zip(ids, said, MARKS, strict=True)]
    with pytest.raises(Unsure) as asked:
        read(sheet(tmp_path, *rows("utterance,gold_intent,predicted_intent", cells)))
    assert asked.value.ways[0].plain == (ids == range(N))


def test_a_label_in_a_list_is_a_label(tmp_path):
    lines = [{"id": n, "label": [("ham", "spam")[n % 3 == 0]], "tags": ["a", "b"][: n % 3]} for n in range(N)]
    path = tmp_path / "labels.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert read(path).labels == ("ham", "spam")


def test_models_that_are_called_judges_stand_beside_a_person_whatever_their_numbers(tmp_path):
    cells = [(f"Q{n}", m[0] / 100 + n / 31, m[1] / 97 + n / 37, m[2] / 89 + n / 41) for n, m in enumerate(MARKS)]
    with pytest.raises(Unsure) as asked:
        read(sheet(tmp_path, *rows("Nr,GPT-4o judge,Claude judge,Katrin", cells)))
    assert asked.value.ways[0].options["wide"] == {"judge": ("GPT-4o judge", "Claude judge", "Katrin")}


@pytest.mark.parametrize("kinds", [("Terminology", "Accuracy/Omission"), ("Fluency", "Style")])
def test_a_list_of_errors_is_none_of_judgments(tmp_path, kinds):
    cells = [(n, "gpt", kinds[n % 2], ("Minor", "Major")[m[0] % 2], f"rev{n % 3}") for n, m in enumerate(MARKS)]
    with pytest.raises(Unsure, match="every row is an error by Severity and"):
        read(sheet(tmp_path, *rows("Segment,Engine,Category,Severity,Reviewer", cells)))


def test_what_a_panelist_answered_twice_is_not_what_is_judged(tmp_path):
    cells = [(f"P{n}", rep, (657, 355, 169)[MARKS[n, rep] % 3], MARKS[n, rep] % 2) for n in range(N) for rep in (0, 1)]
    table = read(sheet(tmp_path, *rows("Panelist,Rep,Answer,Correct", cells)))
    assert (table.n_levels("item"), table.n_answers) == (N, 2 * N)


def test_two_versions_of_a_prompt_are_compared(tmp_path):
    path = sheet(
        tmp_path, *rows("Ticket,Prompt v3 (1-9),Prompt v4 (1-9)", ((f"T{n}", *m[:2]) for n, m in enumerate(MARKS)))
    )
    assert "Prompt v4 (1-9)" in q.compare(path).sentence


def test_a_judge_in_words_beside_people_says_and_is_not_who(tmp_path):
    cells = [(f"c{n}", *("pass" if mark > 4 else "fail" for mark in m)) for n, m in enumerate(MARKS)]
    with pytest.raises(Unsure) as asked:
        read(sheet(tmp_path, *rows("call_id,human_1,human_2,gpt4_judge", cells)))
    assert asked.value.ways[0].people == {"human": ("human_1", "human_2")}


def test_places_of_projects_by_judges(tmp_path):
    order = np.argsort(MARKS, axis=0, kind="stable").argsort(axis=0) + 1
    path = sheet(
        tmp_path, *rows("Project,Rank - Mrs Lee,Rank - Mr Ortiz", ((f"p{n}", *m[:2]) for n, m in enumerate(order)))
    )
    assert len(q.rank(path).systems) == N


def test_who_cannot_decide_says_a_tie(tmp_path):
    said = ("Left", "Right", "Can't decide")
    cells = [("x", "y", said[m[0] % 3]) for m in MARKS]
    votes = read(sheet(tmp_path, *rows("Left model,Right model,Choice", cells)))
    assert (votes.outcome == TIE).sum() == sum(m[0] % 3 == 2 for m in MARKS)
