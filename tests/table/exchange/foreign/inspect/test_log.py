"""Logs of Inspect AI as tables."""

from __future__ import annotations

import json
import zipfile
from math import nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from logs import read
from mutants import mutants, mutated, reads_or_refuses

from quorate.errors import InvalidData, InvalidInput
from quorate.table.exchange.foreign.inspect.log import claims
from quorate.table.exchange.glance import Glance

PANEL = {"votes": ["C", "I", None], "size": 3, "failures": [{"index": 2, "reason": "grader_failed"}]}
MODELS = [{"model": f"judge-{name}"} for name in "abc"]
SCORERS = [
    {"name": "model_graded_qa", "options": {"model": MODELS}},
    {"name": "rating", "options": {"model": {"model": "x"}}},
    {"name": "rating", "options": {"model": {"model": "x"}}},
]
RUN = {"model": "m", "task": "t", "packages": {"inspect_ai": "0.3.285"}, "scorers": SCORERS}
SCORES = {
    "model_graded_qa": {"value": nan, "metadata": {"panel": PANEL}, "history": []},
    "rating": {"value": 7},
    "rating1": {"value": {"style": "N", "fact": True}},
}
SAMPLES = [
    {"id": "a", "epoch": 1, "metadata": {"topic": "x", "Score": 1}, "scores": SCORES, "limit": {"type": "time"}},
    {"id": "b", "epoch": 1, "metadata": {"topic": "x", "Score": 1}, "scores": {}, "error": {"message": "no"}},
]
LOG = {"version": 2, "status": "success", "eval": RUN, "results": {"total_samples": 2}, "samples": SAMPLES}


@pytest.fixture
def write(tmp_path):
    def writer(**changed):
        path = tmp_path / "log.json"
        path.write_text(json.dumps(LOG | changed))
        return path

    return writer


def scored(**scores):
    return [{"id": name, "epoch": 1, "scores": scores} for name in "abc"]


def shape(table):
    """Rows, statuses that occur, and the mean of the scores."""
    statuses = {name: int(rows.sum()) for name, rows in table.status.items() if rows.any()}
    return int(table.rows.sum()), statuses, np.average(np.nan_to_num(table.mean), weights=table.n)


def codes(table):
    return [caveat.code for caveat in table.source.caveats]


def dealt(judge, score, status="ok", **also):
    """A vote as Quorate's own panel writes it."""
    return {"judge": judge, "prompt": "score", "replicate": 1, "score": score, "status": status, "error": None} | also


def of_our_panel(item, *votes, epoch=1):
    scores = {"panel": {"value": 6.5, "metadata": {"quorate": {"votes": list(votes)}}}} if votes else {}
    return {"id": item, "epoch": epoch, "scores": scores}


OURS = RUN | {"scorers": [{"name": "quorate/panel", "options": {"judges": ["x", "y", "z"]}}]}


def test_who_was_not_asked_is_not_missing(write):
    samples = [
        of_our_panel("a", dealt("x", 6.0), dealt("y", None, "truncated")),
        of_our_panel("b", dealt("y", 7), dealt("z", None, "refused")),
        of_our_panel("c", dealt("x", 2.0), dealt("z", None, "error")),
        of_our_panel("d") | {"error": {"message": "no"}},
    ]
    path = write(eval=OURS, samples=samples, results={"total_samples": 4})
    table = read(path)
    assert shape(table)[:2] == (6, {"ok": 3, "truncated": 1, "refused": 1, "error": 1})
    assert table.facet("judge").levels == ("x", "y", "z")
    assert "prompt" in table.names
    assert (table.n_levels("item"), codes(table)) == (3, ["judged-by-nobody"])
    assert "log of Inspect AI 0.3.285: item = id of the sample, generation = epoch" in table.notes
    assert read(path, part="panel.verdict").facet("judge").levels == ("panel (panel)",)


