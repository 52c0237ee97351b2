"""Agreement between judges: Krippendorff's alpha, intraclass correlations, and how alike two answer a question."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import Literal

import numpy as np

from quorate import rules
from quorate.arrays import Bools, Floats, Ints, dense, first_of_each
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.components.decompose import decomposed
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.components.dependability import dependability
from quorate.estimate.labels import unit_facets
from quorate.frozen import dataclass
from quorate.numerics.chances import Items, score_interval
from quorate.numerics.correlation import ranks
from quorate.numerics.distributions import t_quantile
from quorate.numerics.inference import checked_level
from quorate.numerics.nominal import ALPHA, krippendorff, together
from quorate.numerics.votes.clustered import interval, share
from quorate.roles import JUDGE, PROMPT, REPLICATE
from quorate.table.judgments import Judgments, checked
from quorate.table.pairs import BOTH_BAD, MISSING, TIE
from quorate.table.results import Result
from quorate.table.votes import Votes

PEOPLE, MODELS = "people", "models"
"""Names of the two groups of judges."""

Measure = Literal["same", "difference"]


@dataclass(frozen=True)
class PairwiseAgreement(Result):
    """How alike the answers of two judges to one question are.

    Parameters
    ----------
    first, second : str
        Whose answers: a judge, ``people`` or ``models``; twice the same group for its members with each other.
    measure : {"same", "difference"}
        Of votes, the share of pairs of answers that are the same, ties included; of scores, the root mean square
        difference of two answers, in score units.
    value : float
        That.
    low, high : float
        Its interval over items; nan with one item.
    items, pairs : int
        Items that both answered, and pairs of answers by two judges.
    """

    first: str
    second: str
    measure: Measure
    value: float
    low: float
    high: float
    items: int
    pairs: int


@dataclass(frozen=True)
class _Answers:
    """Answers as points, whose squared distances are what counts: a mark, or one corner for each vote.

    Parameters
    ----------
    point : array, shape (answers, dimensions)
    question, item, judge : array of int, shape (answers,)
    judges : sequence of str
    measure : {"same", "difference"}
    """

    point: Floats
    question: Ints
    item: Ints
    judge: Ints
    judges: Sequence[str]
    measure: Measure


def pairwise_agreement(
    table: Judgments | Votes, *, people: Collection[str] = (), level: float = 0.95
) -> tuple[PairwiseAgreement, ...]:
    """How alike people answer the same question, each model and people, and models among themselves.

    Two answers of one judge are no pair. Scores of a cell that was asked several times are taken as their mean, so that
    what is compared is what each judge says, not how it varies. Intervals take items as a sample.

    Parameters
    ----------
    table : Judgments or Votes
        From `quorate.read` or `quorate.read_votes`, with judges.
    people : collection of str
        Judges that are people; all others are models.
    level : float
        Coverage of the intervals.

    Returns
    -------
    tuple of PairwiseAgreement
        Only of groups that answered a question together.

    Examples
    --------
    >>> import polars, quorate as q
    >>> rows = {"item": [1, 1, 1, 2, 2, 2], "judge": ["ana", "ben", "m"] * 2, "score": [3, 4, 5, 2, 2, 4]}
    >>> found = pairwise_agreement(q.read(polars.DataFrame(rows), announce=False), people=["ana", "ben"])
    >>> [(one.first, one.second, round(one.value, 2), one.pairs) for one in found]
    [('people', 'people', 0.71, 2), ('m', 'people', 1.8, 4)]
    """
    checked_level(level)
    if JUDGE not in table.names:
        return ()
    answers = _of_votes(table) if isinstance(table, Votes) else _of_scores(table)
    names = np.array(answers.judges, dtype=object)
    human = np.isin(names, list(people))[answers.judge]
    models = sorted(set(answers.judges) - set(people))
    each = [(name, PEOPLE, (names == name)[answers.judge], human) for name in models]
    asked = [(PEOPLE, PEOPLE, human, human), *each, (MODELS, MODELS, ~human, ~human)]
    found = [_between(answers, *one, level) for one in asked]
    return tuple(one for one in found if one is not None)


def _of_scores(table: Judgments) -> _Answers:
    used = table.keep(table.n > 0)
    question = used.level_codes([name for name in used.names if name != JUDGE])
    item, judge = used.level_codes([used.object]), used.column(JUDGE).astype(np.int64)
    return _Answers(used.mean[:, None], question, item, judge, used.facet(JUDGE).levels, "difference")


def _of_votes(votes: Votes) -> _Answers:
    used = votes.keep((votes.outcome != MISSING) & (votes.column(JUDGE) >= 0))
    outcome = np.where(used.outcome == BOTH_BAD, TIE, used.outcome)
    corner: Floats = np.eye(3)[outcome]  # squared distances are whole numbers: 2 between different corners
    apart = [name for name in used.names if name not in (JUDGE, REPLICATE)]
    question = dense(used.model_a.astype(np.int64) * len(used.models) + used.model_b)
    for name in apart:
        question = dense(question * (len(used.facet(name).levels) + 1) + used.column(name) + 1)
    item = dense(used.column(PROMPT).astype(np.int64) + 1) if PROMPT in used.names else question
    return _Answers(corner, question, item, used.column(JUDGE).astype(np.int64), used.facet(JUDGE).levels, "same")


def _between(
    answers: _Answers, first: str, second: str, left: Bools, right: Bools, level: float
) -> PairwiseAgreement | None:
    """Two groups of judges, or one with itself; None where they share no question."""
    size = int(answers.question.max(initial=-1)) + 1
    count, apart = _squares(answers.point, answers.question, left, right)
    if first == second:  # without pairs of one judge's answers, and each pair once
        own = dense(answers.judge * size + answers.question)
        of = np.zeros(int(own.max(initial=-1)) + 1, dtype=np.int64)
        of[own] = answers.question
        own_count, own_apart = (
            np.bincount(of, one, size).astype(np.float64) for one in _squares(answers.point, own, left, left)
        )
        count, apart = (count - own_count) / 2, (apart - own_apart) / 2
    item = np.zeros(len(count), dtype=np.int64)
    item[answers.question] = answers.item
    pairs, distance = (np.maximum(np.bincount(item, one), 0.0) for one in (count, apart))
    some = pairs > 0
    if not some.any():
        return None
    numbers = _number(distance[some], pairs[some], answers, level)
    return PairwiseAgreement(first, second, answers.measure, *numbers, int(some.sum()), round(pairs.sum()))


def _squares(point: Floats, key: Ints, left: Bools, right: Bools) -> tuple[Floats, Floats]:
    """Pairs of answers of two sides that have the same key, by key, and the sum of their squared distances."""
    size, norm = int(key.max(initial=-1)) + 1, (point**2).sum(axis=1)

    def sums(side: Bools) -> tuple[Floats, Floats, Floats]:
        at = key[side]
        total = np.array([np.bincount(at, column, size) for column in point[side].T])
        square: Floats = np.bincount(at, norm[side], size).astype(np.float64)
        return np.bincount(at, minlength=size).astype(np.float64), square, total

    (n, square, total), (others, other_square, other_total) = sums(left), sums(right)
    return n * others, others * square + n * other_square - 2 * (total * other_total).sum(axis=0)


def _number(distance: Floats, pairs: Floats, answers: _Answers, level: float) -> tuple[float, float, float]:
    """The measure and its interval, from sums over pairs by item."""
    if answers.measure == "same":
        found = share(pairs - distance / 2, pairs)
        return (found.value, *(interval(found, level) if found.clusters > 1 else (math.nan, math.nan)))
    span = max(float(np.ptp(answers.point)), 1e-300) ** 2
    found = share(distance / span, pairs)
    half = t_quantile(found.df, (1 + level) / 2) * found.se if found.clusters > 1 else math.nan
    low, high = max(found.value - half, 0.0), found.value + half
    return tuple(math.sqrt(span * end) for end in (found.value, low, high))  # type: ignore[return-value]  # three


Metric = Literal["nominal", "ordinal", "interval"]
_FEWEST = 3
MOST_POINTS = 50
"""Scores of which an item could have been, spread over those that occur."""


@dataclass(frozen=True)
class Alpha(Result):
    """Krippendorff's alpha.

    Parameters
    ----------
    value : float
        1: all judges agree; 0: as much as by chance; below: less.
    low, high : float
        Score interval over items, which holds where a score is rare; nan with two items.
    metric : {"nominal", "ordinal", "interval"}
        How far two scores are apart.
    items, scores : int
        Items with two scores or more, and their scores.
    level : float
        Coverage of the interval.
    """

    value: float
    low: float
    high: float
    metric: Metric
    items: int
    scores: int
    level: float


@dataclass(frozen=True)
class Icc(Result):
    """Intraclass correlations, in the notation of McGraw and Wong (1996).

    Parameters
    ----------
    single_absolute, single_absolute_se : float
        ICC(A,1): one judge's scores, taken as they are (Shrout and Fleiss' ICC(2,1)).
    average_absolute, average_absolute_se : float
        ICC(A,k): means of k judges (ICC(2,k)).
    single_consistency, single_consistency_se : float
        ICC(C,1): one judge's scores, but for how lenient the judge is (ICC(3,1)).
    average_consistency, average_consistency_se : float
        ICC(C,k): means of k judges (ICC(3,k)).
    judges : float
        k: judges per item.
    """

    single_absolute: float
    single_absolute_se: float
    average_absolute: float
    average_absolute_se: float
    single_consistency: float
    single_consistency_se: float
    average_consistency: float
    average_consistency_se: float
    judges: float


def icc(fit: Decomposition | Judgments, *, judges: float | None = None) -> Icc:
    """How well judges agree on which items are better, from the fitted components.

    Other facets (prompts, temperatures) are averaged over as in the data; with items and judges alone these are the
    usual coefficients, with components below zero taken as zero.

    Parameters
    ----------
    fit : Decomposition or Judgments
        From `quorate.decompose`, with a facet ``judge``; judgments are decomposed first.
    judges : float, optional
        k of the averaged ones; the judges per item in the data.

    Raises
    ------
    NotEstimable
        If the coefficients need components apart that the design cannot tell apart.
    UnknownTerm
        If there is no facet ``judge``.
    InvalidInput
        If ``judges`` is below 1.

    Notes
    -----
    ``dependability`` with all facets random: ICC(A,k) is the index of dependability Phi, ICC(C,k) the generalizability
    coefficient. R: ``psych::ICC(scores)``.

    References
    ----------
    Shrout and Fleiss (1979), Psychological Bulletin 86, 420-428. McGraw and Wong (1996), Psychological Methods 1,
    30-46.

    Examples
    --------
    >>> import polars, quorate as q
    >>> rows = {"item": [1, 1, 2, 2, 3, 3, 4, 4], "judge": list("xyxyxyxy"), "score": [1, 2, 2, 4, 3, 4, 5, 5]}
    >>> judges = icc(q.decompose(q.read(polars.DataFrame(rows), announce=False)))
    >>> round(judges.single_absolute, 3), round(judges.average_consistency, 3)
    (0.719, 0.92)
    """
    fit = decomposed(fit)
    fit.judgments.facet("judge")
    single = dependability(fit, fixed=(), judge=1)
    many = dependability(fit, fixed=()) if judges is None else dependability(fit, fixed=(), judge=judges)
    return Icc(
        single.phi,
        single.phi_se,
        many.phi,
        many.phi_se,
        single.generalizability,
        single.generalizability_se,
        many.generalizability,
        many.generalizability_se,
        many.levels["judge"],
    )


def alpha(judgments: Judgments, metric: Metric = "interval", *, level: float = 0.95) -> Alpha:
    """Krippendorff's alpha: how far scores of one item agree, against scores of any items.

    Every cell of an item (a judge, with a prompt where there are several) is one score; missing ones are left out. The
    answers of several systems to an item are scored each by itself, and drawn together. Alpha then also counts how far
    systems differ: take one of them alone, with ``only``, for how far judges agree inside it.

    Parameters
    ----------
    judgments : Judgments
        From `quorate.read`.
    metric : {"nominal", "ordinal", "interval"}
        ``nominal``: scores are categories, equal or not. ``ordinal``: they have an order. ``interval``: differences
        count, squared.
    level : float
        Coverage of the interval.

    Raises
    ------
    InvalidInput
        If an argument is out of range, or cells average over replicates, which are no categories.
    NotEstimable
        If no item has two scores, or all scores are equal.

    References
    ----------
    Krippendorff (2011), Computing Krippendorff's alpha-reliability. R: ``irr::kripp.alpha``.

    Examples
    --------
    >>> import polars, quorate as q
    >>> rows = {"item": [1, 1, 2, 2, 3, 3], "judge": list("xyxyxy"), "score": [1, 1, 2, 2, 1, 2]}
    >>> round(alpha(q.read(polars.DataFrame(rows), announce=False), "nominal").value, 3)
    0.444
    """
    table = checked(judgments)
    rules.one_of("metric", metric, Metric)
    checked_level(level)
    if metric != "interval" and (table.n > 1).any():
        raise InvalidInput(f'metric: "{metric}" needs single answers, and some cells average several; use "interval"')
    answered = table.n > 0
    own, score = unit_facets(table), table.mean[answered]
    item = table.level_codes(own)[answered]
    drawn = table.level_codes([table.object])[answered] if len(own) > 1 else None
    return alpha_of(item, score, metric, level=level, drawn=drawn)


def alpha_of(
    item: Ints, score: Floats, metric: Metric = "interval", *, level: float = 0.95, drawn: Ints | None = None
) -> Alpha:
    """Krippendorff's alpha of scores, each with the code of its item, and of what is drawn together."""
    several = np.bincount(item)[item] > 1
    whole = None if drawn is None else drawn[several]
    item, score = dense(item[several]), score[several]
    if not len(score):
        raise NotEstimable("alpha: no item has two scores; let two judges score the same items")
    sums = sums_of_alpha(item, score, metric, level)
    if whole is not None:
        rows = together(sums.rows, whole[first_of_each(item)])
        limit = t_quantile(max(len(rows) - 1, 1), (1 + level) / 2) ** 2
        sums = Items(rows, sums.possible * round(len(sums.rows) / len(rows)), limit)
    value = float(krippendorff(sums.rows.sum(axis=0)))
    if np.isnan(value):
        raise NotEstimable("alpha: all scores are equal, so there is nothing to agree about")
    n = len(sums.rows)
    low, high = score_interval(sums, ALPHA) if n >= _FEWEST else (np.nan, np.nan)
    return Alpha(value, low, high, metric, n, len(score), level)


