"""Rightness of verdicts: how often every configuration of judge, prompt ... said of an item what people did."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import cached_property

import numpy as np

from quorate.arrays import Floats, Ints, first_of_each
from quorate.errors import InvalidInput, NotEstimable, UnknownTerm
from quorate.estimate.agreement.battles import refuse_keyless
from quorate.estimate.labels import label_shares
from quorate.estimate.means.effects import level_labels
from quorate.frozen import dataclass
from quorate.roles import GENERATION, JUDGE, PROMPT, SYSTEM, TEMPERATURE
from quorate.table.columns.vote_roles import ALIASES, ORDER
from quorate.table.judgments import Judgments, table_of
from quorate.table.pairs import BOTH_BAD, MISSING, TIE
from quorate.table.reread import answers
from quorate.table.votes import Votes
from quorate.wording import Brief, counted

# Verdicts in one form: of scores with few values, of labels, or of votes between two systems.


MOST_VERDICTS, FEW_LABELLED = 20, 50
ITEM, RESPONSE, BATTLE = "item", "response", "battle"
_ANSWERS = (SYSTEM, GENERATION)
"""Facets that tell the responses to an item apart."""
VARIANT = "variant"
"""Role of the wording of the judge's prompt in votes, where ``prompt`` is what the two systems answered."""
OF_VOTES = ("first", "second", "tie")
"""Verdicts of votes: for the first of two systems in the order of their names, for the second, or for neither."""
_BOTH_ORDERS = 0.5


@dataclass(frozen=True, eq=False, repr=False)
class Verdicts:
    """What every configuration said of every item or battle.

    Parameters
    ----------
    unit : str
        ``item``, ``response`` or ``battle``: what a verdict is about.
    names : tuple of str
        Verdicts.
    shares : array, shape (cells, verdicts)
        Share of every verdict among the answers of a cell.
    n : array of int, shape (cells,)
        Answers of every cell.
    units : tuple of str
        Names of items or battles.
    of : array of int, shape (cells,)
        Item or battle of every cell.
    roles : tuple of str
        Facets that tell configurations apart.
    levels : tuple of tuple of str
        Levels of every configuration, in the order of the roles.
    code : array of int, shape (cells,)
        Configuration of every cell.
    cluster : tuple of str
        For every item or battle what it shares with others that may resemble it; its own name where nothing.
    wording : str
        The role, if it is one of them, whose levels are wordings of one question.
    """

    unit: str
    names: tuple[str, ...]
    shares: Floats
    n: Ints
    units: tuple[str, ...]
    of: Ints
    roles: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]
    code: Ints
    cluster: tuple[str, ...]
    wording: str


def verdicts(table: Judgments | Votes, key: str = PROMPT) -> Verdicts:
    """The verdicts of a table; of votes, what was said of each two systems on one level of the key.

    Raises
    ------
    InvalidInput
        If scores have more values than verdicts, or votes have no such key.
    """
    return _of_votes(table, key) if isinstance(table, Votes) else _of_judgments(table)


def _of_judgments(judgments: Judgments) -> Verdicts:
    table = judgments.keep(judgments.n > 0)
    names, shares = _verdict_shares(table)
    unit, items, of, cluster = judged_units(table)
    roles = tuple(name for name in table.names if name not in (table.object, *of_items(table)))
    code = table.level_codes(roles)
    first = first_of_each(code)
    columns = [[table.facet(role).levels[at] for at in table.column(role)[first]] for role in roles]
    levels = tuple(zip(*columns, strict=True)) if columns else ((),)
    return Verdicts(unit, names, shares, table.n, items, of, roles, levels, code, cluster, PROMPT)


def judged_units(table: Judgments) -> tuple[str, tuple[str, ...], Ints, tuple[str, ...]]:
    """What a verdict is about, the names of these, which of them every cell is of, and what each may resemble."""
    items = level_labels(table, table.object)
    answers_of = [name for name in table.ancestors(table.object) if name in _ANSWERS]
    unit, cluster = (RESPONSE, _without(table, answers_of)) if answers_of else (ITEM, items)
    return unit, items, table.level_codes([table.object]), cluster


def _without(table: Judgments, roles: Collection[str]) -> tuple[str, ...]:
    """Labels of items, with what they are nested in but for these roles: responses to one item resemble each other."""
    first = first_of_each(table.level_codes([table.object]))
    path = [name for name in (table.object, *table.ancestors(table.object)) if name not in roles]
    columns = [[table.facet(name).levels[at] for at in table.column(name)[first]] for name in reversed(path)]
    return tuple(map(" / ".join, zip(*columns, strict=True)))


