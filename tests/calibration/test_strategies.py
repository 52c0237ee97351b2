"""Strategies for spending judge calls: what formulas promise against what happens, measured.

Every test prints what it measured; the tables in ``docs/methods/strategies.md`` are this output.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import quorate as q
from quorate.planning.panel.strategies import ALL, CYCLIC, RANDOM, compare_strategies
from quorate.simulate.strategies import LIMIT, Validation, simulated_scores, validate_strategies
from quorate.table.facets import Facet
from quorate.table.judgments import Judgments

NAMES = (ALL, RANDOM, CYCLIC)
BIASES = np.array([0.9, 0.4, 0.0, -0.4, -0.9])
STRONG = {"beta": 0.25, "eps": 1.0, "interaction": 0.49}
SEEDS = 40


def report(title: str, found: Validation) -> None:
    """One line per strategy and budget, and what components promise."""
    n, m, judges = found.shape
    print(f"\n{title}: {n} scenarios x {m} generations x {judges} judges, {found.repetitions:,} studies")
    for check in found.checks:
        shown = f"empirical {check.empirical:.4e} predicted {check.predicted:.4e} z {check.z:+.1f}"
        print(f"  {check.strategy:13}{check.budget:4} {shown}")
    for promise in found.promises:
        parts = ", ".join(f"{name} {promise.per_call[name]:.4f}" for name in NAMES)
        kept = {name: getattr(promise, name) for name in ("beta", "gamma", "eps", "interaction")}
        listed = ", ".join(f"{name} {value:.4f}" for name, value in kept.items())
        print(f"  {promise.model:10} {listed}; variance x calls: {parts}")
    print(f"  pool: {', '.join(f'{name} {found.per_call[name]:.4f}' for name in NAMES)}; {' | '.join(found.notes)}")


def agree_over_seeds(scores: Any, **options: Any) -> None:
    """Every seed is within the stated limit, and z is standard: its square is 1 on average."""
    z = []
    for seed in range(SEEDS):
        found = validate_strategies(scores, rng=seed, **options)
        assert found.agrees
        z += [check.z for check in found.checks if check.budget == found.checks[0].budget and check.error > 0]
    square = float(np.mean(np.square(z)))
    print(f"  {SEEDS} seeds: mean z {np.mean(z):+.2f}, mean square {square:.2f}")
    assert abs(square - 1) < LIMIT * np.sqrt(2 / len(z))


@pytest.fixture(scope="module")
def rewardbench(shared: Path) -> Judgments:
    """Base prompt, temperature 1 or the provider's: 300 responses to be judged, 5 judges, 8 draws of each judge."""
    import polars as pl

    frame = pl.read_parquet(shared / "data" / "rewardbench2_judges_k8.parquet")
    base = (pl.col("prompt") == "base") & (pl.col("temperature").is_null() | (pl.col("temperature") == 1))
    frame = frame.filter(base, pl.col("score").is_not_null()).with_columns(
        unit=pl.format("{}/{}", pl.col("item"), pl.col("response"))
    )
    complete = frame.group_by("unit").len().filter(pl.col("len") == 40)["unit"].sort()
    chosen = complete.sample(300, seed=1)
    frame = frame.filter(pl.col("unit").is_in(chosen.to_list()))
    facets = {"item": "unit", "judge": "judge", "generation": "replicate"}
    return q.read(frame, facets=facets, announce=False)


@pytest.mark.slow
def test_rewardbench(rewardbench: Judgments) -> None:
    """The draws are each judge's own: generations have no variance, so all judges and cycling are alike."""
    found = validate_strategies(rewardbench)
    report("rewardbench2", found)
    assert found.shape == (300, 8, 5)
    assert found.agrees
    assert found.notes
    assert found.per_call[ALL] == pytest.approx(found.per_call[CYCLIC], rel=0.05)
    assert found.per_call[RANDOM] > 1.5 * found.per_call[CYCLIC]
    agree_over_seeds(rewardbench)


@pytest.mark.slow
def test_rating_scale(shared: Path) -> None:
    """Six models as judges; three scales stand in for generations."""
    import polars as pl

    frame = pl.read_parquet(shared / "data" / "rating_scale_human_llm.parquet")
    frame = frame.filter(pl.col("judge_type") == "llm").with_columns(
        unit=pl.format("{}/{}/{}", pl.col("benchmark"), pl.col("item"), pl.col("dimension"))
    )
    facets = {"item": "unit", "judge": "judge", "scale": "scale_max", "replicate": "temperature"}
    judgments = q.read(frame, score="score01", facets=facets, announce=False)
    found = validate_strategies(judgments, generation="scale")
    report("rating_scale", found)
    assert (found.shape, found.left_out) == ((273, 3, 6), 2)
    assert found.agrees
    assert "stands in for the generations" in found.notes[0]
    agree_over_seeds(judgments, generation="scale")


@pytest.mark.parametrize("interaction", [0.0, 0.49, 2.0])
def test_simulated_pilots(interaction: float) -> None:
    scores = simulated_scores(80, 10, gamma=BIASES, alpha=1.0, beta=0.25, eps=1.0, interaction=interaction)
    found = validate_strategies(scores)
    report(f"simulated, interaction {interaction}", found)
    assert found.agrees
    agree_over_seeds(scores)


