"""Ratings as people would have them: votes of people on some battles, corrected by what judges say of all."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from numbers import Real
from typing import Any, get_args

import numpy as np

from quorate import caveats
from quorate.arrays import Floats
from quorate.caveats import Caveat
from quorate.errors import InvalidInput, NotConverged
from quorate.estimate.agreement.labelled import people_apart
from quorate.estimate.labelled.battles import Board, board_of
from quorate.estimate.labelled.result import CorrectedRatings, JudgeWeight
from quorate.estimate.ratings.bradley_terry import FEW_CLUSTERS, fitted
from quorate.estimate.ratings.clusters import cluster_laws
from quorate.estimate.ratings.contrast import Law
from quorate.estimate.ratings.ratings import Ratings
from quorate.estimate.votes.dependence import DEPENDENCE, Cluster, named
from quorate.numerics.inference import checked_level
from quorate.numerics.ratings.bradley_terry import Fit, fit, scores
from quorate.numerics.ratings.existence import exists
from quorate.numerics.ratings.inverses import inverse_information
from quorate.numerics.ratings.rectified import Powered, people_alone, rectified
from quorate.numerics.ratings.ties.registry import Ties
from quorate.numerics.ratings.ties.wins import HALF
from quorate.table.judgments import Judgments
from quorate.table.votes import Votes, checked_votes

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
        How ties count, as for `quorate.rank`.
    key : str
        Role of what the two systems answered; a battle is a level of it and a pair of systems.
    cluster : str or sequence of str, optional
        Roles whose levels are clusters of battles that resemble each other, nested or crossed; ``judge`` is the person
        who voted. By default the ``key``, the person and ``cluster``, as far as they repeat and say something of every
        difference. ``()`` takes battles as independent.
    strata : str, optional
        Role whose levels were labelled at rates of their own, such as ``category``; each has its own weights of the
        judges, and counts by its share of all battles.
    sampling_probability : str, optional
        Role of people's votes, a column of numbers: the chance of the battle to be labelled, where chances differ.
    tuning : float, optional
        Weight of the mean of the judges, from 0 to 1; by default those that are best for the ratings together, each
        estimated from other clusters than it multiplies.
    level : float
        Coverage of intervals.
    seed : int
        Of the draws behind ranks.

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
    if ties not in get_args(Ties):
        raise InvalidInput(f'ties: expects one of {", ".join(get_args(Ties))}, got "{ties}"')
    if tuning is not None and not (isinstance(tuning, Real) and 0 <= tuning <= 1):
        raise InvalidInput(f"tuning: a weight from 0 to 1 is needed, got {tuning!r}")
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
    law = Law(powered.covariance, powered.df).reordered(own)
    method: Any = "cluster" if about["cluster"] else "sandwich"
    return Ratings(
        systems=tuple(board.counted.systems[i] for i in own[:first].tolist()),
        values=powered.fit.theta[own, 0],
        laws={method: law},
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
