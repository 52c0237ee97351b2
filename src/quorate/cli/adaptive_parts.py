"""What `quorate adaptive` prints: savings by policy and level, why they are not larger, people, other constants."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from quorate.cli.console import heading, points, say, table
from quorate.cli.parts import show_columns, with_column
from quorate.cli.spelling import in_options

if TYPE_CHECKING:
    from rich.console import Console

    from quorate.analysis.allocation import AllocationView, Study
    from quorate.simulate.allocation.cycles import CycleComparison
    from quorate.simulate.allocation.result import Allocation
    from quorate.simulate.allocation.sweep import Sweep


def show(out: Console, view: AllocationView) -> None:
    """Print what was found: the sentence, every level, and what was taken for granted."""
    say(out, view.sentence, style="bold")
    if view.by is not None:
        _levels(out, view)
    for study in view.studies:
        _study(out, study, f"{view.by} {study.level}" if view.by else "")
    if view.cautions:
        heading(out, "Caveats")
        points(out, map(in_options, view.cautions))
    if view.judgments is not None:
        show_columns(out, with_column(view.judgments.notes, "human", view.human))


def _levels(out: Console, view: AllocationView) -> None:
    from quorate.analysis.allocation_words import with_interval

    heading(out, f"Saved by ROBIN-HOOD{', with 95% intervals' if view.with_intervals else ''}")
    rows = [(one.level, f"{len(one.allocation.labels):,}", with_interval(one.saved)) for one in view.studies]
    table(out, {str(view.by): "left", "arms": "right", "budget saved": "left"}, rows)
    if view.reasons:
        heading(out, "Not shown")
        points(out, (f"{level}: {in_options(why)}" for level, why in view.reasons.items()))


def _study(out: Console, study: Study, name: str) -> None:
    from quorate.analysis.allocation_words import arms_text

    found = study.allocation
    heading(out, f"{name or 'Policies'}: largest error of any arm after {found.budget:,} calls")
    error = "mean ± sd" if found.runs > 1 else "error"
    table(out, dict.fromkeys(("policy", error, "budget saved", "knows variances"), "left"), _policies(found))
    for line in (f"{arms_text(study)}{_hint(study)}", *found.notes):
        say(out, line)
    if found.human:
        _human(out, found)
    if found.why:
        heading(out, "Why it is not half of the calls")
        points(out, found.why)
    if study.sweep is not None:
        _sweep(out, study.sweep)
    if study.cycles is not None:
        _cycles(out, study.cycles)


def _policies(found: Allocation) -> Iterator[tuple[str, ...]]:
    from quorate.analysis.allocation_words import SHORT, final_error, plus_minus, with_interval

    known = {"uniform": "does not need them", "robin-hood": "finds them", "robin": "is told them"}
    for name, title in SHORT.items():
        saved = "" if name == "uniform" else with_interval(found.saved(name))
        yield title, plus_minus(*final_error(found, name)), saved, known[name]


def _human(out: Console, found: Allocation) -> None:
    from quorate.analysis.allocation_words import COEFFICIENTS, SHORT, settled

    heading(out, "Correlation of the means with human scores")
    rows = [(title, *map(settled, found.outcomes[name].correlations[:, -1].tolist())) for name, title in SHORT.items()]
    table(out, {"policy": "left", **dict.fromkeys(COEFFICIENTS.values(), "right")}, rows)


def _sweep(out: Console, found: Sweep) -> None:
    from quorate.analysis.words import significant
    from quorate.simulate.allocation.saving import share_text

    heading(out, "Other constants, on the same draws")
    rows = [
        (name, str(one.constants.warmup), significant(found.final(name)), share_text(found.saved(name)))
        for name, one in found.settings.items()
    ]
    table(out, {"setting": "left", "warm-up": "right", "error": "right", "saved": "right"}, rows)


def _cycles(out: Console, found: CycleComparison) -> None:
    from quorate.analysis.allocation_words import SHORT
    from quorate.analysis.words import significant
    from quorate.wording import plural

    heading(out, f"Whole cycles of the {plural(found.facet)} against one {found.facet}, with as many calls")
    say(out, found.sentence)
    rows = [
        (
            row.design,
            SHORT[row.policy],
            *(significant(max(value, 0.0), 2) for value in (row.bias_squared, row.variance)),
        )
        for row in found.rows
    ]
    table(out, {"asked": "left", "policy": "left", "squared bias": "right", "variance": "right"}, rows)
    for line in found.below_zero:
        say(out, line)


def _hint(study: Study) -> str:
    """How to look at less at once, where an arm is a combination."""
    more = ", ".join(f"--only {name}=LEVEL" for name in study.facets[1:])
    return f" To look at one at a time: {more}." if more else ""
