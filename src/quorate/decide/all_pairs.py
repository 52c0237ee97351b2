"""All pairs of systems at once: their verdicts, with one error rate for all of them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from pathlib import PurePath
from typing import Any, TypedDict, Unpack, overload

import numpy as np

from quorate.arguments import argument
from quorate.caveats import Caveat
from quorate.decide.outcome import AnyVerdict, Claim, Outcome, check_question
from quorate.decide.same import SameDifference
from quorate.decide.scores import ScoreVerdict, verdict_of_difference, verdict_of_scores
from quorate.decide.votes import Verdict, verdict_of_margin, verdict_of_votes
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.components.latent import refuse_latent
from quorate.estimate.differences.difference import Method, by_mean, difference
from quorate.estimate.means.targets import ModelOptions, Target
from quorate.estimate.votes.clustered import Cluster
from quorate.estimate.votes.margin import margin_of_votes
from quorate.frozen import dataclass
from quorate.numerics.inference import holm_level
from quorate.planning.designs.dstudy import Prices
from quorate.planning.power.sample_size import check_count
from quorate.planning.search.optimize import Limits
from quorate.roles import SYSTEM
from quorate.table.exchange.postgres.address import is_place
from quorate.table.judgments import Judgments
from quorate.table.kinds import for_kind, given, kind_of, options_of
from quorate.table.measured import MeasuredFile, each_measure
from quorate.table.read import read_of
from quorate.table.results import Result, Row
from quorate.table.votes import Encoding, Votes
from quorate.wording import at_level, brief, capitalised, counted, listed

# Comparison of two systems: one question for whatever says how good they are.


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
def compare(
    judgments_or_votes: Votes, a: str | None = None, b: str | None = None, **options: Unpack[VerdictOptions]
) -> Verdict: ...


@overload
def compare(
    judgments_or_votes: Judgments, a: str | None = None, b: str | None = None, **options: Unpack[ScoreVerdictOptions]
) -> ScoreVerdict | SameDifference: ...


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
) -> Verdict | ScoreVerdict | SameDifference:
    """Whether one system is better than another, worse, equivalent within a margin, or whether that is undecided.

    Scores are compared by the paired difference of the two systems in every cell that both have: what they share, such
    as how lenient a judge is, cancels, and by how far judges and prompts favour one of them is part of the error.

    Parameters
    ----------
    judgments_or_votes : Judgments, Votes, path or frame
        Scores or votes from `quorate.read`, or what it takes; a file whose other system is in the file ``a``.
    a, b : str, optional
        The two systems; the outcome is about ``a``. Not needed where there are two.
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
    Verdict or ScoreVerdict
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
    asked = given({"level": level, "power": power, **options})
    system, price, prices, budget = (asked.get(name) for name in ("system", "price", "prices", "budget"))
    table = read_of(source, about=SYSTEM if system is None else "")
    if (a is None or b is None) and isinstance(table, (Judgments, Votes)):
        a, b = the_two(table, system, asked.get("claim")) or (a, b)
    if isinstance(table, (Judgments, Votes)) and (a is None or b is None):
        names = table.models if isinstance(table, Votes) else table.facet(system or SYSTEM).levels
        raise InvalidInput(
            f"a, b: name two of {listed(names, most=6)}; for all pairs there is quorate.votes.compare_all"
        )
    refuse_latent(judgments_or_votes, "judgments_or_votes")
    if price is not None and "judge" in (prices or {}):
        raise InvalidInput("price: give it or one for each judge, not both")
    if isinstance(budget, float) and budget.is_integer():
        asked["budget"] = int(budget)
    votes, scores = VerdictOptions.__annotations__, ScoreVerdictOptions.__annotations__
    asked = for_kind(kind_of(table), asked, votes=votes, scores=scores)
    if isinstance(table, Votes):
        return verdict_of_votes(table, str(a), str(b), **asked)
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
    elif facet not in (None, SYSTEM) or SYSTEM not in table.names or table.object == SYSTEM:
        return None
    else:
        names = [*by_mean(table)]
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


