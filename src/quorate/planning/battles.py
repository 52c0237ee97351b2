"""Battles to have judged, so that every system meets enough opponents in every category."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import field
from heapq import heapify, heappop, heappush
from typing import Any, NamedTuple

import numpy as np

from quorate import rules
from quorate.arguments import argument
from quorate.arrays import Floats, Ints
from quorate.errors import InvalidInput
from quorate.estimate.ratings.counts import tally
from quorate.frozen import dataclass
from quorate.numerics.ratings import next_vote
from quorate.numerics.ratings.bradley_terry import fit
from quorate.numerics.ratings.ties import moments
from quorate.streams import stream
from quorate.table.results import Result, Row
from quorate.table.votes import Votes, checked_votes
from quorate.wording import counted, percent

Pair = tuple[str, str]

FLOOR = 0.2
"""Part of the chances that all pairs share alike."""

_MOST_VOTES = 10**7
_MOST_SYSTEMS = 1000


@dataclass(frozen=True, eq=False)
class NextBattles(Result):
    """Chances of pairs of systems to get the next votes, and battles drawn by them.

    Parameters
    ----------
    pairs : tuple of (str, str)
        Pairs that can be asked, the likeliest first.
    votes : array of int, shape (pairs,)
        Votes on each so far.
    chance : array, shape (pairs,)
        Chance of each to get a vote: the propensity to be recorded with it. Above 0 for every pair.
    gain : array, shape (pairs,)
        What one more vote on it is worth now: fall of the sum of variances of the ratings (``A``), or of the log
        determinant of their covariance (``D``).
    chosen : array of int, shape (n,)
        Pairs of the next votes, as places in ``pairs``, in the order of asking.
    equal : float
        Votes by equal chances for all pairs that would tell as much as the votes to come, as far as is known now.
    criterion : {"A", "D"}
        What is made small.
    floor : float
        Part of the chances that all pairs share alike.
    horizon : int
        Votes to come in all.
    seed : int
        Of the draws.
    """

    pairs: tuple[Pair, ...]
    votes: Ints
    chance: Floats
    gain: Floats
    chosen: Ints = field(repr=False)
    equal: float
    criterion: next_vote.Criterion
    floor: float
    horizon: int
    seed: int
    derived = ("sentence",)

    def __len__(self) -> int:
        return len(self.chosen)

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        a, b = self.pairs[0]
        said = f"Of the next {counted(len(self), 'vote')}, {percent(float(self.chance[0]))} go to {a} against {b}"
        said += f", {percent(float(self.chance[-1]))} to {' against '.join(self.pairs[-1])}"
        if self.equal <= self.horizon:
            return f"{said}. Equal chances for all pairs would tell as much."
        more = f"{self.equal:,.0f} votes by equal chances would tell as much as {self.horizon:,} by these"
        return f"{said}. As far as is known now, {more}."

    def rows(self) -> list[Row]:
        """One row for every pair, the likeliest first: votes so far, chance, gain of one more, and votes drawn."""
        times = np.bincount(self.chosen, minlength=len(self.pairs))
        return [
            {"system_a": a, "system_b": b, "votes": votes, "chance": chance, "gain": gain, "next": count}
            for (a, b), votes, chance, gain, count in zip(
                self.pairs, self.votes.tolist(), self.chance.tolist(), self.gain.tolist(), times.tolist(), strict=True
            )
        ]

    def battles(self) -> dict[str, list[Any]]:
        """The next votes in the order of asking, as columns: the two systems, and the propensity to be kept with it."""
        places = self.chosen.tolist()
        return {
            "system_a": [self.pairs[place][0] for place in places],
            "system_b": [self.pairs[place][1] for place in places],
            "propensity": self.chance[self.chosen].tolist(),
        }


def next_battles(
    votes: Votes,
    n: int = 50,
    *,
    criterion: next_vote.Criterion = "A",
    floor: float = FLOOR,
    horizon: int | None = None,
    systems: Sequence[str] = (),
    seed: int = 1,
) -> NextBattles:
    """Which pairs of systems to ask about next, so that ratings become precise with few votes.

    A vote tells most between systems that are alike, and of systems that are known little. Pairs get chances by which
    the ratings are known best after the votes to come, mixed with equal chances, and the next votes are drawn by them.
    Record the ``propensity`` with every vote: `quorate.rank` then weights by it.

    Parameters
    ----------
    votes : Votes
        From `quorate.read_votes`: what is known so far.
    n : int
        Votes to draw now; choose again when they have come.
    criterion : {"A", "D"}
        What is made small: A, the sum of the variances of ratings; D, their determinant. ``A``: variances about the
        mean of all. ``D`` favours close pairs more.
    floor : float
        Part of the chances that all pairs share alike, above 0 and up to 1. No pair has less than its share of it. For
        ``reweight="uniform"`` take .5.
    horizon : int, optional
        Votes to come in all; by default those of now. ``n`` among them. The chances are best at their end.
    systems : sequence of str
        Systems without votes so far that are to be rated too.
    seed : int
        Seed of the draws.

    Returns
    -------
    NextBattles
        ``rows()`` has every pair, ``battles()`` the votes drawn.

    Raises
    ------
    InvalidInput
        If an argument breaks its rule, or there are fewer than two systems.

    References
    ----------
    Atkinson, Donev and Tobias (2007), Optimum Experimental Designs; Chiang et al. (2024), Chatbot Arena,
    arXiv:2403.04132, for another rule. Derivation and figures: ``docs/methods/next-battles.md``.

    Examples
    --------
    >>> import polars
    >>> import quorate as q
    >>> counts = [("x", "y", 30, 2), ("x", "z", 30, 3), ("y", "z", 17, 15)]
    >>> frame = polars.DataFrame(counts, schema=["model_a", "model_b", "a", "b"], orient="row")
    >>> plan = q.votes.next_battles(q.read_votes(frame, wins=("a", "b"), announce=False), 100, criterion="D")
    >>> for row in plan.rows():
    ...     print(row["system_a"], row["system_b"], row["votes"], round(row["chance"], 2), row["next"])
    y z 32 0.54 54
    x y 32 0.28 29
    x z 33 0.18 17
    """
    table = checked_votes(votes)
    names = tuple(dict.fromkeys((*table.models, *systems)))
    if len(names) < 2:
        others = argument("systems", ("new",))
        raise InvalidInput(f"systems: two or more are needed, got {len(names)}; name others with {others}")
    if len(names) > _MOST_SYSTEMS:
        raise InvalidInput(f"systems: at most {_MOST_SYSTEMS:,} can be weighed against each other, got {len(names):,}")
    pairs = tuple((names[i], names[j]) for i, j in zip(*np.triu_indices(len(names), 1), strict=True))
    return chosen_battles(table, pairs, n, criterion=criterion, floor=floor, horizon=horizon, seed=seed)


def chosen_battles(
    votes: Votes | None,
    pairs: Sequence[Pair],
    n: int,
    *,
    criterion: next_vote.Criterion,
    floor: float,
    horizon: int | None,
    seed: int,
    purpose: str = "next battles",
) -> NextBattles:
    """The same among pairs that can be asked, and before the first vote, when all of them have equal chances."""
    rules.whole("n", n, 1, _MOST_VOTES)
    if horizon is not None and rules.whole("horizon", horizon, 1, _MOST_VOTES) < n:
        raise InvalidInput(f"horizon: counts the {n:,} votes of n too, got {horizon:,}")
    rules.one_of("criterion", criterion, next_vote.Criterion)
    rules.number("floor", floor, above=0, most=1)
    known = Known.of(votes, pairs)
    ahead = n if horizon is None else horizon
    if votes is None:
        best = np.full(len(pairs), 1 / len(pairs))
    else:
        best = next_vote.proportions(known.weight, known.held, ahead, known.a, known.b, criterion)
    chance = floor / len(pairs) + (1 - floor) * best
    order = np.argsort(-chance, kind="stable")
    law = next_vote.covariance(known.held)
    place = np.argsort(order)
    return NextBattles(
        pairs=tuple(pairs[i] for i in order.tolist()),
        votes=known.votes[order],
        chance=chance[order],
        gain=next_vote.gains(known.weight, law, known.a, known.b, criterion)[order],
        chosen=place[next_vote.drawn(chance, n, stream(seed, purpose))],
        equal=next_vote.equal_votes(known.weight, known.held, ahead, chance, known.a, known.b, criterion),
        criterion=criterion,
        floor=floor,
        horizon=ahead,
        seed=seed,
    )


class Known(NamedTuple):
    """What votes say of the pairs that can be asked.

    Parameters
    ----------
    names : tuple of str
        Systems.
    a, b : array of int, shape (pairs,)
        The two of every pair.
    weight : array, shape (pairs,)
        Information of one more vote on the gap of each pair.
    held : array, shape (systems, systems)
        Information of the votes that are there.
    votes : array of int, shape (pairs,)
        Votes on each pair.
    """

    names: tuple[str, ...]
    a: Ints
    b: Ints
    weight: Floats
    held: Floats
    votes: Ints

    @classmethod
    def of(cls, votes: Votes | None, pairs: Sequence[Pair]) -> Known:
        """By ratings with Davidson's ties and a ridge, which exist whatever the votes are."""
        rated = () if votes is None or not votes.n_decisive else votes.models
        names = tuple(dict.fromkeys((*rated, *(name for pair in pairs for name in pair))))
        place: Mapping[str, int] = {name: i for i, name in enumerate(names)}
        a, b = (np.array([place[pair[side]] for pair in pairs], dtype=np.int64) for side in (0, 1))
        size, count = len(names), np.zeros(len(pairs), dtype=np.int64)
        rating, log_nu, held = np.zeros(size), -np.inf, np.zeros((size, size))
        if votes is not None and rated:
            counted_votes = tally(votes, "davidson", None, False)
            design, counts = counted_votes.pairwise, counted_votes.counts
            theta = fit(design, counts[..., None], next_vote.RIDGE).theta[:, 0]
            rating[: len(rated)] = theta[: len(rated)]
            log_nu = float(theta[-1]) if design.tied else -np.inf
            on = counts.sum(axis=(0, 2))
            gap = rating[design.a] - rating[design.b]
            held = next_vote.information(on * moments(gap, np.array(log_nu)).variance, design.a, design.b, size)
            rating = next_vote.shrunk(rating, held)
            whole = np.zeros((size, size), dtype=np.int64)
            whole[design.a, design.b] = whole[design.b, design.a] = on
            count = whole[a, b]
        return cls(names, a, b, moments(rating[a] - rating[b], np.array(log_nu)).variance, held, count)


