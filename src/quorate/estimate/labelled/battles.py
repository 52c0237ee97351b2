"""Battles that people and judges voted on, matched and counted for prediction-powered ratings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from quorate.arguments import argument
from quorate.arrays import Floats, Ints
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.ratings.counts import VoteCounts, refuse_unrated, tally
from quorate.estimate.votes.dependence import cells
from quorate.numerics.ratings.bradley_terry import Design
from quorate.numerics.ratings.labelled_battles import Battles
from quorate.numerics.ratings.ties.registry import Ties
from quorate.roles import JUDGE
from quorate.table.pairs import MISSING, turn
from quorate.table.votes import Votes

_PLACE = np.array([0, 1, 2, 2, -1])
"""Column of the counts for each outcome: both bad is a tie, and a missing vote has none."""


@dataclass(frozen=True, eq=False)
class Said:
    """Rows of a table of votes by battle.

    Parameters
    ----------
    votes : Votes
        Rows that have an outcome and a battle.
    battle : array of int, shape (rows,)
        Code of the battle, from one list for all tables.
    place : array of int, shape (rows,)
        0: for the first of the two in alphabetical order, 1: for the second, 2: a tie.
    """

    votes: Votes
    battle: Ints
    place: Ints

    def keep(self, rows: Any) -> Said:
        """The same with some of the rows."""
        return Said(self.votes.keep(rows), self.battle[rows], self.place[rows])

    def of_battles(self, name: str, battles: Ints) -> Ints:
        """Level of a facet of every one of these battles.

        Raises
        ------
        InvalidInput
            If a battle has none, or several.
        """
        level = self.votes.column(name).astype(np.int64)
        at = np.searchsorted(battles, self.battle)
        out = np.full(len(battles), -1, dtype=np.int64)
        out[at] = level
        if (out < 0).any() or (out[at] != level).any():
            raise InvalidInput(f"{name}: every battle needs one, and some have none or several; leave these out")
        return out


@dataclass(frozen=True, eq=False)
class Rows:
    """Where the rows of `quorate.numerics.ratings.rectified.Battles` came from.

    Parameters
    ----------
    said, labels : Said
        Votes of judges and of people.
    battles : array of int
        Codes of all battles.
    labelled, others : array of int
        Battle of every row, and those without a label, as places in ``battles``.
    person : array of int, shape (rows,)
        Who voted.
    """

    said: Said
    labels: Said
    battles: Ints
    labelled: Ints
    others: Ints
    person: Ints

    def clusters(self, name: str, *, by_default: bool) -> tuple[Ints, Ints] | None:
        """Cluster of labelled rows and of other battles by a facet; by default None where it tells nothing.

        Raises
        ------
        InvalidInput
            If a battle has none, or several.
        NotEstimable
            If all labels are of one.
        """
        if name == JUDGE and JUDGE in self.labels.votes.names:
            own, rest = self.person, int(self.person.max()) + 1 + self.others
        elif name in self.said.votes.names:
            try:
                of = self.said.of_battles(name, self.battles)
            except InvalidInput:
                if by_default:
                    return None
                raise
            own, rest = of[self.labelled], of[self.others]
        else:
            return None
        there = len(np.unique(own))
        code, battle = np.append(own, rest), np.append(self.labelled, self.others)
        if by_default and (there < 2 or len(np.unique(code * len(self.battles) + battle)) == len(np.unique(code))):
            return None
        if there < 2:
            raise NotEstimable(
                f"cluster: one level of {name} has all labels, and its error needs two; label more of them"
            )
        return own, rest


@dataclass(frozen=True, eq=False)
class Board:
    """What ratings by people and judges are made of.

    Parameters
    ----------
    counted : VoteCounts
        Votes of people on battles that judges voted on, between systems that they can rate.
    design : Design
        Pairs of all battles.
    battles : Battles
        Votes on them.
    judged : array, shape (entries,)
        What all judges say together of all battles, one vote each.
    judges, strata : tuple of str
        Judges, and names of the strata.
    labels : array of int, shape (systems,)
        Labelled battles of every system.
    unpredicted : int
        Battles with a label alone, which are left out.
    rows : Rows
        Where the votes came from.
    """

    counted: VoteCounts
    design: Design
    battles: Battles
    judged: Floats
    judges: tuple[str, ...]
    strata: tuple[str, ...]
    labels: Ints
    unpredicted: int
    rows: Rows

    def clustered(self, facets: Sequence[str], *, by_default: bool) -> tuple[Board, tuple[str, ...], tuple[int, ...]]:
        """The same with clusters by these facets; their names, and labelled clusters of each."""
        found = {name: self.rows.clusters(name, by_default=by_default) for name in facets}
        known = {name: codes for name, codes in found.items() if codes is not None}
        if not known:
            return self, (), ()
        clustered = replace(self.battles, clusters=tuple(known.values()))
        counts = tuple(len(np.unique(own)) for own, _ in known.values())
        return replace(self, battles=clustered), tuple(known), counts


def board_of(
    judges: Votes,
    people: Votes,
    *,
    ties: Ties,
    key: str,
    strata: str | None,
    chance: str | None,
    pooled: bool,
) -> Board:
    """Votes of people and judges, battle by battle.

    Parameters
    ----------
    judges, people : Votes
        What they said.
    ties, key, strata, chance
        As for `quorate.agreement.corrected_ratings`.
    pooled : bool
        Whether judges are one predictor, their mean, instead of one each.

    Raises
    ------
    InvalidInput
        If nothing says which votes are of one battle, or a battle has several strata.
    NotEstimable
        If no battle of people was judged, or they alone have no ratings.
    """
    models = tuple(sorted({*judges.models, *people.models}))
    levels = tuple(dict.fromkeys(name for table in (judges, people) for name in _keyed(table, key)))
    said, labels = (_said(table, key, models, levels) for table in (judges, people))
    known = np.isin(labels.battle, said.battle)
    unpredicted = len(np.unique(labels.battle[~known]))
    if not known.any():
        raise NotEstimable("human: no battle that people voted on was judged; both must name prompts and systems alike")
    labels = labels.keep(known)
    counted = tally(labels.votes, ties, None, False, linked_only=True)
    refuse_unrated(counted, False)
    rated, size = np.isin(models, counted.systems), len(models)
    said, labels = (one.keep(rated[one.battle // size % size] & rated[one.battle % size]) for one in (said, labels))
    battles = np.unique(said.battle)
    pairs, cell = np.unique(battles % (size * size), return_inverse=True)
    a, b = (np.cumsum(rated) - 1)[np.array(divmod(pairs, size))]
    person = _levels(labels.votes, JUDGE)
    rows, first, row = np.unique(
        np.searchsorted(battles, labels.battle) * (person.max() + 1) + person, return_index=True, return_inverse=True
    )
    at = rows // (person.max() + 1)
    others = np.setdiff1d(np.arange(len(battles)), at)
    votes = _shares(labels, battles, cell, row, len(rows), ties=counted.ties_count)
    judged = {"": said}
    if not pooled and JUDGE in said.votes.names:
        judge = _levels(said.votes, JUDGE)
        judged = {name: said.keep(judge == i) for i, name in enumerate(said.votes.facet(JUDGE).levels)}
    tables = [_judged(one, battles, cell, ties=counted.ties_count) for one in judged.values()]
    weight = (
        np.bincount(row, labels.votes.weights)
        / np.bincount(np.searchsorted(battles, labels.battle), labels.votes.weights, len(battles))[at]
    )
    names, stratum = ("",), np.zeros(len(battles), dtype=np.int64)
    if strata is not None:
        found, stratum = np.unique(said.of_battles(strata, battles), return_inverse=True)
        names = tuple(said.votes.facet(strata).levels[i] for i in found.tolist())
    own = np.unique(at)
    return Board(
        counted=counted,
        design=Design(len(counted.systems), a, b, np.zeros(1), counted.pairwise.ties),
        battles=Battles(
            people=votes,
            said=tuple(table[at].multiply(weight[:, None]).tocsr() for table in tables),
            others=tuple(table[others] for table in tables),
            share=weight,
            strata=(stratum[at], stratum[others]),
            clusters=((at, others),),
            chance=None if chance is None else _chances(labels.votes, chance)[first],
        ),
        judged=np.asarray(_judged(said, battles, cell, ties=counted.ties_count).sum(axis=0)).ravel(),
        judges=tuple(judged),
        strata=names,
        labels=np.bincount(np.append(a[cell[own]], b[cell[own]]), minlength=len(counted.systems)),
        unpredicted=unpredicted,
        rows=Rows(said, labels, battles, at, others, person[first]),
    )


def _keyed(votes: Votes, key: str) -> tuple[str, ...]:
    """Levels of what the two systems of a vote answered."""
    if key not in votes.names:
        column = argument("prompt", ..., group="roles", text='prompt="its column"')
        raise InvalidInput(f"key: no {key} says which votes are of one battle; read the votes with " + column)
    return votes.facet(key).levels


def _said(votes: Votes, key: str, models: tuple[str, ...], levels: tuple[str, ...]) -> Said:
    """Rows with an outcome, whose battles are coded by these models and levels."""
    kept = votes.keep((votes.outcome != MISSING) & (votes.column(key) >= 0))
    model = np.searchsorted(models, kept.models)
    level = {name: i for i, name in enumerate(levels)}
    prompt = np.array([level[name] for name in kept.facet(key).levels], dtype=np.int64)[kept.column(key)]
    a, b = model[kept.model_a], model[kept.model_b]
    place = _PLACE[turn(kept.outcome, a > b)]
    size = np.int64(len(models))
    return Said(kept, (prompt * size + np.minimum(a, b)) * size + np.maximum(a, b), place)


def _levels(votes: Votes, name: str) -> Ints:
    """Level of a facet of every row, from 0; one level where there is no such facet, one of its own without a label."""
    return cells(votes, name) if name in votes.names else np.zeros(votes.rows, dtype=np.int64)


def _judged(said: Said, battles: Ints, cell: Ints, *, ties: bool) -> Any:
    """What was said of every battle, as votes that add up to 1; nothing where it was not judged."""
    return _shares(said, battles, cell, np.searchsorted(battles, said.battle), len(battles), ties=ties)


def _shares(said: Said, battles: Ints, cell: Ints, row: Ints, rows: int, *, ties: bool) -> Any:
    """Votes as parts of those on their battle, by row, cell and outcome; sparse."""
    from scipy.sparse import coo_array

    at, weight = np.searchsorted(battles, said.battle), said.votes.weights.astype(float)
    part = weight / np.bincount(at, weight, len(battles))[at]
    kept = slice(None) if ties else said.place < 2
    entries = part[kept], (row[kept], (cell[at] * 3 + said.place)[kept])
    return coo_array(entries, shape=(rows, 3 * (int(cell.max()) + 1))).tocsr()


def _chances(votes: Votes, name: str) -> Floats:
    """Chances of battles to be labelled, from a facet of numbers."""
    values = votes.facet(name).values
    out = np.array([np.nan]) if values is None else np.append(values, np.nan)[votes.column(name)]
    if not ((out > 0) & (out <= 1)).all():
        raise InvalidInput(f"sampling_probability: every label needs a chance above 0 and of at most 1 in {name}")
    return np.asarray(out)
