"""Outcomes and orders: what the labels of a winner or order column mean, such as a position, a model or a tie."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quorate.arguments import argument
from quorate.arrays import Ints
from quorate.errors import InvalidData, InvalidInput
from quorate.table.columns.labels import Coded, label, status_of
from quorate.table.columns.languages import plain
from quorate.table.columns.scales import number
from quorate.table.facets import OK, STATUSES
from quorate.table.pairs import BOTH_BAD, MISSING, TIE, UNKNOWN, A, B, Codes
from quorate.wording import counted, words

NAMES = "names"
"""Option that says that the winner column holds the models' own names, whatever else they could mean."""

MEANINGS: Mapping[str, int] = {"a": A, "b": B, "tie": TIE, "both bad": BOTH_BAD, "missing": MISSING}
"""Keys of the option ``outcomes``."""

SAID: Mapping[int, str] = {A: "model_a", B: "model_b", TIE: "a tie", BOTH_BAD: "both bad", MISSING: "missing"}

_SIDES = ("model", "assistant", "response", "answer", "system", "output", "sys", "bot", "agent")
WORDS: Mapping[int, tuple[str, ...]] = {
    A: ("a", *(f"{side}_a" for side in _SIDES), *(f"{side}{n}" for side in _SIDES for n in ("_1", "1")), "left", "1_0"),
    B: (
        "b",
        *(f"{side}_b" for side in _SIDES),
        *(f"{side}{n}" for side in _SIDES for n in ("_2", "2")),
        "right",
        "0_1",
    ),
    TIE: words(
        "tie tied draw c equal n_p no_preference about_the_same same both both_good no_difference "
        "can_t_decide cannot_decide 1_2_1_2 equally_good"
    ),
    BOTH_BAD: ("tie_bothbad", "tie_both_bad", "bothbad", "both_bad", "neither"),
    MISSING: ("missing", "nan", "null", "na", "n_a"),
}
"""Words of a winner column, in lower case and joined by underscores, by what they mean."""

_NUMBERS: Mapping[frozenset[float], Mapping[float, int]] = {
    frozenset({1.0, 2.0}): {1.0: A, 2.0: B, 0.0: TIE},
    frozenset({1.0, -1.0}): {1.0: A, -1.0: B, 0.0: TIE},
}
"""Numbers that must all occur, and what they and 0 then mean."""

MARKS: Mapping[str, frozenset[str]] = {
    "a": frozenset(("a", "first", "left", "1", "white")),
    "b": frozenset(("b", "second", "right", "2", "black")),
    "tie": frozenset(words("tie tied draw equal equally same both neither similar difference neutral")),
}
"""Words in a phrase that say which side it is for."""


_SIGNED = re.compile(r"\[*\s*([ab12])\s*(>{1,3}|<{1,3}|[=~≈]{1,2})\s*([ab12])\s*\]*", re.IGNORECASE)
"""Signs that say which side is better, as in ``A>>B``."""

_TRUTHS = ("true", "false")
_NEITHER = -1
_MOST_SHOWN = 60


def outcomes_of(
    winner: Coded, column: str, pair: tuple[Codes, Codes], models: tuple[str, ...], outcomes: object
) -> tuple[NDArray[np.int8], NDArray[np.int8], str]:
    """Outcome and status of every row, as the source wrote the pair, and a sentence on what the labels mean.

    Parameters
    ----------
    winner : Coded
        The column.
    column : str
        Its name.
    pair : two arrays of int, shape (rows,)
        Model of the first and of the second column, as indices into ``models``.
    models : tuple of str
        Labels.
    outcomes : mapping, "names" or None
        What the user says of the labels.

    Raises
    ------
    InvalidInput
        If ``outcomes`` is malformed.
    InvalidData
        If a label is not known, names neither model of its row, or can be read in two ways.
    """
    positions, own, statuses = _meaning(winner, column, models, outcomes)
    position, model = positions[winner.codes], own[winner.codes]
    named = np.where(model < 0, _NEITHER, np.where(model == pair[0], A, np.where(model == pair[1], B, _NEITHER)))
    twofold = (position >= 0) & (named >= 0) & (position != named)
    if twofold.any():
        row = int(twofold.argmax())
        raise InvalidData(
            f'column "{column}": {shown(winner.levels[winner.codes[row]])} in row {row + 1} is a model\'s name and '
            f"also means {SAID[int(position[row])]}; say which: "
            + argument("outcomes", "names")
            + ", or "
            + argument("outcomes", {"a": ..., "b": ...})
        )
    outcome = np.where(position >= 0, position, named)
    unknown = outcome < 0
    if unknown.any():
        row, count = int(unknown.argmax()), int(unknown.sum())
        raise InvalidData(
            f'column "{column}": {shown(winner.levels[winner.codes[row]])} in row {row + 1} names neither model of its '
            f"row and is no outcome that is known ({counted(count, 'row')} like this); say what labels mean: "
            + argument("outcomes", {"a": ..., "b": ..., "tie": ...})
        )
    meanings = [
        f"{shown(level)} is {SAID[int(code)]}"
        for level, code in zip(winner.levels, positions[:-1], strict=True)
        if code >= 0
    ]
    own_names = ["a model's own name is that model"] if (own >= 0).any() else []
    sentence = f"{column}: {', '.join([*meanings[:8], *own_names]) or 'empty everywhere'}"
    return outcome.astype(np.int8), statuses[winner.codes].astype(np.int8), sentence


