"""Worlds: a score for every call that may be bought, drawn from known components."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats
from quorate.decide.goals.offer import Offer
from quorate.errors import InvalidInput, NotEstimable
from quorate.roles import CATEGORY, ITEM, JUDGE, PROMPT, REPLICATE, SYSTEM
from quorate.table.cells import Cells
from quorate.table.judgments import OK, Facet, Judgments

AXES = (ITEM, SYSTEM, PROMPT, JUDGE)

Amount = float | Mapping[str, float]
"""A number, or one for each category of items."""


@dataclass(frozen=True, eq=False)
class World:
    """Scores of everything on offer.

    Parameters
    ----------
    offer : Offer
        What may be bought.
    score : array, shape (items, systems, prompts, judges, replicates)
        Score of each call.
    """

    offer: Offer
    score: Floats

    def nothing(self) -> NDArray[np.bool_]:
        """No calls, in the shape of the scores."""
        return np.zeros(self.score.shape, dtype=np.bool_)

    def asked(self, cells: Cells, before: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Calls that were made, with some more."""
        made = before.copy()
        place = [cells.code(name) if name in cells.levels else np.zeros(len(cells), dtype=int) for name in AXES]
        made[(*place, cells.replicate - 1)] = True
        return made

    def judgments(self, made: NDArray[np.bool_]) -> Judgments:
        """The table of the calls that were made."""
        n = made.sum(axis=-1)
        place = np.argwhere(n)
        at = tuple(place.T)
        count, score, there = n[at], self.score[at], made[at]
        mean = (score * there).sum(axis=-1) / count
        ss = (np.where(there, score - mean[:, None], 0.0) ** 2).sum(axis=-1)
        offer = self.offer
        labels = (offer.item_order, offer.systems, offer.prompts, offer.judge_order)
        grouped = offer.categories is not None
        named = [(at, name, own) for at, (name, own) in enumerate(zip(AXES, labels, strict=True)) if own]
        over = {ITEM: CATEGORY} if grouped else {}
        facets = [Facet(name, name, own, name == JUDGE, over.get(name)) for _, name, own in named]
        codes = place[:, [at for at, _, _ in named]].astype(np.int32)
        if grouped:
            names, group = np.unique(np.array(offer.group_order), return_inverse=True)
            facets.append(Facet(CATEGORY, CATEGORY, tuple(names.tolist())))
            codes = np.column_stack([codes, group[place[:, 0]].astype(np.int32)])
        table = Judgments(tuple(facets), ITEM, "score", codes, count, mean, ss, mean, mean, {OK: count})
        return table.keep(np.ones(len(count), dtype=np.bool_))


def world(
    offer: Offer,
    components: Mapping[str, Amount],
    effects: Sequence[Amount],
    rng: np.random.Generator,
    *,
    panel: bool = True,
    noise: Mapping[str, float] | None = None,
) -> World:
    """Scores drawn from the components of every system's own scores.

    Parameters
    ----------
    offer : Offer
        What may be bought.
    components : mapping of str to float or mapping
        Variances by term, such as ``item``, ``item:judge``, ``cell`` and ``replicate``, of each system by itself; of a
        term by category where they are not the same on all.
    effects : sequence of float or mapping
        True mean of each system, or by category.
    rng : numpy.random.Generator
        For the draws.
    panel : bool
        Whether judges stand for themselves: their main effects then sum to 0.
    noise : mapping of str to float, optional
        By judge, how many times as large the standard deviation of its cells and replicates is.

    Raises
    ------
    InvalidInput
        If a component is none of items, prompts, judges and replicates.
    NotEstimable
        If a category has no effect, or no variance of a term.
    """
    sizes = (len(offer.order), len(effects), max(len(offer.prompts), 1), len(offer.judges))
    scale = np.array([1.0 if noise is None else noise.get(name, 1.0) for name in offer.judge_order])
    category = offer.group_order or ("",) * sizes[0]
    own = np.array([[truth(one, name) for one in effects] for name in category])
    mean = np.broadcast_to(own[:, :, None, None], sizes).copy()
    laws = {name: told(terms_on(components, name), offer) for name in dict.fromkeys(category)}
    deviations = {
        term: np.sqrt([laws[name][term] for name in category])[:, None, None, None] for term in laws[category[0]]
    }
    answers = deviations.pop(REPLICATE, np.zeros((1, 1, 1, 1)))
    for term, deviation in deviations.items():
        names = {ITEM, PROMPT, JUDGE} if term == "cell" else set(term.split(":"))
        shape = [size if name in names or name == SYSTEM else 1 for name, size in zip(AXES, sizes, strict=True)]
        drawn = deviation * rng.normal(0.0, 1.0, shape)
        drawn = drawn - drawn.mean(axis=-1, keepdims=True) if panel and names == {JUDGE} else drawn
        mean += drawn * scale if term == "cell" else drawn
    within = answers[..., None] * rng.normal(0.0, 1.0, (*sizes, offer.replicates))
    return World(offer, mean[..., None] + within * scale[:, None])


def truth(amount: Amount, category: str) -> float:
    """What is true of the items of a category.

    Raises
    ------
    NotEstimable
        If it is said by category, and not of this one.
    """
    if not isinstance(amount, Mapping):
        return float(amount)
    if category not in amount:
        what = f'"{category}" has none' if category else "the items have no categories"
        raise NotEstimable(f"effect, components: by category one is needed for each, and {what}")
    return float(amount[category])


def terms_on(components: Mapping[str, Amount], category: str) -> dict[str, float]:
    """Variances of the items of a category."""
    return {term: truth(variance, category) for term, variance in components.items()}


def told(components: Mapping[str, float], offer: Offer) -> dict[str, float]:
    """Components of an offer: of a facet with one level there is no effect of its own, for the study is about this one.

    Raises
    ------
    InvalidInput
        If a component is none of items, prompts, judges, cells and replicates.
    """
    single = {name for name, own in ((PROMPT, offer.prompts), (JUDGE, offer.judges)) if len(own) < 2}
    out: dict[str, float] = {}
    for term, variance in components.items():
        names = [name for name in AXES if name in term.split(":")]
        if term not in ("cell", REPLICATE) and (SYSTEM in names or len(names) != len(term.split(":"))):
            raise InvalidInput(f"components: terms are of item, prompt, judge, cell and replicate, got {term!r}")
        left = term if term in ("cell", REPLICATE) else ":".join(name for name in names if name not in single)
        if left:
            out[left] = out.get(left, 0.0) + variance
    return out
