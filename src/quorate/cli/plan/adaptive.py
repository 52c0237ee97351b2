"""`quorate plan --adaptive`: what spending judge calls where scores vary would save."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from quorate.cli.console import caveats, heading, points, read_as, say, table
from quorate.cli.options import UNSCALED, Files, Group, Output, ScoreReading, ScoresFile, Seed, command
from quorate.cli.options.reading import with_column
from quorate.cli.spelling import in_options
from quorate.errors import InvalidInput

if TYPE_CHECKING:
    from rich.console import Console

    from quorate.analysis.allocation import AllocationAnalysis, LevelReplay

MOST_SCORES = 100_001
KNOWS = {"uniform": "does not need them", "robin-hood": "finds them", "robin": "is told them"}
"""Whether a policy knows the variances."""


@dataclass(frozen=True, kw_only=True)
class Replay(Group):
    """What is replayed, and how."""

    budget: Annotated[int, typer.Option(metavar="CALLS", min=1, help="Judge calls that could be paid for.")]
    by: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="Facet with a study for every level, such as the dimension that is scored."
        ),
    ] = None
    human: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column with a human score of every item, to correlate with.")
    ] = None
    cycle: Annotated[
        str | None,
        typer.Option(
            metavar="FACET",
            help="Ask every level of this facet in each pull, such as every judge; compared with single ones.",
        ),
    ] = None
    delta: Annotated[
        float,
        typer.Option(metavar="P", help="Chance of failure of ROBIN-HOOD; a smaller one has a longer warm-up."),
    ] = 0.007
    variant: Annotated[
        Literal["experiment", "theory"], typer.Option(help="Constants of its experiments or of its theorems.")
    ] = "experiment"
    runs: Annotated[
        int,
        typer.Option(metavar="N", min=1, help="Replays; intervals take 20, and hold as often as they say from 50 on."),
    ] = 50
    seed: Seed = 1
    no_floor: Annotated[
        bool,
        typer.Option("--no-floor", help="Take an arm whose answers were all equal so far as one that never varies."),
    ] = False
    scale: Annotated[
        str | None,
        typer.Option(
            metavar="SCORES",
            help="Possible scores, for the floor: 1:5 for whole numbers, or a list such as 0,0.5,1. Default: those "
            "given.",
        ),
    ] = None
    sweep: Annotated[bool, typer.Option("--sweep", help="Replay with other constants too.")] = False

    def __post_init__(self) -> None:
        """Refuse a column that looks like a pair."""
        if self.by is not None and "=" in self.by:
            fix = f'give that column a name: --facet NAME="{self.by}" --by NAME'
            raise InvalidInput(f'--by: the name of a facet, got "{self.by}"; {fix}')

    def arguments(self) -> dict[str, Any]:
        """As the analysis takes them."""
        same = {name: getattr(self, name) for name in ("by", "human", "cycle", "delta", "variant", "runs", "seed")}
        return {**same, "floor": not self.no_floor, "scale": self.scores()}

    def scores(self) -> list[float] | None:
        """Possible scores from ``LOW:HIGH``, or from a list."""
        if self.scale is None:
            return None
        low, colon, high = self.scale.partition(":")
        try:
            if not colon:
                return [float(score) for score in self.scale.split(",")]
            whole = range(int(low), int(high) + 1)
        except ValueError:
            whole = range(0)
        if 2 <= len(whole) <= MOST_SCORES:
            return list(map(float, whole))
        raise InvalidInput(f'--scale: possible scores such as 1:5, or 0,0.5,1, got "{self.scale}"')


@dataclass(frozen=True, kw_only=True)
class ReplayFiles(Files):
    """The files of a replay, of which charts come with the report."""

    report: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="PATH",
            writable=True,
            help="Write a report: .html, .md or .json; repeat for others. It has a sweep.",
        ),
    ] = None
    charts: Annotated[
        Path | None,
        typer.Option(metavar="DIR", writable=True, help="With --report: write its charts as files as well."),
    ] = None

    def __post_init__(self) -> None:
        """Refuse charts alone, and places that cannot be written."""
        if self.charts is not None and not self.report:
            raise InvalidInput("--charts: they are those of the report; give --report too")
        super().__post_init__()


@command
def adaptive(
    file: ScoresFile, replay: Replay, reading: Annotated[ScoreReading, UNSCALED], files: ReplayFiles, out: Output
) -> int:
    """What asking more where scores vary would save, replayed.

    Uniform allocation, ROBIN-HOOD and ROBIN are replayed on the repeated answers of a file. Ends with exit code 2 if
    ROBIN-HOOD does not surely save calls, or runs are too few to tell.
    """
    from quorate.analysis.allocation import allocation_view
    from quorate.reporting.report import report

    also = (replay.by,) if replay.by else ()
    swept = replay.sweep or bool(files.report)
    judgments = reading.judgments(file, also=also)
    found = allocation_view(judgments, replay.budget, sweep=swept, **replay.arguments())
    out.typeset(found, show)
    origin = {"charts": files.charts, "chart_format": files.chart_format, "command": files.context.obj}
    out.say_files([report(found, path, **origin) for path in files.report or ()])
    return found.exit_code


def show(out: Console, view: AllocationAnalysis) -> None:
    """Print what was found: the sentence, every level, and what was taken for granted."""
    from quorate.analysis.allocation_words import with_interval

    say(out, view.sentence, style="bold")
    if view.by is not None:
        heading(out, f"Saved by ROBIN-HOOD{', with 95% intervals' if view.with_intervals else ''}")
        rows = [(one.level, f"{len(one.allocation.labels):,}", with_interval(one.saved)) for one in view.studies]
        table(out, {str(view.by): "left", "arms": "right", "budget saved": "left"}, rows)
        if view.reasons:
            heading(out, "Not shown")
            points(out, (f"{level}: {in_options(why)}" for level, why in view.reasons.items()))
    for study in view.studies:
        show_study(out, study, f"{view.by} {study.level}" if view.by else "")
    caveats(out, view.cautions)
    if view.judgments is not None:
        read_as(out, with_column(view.judgments.notes, "human", view.human))


def show_study(out: Console, study: LevelReplay, name: str) -> None:
    """Print the policies side by side, and why the best does not save more."""
    from quorate.analysis.allocation_words import (
        COEFFICIENTS,
        SHORT,
        arms_text,
        final_error,
        plus_minus,
        settled,
        with_interval,
    )

    found = study.allocation
    heading(out, f"{name or 'Policies'}: largest error of any arm after {found.budget:,} calls")
    error = "mean ± sd" if found.runs > 1 else "error"
    rows: list[tuple[str, ...]] = []
    for policy, title in SHORT.items():
        saved = "" if policy == "uniform" else with_interval(found.saved(policy))
        rows.append((title, plus_minus(*final_error(found, policy)), saved, KNOWS[policy]))
    table(out, dict.fromkeys(("policy", error, "budget saved", "knows variances"), "left"), rows)
    single = ", ".join(f"--only {facet}=LEVEL" for facet in study.facets[1:])
    say(out, f"{arms_text(study)}{f' To look at one at a time: {single}.' if single else ''}")
    for line in found.notes:
        say(out, line)
    if found.human:
        heading(out, "Correlation of the means with human scores")
        last = {policy: found.outcomes[policy].correlations[:, -1].tolist() for policy in SHORT}
        heads = {"policy": "left", **dict.fromkeys(COEFFICIENTS.values(), "right")}
        table(out, heads, [(title, *map(settled, last[policy])) for policy, title in SHORT.items()])
    if found.why:
        heading(out, "Why it is not half of the calls")
        points(out, found.why)
    show_variations(out, study)


def show_variations(out: Console, study: LevelReplay) -> None:
    """Print what other constants would have done, and asking in whole cycles."""
    from quorate.analysis.allocation_words import SHORT
    from quorate.analysis.words import significant
    from quorate.simulate.allocation.saving import share_text
    from quorate.wording import plural

    sweep, cycles = study.sweep, study.cycles
    if sweep is not None:
        heading(out, "Other constants, on the same draws")
        rows: list[tuple[str, ...]] = [
            (name, str(one.constants.warmup), significant(sweep.final(name)), share_text(sweep.saved(name)))
            for name, one in sweep.settings.items()
        ]
        table(out, {"setting": "left", "warm-up": "right", "error": "right", "saved": "right"}, rows)
    if cycles is not None:
        heading(out, f"Whole cycles of the {plural(cycles.facet)} against one {cycles.facet}, with as many calls")
        say(out, cycles.sentence)
        rows = [
            (
                row.design,
                SHORT[row.policy],
                *(significant(max(part, 0.0), 2) for part in (row.bias_squared, row.variance)),
            )
            for row in cycles.rows
        ]
        table(out, {"asked": "left", "policy": "left", "squared bias": "right", "variance": "right"}, rows)
        for line in cycles.below_zero:
            say(out, line)
