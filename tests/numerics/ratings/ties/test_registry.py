from __future__ import annotations

from typing import get_args

from quorate.numerics.ratings.ties import Ties, tie_model, without_parameter


def test_every_name_has_its_model():
    assert [tie_model(name).name for name in get_args(Ties)] == list(get_args(Ties))
    assert len({tie_model(name).words for name in get_args(Ties)}) == len(get_args(Ties))


def test_win_rates_know_the_models_without_a_parameter():
    assert without_parameter() == ("half", "drop")
