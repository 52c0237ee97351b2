"""Agents: the pages of chains, of ensembles, of hazards along conversations and of repeated runs."""

from __future__ import annotations

from quorate.analysis.words import cut, significant
from quorate.estimate.agents.chain import Chain
from quorate.estimate.agents.ensemble import Ensemble
from quorate.estimate.agents.hazard import Hazard
from quorate.estimate.agents.runs import RepeatedRuns
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import CORRECTED, Spec
from quorate.reporting.page import Caption, Figure, Page, Row, Section, Short, Table, Tile, particulars
from quorate.table.results import Interval, picked
from quorate.wording import at_level, counted, percent


def runs_page(result: RepeatedRuns, table: Table | None = None) -> Page:
    """The page of repeated runs."""
    first = result.systems[0]
    facts: dict[str, object] = {"a run passes from": f"{result.at:.4g}"}
    for one in result.systems:
        whose = f", {one.system}" if one.system else ""
        facts |= {f"items{whose}": one.items, f"runs{whose}": one.runs, f"fewest runs of an item{whose}": one.fewest}
    parts = (
        Section("passing", "How often runs pass", figures=(passing(result),)),
        Section("flips", "Items that flip", figures=(flips(result),)),
    )
    rests = particulars("rests", f"What it rests on: {counted(first.items, 'item')}", facts)
    how = (
        "Of n runs of an item c pass; C(c, k) / C(n, k) and 1 - C(n - c, k) / C(n, k) are unbiased for the chances "
        "that all and any of k fresh runs pass (Yao et al., 2024; Chen et al., 2021). Means over items have Wilson's "
        "interval with as many trials as their standard error over items is worth, at a level of "
        f"{at_level(result.level)}. Whose doing the variance between runs is follows from the mean squares of runs "
        "and of runs by judgments within items."
    )
    return Page.of(result, table, "Repeated runs", parts, rests, how)


def passing(result: RepeatedRuns) -> Figure:
    """The chances that one, all and any of k runs pass, that two differ, and whose doing that is."""
    several = len(result.systems) > 1
    rows: list[Row] = []
    for one in result.systems:
        whose = f"{cut(one.system, 30)}: " if several else ""
        for k in one.passing:
            if k.k == 1:
                rows.append(_row(f"{whose}a run passes", k.all))
                continue
            rows.append(_row(f"{whose}all of {k.k} pass (pass^{k.k})", k.all))
            rows.append(_row(f"{whose}one of {k.k} or more (pass@{k.k})", k.any))
        rows.append(_row(f"{whose}two runs differ", one.differ))
        if one.own is not None:
            rows.append(_row(f"{whose}of that, the runs' own", one.own))
    level = f"{at_level(result.level)} interval"
    most = result.systems[0].passing[-1]
    finding = f"All of {counted(most.k, 'run')} pass in {percent(most.all.value)} of items"
    caption = Caption(finding, (f"For items like these, with {level}s over items.",))
    heads = Short.titles(what="", value="share", low=level)
    return marks.dotted("passing", caption, rows, heads, "share of items", unfolded=True, percent="value")


def _row(what: str, found: Interval) -> Row:
    return {"what": what, "value": found.value, "low": found.low, "high": found.high}


def flips(result: RepeatedRuns) -> Figure:
    """Items of which some runs pass and some do not, the most divided first."""
    rows: list[Row] = [
        {"system": one.system, "item": cut(flip.item), "passed": flip.passed, "runs": flip.runs}
        for one in result.systems
        for flip in one.flips
    ]
    heads = {"item": "item", "passed": "passed", "runs": "of runs"}
    heads = {"system": "system", **heads} if len(result.systems) > 1 else heads
    all_items = sum(one.items for one in result.systems)
    line = "The most divided first: read these runs side by side."
    caption = Caption(f"{len(rows):,} of {all_items:,} items pass in some runs and fail in others", (line,))
    return Figure.of("flips", caption, rows, heads, titles={"runs": "of runs"}, most=6)


def hazard_page(result: Hazard, table: Table | None = None) -> Page:
    """The page of hazards."""
    facts: dict[str, object] = {"threshold": result.threshold}
    facts["scores that count"] = "above" if result.above else "below"
    facts |= {"share of the variance of scores that stays from turn to turn": result.between}
    facts |= {f"levels of {name} in a score": count for name, count in result.levels.items()}
    parts = (
        Section("hazards", "At which turn", figures=(hazards(result),)),
        Section("survival", "How many never do", figures=(survival(result),)),
    )
    rests = particulars("rests", f"What it rests on: {len(result.turns)} turns", facts)
    side = "above" if result.above else "below"
    how = (
        f"The hazard of a turn is the chance that a single score is {side} {result.threshold:g}, of a normal law with "
        "the turn's mean and the sum of the variance components of a linear mixed model (Messing 2026, equation 12). "
        "Survival is the product of their complements, and, beside it, the same chance where components without the "
        f"turn are shared by all turns of a conversation (here {percent(result.between)} of the variance). Intervals "
        "are quantiles of draws of means (Student) and components (chi-square)."
    )
    return Page.of(result, table, "Turns of a conversation", parts, rests, how)


