"""One table each: Ragas, LangSmith, Phoenix, columns of RewardBench, reports of SWE-bench, lines of trec_eval."""

from __future__ import annotations

import json

import numpy as np
import pytest
from examples import many
from hypothesis import given
from hypothesis import strategies as st
from logs import read, statuses
from mutants import mutants, reads_or_refuses

from quorate.cli.spelling import in_options
from quorate.errors import InvalidData, InvalidInput

HEADER = "user_input,retrieved_contexts,response,reference,faithfulness,correctness,note"
LINES = ("2+3?,['c'],5,5,1.0,0.75,x", "Capital?,['c'],Oslo,Rome,,0.1,y", "Why?,['c'],so,so,0.5,0.4,")


@pytest.fixture
def write(tmp_path):
    def writer(*lines, header=HEADER):
        path = tmp_path / "ragas.csv"
        path.write_text("\n".join([header, *lines]) + "\n")
        return path

    return writer


def test_metrics_are_chosen_and_empty_ones_are_missing(write):
    with pytest.raises(InvalidInput, match=r'2 metrics, .*faithfulness \(3, 0.5 to 1, 33% missing\).*part="faith'):
        read(write(*LINES))
    table = read(write(*LINES), part="faithfulness")
    assert statuses(table) == {"ok": 2, "missing": 1}
    assert table.facet("item").levels == ("2+3?", "Capital?", "Why?")
    assert "the table does not say which model judged" in table.notes
    assert read(write(*LINES), part="faithfulness, correctness").facet("metric").levels == (
        "correctness",
        "faithfulness",
    )


def test_numbers_of_rows_and_times_are_no_metrics(write):
    lines = [f"{place},{line},{place + 0.2}" for place, line in enumerate(LINES)]
    table = read(write(*lines, header=f",{HEADER},latency_s"), part="faithfulness, correctness")
    assert table.facet("metric").levels == ("correctness", "faithfulness")
    with pytest.raises(InvalidInput, match="2 metrics"):
        read(write(*lines, header=f",{HEADER},latency_s"))


def test_tables_of_questions_with_scores_and_judges_of_their_own_are_plain(write):
    table = read(
        write("a,x,j,1", "a,x,k,2", "b,y,j,3", header="user_input,response,judge,score"), facets={"item": "user_input"}
    )
    assert table.n_answers == 3
    with pytest.raises(InvalidData, match="no column beside the question and the answers holds numbers"):
        read(write("a,x,fine", header="user_input,response,note"))


@many
@given(st.text(alphabet='aA1,".;\n\0é', max_size=60))
def test_whatever_is_in_it(tmp_path_factory, text):
    reads_or_refuses(tmp_path_factory.mktemp("m") / "r.csv", "\n".join([HEADER, LINES[0], text]), format="ragas")


def test_the_sample(shared):
    table = read(shared / "data" / "formats" / "ragas" / "ragas.csv", part="answer_correctness")
    assert (table.n_answers, len(table.facet("item").levels)) == (3, 3)


HEADER_OF_LANGSMITH = "inputs.question,error,feedback.a,feedback.b,feedback.why,example_id"


@pytest.fixture
def write_of_langsmith(tmp_path):
    def writer(*lines, name="old.csv", header=HEADER_OF_LANGSMITH):
        path = tmp_path / name
        path.write_text("\n".join([header, *lines]) + "\n")
        return path

    return writer


def test_feedback_on_a_run_that_failed_is_no_judgment(write_of_langsmith):
    path = write_of_langsmith("x,,1,True,good,e1", '"y,\nz","down\nat line 7",1,False,bad,e2', "x,,0.5,,good,e1")
    table = read(path, part="a, b")
    assert statuses(table) == {"ok": 3, "missing": 1, "error": 2}
    assert (table.facet("judge").levels, table.facet("system").levels) == (("a", "b"), ("old",))
    assert (table.n_cells, table.facet("item").levels) == (4, ("e1", "e2"))
    assert "not read: why" in table.notes


