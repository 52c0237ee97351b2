"""Comparison of two systems: one question for whatever says how good they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, overload

from quorate.decide.outcome import Claim
from quorate.decide.scores.verdict import ScoreVerdict, verdict_of_scores
from quorate.decide.votes.verdict import Verdict, verdict_of_votes
from quorate.errors import InvalidInput
from quorate.estimate.components.latent import refuse_latent
from quorate.estimate.differences.difference import Method
from quorate.estimate.means.targets import Target
from quorate.estimate.votes.dependence import Cluster
from quorate.planning.designs.prices import Prices
from quorate.planning.search.optimize import Limits
from quorate.table.judgments import Judgments
from quorate.table.votes import Encoding, Votes

_WHY = {
    "facet": "for votes, which name their two systems themselves",
    "method": "for votes, which are pairs already",
    "targets": "for votes, whose facets are named by cluster",
    "random": "for votes, which have no such model",
    "covariates": "for votes, which have no such model",
    "residual_by": "for votes, which have no such model",
    "prices": "for votes, of which each has one price",
    "limits": "for votes, of which only the number is planned",
    "ties": "for scores, which have none",
    "cluster": "for scores, whose facets are all in the model",
    "minimum": "for scores, of which every pair that can be is judged",
    "price": "for scores; prices are by call, judge, item and prompt",
}


@overload
def compare(
    judgments_or_votes: Votes,
    a: str,
    b: str,
    *,
    margin: float | None = None,
    level: float = 0.95,
    claim: Claim | None = None,
    power: float = 0.9,
    ties: Encoding | None = None,
    cluster: Cluster | None = None,
    budget: int | None = None,
    price: float | None = None,
) -> Verdict: ...


@overload
def compare(
    judgments_or_votes: Judgments,
    a: str,
    b: str,
    *,
    facet: str | None = None,
    margin: float | None = None,
    level: float = 0.95,
    claim: Claim | None = None,
    power: float = 0.9,
    method: Method | None = None,
    targets: Mapping[str, Target] | None = None,
    prices: Prices | None = None,
    limits: Limits | None = None,
    budget: float | None = None,
    random: Sequence[str] | None = None,
    covariates: Sequence[str] | None = None,
    residual_by: str | None = None,
) -> ScoreVerdict: ...


def compare(
    judgments_or_votes: Votes | Judgments,
    a: str,
    b: str,
    *,
    facet: str | None = None,
    margin: float | None = None,
    level: float = 0.95,
    claim: Claim | None = None,
    power: float = 0.9,
    ties: Encoding | None = None,
    cluster: Cluster | None = None,
    budget: float | None = None,
    price: float | None = None,
    method: Method | None = None,
    targets: Mapping[str, Target] | None = None,
    prices: Prices | None = None,
    limits: Limits | None = None,
    random: Sequence[str] | None = None,
    covariates: Sequence[str] | None = None,
    residual_by: str | None = None,
) -> Verdict | ScoreVerdict:
    """Whether one system is better than another, worse, equivalent within a margin, or whether that is undecided.

    Scores are compared by the paired difference of the two systems in every cell that both have: what they share, such
    as how lenient a judge is, cancels, and by how far judges and prompts favour one of them is part of the error.

    Parameters
    ----------
    judgments_or_votes : Judgments or Votes
        Scores from `quorate.read`, or pairwise votes from `quorate.read_votes`.
    a, b : str
        The two systems; the outcome is about ``a``.
    facet : str, optional
        Scores: role of the systems, ``"system"`` by default.
    margin : float, optional
        Half-width of the range that counts as equal, stated before looking; equivalence is claimed only with it. In
        score units; for votes about one half: 0.05 for shares from 45% to 55%.
    level : float
        Coverage of the interval; the chance of a false verdict is about ``1 - level``, as far as
        ``docs/methods/compare.md`` and ``verdicts.md`` measure it.
    claim : {"better", "equivalent", "not worse"}, optional
        What is to be shown, for the exit code.
    power : float
        Chance of detection that ``detectable`` and the next step are for.
    ties : {"drop", "half", "pessimistic"}, optional
        Votes: how ties count; dropped by default.
    cluster : str or sequence of str, optional
        Votes: facets whose votes may resemble each other, nested or crossed; by default prompt, judge and cluster, as
        far as they are there and repeat. ``()`` takes votes as independent.
    budget : float, optional
        What a new study may cost: it is said what the best study of it would see. Votes: as many as can still be
        collected. Scores: in the unit of ``prices``; without prices, judgments of both systems together.
    price : float, optional
        Price of a vote.
    method : {"paired", "joint"}, optional
        Scores: from shared cells, or one model for all scores of both. Default: paired if nearly all are shared.
    targets : mapping of str to str or Pool, optional
        Scores: what facets stand for, as for `Decomposition.mean_for`: ``{"judge": "population"}``.
    prices, limits : mapping, optional
        Scores: for the next step, as for `quorate.plan`.
    random, covariates, residual_by
        Scores: of one model for all scores of both, as for `quorate.decompose`; each random term is also taken by
        system. The method is then "joint".

    Returns
    -------
    Verdict or ScoreVerdict
        With ``outcome``, ``difference``, ``detectable``, ``next_step``, ``sentence`` and ``exit_code``.

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
    own: dict[str, Any] = {"margin": margin, "level": level, "claim": claim, "power": power}
    votes = {"ties": ties, "cluster": cluster, "price": price}
    scores: dict[str, Any] = {"facet": facet, "method": method, "targets": targets, "prices": prices, "limits": limits}
    scores |= {"random": random, "covariates": covariates, "residual_by": residual_by}
    if isinstance(judgments_or_votes, Judgments):
        refuse(votes)
        return verdict_of_scores(judgments_or_votes, a, b, **own, **given({**scores, "budget": budget}))
    if isinstance(judgments_or_votes, Votes):
        refuse(scores)
        return verdict_of_votes(judgments_or_votes, a, b, **own, **given({**votes, "budget": budget}))
    refuse_latent(judgments_or_votes, "judgments_or_votes")
    kind = type(judgments_or_votes).__name__
    raise InvalidInput(
        f"judgments_or_votes: expects what quorate.read or quorate.read_votes returns, got {kind}; read it first"
    )


def given(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options that are given."""
    return {name: value for name, value in options.items() if value is not None}


def refuse(options: Mapping[str, Any]) -> None:
    """Refuse options that are for data of the other kind."""
    for name, value in given(options).items():
        raise InvalidInput(f'{name}: not {_WHY[name]}, got "{value}"; leave it out')
