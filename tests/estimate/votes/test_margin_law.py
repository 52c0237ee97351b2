from __future__ import annotations

import json

import numpy as np
import pytest

from quorate.estimate.votes.margin_law import EDGES, margin_law, share_below


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
    assert enough.known
    assert enough.share_below(0.1) > 0.5