def of_items(judgments: Judgments) -> tuple[str, ...]:
    """Facets that say something of items, such as their category or length, and tell no configurations apart."""
    above = judgments.ancestors(judgments.object)
    item = judgments.level_codes([judgments.object])
    asked = (judgments.object, JUDGE, PROMPT, TEMPERATURE, ORDER, *above)
    return (
        *above,
        *(
            name
            for name in judgments.names
            if name not in asked
            and judgments.n_levels(name) > 1
            and len(np.unique(item)) == len(np.unique(item * judgments.n_levels(name) + judgments.level_codes([name])))
        ),
    )


def _of_votes(votes: Votes, key: str) -> Verdicts:
    refuse_keyless(votes, key)
    further = [name for name in votes.names if name != key and (name == JUDGE or name not in ALIASES)]
    codes = {name: votes.column(name) for name in (key, *further)}
    known = (votes.outcome != MISSING) & np.all([code >= 0 for code in codes.values()], axis=0)
    some = votes.keep(known)
    columns = {name: np.asarray(some.column(name), dtype=np.int64) for name in (key, *further)}
    labels = {name: some.facet(name).levels for name in (key, *further)}
    keys, (of, first) = labels.pop(key), some.battles(key)
    cluster = tuple(keys[i] for i in columns.pop(key)[first].tolist())
    if _in_both_orders(some, of):
        columns[ORDER], labels[ORDER] = np.where(some.order == 0, 0, 1), ("first first", "second first")
    sides = zip(some.model_a[first].tolist(), some.model_b[first].tolist(), strict=True)
    shown = (f"{some.models[a]} against {some.models[b]}" for a, b in sides)
    units = tuple(f"{name}: {both}" for name, both in zip(cluster, shown, strict=True))
    stacked = np.column_stack([*columns.values(), np.zeros(some.rows, dtype=np.int64)])
    own, code = np.unique(stacked, axis=0, return_inverse=True)
    levels = tuple(tuple(labels[name][at] for name, at in zip(columns, row, strict=False)) for row in own.tolist())
    cells, cell = np.unique(of * len(own) + code.ravel(), return_inverse=True)
    said = np.where(some.outcome == BOTH_BAD, TIE, some.outcome)
    count = np.zeros((len(cells), len(OF_VOTES)))
    np.add.at(count, (cell, said), some.weights)
    n = count.sum(axis=1)
    of, code = np.divmod(cells, len(own))
    shares, judged, roles = count / n[:, None], n.astype(np.int64), tuple(columns)
    return Verdicts(BATTLE, OF_VOTES, shares, judged, units, of, roles, levels, code, cluster, VARIANT)


def _in_both_orders(votes: Votes, battle: Ints) -> bool:
    """Whether most battles were shown both ways round, so that the order is a facet and not chance."""
    if votes.order is None or (votes.order < 0).any():
        return False
    shown = np.unique(battle * 2 + votes.order) // 2
    return bool(np.mean(np.bincount(shown) == 2) > _BOTH_ORDERS)


def _verdict_shares(judgments: Judgments) -> tuple[tuple[str, ...], Floats]:
    """Verdicts by name, and the share of each among the answers of every cell, shape (cells, verdicts)."""
    if judgments.labels:
        return judgments.labels, label_shares(judgments)
    if set(np.unique([judgments.low, judgments.high]).tolist()) <= {0.0, 1.0}:
        return ("0", "1"), np.column_stack([1 - judgments.mean, judgments.mean])
    given, offsets = marks_given(judgments)
    values = np.unique(given)
    if len(values) > MOST_VERDICTS:
        raise InvalidInput(
            f"judgments: scores have {counted(len(values), 'value')}, more than the {MOST_VERDICTS} that verdicts may "
            "have; compare means of scores with people's by quorate.corrected, or cut scores into a few"
        )
    cell = np.repeat(np.arange(judgments.n_cells), np.diff(offsets))
    out = np.zeros((judgments.n_cells, len(values)))
    np.add.at(out, (cell, np.searchsorted(values, given)), 1.0)
    return tuple(f"{value:g}" for value in values), out / np.diff(offsets)[:, None]


def marks_given(judgments: Judgments) -> tuple[Floats, Ints]:
    """The scores of all cells, one behind the other, and where those of each begin and end, shape (cells + 1,)."""
    if (judgments.low < judgments.high).any():
        return answers(judgments)
    return judgments.mean, np.arange(judgments.n_cells + 1)


def _in_words(names: tuple[str, ...], judged: Judgments | Votes) -> tuple[str, ...]:
    """Verdicts of 0 and 1 as the words that they were read from, where each was one."""
    words = judged.origin.rows.words if isinstance(judged, Judgments) and judged.origin else None
    said = {f"{number:g}": word.casefold() for word, number in (words.numbers if words else ())}
    each = len({word.casefold() for word, _ in words.numbers}) == len(names) if words else False
    return tuple(said[name] for name in names) if each and names == ("0", "1") == tuple(sorted(said)) else names


