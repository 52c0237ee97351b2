"""Votes that decide who is first, in reading order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field

import numpy as np

from quorate import rules
from quorate.arrays import Floats, Ints
from quorate.errors import NotEstimable
from quorate.estimate.ratings.counts import VoteCounts, refuse_unrated, some, tally
from quorate.frozen import dataclass
from quorate.numerics.ratings.bradley_terry import Design, anchored, fit, scores
from quorate.numerics.ratings.existence import exists
from quorate.numerics.ratings.ties import By, Ties, check_ties, tie_model
from quorate.table.pairs import A, B, Pairs
from quorate.table.results import Result, Row
from quorate.table.votes import Votes, checked_votes
from quorate.wording import Brief

# Votes by name: rows of a table that hold the votes for one system against another.


@dataclass(frozen=True)
class DroppedVotes(Brief):
    """Votes of one row that are left out.

    Parameters
    ----------
    row : int
        Row of what was read, from 1 and without its head; of a file with a condition, among the rows that meet it.
    winner, loser : str
        For whom, and against whom.
    votes : int
        How many: 1 where a row is a vote.
    labels : mapping of str to str
        What else is known of it, by role: prompt, judge and others; empty where there is no label.
    """

    row: int
    winner: str
    loser: str
    votes: int
    labels: Mapping[str, str] = field(default_factory=dict)

    def to_row(self) -> Row:
        """The same as plain values."""
        return {"row": self.row, "winner": self.winner, "loser": self.loser, "votes": self.votes, **self.labels}


def _dropped_votes(votes: Votes, drops: Iterable[tuple[int, int, int]]) -> tuple[DroppedVotes, ...]:
    """The first rows that hold so many votes for one system against another, in the order of rows.

    Votes for the same system against the same other are alike to ratings, so that any of them would do. Nothing where
    rows were counted together as they were read.

    Parameters
    ----------
    votes : Votes
        Where they are.
    drops : iterable of (int, int, int)
        Winner, loser and how many.
    """
    row = votes.source_row
    if row is None:
        return ()
    found = []
    for winner, loser, wanted in drops:
        a, b = min(winner, loser), max(winner, loser)
        won = (votes.model_a == a) & (votes.model_b == b) & (votes.outcome == (A if winner == a else B))
        places = np.flatnonzero(won & (votes.weights > 0))
        held = votes.weights[places]
        taken = np.clip(wanted - (np.cumsum(held) - held), 0, held)
        found += [(int(place), winner, loser, int(n)) for place, n in zip(places, taken, strict=True) if n]
    found.sort(key=lambda one: int(row[one[0]]))
    names = {one.name: (*one.levels, "") for one in votes.facets}
    columns = {name: votes.column(name) for name in names}
    return tuple(
        DroppedVotes(
            int(row[place]),
            votes.models[winner],
            votes.models[loser],
            n,
            {name: names[name][int(columns[name][place])] for name in names},
        )
        for place, winner, loser, n in found
    )


# Fragility of a leaderboard: the fewest votes that, left out, would put another system first.


_MOST_ROUNDS, _ROUNDING = 50, 1e-9


@dataclass(frozen=True)
class LeaderFlip:
    """Votes whose absence puts a system first.

    Parameters
    ----------
    system : int
        Which.
    dropped : int
        How many.
    drops : tuple of (int, int, int)
        Winner, loser and how many.
    """

    system: int
    dropped: int
    drops: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True)
class Fragility(Result):
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
    dropped_rows : tuple of DroppedVotes
        The rows of these votes, the first where several do the same; empty where rows were counted as they were read.
    """

    top: str
    contender: str
    dropped: int
    votes: int
    drops: tuple[tuple[str, str, int], ...]
    by: By
    exact: bool
    dropped_rows: tuple[DroppedVotes, ...] = ()

    derived = ("share", "sentence")

    @property
    def share(self) -> float:
        """Votes to leave out, of all."""
        return self.dropped / self.votes

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        count = f"{self.dropped:,} vote{'s' * (self.dropped != 1)} of {self.votes:,} ({self.share:.2g} of them)"
        fewer = "" if self.exact else " Fewer might do."
        return f"Without {count} {self.contender} would be ahead of {self.top}, first by {self.by}.{fewer}"