def squared_errors(rng: np.random.Generator, own: np.ndarray, budget: int, studies: int) -> dict[str, np.ndarray]:
    """Squared errors of fresh studies about the panel's mean of these scenarios; ``own`` is shape (n, K), with biases.

    Carried out call by call: responses are made, judges assigned, scores drawn and averaged.
    """
    n, judges = own.shape
    target = own.mean()
    response = rng.normal(0, np.sqrt(STRONG["beta"]), (studies, n, budget))
    noise = rng.normal(0, np.sqrt(STRONG["eps"]), (studies, n, budget))
    turn = np.arange(budget)
    assigned = {
        ALL: (np.broadcast_to(turn % judges, response.shape), response[..., turn // judges]),
        RANDOM: (rng.integers(judges, size=response.shape), response),
        CYCLIC: (np.broadcast_to(turn % judges, response.shape), response),
    }
    rows = np.arange(n)[None, :, None]
    return {
        name: ((own[rows, judge] + shared + noise).mean(axis=(1, 2)) - target) ** 2
        for name, (judge, shared) in assigned.items()
    }


def judgments_of(x: np.ndarray) -> Judgments:
    """A table of the scores, with generations of their own for every scenario."""
    sizes = dict(zip(("item", "generation", "judge"), x.shape, strict=True))
    parents = {"generation": "item"}
    facets = tuple(
        Facet(name, name, tuple(f"{name}{i:03}" for i in range(size)), name == "judge", parents.get(name))
        for name, size in sizes.items()
    )
    codes = np.column_stack([code.ravel() for code in np.indices(x.shape)]).astype(np.int32)
    ones, mean = np.ones(x.size, dtype=np.int64), x.ravel()
    return Judgments(facets, "item", "score", codes, ones, mean, np.zeros(x.size), mean, mean, {"ok": ones})


def ratio(promised: list[float], realised: list[float]) -> tuple[float, float]:
    """Mean of the promised variances over the mean square of the realised errors, and its Monte Carlo error."""
    found = float(np.mean(promised) / np.mean(realised))
    relative = [np.var(values) / len(values) / np.mean(values) ** 2 for values in (promised, realised)]
    return found, float(found * np.sqrt(sum(relative)))


@pytest.fixture(scope="module")
def studies() -> dict[tuple[str, str], list[float]]:
    """300 pilots of 80 x 10 x 5 with a strong interaction, and 200 fresh studies of 80 other scenarios after each.

    Per pilot, by (estimator, name): s2_beta, s2_gamma and the variance promised for every strategy at 5 calls per
    scenario, for REML of every tenth pilot by `compare_strategies`; and the squared errors of the fresh studies.
    """
    rng, out = np.random.default_rng(11), defaultdict(list)
    for pilot in range(300):
        scores = simulated_scores(80, 10, gamma=BIASES, alpha=1.0, **STRONG, rng=rng)
        for promise in validate_strategies(scores, budgets=[5], repetitions=100).promises:
            found = {"beta": promise.beta, "gamma": promise.gamma}
            found |= {name: value / 400 for name, value in promise.per_call.items()}
            for name, value in found.items():
                out[promise.model, name].append(value)
        if pilot % 10 == 0:
            fit = q.decompose(judgments_of(scores.x))
            for row in compare_strategies(fit, budgets=5, targets={"item": "finite"}).rows:
                out["REML", row.name].append(row.projection.variance)
        own = BIASES + rng.normal(0, np.sqrt(STRONG["interaction"]), (80, 5))
        for name, squares in squared_errors(rng, own, 5, 200).items():
            out["realised", name] += squares.tolist()
    return out


def test_the_papers_component_of_generations_is_biased(studies: Any) -> None:
    """The interaction .49 in the paper's residual takes .49 f / K from .25, with f = m (n - 1) / (n m - 1)."""
    print("\n300 pilots, interaction .49: mean s2_beta (Monte Carlo se)")
    for model, expected in (("paper", 0.25 - 0.49 / 5 * 10 * 79 / 799), ("separated", 0.25)):
        values = studies[model, "beta"]
        error = np.std(values) / np.sqrt(len(values))
        print(f"  {model:10} {np.mean(values):.3f} ({error:.3f})")
        assert abs(np.mean(values) - expected) < LIMIT * error


@pytest.mark.parametrize("model", ["paper", "separated", "REML"])
def test_what_a_pilot_promises_for_fresh_studies(studies: Any, model: str) -> None:
    """The paper's estimators promise too much variance for cycling, and the right one for the others all the same."""
    for name in NAMES:
        found, error = ratio(studies[model, name], studies["realised", name])
        print(f"\n  {model:10} {name:13} promised / realised {found:.3f} ({error:.3f})")
        too_much = (0.25 + 1 + 0.49 * 0.8) / 1.25 if (model, name) == ("paper", CYCLIC) else 1.0
        assert abs(found - too_much) < LIMIT * error
        assert error < 0.02
