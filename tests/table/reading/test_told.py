"""What names and labels tell: people by initials, rows that check who judged, sides of votes in columns, marks."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.table.reading.test_forms import book, levels, read
from tests.table.reading.test_sheet import MARKS, N, rows, sheet

import quorate as q
from quorate.cli import main
from quorate.errors import InvalidData, InvalidInput
from quorate.table.reading.reading import Unsure


@pytest.mark.parametrize(
    "names", [("M. Duval", "K. Ito", "S.-A. Hartmann"), ("Judge O\u2019Connor", "Judge Patel", "Judge Ng")]
)
def test_initials_and_apostrophes_are_of_people(tmp_path, names):
    table = read(sheet(tmp_path, *rows("Wine," + ",".join(names), [(f"wine {n}", *MARKS[n]) for n in range(N)])))
    assert levels(table) == {"item": N, "judge": 3}


def test_rows_that_check_who_judged_are_left_out(tmp_path):
    """As the marks of WMT's Appraise, whose items of the type BAD were spoilt on purpose."""
    head = "UserID,SystemID,SegmentID,Type,Score,DocID"
    real = [
        (f"u{n % 3}", system, n, "TGT", 10 * MARKS[n, j], f"d{n % 4}")
        for n in range(N)
        for j, system in enumerate("xy")
    ]
    spoilt = [(f"u{n % 3}", "x", n, "BAD", 1, f"d{n % 4}") for n in range(6)]
    found = q.compare(sheet(tmp_path, *rows(head, real + spoilt)), "x", "y")
    assert found.difference.estimate.value == pytest.approx(10 * (MARKS[:, 0] - MARKS[:, 1]).mean(), abs=1)


def test_what_was_shown_first_is_not_who_won(tmp_path):
    cells = [(f"q{n}", *("uv" if n % 2 else "vu"), ("left", "right")[n % 3 % 2], 1 + n % 2) for n in range(N)]
    with pytest.raises(Unsure, match="choice holds 1 and 2, and no name says which side is which"):
        read(sheet(tmp_path, *rows("query_id,left_model,right_model,first_shown,choice", cells)))


def test_winners_in_columns_of_judges_may_be_spelled_in_several_ways(tmp_path):
    said = ("Variant A", "variant-a", "Variant B", "variant b", "tie")
    cells = [(n, *(said[(n + at * (n % 2)) % 5] for at in range(3))) for n in range(N)]
    votes = read(sheet(tmp_path, *rows("prompt_no,winner_dana,winner_priya,winner_tom", cells)))
    assert (votes.models, len(votes.facet("judge").levels)) == (("Variant A", "Variant B"), 3)
    assert (votes.n, votes.n_decisive) == (
        3 * N,
        3 * N - sum((n + at * (n % 2)) % 5 == 4 for n in range(N) for at in range(3)),
    )


def test_the_number_of_a_row_is_not_what_two_judges_each_met(tmp_path):
    cells = [
        (1 + n + N * j, f"p{n}", who, *MARKS[(n + j) % N][:2])
        for j, who in enumerate(("Ana", "Luis"))
        for n in range(N)
    ]
    means = ["TOTAL", "", "", 2 * MARKS[:, 0].sum(), 2 * MARKS[:, 1].sum()]
    head = ["Nº", "Producto", "Evaluador", "Puntuación Gemini", "Puntuación Llama"]
    book(tmp_path / "fichas.xlsx", {"Hoja 1": [head, *map(list, cells), means]})
    found = q.compare(tmp_path / "fichas.xlsx")
    assert found.difference.shared_items == N


def test_a_language_is_not_what_was_judged(tmp_path):
    cells = [(("en", "de")[n % 2], "vw"[at], MARKS[n, at]) for n in range(N) for at in range(2)]
    found = q.compare(sheet(tmp_path, *rows("Language,Engine,Score", cells)), "v", "w")
    assert found.difference.estimate.value == pytest.approx((MARKS[:, 0] - MARKS[:, 1]).mean())


