"""Verdicts: the pages on two systems and on all pairs of them, by votes or by scores."""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence
from typing import Any

from quorate.analysis.words import called, cut, only_facet, p_value, significant
from quorate.decide.all_pairs import AllPairs
from quorate.decide.next_step import NextStep, goal_of
from quorate.decide.outcome import AnyVerdict, Outcome, Types
from quorate.decide.scores import ScoreStep, ScoreVerdict
from quorate.decide.votes import Verdict
from quorate.estimate.differences.difference import SystemDifference
from quorate.estimate.means.targets import scope
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import CORRECTED, INK, NAIVE, Spec, channel
from quorate.reporting.page import WHAT, Caption, Figure, Page, Row, Section, Short, Step, Table, particulars
from quorate.table.results import picked
from quorate.wording import at_level, capitalised, counted, listed, margin, plural, shares, whole_percent


def all_pairs_page(result: AllPairs, table: Table | None = None) -> Page:
    """The page of verdicts on all pairs."""
    count = result.counts
    facts: dict[str, object] = {"pairs": len(result.pairs), "told apart": result.told_apart}
    facts |= {} if result.margin is None else {"equivalent": count["equivalent"]}
    facts |= {"undecided": count["undecided"], "level of all together": result.level}
    facts |= {"margin of equivalence": "none" if result.margin is None else result.margin}
    by = "the ratings of a board of all votes" if result.by == "share" else "the difference of their mean scores"
    equal = "" if result.margin is None else " Systems are equivalent where the interval lies within the margin."
    how = (
        f"All {len(result.pairs):,} pairs of systems were compared by {by}, with intervals by the largest "
        f"studentised difference, which all hold at once with a chance of {result.level:g}.{equal} The verdicts are "
        "for one look at data whose amount was set beforehand."
    )
    return Page.of(
        result,
        table,
        "All pairs of systems",
        sections=(Section("pairs", "The verdicts", figures=(verdicts(result),)),),
        facts=particulars("compared", f"What was compared: {counted(len(result.pairs), 'pair')}", facts),
        methods=how,
        options=f"level {result.level:g} of all together",
        next_step=_of_a_pair(result),
    )


def _of_a_pair(result: AllPairs) -> Step | None:
    """The command that says what would decide the widest pair that is not."""
    left = [one for one in result.pairs if one.outcome is Outcome.UNDECIDED]
    if not left:
        return None
    one = max(left, key=lambda pair: abs((pair.value or 0.0) - 0.5 * (result.by == "share")))
    return Step("Next: what would decide a pair.", shlex.join(["quorate", "compare", "FILE", one.a, one.b]))


def verdicts(result: AllPairs) -> Figure:
    """Every pair with its interval, all of which hold at once: the largest differences first."""
    by_votes, margin = result.by == "share", result.margin
    zero = 0.5 if by_votes else 0.0
    ordered = sorted(result.pairs, key=lambda pair: -abs((pair.value if pair.value is not None else math.inf) - zero))
    numbers = "value low high outcome=outcome.value"
    rows: list[Row] = [
        {"pair": f"{cut(one.a, SHORT)} against {cut(one.b, SHORT)}"} | picked(one, numbers) for one in ordered
    ]
    name = "share of votes for the first" if by_votes else "mean score of the first less that of the second"
    of_all = ", by all votes together," if by_votes else ","
    lines = [
        f"{capitalised(name)}{of_all} with intervals that hold for all pairs at once ({at_level(result.level)}).",
        "Dashed: no difference. In colour: told apart.",
    ]
    lines += [] if margin is None else [f"Dotted: what counts as equal, {zero - margin:.4g} to {zero + margin:.4g}."]
    lines += [f"The chart shows {marks.MOST_ROWS} of them, evenly spaced."] if len(rows) > marks.MOST_ROWS else []

    def chart() -> Spec:
        shown = marks.spread(marks.known(rows, "low", "high"))
        edges = [] if margin is None else [zero - margin, zero + margin]
        return marks.dots(shown, "pair", "value", name, told_apart(shown), at=zero, edges=edges, tall=24)

    drawable = chart if marks.known(rows, "low", "high") else None
    heads = Short.titles("pair", "outcome", value="share" if by_votes else "difference", low="interval")
    apart = result.told_apart
    finding = f"{apart} of {counted(len(rows), 'pair')} {'is' if apart == 1 else 'are'} told apart"
    return Figure.of(
        "verdicts",
        Caption(finding, tuple(lines)),
        rows,
        heads,
        drawable,
        titles={"pair": "first against second", "value": name},
        unfolded=True,
        of="value",
        at=zero,
        percent="value" if by_votes else "",
    )


