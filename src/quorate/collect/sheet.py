"""Sheet: a question as people read it, without what only a program needs to be told."""

from __future__ import annotations

from dataclasses import dataclass

FIRST, SECOND = "first", "second"
"""Names of the two responses of a pair, in the order in which they are shown."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A text to be judged.

    Parameters
    ----------
    name : str
        What the prompt calls it; `FIRST` and `SECOND` stand side by side.
    heading : str
        The prompt's words before it.
    text : str
        The text, as it is.
    """

    name: str
    heading: str
    text: str


@dataclass(frozen=True, slots=True)
class Sheet:
    """A question as people read it.

    Parameters
    ----------
    instructions : str
        What to decide.
    pieces : tuple of Piece
        What to decide it on, in order.
    closing : str
        The prompt's words after the last piece.
    """

    instructions: str
    pieces: tuple[Piece, ...]
    closing: str = ""

    @property
    def paired(self) -> bool:
        """Whether two responses stand side by side."""
        return {FIRST, SECOND} <= {piece.name for piece in self.pieces}
