"""What every figure on a leaderboard says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.analysis.labels import shown
from quorate.analysis.ratings import MOST_DRAWN
from quorate.analysis.words import share
from quorate.reporting.page import Caption
from quorate.reporting.ratings_tables import rank_range
from quorate.wording import counted

if TYPE_CHECKING:
    from quorate.analysis.ratings import RatingsView

_SHORT = 40


def leaderboard(view: RatingsView) -> Caption:
    """Who is first, and how surely."""
    level = f"{100 * view.level:.4g}%"
    size = f"{counted(len(view.found), 'system')}, {counted(view.n, 'vote' if view.of_votes else 'score')}"
    about = " about the mean of all systems" if view.of_votes else ""
    lines = [f"{view.unit[:1].upper()}{view.unit[1:]}{about}, with {level} intervals for each; {size}."]
    lines.append("Right: the ranks that a system may have, for all systems at once.")
    if len(view.found.groups) > 1:
        lines.append("Shaded and plain bands: rank groups; all of a group are surely better than all below it.")
    if len(view.found) > MOST_DRAWN:
        lines.append(f"The first {MOST_DRAWN} are drawn; the table has all.")
    return Caption(_first(view), tuple(lines))


def ranks(view: RatingsView) -> Caption:
    """How far ranks are known."""
    own = view.found.ranks
    sure = int((own.low == own.high).sum())
    finding = f"{sure} of {counted(len(view.found), 'rank')} are sure"
    widest = int((own.high - own.low).argmax())
    name = shown(view.names[widest], _SHORT)
    span = f"the least sure, {name}, is anywhere from {int(own.low[widest])} to {int(own.high[widest])}"
    level = f"{100 * view.level:.4g}%"
    line = f"Bars: ranks for all systems at once, with {level} confidence; thick: of a system chosen before looking."
    return Caption(
        finding if sure == len(view.found) else f"{finding}; {span}",
        (line, "Rank 1 is best; stroke: the place by the estimates."),
    )


def pairs(view: RatingsView) -> Caption:
    """How many pairs are told apart."""
    finding = f"{view.told_apart:,} of {counted(view.pairs, 'pair')} of systems are told apart"
    line = "Dark: the system of the row is surely better than that of the column, in the same order; all at once."
    return Caption(finding, (line, "White: which of the two is better is not known. That does not say they are equal."))


def groups(view: RatingsView) -> Caption:
    """Rank groups."""
    count = len(view.found.groups)
    finding = f"{counted(len(view.found), 'system')} form {counted(count, 'rank group')}"
    lines = ("Systems of one group are not said to be equal: the data do not put them in order.",)
    return Caption(finding, lines)


def facts(view: RatingsView) -> Caption:
    """What was ranked."""
    return Caption(f"What was ranked: {counted(len(view.found), 'system')}", ())


def _first(view: RatingsView) -> str:
    top, *rest = view.found.groups
    names = [shown(name, _SHORT) for name in view.names[:3]]
    if view.not_rankable:
        return f"These {len(view.found)} systems are not rankable: noise exceeds what they differ by"
    if not rest:
        told = f"{view.told_apart:,} of {counted(view.pairs, 'pair')} of systems are told apart"
        return f"{names[0]} is ahead, at rank {rank_range(1, int(view.found.ranks.high[0]))}; {told}"
    if len(top) == 1:
        return f"{names[0]} is first of {len(view.found)} systems"
    chance = share(next(iter(view.found.best.values())))
    return f"{names[0]} leads {len(top)} systems that share the first places (best with chance {chance})"