_MOST = 10**9


@dataclass(frozen=True, eq=False)
class BattleSample(Result):
    """Battles chosen from a pool.

    Parameters
    ----------
    chosen : array of int, shape (battles,)
        Places of the chosen battles in the pool, in the order in which they were chosen: for fewer calls, take
        a part of them from the start.
    coverage : tuple of (str, str, int)
        System, category and how many chosen battles it has there.
    short : tuple of (str, str, int)
        System, category and battles of those that stay below the floor: the pool has no more, and all are chosen.
    floor : int
        Battles wanted for every system in every category.
    fewest : int
        A bound: no choice that fills as much has fewer battles.
    """

    chosen: Ints
    coverage: tuple[tuple[str, str, int], ...]
    short: tuple[tuple[str, str, int], ...]
    floor: int
    fewest: int

    def __len__(self) -> int:
        return len(self.chosen)

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        cells = len(self.coverage)
        reach = f"{len(self):,} battles reach the floor of {self.floor:,} for {cells - len(self.short):,} of {cells:,} "
        kinds = " by category" if any(category for _, category, _ in self.coverage) else ""
        reach += f"systems{kinds}; no choice does so with fewer than {self.fewest:,}"
        if not self.short:
            return f"{reach}."
        system, category, n = self.short[0]
        where = f" in {category}" if category else ""
        return f"{reach}. For {len(self.short):,} the pool has too few, such as {system}{where} with {n:,}."

    def rows(self) -> list[Row]:
        """One row for every system and category: battles, and whether the floor is reached."""
        return [
            {"system": system, "category": category, "battles": n, "reached": n >= self.floor}
            for system, category, n in self.coverage
        ]


