"""What the reader of a result must know."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Caveat:
    """Something the reader of a result must know.

    Parameters
    ----------
    code : str
        Stable name for programs, such as ``few-levels``.
    sentence : str
        What a report prints, on one line.
    """

    code: str
    sentence: str

    def __str__(self) -> str:
        return self.sentence
