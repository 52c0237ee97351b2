"""Regression: coefficients that labels of a few rows correct, and how far labels and signs would move."""

from __future__ import annotations

import numpy as np

from quorate.analysis.words import called, cut, significant
from quorate.estimate.regression.regress import Regression
from quorate.estimate.regression.surrogate import SignFlip, Surrogate
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import CORRECTED, NAIVE
from quorate.reporting.page import Caption, Figure, Page, Row, Section, Short, Table, Tile, particulars
from quorate.wording import at_level, counted, listed, percent


def surrogate_page(result: Surrogate, table: Table | None = None) -> Page:
    """The page of a surrogate label."""
    low, high = result.estimate.ends
    facts = {f"levels of {name} in a label": count for name, count in result.levels.items()}
    facts |= {"answers of each cell": result.replicates}
    return Page.of(
        result,
        table,
        "A label by judges",
        sections=(Section("error", "Error of a label", figures=(parts(result),)),),
        facts=particulars("rests", "What a label is", facts),
        methods="The variance of a label about what the same judges would say of the item on average adds up "
        "components of a pilot that contain a facet whose levels might have been others, each over its levels (Messing "
        "2026, equation 15). Its interval is by draws of the components, each from the law of its mean square.",
        tiles=(
            Tile(significant(result.se), "standard deviation of a label's error"),
            Tile(significant(result.variance), f"its variance; {significant(low)} to {significant(high)}"),
        ),
    )


def parts(result: Surrogate) -> Figure:
    """What each component brings to the variance."""
    rows = [row | {"component": called(row["component"])} for row in result.rows()]
    most = max(rows, key=lambda row: row["variance"])
    finding = f"{percent(most['share'])} of the variance is {most['component']}"
    line = "Over the levels that a label is the mean of. What no averaging removes is bias, where it was given."
    heads = Short.titles("component", "variance", "share")
    return Figure.of("parts", Caption(finding, (line,)), rows, heads, percent="share")


def sign_flip_page(result: SignFlip, table: Table | None = None) -> Page:
    """The page of a sign."""
    facts = {"coefficient": result.beta, "standard error": result.se, "share of error of labels": result.ratio}
    parts = (Section("sign", "The other sign", figures=(chances(result),)),)
    rests = particulars("rests", "What it rests on", facts)
    how = (
        "Errors of labels that have nothing to do with the regressors bring their share of the outcome's variance "
        "to that of the coefficient; the coefficient without them is normal about the one found, by a flat prior "
        "(Messing 2026, appendix M). What goes with a regressor, such as a taste for long answers, is not counted."
    )
    return Page.of(result, table, "Errors of labels, and the sign of a coefficient", parts, rests, how)


def chances(result: SignFlip) -> Figure:
    """Both chances, with the standard deviations that they come from."""
    rows: list[Row] = [
        {"labels": "without error", "sd": result.noise, "chance": result.differs},
        {"labels": "of another run", "sd": result.noise * 2**0.5, "chance": result.again},
    ]
    finding = f"Errors of labels move the coefficient by {significant(result.noise)}, one standard deviation"
    heads = Short.titles("labels", sd="standard deviation", chance="other sign")
    return Figure.of("chances", Caption(finding), rows, heads, percent="chance")


def page(result: Regression, table: Table | None = None) -> Page:
    """The page of a regression."""
    least, most = result.probability
    facts: dict[str, object] = {"rows": result.n, "labels": result.labels, "link": result.link or "none (linear)"}
    facts |= {"smallest chance to be labelled": least, "largest chance to be labelled": most}
    facts |= {f"levels of {name}": count for name, count in zip(result.cluster, result.clusters, strict=True)}
    facts |= {} if np.isnan(result.effective) else {"labels that are as precise alone": result.effective}
    parts = (
        Section("coefficients", "Coefficients", figures=(coefficients(result),)),
        Section("ways", "By three ways", figures=(ways(result),)),
    )
    rests = particulars("regression", f"What it rests on: {counted(result.labels, 'label')}", facts)
    return Page.of(result, table, "A regression on labels", parts, rests, methods(result))


def coefficients(result: Regression) -> Figure:
    """Every coefficient, corrected, with the chance that the judge's labels give it another sign."""
    rows: list[Row] = []
    for one in result.coefficients:
        low, high = one.estimate.ends
        row: Row = {"coefficient": cut(one.name), "value": one.value, "low": low, "high": high}
        rows.append(row | {"se": one.se, "df": one.df, "other_sign": one.other_sign})
    known = [one for one in result.coefficients if not np.isnan(one.judged)]
    out = [one for one in known if not one.estimate.low <= one.judged <= one.estimate.high]
    finding = (
        f"The judge's labels give {len(out)} of {counted(len(rows), 'coefficient')} outside the corrected interval"
    )
    lines = (f"Corrected coefficients with {at_level(result.level)} intervals{_scale(result)}.",)
    caption = Caption(finding, lines)
    heads = {"coefficient": "coefficient", "value": "corrected", "low": f"{at_level(result.level)} interval"}
    heads |= {"other_sign": "other sign"}
    titles = {"se": "standard error", "df": "degrees of freedom"}
    titles |= {"other_sign": "chance of another sign than the judge's labels give"}
    return marks.dotted(
        "coefficients", caption, rows, heads, "coefficient", titles=titles, unfolded=True, at=0.0, percent="other_sign"
    )


def ways(result: Regression) -> Figure:
    """Coefficients but the intercept: corrected, by the judge's labels, and by labels of people alone."""
    rows: list[Row] = []
    looks: list[tuple[str, str]] = []
    for one in result.coefficients[1:]:
        each = (
            ("corrected", one.value, one.estimate.ends, (CORRECTED, "circle")),
            ("judge taken as right", one.judged, one.from_judges.ends, (NAIVE, "circle")),
            ("labels alone", one.labelled, one.from_labels.ends, (NAIVE, "square")),
        )
        for by, value, (low, high), look in each:
            if not np.isnan(value):
                rows.append({"by": f"{cut(one.name)}, {by}", "value": value, "low": low, "high": high})
                looks.append(look)
    effective = result.effective
    finding = "What the labels alone say is not known"
    if not np.isnan(effective):
        finding = f"The predictions make {counted(result.labels, 'label')} worth {effective:,.0f}"
    line = f"{at_level(result.level)} intervals; those of the judge's labels count none of its errors."
    heads = Short.titles("by", value="coefficient", low="interval")
    return marks.dotted("ways", Caption(finding, (line,)), rows, heads, "coefficient", drawn=rows, look=looks, at=0.0)


def methods(result: Regression) -> str:
    """The paragraph for a methods section."""
    kind = "linear" if result.link is None else "logistic"
    apart = f"clustered by {listed(result.cluster)}" if result.cluster else "heteroscedasticity-consistent (HC1)"
    return (
        f"Coefficients of a {kind} regression were estimated by design-based supervised learning (Egami, Hinck, "
        f"Stewart and Wei, 2023): {counted(result.labels, 'label')} by people, each with a known chance to be given, "
        f"correct the judge's labels of {result.n:,} rows in doubly robust outcomes, whose predictions are ridge "
        f"regressions fitted without the labels of the row's own cluster. Standard errors are {apart}; intervals are "
        "Student's, with degrees of freedom by the fourth moments of what rows bring to the variance."
    )


def _number(value: float) -> str:
    return "not known" if np.isnan(value) else f"{value:.3f}"


def _scale(result: Regression) -> str:
    return "" if result.link is None else ", in log odds"
