from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

from quorate.estimate.votes.signals import one_vote_each, rate_variance
from quorate.table.read_votes import read_votes


def voted(vote, prompt):
    rows = len(vote)
    winner = np.where(vote, "y", "x").tolist()
    frame = {"model_a": ["x"] * rows, "model_b": ["y"] * rows, "winner": winner, "prompt": list(prompt)}
    return read_votes(pl.DataFrame(frame), announce=False)


def test_first_vote_of_each_prompt():
    """Prompts 0..99 are asked twice: first for y, then for x; 100..199 once, for x."""
    vote = [True, False] * 100 + [False] * 100
    found = one_vote_each(voted(vote, [*np.repeat(np.arange(100), 2), *range(100, 200)]))
    assert found.margin[0] == pytest.approx(1 / 3 - 0.5)
    assert found.single[0] == pytest.approx(0.0)
    assert (found.n[0], found.kept[0]) == (300, 200)
    assert found.change[0] == pytest.approx(1 / 6)
    assert "200 of 300 votes" in json.loads(json.dumps(found.to_dict()))["sentence"]


def test_without_reuse_nothing_changes():
    found = one_vote_each(voted([True, False] * 150, range(300)))
    assert found.change[0] == 0.0


def test_variance_between_prompts_is_recovered_and_the_plain_one_is_not():
    """Win rates of prompts are .3 or .7: variance .04 between and .21 within; the first seems .04 + .21/4."""
    rng = np.random.default_rng(7)
    rate = np.repeat(rng.choice([0.3, 0.7], 5000), 4)
    found = rate_variance(voted(rng.random(20_000) < rate, np.repeat(np.arange(5000), 4)))
    assert found.between[0] == pytest.approx(0.04, abs=0.006)
    assert found.within[0] == pytest.approx(0.21, abs=0.006)
    assert found.between_plain[0] == pytest.approx(0.04 + 0.21 / 4, abs=0.006)
    assert found.to_frame().shape == (1, 5)


def test_one_vote_per_prompt_tells_nothing_of_prompts():
    found = rate_variance(voted([True, False] * 150, range(300)))
    assert found.between_plain[0] == pytest.approx(0.25, abs=0.001)
    assert found.within_plain[0] == 0.0
    assert np.isnan(found.medians["between"])
    assert json.loads(json.dumps(found.to_dict()))["between"] == [None]
