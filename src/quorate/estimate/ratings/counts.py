"""Counts of votes for Bradley-Terry models, and what counts cannot be rated."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quorate.arguments import argument
from quorate.arrays import Bools, Floats, Ints
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.ratings.rankings import Ranked, ranked
from quorate.frozen import dataclass
from quorate.numerics.ratings.bradley_terry import Design
from quorate.numerics.ratings.draws import Units
from quorate.numerics.ratings.existence import components, ever_won, exists, identified, ties_identified
from quorate.numerics.ratings.plackett_luce import Choices
from quorate.numerics.ratings.ties import HALF, Ties, tie_model
from quorate.table.pairs import BOTH_BAD, FIRST_A, MISSING, TIE
from quorate.table.results import Result
from quorate.table.votes import Votes
from quorate.wording import listed

Place = Literal["above all", "below all", "not linked"]
_MEANT: dict[Place, str] = {
    "above all": "above all of these, to whom {} never lost",
    "below all": "below all of these, against whom {} never won",
    "not linked": "not linked to these by wins both ways",
}


@dataclass(frozen=True)
class Unrated(Result):
    """A system that no finite rating fits beside those that have one.

    Parameters
    ----------
    system : str
        Label.
    place : {"above all", "below all", "not linked"}
        Where it stands to those that are rated, directly or through others.
    votes : int
        Votes on it.
    won : int
        Of one above all: the fewest votes that it won against any of those that are rated; 0 where it did not meet one.
    """

    system: str
    place: Place
    votes: int
    won: int = 0


def linked(votes: Votes, ties: bool) -> tuple[Bools, tuple[Unrated, ...]]:
    """Rows of votes between the systems that are rated, and the other systems.

    Systems have finite ratings together where each is reached from every other along wins
    (`quorate.numerics.ratings.existence`). A system that never lost to them is above all, one that never won below all,
    and one without such a chain in either direction is not linked.

    Parameters
    ----------
    votes : Votes
        Votes.
    ties : bool
        Whether ties count, as wins of both.

    Returns
    -------
    array of bool, shape (rows,), and tuple of Unrated
        All rows and no system where all have finite ratings, or where no two have.
    """
    pairs, size = votes.pairs(), len(votes.models)
    even = (pairs.ties + pairs.both_bad) * ties
    counts = np.column_stack([pairs.a_wins, pairs.b_wins, even])[None].astype(np.float64)
    a, b = pairs.a.astype(np.int64), pairs.b.astype(np.int64)
    label = components(Design(size, a, b, np.zeros(1), HALF), counts, "strong")
    systems = np.bincount(label)
    if len(systems) == 1 or systems.max() == 1:
        return np.ones(votes.rows, dtype=np.bool_), ()
    seen = pairs.decisive + even
    own = np.bincount(label[a], seen * (label[a] == label[b]), len(systems))
    rated = label == max(range(len(systems)), key=lambda g: (systems[g], own[g]))
    ahead, behind = (side + even > 0 for side in (pairs.a_wins, pairs.b_wins))
    winner, loser = np.append(a[ahead], b[behind]), np.append(b[ahead], a[behind])
    below, above = _reached(rated, winner, loser), _reached(rated, loser, winner)
    total = np.bincount(a, seen, size) + np.bincount(b, seen, size)
    wins = np.zeros((size, size), dtype=np.int64)
    np.add.at(wins, (a, b), pairs.a_wins)
    np.add.at(wins, (b, a), pairs.b_wins)
    won = np.where(above, wins[:, rated].min(axis=1), 0)
    others = tuple(
        Unrated(
            votes.models[i],
            "above all" if above[i] else "below all" if below[i] else "not linked",
            int(total[i]),
            int(won[i]),
        )
        for i in np.flatnonzero(~rated).tolist()
    )
    return rated[votes.model_a] & rated[votes.model_b], others


def _reached(start: Bools, source: Ints, target: Ints) -> Bools:
    """What is reached from here along arrows."""
    reached = start.copy()
    while True:
        grown = reached.copy()
        grown[target[reached[source]]] = True
        if (grown == reached).all():
            return reached
        reached = grown


def unrated_words(unrated: Iterable[Unrated]) -> str:
    """Where systems stand that have no rating, in a sentence; empty without any."""
    parts = []
    for place, meant in _MEANT.items():
        names = [one.system for one in unrated if one.place == place]
        if names:
            said = meant.format("it" if len(names) == 1 else "they")
            parts.append(f"{listed(names, most=_SHOWN)}, {said}")
    return f"Without a finite rating: {'; '.join(parts)}." if parts else ""


# Covariates of votes: what else the two systems of a vote differ in, such as the length of their answers.


def differences(votes: Votes, names: Sequence[str]) -> Floats:
    """How much more of each covariate the first of every row has, shape (rows, covariates); nan where not known.

    A covariate is a facet of numbers that are differences, that of the first system as the source wrote the pair less
    that of the second; or two facets, ``length_a`` and ``length_b`` for ``length``.

    Parameters
    ----------
    votes : Votes
        From `quorate.read_votes`.
    names : sequence of str
        Covariates.

    Raises
    ------
    InvalidInput
        If one is not there, is named twice, or is not of numbers.
    """
    if isinstance(names, str) or len(set(names)) < len(names):
        raise InvalidInput(f"covariates: expects names, each once, got {names!r}")
    back = np.where(votes.swapped, -1.0, 1.0)
    return np.column_stack([back * _written(votes, name) for name in names])


def _written(votes: Votes, name: str) -> Floats:
    """The difference as the source wrote the pair."""
    if name in votes.names:
        return _numbers(votes, name)
    sides = f"{name}_a", f"{name}_b"
    if not set(sides) <= set(votes.names):
        raise InvalidInput(
            f'covariates: the votes have no "{name}", nor "{sides[0]}" and "{sides[1]}"; read them with '
            + argument("facets", {name: ...})
        )
    return _numbers(votes, sides[0]) - _numbers(votes, sides[1])


def _numbers(votes: Votes, name: str) -> Floats:
    facet, code = votes.facet(name), votes.column(name)
    if facet.values is None:
        raise InvalidInput(f'covariates: expects numbers, but "{facet.column}" has labels such as "{facet.levels[0]}"')
    return np.asarray(np.append(facet.values, np.nan)[code])


_SHOWN = 5
_FIXES = ("the position effect", "position=False"), ("the tie parameter", 'ties="half"')
_PLACE = np.array([0, 1, 2, 2, -1])
"""Column of the counts for each outcome: both bad is a tie, and a missing vote has none."""


class Places(NamedTuple):
    """Where votes are counted.

    Parameters
    ----------
    place : array of int, shape (rows,)
        Entry of the counts, by order, cell and outcome, that a vote of each row adds to.
    used : array of bool, shape (rows,)
        Rows that count.
    pair : array of int, shape (cells,)
        Pair of systems of each cell.
    covariates : array, shape (cells, covariates)
        What else its votes differ in.
    size : int
        Entries.
    """

    place: Ints
    used: Bools
    pair: Ints
    covariates: Floats
    size: int


@dataclass(frozen=True, eq=False)
class VoteCounts:
    """Votes as counts.

    Parameters
    ----------
    design : Design or Choices
        What the counts compare; systems in the order of ``systems``.
    systems : tuple of str
        Labels.
    counts : array, shape (orders, cells, 3) or (groups,)
        Votes for the first, for the second, and ties, by their weights; of rankings, how often each group was chosen.
    units : Units
        Single votes, or rankings.
    n : int
        Votes, or rankings, that count.
    votes : Votes
        The votes that are counted.
    weights : array, shape (rows,), or None
        Weight of each of its rows.
    unrated : tuple of Unrated
        Systems whose votes are left out, as no finite rating fits them.
    ties_count : bool
        Whether ties are votes.
    covariates : tuple of str
        What else moves the gap of a vote.
    scale : array, shape (covariates,)
        Root mean square of each difference, which is its unit.
    discrimination : str or None
        Facet whose levels tell systems apart more or less sharply.
    level : array of int, shape (cells,), or None
        Its level in each cell, from 0.
    ranked : Ranked or None
        Rankings that the votes were put together to.
    """

    design: Design | Choices
    systems: tuple[str, ...]
    counts: Floats
    units: Units
    n: int
    votes: Votes
    weights: Floats | None = None
    unrated: tuple[Unrated, ...] = ()
    ties_count: bool = True
    covariates: tuple[str, ...] = ()
    scale: Floats = field(default_factory=lambda: np.zeros(0))
    discrimination: str | None = None
    level: Ints | None = None
    ranked: Ranked | None = None

    @property
    def pairwise(self) -> Design:
        """The design of counts that are of pairs."""
        if isinstance(self.design, Choices):
            raise TypeError("design: of rankings, not of pairs")
        return self.design

    @cached_property
    def places(self) -> Places:
        """Where every row is counted."""
        if self.ranked is not None:
            size, none = self.ranked.choices.shape[0], np.zeros(0, dtype=np.int64)
            return Places(self.ranked.place, self.ranked.used, none, np.zeros((0, 0)), size)
        apart = _apart_in(self.votes, self.covariates, self.scale, self.discrimination)
        return places(self.votes, self.ties_count, self.design.position, apart)


def tally(
    votes: Votes,
    ties: Ties,
    weights: ArrayLike | None,
    position: bool,
    *,
    covariates: Sequence[str] = (),
    ties_by_system: bool = False,
    discrimination: str | None = None,
    rankings: str | None = None,
    linked_only: bool = False,
) -> VoteCounts:
    """Count votes by pair, covariates, outcome and, with a position effect, order; or rankings by their choices.

    If ``linked_only``, between systems that can be rated.

    Raises
    ------
    InvalidInput
        If the weights are not one number of 0 or more for every row.
    NotEstimable
        If there is one system, no decisive vote, or an order that is not known.
    """
    votes, weight = (votes, None) if weights is None else _weighted(votes, weights)
    if len(votes.models) < 2:
        raise NotEstimable(f"votes: compare {some(list(votes.models)) or 'no system'}; ratings need two or more")
    if not votes.n_decisive:
        raise NotEstimable(
            f"votes: none of {votes.n:,} is for one of two systems, so nothing says which is better; collect votes "
            "that decide"
        )
    model = tie_model(ties)
    unrated: tuple[Unrated, ...] = ()
    if linked_only:
        rows, unrated = linked(votes, model.counted)
        votes, weight = (votes.keep(rows), weight if weight is None else weight[rows]) if unrated else (votes, weight)
    if rankings is not None:
        found = ranked(votes, rankings)
        chosen = np.asarray(found.units.matrix.sum(axis=0), dtype=np.float64).ravel()
        size = len(found.units.size)
        return VoteCounts(found.choices, votes.models, chosen, found.units, size, votes, None, unrated, ranked=found)
    pairs = votes.pairs()
    sign = np.array([1.0, -1.0]) if position else np.zeros(1)
    scale = scales(votes, covariates, model.counted)
    apart = _apart_in(votes, covariates, scale, discrimination)
    a, b, cell = pairs.a.astype(np.int64), pairs.b.astype(np.int64), np.zeros((0, 0))
    if weight is None and not position and apart is None:
        no_preference = pairs.ties + pairs.both_bad
        columns = pairs.a_wins, pairs.b_wins, no_preference if model.counted else np.zeros_like(no_preference)
        units = Units(np.column_stack(columns).ravel().astype(np.float64))
    else:
        at = places(votes, model.counted, position, apart)
        units, a, b, cell = _by_row(votes, at, weight), a[at.pair], b[at.pair], at.covariates
    counts = units.size if units.matrix is None else units.size @ units.matrix
    if model.modelled and not votes.totals[TIE] + votes.totals[BOTH_BAD]:
        model = model.untied or HALF  # without a tie its parameter would not be finite, and nothing else changes
    level = None
    if discrimination is not None:
        cell, level = cell[:, :-1], np.unique(cell[:, -1], return_inverse=True)[1].astype(np.int64)
    design = Design(len(votes.models), a, b, sign, model, cell, ties_by_system and model.modelled)
    counted = tie_model(ties).counted
    n = votes.n if counted else votes.n_decisive
    counts = counts.reshape(len(sign), -1, 3)
    known = VoteCounts(
        design, votes.models, counts, units, n, votes, weight, unrated, counted, tuple(covariates), scale
    )
    return replace(known, discrimination=discrimination, level=level)


def refuse_unrated(counted: VoteCounts, shrunk: bool) -> None:
    """Refuse counts whose likelihood has no maximum, and name the systems that are the reason.

    Raises
    ------
    NotEstimable
        If systems are not linked, some never lose or never win, or the tie or position parameter is not finite.
    """
    if counted.design.own_ties and not shrunk:
        _refuse_own_ties(counted)
    if exists(counted.design, counted.counts[..., None], shrunk)[0]:
        if counted.covariates and not identified(counted.pairwise, counted.counts):
            raise NotEstimable(
                f"covariates: {listed(counted.covariates)} cannot be told from the ratings or from each other, as they "
                "go together with the systems; leave some out"
            )
        return
    if not shrunk:
        _refuse_infinite(counted)
    if counted.design.position and not shrunk and not identified(counted.pairwise, counted.counts):
        raise NotEstimable(
            "position: places and pairs of systems go together, so the effect of being shown first cannot be told from "
            "the ratings; use position=False"
        )
    open_ = [_FIXES[0]] * counted.design.position + [_FIXES[1]] * counted.design.tied
    which, fix = (listed(words, "or") for words in zip(*open_, strict=True))
    raise NotEstimable(f"votes: too few repeat to give {which} a finite estimate; use {fix}")


def _weighted(votes: Votes, weights: ArrayLike) -> tuple[Votes, Floats]:
    """The rows with a weight above 0, and their weights."""
    try:
        weight = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInput("weights: expects one number for every row, got something else") from None
    if weight.shape != (votes.rows,):
        raise InvalidInput(f"weights: expects {votes.rows:,} numbers, one for every row, got shape {weight.shape}")
    bad = ~(np.isfinite(weight) & (weight >= 0))
    if bad.any():
        row = int(bad.argmax())
        raise InvalidInput(f"weights: expects finite numbers of 0 or more, got {weight[row]} in row {row + 1}")
    kept = votes.keep(weight > 0)
    lost = sorted(set(votes.models) - set(kept.models))
    if lost:
        raise InvalidInput(
            f"weights: every vote on {some(lost)} has weight 0; leave these rows out, or give one of them weight"
        )
    return kept, weight[weight > 0]


def _order(votes: Votes, used: Bools) -> Ints:
    """0 where the first of the pair was shown first, 1 where the second was."""
    if votes.order is None:
        first = next((name for note in votes.notes if note.role == "model_a" for name in note.columns), "model_a")
        raise NotEstimable(
            "position: nothing says which system was shown first; if the first of the two always was, read the votes "
            "with " + argument("order", first, group="roles") + ", else with the column that says so"
        )
    gone = int((votes.order[used] < 0).sum())
    if gone:
        raise NotEstimable(
            f"position: {gone:,} votes do not say which system was shown first; leave them out with "
            "votes.keep(votes.order >= 0)"
        )
    return np.where(votes.order == FIRST_A, 0, 1).astype(np.int64)


def used_rows(votes: Votes, ties: bool) -> Bools:
    """Rows that count, with ties or without."""
    used: Bools = votes.outcome != MISSING
    return used if ties else used & (votes.outcome != TIE) & (votes.outcome != BOTH_BAD)


def places(votes: Votes, ties: bool, position: bool, apart: Floats | None = None) -> Places:
    """Where votes are counted; ``apart``, shape (rows, covariates), is what else the two of every row differ in."""
    used, pairs = used_rows(votes, ties), votes.pairs()
    cell, pair, covariates = pairs.code.astype(np.int64), np.arange(len(pairs)), np.zeros((0, 0))
    if apart is not None:
        code = np.where(used, cell, 0)
        for column in apart.T:
            values, place = np.unique(np.where(used, column, 0.0), return_inverse=True)
            code = np.unique(code * len(values) + place, return_inverse=True)[1]
        _, first = np.unique(np.append(code[used], code.max() + 1), return_index=True)
        there = np.flatnonzero(used)[first[:-1]]
        known = np.full(int(code.max()) + 1, -1, dtype=np.int64)
        known[code[there]] = np.arange(len(there))
        pair, covariates, cell = cell[there], apart[there], np.maximum(known[code], 0)
    place = cell * 3 + _PLACE[votes.outcome]
    if position:
        place += _order(votes, used) * len(pair) * 3
    return Places(place, used, pair, covariates, (1 + position) * len(pair) * 3)


def scales(votes: Votes, covariates: Sequence[str], ties: bool) -> Floats:
    """Root mean squares of the differences in covariates among votes that count.

    Raises
    ------
    NotEstimable
        If a covariate is not known of a vote, or never differs.
    """
    if not covariates:
        return np.zeros(0)
    apart, used = differences(votes, covariates), used_rows(votes, ties)
    for name, column in zip(covariates, apart.T, strict=True):
        gone = ~np.isfinite(column[used])
        if gone.any():
            raise NotEstimable(
                f"covariates: {name} has no number in {int(gone.sum()):,} rows; leave them out, or leave out {name}"
            )
    share = votes.weights[used] / votes.weights[used].sum()
    scale = np.sqrt(share @ apart[used] ** 2)
    for name, size in zip(covariates, scale.tolist(), strict=True):
        if not size:
            raise NotEstimable(f"covariates: {name} never differs between the two of a vote; leave it out")
    return np.asarray(scale)


def _apart_in(votes: Votes, covariates: Sequence[str], scale: Floats, discrimination: str | None) -> Floats | None:
    """What votes on a pair differ in, shape (rows, columns): covariates in their units, then who voted; or None."""
    columns = [differences(votes, covariates) / scale] if covariates else []
    if discrimination is not None:
        columns.append(votes.column(discrimination)[:, None].astype(np.float64))
    return np.column_stack(columns) if columns else None


def _by_row(votes: Votes, at: Places, weight: Floats | None) -> Units:
    """Single votes by cell, outcome and order, row by row."""
    used, cells = at.used, at.size
    cell, count = at.place[used], votes.weights.astype(np.float64)[used]
    if weight is None:
        return Units(np.bincount(cell, count, cells).astype(np.float64, copy=False))
    from scipy.sparse import csr_array

    # Single votes of one cell and weight are alike.
    kinds, place = np.unique(np.column_stack([cell, weight[used]]), axis=0, return_inverse=True)
    rows = np.arange(len(kinds) + 1)
    matrix = csr_array((kinds[:, 1], kinds[:, 0].astype(np.int64), rows), shape=(len(kinds), cells))
    return Units(np.bincount(place.ravel(), count).astype(np.float64, copy=False), matrix)


def _refuse_infinite(counted: VoteCounts) -> None:
    """Refuse systems without votes between them, and those that always beat the others, or never do."""
    design, counts = counted.design, counted.counts
    if isinstance(design, Choices):
        counts, design = design.in_pairs(counts[:, None])[..., 0], design.pairs
    label = components(design, counts, "weak")
    groups = groups_of(counted.systems, label)
    if len(groups) > 1:
        shown = "; ".join(some(group) for group in groups[:_SHOWN]) + (" ..." if len(groups) > _SHOWN else "")
        raise NotEstimable(
            f"votes: {len(groups)} groups of systems have no votes between them: {shown}. Rank each alone, or give "
            + argument("regularisation", 1)
            + ", by which nothing is learnt across groups",
            groups[-1],
        )
    label = components(design, counts, "strong")
    parts = int(label.max()) + 1
    if parts == 1:
        return
    ahead, behind = ever_won(counts)
    winner = label[np.append(design.a[ahead], design.b[behind])]
    loser = label[np.append(design.b[ahead], design.a[behind])]
    between = winner != loser
    never_lost = set(range(parts)) - set(loser[between].tolist())
    never_won = set(range(parts)) - set(winner[between].tolist())
    size = np.bincount(label)
    which = min(never_lost | never_won, key=lambda g: (int(size[g]), g in never_won, g))
    names = [counted.systems[i] for i in np.flatnonzero(label == which).tolist()]
    won = "won every vote against" if which in never_lost else "lost every vote to"
    raise NotEstimable(
        f"votes: {some(names)} {won} the others, so no finite rating is best; collect more votes, leave "
        f"{'it' if len(names) == 1 else 'them'} out, or give " + argument("regularisation", 1),
        names,
    )


def _refuse_own_ties(counted: VoteCounts) -> None:
    """Refuse ties of every system where one has none, or where pairs do not tell whose they are."""
    tied = counted.pairwise.ends @ counted.counts[:, :, 2].sum(axis=0)
    without = [counted.systems[i] for i in np.flatnonzero(tied == 0).tolist()]
    if without:
        raise NotEstimable(
            f"ties_by_system: {some(without)} never tied, so no finite rate of ties fits; leave them out, or give "
            + argument("ties_by_system", False)
        )
    if not ties_identified(counted.pairwise, counted.counts):
        raise NotEstimable(
            "ties_by_system: systems of one group meet those of another only, so nothing says whose ties they are; use "
            + argument("ties_by_system", False)
        )


def groups_of(systems: tuple[str, ...], label: NDArray[Any]) -> list[list[str]]:
    """Systems by component, largest first."""
    parts = [[systems[i] for i in np.flatnonzero(label == g).tolist()] for g in range(int(label.max()) + 1)]
    return sorted(parts, key=lambda part: (-len(part), part[0]))


def some(names: list[str]) -> str:
    """Names of systems in a message; of many, the first few."""
    return listed((f'"{name}"' for name in names), most=_SHOWN) if names else ""