def test_epochs_of_our_panel_are_generations(write):
    samples = [
        of_our_panel(item, dealt("x", 6.0), dealt("x", 7.0, replicate=2), epoch=k) for item in "ab" for k in (1, 2)
    ]
    table = read(write(eval=OURS, samples=samples))
    assert (table.facet("generation").parent, int(table.rows.sum())) == ("item", 8)
    assert table.n_cells == 4


@pytest.mark.wide(4)
@pytest.mark.parametrize("votes", [None, 7, [], [7], [{"judge": 7}], [dealt(" ", 1)], [dealt("x", 1), None]])
def test_votes_in_another_shape_are_none(write, votes):
    samples = [
        {"id": name, "epoch": 1, "scores": {"panel": {"value": 3, "metadata": {"quorate": {"votes": votes}}}}}
        for name in "ab"
    ]
    table = read(write(eval=OURS, samples=samples))
    assert shape(table) == (2, {"ok": 2}, 3)


@pytest.mark.slow
def test_a_panel_is_one_row_for_each_grader(write):
    table = read(write(), part="model_graded_qa")
    assert table.facet("judge").levels == ("judge-a", "judge-b", "judge-c")
    assert shape(table) == (6, {"ok": 2, "unparsed": 1, "error": 3}, 0.5)
    assert (table.facet("item").parent, codes(table)) == ("category", [])
    assert "attempts that met a limit, kept as they were scored: time 1" in table.notes
    assert any("not used: task, metadata.Score" in note for note in table.notes)


def test_scorers_are_chosen_and_named(write):
    with pytest.raises(
        InvalidInput, match=r"4 scorers.*: model_graded_qa \(6, .*; rating1\.style \(2, 0 to 0, 50% missing\)"
    ):
        read(write())
    keys = read(write(), part="rating1.style,rating1.fact")
    assert keys.facet("judge").levels == ("rating1.fact", "rating1.style")
    assert "1 grades are N, no answer: 0, as Inspect counts them" in keys.notes
    assert read(write(), part="rating").facet("judge").levels == ("x",)
    verdict = read(write(), part="model_graded_qa.verdict")
    assert verdict.facet("judge").levels == ("panel of 3 (majority)",)
    assert (verdict.n_answers, codes(verdict)) == (0, ["only-the-verdict"])


def test_lists_without_names_are_votes_in_order(write):
    lists = [{"id": k, "epoch": 1, "scores": {"panel": {"value": list(v)}}} for k, v in enumerate(["CC", "CI", "C"])]
    table = read(write(samples=lists))
    assert table.facet("judge").levels == ("panel 1", "panel 2")
    assert shape(table) == (6, {"ok": 4, "missing": 2}, 0.75)
    assert codes(table) == ["votes-of-nobody"]


def test_only_what_a_panel_came_to(write):
    run = RUN | {"packages": {"inspect_ai": "0.3.200"}}
    table = read(write(eval=run, samples=scored(model_graded_qa={"value": "I"})))
    assert table.facet("judge").levels == ("panel of 3 (mode)",)
    assert codes(table) == ["only-the-verdict", "failures-as-grades", "unfinished-log"][:2]


def test_words_are_not_zero(write):
    samples = [*scored(match={"value": "good"}), {"id": "d", "epoch": 1, "scores": {"match": {"value": "odd"}}}]
    with pytest.raises(InvalidData, match=r'holds words, .*"good" .*labels=True.*label="good".*numbers='):
        read(write(samples=samples))
    shares = read(write(samples=samples), label="good")
    assert shares.mean.tolist() == [1, 1, 1, 0]


@pytest.mark.parametrize(
    ("samples", "said"),
    [
        ([], "has no samples"),
        (None, "has no samples"),
        (scored(), "run with no scorer, or not scored yet"),
        ([one | {"error": {}} for one in scored()], "all of its 3 samples ended by an error"),
        ([one | {"invalidation": {}} for one in scored(a={"value": 1})], "all of its 3 samples were declared invalid"),
    ],
)
def test_a_log_without_scores_is_refused(write, samples, said):
    with pytest.raises(InvalidData, match=said):
        read(write(samples=samples))


