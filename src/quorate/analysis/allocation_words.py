"""Errors, savings and arms as a reader of a replay expects them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from quorate.analysis.labels import shown
from quorate.analysis.words import number
from quorate.simulate.allocation.result import ROBIN, ROBIN_HOOD, UNIFORM
from quorate.simulate.allocation.saving import share_text
from quorate.wording import counted, decimals

if TYPE_CHECKING:
    from quorate.analysis.allocation import LevelReplay
    from quorate.simulate.allocation.result import Allocation, Saved

SHORT = {UNIFORM: "uniform", ROBIN_HOOD: "ROBIN-HOOD", ROBIN: "ROBIN"}
"""Policies in the order in which they are listed."""
COEFFICIENTS = {"pearson": "Pearson", "spearman": "Spearman", "kendall": "Kendall"}


def final_error(allocation: Allocation, policy: str) -> tuple[float, float]:
    """Mean and standard deviation over runs of the largest error of any arm at the end; nan for one run."""
    errors = allocation.outcomes[policy].errors[:, -1]
    return float(errors.mean()), float(np.std(errors, ddof=1)) if len(errors) > 1 else math.nan


def plus_minus(mean: float, sd: float) -> str:
    """A mean with its standard deviation, to two digits of the latter.

    Examples
    --------
    >>> plus_minus(0.23714, 0.02133), plus_minus(0.23714, float("nan"))
    ('0.237 ± 0.021', '0.237')
    """
    places = decimals(sd)
    return number(mean, places) if math.isnan(sd) else f"{number(mean, places)} ± {number(sd, places)}"


def with_interval(saved: Saved) -> str:
    """A part of the budget with its interval.

    Examples
    --------
    >>> from quorate.simulate.allocation.result import Saved
    >>> with_interval(Saved("robin", "uniform", 0.304, 0.24, 0.35))
    '30% (24% to 35%)'
    >>> with_interval(Saved("robin", "uniform", 0.304, float("nan"), float("nan")))
    '30%'
    """
    return f"{share_text(saved.value)}{between(saved)}"


def between(saved: Saved) -> str:
    """The interval in brackets; nothing where runs are too few for one."""
    return f" ({saved.interval})" if saved.interval else ""


def arms_text(study: LevelReplay) -> str:
    """What an arm is, how many there are, and how many answers each is drawn from.

    Examples
    --------
    >>> import numpy as np
    >>> from quorate.analysis.allocation import view_of
    >>> from quorate.simulate.allocation.allocation import simulate_allocation
    >>> found = simulate_allocation(np.tile([1.0, 2.0, 3.0], (5, 1)), 200, runs=2)
    >>> arms_text(view_of(found).studies[0])
    '5 arms; 2 runs of 200 calls.'
    """
    found = study.allocation
    count = counted(len(found.labels), "arm")
    runs = f"{counted(found.runs, 'run')} of {found.budget:,} calls"
    if not study.facets:
        return f"{count}; {runs}."
    names = [shown(name, 30) for name in study.facets]
    what = f"one {names[0]}" if len(names) == 1 else f"a combination of {' x '.join(names)}"
    least, most = min(study.answers), max(study.answers)
    each = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    cycle = f" from every {shown(study.cycles.facet, 30)}" if study.cycles is not None else ""
    calls = f"; a pull asks {found.calls_per_pull} in turn" if found.calls_per_pull > 1 else ""
    return f"An arm is {what}: {count}, {each} answers each{cycle}{calls}; {runs}."


def settled(value: float) -> str:
    """A correlation, with three decimals."""
    return number(value, 3)
