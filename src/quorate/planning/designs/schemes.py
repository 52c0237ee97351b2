"""Schemes: layouts by name, and the order in which judges and prompts take their turns in each."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

from quorate.arguments import argument
from quorate.arrays import Ints
from quorate.errors import InvalidInput
from quorate.planning.designs.blocks import balanced_blocks
from quorate.planning.designs.names import LAYOUTS, LayoutName
from quorate.roles import JUDGE, PROMPT
from quorate.wording import Brief

GENERATION = "generation"
MOST = 10**9
"""Levels of a facet, at most."""
_MOST_ROWS = 10_000_000
_MOST_PLACES = 10_000


@dataclass(frozen=True)
class Scheme(Brief):
    """A layout by name, with what it takes to be carried out.

    Parameters
    ----------
    layout : str
        Its name; `quorate.planning.designs.names` says what each is.
    per_item : int, optional
        Judges in a block; for "latin" pairs at a time, 1 unless given.
    places : tuple of int, optional
        Places of every judge in a "weighted" cycle.
    judges : tuple of str
        Names of the judges in the order in which they take turns; empty where any will do.
    balanced : float
        1 where the levels of fixed facets weigh equally however often they come, 0 where every judgment weighs the
        same, and in between a mixture of the two.

    Raises
    ------
    InvalidInput
        If the layout does not exist, or an option does not go with it.
    """

    layout: LayoutName
    per_item: int | None = None
    places: tuple[int, ...] | None = None
    judges: tuple[str, ...] = ()
    balanced: float = 1.0

    def __post_init__(self) -> None:
        if self.layout not in LAYOUTS:
            raise InvalidInput(f"layout: one of {', '.join(LAYOUTS)} is needed, got {self.layout!r}")
        may = {"blocks": (False,), "latin": (True, False)}.get(self.layout, (True,))
        if (self.per_item is None) not in may:
            needs = "per_item: is needed with " + argument("layout", "blocks") + ', may be given with "latin", '
            raise InvalidInput(needs + f"and goes with no other; got {self.per_item!r} with {self.layout!r}")
        if (self.places is None) == (self.layout == "weighted"):
            rule = f"places: {'is needed' if self.places is None else 'goes'} with "
            raise InvalidInput(rule + argument("layout", "weighted") + f", and with no other; got {self.places!r}")
        if not (isinstance(self.balanced, Real) and 0 <= float(self.balanced) <= 1):
            rule = "must lie between 0 (plain mean) and 1 (equal weights)"
            raise InvalidInput(f"balanced: {rule}, got {self.balanced!r}")
        if not all(is_count(count, _MOST_PLACES) for count in self.places or ()):
            rule = f"whole numbers from 1 to {_MOST_PLACES:,}, one for each judge; leave a judge out for none"
            raise InvalidInput(f"places: must be {rule}, got {self.places!r}")

    @property
    def named_places(self) -> dict[str, int] | None:
        """Places by judge; by number where judges have no names, None where there are none."""
        if self.places is None:
            return None
        names = self.judges or tuple(str(number) for number in range(1, len(self.places) + 1))
        return dict(zip(names, self.places, strict=True))

    def order(self, counts: Mapping[str, Any]) -> dict[str, Ints]:
        """Levels that one turn after the other meets, shape (turns, per turn), until they repeat.

        Parameters
        ----------
        counts : mapping of str to int
            Levels of every facet that is assigned.

        Raises
        ------
        InvalidInput
            If the layout does not fit the counts.
        """
        assigned = LAYOUTS[self.layout].assigned
        for name in assigned:
            if name not in counts:
                needed = " and ".join(assigned)
                raise InvalidInput(f"layout: {self.layout!r} assigns {needed}, and there is no {name} here")
        judges = int(counts[JUDGE])
        if self.judges and len(self.judges) != judges:
            raise InvalidInput(f"judges: {judges} are counted, and {len(self.judges)} are named")
        if self.layout == "blocks":
            return {JUDGE: balanced_blocks(judges, self._per_turn(judges))}
        if self.layout == "weighted":
            places = self.places or ()
            if len(places) != judges:
                raise InvalidInput(f"places: one for each of {judges} judges is needed, got {len(places)}")
            return {JUDGE: interleaved(places, self.judges)[:, None]}
        if self.layout == "latin":
            return diagonals(int(counts[PROMPT]), judges, self._per_turn(int(counts[PROMPT]) * judges))
        return {JUDGE: np.arange(judges)[:, None]}

    def _per_turn(self, most: int) -> int:
        wanted = 1 if self.per_item is None else self.per_item
        what = "judges" if self.layout == "blocks" else "(prompt, judge) pairs"
        if not 1 <= wanted <= most:
            raise InvalidInput(f"per_item: must be between 1 and the number of {what}, {most}; got {wanted}")
        return wanted


def is_count(value: object, most: int = MOST) -> bool:
    """Whether this is a whole number from 1 to ``most``."""
    return not isinstance(value, bool) and isinstance(value, Integral) and 1 <= int(value) <= most


def fewest_turns(order: Mapping[str, Ints]) -> int:
    """Turns until every level, or every pair of them, has come once."""
    key = np.zeros_like(next(iter(order.values())))
    for levels in order.values():
        key = key * (int(levels.max()) + 1) + levels
    first = np.unique(key, return_index=True)[1]
    return int(first.max() // key.shape[1]) + 1


def interleaved(places: tuple[int, ...], names: tuple[str, ...] = ()) -> Ints:
    """A cycle in which every judge has its places, spread as evenly as they go; of two at one place by name, if known.

    Examples
    --------
    >>> interleaved((3, 1)).tolist()
    [0, 0, 1, 0]
    """
    place = np.concatenate([(np.arange(count) + 0.5) / count for count in places])
    judge = np.repeat(np.arange(len(places)), places)
    rank = np.argsort(np.argsort(names)) if names else np.arange(len(places))
    return np.asarray(judge[np.lexsort((rank[judge], place))])


def diagonals(prompts: int, judges: int, per_turn: int) -> dict[str, Ints]:
    """Every (prompt, judge) pair in turn; pairs of one turn differ in both as far as there are levels."""
    if prompts * judges * per_turn > _MOST_ROWS:
        raise InvalidInput(f"layout: a cycle has at most {_MOST_ROWS:,} combinations; got {prompts * judges:,}")
    turn = np.arange(prompts * judges)[:, None]
    step = np.arange(per_turn)[None, :]
    judge = (turn + step + step // math.lcm(prompts, judges)) % judges
    # along diagonals: a run of turns, such as a category's, then meets all prompts and all judges about equally
    return {JUDGE: judge, PROMPT: (turn + turn // math.lcm(prompts, judges) + step) % prompts}
