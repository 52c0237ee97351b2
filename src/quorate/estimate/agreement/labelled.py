"""Labels of people beside the judgments of judges, unit by unit, and beside the verdicts of pipelines of judges."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats, dense
from quorate.errors import InvalidInput, NotEstimable, UnknownTerm
from quorate.estimate.agreement.battles import (
    ORDER,
    Battles,
    column_of,
    likert_battles,
    mean_of_cells,
    pairwise_battles,
    refuse_keyless,
)
from quorate.estimate.means.effects import level_labels
from quorate.frozen import dataclass
from quorate.roles import JUDGE, SYSTEM
from quorate.table.judgments import Judgments, checked
from quorate.table.pairs import MISSING, TIE
from quorate.table.votes import Votes

Verdicts = NDArray[np.int8]
Pipeline = Votes | Judgments | Battles
POOLED = "judges"


def does(pipeline: str, verb: str) -> str:
    """A pipeline with its verb, to begin a sentence; the pool of all judges is many."""
    return f"Judges together {verb}" if pipeline == POOLED else f"{pipeline} {verb}s"


def pipelines_of(
    judged: Pipeline | Mapping[str, Pipeline],
    human: Votes | str | Collection[str],
    each: str | Collection[str] | None,
    key: str,
) -> tuple[dict[str, Pipeline], Votes]:
    """Pipelines by name, and the votes of people.

    Parameters
    ----------
    judged : Votes, Judgments or Battles, or a mapping of names to them
        What judges said.
    human : Votes, str or collection of str
        What people said, or which judges are people.
    each : str or collection of str, optional
        Roles whose levels, or cells, are pipelines too.
    key : str
        For votes: role of what the two models answered.

    Raises
    ------
    InvalidInput
        If there is no pipeline, no people, or two pipelines have one name.
    UnknownTerm
        If there is no such role or judge.
    """
    if isinstance(judged, Votes) and not isinstance(human, Votes):
        left, right = people_apart(judged, human)
        judged, human = left, right  # type: ignore[assignment]
    if not isinstance(human, Votes):
        rule = f"votes of people are needed, or levels of {JUDGE} in one table of votes"
        raise InvalidInput(f"human: {rule}, got {type(human).__name__}")
    named = dict(judged) if isinstance(judged, Mapping) else {POOLED: judged}
    if not named:
        raise InvalidInput("judged: at least one pipeline is needed, got none")
    roles = () if each is None else (each,) if isinstance(each, str) else tuple(each)
    out: dict[str, Pipeline] = {}
    for name, table in named.items():
        if not isinstance(table, (Votes, Judgments, Battles)):
            rule = "must be what quorate.read_votes or read returns"
            raise InvalidInput(f"judged: {name} {rule}, got {type(table).__name__}")
        prefix = f"{name}, " if isinstance(judged, Mapping) else ""
        for label, part in ((name, table), *((prefix + cell, part) for cell, part in _cells(name, table, roles, key))):
            if label in out:
                raise InvalidInput(
                    f'each: two pipelines would be called "{label}"; name the table: judged={{"all": ...}}'
                )
            out[label] = part
    return out, human


def _cells(name: str, table: Pipeline, roles: tuple[str, ...], key: str) -> Iterator[tuple[str, Pipeline]]:
    """Every cell of the roles that there is."""
    if not roles:
        return
    if isinstance(table, Battles):
        raise InvalidInput(f"each: {name} has one verdict per battle and no {roles[0]}; give votes or scores")
    columns = [column_of(table, role, key) for role in roles]
    codes = np.column_stack([code for code, _ in columns])
    for cell in np.unique(codes[(codes >= 0).all(axis=1)], axis=0):
        label = ", ".join(labels[at] for at, (_, labels) in zip(cell.tolist(), columns, strict=True))
        yield label, table.keep((codes == cell).all(axis=1))


def battles_of(table: Pipeline, key: str, threshold: float | None) -> Battles:
    """One verdict per battle of a pipeline, by the usual threshold or a given one."""
    if isinstance(table, Battles):
        return table
    if isinstance(table, Judgments):
        return likert_battles(checked(table), threshold=threshold)
    return (
        pairwise_battles(table, key=key) if threshold is None else pairwise_battles(table, key=key, threshold=threshold)
    )


def calibrated_to(truth: Battles, name: str, battles: Battles) -> Battles:
    """The pipeline with as many ties as people have, on the battles that both decided."""
    verdicts_at(truth, name, battles)  # there are such battles
    decided = dict(zip(truth.keys, truth.verdicts.tolist(), strict=True))
    theirs = np.array([decided.get(key, -1) for key in battles.keys])
    both = (theirs >= 0) & (battles.verdicts >= 0)
    shared = Battles((), battles.margin[both], battles.threshold, battles.inclusive)
    moved = shared.calibrated(float(np.mean(theirs[both] == TIE)))
    return replace(battles, threshold=moved.threshold, inclusive=moved.inclusive)


def verdicts_at(truth: Battles, name: str, battles: Battles) -> Verdicts:
    """Verdicts in the order of the people's battles, -1 where there is none.

    Raises
    ------
    NotEstimable
        If no battle was decided by both.
    """
    known = dict(zip(battles.keys, battles.verdicts.tolist(), strict=True))
    out = np.array([known.get(key, -1) for key in truth.keys], dtype=np.int8)
    if not ((out >= 0) & (truth.verdicts >= 0)).any():
        mine, theirs = (side.keys[0] if side.keys else "none" for side in (battles, truth))
        raise NotEstimable(f"{name}: no battle was decided by it and by people; its first is {mine}, theirs {theirs}")
    return out


def shared_ties(verdicts: Verdicts, people: Verdicts) -> tuple[float, float]:
    """Share of ties of the pipeline, and of people, on the battles that both decided.

    Parameters
    ----------
    verdicts, people : array, shape (battles,)
        Verdicts.
    """
    both = (verdicts >= 0) & (people >= 0)
    return float(np.mean(verdicts[both] == TIE)), float(np.mean(people[both] == TIE))


Table = Votes | Judgments


@dataclass(frozen=True, eq=False)
class UnitMeans:
    """One number for every unit.

    Parameters
    ----------
    keys : tuple
        What names a unit.
    value : array, shape (units,)
        Mean score, or share of the votes for one model, ties as halves; nan where nothing was answered.
    cluster : tuple of str
        Cluster of each unit; empty where units are their own.
    """

    keys: tuple[object, ...]
    value: Floats
    cluster: tuple[str, ...] = ()


def people_apart(judged: Table, human: Table | str | Collection[str]) -> tuple[Table, Table]:
    """The judges' table and the people's, where people may be levels of the facet ``judge`` of one table.

    Parameters
    ----------
    judged : Votes or Judgments
        What judges said.
    human : Votes, Judgments, str or collection of str
        What people said: a table of the same kind, or the levels of ``judge`` that are people.

    Raises
    ------
    UnknownTerm
        If there is no such judge.
    InvalidInput
        If the two tables are of different kinds, or nothing is left of either.
    """
    if not isinstance(judged, (Votes, Judgments)):
        rule = "expects what quorate.read_votes or quorate.read returns"
        raise InvalidInput(f"judged: {rule}, got {type(judged).__name__}; read it first")
    for table in (judged, human):
        if isinstance(table, Judgments):
            checked(table)
    if isinstance(human, (Votes, Judgments)):
        if type(human) is not type(judged):
            raise InvalidInput(f"human: expects {type(judged).__name__} as judged is, got {type(human).__name__}")
        return judged, human
    given: object = human
    names = {given} if isinstance(given, str) else set(given) if isinstance(given, Collection) else set()
    if not names or not all(isinstance(name, str) for name in names):
        raise InvalidInput(f"human: a table or names of judges are needed, got {type(human).__name__}")
    levels = judged.facet(JUDGE).levels
    for name in sorted(names):
        if name not in levels:
            raise UnknownTerm(name, levels, "judge")
    known = np.array([level in names for level in levels])[judged.column(JUDGE)]
    if known.all() or not known.any():
        raise InvalidInput(
            f"human: judges and people are both needed, got {len(names)} of {len(levels)} judges as people"
        )
    return judged.keep(~known), judged.keep(known)


def beside(votes: Votes, key: str = "prompt") -> Votes:
    """People's votes that stand in a column beside those of judges: each once, however many judges voted on a battle.

    A table with a row for every judge's vote has the label of a battle in each of its rows. Rows of a battle that
    differ in the judge, or in another facet but ``key``, hold the same votes of people; those of the first are taken.

    Parameters
    ----------
    votes : Votes
        The table with ``winner`` the column of people's votes; rows without one are left out.
    key : str
        Role of what the two models answered.

    Returns
    -------
    Votes
        Without the judge, and without what else varies within a battle.

    Raises
    ------
    InvalidInput
        If there is no such key, or people's votes on a battle are others beside one judge than beside another.

    Examples
    --------
    >>> import polars
    >>> import quorate as q
    >>> frame = polars.DataFrame({"prompt": [1, 1], "model_a": "x", "model_b": "y", "judge": ["i", "j"], "person": "x"})
    >>> votes = q.read_votes(frame, winner="person", announce=False)
    >>> votes.n, q.agreement.beside(votes).n
    (2, 1)
    """
    refuse_keyless(votes, key)
    said = votes.keep(votes.outcome != MISSING)
    code, others = said.column(key).astype(np.int64), [name for name in said.names if name != key]
    of_group, first_row = said.battles(key)
    columns = {name: said.column(name).astype(np.int64) for name in others}
    columns |= {} if said.order is None else {ORDER: said.order.astype(np.int64)}
    who = np.zeros(said.rows, dtype=np.int64)
    for column in columns.values():
        who = dense(who * (int(column.max(initial=0)) + 2) + column + 1)
    group = dense(of_group * (int(who.max(initial=0)) + 1) + who)
    first = group[first_row][of_group]
    groups = int(group.max(initial=-1)) + 1
    counts = np.bincount(group * MISSING + said.outcome, said.weights, groups * MISSING).reshape(-1, MISSING)
    unlike = (counts[group] != counts[first]).any(axis=1)
    if unlike.any():
        row = int(unlike.argmax())
        level = said.facet(key).levels[code[row]] if code[row] >= 0 else ""
        raise InvalidInput(
            f'human: people\'s votes on {key} "{level}" differ from judge to judge, so they are no labels of '
            "battles; give a file of their own, each vote once"
        )
    varies = {name for name, column in columns.items() if (column != column[first_row][of_group]).any()} | {JUDGE}
    kept = said.keep(group == first)
    facets = tuple(facet for facet in kept.facets if facet.name not in varies)
    return replace(kept, facets=facets, codes={one.name: kept.codes[one.name] for one in facets}, order=None)


def vote_units(votes: Votes, key: str, a: str, b: str | None, cluster: str | None) -> UnitMeans:
    """The share of votes for ``a`` in every one of its battles.

    Raises
    ------
    UnknownTerm
        If there is no such role or model.
    InvalidInput
        If the two models are one, or a battle has no cluster, or several.
    """
    if a == b:
        raise InvalidInput(f'b: an opponent of "{a}" is needed, got "{b}"; leave it out for all opponents')
    for name in (a, *(() if b is None else (b,))):
        if name not in votes.models:
            raise UnknownTerm(name, votes.models, "system")
    battles = pairwise_battles(votes, key=key, by=cluster)
    at = np.flatnonzero([a in pair and (b is None or b in pair) for _, *pair in battles.keys])
    side = np.array([1.0 if battles.keys[i][1] == a else -1.0 for i in at])
    groups = tuple(battles.groups[i] for i in at) if battles.groups else ()
    _check_clusters(cluster, groups)
    return UnitMeans(tuple(battles.keys[i] for i in at), 0.5 + side * battles.margin[at], groups)


def score_units(judgments: Judgments, cluster: str | None) -> UnitMeans:
    """The mean of the cells of every item.

    Raises
    ------
    InvalidInput
        If a unit has no cluster, or several.
    """
    item = judgments.level_codes([judgments.object])
    labels = level_labels(judgments, judgments.object)
    value = mean_of_cells(judgments, item, len(labels))
    if cluster is None:
        return UnitMeans(labels, value)
    names, of = level_labels(judgments, cluster), judgments.level_codes([cluster])
    _, first, unit = np.unique(item, return_index=True, return_inverse=True)
    if (of != of[first][unit]).any():
        raise InvalidInput(f"cluster: a unit is in one, and {cluster} varies within some; take a role of the units")
    groups = tuple(str(names[i]) for i in of[first])
    _check_clusters(cluster, groups)
    return UnitMeans(labels, value, groups)


def difference_units(judgments: Judgments, a: str | None, b: str | None, cluster: str | None) -> UnitMeans:
    """The mean of ``a`` less that of ``b`` on every item that has both.

    Raises
    ------
    UnknownTerm
        If there is no such system.
    InvalidInput
        If not two systems are named, or a unit has no cluster, or several.
    """
    if a is None or b is None or a == b:
        raise InvalidInput(f"a, b: a difference of scores is of two systems, got {a!r} and {b!r}; name both, or none")
    first, second = (score_units(judgments.only(SYSTEM, name), cluster) for name in (a, b))
    of = dict(zip(second.keys, second.value, strict=True))
    at = [i for i, key in enumerate(first.keys) if key in of]
    value = np.array([first.value[i] - of[first.keys[i]] for i in at])
    return UnitMeans(tuple(first.keys[i] for i in at), value, tuple(first.cluster[i] for i in at if first.cluster))


def _check_clusters(cluster: str | None, groups: tuple[str, ...]) -> None:
    without = groups.count("")
    if without:
        raise InvalidInput(f"cluster: {without:,} units have no {cluster}; leave them out with keep(...)")
