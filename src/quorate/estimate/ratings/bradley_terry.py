"""Bradley-Terry ratings of systems by votes, with intervals that hold where votes depend on each other."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from quorate import caveats, rules
from quorate.arguments import argument
from quorate.arrays import Bools, Floats, Ints, dense, occurring
from quorate.caveats import Caveat
from quorate.errors import InvalidInput, NotConverged, NotEstimable
from quorate.estimate.ratings.contrast import ClusterLaws, RatingLaw, cluster_laws, reordered, robust_law
from quorate.estimate.ratings.counts import VoteCounts, refuse_unrated, tally
from quorate.estimate.ratings.moves import Moves, moves
from quorate.estimate.ratings.ratings import Method, Ratings
from quorate.estimate.votes.clustered import Cluster, cells, clustered_by, judges_alone
from quorate.estimate.votes.margin import VoteMargin, margin_of_votes, order_effect
from quorate.frozen import dataclass
from quorate.numerics.distributions import each as each_of
from quorate.numerics.distributions import t_cdf
from quorate.numerics.inference import checked_level, checked_ridge, holm
from quorate.numerics.ratings.bradley_terry import MANY, Design, Fit, anchored, fit
from quorate.numerics.ratings.discrimination import discriminating
from quorate.numerics.ratings.draws import covariance, inverse_information, refits
from quorate.numerics.ratings.leverage import variances, widened
from quorate.numerics.ratings.plackett_luce import Choices
from quorate.numerics.ratings.polynomial import COARSE, FINE
from quorate.numerics.ratings.ties import Ties, tie_model
from quorate.roles import JUDGE
from quorate.streams import stream
from quorate.table.judgments import Judgments
from quorate.table.pairs import BOTH_BAD, MISSING, TIE, A
from quorate.table.votes import Votes, checked_votes
from quorate.wording import Brief

FEWEST = 20
"""Votes of a pair below which its log odds are too rough for a normal law."""
MOST = 60
"""Systems, those with most votes, of which triples are looked at."""
_FEWEST_CLUSTERS = 10


@dataclass(frozen=True)
class Cycle(Brief):
    """Three systems that beat each other in a circle.

    Parameters
    ----------
    systems : (str, str, str)
        Each beats the next, and the last the first.
    shares : (float, float, float)
        Share of votes by which each does, ties as halves.
    p : float
        P-value that ratings hold for the three, for all triples together (Holm).
    """

    systems: tuple[str, str, str]
    shares: tuple[float, float, float]
    p: float


def goes_round(votes: Votes, cluster: Cluster | None, level: float) -> tuple[Caveat, ...]:
    """What must be known of a board on which three systems beat each other in a circle."""
    found = cycles(votes, cluster=cluster, level=level)
    return (caveats.goes_round(found[0].systems, found[0].shares, found[0].p, len(found)),) if found else ()


def cycles(votes: Votes, *, cluster: Cluster | None = None, level: float = 0.95) -> tuple[Cycle, ...]:
    """Triples of systems that beat each other in a circle, beyond what chance does to ratings; the surest first.

    Were there ratings, the log odds of a against b, of b against c and of c against a would add up to zero. The sum is
    tested for every triple of which each two met often enough, by Student's law over the facet with the fewest clusters
    where votes may resemble each other, and all triples hold together by Holm's procedure.

    Parameters
    ----------
    votes : Votes
        From `quorate.read_votes`.
    cluster : str, sequence of str, optional
        Facets whose votes may resemble each other; by default prompt, judge and cluster, as far as they repeat.
    level : float
        One less the chance that any triple is named where ratings hold.

    References
    ----------
    Kendall and Babington Smith (1940), Biometrika 31, 324-345, for circular triads. ``docs/methods/ratings.md``.

    Examples
    --------
    >>> import polars, quorate as q
    >>> rows = [(f"p{n}", a, b, "model_a" if n % 5 else "model_b") for n in range(60) for a, b in ("rp", "ps", "sr")]
    >>> frame = polars.DataFrame(rows, schema=["prompt", "model_a", "model_b", "winner"], orient="row")
    >>> [one.systems for one in cycles(q.read_votes(frame, announce=False))]
    [('p', 's', 'r')]
    """
    used = votes.outcome != MISSING
    a, b = (column[used].astype(np.int64) for column in (votes.model_a, votes.model_b))
    outcome, weight = votes.outcome[used], votes.weights[used].astype(float)
    kept = np.argsort(-np.bincount(np.append(a, b), np.append(weight, weight), len(votes.models)), kind="stable")[:MOST]
    place = np.full(len(votes.models), -1)
    place[np.sort(kept)] = np.arange(len(kept))
    names, size = [votes.models[i] for i in np.sort(kept)], len(kept)
    a, b = place[a], place[b]
    inside = (a >= 0) & (b >= 0)
    won = np.where(np.isin(outcome, (TIE, BOTH_BAD)), 0.5, outcome == A)
    first = np.where(a < b, won, 1 - won)[inside]
    pair = (np.minimum(a, b) * size + np.maximum(a, b))[inside]
    weight = weight[inside]
    n, wins = np.bincount(pair, weight, size**2), np.bincount(pair, weight * first, size**2)
    share = (wins + 0.5) / (n + 1)
    each = weight * (first - share[pair]) / (n * share * (1 - share) + 1e-300)[pair]
    groups = [dense(cells(votes, name)[used][inside]) for name in clustered_by(votes, cluster, used)]
    i, j, k = _triples((n >= FEWEST).reshape(size, size), size)
    if not len(i):
        return ()
    edges = np.column_stack([i * size + j, j * size + k, i * size + k])
    signs = np.array([1.0, 1.0, -1.0])
    odds = np.log(share / (1 - share))
    turn = odds[edges] @ signs
    variance, df = _variance(pair, each, weight, groups, edges, signs)
    with np.errstate(invalid="ignore", divide="ignore"):
        p = 2 * each_of(t_cdf, "stdtr", df, -np.abs(turn) / np.sqrt(variance))
    p = np.where(np.isfinite(p), p, 1.0)
    beaten = (odds[edges] * signs > 0) * 2 - 1
    circle = np.abs(beaten.sum(axis=1)) == 3
    together = holm(p)
    out = []
    for at in np.flatnonzero(circle & (together <= 1 - level)):
        onward = turn[at] > 0
        own = (i[at], j[at], k[at]) if onward else (i[at], k[at], j[at])
        shares = share[edges[at]]
        ways = (shares[0], shares[1], 1 - shares[2]) if onward else (shares[2], 1 - shares[1], 1 - shares[0])
        first, second, third = ways
        named = names[own[0]], names[own[1]], names[own[2]]
        out.append(Cycle(named, (float(first), float(second), float(third)), float(together[at])))
    return tuple(sorted(out, key=lambda one: (one.p, -min(one.shares))))


def _triples(met: Bools, size: int) -> tuple[Ints, Ints, Ints]:
    """Every three systems of which each two met often enough."""
    every = np.array(list(combinations(range(size), 3)), dtype=np.int64).reshape(-1, 3)
    i, j, k = every.T
    whole = met[i, j] & met[j, k] & met[i, k]
    return i[whole], j[whole], k[whole]


def _products(each: Floats, group: Ints, code: Ints, shape: tuple[int, int]) -> Floats:
    """Sums over groups of the products of what their rows of every two codes sum to."""
    if math.prod(shape) <= 4 * len(each):
        sums = np.bincount(group * shape[1] + code, each, math.prod(shape)).reshape(shape)
        return np.asarray(sums.T @ sums)
    from scipy.sparse import coo_array

    sparse = coo_array((each, (group, code)), shape=shape).tocsr()
    return np.asarray((sparse.T @ sparse).toarray())


def _variance(
    pair: Ints, each: Floats, weight: Floats, groups: list[Ints], edges: Ints, signs: Floats
) -> tuple[Floats, float]:
    """Variance of every sum of log odds, the largest by any facet or by single votes, and degrees of freedom."""
    kinds, code = occurring(pair), dense(pair)
    at = np.searchsorted(kinds, edges)
    single = np.bincount(code, each**2 / weight, len(kinds))  # a row of several votes is several
    variance, df = single[at].sum(axis=1), float(weight.sum())
    for group in groups:
        several = int(group.max()) + 1
        if several < _FEWEST_CLUSTERS:
            continue
        products = _products(each, group, code, (several, len(kinds))) * several / (several - 1)
        parts = signs[:, None] * signs * products[at[:, :, None], at[:, None, :]]
        variance = np.maximum(variance, parts.sum(axis=(1, 2)))
        df = min(df, several - 1.0)
    return variance, df


FEW_CLUSTERS = 30
FEWEST_RESAMPLES = 100
_MOST_RESAMPLES = 1_000_000
FEWEST_VOTES = 10
"""Votes of a judge from which on it can have a slope."""


def bradley_terry(
    votes: Votes | Judgments,
    *,
    ties: Ties = "davidson",
    cluster: Cluster | None = None,
    level: float = 0.95,
    weights: ArrayLike | None = None,
    position: bool = False,
    covariates: Sequence[str] = (),
    ties_by_system: bool = False,
    discrimination: str | None = None,
    rankings: str | None = None,
    regularisation: float = 0.0,
    resamples: int = 0,
    seed: int = 1,
) -> Ratings:
    """Which systems are better by these votes: ratings, ranks and groups, each with its uncertainty.

    Votes are counted once by pair and outcome; the ratings are the maximum of the Bradley-Terry likelihood. Intervals
    are sandwich intervals, robust against a model that does not hold, and against votes of one prompt, judge or other
    facet that resemble each other. Ranks and groups hold for all systems at once.

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
    terms: dict[str, Any] = {"covariates": covariates, "ties_by_system": ties_by_system}
    terms |= {"discrimination": discrimination, "rankings": rankings}
    _check(ties, level, regularisation, resamples)
    _check_model(table, ties, ties_by_system, discrimination, resamples, regularisation)
    if rankings is not None:
        _check_rankings(table, rankings, ties, {"weights": weights is not None, "position": position, **terms})
    counted = tally(table, ties, weights, position, linked_only=not regularisation, **terms)
    refuse_unrated(counted, regularisation > 0)
    counted, at = fitted(counted, regularisation)
    _refuse_flat(counted, at)
    found, laws, moved = _uncertain(counted, at, regularisation, cluster, level)
    order = _best_first(counted.design, at.theta[:, 0])
    names = tuple(counted.systems[i] for i in order[: counted.design.systems].tolist())
    plain = not (position or regularisation or covariates or discrimination or rankings or weights is not None)
    lead = _lead(counted.votes, names, ties, cluster) if plain and len(names) == 2 else None
    cautions = [*_caveats(counted, table, found, regularisation)]
    cautions += () if position else order_effect(counted.votes, cluster)
    cautions += () if rankings else goes_round(counted.votes, cluster, level)
    cautions += [one for one in lead.caveats if one.code == "dominant-cluster"] if lead else []
    if resamples:
        laws["bootstrap"], few = _resampled(counted, at, regularisation, resamples, seed, [*laws.values()][-1], found)
        cautions += few
    facets, clusters = found.facets, tuple(len(units.size) for units in found.units)
    scope = _scope(table, found)
    del found  # of many systems it is large
    laws = reordered(laws, order)
    return Ratings(
        systems=names,
        values=at.theta[order, 0],
        laws=laws,
        method=list(laws)[-1],
        level=level,
        ties=ties,
        positioned=position,
        tied=counted.design.tied,
        n=counted.n,
        cluster=facets,
        clusters=clusters,
        regularisation=regularisation,
        log_likelihood=float(at.value[0]),
        seed=seed,
        caveats=tuple(cautions),
        backend=table.source.backend,
        unrated=counted.unrated,
        margin=lead,
        covariates=counted.covariates,
        units=tuple(counted.scale.tolist()),
        moves=moved,
        own_ties=counted.design.own_ties,
        discrimination=discrimination,
        rankings=rankings,
        scope=scope,
        judges=() if counted.level is None else judges_of(counted),
    )


