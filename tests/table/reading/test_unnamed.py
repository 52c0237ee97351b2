"""Sides that no column names, places that columns name, shares of what was tried, and repeats in lists."""

from __future__ import annotations

import json

import polars as pl
import pytest

import quorate as q
from quorate.cli import main
from quorate.errors import InvalidInput, UnknownColumn
from quorate.table.judgments import Judgments
from quorate.table.reading.reading import Unsure
from quorate.table.votes import Votes

N = 30
ASKED = [f"Tell me about thing number {n}, and in which way it is like the others?" for n in range(N)]
ONE, OTHER = ([f"This is what {who} answered to question {n}, which is long." for n in range(N)] for who in "xy")
WON = ["A", "A", "B", "tie", "A", "B"] * (N // 6)
"""Fifteen for the first, ten for the second, five ties."""


def named(first, second, tie="tie"):
    return [{"A": first, "B": second, "tie": tie}[one] for one in WON]


def beside(one, other, column, outcome):
    return {"prompt": ASKED, one: ONE, other: OTHER, column: outcome}


def share(votes, first, second):
    assert isinstance(votes, Votes)
    assert set(votes.models) == {first, second}
    return votes.wins(first, second), votes.wins(second, first), votes.n


@pytest.mark.parametrize(
    ("columns", "sides"),
    [
        (beside("response_a", "response_b", "preference", WON), ("response_a", "response_b")),
        (beside("response_b", "response_a", "preference", WON), ("response_a", "response_b")),
        (beside("current_answer", "candidate_answer", "preferred", WON), ("current", "candidate")),
        (beside("gpt4_answer", "llama_answer", "winner", named("gpt4", "llama")), ("gpt4", "llama")),
        (beside("gpt4_answer", "llama_answer", "choice", named("GPT4", "Llama")), ("GPT4", "Llama")),
        (
            beside(
                "Response 1",
                "Response 2",
                "Which is better?",
                named("Response 1 is better", "Response 2 is better", "about the same"),
            ),
            ("Response 1", "Response 2"),
        ),
        (beside("answer1", "answer2", "choice", named(1, 2, 3)), ("answer1", "answer2")),
        (beside("output_0", "output_1", "label", named(0, 1, 2)), ("output_0", "output_1")),
        ({"item": ASKED, "winner": named("gpt-4o", "claude-3")}, ("gpt-4o", "claude-3")),
        ({"item": ASKED, "preference": named("A", "B", "Tie")}, ("A", "B")),
        (
            {**beside("response_a", "response_b", "overall_preference", WON), "helpfulness_preference": WON[::-1]},
            ("response_a", "response_b"),
        ),
    ],
)
def test_sides_that_no_column_names(tmp_path, columns, sides):
    frame = pl.DataFrame(columns)
    assert share(q.read(frame, announce=False), *sides) == (15, 10, N)
    path = tmp_path / "votes.csv"
    frame.write_csv(path)
    assert share(q.read(path, announce=False), *sides) == (15, 10, N)
    if sides[0][-1:].lower() in ("a", "1", "0"):  # letters name no systems
        with pytest.raises(Unsure, match="are sides, and no systems by their names"):
            q.rank(path)
    else:
        assert {row["system"] for row in q.rank(path).rows()} == {*sides}


def test_whose_the_first_side_is_is_said(tmp_path, capsys):
    path = tmp_path / "votes.csv"
    pl.DataFrame(beside("current_answer", "candidate_answer", "preferred", WON)).write_csv(path)
    assert main(["analyze", str(path), "--no-report"]) in (0, 2)
    assert "current and candidate are compared, which no column names, current the first" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("columns", "asked"),
    [
        # a code of nought, one and two is another in each tool
        (beside("response 1", "response 2", "label", named(1, 2, 0)), "holds 0, 1 and 2: perhaps which of the two"),
        (beside("response 1", "response 2", "label", named(0, 1, 0)), "holds 0 and 1: perhaps which of the two"),
        (
            beside("response_1", "response_2", "preference_strength", named(2, -1, -2)),
            "holds -2, -1 and 2",
        ),
        # a verdict on an answer beside the right one is none between the two
        (beside("reference_answer", "model_answer", "verdict", named("A", "B", "C")), "verdict"),
        ({"item": ASKED, "verdict": named("A", "B", "B")}, "verdict"),
    ],
)
def test_what_may_be_no_side_is_asked(columns, asked):
    frame = pl.DataFrame(columns)
    with pytest.raises(Unsure, match=asked) as found:
        q.read(frame, announce=False)
    for way in found.value.ways:
        q.read(frame, announce=False, recognise=True, **way.options)


