"""Comparison of systems: one question for whatever says how good they are, of two, or of all pairs of more."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, TypedDict, Unpack, overload

import numpy as np

from quorate.decide.outcome import Claim
from quorate.decide.same import SameDifference
from quorate.decide.scores import ScoreVerdict, verdict_of_scores
from quorate.decide.votes import Verdict, beside_the_board, verdict_of_votes
from quorate.errors import InvalidInput
from quorate.estimate.components.latent import refuse_latent
from quorate.estimate.differences.difference import Method, by_mean
from quorate.estimate.means.targets import ModelOptions
from quorate.estimate.votes.clustered import Cluster
from quorate.planning.designs.dstudy import Prices
from quorate.planning.search.optimize import Limits
from quorate.roles import SYSTEM
from quorate.table.exchange.postgres.address import is_place
from quorate.table.judgments import Judgments
from quorate.table.kinds import for_kind, given, kind_of, options_of
from quorate.table.measured import MeasuredFile, each_measure
from quorate.table.read import read_of
from quorate.table.votes import Encoding, Votes

if TYPE_CHECKING:
    from quorate.decide.all_pairs import AllPairs


class CountingOptions(TypedDict, total=False):
    """How votes count."""

    ties: Encoding | None
    cluster: Cluster | None


class DifferenceOptions(ModelOptions, total=False):
    """How scores are compared."""

    system: str | None
    method: Method | None


class AskedOptions(TypedDict, total=False):
    """What is asked of two systems."""

    margin: float | None
    level: float
    claim: Claim | None
    power: float
    price: float | None


class VerdictOptions(AskedOptions, CountingOptions, total=False):
    """Options of `compare` for votes."""

    budget: int | None


class ScoreVerdictOptions(AskedOptions, DifferenceOptions, total=False):
    """Options of `compare` for scores."""

    budget: float | None
    prices: Prices | None
    limits: Limits | None


@overload
def compare(judgments_or_votes: Votes, a: str, b: str, **options: Unpack[VerdictOptions]) -> Verdict: ...


@overload
def compare(
    judgments_or_votes: Judgments, a: str, b: str, **options: Unpack[ScoreVerdictOptions]
) -> ScoreVerdict | SameDifference: ...


@overload
def compare(judgments_or_votes: Votes, **options: Unpack[VerdictOptions]) -> Verdict | AllPairs: ...


@overload
def compare(
    judgments_or_votes: Judgments, **options: Unpack[ScoreVerdictOptions]
) -> ScoreVerdict | SameDifference | AllPairs: ...


@each_measure
@options_of(VerdictOptions, ScoreVerdictOptions)
def compare(
    judgments_or_votes: Votes | Judgments,
    a: str | os.PathLike[str] | None = None,
    b: str | None = None,
    *,
    level: float = 0.95,
    power: float = 0.9,
    **options: Any,
) -> Verdict | ScoreVerdict | SameDifference | AllPairs:
    """Whether one system is better than another, worse, equivalent within a margin, or whether that is undecided.

    Scores are compared by the paired difference of the two systems in every cell that both have: what they share, such
    as how lenient a judge is, cancels, and by how far judges and prompts favour one of them is part of the error.

    Parameters
    ----------
    judgments_or_votes : Judgments, Votes, path or frame
        Scores or votes from `quorate.read`, or what it takes; a file whose other system is in the file ``a``.
    a, b : str, optional
        The two systems; the outcome is about ``a``. Not needed where there are two; of more, all pairs are compared,
        as `quorate.rank` has them.
    system : str, optional
        Scores: role of the systems, ``"system"`` by default.
    margin : float, optional
        Differences below it count as equal; stated before looking, in score units; of votes, the share less .5.
        Equivalence is claimed only with it: for votes 0.05 for shares from 45% to 55%.
    level : float
        Coverage of the interval. The chance of a false verdict is about ``1 - level``, as far as
        ``docs/methods/compare.md`` and ``verdicts.md`` measure it.
    claim : {"better", "equivalent", "not worse"}, optional
        What is to be shown, for the exit code. Default: better or equivalent.
    power : float
        Chance of finding a difference that plans are for. ``detectable`` and the next step are for it.
    ties : {"drop", "half", "pessimistic"}, optional
        Votes: how ties count; dropped by default.
    cluster : str or sequence of str, optional
        Votes: facets whose votes may resemble each other; ``()`` takes votes as independent. By default prompt, judge
        and cluster, as far as they are there and repeat. They may be nested or crossed.
    budget : float, optional
        What a new study may cost, at these prices; else how many votes or judgments. It is said what the best study of
        it would see. Votes: as many as can still be collected. Scores: in the unit of ``prices``; without prices,
        judgments of both systems together.
    price : float, optional
        Price of one call, or of one vote.
    method : {"paired", "joint"}, optional
        Scores: from shared cells, or one model for all scores of both. Default: paired if nearly all are shared.
    targets : mapping of str to str or Pool, optional
        Scores: what facets stand for, population or panel, such as ``{"judge": "population"}``. As for
        `Decomposition.mean_for`.
    prices, limits : mapping, optional
        Scores: for the next step, as for `quorate.plan`.
    random, covariates, residual_by
        Scores: as for `quorate.decompose`, of one model for all scores of both; each random term is also taken by
        system. The method is then "joint".

    Returns
    -------
    Verdict or ScoreVerdict, or AllPairs
        With ``outcome``, ``difference``, ``detectable``, ``next_step``, ``sentence`` and ``exit_code``; a
        `quorate.types.SameDifference`, with its bounds, where scores differ by the same on all items.

    Raises
    ------
    InvalidInput
        If an argument is out of range or not for such data, or the table is none of the two.
    UnknownTerm
        If a system or facet is not there.
    NotEstimable
        If there is nothing to judge the difference by.

    Examples
    --------
    >>> import polars
    >>> import quorate as q
    >>> columns = {"model_a": ["x"] * 100, "model_b": ["y"] * 100, "winner": ["model_a"] * 70 + ["model_b"] * 30}
    >>> compare(q.read_votes(polars.DataFrame(columns), announce=False), "x", "y").outcome.value
    'better'
    >>> columns = {"system": list("xxxxyyyy"), "item": [1, 2, 3, 4] * 2, "score": [6, 9, 6, 7, 2, 4, 3, 4]}
    >>> compare(q.read(polars.DataFrame(columns), announce=False), "x", "y").outcome.value
    'better'
    """
    source: object = judgments_or_votes
    if a is not None and b is None and is_place(source):
        source, a = [source, a], None
    if (a is None) != (b is None):
        raise InvalidInput(f'a, b: give both systems, or neither for all pairs, got "{a or b}" alone')
    asked = given({"level": level, "power": power, **options})
    system, price, prices, budget = (asked.get(name) for name in ("system", "price", "prices", "budget"))
    table = read_of(source, about=SYSTEM if system is None else "")
    refuse_latent(table, "judgments_or_votes")
    if price is not None and "judge" in (prices or {}):
        raise InvalidInput("price: give it or one for each judge, not both")
    if isinstance(budget, float) and budget.is_integer():
        asked["budget"] = int(budget)
    votes, scores = VerdictOptions.__annotations__, ScoreVerdictOptions.__annotations__
    asked = for_kind(kind_of(table), asked, votes=votes, scores=scores)
    if a is None or b is None:
        two = the_two(table, system, asked.get("claim"))
        if two is None:
            from quorate.decide.all_pairs import all_pairs

            return all_pairs(table, **asked)
        a, b = two
    if isinstance(table, Votes):
        return beside_the_board(verdict_of_votes(table, str(a), str(b), **asked), table, asked.get("cluster"))
    if asked.pop("price", None) is not None:
        asked["prices"] = {"call": price, **(prices or {})}
    return verdict_of_scores(table, str(a), str(b), **asked)


def the_two(
    table: Judgments | Votes | MeasuredFile, facet: str | None = None, claim: Claim | None = None
) -> tuple[str, str] | None:
    """The systems of a table that has two, None where it has more: the first of two files first, else the better.

    Raises
    ------
    InvalidInput
        If something is claimed, and nothing but the scores would say of which system.
    """
    if isinstance(table, MeasuredFile):
        return the_two(table.first, facet, claim)
    if isinstance(table, Votes):
        names: Sequence[str] = table.models
        if len(names) == 2 and float(np.nansum((table.encoded() - 0.5) * table.weights)) > 0:
            names = names[::-1]  # the second is preferred
    elif (facet or SYSTEM) not in table.names or table.object == (facet or SYSTEM):
        return None
    else:
        names = [*by_mean(table, facet or SYSTEM)]
    if len(names) != 2:
        return None
    stems = [PurePath(name).name.split(".")[0] for name in table.source.files]
    if len(stems) == 2 and {*stems} == {*names}:
        names = stems
    elif claim is not None:
        raise InvalidInput(
            f'a, b: "{claim}" is claimed of one system, not of whichever is ahead; name both, the claimed one first, '
            f'such as "{names[0]}" "{names[1]}"'
        )
    return names[0], names[1]