def _refuse_flat(counted: VoteCounts, at: Fit) -> None:
    """Refuse ratings whose likelihood is so flat that its maximum was not reached.

    Raises
    ------
    NotConverged
        If it was not.
    """
    if not at.converged[0]:
        raise NotConverged(
            "votes: the likelihood of the ratings is nearly flat, and its maximum was not reached; give "
            + argument("regularisation", 1)
            + ", or leave out systems that nearly always win or lose"
            + ", or covariates by which votes are nearly always told" * bool(counted.covariates),
            at.theta[:, 0],
        )


def _uncertain(
    counted: VoteCounts, at: Fit, ridge: float, cluster: Cluster | None, level: float
) -> tuple[ClusterLaws, dict[Method, RatingLaw], Moves | None]:
    """What is known of the ratings by clusters, their laws, the one that is used last, and how covariates move them."""
    inverse = inverse_information(counted.design, at, ridge, FINE if counted.covariates else COARSE)
    found = cluster_laws(counted, at, ridge, inverse, cluster=cluster)
    laws = _laws(counted, at, ridge, inverse, found)
    robust = [*laws.values()][-1]
    return found, laws, moves(counted, at, ridge, inverse, found, robust, level) if counted.covariates else None


def _lead(votes: Votes, names: tuple[str, ...], ties: Ties, cluster: Cluster | None) -> VoteMargin:
    """Margin of the first of two systems over the second, whose test decides on their difference."""
    return margin_of_votes(votes, names[0], names[1], ties="half" if ties == "half" else "drop", cluster=cluster)


