"""Designs about a study at hand: what their facets stand for, how wide its interval is, and a design in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from quorate.analysis.labels import cut
from quorate.analysis.views import views
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.components.published import Components
from quorate.estimate.means.mean import mean_for
from quorate.estimate.means.targets import POPULATION, Target
from quorate.numerics.inference import t_quantile
from quorate.plan.designs.dstudy import Projection
from quorate.plan.designs.names import LAYOUTS, LayoutName
from quorate.plan.designs.schemes import GENERATION
from quorate.roles import JUDGE, REPLICATE
from quorate.wording import counted


def default_targets(source: Components | Decomposition, asked: Mapping[str, Target]) -> dict[str, Target]:
    """What facets stand for: as asked; judges for others like them where nothing else is asked and the data tell."""
    if not isinstance(source, Decomposition) or JUDGE in asked:
        return dict(asked)
    told = views(source, mean_for(source, asked)).population is not None
    return {**asked, JUDGE: POPULATION} if told else dict(asked)


def half_width(source: Components | Decomposition, targets: Mapping[str, Target]) -> tuple[float, float] | None:
    """Half a 95% interval of the study at hand, and its standard error; None for published components."""
    if not isinstance(source, Decomposition):
        return None
    mean = mean_for(source, targets)
    return mean.half_width(), mean.se


def standard_errors(source: Components | Decomposition, targets: Mapping[str, Target]) -> float:
    """Standard errors to half a 95% interval: Student's t of the study that was fitted, else 1.96."""
    own = half_width(source, targets)
    return t_quantile(float("inf"), 0.975) if own is None else own[0] / own[1]


def in_words(plan: Projection) -> str:
    """A design in words: levels of every facet, and the layout where it is not factorial."""
    levels = [counted(count, cut(name, 30)) for name, count in plan.design.items() if name != REPLICATE]
    again = plan.design.get(REPLICATE, 1)
    return " × ".join([*levels, *([f"{again:,} replicates"] if again > 1 else [])]) + layout_in_words(plan)


def layout_in_words(plan: Projection) -> str:
    """How prompts and judges are assigned, to follow the levels; empty where everything is crossed."""
    each, pairs = GENERATION if plan.design.get(GENERATION, 1) > 1 else "item", plan.per_item or 1
    if plan.layout == "factorial":
        return ""
    said = LAYOUTS[cast(LayoutName, plan.layout)].words.format(
        each=each,
        pairs="one" if pairs == 1 else pairs,
        judges=counted(pairs, JUDGE),
        places="" if plan.places is None else ":".join(map(str, plan.places.values())),
    )
    return f", {said}"