def test_keys_are_not_pooled_and_text_is_no_score(write_of_langsmith):
    path = write_of_langsmith("x,,1,0.5,good,e1")
    with pytest.raises(InvalidInput, match=r'2 scores, .*a \(1, 1 to 1\); b .*part="a"'):
        read(path)
    two = write_of_langsmith("x,,1,0.5,good,e1", "y,,1,0.5,odd,e2")
    with pytest.raises(InvalidData, match=r'holds words, .*"good" .*label="good"'):
        read(two, part="why")
    assert read(two, part="why", label="odd").mean.tolist() == [0, 1]
    with pytest.raises(InvalidData, match=r"has no columns example_id and feedback\.<key>"):
        read(write_of_langsmith("1", header="score"), format="langsmith")
    with pytest.raises(InvalidData, match=r"row 1: example_id is null"):
        read(write_of_langsmith(",,1,1,,"), part="a")


def test_a_table_without_errors_or_without_runs(write_of_langsmith):
    header = "feedback.a,example_id"
    assert statuses(read(write_of_langsmith("1,e1", "0,e2", header=header))) == {"ok": 2}
    named = read(write_of_langsmith("1,down,e1", "0,,e2", header="feedback.error,error,example_id"))
    assert (statuses(named), named.facet("judge").levels) == ({"ok": 1, "error": 1}, ("error",))
    with pytest.raises(InvalidData, match="has no run"):
        read(write_of_langsmith(header=header))


def test_experiments_are_told_apart_by_their_files(write_of_langsmith, tmp_path):
    for name in ("old.csv", "new.csv"):
        write_of_langsmith("x,,1,0.5,good,e1", "x,,1,0.5,good,e2", name=name)
    assert read(tmp_path, part="a").facet("system").levels == ("new", "old")


def test_published_figures(shared):
    table = read(shared / "data" / "formats" / "langsmith" / "experiment.csv", part="exact, judge_a")
    assert (int(table.rows.sum()), statuses(table)) == (8, {"ok": 4, "error": 4})
    for judge, mean in (("exact", 1.0), ("judge_a", 0.8)):
        one = table.only("judge", judge)
        assert (one.n_answers, float(np.nansum(one.mean * one.n)) / 2) == (2, mean)


LINES_OF_LANGSMITH = [HEADER_OF_LANGSMITH, "x,,1,True,good,e1", '"y,\nz","down",0.5,,bad,e2']


@given(
    st.lists(
        st.tuples(st.integers(0, 90), st.sampled_from([b"", b",", b'"', b"\n", b"\xff", b"1e999", b"\0", b"nan"])),
        max_size=3,
    )
)
def test_whatever_is_in_it_of_langsmith(tmp_path_factory, changes):
    block = "\n".join(LINES_OF_LANGSMITH).encode()
    for place, put in changes:
        block = block[:place] + put + block[place + 1 :]
    reads_or_refuses(tmp_path_factory.getbasetemp() / "fuzz-langsmith.csv", block, format="langsmith", part="a, b")


TOLD = "is an evaluated frame of Phoenix, whose scores are dictionaries; write it with to_annotation_dataframe(frame)"


def test_the_line_says_how_to_write_it_and_how_to_read_that(tmp_path):
    path = tmp_path / "runs.csv"
    path.write_text("id,strict_score,strict_execution_details\nq1,\"{'score': 1.0}\",\"{'status': 'COMPLETED'}\"\n")
    with pytest.raises(InvalidInput) as caught:
        read(path)
    assert TOLD in str(caught.value)
    assert in_options(caught.value.args[0]).endswith(
        "read that with --facet item=span_id --facet judge=annotation_name"
    )


def test_other_columns_of_scores_are_another_table(tmp_path):
    path = tmp_path / "plain.csv"
    path.write_text("item,strict_score,other_execution_details,score\na,1,x,1\nb,2,y,2\n")
    assert read(path).n_answers == 2


