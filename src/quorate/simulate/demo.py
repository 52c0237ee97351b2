"""Demonstration data: judge scores simulated from published variance components, so that the true mean is known."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from quorate.arrays import Floats
from quorate.estimate.components.published import Components, components
from quorate.frozen import dataclass
from quorate.streams import stream
from quorate.writing import write_file

if TYPE_CHECKING:
    from quorate.estimate.means.mean import Estimate

SAFETY: Components = components(
    {
        "item:judge": 0.025050691069557353,
        "replicate": 0.011978834819064439,
        "item": 0.010388865023098515,
        "cell": 0.005165442566614013,
        "category": 0.0024294495273483345,
        "item:prompt": 0.0017939977814810507,
        "prompt:judge": 6.598746549346365e-4,
        "prompt": 4.602379577174715e-14,
    },
    sensitivity={"judge": 4.653511507238085e-4},
)
"""Components of the AILuminate safety study of Messing (2026), scores from 0 to 1, at one temperature."""

CENTER, POINTS = 7.0, 4.0
"""The true mean, and the points that one published unit becomes: scores read like 0 to 10 and are not clipped."""

ITEMS, CATEGORIES, PROMPTS, JUDGES, REPLICATES = 60, 12, 5, 3, 2
LENIENCY: Floats = np.linspace(1.0, -1.0, JUDGES)
LENIENCY = LENIENCY / LENIENCY.std() * np.sqrt(SAFETY.sensitivity["judge"])
"""Equally spaced means of the judges that add up to zero and have the published spread (divisor: judges)."""
NO_SCORE = 0.01
"""Fraction of the rows without a score, drawn independently of everything else."""


@dataclass(frozen=True)
class Coverage:
    """How often each 95% interval held the true mean.

    Parameters
    ----------
    draws : int
        Simulated data sets.
    naive, setup, others : float
        Fraction of them whose interval held the truth: all rows taken as independent; for these judges, prompts and
        categories, theirs; and for others like them.
    """

    draws: int
    naive: float
    setup: float
    others: float


def demo_table(seed: int = 1) -> dict[str, list[Any]]:
    """Simulated judge scores as columns: 1,800 rows, 60 items x 5 prompts x 3 judges x 2 replicates.

    These are not real judgments. Item, category, prompt, their interactions with the judge, cell and replicate effects
    are Gaussian with the variances published for the AILuminate safety study; the three judges are fixed, with level
    means that add up to zero and have the published spread. The mean over items and prompts for this panel is therefore
    known: `demo_truth`. About 1% of the rows, at random, have a status other than ``ok`` and no score.

    Parameters
    ----------
    seed : int
        Root of all random numbers.

    Returns
    -------
    dict of str to list
        Columns ``item_id``, ``category``, ``prompt``, ``judge_model``, ``replication``, ``score`` (points, two
        decimals; None without an answer) and ``status``.

    References
    ----------
    Messing (2026), Hidden Measurement Error in LLM Pipelines, arXiv:2604.11581, Eq. 1 and the safety components of its
    replication data.

    Examples
    --------
    >>> table = demo_table()
    >>> len(table["score"]), sorted(set(table["judge_model"]))
    (1800, ['judge-a', 'judge-b', 'judge-c'])
    """
    shape = (ITEMS, PROMPTS, JUDGES, REPLICATES)
    item, prompt, judge, replicate = (index.ravel() for index in np.indices(shape))
    scores = np.round(_scores(seed, shape).ravel(), 2)
    rng = stream(seed, "demo/status")
    failed = rng.random(len(scores)) < NO_SCORE
    kind = rng.choice(["unparsed", "refused"], len(scores))
    status = [str(name) if fails else "ok" for name, fails in zip(kind, failed, strict=True)]
    return {
        "item_id": [f"item-{i + 1:02d}" for i in item],
        "category": [f"category-{_category(i) + 1:02d}" for i in item],
        "prompt": [f"prompt-{v + 1}" for v in prompt],
        "judge_model": [f"judge-{'abc'[m]}" for m in judge],
        "replication": [int(r) + 1 for r in replicate],
        "score": [float(s) if state == "ok" else None for s, state in zip(scores, status, strict=True)],
        "status": status,
    }


def demo_truth() -> float:
    """The mean that `demo_table` is drawn around: over all items and prompts, for these three judges.

    Examples
    --------
    >>> demo_truth()
    7.0
    """
    return CENTER


def setup_truth(seed: int = 1) -> float:
    """The mean over all items for just the prompts, judges and categories that `demo_table` draws with this seed."""
    category = _effect(seed, "category", (CATEGORIES, 1, 1, 1)).mean()
    prompt = _effect(seed, "prompt", (1, PROMPTS, 1, 1)).mean()
    both = _effect(seed, "prompt:judge", (1, PROMPTS, JUDGES, 1)).mean()
    return CENTER + POINTS * float(category + prompt + both)


def write_demo(path: str | Path, seed: int = 1) -> Path:
    """Write the simulated scores of `demo_table` as a CSV file.

    Parameters
    ----------
    path : path
        File to write; replaced if it exists.
    seed : int
        As for `demo_table`.

    Returns
    -------
    Path
        The file.

    Examples
    --------
    >>> import quorate as q
    >>> q.read(write_demo("scores.csv"), announce=False).names
    ('item', 'prompt', 'judge', 'category')
    """
    return _written(path, demo_table(seed))


def _written(path: str | Path, table: Mapping[str, Sequence[Any]]) -> Path:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table)
    writer.writerows(zip(*table.values(), strict=True))
    return write_file(Path(path), text.getvalue().encode())


def demo_coverage(draws: int = 1000, seed: int = 1) -> Coverage:
    """How often each 95% interval holds the truth, over data sets drawn like the demonstration.

    Every draw goes the way a user's file goes: written as CSV, read, fitted. `MEASURED` records
    ``demo_coverage(draws=1000, seed=1)``; measure it again (a minute or two) with::

        python -c "from quorate.simulate import demo_coverage; print(demo_coverage(1000, seed=1))"

    Parameters
    ----------
    draws : int
        Data sets to simulate, with seeds ``seed``, ``seed + 1`` and so on.
    seed : int
        First seed.

    Examples
    --------
    >>> demo_coverage(draws=2).draws
    2
    """
    from quorate.estimate.components.decompose import decompose
    from quorate.estimate.means.mean import readings
    from quorate.planning.naive import naive
    from quorate.table.read_scores import read_scores

    held = []
    with TemporaryDirectory() as folder:
        for draw in range(seed, seed + draws):
            fit = decompose(read_scores(write_demo(Path(folder) / "draw.csv", draw), announce=False))
            overall = naive(fit.judgments, fit).overall
            found = readings(fit)
            limits = (overall.low, overall.high), found.setup.ends, cast("Estimate", found.others).ends
            truths = demo_truth(), setup_truth(draw), demo_truth()
            held.append([low <= truth <= high for (low, high), truth in zip(limits, truths, strict=True)])
    return Coverage(draws, *(float(share) for share in np.mean(held, axis=0)))


def _scores(seed: int, shape: tuple[int, ...]) -> Floats:
    """Scores before rounding, shape (items, prompts, judges, replicates)."""
    n, v, m, r = shape
    category = _effect(seed, "category", (CATEGORIES, 1, 1, 1))[[_category(i) for i in range(n)]]
    published = (
        category
        + _effect(seed, "item", (n, 1, 1, 1))
        + _effect(seed, "prompt", (1, v, 1, 1))
        + LENIENCY[:, np.newaxis]
        + _effect(seed, "item:prompt", (n, v, 1, 1))
        + _effect(seed, "item:judge", (n, 1, m, 1))
        + _effect(seed, "prompt:judge", (1, v, m, 1))
        + _effect(seed, "cell", (n, v, m, 1))
        + _effect(seed, "replicate", (n, v, m, r))
    )
    return CENTER + POINTS * published


def _effect(seed: int, term: str, shape: tuple[int, ...]) -> Floats:
    return stream(seed, f"demo/{term}").normal(0.0, np.sqrt(SAFETY.random[term]), shape)


def _category(item: int) -> int:
    return int(item) * CATEGORIES // ITEMS


MEASURED = Coverage(draws=1000, naive=0.341, setup=0.956, others=0.981)
"""`demo_coverage` over 1,000 draws, seeds 1 to 1,000."""


# Demonstration panel: scores of several judges, simulated so that they reproduce a published study.


SCENARIOS, GENERATIONS = 80, 10
PANEL_JUDGES = ("Qwen", "Llama", "GPT", "Gemini", "Claude")
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
    scores = np.stack([_panel_scores(system, shared, rng) for system in SYSTEMS.values()])
    where = np.indices(scores.shape).reshape(4, -1)
    labels = (tuple(SYSTEMS), range(1, SCENARIOS + 1), range(1, GENERATIONS + 1), PANEL_JUDGES)
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

    Examples
    --------
    >>> import quorate as q
    >>> q.read(write_panel("panel.csv"), announce=False).names
    ('item', 'judge', 'system', 'generation')
    """
    return _written(path, panel_table(seed))


def _panel_scores(system: System, shared: Floats, rng: np.random.Generator) -> Floats:
    """Scores of shape (scenarios, generations, judges) whose mean squares are those the components expect."""
    n, m, k = SCENARIOS, GENERATIONS, len(PANEL_JUDGES)
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
