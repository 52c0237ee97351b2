"""How few votes keep the first of a leaderboard first: those that, left out, would put another in its place."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.ratings.counts import Tally, Ties, refuse_unrated, tally
from quorate.estimate.ratings.flips import Flip, flips, flips_of_ratings
from quorate.table.pairs import Pairs
from quorate.table.votes import Votes, checked_votes

By = Literal["win rate", "bradley-terry"]


@dataclass(frozen=True)
class Fragility:
    """The fewest votes that, left out, put another system first.

    Parameters
    ----------
    top, contender : str
        The first of the leaderboard, and the one that would be first.
    dropped : int
        Votes to leave out.
    votes : int
        Votes that count.
    drops : tuple of (str, str, int)
        Which votes: winner, loser and how many.
    by : {"win rate", "bradley-terry"}
        What systems are ranked by.
    exact : bool
        Whether no fewer do; otherwise so many do for sure, and fewer might.
    """

    top: str
    contender: str
    dropped: int
    votes: int
    drops: tuple[tuple[str, str, int], ...]
    by: By
    exact: bool

    @property
    def share(self) -> float:
        """Votes to leave out, of all."""
        return self.dropped / self.votes

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        count = f"{self.dropped:,} vote{'s' * (self.dropped != 1)} of {self.votes:,} ({self.share:.2g} of them)"
        return f"Without {count} {self.contender} would be ahead of {self.top}, first by {self.by}."

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return asdict(self) | {"share": self.share, "sentence": self.sentence}


def fragility(votes: Votes, *, by: By = "win rate", ties: Ties = "half", contenders: int = 5) -> Fragility:
    """How few votes, left out, would put another system first.

    Parameters
    ----------
    votes : Votes
        From `quorate.read_votes`.
    by : {"win rate", "bradley-terry"}
        What systems are ranked by: wins over votes, ties as halves, where the answer is exact; or ratings, where votes
        are left out in the order of their influence and the fit is repeated, so that fewer might do.
    ties : {"half", "davidson", "drop"}
        How ties count for ratings, as for `quorate.rank`; "half" or "drop" for win rates. Ties are never left out.
    contenders : int
        How many of the next systems are tried for ratings.

    Returns
    -------
    Fragility

    Raises
    ------
    InvalidInput
        If an argument is out of range.
    NotEstimable
        If there is one system, or no votes whose absence would change who is first.

    References
    ----------
    Huang et al. (2026), Dropping just a handful of preferences can change top large language model rankings. Broderick,
    Giordano and Meager (2020), arXiv:2011.14999.

    Examples
    --------
    >>> import polars, quorate as q
    >>> pairs = [("x", "y", 12, 9), ("x", "z", 8, 4), ("y", "z", 7, 4)]
    >>> frame = polars.DataFrame(pairs, schema=["model_a", "model_b", "a", "b"], orient="row")
    >>> fragility(q.read_votes(frame, wins=("a", "b"), announce=False)).sentence
    'Without 4 votes of 44 (0.091 of them) y would be ahead of x, first by win rate.'
    """
    table = checked_votes(votes)
    if by not in get_args(By):
        raise InvalidInput(f"by: expects one of {', '.join(get_args(By))}, got {by!r}")
    allowed = get_args(Ties) if by == "bradley-terry" else ("half", "drop")
    if ties not in allowed:
        raise InvalidInput(f"ties: expects one of {', '.join(allowed)} for {by}, got {ties!r}")
    if not contenders >= 1:
        raise InvalidInput(f"contenders: at least 1 is needed, got {contenders}")
    if len(table.models) < 2:
        raise NotEstimable(f"votes: compare {len(table.models)} system; two or more have a first")
    pairs = table.pairs()
    counted = int((pairs.decisive if ties == "drop" else pairs.votes).sum())
    if by == "win rate":
        top, flip = _by_win_rate(pairs, ties)
    else:
        found = tally(table, ties, None, None, position=False)
        refuse_unrated(found, shrunk=False)
        top, flip = _by_rating(found, pairs, ties, contenders)
    if flip is None and by == "bradley-terry":
        raise NotEstimable(f"votes: no flip of {table.models[top]} was found that leaves all systems rated")
    if flip is None:
        raise NotEstimable(f"votes: {table.models[top]} stays first whatever votes are left out; there is no contender")
    drops = tuple((table.models[a], table.models[b], count) for a, b, count in flip.drops)
    return Fragility(table.models[top], table.models[flip.system], flip.dropped, counted, drops, by, by == "win rate")


def _by_rating(found: Tally, pairs: Pairs, ties: Ties, contenders: int) -> tuple[int, Flip | None]:
    """The first by rating, and the cheapest flip by influence, or by win rates where it flips ratings too."""
    top, flip = flips_of_ratings(found.design, found.counts, contenders)
    beaten, won, total = _won(pairs, ties)
    others = [_cheapest(top, j, beaten, won, total) for j in range(len(won)) if j != top]
    for other in sorted((one for one in others if one is not None), key=lambda one: one.dropped):
        if (flip is None or other.dropped < flip.dropped) and flips(found.design, found.counts, top, other):
            return top, other
    return top, flip


def _won(pairs: Pairs, ties: Ties) -> tuple[Ints, Floats, Floats]:
    """Votes for one system against another; wins, and votes that count, of each."""
    beaten = _beaten(pairs)
    half = np.zeros(len(pairs.models)) if ties == "drop" else _per_system(pairs, (pairs.ties + pairs.both_bad) / 2)
    return beaten, beaten.sum(axis=1) + half, beaten.sum(axis=1) + beaten.sum(axis=0) + 2 * half


def _by_win_rate(pairs: Pairs, ties: Ties) -> tuple[int, Flip | None]:
    """The first by win rate, and the cheapest flip."""
    beaten, won, total = _won(pairs, ties)
    rate = np.divide(won, total, out=np.full(len(total), -1.0), where=total > 0)
    top = int(np.argmax(rate))
    others = [j for j in range(len(rate)) if j != top and total[j] > 0]
    flips = [_cheapest(top, j, beaten, won, total) for j in others]
    found = [flip for flip in flips if flip is not None]
    return top, min(found, key=lambda flip: (flip.dropped, -rate[flip.system])) if found else None


def _beaten(pairs: Pairs) -> Ints:
    """Votes for the system of the row against that of the column."""
    out = np.zeros((len(pairs.models),) * 2, dtype=np.int64)
    out[pairs.a, pairs.b] = pairs.a_wins
    out[pairs.b, pairs.a] = pairs.b_wins
    return out


def _per_system(pairs: Pairs, value: Floats) -> Floats:
    size = len(pairs.models)
    return np.asarray(np.bincount(pairs.a, value, size) + np.bincount(pairs.b, value, size))


def _cheapest(top: int, j: int, beaten: Ints, won: Floats, total: Floats) -> Flip | None:
    """The fewest decisive votes whose absence puts j above the top.

    A vote for the top against j does what a vote for the top against another and one against j by another do together,
    so these go first; how the others are shared out is tried in every way.
    """
    both = int(beaten[top, j])
    ups, downs = int(beaten[top].sum()) - both, int(beaten[:, j].sum()) - both

    def split(dropped: int) -> tuple[int, int] | None:
        x = min(dropped, both)
        y = np.arange(max(0, dropped - x - downs), min(dropped - x, ups) + 1)
        left = np.array([total[top] - x - y, total[j] - x - (dropped - x - y)])
        with np.errstate(divide="ignore", invalid="ignore"):
            ahead = won[j] / left[1] - (won[top] - x - y) / left[0]
        ahead = np.where((left > 0).all(axis=0), ahead, -np.inf)
        if not len(y) or ahead.max() <= 1e-12:
            return None
        best = int(np.argmax(ahead))
        return x, int(y[best])

    low, high = 0, both + ups + downs
    if split(high) is None:
        high = next((m for m in range(high, -1, -1) if split(m) is not None), -1)  # all of a system's votes may be gone
    if high < 0:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if split(middle) is not None else (middle, high)
    x, y = split(high) or (0, 0)
    return Flip(j, high, tuple(_named(top, j, beaten, x, y, high - x - y)))


def _named(top: int, j: int, beaten: Ints, x: int, y: int, z: int) -> list[tuple[int, int, int]]:
    """Which votes: of those that do the same, the first by system."""
    out = [(top, j, x)]
    for k in range(len(beaten)):
        if k not in (top, j):
            a, b = min(y, int(beaten[top, k])), min(z, int(beaten[k, j]))
            out += [(top, k, a), (k, j, b)]
            y, z = y - a, z - b
    return [one for one in out if one[2]]