def test_the_published_frame(shared):
    with pytest.raises(InvalidInput, match="evaluated frame of Phoenix"):
        read(shared / "data" / "formats" / "phoenix" / "evaluate_dataframe.csv")


RESULTS = {
    "model": "acme/rm-8b",
    "model_type": "Seq. Classifier",
    "chat_template": "tulu",
    "id": [0, 1, "2", 3],
    "subset": ["Factuality", "Factuality", "Math", "Ties"],
    "results": [1, 0.25, 0, 0.9],
    "scores": [[2.5, 1, 0, -1], [1, 1, 1, 1], [0, 1], [3, 2]],
    "num_correct": [1, 1, 1, 4],
}


@pytest.fixture
def write_of_reward_bench(tmp_path):
    def writer(name="rm-8b.json", **changes):
        path = tmp_path / name
        held = {**RESULTS, **changes}
        path.write_text(json.dumps({key: value for key, value in held.items() if value is not None}))
        return path

    return writer


def test_a_row_for_each_prompt_without_the_ties(write_of_reward_bench):
    table = read(write_of_reward_bench())
    assert (table.facet("system").levels, table.n_answers) == (("acme/rm-8b",), 3)
    assert sorted(table.mean.tolist()) == [0, 0.25, 1]
    assert "1 entry of the subset of ties left out: scored otherwise" in table.notes


def test_models_of_a_folder_are_systems(write_of_reward_bench, tmp_path):
    write_of_reward_bench(), write_of_reward_bench("other.json", model="acme/rm-70b")
    assert read(tmp_path).facet("system").levels == ("acme/rm-70b", "acme/rm-8b")


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"results": None}, 'has no "results", which RewardBench 2 writes'),
        ({"id": [1, 2]}, "have 2, 4 and 4 entries"),
        ({"results": [1, 0, 2, 0]}, "entry 3: results is 2; a share from 0 to 1 is needed there"),
        ({"subset": ["ties"] * 4}, "holds only the subset of ties"),
    ],
)
def test_what_is_refused(write_of_reward_bench, changes, told):
    with pytest.raises(InvalidData, match=told):
        read(write_of_reward_bench(**changes))


@many
@given(mutants(RESULTS))
def test_whatever_is_in_it_of_reward_bench(tmp_path_factory, text):
    reads_or_refuses(tmp_path_factory.mktemp("m") / "r.json", text, format="reward-bench")


def test_averages_of_subsets_are_no_judgments(tmp_path):
    path = tmp_path / "model.json"
    path.write_text(json.dumps({"model": "m", "model_type": "DPO", "chat_template": "t", "math": 0.5, "ties": 0.2}))
    with pytest.raises(InvalidData, match=r"holds averages of subsets alone; name the file of its scores"):
        read(path)


REPORT = {
    "total_instances": 5,
    "submitted_instances": 4,
    "resolved_instances": 2,
    "incomplete_ids": ["e"],
    "submitted_ids": ["a", "b", "c", "d"],
    "resolved_ids": ["a", "c"],
    "unresolved_ids": ["b"],
    "empty_patch_ids": ["d"],
}


def test_what_was_submitted_to_swe_bench_is_resolved_or_not(write_json):
    table = read(write_json(REPORT))
    assert (table.facet("item").levels, table.mean.tolist()) == (("a", "b", "c", "d"), [1, 0, 1, 0])
    assert "1 instance not submitted: left out" in table.notes


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"resolved_ids": ["z"]}, "z is resolved and not submitted"),
        (
            {"submitted_ids": [], "resolved_ids": [], "unresolved_ids": [], "empty_patch_ids": []},
            "nothing was submitted|lists 0 of 4",
        ),
        ({"submitted_ids": {"a": 1}}, "submitted_ids"),
        ({"unresolved_ids": ["b", "c"]}, "c is among the resolved and among the others"),
        ({"submitted_instances": 6}, "lists 4 of 6 instances"),
    ],
)
def test_reports_of_swe_bench_that_cannot_be(write_json, change, said):
    with pytest.raises(InvalidData, match=said):
        read(write_json({**REPORT, **change}))


