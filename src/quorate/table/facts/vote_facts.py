"""Description of votes: who compared what how often, what repeats, what hangs together. No statistics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Bools, Ints, dense, one_of_each
from quorate.frozen import dataclass
from quorate.roles import JUDGE, PROMPT
from quorate.table.pairs import BOTH_BAD, FIRST_A, MISSING, TIE, A, B, Pairs, summed
from quorate.wording import Brief

if TYPE_CHECKING:
    from quorate.table.ballots import Ballots


# Graph of comparisons: the models that hang together by the votes between them.

_FEW = 200
"""Models up to which products of matrices are quicker than loading SciPy."""


@dataclass(frozen=True)
class Graph(Brief):
    """Models as nodes, decisive votes and ties as edges.

    Parameters
    ----------
    components : tuple of tuple of str
        Models that are linked by comparisons, largest component first.
    one_sided : tuple of tuple of str
        Within the components, groups of models that beat each other in turn, or tie; more than there are components
        means that some group never lost to another, or never won.
    """

    components: tuple[tuple[str, ...], ...]
    one_sided: tuple[tuple[str, ...], ...]


def graph_of(pairs: Pairs) -> Graph:
    """Components of the comparison graph, linked in any direction and in both.

    Parameters
    ----------
    pairs : Pairs
        Votes by pair; pairs without an outcome link nothing.
    """
    if not pairs.models:
        return Graph((), ())
    tied = pairs.ties + pairs.both_bad > 0
    ahead, behind = tied | (pairs.a_wins > 0), tied | (pairs.b_wins > 0)
    source, target = np.append(pairs.a[ahead], pairs.b[behind]), np.append(pairs.b[ahead], pairs.a[behind])
    links = (np.concatenate([source, target]), np.concatenate([target, source]))
    return Graph(_components(*links, pairs.models), _components(source, target, pairs.models))


def _components(
    source: NDArray[np.integer], target: NDArray[np.integer], models: Sequence[str]
) -> tuple[tuple[str, ...], ...]:
    """Models each of which reaches all others of its component; few by products, which needs no SciPy."""
    size = len(models)
    if size <= _FEW:
        reach = np.eye(size, dtype=bool)
        reach[source, target] = True
        for _ in range(size.bit_length()):  # ways are twice as long each time
            reach = reach.astype(np.float32) @ reach.astype(np.float32) > 0
        label = (reach & reach.T).argmax(axis=1)
    else:
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        edges = coo_array((np.ones(len(source), dtype=np.int8), (source, target)), shape=(size, size))
        _, label = connected_components(edges.tocsr(), directed=True, connection="strong")
    order = np.argsort(label, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(label[order])) + 1)
    named = [tuple(models[i] for i in part.tolist()) for part in parts]
    return tuple(sorted(named, key=lambda part: (-len(part), part[0])))


DEPENDENT = (PROMPT, JUDGE, "cluster")
"""Roles whose votes may resemble each other."""

UNITS = (PROMPT, JUDGE)
"""Roles that make two votes on one pair the same vote, given again."""


@dataclass(frozen=True)
class Tally(Brief):
    """Votes by outcome at each level of a facet, or of each pair, models or levels in the order of ``labels``.

    Parameters
    ----------
    labels : tuple
        Levels, or two models each.
    decisive, ties, both_bad, missing : tuple of int
        Votes.
    """

    labels: tuple[Any, ...]
    decisive: tuple[int, ...]
    ties: tuple[int, ...]
    both_bad: tuple[int, ...]
    missing: tuple[int, ...]


@dataclass(frozen=True)
class Grouping:
    """How votes gather in the levels of a facet; votes with an outcome only.

    Parameters
    ----------
    role : str
        Role of the facet.
    votes, unlabelled : int
        Votes with a label, and without.
    groups : int
        Levels.
    mean : float
        Votes per level.
    most : int
        Votes of the largest level.
    largest : str
        Its label.
    repeated : float
        Share of votes that are not alone at their level.
    effective : float
        Levels of equal size that would be as uneven: one over the sum of squared shares.
    gathered : float
        Votes at the level of the average vote, ``sum n^2 / sum n``: the variance of a mean over all votes is at most
        so many times that of independent votes.
    gathered_in_pair : float
        The same within pairs of models, which is what the margin of a single pair feels.
    """

    role: str
    votes: int
    unlabelled: int
    groups: int
    mean: float
    most: int
    largest: str
    repeated: float
    effective: float
    gathered: float
    gathered_in_pair: float


@dataclass(frozen=True)
class Repeats:
    """Votes of one judge on one prompt and pair.

    Parameters
    ----------
    rows : int
        Rows that repeat another in every column that was read, outcome included.
    asked_again : int
        Combinations of judge, prompt and pair with more than one outcome given.
    contradicted : int
        Of these, those with different outcomes.
    reversed : int
        Of these, those with votes for both models.
    """

    rows: int
    asked_again: int
    contradicted: int
    reversed: int


@dataclass(frozen=True)
class Sides:
    """Decisive votes for one side.

    Parameters
    ----------
    won, decisive : int
        Votes for that side, and all where the side is known.
    unknown : int
        Decisive votes where it is not.
    """

    won: int
    decisive: int
    unknown: int


@dataclass(frozen=True)
class Span:
    """When votes were given.

    Parameters
    ----------
    earliest, latest : str, optional
        As dates in UTC, or as the numbers of the source; None without any.
    moments : int
        Distinct times.
    unknown : int
        Rows without a time.
    """

    earliest: str | None
    latest: str | None
    moments: int
    unknown: int


@dataclass(frozen=True)
class VoteFacts(Brief):
    """Facts about votes.

    Parameters
    ----------
    rows, votes, decisive, ties, both_bad, missing, itself : int
        Rows; votes with an outcome and by outcome; votes without one; rows that compared a model with itself.
    statuses : mapping of str to int
        Votes per status.
    models : int
        Models.
    roles : mapping of str to int
        Levels per facet.
    pairs : Tally
        By pair of models.
    levels : mapping of str to Tally
        By judge and by prompt type, where they are known.
    groupings : tuple of Grouping
        One per facet whose votes may resemble each other.
    shared : int
        Prompts of a pair of models with outcomes by two judges or more; 0 unless judge and prompt are known.
    repeats : Repeats, optional
        None unless judge and prompt are known.
    written : Sides
        Votes for the model that the source names first, of pairs that it names in both orders.
    first : Sides, optional
        Votes for the model shown first; None where the order is not known.
    constant_judges : tuple of str
        Judges with `CONSTANT` answers or more who always chose the side written first, or second, or always tied.
    constant_votes : int
        Their votes.
    graph : Graph
    span : Span, optional
        None without times.
    """

    rows: int
    votes: int
    decisive: int
    ties: int
    both_bad: int
    missing: int
    itself: int
    statuses: Mapping[str, int]
    models: int
    roles: Mapping[str, int]
    pairs: Tally
    levels: Mapping[str, Tally]
    groupings: tuple[Grouping, ...]
    shared: int
    repeats: Repeats | None
    written: Sides
    first: Sides | None
    constant_judges: tuple[str, ...]
    constant_votes: int
    graph: Graph
    span: Span | None

    def grouping(self, role: str) -> Grouping | None:
        """How votes gather in the levels of a role; None if it is not known."""
        return next((group for group in self.groupings if group.role == role), None)

    def to_dict(self) -> dict[str, Any]:
        """The same as plain dictionaries, tuples, numbers and text, ready for JSON."""
        return asdict(self)


CONSTANT = 10
"""Answers that a judge must have given before always choosing one side says something: chance does it 1 time in 500."""


def describe_votes(votes: Ballots) -> VoteFacts:
    """What a table of votes holds.

    Examples
    --------
    >>> import polars
    >>> from quorate.table.read_votes import read_votes
    >>> frame = polars.DataFrame({"model_a": ["x", "y"], "model_b": ["y", "z"], "winner": ["model_a", "tie"]})
    >>> facts = describe_votes(read_votes(frame, announce=False))
    >>> facts.decisive, facts.ties, facts.graph.components
    (1, 1, (('x', 'y', 'z'),))
    """
    a, b, ties, both_bad, missing = votes.totals
    constant, held = constant_judges(votes)
    shared, repeats = _asked_again(votes)
    answered = votes.keep(votes.outcome != MISSING) if missing else votes
    gathering = [name for name in answered.names if name in DEPENDENT and (answered.column(name) >= 0).any()]
    pairs = votes.pairs()
    counts = (pairs.decisive, pairs.ties, pairs.both_bad, pairs.missing)
    levels = {}
    for name in (role for role in (JUDGE, "prompt_type") if role in votes.names):
        labels, code = votes.facet(name).levels, (votes.column(name) + 1) * 5 + votes.outcome
        won_a, won_b, *others = summed(code, votes.count, 5 * (len(labels) + 1)).reshape(-1, 5)[1:].T
        levels[name] = Tally(labels, *(tuple(count.tolist()) for count in (won_a + won_b, *others)))
    return VoteFacts(
        rows=votes.rows,
        votes=votes.n,
        decisive=a + b,
        ties=ties,
        both_bad=both_bad,
        missing=missing,
        itself=votes.itself,
        statuses=votes.statuses,
        models=len(votes.models),
        roles={facet.name: len(facet.levels) for facet in votes.facets},
        pairs=Tally(pairs.names, *(tuple(count.tolist()) for count in counts)),
        levels=levels,
        groupings=tuple(grouping(answered, name) for name in gathering),
        shared=shared,
        repeats=repeats,
        written=_sides(votes, votes.outcome == votes.swapped, _in_both_orders(votes)),
        first=None if votes.order is None else _sides(votes, votes.outcome == votes.order, votes.order >= FIRST_A),
        constant_judges=constant,
        constant_votes=held,
        graph=graph_of(pairs),
        span=None if votes.time is None else span(votes.time, dated=votes.dated),
    )


def joint(*columns: NDArray[Any]) -> Ints:
    """Dense codes of the combinations of codes, of which -1 is one more level."""
    key = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        key = dense(key * (int(column.max(initial=-1)) + 2) + column + 1)
    return key


def gathered(group: Ints, weights: Ints) -> float:
    """Votes in the group of the average vote."""
    n = np.bincount(group, weights)
    return float((n**2).sum() / n.sum())


def grouping(votes: Ballots, name: str) -> Grouping:
    """How votes gather in the levels of one facet."""
    labelled = votes.column(name) >= 0
    code, weights = votes.column(name)[labelled].astype(np.int64), votes.weights[labelled]
    n = np.bincount(code, weights)
    n = n[n > 0]
    total, largest = float(n.sum()), int(np.bincount(code, weights).argmax())
    return Grouping(
        role=name,
        votes=int(total),
        unlabelled=votes.n - int(total),
        groups=len(n),
        mean=total / len(n),
        most=int(n.max()),
        largest=votes.facet(name).levels[largest],
        repeated=float(n[n > 1].sum() / total),
        effective=float(total**2 / (n**2).sum()),
        gathered=gathered(code, weights),
        gathered_in_pair=gathered(joint(votes.pairs().code[labelled], code), weights),
    )


def _asked_again(votes: Ballots) -> tuple[int, Repeats | None]:
    """Prompts of a pair with several judges, and the votes that one judge gave again; 0 and None without the roles."""
    if not set(UNITS) <= set(votes.names):
        return 0, None
    told = (votes.outcome != MISSING) & np.all([votes.column(name) >= 0 for name in UNITS], axis=0)
    place = joint(votes.pairs().code[told], votes.column(PROMPT)[told])
    asked = joint(place, votes.column(JUDGE)[told])
    shared = int((np.bincount(one_of_each(asked, place)) > 1).sum())
    outcome, weights = votes.outcome[told], votes.weights[told]
    size = int(asked.max(initial=-1)) + 1
    by = np.stack([np.bincount(asked, weights * (outcome == code), minlength=size) for code in (A, B, TIE, BOTH_BAD)])
    given, again = (by > 0).sum(axis=0), by.sum(axis=0) > 1
    columns: list[NDArray[Any]] = [votes.pairs().code, votes.outcome, votes.swapped, *votes.codes.values()]
    columns += [] if votes.order is None else [votes.order]
    rows = np.flatnonzero(told)[again[asked]]
    read = [column[rows].astype(np.int64) for column in columns]
    if votes.time is not None:
        read.append(np.unique(votes.time[rows], return_inverse=True)[1])
    key = joint(*read)
    return shared, Repeats(
        rows=len(key) - (int(key.max(initial=-1)) + 1),
        asked_again=int(again.sum()),
        contradicted=int((given > 1).sum()),
        reversed=int(((by[A] > 0) & (by[B] > 0)).sum()),
    )


def _in_both_orders(votes: Ballots) -> Bools:
    """Votes on pairs that are written in both orders: else the side is the system, of which a lead says nothing."""
    code = votes.pairs().code
    turned = np.bincount(code, votes.swapped, code.max(initial=0) + 1)
    rows = np.bincount(code, minlength=len(turned))
    both: Bools = ((turned > 0) & (turned < rows))[code]
    return both


def _sides(votes: Ballots, won: NDArray[np.bool_], known: NDArray[np.bool_]) -> Sides:
    """Decisive votes for a side; ``won`` holds only where the outcome is decisive and the side known."""
    decisive = (votes.outcome == A) | (votes.outcome == B)
    n, w = int(votes.weights[decisive & known].sum()), int(votes.weights[decisive & known & won].sum())
    return Sides(w, n, int(votes.weights[decisive & ~known].sum()))


def constant_judges(votes: Ballots) -> tuple[tuple[str, ...], int]:
    """Judges with `CONSTANT` answers or more that are all on one side, or all ties, and how many votes they gave."""
    if JUDGE not in votes.names:
        return (), 0
    judge, levels = votes.column(JUDGE), votes.facet(JUDGE).levels
    side = np.where(votes.outcome <= B, votes.outcome ^ votes.swapped, np.minimum(votes.outcome, TIE))
    told = (votes.outcome != MISSING) & (judge >= 0)
    by = summed(judge[told] * np.int64(3) + side[told], votes.weights[told], 3 * len(levels)).reshape(-1, 3)
    total = by.sum(axis=1)
    always = np.flatnonzero((total >= CONSTANT) & (by.max(axis=1) == total))
    return tuple(levels[i] for i in always.tolist()), int(total[always].sum())


def span(time: NDArray[np.float64], *, dated: bool) -> Span:
    """First and last of the times that are known."""
    known = time[np.isfinite(time)]
    if not len(known):
        return Span(None, None, 0, len(time))
    ends = [
        datetime.fromtimestamp(end, UTC).isoformat(timespec="seconds") if dated else f"{end:.15g}"
        for end in (float(known.min()), float(known.max()))
    ]
    return Span(ends[0], ends[1], len(np.unique(known)), len(time) - len(known))
