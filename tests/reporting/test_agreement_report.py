from __future__ import annotations

import json
from dataclasses import replace

import pytest

import quorate as q
from quorate.analysis.agreement import AgreementView
from quorate.reporting.agreement_report import agreement_page, methods
from quorate.reporting.paper.reproduce import Provenance


@pytest.mark.parametrize("name", ["page.html", "page.md", "page.json"])
def test_agreement_is_written(agreed, hostile, tmp_path, name):
    path = q.report(agreed(hostile[:2], hostile[2:4]), tmp_path / name, charts=tmp_path / "charts")
    text = path.read_text(encoding="utf-8")
    assert "as people do" in text
    assert "<script>alert" not in text or name.endswith(".json")
    drawn = {one.stem for one in (tmp_path / "charts").iterdir()}
    assert drawn == {"agreement", "categories", "differences", "positions", "cells"}


def test_an_agreement_alone_is_written(agreed, tmp_path):
    path = q.report(agreed().found, tmp_path / "page.json")
    assert json.loads(path.read_text())["ties"] == {"judges": 0.175, "careful": 0.0, "hasty": 0.6625}


def test_what_is_said_around_the_figures(agreed):
    said = agreement_page(agreed(), None, Provenance("quorate agree v.csv", 3, "simulated")).said
    assert said["title"] == "Agreement with people"
    assert [tile["value"] for tile in said["tiles"]] == ["90%", "90%", "0%"]
    assert (said["note"], said["provenance"]["seed"]) == ("simulated", "3")


def test_the_seed_of_a_bootstrap_of_differences(agreed):
    def said(view):
        return agreement_page(view, None, Provenance()).said["provenance"]["seed"]

    assert said(agreed()).startswith("none was stated")
    for other in (replace(agreed().found, cluster="prompt"), replace(agreed().found, differences=())):
        assert said(AgreementView(other)) == "no random numbers were used"


def test_methods_say_how_intervals_were_made(agreed):
    view = agreed()
    said = methods(view)
    assert "Clopper and Pearson" in said
    assert "exact sign-flip test" in said
    assert "Right judgments of 4 cells have intervals by prompt" in said
    clustered = methods(AgreementView(replace(view.found, cluster="prompt")))
    assert "clustered by prompt: intervals of agreement are those of Korn and Graubard" in clustered
    assert "sign-flip" not in clustered