def _laws(counted: VoteCounts, at: Fit, ridge: float, inverse: Floats, found: ClusterLaws) -> dict[Method, RatingLaw]:
    """Laws of the ratings: by the model alone, and robust; on a board of many systems only the last, which is used."""
    laws: dict[Method, RatingLaw] = {}
    if counted.design.systems <= MANY:
        plain = covariance(counted.design, at, ridge, inverse=inverse)
        laws["model"] = RatingLaw(plain, np.broadcast_to(math.inf, plain.shape))
    if found.law is None:
        spent = counted.design.systems > MANY and not counted.covariates
        laws["sandwich"] = robust_law(counted, at, ridge, counted.units, inverse, spent=spent)
    else:
        laws["cluster"] = found.law
    return laws


def _best_first(design: Design | Choices, theta: Floats) -> Ints:
    """Order of the parameters in which systems come best first, and ties of their own with them."""
    best, order = np.argsort(-theta[: design.systems], kind="stable"), np.arange(len(theta))
    for part in (design.centred[0], *([design.centred[-1]] if design.own_ties else [])):
        order[part] = order[part][best]
    return order


def fitted(counted: VoteCounts, ridge: float) -> tuple[VoteCounts, Fit]:
    """The fit of counted votes; with slopes the design is the tangent there."""
    if counted.level is None:
        return counted, fit(counted.design, counted.counts[..., None], ridge)
    votes = np.bincount(counted.level, counted.counts.sum(axis=(0, 2)))
    if votes.min() < FEWEST_VOTES:
        fewest = judges_of(counted)[int(votes.argmin())]
        raise NotEstimable(
            f"discrimination: {fewest} has {votes.min():,.0f} votes, and a slope needs {FEWEST_VOTES} of every "
            f"{counted.discrimination}; leave those with fewer out"
        )
    tangent, at = discriminating(counted.pairwise, counted.level, counted.counts[..., None])
    if not at.converged[0]:
        raise NotEstimable(
            f"discrimination: no finite slopes fit, as where one {counted.discrimination} always sides with the "
            "ratings; leave these votes out"
        )
    return replace(counted, design=tangent), at


