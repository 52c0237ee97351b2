"""Analysis of a table: one question for scores and for votes."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypedDict, Unpack, overload

from quorate.arguments import argument
from quorate.errors import InvalidInput
from quorate.estimate.means.missing_bounds import AllEqual, all_equal
from quorate.estimate.means.targets import ModelOptions
from quorate.roles import SIDES, SYSTEM
from quorate.table.judgments import Judgments
from quorate.table.kinds import for_kind, kind_of, options_of
from quorate.table.measured import Measures, each_measure
from quorate.table.read import read_first
from quorate.table.votes import Votes

if TYPE_CHECKING:
    from quorate.analysis.judgments import Analysis
    from quorate.analysis.views import Asked
    from quorate.analysis.votes import PairAnalysis, VotesAnalysis
    from quorate.decide.outcome import Claim
    from quorate.decide.scores import ScoreVerdict
    from quorate.estimate.components.fit import Method
    from quorate.estimate.components.model import Interval
    from quorate.estimate.nominal import Labels
    from quorate.estimate.ratings.leaderboard import Leaderboard
    from quorate.estimate.votes.clustered import Cluster
    from quorate.table.votes import Encoding


class LabelOptions(ModelOptions, total=False):
    """Options of `analyze` for labels."""

    method: Method | None
    most: int | None


class ScoreOptions(LabelOptions, total=False):
    """Options of `analyze` for judgments, of scores or of labels."""

    interval: Interval | None
    price: float | None
    half_width: float | None
    link: Asked | None


class VoteOptions(TypedDict, total=False):
    """Options of `analyze` for all pairs of votes."""

    power: float | None
    cluster: Cluster | None
    minimum: int | None


class PairOptions(VoteOptions, total=False):
    """Options of `analyze` for two systems."""

    margin: float | None
    ties: Encoding | None
    claim: Claim | None
    budget: int | None
    price: float | None


@overload
def analyze(
    judgments_or_votes: Judgments, *, level: float | None = None, **options: Unpack[ScoreOptions]
) -> Analysis | AllEqual | ScoreVerdict | Leaderboard | Labels: ...


@overload
def analyze(
    judgments_or_votes: Votes, *, level: float | None = None, **options: Unpack[PairOptions]
) -> VotesAnalysis | PairAnalysis: ...


@overload
def analyze(
    judgments_or_votes: Votes, a: str, b: str, *, level: float | None = None, **options: Unpack[PairOptions]
) -> PairAnalysis: ...


@each_measure
@partial(read_first, about=SIDES)
@options_of(ScoreOptions, PairOptions)
def analyze(
    judgments_or_votes: Judgments | Votes,
    a: str | None = None,
    b: str | None = None,
    *,
    level: float | None = None,
    **options: Any,
) -> Analysis | AllEqual | ScoreVerdict | Leaderboard | Labels | VotesAnalysis | PairAnalysis | Measures:
    """Everything that a report says of one table: the answer, how sure it is, why, and what to buy next.

    Of scores of one system: the mean with an honest interval, where its uncertainty comes from, and what makes it
    smaller; of two systems, which is better; of more, the board. Of labels: the share of each, and how far judges
    agree. Of votes of two systems, or of ``a`` and ``b``: the verdict; of more, how far apart all pairs are and how
    many votes would tell them apart.

    Parameters
    ----------
    judgments_or_votes : Judgments or Votes
        From `quorate.read` or `quorate.read_votes`.
    a, b : str, optional
        Votes: two systems, for the verdict on them instead of all pairs. Default: the two that there are.
    random, covariates, residual_by, interval
        Scores: as for `quorate.decompose`.
    method : {"reml", "ml", "anova"}, optional
        Scores: as for `quorate.decompose`.
    targets : mapping of str to str or Pool, optional
        Scores: what facets stand for: population, panel, finite, sensitivity or pool(K), such as ``{"judge":
        "panel"}``. As for `Decomposition.mean_for`; with a target of judges the analysis is for it alone.
    level : float, optional
        Coverage of every interval, 0.95 by default. Tests of votes are at level ``1 - level``.
    power : float, optional
        Votes: chance of finding a difference that counts as enough, and that next steps are for; 0.9 by default.
    half_width : float, optional
        Scores: ask whether the interval is at most this wide to either side, for judges like these where there are two
        or more; exit code 2 if not. In score units.
    link : {"identity", "logit", "ordinal"}, optional
        Scores: components of log odds beside those of scores as numbers; identity for none. Default: where the mean of
        two values or a few marks is in the outer thirds of their scale.
    price : float, optional
        Price of a call; of two systems, of a vote.
    margin, ties, claim, budget
        Votes: as for `quorate.compare`, of two systems.
    cluster : str or sequence of str, optional
        Votes: as for `quorate.compare`.
    minimum : int, optional
        Votes: decisive votes that a pair must have, among all pairs. Default: 200, or what every pair has where none
        has as many.
    most : int, optional
        Labels: items to send to people, at most; 20 by default.

    Returns
    -------
    Analysis, AllEqual, ScoreVerdict, Leaderboard, VotesAnalysis or PairAnalysis
        Each with ``sentence``, ``caveats``, ``rows()``, ``to_dict()`` and ``to_frame()``; `quorate.report` prints it.
        Of a file with several measures, `quorate.types.Measures` with the answer to each.

    Raises
    ------
    InvalidInput
        If an option breaks a rule or is not for such a table, or the table is none of the two.
    UnknownTerm
        If a system or facet is not there.
    NotEstimable
        If the data do not determine the variance of the mean, or no pair has enough votes.

    Examples
    --------
    >>> import polars
    >>> import quorate as q
    >>> from quorate.simulate.demo import demo_table
    >>> analyze(q.read(polars.DataFrame(demo_table()), announce=False)).sources[0].advice
    'add judges'
    >>> columns = {"model_a": ["x"] * 100, "model_b": ["y"] * 100, "winner": ["model_a"] * 70 + ["model_b"] * 30}
    >>> analyze(q.read_votes(polars.DataFrame(columns), announce=False), "x", "y").verdict.outcome.value
    'better'
    """
    kind = kind_of(judgments_or_votes)
    if isinstance(judgments_or_votes, Judgments) and judgments_or_votes.labels:
        kind = "labels"
    scores, votes = {*ScoreOptions.__annotations__} - {"most"}, {*PairOptions.__annotations__, "a", "b"}
    given = {"a": a, "b": b, "level": level, **options}
    given = for_kind(kind, given, scores=scores, votes=votes, labels=LabelOptions.__annotations__)
    if isinstance(judgments_or_votes, Judgments):
        if kind == "scores":
            return _analyze_scores(judgments_or_votes, **given)
        from quorate.estimate.nominal import labels

        return labels(judgments_or_votes, **given)
    return _analyze_votes(judgments_or_votes, **given)


def _analyze_scores(judgments: Judgments, **options: Any) -> Analysis | AllEqual | ScoreVerdict | Leaderboard:
    """The answer to what a table of scores asks: of one system its mean, of two which is better, of more the board.

    Options are those of `analyze`; with a target of systems the question is their mean.
    """
    answered = judgments.keep(judgments.n > 0)
    targets = dict(options.get("targets") or {})
    systems = answered.facet(SYSTEM).levels if SYSTEM in answered.names and answered.object != SYSTEM else ()
    of_mean = SYSTEM in targets or len(systems) < 2
    level = {"level": options["level"]} if "level" in options else {}
    same = all_equal(judgments, **level) if of_mean or len(systems) > 2 else None
    if same is not None:
        return replace(same, asked=options.get("half_width"))
    if of_mean:
        from quorate.analysis.judgments import analyze_judgments

        return analyze_judgments(judgments, **options)
    model = {name: options[name] for name in ("random", "covariates", "residual_by") if options.get(name)}
    known = {*model, "level", "targets", "price"}
    mean = argument("targets", {SYSTEM: "panel"})
    usual = {"method": "reml", "covariates": (), "random": None}
    others = {name: one for name, one in options.items() if name not in known and usual.get(name, ...) != one}
    for name in others:
        refused = argument(name, options[name])
        raise InvalidInput(refused + ": is of one mean; ask for that of all systems with " + mean + ", or leave it out")
    if len(systems) == 2:
        from quorate.decide.compare import the_two
        from quorate.decide.scores import verdict_of_scores

        a, b = the_two(answered) or systems
        prices: dict[str, Any] = {"prices": {"call": options["price"]}} if options.get("price") else {}
        return verdict_of_scores(judgments, a, b, targets=targets, **model, **level, **prices)
    from quorate.estimate.ratings.leaderboard import leaderboard

    return leaderboard(judgments, targets=targets, **model, **level)


def _analyze_votes(
    votes: Votes, a: str | None = None, b: str | None = None, **options: Any
) -> VotesAnalysis | PairAnalysis:
    """The verdict on two systems, be they named or all that there are; else how far apart all pairs are."""
    from quorate.analysis.votes import pair_view, votes_view
    from quorate.decide.compare import the_two

    if (a is None) != (b is None):
        raise InvalidInput("a, b: give both systems, or neither")
    two = the_two(votes, claim=options.get("claim")) if a is None or b is None else (a, b)
    if two is not None:
        return pair_view(votes, *two, **options)
    for name in PairOptions.__annotations__:
        if name in options and name not in VoteOptions.__annotations__:
            raise InvalidInput(f"{name}: is for two systems, as of quorate compare; name a and b, or leave it out")
    return votes_view(votes, **options)