SHORT = 40
MOST_CHANGED = 20
MUCH = 2.5
"""Times half the interval that a detectable difference is explained at; 1.7 where all is known but the mean."""
_PLAIN = {"what": " ", "value": "number or choice"}
TIES = {"drop": "ties were left out", "half": "ties count as half a vote", "pessimistic": "ties count against it"}


def page(verdict: AnyVerdict, table: Table | None = None) -> Page:
    """The page on a verdict."""
    return Page.of(
        verdict,
        table,
        f"{cut(verdict.a, SHORT)} against {cut(verdict.b, SHORT)}",
        sentence=cut(verdict.sentence, 2000),
        sections=sections(verdict),
        facts=compared(verdict),
        methods=methods(verdict),
        options=options(verdict),
        next_step=planning(verdict),
    )


def planning(verdict: AnyVerdict) -> Step | None:
    """The command that plans the next study of scores, for the difference that matters: as stated, or as found."""
    shown = verdict.claim is not None and verdict.supported
    if not isinstance(verdict, ScoreVerdict) or verdict.outcome is not Outcome.UNDECIDED or shown:
        return None
    step, effect = verdict.next_step, verdict.margin or verdict.detectable
    if verdict.margin is None and step is not None:
        effect = step.assumed
    words = ["quorate", "plan", "FILE", verdict.a, verdict.b, "--effect", f"{effect:.3g}"]
    return Step("Next: what a study takes that finds the difference that matters to you.", shlex.join(words))


def sections(verdict: AnyVerdict, *also: Figure) -> tuple[Section, ...]:
    """The verdict with other figures on it, what would decide it, and where its uncertainty comes from."""
    found = [Section("verdict", "The verdict", (), (interval(verdict), *also))]
    if verdict.outcome is Outcome.UNDECIDED:
        step = next_step(verdict)
        nothing = "Nothing that could be bought would: the sentence above says why."
        found.append(Section("next", "What would decide it", () if step else (nothing,), (step,) if step else ()))
    if isinstance(verdict, ScoreVerdict) and verdict.types is not None:
        found.append(Section("types", "By category", figures=(by_type(verdict.types, verdict),)))
    if isinstance(verdict, ScoreVerdict) and verdict.difference.changed():
        found.append(Section("items", "Which items changed", figures=(changed(verdict),)))
    if isinstance(verdict, ScoreVerdict) and len(verdict.difference.estimate.shares) > 1:
        found.append(Section("sources", "Where the uncertainty comes from", figures=(sources(verdict),)))
    return tuple(found)