def hazards(result: Hazard) -> Figure:
    """The chance to be beyond the threshold, turn by turn, and the share that was observed."""
    rows: list[Row] = [
        picked(one, "turn hazard=hazard.value low=hazard.low high=hazard.high observed mean sd n")
        for one in result.turns
    ]
    first, last = rows[0]["hazard"], rows[-1]["hazard"]
    finding = f"From {percent(first)} at turn {rows[0]['turn']} to {percent(last)} at turn {rows[-1]['turn']}"
    side = "above" if result.above else "below"
    line = f"Chance of a score {side} {result.threshold:g} with {at_level(result.level)} intervals; normal scores."
    caption = Caption(finding, (line,))
    heads = Short.titles("turn", "mean", "observed", "hazard", low=f"{at_level(result.level)} interval")
    titles = {"mean": "mean score", "sd": "standard deviation of single scores", "n": "answers"}
    return marks.dotted(
        "hazards", caption, rows, heads, "chance", titles=titles, unfolded=True, side="turn", percent="hazard observed"
    )


def survival(result: Hazard) -> Figure:
    """The chance that no turn so far was beyond the threshold, both ways."""
    rows: list[Row] = []
    for one in result.turns:
        row: Row = {"turn": one.turn, "lasting": one.lasting.value, "low": one.lasting.low, "high": one.lasting.high}
        rows.append(row | one.survival.row("survival"))
    last = result.turns[-1]
    lasting, independent = (percent(one.value) for one in (last.lasting, last.survival))
    finding = f"{lasting} of conversations never cross; {independent} if turns were independent"
    line = (
        "Chance that no score so far was beyond the threshold, with what items, prompts and judges are like kept from "
        "turn to turn; the product over turns is beside it."
    )
    caption = Caption(finding, (line,))
    heads = Short.titles("turn", survival="by independent turns", lasting="none so far", low="interval")
    titles = {"survival_low": "its low", "survival_high": "its high"}
    return marks.dotted(
        "survival", caption, rows, heads, "chance", titles=titles, side="turn", percent="lasting survival"
    )


def ensemble_page(result: Ensemble, table: Table | None = None) -> Page:
    """The page of an ensemble."""
    facts: dict[str, object] = {"agents": result.agents, "variance of their mean": result.variance}
    facts |= {"variance of one agent": result.alone, "covariance of two": result.shared}
    return Page.of(
        result,
        table,
        "The mean of several agents",
        sections=(Section("numbers", "More or fewer agents", figures=(numbers(result),)),),
        facts=particulars("rests", "What it rests on", facts),
        methods=f"The variance of the mean of {result.agents:,} agents on one item is the mean of their variances and "
        "covariances (Messing 2026, equation 13); what all agents share stays however many they are.",
        tiles=(
            Tile(significant(result.se), f"standard deviation of the mean of {result.agents:,}"),
            Tile(significant(result.worth, 2), "independent agents that would be as precise"),
            Tile(significant(result.correlation, 2), "correlation of the errors of two agents"),
        ),
    )


def numbers(result: Ensemble) -> Figure:
    """What the mean of each number of agents is worth."""
    rows = result.rows()
    finding = f"{result.agents:,} agents are worth {significant(result.worth, 2)} independent ones"
    line = "Standard deviation of the mean on one item, of agents like these."

    def chart() -> Spec:
        shown = [{"agents": str(row["agents"]), "se": row["se"], "low": row["se"], "high": row["se"]} for row in rows]
        return marks.dots(
            shown[: marks.MOST_ROWS], "agents", "se", "standard deviation", CORRECTED, at=None, side="agents"
        )

    heads = Short.titles("agents", se="standard deviation", worth="independent ones")
    titles = {"worth": "independent agents"}
    return Figure.of("numbers", Caption(finding, (line,)), rows, heads, chart, titles=titles, unfolded=True)


def chain_page(result: Chain, table: Table | None = None) -> Page:
    """The page of a chain."""
    facts: dict[str, object] = {"runs": result.n, "variance of the last stage": result.variance}
    facts |= {"runs resemble each other by": result.cluster or "nothing: taken as independent"}
    facts |= {f"degree of the polynomial in {cut(one.stage)}": one.degree for one in result.links[:-1]}
    parts = (Section("stages", "What each stage adds", figures=(stages(result),)),)
    rests = particulars("rests", "What it rests on", facts)
    apart = f"clustered by {result.cluster}" if result.cluster else "runs as independent"
    how = (
        f"The variance of the last stage over {result.n:,} runs was divided by the law of total variance, stage by "
        "stage (Messing 2026, equation 14): each adds what the mean of the last stage given it explains beyond that "
        "given the stage before. Conditional means are polynomials, or means by word, fitted without the run that they "
        "predict. "
        f"Intervals are on the scale of the angle, with standard errors of influence values, {apart}."
    )
    return Page.of(result, table, "A chain of agents", parts, rests, how, sentence=cut(result.sentence, 300))


def stages(result: Chain) -> Figure:
    """Share of the variance that each stage adds."""
    rows: list[Row] = [
        {"stage": cut(one.stage)} | picked(one, "share low high variance so_far") for one in result.links
    ]
    most = max(result.links, key=lambda one: one.share)
    finding = f"{percent(most.share)} of the variance comes from {cut(most.stage)}"
    line = f"Share of the variance of the last stage, with {at_level(result.level)} intervals; shares add up to 1."
    caption = Caption(finding, (line,))
    heads = Short.titles("stage", "share", low=f"{at_level(result.level)} interval", variance="variance")
    titles = {"so_far": "with those before it"}
    return marks.dotted(
        "stages", caption, rows, heads, "share", titles=titles, unfolded=True, line=0.0, percent="share"
    )
