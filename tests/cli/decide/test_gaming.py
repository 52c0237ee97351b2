from __future__ import annotations

import json

import pytest


@pytest.fixture
def parts(tmp_path):
    path = tmp_path / "parts.json"
    random = {"item": 0.09, "item:judge": 0.04, "prompt": 0.002, "prompt:judge": 0.001}
    path.write_text(json.dumps({"random": random, "sensitivity": {"judge": 0.002}}))
    return path


@pytest.mark.slow
def test_the_surface_of_a_file(run, scores):
    ran = run("rank", "--tries", "27", scores, "-k", 10, "--seed", 1)
    said = " ".join(ran.out.split())
    assert (ran.code, ran.err) == (0, "")
    assert said.startswith("The best of 10 attempts is expected ")
    assert "design calls SE prize 95% interval" in said
    assert "change prize left taken away more calls" in said
    assert "attempts are taken as equally good" in said


def test_published_components_in_elo_points(run, parts):
    ran = run(
        "rank",
        "--tries",
        "27",
        parts,
        "--items",
        170,
        "--scale",
        "elo",
        "--judges",
        "1,3",
        "--prompts",
        "1-2",
        "--price",
        0.01,
    )
    said = " ".join(ran.out.split())
    assert ran.code == 0
    assert "design calls SE prize 1 prompt x 1 judge 170" in said
    assert "more USD" in said
    assert "95% interval" not in said


def test_designs_prices_and_what_is_redrawn(run, parts):
    words = ("rank", parts, "--tries", 27, "--items", 100, "--redrawn", "prompt,judge", "--json")
    found = run(*words, "--prompts", "1,2,3", "--prompt-price", 2).json
    assert [one["label"].split(" x ")[0] for one in found["prizes"]] == ["1 prompt", "2 prompts", "3 prompts"]
    assert sorted(found["redrawn"]) == ["judge", "prompt"]
    assert found["expected"] == pytest.approx(1.998269, abs=1e-6)
    assert found["mitigation"][0]["more_cost"] is not None


def test_a_report(run, scores, tmp_path):
    page, charts = tmp_path / "gaming.html", tmp_path / "charts"
    ran = run("rank", "--tries", "27", scores, "--report", page, "--charts", charts, "--seed", 1)
    assert "Charts: 4 files" in ran.out
    text = page.read_text(encoding="utf-8")
    assert "scores.csv" in text
    assert "the same input gives the same figures" not in text
    assert run("rank", "--tries", "27", scores, "--report", tmp_path / "g.json", "--seed", 5).code == 0
    assert json.loads((tmp_path / "g.json").read_text())["provenance"]["seed"] == "5"
    assert (charts / "surface.svg").read_text().startswith("<svg")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("{scores} --tries 0", "--tries: attempts must be a whole number from 1"),
        ("{scores} --prompts none", "--prompts: expects numbers such as"),
        ("{scores} --prompts 1-900", "--prompts: 900 designs, more than 400; take larger steps"),
        ("{scores} --redrawn colour", 'no facet "colour"'),
        ("{scores} --scale elo", "scores must be outcomes of battles"),
        ("{scores} --win-rate .6", "--win-rate: goes with"),
        ("{parts}", "items"),
        ("{scores} --charts no/such", "--charts: no/such cannot be written"),
        ("none.csv", "no such file"),
    ],
)
def test_what_is_refused_in_one_line(run, scores, parts, words, says):
    ran = run(
        "rank", *words.format(scores=scores, parts=parts).split(), *([] if "--tries" in words else ["--tries", 27])
    )
    assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)
    assert says in ran.err
