"""Caveats of where data come from."""

from __future__ import annotations

from quorate.caveats import prelabelled


def test_models_that_labelled_before_are_named():
    assert str(prelabelled(3, 1200, ["gpt", "claude"])).startswith(
        "3 of 1,200 annotations began with a label by gpt, c"
    )
