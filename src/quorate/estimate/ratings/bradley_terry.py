"""Bradley-Terry ratings of systems by votes, with intervals that hold where votes depend on each other."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator
from typing import get_args

import numpy as np
from numpy.typing import ArrayLike

from quorate import caveats
from quorate.arguments import argument
from quorate.arrays import Floats
from quorate.caveats import Caveat
from quorate.errors import InvalidInput, NotConverged, NotEstimable
from quorate.estimate.ratings.contrast import Law
from quorate.estimate.ratings.counts import VoteCounts, refuse_unrated, tally
from quorate.estimate.ratings.ratings import Method, Ratings
from quorate.numerics.inference import checked_level
from quorate.numerics.ratings.bradley_terry import Fit, anchored, fit
from quorate.numerics.ratings.draws import covariance, inverse_information, refits
from quorate.numerics.ratings.leverage import MANY, leverage, variances, widened
from quorate.numerics.ratings.rank_intervals import difference_se, row_blocks
from quorate.numerics.ratings.ties.registry import Ties
from quorate.streams import stream
from quorate.table.judgments import Judgments
from quorate.table.votes import Votes, checked_votes

FEW_CLUSTERS = 30
FEWEST_RESAMPLES = 100
_NOTHING = 1e-5
_DEPENDENCE = ("cluster", "prompt", "judge")


def bradley_terry(
    votes: Votes | Judgments,
    *,
    ties: Ties = "davidson",
    cluster: str | None = None,
    level: float = 0.95,
    weights: ArrayLike | None = None,
    position: bool = False,
    regularisation: float = 0.0,
    resamples: int = 0,
    seed: int = 1,
) -> Ratings:
    """Which systems are better by these votes: ratings, ranks and groups, each with its uncertainty.

    Votes are counted once by pair and outcome; the ratings are the maximum of the Bradley-Terry likelihood. Intervals
    are sandwich intervals, robust against a model that does not hold, and against votes of one cluster that resemble
    each other if ``cluster`` names it. Ranks and groups hold for all systems at once.

    Arguments and errors are those of `quorate.rank` for votes.

    References
    ----------
    Bradley and Terry (1952), Biometrika 39, 324-345. Davidson (1970), Journal of the American Statistical Association
    65, 317-328. Details in ``docs/methods/ratings.md``. In R: ``BradleyTerry2::BTm``.
    """
    if isinstance(votes, Judgments):
        raise InvalidInput(
            "votes: expects what quorate.read_votes returns, got Judgments; ratings come from votes, not from scores"
        )
    table = checked_votes(votes)
    _check(ties, level, regularisation, resamples)
    counted = tally(table, ties, cluster, weights, position, linked_only=not regularisation)
    refuse_unrated(counted, regularisation > 0)
    at = fit(counted.design, counted.counts[..., None], regularisation)
    if not at.converged[0]:
        raise NotConverged(
            "votes: the likelihood of the ratings is nearly flat, and its maximum was not reached; give "
            + argument("regularisation", 1)
            + ", or leave out systems that nearly always win or lose",
            at.theta[:, 0],
        )
    laws = _laws(counted, at, regularisation, cluster)
    robust = list(laws.values())[-1]
    cautions = [*_caveats(counted, table, cluster, regularisation, robust.df)]
    if resamples:
        laws["bootstrap"], few = _resampled(counted, at, regularisation, resamples, seed, robust.df)
        cautions += few
    theta, systems = at.theta[:, 0], counted.design.systems
    order = np.append(np.argsort(-theta[:systems], kind="stable"), np.arange(systems, len(theta)))
    return Ratings(
        systems=tuple(counted.systems[i] for i in order[:systems].tolist()),
        values=theta[order],
        laws={method: law.reordered(order) for method, law in laws.items()},
        method=list(laws)[-1],
        level=level,
        ties=ties,
        positioned=position,
        tied=counted.design.tied,
        n=counted.n,
        cluster=cluster,
        clusters=counted.clusters,
        regularisation=regularisation,
        log_likelihood=float(at.value[0]),
        seed=seed,
        caveats=tuple(cautions),
        backend=table.source.backend,
        unrated=counted.unrated,
    )


def _check(ties: str, level: float, regularisation: float, resamples: int) -> None:
    if ties not in get_args(Ties):
        raise InvalidInput(f'ties: expects one of {", ".join(get_args(Ties))}, got "{ties}"')
    checked_level(level)
    if not (math.isfinite(regularisation) and regularisation >= 0):
        raise InvalidInput(f"regularisation: expects a finite number of 0 or more, got {regularisation}")
    try:
        whole = operator.index(resamples)
    except TypeError:
        whole = -1
    if whole != 0 and whole < FEWEST_RESAMPLES:
        raise InvalidInput(f"resamples: expects 0, or a whole number of at least {FEWEST_RESAMPLES}, got {resamples}")


def _laws(counted: VoteCounts, at: Fit, ridge: float, cluster: str | None) -> dict[Method, Law]:
    """Model-based and robust uncertainty; the last is the one to use, and on a board of many systems the only one."""
    design, units = counted.design, counted.units
    inverse = inverse_information(design, at, ridge)
    told = leverage(design, at, ridge, units, inverse)
    if told.whole:
        unit = "vote" if cluster is None else f"level of {cluster}"
        raise NotEstimable(
            f"votes: one {unit} alone tells some of the ratings or the position effect, so their standard errors are "
            "unknown; collect more, or leave out systems with few votes"
        )
    robust = covariance(design, at, ridge, units, inverse)
    _refuse_unknown(counted, robust, inverse, cluster)
    laws: dict[Method, Law] = {}
    if design.systems <= MANY:
        plain = covariance(design, at, ridge, inverse=inverse)
        laws["model"] = Law(plain, np.broadcast_to(math.inf, plain.shape))
    del inverse
    laws["sandwich" if cluster is None else "cluster"] = Law(widened(robust, told.excess, design.systems), told.df)
    return laws


def _refuse_unknown(counted: VoteCounts, robust: Floats, plain: Floats, cluster: str | None) -> None:
    """Refuse two systems between which all votes say the same."""
    s = counted.design.systems
    for rows in row_blocks(s):
        with np.errstate(invalid="ignore"):
            ratio = difference_se(robust[:s, :s], rows) / difference_se(plain[:s, :s], rows)
        np.fill_diagonal(ratio[:, rows], 1.0)
        if (ratio < _NOTHING).any():
            i, j = np.unravel_index(int(ratio.argmin()), ratio.shape)
            one, two = counted.systems[rows.start + int(i)], counted.systems[int(j)]
            units = "votes" if cluster is None else f"levels of {cluster}"
            raise NotEstimable(
                f'votes: the {units} on "{one}" and "{two}" all say the same, so the standard error of their '
                'difference is unknown; collect more, or use ties="davidson" or another cluster',
                (one, two),
            )


def _resampled(
    counted: VoteCounts, at: Fit, ridge: float, resamples: int, seed: int, df: Floats
) -> tuple[Law, list[Caveat]]:
    """Refits of resampled votes; those without a maximum are counted."""
    theta = at.theta[:, 0]
    drawn = refits(counted.design, counted.units, resamples, theta, ridge, stream(seed, "refits"))
    done = drawn.theta.shape[1]
    if done < resamples / 2:
        raise NotEstimable(
            f"resamples: {drawn.without:,} of {resamples:,} resamples have no finite ratings; use "
            + argument("resamples", 0)
            + ", or give "
            + argument("regularisation", 1)
        )
    deviations = drawn.theta.T - theta
    if ridge:
        deviations += ridge_error(counted, at, ridge, done, stream(seed, "prior"))
    s, spread = counted.design.systems, np.atleast_2d(np.cov(deviations, rowvar=False))
    added = variances(spread, s) / df  # as resampled units vary about their own mean
    law = Law(widened(spread, added, s), df, deviations)
    return law, [caveats.refits_without_ratings(drawn.without, resamples)] if drawn.without else []


def ridge_error(counted: VoteCounts, at: Fit, ridge: float, draws: int, rng: np.random.Generator) -> Floats:
    """Draws of the error that a ridge brings, over ratings that spread as it supposes."""
    s = counted.design.systems
    inverse = np.linalg.inv(anchored(counted.design, at.information, ridge)[0])
    moved = rng.standard_normal((draws, s)) * math.sqrt(ridge) @ inverse[:s]
    moved[:, :s] -= moved[:, :s].mean(axis=1, keepdims=True)
    return np.asarray(moved)


def _caveats(counted: VoteCounts, votes: Votes, cluster: str | None, ridge: float, df: Floats) -> Iterator[Caveat]:
    """Of the source, of a ridge, and of votes that resemble each other: not allowed for, or in few clusters."""
    yield from votes.source.caveats
    if ridge:
        yield caveats.shrunk_ratings(ridge)
    if counted.clusters is None or cluster is None:
        columns = {name: votes.column(name) for name in _DEPENDENCE if name in votes.names}
        shared = [name for name, code in columns.items() if np.bincount(code[code >= 0]).max(initial=0) > 1]
        if shared:
            yield caveats.taken_as_independent(shared)
        return
    # On the difference that the fewest clusters tell.
    s = counted.design.systems
    between = df[:s, :s] + np.diag(np.full(s, math.inf))
    one, two = (counted.systems[int(i)] for i in np.unravel_index(int(between.argmin()), between.shape))
    effective = min(float(between.min()) + 1, float(counted.clusters))
    if effective < FEW_CLUSTERS:
        yield caveats.few_clusters(cluster, counted.clusters, effective, f' for "{one}" against "{two}"')