def test_who_told_a_story_is_compared_beside_criteria(tmp_path):
    names = ("plot", "dialogue", "pacing")
    cells = [
        (f"s{n}", who, name, MARKS[(n + j * at) % N, at] + j, "critic")
        for n in range(N)
        for j, who in enumerate(("bard", "fabula"))
        for at, name in enumerate(names)
    ]
    found = q.compare(
        sheet(tmp_path, *rows("scene_id,storyteller,criterion,points,judge_model", cells)), "fabula", "bard"
    )
    assert found.difference.estimate.value == pytest.approx(1)


def test_school_marks_are_asked_about_and_a_few_odd_topics_are_left_out(tmp_path):
    head = "Anfrage-Nr;Thema;Modell;Prüfer/in;{}"
    cells = [
        (f"BA-{n}", "Kfz" if (n, j, at) == (3, 1, 1) else "Pass", model, f"Fr. {who}", 1 + MARKS[n, at] % 5)
        for n in range(N)
        for j, model in enumerate(("alt", "neu"))
        for at, who in enumerate(("Brandt", "Klee"))
    ]
    with pytest.raises(Unsure, match="in Germany and Austria 1 is the best mark"):
        q.compare(sheet(tmp_path, *rows(head.format("Schulnote"), cells, ";")))
    table = read(sheet(tmp_path, *rows(head.format("Punkte"), cells, ";")))
    assert levels(table) == {"item": N, "judge": 2, "system": 2}


def test_one_system_asked_in_several_ways_is_compared_by_prompts(tmp_path):
    cells = [
        (f"q{n}", "gpt-4o", prompt, MARKS[n, at]) for n in range(N) for at, prompt in enumerate(("v1.txt", "v2.txt"))
    ]
    found = q.compare(sheet(tmp_path, *rows("item,system,prompt,score", cells)), "v1.txt", "v2.txt")
    assert found.difference.estimate.value == pytest.approx((MARKS[:, 0] - MARKS[:, 1]).mean())


