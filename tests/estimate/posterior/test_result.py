from __future__ import annotations

import json

import pytest
from posteriors import posterior_of

import quorate as q
from quorate.simulate import write_demo


@pytest.fixture(scope="module")
def fit(tmp_path_factory):
    return q.decompose(q.read(write_demo(tmp_path_factory.mktemp("scores") / "scores.csv"), announce=False))


@pytest.fixture(scope="module")
def found(fit):
    return posterior_of(fit, judge="population")


def test_it_is_plain_and_says_what_it_found(found):
    plain = json.loads(json.dumps(found.to_dict()))
    assert plain["checks"]["sentence"].startswith("4 chains of 500 draws: R-hat at most 1.001")
    assert plain["sentence"].startswith("Mean ")
    assert plain["mean"]["target"]["judge"] == "population"
    assert len(found.to_frame()) == len(found.components)
    assert "few-levels" not in [caveat.code for caveat in found.caveats]


def test_divergences_are_told(fit):
    said = [caveat.sentence for caveat in posterior_of(fit, divergences=7).caveats]
    assert any(sentence.startswith("7 of 2,000 draws diverged") for sentence in said)
