"""Small random models, and the same models by plain formulas over all cells."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from quorate.numerics.mixed.patterns import Cells
from quorate.numerics.mixed.problem import Problem, WithinCells

KINDS = (
    *("crossed", "ml", "one pattern", "unique patterns", "nothing within", "nothing shared", "residual only"),
    *("no replicates", "strata", "nested", "covariate"),
)


@dataclass(frozen=True)
class Dense:
    """A model by its definition: ``V = sum_t theta_t A_t``, and an independent chi-square inside cells."""

    y: np.ndarray
    x: np.ndarray
    structures: list[np.ndarray]
    replicates: WithinCells
    reml: bool

    @property
    def rows(self) -> float:
        return len(self.y) + self.replicates.df.sum()

    def v(self, theta):
        return sum(value * a for value, a in zip(theta, self.structures, strict=True))

    def beta_covariance(self, theta):
        return np.linalg.inv(self.x.T @ np.linalg.solve(self.v(theta), self.x))

    def p(self, theta):
        inverse = np.linalg.inv(self.v(theta))
        return inverse - inverse @ self.x @ self.beta_covariance(theta) @ self.x.T @ inverse

    def trace_matrix(self, theta):
        """``P``, or ``V^-1`` where the likelihood does not project out the fixed effects."""
        return self.p(theta) if self.reml else np.linalg.inv(self.v(theta))

    def residual(self, theta):
        """Residual components that have replicates, and their positions among the components."""
        has = self.replicates.df > 0
        positions = np.flatnonzero(has) + len(theta) - len(has)
        return theta[positions], positions, self.replicates.df[has], self.replicates.ss[has]

    def criterion(self, theta):
        v, (rest, _, df, ss) = self.v(theta), self.residual(theta)
        total = np.linalg.slogdet(v).logabsdet + self.y @ self.p(theta) @ self.y + self.replicates.log_counts
        total += df @ np.log(rest) + np.sum(ss / rest)
        free = self.rows
        if self.reml:
            total -= np.linalg.slogdet(self.beta_covariance(theta)).logabsdet
            free -= self.x.shape[1]
        return total + free * np.log(2 * np.pi)

    def traces(self, theta):
        t = self.trace_matrix(theta)
        return np.array([np.sum(t * a) for a in self.structures])

    def gradient(self, theta):
        e, (rest, at, df, ss) = self.p(theta) @ self.y, self.residual(theta)
        out = self.traces(theta) - np.array([e @ a @ e for a in self.structures])
        out[at] += df / rest - ss / rest**2
        return out

    def average_information(self, theta):
        p, (rest, at, _, ss) = self.p(theta), self.residual(theta)
        sides = [a @ p @ self.y for a in self.structures]
        out = np.array([[left @ p @ right for right in sides] for left in sides])
        out[at, at] += ss / rest**3
        return out

    def information(self, theta):
        t, (rest, at, df, _) = self.trace_matrix(theta), self.residual(theta)
        out = np.array([[np.sum((t @ a) * (t @ b).T) for b in self.structures] for a in self.structures]) / 2
        out[at, at] += df / rest**2 / 2
        return out

    def weights(self, theta, contrast):
        return np.linalg.solve(self.v(theta), self.x @ self.beta_covariance(theta) @ contrast)

    def adjustment(self, theta, contrast, covariance):
        """Kenward and Roger (1997): ``2 sum_st C_st w' A_s P A_t w``."""
        sides = [a @ self.weights(theta, contrast) for a in self.structures]
        return 2 * sum(
            covariance[s, t] * (left @ self.p(theta) @ right)
            for s, left in enumerate(sides)
            for t, right in enumerate(sides)
        )


@dataclass(frozen=True)
class Model:
    """One model in both forms, and a point to compare them at."""

    cells: Cells
    problem: Problem
    dense: Dense
    theta: np.ndarray
    rng: np.random.Generator


@pytest.fixture(params=KINDS, scope="session")
def kind(request) -> str:
    return request.param


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: Iterable[pytest.Item]) -> None:
    """Models of a few kinds for each test, of others for the next."""
    for item in items:
        if "kind" in getattr(item, "fixturenames", ()) and Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.wide(4))