_MOST, _SAME = 20_000_000, 1e-9


@dataclass(frozen=True)
class Rightness(Brief):
    """Verdicts of configurations on items whose label is known.

    Parameters
    ----------
    shares : array, shape (items, configurations, verdicts)
        Share of every verdict among the answers of a cell; nan where there is none.
    answers : array of int, shape (items, configurations)
        Answers of every cell.
    label : array of int, shape (items,)
        Place of the right verdict.
    levels : tuple of tuple of str
        Levels of every configuration, in the order of the roles.
    roles : tuple of str
        Facets that tell configurations apart.
    unlabelled, undecided : int
        Items that were judged and have no label, and whose people tie.
    cluster : array of int, shape (items,)
        Which items may resemble each other, by a number from 0; each its own where none do.
    unit : str
        What items are called: ``item``, ``response`` where people labelled that of each system, ``battle`` of votes.
    wording : str
        Role whose levels are wordings of one question.
    names, units : tuple of str
        Verdicts, in the order of ``shares``; and names of the items or battles.
    """

    shares: Floats
    answers: Ints
    label: Ints
    levels: tuple[tuple[str, ...], ...]
    roles: tuple[str, ...]
    unlabelled: int
    undecided: int
    cluster: Ints
    unit: str = ITEM
    wording: str = PROMPT
    names: tuple[str, ...] = ()
    units: tuple[str, ...] = ()

    @cached_property
    def right(self) -> Floats:
        """Share of right verdicts in every cell, shape (items, configurations)."""
        return np.take_along_axis(self.shares, self.label[:, None, None], axis=2)[:, :, 0]

    @cached_property
    def judge(self) -> Ints:
        """Judge of every configuration; 0 for all where there is no judge."""
        names = (
            [own[self.roles.index(JUDGE)] for own in self.levels] if JUDGE in self.roles else [""] * len(self.levels)
        )
        return np.array([sorted(set(names)).index(name) for name in names])

    @cached_property
    def judges(self) -> tuple[str, ...]:
        """Names of the judges, in the order of `judge`; none where there is no such facet."""
        return tuple(sorted({own[self.roles.index(JUDGE)] for own in self.levels})) if JUDGE in self.roles else ()

    def verdicts(self, kept: Ints | slice = slice(None)) -> Floats:
        """Share of every verdict over some configurations, which weigh alike, shape (items, verdicts)."""
        with np.errstate(invalid="ignore"):
            given = ~np.isnan(self.shares[:, kept, :1])
            return np.asarray(np.nansum(self.shares[:, kept], axis=1) / given.sum(axis=1))

    def majority(self, kept: Ints | slice = slice(None)) -> Floats:
        """Whether the verdict that most of some configurations gave is right, shape (items,); ties as shares."""
        share = self.verdicts(kept)
        first = share >= share.max(axis=1, keepdims=True) - _SAME
        won = np.take_along_axis(first, self.label[:, None], axis=1)[:, 0] / np.maximum(first.sum(axis=1), 1)
        return np.where(np.isnan(share[:, 0]), np.nan, won)

    def by_judge(self) -> Floats:
        """Share of right verdicts of every judge, prompts and others weighing alike, shape (items, judges)."""
        each = [self.right[:, self.judge == j] for j in range(int(self.judge.max()) + 1)]
        return np.column_stack([row_means(one) for one in each])


def row_means(values: Floats) -> Floats:
    """Mean of the known values of every row; nan where none is."""
    known = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.nansum(values, axis=1) / known.sum(axis=1))


def judged_and_labelled(
    judgments: Judgments | Votes, human: Judgments | Votes | str | Collection[str]
) -> tuple[Judgments | Votes, Judgments | Votes]:
    """What judges said, and what people said, who may be judges of the same table.

    Where people labelled the response of each system, that is what is right or wrong: items are nested in systems.

    Raises
    ------
    UnknownTerm
        If there is no such judge.
    InvalidInput
        If nothing is left of either, or they hold different things: scores, labels or votes.
    """
    table = judgments if isinstance(judgments, Votes) else table_of(judgments)
    if isinstance(human, (Judgments, Votes)):
        ours, theirs = (_kind(one) for one in (table, human))
        if ours != theirs:
            raise InvalidInput(f"human: judgments hold {ours} and people's {theirs}; read both alike")
        return _by_response(table, human)
    names = {human} if isinstance(human, str) else set(human)
    levels = table.facet(JUDGE).levels
    for name in sorted(names):
        if name not in levels:
            raise UnknownTerm(name, levels, JUDGE)
    code = table.column(JUDGE)
    known = np.isin(code, [place for place, level in enumerate(levels) if level in names])
    if known.all() or not known.any():
        raise InvalidInput(
            f"human: judges and people are both needed, got {len(names)} of {len(levels)} judges as people"
        )
    if isinstance(table, Votes):
        return table.keep(~known), table.keep(known)
    return _by_response(table.keep(~known), table.keep(known))


