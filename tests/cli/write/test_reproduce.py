from __future__ import annotations

from quorate.reproduction import comparison
from quorate.reproduction.published import Publication, Published, publication


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


def test_a_list_computes_nothing(run):
    ran = run("papers", "--list")
    assert ran.code == 0
    assert "mc.additivity" in ran.out
    assert "1,000" in ran.out
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
    ran = run("papers", "unknown")
    assert ran.code == 1
    assert 'no study "unknown"' in ran.err


def test_its_page(run, tmp_path):
    ran = run("papers", "lee.tables", "budget.bounds", "--report", tmp_path / "page.md")
    assert ran.code == 0
    assert "power 0.95" in (tmp_path / "page.md").read_text(encoding="utf-8")


def test_files_that_are_not_part_of_the_package(run, tmp_path):
    ran = run("papers", "tee.pilot")
    assert ran.code == 0
    assert "13 cannot be recomputed here" in " ".join(ran.out.split())
    assert "give --data DIR" in " ".join(run("papers", "tee.pilot", "--full").out.split())
    [listed] = run("papers", "tee.pilot", "--list", "--json").json["studies"]
    assert listed["needs"][0].startswith("data/processed/pilot_vs_full_likert_cot.csv of the replication archive")
    assert "data: no such folder" in run("papers", "tee.pilot", "--data", tmp_path / "none").err