def test_what_is_not_as_it_was_is_said(write):
    history = [{"value": 2}, {"provenance": {"author": "ann"}}]
    samples = scored(match={"value": 1, "history": history})
    samples[0]["invalidation"], samples[1]["error"] = {"author": "x"}, {}
    table = read(write(samples=[*samples, samples[2]], status="cancelled"))
    assert shape(table) == (2, {"ok": 2}, 1)
    for said in (
        "(by ann), which count as they are now: 2",
        "scored all the same, kept: 1",
        "left out: 1",
        "counts: 1",
    ):
        assert any(said in note for note in table.notes), said
    assert codes(table) == ["unfinished-log"]
    panel = SCORES["model_graded_qa"] | {"history": history}
    votes = read(write(samples=scored(model_graded_qa=panel)))
    assert "scores changed after the run (by ann), which are verdicts of a panel whose votes stay: 3" in votes.notes


@pytest.mark.slow
def test_logs_of_several_systems_are_one_table(write, tmp_path):
    other = write(eval=RUN | {"model": "n"}).read_text()
    write()
    (tmp_path / "other.json").write_text(other)
    assert read(tmp_path, part="rating").facet("system").levels == ("m", "n")
    (tmp_path / "third.json").write_text(other)
    with pytest.raises(
        InvalidData, match=r"other\.json and third\.json both have task t, category x, item a, system n"
    ):
        read(tmp_path, part="rating")


def test_tasks_count_their_items_anew(write, tmp_path):
    other = write(eval=RUN | {"task": "u", "task_args": {"k": 1, "K": 2}}).read_text()
    write()
    (tmp_path / "other.json").write_text(other)
    table = read(tmp_path, part="rating")
    assert (table.facet("item").parent, table.facet("task").levels, table.n_cells) == ("task", ("t", "u"), 4)
    assert any("not used: category, metadata.Score, task_args." in note for note in table.notes)


@given(mutants(LOG))
def test_a_broken_log_is_a_table_or_one_line(tmp_path_factory, block):
    path = tmp_path_factory.getbasetemp() / "fuzz-inspect.json"
    reads_or_refuses(path, block, format="inspect", part="model_graded_qa")


@given(sample=mutated(SAMPLES[0]), cut=st.integers(0, 900), flip=st.integers(0, 900))
@pytest.mark.slow
def test_a_broken_archive_is_a_table_or_one_line(tmp_path_factory, sample, cut, flip):
    path = tmp_path_factory.getbasetemp() / "fuzz-inspect.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_journal/start.json", json.dumps(LOG))
        archive.writestr("_journal/summaries/1.json", json.dumps([sample]))
        archive.writestr("samples/a_epoch_1.json", json.dumps(sample))
    whole = bytearray(path.read_bytes())
    for changed in (whole, whole[: cut % len(whole)], _flipped(whole, flip)):
        path.write_bytes(changed)
        claims(Glance(path))
        reads_or_refuses(path, format="inspect", part="rating")


def _flipped(whole, place):
    return bytes(byte ^ (0x55 if at == place % len(whole) else 0) for at, byte in enumerate(whole))


@pytest.fixture(scope="module")
def logs(shared):
    return shared / "data" / "formats" / "inspect"