def sums_of_alpha(item: Ints, score: Floats, metric: Metric, level: float) -> Items:
    """What items with several scores each, coded from 0, add to the sums of `krippendorff`, and what they could add."""
    found, size = np.unique(score), np.bincount(item).astype(float)
    code = np.searchsorted(found, score)
    if metric == "nominal":  # points whose squared distances are those of the metric, up to a factor
        points, squares = np.eye(len(found)), size
        times = np.bincount(item * len(found) + code, minlength=len(size) * len(found))
        sums = times.reshape(len(size), -1).astype(float)
    else:
        values = ranks(score) if metric == "ordinal" else score
        column = np.asarray(values - values.mean())
        points = np.zeros((len(found), 1))
        points[code, 0] = column
        sums, squares = np.bincount(item, column)[:, None], np.bincount(item, column**2)
    kept = np.unique(np.linspace(0, len(found) - 1, MOST_POINTS).astype(np.int64))
    two_or_names, usual = metric == "nominal" or len(found) == 2, int(np.bincount(code)[kept].argmax())
    possible = _possible(points[kept], usual, int(np.bincount(size.astype(np.int64)).argmax()), two_or_names)
    limit = t_quantile(max(len(size) - 1, 1), (1 + level) / 2) ** 2
    return Items(_per_item(size, sums, squares), possible, limit)


