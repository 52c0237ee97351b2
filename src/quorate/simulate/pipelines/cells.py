"""Margins of battles by cell: what every cell of judges, prompts and orders says of every battle, as one array."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats, Ints
from quorate.errors import InvalidData, InvalidInput, NotEstimable, UnknownTerm
from quorate.estimate.agreement.battles import ORDER, ORDERS, PAIRWISE, Battles, likert_threshold, swapped
from quorate.estimate.means.targets import is_grouping
from quorate.frozen import dataclass
from quorate.table.judgments import Judgments
from quorate.table.pairs import UNKNOWN
from quorate.table.votes import Votes

Verdicts = NDArray[np.int8]
_USUAL = ("judge", "variant", "prompt_variant", "temperature")


@dataclass(frozen=True, eq=False)
class CellMargins:
    """How far the first system of every battle is ahead, cell by cell.

    Parameters
    ----------
    systems : tuple of str
        Labels.
    a, b : array of int, shape (battles,)
        The two systems of each battle, as indices into ``systems``.
    margin : array, shape (battles, cells)
        Share of votes for the first system less one half, ties as halves, or difference of scores; nan where a cell has
        no answer.
    levels : mapping of str to tuple of str, length (cells,)
        Label of every cell by facet, such as ``judge``.
    cluster : array of int, shape (battles,)
        What is drawn together, numbered from 0.
    threshold : float
        The least margin of a verdict.
    inclusive : bool
        Whether a margin of exactly the threshold is a verdict.
    """

    systems: tuple[str, ...]
    a: Ints
    b: Ints
    margin: Floats
    levels: Mapping[str, tuple[str, ...]]
    cluster: Ints
    threshold: float
    inclusive: bool

    def __len__(self) -> int:
        return len(self.a)

    @property
    def n_cells(self) -> int:
        """Cells of judges, prompts and orders."""
        return int(self.margin.shape[1])

    @cached_property
    def mean(self) -> Floats:
        """Mean over the cells that answered; nan where none did. Shape (battles,)."""
        known = ~np.isnan(self.margin)
        count = known.sum(axis=1)
        total = np.where(known, self.margin, 0.0).sum(axis=1)
        return np.asarray(np.divide(total, count, out=np.full(len(self), np.nan), where=count > 0))

    def verdicts(self, margin: Floats) -> Verdicts:
        """What margins of any shape mean: 0 for the first system, 1 for the second, 2 a tie, -1 nothing answered."""
        return Battles((), margin, self.threshold, self.inclusive).verdicts

    def cell(self, chosen: Mapping[str, str]) -> int:
        """Place of the cell with these labels.

        Raises
        ------
        UnknownTerm
            If there is no such facet or label.
        InvalidInput
            If the labels leave several cells, or none.
        """
        fits = np.ones(self.n_cells, dtype=np.bool_)
        for name, label in chosen.items():
            if name not in self.levels:
                raise UnknownTerm(name, self.levels, "facet")
            if label not in self.levels[name]:
                raise UnknownTerm(label, sorted(set(self.levels[name])), name)
            fits &= np.array([level == label for level in self.levels[name]])
        if fits.sum() != 1:
            missing = [name for name in self.levels if name not in chosen]
            fix = f"give {', '.join(missing)} too" if missing else "no cell has all of them"
            raise InvalidInput(f"cell: must be one cell, got {int(fits.sum())}; {fix}")
        return int(np.flatnonzero(fits)[0])


def votes_margins(
    votes: Votes,
    *,
    key: str = "prompt",
    cells: Sequence[str] | None = None,
    cluster: str | None = None,
    threshold: float = PAIRWISE,
) -> CellMargins:
    """Margins of battles from votes, one cell for every judge, prompt variant and order.

    Parameters
    ----------
    votes : Votes
        From `quorate.read_votes`.
    key : str
        Role of what the two systems answered; a battle is a level of it and a pair of systems.
    cells : sequence of str, optional
        Roles that tell cells apart; ``order`` is that of the battle's first row, or the other. By default those of
        judge, variant, prompt_variant, temperature and order that are there; all votes are one cell if none is.
    cluster : str, optional
        Role whose battles are drawn together; battles are drawn one by one without it.
    threshold : float
        As for `quorate.estimate.agreement.battles.pairwise_battles`.

    Raises
    ------
    UnknownTerm
        If there is no such role.
    InvalidInput
        If a vote has no label of one of them, or votes of one battle are in several clusters.
    NotEstimable
        If no vote has an outcome.

    Examples
    --------
    >>> import polars, quorate as q
    >>> rows = [(i, judge, "x", "y", "xy"[i < n]) for judge, n in (("a", 3), ("b", 1)) for i in range(4)]
    >>> frame = polars.DataFrame(rows, schema=["prompt", "judge", "model_a", "model_b", "winner"], orient="row")
    >>> votes_margins(q.read_votes(frame, announce=False)).margin.mean(axis=0)
    array([-0.25,  0.25])
    """
    answered = ~np.isnan(votes.encoded("half"))
    known = votes.keep(answered) if not answered.all() else votes
    if not known.rows:
        raise NotEstimable("votes: none has an outcome")
    _labelled(known, key)
    battle, first = known.battles(key)
    both_orders = (ORDER,) if known.order is not None and (known.order != UNKNOWN).all() else ()
    usual = (*(name for name in _USUAL if name in known.names), *both_orders)
    roles = usual if cells is None else tuple(cells)
    columns: dict[str, NDArray[np.int32] | Ints] = {
        name: swapped(known, key) if name == ORDER else _labelled(known, name) for name in roles
    }
    labels = {name: ORDERS if name == ORDER else known.facet(name).levels for name in roles}
    cell, levels = _cells(columns, labels, known.rows)
    weight = known.weights.astype(float)
    margin = _means(battle, cell, 0.5 - known.encoded("half"), weight, (len(first), int(cell.max()) + 1))
    drawn: Ints = np.arange(len(first))
    if cluster is not None:
        code = _labelled(known, cluster)
        if (code != code[first][battle]).any():
            raise InvalidInput(
                f"cluster: a battle is in one, and {cluster} varies within some; take a role of the prompts"
            )
        drawn = _dense(code[first])
    a, b = (model[first].astype(np.int64) for model in (known.model_a, known.model_b))
    return CellMargins(known.models, a, b, margin, levels, drawn, threshold, False)


def score_margins(
    judgments: Judgments, *, system: str = "system", cells: Sequence[str] | None = None, threshold: float | None = None
) -> CellMargins:
    """Margins of battles from scores: every two systems that answered the same item, cell by cell.

    A cell that did not score both responses has no margin. Battles of one item are drawn together.

    Parameters
    ----------
    judgments : Judgments
        From `quorate.read`.
    system : str
        Role of the systems.
    cells : sequence of str, optional
        Roles that tell cells apart; by default all but items, their groups, and systems. Replicates are averaged.
    threshold : float, optional
        As for `quorate.estimate.agreement.battles.likert_battles`.

    Raises
    ------
    UnknownTerm
        If there is no such role.
    InvalidData
        If no item has scores of two systems.
    InvalidInput
        If a threshold is needed.

    Examples
    --------
    >>> import polars, quorate as q
    >>> rows = [(i, s, j, i % 3 + (s == "x") * up) for i in range(6) for s in "xy" for j, up in (("a", 1), ("b", 2))]
    >>> frame = polars.DataFrame(rows, schema=["item", "system", "judge", "score"], orient="row")
    >>> score_margins(q.read(frame, announce=False), threshold=0.5).margin.mean(axis=0)
    array([1., 2.])
    """
    systems = judgments.facet(system).levels
    usual = [
        name for name in judgments.names if name not in {judgments.object, system} and not is_grouping(judgments, name)
    ]
    known = judgments.keep(judgments.n > 0)
    roles = tuple(usual if cells is None else cells)
    columns = {name: known.column(name) for name in roles}
    cell, levels = _cells(columns, {name: known.facet(name).levels for name in roles}, known.n_cells)
    item, model = known.level_codes([known.object]), known.column(system).astype(np.int64)
    names = known.facet(system).levels
    code, response = np.unique(item * len(names) + model, return_inverse=True)
    score = _means(response, cell, known.mean, np.ones(len(cell)), (len(code), int(cell.max(initial=-1)) + 1))
    rows, of = np.divmod(code, len(names))
    most = int(np.bincount(rows).max(initial=0))
    apart = [np.flatnonzero(rows[:-step] == rows[step:]) for step in range(1, most)]  # every two responses of an item
    first = np.concatenate(apart) if apart else np.zeros(0, dtype=np.int64)
    second = first + np.repeat(np.arange(1, max(most, 1)), [len(places) for places in apart])
    margin = score[first] - score[second]
    kept = ~np.isnan(margin).all(axis=1)
    if not kept.any():
        raise InvalidData(f"judgments: no {known.object} has scores of two of {len(systems)} systems by the same cell")
    first, second, least = first[kept], second[kept], likert_threshold(judgments, threshold)
    return CellMargins(names, of[first], of[second], margin[kept], levels, _dense(rows[first]), least, True)


def _labelled(votes: Votes, name: str) -> NDArray[np.int32]:
    code = votes.column(name)
    gone = int((code < 0).sum())
    if gone:
        raise InvalidInput(f"{name}: {gone:,} votes have no {name}; leave them out with votes.keep(...)")
    return code


def _cells(
    columns: Mapping[str, NDArray[np.int32] | Ints], labels: Mapping[str, tuple[str, ...]], rows: int
) -> tuple[Ints, dict[str, tuple[str, ...]]]:
    """Cell of every row, and the labels of each cell."""
    if not columns:
        return np.zeros(rows, dtype=np.int64), {}
    shape = tuple(len(labels[name]) for name in columns)
    code = np.ravel_multi_index(tuple(column.astype(np.int64) for column in columns.values()), shape)
    combinations, cell = np.unique(code, return_inverse=True)
    of = np.unravel_index(combinations, shape)
    return cell, {name: tuple(labels[name][i] for i in at.tolist()) for name, at in zip(columns, of, strict=True)}


def _means(row: Ints, cell: Ints, value: Floats, weight: Floats, shape: tuple[int, int]) -> Floats:
    """Weighted mean of the values at every row and cell, nan where there is none."""
    place, size = row * shape[1] + cell, shape[0] * shape[1]
    count = np.bincount(place, weight, size)
    total = np.bincount(place, weight * value, size)
    return np.asarray(np.divide(total, count, out=np.full(size, np.nan), where=count > 0)).reshape(shape)


def _dense(code: NDArray[np.int32] | Ints) -> Ints:
    return np.asarray(np.unique(code, return_inverse=True)[1])
