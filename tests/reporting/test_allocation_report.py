from __future__ import annotations

import numpy as np
import pytest

import quorate as q
from quorate.analysis.allocation import allocation_view, view_of
from quorate.reporting.allocation_report import allocation_said, methods
from quorate.reporting.paper.reproduce import Provenance


@pytest.fixture(scope="module")
def view(replays):
    return allocation_view(replays, 2000, only={"dimension": "clear"}, human="human", runs=20)


def test_tiles_say_what_is_saved_and_how_large_errors_are(view):
    tiles = allocation_said(view, Provenance())["tiles"]
    assert tiles[0]["value"] == f"{view.studies[0].saved.value:.0%}"
    assert tiles[0]["label"].startswith("of 2,000 calls saved by ROBIN-HOOD (")
    assert f"{tiles[0]['value']} saved (95% interval" in view.sentence
    assert [tile["label"].split("largest error, ")[-1] for tile in tiles[1:]] == [
        "uniform",
        "ROBIN-HOOD",
        "ROBIN, variances known",
    ]
    assert tiles[1]["label"].startswith("± ")


def test_what_is_needed_to_do_it_again(view):
    said = allocation_said(view, Provenance("quorate adaptive x.csv --api-key abc", None, "made up <b>"))
    assert said["note"] == "made up <b>"
    assert said["provenance"]["seed"] == "1"
    assert "abc" not in said["provenance"]["command"]
    assert said["title"].startswith("Judgments from a ")
    assert said["caveats"] == list(view.cautions)


def test_the_methods_name_constants_runs_and_people(view, replays):
    text = methods(view)
    assert "warm-up of 20 pulls per arm" in text
    assert "in 20 runs of 2,000 calls" in text
    assert "tau-b" in text
    plain = methods(allocation_view(replays, 2000, only={"dimension": "clear"}, runs=1, floor=False))
    assert "in 1 run of" in plain
    assert "no floor" in plain
    assert "tau-b" not in plain
    assert "95% bootstrap interval" in text
    assert "interval" not in plain


def test_an_array_has_no_source():
    view = view_of(q.simulate_allocation(np.random.default_rng(1).normal(0, 1, (20, 9)), 600, runs=1))
    said = allocation_said(view, Provenance())
    assert said["title"] == "Adaptive allocation, answers from an array"
    assert "input" not in said["provenance"]
    assert "±" not in said["tiles"][1]["label"]
