"""Honest error bars for evaluations scored by judges, and what to buy next.

Names load their module when they are first used, so that ``import quorate`` costs next to nothing. Stages are verbs
(`read`, `decompose`, `project`, `compare`, `report`), statistics are nouns (`effects`, `agreement`, `alpha`); the types
of what they return are in `quorate.types`, simulators in `quorate.simulate`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quorate.analysis.analyze import analyze as analyze
    from quorate.analysis.certificates.certify import certify as certify
    from quorate.analysis.goals.quote import quote as quote
    from quorate.analysis.interim.interim import interim as interim
    from quorate.analysis.nominal import labels as labels
    from quorate.decide.all_pairs import compare_all as compare_all
    from quorate.decide.compare import compare as compare
    from quorate.decide.gaming.gaming import gaming as gaming
    from quorate.decide.gaming.resampled import resampled_prize as resampled_prize
    from quorate.decide.standings import monitor_all as monitor_all
    from quorate.decide.stop import monitor as monitor
    from quorate.decide.stop import stopping_rule as stopping_rule
    from quorate.errors import InvalidData as InvalidData
    from quorate.errors import InvalidInput as InvalidInput
    from quorate.errors import NotConverged as NotConverged
    from quorate.errors import NotEstimable as NotEstimable
    from quorate.errors import QuorateError as QuorateError
    from quorate.errors import UnknownColumn as UnknownColumn
    from quorate.errors import UnknownTerm as UnknownTerm
    from quorate.estimate.agents.chain import chain as chain
    from quorate.estimate.agents.ensemble import ensemble as ensemble
    from quorate.estimate.agents.hazard import hazard as hazard
    from quorate.estimate.agents.runs import repeated_runs as repeated_runs
    from quorate.estimate.agreement.accuracy import accuracy as accuracy
    from quorate.estimate.agreement.against import against as against
    from quorate.estimate.agreement.agreement import agreement as agreement
    from quorate.estimate.agreement.alt_test import alt_test as alt_test
    from quorate.estimate.agreement.coefficients import alpha as alpha
    from quorate.estimate.agreement.coefficients import icc as icc
    from quorate.estimate.agreement.labelled import beside as beside
    from quorate.estimate.agreement.prediction_powered import corrected as corrected
    from quorate.estimate.components.decompose import decompose as decompose
    from quorate.estimate.components.dependability import dependability as dependability
    from quorate.estimate.components.published import components as components
    from quorate.estimate.components.robustness import by_level as by_level
    from quorate.estimate.components.robustness import leave_one_out as leave_one_out
    from quorate.estimate.diagnostics.diagnose import diagnose as diagnose
    from quorate.estimate.doctor.propose import propose as propose
    from quorate.estimate.doctor.support import doctor as doctor
    from quorate.estimate.labelled.corrected_ratings import corrected_ratings as corrected_ratings
    from quorate.estimate.means.effects import effects as effects
    from quorate.estimate.means.flags import flags as flags
    from quorate.estimate.means.mean_from import mean_from as mean_from
    from quorate.estimate.means.missing_bounds import missing_bounds as missing_bounds
    from quorate.estimate.means.targets import pool as pool
    from quorate.estimate.posterior.check import check_posterior as check_posterior
    from quorate.estimate.posterior.posterior import posterior as posterior
    from quorate.estimate.ratings.fragile.fragility import fragility as fragility
    from quorate.estimate.ratings.models import models as models
    from quorate.estimate.ratings.rank import rank as rank
    from quorate.estimate.regression.regress import regress as regress
    from quorate.estimate.regression.sign_flip import sign_flip as sign_flip
    from quorate.estimate.regression.surrogate import surrogate as surrogate
    from quorate.estimate.votes.prompts import one_vote_each as one_vote_each
    from quorate.estimate.votes.prompts import rate_variance as rate_variance
    from quorate.estimate.votes.ties import tie_sensitivity as tie_sensitivity
    from quorate.plan.adaptive.adaptive import adaptive as adaptive
    from quorate.plan.assign import assign as assign
    from quorate.plan.battles import sample_battles as sample_battles
    from quorate.plan.designs.dstudy import project as project
    from quorate.plan.labels.board_plan import plan_board_labels as plan_board_labels
    from quorate.plan.labels.plan_labels import plan_labels as plan_labels
    from quorate.plan.naive import naive as naive
    from quorate.plan.next_battles import next_battles as next_battles
    from quorate.plan.panel.panel import panel as panel
    from quorate.plan.panel.screening import screen as screen
    from quorate.plan.power.clusters import clustered_sample_size as clustered_sample_size
    from quorate.plan.power.concentration import concentration as concentration
    from quorate.plan.power.detectability import detectability as detectability
    from quorate.plan.power.equivalence import equivalence_size as equivalence_size
    from quorate.plan.power.pilot import feasibility as feasibility
    from quorate.plan.power.protocols import protocols as protocols
    from quorate.plan.power.sample_size import detectable_margin as detectable_margin
    from quorate.plan.power.sample_size import least_judgments as least_judgments
    from quorate.plan.power.sample_size import power_curve as power_curve
    from quorate.plan.power.sample_size import sample_size as sample_size
    from quorate.plan.power.votes_plan import plan_votes as plan_votes
    from quorate.plan.search.optimize import optimize as optimize
    from quorate.reporting.exports.export import export as export
    from quorate.reporting.paper.writeup import writeup as writeup
    from quorate.reporting.report import report as report
    from quorate.reproduction.reproduce import reproduce as reproduce
    from quorate.simulate.allocation.allocation import simulate_allocation as simulate_allocation
    from quorate.simulate.pipelines.pipelines import pipelines as pipelines
    from quorate.simulate.validate import validate as validate
    from quorate.study.label_studio import annotation_tasks as annotation_tasks
    from quorate.study.label_studio import take_annotations as take_annotations
    from quorate.study.loop import run as run
    from quorate.study.status import status as status
    from quorate.study.variants.variants import variants as variants
    from quorate.table.judgments import Judgments as Judgments
    from quorate.table.progress import Progress as Progress
    from quorate.table.read import read as read
    from quorate.table.read_votes import read_votes as read_votes
    from quorate.table.votes import Votes as Votes
    from quorate.waiting import watched as watched
    from quorate.web.serve import serve as serve

    __version__: str

_HOMES = {
    "InvalidData": "quorate.errors",
    "InvalidInput": "quorate.errors",
    "Judgments": "quorate.table.judgments",
    "NotConverged": "quorate.errors",
    "NotEstimable": "quorate.errors",
    "Progress": "quorate.table.progress",
    "QuorateError": "quorate.errors",
    "UnknownColumn": "quorate.errors",
    "UnknownTerm": "quorate.errors",
    "Votes": "quorate.table.votes",
    "accuracy": "quorate.estimate.agreement.accuracy",
    "adaptive": "quorate.plan.adaptive.adaptive",
    "against": "quorate.estimate.agreement.against",
    "agreement": "quorate.estimate.agreement.agreement",
    "alpha": "quorate.estimate.agreement.coefficients",
    "alt_test": "quorate.estimate.agreement.alt_test",
    "analyze": "quorate.analysis.analyze",
    "annotation_tasks": "quorate.study.label_studio",
    "assign": "quorate.plan.assign",
    "beside": "quorate.estimate.agreement.labelled",
    "by_level": "quorate.estimate.components.robustness",
    "check_posterior": "quorate.estimate.posterior.check",
    "certify": "quorate.analysis.certificates.certify",
    "chain": "quorate.estimate.agents.chain",
    "clustered_sample_size": "quorate.plan.power.clusters",
    "compare": "quorate.decide.compare",
    "compare_all": "quorate.decide.all_pairs",
    "components": "quorate.estimate.components.published",
    "concentration": "quorate.plan.power.concentration",
    "corrected": "quorate.estimate.agreement.prediction_powered",
    "corrected_ratings": "quorate.estimate.labelled.corrected_ratings",
    "decompose": "quorate.estimate.components.decompose",
    "dependability": "quorate.estimate.components.dependability",
    "detectability": "quorate.plan.power.detectability",
    "detectable_margin": "quorate.plan.power.sample_size",
    "diagnose": "quorate.estimate.diagnostics.diagnose",
    "doctor": "quorate.estimate.doctor.support",
    "effects": "quorate.estimate.means.effects",
    "ensemble": "quorate.estimate.agents.ensemble",
    "equivalence_size": "quorate.plan.power.equivalence",
    "feasibility": "quorate.plan.power.pilot",
    "flags": "quorate.estimate.means.flags",
    "fragility": "quorate.estimate.ratings.fragile.fragility",
    "gaming": "quorate.decide.gaming.gaming",
    "hazard": "quorate.estimate.agents.hazard",
    "icc": "quorate.estimate.agreement.coefficients",
    "interim": "quorate.analysis.interim.interim",
    "labels": "quorate.analysis.nominal",
    "least_judgments": "quorate.plan.power.sample_size",
    "leave_one_out": "quorate.estimate.components.robustness",
    "mean_from": "quorate.estimate.means.mean_from",
    "missing_bounds": "quorate.estimate.means.missing_bounds",
    "models": "quorate.estimate.ratings.models",
    "monitor": "quorate.decide.stop",
    "monitor_all": "quorate.decide.standings",
    "naive": "quorate.plan.naive",
    "next_battles": "quorate.plan.next_battles",
    "one_vote_each": "quorate.estimate.votes.prompts",
    "optimize": "quorate.plan.search.optimize",
    "panel": "quorate.plan.panel.panel",
    "pipelines": "quorate.simulate.pipelines.pipelines",
    "plan_board_labels": "quorate.plan.labels.board_plan",
    "plan_labels": "quorate.plan.labels.plan_labels",
    "plan_votes": "quorate.plan.power.votes_plan",
    "pool": "quorate.estimate.means.targets",
    "posterior": "quorate.estimate.posterior.posterior",
    "power_curve": "quorate.plan.power.sample_size",
    "project": "quorate.plan.designs.dstudy",
    "propose": "quorate.estimate.doctor.propose",
    "protocols": "quorate.plan.power.protocols",
    "quote": "quorate.analysis.goals.quote",
    "rank": "quorate.estimate.ratings.rank",
    "rate_variance": "quorate.estimate.votes.prompts",
    "read": "quorate.table.read",
    "read_votes": "quorate.table.read_votes",
    "regress": "quorate.estimate.regression.regress",
    "repeated_runs": "quorate.estimate.agents.runs",
    "report": "quorate.reporting.report",
    "reproduce": "quorate.reproduction.reproduce",
    "resampled_prize": "quorate.decide.gaming.resampled",
    "run": "quorate.study.loop",
    "sample_battles": "quorate.plan.battles",
    "sample_size": "quorate.plan.power.sample_size",
    "screen": "quorate.plan.panel.screening",
    "serve": "quorate.web.serve",
    "sign_flip": "quorate.estimate.regression.sign_flip",
    "simulate_allocation": "quorate.simulate.allocation.allocation",
    "status": "quorate.study.status",
    "stopping_rule": "quorate.decide.stop",
    "surrogate": "quorate.estimate.regression.surrogate",
    "take_annotations": "quorate.study.label_studio",
    "tie_sensitivity": "quorate.estimate.votes.ties",
    "validate": "quorate.simulate.validate",
    "variants": "quorate.study.variants.variants",
    "export": "quorate.reporting.exports.export",
    "writeup": "quorate.reporting.paper.writeup",
    "watched": "quorate.waiting",
}

_RENAMED = {
    "clustered": "clustered_sample_size",
    "plan_from_pilot": "feasibility",
}
"""Names that were changed in this release and go with the next."""

__all__ = ["__version__", *_HOMES]  # noqa: PLE0604  (the keys are strings)


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        return version("quorate")
    if name in _RENAMED:
        from warnings import warn

        warn(f"quorate.{name} is called quorate.{_RENAMED[name]} now", DeprecationWarning, stacklevel=2)
        name = _RENAMED[name]
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
