"""Rows that are no judgments but were made of some, as averages, statistics and results are, and columns of totals."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from quorate.roles import ITEM, SYSTEM
from quorate.table.columns.languages import plain
from quorate.table.columns.names import (
    DESCRIBED,
    HINTS,
    JUDGED,
    SYSTEMS,
    TOTALS,
    form_of,
    is_arm,
    is_criterion,
    is_id,
    is_judged,
    measures,
    no_score,
    words_of,
)
from quorate.table.columns.roles import ALIASES, FURTHER
from quorate.table.exchange.rows import ROW_NUMBER
from quorate.table.facts.profile import Column, Table
from quorate.table.families import maker
from quorate.table.reading.key import claims_of, identifier
from quorate.table.reading.levels import CRITERION
from quorate.table.reading.reading import Meant, Reading, Unsure
from quorate.wording import listed, words

STATISTICS = frozenset(words("mean std sd stdev median min max variance var stderr se sem"))
"""What the number of a row is called that was made of many."""
_ORIGINS = frozenset(("source", "method", "rule", "aggregation"))
"""Words in the name of a column that says how a score came about."""
_COUNTS = frozenset(("n", "count", "num", "samples", "support", "total", "size", "examples"))
"""Words in the name of a column that says of how many something is an average."""
_SETS = frozenset(("category", "topic", "domain", "benchmark", "dataset", "subset", "language", "lang", "difficulty"))
"""What a column is called that names sets of what is judged."""
_SEEN, _SHARE, _SHORT = 50, 10, 3
"""Labels that are looked at for names of models, of how many one must have one, and letters that are none."""
_ROUNDED = 0.05
"""How far from whole numbers the number of an average times its count may be, for rounding."""

_SURE = frozenset(words("total sum mean average avg median"))
"""Words in the name of a column that is made of others, whatever it holds."""
_BY_CHANCE = 0.01
"""How seldom what is taken for made of others would be so by chance."""
_ROWS_OF_SUM, _FEWEST_EACH, _MOST_PARTS = 2_000, 2, 24
"""Rows in which it is looked for what a column is the sum of, how many there must be to each column, and columns."""
_CLOSE, _ROUNDED_ONCE = 1e-6, 0.051
"""How far a sum, and a mean that was rounded to one digit, may be from what it is made of."""


def refuse_statistics(table: Table) -> None:
    """Refuse rows that are statistics.

    Raises
    ------
    Unsure
        If labels of a column name two statistics or more.
    """
    for one in table.columns:
        if _ORIGINS & {*words_of(one.name)}:  # of one score each, such as the mean of two raters or what a third said
            continue
        last = {words_of(word)[-1] for word in one.words if not one.numeric and words_of(word)}
        found = sorted(last & STATISTICS)
        if len(found) > 1 and 2 * len(found) >= one.distinct:  # of few rows below others each says so itself
            raise Unsure(
                f"source: {one.name} names statistics ({listed(found)}): rows that were made of judgments are none; "
                "give a row for each judgment"
            )


def of_averages(table: Table, found: Reading) -> Reading:
    """A reading that asks first where every row is another set of items: perhaps averages.

    Averages are scores of nothing that was drawn: their interval would say how sets differ, or systems.

    Raises
    ------
    Unsure
        If every row is another system, or there is one row, of which no name says what is judged: nothing says how
        judgments differ.
    """
    if table.rows == 1 and not (claims_of(table, ITEM) or any(is_id(name) or is_judged(name) for name in table.names)):
        raise Unsure(
            "source: there is one row, which says nothing of how others would differ; give a row for each judgment"
        )
    names = _one_row_each(table, found)
    if names is None or {*found.options.get("wide", {})} - {CRITERION}:
        return found
    count = next((one for one in table.columns if _counts(table, one)), None)
    of = "" if count is None else f" of {count.name} judgments each"
    open_ = f"every row is another {names.name}: perhaps averages{of}, which are no judgments"
    if not {*words_of(names.name)} <= _SETS:
        ways = tuple(
            Meant({"wide": {ITEM: parts}, "facets": {SYSTEM: names.name}}, f"{len(parts)} columns are the items")
            for parts in _averaged(table)
        )
        raise Unsure(f"source: {open_}" + ("" if ways else "; give a row for each judgment"), ways=ways)
    once = {**found.options, "facets": {**found.options.get("facets", {}), ITEM: names.name}}
    return replace(found, confidence="unsure", said=open_, meant=(Meant(once, "each judged once"),))


def _averaged(table: Table) -> list[tuple[str, ...]]:
    """The columns of which another is the mean in every row, as a leaderboard has those of several sets."""
    numbers = [one for one in table.columns if one.numeric and one.distinct > 1]
    parts = [one for one in numbers if not (TOTALS & {*words_of(one.name)} or no_score(one.name))]
    totals = map(table.column, totals_in(table, set()))
    return [tuple(one.name for one in parts) for total in totals if is_made_of(table, total, parts)][:1]


def _one_row_each(table: Table, found: Reading) -> Column | None:
    """The column of systems, or of sets of items, that is another in every row of a table without ids of items."""
    unique = [one for one in table.columns if one.distinct == one.filled == table.rows and not one.numeric]
    named = [one for one in unique if _is_system(one) or {*words_of(one.name)} <= _SETS or _hold_models(table, one)]
    item = found.options.get("facets", {}).get(ITEM)
    told = {one.name for one in unique} - {one.name for one in named}
    judged = item not in (None, ROW_NUMBER) and item in told and (is_id(str(item)) or is_judged(str(item)))
    return None if judged or not named or identifier(table, {one.name for one in named}) is not None else named[0]


def _is_system(one: Column) -> bool:
    """Whether a column names systems, by its name or by its labels."""
    system = (
        plain(one.name) in {*ALIASES[SYSTEM], *FURTHER.get(SYSTEM, ())} or {*words_of(one.name)} <= SYSTEMS - JUDGED
    )
    makers = {maker(word) for word in one.words}  # ids such as HumanEval/3 would be models of one
    return system or is_arm(one.name) or (len(makers) > 1 and None not in makers)


def _hold_models(table: Table, one: Column) -> bool:
    """Whether labels have the names of models of several makers in them, as ``news_gpt-4`` and ``law_claude`` have."""
    asked = table.shown(one.name, _SEEN)
    parts = [[part for part in re.split(r"[\s_/]+", text or "") if len(part) > _SHORT] for text in asked]
    makers = [made for label in parts if (made := next(filter(None, map(maker, label)), None)) is not None]
    return len({*makers}) > 1 and len(makers) * _SHARE >= len(asked)


def _counts(table: Table, one: Column) -> bool:
    """Whether a column counts, by its name and as averages times it are whole."""
    if not (one.whole and (one.low or 0) > 1 and {*words_of(one.name)} & _COUNTS):
        return False
    broken = [
        two
        for two in table.columns
        if two.scored and not two.whole and not measures(two.name) and not {*words_of(two.name)} & TOTALS
    ]
    broken = [two for two in broken if is_criterion(two.name)] or broken
    n = f"TRY_CAST({table.sql(one.name)} AS DOUBLE)"
    sums = [f"TRY_CAST({table.sql(two.name)} AS DOUBLE) * {n}" for two in broken]
    off = [f"max(abs({value} - round({value})))" for value in sums]
    return bool(off) and max(table.opened.relation.aggregate(", ".join(off)).fetchall()[0]) <= _ROUNDED


def totals_in(table: Table, taken: set[str]) -> tuple[str, ...]:
    """Columns that are the sum or the mean of others in every row, as spreadsheets have them."""
    numbers = [one for one in table.columns if one.numeric and one.name not in taken and one.distinct > 1]
    tried = {form for form, n in Counter(form_of(one.name) for one in numbers).items() if n > 1}  # as run 1 and run 2
    parts = [one for one in numbers if not TOTALS & {*words_of(one.name)}]
    parts = [one for one in parts if form_of(one.name) in tried or not no_score(one.name)]
    named = [one for one in numbers if TOTALS & {*words_of(one.name)}]
    ends = {one.name: {words_of(one.name)[0], words_of(one.name)[-1]} for one in named}  # and not as in MedSum-7B
    several = len(parts) > 1
    return tuple(
        one.name
        for one in named
        if (_SURE & ends[one.name] and (several or any(is_criterion(part.name) for part in parts)))
        or (several and is_made_of(table, one, parts))
    )


def total_of(table: Table, taken: set[str]) -> str | None:
    """The column of a total: by its name the sum or the mean of all other scores in every row, or of some their sum."""
    totals = totals_in(table, taken)
    numbers = [one for one in table.columns if one.numeric and one.name not in {*taken, *totals} and one.distinct > 1]
    parts = [one for one in numbers if not (no_score(one.name) or DESCRIBED & {*words_of(one.name)})]
    named = [table.column(name) for name in totals] if len(parts) > 1 else []
    every = [*parts, *named]
    made = [
        one.name
        for one in named
        if is_made_of(table, one, parts) or _is_sum(table, one, [two for two in every if two is not one])
    ]
    hinted = [one for one in parts if {*words_of(one.name)} & {*HINTS, "note"}]
    made = made or [one.name for one in hinted if _is_sum(table, one, [two for two in parts if two is not one])]
    return made[0] if len(made) == 1 else None


def _is_sum(table: Table, one: Column, others: Sequence[Column]) -> bool:
    """Whether a column is the sum of two others or more, of few, in every row."""
    names = [one, *others]
    if len(names) > _MOST_PARTS:
        return False
    values = ", ".join(f"TRY_CAST({table.sql(two.name)} AS DOUBLE)" for two in names)
    rows = np.array(table.opened.relation.project(values).limit(_ROWS_OF_SUM).fetchall(), dtype=float)
    rows = rows[np.isfinite(rows).all(axis=1)]
    if len(rows) <= _FEWEST_EACH * len(names):
        return False
    weights = np.linalg.lstsq(rows[:, 1:], rows[:, 0], rcond=None)[0]
    parts = [two for two, weight in zip(others, weights, strict=True) if abs(weight - 1) < _ROUNDED_ONCE]
    return len(parts) > 1 and is_made_of(table, one, parts)


def is_made_of(table: Table, one: Column, parts: Sequence[Column]) -> bool:
    """Whether a column is the sum or the mean of others in every row."""
    given = f"TRY_CAST({table.sql(one.name)} AS DOUBLE)"
    total = " + ".join(f"TRY_CAST({table.sql(two.name)} AS DOUBLE)" for two in parts)
    asked = f"max(abs({given} - ({total}))), max(abs({given} - ({total}) / {len(parts)}))"
    ((summed, meant),) = table.opened.relation.aggregate(asked).fetchall()
    return summed is not None and (summed <= _CLOSE or meant <= _ROUNDED_ONCE)


def made_of_others(table: Table, columns: Sequence[str]) -> str | None:
    """The one of several columns that is the mean of all others, or their sum, in every row; None if none is."""
    if not _FEWEST_EACH < len(columns) <= _MOST_PARTS:
        return None
    values = [f"TRY_CAST({table.sql(name)} AS DOUBLE)" for name in columns]
    total, others = f"({' + '.join(values)})", len(columns) - 1
    off = [f"max(abs({one} - ({total} - {one}) / {part}))" for one in values for part in (1, others)]
    whole, *found = table.opened.relation.aggregate(", ".join([f"count({total})", *off])).fetchall()[0]
    if whole <= _FEWEST_EACH * len(columns):
        return None
    far = zip(columns, found[::2], found[1::2], strict=True)
    made = [name for name, summed, mean in far if summed <= _CLOSE or mean <= _ROUNDED_ONCE]
    return made[0] if len(made) == 1 else None


def lies_within(table: Table, one: Column, parts: Sequence[Column]) -> bool:
    """Whether a column is between the least and the greatest of others in every row, and finer, as a trimmed mean is.

    One more who judged would be beyond them in two of k + 1 rows, where marks seldom fall together.
    """
    finer = 2 * len(one.values - frozenset[float]().union(*(part.values for part in parts))) > len(one.values)
    if not finer or (1 - 2 / (len(parts) + 1)) ** one.filled > _BY_CHANCE:
        return False
    given, *others = (f"TRY_CAST({table.sql(two.name)} AS DOUBLE)" for two in (one, *parts))
    every = f"[{', '.join(others)}]"
    asked = f"bool_and({given} BETWEEN list_min({every}) AND list_max({every}))"
    return table.opened.relation.aggregate(asked).fetchall() == [(True,)]
