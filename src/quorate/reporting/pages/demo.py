"""The demonstration: which intervals hold its truth, and how often they do."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from quorate.reporting.page import Caption, Figure, Section, Short

if TYPE_CHECKING:
    from quorate.analysis.demo import AgainstTruth


def section(compared: AgainstTruth) -> Section:
    """The intervals of this draw against the truth."""
    rows = [
        {**asdict(one), "holds_truth": "holds it" if one.holds_truth else "misses it"} for one in compared.intervals
    ]
    held = compared.measured
    line = (
        f"This is one draw, seed {compared.seed}. Over {held.draws:,} draws the naive interval held the truth in "
        f"{held.naive:.1%}, the one for this setup its own in {held.setup:.1%}, the one for others like it in "
        f"{held.others:.1%}. To measure again: quorate.simulate.demo_coverage()."
    )
    heads = {"interval": "", "truth": "truth", "low": "95% interval", "holds_truth": ""}
    short = Short(heads, of="truth")
    finding = f"Which intervals hold the truth; over {held.draws:,} draws the naive one did in {held.naive:.1%}"
    figure = Figure("truth", Caption(finding, (line,)), rows, headers={"holds_truth": "holds it"}, short=short)
    return Section("truth", "Against the truth", figures=(figure,))