def interval(verdict: AnyVerdict) -> Figure:
    """The difference with the interval of the verdict, and that which equivalence rests on; shares for votes."""
    difference, zero = verdict.difference, centre(verdict)
    value, half = zero + difference.value, verdict.margin
    low, high = (zero + end for end in difference.at(verdict.level).ends)
    votes = isinstance(verdict, Verdict)
    others = verdict.others if isinstance(verdict, ScoreVerdict) else None
    label = f"{_percent(verdict.level)} interval" if votes else "this setup"
    if others is None:  # the only one, of those that were asked for or that the scores tell of
        label = _whom(difference) or label
    rows: list[Row] = [{"interval": label, "value": value, "low": low, "high": high}]
    if others is not None:
        others_low, others_high = others.at(verdict.level).ends
        rows.append({"interval": "others like it", "value": value, "low": others_low, "high": others_high})
    none = "one half" if isinstance(verdict, Verdict) else "zero"
    side = "includes" if low <= zero <= high else "excludes"
    finding = f"The {_percent(verdict.level)} interval {side} {none}: {verdict.outcome.value}"
    name = axis(verdict)
    lines = [f"{capitalised(name)}.", f"Dashed: no difference ({p_value(verdict.p_difference)})."]
    if half is not None:
        least, most = (zero + end for end in difference.equivalence_interval(1 - verdict.level).ends)
        narrow = _percent(2 * verdict.level - 1)
        rows.append({"interval": f"{narrow} interval, for equivalence", "value": value, "low": least, "high": most})
        if verdict.outcome is Outcome.EQUIVALENT:
            ends = " to ".join(_values(verdict, value, least, most)[1:])
            finding = f"The {narrow} interval, {ends}, lies within what counts as equal"
        if verdict.p_equivalence is not None:
            equal = f"{zero - half:.4g} to {zero + half:.4g} ({p_value(verdict.p_equivalence)})"
            lines.append(f"Dotted: what counts as equal, {equal}.")
    edges, drawn = [] if half is None else [zero - half, zero + half], marks.known(rows, "low", "high")
    heads = {"interval": "", "value": "share" if votes else "difference", "low": f"{_percent(verdict.level)} interval"}
    titles, caption = {"value": name, "interval": "interval"}, Caption(finding, tuple(lines))
    how: dict[str, Any] = {"look": marks.first(drawn), "at": zero, "edges": edges, "tall": 34}
    shares = "value" if votes else ""
    return marks.dotted(
        "verdict", caption, rows, heads, name, titles=titles, unfolded=True, drawn=drawn, percent=shares, **how
    )


def told_apart(rows: Sequence[Row]) -> list[str]:
    """Colours of verdicts: grey where it is open which of the two is better."""
    open_ = (Outcome.UNDECIDED.value, Outcome.EQUIVALENT.value)
    return [NAIVE if row["outcome"] in open_ else CORRECTED for row in rows]


def next_step(verdict: AnyVerdict) -> Figure | None:
    """What would decide: of votes how many, of scores which study; None where nothing would."""
    if isinstance(verdict, Verdict) and verdict.next_step is not None:
        step = verdict.next_step
        finding = f"A new study of {step.size} would {goal_of(step)}, if the margin is {margin(step.assumed)} as found"
        lines = (
            f"Each with a chance of {step.power:g}, tested on its own votes alone; with ties at the rate seen so far.",
            "There is no most: the interval includes margins that no number of votes would decide.",
        )
        heads = {"study": "a new study", "assumed": "if the margin is", "votes": "votes", "price": "price"}
        return Figure.of("next-step", Caption(finding, lines), _votes_needed(verdict, step), heads)
    if isinstance(verdict, ScoreVerdict) and verdict.next_step is not None:
        study = verdict.next_step
        caption = Caption(
            f"A new study would {goal_of(study)}, with a chance of {study.power:g}", (cut(study.sentence, 1000),)
        )
        return Figure("next-step", caption, _study(study), headers=_PLAIN, short=WHAT)
    return None


def by_type(types: Types, verdict: AnyVerdict) -> Figure:
    """The difference on each type of prompts or category of items, with intervals of each by itself."""
    zero, name = centre(verdict), axis(verdict)
    rows: list[Row] = [
        {"type": one.type, "value": zero + one.value, "low": zero + one.low, "high": zero + one.high}
        | {"n": one.n, "p": one.p, "p_adjusted": one.p_adjusted}
        for one in types.each
    ]
    by = types.by.replace("_", " ")
    same = f"Not the same on every {by}" if types.p <= 1 - verdict.level else f"Not shown to depend on the {by}"
    lines = (
        f"{capitalised(name)}, with {_percent(verdict.level)} intervals for each {by} by itself.",
        f"That all are the same: {p_value(types.p)}. Adjusted: by Holm, for all of them together.",
    )
    drawn = marks.known(rows, "low", "high")
    heads = Short.titles(type=by, value="difference", low="interval", n="n", p_adjusted="p, adjusted")
    titles = {"value": name, "p": "p of no difference", "p_adjusted": "adjusted"}
    caption, look = Caption(same, lines), marks.first(drawn)
    return marks.dotted("types", caption, rows, heads, name, titles=titles, drawn=drawn, look=look, at=zero, tall=30)


