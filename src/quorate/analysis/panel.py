"""The panel of judges as a report shows it: what is known of it, and studies redrawn from its scores."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from quorate.analysis.words import cut, distinct
from quorate.errors import InvalidInput, NotEstimable, UnknownTerm
from quorate.frozen import dataclass
from quorate.roles import JUDGE
from quorate.table.results import Result, Row, plain
from quorate.wording import at_level, counted

if TYPE_CHECKING:
    from quorate.caveats import Caveat
    from quorate.estimate.panel.crossed import Crossed
    from quorate.planning.panel.panel import Panel
    from quorate.simulate.strategies import Validation
    from quorate.table.judgments import Judgments

MOST_FITTED = 500_000
"""Cells times combinations of judge and system that a report fits a model to: about a second."""
MOST_CELLS = 500_000
"""Cells of the largest study whose panel a report looks at."""
MOST_REDRAWN = 10_000
"""Items times judges from which a report redraws studies: about half a second."""
REPETITIONS = 2000
"""Studies redrawn per strategy: a standard error then has a Monte Carlo error of 1.6%."""
BUDGETS = (1, 2, 4)
"""Calls per item that strategies are compared at, in judges; those of `quorate.judges`."""
MOST_SYSTEMS, MOST_DOTS = 6, 60
"""Systems, and judges times systems, that can be told apart as dots."""
SHORT = 30
"""Most characters of a label in a sentence or a legend."""
LEAST_P = 1e-16
"""Below this a tail of F is no more than the arithmetic can tell from zero."""
APART, PUBLISHED = "item × judge apart", "as published"
"""The two models of crossed scores."""


@dataclass(frozen=True)
class PanelAnalysis(Result):
    """A panel, with labels fit to be shown and the strategies tried out on its scores.

    Parameters
    ----------
    panel : Panel
        What is known.
    """

    panel: Panel

    @property
    def item(self) -> str:
        """Role of the object of measurement."""
        return self.panel.judgments.object

    @property
    def alone(self) -> bool:
        """Whether there is one system."""
        return len(self.panel.means.systems) == 1

    @property
    def many(self) -> bool:
        """Whether there are more systems than colours, or more dots than a reader tells apart."""
        judges, systems = self.panel.means.mean.shape
        return bool(systems > MOST_SYSTEMS or judges * systems > MOST_DOTS)

    @cached_property
    def judges(self) -> Mapping[str, str]:
        """Judges as tables show them, by label."""
        return _shown(self.panel.means.judges, 80)

    @cached_property
    def systems(self) -> Mapping[str, str]:
        """Systems as tables show them, by label."""
        return _shown(self.panel.means.systems, 80)

    @cached_property
    def short(self) -> Mapping[str, Mapping[str, str]]:
        """Judges and systems as sentences and legends show them, by label."""
        means = self.panel.means
        return {"judge": _shown(means.judges, SHORT), "system": _shown(means.systems, SHORT)}

    @property
    def system(self) -> str:
        """Role of what is evaluated, as sentences have it."""
        return cut(self.panel.means.system or "system", SHORT)

    @property
    def coverage(self) -> str:
        """Coverage of the intervals, as sentences have it."""
        return at_level(self.panel.level)

    @property
    def crossed(self) -> tuple[tuple[str, Crossed], ...]:
        """What is known of the crossed scores of every system, in the order of the panel."""
        found = self.panel.crossed
        return tuple((name, found[name]) for name in self.order if name in found)

    def whose(self, system: str) -> str:
        """Which system a sentence is about; nothing where there is one."""
        return "" if self.alone else f" of {self.short['system'][system]}"

    @cached_property
    def order(self) -> tuple[str, ...]:
        """Systems, those that the panel puts first before the others."""
        found = self.panel.reversals
        return self.panel.means.systems if found is None else found.order

    @cached_property
    def drawn(self) -> str | None:
        """The system whose strategies are drawn: the first in the panel's order that has any."""
        return next((name for name in self.order if name in self.panel.strategies), None)

    @property
    def check(self) -> Validation | None:
        """Studies of `drawn` redrawn from its scores under every strategy; None where there is nothing to draw from."""
        return self._check[0]

    @property
    def check_reason(self) -> str:
        """Why there is no `check` although strategies are compared; empty where there is."""
        return self._check[1]

    @property
    def sentence(self) -> str:
        """Who is off, and what one judge alone would reverse."""
        return self.panel.sentence

    @property
    def caveats(self) -> tuple[Caveat, ...]:
        """What to know before relying on this."""
        return self.panel.caveats

    def rows(self) -> list[Row]:
        """Every judge against the panel, overall and by system."""
        return self.panel.bias.rows()

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values; what is not finite is None."""
        check = None if self.check is None else {"system": self.drawn, **self.check.to_dict()}
        out: dict[str, Any] = plain({**self.panel.to_dict(), "validation": check})
        return out

    @cached_property
    def _check(self) -> tuple[Validation | None, str]:
        crossed = None if self.drawn is None else self.panel.crossed.get(self.drawn)
        if crossed is None:
            return None, "" if self.drawn is None else "not every judge scored the same responses"
        if crossed.m < 2:
            return None, f"no two responses to each {self.item} were scored by every judge"
        if crossed.n * crossed.k > MOST_REDRAWN:
            size = f"{counted(crossed.n, self.item)} by {counted(crossed.k, JUDGE)}"
            return None, f'{size} are many to redraw here; "quorate judges --validate" does it'
        from quorate.simulate.strategies import validate_strategies

        budgets = [times * crossed.k for times in BUDGETS]
        return validate_strategies(crossed.scores, budgets=budgets, repetitions=REPETITIONS), ""


def validations(panel: Panel) -> dict[str, Validation]:
    """Studies redrawn from the scores of every system, which show whether strategies are as precise as promised.

    Raises
    ------
    NotEstimable
        If some system has no crossed scores to redraw from.
    """
    from quorate.simulate.strategies import validate_strategies

    role = panel.means.system
    return {
        name: validate_strategies(panel.judgments if role is None else panel.judgments.only(role, name))
        for name in panel.means.systems
    }


def promised(one: Crossed) -> dict[str, float]:
    """Standard error over these items that each model promises for judges in turn, as many calls per item as judges.

    Parameters
    ----------
    one : Crossed
        Of one system; components below 0 count as 0.
    """
    from quorate.planning.panel.strategies import cyclic

    found = {}
    for model, components in ((APART, one.separated), (PUBLISHED, one.paper)):
        beta, eps, own = (max(components.values.get(name, 0.0), 0.0) for name in ("beta", "eps", "interaction"))
        found[model] = math.sqrt(cyclic(beta, eps, n=one.n, budget=one.k, pool=one.k, interaction=own))
    return found


def panel_view(
    judgments: Judgments, level: float, prices: Mapping[str, Any] | None
) -> tuple[PanelAnalysis | None, str]:
    """What a report says of a panel of judges, or why it says nothing; nothing at all where there is one judge."""
    from quorate.planning.panel.panel import judges as judges_of

    elsewhere = 'too many to look at in a report; "quorate judges" does it'
    if judgments.n_cells > MOST_CELLS:
        return None, f"{judgments.n_cells:,} cells are {elsewhere}"
    several = [name for name in (JUDGE, "system") if name in judgments.names]
    combinations = int(judgments.level_codes(several).max()) + 1
    if combinations * judgments.n_cells > MOST_FITTED:
        answered = judgments.keep(judgments.n > 0)
        units = int(answered.level_codes([name for name in answered.names if name != JUDGE]).max()) + 1
        judges = int(answered.level_codes([JUDGE]).max()) + 1
        if units * judges != answered.n_cells:  # not every judge answered everything that any judge answered
            return None, (
                f"some answers are missing, so a model is needed, and {judgments.n_cells:,} cells by {combinations} "
                f"combinations of judge and system are {elsewhere}"
            )
    try:
        return PanelAnalysis(cast("Panel", judges_of(judgments, level=level, prices=prices))), ""
    except (NotEstimable, InvalidInput, UnknownTerm) as error:
        return None, str(error)


def _shown(labels: tuple[str, ...], most: int) -> dict[str, str]:
    return dict(zip(labels, distinct(labels, most), strict=True))
