"""The whole analysis of one table of judgments, as the terminal and the report show it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from quorate import rules
from quorate.analysis.views import MOST_PARTS, Answer, Asked, answer, latent_view, level_effects
from quorate.analysis.words import advice, scrubbed, sentence
from quorate.caveats import Caveat, people_among_judges
from quorate.errors import NotEstimable
from quorate.estimate.components.decompose import decompose
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.components.fit import Method
from quorate.estimate.components.model import Component, Interval
from quorate.estimate.means.effects import of_families
from quorate.estimate.means.intervals import coefficients
from quorate.estimate.means.mean import Estimate, Readings, draw_of, readings
from quorate.estimate.means.targets import FINITE, PANEL, SENSITIVITY, scope
from quorate.frozen import dataclass
from quorate.numerics.inference import variance_interval
from quorate.numerics.mixed.information import weights
from quorate.roles import JUDGE, PROMPT, SYSTEM
from quorate.table.reading.people import among_models
from quorate.table.results import Result, Row, StatedInterval, plain
from quorate.wording import capitalised

if TYPE_CHECKING:
    from quorate.analysis.panel import PanelAnalysis
    from quorate.estimate.components.latent import LatentDecomposition
    from quorate.estimate.components.robustness import Stated
    from quorate.estimate.diagnostics.diagnose import Diagnosis
    from quorate.estimate.doctor.support import Support
    from quorate.estimate.means.effects import LevelEffect, Means
    from quorate.estimate.means.flags import Flags
    from quorate.estimate.means.missing_bounds import MissingBounds
    from quorate.estimate.means.targets import Target
    from quorate.planning.naive import Naive
    from quorate.planning.search.whatif import WhatIf
    from quorate.table.judgments import Judgments


OTHERS, SETUP, NAIVE = "others like it", "this setup", "naive"
"""Names of intervals."""
SAID = (
    *("sentence", "level", "price", "answer", "sources", "what_if", "purchases", "caveats", "effects"),
    *("means", "effects_reasons", "others_reason", "grouping"),
    *("flags", "flags_reason", "judge_panel_reason", "latent_reason"),
)
OF_SOURCE = ("component", "share", "se", "advice")
OF_ESTIMATE = ("value", "se", "df", "n", "shares", "target", "caveats")
OF_FIT = ("components", "absorbed", "method", "criterion")
"""What is said of an analysis in plain values, of a source of uncertainty, of a reading and of the fit."""


# Contributions of components to the uncertainty of a mean, each with its interval and what makes it smaller.


@dataclass(frozen=True)
class Contribution:
    """A component and its part in the uncertainty of a mean: one reason why the mean is uncertain.

    Parameters
    ----------
    component : str
        Term, or the sum of terms that cannot be told apart.
    share : float
        Fraction of the variance of the mean; sums to 1 over all of them.
    se, low, high : float
        Standard error that the component alone would leave, in score units, with its interval; ``high`` may be
        infinite, and both are nan for an index that is no variance estimate.
    weight : float
        What the variance component is multiplied by in the variance of the mean: 1 over its effective number of levels.
    advice : str
        What makes it smaller.
    fitted : Component
        The component as fitted.
    """

    component: str
    share: float
    se: float
    low: float
    high: float
    weight: float
    advice: str
    fitted: Component


def contributions(
    fit: Decomposition, estimate: Estimate, facets: Sequence[str] | None = None
) -> tuple[Contribution, ...]:
    """Components that enter the variance of the mean, the largest first, with 95% intervals.

    A component that the target takes away, such as the judges' for a fixed panel, is left out; one estimated at zero is
    kept, because its interval is not zero.

    Parameters
    ----------
    fit : Decomposition
        Components.
    estimate : Estimate
        The mean, for the target that it states.
    facets : sequence of str, optional
        Facets of which more levels could be had; without them, those that the fit has several of.
    """
    if facets is None:
        facets = [name for name in fit.judgments.names if fit.judgments.n_levels(name) > 1]
    given = weights(fit.assembled.problem, fit.point.solved, fit.assembled.fixed.mean)
    each = coefficients(fit, given, estimate.target)
    in_variance = {name: float(each[t]) for name, t in fit.representatives.items()}  # of the mean
    for facet in fit.assembled.fixed.levels:
        target = estimate.target[facet]
        in_variance[facet] = 0.0 if target in (PANEL, FINITE) else draw_of(fit, facet, target).factor
    found = []
    for component in fit.components:
        name, weight = component.name, in_variance[component.name]
        if weight > 0:
            share = estimate.shares[name]
            low, high = (float(np.sqrt(weight * limit)) for limit in _limits(fit, estimate, component))
            se = float(np.sqrt(estimate.basis.plain * share))
            found.append(Contribution(name, share, se, low, high, weight, advice(name, facets), component))
    return tuple(sorted(found, key=lambda one: (-one.share, -np.nan_to_num(one.high))))


def _limits(fit: Decomposition, estimate: Estimate, component: Component) -> tuple[float, float]:
    """Interval of the variance itself."""
    if component.kind != "sensitivity":
        return component.low, component.high
    target = estimate.target[component.name]
    if target == SENSITIVITY:
        return np.nan, np.nan
    drawn = draw_of(fit, component.name, target)
    noise = float(drawn.noise @ np.maximum(fit.theta, 0.0)) * fit.assembled.scale**2
    return variance_interval(drawn.square - noise, drawn.square * float(np.sqrt(2 / drawn.df)), drawn.df, 0.95)


FEWEST_FLAGGED, MOST_FLAGGED = 5, 20


@dataclass(frozen=True)
class Analysis(Result):
    """Everything the terminal and the report say about one table of judgments.

    Made by `analyze_judgments`. Views that cost more than a projection are computed when they are first asked for.

    Parameters
    ----------
    fit : Decomposition
        Components and mean.
    level : float
        Coverage of every interval.
    price : float or None
        Price of one call.
    asked : float or None
        Half-width asked for.
    targets : mapping of str to str or Pool
        What facets stand for, where that was asked.
    judgments : Judgments
        As read, with what has no usable score.
    link : {"identity", "logit", "ordinal"}, optional
        The link that was asked for beside scores as numbers.
    """

    judgments: Judgments
    fit: Decomposition
    level: float
    price: float | None
    asked: float | None
    targets: Mapping[str, Target] = field(default_factory=dict)
    link: Asked | None = None

    def __post_init__(self) -> None:
        """Refuse at once a link that the scores are not for."""
        if self.link is not None:
            self.latent  # noqa: B018

    @cached_property
    def _latent(self) -> tuple[LatentDecomposition | None, str]:
        return latent_view(self.fit, self.link)

    @property
    def latent(self) -> LatentDecomposition | None:
        """Components of log odds, where asked for, or 0/1 scores or a few marks are near an end of their scale."""
        return self._latent[0]

    @property
    def latent_reason(self) -> str:
        """Why there is no `latent` although it was asked for or the scores need it; empty otherwise."""
        return self._latent[1]

    @cached_property
    def _readings(self) -> Readings:
        return readings(self.fit, self.targets)

    @property
    def setup(self) -> Estimate:
        """The mean for this study's setup, or as asked: what the sentence leads with."""
        return self._readings.setup

    @property
    def others(self) -> Estimate | None:
        """The mean for others like it: judges, prompts and the like drawn too; None where nothing stands for others."""
        return self._readings.others

    @property
    def others_reason(self) -> str:
        """What the study is too small to say of others; empty where nothing is left out."""
        return self._readings.reason

    @property
    def widest(self) -> Estimate:
        """What the sources and the plans are about: `others` if there is one, else `setup`."""
        return self.others or self.setup

    @cached_property
    def readings(self) -> tuple[Estimate, ...]:
        """The mean with whom it speaks for, this study's setup first."""
        found = [self.setup, *([] if self.others is None else [self.others])]
        return tuple(one.at(self.level) for one in found)

    @property
    def estimate(self) -> Estimate:
        """The mean for this study's setup, or as asked, with its interval."""
        return self.readings[0]

    @cached_property
    def independent(self) -> StatedInterval:
        """The naive interval of all judgments."""
        from quorate.planning.naive import independent

        return independent(self.fit.judgments, self.level)

    @cached_property
    def naive(self) -> Naive:
        """The naive intervals, those of single configurations among them."""
        from quorate.planning.naive import naive

        return naive(self.judgments, self.fit, level=self.level)

    @cached_property
    def sentence(self) -> str:
        """The verdict in one or two sentences."""
        systems = self.judgments.n_levels(SYSTEM) if self.several(SYSTEM) else 1
        said = sentence(self.readings, self.independent, systems)
        return f"{said} {capitalised(self.others_reason)}." if self.others_reason else said

    @cached_property
    def contributions(self) -> tuple[Contribution, ...]:
        """What every component brings to the variance of `widest`, largest first; 0 for one estimated at 0."""
        facets = [name for name in self.judgments.names if self.judgments.n_levels(name) > 1]
        return contributions(self.fit, self.widest, facets)

    @property
    def sources(self) -> tuple[Contribution, ...]:
        """Where the uncertainty of the `widest` reading comes from: the contributions that are above 0."""
        return tuple(one for one in self.contributions if one.share > 0)

    @property
    def priced(self) -> bool:
        """Whether a judgment has a price above 0, so that designs can be compared by what they cost."""
        return bool(self.price)

    @property
    def prices(self) -> Mapping[str, Any] | None:
        """The price of a call as planning takes it; None where none was given."""
        return None if self.price is None else {"call": self.price}

    @cached_property
    def what_if(self) -> tuple[WhatIf, ...]:
        """The study as it is and a few changes to it, for the targets of `widest`; empty where nothing is known."""
        from quorate.planning.search.whatif import what_if

        try:
            return what_if(self.fit, prices=self.prices, targets=dict(self.widest.target))
        except NotEstimable:
            return ()

    @cached_property
    def purchases(self) -> tuple[WhatIf, ...]:
        """The three changes that buy most per call."""
        from quorate.planning.search.whatif import best_purchases

        return best_purchases(self.what_if, most=3)

    @cached_property
    def caveats(self) -> tuple[Caveat, ...]:
        """What the reader must know, each once."""
        from quorate.planning.naive import apart

        found = [self.setup, *([] if self.others is None else [self.others])]
        said = [caveat for view in found for caveat in view.caveats]
        said += apart(self.independent, self.fit.mean.value)
        said += [] if self.others is None else of_families(self.others)
        both = among_models(self.judgments)
        said += [people_among_judges(*both)] if both else []
        return tuple(dict.fromkeys(said))

    @cached_property
    def support(self) -> Support:
        """Facts about the judgments and which analyses they support."""
        from quorate.estimate.doctor.support import support_of

        return support_of(self.judgments, self.fit)

    @cached_property
    def _effects(self) -> tuple[dict[str, tuple[LevelEffect, ...]], dict[str, str]]:
        return level_effects(self.fit, self.level)

    @property
    def effects(self) -> Mapping[str, tuple[LevelEffect, ...]]:
        """How far each judge and each prompt is from the mean over them, where the data tell."""
        return self._effects[0]

    @property
    def effects_reasons(self) -> Mapping[str, str]:
        """Why there are no effects of judges or of prompts, where there are several."""
        return self._effects[1]

    @cached_property
    def means(self) -> Means | None:
        """Mean score by judge and prompt; None unless there are two of each."""
        from quorate.estimate.means.effects import table_of_means

        return table_of_means(self.fit, JUDGE, PROMPT) if self.several(JUDGE) and self.several(PROMPT) else None

    @cached_property
    def leave_one_out(self) -> tuple[Stated, ...]:
        """The mean without each judge in turn; empty with one judge."""
        from quorate.estimate.components.robustness import stated_without_each

        if not self.several(JUDGE) or self.fit.judgments.n_levels(JUDGE) > MOST_PARTS:
            return ()
        return stated_without_each(self.fit, JUDGE, self.targets, self.level)

    @cached_property
    def _judge_panel(self) -> tuple[PanelAnalysis | None, str]:
        from quorate.analysis.panel import panel_view

        prices = self.prices if self.priced else None
        return panel_view(self.judgments, self.level, prices) if self.several(JUDGE) else (None, "")

    @property
    def judge_panel(self) -> PanelAnalysis | None:
        """Judges as a panel: who is off, what one alone would reverse; None with one judge or where nothing tells."""
        return self._judge_panel[0]

    @property
    def judge_panel_reason(self) -> str:
        """Why there is no `judge_panel` although there are several judges; empty otherwise."""
        return self._judge_panel[1]

    @cached_property
    def by_category(self) -> tuple[Stated, ...]:
        """The mean within each category of the object; empty without categories."""
        from quorate.estimate.components.robustness import stated, within_each

        grouping = self.grouping
        if grouping is None or not self.several(grouping) or self.fit.judgments.n_levels(grouping) > MOST_PARTS:
            return ()
        return stated(within_each(self.fit, grouping, self.targets), self.level)

    @cached_property
    def _flags(self) -> tuple[Flags | None, str]:
        from quorate.estimate.means.flags import flags

        tenth = -(-self.fit.judgments.n_levels(self.judgments.object) // 10)
        try:
            return flags(self.fit, most=min(MOST_FLAGGED, max(FEWEST_FLAGGED, tenth))), ""
        except NotEstimable as error:
            return None, str(error)

    @property
    def flags(self) -> Flags | None:
        """The tenth of the items that judges and prompts differ on most, 5 to 20 of them; None where nothing tells."""
        return self._flags[0]

    @property
    def flags_reason(self) -> str:
        """Why there are no `flags`; empty where there are."""
        return self._flags[1]

    @cached_property
    def diagnosis(self) -> Diagnosis:
        """Checks of the model that draw no data from it, and so take next to no time."""
        from quorate.estimate.diagnostics.diagnose import diagnose

        return diagnose(self.fit, resamples=0)

    @cached_property
    def missing(self) -> MissingBounds | None:
        """How far missing answers could move the means, by judge and system; None where none is missing."""
        from quorate.estimate.means.missing_bounds import missing_bounds

        return missing_bounds(self.judgments) if self.judgments.rows.sum() > self.judgments.n.sum() else None

    def several(self, name: str) -> bool:
        """Whether there is such a facet, with two or more levels."""
        return name in self.fit.judgments.names and self.fit.judgments.n_levels(name) > 1

    @property
    def grouping(self) -> str | None:
        """The facet that the object of measurement is grouped by."""
        return next(iter(self.judgments.ancestors(self.judgments.object)), None)

    @cached_property
    def answer(self) -> Answer | None:
        """Whether the half-width asked for is met; None if none was asked for."""
        if self.asked is None:
            return None
        whom = scope(self.judgments, self.widest.target, self.judgments.object)
        return answer(self.widest, self.level, self.asked, self.purchases, whom)

    @property
    def exit_code(self) -> int:
        """2 where a half-width was asked for and is not met."""
        return 2 if self.answer is not None and not self.answer.met else 0

    def rows(self) -> list[Row]:
        """The naive interval and the corrected ones: interval, mean, se, df, low, high, n."""
        naive = self.independent
        rows: list[Row] = [
            {"interval": NAIVE, "mean": naive.value, "se": naive.se, "df": None, "low": naive.low, "high": naive.high}
            | {"n": naive.n}
        ]
        for name, view in ((SETUP, self.setup), (OTHERS, self.others)):
            if view is not None:
                low, high = view.at(self.level).ends
                numbers = {"mean": view.value, "se": view.se, "df": view.df, "low": low, "high": high}
                rows.append({"interval": name, **numbers, "n": view.n})
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, ready for JSON; what is not known or not finite is None."""
        source, estimates, parts = self.judgments.source, {}, {}
        for name in ("setup", "others"):
            view = getattr(self, name)
            own = None if view is None else {key: getattr(view, key) for key in OF_ESTIMATE}
            ends = () if view is None else view.at(self.level).ends
            estimates[name] = None if own is None else own | dict(zip(("low", "high"), ends, strict=True))
        for name in ("leave_one_out", "by_category"):
            each = [one._asdict() for one in getattr(self, name)]
            parts[name] = [one | {"estimate": one["estimate"] and one["estimate"]._asdict()} for one in each]
        found: dict[str, Any] = plain(
            {name: getattr(self, name) for name in SAID}
            | {"sources": [{name: getattr(one, name) for name in OF_SOURCE} for one in self.sources]}
            | {**estimates, **parts, **{name: getattr(self.fit, name) for name in OF_FIT}}
            | {name: getattr(self, name) for name in ("diagnosis", "missing", "judge_panel", "latent")}
            | {"aliases": [sorted(names) for names in self.fit.aliases]}
            | {"naive": {**self.naive.to_dict(), "single": self.naive.single}, "support": self.support}
            | {"source": replace(source, name=scrubbed(source.name)), "notes": self.judgments.notes}
        )
        return found


def analyze_judgments(
    judgments: Judgments,
    *,
    random: Sequence[str] | None = None,
    covariates: Sequence[str] = (),
    method: Method = "reml",
    residual_by: str | None = None,
    targets: Mapping[str, Target] | None = None,
    interval: Interval | None = None,
    level: float = 0.95,
    price: float | None = None,
    half_width: float | None = None,
    link: Asked | None = None,
) -> Analysis:
    """The mean with an honest interval, where its uncertainty comes from, and what to buy next.

    Parameters
    ----------
    judgments : Judgments
        From `quorate.read`.
    random, covariates, method, residual_by, targets, interval, link
        As for `quorate.analyze`.
    level : float
        Coverage of every interval, in (0, 1).
    price : float, optional
        Price of one call, for the cost of what to buy next.
    half_width : float, optional
        Half-width to be met, in score units; makes the analysis a question with an `Answer`.

    Returns
    -------
    Analysis

    Raises
    ------
    InvalidInput
        If an option breaks a rule.
    UnknownTerm
        If a target names no facet.
    NotEstimable
        If the data do not determine the mean's variance.

    Examples
    --------
    >>> import quorate as q
    >>> from quorate.simulate.demo import demo_table
    >>> import polars
    >>> found = analyze_judgments(q.read(polars.DataFrame(demo_table())))
    >>> found.sources[0].advice
    'add judges'
    """
    rules.number("level", level, above=0, below=1)
    if half_width is not None:
        rules.number("half_width", half_width, above=0)
    if price is not None:
        rules.number("price", price, least=0)
    fit = decompose(
        judgments, random=random, covariates=covariates, method=method, residual_by=residual_by, interval=interval
    )
    return of_fit(fit, judgments, level=level, price=price, asked=half_width, targets=targets, link=link)


def of_fit(
    fit: Decomposition,
    judgments: Judgments | None = None,
    *,
    level: float = 0.95,
    price: float | None = None,
    asked: float | None = None,
    targets: Mapping[str, Target] | None = None,
    link: Asked | None = None,
) -> Analysis:
    """The analysis of a fit that is there already; without the judgments as read, of the answered ones."""
    found = Analysis(judgments or fit.judgments, fit, level, price, asked, dict(targets or {}), link)
    found.sentence  # noqa: B018  (what cannot be estimated is said here, not halfway through a page)
    return found