@pytest.fixture(scope="session")
def model() -> Callable[[str, int], Model]:
    """A function that draws a model of a kind."""
    return _model


def _model(kind: str, seed: int) -> Model:
    rng = np.random.default_rng(seed)
    item, prompt, judge = _design(kind, rng)
    n = np.full(len(item), 2) if kind == "one pattern" else rng.integers(1, 4, len(item))
    if kind == "unique patterns":
        n = rng.integers(1, 1000, len(item))
    if kind == "no replicates":
        n = np.ones(len(item), dtype=int)
    category = np.zeros_like(item) if kind == "one pattern" else item % 2
    x = _fixed(kind, judge, prompt, category)
    within, shared = _terms(kind, item, prompt, judge, category)
    noise, replicates = _residuals(kind, n, judge, rng)
    y = rng.normal(size=len(item))
    reml = kind != "ml"
    cells = Cells(y, item, (prompt * 2 + judge) * 1000 + n, category, x, within, shared, noise)
    blocked = [item * 100 + column for column in within.T]
    structures = [np.equal.outer(levels, levels).astype(float) for levels in (*blocked, *shared.T)]
    structures += [np.diag(column) for column in noise.T]
    theta = rng.uniform(0.1, 2, len(structures))
    random = len(theta) - noise.shape[1]
    theta[:random][rng.random(random) < 0.3] = 0.0
    dense = Dense(y, x, structures, replicates, reml)
    return Model(cells, Problem(cells, replicates, reml=reml), dense, theta, rng)


def _design(kind, rng):
    """Item, prompt and judge of every cell, in any order; every item and every level of the others occurs."""
    grid = np.array(np.meshgrid(np.arange(7), np.arange(3), np.arange(2), indexing="ij")).reshape(3, -1).T
    keep = rng.random(len(grid)) < 0.7
    if kind in ("one pattern", "no replicates"):
        keep[:] = True
    keep[(grid[:, 0] == 0) | ((grid[:, 1] == 0) & (grid[:, 2] == 0))] = True
    return rng.permutation(grid[keep]).T


def _fixed(kind, judge, prompt, category):
    columns = [np.ones(len(judge)), judge == 1]
    if kind == "covariate":
        columns += [np.sin(prompt + 3.0 * category + judge)]
    return np.column_stack(columns).astype(float)


def _terms(kind, item, prompt, judge, category):
    """Columns of the terms within an item, and levels of those across items."""
    within = [np.zeros_like(item), prompt, judge]
    shared = [category, prompt, prompt * 2 + judge]
    if kind == "one pattern":
        shared = shared[1:]
    if kind == "nested":  # two answers of every item, each seen under some prompts
        within = [np.zeros_like(item), prompt % 2, (prompt % 2) * 2 + judge]
        shared = [judge * 2 + category]
    if kind in ("nothing within", "residual only"):
        within = []
    if kind in ("nothing shared", "residual only"):
        shared = []
    dense = [np.unique(levels, return_inverse=True)[1] for levels in shared]
    empty = np.zeros((len(item), 0), dtype=np.int64)
    return (np.column_stack(within) if within else empty), (np.column_stack(dense) if dense else empty)


def _residuals(kind, n, judge, rng):
    logs = float(np.log(n).sum())
    if kind == "no replicates":
        return np.ones((len(n), 1)), WithinCells(np.zeros(1), np.zeros(1), 0.0)
    if kind == "strata":
        at = np.column_stack([judge == 0, judge == 1]).astype(float)
        df = (n - 1.0) @ at
        ss = np.concatenate([np.zeros(2), rng.chisquare(df + 1) * (df > 0)])
        return np.hstack([at, at / n[:, None]]), WithinCells(ss, np.concatenate([np.zeros(2), df]), logs)
    df = float((n - 1).sum())
    ss = np.array([0.0, rng.chisquare(df)])
    return np.column_stack([np.ones(len(n)), 1 / n]), WithinCells(ss, np.array([0.0, df]), logs)