def _per_item(size: Floats, sums: Floats, squares: Floats) -> Floats:
    """What every item adds to the sums of `krippendorff`: how many scores, and the sums of their points and squares."""
    inside = 2 * size / (size - 1) * np.maximum(squares - (sums**2).sum(axis=1) / size, 0.0)
    return np.column_stack([size, inside, squares, sums])


def _possible(points: Floats, usual: int, size: int, nominal: bool) -> Floats:
    """What an item could add: all scores at one point, or some of them at another.

    The other is the usual point for categories, of which any number may be there, and else the next one of the scale: a
    jump across the scale that nobody made would be taken as likely.

    Parameters
    ----------
    points : array, shape (values, columns)
        The point of every score that occurs, in order.
    usual, size : int
        Place of the commonest, and scores of an item.
    nominal : bool
        Whether scores are categories, as two of them are for every metric.
    """
    points = np.vstack([points[usual], points]) if nominal else points
    other = np.zeros(len(points), dtype=np.int64) if nominal else np.maximum(np.arange(len(points)) - 1, 0)
    most = size if nominal else 1
    moved = np.arange(size) < np.arange(most + 1)[:, None]
    scores = np.where(moved[..., None], points[other, None, None], points[:, None, None])
    flat = scores.reshape(-1, points.shape[1])
    each = flat.reshape(-1, size, flat.shape[1])
    return _per_item(np.full(len(each), float(size)), each.sum(axis=1), (each**2).sum(axis=(1, 2)))