def changed(verdict: ScoreVerdict) -> Figure:
    """The items on which the two differ most, those that the first lost before those that it won."""
    difference = verdict.difference
    first, second = cut(verdict.a, SHORT), cut(verdict.b, SHORT)
    rows: list[Row] = [
        {"item": cut(one.item), "first": one.first, "second": one.second, "change": one.gap}
        for one in difference.changed(MOST_CHANGED)
    ]
    won, lost, tied = difference.items_won or (0, 0, 0)
    finding = f"{first} won {won:,} items, lost {lost:,} and tied {tied:,}"
    lines = ["Those that changed most, losses first. A single item is noise: it says where to look."]
    lines += [] if difference.mcnemar is None else [f"McNemar's exact test: p {_p(difference.mcnemar)}."]
    gain = difference.pairing_gain
    lines += [f"Without pairs the interval would be {gain:.2g} times as wide."] if gain > 0 else []
    heads = {"item": "item", "first": first, "second": second, "change": "change"}
    return Figure.of("changed", Caption(finding, tuple(lines)), rows, heads, most=5, first=verdict.claim is not None)


def sources(verdict: ScoreVerdict) -> Figure:
    """Where the uncertainty of a difference of scores comes from, the largest part first."""
    parts = sorted(verdict.difference.estimate.shares.items(), key=lambda part: -part[1])
    only = only_facet(verdict.difference.estimate.basis.fit.judgments)
    rows: list[Row] = [{"source": called(name, only), "share_of_variance": share} for name, share in parts]
    largest, common = whole_percent(parts[0][1]), whole_percent(verdict.difference.common_share)
    finding = f"{largest} of the uncertainty of the difference comes from {cut(called(parts[0][0], only))}"
    line = f"Shares of the variance of the difference; {common} of it stays with any number of items."

    def chart() -> Spec:
        drawn = [{**row, "text": f"{row['share_of_variance']:.0%}"} for row in rows]
        scale, ticks = {"domain": [0, 1], "nice": False}, {"format": ".0%"}
        x = channel("share_of_variance:Q", title="share of the variance of the difference", scale=scale, axis=ticks)
        base = marks.chart(drawn, marks.labels("source"), step=26)
        bar = base.mark("bar", color=CORRECTED, opacity=0.85, height={"band": 0.6}).encode(x=x)
        return marks.finish(
            [bar, base.mark("text", align="left", dx=5, color=INK, fontSize=11).encode(x=x, text="text:N")]
        )

    heads = Short.titles("source", share_of_variance="share")
    caption = Caption(finding, (line,))
    titles = {"share_of_variance": "share of Var(difference)"}
    return Figure.of("sources", caption, rows, heads, chart, titles=titles, percent="share_of_variance", most=5)


