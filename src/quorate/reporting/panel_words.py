"""What the report says in words about the panel of judges, before any figure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from quorate.analysis.labels import shown
from quorate.analysis.panel import PanelView
from quorate.analysis.words import significant
from quorate.estimate.panel.crossed import JUDGE_EFFECT
from quorate.reporting import panel_tables as tables
from quorate.wording import counted, listed, plural

if TYPE_CHECKING:
    from quorate.estimate.differences.spread import JointTest
    from quorate.estimate.panel.bias import Bias
    from quorate.estimate.panel.crossed import Crossed
    from quorate.estimate.panel.reversals import Reversal, Reversals

MOST_NAMED = 6
"""Judges that a sentence names."""
MOST_TURNED = 3
"""Reversals that a sentence names."""
_LINE = 300


def paragraphs(view: PanelView) -> Iterator[str]:
    """Who is off, whether judges differ at all, what one alone would turn round, and what is not shown and why."""
    yield lenience(view)
    yield from tests(view)
    yield from disagreement(view)
    yield from reversals(view)
    yield from missing(view)


def lenience(view: PanelView) -> str:
    """Who is lenient and who is strict."""
    found = view.panel.bias
    parts = [_named(view, [one for one in found.overall if one.verdict == way], way) for way in ("lenient", "strict")]
    said = ", and ".join(part for part in parts if part) or "No judge is shown to be lenient or strict"
    together = f"all {len(found.overall)} judges looked at together (Holm), {found.level * 100:g}%"
    return f"{said}; {together}."


def tests(view: PanelView) -> Iterator[str]:
    """Whether the judges differ at all, and by system."""
    found, size = view.panel.bias, 1 - view.panel.level
    crossed = tables.ordered(view)
    if len(crossed) == 1:
        yield _test(crossed[0][1], size)
    elif found.joint is not None:
        over = "over items" if view.alone else f"averaged over the {plural(_system(view))}"
        yield f"{_differ(found.joint.p < size)}: {_joint(found.joint)}, {over}."
    if len(crossed) > 1:
        sure = sum(one.judge_test.p_adjusted < size for _, one in crossed)
        worst = max((one.judge_test.p_adjusted for _, one in crossed), key=lambda p: (math.isnan(p), p))
        yield (
            f"Taken one at a time, the judges differ on {sure} of {counted(len(crossed), _system(view))} "
            f"(largest {p_value(worst)}, against item × judge, adjusted for judges of unequal noise)."
        )
    if found.interaction is not None:
        depend = "depend" if found.interaction.p < size else "are not shown to depend"
        yield f"The judges' biases {depend} on the {_system(view)}: {_joint(found.interaction)}."


def disagreement(view: PanelView) -> Iterator[str]:
    """What the published test says where the models answer differently, and what that means."""
    found = [(name, one) for name, one in tables.ordered(view) if one.disagree]
    for name, one in found[:1]:
        test = one.paper_test
        pooled = f"F({test.df}, {test.df_error:,}) = {significant(test.f)}, {p_value(test.p)}"
        whose = "" if view.alone else f" for {view.short['system'][name]}"
        others = f" (and {counted(len(found) - 1, f'more {_system(view)}')})" if len(found) > 1 else ""
        shown_ = JUDGE_EFFECT in one.differs or not view.alone
        opposed = f", and {p_value(one.judge_test.p_adjusted)} with it set apart" if shown_ else ""
        yield (
            f"As published, with item × judge pooled into the residual, the test{whose}{others} would be {pooled}"
            f"{opposed}. The two models differ because judges differ by {shown(view.item)}: who is strict on one is "
            "lenient on another, which the published model takes for noise of single scores."
        )


def reversals(view: PanelView) -> Iterator[str]:
    """What judges alone would turn round; sure reversals first."""
    found = view.panel.reversals
    if found is None:
        return
    rows = [row for row in tables.orders(view)[1:] if row["surely_reversed"] or row["possibly_reversed"]]
    if not rows:
        yield f"No judge alone would reverse the order of any two {plural(_system(view))}."
        return
    first = sum(row["other_first"] for row in rows)
    named = "; ".join(_reversal(view, one) for one in found.found[:MOST_TURNED])
    more = f"; {len(found.found) - MOST_TURNED} more below" if len(found.found) > MOST_TURNED else ""
    yield (
        f"{len(rows)} of {len(found.judges)} judges alone would reverse the order of some {plural(_system(view))}, and "
        f"{first} would put another one first: {counted(len(found.found), 'reversal')}, "
        f"{by_verdict(found)}. {named}{more}."
    )


def by_verdict(found: Reversals | None) -> str:
    """How many reversals are sure, possible, or the same on every item."""
    if found is None:
        return "0 sure, 0 possible"
    flat = f", {len(found.without_spread)} with no spread to judge by" if found.without_spread else ""
    return f"{len(found.sure)} sure, {len(found.possible)} possible{flat}"


def missing(view: PanelView) -> Iterator[str]:
    """Why something is not shown, where a reader would look for it."""
    reasons = view.panel.reasons
    if not view.alone and view.panel.self_preference is None:
        same = {name.strip().casefold() for name in view.panel.means.judges}
        named = any(name.strip().casefold() in same for name in view.panel.means.systems)
        none = f"no judge has the name of a {_system(view)}; say which is which with --identity of quorate panel"
        yield f"Not shown, how judges score themselves: {shown(reasons['self_preference'], _LINE) if named else none}."
    if view.check_reason:
        yield f"Studies were not redrawn from these scores: {shown(view.check_reason, _LINE)}."
    for what in ("strategies", "sharings"):
        why = [reason for name, reason in reasons.items() if name.partition(" ")[0] == what]
        if why and not view.panel.strategies and (what == "sharings" or "generation" in view.panel.judgments.names):
            yield f"Not shown, {_WAYS[what]}: {shown(why[0], _LINE)}."


def p_value(p: float) -> str:
    """A p-value in a sentence.

    Examples
    --------
    >>> p_value(0.0312), p_value(0.0)
    ('p = 0.031', 'p < 1e-16')
    """
    text = tables.p_text(p)
    return f"p {text}" if text[0] in "<n" else f"p = {text}"


_WAYS = {"strategies": "strategies for the same calls", "sharings": "ways to share the calls out"}


def _system(view: PanelView) -> str:
    return shown(view.panel.means.system or "system", 30)


def _named(view: PanelView, rows: Sequence[Bias], verdict: str) -> str:
    """The judges with one verdict, by name while they are few."""
    furthest = sorted(rows, key=lambda one: -abs(one.bias))
    said = [f"{view.short['judge'][one.judge]} ({one.bias:+.3g})" for one in furthest]
    if len(said) > MOST_NAMED:
        return f"{len(said)} judges are {verdict}, most of all {said[0]}"
    return f"{listed(said)} {'is' if len(said) == 1 else 'are'} {verdict}" if said else ""


def _reversal(view: PanelView, one: Reversal) -> str:
    systems = view.short["system"]
    return f"{view.short['judge'][one.judge]} puts {systems[one.second]} above {systems[one.first]} ({one.verdict})"


def _test(one: Crossed, size: float) -> str:
    test = one.judge_test
    said = f"F({test.df}, {test.df_error:,}) = {significant(test.f)}, {p_value(test.p_adjusted)}"
    return f"{_differ(test.p_adjusted < size)}: {said}, against item × judge, adjusted for judges of unequal noise."


def _differ(sure: bool) -> str:
    return "The judges differ" if sure else "The judges are not shown to differ"


def _joint(test: JointTest) -> str:
    return f"F({test.df1:.4g}, {test.df2:.4g}) = {significant(test.statistic)}, {p_value(test.p)}"
