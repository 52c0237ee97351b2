"""Ratings as people would have them: votes of people on some battles, corrected by what judges say of all."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from quorate import caveats, rules
from quorate.arrays import Floats, Ints
from quorate.caveats import Caveat
from quorate.errors import InvalidInput, NotConverged, NotEstimable
from quorate.estimate.agreement.battles import refuse_keyless
from quorate.estimate.agreement.labelled import people_apart
from quorate.estimate.ratings.bradley_terry import FEW_CLUSTERS, fitted
from quorate.estimate.ratings.contrast import RatingLaw, cluster_laws, reordered
from quorate.estimate.ratings.corrected_board import CorrectedRatings, JudgeWeight
from quorate.estimate.ratings.counts import VoteCounts, refuse_unrated, tally
from quorate.estimate.ratings.ratings import Ratings
from quorate.estimate.votes.clustered import DEPENDENCE, Cluster, cells, named
from quorate.frozen import dataclass
from quorate.numerics.inference import checked_level
from quorate.numerics.ratings.bradley_terry import Design, Fit, fit, scores
from quorate.numerics.ratings.draws import inverse_information
from quorate.numerics.ratings.existence import exists
from quorate.numerics.ratings.rectified import Battles, Powered, people_alone, rectified
from quorate.numerics.ratings.ties import HALF, Ties
from quorate.roles import JUDGE
from quorate.table.judgments import Judgments
from quorate.table.pairs import MISSING, turn
from quorate.table.votes import Votes, checked_votes

# Battles that people and judges voted on, matched and counted for prediction-powered ratings.


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
    judges: Votes, people: Votes, *, ties: Ties, key: str, strata: str | None, chance: str | None, pooled: bool
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
    refuse_keyless(votes, key)
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


FEW_LABELS = 20
"""Labelled battles of a system below which its interval is said to be rough."""
_FAR, _HELP = 3.5, 1.1


def corrected_ratings(
    judged: Votes,
    human: Votes | str | Collection[str],
    *,
    ties: Ties = "davidson",
    key: str = "prompt",
    cluster: Cluster | None = None,
    strata: str | None = None,
    sampling_probability: str | None = None,
    tuning: float | None = None,
    level: float = 0.95,
    seed: int = 1,
) -> CorrectedRatings:
    """The leaderboard that people would give, from judges on every battle and people on a part of them.

    Ratings are those at which the scores of people's votes, less what judges' scores of the same battles say too much
    compared with those of the other battles, add up to 0: right whatever the judges do, also where they favour a
    system, and more precise than people's votes alone as far as judges predict them. Several judges predict together,
    each with a weight of its own.

    Parameters
    ----------
    judged : Votes
        What judges said, of battles with a label and of others. Votes of one judge on one battle are averaged.
    human : Votes, str or collection of str
        What people said of some of the battles: votes, or the levels of ``judge`` that are people. Battles must have
        been chosen at random. Several people of one battle share it.
    ties : {"davidson", "rao-kupper", "glenn-david", "half", "drop"}
        How ties count; davidson takes them as outcomes of their own. As for `quorate.rank`.
    key : str
        Role of what the two systems answered. A battle is a level of it and a pair of systems.
    cluster : str or sequence of str, optional
        Roles whose levels are clusters of battles that resemble each other; ``()`` takes them as independent. Default:
        prompt, judge (of people's votes) and cluster, as far as they are there and repeat. Nested or crossed; the
        ``key`` and the person count where they say something of every difference.
    strata : str, optional
        Role such as category whose levels people voted on at rates of their own. Each has its own weights of the
        judges, and counts by its share of all battles.
    sampling_probability : str, optional
        Column of people's votes: the chance of the battle to be voted on, where chances differ. A role, of numbers.
    tuning : float, optional
        Weight of the mean of the judges, from 0 to 1; by default the best of each. Those that are best for the ratings
        together, each estimated from other clusters than it multiplies.
    level : float
        Coverage of the intervals.
    seed : int
        Seed of the draws behind ranks.

    Returns
    -------
    CorrectedRatings
        The corrected board, that of people alone, and where judges alone would put each system.

    Raises
    ------
    InvalidInput
        If an argument breaks its rule, or nothing says which votes are of one battle.
    UnknownTerm
        If there is no such role or judge.
    NotEstimable
        If people's votes alone have no ratings, or nothing to judge differences by.
    NotConverged
        If corrected votes have no finite ratings.

    References
    ----------
    Angelopoulos, Duchi and Zrnic (2023), PPI++, arXiv:2311.01453. ``docs/methods/labelled-boards.md``.

    Examples
    --------
    >>> import numpy as np, polars, quorate as q
    >>> rng = np.random.default_rng(1)
    >>> pairs = rng.integers(0, 3, 900)
    >>> a, b = np.array([["x", "y"], ["x", "z"], ["y", "z"]])[pairs].T
    >>> people = rng.random(900) < np.array([0.7, 0.6, 0.4])[pairs]
    >>> llm = np.where(rng.random(900) < 0.9, people, True)
    >>> frame = {"prompt": np.tile(np.arange(900), 2), "judge": ["llm"] * 900 + ["person"] * 900}
    >>> frame |= {"model_a": np.tile(a, 2), "model_b": np.tile(b, 2)}
    >>> frame |= {"winner": np.where(np.append(llm, people), frame["model_a"], frame["model_b"])}
    >>> votes = q.read_votes(polars.DataFrame(frame)[:1050], announce=False)
    >>> board = q.agreement.corrected_ratings(votes, "person")
    >>> board.ratings.systems, board.labels, board.effective > 300
    (('x', 'z', 'y'), 150, True)
    """
    if isinstance(judged, Judgments):
        raise InvalidInput("judged: ratings come from votes, not from scores; quorate.corrected takes these")
    judges, people = (checked_votes(table) for table in people_apart(checked_votes(judged), human))
    rules.one_of("ties", ties, Ties)
    if tuning is not None:
        rules.number("tuning", tuning, least=0, most=1)
    checked_level(level)
    board = board_of(
        judges, people, ties=ties, key=key, strata=strata, chance=sampling_probability, pooled=tuning is not None
    )
    board, facets, clusters = _clustered(board, key, cluster)
    alone = people_alone(board.design, board.battles)
    powered = rectified(board.design, board.battles, alone.fit, tuning)
    if not powered.fit.converged[0]:
        raise NotConverged(
            "human: people's votes corrected by the judges have no finite ratings, as where labels are few and all of "
            "one mind; label more battles",
            powered.fit.theta[:, 0],
        )
    about: dict[str, Any] = {"level": level, "ties": ties, "cluster": facets, "clusters": clusters, "seed": seed}
    about |= {"unrated": board.counted.unrated, "backend": judged.source.backend}
    labels, others = (round(float(part.sum())) for part in board.battles.sizes)
    first, order = _order(powered.fit, board)
    own = [_ratings(board, one, order, labels, about) for one in (powered, alone)]
    worth = np.diag(alone.covariance)[:first] / np.diag(powered.covariance)[:first]
    spread = [float(np.trace(one.covariance[:first, :first])) for one in (alone, powered)]
    names = [(stratum, judge) for stratum in board.strata for judge in board.judges]
    return CorrectedRatings(
        ratings=own[0],
        people=own[1],
        judges=tuple(_judges_alone(board)[order[:first]].tolist()),
        labels=labels,
        predictions=others,
        labelled=tuple(board.labels[order[:first]].tolist()),
        worth=tuple(worth[order[:first]].tolist()),
        effective=labels * spread[0] / spread[1],
        weights=tuple(JudgeWeight(*name, w) for name, w in zip(names, powered.weights.ravel().tolist(), strict=True)),
        strata=strata,
        level=level,
        caveats=tuple(_caveats(board, facets, clusters, labels * spread[0] / spread[1], labels)),
    )


def _clustered(board: Board, key: str, cluster: Cluster | None) -> tuple[Board, tuple[str, ...], tuple[int, ...]]:
    """Clusters by facets that are named, or by every one that repeats and tells something of every difference."""
    if cluster is not None:
        return board.clustered(named(board.rows.said.votes, cluster), by_default=False)
    counted = board.counted
    counted, at = fitted(counted, 0.0)
    found = cluster_laws(counted, at, 0.0, inverse_information(counted.design, at, 0.0), cluster=None)
    useless = set(found.effects)
    return board.clustered([name for name in dict.fromkeys((key, *DEPENDENCE)) if name not in useless], by_default=True)


def _order(at: Fit, board: Board) -> tuple[int, Any]:
    """How many systems there are, and parameters with the best system first."""
    systems = board.design.systems
    theta = at.theta[:, 0]
    return systems, np.append(np.argsort(-theta[:systems], kind="stable"), np.arange(systems, len(theta)))


def _ratings(board: Board, powered: Powered, order: Any, labels: int, about: dict[str, Any]) -> Ratings:
    """The fit as ratings, in an order of the parameters that the other board has too; people's own come best first."""
    first = board.design.systems
    own = np.append(np.argsort(-powered.fit.theta[:first, 0], kind="stable"), order[first:])
    method: Any = "cluster" if about["cluster"] else "sandwich"
    return Ratings(
        systems=tuple(board.counted.systems[i] for i in own[:first].tolist()),
        values=powered.fit.theta[own, 0],
        laws=reordered({method: RatingLaw(powered.covariance, powered.df)}, own),
        method=method,
        positioned=False,
        tied=board.design.tied,
        n=labels,
        regularisation=0.0,
        log_likelihood=float(powered.fit.value[0]),
        **about,
    )


def _judges_alone(board: Board) -> Floats:
    """Ratings by all judges' votes as they are; nan where none are finite."""
    counts = board.judged.reshape(1, -1, 3, 1)
    out = np.full(board.design.systems, np.nan)
    design = board.design
    if not counts[:, :, 2].any():  # without a tie its parameter would not be finite
        design = replace(design, ties=design.ties.untied or HALF)
    if exists(design, counts)[0]:
        at = fit(design, counts)
        if at.converged[0]:
            out = at.theta[: board.design.systems, 0]
    return out


def _apart(board: Board) -> float:
    """Most standard errors by which judges' scores of a system differ between labelled and other battles."""
    battles, most = board.battles, 0.0
    theta = np.zeros(board.design.parameters)
    vote = scores(board.design, theta)[:, : board.design.systems]
    for own, rest in zip(battles.said, battles.others, strict=True):
        for h in range(len(battles.sizes[0])):
            at, left = battles.strata[0] == h, battles.strata[1] == h
            if min(at.sum(), left.sum()) < FEW_LABELS or battles.chance is not None:
                continue
            here = (own[at] @ vote).toarray() / battles.share[at, None]
            there = (rest[left] @ vote).toarray()
            se = np.sqrt(here.var(axis=0, ddof=1) / len(here) + there.var(axis=0, ddof=1) / len(there))
            gap = np.abs(here.mean(axis=0) - there.mean(axis=0))
            most = max(most, float(np.divide(gap, se, out=np.zeros(len(se)), where=se > 0).max()))
    return most


def _caveats(
    board: Board, facets: tuple[str, ...], clusters: tuple[int, ...], effective: float, labels: int
) -> Iterator[Caveat]:
    """What the reader must know."""
    yield caveats.labels_at_random()
    few = [name for name, count in zip(board.counted.systems, board.labels.tolist(), strict=True) if count < FEW_LABELS]
    if few:
        yield caveats.few_labels_of_systems(few, FEW_LABELS)
    for name, count in zip(facets, clusters, strict=True):
        if count < FEW_CLUSTERS:
            yield caveats.few_clusters(name, count, float(count))
    if effective < _HELP * labels:
        yield caveats.judges_do_not_help(labels, effective)
    apart = _apart(board)
    if apart > _FAR:
        yield caveats.labels_unlike_the_rest(apart)
    if board.unpredicted:
        yield caveats.left_without_prediction(board.unpredicted)
