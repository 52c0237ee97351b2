"""What the report of adaptive allocation says besides its figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from quorate.analysis.labels import shown
from quorate.reporting.allocation_words import between, final_error, plus_minus
from quorate.reporting.reproduce import called, made_with, read_from, titled
from quorate.simulate.allocation.result import ROBIN, ROBIN_HOOD, UNIFORM
from quorate.simulate.allocation.saving import share_text
from quorate.wording import counted

if TYPE_CHECKING:
    from quorate.analysis.allocation import AllocationView, Study
    from quorate.reporting.reproduce import Provenance


def allocation_said(view: AllocationView, origin: Provenance) -> dict[str, Any]:
    """What the report says besides its sections.

    Parameters
    ----------
    view : AllocationView
    origin : Provenance
        Command line and note.
    """
    return {
        "title": _title(view),
        "note": origin.note and shown(origin.note, 1000),
        "sentence": shown(view.sentence, 1000),
        "tiles": _tiles(view.studies[0]) if view.by is None else [],
        "caveats": [shown(sentence, 1000) for sentence in view.cautions],
        "methods": methods(view),
        "prompts": [],
        "provenance": _provenance(view, origin),
    }


def methods(view: AllocationView) -> str:
    """The paragraph for a methods section."""
    found = view.studies[0].allocation
    floor = "no floor" if found.step is None else "a floor of variances for discrete scores"
    interval = ", with a 95% bootstrap interval over runs" if view.with_intervals else ""
    human = " Means were correlated with human scores (Pearson, Spearman, Kendall's tau-b)." if found.human else ""
    return (
        f"Uniform allocation, ROBIN (known variances) and ROBIN-HOOD (variances estimated on the way; warm-up of "
        f"{counted(found.constants.warmup, 'pull')} per arm, lam {found.constants.lam:.3g}, {floor}) were replayed on "
        f"the answers at hand, drawn with replacement, in {counted(found.runs, 'run')} of {found.budget:,} calls with "
        "the same draws for all policies. The error is the largest absolute difference of any arm's mean from the mean "
        "of all its answers; the budget saved is taken where the mean error falls for good to the final one of uniform "
        f"allocation{interval} (LLM-as-Judge on a Budget, 2026).{human}"
    )


def _title(view: AllocationView) -> str:
    if view.judgments is None:
        return "Adaptive allocation, answers from an array"
    return titled(view.judgments.source, "Judgments from a")


def _tiles(study: Study) -> list[dict[str, str]]:
    """The few numbers at the top: each with what it is."""
    found, tiles = study.allocation, []
    if {UNIFORM, ROBIN_HOOD} <= set(found.outcomes):
        label = f"of {found.budget:,} calls saved by ROBIN-HOOD{between(study.saved)}"
        tiles.append({"value": share_text(study.saved.value), "label": label})
    for name, label in ((UNIFORM, "uniform"), (ROBIN_HOOD, "ROBIN-HOOD"), (ROBIN, "ROBIN, variances known")):
        if name in found.outcomes:
            value, _, sd = plus_minus(*final_error(found, name)).partition(" ± ")
            tiles.append({"value": value, "label": f"{f'± {sd} ' if sd else ''}largest error, {label}"})
    return tiles


def _provenance(view: AllocationView, origin: Provenance) -> dict[str, str]:
    """Everything needed to do it again, by name."""
    return {
        **made_with(),
        **({} if view.judgments is None else read_from(view.judgments)),
        "command": called(origin.command),
        "seed": str(view.studies[0].allocation.seed),
    }
