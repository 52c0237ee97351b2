"""What judges and systems have of their own on a board: how sharply each judge sees, how readily each system ties."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from quorate.analysis.words import distinct
from quorate.estimate.ratings.ratings import Ratings
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import CORRECTED, NAIVE
from quorate.reporting.draw.vega import channel
from quorate.reporting.page import Caption, Figure, Row, Section
from quorate.wording import capitalised, counted, listed, plural

if TYPE_CHECKING:
    from quorate.analysis.ratings import RatingsAnalysis
    from quorate.estimate.ratings.contrast import Contrast
    from quorate.reporting.draw.vega import Spec

MOST_DRAWN = 120


def section(view: RatingsAnalysis) -> Section | None:
    """Slopes of judges and ties of systems; None where neither was asked for."""
    found = view.found
    if not isinstance(found, Ratings) or not (found.slopes or found.tie_rates):
        return None
    figures, titles = [], []
    if found.slopes:
        titles.append(f"slopes of {plural(str(found.discrimination))}")
        words = "slope on the difference of the ratings, 1 on average"
        figures.append(rates("slopes", str(found.discrimination), found.slopes, view.level, words, 1.0))
    if found.tie_rates:
        titles.append("ties of every system")
        words = "parameter of ties, about the mean of all"
        figures.append(rates("ties-by-system", "system", found.tie_rates, view.level, words))
    said = tuple(line for line in (view.slope_words, view.tie_words) if line)
    return Section("own", capitalised(listed(titles)), said, tuple(figures))


def rates(name: str, of: str, found: Mapping[str, Contrast], level: float, words: str, mean: float = 0.0) -> Figure:
    """A number for every level, the largest first, with intervals for each."""
    best = sorted(found, key=lambda one: -found[one].value)
    rows: list[Row] = []
    for one, label in zip(best, distinct(best), strict=True):
        low, high = found[one].at(level).ends
        rows.append({"level": label, "value": found[one].value, "se": found[one].se, "low": low, "high": high})
    sure = [row["low"] > mean or row["high"] < mean for row in rows]
    apart = sum(sure)
    finding = f"{counted(apart, of)} of {len(rows):,} surely {'differs' if apart == 1 else 'differ'} from the mean"
    span = f"{100 * level:.4g}%"

    def chart() -> Spec:
        first = rows[:MOST_DRAWN]
        window = marks.around(first, "value")
        colours = [CORRECTED if certain else NAIVE for certain in sure]
        drawn = [marks.drawn(row, window, colour) for row, colour in zip(first, colours, strict=False)]
        base = marks.chart(drawn, channel("level:N", sort=None, title=None), step=20)
        x = marks.axis("value", words, window, len(first))
        return marks.finish([*marks.intervals(drawn, base, x, thickness=2)])

    heads = {"level": of, "value": words, "se": "standard error", "low": f"low, {span}", "high": f"high, {span}"}
    return Figure(name, Caption(finding, (f"The {words}, with {span} intervals for each.",)), rows, chart, heads)
