"""Votes that are asked for: the pages on how many it takes, on battles from a pool, on looks at them, and on models."""

from __future__ import annotations

import math

import numpy as np

from quorate.analysis.words import cut
from quorate.decide.stop import Monitor
from quorate.estimate.ratings.models import Models
from quorate.planning.battles import BattleSample
from quorate.planning.power.clusters import cluster_words, correlation_words
from quorate.planning.power.votes_plan import VotesPlan
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import CORRECTED, NAIVE, Marks, Spec, channel
from quorate.reporting.page import Caption, Figure, Page, Row, Section, Short, Table, Tile, particulars
from quorate.reporting.pages.verdict import SHORT
from quorate.wording import at_level, counted, percent

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
    rests = particulars("planned", "What was planned for", facts.items())
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
    rests = particulars("chosen", "What was chosen", [("battles", len(result)), ("floor", result.floor)])
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
        facts=particulars("watched", f"What was watched: {counted(int(result.n[-1]), 'vote')}", facts.items()),
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
    rests = particulars("fitted", f"What was fitted: {counted(len(result), 'model')}", facts.items())
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
