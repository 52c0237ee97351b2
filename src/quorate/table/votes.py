"""Votes between two models, integer codes inside, labels outside: the waist of the package in pairs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats, Ints
from quorate.errors import InvalidInput, UnknownTerm
from quorate.table.facets import OK, STATUSES, Facet, Source, narrowed, used_levels
from quorate.table.notes import Note
from quorate.table.pairs import BOTH_BAD, MISSING, TIE, A, B, Codes, Pairs, pairs_of, summed, turn

if TYPE_CHECKING:
    from quorate.table.facts.vote_facts import VoteFacts

Encoding = Literal["drop", "half", "pessimistic"]
"""How ties count."""

_TIES: Mapping[str, float] = {"drop": np.nan, "half": 0.5, "pessimistic": 1.0}


@dataclass(frozen=True, eq=False, repr=False)
class Votes:
    """Votes between pairs of models, one entry per row of the source.

    Rows are oriented alike: ``model_a`` comes before ``model_b`` in ``models``, in alphabetical order as read, so that
    a table is the same however its source wrote each pair. Rows given the other way round are turned, and ``swapped``
    says so. ``pair`` gives the other orientation.

    Parameters
    ----------
    models : tuple of str
        Labels.
    model_a, model_b : array of int32, shape (rows,)
        The two models, as indices into ``models``.
    outcome : array of int8, shape (rows,)
        0: ``model_a`` is preferred; 1: ``model_b``; 2: tie; 3: both bad; 4: missing.
    swapped : array of bool, shape (rows,)
        Whether the source wrote the two models the other way round.
    facets : tuple of Facet
        What else is known of a vote: ``prompt``, ``prompt_type``, ``judge``, ``cluster`` and others, with labels.
    codes : mapping of str to array of int32, shape (rows,)
        Level of each facet, -1 where there is no label.
    order : array of int8, shape (rows,), optional
        0: ``model_a`` was shown first; 1: ``model_b`` was; -1: not known. None if nothing is known.
    time : array of float64, shape (rows,), optional
        Seconds since 1970 in UTC if ``dated``, else the numbers of the source; nan where there is none.
    dated : bool
        Whether ``time`` was given as dates.
    count : array of int64, shape (rows,), optional
        Votes that a row stands for; None if every row is one vote.
    status : array of int8, shape (rows,), optional
        Why an outcome is missing, as an index into ``quorate.table.facets.STATUSES``; 0 where it is not. None if
        every outcome is there.
    row : array of int64, shape (rows,), optional
        Row of the source that each entry is, from 1; None if entry k is row k. 0 where it is several.
    itself : int
        Rows left out because they compare a model with itself.
    source : Source
        Where the rows came from.
    notes : tuple of Note
        What reading decided for the user.
    """

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
    source: Source = field(default_factory=lambda: Source("memory"))
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

    def __repr__(self) -> str:
        size = f"models {len(self.models)}, pairs {len(self.pairs())}"
        return f"Votes({self.n} votes, {self.n_decisive} decisive; {size})"

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

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Roles of the facets."""
        return tuple(facet.name for facet in self.facets)

    def facet(self, name: str) -> Facet:
        """The facet with this role.

        Raises
        ------
        UnknownTerm
            If there is none.
        """
        if name not in self.names:
            raise UnknownTerm(name, self.names, "facet")
        return self.facets[self.names.index(name)]

    def column(self, name: str) -> Codes:
        """Label index of a facet in every row, -1 where there is none; shape (rows,)."""
        return self.codes[self.facet(name).name]

    def pairs(self) -> Pairs:
        """Every pair of models that was compared, with its votes by outcome."""
        return self._pairs

    def pair(self, a: str, b: str) -> Votes:
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
            raise InvalidInput(f'pair: no vote compares "{a}" with "{b}"; `pairs()` lists those that were compared')
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

    def encoded(self, ties: Encoding = "drop") -> Floats:
        """Outcomes as numbers: 1 for a vote for ``model_b``, 0 for ``model_a``, nan where a vote does not count.

        Parameters
        ----------
        ties : {"drop", "half", "pessimistic"}
            ``drop``: ties do not count, the best case for telling two models apart. ``half``: half a vote for each.
            ``pessimistic``: a vote against ``model_a``, the first of the pair, so that what is left of its lead does
            not rest on ties; where it trails, it trails by more. Use ``pair(a, b)`` to say which model is first. Both
            bad is treated as a tie; a missing vote never counts.

        Returns
        -------
        array of float64, shape (rows,)
            Rows stand for ``weights`` votes each.

        Raises
        ------
        InvalidInput
            If the encoding is not known.

        References
        ----------
        Lee (2026), How many human judgments are enough?, appendix D.6.
        """
        if ties not in _TIES:
            raise InvalidInput(f'ties: expects one of {", ".join(_TIES)}, got "{ties}"')
        value = _TIES[ties]
        return np.array([0.0, 1.0, value, value, np.nan])[self.outcome]

    def keep(self, mask: NDArray[np.bool_]) -> Votes:
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

    def reordered(self, order: Ints) -> Votes:
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

    def only(self, name: str, level: str) -> Votes:
        """The votes at one level of a facet.

        Raises
        ------
        UnknownTerm
            If there is no such facet or level.
        """
        levels = self.facet(name).levels
        if level not in levels:
            raise UnknownTerm(level, levels, name)
        return self.keep(self.column(name) == levels.index(level))

    def within(self, name: str) -> Votes:
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

    def describe(self) -> VoteFacts:
        """Facts about these votes: who compared what how often, what repeats, what hangs together."""
        from quorate.table.facts.vote_facts import describe_votes

        return describe_votes(self)

    @cached_property
    def _pairs(self) -> Pairs:
        return pairs_of(self.models, self.model_a, self.model_b, self.outcome, self.count)

    def _model(self, name: str) -> int:
        if name not in self.models:
            raise UnknownTerm(name, self.models, "system")
        return self.models.index(name)


def checked_votes(votes: object) -> Votes:
    """The argument, if it is a table of votes.

    Raises
    ------
    InvalidInput
        If it is anything else, such as the path of a file.
    """
    if not isinstance(votes, Votes):
        kind = type(votes).__name__
        raise InvalidInput(f"votes: expects what quorate.read_votes returns, got {kind}; read it first")
    return votes
