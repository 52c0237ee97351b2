"""Numbers, words and totals as other languages and other people write them."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.table.reading.test_sheet import MARKS, N, rows, sheet

import quorate as q
from quorate.cli import main
from quorate.table.reading.reading import Unsure


def read(path, **options):
    return q.read(path, announce=False, **options)


def test_digits_of_another_script_are_numbers(tmp_path):
    arabic = str.maketrans("0123456789", "".join(chr(0x0660 + n) for n in range(10)))
    cells = [
        (str(n).translate(arabic), system, str(MARKS[n, k]).translate(arabic))
        for n in range(N)
        for k, system in enumerate(("x", "y"))
    ]
    table = read(sheet(tmp_path, *rows("question_id,model,score", cells)))
    assert (table.score_facts.low, table.score_facts.high) == (MARKS[:, :2].min(), MARKS[:, :2].max())
    assert "digits of another script are read as 0 to 9 in question_id, score" in table.notes


def test_means_below_marks_with_commas_of_which_some_are_absent(tmp_path):
    marks = np.random.default_rng(1).integers(8, 20, (60, 3)) / 2
    text = np.char.replace(marks.astype(str), ".", ",")
    text[3, 0] = "abs."
    kept = np.delete(marks[:, 0], 3)
    means = [f"{value:.1f}".replace(".", ",") for value in (kept.mean(), *marks[:, 1:].mean(axis=0))]
    cells = [(f"Article {n}", 300 + 7 * n, *row, "AB"[n % 2]) for n, row in enumerate(text)]
    header = "Titre;Nb mots;Note Mistral Large /10;Note Llama 3 /10;Note CamemBERT-sum /10;Évaluatrice"
    path = sheet(tmp_path, *rows(header, [*cells, ("MOYENNE", "", *means, "")], sep=";"))
    found = q.compare(path)
    assert found.board.n == 179
    assert len(found.board.systems) == 3


def test_what_passed_is_the_score_beside_counts_of_its_tests(tmp_path):
    cells = [
        (f"t{n}", system, sample, 10, MARKS[n, sample], MARKS[n, sample] > 5 + k)
        for n in range(N)
        for k, system in enumerate(("x", "y"))
        for sample in range(3)
    ]
    table = read(sheet(tmp_path, *rows("task,model,sample,tests_total,tests_passed,passed", cells)))
    assert (table.score, table.score_facts.high) == ("passed", 1)


def test_numbers_of_rows_do_not_say_how_often_a_ranking_was_given(tmp_path):
    rng = np.random.default_rng(2)
    lines = [
        json.dumps({"n": n, "who": "ab"[n % 2], "ranking": " > ".join(rng.permutation(list("xyz")))})
        for n in range(1, 41)
    ]
    votes = read(sheet(tmp_path, *lines, name="r.jsonl"))
    assert votes.weights.sum() == pytest.approx(40 * 3)  # three pairs each


def test_minus_one_among_marks_of_a_hundred_is_asked_about(tmp_path):
    marks = np.random.default_rng(3).integers(0, 101, (90, 2))
    marks[::9, 1] = -1
    cells = [(f"s{n}", system, marks[n, k]) for n in range(90) for k, system in enumerate(("x", "y"))]
    with pytest.raises(Unsure, match="holds -1, far from its other scores"):
        read(sheet(tmp_path, *rows("seg,system,da", cells)))


def test_marks_with_their_words_and_a_dash_for_none(tmp_path):
    said = {2: "2 \u2013 poor", 3: "3 \u2013 fair", 4: "4 \u2013 good", 5: "5 \u2013 excellent"}
    cells = [(f"q{n}", s, said[2 + MARKS[n, k] % 4] if n else "\u2014") for n in range(N) for k, s in enumerate("xy")]
    table = read(sheet(tmp_path, *rows("question,model,Mark", cells)))
    assert (table.labels, table.n_answers, table.score_facts.high) == ((), 2 * N - 2, 5)


def test_nested_scores_of_people_and_a_model_are_read_or_asked_about(tmp_path, monkeypatch, capsys):
    scores = {
        system: {
            f"story_{n}": {"editor_1": int(MARKS[n, 0]), "editor_2": int(MARKS[n, 1]), "llm_judge": int(MARKS[n, k])}
            for n in range(N)
        }
        for k, system in enumerate(("base", "dpo"))
    }
    path = tmp_path / "scores.json"
    path.write_text(json.dumps({"meta": {"n": 3}, "scores": scores}))
    monkeypatch.chdir(tmp_path)
    assert main(["analyze", str(path)]) in (0, 1)
    assert "internal error" not in "".join(capsys.readouterr())


def test_letters_that_win_in_japanese(tmp_path):
    said = ("A\u306e\u52dd\u3061", "B\u306e\u52dd\u3061", "\u5f15\u304d\u5206\u3051")
    cells = [(f"q{n}", *("xy" if n % 2 else "yx"), said[n % 3], "pq"[n % 2]) for n in range(60)]
    header = "\u8cea\u554f,\u30e2\u30c7\u30ebA,\u30e2\u30c7\u30ebB,\u5224\u5b9a,\u8a55\u4fa1\u8005"
    votes = read(sheet(tmp_path, *rows(header, cells)))
    assert (votes.models, len(votes.outcome)) == (("x", "y"), 60)