def order_of(first: Coded, column: str, pair: tuple[Codes, Codes], models: tuple[str, ...]) -> NDArray[np.int8]:
    """Which model of every row was shown first, as the source wrote the pair; -1 where there is no label.

    Labels are those of positions (``model_a``, ``b``, ``AB``, ``BA``, ``listed``, ``swapped``, both of 1 and 2), a
    model's own name, or true and false in a column whose name says that the two were exchanged, such as ``swapped``.

    Raises
    ------
    InvalidData
        If a label is none of these.
    """
    shown_first, shown_second = (*WORDS[A], "ab", "a_b", "listed"), (*WORDS[B], "ba", "b_a", "swapped")
    words = {**dict.fromkeys(shown_first, A), **dict.fromkeys(shown_second, B)}
    if set(plain(column).split("_")) & {"swapped", "swap", "flipped", "flip", "reversed", "exchanged"}:
        words |= {"false": A, "true": B, "0": A, "1": B, "no": A, "yes": B}
    elif {level.strip() for level in first.levels} == {"1", "2"}:
        words |= {"1": A, "2": B}
    known = np.array([*(words.get(plain(level), UNKNOWN) for level in first.levels), UNKNOWN], dtype=np.int64)
    model = named_models(first.levels, models)[first.codes]
    named = np.where(model < 0, UNKNOWN, np.where(model == pair[0], A, np.where(model == pair[1], B, UNKNOWN)))
    order = np.where(named >= 0, named, known[first.codes])
    bad = (order < 0) & (first.codes >= 0) | (named >= 0) & (known[first.codes] == 1 - named)
    if bad.any():
        row = int(bad.argmax())
        raise InvalidData(
            f'column "{column}": {shown(first.levels[first.codes[row]])} in row {row + 1} does not say which model was '
            "shown first; use model_a, model_b or a model's name, "
            + argument("order", "model_a", group="roles")
            + " if that is always first, or "
            + argument("order", "", group="roles")
            + " to leave it out"
        )
    return order.astype(np.int8)


def occurring(coded: Coded, where: NDArray[np.bool_]) -> Coded:
    """The labels of some rows: others have none, and levels that then do not occur are dropped."""
    codes = np.where(where, coded.codes, -1)
    used = np.flatnonzero(np.bincount(codes + 1, minlength=len(coded.levels) + 1)[1:])
    place = np.full(len(coded.levels) + 1, -1, dtype=np.int64)
    place[used] = np.arange(len(used))
    values = None if coded.values is None else coded.values[used]
    return Coded(tuple(coded.levels[i] for i in used.tolist()), values, place[codes])


def shown(text: object) -> str:
    """A label in a message: on one line, quoted, and not too long."""
    line = " ".join(str(text).split())
    return f'"{line if len(line) <= _MOST_SHOWN else line[: _MOST_SHOWN - 3] + "..."}"'


def unmarked(name: str) -> str:
    """A name in small letters, with one mark for blanks, hyphens and underscores."""
    return re.sub(r"[\s_-]+", "-", name.strip().casefold())


def sides_in(words: Sequence[str]) -> dict[str, str | tuple[str, ...]] | None:
    """What phrases such as "A is much better" and signs such as A>B mean; None if some name no side."""
    found: dict[str, list[str]] = {}
    for word in words:
        signed = _SIGNED.fullmatch(word.strip())
        if signed is not None:
            first, sign, _ = signed.groups()
            ahead = (first.lower() in MARKS["a"]) == (sign[0] == ">")
            meant = ["tie" if sign[0] in "=~≈" else "a" if ahead else "b"]
        else:
            tokens = set(plain(word).split("_"))
            meant = [name for name, marks in MARKS.items() if tokens & marks]
            meant = meant or ["tie"] * (plain(word) in WORDS[TIE])
        if len(meant) != 1:
            return None
        found.setdefault(meant[0], []).append(word)
    if not {"a", "b"} <= found.keys():
        return None
    return {name: held[0] if len(held := found[name]) == 1 else tuple(held) for name in MARKS if name in found}


def named_models(levels: Iterable[str], models: tuple[str, ...]) -> NDArray[np.int64]:
    """For each label the model of that name, -1 if there is none, with one -1 more for rows without a label.

    Capitals, and what stands between words, tell labels apart only where two models differ in them alone.
    """
    exact = {model: code for code, model in enumerate(models)}
    folded = {unmarked(model): code for code, model in enumerate(models)}
    folded = folded if len(folded) == len(models) else {}
    found = (exact.get(level, exact.get(level.strip(), folded.get(unmarked(level), -1))) for level in levels)
    return np.array([*found, -1], dtype=np.int64)