def test_a_model_that_no_column_names_is_said_behind_a_colon():
    frame = pl.DataFrame({"prompt": ASKED, "vote": WON})
    votes = q.read_votes(frame, model_a=":new", model_b=":old", winner="vote", announce=False)
    assert share(votes, "new", "old") == (15, 10, N)
    assert "model_a is new in every row" in votes.notes
    held = q.read_votes(frame.with_columns(pl.lit("x").alias(":new")), model_a=":new", model_b=":old", winner="vote")
    assert set(held.models) == {"x", "old"}  # a column of that name is meant


ORDER = [("gpt", "yi", "llama"), ("yi", "gpt", "llama"), ("gpt", "llama", "yi")] * (N // 3)


@pytest.mark.parametrize(
    "names",
    [("1st choice", "2nd choice", "3rd choice"), ("first", "second", "third"), ("rank_1", "rank_2", "rank_3")],
)
def test_columns_that_name_who_has_which_place(tmp_path, names):
    columns = dict(zip(names, zip(*ORDER, strict=True), strict=True))
    frame = pl.DataFrame({"voter": [f"v{n}" for n in range(N)], **{name: list(columns[name]) for name in names[::-1]}})
    votes = q.read(frame, announce=False)
    assert (votes.wins("gpt", "yi"), votes.wins("yi", "gpt"), votes.wins("llama", "gpt")) == (20, 10, 0)
    path = tmp_path / "ballots.csv"
    frame.write_csv(path)
    assert q.read(path, announce=False).wins("gpt", "yi") == 20
    with pytest.raises(UnknownColumn, match="fourth"):
        q.read_votes(frame, rank=f"{names[0]}>fourth", announce=False)


RIGHT = [n * n % 5 for n in range(2 * N)]


@pytest.mark.parametrize(
    ("right", "tried"),
    [("n_resolved", "n_runs"), ("keywords_correct", "keywords_total"), ("num_correct", "num_samples")],
)
def test_successes_of_so_many_are_a_share(tmp_path, right, tried):
    of = [4 + n % 3 for n in range(2 * N)]
    frame = pl.DataFrame({"task_id": [f"Set/{n}" for n in range(2 * N)], right: RIGHT, tried: of})
    path = tmp_path / "runs.csv"
    frame.write_csv(path)
    wanted = sum(one / all_ for one, all_ in zip(RIGHT, of, strict=True)) / (2 * N)
    for source in (frame, path):
        table = q.read(source, announce=False)
        assert isinstance(table, Judgments)
        assert table.mean.mean() == pytest.approx(wanted)
    assert q.analyze(path).estimate.value == pytest.approx(wanted)
    asked = q.read(frame, score=f"{right}/{tried}", facets={"item": "task_id"}, announce=False)
    assert asked.mean.mean() == pytest.approx(wanted)
    with pytest.raises(UnknownColumn, match="of_all"):
        q.read(frame, score=f"{right}/of_all", facets={"item": "task_id"}, announce=False)


def test_a_count_above_what_was_tried_is_no_share():
    frame = pl.DataFrame({"task_id": [*range(N)], "n_correct": [5 + n % 4 for n in range(N)], "n_runs": [4] * N})
    with pytest.raises(Unsure) as found:
        q.read(frame, announce=False)
    assert all("/" not in way.options.get("score", "") for way in found.value.ways)


def test_nothing_tried_is_no_score():
    frame = pl.DataFrame({"item": ["x", "y", "z"], "passed": [2, 0, 1], "total": [4, 0, 2]})
    table = q.read(frame.lazy().collect(), score="passed/total", facets={"item": "item"}, announce=False)
    assert table.n_answers == 2


@pytest.mark.parametrize("sizes", [(3, 3), (2, 3)])
def test_lists_of_scores_that_nobody_is_named_for_are_repeats(sizes):
    cells = [str([1 + (n * 7 + at) % 5 for at in range(sizes[n % 2])]) for n in range(N)]
    table = q.read(pl.DataFrame({"task_id": [f"t{n}" for n in range(N)], "scores": cells}), announce=False)
    assert table.n_answers == sum(sizes) * N // 2
    assert table.names == ("item",)


def test_labels_of_coders_in_rows():
    words = ("good", "bad", "fair")
    units = {f"unit{n}": [words[(n * n + at // 2) % 3] for at in range(4)] for n in range(12)}
    table = q.read(pl.DataFrame({"coder": ["ann", "bob", "cem", "dan"], **units}), announce=False)
    assert {facet.name: len(facet.levels) for facet in table.facets} == {"item": 12, "judge": 4}
    assert table.labels == ("bad", "fair", "good")


def test_the_command_that_is_offered_for_people_beside_a_judge_works():
    said = [n % 2 for n in range(N)]
    columns = {"id": [*range(N)], "human_1": said, "human_2": said[::-1], "llm_judge": said}
    with pytest.raises(Unsure, match="what people said") as found:
        q.read(pl.DataFrame(columns), announce=False)
    table = q.read(pl.DataFrame(columns), announce=False, recognise=True, **found.value.ways[0].options)
    assert table.facet("judge").levels == ("human_1", "human_2", "llm_judge")


def facets_of(columns, **options):
    table = q.read(pl.DataFrame(columns), announce=False, **options)
    return {facet.name: facet.column for facet in table.facets} | {"score": table.score}


PEOPLE = ("Anna", "Bob", "Chen")
MARK = [1 + (n * n + n // 5) % 5 for n in range(3 * N)]
TEXT = [f"A text that is longer than any label would be, number {n}." for n in range(3 * N)]


@pytest.mark.parametrize(
    ("columns", "roles"),
    [
        # given names say who judged, as columns and as labels, but not of whom the rows are questions
        (
            {"Soup": [f"s{n}" for n in range(N)], **{name: MARK[at : N + at] for at, name in enumerate(PEOPLE)}},
            {"item": "Soup", "judge": "judge", "score": "score"},
        ),
        (
            {"soup": [f"s{n // 3}" for n in range(3 * N)], "by": [*PEOPLE] * N, "points": MARK},
            {"item": "soup", "judge": "by", "score": "points"},
        ),
        # the id of a file of a system, and not the text that comes back in it
        (
            {
                "id": [*range(N)] * 2,
                "question": [f"why {n % 28}" for n in range(N)] * 2,
                "model": ["x"] * N + ["y"] * N,
                "score": MARK[: 2 * N],
            },
            {"item": "id", "system": "model", "score": "score"},
        ),
        # what a judge answered holds the score, which a name for where items come from does not
        (
            {
                "doc_id": [*range(3 * N)],
                "raw": [f"I see it so. Rating: [[{mark}]]" for mark in MARK],
                "rating": MARK,
                "repo": [f"r{n % 4}" for n in range(3 * N)],
            },
            {"item": "doc_id", "score": "rating"},
        ),
        # what each of what is judged has one of
        (
            {
                "routine": [f"FX-{n // 3}" for n in range(3 * N)],
                "apparatus": [f"a{n // 3 % 4}" for n in range(3 * N)],
                "scorer": ["x", "y", "z"] * N,
                "e_score": MARK,
            },
            {"item": "routine", "judge": "scorer", "score": "e_score"},
        ),
        # labels, whoever gave them
        ({"text": TEXT, "label": ["safe", "unsafe", "safe"] * N}, {"item": "text", "score": "label"}),
    ],
)
def test_roles_that_labels_and_rows_say(columns, roles):
    assert facets_of(columns) == roles


def test_people_who_answer_are_no_judges():
    columns = {"question": [f"q{n}" for n in range(N)], **{name: MARK[at : N + at] for at, name in enumerate(PEOPLE)}}
    with pytest.raises(Unsure, match="their names do not say what they are"):
        q.read(pl.DataFrame(columns), announce=False)


def test_no_label_of_where_something_comes_from():
    columns = {"url": TEXT, "language": ["en", "fr", "en"] * N, "split": ["train", "test", "train"] * N}
    with pytest.raises(InvalidInput, match="no column looks like a judgment"):
        q.read(pl.DataFrame(columns), announce=False)


def test_no_judgment_of_what_was_measured():
    bmi = [20 + n * 37 % 170 / 10 for n in range(N)]
    columns = {"patient_id": [f"P{n}" for n in range(N)], "age": [20 + n for n in range(N)], "bmi": bmi}
    with pytest.raises(Unsure, match=r"no column looks like a judgment: .* bmi is one, .* broken numbers from"):
        q.read(pl.DataFrame(columns), announce=False)


def test_a_judge_beside_people_who_chose_among_the_same_words_is_asked():
    words = ["safe", "unsafe", "safe"] * N
    columns = {"dialog_id": [*range(3 * N)], "annotator_a": words, "annotator_b": words[::-1], "llm_judge": words}
    with pytest.raises(
        Unsure, match="annotator_a and annotator_b are what people said by name, llm_judge what"
    ) as found:
        q.read(pl.DataFrame(columns), announce=False)
    for way in found.value.ways:
        q.read(pl.DataFrame(columns), announce=False, recognise=True, **way.options)


def write(path, lines):
    path.write_text("\n".join(lines) + "\n")
    return path


def test_names_that_stand_once_for_the_rows_below(tmp_path):
    def lines(down):
        yield "System,utt,Listener 1,Listener 2"
        for n in range(N):
            name = f"sys{n // 10}"
            yield f"{name if down or n % 10 == 0 else ''},u{n},{MARK[n]},{MARK[n + 1]}"

    sparse, whole = (q.read(write(tmp_path / f"{down}.csv", lines(down)), announce=False) for down in (False, True))
    assert sparse.facet("system").levels == whole.facet("system").levels == ("sys0", "sys1", "sys2")
    assert q.rank(sparse).rows() == q.rank(whole).rows()
    frame = pl.read_csv(tmp_path / "False.csv")
    assert q.read(frame, announce=False).facet("system").levels == ("sys0", "sys1", "sys2")
    with pytest.raises(UnknownColumn, match="Vendor"):
        q.read(tmp_path / "False.csv", facets={"system": "Vendor..", "item": "utt"}, wide={"judge": ["Listener*"]})


def test_columns_that_cross_models_with_judges_behind_the_word(tmp_path):
    names = [f"{model}__judge_{judge}" for model in ("llama3-8b", "qwen2-7b") for judge in ("gpt4", "sonnet")]
    columns = {"prompt_id": [*range(N)], **{name: MARK[at : N + at] for at, name in enumerate(names)}}
    path = tmp_path / "wide.csv"
    pl.DataFrame(columns).write_csv(path)
    table = q.read_first(path, compared=True)[0] if hasattr(q, "read_first") else q.rank(path).judgments
    assert table.facet("judge").levels == ("judge_gpt4", "judge_sonnet")


def test_a_grid_of_a_form_has_what_stands_in_brackets_as_levels(tmp_path):
    names = [f"Rank the three (1 = best) [{name}]" for name in ("DeepL", "Google", "NLLB")]
    order = [(1, 2, 3), (2, 1, 3), (1, 3, 2)]
    lines = [f"2024/05/{1 + n % 28:02} 8:{n:02},p{n}@example.org,{','.join(map(str, order[n % 3]))}" for n in range(N)]
    path = write(tmp_path / "form.csv", ["Timestamp,Email Address," + ",".join(names), *lines])
    votes = q.read(path, announce=False)
    assert set(votes.models) == {"DeepL", "Google", "NLLB"}
    assert votes.facet("cluster").column == "Email Address"
    assert set(q.read(pl.read_csv(path), announce=False).models) == {"DeepL", "Google", "NLLB"}


def test_who_asks_a_respondent_and_in_which_order(tmp_path):
    lines = ["respondent,product,serving_order,liking"]
    lines += [f"R{n // 3},{'ABC'[n % 3]},{1 + (n + n // 3) % 3},{MARK[n]}" for n in range(3 * N)]
    assert {row["system"] for row in q.rank(write(tmp_path / "taste.csv", lines)).rows()} == {"A", "B", "C"}


@pytest.mark.parametrize(
    ("lines", "n"),
    [
        ([f"Set/{n}\t{n * n % 2}" for n in range(N)], N),
        ([f"{MARK[n] / 10}" for n in range(N)], N),
        ([f"s{n // 3:03},{PEOPLE[n % 3].lower()},{MARK[n]}" for n in range(3 * N)], N),
        (["toxic\t" + TEXT[0], *(f"{'ok' if n % 3 else 'toxic'}\t{TEXT[n]}" for n in range(1, N))], 0),
    ],
)
def test_a_first_line_of_values_is_no_header(tmp_path, lines, n):
    path = write(tmp_path / ("table.tsv" if "\t" in lines[0] else "table.csv"), lines)
    if not n:
        with pytest.raises(Unsure, match="the first line holds values"):
            q.read(path, announce=False)
        return
    table = q.read(path, announce=False)
    assert (table.n_levels("item"), int(table.rows.sum())) == (n, len(lines))
    assert any("the first line holds values" in note for note in table.notes)


@pytest.mark.parametrize("name", ["rows.json", "rows.jsonl"])
@pytest.mark.parametrize("header", [False, True])
def test_arrays_of_json_are_rows(tmp_path, name, header):
    rows = [[f"flores-{n // 3:03}", ("nllb-3.3b", "madlad-10b", "opus-mt")[n % 3], MARK[n]] for n in range(3 * N)]
    rows = [["item", "model", "score"], *rows] if header else rows
    text = json.dumps(rows) if name == "rows.json" else "\n".join(map(json.dumps, rows))
    path = tmp_path / name
    path.write_text(text)
    assert {row["system"] for row in q.rank(path).rows()} == {"nllb-3.3b", "madlad-10b", "opus-mt"}


def test_titles_of_a_sheet_are_padded(tmp_path):
    table = ["Student,First marker,Second marker,,", *(f"s{n},{MARK[n]},{MARK[n + 1]},," for n in range(N))]
    path = write(tmp_path / "sheet.csv", ["Dissertations,,,,", ",,,,", *table])
    found = q.read(path, announce=False)
    assert (found.n_levels("item"), found.facet("judge").levels) == (N, ("First marker", "Second marker"))
    assert any("2 lines above the header" in note for note in found.notes)


@pytest.mark.parametrize(
    ("columns", "options"),
    [
        ({"prompt": ASKED, "vote": WON}, {"model_a": ":new", "model_b": ":old", "winner": "vote"}),
        ({"task": ASKED, "passed": [1] * N, "tried": [2] * N}, {"score": "passed/tried", "facets": {"item": "task"}}),
    ],
)
def test_what_is_kept_beside_a_file_may_be_made_of_its_columns(tmp_path, columns, options):
    path = tmp_path / "table.csv"
    pl.DataFrame(columns).write_csv(path)
    (tmp_path / ".quorate.yaml").write_text(json.dumps(options))
    table = q.read(path, announce=False)
    assert "as .quorate.yaml beside it says" in table.notes


@pytest.mark.parametrize(
    ("lines", "roles"),
    [
        # numbered columns of who judged by rows, names with what is said of them, questions and shares of names
        (
            ["coder," + ",".join(f"art_{n:02}" for n in range(9))]
            + [
                f"{who}," + ",".join(str(MARK[n + at]) for n in range(9))
                for at, who in enumerate(("Ines", "Tom", "Eva"))
            ],
            {"item": "item", "judge": "coder"},
        ),
        (
            ["Call,Sam (QA),Ivy (QA)", *(f"{7000 + n},{MARK[n] + 70},{MARK[n + 1] + 70}" for n in range(N))],
            {"item": "Call", "judge": "judge"},
        ),
        (
            ["Project,Judge Ana (Stripe),Judge Bo", *(f"p{n},{MARK[n]},{MARK[n + 1]}" for n in range(N))],
            {"item": "Project", "judge": "judge"},
        ),
        (
            ["conv,QA1,QA2,QA3", *(f"C{n},{MARK[n]},{MARK[n + 1]},{MARK[n + 2]}" for n in range(N))],
            {"item": "conv", "judge": "judge"},
        ),
        (
            ["slug,desk,OK to run?", *(f"s-{n},{'xyz'[n % 3]},{'yes' if MARK[n] > 2 else 'no'}" for n in range(N))],
            {"item": "slug"},
        ),
        (
            ["Your name,Which team are you scoring?,Overall score (1 = poor)"]
            + [f"{PEOPLE[n % 3]},team {n // 3},{MARK[n]}" for n in range(3 * N)],
            {"item": "Which team are you scoring?", "judge": "Your name"},
        ),
        (
            ["MRN_hash,Unit,reviewer_initials,overall"]
            + [f"{n * 7919:x}q,{('ICU', 'Ortho', '4 West')[n % 3]},{'abcde'[n % 5]},{MARK[n]}" for n in range(3 * N)],
            {"item": "MRN_hash", "judge": "reviewer_initials"},
        ),
        # a file without a header of who judged, what was judged and the score
        (
            [f"judge{n % 3:02},Team {'of' if n % 2 else 'by'} {n // 3},{MARK[n]}" for n in range(3 * N)],
            {"item": "column2", "judge": "column1"},
        ),
    ],
)
def test_how_people_call_columns(tmp_path, lines, roles):
    table = q.read(write(tmp_path / "table.csv", lines), announce=False)
    found = {facet.name: facet.column for facet in table.facets}
    assert {role: found.get(role) for role in ("item", "judge") if role in found} == roles


def test_duels_without_a_header(tmp_path):
    pairs = [("qwen", "llama"), ("llama", "gemma"), ("gemma", "qwen")]
    lines = [f"{a},{b},{(a, b, a, 'tie')[n % 4]}" for n in range(4 * N) for a, b in [pairs[n % 3]]]
    votes = q.read(write(tmp_path / "duels.csv", lines), announce=False)
    assert (set(votes.models), votes.n, votes.n_decisive) == ({"qwen", "llama", "gemma"}, 4 * N, 3 * N)


def test_preferences_that_are_counted(tmp_path):
    lines = ["topic,variant_1,variant_2,v1_preferred,v2_preferred,no_preference"]
    lines += [
        f"t{n // 3},{a},{b},{4 + n},{9 + n},2" for n, (a, b) in enumerate([("x", "y"), ("y", "z"), ("x", "z")] * 3)
    ]
    votes = q.read(write(tmp_path / "counts.csv", lines), announce=False)
    assert (set(votes.models), votes.n) == ({"x", "y", "z"}, sum(4 + n + 9 + n + 2 for n in range(9)))


def test_who_wrote_and_who_reviewed(tmp_path):
    lines = ["matter,drafted_by,reviewed_by,score /10"]
    lines += [f"M-{n // 6},{('Harker', 'LexDraft')[n % 2]},{'abc'[n // 2 % 3]},{MARK[n]}" for n in range(60)]
    assert {row["system"] for row in q.rank(write(tmp_path / "memos.csv", lines)).rows()} == {"Harker", "LexDraft"}


@pytest.mark.parametrize(
    ("lines", "roles"),
    [
        # ids before texts that come back by chance, answers that were given, groups, and who answered once
        (
            ["question_id,question,gold_answer,extracted_answer,is_correct"]
            + [f"g-{n},why {n % 25},{n * 37},{n * 37 + n % 2},{'true' if MARK[n] > 2 else 'false'}" for n in range(N)],
            {"item": "question_id", "score": "is_correct"},
        ),
        (
            ["ticket_id,customer_message,reply,judge_rating,judge_rating_norm"]
            + [
                f"Z-{n},late {n % 5},a reply of many words which was given to {n % 4},{MARK[n]},{(MARK[n] - 1) / 4}"
                for n in range(3 * N)
            ],
            {"item": "ticket_id", "score": "judge_rating"},
        ),
        (
            [
                "note_id,specialty,reviewer,quality",
                *(f"D-{n},{'xyz'[n % 3]},{'abcd'[n % 4]},{MARK[n]}" for n in range(N)),
            ],
            {"item": "note_id", "judge": "reviewer", "score": "quality"},
        ),
        (
            ["respondent_id,age_band,region,overall_satisfaction"]
            + [f"{700 + n},{'ab'[n % 2]},{'xyz'[n % 3]},{MARK[n]}" for n in range(3 * N)],
            {"item": "respondent_id", "score": "overall_satisfaction"},
        ),
        (
            ["Application,Panel member 1,Panel member 2", *(f"EP/{n},{MARK[n]},{MARK[n + 1]}" for n in range(N))],
            {"item": "Application", "judge": "judge", "score": "score"},
        ),
        (
            ["id,prediction,ground_truth,is_correct", *(f"{n},{n * 3},{n * 3 + n % 2},{1 - n % 2}" for n in range(N))],
            {"item": "id", "score": "is_correct"},
        ),
        (
            ["Student ID,Last name,First name,Grade"]
            + [f"{2000 + n},{'xyz'[n % 3]},{PEOPLE[n % 2]},{50 + n * 7 % 43}" for n in range(N)],
            {"item": "Student ID", "score": "Grade"},
        ),
        # labels of raters who are not named, and of a file without a header
        (
            ["tweet_id,stance", *(f"{17 + n // 3},{('for', 'against', 'neither')[MARK[n] % 3]}" for n in range(3 * N))],
            {"item": "tweet_id", "score": "stance"},
        ),
        (
            [f"coder_{'abc'[n % 3]},sent{n // 3},{('NEG', 'NEU', 'POS')[MARK[n] % 3]}" for n in range(3 * N)],
            {"item": "column2", "judge": "column1", "score": "column3"},
        ),
        (["PASS", *(("PASS", "FAIL")[MARK[n] > 2] for n in range(N))], {"item": "row number", "score": "column1"}),
    ],
)
def test_what_is_judged_and_what_was_said(tmp_path, lines, roles):
    table = q.read(write(tmp_path / "table.csv", lines), announce=False)
    found = {facet.name: facet.column for facet in table.facets} | {"score": table.score}
    assert {role: found.get(role) for role in ("item", "judge", "score") if role in found} == roles


@pytest.mark.parametrize(
    ("columns", "asked"),
    [
        ({"review_id": [*range(3 * N)], "text": TEXT, "label": [n % 3 for n in range(3 * N)]}, "codes of labels"),
        (
            {
                "task_id": [*range(3 * N)],
                "annotator": ["a", "b", "c"] * N,
                "reviewer": ["x", "y"] * (3 * N // 2),
                "quality_score": MARK,
            },
            "no name says what reviewer is",
        ),
        (
            {
                "Student": [f"s{n % 9}" for n in range(3 * N)],
                "Peer": [f"s{(n + 1 + n // 9 % 7) % 9}" for n in range(3 * N)],
                "Score": MARK,
            },
            "no name says who judged whom",
        ),
    ],
)
def test_codes_and_two_who_may_have_judged_are_asked(columns, asked):
    with pytest.raises(Unsure, match=asked) as found:
        q.read(pl.DataFrame(columns), announce=False)
    for way in found.value.ways:
        q.read(pl.DataFrame(columns), announce=False, recognise=True, **way.options)


def test_who_judged_behind_the_word_by(tmp_path):
    names = [f"{model}__judged_by_{judge}" for model in ("llama3-8b", "qwen2-7b") for judge in ("gpt-4o", "claude-3")]
    columns = {"prompt_id": [*range(N)], **{name: MARK[at : N + at] for at, name in enumerate(names)}}
    path = tmp_path / "wide.csv"
    pl.DataFrame(columns).write_csv(path)
    assert {row["system"] for row in q.rank(path).rows()} == {"llama3-8b", "qwen2-7b"}


def test_battles_without_a_header(tmp_path):
    pairs = [("qwen", "llama"), ("llama", "gemma"), ("gemma", "qwen")]
    won = ("model_a", "model_b", "tie", "model_a")
    lines = [f"b_{n:04},{','.join(pairs[n % 3])},{won[n % 4]}" for n in range(4 * N)]
    votes = q.read(write(tmp_path / "battles.csv", lines), announce=False)
    assert (set(votes.models), votes.n, votes.n_decisive) == ({"qwen", "llama", "gemma"}, 4 * N, 3 * N)


def test_what_a_row_is_does_not_depend_on_the_order_of_ids():
    columns = {"task_id": [f"i{n}" for n in range(N)], "uid": [1000 + n for n in range(N)]}
    columns |= {name: MARK[at : N + at] for at, name in enumerate(PEOPLE)}
    for names in ([*columns], [*columns][::-1]):
        with pytest.raises(Unsure, match="their names do not say what they are") as found:
            q.read(pl.DataFrame({name: columns[name] for name in names}), announce=False)
        assert found.value.ways[0].options["facets"] == {"item": "task_id"}
