from __future__ import annotations

import numpy as np
import pytest

import quorate as q
from quorate.estimate.components.dependability import UniverseScore

SIZES = {"item": 9, "prompt": 3, "judge": 3}


def test_levels_that_an_object_meets(judged):
    judgments = judged(SIZES)
    item, prompt, judge = (judgments.column(name) for name in SIZES)
    latin = q.decompose(judgments.keep((item + prompt + judge) % 3 == 0))
    assert UniverseScore(latin, "item", frozenset()).counts() == {"prompt": 3, "judge": 3, "replicate": 1}
    cyclic = q.decompose(judgments.keep(item % 3 == judge))
    assert UniverseScore(cyclic, "item", frozenset()).counts() == {"prompt": 3, "judge": 1, "replicate": 1}


def test_a_crossed_design_divides_by_the_product_of_levels(judged):
    study = UniverseScore(q.decompose(judged(SIZES, replicates=2, fixed=())), "item", frozenset())
    rows = {name: study.coefficients(name, {}) for name in study.fit.assembled.names}
    expected = {
        "item": [1, 0, 0],
        "prompt": [0, 0, 1 / 3],
        "judge": [0, 0, 1 / 3],
        "item:prompt": [0, 1 / 3, 0],
        "item:judge": [0, 1 / 3, 0],
        "prompt:judge": [0, 0, 1 / 9],
        "cell": [0, 1 / 9, 0],
        "replicate": [0, 1 / 18, 0],
    }
    assert rows.keys() == expected.keys()
    for name, row in expected.items():
        np.testing.assert_allclose(rows[name], row, atol=1e-12)


def test_growth_divides_every_term_with_the_facet(judged):
    study = UniverseScore(q.decompose(judged(SIZES, fixed=())), "item", frozenset())
    for name, factor in {"item": 1, "item:judge": 1, "item:prompt": 2, "cell": 2, "prompt": 2}.items():
        before, after = study.coefficients(name, {}), study.coefficients(name, {"prompt": 2.0})
        np.testing.assert_allclose(after * factor, before)


def test_what_objects_do_not_share_does_not_cancel(judged):
    """One judge per item, three items each: two of the eight other items share it."""
    judgments = judged(SIZES, fixed=())
    cyclic = q.decompose(judgments.keep(judgments.column("item") % 3 == judgments.column("judge")))
    row = UniverseScore(cyclic, "item", frozenset()).coefficients("judge", {})
    np.testing.assert_allclose(row, [0, 1 - 2 / 8, 2 / 8])


def test_a_fixed_facet_that_every_object_meets_makes_no_error(judged):
    fit = q.decompose(judged(SIZES))
    assert UniverseScore(fit, "item", frozenset({"judge"})).drawn({}) == []
    (drawn,) = UniverseScore(fit, "item", frozenset()).drawn({})
    assert drawn.name == "judge"
    assert drawn.df == 2
    np.testing.assert_allclose(drawn.row, [0, 0, 1 / 3])
    assert drawn.square == pytest.approx(np.var(fit.assembled.fixed.levels["judge"] @ fit.beta, ddof=1))
