"""`quorate judges --human`: judges against labels of people, and how many independent judges a panel is worth."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from quorate.cli.console import caveats, heading, say, table
from quorate.cli.options import File, Files, For, Labelled, Level, Output, Reading, SeedOrNone, command
from quorate.cli.options.groups import spelled

if TYPE_CHECKING:
    from rich.console import Console

    from quorate.estimate.agreement.against import Against
    from quorate.estimate.agreement.yardsticks import ConfigurationAccuracy, Measured
    from quorate.table.judgments import Judgments
    from quorate.table.votes import Votes

NO_VOTES = "for votes, and this file has scores; leave it out"
MOST_ROWS = 20
"""Configurations on the terminal; the report and the JSON have all."""


@dataclass(frozen=True, kw_only=True)
class Labels(Labelled):
    """What people said, and what is wanted of it."""

    key: Annotated[
        str,
        For("votes"),
        typer.Option(metavar="ROLE", help="Votes: what the two systems answered; battles of one are drawn together."),
    ] = "prompt"
    splits: Annotated[
        int, typer.Option(metavar="N", help="Random halves of the labels, to choose and to test the best on.")
    ] = 200
    resamples: Annotated[int, typer.Option(metavar="N", help="Bootstrap samples of items.")] = 1000
    level: Level = 0.95
    seed: SeedOrNone = None


@command
def against(file: File, labels: Labels, reading: Reading, files: Files, out: Output) -> int:
    """How often judges say what people say, and how many judges they are worth.

    Every judge under every prompt, and their majority, against a label for each item, or people's votes on each battle:
    what averaging gains, which judge to drop, how often verdicts flip when the prompt is reworded, and how many more
    labels would settle it.
    """
    from quorate.estimate.agreement.against import against as found_by
    from quorate.table.votes import Votes

    judgments = judged(file, reading)
    if not isinstance(judgments, Votes):
        labels.refuse("votes", NO_VOTES)
    human = labels.said(file, reading, judgments, **({"facet": reading.facet} if isinstance(judgments, Votes) else {}))
    found = found_by(
        judgments,
        human,
        key=labels.key,
        splits=labels.splits,
        resamples=labels.resamples,
        level=labels.level,
        rng=labels.seed,
    )
    out.typeset(found, show, notes=judgments.notes)
    files.write(found, judgments, out, seed=labels.seed)
    return 0


def judged(file: Path, reading: Reading) -> Judgments | Votes:
    """What judges said: votes, of which a facet may be the wording of the question, or scores or labels."""
    scores = [name for name in reading.given("scores") if name != "facet"]
    if reading.roles is not None:
        return reading.table(file)
    if scores or not (reading.given("votes") or reading.has_votes(file)):
        reading.refuse(
            "votes", f"for votes, and {spelled(type(reading), scores[0])} is for scores" if scores else NO_VOTES
        )
        return reading.judgments(file)
    return reading.votes(file, facet=reading.facet)


def show(out: Console, found: Against) -> None:
    """Print what the panel is worth, and every configuration beside the majority."""
    from quorate.wording import plural

    say(out, found.sentence, style="bold")
    interval = f"{100 * found.level:.4g}% interval"
    heading(out, "Right verdicts")
    rows = [
        ("one configuration, on average", *shown(found.average)),
        ("the majority of all", *shown(found.majority)),
        ("best on half of the labels, on the others", *shown(found.chosen)),
        ("share of configurations that the majority beats", *shown(found.beaten)),
    ]
    table(out, {" ": "left", "share": "right", interval: "right"}, rows)
    ranked = sorted(found.configurations, key=lambda one: -one.value)
    heading(out, "Configurations, the best first")
    heads = dict.fromkeys(found.roles, "left") | {plural(found.unit): "right", "right": "right", interval: "right"}
    table(out, heads, [(*one.levels, f"{one.n:,}", *shown(one)) for one in ranked[:MOST_ROWS]])
    if len(ranked) > MOST_ROWS:
        say(out, f"  And {len(ranked) - MOST_ROWS:,} more; --report and --json have all.")
    show_items(out, found, interval)
    if found.flips is not None:
        heading(out, "Verdicts that flip")
        rows = [("reworded prompt", *shown(found.flips.reworded)), ("asked again", *shown(found.flips.rerun))]
        table(out, {" ": "left", "share": "right", interval: "right"}, rows)
    if found.drops:
        heading(out, "The majority without a judge")
        heads = {"judge": "left", "points": "right", "for all at once": "right", "more labels to settle": "right"}
        lines = []
        for one in found.drops:
            value, low, high = (f"{100 * end:+.1f}" for end in (one.gain.value, one.gain.low, one.gain.high))
            lines.append((one.judge, value, f"{low} to {high}", f"{one.more:,.0f}" if isfinite(one.more) else "-"))
        table(out, heads, lines)
    caveats(out, (one.sentence for one in found.caveats))


def show_items(out: Console, found: Against, interval: str) -> None:
    """Print how right configurations are on items that they dispute less and more."""
    from quorate.wording import capitalised, plural

    r = found.disagreement
    heading(out, f"{capitalised(plural(found.unit))}, by how far configurations disagree")
    rows = [
        (f"{one.name} disputed", f"{one.n:,}", shown(one.average)[0], *shown(one.majority)) for one in found.tertiles
    ]
    heads = {
        plural(found.unit): "left",
        "n": "right",
        "one configuration": "right",
        "majority": "right",
        interval: "right",
    }
    table(out, heads, rows)
    if not isnan(r.value):
        ends = "" if isnan(r.low) else f" ({r.low:.2f} to {r.high:.2f})"
        say(out, f"  Correlation of disagreement and share of right verdicts: {r.value:.2f}{ends}")


def shown(one: Measured | ConfigurationAccuracy) -> tuple[str, str]:
    """A share and its interval."""
    from quorate.wording import percent

    if isnan(one.value):
        return "-", "-"
    return percent(one.value), "-" if isnan(one.low) else f"{percent(one.low)} to {percent(one.high)}"
