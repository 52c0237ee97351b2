"""Schemes: layouts by name, and the order in which judges and prompts take their turns in each."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from math import comb
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quorate import rules
from quorate.arguments import argument
from quorate.arrays import Ints
from quorate.errors import InvalidInput
from quorate.frozen import dataclass
from quorate.planning.designs.names import LAYOUTS, LayoutName
from quorate.roles import JUDGE, PROMPT
from quorate.streams import stream
from quorate.wording import Brief

# Balanced incomplete blocks: a few judges for every item, and every two judges together equally often.


_MOST_CANDIDATES = 5_000
_MOST_BLOCKS = 1_000
_MOST_JUDGES = 1_000


@lru_cache(maxsize=256)
def balanced_blocks(judges: int, size: int) -> Ints:
    """Blocks of ``size`` judges, in the order in which items take them.

    Starting blocks are turned through all judges (a cyclic design), so that after every ``judges`` blocks each judge
    was asked equally often. They are chosen such that the differences between their judges, and with them the items
    that two judges share, come equally often: exactly where a difference family is found, nearly where not.

    Returns
    -------
    array of int, shape (blocks, size)
        The blocks; read-only.

    Raises
    ------
    InvalidInput
        If there are more than a thousand judges.

    References
    ----------
    Bose (1939), Annals of Eugenics 9, 353-399, for difference families; John and Williams (1995), Cyclic and Computer
    Generated Designs.

    Examples
    --------
    >>> blocks = balanced_blocks(7, 3)
    >>> len(blocks), blocks[:2].tolist()
    (7, [[0, 1, 3], [1, 2, 4]])
    """
    if judges > _MOST_JUDGES:
        raise InvalidInput(f"judges: blocks are made of at most {_MOST_JUDGES:,} judges, got {judges:,}")
    if size == judges:
        blocks = np.arange(judges)[None, :]
    else:
        shift = np.arange(judges)[:, None]
        blocks = np.concatenate([(start + shift) % judges for start in _starts(judges, size)])
    blocks.flags.writeable = False
    return blocks


def _starts(judges: int, size: int) -> list[Ints]:
    """Starting blocks, added one by one to even out the differences, up to where they are most even."""
    if size == 1:
        return [np.zeros(1, dtype=np.int64)]
    # blocks with judge 0: all of them, or many drawn at random with the same result every time
    if comb(judges - 1, size - 1) <= _MOST_CANDIDATES:
        candidates = np.array([(0, *rest) for rest in combinations(range(1, judges), size - 1)])
    else:
        draw = stream(0, "blocks").random((_MOST_CANDIDATES, judges - 1)).argsort(axis=1)[:, : size - 1] + 1
        candidates = np.sort(np.hstack([np.zeros((_MOST_CANDIDATES, 1), dtype=np.int64), draw]), axis=1)
    per_block = _differences(candidates, judges)
    total = np.zeros(judges // 2, dtype=np.int64)
    chosen: list[Ints] = []
    best, length = np.inf, 0
    for _ in range(max(1, min(judges, _MOST_BLOCKS // judges))):
        pick = int(np.argmin(_unevenness(total + per_block, judges)))
        total = total + per_block[pick]
        chosen.append(candidates[pick])
        uneven = float(_unevenness(total, judges)) / len(chosen) ** 2
        if uneven < best - 1e-12:
            best, length = uneven, len(chosen)
        if best == 0:
            break
    return chosen[:length]


def _differences(blocks: Ints, judges: int) -> Ints:
    """How often two judges of a block are 1, 2, ... apart around the circle; shape (blocks, judges // 2)."""
    i, j = np.triu_indices(blocks.shape[1], 1)
    apart = np.abs(blocks[:, i] - blocks[:, j])
    apart = np.minimum(apart, judges - apart) - 1
    width = judges // 2
    flat = np.bincount((np.arange(len(blocks))[:, None] * width + apart).ravel(), minlength=len(blocks) * width)
    return np.asarray(flat.reshape(len(blocks), width))


def _unevenness(differences: Ints, judges: int) -> NDArray[np.float64]:
    """Spread of the concurrences that differences give; judges opposite each other on the circle come up twice."""
    shared = differences.astype(float)
    pairs = np.full(shared.shape[-1], float(judges))
    if judges % 2 == 0:
        shared[..., -1] *= 2
        pairs[-1] = judges / 2
    mean = (shared @ pairs) / pairs.sum()
    return np.asarray(((shared - mean[..., None]) ** 2) @ pairs)


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
        rules.one_of("layout", self.layout, LAYOUTS)
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
    key = together(list(order.values()))
    first = np.unique(key, return_index=True)[1]
    return int(first.max() // key.shape[1]) + 1


def together(codes: Sequence[Ints]) -> Ints:
    """One key for a combination of levels."""
    key = codes[0]
    for more in codes[1:]:
        key = key * (int(more.max()) + 1) + more
    return key


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
