"""What every figure on adaptive allocation says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from quorate.analysis.allocation_words import SHORT, final_error, settled
from quorate.analysis.labels import shown
from quorate.analysis.words import significant
from quorate.reporting.page import Caption
from quorate.simulate.allocation.cycles import CYCLE
from quorate.simulate.allocation.result import ROBIN_HOOD, UNIFORM
from quorate.simulate.allocation.saving import LEAST_RUNS, share_text
from quorate.simulate.allocation.sweep import MIXED
from quorate.wording import counted, percent, plural

if TYPE_CHECKING:
    from quorate.analysis.allocation import AllocationView, Study
    from quorate.simulate.allocation.cycles import CycleComparison
    from quorate.simulate.allocation.result import Allocation
    from quorate.simulate.allocation.sweep import Sweep

_ROBIN = "ROBIN knows all variances, ROBIN-HOOD finds them on the way."
_UNIFORM_SLACK = 0.01
"""Relative difference of errors below which constants did nothing."""


def levels(view: AllocationView) -> Caption:
    """How many studies ROBIN-HOOD surely saves calls in."""
    count = len(view.studies)
    finding = (
        f"ROBIN-HOOD surely saves calls for {len(view.sure)} of {counted(count, 'level')} of {shown(str(view.by))}"
    )
    interval = "95% bootstrap intervals" if view.with_intervals else f"no intervals below {LEAST_RUNS} runs"
    line = f"Part of the budget saved at the largest error that uniform allocation ends with; {interval}."
    return Caption(finding, (line, "Below 0: uniform allocation needs fewer calls."))


def curve(study: Study) -> Caption:
    """What ROBIN-HOOD saves."""
    found = study.allocation
    line = "Largest error of any arm against calls spent: mean over runs, band of one standard deviation"
    lines = (f"{line}; {counted(found.runs, 'run')}, {counted(len(found.labels), 'arm')}.", *_level_line(found))
    return Caption(_saves(found), lines)


def variances(study: Study) -> Caption:
    """How unequal the noise of arms is, on which everything rests."""
    found = study.allocation
    flat = float(np.mean(found.variances == 0))
    constant = f"; {percent(flat)} of arms do not vary at all" if flat else "; every arm varies"
    finding = f"The mean variance of an arm is {share_text(found.variance_ratio)} of the largest{constant}"
    line = "Variance of the answers of an arm, over arms. The more unequal these are, the more there is to save."
    return Caption(finding, (line,))


def means(study: Study) -> Caption:
    """Where the means of arms are."""
    found = study.allocation.means
    span = f"{significant(float(found.min()))} to {significant(float(found.max()))}"
    finding = f"Means of arms go from {span}, half of them below {significant(float(np.median(found)))}"
    return Caption(finding, ("Mean of all answers of an arm, over arms: the truth of the replay.",))


def human(study: Study) -> Caption:
    """Whether people are agreed with better."""
    found = study.allocation
    if not any(np.isfinite(one.correlations).any() for one in found.outcomes.values()):
        return Caption("The correlation with human scores is not known: one of the two does not vary", ())
    said = [
        f"{settled(float(found.outcomes[name].correlations[1, -1]))} by {SHORT[name]}"
        for name in (ROBIN_HOOD, UNIFORM)
        if name in found.outcomes
    ]
    finding = f"Rank correlation with human scores after {found.budget:,} calls: {', '.join(said)}"
    line = "Correlations of the means of arms with human scores, averaged over runs."
    return Caption(finding, (line, "Uniform allocation is drawn wide, beneath the others."))


def profile(study: Study) -> Caption:
    """Where ROBIN-HOOD spends its calls."""
    found = study.allocation
    pulls, budget = found.pulls[ROBIN_HOOD], found.budget / found.calls_per_pull
    most = found.variances >= np.quantile(found.variances, 0.75)
    finding = (
        f"The quarter of arms that vary most get {share_text(pulls[most].sum() / budget)} of the pulls from "
        f"ROBIN-HOOD; equal standard errors would give them {share_text(found.ideal[most].sum())}"
    )
    line = "Pulls of an arm against its variance, arms of about equal variance taken together."
    return Caption(finding, (line,))


def settings(sweep: Sweep) -> Caption:
    """How much the constants matter."""
    ranked = sorted(sweep.settings, key=sweep.final)
    said = [f"{significant(sweep.final(name))} with {name}" for name in dict.fromkeys((ranked[0], ranked[-1]))]
    finding = f"After {int(sweep.spent[-1]):,} calls the largest error is {', '.join(said)}"
    line = (
        "Mean largest error of any arm against calls, on the same draws. delta: chance of failure; lam = log(1/delta)"
    )
    lines = [f"{line}, warm-up 4 lam pulls of every arm, rounded up, unless another is named."]
    if MIXED in sweep.settings and abs(sweep.final(MIXED) / sweep.final(UNIFORM) - 1) < _UNIFORM_SLACK:
        mixed = f"{MIXED[:1].upper()}{MIXED[1:]}: constants that do not belong together. "
        lines.append(
            f"{mixed}The bound is infinite until every arm has its equal share, so this is uniform allocation."
        )
    return Caption(finding, tuple(lines))


def cycles(found: CycleComparison) -> Caption:
    """How much of the error of single judges is bias."""
    facet = shown(found.facet, 30)
    line = f"Mean squared error against the mean of all {plural(facet)}, by ROBIN-HOOD with the same number of calls"
    read = "dark: squared bias, which no budget mends; light: variance"
    lines = (f"{line}; {read}.", f"{CYCLE.capitalize()}: each pull asks every {facet} once.", *found.below_zero)
    return Caption(_best_alone(found), lines)


def facts() -> Caption:
    """What was replayed."""
    return Caption("What was replayed", ())


def _best_alone(found: CycleComparison) -> str:
    cycle = found.row()
    alone = [row for row in found.rows if row.design != CYCLE and row.policy == ROBIN_HOOD]
    best = min(alone, key=lambda row: row.mse)
    off = [significant(max(row.mse, 0.0) ** 0.5, 2) for row in (cycle, best)]
    what = f"the best single {shown(found.facet, 30)}, {shown(best.design, 40)},"
    return f"Means by whole cycles are off by {off[0]}, by {what} by {off[1]} with as many calls"


def _saves(found: Allocation) -> str:
    if not {UNIFORM, ROBIN_HOOD} <= set(found.outcomes):
        return found.sentence.rstrip(".")
    saved = found.saved()
    if saved.value <= 0:
        return "ROBIN-HOOD saves nothing: its largest error ends no lower than that of uniform allocation"
    needed = round(found.budget * (1 - saved.value))
    error = significant(final_error(found, UNIFORM)[0])
    what = f"ROBIN-HOOD needs {needed:,} of {found.budget:,} calls for a largest error of {error}"
    return f"{what}: {share_text(saved.value)} saved"


def _level_line(found: Allocation) -> tuple[str, ...]:
    if not {UNIFORM, ROBIN_HOOD} <= set(found.outcomes):
        return ()
    if found.saved().value <= 0:
        return (_ROBIN,)
    return (f"Thick line: calls saved, at the error that uniform allocation ends with. {_ROBIN}",)
