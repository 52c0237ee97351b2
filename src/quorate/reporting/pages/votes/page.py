"""Votes: the page on all pairs of systems: how far apart they are, how many votes decide, and what votes share."""

from __future__ import annotations

from functools import partial

import numpy as np

from quorate.analysis.votes import VotesAnalysis, drift_of, few_levels, order_of
from quorate.analysis.words import cut, number, p_value, share
from quorate.caveats import weightiest_first
from quorate.estimate.doctor.support import VotesSupport
from quorate.estimate.votes.signals import EDGES
from quorate.estimate.votes.stability import WAYS, Stability, TieSensitivity
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import CORRECTED, MISSED, Channel, Marks, Spec, channel, palette
from quorate.reporting.page import Caption, Figure, Page, Row, Section, Short, Table, Tile
from quorate.reporting.pages.ratings.page import leaderboard
from quorate.reporting.paper.reproduce import read_from, titled
from quorate.wording import at_level, counted, listed, margin


def methods(view: VotesAnalysis) -> str:
    """The paragraph for a methods section."""
    tests = view.found.margins
    clustered = ", ".join(one.by for one in view.dependence)
    several = "; Cameron, Gelbach and Miller, 2011" if any(len(one.facets) > 1 for one in view.dependence) else ""
    robust = f" Clustered standard errors (Liang and Zeger, 1986{several}) are by {clustered}." if clustered else ""
    robust += f" Votes are {tests.taken}"
    robust += ": a number of them counts as so many over the design effect of the pair." if tests.cluster else "."
    return (
        f"Margins are the share of decisive votes for the better model less .5, for {counted(len(tests), 'pair')} with "
        f"{tests.minimum:,} decisive votes or more; ties were left out. The share of pairs that a number of votes "
        f"decides is the mean power of the exact two-sided binomial test with level {tests.alpha:g} at the estimated "
        f"margins, with a {at_level(tests.level)} bootstrap interval over pairs, and again under the law of margins "
        f"without the noise of the votes; power of {view.found.target:g} counts as enough (Lee, 2026).{robust}"
    )


def options(view: VotesAnalysis) -> str:
    """What was chosen."""
    tests = view.found.margins
    levels = f"level {tests.level:g}, alpha {tests.alpha:g}, power {tests.power:g}"
    return f"minimum {tests.minimum}, ties {tests.ties}, {levels}, votes {tests.taken}"


def kind(view: VotesAnalysis) -> str:
    """What intervals of margins are."""
    return "by Student's t where votes share something, else exact" if view.found.margins.cluster else "exact"


def taken(view: VotesAnalysis) -> str:
    """How votes are taken, and what that makes of a number of them."""
    tests = view.found.margins
    return f"{tests.taken}, so many being worth fewer" if tests.cluster else tests.taken


def typical(view: VotesAnalysis) -> str:
    """Votes of the median pair that are worth one independent vote; nothing where votes are taken as independent."""
    tests = view.found.margins
    worth = f"{number(tests.typical_effect, 2)} are worth one independent vote"
    return f" Votes {tests.taken}: of the median pair {worth}." if tests.cluster else ""


def coverage(view: VotesAnalysis) -> str:
    """Coverage of intervals."""
    return at_level(view.quantiles.level)


# Ties: the figure on what ways to count ties do to margins.


def ties(found: TieSensitivity) -> Figure:
    """Margins under three ways to count ties, and near ties under each."""
    at, near = found.quantiles["drop"].probability, found.near_ties["drop"]
    rows: list[Row] = [
        {"ties": WAYS[name], "margin": one.margin[0], "median": one.margin[-1], "near": found.near_ties[name].count}
        for name, one in found.quantiles.items()
    ]
    lowest, middle = (f"margin at most, {share:.0%} of pairs" for share in (at[0], at[-1]))
    counts = [one.count for one in found.near_ties.values()]
    ends = " to ".join(f"{count:,}" for count in sorted({min(counts), max(counts)}))
    finding = f"Of {counted(near.pairs, 'pair')}, {ends} are nearly tied"
    line = "Ties left out, as halves, or all against the first system of each pair, the worst case."
    heads = Short.titles("ties", margin=lowest, median=middle, near="near ties")
    titles = {"near": f"pairs with a margin of {near.tau:g} or less"}
    return Figure.of("ties", Caption(finding, (line,)), rows, heads, titles=titles)


