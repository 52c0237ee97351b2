"""Tables of every kind that people have: read right without a word, or asked about, and never read wrong."""

from __future__ import annotations

from itertools import product

import polars as pl
import pytest
from sheets import N, crossed, mark, rows, sheet, write

import quorate as q
from quorate.errors import InvalidInput
from quorate.table.judgments import Judgments
from quorate.table.reading.reading import complete

DOMAINS, MODELS = ("law", "news", "chat"), ("GPT_4", "Aya23", "Claude_3", "Llama3")
RIGHT = {
    "all passed": (rows("q,correct", *(f"{i},1" for i in range(N))), {"item": "row number"}),
    "tries": (
        rows("task,attempt,passed", *(f"t{i},{k},{mark(i, k) % 2}" for i in range(9) for k in range(1, 7))),
        {"item": "task"},
    ),
    "scores that could not be read": (
        rows(
            "case,judge,score",
            *(f"c{i // 3},j{i % 3},{'ERROR: no JSON in reply' if i % 8 == 3 else mark(i)}" for i in range(N)),
        ),
        {"item": "case", "judge": "judge"},
    ),
    "a sample that was drawn twice": (
        rows("model,sample_id,score,age_group", *(f"m,s{i % 99},{mark(i)},a{i % 3}" for i in range(100))),
        {"item": "sample_id", "system": "model"},
    ),
    "a flag among stars": (
        rows(
            "case_id,accuracy_score,safety_score,depth_of_tone_score,hallucination_flag",
            *(f"c{i},{mark(i)},{mark(i, 1)},{mark(i, 2)},{i % 2}" for i in range(N)),
        ),
        {"item": "case_id", "criterion": "criterion"},
    ),
    # one row for each item
    "answers that come back, beside those that were wanted": (
        rows(
            "id,input,target,response,score", *(f"{i},t{i} is long,w{i % 9},w{i % 7},{mark(i) % 2}" for i in range(N))
        ),
        {"item": "id"},
    ),
    "no hallucination is a criterion, and no number": (
        rows("case,no_hallucination,fluency", *(f"c{i},{mark(i)},{mark(i, 1)}" for i in range(N))),
        {"item": "case", "criterion": "criterion"},
    ),
    "id": (rows("id,score", *(f"{i},{mark(i)}" for i in range(N))), {"item": "id"}),
    "session and model": (
        rows("session_id,model,score", *(f"s{i},m{i % 2},{mark(i)}" for i in range(N))),
        {"item": "session_id", "system": "model"},
    ),
    "once each": (
        rows("output_id,rater_id,rating", *(f"o{i},r{i % 3},{mark(i)}" for i in range(N))),
        {"item": "output_id", "judge": "rater_id"},
    ),
    "question and answer": (
        rows("id,prompt,response,judge,score", *(f"{i},p{i} is long,r{i},j{i % 2},{mark(i)}" for i in range(N))),
        {"item": "id", "judge": "judge"},
    ),
    "question without id": (
        rows("prompt,response,judge,score", *(f"p{i // 2},r{i},j{i % 2},{mark(i)}" for i in range(N))),
        {"item": "prompt", "judge": "judge"},
    ),
    "passed": (
        rows("id,model,passed", *(f"{i // 2},m{i % 2},{mark(i) % 2}" for i in range(N))),
        {"item": "id", "system": "model"},
    ),
    "is_correct": (rows("id,is_correct", *(f"{i},{bool(mark(i) % 2)}" for i in range(N))), {"item": "id"}),
    "no id": (rows("score", *(f"{mark(i)}" for i in range(N))), {"item": "row number"}),
    "no id but texts": (
        rows("question_text,answer_text,grade", *(f"what {i}?,that {i},{mark(i)}" for i in range(N))),
        {"item": "answer_text"},
    ),
    "an expert's label": (
        rows("item,score,expert", *(f"{i},{mark(i)},{mark(i, 1)}" for i in range(N))),
        {"item": "item"},
    ),
    # a column for each judge
    "raters": (sheet(["rater1", "rater2", "rater3"], head="patient"), {"item": "patient", "judge": "judge"}),
    "raters alone": (sheet(["Rater A", "Rater B"], head=""), {"item": "row number", "judge": "judge"}),
    "raters of students": (sheet(["grader_1", "grader_2"], head="student"), {"item": "student", "judge": "judge"}),
    "one who says the same": (
        sheet(["rater1", "rater2", "rater3"], value=lambda i, j: 3 if j == 2 else mark(i, j)),
        {"item": "id", "judge": "judge"},
    ),
    "a system that always passes": (
        sheet(["model_1", "model_2", "model_3"], head="task", value=lambda i, j: 1 if j == 1 else mark(i, j) % 2),
        {"item": "task", "system": "system"},
    ),
    "scores of raters": (sheet(["score_rater1", "score_rater2"]), {"item": "id", "judge": "judge"}),
    "words of raters": (
        sheet(["annotator1", "annotator2"], value=lambda i, j: ["spam", "ham", "promo"][mark(i, j) % 3]),
        {"item": "id", "judge": "judge"},
    ),
    "broken numbers": (
        sheet(["rater1", "rater2"], head="", value=lambda i, j: mark(i, j) + i / 100),
        {"item": "row number", "judge": "judge"},
    ),
    "criteria": (
        sheet(["helpfulness", "clarity", "tone"], head="output_id"),
        {"item": "output_id", "criterion": "criterion"},
    ),
    "criteria by judges": (
        rows("id,judge,clarity,tone", *(f"{i // 2},j{i % 2},{mark(i)},{mark(i, 1)}" for i in range(2 * N))),
        {"item": "id", "judge": "judge", "criterion": "criterion"},
    ),
    "survey": (sheet(["q1", "q2", "q3"], head="respondent_id"), {"judge": "respondent_id", "item": "item"}),
    "systems": (
        sheet(["model_a_score", "model_b_score"], head="task_id", value=lambda i, j: mark(i, j) % 2),
        {"item": "task_id", "system": "system"},
    ),
    "average beside": (
        rows(
            "id,rater1,rater2,average", *(f"{i},{mark(i)},{mark(i, 1)},{(mark(i) + mark(i, 1)) / 2}" for i in range(N))
        ),
        {"item": "id", "judge": "judge"},
    ),
    "rater_mean beside": (
        rows(
            "id,rater_1,rater_2,rater_mean",
            *(f"{i},{mark(i)},{mark(i, 1)},{(mark(i) + mark(i, 1)) / 2}" for i in range(N)),
        ),
        {"item": "id", "judge": "judge"},
    ),
    # several judgments in a row
    "counts": (
        rows("Subject,red,green,blue", *(f"{i},{i % 3},{2 - i % 3},4" for i in range(N))),
        {"item": "Subject"},
    ),
    "counts of stars": (
        rows("film_id,1,2,3,4,5", *(f"{i},{i % 3},{2 - i % 3},4,{i % 2},{1 - i % 2}" for i in range(N))),
        {"item": "film_id"},
    ),
    "counts by their names": (
        rows("id,n_safe,n_unsafe", *(f"{i},{mark(i)},{mark(i, 1)}" for i in range(N))),
        {"item": "id"},
    ),
    "counts in rows": (
        rows("item,label,count", *(f"{i // 2},{'yn'[i % 2]},{mark(i)}" for i in range(2 * N))),
        {"item": "item"},
    ),
    "cross table": (
        rows("rater1,low,mid,high", "low,10,3,1", "mid,2,11,4", "high,1,3,12"),
        {"item": "row number", "judge": "judge"},
    ),
    "cross table in rows": (
        rows("human,model,n", *(f"{a},{b},{mark(i)}" for i, (a, b) in enumerate(product("xyz", "xyz")))),
        {"item": "row number", "judge": "judge"},
    ),
    "lists with names": (
        rows("id,annotators,ratings", *(f'{i},"[""a{i % 3}"", ""b""]","[{mark(i)}, {mark(i, 1)}]"' for i in range(N))),
        {"item": "id", "judge": "annotators"},
    ),
    "lists of judges": (
        rows("id,judge_scores", *(f"{i},{mark(i)};{mark(i, 1)};{mark(i, 2)}" for i in range(N))),
        {"item": "id", "judge": "judge"},
    ),
    "lists of tries": (
        rows("id,judge,scores", *(f'{i // 2},j{i % 2},"({mark(i)}, {mark(i, 1)})"' for i in range(2 * N))),
        {"item": "id", "judge": "judge"},
    ),
    "lists of labels": (
        rows("id,annotator_labels", *(f"{i},\"['a{mark(i)}', 'a1', 'a1']\"" for i in range(N))),
        {"item": "id", "judge": "judge"},
    ),
    "labels of tries": (
        rows(
            "prompt_id,trial_verdicts,flips",
            *(f"{i},A|{'AB'[mark(i) % 2]}|tie|{'AB'[i % 2]},{mark(i)}" for i in range(N)),
        ),
        {"item": "prompt_id"},
    ),
    # who judged, when
    "occasions": (
        crossed(["subject", "rater", "time", "score"], 3, 2),
        {"item": "subject", "judge": "rater", "time": "time"},
    ),
    # two sides
    "old and new": (sheet(["old", "new"]), {"item": "id", "system": "system"}),
    "a baseline and a candidate": (
        sheet(["baseline", "candidate"], head="question_id", value=lambda *places: mark(*places) % 2),
        {"item": "question_id", "system": "system"},
    ),
    "broken scores of two arms": (
        sheet(["control_score", "treatment_score"], value=lambda *places: 0.13 * mark(*places)),
        {"item": "id", "system": "system"},
    ),
    "models by judges": (
        sheet(["gpt_judge1", "gpt_judge2", "claude_judge1", "claude_judge2"]),
        {"item": "id", "judge": "judge", "system": "system"},
    ),
    "tries of agents": (
        rows(
            "scenario,agent,trial,reward",
            *(f"s{i},{k},{t},{mark(i, t) % 2}" for i in range(N) for k in "gh" for t in range(3)),
        ),
        {"item": "scenario", "system": "agent"},
    ),
    "answers of people": (
        crossed(["participant", "stimulus", "response"], 6),
        {"item": "stimulus", "judge": "participant"},
    ),
    "nobody named": (rows("subject,rating", *(f"s{i // 3},{mark(i)}" for i in range(N * 3))), {"item": "subject"}),
}
JUDGES = (
    *("RaterID", "AnnotatorID", "reviewer", "expert", "user_id", "participant", "respondent", "llm_judge"),
    *("model_judge", "scorer", "critic", "grader_model", "judge_model", "Rater ID", "raterName", "evaluator_name"),
    *("annotator_id", "coder", "labeler", "worker_id", "assessor", "examiner", "marker", "observer", "eval_model"),
    *("judging_model", "rated_by", "evaluator_model", "judge_llm", "referee", "panelist", "Annotator No."),
)
VOTES = {
    "places": rows(
        "ballot,system,rank",
        *(f"b{i},{'ABC'[(i + j) % 3 if i % 4 else j]},{j + 1}" for i in range(N) for j in range(3)),
    ),
    "places of what was chosen": rows(
        "voter,candidate,place",
        *(f"v{i},{'ABC'[(i + j) % 3 if i % 2 else j]},{j + 1}" for i in range(N) for j in range(3)),
    ),
    "shared places": rows(
        "judge,system,rank",
        *(f"j{i},{'ABC'[j]},{([1, 2, 2], [1, 1, 3], [3, 1, 2])[i % 3][j]}" for i in range(N) for j in range(3)),
    ),
    "places of two columns together": rows(
        "prompt_id,judge,system,rank",
        *(f"p{i},{k},{'ABC'[(i + j) % 3]},{j + 1}" for i in range(N) for k in "gh" for j in range(3)),
    ),
    "lists of systems, the best first": rows(
        "query,annotator,best_to_worst",
        *(
            f"q{i},{k},{' > '.join(('xyz', 'yxz', 'zyx')[mark(i, j) % 3])}"
            for i in range(N)
            for j, k in enumerate("gh")
        ),
    ),
    "words for no difference": rows(
        "utt,listener,system_left,system_right,preference",
        *(f"u{i},l{i % 3},x,y,{['left', 'right', 'no difference'][mark(i) % 3]}" for i in range(N)),
    ),
    "words of another language": rows(
        "id_articolo,annotatore,sistema_1,sistema_2,preferito",
        *(f"{i},{'ab'[i % 2]},x,y,{['primo', 'secondo', 'pari'][mark(i) % 3]}" for i in range(N)),
    ),
    "a share for each side": rows(
        "model_0,model_1,label_0,label_1",
        *(f"{'xyz'[i % 3]},{'yzx'[i % 3]},{('1.0,0.0', '0.0,1.0', '0.5,0.5')[mark(i) % 3]}" for i in range(N)),
    ),
    "how much better the left is": rows(
        "left_system,right_system,score(+2=left much better)", *(f"x,y,{mark(i) - 3}" for i in range(N))
    ),
    "a place for each": sheet(["rank_gpt", "rank_llama", "rank_qwen"], value=lambda i, j: 1 + (i + j) % 3),
    "a place for each, and none wins": sheet(
        ["rank_x", "rank_y", "rank_z"], value=lambda i, j: (1 + i % 2, 2 - i % 2, 3)[j]
    ),
    "wins": rows("model_a,model_b,wins_a,wins_b,ties", "x,y,423,487,78"),
    "wins of short names": rows("a,b,a_wins,b_wins,draws", "x,y,40,30,5", "x,z,44,20,6", "y,z,33,31,1"),
    "wins by number": rows("system_1,system_2,wins_1,wins_2,ties", "x,y,40,30,5"),
    "who won and who lost": rows("prompt,winner,loser", *(f"p{i},{'xyz'[i % 3]},{'yzx'[i % 3]}" for i in range(N))),
    "chosen": rows("id,chosen,rejected", *(f"{i},{'xyz'[i % 3]},{'zxy'[i % 3]}" for i in range(N))),
    "models of answers": rows(
        "question_id,judge,answer_a_model,answer_b_model,verdict",
        *(f"q{i},{j},x,y,{'ABC'[mark(i) % 3]}" for i in range(N) for j in "gh"),
    ),
    "model_a_wins": rows("model_a,model_b,model_a_wins,model_b_wins", "x,y,23,47", "x,z,3,4", "y,z,8,9"),
    "model1, model2, tie": rows(
        "id,model1,model2,winner", *(f"{i},x,y,{['model1', 'model2', 'tie'][mark(i) % 3]}" for i in range(N))
    ),
    "three winners": rows(
        "model_a,model_b,winner_1,winner_2,winner_3",
        *(f"x,y,{','.join(['a', 'b', 'tie'][mark(i, j) % 3] for j in range(3))}" for i in range(N)),
    ),
}
ASKED = {
    "numbers and a word": (
        rows("case,judge,score", *(f"c{i // 3},j{i % 3},{'pending' if i % 8 == 3 else mark(i)}" for i in range(N))),
        r'score holds numbers, and "pending" in other rows; it may be meant as: .*missing=',
    ),
    "who won, and of whom": (
        rows("id,judge,winner", *(f"q{i // 3},j{i % 3},{'xyz'[i * 7 // 3 % 3]}" for i in range(N))),
        "winner says which of two is better, and no columns name the two",
    ),
    "counts of other things": (
        rows("row_id,run_n,n_calls,predicted_n", *(f"r{i},{1 + i % 5},{i % 2},{i % 3}" for i in range(N))),
        "may be meant",
    ),
    "scores of two arms": (
        rows(
            "question_id,baseline_score,optimized_score,winner",
            *(f"q{i},{20 + i % 9},{70 + i % 11},optimized" for i in range(N)),
        ),
        r"wide={\"system\": \(\"baseline_score\", \"optimized_score\"\)}",
    ),
    "nothing judged yet": (
        rows("id,question,answer,correctness,faithfulness", *(f"{i},q{i},a{i}," + "," for i in range(N))),
        "correctness and faithfulness are empty: nothing is judged yet",
    ),
    "nothing judged, with its time": (
        rows("test_id,prompt,response,duration_ms", *(f"t{i},p{i % 9},r{i},{100 + 7 * i}" for i in range(N))),
        "no column looks like a judgment",
    ),
    "averages of systems": (
        rows("variant,n_judged,accuracy,fluency", "base,50,1.36,2.98", "rag,50,1.3,3.06", "both,50,1.32,2.94"),
        "every row is another variant: perhaps averages of n_judged judgments each",
    ),
    "a figure for each domain and model": (
        rows("file,bleu_scores", *(f"{d}_{m},{len(d) + 3.7 * len(m)}" for d, m in product(DOMAINS, MODELS))),
        "every row is another file: perhaps averages",
    ),
    "averages of sets": (
        rows("benchmark,score", *(f"b{i},{mark(i) / 7:.3f}" for i in range(9))),
        "every row is another benchmark: perhaps averages",
    ),
    "statistics": (
        rows("measure,name,value", *(f"m{i},{name},{mark(i)}" for i in range(9) for name in ("x Mean", "x Std"))),
        "name names statistics",
    ),
    "one row": (rows(",pass@1,pass@5", "0,0.51,0.69"), "there is one row"),
    "numbers of columns": (
        rows("list,at_1,at_2,at_3,at_4", *(f"{i % 7},1,2,3,4" for i in range(N))),
        "may be meant|no column looks",
    ),
    "coders of what no one column says": (
        rows(
            "paper,attribute,Coder1Text,Coder2Text",
            *(f"p{i // 9},a{i % 9},{mark(i) % 2},{mark(i, 1) % 2}" for i in range(N)),
        ),
        "judges by their names, and no one column says",
    ),
    "sure of a label, beside gold": (
        rows(
            "item_id,parsed_label,confidence,gold_label",
            *(f"{i},{'AB'[i % 2]},0.{5 + i % 5},{'AB'[i % 3 % 2]}" for i in range(N)),
        ),
        "gold_label is what people said by name, parsed_label what (a judge|judges) did",
    ),
    "found, wanted and a number": (
        rows(
            "scenario,method,expected,detected,risk",
            *(f"s{i // 3},m{i % 3},{i % 2 == 0},{i % 5 == 0},{i * 1.5}" for i in range(N)),
        ),
        "expected and detected hold scores on one scale",
    ),
    "names that say nothing": (sheet(["a", "b", "c"]), "their names do not say what they are"),
    "models or judges": (sheet(["gpt-4o", "claude-3"]), "do not say what they are"),
    "questions by models": (
        rows("run,q1,q2,q3", "gpt-4,4,2,5", "claude,5,3,5", "llama,2,4,1", "qwen,3,3,4"),
        r'"q3"\)}, facets={"system": "run"}, recognise=True \(questions that systems answered\)',
    ),
    "a rater and another": (sheet(["rater1", "rater2", "gpt"]), "rater1 and rater2 are what people said .*, gpt what"),
    "systems by annotators": (sheet(["gpt4", "llama"], head="annotator"), "do not say what they are"),
    "models by names": (
        sheet(["gpt_red", "gpt_blue", "claude_red", "claude_blue"]),
        r"columns cross gpt and claude with red and blue.*system\*judge.*judge\*system",
    ),
    "names once": (
        rows("system,item,score", *(f"{f's{i // 8}' if i % 8 == 1 else ''},i{i % 8},{mark(i)}" for i in range(N))),
        "system is empty in 21 of 24 rows",
    ),
    "parts of a hundred": (
        rows("Subject,red,green,blue", *(f"{i},{i % 3},{40 - i % 3},60" for i in range(N))),
        "add up to 100 in every row|no column looks like",
    ),
    "two rows with one sum by chance": (
        rows("key,q0,q1,q2,q3", "gpt,5,3,4,2", "claude,3,5,2,4"),
        "do not say what they are",
    ),
    "zeros and ones with one sum": (
        rows("key,q0,q1,q2,q3", *(f"k{i},{','.join(str(int((j - i) % 4 < 2)) for j in range(4))}" for i in range(N))),
        "do not say what they are",
    ),
    "lists of whom": (
        rows("id,rating", *(f'{i},"[{mark(i)}, {mark(i, 1)}]"' for i in range(N))),
        "every entry is a judgment; it may be meant as: .*judge.* or .*replicate",
    ),
    "lists of several lengths": (
        rows("id,rater_scores", *(f"{i},{mark(i)};{mark(i, 1)}{f';{mark(i, 2)}' * (i % 2)}" for i in range(N))),
        "every entry is a judgment",
    ),
    "tags": (rows("id,labels", *(f'{i},"[""a{i % 3}"", ""b{i % 5}""]"' for i in range(N))), "is no number|labels|word"),
    "two answers and a code": (
        rows("prompt,response_a,response_b,label", *(f"p{i},a{i},b{i},{mark(i) % 3}" for i in range(N))),
        "which of the two is better",
    ),
    "scores of both sides": (
        rows("id,model_a,model_b,score_a,score_b", *(f"{i},x,y,{mark(i)},{mark(i, 1)}" for i in range(N))),
        "score_a and score_b hold the scores of model_a and model_b; give each a row",
    ),
    "systems in order": (
        rows("voter,x,y,z", *(f"v{i},{','.join('ABC'[(i + j) % 3] for j in range(3))}" for i in range(N))),
        "perhaps rankings; it may be meant as: .*from the best to the worst",
    ),
    "documents of queries": (
        rows(
            "query_id,doc_id,assessor,relevance",
            *(f"q{i},d{j},{k},{mark(i, j)}" for i in range(N) for j in range(4) for k in "gh"),
        ),
        "no name says that doc_id is what is judged",
    ),
    "nothing judged": (
        rows("user_id,text,gender,age", *(f"u{i % 7},text {i},{'fm'[i % 2]},{20 + i}" for i in range(N))),
        "no column looks like a judgment",
    ),
    "no header": (rows(*(f"{mark(i)},{mark(i, 1)},{mark(i, 2)}" for i in range(N))), "values, not names"),
    "people and a judge": (
        rows("id,judge_passed,human_passed", *(f"{i},{mark(i) % 2},{mark(i, 1) % 2}" for i in range(N))),
        "human_passed is what people said by name",
    ),
    "two people and a judge": (
        rows("id,annotator_1,annotator_2,llm", *(f"{i},{mark(i)},{mark(i, 1)},{mark(i, 2)}" for i in range(N))),
        "annotator_1 and annotator_2 are what people said",
    ),
    "two scores": (
        rows("id,quality,rating_of_tone", *(f"{i},{mark(i)},{mark(i, 1)}" for i in range(N))),
        "may each be the score|do not say what they are",
    ),
    "measures of other things": (
        rows("id,height,weight", *(f"{i},{150 + 2 * mark(i)},{60 + 3 * mark(i, 1)}" for i in range(N))),
        "no name says|do not say|may each be|looks like a judgment",
    ),
    "no header, and three columns": (
        rows(*(f"i{i},{j},{mark(i, at)}" for i in range(N) for at, j in enumerate(("gpt", "claude")))),
        r"no name says what column2 is; .*column2 says what was judged.*column2 says who judged",
    ),
    "sides and codes": (
        rows("left,right,res", *(f"t{i % 4},t{(i + 1 + i // 4 % 3) % 4},{mark(i) % 2}" for i in range(N))),
        "res",
    ),
}

