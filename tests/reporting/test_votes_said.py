from __future__ import annotations

import polars as pl
import pytest

from quorate.analysis.pair import pair_view
from quorate.analysis.votes import votes_view
from quorate.reporting.votes_said import facts_of, said_of, sections_of
from quorate.table.read_votes import read_votes


@pytest.fixture(scope="module")
def votes():
    """Three systems: x is far behind, y and z are nearly tied; votes of a prompt come in twos that agree."""
    rows = [
        (a, b, b if i // 2 % 10 < wins else a, f"p{i // 2}")
        for a, b, wins in (("x", "y", 8), ("y", "z", 5), ("x", "z", 8))
        for i in range(400)
    ]
    frame = pl.DataFrame(rows, schema=["model_a", "model_b", "winner", "prompt"], orient="row")
    return read_votes(frame, announce=False)


def test_all_pairs(votes):
    view = votes_view(votes)
    said = said_of(view, "quorate votes analyze", None)
    assert said["sentence"] == view.found.sentence
    assert said["tiles"][0]["value"] == "3"
    assert "for 3 pairs with 200 decisive votes or more" in said["methods"]
    assert said["provenance"]["command"] == "quorate votes analyze"
    assert sections_of(view)[0].name == "margins"


def test_two_systems_and_how_they_were_compared(votes):
    said = said_of(pair_view(votes, "y", "z", margin=0.05, cluster="prompt"), None, "a note")
    assert said["note"] == "a note"
    assert (
        "standard errors clustered by prompt (Liang and Zeger, 1986), 200 clusters; ties were left out"
        in said["methods"]
    )
    assert "Equivalence is shares from 0.45 to 0.55, by two one-sided tests" in said["methods"]
    assert said["provenance"]["options"].startswith(
        "ties drop, level 0.95, power 0.9; margin 0.05; cluster prompt; all "
    )


def test_caveats_of_the_verdict_come_first(votes):
    view = pair_view(votes, "x", "y")
    said = said_of(view, None, None)
    assert said["caveats"][0] == view.verdict.caveats[0].sentence
    assert "an exact two-sided binomial test" in said["methods"]


def test_facts_of_a_pilot_are_what_was_read(votes):
    pilot, study = (pair_view(votes, "x", "y", minimum=minimum) for minimum in (1000, 200))
    assert "pairs used" not in {row["what"] for row in facts_of(pilot).rows}
    assert "pairs used" in {row["what"] for row in facts_of(study).rows}


def test_few_votes_of_other_pairs_are_in_data_health_alone():
    frame = pl.DataFrame(
        [("y", "z", "y" if i % 2 else "z") for i in range(300)] + [("x", "q", "x")] * 3,
        schema=["model_a", "model_b", "winner"],
        orient="row",
    )
    view = pair_view(read_votes(frame, announce=False), "y", "z")
    assert "few-votes" in {one.code for one in view.support.findings}
    assert said_of(view, None, None)["caveats"] == []
    health = next(section for section in sections_of(view) if section.name == "health")
    assert any("fewer than 30 decisive votes" in line for line in health.text)
    assert any("fewer than 30" in line for line in said_of(view.every, None, None)["caveats"])
