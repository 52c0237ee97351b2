"""Log odds: components on their scale beside those of scores as numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.analysis.words import cut, distinct
from quorate.caveats import weightiest_first
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import CORRECTED, NAIVE
from quorate.reporting.draw.vega import channel
from quorate.reporting.page import Caption, Figure, Page, Section, Short, particulars, source_of, title_of
from quorate.reporting.pages.judgments.phrases import capital

if TYPE_CHECKING:
    from quorate.analysis.judgments import Analysis
    from quorate.estimate.components.latent import LatentDecomposition
    from quorate.reporting.draw.vega import Spec
    from quorate.reporting.page import Row, Table

HEADING = "On the scale of log odds"
WHY = (
    "Where scores are near an end of their scale, the variance of a judgment depends on its mean; log odds have one "
    "scale for all. If both put the components in the same order, what to change first does not depend on the scale. "
    "Intervals and plans are those of scores as numbers."
)


def section(analysis: Analysis) -> Section | None:
    """Whether the scale of log odds tells another story, where that was looked at."""
    if analysis.latent is None:
        return Section("latent", HEADING, (f"{capital(analysis.latent_reason)}.",)) if analysis.latent_reason else None
    return Section("latent", HEADING, (analysis.latent.sentence, WHY), (shares(analysis.latent),))


def page(fit: LatentDecomposition, table: Table | None = None) -> Page:
    """The page of components of log odds."""
    chosen = {"link": fit.link, "method": fit.method, "deviance": fit.deviance}
    return Page(
        title=title_of(table, "Components of log odds"),
        sentence=fit.sentence,
        sections=(Section("latent", HEADING, (WHY,), (shares(fit),)),),
        facts=particulars("model", f"Fitted to {fit.judgments.n_answers:,} judgments", chosen.items()),
        methods=(
            "Random effects on the log odds are normal; the likelihood is Laplace's approximation, and one judgment "
            "has variance pi^2/3. The mean is over the random effects, its interval by the delta method on log odds."
        ),
        content=fit.to_dict,
        caveats=weightiest_first(fit.caveats),
        source=source_of(table or fit.judgments),
    )


def shares(fit: LatentDecomposition) -> Figure:
    """Share of every component of the variance of one judgment, on both scales."""
    parts = sorted(fit.components, key=lambda one: -one.share)
    names = distinct([cut(one.name) for one in parts])
    keys = ("share", "linear", "variance", "se", "kind")
    rows: list[Row] = [
        {"term": name} | {key: getattr(one, key) for key in keys} for name, one in zip(names, parts, strict=True)
    ]

    def chart() -> Spec:
        scales = {"log odds": "share", "scores as numbers": "linear"}
        drawn = [
            {"term": row["term"], "scale": name, "share": row[key]} for row in rows for name, key in scales.items()
        ]
        colour = channel("scale:N", scale={"domain": [*scales], "range": [CORRECTED, NAIVE]}, title=None)
        x = channel("share:Q", title="share of the variance of one judgment", axis={"format": "%"})
        base = marks.chart(drawn, marks.labels("term"), step=marks.step(rows))
        return marks.finish([base.mark("point", filled=True, size=80).encode(x=x, color=colour)])

    finding = f"The orders of the components have a Spearman correlation of {fit.rank_correlation:.2f}"
    lines = ("Share of the variance of one judgment: of log odds, and of scores as numbers.",)
    heads = {"share": "share, log odds", "linear": "share, scores", "variance": "variance, log odds"}
    return Figure(
        "latent",
        Caption(finding, lines),
        rows,
        chart,
        heads,
        short=Short({"term": "component", "share": "log odds", "linear": "scores"}, percent=("share", "linear")),
    )
