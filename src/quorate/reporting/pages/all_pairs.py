"""All pairs of systems: the page of verdicts that hold together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.analysis.words import cut
from quorate.caveats import weightiest_first
from quorate.decide.all_pairs import Verdicts
from quorate.decide.outcome import Outcome
from quorate.decide.scores import ScoreVerdict
from quorate.decide.votes import Verdict
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import CORRECTED, NAIVE
from quorate.reporting.page import Caption, Figure, Page, Row, Section, Short, Tile, particulars, source_of, title_of
from quorate.reporting.pages.verdict import SHORT, TIES, centre
from quorate.wording import capitalised, counted

if TYPE_CHECKING:
    from quorate.decide.outcome import AnyVerdict
    from quorate.reporting.draw.vega import Spec
    from quorate.reporting.page import Table


def page(result: Verdicts, table: Table | None = None) -> Page:
    """The page of verdicts on all pairs."""
    one, count = result.verdicts[0], result.counts
    decided = "told apart", count["better"] + count["worse"]
    outcomes = (decided, ("equivalent", count["equivalent"]), ("undecided", count["undecided"]))
    facts: dict[str, object] = {"pairs": len(result.verdicts), **dict(outcomes)}
    facts |= {"pairs that could not be judged": result.skipped, "level of all together": result.level}
    facts |= {"level of each": one.level, "margin of equivalence": "none" if one.margin is None else one.margin}
    return Page(
        title=title_of(table, "All pairs of systems"),
        sentence=result.sentence,
        sections=(Section("pairs", "The verdicts", figures=(verdicts(result),)),),
        facts=particulars("compared", f"What was compared: {counted(len(result.verdicts), 'pair')}", facts.items()),
        methods=methods(result),
        content=result.to_dict,
        caveats=weightiest_first(result.caveats),
        tiles=tuple(
            Tile(f"{pairs:,}", f"{counted(pairs, 'pair').partition(' ')[2]} {name}") for name, pairs in outcomes
        ),
        source=source_of(table),
        options=f"level {result.level:g} of all together, power {one.power:g}",
    )


def verdicts(result: Verdicts) -> Figure:
    """Every pair with its interval at the level that all hold together at: the largest differences first."""
    by_votes = isinstance(result.verdicts[0], Verdict)
    zero, margin, level = centre(result.verdicts[0]), result.verdicts[0].margin, result.verdicts[0].level
    rows = [_row(verdict) for verdict in sorted(result.verdicts, key=lambda verdict: -abs(verdict.difference.value))]
    apart = sum(row["outcome"] in (Outcome.BETTER.value, Outcome.WORSE.value) for row in rows)
    name = "share of votes for the first" if by_votes else "mean score of the first less that of the second"
    lines = [
        f"{capitalised(name)}, with intervals at the level of each ({100 * level:.4g}%).",
        "Dashed: no difference. In colour: told apart.",
    ]
    lines += [] if margin is None else [f"Dotted: what counts as equal, {zero - margin:.4g} to {zero + margin:.4g}."]
    lines += [f"The chart shows {marks.MOST_ROWS} of them, evenly spaced."] if len(rows) > marks.MOST_ROWS else []
    lines += [
        f"{'Votes' if by_votes else 'Calls'} to decide: of a new study on the pair, if the difference is as found."
    ]

    def chart() -> Spec:
        shown = marks.spread(marks.known(rows, "low", "high"))
        window = marks.around(shown, "value", zero)
        colour = {Outcome.UNDECIDED.value: NAIVE, Outcome.EQUIVALENT.value: NAIVE}
        drawn = [marks.drawn(row, window, colour.get(row["outcome"], CORRECTED)) for row in shown]
        x = marks.axis("value", name, window)
        edges = [] if margin is None else [zero - margin, zero + margin]
        over = [marks.line_at(zero, x), *(marks.line_at(edge, x).mark("rule", strokeDash=[1, 3]) for edge in edges)]
        return marks.finish([*over, *marks.intervals(drawn, marks.chart(drawn, marks.labels("pair"), step=24), x)])

    drawable = chart if marks.known(rows, "low", "high") else None
    heads = {"pair": "first against second", "value": name, "p": "p of no difference"}
    heads |= {"p_equal": "p of a margin that large", "decides": "votes to decide" if by_votes else "calls to decide"}
    finding = f"{apart} of {counted(len(rows), 'pair')} {'is' if apart == 1 else 'are'} told apart"
    return Figure(
        "verdicts",
        Caption(finding, tuple(lines)),
        rows,
        drawable,
        heads,
        unfolded=True,
        short=Short(
            {
                "pair": "pair",
                "outcome": "outcome",
                "value": "share" if by_votes else "difference",
                "low": "interval",
                "p": "p",
            },
            of="value",
            at=zero,
            percent=("value",) if by_votes else (),
        ),
    )


def methods(result: Verdicts) -> str:
    """The paragraph for a methods section."""
    one = result.verdicts[0]
    by = f"votes ({TIES[one.difference.ties]})" if isinstance(one, Verdict) else "the difference of their mean scores"
    equal = "" if one.margin is None else " Equivalence is shown by two one-sided tests (Schuirmann, 1987)."
    return (
        f"All {len(result.verdicts):,} pairs of systems were compared by {by}. With a chance of {result.level:g} none "
        "of the verdicts is false: their levels are those of Holm's procedure (1979), here "
        f"{one.level:.5g} for each interval.{equal} The verdicts are for one look at data whose amount was set "
        "beforehand."
    )


def _row(verdict: AnyVerdict) -> Row:
    """One pair."""
    zero = centre(verdict)
    low, high = (zero + end for end in verdict.difference.at(verdict.level).ends)
    needed: int | None = None
    if isinstance(verdict, Verdict):
        needed = None if verdict.next_step is None else verdict.next_step.votes
    elif isinstance(verdict, ScoreVerdict):
        needed = None if verdict.next_step is None else verdict.next_step.calls
    row: Row = {
        "pair": f"{cut(verdict.a, SHORT)} against {cut(verdict.b, SHORT)}",
        "value": zero + verdict.difference.value,
        "low": low,
        "high": high,
        "outcome": verdict.outcome.value,
        "n": verdict.difference.n,
        "p": verdict.p_difference,
    }
    row |= {} if verdict.margin is None else {"p_equal": verdict.p_equivalence}
    return row | {"decides": needed}