def sample_battles(
    model_a: Sequence[object],
    model_b: Sequence[object],
    category: Sequence[object] | None = None,
    *,
    floor: int,
    seed: int = 1,
) -> BattleSample:
    """Choose battles so that every system has enough of them in every category, with as few as possible.

    The battle that helps two systems below the floor goes before one that helps one; among those, the one whose systems
    lack most; among those, one at random. It ends when every system has its floor in every category, or all that the
    pool has.

    Parameters
    ----------
    model_a, model_b : sequence, length (pool,)
        The two systems of every battle that could be judged; columns of a data frame will do.
    category : sequence, length (pool,), optional
        What each is about; one category without it.
    floor : int
        Battles wanted for every system in every category.
    seed : int
        Of the choice among equals; the same seed chooses the same battles.

    Returns
    -------
    BattleSample

    Raises
    ------
    InvalidInput
        If the columns differ in length or are empty, a battle is of one system with itself, or the floor is below 1.

    References
    ----------
    Messing (2026), appendix R, where ties between battles that help as many systems are broken at random.
    ``docs/methods/pipelines.md``.

    Examples
    --------
    >>> import quorate as q
    >>> pool = [("x", "y"), ("x", "y"), ("x", "z"), ("y", "z"), ("z", "w")]
    >>> sample = q.votes.sample_battles(*zip(*pool, strict=True), floor=2)
    >>> sorted(sample.chosen.tolist()), sample.short
    ([1, 2, 3, 4], (('w', '', 1),))
    """
    wanted, rows = rules.whole("floor", floor, 1, _MOST), len(model_a)
    if rows != len(model_b) or not rows:
        raise InvalidInput(
            f"model_a: as many systems as in model_b are needed, at least 1, got {rows} and {len(model_b)}"
        )
    systems, code = _coded("model_a", [*model_a, *model_b], 2 * rows)
    a, b = code[:rows], code[rows:]
    if (a == b).any():
        row = int((a == b).argmax())
        raise InvalidInput(f'model_b: battle {row + 1} has "{systems[a[row]]}" against itself; leave it out')
    names, topic = _coded("category", [""] * rows if category is None else category, rows)
    n = len(names)
    first, second = a * n + topic, b * n + topic
    chosen = _greedy(first, second, len(systems) * n, wanted, stream(seed, "battles"))
    there = np.bincount(np.append(first, second), minlength=len(systems) * n)
    count = np.bincount(np.append(first[chosen], second[chosen]), minlength=len(systems) * n)
    coverage = [(systems[cell // n], names[cell % n], int(count[cell])) for cell in np.flatnonzero(there).tolist()]
    need = np.minimum(there, wanted).reshape(len(systems), n).sum(axis=0)
    return BattleSample(
        chosen,
        tuple(coverage),
        tuple(cell for cell in coverage if cell[2] < wanted),
        wanted,
        int(((need + 1) // 2).sum()),
    )


def _coded(name: str, labels: Sequence[object], rows: int) -> tuple[tuple[str, ...], Ints]:
    if len(labels) != rows:
        raise InvalidInput(f"{name}: one label for each of {rows:,} battles is needed, got {len(labels):,}")
    if any(label is None or (isinstance(label, float) and math.isnan(label)) for label in labels):
        raise InvalidInput(f"{name}: some battles have no label; leave them out")
    if len({str(label) for label in labels}) < len(set(labels)):
        raise InvalidInput(
            f'{name}: numbers and text that look alike would be taken as one, such as 1 and "1"; use text'
        )
    distinct, code = np.unique(np.array([str(label) for label in labels]), return_inverse=True)
    return tuple(distinct.tolist()), np.asarray(code, dtype=np.int64)


def _greedy(first: Ints, second: Ints, cells: int, floor: int, rng: np.random.Generator) -> Ints:
    """Battles in the order of choice. Battles of the same two systems and category are alike, and wait in line."""
    order = rng.permutation(len(first))
    key = np.minimum(first, second) * cells + np.maximum(first, second)
    groups, of = np.unique(key[order], return_inverse=True)
    lines = np.split(order[np.argsort(of, kind="stable")], np.cumsum(np.bincount(of))[:-1])
    ends = [divmod(group, cells) for group in groups.tolist()]
    left, taken, lack = [len(line) for line in lines], [0] * len(lines), [floor] * cells
    heap = [(-2, -2 * floor, float(luck), g) for g, luck in enumerate(rng.random(len(groups)))]
    heapify(heap)
    chosen: list[int] = []
    while heap:
        helped, deficit, luck, g = heappop(heap)
        one, two = ends[g]
        now = -(lack[one] > 0) - (lack[two] > 0), -lack[one] - lack[two]
        if (helped, deficit) != now:
            if now[0]:
                heappush(heap, (*now, luck, g))
            continue
        chosen.append(int(lines[g][taken[g]]))
        taken[g] += 1
        lack[one], lack[two] = max(lack[one] - 1, 0), max(lack[two] - 1, 0)
        now = -(lack[one] > 0) - (lack[two] > 0), -lack[one] - lack[two]
        if taken[g] < left[g] and now[0]:
            heappush(heap, (*now, float(rng.random()), g))
    return np.array(chosen, dtype=np.int64)
