"""What a model of votes or rankings is to the code that fits it and finds how its parameters vary."""

from __future__ import annotations

from typing import Any, Protocol

from quorate.arrays import Bools, Floats, Ints


class Likelihood(Protocol):
    """A concave log likelihood of counts, by entry: an outcome of a cell, such as a tie of two systems.

    Counts have the shape `shape` and one more axis, of fits. A *cell* is what has outcomes: two systems in an order,
    or a set of systems of which some are placed first.
    """

    @property
    def systems(self) -> int:
        """Ratings, the first parameters."""

    @property
    def parameters(self) -> int:
        """All parameters."""

    @property
    def tied(self) -> bool:
        """Whether the last parameter is of ties of two."""

    @property
    def own_ties(self) -> bool:
        """Whether every system has ties of its own."""

    @property
    def position(self) -> bool:
        """Whether there is a position effect."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the counts of one fit."""

    @property
    def centred(self) -> tuple[slice, ...]:
        """Parameters that are known up to a common shift."""

    @property
    def touched(self) -> Any:
        """Sparse, shape (entries, systems): not 0 where an entry is of a system."""

    def known(self, counts: Floats) -> Any:
        """What the likelihood needs of the counts."""

    def started(self, known: Any) -> Floats:
        """Parameters to start from, shape (parameters, fits)."""

    def derivatives(self, known: Any, theta: Floats) -> tuple[Floats, Floats, Any]:
        """Log likelihood (fits,), gradient (parameters, fits) and information (fits, parameters, parameters).

        The information of a single large fit may be sparse, shape (parameters, parameters).
        """

    def gradients(self, theta: Floats, units: Any = None) -> Any:
        """Gradient of one vote of every entry, or sums by units, sparse, shape (units, entries); sparse."""


class Told(Protocol):
    """The information of one vote of every cell.

    ``cell`` has the cell of every entry of the counts.
    """

    @property
    def cell(self) -> Ints:
        """Shape (entries,)."""

    @property
    def size(self) -> int:
        """Cells."""

    def trace(self, inverse: Floats) -> Floats:
        """Leverage of a vote of each cell on all contrasts together, shape (cells,)."""

    def some(self, cells: Ints | Bools) -> Told:
        """The same of some cells."""

    def along(self, x: Floats) -> Floats:
        """What it says of each column of ``x``, shape (cells, columns)."""

    def roots(self, votes: Floats) -> Floats:
        """Rows whose squares are the information of so many votes of each cell."""