# Data health of votes: what was read, what it supports, and what is wrong with it.


def health(support: VotesSupport) -> Section:
    """What the votes support, and what is wrong with them."""
    text = tuple(f"{one.severity.capitalize()}: {cut(one.sentence, 500)}." for one in support.findings)
    return Section(
        "health", "Data health", text or ("Nothing was found that stands in the way.",), (analyses(support),)
    )


def analyses(support: VotesSupport) -> Figure:
    """Every analysis, those that are possible first."""
    ordered = sorted(support.analyses, key=lambda one: not one.possible)
    rows: list[Row] = [
        {"analysis": one.name, "possible": one.possible, "reason": one.reason, "to_make_it_possible": one.fix}
        for one in ordered
    ]
    possible = sum(one.possible for one in support.analyses)
    return Figure("analyses", Caption(f"{possible} of {len(rows)} analyses of these votes are possible"), rows)


def read(support: VotesSupport) -> Figure:
    """What was read."""
    found = support.facts
    ties = counted(found.ties, "tie")
    values = {
        "votes": f"{found.votes:,}: {found.decisive:,} decisive, {ties}, {found.both_bad:,} both bad",
        "without an outcome": f"{found.missing:,}",
        "models": f"{counted(found.models, 'model')} in {counted(len(found.pairs.decisive), 'pair')}",
        **{f"levels of {role}": f"{levels:,}" for role, levels in found.roles.items()},
    }
    rows: list[Row] = [{"what": what, "as_read": text} for what, text in values.items()]
    caption = Caption(f"{counted(found.votes, 'vote')} between {counted(found.models, 'model')}")
    return Figure("votes", caption, rows)


def used(view: VotesAnalysis) -> Figure:
    """What was read and what of it was used."""
    figure, tests = read(view.support), view.found.margins
    values = {
        "pairs used": f"{len(tests):,}, with {tests.minimum:,} decisive votes or more",
        "pairs left out": f"{tests.left_out:,}, with fewer",
        "ties": "left out" if tests.ties == "drop" else tests.ties,
    }
    more = [{"what": what, "as_read": text} for what, text in values.items()]
    return Figure(figure.name, figure.caption, [*figure.rows, *more])


SEED = "0, the default of every bootstrap"
ESTIMATED, CORRECTED_LAW = "as estimated", "without the noise of votes"
LAWS: marks.Styles = {ESTIMATED: (MISSED, marks.SOLID), CORRECTED_LAW: (CORRECTED, marks.SOLID)}
MOST_STEPS = 200
"""Points of the curve of estimated margins; with more pairs, it goes through quantiles."""
LOW, MIDDLE, HIGH = 0.1, 0.5, 0.9
"""Quantiles of ratios over pairs."""
LEVEL = 0.05
"""Below it, the first votes of a pair and the others differ."""
SAME, CHANGED = "as before, as far as can be seen", "changed, at level 0.05"
TICKS = (25, 50, 100, 200, 500, 1000, 2000, 5000)
"""Numbers of votes on the axis."""


def page(view: VotesAnalysis, _table: Table | None = None) -> Page:
    """The page on votes on all pairs."""
    study, near = view.found, view.near
    return Page(
        title=titled(view.votes.source, "Votes from a"),
        sentence=view.sentence,
        sections=sections(view),
        facts=used(view),
        methods=methods(view),
        content=view.to_dict,
        caveats=weightiest_first(view.caveats),
        tiles=(
            Tile(f"{len(study):,}", f"pairs with {study.margins.minimum:,} decisive votes or more"),
            Tile(share(near.corrected), f"near ties (margin of {near.tau:g} or less), without noise"),
            Tile(share(study.within_reach[-1]), f"pairs within reach of {study.budgets[-1]:,} votes each"),
        ),
        source=partial(read_from, view.votes),
        options=options(view),
        seed=SEED,
    )


