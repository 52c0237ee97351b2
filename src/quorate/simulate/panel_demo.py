"""Demonstration panel: scores of several judges, simulated so that they reproduce a published study."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from quorate.arrays import Floats
from quorate.streams import stream
from quorate.writing import write_file

SCENARIOS, GENERATIONS = 80, 10
JUDGES = ("Qwen", "Llama", "GPT", "Gemini", "Claude")
CORRELATION = 0.6
"""Between the scenario effects of two systems: what is hard for one is hard for another. Assumed, not published."""


@dataclass(frozen=True)
class System:
    """A system under evaluation, by what was published of it.

    Parameters
    ----------
    mean : float
        Mean score.
    judges : tuple of float
        Mean score less ``mean``, by judge.
    alpha, beta, eps : float
        Variance of scenarios, of generations and of the residual, per observation.
    """

    mean: float
    judges: tuple[float, ...]
    alpha: float
    beta: float
    eps: float


SYSTEMS = {
    "GPT": System(8.72, (-0.81, 0.09, -0.05, 0.991082, -0.221082), 0.634, 0.076, 0.564),
    "Llama": System(7.87, (0.0, 0.84, -0.97, 0.721963, -0.591963), 0.882, 0.238, 1.130),
    "Qwen": System(7.13, (0.89, 1.26, -1.03, 0.019711, -1.139711), 1.530, 0.266, 1.486),
}
"""Zhu et al. (2026), Tables 1 and 2, MT-Bench. The means of the last two judges are not published; these give the judge
variance of Table 2, unrounded as its lower half has it, by Eq. 28."""


def panel_table(seed: int = 1) -> dict[str, list[Any]]:
    """Scores of five judges on ten responses of three systems to eighty scenarios, as columns.

    Means by judge and the published estimators of all components give the published figures to the digits printed:
    only their noise is drawn.

    Parameters
    ----------
    seed : int
        Of the noise.

    Returns
    -------
    dict of str to list
        Columns ``item``, ``system``, ``generation``, ``judge`` and ``score``; 12,000 rows.

    Examples
    --------
    >>> table = panel_table()
    >>> len(table["score"]), table["system"][0], table["judge"][:2]
    (12000, 'GPT', ['Qwen', 'Llama'])
    """
    rng = stream(seed, "panel")
    shared = rng.standard_normal(SCENARIOS)
    scores = np.stack([_scores(system, shared, rng) for system in SYSTEMS.values()])
    where = np.indices(scores.shape).reshape(4, -1)
    labels = (tuple(SYSTEMS), range(1, SCENARIOS + 1), range(1, GENERATIONS + 1), JUDGES)
    system, item, generation, judge = (
        [names[at] for at in column] for names, column in zip(labels, where.tolist(), strict=True)
    )
    rounded = np.round(scores.ravel(), 4).tolist()
    return {"item": item, "system": system, "generation": generation, "judge": judge, "score": rounded}


def write_panel(path: str | Path, seed: int = 1) -> Path:
    """Write the simulated scores of `panel_table` as a CSV file.

    Parameters
    ----------
    path : path
        File to write; replaced if it exists.
    seed : int
        As for `panel_table`.

    Returns
    -------
    Path
        The file.
    """
    table = panel_table(seed)
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table)
    writer.writerows(zip(*table.values(), strict=True))
    return write_file(Path(path), text.getvalue().encode())


def _scores(system: System, shared: Floats, rng: np.random.Generator) -> Floats:
    """Scores of shape (scenarios, generations, judges) whose mean squares are those the components expect."""
    n, m, k = SCENARIOS, GENERATIONS, len(JUDGES)
    scenario = np.sqrt(CORRELATION) * shared + np.sqrt(1 - CORRELATION) * rng.standard_normal(n)
    generation = rng.standard_normal((n, m))
    residual = rng.standard_normal((n, m, k))
    residual -= residual.mean(axis=2, keepdims=True)
    residual -= residual.mean(axis=(0, 1), keepdims=True)
    within = system.eps + k * system.beta
    parts = (
        _with_square(scenario - scenario.mean(), (n - 1) * (within + m * k * system.alpha) / (m * k))[:, None, None],
        _with_square(generation - generation.mean(axis=1, keepdims=True), n * (m - 1) * within / k)[:, :, None],
        _with_square(residual, (n * m - 1) * (k - 1) * system.eps),
        np.array(system.judges) - np.mean(system.judges),
    )
    return np.asarray(system.mean + sum(parts))


def _with_square(effect: Floats, square: float) -> Floats:
    """The same effects with this sum of squares."""
    return np.asarray(effect * np.sqrt(square / np.sum(effect**2)))
