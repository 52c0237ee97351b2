"""Scores in depth: parts of a fit, posteriors, surrogate labels, and what-ifs beyond one design.

Names load their module when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.lazily import lazily

if TYPE_CHECKING:
    from quorate.decide.effect import plan_bar as plan_bar
    from quorate.decide.effect import plan_effect as plan_effect
    from quorate.decide.effect import plan_study as plan_study
    from quorate.decide.gaming import gaming as gaming
    from quorate.estimate.components.dependability import dependability as dependability
    from quorate.estimate.components.robustness import by_level as by_level
    from quorate.estimate.components.robustness import leave_one_out as leave_one_out
    from quorate.estimate.means.baseline import against_baseline as against_baseline
    from quorate.estimate.means.effects import effects as effects
    from quorate.estimate.means.flags import flags as flags
    from quorate.estimate.means.mean_from import mean_from as mean_from
    from quorate.estimate.means.missing_bounds import missing_bounds as missing_bounds
    from quorate.estimate.nominal import labels as labels
    from quorate.estimate.posterior.check import check_posterior as check_posterior
    from quorate.estimate.posterior.posterior import posterior as posterior
    from quorate.estimate.regression.surrogate import sign_flip as sign_flip
    from quorate.estimate.regression.surrogate import surrogate as surrogate
    from quorate.planning.adaptive import adaptive as adaptive
    from quorate.planning.naive import naive as naive
    from quorate.planning.panel.screening import screen as screen
    from quorate.simulate.allocation.allocation import simulate_allocation as simulate_allocation
    from quorate.simulate.pipelines.pipelines import pipelines as pipelines
    from quorate.simulate.validate import validate as validate

__all__, __getattr__, __dir__ = lazily(__name__)
