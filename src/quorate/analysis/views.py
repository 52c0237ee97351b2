"""Views of a mean: for this panel and judges like these, of levels, as precise as asked, and on the log odds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from quorate import rules
from quorate.analysis.words import number
from quorate.arguments import argument
from quorate.errors import InvalidInput, NotConverged, NotEstimable
from quorate.estimate.components.assemble import Link
from quorate.estimate.components.decomposition import Decomposition
from quorate.frozen import dataclass
from quorate.roles import JUDGE, PROMPT
from quorate.table.judgments import Judgments
from quorate.wording import counted, decimals

if TYPE_CHECKING:
    from quorate.estimate.components.latent import LatentDecomposition
    from quorate.estimate.means.effects import LevelEffect
    from quorate.estimate.means.mean import Estimate
    from quorate.planning.search.whatif import WhatIf


MOST_PARTS = 50
"""Categories or judges beyond this many are not refitted one by one; prompts are predicted instead of compared."""
Asked = Literal["identity"] | Link
"""A link that is asked for, or that none is wanted."""

LOW, HIGH = 0.3, 0.7
"""Shares between which scores as numbers and log odds say much the same (Messing 2026, section G)."""
_STEPS = 10
"""Whole scores over at most so many steps are marks."""
MOST_CELLS = 20_000
"""Cells up to which the check costs about a second and is made unasked."""


@dataclass(frozen=True)
class Answer:
    """Whether the mean is known as well as was asked.

    Parameters
    ----------
    asked, half_width : float
        Half-width wanted, and the one there is.
    met : bool
        Whether it is small enough.
    sentence : str
        The same in words.
    """

    asked: float
    half_width: float
    met: bool
    sentence: str


def answer(mean: Estimate, level: float, asked: float, purchases: Sequence[WhatIf], whom: str = "") -> Answer:
    """Whether half the interval of a mean, which speaks for ``whom``, meets what was asked; if not, what buys most."""
    low, high = mean.at(level).ends
    half_width = (high - low) / 2
    met = half_width <= asked
    places = decimals(min(asked, half_width) / 2)
    is_, said = f"±{number(half_width, places)}", f" {whom}" if whom else ""
    if abs((low + high) / 2 - mean.value) > 0.01 * half_width:
        is_ = f"{number(low, places)} to {number(high, places)}{said}, half of which is {number(half_width, places)}"
    else:
        is_ += said
    shown = f"Asked for an interval of ±{number(asked, places)}; it is {is_}"
    if met:
        return Answer(asked, half_width, met, f"{shown}: enough.")
    if not purchases:
        return Answer(asked, half_width, met, f"{shown}: not enough.")
    first = purchases[0]
    buy = f"{first.label} ({counted(first.more_calls, 'call')} more) narrows it by {-first.change:.0%}"
    return Answer(asked, half_width, met, f"{shown}: not enough. Per call, this buys most: {buy}.")


def level_effects(fit: Decomposition, level: float) -> tuple[dict[str, tuple[LevelEffect, ...]], dict[str, str]]:
    """Effects of judges and prompts, and why there are none."""
    from quorate.estimate.means.effects import effects

    found, reasons = {}, {}
    for name in (JUDGE, PROMPT):
        if name in fit.judgments.names and fit.judgments.n_levels(name) > 1:
            try:
                found[name] = effects(fit, name, shrink=fit.judgments.n_levels(name) > MOST_PARTS, level=level)
            except (NotEstimable, InvalidInput) as error:
                reasons[name] = str(error)
    return found, reasons


def needed(judgments: Judgments) -> Link | None:
    """The link to check scores by that nobody asked about: two values or a few marks, whose mean is near an end."""
    facts = judgments.score_facts
    marks = facts.integers and 0 < facts.high - facts.low <= _STEPS
    if not judgments.n_answers or not marks:
        return None
    answered = judgments.n > 0
    mean = float(judgments.n[answered] @ judgments.mean[answered]) / judgments.n_answers
    near = not LOW <= (mean - facts.low) / (facts.high - facts.low) <= HIGH
    return ("logit" if facts.binary else "ordinal") if near else None


def latent_view(fit: Decomposition, asked: Asked | None) -> tuple[LatentDecomposition | None, str]:
    """Components of log odds beside those of a fit, and why there are none where they were asked for.

    They are the quicker ones, ``method="pirls"``; unasked, where the scores need them.

    Raises
    ------
    InvalidInput
        If there is no such link, or it is not for these scores.
    """
    rules.one_of("link", asked, (None, "identity", "logit", "ordinal"))
    link = needed(fit.judgments) if asked is None else asked
    if link is None or link == "identity":
        return None, ""
    if asked is None and fit.judgments.n_cells > MOST_CELLS:
        many = f"{fit.judgments.n_cells:,} cells are many to check unasked (up to {MOST_CELLS:,} are)"
        return None, f"{many}; ask for it with " + argument("link", link)
    if fit.assembled.residual_levels:
        return None, "log odds have one level-1 variance, and the residual variances here are by level"
    from quorate.estimate.components.latent import decompose_latent

    try:
        return decompose_latent(fit, link, "pirls"), ""
    except (NotConverged, NotEstimable) as error:
        return None, str(error)