@pytest.mark.wide(6)
@pytest.mark.parametrize(
    ("name", "part", "rows", "statuses", "mean"),
    [
        ("facts-panel.eval", "model_graded_qa", 108, {"ok": 101, "unparsed": 4, "error": 3}, 0.594059),
        ("facts-panel.json", "model_graded_qa", 108, {"ok": 101, "unparsed": 4, "error": 3}, 0.594059),
        ("facts-panel.eval", "model_graded_qa.verdict", 36, {"ok": 33, "missing": 2, "error": 1}, 0.575758),
        ("facts-panel.eval", "match", 36, {"ok": 35, "error": 1}, 0.628571),
        ("facts-judges.eval", "grade_by_a", 36, {"ok": 35, "error": 1}, 0.571429),
        ("facts-judges.eval", "grade_by_b", 36, {"ok": 33, "unparsed": 2, "error": 1}, 0.575758),
        ("facts-judges.eval", "grade_by_c", 36, {"ok": 32, "unparsed": 3, "error": 1}, 0.5),
        ("facts-judges.eval", "rating", 36, {"ok": 34, "unparsed": 1, "error": 1}, 6.205882),
        ("facts-judges.eval", "rating1", 36, {"ok": 33, "unparsed": 2, "error": 1}, 5.121212),
        ("facts-judges.eval", "rubric.helpful", 36, {"ok": 35, "error": 1}, 2.828571),
        ("facts-judges.eval", "rubric.correct", 36, {"ok": 35, "error": 1}, 0.6),
        ("facts-judges-2.eval", "rating", 36, {"ok": 32, "unparsed": 3, "error": 1}, 7.5),
        ("facts-judges-2.eval", "rubric.correct", 36, {"ok": 35, "error": 1}, 0.857143),
        ("facts-judges*.eval", "grade_by_a,grade_by_b,grade_by_c", 216, {"ok": 200, "unparsed": 10, "error": 6}, 0.64),
        ("facts-judges*.eval", "rating,rating1", 144, {"ok": 133, "unparsed": 7, "error": 4}, 6.300752),
        ("facts-roles.eval", None, 72, {"ok": 69, "unparsed": 3}, 0.608696),
        ("facts-roles-chunked.eval", None, 72, {"ok": 69, "unparsed": 3}, 0.608696),
        ("facts-roles-multiframe.eval", None, 72, {"ok": 69, "unparsed": 3}, 0.608696),
        ("facts-human.eval", "human_rating", 24, {"ok": 20, "missing": 4}, 2.7),
        ("facts-collect.eval", None, 72, {"ok": 63, "missing": 9}, 0.619048),
        ("facts-failed.eval", None, 24, {"ok": 23, "error": 1}, 0.652174),
        ("popularity-2025-05.json", None, 3, {"ok": 3}, 0.666667),
        ("security-guide-2025-05.json", None, 3, {"ok": 3}, 1.0),
        ("../malformed/unfinished.eval", None, 30, {"ok": 30}, 0.733333),
    ],
)
def test_logs_of_the_tool(logs, name, part, rows, statuses, mean):
    """Figures of a converter of its own, which agree with the log's where it has the same."""
    assert shape(read(logs / name, part=part)) == (rows, statuses, pytest.approx(mean, abs=5e-7))


@pytest.mark.slow
def test_graders_of_logs_of_the_tool(logs):
    table = read(logs / "facts-panel.eval", part="model_graded_qa")
    assert table.facet("judge").levels == ("mockllm/judge-a", "mockllm/judge-b", "mockllm/judge-c")
    judge, scores = table.column("judge"), np.nan_to_num(table.mean)
    each = [np.average(scores[judge == one], weights=table.n[judge == one]) for one in range(3)]
    assert each == pytest.approx([0.6, 0.571429, 0.612903], abs=5e-7)
    assert len(table.facet("category").levels) == 3
    human = read(logs / "facts-human.eval", part="human_rating")
    assert "scores changed after the run (by annotator), which count as they are now: 1" in human.notes


def test_logs_of_the_tool_that_are_refused_or_not_whole(logs):
    for name, said in {
        "popularity-2025-02-deflate.eval": "not scored yet",
        "no-samples-2025-05.json": "no samples",
        "popularity-2024-08-header-only.json": "no samples",
        "../malformed/truncated.eval": "is not a complete ZIP",
    }.items():
        with pytest.raises(InvalidData, match=said):
            read(logs / name)
    (caveat,) = read(logs / ".." / "malformed" / "unfinished.eval").source.caveats
    assert '"started", and 14 of 24 attempts are not in it' in str(caveat)