def judges_of(counted: VoteCounts) -> tuple[str, ...]:
    """Who has a slope, in the order of the slopes."""
    name, votes = str(counted.discrimination), counted.votes
    levels = (*votes.facet(name).levels, "without a label")
    there = np.unique(votes.column(name)[counted.places.used])
    return tuple(levels[i] for i in there.tolist())


def _check_model(
    votes: Votes, ties: Ties, ties_by_system: bool, discrimination: str | None, resamples: int, regularisation: float
) -> None:
    """Refuse terms that do not go together."""
    if ties_by_system and not tie_model(ties).modelled:
        raise InvalidInput(f'ties_by_system: needs a model of ties, such as davidson, got ties="{ties}"')
    if discrimination is None:
        return
    votes.facet(discrimination)
    for name, given in (("resamples", resamples), ("regularisation", regularisation)):
        if given:
            raise InvalidInput(f"{name}: not with discrimination; leave one of the two out")


def _check_rankings(votes: Votes, rankings: str, ties: Ties, terms: Mapping[str, object]) -> None:
    """Refuse what rankings are not modelled with."""
    votes.facet(rankings)
    if ties != "davidson":
        raise InvalidInput(f'ties: of rankings they are davidson, which counts them as such, got "{ties}"')
    for name in (name for name, value in terms.items() if name != "rankings" and value):
        raise InvalidInput(f"{name}: not with rankings; leave one of the two out")


