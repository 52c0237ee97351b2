"""Targets and interval widths of designs, as commands and pages about a study at hand take them."""

from __future__ import annotations

from collections.abc import Mapping

from quorate.analysis.views import views
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.components.published import Components
from quorate.estimate.means.mean import mean_for
from quorate.estimate.means.targets import POPULATION, Target
from quorate.numerics.inference import t_quantile
from quorate.roles import JUDGE


def default_targets(source: Components | Decomposition, asked: Mapping[str, Target]) -> dict[str, Target]:
    """What facets stand for: as asked; judges for others like them where nothing else is asked and the data tell.

    Parameters
    ----------
    source : Components or Decomposition
        What a design is planned from.
    asked : mapping of str to str or Pool
        Targets that were named.
    """
    if not isinstance(source, Decomposition) or JUDGE in asked:
        return dict(asked)
    told = views(source, mean_for(source, asked)).population is not None
    return {**asked, JUDGE: POPULATION} if told else dict(asked)


def half_width(source: Components | Decomposition, targets: Mapping[str, Target]) -> tuple[float, float] | None:
    """Half a 95% interval of the study at hand, and its standard error; None for published components, which have none.

    Parameters
    ----------
    source : Components or Decomposition
    targets : mapping of str to str or Pool
        What each facet stands for.
    """
    if not isinstance(source, Decomposition):
        return None
    mean = mean_for(source, targets)
    return mean.half_width(), mean.se


def standard_errors(source: Components | Decomposition, targets: Mapping[str, Target]) -> float:
    """Standard errors to half a 95% interval: Student's t of the study that was fitted, else 1.96.

    Parameters
    ----------
    source : Components or Decomposition
    targets : mapping of str to str or Pool
        What each facet stands for.
    """
    own = half_width(source, targets)
    return t_quantile(float("inf"), 0.975) if own is None else own[0] / own[1]
