from __future__ import annotations

import pytest

import quorate as q
from quorate.reproduction import comparison
from quorate.reproduction.study import Publication, Published, publication


def test_a_file_for_another_tool_and_back(run, scores, tmp_path):
    ran = run("export", scores, "out.parquet")
    assert (ran.code, ran.out.split(":")[0]) == (0, "Wrote out.parquet")
    assert q.read(tmp_path / "out.parquet", announce=False).n_answers == 216
    ran = run("export", scores, "shared", "--format", "every-eval-ever", "--only", "prompt=x", "--json")
    assert (ran.code, ran.json["rows"], ran.json["per"]) == (0, 72, "answer")
    assert q.read(tmp_path / "shared", announce=False).n_answers == 72


def test_a_format_that_is_not_there(run, scores):
    assert 'no format "xml"' in run("export", scores, "out", "--format", "xml").refused()


def test_figures_beside_ours_with_verdicts_and_errata(run):
    ran = run("papers", "tee.safety", "lee.tables")
    assert ran.code == 0
    assert ran.out.startswith("Of ")
    assert "E3: Sample sizes of appendices" in run("papers", "lee.tables", "--full").out


def test_json_has_the_rows(run):
    ran = run("papers", "budget.bounds", "--json")
    found = ran.json
    assert ran.code == 0
    assert {one["study"] for one in found["figures"]} == {"budget.bounds"}
    assert found["seed"] == 1


def test_votes_are_written_up_on_the_page_of_their_board(run, tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("prompt,model_a,model_b,winner\n" + "".join(f"p{k},x,y,model_a\n" for k in range(9)))
    assert f"quorate rank {path} --report page.html" in run("report", path).refused()


def test_a_list_computes_nothing(run):
    ran = run("papers", "--list")
    assert ran.code == 0
    assert "convergence, additivity" in ran.out
    assert len(ran.out.splitlines()) <= 25
    whole = run("papers", "--list", "--full").out
    assert "mc.additivity" in whole
    assert "1,000" in whole
    assert run("papers", "lee", "--list", "--json").json["studies"][0]["id"] == "lee.tables"


def test_a_miss_without_an_explanation_is_found(run, monkeypatch):
    known = publication()
    worse = (Published("worked example, margin .06", "section 3.5", 999, 1),)
    off = Publication(known.papers, {**known.figures, "lee.tables": worse}, known.errata)
    monkeypatch.setattr(comparison, "publication", lambda: off)
    ran = run("papers", "lee.tables")
    assert ran.code == 2
    assert "1 disagrees without an explanation" in ran.out.replace("\n", " ")


def test_an_unknown_study_is_one_line(run):
    assert 'no study "unknown"' in run("papers", "unknown").refused()


def test_its_page(run, tmp_path):
    ran = run("papers", "lee.tables", "budget.bounds", "--report", tmp_path / "page.md")
    assert ran.code == 0
    assert "power 0.95" in (tmp_path / "page.md").read_text(encoding="utf-8")


def test_files_that_are_not_part_of_the_package(run, tmp_path):
    ran = run("papers", "tee.pilot")
    assert ran.code == 0
    assert "13 cannot be recomputed here" in ran.said
    assert "give --data DIR" in run("papers", "tee.pilot", "--full").said
    [listed] = run("papers", "tee.pilot", "--list", "--json").json["studies"]
    assert listed["needs"][0].startswith("data/processed/pilot_vs_full_likert_cot.csv of the replication archive")
    assert "data: no such folder" in run("papers", "tee.pilot", "--data", tmp_path / "none").err


RECORD = "parsing: first number in the answer\nmodels: {a: m-1, b: m-2, c: m-3}\ndates: 2026-10-01\nseed: 3\n"


@pytest.fixture
def study(tmp_path):
    path = tmp_path / "study.yaml"
    path.write_text(RECORD, encoding="utf-8")
    return path


def test_a_paragraph_then_the_checklist_then_what_is_missing(run, scores):
    short = run("report", scores).out
    assert len(short.splitlines()) <= 25
    assert "Reporting checklist: 11 of 16 missing - minimum: exact prompt texts; " in " ".join(short.split())
    ran = run("report", scores, "--full")
    assert (ran.code, ran.err) == (0, "")
    assert ran.said.startswith("The balanced study has 216 judgments of 12 items, 3 prompts and 3 judges.")
    parts = [
        ran.said.index(part) for part in ("Reporting checklist: 11 of 16 missing", "Missing - exact", "To do it again")
    ]
    assert parts == sorted(parts)
    assert "quorate report" in ran.said


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
    assert says in run("report", "scores.csv", *words).refused()


def test_hostile_records_are_shown_as_they_are(run, scores, tmp_path):
    (tmp_path / "odd.yaml").write_text('parsing: "[bold]x[/bold] \\e[31m <b>\\u202e"\n')
    ran = run("report", scores, "--study", "odd.yaml", "--format", "markdown")
    assert ran.code == 0
    assert "[bold]x[/bold]".replace("[", r"\[").replace("]", r"\]") in ran.out
    assert not {"\x1b", "\u202e"} & set(ran.out)