def _check(ties: str, level: float, regularisation: float, resamples: int) -> None:
    rules.one_of("ties", ties, Ties)
    checked_level(level)
    checked_ridge(regularisation)
    try:
        whole = operator.index(resamples)
    except TypeError:
        whole = -1
    if whole != 0 and whole < FEWEST_RESAMPLES:
        raise InvalidInput(f"resamples: expects 0, or a whole number of at least {FEWEST_RESAMPLES}, got {resamples}")
    if whole > _MOST_RESAMPLES:
        raise InvalidInput(f"resamples: at most {_MOST_RESAMPLES:,} are drawn, got {resamples}")


def _resampled(
    counted: VoteCounts, at: Fit, ridge: float, resamples: int, seed: int, robust: RatingLaw, found: ClusterLaws
) -> tuple[RatingLaw, list[Caveat]]:
    """Refits of resampled votes; those without a maximum are counted.

    With several facets clusters are drawn by the one that ratings vary with the most, and normal draws add the rest.
    """
    theta, s = at.theta[:, 0], counted.design.systems
    spreads = [float(variances(way.covariance, s)[:s, :s].sum()) for way in found.ways]
    widest = int(np.argmax(spreads)) if spreads else 0
    units = found.units[widest] if spreads else counted.units
    drawn = refits(counted.design, units, resamples, theta, ridge, stream(seed, "refits"))
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
        deviations += _ridge_error(counted, at, ridge, done, stream(seed, "prior"))
    if len(found.ways) > 1:
        values, vectors = np.linalg.eigh(robust.covariance - found.ways[widest].covariance)
        rest = vectors * np.sqrt(np.maximum(values, 0.0))
        deviations += stream(seed, "other facets").standard_normal(deviations.shape) @ rest.T
    spread = np.atleast_2d(np.cov(deviations, rowvar=False))
    added = variances(spread, s) / robust.df  # as resampled units vary about their own mean
    law = RatingLaw(widened(spread, added, s), robust.df, deviations)
    return law, [caveats.refits_without_ratings(drawn.without, resamples)] if drawn.without else []


def _ridge_error(counted: VoteCounts, at: Fit, ridge: float, draws: int, rng: np.random.Generator) -> Floats:
    """Draws of the error that a ridge brings, over ratings that spread as it supposes."""
    s = counted.design.systems
    inverse = np.linalg.inv(anchored(counted.design, at.information, ridge)[0])
    moved = rng.standard_normal((draws, s)) * math.sqrt(ridge) @ inverse[:s]
    moved[:, :s] -= moved[:, :s].mean(axis=1, keepdims=True)
    return np.asarray(moved)


def _scope(votes: Votes, found: ClusterLaws) -> str:
    """These judges, where they are several that judged again and too few to speak for others."""
    few = judges_alone(votes) if JUDGE in found.effects else 0
    return f"with these {few} judges" if few > 1 else ""


def _caveats(counted: VoteCounts, votes: Votes, found: ClusterLaws, ridge: float) -> Iterator[Caveat]:
    """Of the source, of a ridge, and of votes that resemble each other: not allowed for, or in few clusters."""
    yield from votes.source.caveats
    if ridge:
        yield caveats.shrunk_ratings(ridge)
    if counted.covariates:
        yield caveats.equal_style(counted.covariates)
    shared = {name: effect for name, effect in found.effects.items() if name != counted.discrimination}
    yield from (caveats.one_level(name) for name, effect in shared.items() if math.isnan(effect))
    effects = {name: effect for name, effect in shared.items() if not math.isnan(effect)}
    if JUDGE in effects and judges_alone(votes):
        yield caveats.few_levels(JUDGE, judges_alone(votes), "six")
        del effects[JUDGE]
    if effects:
        yield caveats.taken_as_independent(effects, found.facets)
    s = counted.design.systems
    for name, way, units in zip(found.facets, found.ways, found.units, strict=True):
        # On the difference that the fewest clusters tell.
        between = way.df[:s, :s] + np.diag(np.full(s, math.inf))
        one, two = (counted.systems[int(i)] for i in np.unravel_index(int(between.argmin()), between.shape))
        effective = min(float(between.min()) + 1, float(len(units.size)))
        if effective < FEW_CLUSTERS:
            yield caveats.few_clusters(name, len(units.size), effective, f' for "{one}" against "{two}"')
