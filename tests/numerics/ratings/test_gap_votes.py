from __future__ import annotations

import math

import pytest

from quorate.numerics.ratings.next_vote import GapVotes


def test_by_a_normal_law_it_is_the_formula_of_a_sample_size():
    asked = GapVotes(4.0, math.inf, 0.95, 0.5, 0.9)
    assert asked.needed(0.0, 100) == math.ceil(4.0 * ((1.959964 + 1.281552) / 0.5) ** 2)
    width = GapVotes(4.0, math.inf, 0.95, 0.5, None)
    assert width.needed(0.0, 100) == math.ceil(4.0 * (1.959964 / 0.5) ** 2)


def test_few_degrees_of_freedom_take_more():
    few, many = (GapVotes(4.0, freedom, 0.95, 0.5, 0.9).needed(0.0, 100) for freedom in (0.05, 1.0))
    assert few > many


def test_what_judges_explain_saves_votes_until_they_have_no_more_battles():
    asked = GapVotes(4.0, math.inf, 0.95, 0.5, 0.9)
    alone = 4.0 * ((1.959964 + 1.281552) / 0.5) ** 2
    assert asked.needed(0.5, 1000) == pytest.approx(0.5 / (1 / alone - 0.5 / 1000), abs=1)
    assert asked.needed(0.5, 100) == math.ceil(alone)
    assert GapVotes(4.0, math.inf, 0.95, 0.0, 0.9).needed(0.0, 100) is None