def _meaning(winner: Coded, column: str, models: tuple[str, ...], outcomes: object) -> tuple[Ints, Ints, Ints]:
    """What each level means, the last entry for rows without a label.

    That is its outcome, or -1; the model of that name, or -1; and why there is no outcome, as an index of `STATUSES`.
    """
    levels = winner.levels
    position = np.full(len(levels) + 1, _NEITHER, dtype=np.int64)
    status = np.zeros(len(levels) + 1, dtype=np.int64)
    model = named_models(levels, models)
    position[-1] = MISSING
    if isinstance(outcomes, Mapping):
        position[:-1] = _declared(outcomes, winner, column, model[:-1] >= 0)
        model[position >= 0] = -1
    elif outcomes is None:
        position[:-1] = _recognised(winner, column, model[:-1] >= 0)
        sides = {*WORDS[A], *WORDS[B]}  # "model-a" means a side in other words only: where a model has that name, it
        own = [
            place
            for place, level in enumerate(levels)
            if model[place] >= 0 and level.strip() not in sides and plain(level) in sides
        ]
        position[own] = _NEITHER
    elif outcomes == NAMES:
        position[:-1] = [MISSING if not level.strip() else _NEITHER for level in levels]
    else:
        got = shown(outcomes) if isinstance(outcomes, str) else type(outcomes).__name__
        raise InvalidInput(f'outcomes: expects a mapping such as {{"a": 1, "b": 2, "tie": 0}} or "names", got {got}')
    if outcomes is None:
        reasons = [status_of(level.strip().lower()) or OK for level in levels]  # such as refused, in the winner itself
        status[:-1] = [STATUSES.index(reason) for reason in reasons]
        position[:-1][status[:-1] > 0] = MISSING
    unsaid = (position == MISSING) & (status == 0)
    status[unsaid] = STATUSES.index("missing")
    return position, model, status


def _declared(outcomes: Mapping[Any, Any], winner: Coded, column: str, named: NDArray[np.bool_]) -> list[int]:
    """Outcome of every level by what the user says, -1 for names of models; others that occur must be covered."""
    meant: dict[object, int] = {}
    for name, given in outcomes.items():
        code = MEANINGS.get(str(name).replace("_", " ").strip().lower())
        if code is None:
            raise InvalidInput(f"outcomes: expects the keys {', '.join(MEANINGS)}, got {shown(name)}")
        several = isinstance(given, Iterable) and not isinstance(given, (str, bytes, Mapping))
        for value in given if several else (given,):
            if meant.setdefault(_key(label(value)), code) != code:
                raise InvalidInput(f"outcomes: {shown(value)} is given two meanings; give it one")
    codes = [meant.get(_key(level), _NEITHER if level.strip() else MISSING) for level in winner.levels]
    both = zip(winner.levels, codes, named.tolist(), strict=True)
    left = [shown(level) for level, code, is_model in both if code == _NEITHER and not is_model]
    if left:
        listed = ", ".join(left[:5]) + (f" and {len(left) - 5} more" if len(left) > 5 else "")
        fix = argument("outcomes", {"tie": ...}) + " or " + argument("outcomes", {"missing": ...})
        raise InvalidData(
            f'column "{column}" has {listed}, which outcomes does not cover; add what they mean, such as ' + fix
        )
    return codes


def _recognised(winner: Coded, column: str, named: NDArray[np.bool_]) -> list[int]:
    """Outcome of every level by the usual words and numbers, -1 for those that are neither."""
    by_word = {word: code for code, words in WORDS.items() for word in words}
    codes = [by_word.get(plain(level), _NEITHER) if level.strip() else MISSING for level in winner.levels]
    values: dict[int, float] = {}
    for i, level in enumerate(winner.levels):
        text = level.strip().lower()
        if codes[i] == _NEITHER and text in _TRUTHS:
            codes[i] = _of_truth(column) if text == "true" else 1 - _of_truth(column)
        elif codes[i] == _NEITHER and (value := number(text)) is not None and math.isfinite(value):
            values[i] = value
    present = frozenset(values.values())
    meanings = next((known for needed, known in _NUMBERS.items() if needed <= present <= known.keys()), None)
    if meanings is not None:
        codes = [code if i not in values else meanings[values[i]] for i, code in enumerate(codes)]
    elif not all(named[i] for i in values):  # numbers may be names of models
        listed = ", ".join(f"{value:g}" for value in sorted(present)[:5]) + (", ..." if len(present) > 5 else "")
        raise InvalidData(
            f'column "{column}" has the numbers {listed}, which do not say who won (1 and 2, or 1 and -1, do); say '
            "which is which: " + argument("outcomes", {"a": 1, "b": 0}) + ", or the other way round"
        )
    return codes


def _of_truth(column: str) -> int:
    """What true means: that the model in the name of the column won, ``model_a`` if the name says none."""
    parts = set(plain(column).split("_"))
    return B if "b" in parts and "a" not in parts else A


def _key(text: str) -> object:
    value = number(text) if text.strip().lower() not in _TRUTHS else None
    return text.strip().casefold() if value is None or math.isnan(value) else value