def fragility(votes: Votes, *, by: By = "win rate", ties: Ties = "half", contenders: int = 5) -> Fragility:
    """How few votes, left out, would put another system first.

    Parameters
    ----------
    votes : Votes
        From `quorate.read_votes`.
    by : {"win rate", "bradley-terry"}
        What systems are ranked by: wins over votes, ties as halves, where the answer is exact; or ratings, where votes
        are left out in the order of their influence and the fit is repeated, so that fewer might do; of the systems
        that `quorate.rank` gives ratings.
    ties : str
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
        If there is one system, or no votes whose absence would change who is first, as of one that never lost.

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
    check_ties(by, ties)
    rules.whole("contenders", contenders, 1)
    if len(table.models) < 2:
        raise NotEstimable(f"votes: compare {len(table.models)} system; two or more have a first")
    if by == "win rate":
        pairs = table.pairs()
        top, flip = _by_win_rate(pairs, ties)
    else:
        counts = tally(table, ties, None, position=False, linked_only=True)
        _refuse_above_all(counts)
        refuse_unrated(counts, shrunk=False)
        table, pairs = counts.votes, counts.votes.pairs()
        top, flip = _by_rating(counts, pairs, ties, contenders)
    counted = int((pairs.votes if tie_model(ties).counted else pairs.decisive).sum())
    if flip is None and by == "bradley-terry":
        raise NotEstimable(f"votes: no flip of {table.models[top]} was found that leaves all systems rated")
    if flip is None:
        raise NotEstimable(f"votes: {table.models[top]} stays first whatever votes are left out; there is no contender")
    drops = tuple((table.models[a], table.models[b], count) for a, b, count in flip.drops)
    first, next_first, rows = table.models[top], table.models[flip.system], _dropped_votes(table, flip.drops)
    return Fragility(first, next_first, flip.dropped, counted, drops, by, by == "win rate", rows)


def _refuse_above_all(counted: VoteCounts) -> None:
    """Refuse where systems that never lost stand above all that have ratings: no vote left out brings one first."""
    unbeaten = [one.system for one in counted.unrated if one.place == "above all"]
    if unbeaten:
        stay = "stands above all others, and stays" if len(unbeaten) == 1 else "stand above all others, and stay"
        raise NotEstimable(f"votes: {some(unbeaten)} {stay} there whatever votes are left out; there is no contender")


def _by_rating(counted: VoteCounts, pairs: Pairs, ties: Ties, contenders: int) -> tuple[int, LeaderFlip | None]:
    """The first by rating, and the cheapest flip by influence, or by win rates where it flips ratings too."""
    top, flip = cheapest_flip(counted.pairwise, counted.counts, contenders)
    beaten, won, total = _won(pairs, ties)
    others = [_cheapest(top, j, beaten, won, total) for j in range(len(won)) if j != top]
    for other in sorted((rival for rival in others if rival is not None), key=lambda rival: rival.dropped):
        if (flip is None or other.dropped < flip.dropped) and flips(counted.pairwise, counted.counts, top, other):
            return top, other
    return top, flip


def _won(pairs: Pairs, ties: Ties) -> tuple[Ints, Floats, Floats]:
    """Votes for one system against another; wins, and votes that count, of each."""
    size = len(pairs.models)
    beaten = np.zeros((size, size), dtype=np.int64)
    beaten[pairs.a, pairs.b], beaten[pairs.b, pairs.a] = pairs.a_wins, pairs.b_wins
    tied = (pairs.ties + pairs.both_bad) / 2
    if not tie_model(ties).counted:
        tied = np.zeros_like(tied)
    half = np.bincount(pairs.a, tied, size) + np.bincount(pairs.b, tied, size)
    return beaten, beaten.sum(axis=1) + half, beaten.sum(axis=1) + beaten.sum(axis=0) + 2 * half


def _by_win_rate(pairs: Pairs, ties: Ties) -> tuple[int, LeaderFlip | None]:
    """The first by win rate, and the cheapest flip."""
    beaten, won, total = _won(pairs, ties)
    rate = np.divide(won, total, out=np.full(len(total), -1.0), where=total > 0)
    top = int(np.argmax(rate))
    others = [j for j in range(len(rate)) if j != top and total[j] > 0]
    rivals = [_cheapest(top, j, beaten, won, total) for j in others]
    known = [flip for flip in rivals if flip is not None]
    return top, min(known, key=lambda flip: (flip.dropped, -rate[flip.system])) if known else None


def _cheapest(top: int, j: int, beaten: Ints, won: Floats, total: Floats) -> LeaderFlip | None:
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
    return LeaderFlip(j, high, tuple(_named(top, j, beaten, x, y, high - x - y)))


def _named(top: int, j: int, beaten: Ints, x: int, y: int, z: int) -> list[tuple[int, int, int]]:
    """Which votes: of those that do the same, the first by system."""
    out = [(top, j, x)]
    for k in range(len(beaten)):
        if k not in (top, j):
            a, b = min(y, int(beaten[top, k])), min(z, int(beaten[k, j]))
            out += [(top, k, a), (k, j, b)]
            y, z = y - a, z - b
    return [drop for drop in out if drop[2]]


def cheapest_flip(design: Design, counts: Floats, contenders: int) -> tuple[int, LeaderFlip | None]:
    """The system with the highest rating, and the cheapest flip found.

    Parameters
    ----------
    design : Design
        What the votes compare.
    counts : array, shape (orders, pairs, 3)
        Votes, whole numbers; the ratings exist.
    contenders : int
        How many of the next systems are tried.
    """
    theta = fit(design, counts[..., None]).theta[:, 0]
    order = np.argsort(-theta[: design.systems], kind="stable")
    top = int(order[0])
    tried = [_flip(design, counts, top, j, theta) for j in order[1 : contenders + 1].tolist()]
    flips = [flip for flip in tried if flip is not None]
    return top, min(flips, key=lambda flip: flip.dropped) if flips else None


def _flip(design: Design, counts: Floats, top: int, j: int, theta: Floats) -> LeaderFlip | None:
    """Leave out the votes of most influence on the gap, as many as the influence says; fit again; until j is ahead."""
    left, gap = counts.copy(), float(theta[top] - theta[j])
    for _ in range(_MOST_ROUNDS):
        step = _step(design, left, influence(design, left, theta, top, j), gap, theta)
        if step is None:
            return None
        order, wanted, next_theta = step
        next_gap = float(next_theta[top] - next_theta[j])
        if next_gap < -_ROUNDING:
            low, high = 0, wanted  # the fewest votes, in this order, that still put the other ahead
            while high - low > 1:
                middle = (low + high) // 2
                ratings = _ratings(design, _without(left, order, middle), theta)
                ahead = ratings is not None and bool(ratings[top] < ratings[j] - _ROUNDING)
                low, high = (low, middle) if ahead else (middle, high)
            return _flip_of(design, j, counts - _without(left, order, high))
        left, theta, gap = _without(left, order, wanted), next_theta, next_gap
    return None


def _step(
    design: Design, left: Floats, order: list[tuple[int, float]], gap: float, theta: Floats
) -> tuple[list[tuple[int, float]], int, Floats] | None:
    """As many votes as the influence says, or fewer, or without the first cells, so that all systems stay rated."""
    while order:
        steps = np.cumsum(np.concatenate([np.full(int(left.flat[c]), v) for c, v in order]))
        wanted = min(int(np.searchsorted(steps, gap)) + 1, len(steps))
        while wanted:
            ratings = _ratings(design, _without(left, order, wanted), theta)
            if ratings is not None:
                return order, wanted, ratings
            wanted //= 2
        order = order[1:]  # not one vote of this cell can be spared
    return None


def flips(design: Design, counts: Floats, top: int, flip: LeaderFlip) -> bool:
    """Whether the ratings without these votes exist and put the flip's system above the top.

    Parameters
    ----------
    design : Design
        What the votes compare.
    counts : array, shape (orders, pairs, 3)
        Votes; those left out are taken from the first order.
    top : int
        The first.
    flip : LeaderFlip
        Votes to leave out.
    """
    left = counts.copy()
    place = {pair: p for p, pair in enumerate(zip(design.a.tolist(), design.b.tolist(), strict=True))}
    for winner, loser, count in flip.drops:
        turned = (winner, loser) not in place
        left[0, place[(loser, winner) if turned else (winner, loser)], int(turned)] -= count
    ratings = _ratings(design, left, fit(design, counts[..., None]).theta[:, 0])
    return ratings is not None and bool(ratings[flip.system] > ratings[top] + _ROUNDING)


def influence(design: Design, counts: Floats, theta: Floats, top: int, j: int) -> list[tuple[int, float]]:
    """Decisive cells whose votes hold the top up, and what one of their votes adds to the gap; the largest first."""
    at = fit(design, counts[..., None], start=theta)
    direction = np.zeros(design.parameters)
    direction[top], direction[j] = 1.0, -1.0
    solved = np.linalg.solve(anchored(design, at.information, 0.0)[0], direction)
    value = np.asarray(scores(design, at.theta[:, 0]) @ solved)
    cells = [c for c in np.argsort(-value).tolist() if value[c] > 0 and counts.flat[c] > 0 and c % 3 < 2]
    return [(c, float(value[c])) for c in cells]


def _without(counts: Floats, order: list[tuple[int, float]], dropped: int) -> Floats:
    """Counts without the first votes in this order."""
    out = counts.copy()
    for cell, _ in order:
        taken = min(dropped, int(out.flat[cell]))
        out.flat[cell] -= taken
        dropped -= taken
    return out


def _ratings(design: Design, counts: Floats, start: Floats) -> Floats | None:
    """Ratings of what is left; None where they do not exist or the fit does not end."""
    if not exists(design, counts[..., None])[0]:
        return None
    refit = fit(design, counts[..., None], start=start)
    return refit.theta[:, 0] if refit.converged[0] else None


def _flip_of(design: Design, j: int, gone: Floats) -> LeaderFlip:
    """Votes by winner and loser, over both orders."""
    by_pair = gone.sum(axis=0).reshape(len(design.a), 3)
    drops = [
        (int(winner), int(loser), int(by_pair[p, side]))
        for p, (a, b) in enumerate(zip(design.a, design.b, strict=True))
        for side, winner, loser in ((0, a, b), (1, b, a))
        if by_pair[p, side] > 0
    ]
    return LeaderFlip(j, int(gone.sum()), tuple(sorted(drops, key=lambda drop: -drop[2])))