def sections(view: VotesAnalysis) -> tuple[Section, ...]:
    """All sections but the last, the methods' own."""
    study = view.found
    few = dict.fromkeys((0, len(study.budgets) // 2, len(study.budgets) - 1))
    reach = listed(f"{share(study.within_reach[j])} with {study.budgets[j]:,}" for j in few)
    reached = f"Pairs that have power {study.target:g} or more at their estimated margin: {reach} votes each."
    title, changes = "Early votes and later ones", view.stability
    if changes is None:
        text = f"Early votes are not compared with later ones: {cut(view.stability_reason, 500)}."
        early = Section("stability", title, (text,))
    else:
        kept, near = changes.persistent(view.near.tau)
        were = f"{kept:,} of {counted(near, 'pair')} with a margin of {view.near.tau:g} or less in the first votes"
        have = f"{were} {'has' if kept == 1 else 'have'} one in all votes."
        text = have if near else "No pair was nearly tied at first."
        early = Section("stability", title, (text,), (stability(changes),))
    title = "Votes that resemble each other"
    reason = "Nothing is known that votes share, such as a prompt or a judge: they are taken as independent."
    shared = Section("dependence", title, (reason,))
    if view.dependence:
        ratios = tuple(cut(one.summary().sentence, 500) for one in view.dependence)
        shared = Section("dependence", title, ratios, (dependence(view),))
    tied = [] if view.ties is None else [Section("ties", "What ties do", (view.ties.sentence,), (ties(view.ties),))]
    led = [] if view.board is None else [Section("leaderboard", "Who leads", (), (leaderboard(view.board),))]
    return (
        *led,
        Section("margins", "How far apart the models are", (view.near.sentence,), (margins(view), pairs(view))),
        Section("decided", "How many votes decide", (reached,), (decided(view), equal_budget(view))),
        early,
        *tied,
        shared,
        health(view.support),
    )


def margins(view: VotesAnalysis) -> Figure:
    """Quantiles of margins over pairs with the votes that each needs, drawn as shares of pairs at most so far apart."""
    at, tests = view.quantiles, view.found.margins
    columns = (at.probability, at.margin, at.low, at.high, at.corrected, map(_whole, at.n))
    names = ("share", "margin", "low", "high", "corrected", "n")
    rows: list[Row] = [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
    middle = next(row for row in rows if row["share"] == MIDDLE)
    needed = middle["n"]
    cost = (
        f"which needs {counted(needed, 'vote')} by formula"
        if np.isfinite(needed)
        else "which no number of votes can see"
    )
    several = len(view.found) > 1
    most = "Half of the pairs have a margin of" if several else "The only pair has a margin of"
    finding = f"{most} {margin(middle['margin'])}{' or less' * several}, {cost}"
    needs = f"Votes by formula: of a test with level {tests.alpha:g} and power {tests.power:g}, at the margin."
    lines = (
        f"Share of {counted(len(view.found), 'pair')} whose margin is at most so large.",
        "Margin: the share of decisive votes for the better model, less .5; noise inflates that of near ties.",
        f"Intervals: {coverage(view)}, bootstrap over pairs. {needs}{typical(view)}",
    )

    def chart() -> Spec:
        base = Marks(_cumulative(view))
        x = channel("margin:Q", title="margin", scale={"domain": [0, 0.5], "nice": False})
        y = _share("share", "share of pairs with at most this margin")
        base = base.encode(x=x, y=y, color=marks.coloured(LAWS, "law", 1))
        line = base.mark("line", strokeWidth=2.5)
        stairs = base.mark("line", strokeWidth=2, interpolate="step-after")
        return marks.finish(
            [stairs.only(lambda row: row["law"] == ESTIMATED), line.only(lambda row: row["law"] == CORRECTED_LAW)],
            height=300,
        )

    heads = {"share": "of pairs at most", "corrected": "without noise", "n": "votes by formula"}
    caption, shown = Caption(finding, lines), {"share": "of pairs", "margin": "margin at most", "low": "interval"}
    short = Short(shown | {"n": "votes by formula"}, of="margin", percent=("share",)) if view.many else None
    return Figure("margins", caption, rows, chart, heads, unfolded=True, short=short)


def pairs(view: VotesAnalysis) -> Figure:
    """Every pair with enough votes, the closest first; of many pairs the votes that each needs by the formula."""
    found = view.found.margins
    needed = [_whole(float(votes)) for votes in found.implied] if view.many else view.needed
    rows: list[Row] = [
        {"pair": cut(found.pairs[i]), "votes": int(found.n[i]), "margin": float(found.margin[i])}
        | {"low": float(found.low[i]), "high": float(found.high[i]), "effect": float(found.effect[i])}
        | {"needed": needed[i], "ties": float(found.tie_share[i])}
        for i in np.argsort(found.absolute, kind="stable").tolist()
    ]
    several = len(view.found) > 1
    finding = f"All {counted(len(view.found), 'pair')}, the closest first" if several else "The only pair"
    how = "by the formula for many" if view.many else "of a new study, ties at the rate seen so far"
    lines = (
        f"A margin above 0: the second model is preferred. Intervals are {kind(view)}; votes {found.taken}.",
        f"Votes needed: to find the margin with a chance of {view.found.target:g}, {how}.",
    )
    needs = "votes by formula" if view.many else "votes needed"
    heads = Short.titles("pair", "votes", "margin", low="interval", needed=needs)
    titles = {"effect": "votes worth one independent", "needed": needs, "ties": "share of ties"}
    return Figure.of("pairs", Caption(finding, lines), rows, heads, titles=titles, folded=True, of="margin", at=0.0)


def decided(view: VotesAnalysis) -> Figure:
    """Share of pairs that so many votes each would decide: as estimated with its interval, and without noise."""
    study = view.found
    names = ("decided", "low", "high", "corrected", "within_reach")
    values = (study.decided, study.decided_low, study.decided_high, study.corrected, study.within_reach)
    columns = zip(study.budgets.tolist(), *(one.tolist() for one in values), strict=True)
    rows: list[Row] = [dict(zip(("votes", *names), row, strict=True)) for row in columns]
    shown = study.corrected if study.law.known else study.decided
    enough = np.flatnonzero(shown >= 0.5)
    if len(enough):
        law = "Without the noise of the votes" if study.law.known else "If margins are as estimated"
        finding = f"{law}, half of the pairs are decided by {study.budgets[enough[0]]:,} each"
        finding = f"{finding} or fewer" if enough[0] == 0 else finding
    else:
        finding = f"Even {study.budgets[-1]:,} votes each decide only {share(shown[-1])} of the pairs"
    lines = (
        f"Mean chance over pairs that the exact test with level {study.margins.alpha:g} finds the difference.",
        f"Band: {coverage(view)} bootstrap interval over pairs. Votes are {taken(view)}.",
        "As estimated takes every margin at its estimate, so that near ties look easier than they are.",
    )

    def chart() -> Spec:
        laws = dict(zip(("decided", "corrected"), LAWS, strict=True))
        drawn = [{"law": name, "votes": row["votes"], "share": row[key]} for key, name in laws.items() for row in rows]
        drawn = marks.known(drawn, "share")
        ticks = {"format": ",", "values": TICKS, "grid": False}
        scale = {"type": "log", "nice": False, "padding": 8}
        x = channel("votes:Q", title="decisive votes for each pair (log scale)", scale=scale, axis=ticks)
        title = "share of pairs decided"
        ends = [{name: row[name] for name in ("votes", "low", "high")} for row in rows]
        band = Marks(marks.known(ends, "low", "high")).mark("area", color=MISSED, opacity=0.2)
        wide, y = band.encode(x=x, y=_share("low", title), y2="high"), _share("share", title)
        lines = marks.curves(drawn, x, y, LAWS, "law votes: share:", dots=36, columns=1)
        return marks.finish([wide, *lines], height=320)

    caption = Caption(finding, lines)
    heads = Short.titles("votes", "decided", corrected="without noise", within_reach="with enough power")
    titles = {"votes": "votes for each pair", "decided": "share decided, as estimated"}
    titles |= {"within_reach": "share with enough power"}
    return Figure.of("decided", caption, rows, heads, chart, titles=titles, percent="decided corrected within_reach")


def equal_budget(view: VotesAnalysis) -> Figure:
    """How many standard errors the shares of studies are from one half, with the same votes for every pair."""
    rows: list[Row] = [{"votes": one.votes, "z": one.median, "low": one.low, "high": one.high} for one in view.equal]
    clear = [one for one in view.equal if one.median >= view.reach]
    if clear:
        fewer = " or fewer" * (clear[0] is view.equal[0])
        finding = f"With {clear[0].votes:,} votes{fewer} for each pair, half of the studies are clear of an even split"
    else:
        most = f"{view.equal[-1].votes:,} votes for each pair"
        finding = f"Even with {most}, most studies cannot rule out an even split"
    reach, level = number(view.reach, 2), f"{view.found.margins.alpha:g}"
    unanimous = any(np.isinf(one.high) for one in view.equal)
    lines = (
        "z: how many standard errors the share of votes in a study is from one half.",
        f"From about {reach} on (dashed), a test with level {level} finds a difference.",
        "Every pair is given the same number of votes, so that none looks clear only because it was voted on more.",
        f"Dot: the median over pairs and studies; line: the 10% to the 90% quantile. Votes {taken(view)}.",
        *(["Unbounded: all votes of the study agree."] if unanimous else []),
    )

    def chart() -> Spec:
        title, side = "standard errors from one half (z)", "votes for each pair"
        return marks.dots(marks.known(rows, "z"), "votes", "z", title, CORRECTED, at=view.reach, tall=30, side=side)

    titles = {"votes": "votes for each pair", "z": "z, median study", "low": "10% of studies", "high": "90% of studies"}
    heads, drawable = (
        {"votes": "votes each", "z": "z", "low": "80% of studies"},
        chart if marks.known(rows, "z") else None,
    )
    caption = Caption(finding, lines)
    return Figure.of(
        "equal-budget", caption, rows, heads, drawable, titles=titles, unfolded=True, of="z", at=view.reach
    )


def stability(found: Stability) -> Figure:
    """Every pair's margin in its first votes and in the others; that which changed most surely comes first."""
    names = ("early", "rest", "late", "final", "drift_p")
    rows: list[Row] = [
        {
            "pair": cut(found.pairs[i]),
            **{name: float(getattr(found, name)[i]) for name in names},
            "others": int(found.rest_n[i]),
        }
        for i in np.argsort(found.drift_p, kind="stable").tolist()
    ]
    first = f"the first {found.first:,} votes"
    dots = f"Each dot is a pair: margin in {first} against that in the others; dashed: no change."
    lines = tuple(filter(None, (dots, order_of(found), drift_of(found))))
    if len(found.pairs) == 1:
        moved = f"A margin of {margin(found.early[0])} in {first}, of {margin(found.rest[0])} in the others"
        caption = Caption(f"{moved} ({p_value(float(found.drift_p[0]))} of no change)", lines)
    elif not np.isfinite(found.spearman):
        caption = Caption("Margins cannot be ranked: all pairs have the same", lines)
    else:
        noise = f"; noise alone leaves {found.expected:.2f}" if np.isfinite(found.expected) else ""
        both = f"Margins in {first} of each pair and in its others"
        caption = Caption(f"{both} have a rank correlation of {found.spearman:.2f}{noise}", lines)

    def chart() -> Spec:
        drawn = [{**row, "which": CHANGED if row["drift_p"] <= LEVEL else SAME} for row in rows]
        titles = "margin in the first votes", "margin in the others"
        x, y, line = marks.against(rows, ("early", "rest"), *titles)
        colours = {"domain": [SAME, CHANGED], "range": [CORRECTED, MISSED]}
        shapes = {"domain": [SAME, CHANGED], "range": ["circle", "diamond"]}
        legend = {"title": None, "columns": 1, "labelLimit": 260}
        tips = "pair early:.3f rest:.3f drift_p:.3f"
        dots = Marks(drawn).mark("point", filled=True, size=45, opacity=0.75)
        colour, shape = (channel("which:N", scale=scale, legend=legend) for scale in (colours, shapes))
        cloud = dots.encode(x=x, y=y, color=colour, shape=shape, tooltip=tips)
        return marks.finish([line, cloud], height=360)

    heads = {"early": "margin, first votes", "rest": "margin, others", "late": "margin, last votes"}
    heads |= {"final": "margin, all votes", "drift_p": "p of no change", "others": "other votes"}
    return Figure("stability", caption, rows, chart, heads)


def dependence(view: VotesAnalysis) -> Figure:
    """Clustered over independent standard errors, over pairs, for each facet that votes share."""
    rows: list[Row] = []
    for one in view.dependence:
        found = one.summary((LOW, MIDDLE, HIGH))
        low, middle, high = found.ratio
        levels = min(len(view.votes.facet(name).levels) for name in one.facets)
        row = {"by": one.by, "levels": levels, "pairs": found.pairs, "ratio": middle, "low": low, "high": high}
        rows.append({**row, "design_effect": found.design_effect, "icc": found.icc, "repeated": found.repeated})
    known = marks.known(rows, "ratio")
    finding = "No ratio of standard errors is known"
    if known:
        worst = max(known, key=lambda row: float(row["ratio"]))
        ratio = number(worst["ratio"], 2)
        finding = f"By {worst['by']}, the standard error of the median pair is {ratio} times the independent one"
    line = (
        f"Clustered over independent standard errors of the share of each pair: median, and the {LOW:.0%} and "
        f"{HIGH:.0%} quantiles over pairs. 1: votes are as good as independent."
    )
    lines = tuple(filter(None, (line, few_levels(view))))
    colours = palette([row["by"] for row in known])
    caption = Caption(finding, lines)
    heads = Short.titles(by="that share", pairs="pairs", ratio="times wider", low="80% of pairs")
    titles = {"ratio": "ratio, median pair", "low": "10% of pairs", "high": "90% of pairs"}
    titles |= {"design_effect": "median design effect", "icc": "median ICC"}
    titles |= {"repeated": "clusters with several votes, share"}
    look = [(colours[row["by"]], "circle") for row in known]
    title = "clustered over independent standard error"
    return marks.dotted(
        "dependence", caption, rows, heads, title, titles=titles, unfolded=True, drawn=known, look=look, at=1.0
    )


def _cumulative(view: VotesAnalysis) -> list[Row]:
    """Share of pairs whose margin is at most so large: as estimated, and in the law without noise."""
    absolute = view.found.margins.absolute
    at = np.linspace(0, 1, min(len(absolute), MOST_STEPS) + 1)[1:]
    steps = np.quantile(absolute, at, method="inverted_cdf")
    whole = np.append(0.0, np.cumsum(view.found.law.chance))
    curves = [(ESTIMATED, np.append(0.0, steps), np.append(0.0, at))]
    curves += [(CORRECTED_LAW, EDGES, whole)] if view.found.law.known else []
    return [
        {"law": law, "margin": float(x), "share": float(y)}
        for law, xs, ys in curves
        for x, y in zip(xs, ys, strict=True)
    ]


def _share(field: str, title: str) -> Channel:

    axis = {"format": "~%", "grid": True, "tickCount": 5}
    return channel(f"{field}:Q", title=title, axis=axis, scale={"domain": [0, 1]})


def _whole(votes: float) -> float:
    """A number of votes as a whole one; infinite where no number would do."""
    return int(votes) if np.isfinite(votes) else votes
