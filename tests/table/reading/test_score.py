"""Which column is the score, beside what only says more of the items, of who judged, or how they were judged."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from tests.table.reading.test_forms import read
from tests.table.reading.test_sheet import MARKS, rows, sheet

import quorate as q
from quorate.cli import main
from quorate.errors import InvalidInput
from quorate.table.reading.reading import Unsure
from quorate.table.reread import answers

N = 24
_RNG = np.random.default_rng(5)
ITEM = [f"i{n // 3}" for n in range(3 * N)]
JUDGE = [f"r{n % 3}" for n in range(3 * N)]
SYSTEM = [f"s{n % 3}" for n in range(3 * N)]
MARK = _RNG.integers(1, 6, 3 * N).tolist()
YES = [("no", "yes")[int(one)] for one in _RNG.integers(0, 2, 3 * N)]
NUMBER = _RNG.integers(1, 40, 3 * N).tolist()
BROKEN = _RNG.normal(0, 3, 3 * N).round(3).tolist()


def of_item(values):
    return [values[n // 3 % len(values)] for n in range(3 * N)]


def of_judge(values):
    return [values[n % 3] for n in range(3 * N)]


def words(*labels):
    return [labels[one] for one in _RNG.integers(0, len(labels), 3 * N)]


@pytest.mark.parametrize(
    ("columns", "roles", "score"),
    [
        (
            {"issue_id": ITEM, "triager": JUDGE, "priority": words("P0", "P1", "P2"), "component": of_item(["ui"])},
            {"item": "issue_id", "judge": "triager"},
            "priority",
        ),
        (
            {
                "patient_id": ITEM,
                "physician": JUDGE,
                "diagnosis": words("nevus", "melanoma", "wart"),
                "confidence_pct": NUMBER,
            },
            {"item": "patient_id", "judge": "physician"},
            "diagnosis",
        ),
        (
            {
                "finding_id": ITEM,
                "cwe": of_item(["a", "b"]),
                "reviewer": JUDGE,
                "severity": words("low", "mid", "high"),
            },
            {"item": "finding_id", "judge": "reviewer"},
            "severity",
        ),
        (
            {"comment_id": ITEM, "worker_id": JUDGE, "worker_age": of_judge([20, 34, 41]), "toxic": words(0, 1)},
            {"item": "comment_id", "judge": "worker_id"},
            "toxic",
        ),
        (
            {"review_id": ITEM, "stars": of_item([1, 5, 3, 4]), "annotator": JUDGE, "sentiment_score": MARK},
            {"item": "review_id", "judge": "annotator"},
            "sentiment_score",
        ),
        (
            {"student_id": ITEM, "grade": of_item([7, 8, 9]), "marker": JUDGE, "band": MARK},
            {"item": "student_id", "judge": "marker"},
            "band",
        ),
        (
            {"response_id": ITEM, "grader": JUDGE, "met": words(True, False), "points": [5] * (3 * N)},
            {"item": "response_id", "judge": "grader"},
            "met",
        ),
        (
            {"task_id": ITEM, "agent": SYSTEM, "success": words(0, 1), "steps": NUMBER, "n_tools": NUMBER[::-1]},
            {"item": "task_id", "system": "agent"},
            "success",
        ),
        (
            {"transcript": ITEM, "model_type": SYSTEM, "rating": MARK, "is_upworker": words(True, False)},
            {"item": "transcript", "system": "model_type"},
            "rating",
        ),
        (
            {"query_id": ITEM, "retriever": SYSTEM, "faithfulness_score": MARK, "n_chunks": NUMBER},
            {"item": "query_id", "system": "retriever"},
            "faithfulness_score",
        ),
        (
            {"paper_id": ITEM, "reviewer_id": JUDGE, "rating": MARK, "confidence": MARK[::-1], "tidy": [*MARK[1:], 1]},
            {"item": "paper_id", "judge": "reviewer_id"},
            "rating",
        ),
        (
            {"subject_id": ITEM, "rater": JUDGE, "HAMD": NUMBER, "site": of_item([1, 2])},
            {"item": "subject_id", "judge": "rater"},
            "HAMD",
        ),
        (
            {"Stimulus": ITEM, "Participant Private ID": JUDGE, "Event Index": [*range(3 * N)], "Response": MARK},
            {"item": "Stimulus", "judge": "Participant Private ID"},
            "Response",
        ),
    ],
)
def test_the_score_is_what_differs_within_items(columns, roles, score):
    table = q.read(pl.DataFrame(columns, strict=False), announce=False)
    assert ({facet.name: facet.column for facet in table.facets}, table.score) == (roles, score)


@pytest.mark.parametrize(
    ("columns", "asked"),
    [
        ({"doc_id": ITEM, "score": BROKEN, "label": words(0, 1)}, "score and label may each be the score"),
        ({"id": [*range(3 * N)], "score": BROKEN, "label": words("safe", "unsafe")}, "score and label may each be"),
        ({"item": ITEM, "rater": JUDGE, "score": [-999, 99, *MARK[2:]]}, "score holds -999 and 99, far from its other"),
        ({"item": ITEM, "rater": JUDGE, "score": [None, 99, *MARK[2:]]}, "score holds 99.0, far from its other scores"),
        ({"item": ITEM, "rater": JUDGE, "mark": [-1, *MARK[1:]]}, "mark holds -1, far from its other scores"),
        ({"post_id": [*range(3 * N)], "toxic": MARK, "n_raters": [6, 7, 9] * N}, "toxic is never above n_raters"),
        (
            {"prompt": ITEM, "response_0": ["a"] * (3 * N), "response_1": ["b"] * (3 * N), "label": words(0, 1)},
            "label stands beside response_0 and response_1",
        ),
        (
            {"task": ITEM, "model": SYSTEM, "ratings": ["[1, 0, 1]", "[1, 1, 1]", "[0, 0, 1]"] * N},
            "ratings holds lists",
        ),
        ({"prompt_id": ITEM, "model": SYSTEM, "toxicity": BROKEN}, "less of toxicity is better by its name"),
        ({"utt": ITEM, "asr_system": SYSTEM, "error_count": NUMBER}, "less of error_count is better by its name"),
        (
            {"id": [*range(3 * N)], "faithfulness": BROKEN, "relevancy": BROKEN[::-1]},
            "faithfulness and relevancy are measures of their own by their names",
        ),
        (
            {"id": [*range(3 * N)], "helpfulness": MARK, "toxicity": MARK[::-1]},
            "helpfulness and toxicity are measures of their own by their names",
        ),
    ],
)
def test_what_may_be_meant_otherwise_is_asked(columns, asked):
    with pytest.raises(Unsure, match=asked) as found:
        q.read(pl.DataFrame(columns), announce=False)
    for way in found.value.ways:
        q.read(pl.DataFrame(columns), announce=False, recognise=True, **way.options)


def test_the_doctor_shows_the_ways_of_what_is_asked(tmp_path):
    path = tmp_path / "coded.csv"
    pl.DataFrame({"item": ITEM, "rater": JUDGE, "score": [-999, *MARK[1:]]}).write_csv(path)
    found = q.propose(path)
    assert (found.options, found.problem, found.confidence) == ({"missing": ("-999",)}, "", "unsure")
    assert [way.what for way in found.ways] == ["no score", "a score as it is"]
    assert q.read(path, announce=False, recognise=True, **found.options).n_answers == 3 * N - 1


@pytest.mark.parametrize("coded", [[-1, 0, 1], [0, 99, 100], [1, 3, 9]])
def test_scores_that_only_look_like_codes(coded):
    frame = pl.DataFrame({"item": ITEM, "rater": JUDGE, "score": [coded[n % 3] for n in MARK]})
    assert q.read(frame, announce=False).n_answers == len(frame)


@pytest.mark.parametrize(("scores", "scale"), [(words(0, 1), None), (MARK, (1, 5)), (BROKEN, None), (YES, None)])
def test_where_less_is_better_scores_stay_as_they_are(tmp_path, scores, scale):
    frame = pl.DataFrame({"item": ITEM, "system": SYSTEM, "score": scores})
    as_is = q.read(frame, scale=scale, announce=False)
    path = tmp_path / "scores.csv"
    frame.write_csv(path)
    for source in (frame, path):
        less = q.read(source, less_is_better=True, scale=scale, announce=False)
        one, other = (q.compare(table, "s0", "s1") for table in (less, as_is))
        assert one.estimate.to_dict() == other.estimate.to_dict()
        opposite = {"better": "worse", "worse": "better"}
        assert one.outcome.value == opposite.get(other.outcome.value, other.outcome.value)
        assert less.score_facts == as_is.score_facts
        assert np.allclose(answers(less).values, answers(as_is).values)
        assert less.notes[0] == "less is better"


def test_labels_have_no_order_to_turn():
    frame = pl.DataFrame({"item": ITEM, "rater": JUDGE, "score": words("a", "b")})
    with pytest.raises(InvalidInput, match="less_is_better: is of scores"):
        q.read(frame, labels=True, less_is_better=True)


def test_two_sides_by_their_names_with_short_labels():
    both = {"left": ["x1", "x2"] * N, "right": ["x2", "x1"] * N, "preference": ["left", "both"] * N}
    assert q.read(pl.DataFrame({"query": [*range(2 * N)], **both}), announce=False).models == ("x1", "x2")


SIDES = {"sys_a": ["hifigan", "wavernn"] * N, "sys_b": ["wavernn", "hifigan"] * N}


@pytest.mark.parametrize(
    ("outcomes", "meant"),
    [
        (["A>B", "B>A", "A=B"], "ab-"),
        (["[[A>>B]]", "[[B>A]]", "[[A=B]]"], "ab-"),
        (["A much better", "A slightly better", "B much better", "About the same"], "aab-"),
        (["left", "right", "both", "neither"], "ab--"),
        (["A", "B", "N/P"], "ab-"),
    ],
)
def test_how_outcomes_are_written(outcomes, meant):
    said = [n % len(outcomes) for n in range(2 * N)]
    frame = pl.DataFrame({"qid": [*range(2 * N)], **SIDES, "verdict": [outcomes[one] for one in said]})
    votes = q.read(frame, announce=False)
    won = [SIDES[f"sys_{meant[one]}"][n] for n, one in enumerate(said) if meant[one] != "-"]
    assert votes.models == ("hifigan", "wavernn")
    assert votes.wins("hifigan", "wavernn") == won.count("hifigan")
    assert votes.n_decisive == len(won)


def test_who_won_and_who_lost_beside_two_names_of_the_prompt():
    won = ["x", "y", "x", "z"] * N
    lost = ["y", "z", "z", "x"] * N
    ids = [f"p{n}" for n in range(4 * N)]
    frame = pl.DataFrame(
        {"prompt_id": ids, "prompt": [f"say {one}" for one in ids], "chosen_model": won, "rejected_model": lost}
    )
    assert q.read(frame, announce=False).models == ("x", "y", "z")


def test_two_systems_without_a_winner_are_asked_about_once():
    frame = pl.DataFrame({"system_A": ["x", "y"] * N, "system_B": ["y", "x"] * N, "cmos": MARK[: 2 * N]})
    with pytest.raises(Unsure, match="no column says which won") as found:
        q.read(frame)
    assert found.value.ways == ()


def test_a_system_that_a_table_does_not_have_is_said_how_to_name():
    frame = pl.DataFrame({"item": ITEM, "rater": JUDGE, "score": MARK})
    with pytest.raises(InvalidInput, match=r'no facet "system".*name its column with facets={"system": ...}'):
        q.compare(q.read(frame, announce=False), "a", "b")


def test_that_less_is_better_answers_whether_it_is(tmp_path):
    cells = [(f"A{n}", s, f"R{j}", MARKS[n, k + j]) for n in range(N) for k, s in enumerate("xy") for j in (0, 1)]
    path = sheet(tmp_path, *rows("accession,system,reader,serious_errors", cells))
    with pytest.raises(Unsure, match="less of serious_errors is better by its name"):
        read(path)
    assert "less is better" in read(path, less_is_better=True).notes
    assert main(["analyze", str(path), "--less-is-better", "--no-report"]) in (0, 2)
