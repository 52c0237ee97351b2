"""Files as spreadsheets and R write them: totals below, a square of wins, names of rows, marks for what is missing."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.errors import UnknownColumn
from quorate.table.reading.reading import Unsure

RNG = np.random.default_rng(3)
N = 24
MARKS = RNG.integers(3, 10, (N, 3))


def sheet(tmp_path, *lines, name="sheet.csv"):
    (tmp_path / name).write_text("\n".join(lines) + "\n")
    return tmp_path / name


def rows(head, cells, sep=","):
    return [head, *(sep.join(map(str, row)) for row in cells)]


@pytest.mark.parametrize("below", [["Total"], ["TOTAL", "AVERAGE"]])
def test_rows_that_are_sums_or_means_of_the_others_are_left_out(tmp_path, below):
    """Whatever the column is called in which they are named."""
    made = {"total": MARKS.sum(axis=0), "average": MARKS.mean(axis=0).round(2)}
    lines = rows("Gymnast,Judge A,Judge B,Judge C", ((f"G. {n}", *marks) for n, marks in enumerate(MARKS)))
    path = sheet(tmp_path, *lines, *(f"{name},{','.join(map(str, made[name.lower()]))}" for name in below))
    table = q.read(path, announce=False)
    assert (table.n_levels("item"), table.n_cells) == (N, 3 * N)
    kept = [f"G. {n}" if n else "Total" for n in range(N)]  # a name like theirs whose numbers are its own
    named = q.read(sheet(tmp_path, *rows(lines[0], zip(kept, *MARKS.T, strict=True))), announce=False)
    assert named.n_levels("item") == N


def test_a_cross_table_has_no_total_among_its_labels(tmp_path):
    counts = np.array([[30, 4, 2], [5, 22, 6], [1, 3, 27]])
    cells = np.vstack([np.column_stack([counts, counts.sum(axis=1)]), [*counts.sum(axis=0), counts.sum()]])
    names = ("low", "mid", "high", "Total")
    path = sheet(
        tmp_path, *rows("human,low,mid,high,Total", ((name, *row) for name, row in zip(names, cells, strict=True)))
    )
    table = q.read(path, announce=False)
    assert (table.labels, table.n_answers) == (("high", "low", "mid"), 2 * counts.sum())


def test_decimals_with_a_comma_in_one_of_several_columns(tmp_path):
    cells = ((f"w{n}", a / 2, f'"{b // 2},{5 * (b % 2)}"', c / 2) for n, (a, b, c) in enumerate(MARKS))
    table = q.read(sheet(tmp_path, *rows("wound,Nurse A,Nurse B,Nurse C", cells)), announce=False)
    assert table.n_levels("judge") == 3
    assert table.mean.mean() == pytest.approx(MARKS.mean() / 2)
    two = ((f"w{n}", a, f'"{b},{c}"') for n, (a, b, c) in enumerate(MARKS))
    with pytest.raises(Unsure):  # may be two values
        q.read(sheet(tmp_path, *rows("wound,first,others", two)), announce=False)


@pytest.mark.parametrize("sep", [" ", ",", "\t"])
def test_names_of_rows_without_a_name_above_them(tmp_path, sep):
    lines = rows(sep.join(('"Rater1"', '"Rater2"', '"Rater3"')), ((f'"{n}"', *row) for n, row in enumerate(MARKS)), sep)
    table = q.read(sheet(tmp_path, *lines, name="ratings.txt"), announce=False)
    assert (table.n_levels("item"), table.n_levels("judge")) == (N, 3)
    assert table.mean.mean() == pytest.approx(MARKS.mean())


@pytest.mark.parametrize("mark", [".", "-", "\u2014"])
def test_a_point_or_a_dash_among_labels_is_none(tmp_path, mark):
    said = [["yes", "no", "maybe", mark][value % 4] for value in MARKS.ravel()]
    cells = ((f"c{n}", *said[3 * n : 3 * n + 3]) for n in range(N))
    table = q.read(sheet(tmp_path, *rows("case,coder1,coder2,coder3", cells)), announce=False)
    assert table.labels == ("maybe", "no", "yes")
    assert table.n_answers == 3 * N - said.count(mark)
    signs = ((f"c{n}", *("+" if value % 2 else "-" for value in row)) for n, row in enumerate(MARKS))
    assert q.read(sheet(tmp_path, *rows("case,coder1,coder2,coder3", signs)), announce=False).n_answers == 3 * N


def square(blank):
    wins = np.array([[0, 8, 12, 9], [4, 0, 7, 6], [3, 5, 0, 8], [2, 4, 3, 0]])
    names = ["gpt", "llama", "qwen", "phi"]
    cells = [[blank if i == j else wins[i, j] for j in range(4)] for i in range(4)]
    return names, wins, cells


@pytest.mark.parametrize("blank", ["", "-", 0])
def test_a_square_of_wins(tmp_path, blank):
    names, wins, cells = square(blank)
    table = ((name, *row) for name, row in zip(names, cells, strict=True))
    path = sheet(tmp_path, *rows("winner / loser," + ",".join(names), table))
    votes = q.read(path, kind="votes", announce=False)
    assert votes.n == wins.sum()
    for i, j in zip(*np.triu_indices(4, 1), strict=True):
        assert (votes.wins(names[i], names[j]), votes.wins(names[j], names[i])) == (wins[i, j], wins[j, i])
    frame = q.read(pl.read_csv(path), kind="votes", announce=False)
    assert frame.n == votes.n


def test_a_square_of_wins_whose_corner_does_not_say_who_won(tmp_path):
    names, wins, cells = square("")
    table = ((name, *row) for name, row in zip(names, cells, strict=True))
    path = sheet(tmp_path, *rows("model," + ",".join(names), table))
    with pytest.raises(Unsure, match="who beat whom") as asked:
        q.read(path, announce=False)
    row, column = (q.read(path, announce=False, **way.options) for way in asked.value.ways)
    assert (row.wins("gpt", "phi"), column.wins("gpt", "phi")) == (wins[0, 3], wins[3, 0])
    with pytest.raises(UnknownColumn, match='model_b: no column "nobody"'):
        q.read(path, model_a="model", model_b=["gpt", "nobody"], announce=False)


def test_a_short_ballot_ranks_whom_it_leaves_out_behind(tmp_path):
    ballots = [["a", "b", "c"], ["b", "a", ""], ["a", "", ""], ["c", "a", "b"], ["a", "c", "b"], ["b", "c", "a"]]
    path = sheet(tmp_path, *rows("voter,1st,2nd,3rd", ((f"v{n}", *ballot) for n, ballot in enumerate(ballots))))
    votes = q.read(path, kind="votes", announce=False)
    assert (votes.wins("a", "b"), votes.wins("b", "a")) == (4, 2)
    assert votes.wins("b", "c") == 3  # and c, c, of five: two left out both


def test_counts_of_labels_beside_their_sum_and_the_commonest(tmp_path):
    counts = RNG.multinomial(1, [0.3, 0.5, 0.2], (N, 3)).sum(axis=1) + RNG.integers(0, 2, (N, 3))
    cells = ((n, row.sum(), *row, row.argmax(), f"text {n}") for n, row in enumerate(counts))
    table = q.read(sheet(tmp_path, *rows(",count,hate,offensive,neither,class,tweet", cells)), announce=False)
    assert (table.labels, table.n_answers) == (("hate", "neither", "offensive"), counts.sum())


def test_remarks_are_not_what_is_judged(tmp_path):
    cells = ((f"2025-02-{n + 1:02}T09:00", mark, "wrong phone" if n % 3 else "") for n, mark in enumerate(MARKS[:, 0]))
    table = q.read(sheet(tmp_path, *rows("ts,score,comment", cells)), announce=False)
    assert table.n_levels("item") == N


def test_numbered_columns_of_which_most_never_differ_are_no_two_sides(tmp_path):
    said = [["trust", "agency", "privacy"][value % 3] for value in MARKS[:, 0]]
    cells = [[name, *said] for name in ("Amira", "Ben", "Chloe", "Dan")]
    cells[1][9], cells[2][10] = "trust", "agency"
    path = sheet(tmp_path, *rows("coder," + ",".join(f"seg_{n:02}" for n in range(N)), cells))
    table = q.read(path, announce=False)
    assert (table.n_levels("judge"), table.n_levels("item"), len(table.labels)) == (4, N, 3)


def test_files_of_what_is_judged_are_what_is_judged(tmp_path):
    cells = [(f"img_{n}.png", f"A{j}", MARKS[n, j]) for n in range(N) for j in range(3)]
    table = q.read(sheet(tmp_path, *rows("ImageFile,RaterID,Aesthetic", cells)), announce=False)
    assert (table.n_levels("item"), table.n_levels("judge")) == (N, 3)


def test_systems_that_share_a_place_in_a_list_tie(tmp_path):
    ballots = ["a > b = c > d", "b > a > c > d", "a = b > d > c", "c > d > a | b", "a > b > c > d"]
    votes = q.read(sheet(tmp_path, *rows("voter,ranking", enumerate(ballots))), kind="votes", announce=False)
    assert votes.models == ("a", "b", "c", "d")
    assert (votes.wins("a", "b"), votes.wins("b", "a"), votes.n) == (2, 1, 5 * 6 - 1)  # a tie, and one not compared
    assert votes.n - votes.n_decisive == 2


def test_texts_with_marks_in_them_are_no_rankings(tmp_path):
    cells = ((f"s{n}", f"Rat tagte am <v>Montag {n % 9}</v>.", mark) for n, mark in enumerate(MARKS[:, 0]))
    table = q.read(sheet(tmp_path, *rows("seg_id,target,score", cells)), announce=False)
    assert table.n_levels("item") == N


def test_segments_that_count_anew_in_each_document(tmp_path):
    """The document is a facet beside them: parts of one may be alike."""
    cells = [
        (f"news.{doc}", seg, system, f"eng{seg % 3}", 50 + 7 * doc + seg)
        for doc in range(9)
        for seg in range(1, 4)
        for system in ("x", "y")
    ]
    table = q.read(sheet(tmp_path, *rows("document,segment,system,annotator,score", cells)), announce=False)
    assert (table.facet("item").column, table.n_levels("item"), table.n_levels("document")) == (
        "document*segment",
        27,
        9,
    )


def test_below_a_mean_other_statistics_are_left_out_too(tmp_path):
    """In every way that is asked about as well."""
    lines = rows("Dialog ID,Keller,Adeyemi,Roth", ((f"DLG-{n}", *marks) for n, marks in enumerate(MARKS)))
    below = [f"Mean,{','.join(f'{mean:.2f}' for mean in MARKS.mean(axis=0))}", "SD,1.1,1.3,0.9"]
    with pytest.raises(Unsure, match=r"Mean. and .SD. in 2 rows, which may be made of the others: left out") as asked:
        q.read(sheet(tmp_path, *lines, *below), announce=False)
    judges = q.read(sheet(tmp_path, *lines, *below), announce=False, **asked.value.ways[0].options)
    assert (judges.n_levels("item"), judges.mean.mean()) == (N, pytest.approx(MARKS.mean()))


def test_annotations_beside_what_they_came_to(tmp_path):
    first, second = ([["full", "part", "none"][value % 3] for value in MARKS[:, j]] for j in (0, 1))
    path = sheet(
        tmp_path, *rows("id,annotation_1,annotation_2,final_label", zip(range(N), first, second, first, strict=True))
    )
    assert q.read(path, announce=False).facet("judge").levels == ("annotation_1", "annotation_2")


def test_codes_of_people_and_a_judge_are_labels(tmp_path):
    cells = ((n, f"text {n}", f"story {n}", a % 3, b % 3) for n, (a, b, _) in enumerate(MARKS))
    path = sheet(tmp_path, *rows("idx,output_1,output_2,human_label,gpt4_label", cells))
    with pytest.raises(Unsure) as asked:
        q.read(path, announce=False)
    assert asked.value.beside_people("judges").options["labels"]


def test_lists_that_another_column_tells_are_settings_and_no_rankings(tmp_path):
    orders = ["bug, feature, praise", "praise, bug, feature", "feature, praise, bug", "feature, bug, praise"]
    cells = [(f"fb{n}", f"variant_{n % 4}", f'"{orders[n % 4]}"', MARKS[n, 0]) for n in range(N)]
    table = q.read(sheet(tmp_path, *rows("item_id,variant_id,category_order,score", cells)), announce=False)
    assert table.n_levels("item") == N


def test_where_a_score_came_from_names_no_statistics(tmp_path):
    source = [["mean", "median", "third"][n % 3] for n in range(N)]
    cells = zip((f"r{n}" for n in range(N)), MARKS[:, 0], source, strict=True)
    assert q.read(sheet(tmp_path, *rows("response_id,score,score_source", cells)), announce=False).n_levels("item") == N


@pytest.mark.parametrize("group", ["domain", "author"])
def test_groups_of_what_nobody_judged_are_no_labels(tmp_path, group):
    cells = [(f"p{n}", ["code", "math"][n % 2], f"Write {n} lines on it.") for n in range(N)]
    with pytest.raises(Unsure, match="no column looks like a judgment"):
        q.read(sheet(tmp_path, *rows(f"item_id,{group},prompt", cells)), announce=False)


def test_what_says_more_of_an_item_or_is_measured_is_not_asked_about(tmp_path):
    texts = [f"a child with kite {n} in the rain" for n in range(N // 2)]
    cells = [(f"img{n % (N // 2)}", texts[n % (N // 2)], MARKS[n, 0]) for n in range(N)]
    table = q.read(sheet(tmp_path, *rows("image,caption,rating", cells)), announce=False)
    assert (table.n_levels("item"), table.names) == (N // 2, ("item",))
    cells = [(f"s{n}", f"v{n % 3}", 3 + n % 5, MARKS[n, 1]) for n in range(N)]
    turns = q.read(sheet(tmp_path, *rows("session_id,bot_version,turns,csat", cells)), announce=False)
    assert "judge" not in turns.names


def test_a_total_alone_is_the_score(tmp_path):
    cells = [(f"ESSAY-{n}", f"m{j}", MARKS[n, j]) for n in range(N) for j in range(3)]
    table = q.read(sheet(tmp_path, *rows("Essay ID,Grader model,Total score (0-10)", cells)), announce=False)
    assert (table.n_levels("item"), table.n_levels("judge"), table.mean.mean()) == (N, 3, pytest.approx(MARKS.mean()))


@pytest.mark.parametrize("form", ["rank_{}", "{}_score", "scores.{}", "{} Rating"])
def test_systems_are_named_without_what_each_was_given(tmp_path, form):
    names = [form.format(name) for name in ("gpt-4o", "llama3", "qwen")]
    table = q.read(
        sheet(tmp_path, *rows("id," + ",".join(names), ((n, *marks) for n, marks in enumerate(MARKS)))),
        wide={"system": names},
        facets={"item": "id"},
        announce=False,
    )
    assert table.facet("system").levels == ("gpt-4o", "llama3", "qwen")
    judges = q.read(tmp_path / "sheet.csv", wide={"judge": names}, facets={"item": "id"}, announce=False)
    assert judges.facet("judge").levels == tuple(sorted(names))


@pytest.mark.parametrize("column", ["rater", "system"])
def test_levels_on_two_scales_have_no_mean(tmp_path, column):
    cells = [(f"t{n}", level, MARKS[n, 0] / (10 if level != "c" else 2)) for n in range(N) for level in "abc"]
    path = sheet(tmp_path, *rows(f"trace_id,{column},score", cells))
    with pytest.raises(Unsure, match="a and b never go beyond") as found:
        q.read(path, announce=False)
    assert found.value.ways[0].options == {"where": f"{column} NOT IN ('a', 'b')"}
    assert q.read(path, where=found.value.ways[1].options["where"], announce=False).n_cells == 2 * N


def test_names_of_criteria_in_a_column_stand_for_themselves(tmp_path):
    cells = [
        (f"t{n}", name, m) for n, row in enumerate(MARKS) for name, m in zip(("fluency", "x", "y"), row, strict=True)
    ]
    assert q.read(sheet(tmp_path, *rows("trace_id,name,value", cells)), announce=False).facet("name").fixed


@pytest.mark.parametrize("form", ["{}_wins", "wins_{}"])
def test_wins_by_columns_of_two_sides_that_no_column_names(tmp_path, form):
    """Those of one row may be alike."""
    head = "store," + ",".join(form.format(side) for side in ("old", "new")) + ",ties"
    path = sheet(tmp_path, *rows(head, ((f"s{n}", *marks) for n, marks in enumerate(MARKS))))
    table = q.read(path, announce=False)
    assert (table.models, table.count.sum()) == (("new", "old"), MARKS.sum())
    assert f"decisive votes in {N} clusters" in q.compare(path, "new", "old").sentence


def test_counts_of_labels_beside_how_many_gave_one(tmp_path):
    cells = [(n, f"text {n}", sum(marks), *marks) for n, marks in enumerate(MARKS)]
    table = q.read(sheet(tmp_path, *rows("id,text,n_annotators,toxic,mild,fine", cells)), announce=False)
    assert (table.labels, table.n_answers) == (("fine", "mild", "toxic"), MARKS.sum())


@pytest.mark.parametrize("names", ["JK,LM,TR", "gpt-4o,llama3,qwen"])
def test_who_says_the_same_of_all_is_not_left_out(tmp_path, names):
    cells = [(n, ("in", "out")[n % 2], ("in", "out")[n % 3 > 0], "out") for n in range(N)]
    path = sheet(tmp_path, *rows(f"item_id,{names}", cells))
    try:
        options = {}
        table = q.read(path, announce=False)
    except Unsure as open_:
        options = open_.ways[0].options
        table = q.read(path, announce=False, **options)
    assert table.n_cells == 3 * N


def test_a_final_score_is_one_with_that_of_the_record_beside(tmp_path):
    lines = [
        f'{{"trace_id": "t{n}", "review": {{"rating": {m}}}, "final_rating": {m}}}' for n, m in enumerate(MARKS[:, 0])
    ]
    table = q.read(sheet(tmp_path, *lines, name="traces.jsonl"), announce=False)
    assert (table.score, table.n_cells) == ("final_rating", N)


def test_a_verdict_of_an_answer_is_the_score_and_no_answer_is(tmp_path):
    said = ("CORRECT", "INCORRECT", "NOT_ATTEMPTED")
    cells = [(f"q {n}", ("Oslo", "Quito")[n % 2], ("Oslo", "Quito", "Rome")[n % 3], said[n % 3]) for n in range(N)]
    table = q.read(sheet(tmp_path, *rows("question,gold_answer,predicted_answer,verdict", cells)), announce=False)
    assert (table.score, table.labels) == ("verdict", said)


def test_the_only_numbers_beside_who_measured_what_are_the_score(tmp_path):
    cells = [(f"S{n}", f"PT{j}", round(100 + n + j / 3, 1)) for n in range(N) for j in range(3)]
    assert q.read(sheet(tmp_path, *rows("subject,rater,flexion_deg", cells)), announce=False).score == "flexion_deg"


@pytest.mark.parametrize("turned", [True, False])
def test_questions_that_are_put_both_ways_are_asked_about(tmp_path, turned):
    liking = RNG.normal(3, 1, N)
    marks = np.clip(np.rint(liking[:, None] + RNG.normal(0, 0.5, (N, 6))), 1, 5).astype(int)
    marks[:, 1::2] = 6 - marks[:, 1::2] if turned else marks[:, 1::2]
    path = sheet(tmp_path, *rows("Participant,Q1,Q2,Q3,Q4,Q5,Q6", ((f"P{n}", *row) for n, row in enumerate(marks))))
    if not turned:
        assert q.read(path, announce=False).n_levels("item") == len(marks[0])
        return
    with pytest.raises(Unsure, match="Q2, Q4 and Q6 are high where the others are low") as found:
        q.read(path, announce=False)
    assert found.value.ways[0].options["wide"] == {"item": ("Q1", "Q3", "Q5")}
