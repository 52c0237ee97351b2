"""Several measures of one file: each is answered by itself, where which is meant is all that is open."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

import quorate as q
from quorate.cli import main
from quorate.table.measured import Measures
from quorate.table.reading.reading import Unsure, offered

RNG = np.random.default_rng(7)
N = 30
SHARES = RNG.random((N, 4)).round(3)


def sheet(folder, head, cells, name="table.csv"):
    path = folder / name
    with path.open("w", newline="") as stream:
        csv.writer(stream).writerows([head.split(","), *cells])
    return path


@pytest.fixture
def ragas(tmp_path):
    """The CSV of an evaluation by Ragas with three metrics."""
    head = "user_input,response,faithfulness,answer_relevancy,context_recall"
    return sheet(tmp_path, head, [(f"question {n}", "an answer", *SHARES[n, :3]) for n in range(N)])


@pytest.fixture
def metrics(tmp_path):
    """Two systems with three metrics each, of two scales."""
    cells = [
        (n, name, SHARES[n, s], round(40 * SHARES[n, s + 2], 2))
        for n in range(N)
        for s, name in enumerate(("gpt-4o", "claude-3"))
    ]
    return sheet(tmp_path, "id,model,rouge_l,bleu", cells, "metrics.csv")


def test_every_metric_of_a_log_is_what_it_is_alone(ragas):
    found = q.analyze(ragas)
    assert isinstance(found, Measures)
    assert [one.name for one in found.measures] == ["faithfulness", "answer_relevancy", "context_recall"]
    for one in found.measures:
        alone = q.analyze(q.read(ragas, part=one.name, announce=False))
        assert one.answer.estimate.ends == alone.estimate.ends
        assert one.answer.estimate.value == pytest.approx(SHARES[:, found.measures.index(one)].mean())
    assert [row["value"] for row in found.rows()] == [one.answer.estimate.value for one in found.measures]
    assert "3 measures, each by itself" in found.sentence


def test_every_column_of_measures_is_what_it_is_alone(tmp_path):
    cells = [(n, *SHARES[n, :2], int(300 + 600 * SHARES[n, 2])) for n in range(N)]
    path = sheet(tmp_path, "question_id,faithfulness,answer_relevancy,latency_ms", cells)
    found = q.analyze(path)
    assert {one.name: one.answer.estimate.value for one in found.measures} == pytest.approx(
        {"faithfulness": SHARES[:, 0].mean(), "answer_relevancy": SHARES[:, 1].mean()}
    )


@pytest.mark.parametrize("function", [q.analyze, q.compare])
def test_two_systems_are_compared_by_each_measure(metrics, function):
    found = function(metrics)
    for one in found.measures:
        alone = q.compare(q.read(metrics, score=one.name, recognise=True, announce=False))
        assert abs(one.answer.estimate.value) == pytest.approx(abs(alone.estimate.value))
        assert one.answer.outcome == alone.outcome
    assert found.verdicts
    assert found.exit_code == max(one.answer.exit_code for one in found.measures)


def test_boards_are_made_of_each_measure(metrics):
    found = q.rank(metrics)
    assert {row["measure"] for row in found.rows()} == {"rouge_l", "bleu"}
    assert not found.estimated


def test_a_table_of_one_measure_is_asked_for_where_one_is_needed(metrics, ragas):
    with pytest.raises(Unsure, match="may each be the score"):
        q.read(metrics)
    with pytest.raises(Unsure, match="need not answer one question"):
        q.plan(ragas)


def test_what_people_said_is_no_measure_beside_that_of_a_judge(tmp_path):
    head = "user_input,response,faithfulness,human_rating"
    path = sheet(tmp_path, head, [(f"question {n}", "an answer", *SHARES[n, :2]) for n in range(N)])
    with pytest.raises(Unsure, match="need not answer one question"):
        q.analyze(path)


def test_a_measure_without_an_answer_leaves_the_question(tmp_path):
    path = sheet(tmp_path, "id,model,rouge_l,bleu", [(0, "gpt-4o", 0.5, 20.5), (0, "claude-3", 0.25, 30.5)])
    with pytest.raises(q.QuorateError):
        q.compare(path)


def test_a_question_names_two_measures_and_their_mean(tmp_path):
    cells = [(n, *SHARES[n]) for n in range(N)]
    path = sheet(tmp_path, "id,faithfulness,answer_relevancy,context_recall,context_precision", cells)
    with pytest.raises(Unsure) as raised:
        q.read(path)
    assert len(raised.value.measures) == SHARES.shape[1]
    assert [way.measure for way in offered(raised.value.ways)] == ["faithfulness", "answer_relevancy", ""]


@pytest.mark.parametrize("verb", ["analyze", "compare", "rank"])
def test_the_command_says_each_and_writes_one_page(metrics, verb, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    code = main([verb, str(metrics), "--report", "page.html"])
    out = capsys.readouterr().out
    assert code == q.compare(metrics).exit_code
    assert "rouge_l" in out
    assert "bleu" in out
    page = (tmp_path / "page.html").read_text()
    assert page.count('<section id="measure-') == 2
    assert page.index('id="figure-1-') > page.index('<section id="measure-1"')


def test_plain_values_are_those_of_each(ragas, capsys):
    assert main(["analyze", str(ragas), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [one["measure"] for one in found["measures"]] == ["faithfulness", "answer_relevancy", "context_recall"]
    alone = q.analyze(q.read(ragas, part="context_recall", announce=False))
    assert found["measures"][2]["sentence"] == alone.sentence


def test_measures_in_rows_are_told_by_the_column_of_a_tool_that_names_them(tmp_path):
    cells = [(f"t{n}", name, SHARES[n, m]) for n in range(N) for m, name in enumerate(("conciseness", "feedback"))]
    path = sheet(tmp_path, "traceId,name,value", cells)
    found = q.analyze(path)
    assert [one.answer.estimate.value for one in found.measures] == pytest.approx(SHARES[:, :2].mean(axis=0))
    with pytest.raises(Unsure, match="name names 2 measures"):
        q.read(path)


def test_winners_by_criteria_are_each_a_board(tmp_path):
    names = ("fluency_winner", "adequacy_winner")
    cells = [(n, *(("DeepL", "own", "tie")[int(3 * one)] for one in SHARES[n, :2])) for n in range(N)]
    path = sheet(tmp_path, f"segment,{','.join(names)}", cells)
    found = q.rank(path)
    assert [one.name for one in found.measures] == list(names)
    for place, one in enumerate(found.measures):
        votes = q.read(path, model_a=":DeepL", model_b=":own", winner=names[place], announce=False)
        assert one.answer.sentence == q.rank(votes).sentence
    assert [one.answer.sentence for one in q.analyze(path).measures] == [
        q.analyze(q.read(path, model_a=":DeepL", model_b=":own", winner=name, announce=False)).sentence
        for name in names
    ]


def test_winners_of_many_systems_by_criteria_are_each_analysed(tmp_path, capsys):
    pairs = [("u", "v"), ("v", "w"), ("w", "u")]
    cells = [(n, *pairs[n % 3], *(pairs[n % 3][int(2 * one)] for one in SHARES[n, :2])) for n in range(N)]
    path = sheet(tmp_path, "segment,model_a,model_b,fluency_winner,adequacy_winner", cells)
    assert main(["analyze", str(path), "--no-report"]) in (0, 2)
    assert "2 measures, each by itself." in capsys.readouterr().out
