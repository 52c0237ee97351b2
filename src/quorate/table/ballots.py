"""Votes between two models, row by row, with what is known of each: of which `Votes` are made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats, Ints
from quorate.errors import InvalidInput, UnknownTerm
from quorate.frozen import dataclass
from quorate.table.facets import MEMORY, OK, STATUSES, Facet, Faceted, Source, narrowed, used_levels
from quorate.table.notes import Note
from quorate.table.pairs import BOTH_BAD, MISSING, TIE, A, B, Codes, Pairs, pairs_of, summed, turn

if TYPE_CHECKING:
    from typing import Self


@dataclass(frozen=True, eq=False, repr=False)
class Ballots(Faceted):
    """Votes between pairs of models; parameters as for `quorate.Votes`."""

    models: tuple[str, ...]
    model_a: Codes
    model_b: Codes
    outcome: NDArray[np.int8]
    swapped: NDArray[np.bool_]
    facets: tuple[Facet, ...] = ()
    codes: Mapping[str, Codes] = field(default_factory=dict)
    order: NDArray[np.int8] | None = None
    time: Floats | None = None
    dated: bool = False
    count: Ints | None = None
    status: NDArray[np.int8] | None = None
    row: Ints | None = None
    itself: int = 0
    source: Source = MEMORY
    notes: tuple[Note, ...] = ()

    def __post_init__(self) -> None:
        turned = self.model_a > self.model_b
        if turned.any():
            first, second = np.minimum(self.model_a, self.model_b), np.maximum(self.model_a, self.model_b)
            alike = {"model_a": first, "model_b": second, "outcome": turn(self.outcome, turned)}
            alike |= {"swapped": self.swapped ^ turned}
            alike |= {} if self.order is None else {"order": turn(self.order, turned)}
            for name, column in alike.items():
                object.__setattr__(self, name, column)

    @property
    def rows(self) -> int:
        """Rows; each is one vote unless there are counts."""
        return len(self.outcome)

    @cached_property
    def weights(self) -> Ints:
        """Votes that each row stands for, shape (rows,)."""
        return np.ones(self.rows, dtype=np.int64) if self.count is None else self.count

    @property
    def source_row(self) -> Ints | None:
        """Row of the source that each entry is, from 1, shape (rows,); None where an entry is several."""
        if self.row is None:
            return np.arange(1, self.rows + 1)
        return self.row if (self.row > 0).all() else None

    @cached_property
    def totals(self) -> tuple[int, int, int, int, int]:
        """Votes by outcome: for the first model, for the second, ties, both bad, missing."""
        a, b, tie, bad, missing = summed(self.outcome, self.count, 5).tolist()
        return a, b, tie, bad, missing

    @property
    def n(self) -> int:
        """Votes with an outcome: decisive, ties and both bad."""
        return sum(self.totals[:MISSING])

    @property
    def n_decisive(self) -> int:
        """Votes for one of the two models."""
        return self.totals[A] + self.totals[B]

    @property
    def n_missing(self) -> int:
        """Votes without an outcome."""
        return self.totals[MISSING]

    @property
    def tie_share(self) -> float:
        """Of the votes with an outcome, ties and both bad; nan without any."""
        return (self.totals[TIE] + self.totals[BOTH_BAD]) / self.n if self.n else float("nan")

    @property
    def statuses(self) -> dict[str, int]:
        """Votes per status that occurs; ``missing`` is an outcome that is absent for an unstated reason."""
        if self.status is None:
            return {OK: self.n}
        counts = summed(self.status, self.count, len(STATUSES)).tolist()
        return {name: count for name, count in zip(STATUSES, counts, strict=True) if count}

    def column(self, name: str) -> Codes:
        """Label index of a facet in every row, -1 where there is none; shape (rows,)."""
        return self.codes[self.facet(name).name]

    def pairs(self) -> Pairs:
        """Every pair of models that was compared, with its votes by outcome."""
        return self._pairs

    def pair(self, a: str, b: str) -> Self:
        """The votes between two models, oriented as asked: outcome 1 is a vote for ``b``.

        Raises
        ------
        UnknownTerm
            If a model is not there.
        InvalidInput
            If the two are one, or were never compared.

        Examples
        --------
        >>> import polars
        >>> from quorate.table.read_votes import read_votes
        >>> frame = polars.DataFrame({"model_a": ["x", "y"], "model_b": ["y", "x"], "winner": ["model_a", "model_b"]})
        >>> votes = read_votes(frame).pair("y", "x")
        >>> votes.models, votes.outcome.tolist()
        (('y', 'x'), [1, 1])
        """
        first, second = self._model(a), self._model(b)
        if first == second:
            raise InvalidInput(f'pair: "{a}" against itself; name two models')
        asked = self.keep((self.model_a == min(first, second)) & (self.model_b == max(first, second)))
        if not asked.rows:
            raise InvalidInput(
                f'pair: no vote compares "{a}" with "{b}"; rank, and compare without names, say what votes with others '
                "tell of them; `pairs()` lists those that were compared"
            )
        if first < second:
            return asked
        every = np.ones(asked.rows, dtype=np.bool_)
        return replace(
            asked,
            models=asked.models[::-1],
            outcome=turn(asked.outcome, every),
            swapped=~asked.swapped,
            order=None if asked.order is None else turn(asked.order, every),
        )

    def wins(self, a: str, b: str) -> int:
        """Votes that preferred ``a`` to ``b``; 0 if they were never compared.

        Raises
        ------
        UnknownTerm
            If a model is not there.
        """
        first, second = self._model(a), self._model(b)
        between = (self.model_a == min(first, second)) & (self.model_b == max(first, second))
        won = between & (self.outcome == (A if first < second else B))
        return int(self.weights[won].sum())

    def keep(self, mask: NDArray[np.bool_]) -> Self:
        """The votes where ``mask``, shape (rows,), is true; models and levels that no longer occur are dropped."""
        mask = np.asarray(mask)
        if mask.shape != (self.rows,) or mask.dtype != np.bool_:
            raise InvalidInput(f"mask: expects {self.rows} booleans, one per row, got {mask.dtype} of {mask.shape}")
        both, models = used_levels(self.models, self.model_a[mask], self.model_b[mask])
        columns = {name: used_levels(self.facet(name).levels, codes[mask]) for name, codes in self.codes.items()}
        optional: dict[str, Any] = {
            name: None if getattr(self, name) is None else getattr(self, name)[mask]
            for name in ("order", "time", "count", "status")
        }
        rows = np.arange(1, self.rows + 1) if self.row is None else self.row
        return replace(
            self,
            row=self.row if mask.all() else rows[mask],
            models=tuple(self.models[i] for i in models.tolist()),
            model_a=both[0],
            model_b=both[1],
            outcome=self.outcome[mask],
            swapped=self.swapped[mask],
            facets=tuple(narrowed(facet, columns[facet.name][1]) for facet in self.facets),
            codes={name: codes for name, ((codes,), _) in columns.items()},
            **optional,
        )

    def reordered(self, order: Ints) -> Self:
        """The rows at these places, in this order; models and levels stay as they are.

        Parameters
        ----------
        order : array of int
            Places of rows, each at most once.
        """
        columns: dict[str, Any] = {
            name: None if getattr(self, name) is None else getattr(self, name)[order]
            for name in ("model_a", "model_b", "outcome", "swapped", "order", "time", "count", "status")
        }
        row = order + 1 if self.row is None else self.row[order]
        return replace(self, codes={name: codes[order] for name, codes in self.codes.items()}, row=row, **columns)

    def only(self, name: str, level: str) -> Self:
        """The votes at one level of a facet.

        Raises
        ------
        UnknownTerm
            If there is no such facet or level.
        """
        return self.keep(self.column(name) == self.level_index(name, level))

    def within(self, name: str) -> Self:
        """The votes with models told apart by the level of a facet too, such as systems of different languages.

        A model ``x`` at level ``y`` is then labelled ``x (y)``; rows without a level are left out.

        Raises
        ------
        UnknownTerm
            If there is no such facet.
        """
        labelled = self.column(name) >= 0
        some = self if labelled.all() else self.keep(labelled)
        levels, code = some.facet(name).levels, some.column(name).astype(np.int64)
        keys = np.concatenate([some.model_a, some.model_b]) * np.int64(len(levels)) + np.tile(code, 2)
        known, place = np.unique(keys, return_inverse=True)
        models = tuple(f"{some.models[m]} ({levels[k]})" for m, k in zip(*divmod(known, len(levels)), strict=True))
        a, b = place.astype(np.int32).reshape(2, -1)
        return replace(some, models=models, model_a=a, model_b=b)

    @cached_property
    def _pairs(self) -> Pairs:
        return pairs_of(self.models, self.model_a, self.model_b, self.outcome, self.count)

    def _model(self, name: str) -> int:
        if name not in self.models:
            raise UnknownTerm(name, self.models, "system")
        return self.models.index(name)
