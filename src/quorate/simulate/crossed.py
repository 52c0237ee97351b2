"""Judgments of a crossed design, drawn from known components."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from quorate import rules
from quorate.arrays import Floats, Ints
from quorate.errors import InvalidInput, UnknownTerm
from quorate.estimate.components.published import Components
from quorate.roles import CATEGORY, ITEM, REPLICATE
from quorate.streams import stream
from quorate.table.facets import OK, Facet
from quorate.table.judgments import Judgments


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
    groups = _groups(levels, replicates)
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


def _groups(levels: Mapping[str, int], replicates: int) -> Ints:
    """The category of every item, all as large as can be."""
    for name, count in {**levels, "replicates": replicates}.items():
        rules.whole(f"levels: {name}", count, 1)
    if ITEM not in levels:
        raise InvalidInput(f"levels: a number of items is needed, got {', '.join(levels) or 'none'}")
    return np.arange(levels[ITEM]) * levels.get(CATEGORY, 1) // levels[ITEM]


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
