"""Caveat: what the reader of a result must know."""

from __future__ import annotations

from collections.abc import Iterable

from quorate.arguments import Argument, arguments_of
from quorate.frozen import dataclass
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


FIRST = (
    *("unanswered-cells", "missing", "money-left", "closest-two", "other-judges", "only-the-verdict", "labels-alone"),
    *("unlike-the-pilot", "votes-of-nobody", "skipped-unseen", "dominant-cluster", "taken-as-independent"),
    *("mostly-shown-first", "goes-round", "first-wins", "written-first", "aliased", "one-level", "judged-by-nobody"),
    *("labels-unlike-the-rest", "people-asked-once", "adaptive-answers", "few-clusters", "few-labels"),
    *("few-labelled", "few-items", "few-levels", "judges-share-makers"),
)
"""Codes of what may turn an answer, those that turn it most first; everything else follows as it comes."""


def weightiest_first(caveats: Iterable[Caveat]) -> tuple[str, ...]:
    """The sentences of caveats, what matters most first."""
    places = {code: place for place, code in enumerate(FIRST)}
    return tuple(one.sentence for one in sorted(caveats, key=lambda one: places.get(one.code, len(FIRST))))
