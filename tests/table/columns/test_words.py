"""Words as scores: the share of one label, and numbers of labels, from every kind of source."""

from __future__ import annotations

import duckdb
import polars as pl
import pytest

import quorate as q
from quorate.cli.spelling import in_options
from quorate.errors import InvalidData, InvalidInput, UnknownTerm
from quorate.table.reread import answers

FRAME = pl.DataFrame(
    {"item": list("aabbcc"), "judge": list("xyxyxy"), "verdict": ["toxic", "fine", "toxic ", "toxic", None, "unsure"]}
)


@pytest.fixture(params=["frame", "lazy", "duckdb", "csv"])
def source(request, tmp_path):
    path = tmp_path / "l.csv"
    FRAME.write_csv(path)
    frame = FRAME.to_arrow()
    return (
        {"frame": FRAME, "lazy": FRAME.lazy(), "csv": path}.get(request.param)
        if request.param != "duckdb"
        else (duckdb.sql("SELECT * FROM frame") if frame is not None else None)
    )


@pytest.mark.wide(2)
def test_the_share_of_a_label(source):
    table = q.read(source, score="verdict", label="toxic", announce=False)
    assert table.mean.tolist()[:4] == [1, 0, 1, 1]
    assert (table.n_answers, int(table.status["missing"].sum())) == (5, 1)
    assert sorted(answers(table).values.tolist()) == [0, 0, 1, 1, 1]
    assert 'score: 1 where verdict is "toxic", 0 where it is another word' in table.notes


def test_a_label_that_nobody_gave(source):
    with pytest.raises(UnknownTerm, match='no label "toxc"; there are "fine", "toxic", "unsure"; did you mean "toxic"'):
        q.read(source, score="verdict", label="toxc", announce=False)


@pytest.mark.wide(2)
def test_numbers_that_labels_stand_for(source):
    table = q.read(source, score="verdict", numbers={"Toxic": 3, "fine": 1}, missing=("unsure",), announce=False)
    assert table.mean.tolist()[:4] == [3, 1, 3, 3]
    assert (table.scale, table.n_answers, int(table.status["missing"].sum())) == ((1, 3), 4, 2)
    assert sorted(answers(table).values.tolist()) == [1, 3, 3, 3]
    assert table.notes[0] == 'score: of verdict, "fine" is 1 and "toxic" is 3'


def test_a_word_without_a_number(source):
    with pytest.raises(InvalidData) as caught:
        q.read(source, score="verdict", numbers={"toxic": 3, "fine": 1}, announce=False)
    assert str(caught.value) == (
        'column "verdict" has "unsure" (1 row) beside scores; if that is no score, say missing="unsure", else its '
        'number with numbers={"toxic": 3.0, "fine": 1.0, "unsure": ...}'
    )
    assert in_options(caught.value.args[0]).endswith(
        "say --missing unsure, else its number with --numbers toxic=3,fine=1,unsure=NUMBER"
    )


def test_a_known_scale_needs_no_labels_and_says_what_became_what(tmp_path):
    words = ["Agree", "strongly agree", None, "disagree", "Neutral", "agree"]
    frame = pl.DataFrame({"item": list("aabbcc"), "judge": list("xyxyxy"), "score": words})
    path = tmp_path / "w.jsonl"
    frame.write_ndjson(path)
    for source in (frame, frame.lazy(), path):
        table = q.read(source, announce=False)
        assert table.mean[table.n > 0].tolist() == [4, 5, 2, 3, 4]
        assert table.scale == (1, 5)
        assert table.notes[0] == (
            "score: of score, strongly disagree is 1, disagree is 2, neutral is 3, agree is 4, strongly agree is 5"
        )
        assert sorted(answers(table).values.tolist()) == [2, 3, 4, 4, 5]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            ["red", "blue", "red", "red"],
            'read each as a label with labels=True, the share of one with label="red", or say',
        ),
        (["poor", "good", "poor", "good"], 'or say their numbers with numbers={"good": 3.0, "poor": 1.0}'),
        (
            ["1", "2", "N/A", "none"],
            'has "N/A" (1 row) and "none" (1 row) beside scores; if that is no score, say missing',
        ),
        (["3,5", "4,5", "1,0", "2,0"], "of 4 in all: write decimals with a point"),
        (["10%", "x", "20%", "30%"], 'has "x" (1 row) beside scores; if that is no score, say missing="x", or drop'),
    ],
)
def test_other_words_are_refused_with_what_to_say(words, told):
    frame = pl.DataFrame({"item": list("aabb"), "judge": list("xyxy"), "score": words})
    with pytest.raises(InvalidData) as caught:
        q.read(frame, recognise=True, announce=False)
    assert told in str(caught.value)


