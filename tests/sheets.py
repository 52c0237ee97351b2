"""Tables as people keep them: a row for each thing or each combination of levels, with marks without a pattern."""

from __future__ import annotations

import numpy as np

N = 24
MARKS = [1 + (i * i + i // 3) % 5 for i in range(97)]
"""Marks from 1 to 5 without a pattern."""


def mark(*places: int) -> int:
    return MARKS[sum(7 ** (at + 1) * place for at, place in enumerate(places)) % 97]


def sheet(names, *, head="id", rows=N, label="{}", value=mark):
    """A row for each thing, with a column for each of these names."""
    yield ",".join(([head] if head else []) + list(names))
    for i in range(rows):
        cells = [str(value(i, j)) for j in range(len(names))]
        yield ",".join(([label.format(i)] if head else []) + cells)


def crossed(names, *levels, rows=N, value=mark):
    """A row for each combination of levels of named columns, the last of them scores."""
    yield ",".join(names)
    for i in range(rows * int(np.prod(levels, initial=1))):
        places, rest = [], i
        for n in (*reversed(levels), rows):
            places.insert(0, rest % n)
            rest //= n
        yield ",".join(
            [f"{name[0]}{place}" for name, place in zip(names, places, strict=False)] + [str(value(*places))]
        )


def rows(header, *lines):
    yield header
    yield from lines


def write(tmp_path, lines):
    path = tmp_path / "table.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
