from __future__ import annotations

import pytest

RECORD = "parsing: first number in the answer\nmodels: {a: m-1, b: m-2, c: m-3}\ndates: 2026-10-01\nseed: 3\n"


@pytest.fixture
def study(tmp_path):
    path = tmp_path / "study.yaml"
    path.write_text(RECORD, encoding="utf-8")
    return path


def test_a_paragraph_then_the_checklist_then_what_is_missing(run, scores):
    ran = run("report", scores)
    said = " ".join(ran.out.split())
    assert (ran.code, ran.err) == (0, "")
    assert said.startswith("The balanced study has 216 judgments of 12 items, 3 prompts and 3 judges.")
    parts = [
        said.index(part) for part in ("Reporting checklist: 11 of 16 missing", "Missing - exact", "To do it again")
    ]
    assert parts == sorted(parts)
    assert "quorate report" in said


def test_a_record_fills_the_checklist(run, scores, study):
    found = run("report", scores, "--study", study, "--json").json
    status = {one["name"]: one["status"] for one in found["checklist"]}
    assert status["from answer to score"] == status["judges: model, version, provider, date"] == "reported"
    assert status["exact prompt texts"] == "missing"
    assert found["reproduction"]["seed of record"] == "3"
    assert found["paragraph"].startswith("The balanced study")


@pytest.mark.slow
def test_the_formats_say_the_same(run, scores, study):
    as_json = run("report", scores, "--study", study, "--format", "json").json
    text = run("report", scores, "--study", study, "--format", "markdown").out
    assert text.startswith("## Methods\n\nThe balanced study")
    assert sum(line.startswith("- [x]") for line in text.splitlines()) == sum(
        one["status"] != "missing" for one in as_json["checklist"]
    )


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--study", "none.yaml"], "record: none.yaml cannot be read (No such file or directory)"),
        (
            ["--study", "bad.yaml"],
            'record: bad.yaml: unknown key "promts"; did you mean "prompts"? allowed keys: title,',
        ),
        (["--json", "--format", "markdown"], "--json: contradicts --format markdown"),
        (["--format", "pdf"], "pdf"),
        (["--score", "points"], 'score: no column "points"'),
    ],
)
def test_a_wrong_option_is_one_line_and_exit_1(run, scores, tmp_path, words, says):
    (tmp_path / "bad.yaml").write_text("promts: x\n")
    ran = run("report", "scores.csv", *words)
    assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)
    assert says in ran.err


def test_hostile_records_are_shown_as_they_are(run, scores, tmp_path):
    (tmp_path / "odd.yaml").write_text('parsing: "[bold]x[/bold] \\e[31m <b>\\u202e"\n')
    ran = run("report", scores, "--study", "odd.yaml", "--format", "markdown")
    assert ran.code == 0
    assert "[bold]x[/bold]".replace("[", r"\[").replace("]", r"\]") in ran.out
    assert not {"\x1b", "\u202e"} & set(ran.out)
