"""What the reader of a decomposition must know."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate import caveats
from quorate.estimate.components.model import CELL
from quorate.roles import REPLICATE
from quorate.table.columns.roles import not_used

if TYPE_CHECKING:
    from quorate.estimate.components.decomposition import Decomposition


def cautions(fit: Decomposition) -> list[caveats.Caveat]:
    """Caveats of the fitted components, only those that apply."""
    judgments = fit.judgments
    out = list(judgments.source.caveats)
    if fit.assembled.missing:
        out.append(caveats.missing(fit.assembled.missing, judgments.n_answers + fit.assembled.missing))
    unused = not_used(judgments.notes)
    if judgments.replicate is None and unused and fit.assembled.replicated:
        out.append(caveats.unnamed_replicates(unused))
    own = {part: value for parts, value in zip(fit.classes, fit.variances.values(), strict=True) for part in parts}
    for facet in judgments.facets:
        levels = judgments.n_levels(facet.name)
        if levels == 1:
            out.append(caveats.one_level(facet.name))
        elif levels == 2 and facet.name in own:
            out.append(caveats.few_levels(facet.name, levels))
        elif levels <= 3 and own.get(facet.name, 1.0) <= 0:
            out.append(caveats.zero_with_few_levels(facet.name, levels))
    if (items := judgments.n_levels(judgments.object)) < 30:
        out.append(caveats.few_items(items))
    zero = [name for name, value in fit.variances.items() if value == 0]
    negative = [name for name, value in fit.variances.items() if value < 0]
    identical = fit.assembled.identical
    out += [caveats.identical_replicates(identical)] if identical else []
    out += [caveats.boundary(zero)] if zero else []
    out += [caveats.negative(negative)] if negative else []
    out += [caveats.aliased(names) for names in fit.aliases if names != {CELL, REPLICATE}]
    absorbed = [name for name in fit.absorbed if _levels(fit, name) > 1]
    out += [caveats.absorbed(absorbed)] if absorbed else []
    out += [caveats.near_alias(fit.identified.condition)] if fit.identified.condition > 300 else []
    out += [caveats.maximum_likelihood()] if fit.method == "ml" else []
    return out


def _levels(fit: Decomposition, term: str) -> int:
    return int(fit.judgments.level_codes(term.split(":")).max()) + 1
