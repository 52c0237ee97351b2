from __future__ import annotations

import json

import pytest
from quorate.reporting.gaming_report import gaming_page, methods

import quorate as q
from quorate.reporting.reproduce import Provenance


@pytest.mark.parametrize("name", ["page.html", "page.md", "page.json"])
def test_it_is_written(surface, tmp_path, name):
    text = q.report(surface(), tmp_path / name, charts=tmp_path / "charts").read_text(encoding="utf-8")
    assert "What gaming is worth" in text
    drawn = {one.name for one in (tmp_path / "charts").iterdir()}
    assert drawn == {"prizes.svg", "surface.svg", "mitigation.svg", "attempts.svg"}


def test_what_is_not_known_is_null(surface, tmp_path):
    found = json.loads(q.report(surface(), tmp_path / "page.json").read_text(encoding="utf-8"))
    assert found["prizes"][0]["low"] is None
    assert found["k"] == 27


def test_what_is_said_around_the_figures(surface):
    said = gaming_page(surface(), None, Provenance(seed=4)).said
    assert said["sentence"].startswith("The best of 27 attempts is expected ")
    assert len(said["tiles"]) == 3
    assert said["tiles"][2]["label"].endswith("one per item, for no more calls")
    assert said["caveats"][0].startswith("attempts are taken as equally good")
    assert said["provenance"]["seed"] == "4"
    assert said["provenance"]["options"].startswith("k 27, level 0.95, scale elo, redrawn ")


def test_methods(surface, table):
    assert "1.9983 (by quadrature)" in methods(surface())
    assert "Elo points" in methods(surface())
    fit = q.decompose(q.read(table(), announce=False))
    drawn = q.gaming(fit, 5, rng=1)
    assert "parametric bootstrap" in methods(drawn)
    assert gaming_page(drawn, None, Provenance()).said["provenance"]["seed"].startswith("none was stated")
    assert gaming_page(surface(), None, Provenance()).said["provenance"]["seed"] == "no random numbers were used"
