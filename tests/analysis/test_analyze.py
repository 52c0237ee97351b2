from __future__ import annotations

import polars as pl
import pytest

import quorate as q
from quorate.analysis.analyze import analyze
from quorate.analysis.judgments import Analysis, analyze_judgments
from quorate.analysis.votes import PairAnalysis, VotesAnalysis
from quorate.errors import InvalidInput


@pytest.fixture(scope="module")
def results(ballots):
    """An analysis of scores, of all pairs of votes, and of two systems."""
    from studies import scores

    votes = ballots(each=300)
    judgments = q.read(scores(), announce=False)
    return {
        Analysis: analyze(judgments, price=0.5, level=0.9),
        VotesAnalysis: analyze(votes, minimum=50),
        PairAnalysis: analyze(votes, "a", "b", margin=0.05, minimum=50),
    }


@pytest.mark.parametrize("kind", [Analysis, VotesAnalysis, PairAnalysis])
def test_every_table_has_its_analysis(results, kind):
    found = results[kind]
    assert type(found) is kind
    assert found.sentence.endswith(".")
    assert isinstance(found.caveats, tuple)
    rows, frame = found.rows(), found.to_frame()
    assert len(frame) == len(rows) > 0
    assert set(frame.columns) == {key for row in rows for key in row}
    assert found.to_dict()


def test_options_are_passed_on(results):
    whole = analyze_judgments(results[Analysis].judgments, price=0.5, level=0.9)
    assert results[Analysis].rows() == whole.rows()
    assert results[Analysis].what_if[0].projection.cost == 0.5 * results[Analysis].what_if[0].projection.calls
    assert results[PairAnalysis].verdict.margin == 0.05
    assert results[VotesAnalysis].found.margins.minimum == 50


def test_rows_are_intervals_pairs_and_ways_to_count(results):
    assert [row["interval"] for row in results[Analysis].rows()] == ["naive", "this setup", "others like it"]
    assert [row["pair"] for row in results[VotesAnalysis].rows()] == list(results[VotesAnalysis].found.margins.pairs)
    assert results[PairAnalysis].rows()[0]["way"] == "votes independent"


@pytest.mark.parametrize(
    ("kind", "names", "options", "message"),
    [
        (Analysis, (), {"cluster": "prompt"}, "cluster: is for votes, and these are scores; leave it out"),
        (Analysis, ("a", "b"), {}, "a: is for votes"),
        (VotesAnalysis, (), {"method": "ml"}, "method: is for scores, and these are votes; leave it out"),
        (
            VotesAnalysis,
            (),
            {"margin": 0.1},
            "margin: is for two systems, as of quorate compare; name a and b, or leave it out",
        ),
        (VotesAnalysis, ("a",), {}, "a, b: give both systems, or neither"),
    ],
)
def test_an_option_of_another_question_is_refused(results, kind, names, options, message):
    table = results[kind].judgments if kind is Analysis else results[kind].votes
    with pytest.raises(InvalidInput, match=message):
        analyze(table, *names, **options)


def test_what_is_no_table_is_refused():
    with pytest.raises(InvalidInput, match=r"no such file scores\.csv"):
        analyze("scores.csv")


def test_labels_are_told_as_labels():
    rows = [
        {"item": i, "judge": j, "verdict": "good" if (i + k) % 3 else "bad"}
        for i in range(12)
        for k, j in enumerate("abc")
    ]
    table = q.read(pl.DataFrame(rows), score="verdict", labels=True, announce=False)
    assert analyze(table).to_dict() == q.scores.labels(table).to_dict()
    with pytest.raises(InvalidInput, match="half_width: is for scores, and these are labels"):
        analyze(table, half_width=0.1)
