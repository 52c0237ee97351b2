"""Columns side by side: crossed in their headers, made of others, computed by programs, of people with titles."""

from __future__ import annotations

import numpy as np
import pytest
from tests.table.reading.test_sheet import MARKS, N, rows, sheet

import quorate as q
from quorate.cli import main
from quorate.table.reading.reading import Unsure


def read(path, **options):
    return q.read(path, announce=False, **options)


def test_a_column_that_is_the_mean_of_all_others_is_no_judge(tmp_path):
    cells = [(f"C{n:02}", *row, round(float(np.mean(row)), 1)) for n, row in enumerate(MARKS[:, :3])]
    table = read(sheet(tmp_path, *rows("Fall,Dr. Kern,Prof. Dr. Anna Weiss,Dott.ssa Ferri,Gemein", cells)))
    assert table.facet("judge").levels == ("Dott.ssa Ferri", "Dr. Kern", "Prof. Dr. Anna Weiss")
    far = [(*row[:-1], row[-1] + (n == 0)) for n, row in enumerate(cells)]  # one row that is not
    with pytest.raises(Unsure, match="Gemein hold"):
        read(sheet(tmp_path, *rows("Fall,Kern,Weiss,Ferri,Gemein", far)))


def test_headers_that_cross_systems_with_criteria_are_measures(tmp_path, monkeypatch, capsys):
    systems, criteria = ("Paintly 2", "DiffuBrush"), ("Anatomy", "Style match", "Prompt fit")
    header = ",".join(["Prompt", "Reviewer", *(f"{one} ({by})" for one in systems for by in criteria)])
    marks = np.random.default_rng(3).integers(1, 8, (N, 2, 6)) + np.repeat([0, 2], 3)
    cells = [(f"P{n}", name, *marks[n, k]) for n in range(N) for k, name in enumerate(("Hana", "Ofer"))]
    path = sheet(tmp_path, *rows(header, cells))
    monkeypatch.chdir(tmp_path)
    assert main(["compare", str(path)]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in criteria)
    assert "DiffuBrush against Paintly 2: Anatomy better" in " ".join(shown.split())


def test_names_end_where_a_bracket_of_all_of_them_begins(tmp_path):
    cells = [(f"P{n}", *MARKS[n, :2]) for n in range(N)]
    path = sheet(tmp_path, *rows("item,Ada (web),Bly (web)", cells))
    assert read(path, wide={"system": ["Ada (web)", "Bly (web)"]}).facet("system").levels == ("Ada", "Bly")


def test_error_rates_beside_what_they_are_made_of_are_of_systems(tmp_path):
    counts = np.random.default_rng(1).integers(0, 4, (N, 2, 3))
    header = ",".join(["utt_id", *(f"{one}_{end}" for one in ("big", "small") for end in ("sub", "ins", "del", "wer"))])
    cells = [(f"u{n}", *(x for each in row for x in (*each, each.sum() * 4.5))) for n, row in enumerate(counts)]
    table = read(sheet(tmp_path, *rows(header, cells)))
    assert table.facet("system").levels == ("big", "small")
    assert any("less is better" in note for note in table.notes)


def test_systems_of_a_list_with_names_once_for_several_rows(tmp_path):
    engines = ("Alt", "Neu", "Misch")
    cells = [
        (f"V{n}" if not k else "", f"q {n}" if not k else "", one, MARKS[n, k], 130 + 7 * n + k)
        for n in range(N)
        for k, one in enumerate(engines)
    ]
    table = read(sheet(tmp_path, *rows("Nr,Zoekvraag,Zoekmachine,Relevantie (0-9),Reactietijd (ms)", cells)))
    assert (table.n_levels("item"), table.facet("system").levels) == (N, ("Alt", "Misch", "Neu"))


def test_votes_whose_sides_are_called_so_in_other_languages(tmp_path):
    rng = np.random.default_rng(2)
    pairs = [rng.choice(["Kaede", "Hayate", "Sora"], 2, replace=False) for _ in range(60)]
    said = ("\u5de6", "\u53f3", "\u5f15\u304d\u5206\u3051", "\u4e21\u65b9\u60aa\u3044")
    cells = [(n, f"Q{n % 20}", *pair, said[n % 4], "AB"[n % 2], 40 + n) for n, pair in enumerate(pairs)]
    header = (
        "No,\u8cea\u554fID,\u5de6\u306e\u30e2\u30c7\u30eb,\u53f3\u306e\u30e2\u30c7\u30eb,\u5224\u5b9a,"
        "\u8a55\u4fa1\u8005,\u6240\u8981\u79d2"
    )
    votes = read(sheet(tmp_path, *rows(header, cells)))
    assert (votes.models, len(votes.outcome)) == (("Hayate", "Kaede", "Sora"), 60)


def test_what_describes_each_system_is_not_asked_about(tmp_path):
    agents = (("react/big", "react"), ("plan/big", "plan"), ("plan/small", "plan"))
    cells = [
        (n, trial, *agents[k], int(MARKS[n, k] > 4 + trial), ("stop", "steps")[n % 2])
        for n in range(N)
        for trial in range(2)
        for k in range(3)
    ]
    table = read(sheet(tmp_path, *rows("task_id,trial,agent.name,agent.scaffold,reward,termination", cells)))
    assert table.facet("system").levels == ("plan/big", "plan/small", "react/big")


def test_teachers_beside_graders_that_are_models_and_one_essay_entered_twice(tmp_path, monkeypatch, capsys):
    marks = np.random.default_rng(5).integers(1, 7, (60, 1)) + np.random.default_rng(6).integers(0, 2, (60, 4))
    cells = [(f"E{n - (n == 59)}", 6 + n % 6, *row) for n, row in enumerate(marks)]
    path = sheet(tmp_path, *rows("essay,grade_level,teacher_Okafor,teacher_Lind,llm_grader_ink,llm_grader_pen", cells))
    monkeypatch.chdir(tmp_path)
    assert main(["judges", str(path)]) == 0
    assert "most as people do" in " ".join(capsys.readouterr().out.split())


def test_a_column_of_what_is_right_is_what_judges_are_held_against(tmp_path, monkeypatch, capsys):
    kinds = np.array(["Liability", "Law", "Other"])
    truth = np.random.default_rng(7).integers(0, 3, 60)
    given = [np.where(np.random.default_rng(seed).random(60) < 0.8, truth, (truth + 1) % 3) for seed in (8, 9, 10)]
    cells = [(f"c{n}", kinds[truth[n]], *(kinds[one[n]] for one in given)) for n in range(60)]
    path = sheet(tmp_path, *rows("clause_id,gold_attorney,lexmind,claria-2,paralegal", cells))
    monkeypatch.chdir(tmp_path)
    assert main(["judges", str(path)]) == 0
    assert "is right on" in " ".join(capsys.readouterr().out.split())
