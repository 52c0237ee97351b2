"""Ties: the figure on what ways to count ties do to margins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.estimate.votes.ties import WAYS
from quorate.reporting.page import Caption, Figure, Short
from quorate.wording import counted

if TYPE_CHECKING:
    from quorate.estimate.votes.ties import TieSensitivity
    from quorate.reporting.page import Row


def ties(found: TieSensitivity) -> Figure:
    """Margins under three ways to count ties, and near ties under each."""
    at, near = found.quantiles["drop"].probability, found.near_ties["drop"]
    rows: list[Row] = [
        {"ties": WAYS[name], "margin": one.margin[0], "median": one.margin[-1], "near": found.near_ties[name].count}
        for name, one in found.quantiles.items()
    ]
    lowest, middle = (f"margin at most, {share:.0%} of pairs" for share in (at[0], at[-1]))
    heads = {"margin": lowest, "median": middle, "near": f"pairs with a margin of {near.tau:g} or less"}
    counts = [one.count for one in found.near_ties.values()]
    ends = " to ".join(f"{count:,}" for count in sorted({min(counts), max(counts)}))
    finding = f"Of {counted(near.pairs, 'pair')}, {ends} are nearly tied"
    line = "Ties left out, as halves, or all against the first system of each pair, the worst case."
    return Figure(
        "ties",
        Caption(finding, (line,)),
        rows,
        headers=heads,
        short=Short({"ties": "ties", "margin": lowest, "median": middle, "near": "near ties"}),
    )
