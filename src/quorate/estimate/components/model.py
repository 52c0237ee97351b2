"""Terms of the model: their names, their defaults and their facets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from quorate.arguments import argument
from quorate.errors import InvalidInput, UnknownTerm
from quorate.roles import REPLICATE
from quorate.table.judgments import Judgments

CELL = "cell"


@dataclass(frozen=True)
class Model:
    """Which effects are fixed and which are random.

    Parameters
    ----------
    random : tuple of tuple of str
        Facets of each random term other than the cell, without the facets they are nested in.
    cell : bool
        Whether there is a term for the cell, the combination of all facets.
    fixed : tuple of str
        Facets whose levels are chosen; each gets a factor.
    covariates : tuple of str
        Further fixed terms, as names or interactions joined by ":".
    """

    random: tuple[tuple[str, ...], ...]
    cell: bool
    fixed: tuple[str, ...]
    covariates: tuple[str, ...]


def build(judgments: Judgments, random: Sequence[str] | None, covariates: Sequence[str]) -> Model:
    """The model for these judgments: main effects, two-way interactions and the cell unless terms are given.

    Raises
    ------
    UnknownTerm
        If a term names a facet that does not exist.
    InvalidInput
        If a random term consists of fixed facets only.
    """
    named = {name for term in covariates for name in term.split(":")}
    used = {name for name in named if not judgments.facet(name).fixed}
    fixed = tuple(f.name for f in judgments.facets if f.fixed)
    terms = default_terms(judgments, used) if random is None else []
    for name in random or ():
        facets = (CELL,) if name == CELL else _facets(judgments, name)
        if name != CELL and all(judgments.facet(facet).fixed for facet in facets):
            raise InvalidInput(
                f'random: "{name}" has fixed facets only; leave it out, or read the data with '
                + argument("fixed", ())
                + " to make it random"
            )
        terms.append(facets)
    unique = dict.fromkeys(terms)
    whole = leaves(judgments, judgments.names)
    cell = random is None or (CELL,) in unique or whole in unique
    chosen = tuple(term for term in unique if term not in ((CELL,), whole))
    return Model(chosen, cell, fixed, tuple(covariates))


def with_drawn_groups(judgments: Judgments, random: Sequence[str]) -> Judgments:
    """The same judgments, whose groups of items are drawn where they are named among the random terms."""
    groups = {*judgments.ancestors(judgments.object)} & {*random}
    facets = tuple(replace(facet, fixed=facet.fixed and facet.name not in groups) for facet in judgments.facets)
    return replace(judgments, facets=facets) if groups else judgments


def leaves(judgments: Judgments, names: Iterable[str]) -> tuple[str, ...]:
    """Facets in the table's order, without those that another of them is nested in."""
    names = set(names)
    above = {up for name in names for up in judgments.ancestors(name)}
    return tuple(name for name in judgments.names if name in names and name not in above)


def closure(judgments: Judgments, names: Iterable[str]) -> frozenset[str]:
    """Facets together with all they are nested in."""
    return frozenset(up for name in names for up in (name, *judgments.ancestors(name)))


def canonical(judgments: Judgments, name: str) -> str:
    """The name under which a term is kept: facets in order, parents left out, all facets together ``cell``.

    Raises
    ------
    UnknownTerm
        If a facet does not exist.
    """
    if name in (CELL, REPLICATE):
        return name
    facets = _facets(judgments, name)
    return CELL if facets == leaves(judgments, judgments.names) else ":".join(facets)


def _facets(judgments: Judgments, name: str) -> tuple[str, ...]:
    parts = [part.strip() for part in name.split(":")]
    if any(part not in judgments.names for part in parts):
        raise UnknownTerm(name, judgments.names)
    return leaves(judgments, parts)


def default_terms(judgments: Judgments, covariates: set[str]) -> list[tuple[str, ...]]:
    """Main effects of the random facets, and two-way interactions with at least one random facet.

    A facet that groups the object of measurement (a category of items) enters by its main effect alone.
    """
    facets = [f.name for f in judgments.facets if f.name not in covariates]
    grouping = set(judgments.ancestors(judgments.object))
    random = [name for name in facets if not judgments.facet(name).fixed]
    pairs: list[tuple[str, ...]] = [
        pair
        for pair in combinations([name for name in facets if name not in grouping], 2)
        if leaves(judgments, pair) == tuple(sorted(pair, key=judgments.names.index)) and set(pair) & set(random)
    ]
    return [*((name,) for name in random), *pairs]
