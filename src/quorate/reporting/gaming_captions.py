"""What every figure on gaming says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.analysis.labels import shown
from quorate.analysis.words import significant
from quorate.reporting.captions import Caption
from quorate.reporting.gaming_tables import unit
from quorate.wording import counted, whole_percent

if TYPE_CHECKING:
    from quorate.decide.gaming.gaming import Gaming

_SHORT = 60


def prizes(found: Gaming) -> Caption:
    """Which design leaves least to gain."""
    first, least = found.prizes[0], min(found.prizes, key=lambda one: one.value)
    amount = _amount(found, first.value)
    finding = f"The best of {found.k:,} attempts stands {amount} above the truth with {shown(first.label, _SHORT)}"
    if least is not first:
        finding += f", {_amount(found, least.value)} with {shown(least.label, _SHORT)}"
    lines = [f"Expected height of the best of {counted(found.k, 'attempt')} above the truth, {unit(found)}."]
    if any(one.low == one.low for one in found.prizes):
        level = f"{100 * found.level:.4g}%"
        lines.append(
            f"Lines: {level} intervals, from the components that the data make plausible. An arrow: it goes on."
        )
    return Caption(finding, tuple(lines))


def grid(found: Gaming) -> Caption:
    """The surface over prompts and judges."""
    most, least = (pick(found.prizes, key=lambda one: one.value) for pick in (max, min))
    saved = whole_percent(1 - least.value / most.value) if most.value > 0 else "nothing"
    finding = f"{shown(least.label, _SHORT)} leave {saved} less to gain than {shown(most.label, _SHORT)}"
    line = f"Expected height of the best of {counted(found.k, 'attempt')} above the truth, {unit(found)}"
    return Caption(finding, (f"{line}; darker: more to gain.",))


def attempts(found: Gaming) -> Caption:
    """How the prize grows with attempts."""
    first = found.prizes[0]
    finding = f"Trying more often pays ever less: {_amount(found, first.value)} for {counted(found.k, 'attempt')}"
    line = f"Expected height of the best attempt above the truth, {unit(found)}; dashed: {counted(found.k, 'attempt')}."
    return Caption(finding, (line, "Attempts are equally good and their errors independent: an upper bound."))


def mitigation(found: Gaming) -> Caption:
    """What to buy first."""
    lines = (
        f"Changes to {shown(found.prizes[0].label, _SHORT)}: those that take away most for what they cost come first.",
        f"Prize that is left, {unit(found)}; dashed: without a change.",
    )
    buys = [one for one in found.mitigation if one.reduction > 0]
    if not buys:
        return Caption("No change that the data tell about takes anything away", lines)
    best = buys[0]
    for_ = f"for {counted(best.more_calls, 'more call')}" if best.more_calls > 0 else "for no more calls"
    finding = f"{shown(best.label, _SHORT)} takes away {_amount(found, best.reduction)} {for_}"
    return Caption(f"{finding[:1].upper()}{finding[1:]}", lines)


def facts(found: Gaming) -> Caption:
    """What the prizes rest on."""
    return Caption(f"What is played: {counted(found.k, 'attempt')}, the best is reported", ())


def _amount(found: Gaming, value: float) -> str:
    return f"{significant(value)}{' Elo' if found.scale == 'elo' else ''}"
