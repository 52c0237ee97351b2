"""Pairwise agreement: how alike two judges answer the same question, among people, and between models and people."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from quorate.arrays import Bools, Floats, Ints, dense
from quorate.numerics.distributions import t_quantile
from quorate.numerics.inference import checked_level
from quorate.numerics.votes.clustered import interval, share
from quorate.roles import JUDGE, PROMPT, REPLICATE
from quorate.table.judgments import Judgments
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
