"""Ranking of systems: one question for whatever says how good they are, however the votes were chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike

from quorate import caveats, rules
from quorate.arguments import argument
from quorate.arrays import Floats
from quorate.caveats import Caveat
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.means.targets import ModelOptions
from quorate.estimate.ratings.bradley_terry import bradley_terry
from quorate.estimate.ratings.categories import Boards, boards
from quorate.estimate.ratings.counts import used_rows
from quorate.estimate.ratings.fragility import fragility as fragility_of
from quorate.estimate.ratings.ratings import Ratings
from quorate.estimate.votes.clustered import Cluster
from quorate.numerics.ratings.ties import Ties
from quorate.roles import PROPENSITY
from quorate.table.judgments import Judgments
from quorate.table.kinds import for_kind, kind_of, options_of
from quorate.table.measured import each_measure
from quorate.table.read import read_first
from quorate.table.votes import Votes, checked_votes
from quorate.wording import counted

if TYPE_CHECKING:
    from quorate.estimate.components.fit import Method
    from quorate.estimate.ratings.leaderboard import Leaderboard


Reweight = Literal["stabilised", "uniform", "none"]


def reweighted(votes: Votes, how: str | None = None) -> tuple[Floats, Caveat] | None:
    """Weight of every row, 1 on average, and what it does; None where votes stay as they are.

    Parameters
    ----------
    votes : Votes
        With a facet ``propensity``, the chance at which each vote was asked of its pair.
    how : {"stabilised", "uniform", "none"}, optional
        ``stabilised``, the default where there are chances: 1 over the root of the chance, over its mean among the
        votes of the pair; each pair keeps its votes, and the variance does not follow from earlier votes. ``uniform``:
        1 over the chance, as if all pairs had been asked alike, whether the model holds or not.

    Raises
    ------
    InvalidInput
        If a chance is not above 0 and at most 1, or there are none and weights are asked for.

    References
    ----------
    Zhang, Janson and Murphy (2021), Advances in Neural Information Processing Systems 34: roots of importance weights.
    Hajek (1971), in Godambe and Sprott, Foundations of Statistical Inference, 236: weights over their mean.
    """
    if how is not None:
        rules.one_of("reweight", how, Reweight)
    if how == "none" or (how is None and PROPENSITY not in votes.names):
        return None
    used = used_rows(votes, ties=True)
    weight, count = 1 / _chances(votes), np.where(used, votes.weights, 0)
    pair = np.zeros(votes.rows, dtype=np.int64)
    if how != "uniform":
        weight, pair = np.sqrt(weight), votes.pairs().code.astype(np.int64)
    sums, votes_on = np.bincount(pair, weight * count), np.bincount(pair, count)
    weight *= (votes_on / np.where(votes_on, sums, 1.0))[pair]
    weight[~used] = 1.0
    if np.allclose(weight, 1.0):
        return None
    total = float(count @ weight)
    return weight, caveats.reweighted(how or "stabilised", int(count.sum()), total**2 / float(count @ weight**2))


LEAST = 1e-6
"""A vote asked with a smaller chance would outweigh a million: that is an error of whoever wrote it down."""


def _chances(votes: Votes) -> Floats:
    """The chance of every row."""
    if PROPENSITY not in votes.names:
        raise InvalidInput(
            "reweight: the votes have no chances at which they were asked; read them with "
            + argument(PROPENSITY, ..., group="roles")
        )
    facet = votes.facet(PROPENSITY)
    levels = np.full(len(facet.levels) + 1, np.nan)
    for place, level in enumerate(facet.levels):
        try:
            levels[place] = float(level)
        except ValueError:
            continue
    chance = levels[votes.column(PROPENSITY)]
    bad = ~((chance >= LEAST) & (chance <= 1))
    if bad.any():
        row = int(bad.argmax())
        code = int(votes.column(PROPENSITY)[row])
        got = f'"{facet.levels[code]}"' if code >= 0 else "none"
        alike = counted(int(votes.weights[bad].sum()), "vote")
        raise InvalidInput(
            f"propensity: expects a chance of at least {LEAST:g} and at most 1 with every vote, got {got} ({alike} "
            "like this); leave them out, or take all as they are with " + argument("reweight", "none")
        )
    return np.asarray(chance)


class RatingOptions(TypedDict, total=False):
    """Options of `rank` for votes."""

    ties: Ties | None
    cluster: Cluster | None
    level: float
    weights: ArrayLike | None
    reweight: Reweight | None
    position: bool | None
    covariates: Sequence[str] | None
    ties_by_system: bool | None
    discrimination: str | None
    rankings: str | None
    regularisation: float | None
    resamples: int | None
    fragility: bool | None
    seed: int


class BoardOptions(ModelOptions, total=False):
    """Options of `rank` for scores."""

    system: str | None
    method: Method | None
    level: float
    seed: int


@overload
def rank(judgments_or_votes: Votes, *, by: None = None, **options: Unpack[RatingOptions]) -> Ratings: ...


@overload
def rank(judgments_or_votes: Judgments, *, by: None = None, **options: Unpack[BoardOptions]) -> Leaderboard: ...


@overload
def rank(
    judgments_or_votes: Votes, *, by: str, pooled: bool | None = None, **options: Unpack[RatingOptions]
) -> Boards: ...


@overload
def rank(judgments_or_votes: Judgments, *, by: str, **options: Unpack[BoardOptions]) -> Boards: ...


@each_measure
@read_first
@options_of(RatingOptions, BoardOptions)
def rank(
    judgments_or_votes: Votes | Judgments,
    *,
    level: float = 0.95,
    seed: int = 1,
    by: str | None = None,
    pooled: bool | None = None,
    **options: Any,
) -> Ratings | Leaderboard | Boards:
    """Which systems are better: ratings or mean scores, ranks and groups, each with its uncertainty.

    From votes, Bradley-Terry ratings (`quorate.estimate.ratings.bradley_terry.bradley_terry`); from scores, means whose
    intervals count judges and prompts (`quorate.estimate.ratings.leaderboard.leaderboard`). Ranks and groups hold for
    all systems at once.

    Parameters
    ----------
    judgments_or_votes : Judgments or Votes
        Scores from `quorate.read`, or pairwise votes from `quorate.read_votes`.
    ties : {"davidson", "rao-kupper", "glenn-david", "half", "drop"}, optional
        Votes: how ties count, davidson by default; both bad is a tie. ``davidson``: outcomes of their own, likelier
        between systems that are alike. ``rao-kupper``: differences too small to be seen. ``glenn-david``: the same in
        Thurstone's model, whose errors are normal. ``half``: half a win for each. ``drop``: left out.
    cluster : str or sequence of str, optional
        Votes: facets whose votes may resemble each other; ``()`` takes votes as independent. By default prompt, judge
        and cluster, as far as they are there and repeat, and say something of every difference. They may be nested or
        crossed; ``"cluster"`` is a ranking that several votes come from.
    level : float
        Coverage of the intervals.
    weights : array, shape (rows,), optional
        Votes: weight of every row's votes.
    reweight : {"stabilised", "uniform", "none"}, optional
        Votes: how those with a ``propensity``, the chance at which each was asked, are weighted by it. ``stabilised``,
        the default there (`quorate.votes.next_battles`): within a pair by 1 over the root of that chance, so that
        intervals hold though it followed from earlier votes. ``uniform``: by 1 over the chance, as if all pairs had
        been asked alike, which holds whether the model does or not, and is dear. ``none``: as they are.
    position : bool, optional
        Votes: estimate what being shown first does. Ratings are then of systems shown in either order.
    ties_by_system : bool, optional
        Votes: let some systems tie more readily than others; ``Ratings.tie_rates``.
    discrimination : str, optional
        Votes: facet, such as judge, whose levels tell systems apart more or less sharply. Each has a slope on the
        difference of the ratings; ``Ratings.slopes``.
    rankings : str, optional
        Votes: facet, such as cluster, whose levels are rankings of several systems: the model of Plackett and Luce of
        these, whole. Votes on all pairs of some systems come from each (`quorate.read_rankings`), ties as of Davidson.
        Every ranking needs one vote on each pair, and votes that agree with one order.
    regularisation : float, optional
        Votes: ridge that keeps ratings finite, 0 by default. Half of it times the sum of squared ratings is taken off
        the log likelihood. With it, systems without a finite rating get one; intervals then allow for the shrinkage, as
        the caveat says.
    resamples : int, optional
        Votes: refits of resampled votes or clusters for the intervals; none by default, or at least 100.
    fragility : bool, optional
        Votes: find how few of them, left out, would put another system first, and in which rows they are. By ratings,
        as `quorate.votes.fragility`; ``Ratings.fragility``.
    system : str, optional
        Scores: role of the systems, ``"system"`` by default.
    targets : mapping of str to str or Pool, optional
        Scores: what other facets stand for, population or panel, such as ``{"judge": "population"}``. By default panel
        for those read as fixed.
    covariates : sequence of str, optional
        What the two systems of a vote differ in, such as length, to rate them at equal ``length``; of scores, a facet
        that shifts the mean. Each is a facet of differences, first less second, or two facets such as ``length_a`` and
        ``length_b``, read with ``facets`` of `quorate.read_votes`; of scores as for `quorate.decompose`.
    random, residual_by
        Scores: as for `quorate.decompose`; each random term is also taken by system.
    method : {"reml", "ml", "anova"}, optional
        Scores: as for `quorate.decompose`.
    seed : int
        Seed of the draws behind ranks and refits.
    by : str, optional
        Facet, such as a language, of which every level has a board of its own.
    pooled : bool, optional
        Votes: with ``by``, shrink the ratings of every level to those of all levels. By how far levels truly differ
        (partial pooling); ``Boards.pooled``.

    Returns
    -------
    Ratings or Leaderboard, or Boards with ``by``
        Best first; ``to_frame`` has one row for every system. Of votes, systems that no finite rating fits beside the
        others, such as one that never lost, are in ``unrated``.

    Raises
    ------
    InvalidInput
        If an argument breaks its rule or is not for such data, or the table is none of the two.
    UnknownTerm
        If a facet is not there.
    NotEstimable
        If no two systems have finite ratings, or there is nothing to judge differences by.

    Examples
    --------
    >>> import polars
    >>> import quorate as q
    >>> scores = {"x": [7, 8, 7, 9, 8, 7], "y": [5, 6, 5, 6, 6, 4], "z": [5, 6, 4, 6, 5, 5]}
    >>> rows = [(system, item, score) for system, own in scores.items() for item, score in enumerate(own)]
    >>> frame = polars.DataFrame(rows, schema=["system", "item", "score"], orient="row")
    >>> rank(q.read(frame, announce=False)).groups
    (('x',), ('y', 'z'))
    >>> pairs = [("x", "y", 30, 12), ("x", "z", 25, 15), ("y", "z", 22, 20)]
    >>> frame = polars.DataFrame(pairs, schema=["model_a", "model_b", "a", "b"], orient="row")
    >>> ratings = rank(q.read_votes(frame, wins=("a", "b"), announce=False))
    >>> ratings.systems, ratings.rating.round(2).tolist()
    (('x', 'z', 'y'), [0.47, -0.21, -0.26])
    """
    kinds = {"votes": {*RatingOptions.__annotations__, "pooled"}, "scores": {*BoardOptions.__annotations__}}
    given = for_kind(kind_of(judgments_or_votes), {**options, "pooled": pooled}, **kinds)
    together = bool(given.pop("pooled", None))
    if together and by is None:
        raise InvalidInput("pooled: is of boards by a facet; name it in " + argument("by", "language"))
    if together and given.get("regularisation"):
        raise InvalidInput("pooled: not with regularisation, which shrinks already; leave one of the two out")
    if by is not None:
        if "weights" in given:
            raise InvalidInput("weights: not with by, whose boards have fewer rows each; rank each level by itself")
        return boards(judgments_or_votes, by, lambda part: rank(part, level=level, seed=seed, **given), pooled=together)
    if isinstance(judgments_or_votes, Judgments):
        from quorate.estimate.ratings.leaderboard import leaderboard

        return leaderboard(judgments_or_votes, level=level, seed=seed, **given)
    return of_votes(judgments_or_votes, level=level, seed=seed, **given)


def of_votes(votes: Votes, *, fragility: bool = False, reweight: str | None = None, **options: Any) -> Ratings:
    """Ratings, weighted by the chances at which votes were asked, or with how few votes decide."""
    other = next((name for name in ("weights", "rankings") if name in options), None)
    if reweight is not None and other is not None:
        raise InvalidInput(f"reweight: not with {other}; leave one of the two out")
    chosen = None if other is not None else reweighted(checked_votes(votes), reweight)
    if chosen is not None and fragility:
        fix = argument("reweight", "none")
        raise InvalidInput(f"reweight: fragility is of votes as they are; take them so with {fix}")
    for name in ("weights", "position", "covariates", "ties_by_system", "discrimination", "rankings", "regularisation"):
        if fragility and name in options:
            raise InvalidInput(f"{name}: fragility is of ratings without; leave out one of the two")
    if chosen is not None:
        found = bradley_terry(votes, **options, weights=chosen[0])
        return replace(found, caveats=(*found.caveats, chosen[1]))
    found = bradley_terry(votes, **options)
    return _with_fragility(found, votes) if fragility else found


def _with_fragility(found: Ratings, votes: Votes) -> Ratings:
    """The same ratings with how few votes, left out, would put another system first, or why none would."""
    try:
        return replace(found, fragility=fragility_of(votes, by="bradley-terry", ties=found.ties))
    except NotEstimable as error:
        return replace(found, not_fragile=str(error))
