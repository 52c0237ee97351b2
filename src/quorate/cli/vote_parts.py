"""The parts of what commands on votes print: the verdict, all pairs, and smaller studies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from quorate.cli.console import heading, points, say, table
from quorate.cli.spelling import in_options

if TYPE_CHECKING:
    from rich.console import Console

    from quorate.analysis.pair import PairView
    from quorate.analysis.votes import VotesView
    from quorate.decide.votes.verdict import Verdict
    from quorate.plan.power.detectability import Detectability
    from quorate.simulate.two_stage import AllocationStudy
    from quorate.simulate.verdicts import VerdictRates

MOST_PAIRS = 10
"""Pairs that are listed one by one."""


def show(out: Console, view: VotesView | PairView) -> None:
    """Print the verdict on two systems, or how far apart all pairs are."""
    from quorate.analysis.pair import PairView

    if isinstance(view, PairView):
        _verdict(out, view.verdict)
    else:
        _all_pairs(out, view)


def show_rates(out: Console, rates: Sequence[VerdictRates], margin: float, notes: Iterable[str] = ()) -> None:
    """Print how often verdicts of smaller studies are wrong."""
    from quorate.wording import percent

    say(out, f"Verdicts of smaller studies, against all votes; equal means within {margin:g}.", style="bold")
    rows = [
        (
            f"{one.n:,}",
            one.method,
            *map(percent, (one.different, one.equivalent, one.undecided)),
            f"{one.wrong:.2%}",
            percent(one.false_alarm),
        )
        for one in rates
    ]
    heads = {"votes": "right", "taken as": "left"}
    table(out, heads | dict.fromkeys(("different", "equal", "undecided", "wrong", "size"), "right"), rows)
    for note in notes:
        say(out, note)
    say(out, f"Each row: {_studies(rates)}.")
    say(out, "Wrong: a difference the other way, or equal where all votes say not.")
    say(out, "Size: differences found where there is none; it should be 5% or less.")


def show_study(out: Console, found: AllocationStudy, notes: Iterable[str] = ()) -> None:
    """Print how often ways to spend votes over types of prompts find a difference."""
    from quorate.analysis.words import share
    from quorate.wording import listed

    say(out, "How often each way to spend the votes finds the difference", style="bold")
    budgets = [f"{n:,}" for n in found.budgets.tolist()]
    rows = [
        (n if first else "", test, share(power[at]))
        for at, n in enumerate(budgets)
        for first, (test, power) in zip((True, *[False] * len(found.power)), found.power.items(), strict=False)
    ]
    table(out, {"votes": "right", "spent and tested": "left", "found": "right"}, rows)
    for note in notes:
        say(out, note)
    kept = listed(f"{share(part)} with {n} votes" for n, part in zip(budgets, found.captured.tolist(), strict=True))
    say(out, f"Signal in the types that screening keeps: {kept}; by chance {share(found.expected_captured)}.")


def _studies(rates: Sequence[VerdictRates]) -> str:
    """How many studies each row is over, and of how many pairs."""
    from quorate.wording import counted, listed

    sizes: dict[tuple[int, int], dict[int, None]] = {}
    for one in rates:
        sizes.setdefault((one.studies, one.pairs), {})[one.n] = None
    said = []
    for (studies, pairs), at in sizes.items():
        where = f" with {listed(f'{n:,}' for n in at)} votes" if len(sizes) > 1 else ""
        said.append(f"{counted(studies, 'study')} of {counted(pairs, 'pair')}{where}")
    return "; ".join(said)


def _verdict(out: Console, found: Verdict) -> None:
    say(out, found.sentence, style="bold")
    if found.caveats:
        heading(out, "Caveats")
        points(out, (in_options(caveat.sentence) for caveat in found.caveats))


def _all_pairs(out: Console, view: VotesView) -> None:
    say(out, view.found.sentence, style="bold")
    say(out, view.near.sentence)
    if view.votes.source.caveats:
        heading(out, "Caveats")
        points(out, (caveat.sentence for caveat in view.votes.source.caveats))
    if len(view.found) > 1:
        _margins(out, view)
    _pairs(out, view)
    _curve(out, view.found)
    _equal(out, view)
    _stability(out, view)
    _dependence(out, view)
    out.print()
    say(out, f"Columns: {'; '.join(note.brief for note in view.votes.notes)}")


def _margins(out: Console, view: VotesView) -> None:
    from quorate.analysis.words import votes
    from quorate.wording import margin

    heading(out, "Margins over pairs: the share of votes for the better system, less .5")
    at = view.quantiles
    rows = [
        (f"the closest {share:.0%}", margin(value), f"{margin(low)} to {margin(high)}", votes(needed))
        for share, value, low, high, needed in zip(at.probability, at.margin, at.low, at.high, at.n, strict=True)
    ]
    head = {"of pairs": "left", "margin at most": "right", f"{at.level:.0%} interval": "right", "votes needed": "right"}
    table(out, head, rows)


def _pairs(out: Console, view: VotesView) -> None:
    from quorate.analysis.words import votes
    from quorate.reporting.pages.votes import pairs
    from quorate.wording import shares

    if len(view.found) > MOST_PAIRS:
        return
    order = "Pairs, the closest first" if len(view.found) > 1 else "The only pair"
    heading(out, f"{order}: votes for the second system")
    rows = []
    for row in pairs(view).rows:
        share, low, high = shares(*(0.5 + row[name] for name in ("margin", "low", "high")))
        rows.append((row["pair"], f"{row['votes']:,}", share, f"{low} to {high}", votes(row["implied"])))
    numbers = ("decisive", "share", f"{view.found.margins.level:.0%} interval", "votes needed")
    table(out, {"pair": "left"} | dict.fromkeys(numbers, "right"), rows)


def _curve(out: Console, found: Detectability) -> None:
    from quorate.analysis.words import share

    heading(out, "Pairs that so many votes each would decide")
    rows = [
        (f"{n:,}", *map(share, shares))
        for n, *shares in zip(found.budgets.tolist(), found.decided, found.corrected, found.within_reach, strict=True)
    ]
    last = f"power {found.target:g} or more"
    # every second row, so that the table and what follows fit on a screen; the report has all
    table(out, {"votes": "right", "decided": "right", "without noise": "right", last: "right"}, rows[1::2])


def _equal(out: Console, view: VotesView) -> None:
    from quorate.analysis.words import number
    from quorate.reporting.pages.votes import equal_budget

    caption = equal_budget(view).caption
    heading(out, caption.finding)
    rows = [(f"{one.votes:,}", *(number(z, 2) for z in (one.low, one.median, one.high))) for one in view.equal]
    heads = ("votes each", "z, 10% of studies", "50%", "90%")
    table(out, dict.fromkeys(heads, "right"), rows)
    say(out, " ".join((*caption.lines[:2], *caption.lines[4:])).replace(" (dashed)", ""))


def _stability(out: Console, view: VotesView) -> None:
    from quorate.reporting.pages.votes import stability

    heading(out, "Early votes and later ones")
    if view.stability is None:
        points(out, [f"not compared: {in_options(view.stability_reason)}"])
        return
    caption = stability(view.stability).caption
    points(out, [caption.finding, *caption.lines[1:]])


def _dependence(out: Console, view: VotesView) -> None:
    from quorate.analysis.words import number
    from quorate.reporting.pages.votes import dependence

    if not view.dependence:
        return
    heading(out, "How many times wider intervals get if votes that share something may agree")
    figure, names = dependence(view), ("low", "ratio", "high")
    rows = [(f"a {row['by']}", f"{row['pairs']:,}", *(number(row[name], 2) for name in names)) for row in figure.rows]
    heads = ("pairs", "10% of pairs", "50%", "90%")
    table(out, {"that share": "left"} | dict.fromkeys(heads, "right"), rows)
    points(out, figure.caption.lines[1:])
