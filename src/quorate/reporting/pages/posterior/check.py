"""Check of posteriors: the page of ranks of the truth among the draws of simulated studies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.analysis.words import cut
from quorate.numerics.posterior.convergence import BINS, DRAWS, Uniformity
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import CORRECTED, INK, MISSED, NAIVE
from quorate.reporting.draw.vega import Marks, channel
from quorate.reporting.page import Caption, Figure, Page, Row, Section, Short, Tile, particulars, source_of, title_of
from quorate.reporting.pages.posterior.page import LINKS
from quorate.wording import counted

if TYPE_CHECKING:
    from quorate.estimate.posterior.check import PosteriorCheck
    from quorate.reporting.draw.vega import Channel, Spec
    from quorate.reporting.page import Table


def page(result: PosteriorCheck, table: Table | None = None) -> Page:
    """The page of a check of posteriors."""
    facts: dict[str, object] = {"simulated studies": result.studies, "draws ranked in each": DRAWS}
    facts |= {"chains": result.chains, "draws of each": result.draws}
    facts |= {"studies with chains too short to be reported": result.unconverged, "seconds": f"{result.seconds:,.0f}"}
    low, high = result.band
    how = (
        "In every study the prior draws the truth, and the truth draws the scores of the same cells. It is ranked "
        f"among {DRAWS} draws of its posterior: {result.studies / BINS:g} studies are expected in each tenth. All bars "
        f"lie between {low} and {high} (the band) for 19 of 20 parameters if posteriors are right. Bars high at both "
        "ends: intervals too short; high in the middle: too long; sloping: medians too low or too high."
    )
    return Page(
        title=title_of(table, "Check of posteriors"),
        sentence=result.sentence,
        sections=(
            Section("ranks", "Where the truth lies among the draws", (how,), tuple(_histograms(result))),
            Section("tests", "Are the ranks uniform?", (), (tests(result),)),
        ),
        facts=particulars("checks", "How it was simulated", facts.items()),
        methods=methods(result),
        content=result.to_dict,
        tiles=(
            Tile(f"{result.p:.2g}", "least p-value of uniform ranks, by Bonferroni"),
            Tile(f"{result.studies:,}", "simulated studies"),
            Tile(f"{len(result.ranks):,}", "parameters whose ranks are looked at"),
        ),
        source=source_of(table),
        options=f"{counted(result.studies, 'study')}, link {result.link}",
        seed=result.seed,
    )


def _histograms(result: PosteriorCheck) -> list[Figure]:
    """One histogram a parameter."""
    return [
        histogram(f"ranks-{at}", name, one, result.band)
        for at, (name, one) in enumerate(result.uniformity.items(), start=1)
    ]


def histogram(name: str, parameter: str, found: Uniformity, band: tuple[int, int]) -> Figure:
    """Ranks of one parameter in tenths, with the band that they lie in if they are uniform."""
    low, high = band
    size = (DRAWS + 1) // BINS
    rows: list[Row] = [
        {"ranks": f"{at * size}–{(at + 1) * size - 1}", "studies": count, "in the band": low <= count <= high}
        for at, count in enumerate(found.counts)
    ]
    outside = sum(not low <= count <= high for count in found.counts)
    said = "all bars in the band" if not outside else f"{counted(outside, 'bar')} outside the band"
    finding = f"{cut(parameter)}: {said}, p = {found.p:.3f}"

    def chart() -> Spec:
        shown = [
            {**row, "colour": CORRECTED if row["in the band"] else MISSED, "low": low, "high": high} for row in rows
        ]
        expected = sum(found.counts) / BINS
        x = channel("ranks:N", sort=None, title="rank of the truth", axis={"labelAngle": 0, "labelOverlap": True})
        top = 1.05 * max(high, *found.counts)
        scale, axis = {"domain": [0, top], "nice": False}, {"tickCount": 4}

        def y(field: str) -> Channel:
            return channel(f"{field}:Q", title="studies", scale=scale, axis=axis)

        base = Marks(shown).encode(x=x, tooltip=["ranks:N", "studies:Q"])
        lines = Marks([{"low": low, "high": high, "expected": expected}])
        layers = [
            lines.mark("rect", opacity=0.25, color=NAIVE).encode(y=y("low"), y2="high"),
            base.mark("bar", width={"band": 0.8}).encode(y=y("studies"), color=marks.own_colour()),
            lines.mark("rule", color=INK, opacity=0.6, strokeDash=[4, 3]).encode(y=y("expected")),
        ]
        return marks.finish(layers, height=150)

    return Figure(name, Caption(finding), rows, chart)


def tests(result: PosteriorCheck) -> Figure:
    """Counts and the p-value of every parameter."""
    rows: list[Row] = [
        {"parameter": cut(name), "ranks in tenths": ", ".join(map(str, one.counts)), "p": one.p}
        for name, one in result.uniformity.items()
    ]
    finding = f"The least of {counted(len(rows), 'p-value')} is that of {cut(result.worst)}"
    lines = ("Chi-square on 9 degrees of freedom.",)
    return Figure(
        "tests",
        Caption(finding, lines),
        rows,
        None,
        {"p": "chi-square p"},
        short=Short({"parameter": "parameter", "ranks in tenths": "studies in each tenth", "p": "p"}),
    )


def methods(result: PosteriorCheck) -> str:
    """The paragraph for a methods section."""
    of = LINKS.get(result.link, "scores as numbers")
    return (
        f"Posteriors ({of}) were checked by simulation-based calibration (Talts et al., 2018): {result.studies:,} "
        "studies of the cells of this table were simulated from parameters that the prior drew, and the truth was "
        f"ranked among {DRAWS} evenly spaced draws of {result.chains} chains of {result.draws:,}. {result.sentence}"
    )
