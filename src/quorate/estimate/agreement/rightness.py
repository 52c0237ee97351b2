"""Rightness of verdicts: how often every configuration of judge, prompt ... said of an item what people did."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.errors import InvalidInput, NotEstimable, UnknownTerm
from quorate.estimate.agreement.verdicts import ITEM, Verdicts, verdicts
from quorate.roles import JUDGE, PROMPT
from quorate.table.judgments import Judgments, table_of
from quorate.table.votes import Votes
from quorate.wording import Brief

_MOST, _SAME = 20_000_000, 1e-9


@dataclass(frozen=True)
class Rightness(Brief):
    """Verdicts of configurations on items whose label is known.

    Parameters
    ----------
    shares : array, shape (items, configurations, verdicts)
        Share of every verdict among the answers of a cell; nan where there is none.
    answers : array of int, shape (items, configurations)
        Answers of every cell.
    label : array of int, shape (items,)
        Place of the right verdict.
    levels : tuple of tuple of str
        Levels of every configuration, in the order of the roles.
    roles : tuple of str
        Facets that tell configurations apart.
    unlabelled, undecided : int
        Items that were judged and have no label, and whose people tie.
    cluster : array of int, shape (items,)
        Which items may resemble each other, by a number from 0; each its own where none do.
    unit : str
        What items are called: ``item``, or ``battle`` of votes.
    wording : str
        Role whose levels are wordings of one question.
    """

    shares: Floats
    answers: Ints
    label: Ints
    levels: tuple[tuple[str, ...], ...]
    roles: tuple[str, ...]
    unlabelled: int
    undecided: int
    cluster: Ints
    unit: str = ITEM
    wording: str = PROMPT

    @cached_property
    def right(self) -> Floats:
        """Share of right verdicts in every cell, shape (items, configurations)."""
        return np.take_along_axis(self.shares, self.label[:, None, None], axis=2)[:, :, 0]

    @cached_property
    def judge(self) -> Ints:
        """Judge of every configuration; 0 for all where there is no judge."""
        names = (
            [own[self.roles.index(JUDGE)] for own in self.levels] if JUDGE in self.roles else [""] * len(self.levels)
        )
        return np.array([sorted(set(names)).index(name) for name in names])

    @cached_property
    def judges(self) -> tuple[str, ...]:
        """Names of the judges, in the order of `judge`; none where there is no such facet."""
        return tuple(sorted({own[self.roles.index(JUDGE)] for own in self.levels})) if JUDGE in self.roles else ()

    def verdicts(self, kept: Ints | slice = slice(None)) -> Floats:
        """Share of every verdict over some configurations, which weigh alike, shape (items, verdicts)."""
        with np.errstate(invalid="ignore"):
            given = ~np.isnan(self.shares[:, kept, :1])
            return np.asarray(np.nansum(self.shares[:, kept], axis=1) / given.sum(axis=1))

    def majority(self, kept: Ints | slice = slice(None)) -> Floats:
        """Whether the verdict that most of some configurations gave is right, shape (items,); ties as shares."""
        share = self.verdicts(kept)
        first = share >= share.max(axis=1, keepdims=True) - _SAME
        won = np.take_along_axis(first, self.label[:, None], axis=1)[:, 0] / np.maximum(first.sum(axis=1), 1)
        return np.where(np.isnan(share[:, 0]), np.nan, won)

    def by_judge(self) -> Floats:
        """Share of right verdicts of every judge, prompts and others weighing alike, shape (items, judges)."""
        each = [self.right[:, self.judge == j] for j in range(int(self.judge.max()) + 1)]
        return np.column_stack([row_means(one) for one in each])


def row_means(values: Floats) -> Floats:
    """Mean of the known values of every row; nan where none is."""
    known = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.nansum(values, axis=1) / known.sum(axis=1))


def judged_and_labelled(
    judgments: Judgments | Votes, human: Judgments | Votes | str | Collection[str]
) -> tuple[Judgments | Votes, Judgments | Votes]:
    """What judges said, and what people said, who may be judges of the same table.

    Raises
    ------
    UnknownTerm
        If there is no such judge.
    InvalidInput
        If nothing is left of either, or they hold different things: scores, labels or votes.
    """
    table = judgments if isinstance(judgments, Votes) else table_of(judgments)
    if isinstance(human, (Judgments, Votes)):
        ours, theirs = (_kind(one) for one in (table, human))
        if ours != theirs:
            raise InvalidInput(f"human: judgments hold {ours} and people's {theirs}; read both alike")
        return table, human
    names = {human} if isinstance(human, str) else set(human)
    levels = table.facet(JUDGE).levels
    for name in sorted(names):
        if name not in levels:
            raise UnknownTerm(name, levels, JUDGE)
    code = table.column(JUDGE)
    known = np.isin(code, [place for place, level in enumerate(levels) if level in names])
    if known.all() or not known.any():
        raise InvalidInput(
            f"human: judges and people are both needed, got {len(names)} of {len(levels)} judges as people"
        )
    if isinstance(table, Votes):
        return table.keep(~known), table.keep(known)
    return table.keep(~known), table.keep(known)


def _kind(table: Judgments | Votes) -> str:
    if isinstance(table, Votes):
        return "votes"
    return "labels" if table.labels else "scores"


def rightness(
    judgments: Judgments | Votes, human: Judgments | Votes | str | Collection[str], key: str = PROMPT
) -> Rightness:
    """The verdict of every configuration on every item that people labelled.

    The label of an item is the verdict that most of what people said of it gives; items of which they tie have none.

    Parameters
    ----------
    judgments : Judgments or Votes
        Verdicts: labels, scores of at most 20 values, or votes between two systems.
    human : Judgments, Votes, or str or collection of str
        What people said, or which judges are people.
    key : str
        Of votes, the role of what the two systems answered.

    Raises
    ------
    InvalidInput
        If scores have more values than verdicts, or nothing is right or wrong.
    NotEstimable
        If no item is in both.
    """
    judged, people = (verdicts(table, key) for table in judged_and_labelled(judgments, human))
    places = {name: place for place, name in enumerate(dict.fromkeys((*judged.names, *people.names)))}
    label, undecided = _labels(people, np.array([places[name] for name in people.names]))
    of_item = np.array([label.get(name, -1) for name in judged.units])
    known = np.flatnonzero(of_item >= 0)
    if not len(known):
        raise NotEstimable(
            f"labels: none is of what was judged; {judged.unit}s are matched by their names, "
            f"such as {judged.units[0]!r} here"
        )
    given = [places[name] for name in judged.names]
    if np.mean(np.isin(of_item[known], given)) < 0.5:
        raise InvalidInput(
            f"human: most labels are verdicts that no judge gives, such as {people.names[0]}; judges say "
            f"{judged.names[0]} ... {judged.names[-1]}. Label with the same words or numbers"
        )
    shape = (len(judged.units), len(judged.levels), len(places))
    if math.prod(shape) > _MOST:
        raise InvalidInput(f"judgments: {math.prod(shape):,} verdicts of items by configurations are too many at once")
    whole, count = np.full(shape, np.nan), np.zeros(shape[:2], dtype=np.int64)
    whole[judged.of, judged.code] = 0.0
    whole[judged.of[:, None], judged.code[:, None], np.array(given)[None, :]] = judged.shares
    count[judged.of, judged.code] = judged.n
    tied = len(undecided & set(judged.units))
    return Rightness(
        whole[known],
        count[known],
        of_item[known],
        judged.levels,
        judged.roles,
        len(judged.units) - len(known) - tied,
        tied,
        np.unique([judged.cluster[place] for place in known], return_inverse=True)[1].astype(np.int64),
        judged.unit,
        judged.wording,
    )


def _labels(people: Verdicts, place: Ints) -> tuple[Mapping[str, int], set[str]]:
    """The verdict that most of what people said gives, by item, and the items of which they tie."""
    total = np.zeros((len(people.units), len(people.names)))
    np.add.at(total, people.of, people.shares)
    first = total >= total.max(axis=1, keepdims=True) - _SAME
    alone = first.sum(axis=1) == 1
    label = {name: int(place[first[i].argmax()]) for i, name in enumerate(people.units) if alone[i]}
    return label, {name for i, name in enumerate(people.units) if not alone[i]}