def compared(verdict: AnyVerdict) -> Figure:
    """What was compared, and what came out."""
    zero = centre(verdict)
    between = [zero + end for end in verdict.difference.at(verdict.level).ends]
    values: dict[str, object] = {"first system": cut(verdict.a), "second system": cut(verdict.b)}
    if isinstance(verdict, Verdict):
        values |= {"votes that count": verdict.difference.n, "ties": verdict.difference.ties}
        levels = zip(verdict.difference.cluster, verdict.difference.clusters, strict=True)
        values |= {f"clusters ({name})": count for name, count in levels}
    name = "share of votes for the first" if isinstance(verdict, Verdict) else "difference of the means"
    if isinstance(verdict, ScoreVerdict):
        found = verdict.difference
        joint = found.method == "joint"  # whose difference is not that of the two means where some items are of one
        name = "difference, by one model of both" if joint else name
        values |= {"scores used": found.n, "items": found.items, "method": found.method}
        for side, mean in zip((verdict.a, verdict.b), found.means, strict=False):
            if mean is not None:
                ends = mean.at(verdict.level).ends
                shown = "{}, {} to {}".format(*_values(verdict, mean.value, *ends))
                own = "'s own scores" * joint
                values[f"mean of {cut(side, SHORT)}{own}, {_percent(verdict.level)} interval"] = shown
        if found.items_won is not None:
            values["items won, lost, tied"] = "{:,}, {:,}, {:,}".format(*found.items_won)
        if found.mcnemar is not None:
            values["p of McNemar's exact test"] = _p(found.mcnemar)
    level = _percent(verdict.level)
    these = f", {whom}" if (whom := _whom(verdict.difference)) else ""
    shown = "{}, {} to {}".format(*_values(verdict, zero + verdict.difference.value, *between))
    values |= {
        f"{name}{these}, {level} interval": shown,
        f"p of no difference{these}": _p(verdict.p_difference),
        "nominal chance of a false verdict": f"{verdict.error_rate:.3g}",
    }
    values |= {} if verdict.p_equivalence is None else {f"p of a margin that large{these}": _p(verdict.p_equivalence)}
    if verdict.types is not None:
        values[f"p of the same on every {verdict.types.by.replace('_', ' ')}"] = _p(verdict.types.p)
    if isinstance(verdict, ScoreVerdict) and verdict.others is not None and verdict.for_others is not None:
        other, like = verdict.others, _whom(verdict.others)
        numbers = "{}, {} to {}".format(*_values(verdict, other.value, *other.at(verdict.level).ends))
        values[f"{like}, {level} interval"] = f"{numbers}: {verdict.for_others.value}"
        values[f"{like}, p of no difference"] = _p(other.p_difference())
    seen = "none" if verdict.detectable is None else significant(verdict.detectable)
    values[f"smallest difference that is detected (power {verdict.power:g}){these}"] = seen
    values["outcome"] = verdict.outcome.value
    note = why_detectable(verdict)
    names = f"{cut(verdict.a, SHORT)} and {cut(verdict.b, SHORT)}"
    return particulars("compared", f"What was compared: {names}", values, *([note] if note else []))


def _whom(difference: object) -> str:
    """Whom a difference of scores speaks for; of votes nothing."""
    if not isinstance(difference, SystemDifference):
        return ""
    return scope(difference.fit.judgments, difference.estimate.target, difference.facet)


def why_detectable(verdict: AnyVerdict) -> str:
    """Why the smallest difference that is detected is far beyond the interval; empty where it is not."""
    if not isinstance(verdict, ScoreVerdict) or verdict.detectable is None:
        return ""
    low, high = verdict.difference.at(verdict.level).ends
    if verdict.detectable < MUCH * (high - low) / 2:
        return ""
    return (
        "The smallest difference is that of new studies of this design, whose standard errors and degrees of freedom "
        f"are drawn anew: many get wider intervals than this one's {significant((high - low) / 2)} either way."
    )


def methods(verdict: AnyVerdict) -> str:
    """The paragraph for a methods section."""
    level = f"{_percent(verdict.level)} interval"
    if isinstance(verdict, Verdict):
        votes, amount = verdict.difference, "votes whose number"
        tests = f"an exact {level} (Clopper and Pearson, 1934) and an exact two-sided binomial test"
        if votes.cluster:
            source = "Cameron, Gelbach and Miller, 2011" if len(votes.cluster) > 1 else "Liang and Zeger, 1986"
            levels = " and ".join(f"{count:,}" for count in votes.clusters)
            robust = f"clustered by {listed(votes.cluster)} ({source}), {levels} clusters"
            tests = f"a {level} of Student's t with standard errors {robust}"
        elif not votes.exact:
            tests = f"a {level} of Student's t and an exact sign test of the votes that are not ties"
        how = f"by {counted(votes.n, 'vote')}, with {tests}; {TIES[votes.ties]}"
        equal = "shares from {:.4g} to {:.4g}".format(*(0.5 + side * (verdict.margin or 0) for side in (-1, 1)))
    else:
        how, amount = "by their difference", "data whose amount"
        if isinstance(verdict, ScoreVerdict):
            scores, paired = verdict.difference, verdict.difference.method == "paired"
            count = f"{scores.n:,} pairs of scores" if paired else counted(scores.n, "score")
            how = (
                f"by {count} on {counted(scores.items, 'item')}, "
                f"{'paired in shared cells' if paired else 'by one model for the scores of both'}, with "
                f"Student's t over items ({scores.df:.1f} degrees of freedom)"
            )
        how = f"{how}, with a {level}"
        equal = f"a difference below {verdict.margin:.4g} either way" if verdict.margin is not None else ""
    stated = f"Equivalence is {equal}, by two one-sided tests (Schuirmann, 1987)."
    none = "No margin of equivalence was stated."
    return (
        f"{cut(verdict.a)} was compared with {cut(verdict.b)} {how}. Tests have level {1 - verdict.level:.4g}; the "
        f"verdict is for one look at {amount} was set beforehand. {none if verdict.margin is None else stated}"
    )