def test_many_words_are_found_by_their_place(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("item,judge,score\n" + "".join(f"i{i // 2},{'xy'[i % 2]},{i / 2}%\n" for i in range(200)))
    table = q.read(path, announce=False)
    assert sorted(table.mean.tolist()) == pytest.approx([i / 200 for i in range(200)])
    assert table.scale == (0, 1)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"numbers": {}}, "numbers: expects words with their numbers"),
        ({"numbers": {"a": "x"}}, "numbers: \"a\" stands for 'x', which is no number"),
        ({"numbers": {"a": 1, "A": 2}}, 'numbers: "A" is given twice, for different numbers'),
        ({"numbers": {"a": 1}, "label": "a"}, "numbers give each word one; give one of the two"),
    ],
)
def test_labels_that_contradict_themselves(given, told):
    with pytest.raises(InvalidInput, match=told):
        q.read(FRAME, score="verdict", announce=False, **given)


def test_letters_may_be_grades_answers_or_sides():
    frame = pl.DataFrame({"item": list("aabb"), "judge": list("xyxy"), "score": ["A", "B+", "F", "B+"]})
    assert q.read(frame, announce=False).mean.tolist() == [4, 3.3, 0, 3.3]
    letters = frame.with_columns(score=pl.Series(["A", "B", "C", "B"]))
    with pytest.raises(InvalidData) as caught:
        q.read(letters, announce=False)
    assert [one.name for one in caught.value.arguments] == ["labels", "label", "numbers", "winner"]
    assert caught.value.arguments[2].value == {"B": 3, "A": 4, "C": 2}


def test_numbers_that_only_tell_things_apart_are_labels_too():
    frame = pl.DataFrame({"item": list("aabb"), "judge": list("xyxy"), "score": [10.0, 9.0, 9.0, 2.0]})
    table = q.read(frame, labels=True, announce=False)
    assert (table.labels, table.mean.tolist(), table.scale) == (("2", "9", "10"), [2, 1, 1, 0], None)
    for given, told in (({"label": "9"}, "labels: takes every word"), ({"scale": (1, 10)}, "scale: is that of scores")):
        with pytest.raises(InvalidInput, match=told):
            q.read(frame, labels=True, announce=False, **given)
    many = pl.DataFrame({"item": range(101), "score": [f"w{i}" for i in range(101)]})
    with pytest.raises(InvalidData, match="101 different words, and at most 100 can be labels"):
        q.read(many, labels=True, announce=False)


@pytest.mark.wide(2)
def test_labels_from_every_kind_of_source(source):
    table = q.read(source, score="verdict", labels=True, missing=("unsure",), announce=False)
    assert (table.labels, table.mean.tolist()[:4]) == (("fine", "toxic"), [1, 0, 1, 1])
    assert (table.n_answers, int(table.status["missing"].sum())) == (4, 2)
    assert sorted(answers(table).values.tolist()) == [0, 1, 1, 1]
    assert table.notes[0] == 'labels: the words of verdict, "fine" and "toxic"'


@pytest.mark.wide(2)
def test_a_number_that_is_no_score_is_no_place_of_a_word(source):
    """The share of a label is 0 for another word, also where 0 is written for no score."""
    table = q.read(source, score="verdict", label="toxic", missing=("0", "unsure"), announce=False)
    assert (table.mean.tolist()[:4], table.n_answers) == ([1, 0, 1, 1], 4)
    table = q.read(source, score="verdict", labels=True, missing=("0", "1"), announce=False)
    assert (table.n_answers, sorted(answers(table).values.tolist())) == (5, [0, 1, 1, 1, 2])
