"""Votes that are asked for: the pages on how many it takes, on two ways of collecting them, and on which battles."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from quorate.analysis.words import cut
from quorate.decide.stop import Monitor
from quorate.estimate.ratings.models import Models
from quorate.numerics.votes.power import normal_size
from quorate.planning.battles import BattleSample, NextBattles
from quorate.planning.power.clusters import cluster_words, correlation_words
from quorate.planning.power.protocols import Protocols
from quorate.planning.power.votes_plan import VotesPlan
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import CORRECTED, INK, MISSED, NAIVE, Marks, Spec, channel
from quorate.reporting.page import Caption, Figure, Page, Row, Section, Short, Table, Tile, particulars
from quorate.reporting.pages.verdict import SHORT
from quorate.table.results import plain
from quorate.wording import at_level, counted, percent

MOST_BARS, MOST_ROWS = 20, 200
_SMALL = {"A": "the sum of the variances of the ratings", "D": "the determinant of the covariance of the ratings"}


def battles_page(result: NextBattles, table: Table | None = None) -> Page:
    """The page of the next battles."""
    facts: dict[str, object] = {"pairs": len(result.pairs), "votes so far": int(result.votes.sum())}
    facts |= {
        "votes drawn": len(result),
        "votes to come in all": result.horizon,
        "made small": _SMALL[result.criterion],
    }
    facts |= {"part of the chances that all pairs share": result.floor, "seed": result.seed}
    how = (
        f"Pairs of systems were drawn at random, by chances that make {_SMALL[result.criterion]} small after "
        f"{result.horizon:,} more votes ({result.criterion}-optimal design; Atkinson, Donev and Tobias, 2007) under "
        "Davidson's model (1970) at the ratings so far, mixed with equal chances for all pairs "
        f"(part {result.floor:g}). The chance of each was recorded, and ratings are weighted by it."
    )
    return Page.of(
        result,
        table,
        "Which battles next",
        sections=(Section("chances", "Chances of pairs", figures=(chances(result),)),),
        facts=particulars("battles-rest", f"What it rests on: {counted(int(result.votes.sum()), 'vote')}", facts),
        methods=how,
        options=f"criterion {result.criterion}, floor {result.floor:g}, horizon {result.horizon:,}",
    )


def chances(result: NextBattles) -> Figure:
    """Every pair with its votes so far, its chance and the votes drawn: the likeliest first."""
    rows: list[Row] = [
        {"pair": f"{cut(row['system_a'], SHORT)} against {cut(row['system_b'], SHORT)}"}
        | {name: row[name] for name in ("votes", "chance", "gain", "next")}
        for row in result.rows()[:MOST_ROWS]
    ]
    pairs = len(result.pairs)
    half = int(np.searchsorted(np.cumsum(result.chance), 0.5)) + 1
    lines = [f"Chance of each pair to get the next vote; equal chances would be {percent(1 / pairs)}."]
    lines += [f"The chart shows the likeliest {MOST_BARS}."] if pairs > MOST_BARS else []
    lines += [f"The table has the likeliest {MOST_ROWS}."] if pairs > MOST_ROWS else []
    lines.append(
        f"Gain: by how much one more vote lowers {_SMALL[result.criterion].replace('determinant', 'log determinant')}."
    )
    chart = marks.bars(rows[:MOST_BARS], "pair", "chance", CORRECTED)
    finding = f"Half of the votes go to {half:,} of {counted(pairs, 'pair')}"
    heads = Short.titles("pair", "votes", "chance", "next")
    caption = Caption(finding, tuple(lines))
    titles = {"votes": "votes so far", "next": "votes drawn"}
    return Figure.of("chances", caption, rows, heads, chart, titles=titles, unfolded=True, percent="chance")


COLOURS = (MISSED, CORRECTED)
STEP = 0.05
"""Width of the bars that pairs are counted in."""


def protocols_page(found: Protocols, _: Table | None = None) -> Page:
    """The page on two protocols."""
    counts = (found.first.needed, found.second.needed)
    needed = [f"{count:,.0f}" if math.isfinite(count) else "no number of" for count in counts]
    tiles = [
        Tile(said, f"votes decide a pair under {cut(name)}") for said, name in zip(needed, found.names, strict=True)
    ]
    by = found.first.signals.by or found.second.signals.by
    drawn = f"levels of {by} are taken as drawn" if by else "votes are taken as independent"
    together = ", left out of both at once, since both have them," if found.paired else ""
    how = (
        f"Two ways of collecting votes were compared on the {counted(len(found), 'pair')} of systems that both have; "
        f"ties were left out and {drawn}. The squared margin of a pair was estimated from votes on different prompts "
        "alone, which noise does not inflate, and divided by the votes that are worth one independent vote; the "
        f"protocols were compared by its mean over pairs, with a jackknife over prompts{together} and, for the ratio, "
        "Fieller's interval. Variances of win rates between prompts are those of an analysis of variance."
    )
    facts: dict[str, object] = {"pairs that both have": len(found)}
    for one, left in zip((found.first, found.second), found.left_out, strict=True):
        drawn = f"levels of {one.signals.by}" if one.signals.by else "independent votes"
        facts |= {f"votes under {one.name}": one.votes, f"{drawn} under {one.name}": one.signals.levels}
        facts[f"pairs under {one.name} alone"] = left
    return Page.of(
        found,
        None,
        f"Votes under {found.first.name} and under {found.second.name}",
        sections=(
            Section("advice", "What follows", found.advice, (beside(found),)),
            Section(
                "margins", "How far apart the systems are", figures=(distribution(found), pairs(found), scaling(found))
            ),
        ),
        facts=particulars("used", "What was used", facts),
        methods=how,
        tiles=tuple(tiles),
        options=f"level {found.level:g}, alpha {found.alpha:g}, power {found.power:g}, {found.budget:,} votes",
    )


def beside(found: Protocols) -> Figure:
    """The two protocols beside each other, with intervals."""
    level = at_level(found.level)

    def row(words: str, name: str) -> Row:
        values = [getattr(one.signals, name) for one in (found.first, found.second)]
        low, high = getattr(found, name).at(found.level).ends
        first, second = (plain(one.value) for one in values)
        return {"what": words, "first": first, "second": second, "low": plain(low), "high": plain(high)}

    def alone(words: str, first: float, second: float) -> Row:
        return {"what": words, "first": plain(first), "second": plain(second), "low": None, "high": None}

    one, two = found.first, found.second
    rows = [
        row("what a vote adds to the square of z", "signal"),
        alone(f"votes that decide a pair, power {found.power:g}", one.needed, two.needed),
        row("mean squared margin", "square"),
        row("variance of win rates between prompts", "between"),
        alone(f"z of the median study of {found.budget:,} votes", one.z[1], two.z[1]),
        alone(f"share of pairs that {found.budget:,} votes decide", one.decided, two.decided),
    ]
    lines = (
        "Squared margins and variances are without the noise of votes; z and shares are at margins as estimated.",
        f"Low and high: {level} interval of the second less the first, by a jackknife over prompts.",
    )
    better = f"{cut(found.better)} decides with fewer votes"
    finding = better if found.better else "Neither is shown to need fewer votes"
    heads = Short.titles(what="", first=found.first.name, second=found.second.name, low="difference from", high="to")
    titles = {"what": "", "high": "high"}
    return Figure.of("protocols", Caption(finding, lines), rows, heads, titles=titles, unfolded=True)


def distribution(found: Protocols) -> Figure:
    """Sizes of margins by either protocol, as counts of pairs (Lee 2026, Figs. 1 and 3)."""
    sizes = np.abs(found.margin)
    edges = np.arange(0, 0.5 + STEP / 2, STEP)
    place = np.minimum(np.searchsorted(edges, sizes, side="right") - 1, len(edges) - 2)
    rows: list[Row] = [
        {"margin": f"{edge:.2f} to {edge + STEP:.2f}", "from": float(edge)}
        | {key: int(np.sum(own == at)) for key, own in zip(("first", "second"), place, strict=True)}
        for at, edge in enumerate(edges[:-1])
    ]
    middle = [float(np.median(own)) for own in sizes]
    said = [f"{value:.2f} under {cut(name)}" for value, name in zip(middle, found.names, strict=True)]
    finding = f"The median margin is {said[0]}, {said[1]}"
    lines = (
        "Pairs by the size of their margin, as estimated: noise adds to small ones, most where votes are few.",
        "Dashed: medians.",
    )

    def chart() -> Spec:
        drawn = [
            {"by": name, "from": row["from"] + past, "to": row["from"] + past + STEP / 2, "pairs": row[key]}
            for past, key, name in zip((0.0, STEP / 2), ("first", "second"), found.names, strict=True)
            for row in rows
        ]
        middles = [{"by": name, "from": value} for name, value in zip(found.names, middle, strict=True)]
        x = channel("from:Q", title="size of the margin", scale={"domain": [0, 0.5], "nice": False})
        y = channel("pairs:Q", title="pairs", stack=None, axis={"tickMinStep": 1, "format": "d"})
        base = Marks(drawn)
        bars = base.mark("rect", opacity=0.6).encode(x=x, x2="to", y=y, y2={"datum": 0}, color=_colour(found))
        lines = Marks(middles).mark("rule", strokeDash=[5, 4], strokeWidth=2)
        return marks.finish([bars, lines.encode(x=x, color=_colour(found))], height=220)

    heads = {"margin": "size of the margin", "from": "", "first": found.first.name, "second": found.second.name}
    shown = [{key: value for key, value in row.items() if key != "from"} for row in rows]
    return Figure("distribution", Caption(finding, lines), shown, chart, heads)


def pairs(found: Protocols) -> Figure:
    """Every pair's margin by the one protocol against that by the other."""
    rows: list[Row] = [{name: plain(value) for name, value in row.items()} for row in found.rows()]
    same = int(np.sum(np.sign(found.margin[0]) == np.sign(found.margin[1])))
    finding = f"The two prefer the same system on {same} of {counted(len(found), 'pair')}"
    level = at_level(found.level)
    lines = (
        f"Each dot is a pair, with its {level} intervals; dashed: the same margin by both.",
        "A margin above 0: the second system of the pair is preferred.",
    )

    def chart() -> Spec:
        ends = ("first_low", "first_high", "second_low", "second_high")
        titles = [f"margin under {cut(name)}" for name in found.names]
        x, y, line = marks.against(rows, ("first_margin", "second_margin", *ends), *titles)
        base = Marks(rows)
        rule = base.mark("rule", color=CORRECTED, opacity=0.35)
        across = rule.encode(x=marks.like(x, "first_low"), x2="first_high", y=y)
        down = rule.encode(x=x, y=marks.like(y, "second_low"), y2="second_high")
        tips = "pair first_margin:.3f second_margin:.3f"
        dots = base.mark("point", filled=True, size=55, color=CORRECTED, opacity=0.9).encode(x=x, y=y, tooltip=tips)
        return marks.finish([line, across, down, dots], height=340)

    heads = Short.titles("pair", first_margin=found.first.name, second_margin=found.second.name)
    titles = {
        f"{key}_{name}": f"{words}, {cut(protocol)}"
        for key, protocol in zip(("first", "second"), found.names, strict=True)
        for name, words in _HEADS.items()
    }
    return Figure.of("pairs", Caption(finding, lines), rows, heads, chart, titles=titles)