def _by_response(judged: Judgments | Votes, people: Judgments | Votes) -> tuple[Judgments | Votes, Judgments | Votes]:
    """Both tables with items nested in the systems and generations whose responses people labelled one by one."""
    if isinstance(judged, Votes) or isinstance(people, Votes):
        return judged, people
    for role in _ANSWERS:
        crossed = all(role in one.names and role not in one.ancestors(one.object) for one in (judged, people))
        if crossed and people.n_levels(role) > 1:
            judged, people = _nested_in(judged, role), _nested_in(people, role)
    return judged, people


def _nested_in(table: Judgments, role: str) -> Judgments:
    """The table with what is measured nested in a role."""
    outermost = (table.object, *table.ancestors(table.object))[-1]
    facets = tuple(replace(one, parent=role) if one.name == outermost else one for one in table.facets)
    return replace(table, facets=facets)


def _kind(table: Judgments | Votes) -> str:
    if isinstance(table, Votes):
        return "votes"
    return "labels" if table.labels else "scores"


def rightness(
    judgments: Judgments | Votes, human: Judgments | Votes | str | Collection[str], key: str = PROMPT
) -> Rightness:
    """The verdict of every configuration on every item that people labelled.

    The label of an item is the verdict that most of what people said of it gives; items of which they tie have none.

    Parameters
    ----------
    judgments : Judgments or Votes
        Verdicts: labels, scores of at most 20 values, or votes between two systems.
    human : Judgments, Votes, or str or collection of str
        What people said, or which judges are people.
    key : str
        Of votes, the role of what the two systems answered.

    Raises
    ------
    InvalidInput
        If scores have more values than verdicts, or nothing is right or wrong.
    NotEstimable
        If no item is in both.
    """
    judged, people = (verdicts(table, key) for table in judged_and_labelled(judgments, human))
    places = {name: place for place, name in enumerate(dict.fromkeys((*judged.names, *people.names)))}
    label, undecided = _labels(people, np.array([places[name] for name in people.names]))
    of_item = np.array([label.get(name, -1) for name in judged.units])
    known = np.flatnonzero(of_item >= 0)
    if not len(known):
        raise NotEstimable(
            f"labels: none is of what was judged; {judged.unit}s are matched by their names, "
            f"such as {judged.units[0]!r} here"
        )
    given = [places[name] for name in judged.names]
    if np.mean(np.isin(of_item[known], given)) < 0.5:
        raise InvalidInput(
            f"human: most labels are verdicts that no judge gives, such as {people.names[0]}; judges say "
            f"{judged.names[0]} ... {judged.names[-1]}. Label with the same words or numbers"
        )
    shape = (len(judged.units), len(judged.levels), len(places))
    if math.prod(shape) > _MOST:
        raise InvalidInput(f"judgments: {math.prod(shape):,} verdicts of items by configurations are too many at once")
    whole, count = np.full(shape, np.nan), np.zeros(shape[:2], dtype=np.int64)
    whole[judged.of, judged.code] = 0.0
    whole[judged.of[:, None], judged.code[:, None], np.array(given)[None, :]] = judged.shares
    count[judged.of, judged.code] = judged.n
    tied = len(undecided & set(judged.units))
    return Rightness(
        whole[known],
        count[known],
        of_item[known],
        judged.levels,
        judged.roles,
        len(judged.units) - len(known) - tied,
        tied,
        np.unique([judged.cluster[place] for place in known], return_inverse=True)[1].astype(np.int64),
        judged.unit,
        judged.wording,
        _in_words(tuple(places), judgments),
        tuple(judged.units[place] for place in known),
    )


def _labels(people: Verdicts, place: Ints) -> tuple[Mapping[str, int], set[str]]:
    """The verdict that most of what people said gives, by item, and the items of which they tie."""
    total = np.zeros((len(people.units), len(people.names)))
    np.add.at(total, people.of, people.shares)
    first = total >= total.max(axis=1, keepdims=True) - _SAME
    alone = first.sum(axis=1) == 1
    label = {name: int(place[first[i].argmax()]) for i, name in enumerate(people.units) if alone[i]}
    return label, {name for i, name in enumerate(people.units) if not alone[i]}
