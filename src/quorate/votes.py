"""Votes: verdicts on many pairs, models of ratings, and how many votes a margin takes.

Names load their module when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.lazily import lazily

if TYPE_CHECKING:
    from quorate.decide.stop import monitor as monitor
    from quorate.decide.stop import monitor_all as monitor_all
    from quorate.decide.stop import stopping_rule as stopping_rule
    from quorate.estimate.ratings.fragility import fragility as fragility
    from quorate.estimate.ratings.models import models as models
    from quorate.estimate.votes.signals import one_vote_each as one_vote_each
    from quorate.estimate.votes.signals import rate_variance as rate_variance
    from quorate.estimate.votes.stability import tie_sensitivity as tie_sensitivity
    from quorate.planning.battles import next_battles as next_battles
    from quorate.planning.battles import sample_battles as sample_battles
    from quorate.planning.power.clusters import clustered_sample_size as clustered_sample_size
    from quorate.planning.power.detectability import detectability as detectability
    from quorate.planning.power.pilot import feasibility as feasibility
    from quorate.planning.power.prompt_types import concentration as concentration
    from quorate.planning.power.protocols import protocols as protocols
    from quorate.planning.power.sample_size import detectable_margin as detectable_margin
    from quorate.planning.power.sample_size import equivalence_size as equivalence_size
    from quorate.planning.power.sample_size import least_judgments as least_judgments
    from quorate.planning.power.sample_size import power_curve as power_curve
    from quorate.planning.power.sample_size import sample_size as sample_size
    from quorate.planning.power.votes_plan import plan_votes as plan_votes

__all__, __getattr__, __dir__ = lazily(__name__)