@dataclass(frozen=True, repr=False)
class Verdicts(Result):
    """Verdicts on several pairs that hold together.

    Parameters
    ----------
    verdicts : tuple of Verdict or ScoreVerdict
        One per pair, in the order of the pairs of the votes, or of the systems; all at the level that Holm's procedure
        arrives at.
    level : float
        Chance that none of them is false, at least.
    skipped : int
        Pairs left out, for they have too little to judge by, such as too few votes or one cluster.
    """

    verdicts: tuple[AnyVerdict, ...]
    level: float
    skipped: int

    entries = "level skipped counts sentence exit_code verdicts"

    def __repr__(self) -> str:
        return brief("Verdicts", self.sentence)

    @property
    def counts(self) -> dict[str, int]:
        """Pairs per outcome."""
        found = Counter(verdict.outcome.value for verdict in self.verdicts)
        return {outcome.value: found[outcome.value] for outcome in Outcome}

    @property
    def sentence(self) -> str:
        """How many pairs are decided."""
        count = self.counts
        different = count["better"] + count["worse"]
        left = f" {counted(self.skipped, 'pair')} more could not be judged." if self.skipped else ""
        whom = {one.whom for one in self.verdicts}
        spoken = f", {whom.pop()}" if len(whom) == 1 and any(whom) else ""
        # how many are told apart for judges like these, where every verdict by scores says it
        scores = [one for one in self.verdicts if isinstance(one, ScoreVerdict) and one.for_others is not None]
        others = {one.whom_else for one in scores}
        for_others = ""
        if len(scores) == len(self.verdicts) and len(others) == 1:
            apart = sum(one.for_others in (Outcome.BETTER, Outcome.WORSE) for one in scores)
            for_others = f" {capitalised(others.pop())} {_are(apart)} told apart."
        return (
            f"Of {counted(len(self.verdicts), 'pair')} of systems {_are(different)} told apart, "
            f"{_are(count['equivalent'])} equivalent and {_are(count['undecided'])} undecided; all of these verdicts "
            f"hold together at {at_level(self.level)}{spoken}.{for_others}{left}"
        )

    def __str__(self) -> str:
        return self.sentence

    @property
    def caveats(self) -> tuple[Caveat, ...]:
        """What to know before relying on them: of each kind the first, and how many more pairs have one."""
        kinds: dict[tuple[str, int], list[tuple[str, str]]] = {}  # by code, and which of that code it is of a pair
        for verdict in self.verdicts:
            place: Counter[str] = Counter()
            for one in verdict.caveats:
                found = one.sentence, f"{verdict.a} against {verdict.b}"
                kinds.setdefault((one.code, place[one.code]), []).append(found)
                place[one.code] += 1
        out = []
        for (code, _), found_of in kinds.items():
            sentence, pair = found_of[0]
            if len(dict(found_of)) > 1:  # the first of them stands for others that are not alike
                others = counted(len(found_of) - 1, "more pair")
                sentence = f"{sentence} ({pair}; so it is, with other numbers, of {others})"
            out.append(Caveat(code, sentence))
        return tuple(out)

    @property
    def exit_code(self) -> int:
        """0 where every pair is decided, 2 where one is not."""
        return 2 if self.counts["undecided"] else 0

    def rows(self) -> list[Row]:
        """One row per pair: a, b, outcome, difference, low, high, level, n, p_difference, p_equivalence.

        The difference of votes is the margin, the share of votes for ``a`` less one half; of scores that of the means.
        """
        rows = []
        for verdict in self.verdicts:
            low, high = verdict.difference.at(verdict.level).ends
            row: Row = {"a": verdict.a, "b": verdict.b, "outcome": verdict.outcome.value}
            row |= {"difference": verdict.difference.value, "low": low, "high": high, "level": verdict.level}
            row |= {"n": verdict.difference.n, "p_difference": verdict.p_difference}
            rows.append({**row, "p_equivalence": verdict.p_equivalence})
        return rows


def _are(count: int) -> str:
    return f"{count:,} {'is' if count == 1 else 'are'}"


