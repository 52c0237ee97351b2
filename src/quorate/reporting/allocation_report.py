"""What the report of adaptive allocation says besides its figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.analysis.allocation import AllocationView, view_of
from quorate.analysis.allocation_words import between, final_error, plus_minus
from quorate.reporting.allocation_section import allocation_facts, allocation_sections
from quorate.reporting.page import Page, Tile, source_of
from quorate.reporting.paper.reproduce import titled
from quorate.simulate.allocation.result import ROBIN, ROBIN_HOOD, UNIFORM, Allocation
from quorate.simulate.allocation.saving import share_text
from quorate.wording import counted

if TYPE_CHECKING:
    from quorate.analysis.allocation import Study
    from quorate.table.judgments import Judgments


def page(result: Allocation | AllocationView, table: Judgments | None = None) -> Page:
    """The page on adaptive allocation.

    Parameters
    ----------
    result : Allocation or AllocationView
    table : Judgments, optional
        Whose answers were drawn, where the result does not say.
    """
    view = view_of(result) if isinstance(result, Allocation) else result
    judgments = table if view.judgments is None else view.judgments
    otherwise = "Adaptive allocation, answers from an array"
    return Page(
        title=otherwise if judgments is None else titled(judgments.source, "Judgments from a"),
        sentence=view.sentence,
        sections=allocation_sections(view),
        facts=allocation_facts(view),
        methods=methods(view),
        content=view.to_dict(),
        caveats=tuple(view.cautions),
        tiles=_tiles(view.studies[0]) if view.by is None else (),
        source=source_of(judgments),
        seed=view.studies[0].allocation.seed,
    )


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


def _tiles(study: Study) -> tuple[Tile, ...]:
    """The few numbers at the top: each with what it is."""
    found = study.allocation
    tiles: list[Tile] = []
    if {UNIFORM, ROBIN_HOOD} <= set(found.outcomes):
        label = f"of {found.budget:,} calls saved by ROBIN-HOOD{between(study.saved)}"
        tiles.append(Tile(share_text(study.saved.value), label))
    for name, label in ((UNIFORM, "uniform"), (ROBIN_HOOD, "ROBIN-HOOD"), (ROBIN, "ROBIN, variances known")):
        if name in found.outcomes:
            value, _, sd = plus_minus(*final_error(found, name)).partition(" ± ")
            tiles.append(Tile(value, f"{f'± {sd} ' if sd else ''}largest error, {label}"))
    return tuple(tiles)
