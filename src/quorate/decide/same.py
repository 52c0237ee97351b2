"""What two systems whose scores differ by the same on every item say of each other: bounds, exactly and of any law."""

from __future__ import annotations

from quorate.decide.outcome import OPEN, SUPPORTED, Claim, Outcome, claimed, stated, supports
from quorate.estimate.differences.methods import NoSpread
from quorate.estimate.means.intervals import score_ends
from quorate.estimate.means.missing_bounds import AllEqual, drawn
from quorate.estimate.means.targets import PANEL, scope
from quorate.frozen import dataclass
from quorate.table.judgments import Judgments
from quorate.wording import at_level


@dataclass(frozen=True)
class SameDifference(AllEqual):
    """Two systems whose scores differ by the same in every cell that both have, as those of one run given twice.

    The rest is as for `AllEqual`: its value is the difference, ``a`` less ``b``, and its scale that of differences.

    Parameters
    ----------
    a, b : str
        The two systems.
    margin : float or None
        Differences below it count as equal.
    claim : {"better", "equivalent", "not worse"} or None
        What was to be shown, for the exit code.
    less_is_better : bool
        Whether the system that scores less is the better.
    """

    a: str = ""
    b: str = ""
    margin: float | None = None
    claim: Claim | None = None
    less_is_better: bool = False

    derived = (*AllEqual.derived, "outcome", "supported", "exit_code")

    @property
    def outcome(self) -> Outcome:
        """What the bounds show; undecided where scores have no ends, for then nothing bounds the mean of others."""
        low, high = self._ahead
        if self.margin is not None and -self.margin < low and high < self.margin:
            return Outcome.EQUIVALENT
        return Outcome.BETTER if low > 0 else Outcome.WORSE if high < 0 else Outcome.UNDECIDED

    @property
    def _ahead(self) -> tuple[float, float]:
        """By how much ``a`` may be better, from and to."""
        low, high = self.estimate.ends
        return (-high, -low) if self.less_is_better else (low, high)

    @property
    def supported(self) -> bool:
        """Whether what was asked is shown; without a claim, whether ``a`` is better or equivalent."""
        low, _ = self._ahead
        return supports(self.outcome, self.claim, better=low > 0, not_worse=low > -(self.margin or 0))

    @property
    def exit_code(self) -> int:
        """0: what was asked is shown; 2: it is not."""
        return SUPPORTED if self.supported else OPEN

    @property
    def sentence(self) -> str:
        """The verdict with its bounds."""
        items = self._seen + (f" {self.whom}" if self.whom else "")
        seen = f"both score the same on all {items}"
        if self.value:
            seen = f"{self.a} scores {abs(self.value):g} {'more' if self.value > 0 else 'less'} on all {items}"
            seen += ", where less is better" * self.less_is_better
        sure, (low, high) = f"At {at_level(self.level)}", self.estimate.ends
        rest = f"{sure} at least {100 * self.share:.3g}% of items like these differ by just that."
        if self.scale is not None:
            ends = f"between {low:.3g} and {high:.3g}"
            ends = f"at least {low:.3g}" if self.value == self.scale[1] else ends
            ends = f"at most {high:.3g}" if self.value == self.scale[0] else ends
            rest = f"{sure} the mean difference over items like these is {ends}."
        verdict = stated(self.a, self.b, self.outcome, self.margin, "scores better")
        gate = claimed(self.a, self.b, self.claim, self.margin, supported=self.supported)
        return " ".join(part for part in (gate, f"{verdict}: {seen}.", rest) if part)

    @property
    def next_step(self) -> str:
        """How many items without an exception would say more, and what else may be the reason."""
        copy = "" if self.value else " If nothing was meant to be the same, check whether one is a copy of the other."
        return super().next_step + copy

    @property
    def _so(self) -> str:
        return "differ so" if self.value else "score alike"


def same_difference(
    same: NoSpread, judgments: Judgments, *, level: float, margin: float | None, claim: Claim | None
) -> SameDifference:
    """The verdict on two systems whose paired cells all differ by the same.

    Whatever the law, at least the share ``(1 - level)^(1/n)`` of items like these n differ by just that, n as for
    `quorate.estimate.means.missing_bounds.all_equal`; the others by no more than the ends of the scale allow.
    """
    table, systems = same.pairs.judgments, same.pairs.systems
    ends = score_ends(judgments.keep(judgments.n > 0))
    return SameDifference(
        value=same.value,
        items=table.n_levels(table.object),
        n=table.n_cells,
        level=level,
        scale=None if ends is None else (ends[0] - ends[1], ends[1] - ends[0]),
        whom=scope(table, dict.fromkeys(table.names, PANEL), table.object),
        caveats=same.pairs.caveats,
        drawn=drawn(table),
        a=systems.a,
        b=systems.b,
        margin=margin,
        claim=claim,
        less_is_better=judgments.less_is_better,
    )
