from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from quorate.errors import InvalidInput
from quorate.numerics.posterior import chains
from quorate.numerics.posterior.chains import bulk_ess, r_hat


class Bell(NamedTuple):
    """A normal law in two dimensions."""

    centre: Any
    inverse: Any


def bell(data: Bell, position: Any) -> Any:
    away = position - data.centre
    return -away @ data.inverse @ away / 2


def test_without_the_extra_it_is_named(monkeypatch):
    monkeypatch.setattr(chains, "find_spec", lambda _: None)
    with pytest.raises(InvalidInput, match=r"pip install 'quorate\[bayes\]'"):
        chains.require()


@pytest.mark.bayes
@pytest.mark.parametrize("known", [True, False])
def test_draws_have_the_law_and_the_time_is_told_first(known):
    covariance = np.array([[2.0, 0.9], [0.9, 1.0]])
    data, told = Bell(np.array([3.0, -1.0]), np.linalg.inv(covariance)), []
    start = np.random.default_rng(1).standard_normal((4, 2)) * 2
    metric = covariance if known else None
    options = {"warmup": 300, "draws": 500, "seed": 1, "metric": metric, "on_quote": told.append}
    found = chains.sample(bell, data, start, **options)
    flat = found.positions.reshape(-1, 2)
    assert flat.mean(axis=0) == pytest.approx(data.centre, abs=0.15)  # standard errors 0.03 to 0.05
    assert np.cov(flat.T) == pytest.approx(covariance, abs=0.35)
    assert max(r_hat(found.positions[:, :, at]) for at in range(2)) < 1.02
    assert bulk_ess(found.positions[:, :, 0]) > 400
    assert told == [found.quoted]
    again = chains.sample(bell, data, start, **options)
    assert np.array_equal(again.positions, found.positions)


@pytest.mark.bayes
def test_who_is_told_the_time_may_end_it():
    def refuse(seconds: float) -> None:
        raise KeyboardInterrupt

    start = np.zeros((2, 2))
    with pytest.raises(KeyboardInterrupt):
        chains.sample(bell, Bell(np.zeros(2), np.eye(2)), start, warmup=300, draws=500, seed=1, on_quote=refuse)
