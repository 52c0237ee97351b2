"""`quorate status --interim`: what a study says so far."""

from __future__ import annotations

import json

from under_way import scored


def test_half_done_and_nothing(run, tmp_path, capsys):
    path = scored(tmp_path, calls=20, items=6)
    capsys.readouterr()
    ran = run("status", "--interim", path, "--report", tmp_path / "so-far.md")
    assert (ran.code, ran.err) == (2, "")
    assert ran.out.startswith("20 of 24 cells are finished. So far the mean score is ")
    assert "to watch" in ran.out
    assert "What is decided" in (tmp_path / "so-far.md").read_text(encoding="utf-8")
    (tmp_path / "study.db").rename(tmp_path / "gone.db")
    nothing = run("status", "--interim", path, "--json")
    assert nothing.code == 2
    assert json.loads(nothing.out)["kind"] == "none"
