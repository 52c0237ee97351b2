from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.plan.designs.known_judges import known_judges
from quorate.plan.designs.layouts import lay_out
from quorate.plan.designs.schemes import Scheme


def fit(effects, sd=0.3, items=60):
    rng = np.random.default_rng(2)
    rows = [
        {"item": i, "judge": judge, "score": base + shift + sd * rng.normal()}
        for i in range(items)
        for base in [rng.normal()]
        for judge, shift in effects.items()
    ]
    return q.decompose(q.read(pl.DataFrame(rows), announce=False))


def laid(judges, balanced=0.0, places=(4, 1, 1)):
    scheme = Scheme("weighted", places=places, judges=judges, balanced=balanced)
    return lay_out(scheme, {"item": 60, "judge": 3}, "item", balance=("judge",))


def test_the_square_is_that_of_the_bias():
    known = known_judges(fit({"a": 1.0, "b": -0.4, "c": -0.6}))
    for judges, effects in ((("a", "b", "c"), [1.0, -0.4, -0.6]), (("c", "a", "b"), [-0.6, 1.0, -0.4])):
        layout = laid(judges)
        assert known.knows(layout)
        bias = float((layout.shares("judge") - 1 / 3) @ effects)
        assert known.square(layout) == pytest.approx(bias**2, rel=0.2)
    assert known.square(laid(("a", "b", "c"), balanced=1.0)) == pytest.approx(0, abs=1e-12)
    assert known.spread == pytest.approx(np.var([1.0, -0.4, -0.6], ddof=1), rel=0.2)


def test_judges_alike_still_may_differ():
    known = known_judges(fit({"a": 0.0, "b": 0.0, "c": 0.0}, sd=1.0))
    assert known.spread > 0
    assert known.square(laid(("a", "b", "c"))) > 0


def test_others_are_not_known():
    known = known_judges(fit({"a": 0.0, "b": 0.3, "c": 0.0}))
    assert not known.knows(laid(("a", "b", "x")))
    assert not known.knows(laid(()))