OTHER = {"resolved_ids": ["b"], "unresolved_ids": ["a", "c"], "error_ids": ["d"]}


def test_reports_of_several_systems_are_told_by_their_keys_names_or_files(write_json, tmp_path):
    named = [{"model_name": name, **report} for name, report in (("one", REPORT), ("two", OTHER))]
    for held in ({"one": REPORT, "two": OTHER}, named):
        table = read(write_json(held))
        assert (table.facet("system").levels, table.n_levels("item")) == (("one", "two"), 4)
        means = {system: float(table.only("system", system).mean.mean()) for system in ("one", "two")}
        assert means == {"one": 0.5, "two": 0.25}
    for places in (("x.json", "y.json"), ("x/report.json", "y/report.json")):
        files = [tmp_path / "runs" / place for place in places]
        for file, report in zip(files, (REPORT, OTHER), strict=True):
            file.parent.mkdir(exist_ok=True, parents=True)
            file.write_text(json.dumps(report))
        assert read(files).facet("system").levels == ("x", "y")


@pytest.mark.parametrize("names", [("resolved", "unresolved"), ("passed", "failed"), ("solved_ids", "unsolved_ids")])
def test_lists_of_names_by_outcome_under_other_names(write_json, names):
    one, other = (dict(zip(names, held, strict=True)) for held in ((["a", "c"], ["b"]), (["b"], ["a", "c"])))
    assert read(write_json({**one, "timeout": ["d"], "errors": ["e"]})).mean.tolist() == [1, 0, 1, 0, 0]
    table = read(write_json({"x": one, "y": other}))
    assert table.facet("system").levels == ("x", "y")
    assert table.only("system", "y").mean.sum() == 1


def test_columns_that_are_called_as_outcomes_are_no_lists_of_names(write_json):
    with pytest.raises(InvalidInput):
        read(write_json({"passed": ["a", "b"], "failed": ["b", "a"]}))


QUERIES = [(name, query) for query in ("301", "302", "all") for name in ("num_ret", "map", "P_10")]
TREC = [f"{name:<22}\t{query}\t{0.25 * place:.4f}" for place, (name, query) in enumerate(QUERIES)]


def test_measures_of_queries_without_counts_and_those_of_all(tmp_path):
    path = tmp_path / "bm25.eval"
    path.write_text("\n".join(["runid                 \tall\tbm25", *TREC]) + "\n")
    with pytest.raises(InvalidInput, match=r"2 measures, .*map \(2, 0.25 to 1\)"):
        read(path)
    table = read(path, part="map")
    assert (table.facet("item").levels, table.mean.tolist()) == (("301", "302"), [0.25, 1])
    path.write_text("\n".join([*TREC, "and more"]) + "\n")
    with pytest.raises(InvalidData, match="line 10 is no measure, query and value"):
        read(path, part="map", format="trec-eval")
    path.write_text("\n".join(TREC[-3:]) + "\n")
    with pytest.raises(InvalidData, match="averages of all queries alone"):
        read(path)


def test_every_run_is_named_below_its_queries(tmp_path):
    path = tmp_path / "runs.txt"
    blocks = [[*TREC[:6], f"runid\tall\t{name}", *TREC[6:]] for name in ("bm25", "dense 2", "late")]
    blocks[2] = [line.replace("0.25", "0.75") for line in blocks[2]]
    path.write_text("\n".join(line for block in blocks for line in block) + "\n")
    table = read(path, part="map")
    assert table.facet("system").levels == ("bm25", "dense 2", "late")
    assert table.only("system", "late").mean.tolist() == [0.75, 1]


RUNS = [
    (TREC * 2, "line 10 has num|line 11 has map of query 301 once more"),
    (["runid all a", *TREC[:6], "runid all b", *TREC[:6]], "a run is named where no queries are above it"),
    ([*TREC[:6], "runid all a", *TREC[:6], "runid all a"], 'two runs are named "a"'),
    ([*TREC[:6], "runid all a", *TREC[:6]], "the last queries have no runid below them"),
    ([*TREC[:6], "runid all a", "runid all b"], "line 8 names the queries above it a second time"),
]


