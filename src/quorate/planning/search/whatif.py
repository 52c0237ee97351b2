"""What-if analysis: what a few changes to the design at hand would give."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, cast

from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.components.decompose import scored
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.components.latent import LatentDecomposition
from quorate.estimate.differences.difference import SystemDifference
from quorate.estimate.means.mean import mean_for
from quorate.estimate.means.targets import Target, drawn_too
from quorate.frozen import dataclass
from quorate.planning.designs.dstudy import (
    OfDifference,
    Prices,
    Projection,
    bill,
    cost,
    known,
    of_both,
    of_difference,
    project,
)
from quorate.planning.designs.names import LAYOUTS, PARTIAL, LayoutName
from quorate.planning.designs.sources import Design, from_fit, observed_counts, refuse_targets
from quorate.planning.designs.studies import Studies
from quorate.roles import GENERATION, SYSTEM
from quorate.wording import plural

AS_IT_IS = "as it is"
EVERY_CELL = "every cell filled"
_TOO_FEW = "fewer than three levels of what stands for others say nothing of them"


@dataclass(frozen=True)
class WhatIf:
    """A change to the design and what it would do.

    Parameters
    ----------
    label : str
        The change, in words.
    projection : Projection or None
        What it would give; None where the data cannot tell.
    change : float
        Relative change of half the interval of the design; nan where unknown.
    more_calls : int
        Judgments beyond those of the study as it is; 0 where unknown.
    more_cost : float or None
        Price of those judgments; None where a price is unknown.
    reason : str
        Why there is no projection; empty where there is.
    """

    label: str
    projection: Projection | None
    change: float
    more_calls: int
    more_cost: float | None
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {**vars(self), "projection": None if self.projection is None else self.projection.to_dict()}


def what_if(
    source: Decomposition | SystemDifference,
    *,
    prices: Prices | None = None,
    targets: Mapping[str, Target] | None = None,
) -> tuple[WhatIf, ...]:
    """The study as it is, and what a few changes to its design would give.

    Where the study has gaps, so that filling them would take over 1% more judgments, that is the first change, and
    other changes keep the share of cells that is missing: one more judge brings as many judgments as the others have
    on average, and every part of the variance changes as it would without gaps. Fewer levels of a facet, and another
    layout, come with all cells filled. Of a difference of two systems that are paired the changes are to both, for the
    reading that it has.

    Returns
    -------
    tuple of WhatIf
        The first is the study as it is, gaps and all; see `as_it_is`.

    Raises
    ------
    NotEstimable
        If the data do not determine the variance of the mean for these targets.
    """
    if isinstance(source, SystemDifference):
        both, pair = _paired(source)
        return tuple(
            replace(one, projection=one.projection and of_both(one.projection), more_calls=2 * one.more_calls)
            for one in what_if(both, prices=prices and pair.prices(prices), targets=pair.targets)
        )
    fit = source
    base = as_it_is(fit, prices=prices, targets=targets)
    layout, item = own_layout(fit), fit.judgments.object
    filled = _filled(fit, layout, targets) if _has_gaps(fit, base.calls, layout) else None
    middle = base.half_width
    rows = [WhatIf(AS_IT_IS, base, 0.0, 0, 0.0 if base.cost is not None else None)]
    for label, options in _changes(fit, base, layout):
        try:
            made = project(fit, prices=prices, targets=targets, **{"layout": layout, **options})
            # cells are left open as the study does, but not with fewer judges than it has: items would go unjudged
            fewer = any(count < base.design[name] for name, count in made.design.items() if name != item)
            if filled is not None and label != EVERY_CELL and "layout" not in options and not fewer:
                made = _with_gaps(base, filled, made, prices)
            half = made.half_width
            if not math.isfinite(half):
                rows.append(WhatIf(label, None, float("nan"), 0, None, _TOO_FEW))
                continue
            change = half / middle - 1 if middle > 0 else float("nan")  # -1 where there was none
            more_cost = None if made.cost is None or base.cost is None else made.cost - base.cost
            rows.append(WhatIf(label, made, change, made.calls - base.calls, more_cost))
        except NotEstimable as error:
            rows.append(WhatIf(label, None, float("nan"), 0, None, str(error)))
        except InvalidInput:  # a layout that needs more items than there are is no option
            continue
    return tuple(rows)


def _paired(found: SystemDifference) -> tuple[Decomposition, OfDifference]:
    """The components of differences in shared cells, and what the difference is to designs."""
    if found.method != "paired":
        raise NotEstimable(
            f"{found.a} and {found.b} were not judged on the same cells: changes to the study cannot be listed; name a "
            "design"
        )
    return found.fit, of_difference(found)


def _has_gaps(fit: Decomposition, calls: int, layout: LayoutName) -> bool:
    """Whether filling the cells of the study would take over 1% more judgments."""
    made, assigned = from_fit(fit, Design()), LAYOUTS[layout].assigned
    every_cell = math.prod(count for name, count in made.counts.items() if name not in assigned) * made.replicates
    return every_cell > 1.01 * calls


def _filled(
    fit: Decomposition | LatentDecomposition, layout: LayoutName, targets: Mapping[str, Target] | None
) -> Projection | None:
    """The study with every cell filled; None where the data do not tell what that would give."""
    try:
        return project(fit, targets=targets, layout=layout)
    except (NotEstimable, InvalidInput):
        return None


def _with_gaps(base: Projection, filled: Projection, made: Projection, prices: Prices | None) -> Projection:
    """A changed design with the gaps of the study: its parts as many times as large as in the design that is filled."""
    calls = round(base.calls * made.calls / filled.calls)
    gaps = cast("Studies", base.studies).factor ** 2  # by the components, as plans are, not as the study came out
    parts = {}
    for name, share in made.shares.items():
        part, full = share * made.variance, filled.shares.get(name, 0.0) * filled.variance
        own = base.shares.get(name, 0.0) * filled.variance * gaps
        parts[name] = part * own / full if full > 0 else part
    variance = sum(parts.values())
    shares = {name: part / variance if variance > 0 else math.nan for name, part in parts.items()}
    se, studies = math.sqrt(variance), cast("Studies", made.studies)  # it is a plan
    # at prices of calls by which the whole design costs what this share of its calls does
    rate, paid = calls / made.calls, dict[str, float | Mapping[str, float]](prices or {})
    for kind in {"call", "judge"} & paid.keys():
        price = paid[kind]
        paid[kind] = {n: rate * one for n, one in price.items()} if isinstance(price, Mapping) else rate * price
    cost = known(bill(studies.source, studies.laid, None if prices is None else paid))
    studies = replace(studies, factor=se / made.se if made.se > 0 else 1.0)
    return replace(made, se=se, calls=calls, cost=cost, shares=shares, studies=studies, layout=base.layout)


def as_it_is(
    fit: Decomposition | LatentDecomposition | SystemDifference,
    *,
    prices: Prices | None = None,
    targets: Mapping[str, Target] | None = None,
) -> Projection:
    """The study at hand, as a design for others like it: its own standard error, and every judgment that was asked for.

    Raises
    ------
    NotEstimable
        If the data do not determine the variance of the mean for these targets.
    InvalidInput
        If a facet of a model of log odds is to stand for anything but its default.
    """
    if isinstance(fit, SystemDifference):
        both, pair = _paired(fit)
        return of_both(as_it_is(both, prices=prices and pair.prices(prices), targets=pair.targets))
    if isinstance(fit, LatentDecomposition):
        refuse_targets(fit.linear, targets or {})
        made = as_it_is(scored(fit), prices=prices)
        filled = _filled(fit, own_layout(scored(fit)), None)
        studies = None if filled is None else filled.studies
        if studies is not None and made.studies is not None:
            studies = replace(studies, factor=made.studies.factor)
        return replace(made, se=fit.mean.se, df=fit.mean.df, found=fit.mean, studies=studies)
    judgments, mean = fit.judgments, mean_for(fit, drawn_too(fit, targets or {}))
    counts, calls = observed_counts(fit), judgments.n_answers + fit.assembled.missing
    layout = own_layout(fit)
    filled = _filled(fit, layout, targets)
    studies = None if filled is None else filled.studies
    if studies is not None and filled is not None and filled.se > 0:
        studies = replace(studies, factor=math.sqrt(mean.basis.plain) / filled.se)
    return Projection(
        se=mean.se,
        calls=calls,
        cost=known(cost(prices, {name: judgments.n_levels(name) for name in counts}, judgments.object, calls)),
        shares=mean.shares,
        design={**counts, "replicate": from_fit(fit, Design()).replicates},
        layout=PARTIAL if layout == "factorial" and _has_gaps(fit, calls, layout) else layout,
        targets=mean.target,
        groups=from_fit(fit, Design()).groups,
        df=mean.df,
        found=mean,
        studies=studies,
    )


def best_purchases(rows: tuple[WhatIf, ...], *, most: int = 3) -> tuple[WhatIf, ...]:
    """The changes that buy most: largest fall of the squared interval per judgment added."""
    buys = [row for row in rows if row.projection is not None and row.more_calls > 0 and row.change < -0.005]
    return tuple(sorted(buys, key=lambda row: (1 - (1 + row.change) ** 2) / row.more_calls, reverse=True)[:most])


def own_layout(fit: Decomposition) -> LayoutName:
    """Latin or cyclic where every item, or generation, met one (prompt, judge) pair or one judge, else factorial."""
    judgments = fit.judgments
    names = judgments.names
    turn = [judgments.object, *([GENERATION] if GENERATION in names else [])]

    def combinations(facets: list[str]) -> int:
        return int(judgments.level_codes(facets).max()) + 1

    def one_each(facet: str) -> bool:
        several = facet in names and judgments.n_levels(facet) > 1
        return several and combinations([*turn, facet]) == combinations(turn)

    if not one_each("judge"):
        return "factorial"
    return "latin" if one_each("prompt") else "cyclic"


def _changes(fit: Decomposition, base: Projection, layout: LayoutName) -> Iterator[tuple[str, dict[str, Any]]]:
    """Changes worth showing, as options of `project`."""
    covariates = {name for term in fit.assembled.model.covariates for name in term.split(":")}
    item = fit.judgments.object
    design, made = dict(base.design), from_fit(fit, Design())
    if _has_gaps(fit, base.calls, layout):
        yield EVERY_CELL, {}
    yield f"double the {item}s", {"items": 2 * design[item]}
    groups = fit.judgments.ancestors(item)
    if len(groups) == 1 and groups in fit.assembled.model.random:  # as many more groups, each as large as before
        options = {"items": 2 * design[item], "categories": 2 * fit.judgments.n_levels(groups[0])}
        yield f"double the {plural(groups[0])} and {plural(item)}", options
    yield f"half the {plural(item)}", {"items": max(2, design[item] // 2)}
    for name, count in made.counts.items():
        if name in (item, SYSTEM) or name in covariates:  # nobody buys a system
            continue
        yield f"one more {name}", {"levels": {name: count + 1}}
        yield f"two more {plural(name)}", {"levels": {name: count + 2}}
        if count > 1:
            yield f"one {name} only", {"levels": {name: 1}}
    yield "one more replicate", {"replicates": design["replicate"] + 1}
    if design["replicate"] > 1:
        yield "one replicate only", {"replicates": 1}
    if layout != "factorial":
        yield f"every judge for every {item}", {"layout": "factorial"}
    elif design.get("judge", 1) > 1:
        yield f"one judge per {item}, in turn", {"layout": "cyclic"}
        if design.get("prompt", 1) > 1:
            yield f"one prompt and judge per {item}, in turn", {"layout": "latin"}