def options(verdict: AnyVerdict) -> str:
    """What was chosen."""
    chosen = [f"level {verdict.level:g}", f"power {verdict.power:g}"]
    chosen += [] if verdict.margin is None else [f"margin {verdict.margin:g}"]
    chosen += [] if verdict.claim is None else [f"claim {verdict.claim}"]
    if isinstance(verdict, Verdict):
        chosen += [f"ties {verdict.difference.ties}"]
        chosen += [f"cluster {','.join(verdict.difference.cluster) or 'none'}"]
    return ", ".join(chosen)


def axis(verdict: AnyVerdict) -> str:
    """What the numbers are."""
    name, other = cut(verdict.a, 30), cut(verdict.b, 30)
    return (
        f"share of votes for {name}" if isinstance(verdict, Verdict) else f"mean score of {name} less that of {other}"
    )


def centre(verdict: AnyVerdict) -> float:
    """No difference, on the scale that is shown: a share of one half of votes, 0 of scores."""
    return 0.5 if isinstance(verdict, Verdict) else 0.0


def _votes_needed(verdict: Verdict, step: NextStep) -> list[Row]:
    """The studies that would decide, with what each assumes."""
    toward = step.toward == "difference"
    shows = "a difference" if toward else "equivalence"
    end = margin(max(map(abs, verdict.difference.at(verdict.level).ends))) if toward else "0"
    rows: list[Row] = [
        {"study": f"shows {shows} if all is as found", "assumed": margin(step.assumed), "votes": step.votes},
        {"study": f"shows {shows} at best", "assumed": end, "votes": step.at_least},
    ]
    if step.budget is not None:
        limit, side = (step.seen_by_budget, "more") if toward else (step.alike_by_budget, "less")
        reach = "no margin" if limit is None else f"{margin(limit)} or {side}"
        rows.append({"study": f"of your budget shows {shows}", "assumed": reach, "votes": step.budget})
    if step.cost is None:
        return rows
    return [{**row, "price": step.cost / step.votes * row["votes"]} for row in rows]


def _study(step: ScoreStep) -> list[Row]:
    """The study of scores that would decide, and what the best one of the budget would show."""
    rows: dict[str, object] = {plural(name): count for name, count in step.design.items()}
    rows |= {"layout": step.layout, "judgments of both": step.calls}
    rows |= {} if step.cost is None else {"price": f"{step.cost:,.2f}"}
    rows |= {"standard error": significant(step.se), "if the difference is": significant(step.assumed)}
    rows["chance"] = f"{step.power:g}"
    if step.budget is not None and step.budget_power is not None:
        toward = step.toward == "difference"
        limit = step.seen_by_budget if toward else step.alike_by_budget
        shows = "detects a difference of" if toward else "shows equivalence at a difference of at most"
        rows["your budget"] = f"{step.budget:,.10g}"
        rows[f"your budget {shows}"] = "none" if limit is None else significant(limit)
        rows["chance within your budget"] = f"{step.budget_power:.2f}"
    return [{"what": name, "value": value} for name, value in rows.items()]


def _values(verdict: AnyVerdict, value: float, low: float, high: float) -> tuple[str, ...]:
    words = shares(value, low, high) if isinstance(verdict, Verdict) else map(significant, (value, low, high))
    return tuple(words)


def _p(value: float) -> str:
    """A p-value in a table."""
    return p_value(value, digits=3).removeprefix("p ").removeprefix("= ")


def _percent(level: float) -> str:
    return at_level(level)
