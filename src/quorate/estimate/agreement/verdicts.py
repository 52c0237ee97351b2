"""Verdicts in one form: of scores with few values, of labels, or of votes between two systems."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quorate.arguments import argument
from quorate.arrays import Floats, Ints
from quorate.errors import InvalidInput
from quorate.estimate.labels.given import label_shares
from quorate.estimate.means.effects import level_labels
from quorate.roles import JUDGE, PROMPT
from quorate.table.answers import answers
from quorate.table.columns.vote_roles import ALIASES, ORDER
from quorate.table.judgments import Judgments
from quorate.table.pairs import BOTH_BAD, MISSING, TIE
from quorate.table.votes import Votes
from quorate.wording import counted

MOST_VERDICTS = 20
ITEM, BATTLE = "item", "battle"
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
        ``item`` or ``battle``: what a verdict is about.
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
    names, shares = verdict_shares(table)
    items = level_labels(table, table.object)
    roles = tuple(name for name in table.names if name not in (table.object, *table.ancestors(table.object)))
    code = table.level_codes(roles)
    first = np.unique(code, return_index=True)[1]
    columns = [[table.facet(role).levels[at] for at in table.column(role)[first]] for role in roles]
    levels = tuple(zip(*columns, strict=True)) if columns else ((),)
    of = table.level_codes([table.object])
    return Verdicts(ITEM, names, shares, table.n, items, of, roles, levels, code, items, PROMPT)


def _of_votes(votes: Votes, key: str) -> Verdicts:
    if key not in votes.names:
        column = argument("prompt", ..., group="roles", text='prompt="its column"')
        raise InvalidInput(f"key: no {key} says which votes are of one battle; read the votes with " + column)
    further = [name for name in votes.names if name != key and (name == JUDGE or name not in ALIASES)]
    codes = {name: votes.column(name) for name in (key, *further)}
    known = (votes.outcome != MISSING) & np.all([code >= 0 for code in codes.values()], axis=0)
    some = votes.keep(known)
    columns = {name: np.asarray(some.column(name), dtype=np.int64) for name in (key, *further)}
    labels = {name: some.facet(name).levels for name in (key, *further)}
    keys, models = labels.pop(key), len(some.models)
    pair = some.model_a.astype(np.int64) * models + some.model_b
    battles, of = np.unique(columns.pop(key) * models**2 + pair, return_inverse=True)
    if _in_both_orders(some, of):
        columns[ORDER], labels[ORDER] = np.where(some.order == 0, 0, 1), ("first first", "second first")
    at, two = np.divmod(battles, models**2)
    shown = [f"{some.models[a]} against {some.models[b]}" for a, b in zip(*np.divmod(two, models), strict=True)]
    cluster = tuple(keys[i] for i in at.tolist())
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
    return Verdicts(
        BATTLE,
        OF_VOTES,
        count / n[:, None],
        n.astype(np.int64),
        units,
        of,
        tuple(columns),
        levels,
        code,
        cluster,
        VARIANT,
    )


def _in_both_orders(votes: Votes, battle: Ints) -> bool:
    """Whether most battles were shown both ways round, so that the order is a facet and not chance."""
    if votes.order is None or (votes.order < 0).any():
        return False
    shown = np.unique(battle * 2 + votes.order) // 2
    return bool(np.mean(np.bincount(shown) == 2) > _BOTH_ORDERS)


def verdict_shares(judgments: Judgments) -> tuple[tuple[str, ...], Floats]:
    """Verdicts by name, and the share of each among the answers of every cell, shape (cells, verdicts)."""
    if judgments.labels:
        return judgments.labels, label_shares(judgments)
    values = np.unique([judgments.low, judgments.high])
    mixed = judgments.low < judgments.high
    if set(values.tolist()) <= {0.0, 1.0}:
        return ("0", "1"), np.column_stack([1 - judgments.mean, judgments.mean])
    given, offsets = (judgments.mean, np.arange(judgments.n_cells + 1)) if not mixed.any() else answers(judgments)
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
