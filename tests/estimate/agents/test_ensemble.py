from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import scores_table

import quorate as q
from quorate.errors import InvalidInput, UnknownTerm


@pytest.fixture(scope="module")
def fit():
    """40 items by 3 prompts and 4 judges, twice."""
    rng = np.random.default_rng(6)
    item, prompt, judge = rng.normal(size=40), rng.normal(0, 0.5, 3), rng.normal(0, 0.4, 4)
    both, each = rng.normal(0, 0.5, (40, 3)), rng.normal(0, 0.6, (40, 4))
    rows = [
        (i, p, j, r, item[i] + prompt[p] + judge[j] + both[i, p] + each[i, j] + rng.normal(0, 0.5))
        for i, p, j, r in product(range(40), range(3), range(4), range(2))
    ]
    return q.decompose(scores_table(rows, "item prompt judge replicate score", fixed=()))


def test_equation_13():
    """By hand: (1 + 2 + 3 + 2 (.5 - .2 + .3)) / 9."""
    matrix = [[9, 0.5, -0.2], [0.5, 9, 0.3], [-0.2, 0.3, 9]]
    found = q.agents.ensemble([1, 2, 3], matrix)
    assert found.variance == pytest.approx((6 + 2 * 0.6) / 9)
    assert (found.alone, found.shared) == (2, pytest.approx(0.2))
    assert found.rows()[2]["variance"] == pytest.approx(found.variance)
    assert q.agents.ensemble([2.0]).variance == 2
    assert q.agents.ensemble([1, 1], -1).variance == pytest.approx(0)


@given(st.integers(2, 6), st.integers(0, 2**32 - 1))
def test_it_is_the_variance_of_the_mean_of_any_errors(n, seed):
    errors = np.random.default_rng(seed).normal(size=(50, n)) @ np.random.default_rng(seed + 1).normal(size=(n, n))
    matrix = np.cov(errors.T)
    found = q.agents.ensemble(np.diag(matrix), matrix)
    assert found.variance == pytest.approx(errors.mean(axis=1).var(ddof=1))
    assert found.variance <= np.diag(matrix).max() * (1 + 1e-9)


def test_shared_terms_of_a_fit(fit):
    """What agents share is what does not contain them; the item itself is no error."""
    of = fit.variance
    shared = of("prompt") / 2 + of("item:prompt") / 2
    own = of("judge") + of("item:judge") + of("prompt:judge") / 2 + of("cell") / 2 + of("replicate") / 6
    found = q.agents.ensemble(fit, agents=5, levels={"prompt": 2}, replicates=3)
    assert found.variance == pytest.approx(shared + own / 5)
    assert found.alone == pytest.approx(shared + own)
    assert q.agents.ensemble(fit).agents == 4
    assert q.agents.ensemble(fit, over="prompt").shared == pytest.approx(of("judge") + of("item:judge"))
    assert "4 agents" in q.agents.ensemble(fit).sentence


def test_what_is_refused(fit):
    for arguments, message in [
        (([1, -1],), "variances: a number of 0 or more"),
        (([],), "variances: "),
        (([1, 1], 1.5), "covariance: no errors have these"),
        (([1, 1], [0.5, 0.5]), "covariance: one number, or 2 rows of 2"),
        (([1, 1], [[1, 0.5], [0.2, 1]]), "covariance: that of a with b"),
        ((fit, 0.3), "covariance: a fit tells"),
    ]:
        with pytest.raises(InvalidInput, match=message):
            q.agents.ensemble(*arguments)
    for wrong, message in [
        ({"over": "item"}, "over: "),
        ({"agents": 0}, "agents: "),
        ({"agents": 10**400}, "agents: "),
        ({"replicates": 10**400}, "replicates: at most 1,000,000,000"),
        ({"levels": {"judge": 2}}, "levels: "),
    ]:
        with pytest.raises(InvalidInput, match=message):
            q.agents.ensemble(fit, **wrong)
    with pytest.raises(UnknownTerm):
        q.agents.ensemble(fit, over="agent")
