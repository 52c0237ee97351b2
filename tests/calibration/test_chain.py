"""Shares of a chain of agents: coverage of intervals, near 0 and 1 too, with curves, long tails and clusters."""

from __future__ import annotations

import numpy as np
import pytest

import quorate as q

STUDIES = 200


def linear(rng, n):
    a, e, u = rng.normal(size=(3, n))
    return a, 0.8 * a + 0.6 * e, u, (0.5184, 0.2916, 0.19)


def nothing_upstream(rng, n):
    _, e, u = rng.normal(size=(3, n))
    return rng.normal(size=n), e, u, (0.0, 0.81, 0.19)


def nearly_all_in_the_middle(rng, n):
    a, e, u = rng.normal(size=(3, n))
    return a, 0.1 * a + e, 0.09 / np.sqrt(0.19) * u, (0.01 / 1.02, 1 / 1.02, 0.01 / 1.02)


def long_tails(rng, n):
    a, e, u = rng.standard_t(5, size=(3, n)) * np.sqrt(3 / 5)
    return a, 0.8 * a + 0.6 * e, u, (0.5184, 0.2916, 0.19)


LAWS = {one.__name__.replace("_", " "): one for one in (linear, nothing_upstream, nearly_all_in_the_middle, long_tails)}


def covered(first, second, last, truth, cluster=None):
    columns = {"a": first, "b": second, "y": last} | ({} if cluster is None else {"task": cluster})
    found = q.agents.chain(columns, ["a", "b", "y"], cluster=None if cluster is None else "task")
    return [one.low <= share <= one.high for one, share in zip(found.links, truth, strict=True)]


@pytest.mark.parametrize("n", [100, 400])
@pytest.mark.parametrize("name", [*LAWS, "curved", "clustered"])
def test_coverage(name, n):
    rng, held = np.random.default_rng(sum(map(ord, name)) + n), []
    for _ in range(STUDIES):
        if name == "curved":
            a, e, u = rng.normal(size=(3, n))
            b = a + 0.7 * e
            held.append(covered(a, b, b**2 + 0.5 * u, np.array([2, 2 * 1.49**2 - 2, 0.25]) / (2 * 1.49**2 + 0.25)))
        elif name == "clustered":
            task = np.arange(n) // 5
            e, u, own = rng.normal(size=(3, n))
            a = 0.8 * rng.normal(size=n // 5)[task] + 0.6 * own
            b = 0.8 * a + 0.6 * e
            held.append(covered(a, b, 0.9 * b + np.sqrt(0.19) * u, (0.5184, 0.2916, 0.19), task))
        else:
            a, b, u, truth = LAWS[name](rng, n)
            held.append(covered(a, b, 0.9 * b + np.sqrt(0.19) * u, truth))
    cover = np.mean(held, axis=0)
    print(f"{name}, {n} runs: covers {cover.round(3).tolist()}")
    assert (cover >= 0.93 - 0.04).all()
