"""Labels as given: what each judge said of each item, and one label of several as a 0/1 score."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from quorate.arrays import Floats
from quorate.errors import InvalidInput, NotEstimable
from quorate.numerics.nominal import Ratings
from quorate.roles import JUDGE
from quorate.table.answers import answers
from quorate.table.facts.repeats import refuse_repeats
from quorate.table.judgments import Judgments, table_of

ENDS = (0.0, 1.0)


def label_shares(judgments: Judgments) -> Floats:
    """Share of every label among the answers of every cell, shape (cells, labels); nan where there is none.

    Only where replicates of a cell differ are single answers read again.

    Raises
    ------
    InvalidInput
        If the answers are scores.
    NotEstimable
        If there are fewer than two labels or no answers.
    InvalidData
        If a judgment is repeated.
    """
    table = table_of(judgments)
    if not table.labels:
        raise InvalidInput("judgments: hold scores; read words as labels with labels=True")
    refuse_repeats(table)
    if len(table.labels) < 2 or not table.n_answers:
        raise NotEstimable("labels: two different labels are needed, as there is nothing to tell apart otherwise")
    count = np.zeros((table.n_cells, len(table.labels)))
    same = (table.n > 0) & (table.low == table.high)
    count[same, table.low[same].astype(np.int64)] = table.n[same]
    if (table.n[~same] > 0).any():
        values, offsets = answers(table)
        cell = np.repeat(np.arange(table.n_cells), np.diff(offsets))
        count = np.zeros_like(count)
        np.add.at(count, (cell, values.astype(np.int64)), 1.0)
    with np.errstate(invalid="ignore"):
        return np.asarray(count / table.n[:, None])


def as_score(judgments: Judgments, share: Floats) -> Judgments:
    """The judgments with one label as the score, 1 or 0, from its share of the answers of every cell."""
    some = judgments.n > 0
    low = np.where(some, (share == 1).astype(float), np.nan)
    high = np.where(some, (share > 0).astype(float), np.nan)
    ss = np.where(some, judgments.n * share * (1 - share), 0.0)
    return replace(judgments, mean=share, ss=ss, low=low, high=high, scale=ENDS, labels=(), origin=None)


def averaged(judgments: Judgments, names: tuple[str, ...]) -> Judgments:
    """The answered judgments by some facets alone: one score for each of their levels, the mean of its cells."""
    answered = judgments.keep(judgments.n > 0)
    if set(names) == set(judgments.names):
        return answered
    place, first, size = np.unique(answered.level_codes(names), return_index=True, return_counts=True)
    mean = np.bincount(answered.level_codes(names), answered.mean)[place] / size
    return replace(
        answered,
        facets=tuple(answered.facet(name) for name in names),
        codes=np.column_stack([answered.column(name)[first] for name in names]),
        n=np.ones(len(place), dtype=np.int64),
        mean=mean,
        ss=np.zeros(len(place)),
        low=mean,
        high=mean,
        status={},
        replicate=None,
        distinct=None,
    )


def judge_of(judgments: Judgments) -> tuple[np.ndarray[tuple[int], np.dtype[np.int64]], tuple[str, ...]]:
    """Who judged every cell, and their names: judges, or without that facet every other than the items together."""
    item = judgments.object
    others = [name for name in judgments.names if name not in (item, *judgments.ancestors(item))]
    names = [JUDGE] if JUDGE in judgments.names else others
    code = judgments.level_codes(names)
    _, first = np.unique(code, return_index=True)
    labels = (
        " ".join(judgments.facet(name).levels[judgments.column(name)[row]] for name in names) for row in first.tolist()
    )
    return code, tuple(labels)


def ratings(judgments: Judgments, shares: Floats) -> Ratings:
    """What every judge said of every item; several answers of one judge, by prompt or repeated, as shares.

    Parameters
    ----------
    judgments : Judgments
        Of labels.
    shares : array, shape (cells, labels)
        From `label_shares`.
    """
    judge, names = judge_of(judgments)
    item = judgments.level_codes([judgments.object])
    cell, label = np.nonzero(np.nan_to_num(shares) > 0)
    n_items, n_judges, n_labels = int(item.max()) + 1, len(names), shares.shape[1]
    pair = item * n_judges + judge
    cells = np.bincount(pair[judgments.n > 0], minlength=n_items * n_judges)
    place, entry = np.unique(pair[cell] * n_labels + label, return_inverse=True)
    weight: Floats = np.bincount(entry, shares[cell, label] / cells[pair[cell]]).astype(float)
    at, said = place // n_labels, place % n_labels
    return Ratings(at // n_judges, at % n_judges, said, weight, n_items, n_judges, n_labels)