@each_measure
@options_of(CountingOptions, DifferenceOptions)
def compare_all(
    judgments_or_votes: Votes | Judgments,
    *,
    margin: float | None = None,
    level: float = 0.95,
    power: float = 0.9,
    minimum: int | None = None,
    **options: Any,
) -> Verdicts:
    """Verdicts on all pairs of systems, corrected for looking at that many.

    Parameters
    ----------
    judgments_or_votes : Judgments or Votes
        From `quorate.read` or `quorate.read_votes`.
    system : str, optional
        Scores: role of the systems, ``"system"`` by default.
    margin : float, optional
        As for `quorate.compare`.
    level : float
        Chance that no verdict is false, at least.
    power : float
        As for `quorate.compare`.
    ties : {"drop", "half", "pessimistic"}, optional
        Votes: how ties count; dropped by default.
    cluster : str or sequence of str, optional
        Votes: facets whose votes may resemble each other, as for `quorate.compare`: by default those of each pair that
        repeat.
    minimum : int, optional
        Votes: how many must count for a pair to be judged, among all pairs; 1 by default. Set before looking.
    method, targets, random, covariates, residual_by
        Scores: as for `quorate.compare`.

    Raises
    ------
    InvalidInput
        If an argument is out of range or not for such data, or the table is none of the two.
    NotEstimable
        If no pair can be judged.
    UnknownTerm
        If there is no such facet.

    Notes
    -----
    Holm's procedure: all m pairs are judged at ``(1 - level) / m``. If k of them are then settled, so that nothing is
    left to claim about them, all are judged at ``(1 - level) / (m - k)``, and so on until nothing changes. Intervals
    and next steps are at the level arrived at. ``docs/methods/verdicts.md`` says what it promises.

    References
    ----------
    Holm (1979), Scandinavian Journal of Statistics 6, 65-70. Shaffer (1986), Journal of the American Statistical
    Association 81, 826-831.

    Examples
    --------
    >>> import polars
    >>> from quorate.table.read_votes import read_votes
    >>> pairs = [("x", "y", 70), ("x", "z", 61), ("y", "z", 50)]
    >>> rows = [(a, b, "model_a" if i < wins else "model_b") for a, b, wins in pairs for i in range(100)]
    >>> frame = polars.DataFrame(rows, schema=["model_a", "model_b", "winner"], orient="row")
    >>> together = compare_all(read_votes(frame, announce=False))
    >>> [one.outcome.value for one in together.verdicts]
    ['better', 'undecided', 'undecided']
    """
    votes, scores = {*CountingOptions.__annotations__, "minimum"}, DifferenceOptions.__annotations__
    asked = for_kind(kind_of(judgments_or_votes), {**options, "minimum": minimum}, votes=votes, scores=scores)
    judged: Callable[..., Verdicts] = _of_votes if isinstance(judgments_or_votes, Votes) else _of_scores
    return judged(judgments_or_votes, margin=margin, level=level, power=power, **asked)


def _of_votes(
    votes: Votes,
    *,
    margin: float | None,
    level: float,
    power: float,
    ties: Encoding = "drop",
    cluster: Cluster | None = None,
    minimum: int = 1,
) -> Verdicts:
    """Verdicts on all pairs by votes."""
    check_question(margin, level, None, power, 0.5)
    check_count("minimum", minimum)
    names, judged = votes.pairs().names, []  # margins with the share of the pair's votes that count
    for a, b in names:
        pair = votes.pair(a, b)
        try:
            lead = margin_of_votes(pair, a, b, ties=ties, cluster=cluster)
        except NotEstimable:
            continue
        if lead.n >= minimum:
            judged.append((lead, lead.n / pair.n))
    if not judged:
        rule = f"votes: no pair has {minimum:,} votes that count; collect more, or lower "
        raise NotEstimable(rule + argument("minimum"))
    asked = margin is not None and ties != "pessimistic"
    p_equal = [lead.p_equivalence(margin or 0.0) if asked else 0.0 for lead, _ in judged]
    alpha = holm_level(np.array([lead.p_difference() for lead, _ in judged]), np.array(p_equal), 1 - level)
    verdicts = tuple(
        verdict_of_margin(lead, counting=counting, margin=margin, level=1 - alpha, power=power)
        for lead, counting in judged
    )
    return Verdicts(verdicts, level, len(names) - len(judged))


def _of_scores(
    judgments: Judgments,
    *,
    margin: float | None,
    level: float,
    power: float,
    system: str = "system",
    method: Method | None = None,
    targets: Mapping[str, Target] | None = None,
    random: Sequence[str] | None = None,
    covariates: Sequence[str] | None = None,
    residual_by: str | None = None,
) -> Verdicts:
    """Verdicts on all pairs by scores."""
    check_question(margin, level, None, power)
    model: dict[str, Any] = {"random": random, "covariates": covariates, "residual_by": residual_by}
    pairs, judged, why = list(combinations(judgments.facet(system).levels, 2)), [], ""
    for a, b in pairs:
        try:
            judged.append(difference(judgments, a, b, facet=system, method=method, targets=targets, **model))
        except NotEstimable as error:
            why = str(error)
    if not judged:
        raise NotEstimable(f"{system}: no two can be compared{f'; the last: {why}' if why else ', for there is one'}")
    p_equal = [0.0 if margin is None else found.p_equivalence(margin) for found in judged]
    alpha = holm_level(np.array([found.p_difference() for found in judged]), np.array(p_equal), 1 - level)
    verdicts = tuple(verdict_of_difference(found, margin=margin, level=1 - alpha, power=power) for found in judged)
    return Verdicts(verdicts, level, len(pairs) - len(judged))
