"""Smaller studies of votes at hand: how often their verdicts are wrong, and what screening types of prompts finds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.reporting.page import Caption, Figure, Page, Row, Section, Short, particulars, source_of, title_of
from quorate.wording import counted, listed, percent, whole_percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quorate.analysis.replay import PairReplay, VerdictReplay
    from quorate.reporting.page import Table
    from quorate.simulate.verdicts import VerdictRates

METHODS = "Studies were drawn from the votes at hand, whose whole stands for the truth."


def page(result: VerdictReplay, table: Table | None = None) -> Page:
    """How often verdicts of smaller studies are wrong, over all pairs."""
    last = result.rates[-1]
    lines = (
        f"Each row: {drawn(result.rates)}.",
        "Wrong: a difference the other way, or equal where all votes say not.",
        f"Size: differences found where there is none; it should be {100 * (1 - result.level):.4g}% or less.",
    )
    shares = ("different", "equivalent", "undecided", "wrong", "false_alarm")
    heads = {"n": "votes", "method": "taken as", **{name: name for name in shares}, "false_alarm": "size"}
    figure = Figure(
        "verdicts",
        Caption("Verdicts of smaller studies", lines),
        result.rows(),
        headers=heads,
        short=Short(heads, percent=shares),
    )
    return Page(
        title=title_of(table, "Smaller studies of votes"),
        sentence=(
            f"Verdicts of smaller studies against all votes, equal within {result.margin:g}: with {last.n:,} votes "
            f"{percent(last.wrong)} are wrong and {percent(last.undecided)} undecided."
        ),
        sections=(Section("verdicts", "Verdicts", (*lines[1:], *result.notes), (figure,)),),
        facts=particulars("drawn", "What was drawn", [("studies", drawn(result.rates)), ("level", result.level)]),
        methods=METHODS,
        content=lambda: {"rates": result.rows()},
        source=source_of(table),
    )


def pair(result: PairReplay, table: Table | None = None) -> Page:
    """How often ways to spend votes over types of prompts find the difference between two systems."""
    study = result.study
    budgets = study.budgets.tolist()
    rows: list[Row] = [
        {"n": n, "test": test, "found": float(power[at])}
        for at, n in enumerate(budgets)
        for test, power in study.power.items()
    ]
    captured = zip(budgets, study.captured.tolist(), strict=True)
    kept = listed(f"{whole_percent(part)} with {n:,} votes" for n, part in captured)
    signal = f"Signal in the types that screening keeps: {kept}; by chance {whole_percent(study.expected_captured)}."
    heads = {"n": "votes", "test": "spent and tested", "found": "found"}
    short = Short(heads, percent=("found",))
    figure = Figure("found", Caption("How often the difference is found"), rows, headers=heads, short=short)
    best = max(rows, key=lambda row: row["found"])
    return Page(
        title=title_of(table, "Ways to spend votes"),
        sentence=(
            f"The difference is found most often, in {percent(best['found'])} of studies, by {best['test']} with "
            f"{best['n']:,} votes."
        ),
        sections=(Section("found", "Found", (signal, *result.notes), (figure,)),),
        facts=particulars("drawn", "What was drawn", [("studies", study.studies)]),
        methods=METHODS,
        content=result.to_dict,
        source=source_of(table),
    )


def drawn(rates: Sequence[VerdictRates]) -> str:
    """How many studies each row is over, and of how many pairs."""
    sizes: dict[tuple[int, int], dict[int, None]] = {}
    for one in rates:
        sizes.setdefault((one.studies, one.pairs), {})[one.n] = None
    parts = []
    for (studies, pairs), at in sizes.items():
        where = f" with {listed(f'{n:,}' for n in at)} votes" if len(sizes) > 1 else ""
        parts.append(f"{counted(studies, 'study')} of {counted(pairs, 'pair')}{where}")
    return "; ".join(parts)
