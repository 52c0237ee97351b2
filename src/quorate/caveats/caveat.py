"""Caveat: what the reader of a result must know."""

from __future__ import annotations

from dataclasses import dataclass

from quorate.arguments import Argument, arguments_of
from quorate.wording import Brief


@dataclass(frozen=True)
class Caveat(Brief):
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

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """The arguments that the sentence names, in order."""
        return arguments_of(self.sentence)

    def __str__(self) -> str:
        return self.sentence