def test_two_options_with_texts_of_their_own_are_whose_answers_they_are(tmp_path):
    """In tasks of Prodigy; options whose texts are always the same are labels."""

    def tasks(text):
        return [
            {"text": f"say {n}", "options": [{"id": one, "text": text(one, n)} for one in ("opus", "gpt")]}
            | {"_input_hash": n, "_task_hash": n, "_annotator_id": "ana", "answer": "accept"}
            | {"accept": [("opus", "gpt", "gpt")[n % 3]]}
            for n in range(N)
        ]

    path = tmp_path / "tasks.jsonl"
    path.write_text("\n".join(map(json.dumps, tasks(lambda one, n: f"{one} says {n}"))))
    votes = read(path)
    assert (votes.models, votes.wins("gpt", "opus")) == (("gpt", "opus"), 2 * N // 3)
    path.write_text("\n".join(map(json.dumps, tasks(lambda one, _: one.title()))))
    assert read(path, label="gpt").mean.mean() == pytest.approx(np.mean([n % 3 > 0 for n in range(N)]))


def test_answers_beside_the_scores_of_two_models_are_no_outcome(tmp_path):
    cells = [(n, f"asked {n}", f"old says {n}", f"new says {n}", *MARKS[n][:2]) for n in range(N)]
    table = read(sheet(tmp_path, *rows("idx,question,base_answer,ft_answer,base_score,ft_score", cells)))
    assert (levels(table), table.facet("system").levels) == ({"item": N, "system": 2}, ("base", "ft"))


def test_criteria_of_plans(tmp_path):
    cells = [(f"LP{n}", who, *MARKS[(n + j) % N]) for n in range(N) for j, who in enumerate(("Chalk", "Mentor"))]
    table = read(sheet(tmp_path, *rows("lesson_plan,assistant,alignment,engagement,feasibility", cells)))
    assert levels(table) == {"item": N, "system": 2, "criterion": 3}


def test_models_are_known_in_other_spellings_and_no_sides_by_their_numbers(tmp_path):
    pairs = (("Model-1.5", "Model-2.0"), ("Model-2.0", "Model-3.1"))
    cells = [(*pairs[n % 2], ("model 2.0", "MODEL_2.0", "Tie")[n % 3]) for n in range(N)]
    votes = read(sheet(tmp_path, *rows("model_a,model_b,winner", cells)))
    ties = len(range(2, N, 3))
    assert (votes.n_decisive, votes.n) == (N - ties, N)
    assert votes.wins("Model-2.0", "Model-1.5") + votes.wins("Model-2.0", "Model-3.1") == N - ties
    with pytest.raises(InvalidData, match=r'"model 1.5" in row 2 names neither model'):
        read(sheet(tmp_path, *rows("model_a,model_b,winner", [(*pair, "model 1.5") for pair in pairs * 6])))


def test_short_labels_in_other_capitals_are_one(tmp_path):
    cells = [(n, ("v1", "v2", "V1", "V2")[n % 4], MARKS[n, 0]) for n in range(N)]
    found = q.compare(sheet(tmp_path, *rows("call,version,score", cells)))
    assert {found.a, found.b} == {"v1", "v2"}


@pytest.mark.parametrize("name", ["record_id", "run_uuid"])
def test_what_all_were_asked_pairs_systems_whose_records_are_their_own(tmp_path, name):
    head = f"{name},app_version,input,output,relevance"
    cells = [
        (f"r{n}{at}", "vw"[at], f"asked {n}", f"{at} says {n}", MARKS[n, at] / 9) for n in range(N) for at in range(2)
    ]
    found = q.compare(sheet(tmp_path, *rows(head, cells)), "v", "w")
    assert (found.difference.method, found.difference.shared_items) == ("paired", N)


def test_a_hit_of_one_system_is_no_item(tmp_path):
    head = "HITId,WorkerId,AssignmentStatus,Input.article_id,Input.system,Answer.quality"
    cells = [
        (f"h{n}{at}", f"w{n % 3}", "Approved", f"a{n}", "vw"[at], MARKS[n, at]) for n in range(N) for at in range(2)
    ]
    assert levels(read(sheet(tmp_path, *rows(head, cells))))["item"] == N


def test_two_files_of_a_tool_that_names_no_system_are_compared(tmp_path):
    head = "user_input,retrieved_contexts,response,reference,answer_correctness"
    for at, name in enumerate(("small", "large")):
        cells = [(f"asked {n}", "['c']", "said", "right", MARKS[n, at] / 10) for n in range(N)]
        sheet(tmp_path, *rows(head, cells), name=f"{name}.csv")
    found = q.compare([tmp_path / "small.csv", tmp_path / "large.csv"], "large", "small")
    assert found.difference.estimate.value == pytest.approx((MARKS[:, 1] - MARKS[:, 0]).mean() / 10)


def test_marked_parts_of_texts_and_priorities_are_no_judgments(tmp_path):
    spans = [
        {"text": f"t {n}", "entities": [{"label": "LOC", "start_offset": n, "end_offset": n + 3}]} for n in range(N)
    ]
    path = tmp_path / "spans.jsonl"
    path.write_text("\n".join(map(json.dumps, spans)))
    with pytest.raises(Unsure, match="every row is a part of a text, from start_offset to end_offset"):
        read(path)
    words = ("Low", "Medium", "High")
    cells = [(f"K-{n}", words[MARKS[n, 0] % 3], 2 + MARKS[n, 1] % 5) for n in range(N)]
    with pytest.raises(InvalidInput, match="perhaps Priority is one"):
        read(sheet(tmp_path, *rows("Key,Priority,Story Points", cells)))


def test_sums_of_counted_wins_are_left_out(tmp_path):
    cells = [(f"room {n}", *MARKS[n], MARKS[n].sum()) for n in range(N)]
    whole = ("Total", *MARKS.sum(axis=0), MARKS.sum())
    votes = read(sheet(tmp_path, *rows("room_type,decora_wins,havn_wins,draws,votes", [*cells, whole])))
    assert (votes.n, votes.wins("decora", "havn")) == (MARKS.sum(), MARKS[:, 0].sum())


def test_votes_have_who_judged_and_what_was_asked_under_other_names(tmp_path):
    said = ("Prompt v3", "prompt v4", "Prompt v4", "unentschieden")
    cells = [(f"A-{n}", said[MARKS[n, at] % 4], who) for n in range(N) for at, who in enumerate(("Klee", "Nolde"))]
    votes = read(sheet(tmp_path, *rows("Artikel-ID,Besser,Redakteur/in", cells)))
    assert (votes.models, votes.n) == (("Prompt v3", "Prompt v4"), 2 * N)
    assert [len(votes.facet(name).levels) for name in ("prompt", "judge")] == [N, 2]


def test_systems_and_judges_in_names_joined_by_two_strokes(tmp_path):
    heads = [f"{system}__{judge}_judge" for system in ("Lumen", "ParaBot") for judge in ("gpt", "gemini")]
    cells = [(f"t{n}", *MARKS[n], MARKS[(n + 1) % N, 0]) for n in range(N)]
    found = q.compare(sheet(tmp_path, *rows(",".join(["text_id", *heads]), cells)), "Lumen", "ParaBot")
    wanted = MARKS[:, :2].mean(axis=1) - (MARKS[:, 2] + np.roll(MARKS[:, 0], -1)) / 2
    assert found.difference.estimate.value == pytest.approx(wanted.mean())


def test_letters_are_no_measures_and_classes_no_items(tmp_path):
    with pytest.raises(Unsure) as asked:
        read(sheet(tmp_path, *rows("dialog,x,y", [(f"d{n}", *MARKS[n][:2]) for n in range(N)])))
    assert not asked.value.measures
    cells = [(f"6e{'AB'[n % 2]}", *MARKS[n]) for n in range(N)]
    table = read(sheet(tmp_path, *rows("classe,correcteur_1,correcteur_2,correcteur_3", cells)))
    assert levels(table) == {"item": N, "judge": 3}


def test_models_in_records_are_compared_unasked(tmp_path):
    calls = [
        {"inputs": {"example": {"id": n}, "model": model}, "output": {"scores": {"passed": bool(MARKS[n, at] % 2)}}}
        for n in range(N)
        for at, model in enumerate(("a-1", "b-2"))
    ]
    path = tmp_path / "calls.json"
    path.write_text(json.dumps(calls))
    assert levels(read(path)) == {"item": N, "system": 2}


def test_parts_that_are_judged_are_read(tmp_path):
    cells = [(f"c{n}", n, n + 3, MARKS[n, 0]) for n in range(N)]
    assert levels(read(sheet(tmp_path, *rows("clip_id,start,end,rating", cells))))["item"] == N


def test_without_a_judge_several_columns_of_winners_are_of_one_each(tmp_path):
    cells = [(n, "x", "y", *("xy"[MARKS[n, at] % 2] for at in range(2))) for n in range(N)]
    path = sheet(tmp_path, *rows("prompt,model_a,model_b,first,second", cells))
    votes = q.read_votes(path, winner=["first", "second"], judge="", announce=False)
    assert votes.facet("prompt").levels == tuple(map(str, range(N)))


@pytest.mark.parametrize("verb", [q.compare, q.analyze])
def test_every_route_pairs_what_all_were_asked(tmp_path, verb):
    cells = [(f"r{n}{at}", "vw"[at], f"asked {n}", MARKS[n, at] / 9) for n in range(N) for at in range(2)]
    found = verb(sheet(tmp_path, *rows("record_id,model,input,relevance", cells)))
    assert f"{N} paired items" in found.sentence


def test_places_may_be_shared(tmp_path):
    ranked = ((2, 2, 4, 1), (1, 3, 4, 2), (1, 1, 3, 4), (2, 1, 4, 3))
    path = sheet(tmp_path, *rows("id,DeepL,Acme,Nord,Sol", [(n, *ranked[n % 4]) for n in range(N)]))
    assert [row["system"] for row in q.rank(path).rows()][-1] == "Nord"
    scored = sheet(tmp_path, *rows("id,DeepL,Acme,Nord,Sol", [(n, *np.roll(MARKS[n % 7], n), 4) for n in range(N)]))
    with pytest.raises(Unsure, match="hold scores on one scale"):
        read(scored)


def test_columns_beside_their_mean_are_of_who_judged_and_asked_about(tmp_path):
    cells = [(f"wine {n}", *MARKS[n], round(MARKS[n].mean(), 2)) for n in range(N)]
    with pytest.raises(Unsure, match="their names do not say"):
        q.rank(sheet(tmp_path, *rows("Wine,Ferrari,Conti,Greco,Media", cells)))


@pytest.mark.parametrize("own", [False, True])
def test_files_on_two_scales_are_not_compared(tmp_path, own):
    paths = []
    for name in ("mon", "tue"):
        paths.append(tmp_path / f"{name}.csv")
        marks = MARKS[:, 0] if name == "mon" else MARKS[:, 0] / 10
        lines = [f"{name if own else ''}{n},{mark}" for n, mark in enumerate(marks)]
        paths[-1].write_text("\n".join(["uid,score", *lines]))
    with pytest.raises(Unsure, match="two scales") as asked:
        q.compare(paths)
    assert not asked.value.ways


def test_what_files_share_is_judged_whatever_it_is_called(tmp_path):
    paths = []
    for at, name in enumerate(("prompt_v7", "prompt_v8")):
        paths.append(tmp_path / f"{name}.jsonl")
        lines = [
            json.dumps({"inputs": {"query": f"asked {n}"}, "groundedness": int(m[at])}) for n, m in enumerate(MARKS)
        ]
        paths[-1].write_text("\n".join(lines))
    assert f"{N} paired items" in q.compare(paths).sentence


def test_the_number_of_a_question_tells_apart_what_its_text_does_not(tmp_path):
    cells = [(n, f"asked {n // 2}", system, MARKS[n, at]) for at, system in enumerate(("a", "b")) for n in range(N)]
    found = q.compare(sheet(tmp_path, *rows("Question no.,Question,model,Rating", cells)))
    assert f"{N} paired items" in found.sentence


def test_a_constant_column_is_not_what_is_judged(tmp_path):
    cells = [(f"skater {n // 3}", "SP", f"e{n}", *MARKS[n]) for n in range(N)]
    table = read(sheet(tmp_path, *rows("Skater,Segment,Element,J1,J2,J3", cells)))
    assert levels(table)["judge"] == 3
    assert levels(table)["item"] > 1


def test_a_variant_beside_the_prompt_of_a_judge_is_compared(tmp_path):
    cells = [
        (f"c{n}", variant, who, template, MARKS[n, at])
        for n in range(N)
        for at, variant in enumerate(("prod", "next"))
        for who in ("x", "y")
        for template in ("short", "long")
    ]
    table = read(sheet(tmp_path, *rows("conversation,variant,judge,prompt_template,score", cells)))
    assert levels(table) == {"item": N, "judge": 2, "prompt": 2, "system": 2}


def test_two_columns_of_the_same_models_are_asked_about(tmp_path):
    models = ("gpt-4o", "gemini-1.5")
    cells = [(n, x, y, MARKS[n, at]) for n in range(N) for x in models for at, y in enumerate(models)]
    with pytest.raises(Unsure, match="llm_x and llm_y"):
        read(sheet(tmp_path, *rows("sample,llm_x,llm_y,score", cells)))


def test_records_of_scores_cross_whatever_stands_beside_them(tmp_path):
    parts = ("faithfulness", "relevance")
    found = [
        {
            "id": f"q{n}",
            "retrieved": int(m[2]),
            "scores": {
                one: {part: int(m[at + k]) for at, part in enumerate(parts)} for k, one in enumerate(("v1", "v2"))
            },
        }
        for n, m in enumerate(MARKS)
    ]
    path = tmp_path / "found.json"
    path.write_text(json.dumps(found))
    found = q.compare(path)
    assert ({found.a, found.b}, f"{N} paired items" in found.sentence) == ({"v1", "v2"}, True)


def test_words_in_the_name_of_a_model_are_no_measures(tmp_path):
    names = [f"{model}_{judge}" for model in ("qwen-max", "glm-4") for judge in ("gpt4o", "gemini")]
    with pytest.raises(Unsure, match="cross qwen-max and glm-4 with gpt4o and gemini"):
        read(sheet(tmp_path, *rows("case_id," + ",".join(names), [(n, *m, m[0]) for n, m in enumerate(MARKS)])))


def test_a_version_of_the_suite_beside_columns_of_what_passed_is_not_all_that_is_asked(tmp_path):
    cells = [(f"t{n}", f"v1.{n % 2}", n % 2, n % 3 % 2) for n in range(N)]
    with pytest.raises(Unsure, match="passed_main and passed_next"):
        q.compare(sheet(tmp_path, *rows("test_case,suite_version,passed_main,passed_next", cells)))


def test_winners_by_criteria_are_measures_of_their_own(tmp_path):
    cells = [(n, "x", "y", f"r{n % 3}", *("xy"[MARKS[n, at] % 2] for at in range(3))) for n in range(N)]
    head = "prompt_id,model_1,model_2,annotator,fluency_winner,accuracy_winner,culture_winner"
    assert len(q.rank(sheet(tmp_path, *rows(head, cells))).measures) == 3


def test_where_scores_are_asked_for_votes_are_said_to_be_such(tmp_path, capsys):
    cells = [(n, f"said {n}", f"also {n}", *("AB"[MARKS[n, at] % 2] for at in range(2))) for n in range(N)]
    path = sheet(tmp_path, *rows("idx,response_A,response_B,gpt4_winner,claude_winner", cells))
    assert main(["judges", str(path)]) == 1
    assert "scores are asked for, and this file holds votes" in capsys.readouterr().err


def test_ratings_without_a_turn_are_a_table_like_others(tmp_path):
    lines = [
        {"question_id": n, "model": model, "judge": "j", "judgment": f"well {n}", "score": int(MARKS[n, at])}
        for n in range(N)
        for at, model in enumerate(("a", "b"))
    ]
    path = tmp_path / "ratings.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    assert levels(read(path)) == {"item": N, "judge": 1, "system": 2}


@pytest.mark.parametrize(
    ("head", "names"), [("first,second,winner,annotator", 1), ("left_tool,right_tool,expert1_winner,expert2_winner", 2)]
)
def test_sides_that_never_change_are_of_two_systems(tmp_path, head, names):
    said = ("model a", "Model B", "tie") if names == 1 else ("Model-A", "Model B", "tie")
    cells = [(f"q{n}", "Model-A", "Model B", said[n % 3], said[n % 2] if names > 1 else f"r{n % 4}") for n in range(N)]
    votes = read(sheet(tmp_path, *rows(f"query_id,{head}", cells)))
    assert (votes.models, votes.n) == (("Model B", "Model-A"), names * N)


def test_tries_beside_their_mean_are_tries(tmp_path):
    cells = [(n, f"P{at}", *(m := 10 * MARKS[(n + at) % N]), round(m.mean(), 1)) for n in range(N) for at in (1, 2)]
    table = read(sheet(tmp_path, *rows("case_id,model,run 1,run 2,run 3,avg", cells)))
    assert (table.n_cells, table.n_answers) == (2 * N, 6 * N)


def test_a_trimmed_mean_of_judges_is_none(tmp_path):
    marks = np.random.default_rng(5).integers(20, 40, (N, 5)) / 4
    trimmed = np.sort(marks)[:, 1:-1].mean(axis=1).round(2)
    cells = [(f"s{n}", *m, t) for n, (m, t) in enumerate(zip(marks, trimmed, strict=True))]
    table = read(sheet(tmp_path, *rows("Skater,J1,J2,J3,J4,J5,Panel", cells)))
    assert levels(table)["judge"] == 5


def test_who_may_have_judged_is_offered_as_what_is_compared(tmp_path):
    cells = [(f"e{n}", tutor, *m) for n, m in enumerate(MARKS) for tutor in ("Owl", "Mate")]
    with pytest.raises(Unsure, match="no name says what is compared") as asked:
        q.compare(sheet(tmp_path, *rows("exercise,tutor,correctness,clarity,tone", cells)))
    assert asked.value.ways[0].options["facets"]["system"] == "tutor"


def test_votes_by_thumbs_are_scores(tmp_path):
    cells = [
        (f"m{n}", draft, f"r{n % 3}", "\U0001f44d\U0001f44e"[(n + k) % 3 % 2])
        for n in range(N)
        for k, draft in enumerate("xy")
    ]
    assert levels(read(sheet(tmp_path, *rows("Message,Draft,Reviewer,Vote", cells))))["judge"] == 3


def test_successes_in_lists_are_tries(tmp_path):
    path = tmp_path / "runs.csv"
    lines = [f'c{n},{agent},"[1, 0, {(n + k) % 2}]"' for n in range(N) for k, agent in enumerate("xy")]
    path.write_text("\n".join(["challenge,agent,successes", *lines]))
    assert read(path).n_answers == 6 * N


def test_blanks_within_labels_tell_none_apart(tmp_path):
    said = ("3+3", "3 + 3", "3+4", "4+ 4")
    cells = [(n, *(said[(n + at) % 4] for at in range(3))) for n in range(N)]
    table = read(
        sheet(tmp_path, *rows("slide_id,Dr. Mehta,Dr. Okafor,Dr. Ng", cells)),
        wide={"judge": ("Dr. Mehta", "Dr. Okafor", "Dr. Ng")},
        labels=True,
    )
    assert len(table.labels) == 3


def test_keys_within_keys_are_items_and_systems(tmp_path):
    path = tmp_path / "results.json"
    cells = {
        f"t{n}": {a: {"resolved": bool(m[k] % 2), "steps": int(m[2])} for k, a in enumerate("uv")}
        for n, m in enumerate(MARKS)
    }
    path.write_text(json.dumps({"results": cells}))
    assert f"{N} paired items" in q.compare(path).sentence


def test_several_winners_beside_an_id_and_its_question_are_asked_about(tmp_path):
    cells = [(f"t{n}", f"asked {n}", *("vw" if n % 2 else "wv"), *("AB"[m % 2] for m in MARKS[n])) for n in range(N)]
    head = "item_id,question,system_a,system_b,gpt4_winner,claude_winner,human_winner"
    with pytest.raises(Unsure, match="gpt4_winner says who won") as asked:
        q.rank(sheet(tmp_path, *rows(head, cells)))
    assert asked.value.ways[0].verb == "judges"


@pytest.mark.parametrize(
    ("item", "system", "judge", "score"),
    [("对话编号", "模型", "评审员", "得分"), ("رقم المقال", "النظام", "المقيّم", "الدرجة")],
)
def test_words_without_blanks_and_letters_from_the_right(tmp_path, item, system, judge, score):
    cells = [
        (n, s, j, MARKS[(n + k) % N, at]) for n in range(N) for at, s in enumerate("xy") for k, j in enumerate("uvw")
    ]
    table = read(sheet(tmp_path, *rows(f"{item},{system},{judge},{score}", cells)))
    assert levels(table) == {"item": N, "judge": 3, "system": 2}


def test_answers_of_a_form_are_not_what_is_compared(tmp_path):
    said = ("slow", "fine", "no")
    cells = [(f"R_{n}", *MARKS[n], said[n % 3]) for n in range(N)]
    with pytest.raises(Unsure) as asked:
        q.compare(sheet(tmp_path, *rows("ResponseId,Q5_1,Q5_2,Q5_3,Q9", cells)))
    assert asked.value.ways[-1].options["wide"]["system"] == ("Q5_1", "Q5_2", "Q5_3")


def test_short_labels_in_other_capitals_are_the_same_words(tmp_path):
    said = ("no", "NO", "yes", "unsure")
    cells = [(f"c{n}", f"w{j}", said[(n + j * (n % 2)) % 4]) for n in range(N) for j in range(3)]
    table = read(sheet(tmp_path, *rows("comment_id,worker_id,is_toxic", cells)))
    assert table.labels == ("no", "unsure", "yes")


def test_judges_takes_the_one_column_that_tells_reviews_apart(tmp_path, capsys):
    cells = [(n * 3 + j, f"s{n}", f"P{(n + j) % 5}", MARKS[n, j] - 6) for n in range(N) for j in range(3)]
    path = sheet(tmp_path, *rows("#,submission #,member name,total score", cells))
    main(["judges", str(path)])
    said = capsys.readouterr()
    assert "member name taken for who judged" in said.err
    assert "judge = member name" in " ".join(said.out.split())


def test_a_pipeline_beside_the_metrics_of_ragas_is_compared(tmp_path):
    cells = [
        (f"asked {n}", f"said {n}", p, MARKS[n, at] / 9, MARKS[n, 2] / 9) for n in range(N) for at, p in enumerate("uv")
    ]
    head = "user_input,response,pipeline,faithfulness,answer_relevancy"
    assert len(q.compare(sheet(tmp_path, *rows(head, cells))).measures) == 2


def test_a_trial_that_an_id_names_in_words_is_what_was_heard(tmp_path):
    cells = [
        (f"p{j}@example.org", f"trial_{'abc'[n]}", codec, MARKS[(n + j) % N, at])
        for j in range(6)
        for n in range(3)
        for at, codec in enumerate(("ref", "low"))
    ]
    table = read(sheet(tmp_path, *rows("email,trial_id,rating_stimulus,rating_score", cells)))
    assert levels(table) == {"item": 3, "judge": 6, "system": 2}


def test_subjects_of_pupils_are_no_judges(tmp_path):
    path = sheet(tmp_path, *rows("student,Arithmetic,Biology,History", [(f"s{n}", *MARKS[n]) for n in range(N)]))
    assert main(["judges", str(path)]) == 1


def test_systems_by_how_many_parameters_they_have(tmp_path):
    path = sheet(tmp_path, *rows("task,Codewright-7B,Codewright-34B", [(f"t{n}", *MARKS[n, :2] % 2) for n in range(N)]))
    assert f"{N} paired items" in q.compare(path).sentence or "both score the same" in q.compare(path).sentence


def test_measures_in_rows_are_of_what_comes_back(tmp_path):
    cells = [
        (f"r{n}{k}", f"trace{n}", name, "xy"[n % 2], MARKS[n, k])
        for n in range(N)
        for k, name in enumerate(("helpfulness", "tone"))
    ]
    table = read(sheet(tmp_path, *rows("id,traceId,name,release,value", cells)))
    assert levels(table)["item"] == N


def test_a_ranking_that_nobody_sent_in_is_none(tmp_path):
    ranked = ((1, 2, 3), (2, 1, 3), (3, 2, 1))
    cells = [(f"P{n}", *(ranked[n % 3] if n != 5 else ("", "", ""))) for n in range(N)]
    votes = read(sheet(tmp_path, *rows("Panelist,Rank Wren,Rank Aurora,Rank Birch", cells)))
    assert votes.models == ("Aurora", "Birch", "Wren")


def test_one_criterion_among_winners_is_enough_to_ask(tmp_path):
    cells = [(f"s{n}", *("uvt"[m % 3] for m in MARKS[n])) for n in range(N)]
    cells = [(one, *({"u": "Nova", "v": "Lingua", "t": "tie"}[w] for w in said)) for one, *said in cells]
    with pytest.raises(Unsure, match="say which is better"):
        q.compare(sheet(tmp_path, *rows("segment,winner_fluency,winner_x,winner_y", cells)))
