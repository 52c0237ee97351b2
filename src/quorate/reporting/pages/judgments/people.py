"""Judges and prompts against each other, single configurations, and items that people should decide first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from quorate.analysis.judgments import Analysis
from quorate.analysis.views import MOST_PARTS
from quorate.analysis.words import cut, distinct, number, significant
from quorate.estimate.components.robustness import Stated
from quorate.estimate.means.flags import Flag, Flags
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import CORRECTED, INK, MISSED, NAIVE, SEQUENTIAL, Spec, channel, palette
from quorate.reporting.page import Caption, Figure, Row, Section
from quorate.reporting.pages.judgments.phrases import SHORT, axis, capital, more, places, size
from quorate.roles import JUDGE, PROMPT
from quorate.table.columns.labels import ABSENT
from quorate.table.judgments import Judgments
from quorate.table.results import picked
from quorate.wording import at_level, counted, decimals, listed, plural, whole_percent

if TYPE_CHECKING:
    from numpy.typing import NDArray


MOST_ENDS = 10
"""Configurations of a flagged item that are listed from each end."""
BINS = 60
"""Places on the axis of scores at which configurations count as equal in a chart."""


def people_section(analysis: Analysis) -> Section:
    """Items on which configurations differ most, and how they were scored."""
    what, flags = plural(cut(analysis.judgments.object)), analysis.flags
    heading = f"{what.capitalize()} to send to people"
    if flags is None:
        return Section("people", heading, (f"{capital(analysis.flags_reason)}.",))
    text = [f"{capital(caveat.sentence)}." for caveat in flags.caveats]
    text.append(
        f"Judges, prompts and settings differ most on these {what}, so a single configuration is least to be trusted "
        "there; people should decide them first. Where judges agree they can agree on a mistake: send some others too."
    )
    return Section("people", heading, tuple(text), (flagged(analysis, flags), flagged_scores(analysis, flags)))


def conditions(analysis: Analysis) -> list[str]:
    """For every flagged item, a condition that finds its rows."""
    flags = () if analysis.flags is None else analysis.flags.flags
    return [where(analysis.judgments, flag.labels) for flag in flags]


def flagged(analysis: Analysis, flags: Flags) -> Figure:
    """How far apart the flagged items were scored; how much of the disagreement is in few of them.

    Spreads are standard deviations of one judgment, in score units. A condition that is too long to read is in the JSON
    only.
    """
    item, labels = cut(analysis.judgments.object), _labels(flags)
    short = [rows if len(rows) <= MOST else "too long; see the JSON" for rows in conditions(analysis)]
    rows: list[Row] = [
        {"item": label, "rows": condition, "lowest": flag.lowest, "highest": flag.highest}
        | {"spread": flag.variance**0.5, "low": flag.low**0.5, "high": flag.high**0.5, "df": flag.df}
        | {"judgments": flag.n}
        for label, condition, flag in zip(labels, short, flags.flags, strict=True)
    ]
    finding = f"The {plural(item)} do not differ in spread by more than chance"
    if flags.between > 0:
        name = cut(rows[0]["item"], SHORT)
        worst = name if any(c.isalpha() for c in name) else f"{item} {name}"
        ends = f"{rows[0]['lowest']:.4g} to {rows[0]['highest']:.4g}"
        finding = (
            f"{len(flags.flags):,} of {flags.items:,} {plural(item)} have {whole_percent(flags.share)} of the "
            f"disagreement; {worst} most, scored {ends}"
        )
    over = listed([plural(cut(name)) for name in flags.over]) if flags.over else "replicates"
    spread = f"Spread: standard deviation of one judgment of the same {item} over {over}"
    average = f"of the average one {significant(flags.mean**0.5, 2)}"
    left = f" {flags.left_out:,} judged too rarely to compare." if flags.left_out else ""
    lines = (
        f"{spread}, after differences that all {plural(item)} share; {average}.{left}",
        "Dots: configurations by mean score, larger where several agree; bar: from the least to the greatest score.",
    )

    def chart() -> Spec:
        more = [{"configurations": flag.cells, "expected": flag.expected**0.5} for flag in flags.flags]
        drawn = [
            {**row, "rows": condition, **own}
            for row, condition, own in zip(rows, conditions(analysis), more, strict=True)
        ]
        scores, facts = _spread(analysis, flags), analysis.support.facts.scores
        x = marks.axis("lowest", axis(analysis), marks.span([facts.low, facts.high]))
        base = marks.chart(drawn, marks.labels("item"), step=marks.step(drawn))
        bar = base.mark("rule", strokeWidth=8, opacity=0.25, color=NAIVE).encode(x=x, x2="highest")
        most = max(row["configurations"] for row in scores)
        scale = {"domain": [1, max(most, 2)], "range": [40, 40 + 12 * min(most, 20)]}
        size = channel("configurations:Q", scale=scale, legend=None)
        colour = palette(analysis.judgments.names).get(JUDGE, CORRECTED)
        dots = marks.chart(scores, marks.labels("item"), step=marks.step(drawn))
        points = dots.mark("point", filled=True, opacity=0.7, color=colour).encode(x=marks.like(x, "mean"), size=size)
        return marks.finish([bar, points])

    differ = flags.between > 0
    caption, drawn = Caption(finding, lines), chart if differ else None
    return Figure("flagged", caption, rows, drawn, _heads(analysis), folded=not differ, unfolded=differ)


def flagged_scores(analysis: Analysis, flags: Flags) -> Figure:
    """How the flagged items were scored, configuration by configuration: the lowest and the highest of each."""
    fitted, rows = analysis.fit.judgments, []
    varied = [name for name in flags.over if analysis.several(name)]
    columns = [(fitted.facet(name).levels, fitted.column(name)) for name in varied]
    for label, flag in zip(_labels(flags), flags.flags, strict=True):
        cells = _cells(analysis, flag)
        cells = cells[np.argsort(fitted.mean[cells], kind="stable")]
        if len(cells) > 2 * MOST_ENDS:
            cells = np.concatenate([cells[:MOST_ENDS], cells[-MOST_ENDS:]])
        rows += [
            {"item": label}
            | {"configuration": cut(" · ".join(levels[column[cell]] for levels, column in columns) or "all")}
            | {"mean": float(fitted.mean[cell]), "judgments": int(fitted.n[cell])}
            | {"lowest": float(fitted.low[cell]), "highest": float(fitted.high[cell])}
            for cell in cells
        ]
    most = max((flag.cells for flag in flags.flags), default=0)
    ends = f"; the {MOST_ENDS} lowest and highest of each" if most > 2 * MOST_ENDS else ""
    what = plural(cut(analysis.judgments.object))
    caption = Caption(f"How these {what} were scored, configuration by configuration", (f"Mean scores{ends}.",))
    return Figure("flagged-scores", caption, rows, None, _heads(analysis), folded=True)


def _labels(flags: Flags) -> list[str]:
    return distinct([" / ".join(flag.labels.values()) for flag in flags.flags])


def _heads(analysis: Analysis) -> dict[str, str]:
    heads = {"item": cut(analysis.judgments.object), "spread": "spread of one judgment", "low": "low, 95%"}
    return heads | {"high": "high, 95%", "rows": "rows, as SQL condition"}


def _cells(analysis: Analysis, flag: Flag) -> NDArray[np.intp]:
    """Cells of a flagged item."""
    fitted = analysis.fit.judgments
    member = np.ones(fitted.n_cells, dtype=bool)
    for role, text in flag.labels.items():
        member &= fitted.column(role) == fitted.level_index(role, text)
    return np.flatnonzero(member)


def _spread(analysis: Analysis, flags: Flags) -> list[Row]:
    """How many configurations scored each flagged item alike: item, mean, configurations; equal but for the bin."""
    fitted, scores = analysis.fit.judgments, analysis.support.facts.scores
    step = max((scores.high - scores.low) / BINS, np.finfo(float).tiny)
    rows: list[Row] = []
    for label, flag in zip(_labels(flags), flags.flags, strict=True):
        mean = fitted.mean[_cells(analysis, flag)]
        bins = np.rint((mean - scores.low) / step)
        for at in np.unique(bins):
            alike = mean[bins == at]
            rows.append({"item": label, "mean": float(alike.mean()), "configurations": len(alike)})
    return rows


MOST = 300
"""Longer conditions are in downloads only."""


def where(judgments: Judgments, labels: Mapping[str, str]) -> str:
    r"""A condition that selects the rows with these labels, as SQL that DuckDB and PostgreSQL read.

    Examples
    --------
    >>> import polars
    >>> import quorate as q
    >>> frame = polars.DataFrame({"item_id": ["it's", "b"], "judge": ["x", "y"], "score": [1, 2]})
    >>> where(q.read(frame, announce=False), {"item": "it's"})
    '"item_id" = \'it\'\'s\''
    """
    conditions = []
    for role, label in labels.items():
        name = '"' + judgments.facet(role).column.replace('"', '""') + '"'
        same = f"{name} = {literal(label)}"
        conditions.append(f"({name} IS NULL OR {same})" if label == ABSENT else same)
    return " AND ".join(conditions)


def literal(text: str) -> str:
    r"""Text as an SQL string on one line; characters that cannot be seen by their number.

    Examples
    --------
    >>> print(literal("two\nlines"))
    'two' || chr(10) || 'lines'
    """
    parts, plain = [], ""
    for character in text:
        if character.isprintable() or character == " ":
            plain += character
        else:
            parts += [_quoted(plain)] * bool(plain) + [f"chr({ord(character)})"]
            plain = ""
    return " || ".join([*parts, *([_quoted(plain)] if plain or not parts else [])])


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def judges_section(analysis: Analysis) -> Section:
    """Effects, means, leave-one-out and categories, where something can be said."""
    figures = [effects(analysis, facet) for facet in analysis.effects]
    others = (means(analysis), leave_one_out(analysis), by_category(analysis))
    figures += [figure for figure in others if figure is not None]
    text = [f"No {facet} effects: {cut(reason, 500)}." for facet, reason in analysis.effects_reasons.items()]
    for facet, what in ((JUDGE, "without each judge"), (analysis.grouping, f"within each {analysis.grouping}")):
        if facet in analysis.judgments.names and analysis.judgments.n_levels(str(facet)) > MOST_PARTS:
            text.append(f"The mean {what} is left out: more than {MOST_PARTS} levels would be refitted.")
    text += [] if figures or text else ["One judge and one prompt at most: there is nothing to compare."]
    return Section("judges", "Judges and prompts", tuple(text), tuple(figures))


def effects(analysis: Analysis, facet: str) -> Figure:
    """How far each level of a facet is from the mean over the levels, the highest first; who is furthest off."""
    found = sorted(analysis.effects[facet], key=lambda one: -one.effect)
    rows: list[Row] = [
        {"level": label} | picked(one, "effect se low high mean n")
        for label, one in zip(distinct([one.level for one in found]), found, strict=True)
    ]
    apart = [row for row in rows if row["low"] > 0 or row["high"] < 0]
    if not marks.known(rows, "se"):
        finding = f"No differences between {plural(facet)} were found: their variance is estimated at zero"
    elif apart:
        furthest = max(apart, key=lambda row: abs(row["effect"]))
        way = "above" if furthest["effect"] > 0 else "below"
        by = number(abs(furthest["effect"]), decimals(furthest["se"]))
        finding = f"{cut(furthest['level'], SHORT)} scores {by} {way} the mean of the {plural(facet)}"
    else:
        finding = f"No {facet} stands apart: every interval holds the mean of the {plural(facet)}"
    predicted = ", drawn towards it as far as the data are thin" if len(rows) > MOST_PARTS else ""
    level = at_level(analysis.level)
    line = f"Difference from the mean over {counted(len(rows), facet)}{predicted}, with {level} intervals"

    def chart() -> Spec:
        colour = palette(analysis.judgments.names)[facet]
        title = axis(analysis, "difference in")
        return marks.dots(marks.furthest(rows, "effect"), "level", "effect", title, colour, at=0.0)

    heads = {"level": cut(facet), "effect": "difference from the mean", "se": "standard error"}
    drawn = chart if marks.known(rows, "effect") else None
    return Figure(f"effects-{facet}", Caption(finding, (f"{line}; {size(analysis)}.", *more(rows))), rows, drawn, heads)


def means(analysis: Analysis) -> Figure | None:
    """Mean score of every combination of judge and prompt; which are lowest and highest."""
    grid = analysis.means
    if grid is None:
        return None
    sides = {"row": grid.row_facet, "column": grid.column_facet}
    rows: list[Row] = [
        {"row": row, "column": column, "mean": float(grid.mean[i, k])}
        for i, row in enumerate(distinct(grid.rows))
        for k, column in enumerate(distinct(grid.columns))
    ]
    known, p = marks.known(rows, "mean"), places(analysis)
    low, high = (
        f"{number(row['mean'], p)} ({cut(row['row'], SHORT)}, {cut(row['column'], SHORT)})"
        for row in (pick(known, key=lambda row: row["mean"]) for pick in (min, max))
    )
    line = f"Mean of {cut(analysis.judgments.score)} by {JUDGE} and {PROMPT}; {size(analysis)}."
    empty = ["Empty places were never judged."] if len(known) < len(rows) else []
    hidden = max(len({row[side] for row in known}) for side in sides) > marks.MOST_ROWS
    rest = [f"The first {marks.MOST_ROWS} are drawn; the table has all."] if hidden else []

    def chart() -> Spec:
        levels = {side: list(dict.fromkeys(row[side] for row in known)) for side in sides}
        down, across = ("row", "column") if len(levels["row"]) >= len(levels["column"]) else ("column", "row")
        first = {side: set(labels[: marks.MOST_ROWS]) for side, labels in levels.items()}
        drawn = [row for row in known if row["row"] in first["row"] and row["column"] in first["column"]]
        values = [row["mean"] for row in drawn]
        scale = {"range": list(SEQUENTIAL), "domain": [min(values), max(values)]}
        drawn = marks.readable(drawn, "mean", scale)
        base = marks.chart(drawn, marks.labels(down, sides[down]), step=30)
        short = sum(map(len, {row[across] for row in drawn})) <= 24
        heads = {"labelAngle": 0 if short else -40, "labelLimit": 110, "labelOverlap": False}
        base = base.encode(x=channel(f"{across}:N", sort=None, title=sides[across], axis=heads))
        legend = {"title": axis(analysis, "mean of"), "gradientLength": 180, "titleLimit": 280}
        layers = [base.mark("rect").encode(color=channel("mean:Q", scale=scale, legend=legend))]
        label = channel("mean:Q", format=f".{p}f")
        fits = {"expr": "bandwidth('x') < 32 ? 0 : 1"}
        layers.append(base.mark("text", fontSize=11, opacity=fits).encode(text=label, color=marks.own_ink()))
        return marks.finish(layers)

    return Figure("means", Caption(f"Means run from {low} to {high}", (line, *empty, *rest)), rows, chart, sides)


def leave_one_out(analysis: Analysis) -> Figure | None:
    """The mean without each judge in turn, against the mean with all of them; whose absence moves it most."""
    rows = _parts(analysis.leave_one_out)
    for row in rows:
        row["change"] = None if row["mean"] is None else row["mean"] - analysis.setup.value
    known = marks.known(rows, "mean")
    if not known:
        return None
    most = max(known, key=lambda row: abs(row["change"]))
    by = number(most["change"], places(analysis))
    finding = f"Without {cut(most['level'], SHORT)} the mean moves most, by {by if by.startswith('-') else '+' + by}"
    line = f"Mean without one {JUDGE} at a time, for the rest as a panel, with {at_level(analysis.level)} intervals"

    def chart() -> Spec:
        shown = marks.furthest(sorted(known, key=lambda row: -row["mean"]), "change")
        return _against_all(analysis, shown, JUDGE)

    lines = [f"{line}; dashed: the mean with all {len(known)}."]
    if (items := analysis.leave_one_out[0].items) is not None:
        name = analysis.judgments.object
        every = counted(analysis.judgments.n_levels(name), name)
        lines.append(f"The refits are of {items:,} of {every}, drawn at random, and carried over to all.")
    lines += more(known)
    heads = {"level": "left out", "se": "standard error"}
    return Figure("leave-one-out", Caption(finding, tuple(lines)), rows, chart, heads)


def by_category(analysis: Analysis) -> Figure | None:
    """The mean within each category, against the mean over all; from where to where they run."""
    rows = _parts(analysis.by_category)
    known, p = marks.known(rows, "mean"), places(analysis)
    if not known:
        return None
    low, high = (
        f"{number(row['mean'], p)} ({cut(row['level'], SHORT)})"
        for row in (pick(known, key=lambda row: row["mean"]) for pick in (min, max))
    )
    grouping = str(analysis.grouping)
    finding = f"{plural(cut(grouping, SHORT)).capitalize()} run from {low} to {high}"
    line = f"Mean within each {cut(grouping, SHORT)}, fitted on its own, with {at_level(analysis.level)} intervals"

    def chart() -> Spec:
        return _against_all(analysis, sorted(known, key=lambda row: -row["mean"])[: marks.MOST_ROWS], grouping)

    lines = (f"{line}; dashed: the mean over all; {size(analysis)}.", *more(known))
    return Figure("categories", Caption(finding, lines), rows, chart, {"level": cut(grouping), "se": "standard error"})


def _parts(parts: Sequence[Stated]) -> list[Row]:
    """Means of parts: level, mean, se, low, high, n; why not where there is none."""
    rows = []
    for label, part in zip(distinct([part.level for part in parts]), parts, strict=True):
        row: dict[str, Any] = {"level": label, **dict.fromkeys(("mean", "se", "low", "high", "n"))}
        if part.estimate is not None:
            row |= {name: getattr(part.estimate, name) for name in ("se", "low", "high", "n")}
            row["mean"] = part.estimate.value
        rows.append({**row, "why_not": part.reason})
    return rows


def _against_all(analysis: Analysis, rows: Sequence[Row], facet: str) -> Spec:
    """Means of parts with intervals, and a line at the mean of the whole."""
    colour = palette(analysis.judgments.names)[facet]
    return marks.dots(rows, "level", "mean", axis(analysis, "mean of"), colour, at=analysis.setup.value)


def single_section(analysis: Analysis) -> Section:
    """How far the naive intervals of single configurations can be trusted."""
    heading, found = "What a single configuration would have told", analysis.naive
    if len(found.single) < 2:
        return Section("single", heading, ("There is one configuration, or too few items to compare any.",))
    if found.reason:
        text = f"No corrected interval for single configurations: {cut(found.reason, 500)}."
    else:
        text = (
            f"On average the naive standard error of one configuration is {whole_percent(found.width_ratio)} of what "
            f"it should be. The naive intervals hold the mean over all configurations in {found.naive_coverage:.0%} of "
            f"cases, the corrected ones in {found.corrected_coverage:.0%}."
        )
    return Section("single", heading, (text,), (single(analysis),))


def single(analysis: Analysis) -> Figure:
    """Naive intervals of single configurations against the corrected ones and the mean over all; how many mislead."""
    found = sorted(analysis.naive.single, key=lambda one: one.naive.value)
    varied = [name for name in found[0].labels if analysis.several(name)] if found else []
    labels = distinct([" · ".join(one.labels[name] for name in varied) or "all" for one in found])
    rows: list[Row] = [
        {"configuration": label}
        | picked(one, "mean=naive.value naive_low=naive.low naive_high=naive.high")
        | picked(one, "corrected_low=corrected.low corrected_high=corrected.high naive_misses=misses n=naive.n")
        for label, one in zip(labels, found, strict=True)
    ]
    misses = sum(one.misses for one in found)
    finding = f"{misses} of {counted(len(found), 'single configuration')} would have missed the mean of all"
    line = (
        f"Thick: naive {at_level(analysis.level)} interval, s/√N over items; thin: corrected for the choice of "
        f"configuration. Dashed: the mean over all configurations, {number(analysis.naive.target, places(analysis))}."
    )

    def chart() -> Spec:
        verdicts = {True: "naive: misses it", False: "naive: holds it"}
        drawn = [{**row, "verdict": verdicts[row["naive_misses"]]} for row in marks.spread(rows)]
        ends = ("naive_low", "naive_high", "corrected_low", "corrected_high")
        base = marks.chart(drawn, marks.labels("configuration"), step=marks.step(drawn))
        x = marks.axis("mean", axis(analysis, "mean of"), marks.span([row[end] for row in drawn for end in ends]))
        wide = base.mark("rule", color=CORRECTED, strokeWidth=1.5)
        wide = wide.encode(x=marks.like(x, "corrected_low"), x2="corrected_high")
        scale = {"domain": list(verdicts.values()), "range": [MISSED, NAIVE]}
        legend = {"title": None, "symbolType": "stroke", "symbolStrokeWidth": 6, "columns": 1, "labelLimit": 400}
        colour = channel("verdict:N", scale=scale, legend=legend)
        narrow = base.mark("rule", strokeWidth=6)
        narrow = narrow.encode(x=marks.like(x, "naive_low"), x2="naive_high", color=colour)
        dots = base.mark("point", filled=True, opacity=1, color=INK, size=14).encode(x=x)
        return marks.finish([marks.line_at(analysis.naive.target, x), wide, narrow, dots])

    return Figure("single", Caption(finding, (line, *more(rows, "evenly spaced ones are shown"))), rows, chart)