RIGHT, VOTES, ASKED = (
    {name: (list(one[0]), one[1]) if isinstance(one, tuple) else list(one) for name, one in kinds.items()}
    for kinds in (RIGHT, VOTES, ASKED)
)


@pytest.mark.parametrize("name", RIGHT)
def test_kinds_that_leave_one_reading(tmp_path, name):
    lines, roles = RIGHT[name]
    table = q.read(write(tmp_path, lines), announce=False)
    assert isinstance(table, Judgments)
    found = {facet.name: facet.column for facet in table.facets}
    assert found == roles
    if name == "a system that always passes":
        assert table.n_levels("system") == 3


@pytest.mark.parametrize("judge", JUDGES)
def test_judges_under_other_names(judge):
    table = pl.read_csv("\n".join(crossed(["item_id", judge, "score"], 3)).encode())
    assert q.read(table, announce=False).facet("judge").column == judge


@pytest.mark.parametrize("name", VOTES)
def test_votes(tmp_path, name):
    assert q.read(write(tmp_path, VOTES[name]), announce=False).n_decisive > 0


def test_the_first_place_is_the_best(tmp_path):
    for name in ("a place for each, and none wins", "places of what was chosen"):
        votes = q.read(write(tmp_path, VOTES[name]), announce=False)
        first, last = votes.models[0], votes.models[-1]
        assert votes.wins(first, last) > votes.wins(last, first), name
    votes = q.read(write(tmp_path, VOTES["who won and who lost"]), announce=False)
    assert (votes.wins("x", "y"), votes.wins("y", "x")) == (N // 3, 0)


@pytest.mark.parametrize("name", ASKED)
def test_kinds_that_leave_several_readings(tmp_path, name):
    lines, words = ASKED[name]
    with pytest.raises(InvalidInput, match=words):
        q.read(write(tmp_path, lines), announce=False)


@pytest.mark.parametrize("name", ASKED)
def test_every_way_that_is_offered_answers_the_question(tmp_path, name):
    path = write(tmp_path, ASKED[name][0])
    with pytest.raises(InvalidInput) as caught:
        q.read(path, announce=False)
    for way in getattr(caught.value, "ways", ()):
        assert way.options
        q.read(path, **complete(way.options), announce=False)


def test_counts_stand_for_as_many_judgments(tmp_path):
    lines, _ = RIGHT["counts of stars"]
    table = q.read(write(tmp_path, lines), announce=False)
    assert (table.n_answers, table.low.min(), table.high.max()) == (7 * N, 1, 5)
    lines, _ = RIGHT["cross table"]
    table = q.read(write(tmp_path, lines), announce=False)
    assert (table.n_answers, table.labels) == (94, ("high", "low", "mid"))
    assert (
        q.read(
            pl.DataFrame({"item": ["a", "b"], "score": [1, 2], "n": [2, 3]}), facets={"item": "item", "count": "n"}
        ).n_answers
        == 5
    )
