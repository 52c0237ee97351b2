"""Law of a goal: the components of what it is about, and its effect, from the answers of a study."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from quorate.analysis.goals.vote_law import law_of_votes
from quorate.decide.goals.goal import BestGoal, CompareGoal, Goal, HalfWidthGoal, PreferGoal
from quorate.decide.goals.parts import without_facet
from quorate.errors import InvalidInput
from quorate.estimate.components.decompose import decompose
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.differences.difference import difference
from quorate.estimate.differences.stratified import stratified_difference
from quorate.estimate.means.stratified import strata
from quorate.roles import CATEGORY, ITEM, JUDGE, PROMPT, REPLICATE, SYSTEM
from quorate.simulate.goals.votes import VoteLaw
from quorate.simulate.goals.world import Amount, terms_on, truth
from quorate.table.judgments import Judgments
from quorate.table.votes import Votes

_KNOWN = frozenset({ITEM, PROMPT, JUDGE, REPLICATE, "cell"})


class Law(NamedTuple):
    """What a goal is about: variances by term, or of votes how they come about, and the true difference; 0 if none.

    Of a goal by category, each variance and the difference may be by category.
    """

    components: Mapping[str, Amount] | VoteLaw
    effect: Amount


def law_of(goal: Goal, table: Judgments | Votes, people: Collection[str] = ()) -> Law:
    """Components and effect as the answers of a study have them.

    Where only a sum of components is known, it is taken for the first of them: with one prompt, what items and their
    prompts bring is what items bring. Every category of a goal by category has its own; of a half-width of several
    systems it is the average over these.

    Raises
    ------
    InvalidInput
        If the goal is one of two stages, or the answers are not those of the goal.
    NotEstimable
        If there are too few answers to tell.
    """
    if isinstance(table, Votes) and isinstance(goal, PreferGoal | BestGoal):
        return Law(*law_of_votes(goal, table, people))
    if isinstance(table, Votes) or not isinstance(goal, CompareGoal | HalfWidthGoal | BestGoal):
        raise InvalidInput("goal: one of two stages, or of other answers than these, is not simulated")
    if isinstance(goal, CompareGoal | HalfWidthGoal) and goal.by is not None:
        return _by_category({name: law_of(replace(goal, by=None), part) for name, part in _levels(table, CATEGORY)})
    if isinstance(goal, HalfWidthGoal):
        if SYSTEM in table.names and table.n_levels(SYSTEM) > 1:
            return _average([law_of(goal, part) for _, part in _levels(table, SYSTEM)])
        shares = goal.category_shares
        return Law(_terms(decompose(strata(table), covariates=[CATEGORY]) if shares else decompose(table)), 0.0)
    if isinstance(goal, CompareGoal) and goal.category_shares is not None:
        apart = stratified_difference(table, goal.a, goal.b, goal.category_shares, targets=goal.target)
        return Law(_terms(apart.fit), apart.value)
    a, b = (goal.a, goal.b) if isinstance(goal, CompareGoal) else best_two(table)
    found = difference(table, a, b, method="paired", targets=goal.target)
    return Law(_terms(found.fit), found.value)


def _levels(table: Judgments, name: str) -> Iterator[tuple[str, Judgments]]:
    """Every level of a facet with its judgments, without the facet."""
    for level in table.facet(name).levels:
        yield level, without_facet(table.only(name, level), name)


def _by_category(laws: Mapping[str, Law]) -> Law:
    """Components and effect, each by category; no effect where there is none on any."""
    variances = {term: dict(zip(laws, own, strict=True)) for term, own in _terms_of(laws.values()).items()}
    effects = {name: truth(law.effect, "") for name, law in laws.items()}
    return Law(variances, effects if any(effects.values()) else 0.0)


def _average(laws: Sequence[Law]) -> Law:
    """Components, averaged."""
    return Law({term: float(np.mean(own)) for term, own in _terms_of(laws).items()}, 0.0)


def _terms_of(laws: Collection[Law]) -> dict[str, list[float]]:
    """Variances of every term in all laws; 0 where one of them has none."""
    own = [terms_on(law.components, "") for law in laws if not isinstance(law.components, VoteLaw)]
    names = dict.fromkeys(name for each in own for name in each)
    return {name: [each.get(name, 0.0) for each in own] for name in names}


def best_two(table: Judgments) -> tuple[str, str]:
    """The two systems with the highest means, the best first."""
    code, names = table.column(SYSTEM), table.facet(SYSTEM).levels
    sums = np.bincount(code, table.mean * table.n, len(names))
    means = sums / np.maximum(np.bincount(code, table.n, len(names)), 1)
    first, second, *_ = np.argsort(-means, kind="stable")
    return names[first], names[second]


def _terms(fit: Decomposition) -> dict[str, float]:
    """Variances of single terms."""
    first = {name.split(" + ")[0]: value for name, value in fit.variances.items()}
    return {term: value for term, value in first.items() if set(term.split(":")) <= _KNOWN}