_HEADS = {"margin": "margin", "low": "low", "high": "high", "implied": "votes by formula", "between": "between prompts"}


def scaling(found: Protocols) -> Figure:
    """Votes that each pair needs, against its margin, and the curve of the formula (Lee 2026, Figs. 2, 8 and 9)."""
    rows: list[Row] = [
        {"by": name, "pair": pair, "size": float(abs(size)), "votes": float(votes)}
        for name, sizes, needs in zip(found.names, found.margin, found.implied, strict=True)
        for pair, size, votes in zip(found.pairs, sizes, needs, strict=True)
        if math.isfinite(votes)
    ]
    counts = [int(np.sum(own > found.budget)) for own in found.implied]
    finding = (
        f"{counts[0]} of {counted(len(found), 'pair')} need more than {found.budget:,} votes under "
        f"{cut(found.first.name)}, {counts[1]} under {cut(found.second.name)}"
    )
    lines = (
        f"Votes that a test with level {found.alpha:g} and power {found.power:g} needs at the margin as estimated.",
        "Curve: votes that are independent of each other; above it lie pairs whose prompts differ.",
    )

    def chart() -> Spec:
        sizes = np.linspace(max(0.01, 0.9 * min(row["size"] for row in rows)), 0.5, 60)
        curve = [
            {"size": float(size), "votes": float(votes)}
            for size, votes in zip(sizes, normal_size(sizes, found.alpha, found.power), strict=True)
        ]
        x = channel("size:Q", title="size of the margin", scale={"domain": [0, 0.5], "nice": False})
        y = channel("votes:Q", title="votes by formula (log scale)", scale={"type": "log"}, axis={"format": ","})
        line = Marks(curve).mark("line", color=INK, opacity=0.5).encode(x=x, y=y)
        dots = Marks(rows).mark("point", filled=True, size=55, opacity=0.85)
        dots = dots.encode(x=x, y=y, color=_colour(found), tooltip="pair by size:.3f votes:,")
        return marks.finish([line, dots], height=300)

    heads = {"by": "protocol", "size": "size of the margin", "votes": "votes by formula"}
    return Figure("scaling", Caption(finding, lines), rows, chart if rows else None, heads)


