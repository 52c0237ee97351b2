from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from tables import votes_table

from quorate.errors import NotEstimable
from quorate.estimate.votes.signals import (
    EDGES,
    Moment,
    margin_law,
    one_vote_each,
    rate_variance,
    share_below,
    signals,
)
from quorate.estimate.votes.well_sampled_pairs import well_sampled
from quorate.table.read_votes import read_votes


def table(prompts, each):
    rng = np.random.default_rng(1)
    rows = [("x", "y", f"model_{'ab'[rng.random() < 0.7]}", f"p{p}") for p in range(prompts) for _ in range(each)]
    names = ["model_a", "model_b", "winner", "prompt"]
    return read_votes(pl.DataFrame(rows, schema=names, orient="row"), announce=False)


def test_many_levels_are_left_out_in_blocks():
    votes = table(450, 2)
    found = signals(well_sampled(votes), votes, "prompt")
    assert found.levels == 450
    assert found.square.df == 199
    assert found.square.value == pytest.approx(0.04, abs=0.015)
    assert found.square.se == pytest.approx(2 * 0.2 * np.sqrt(0.21 / 900), rel=0.3)  # of (p - 1/2)^2, by its slope


def test_a_pair_of_one_prompt_is_refused():
    votes = table(6, 40)
    alone = votes_table(
        [("x", "y", "model_a", f"p{p}") for p in range(6) for _ in range(10)]
        + [("x", "z", "model_a", "p1") for _ in range(60)],
        "model_a model_b winner prompt",
    )
    assert signals(well_sampled(votes), votes, "prompt").levels == 6
    with pytest.raises(NotEstimable, match='all votes on "x vs z" are of one level'):
        signals(well_sampled(alone, minimum=30), alone, "prompt")


def test_a_difference_has_the_degrees_of_freedom_of_welch():
    found = Moment(3.0, 1.0, 10.0).minus(Moment(1.0, 2.0, 20.0))
    assert (found.value, found.se) == (2.0, pytest.approx(np.sqrt(5)))
    assert found.df == pytest.approx(25 / (1 / 10 + 16 / 20))
    low, high = found.ends
    assert (low + high) / 2 == pytest.approx(2.0)


def test_share_and_quantile_are_each_other_backwards():
    rng = np.random.default_rng(1)
    law = margin_law(rng.binomial(300, rng.uniform(0.2, 0.8, 80)), np.full(80, 300))
    for q in (0.1, 0.5, 0.9):
        assert law.share_below(law.quantile(q)) == pytest.approx(q)
    assert law.share_below(0.5) == pytest.approx(1.0)
    assert json.loads(json.dumps(law.to_dict()))["mean_square"] < law.mean_square_raw


def test_a_step_counts_in_proportion():
    chance = np.zeros(100)
    chance[20] = 1.0
    assert share_below(chance, EDGES[20]) == pytest.approx(0.0, abs=1e-9)
    assert share_below(chance, (EDGES[20] + EDGES[21]) / 2) == pytest.approx(0.5)


def test_the_law_of_few_votes_is_not_known():
    """Near ties of 10 votes: 20 steps of EM said .81 for .985, and 500 less."""
    rng = np.random.default_rng(3)
    few, enough = (margin_law(rng.binomial(n, 0.5, 80), np.full(80, n)) for n in (49, 50))
    assert not few.known
    assert np.isnan([few.share_below(0.1), few.quantile(0.5)]).all()
    assert np.isfinite(few.mean_square)
    assert np.isnan(margin_law([1, 3], [1, 5]).mean_square)
    assert enough.known
    assert enough.share_below(0.1) > 0.5


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
