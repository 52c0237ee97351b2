from __future__ import annotations

import numpy as np
import pytest

from quorate.plan.designs.draws import Draw


def realised(items, judges, each, balanced, facets, *, by_item, groups=1, draws=6_000):
    """Average of sum w^2 over drawn assignments, judges weighing equally as far as asked."""
    rng = np.random.default_rng(4)
    item, generation = (axis.ravel() for axis in np.mgrid[:items, :each])
    out = []
    for _ in range(draws):
        judge = rng.integers(judges, size=items * each)
        found, code, count = np.unique(judge, return_inverse=True, return_counts=True)
        weight = balanced / (len(found) * count[code]) + (1 - balanced) / (items * each)
        key = [item] if by_item else [item * groups // items]
        key += [{"judge": judge, "generation": generation}[name] for name in facets]
        code = np.unique(np.stack(key), axis=1, return_inverse=True)[1].ravel()
        out.append(np.sum(np.bincount(code, weight) ** 2))
    return float(np.mean(out)), float(np.std(out) / np.sqrt(draws))


@pytest.mark.parametrize("balanced", [0.0, 0.5, 1.0])
@pytest.mark.parametrize(
    ("facets", "by_item", "groups"),
    [
        ((), True, 1),
        (("judge",), False, 1),
        (("judge",), True, 1),
        (("judge", "generation"), True, 1),
        (("generation",), False, 1),
        (("judge",), False, 4),
    ],
)
def test_it_is_the_average_over_draws(balanced, facets, by_item, groups):
    draw = Draw(np.array(12.0), 3, 2, balanced)
    wanted, error = realised(12, 3, 2, balanced, facets, by_item=by_item, groups=groups)
    found = draw.concentration(facets, by_item=by_item, groups=groups)
    assert found == pytest.approx(wanted, abs=4 * error + 1e-12)


def test_judges_who_weigh_equally_leave_no_bias():
    assert Draw(np.array(60.0), 3, None, 1.0).concentration(["judge"], by_item=False) == pytest.approx(1 / 3)


def test_one_turn_is_one_judge():
    assert Draw(np.array(1.0), 3, None, 0.0).concentration(["judge"], by_item=False) == 1.0


def test_judges_are_used_equally_on_average():
    draw = Draw(np.array([10.0, 20.0]), 4, 2)
    np.testing.assert_allclose(draw.uses("judge"), [[5] * 4, [10] * 4])
    np.testing.assert_allclose(draw.portion("judge"), 1 / 4)
    np.testing.assert_allclose(draw.shares("judge"), 1 / 4)