@pytest.mark.parametrize(("lines", "said"), RUNS)
def test_runs_that_cannot_be_told_apart_are_refused(tmp_path, lines, said):
    path = tmp_path / "runs.txt"
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(InvalidData, match=said):
        read(path, part="map")


SEGMENTS = [
    f"out/{name}.de\tSegment {n}\tscore: {0.1 * n + place:.4f}" for place, name in enumerate("xy") for n in range(3)
]
NOISE = ["Fetching 5 files: 100%", "GPU available: False", "Segment lengths vary", ""]


@pytest.mark.parametrize("name", ["comet.log", "comet.out", "comet.txt", "comet"])
def test_segments_of_comet_among_other_lines_without_those_of_systems(tmp_path, name):
    path = tmp_path / name
    path.write_text("\n".join([*NOISE, *SEGMENTS, "out/x.de\tscore: 0.1000", "out/y.de\tscore: 1.1000"]) + "\n")
    table = read(path)
    assert (table.facet("system").levels, table.facet("item").levels) == (("out/x.de", "out/y.de"), ("0", "1", "2"))
    assert table.only("system", "out/y.de").mean.tolist() == pytest.approx([1, 1.1, 1.2])


def test_files_of_comet_that_name_no_system_are_told_by_their_names(tmp_path):
    for name in "xy":
        (tmp_path / f"{name}.log").write_text("\n".join(line.split("\t", 1)[1] for line in SEGMENTS[:3]) + "\n")
    assert read(tmp_path).facet("system").levels == ("x", "y")
    (tmp_path / "x.log").write_text("\n".join(SEGMENTS[:1] * 2) + "\n")
    with pytest.raises(InvalidData, match="lines 1 and 2 both have segment 0"):
        read(tmp_path / "x.log")


def solutions(*said):
    return [{"task_id": "t", "solution": "pass", "base_status": base, "plus_status": plus} for base, plus in said]


EVALUATED = {
    "date": "2024-05-01",
    "eval": {
        "T/0": solutions(("pass", "pass"), ("pass", "timeout")),
        "T/1": solutions(("fail", "pass"), ("pass", "fail")),
        "T/2": solutions(("timeout", "fail"), ("pass", "pass")),
    },
}


def test_solutions_pass_the_further_tests_of_evalplus_only_with_those_of_the_task(tmp_path):
    for name in ("owl", "tern-7b"):
        (tmp_path / f"{name}_eval_results.json").write_text(json.dumps(EVALUATED))
    with pytest.raises(InvalidInput, match=r"2 suites, .*base \(6, 0 to 1\); plus"):
        read(tmp_path / "owl_eval_results.json")
    for part, mean in (("base", 4 / 6), ("plus", 2 / 6)):
        table = read(tmp_path, part=part)
        assert table.facet("system").levels == ("owl", "tern-7b")
        assert (table.n_answers, table.mean.mean()) == (12, pytest.approx(mean))
        assert table.facet("item").levels == ("T/0", "T/1", "T/2")


def test_older_results_of_evalplus(write_json):
    held = {"nfiles": 2, "base": [["pass", []], ["fail", []]], "plus": [["pass", []], ["fail", []]]}
    table = read(write_json({"eval": {"T/0": held, "T/1": {**held, "plus": []}}}), part="base")
    assert (table.n_answers, float(table.mean.mean())) == (4, 0.5)
    broken = {"eval": {"T/0": {**held, "plus": [["pass", []]]}}}
    with pytest.raises(InvalidData, match="has 2 results of the base tests and 1 of the others"):
        read(write_json(broken))
    with pytest.raises(InvalidData, match='status "odd" is not known'):
        read(write_json({"eval": {"T/0": solutions(("odd", "pass"))}}))
