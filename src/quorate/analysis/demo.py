"""The demonstration against its truth: whether intervals hold the mean that judgments were drawn with."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from quorate.frozen import dataclass
from quorate.simulate.demo import MEASURED, Coverage, demo_truth, setup_truth

if TYPE_CHECKING:
    from quorate.analysis.judgments import Analysis


@dataclass(frozen=True)
class Held:
    """An interval, and whether it holds the truth.

    Parameters
    ----------
    interval : str
        Which one.
    low, high : float
        Its limits.
    truth : float
        What it is about.
    holds_truth : bool
        Whether the truth is between them.
    """

    interval: str
    low: float
    high: float
    truth: float
    holds_truth: bool


@dataclass(frozen=True)
class AgainstTruth:
    """The intervals of one draw against the truth.

    Parameters
    ----------
    seed : int
        Of the draw.
    truth : float
        The mean that the judgments were drawn with.
    intervals : tuple of Held
        The naive one first.
    measured : Coverage
        How often each held it over many draws.
    """

    seed: int
    truth: float
    intervals: tuple[Held, ...]
    measured: Coverage

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return asdict(self)


def against_truth(analysis: Analysis, seed: int) -> AgainstTruth:
    """Whether the intervals of an analysis of the demonstration's judgments hold their true mean."""
    truth, own = demo_truth(), setup_truth(seed)
    setup, others = analysis.readings
    each = (("naive", analysis.naive.overall, truth), (setup.scope, setup, own), (others.scope, others, truth))
    intervals = (Held(name, one.low, one.high, held, one.low <= held <= one.high) for name, one, held in each)
    return AgainstTruth(seed, truth, tuple(intervals), MEASURED)
