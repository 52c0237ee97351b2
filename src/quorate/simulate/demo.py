"""Judge scores simulated from components, so that the true mean is known: crossed designs, and demonstration data."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from quorate import rules
from quorate.arrays import Floats, Ints
from quorate.errors import InvalidInput, UnknownTerm
from quorate.estimate.components.published import Components, components
from quorate.frozen import dataclass
from quorate.roles import CATEGORY, ITEM, REPLICATE
from quorate.streams import stream
from quorate.table.facets import OK, Facet
from quorate.table.judgments import Judgments
from quorate.writing import write_file

if TYPE_CHECKING:
    from quorate.estimate.means.mean import Estimate


def draw_judgments(
    components: Components,
    *,
    levels: Mapping[str, int],
    replicates: int = 1,
    effects: Mapping[str, Sequence[float] | Floats] | None = None,
    residual: Sequence[float] | Floats | None = None,
    tails: float | None = None,
    rng: np.random.Generator | int | None = None,
) -> Judgments:
    """Judgments of a full factorial, every effect drawn from its component.

    Parameters
    ----------
    components : Components
        Variances of the random terms; all facets of a term, but for ``cell`` and ``replicate``, are among ``levels``.
        Facets with a sensitivity are fixed: their levels differ by ``effects`` alone.
    levels : mapping of str to int
        Facets and how many levels they have, in order. ``category`` groups the items, as many in each as can be.
    replicates : int
        Answers of every cell.
    effects : mapping of str to array, optional
        Effects that are not drawn, by term, of the shape of its levels: the means of fixed levels, or effects of
        another law than the normal one. They are added to what the components draw.
    residual : array, optional
        Variance of replicates, of a shape that goes with the cells, in place of the one of the components.
    tails : float, optional
        Degrees of freedom, above 2, of Student's t that replicates follow, at the same variance; normal without.
    rng : numpy.random.Generator or int, optional
        Seed or generator; the same judgments every time if left out.

    Returns
    -------
    Judgments

    Raises
    ------
    InvalidInput
        If a count is none, or an array has another shape than its term.
    UnknownTerm
        If a term has a facet that is not among ``levels``.

    Examples
    --------
    >>> import quorate as q
    >>> law = q.components({"item": 0.05, "prompt": 0.04, "item:prompt": 0.02, "replicate": 0.06})
    >>> table = draw_judgments(law, levels={"item": 50, "prompt": 4}, replicates=5)
    >>> table.n_cells, table.n_answers
    (200, 1000)
    """
    source = stream(0, "judgments") if rng is None else np.random.default_rng(rng)
    for name, count in {**levels, "replicates": replicates}.items():
        rules.whole(f"levels: {name}", count, 1)
    if ITEM not in levels:
        raise InvalidInput(f"levels: a number of items is needed, got {', '.join(levels) or 'none'}")
    groups = np.arange(levels[ITEM]) * levels.get(CATEGORY, 1) // levels[ITEM]  # categories as equal as can be
    sizes = {name: int(count) for name, count in levels.items() if name != CATEGORY}
    mean = np.zeros(tuple(sizes.values()))
    for term, variance in components.random.items():
        if term != REPLICATE:
            drawn = source.normal(0, np.sqrt(variance), _shape(term, levels))
            mean = mean + _placed(term, drawn, sizes, groups)
    for term, given in (effects or {}).items():
        values, shape = np.asarray(given, dtype=float), _shape(term, levels)
        if values.shape != shape:
            raise InvalidInput(f"effects: {term} needs the shape {shape}, got {values.shape}")
        mean = mean + _placed(term, values, sizes, groups)
    own = components.random.get(REPLICATE, 0.0) if residual is None else residual
    noise = np.broadcast_to(np.asarray(own, dtype=float), mean.shape)
    average, ss = _answers(mean.ravel(), noise.ravel(), replicates, tails, source)
    codes = np.indices(mean.shape).reshape(len(sizes), -1)
    parent = CATEGORY if CATEGORY in levels else None
    facets = [
        Facet(name, name, _labels(name, n), name in components.sensitivity, parent if name == ITEM else None)
        for name, n in sizes.items()
    ]
    if parent:
        codes = np.vstack([codes, groups[codes[list(sizes).index(ITEM)]]])
        facets.append(Facet(CATEGORY, CATEGORY, _labels(CATEGORY, levels[CATEGORY])))
    n = np.full(mean.size, replicates)
    return Judgments(tuple(facets), ITEM, "score", codes.T.astype(np.int32), n, average, ss, average, average, {OK: n})


def _shape(term: str, levels: Mapping[str, int]) -> tuple[int, ...]:
    """Levels of the facets of a term."""
    names = [name for name in levels if name != CATEGORY] if term == "cell" else term.split(":")
    for name in names:
        if name not in levels:
            raise UnknownTerm(name, levels, "levels")
    return tuple(levels[name] for name in names)


def _placed(term: str, effect: Floats, sizes: Mapping[str, int], groups: Ints) -> Floats:
    """The effects of a term, by the cells that have them."""
    if term == "cell":
        return effect
    names = term.split(":")
    if CATEGORY in names:
        effect, names = (
            np.take(effect, groups, axis=names.index(CATEGORY)),
            [ITEM if n == CATEGORY else n for n in names],
        )
    order = [names.index(name) for name in sizes if name in names]
    return effect.transpose(order).reshape([n if name in names else 1 for name, n in sizes.items()])


def _labels(name: str, n: int) -> tuple[str, ...]:
    return tuple(f"{name} {i:0{len(str(n))}d}" for i in range(1, n + 1))


def _answers(
    mean: Floats, noise: Floats, replicates: int, tails: float | None, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Mean of the replicates of every cell, and their sum of squares about it."""
    if tails is not None:
        if tails <= 2:
            raise InvalidInput(f"tails: more than 2 degrees of freedom are needed, got {tails!r}")
        answers = rng.standard_t(tails, (replicates, len(mean))) * np.sqrt(noise * (tails - 2) / tails)
        return mean + answers.mean(axis=0), np.asarray(replicates * answers.var(axis=0))
    average = mean + rng.normal(0, np.sqrt(noise / replicates))
    ss = noise * rng.chisquare(replicates - 1, len(mean)) if replicates > 1 else np.zeros(len(mean))
    return average, np.asarray(ss)


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