def _colour(found: Protocols) -> Any:

    scale = {"domain": list(found.names), "range": list(COLOURS)}
    return channel("by:N", scale=scale, legend={"title": None, "labelLimit": 240})


MOST_LOOKS = 20
_TWO_SIDED = 1.96


def plan_page(result: VotesPlan, table: Table | None = None) -> Page:
    """The page of a plan of votes."""
    facts: dict[str, object] = {"chance to find it": result.power}
    if result.pilot is not None:
        facts |= {"votes of the pilot": result.pilot.n, "margin of the pilot": result.pilot.margin}
    if result.icc is not None:
        facts["votes resemble each other"] = f"{cluster_words(result.cluster)}, by {correlation_words(result.icc)}"
    rows = result.rows()
    case = next((row for row in rows if row["case"] in ("stated", "estimate")), rows[len(rows) // 2] if rows else None)
    tiles = []
    if case is not None:
        enough = ("none", "no number of votes is") if case["votes"] is None else (f"{case['votes']:,}", "votes are")
        tiles.append(Tile(enough[0], f"{enough[1]} enough for a margin of {case['margin']:.3g}"))
    if result.budget is not None:
        tiles.append(Tile(f"{result.budget:,}", "votes that the budget buys"))
        seen = "none" if result.detectable is None else f"{result.detectable:.3g}"
        tiles.append(Tile(seen, "smallest margin that they show"))
    parts = (Section("votes", "Votes by margin", figures=(needed(result),)),) if rows else ()
    rests = particulars("planned", "What was planned for", facts)
    how = (
        f"Numbers of decisive votes give a two-sided test of one half a power of {result.power:g} at the margin; "
        "those to show that two are alike give it to two one-sided tests. Votes of a cluster are worth fewer "
        "independent ones by Kish's design effect."
    )
    tiled = tuple(tiles)
    return Page.of(result, table, "How many votes", parts, rests, how, tiles=tiled, options=f"power {result.power:g}")


def needed(result: VotesPlan) -> Figure:
    """The votes that each margin takes, on the curve through them."""
    rows = result.rows()
    known = [row for row in rows if row["votes"] is not None and row["margin"] > 0]
    lines = ["Margin: the share of votes less one half. Curve: half the margin takes four times the votes."]
    if result.icc is not None:
        lines.append("Needed: votes that are independent; votes: of such clusters.")
    lines += [] if len(known) == len(rows) else ["A margin without a number takes more than any number."]

    def chart() -> Spec:
        middle = known[len(known) // 2]
        least = min(row["margin"] for row in known)
        sizes = np.geomspace(least / 2, min(0.5, 3 * max(row["margin"] for row in known)), 60)
        law = middle["votes"] * middle["margin"] ** 2
        curve = [{"margin": float(size), "votes": float(law / size**2)} for size in sizes]
        x = channel("margin:Q", title="margin", scale={"nice": False, "zero": False})
        y = channel("votes:Q", title="votes (log scale)", scale={"type": "log"}, axis={"format": ","})
        line = Marks(curve).mark("line", color=NAIVE).encode(x=x, y=y)
        tips = "case margin:.3f votes:,"
        dots = Marks(known).mark("point", filled=True, size=70, color=CORRECTED).encode(x=x, y=y, tooltip=tips)
        return marks.finish([line, dots], height=240)

    most = max((row["votes"] for row in known), default=None)
    least = min((row["votes"] for row in known), default=None)
    finding = "No number of votes is enough"
    if most is not None and least is not None:
        finding = f"It takes {least:,} votes" if most == least else f"It takes {least:,} to {most:,} votes"
    shown = Short.titles("case", "margin", "needed", "votes")
    return Figure.of("votes", Caption(finding, tuple(lines)), rows, shown, chart if known else None)


def sample_page(result: BattleSample, table: Table | None = None) -> Page:
    """The page of battles chosen from a pool."""
    rows = result.rows()
    if not any(row["category"] for row in rows):
        rows = [{name: value for name, value in row.items() if name != "category"} for row in rows]
    finding = f"Every system has {result.floor:,} battles or more"
    if result.short:
        finding = f"{len(result.short):,} of {len(rows):,} have fewer than {result.floor:,} battles"
    heads = {name: name for name in rows[0]} | {"reached": "reaches the floor"} if rows else {}
    figure = Figure.of("battles", Caption(finding), rows, heads)
    parts = (Section("battles", "Battles by system", figures=(figure,)),)
    rests = particulars("chosen", "What was chosen", {"battles": len(result), "floor": result.floor})
    how = (
        f"Battles were chosen one after the other, each for what it adds, until every system had {result.floor:,}; "
        f"no choice that fills as much has fewer than {result.fewest:,}."
    )
    return Page.of(result, table, "Which battles of a pool", parts, rests, how, options=f"floor {result.floor:,}")


def watched_page(result: Monitor, table: Table | None = None) -> Page:
    """The page of two systems while votes come in."""
    together = ", ".join(result.cluster) or "nothing: taken as independent"
    facts: dict[str, object] = {"looks": len(result.n), "votes resemble each other by": together}
    facts |= {"votes after the last look": result.left, "chance that all claims are true": result.level}
    return Page.of(
        result,
        table,
        f"{cut(result.a, SHORT)} against {cut(result.b, SHORT)}, watched",
        sections=(Section("looks", "Look by look", figures=(looks(result),)),),
        facts=particulars("watched", f"What was watched: {counted(int(result.n[-1]), 'vote')}", facts),
        methods=(
            f"The share of votes for {cut(result.a, SHORT)} was looked at as votes came in, with a confidence sequence "
            f"that covers it at all looks at once with a chance of {result.level:g} (Robbins, 1970; Ville, 1939). One "
            "may stop at any look, and for any reason."
        ),
        options=f"level {result.level:g} at all looks together",
    )


def looks(result: Monitor) -> Figure:
    """The share of votes at each look, with its confidence sequence."""
    every = len(result.n)
    at = np.unique(np.geomspace(1, every, MOST_LOOKS).astype(int)) - 1
    rows: list[Row] = [
        {"votes": int(result.n[i]), "share": float(result.wins[i] / result.n[i])}
        | {"low": 0.5 + float(result.low[i]), "high": 0.5 + float(result.high[i])}
        | {"evidence": float(result.evidence[i])}
        for i in at[::-1].tolist()
    ]
    lines = ["The last look comes first; intervals of all looks hold together. Dashed: no difference."]
    lines += [f"Shown are {len(rows)} of {every:,} looks."] if every > len(rows) else []
    lines.append(f"Evidence: its logarithm; {-math.log(1 - result.level):.2f} decides.")
    caption = Caption(f"{percent(rows[0]['share'])} of {counted(rows[0]['votes'], 'vote')}", tuple(lines))
    heads = Short.titles("votes", "share", low=f"{at_level(result.level)} at all looks", evidence="evidence")
    drawn = [{**row, "at": f"{row['votes']:,}"} for row in rows]
    title = f"share of votes for {cut(result.a, SHORT)}"
    return marks.dotted("looks", caption, rows, heads, title, drawn=drawn, label="at", at=0.5, percent="share")


def models_page(result: Models, table: Table | None = None) -> Page:
    """The page of models of the same votes."""
    facts = {"votes": result.n, "parts held out in turn": result.folds, "held out together": f"each {result.held}"}
    parts = (Section("models", "How well each predicts", (), (losses(result),)),)
    rests = particulars("fitted", f"What was fitted: {counted(len(result), 'model')}", facts)
    how = (
        "Each model was fitted to all parts of the votes but one and predicts that one, in turn. Log loss is the "
        "mean negative logarithm of the chance that it gave to what happened; standard errors of differences are "
        f"those of parts drawn together by {result.held}. AIC is of the fit to all votes (Akaike, 1974)."
    )
    return Page.of(result, table, "Models of votes", parts, rests, how)


def losses(result: Models) -> Figure:
    """How far each model is behind the first in the loss of unseen votes."""
    rows: list[Row] = [
        {name: None if isinstance(value, float) and math.isnan(value) else value for name, value in row.items()}
        for row in result.rows()
    ]
    behind = [row for row in rows if row["behind"] is not None]

    def chart() -> Spec:
        ends = [
            {**row, "low": row["behind"] - _TWO_SIDED * row["se"], "high": row["behind"] + _TWO_SIDED * row["se"]}
            for row in behind
        ]
        return marks.dots(ends, "model", "behind", "log loss more than the first", CORRECTED, at=0.0)

    caption = Caption(
        f"{result.models[0].name} predicts best",
        ("Log loss of each model more than that of the first, with 95% intervals.", "Dashed: as good."),
    )
    heads = Short.titles("model", "parameters", aic="AIC", loss="log loss", behind="behind", se="se")
    titles = {"log_likelihood": "log likelihood", "se": "standard error"}
    return Figure.of("models", caption, rows, heads, chart if behind else None, titles=titles, unfolded=True)
