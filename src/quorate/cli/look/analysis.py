"""An analysis on the terminal: verdict, sources, purchases, caveats, and where the report is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quorate.cli.console import caveats, console, heading, points, print_json, read_as, say, table, whole
from quorate.cli.options import Files, For, Output
from quorate.cli.options.output import ENDINGS
from quorate.cli.plan.show import MOST_SOURCES, show_changes
from quorate.cli.spelling import in_options
from quorate.errors import InvalidInput

if TYPE_CHECKING:
    from rich.console import Console

    from quorate.analysis.judgments import Analysis


@dataclass(frozen=True, kw_only=True)
class AnalysisFiles(Files):
    """The files of an analysis, of which the page is written unless that is not wanted."""

    report: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="PATH",
            writable=True,
            help="Write a report: .html, .md or .json; repeat for others. Default: <file>-quorate.html in this folder, "
            "of the demo quorate-demo.html; with --json, none.",
        ),
    ] = None
    no_report: Annotated[bool, typer.Option("--no-report", help="Write no HTML report.")] = False
    markdown: Annotated[
        Path | None, For("scores"), typer.Option(metavar="PATH", writable=True, help="Write a Markdown report as well.")
    ] = None

    def __post_init__(self) -> None:
        """Refuse places that cannot be written, and a report that is wanted and not."""
        from quorate.reporting.print.files import writable

        super().__post_init__()
        if self.no_report and self.report:
            raise InvalidInput("--no-report: contradicts --report; give one of them")
        if self.markdown is not None:
            writable(self.markdown, (".md", ".markdown"), "--markdown")

    def pages(self, default: str, out: Output) -> list[Path]:
        """Where reports go, if one is written."""
        from quorate.reporting.print.files import writable

        if self.report or self.no_report or out.as_json:
            return self.report or []
        writable(Path(default), ENDINGS, "--report")
        return [Path(default)]

    def deliver(
        self,
        found: Analysis,
        pages: Sequence[Path],
        out: Output,
        *,
        more: Mapping[str, Any] | None = None,
        after: Callable[[Console], None] | None = None,
        **origin: Any,
    ) -> None:
        """Print an analysis, then write its files; what is printed is never lost to a file that cannot be written."""
        from quorate.reporting.paper.reproduce import Provenance, in_one_line
        from quorate.reporting.paper.writeup import writeup
        from quorate.reporting.print.charts import write_charts
        from quorate.reporting.report import page_of, report

        origin["command"] = self.context.obj
        if out.as_json:
            paper = writeup(found, **{name: value for name, value in origin.items() if name != "note"})
            print_json({**found.to_dict(), **paper.to_dict(), **(more or {})})
        else:
            show(console(), found)
            if after is not None:
                after(console())
            read_as(console(), found.judgments.notes)
            whole(console(), f"Made by: {in_one_line(found, Provenance(seed=origin.get('seed')))}")
        written = [report(found, path, **origin) for path in (*pages, self.markdown) if path is not None]
        drawn = () if self.charts is None else write_charts(page_of(found), self.charts, self.chart_format)
        out.say_files(written, drawn)


def show(out: Console, found: Analysis) -> None:
    """Print the verdict, sources, purchases and caveats of an analysis."""
    from quorate.wording import whole_percent

    scope = f", {found.readings[-1].scope}" if found.readings[-1].scope else ""
    say(out, found.sentence, style="bold")
    if found.answer is not None:
        heading(out, "Is that precise enough?")
        say(out, found.answer.sentence)
    heading(out, f"Where the uncertainty comes from{scope}")
    rows = [(one.component, whole_percent(one.share), one.advice) for one in found.sources[:MOST_SOURCES]]
    others = found.sources[MOST_SOURCES - 1 :]
    if len(others) > 1:
        rows[-1:] = [(f"{len(others)} others", whole_percent(sum(one.share for one in others)), "")]
    table(out, {"source": "left", "share": "right", "what makes it smaller": "left"}, rows)
    if found.what_if:
        heading(out, f"What to do next{scope}: most precision per call first")
        show_changes(out, (found.what_if[0], *found.purchases), priced=found.price is not None)
        show_anew(out, found)
    else:
        heading(out, "What to do next")
        points(out, ["These data do not say what a change to the design would give."])
    if found.diagnosis.standing_out:
        heading(out, "What the model does not describe")
        points(out, [f"{one.sentence} To do: {in_options(one.remedy)}." for one in found.diagnosis.standing_out])
    if found.missing is not None:
        heading(out, "Answers that are missing")
        say(out, found.missing.sentence)
    sentences = [caveat.sentence for caveat in found.caveats]
    if found.latent_reason:
        sentences.append("no components of log odds (" + found.latent_reason + ")")
    caveats(out, sentences)


def show_anew(out: Console, found: Analysis) -> None:
    """Print the best designs from nothing: what the study's price could have bought, and what it could have cost."""
    from quorate.analysis.designs import briefly
    from quorate.analysis.words import number
    from quorate.wording import counted, decimals

    best = found.optimum
    if best is None or best.own is None or best.own.se == 0:
        return
    scale = "price" if found.priced else "number of calls"
    lines = [
        f"{label}: {briefly(plan)}; {counted(plan.calls, 'call')}, SE {number(plan.se, 1 + decimals(plan.se))}"
        for label, plan in {f"for the same {scale}": best.same_cost, "as precise for least": best.same_se}.items()
        if plan is not None and plan is not best.own
    ]
    if lines:
        out.print()
        say(out, "  A design from nothing (quorate optimize has prices and limits):")
        points(out, lines)
