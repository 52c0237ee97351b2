"""Types of what public functions return, for annotations and for ``isinstance``.

Each loads its module when it is first used.

Examples
--------
>>> from quorate.types import Estimate
>>> Estimate.__name__
'Estimate'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.lazily import lazily

if TYPE_CHECKING:
    from quorate.analysis.certify import Certificate as Certificate
    from quorate.analysis.certify import Certified as Certified
    from quorate.analysis.goals.path import GoalPath as GoalPath
    from quorate.analysis.goals.quote import GoalQuote as GoalQuote
    from quorate.analysis.interim import Interim as Interim
    from quorate.analysis.judgments import Analysis as Analysis
    from quorate.analysis.votes import PairAnalysis as PairAnalysis
    from quorate.analysis.votes import VotesAnalysis as VotesAnalysis
    from quorate.caveats import Caveat as Caveat
    from quorate.decide.all_pairs import AllPairs as AllPairs
    from quorate.decide.effect import BarPlan as BarPlan
    from quorate.decide.effect import EffectPlan as EffectPlan
    from quorate.decide.gaming import Gaming as Gaming
    from quorate.decide.gaming import Prize as Prize
    from quorate.decide.same import SameDifference as SameDifference
    from quorate.decide.scores import ScoreStep as ScoreStep
    from quorate.decide.scores import ScoreVerdict as ScoreVerdict
    from quorate.decide.stop import Monitor as Monitor
    from quorate.decide.stop import Standings as Standings
    from quorate.decide.stop import StoppingRule as StoppingRule
    from quorate.decide.votes import Verdict as Verdict
    from quorate.estimate.agents.chain import Chain as Chain
    from quorate.estimate.agents.chain import Link as Link
    from quorate.estimate.agents.ensemble import Ensemble as Ensemble
    from quorate.estimate.agents.hazard import Hazard as Hazard
    from quorate.estimate.agents.hazard import Turn as Turn
    from quorate.estimate.agents.runs import Flip as Flip
    from quorate.estimate.agents.runs import Passing as Passing
    from quorate.estimate.agents.runs import RepeatedRuns as RepeatedRuns
    from quorate.estimate.agents.runs import SystemRuns as SystemRuns
    from quorate.estimate.agreement.against import Against as Against
    from quorate.estimate.agreement.agreement import Agreement as Agreement
    from quorate.estimate.agreement.coefficients import Alpha as Alpha
    from quorate.estimate.agreement.coefficients import Icc as Icc
    from quorate.estimate.agreement.leaderboards import Accuracy as Accuracy
    from quorate.estimate.agreement.mark_gaps import AgainstMarks as AgainstMarks
    from quorate.estimate.agreement.prediction_powered import Corrected as Corrected
    from quorate.estimate.agreement.yardsticks import AltTest as AltTest
    from quorate.estimate.agreement.yardsticks import Stood as Stood
    from quorate.estimate.components.decomposition import Decomposition as Decomposition
    from quorate.estimate.components.dependability import Dependability as Dependability
    from quorate.estimate.components.latent import LatentComponent as LatentComponent
    from quorate.estimate.components.latent import LatentDecomposition as LatentDecomposition
    from quorate.estimate.components.latent import LatentMean as LatentMean
    from quorate.estimate.components.model import Component as Component
    from quorate.estimate.components.published import Components as Components
    from quorate.estimate.components.robustness import Part as Part
    from quorate.estimate.diagnostics.check import Check as Check
    from quorate.estimate.diagnostics.diagnose import Diagnosis as Diagnosis
    from quorate.estimate.doctor.support import Proposal as Proposal
    from quorate.estimate.doctor.support import Support as Support
    from quorate.estimate.doctor.support import VotesSupport as VotesSupport
    from quorate.estimate.means.baseline import AgainstBaseline as AgainstBaseline
    from quorate.estimate.means.baseline import Beginning as Beginning
    from quorate.estimate.means.effects import LevelEffect as LevelEffect
    from quorate.estimate.means.flags import Flags as Flags
    from quorate.estimate.means.mean import Estimate as Estimate
    from quorate.estimate.means.mean_from import MeanFrom as MeanFrom
    from quorate.estimate.means.mean_from import Shared as Shared
    from quorate.estimate.means.missing_bounds import AllEqual as AllEqual
    from quorate.estimate.means.missing_bounds import LevelBounds as LevelBounds
    from quorate.estimate.means.missing_bounds import MissingBounds as MissingBounds
    from quorate.estimate.means.targets import Pool as Pool
    from quorate.estimate.nominal import LabelPanel as LabelPanel
    from quorate.estimate.nominal import Labels as Labels
    from quorate.estimate.posterior.check import PosteriorCheck as PosteriorCheck
    from quorate.estimate.posterior.latent import LatentPosterior as LatentPosterior
    from quorate.estimate.posterior.latent import Posterior as Posterior
    from quorate.estimate.posterior.prior import Law as Law
    from quorate.estimate.posterior.result import Convergence as Convergence
    from quorate.estimate.posterior.result import DrawnMean as DrawnMean
    from quorate.estimate.posterior.result import PosteriorComponent as PosteriorComponent
    from quorate.estimate.posterior.result import PosteriorMean as PosteriorMean
    from quorate.estimate.posterior.result import Reweighted as Reweighted
    from quorate.estimate.posterior.result import Sensitivity as Sensitivity
    from quorate.estimate.ratings.categories import Boards as Boards
    from quorate.estimate.ratings.categories import PooledRatings as PooledRatings
    from quorate.estimate.ratings.corrected_board import CorrectedRatings as CorrectedRatings
    from quorate.estimate.ratings.fragility import DroppedVotes as DroppedVotes
    from quorate.estimate.ratings.fragility import Fragility as Fragility
    from quorate.estimate.ratings.leaderboard import Leaderboard as Leaderboard
    from quorate.estimate.ratings.models import Models as Models
    from quorate.estimate.ratings.moves import Moves as Moves
    from quorate.estimate.ratings.ranked import Neighbours as Neighbours
    from quorate.estimate.ratings.ratings import Ratings as Ratings
    from quorate.estimate.regression.regress import Coefficient as Coefficient
    from quorate.estimate.regression.regress import Regression as Regression
    from quorate.estimate.regression.surrogate import SignFlip as SignFlip
    from quorate.estimate.regression.surrogate import Surrogate as Surrogate
    from quorate.estimate.votes.signals import OneVoteEach as OneVoteEach
    from quorate.estimate.votes.signals import RateVariance as RateVariance
    from quorate.estimate.votes.stability import TieSensitivity as TieSensitivity
    from quorate.planning.assignment import Assignment as Assignment
    from quorate.planning.battles import BattleSample as BattleSample
    from quorate.planning.battles import NextBattles as NextBattles
    from quorate.planning.designs.dstudy import Projection as Projection
    from quorate.planning.labels_plan import BoardPlan as BoardPlan
    from quorate.planning.labels_plan import LabelsPlan as LabelsPlan
    from quorate.planning.naive import Naive as Naive
    from quorate.planning.panel.panel import Panel as Panel
    from quorate.planning.panel.screening import Screening as Screening
    from quorate.planning.policy import Policy as Policy
    from quorate.planning.power.clusters import Clustered as Clustered
    from quorate.planning.power.detectability import Detectability as Detectability
    from quorate.planning.power.pilot import Feasibility as Feasibility
    from quorate.planning.power.prompt_types import Concentration as Concentration
    from quorate.planning.power.protocols import Protocols as Protocols
    from quorate.planning.power.sample_size import PowerCurve as PowerCurve
    from quorate.planning.power.votes_plan import Borrowed as Borrowed
    from quorate.planning.power.votes_plan import VotesPlan as VotesPlan
    from quorate.planning.search.optimum import Optimum as Optimum
    from quorate.reporting.paper.writeup import Writeup as Writeup
    from quorate.reproduction.comparison import Compared as Compared
    from quorate.reproduction.comparison import Ran as Ran
    from quorate.reproduction.comparison import Reproduction as Reproduction
    from quorate.reproduction.study import Drawing as Drawing
    from quorate.simulate.allocation.result import Allocation as Allocation
    from quorate.simulate.pipelines.result import Pipelines as Pipelines
    from quorate.simulate.validate import PlanRun as PlanRun
    from quorate.simulate.validate import Validated as Validated
    from quorate.study.people import AnnotationTasks as AnnotationTasks
    from quorate.study.people import TakenAnnotations as TakenAnnotations
    from quorate.study.status import Status as Status
    from quorate.study.variants import Variants as Variants
    from quorate.table.cells import Cells as Cells
    from quorate.table.judgments import Judgments as Judgments
    from quorate.table.measured import Measures as Measures
    from quorate.table.progress import Progress as Progress
    from quorate.table.results import Written as Written
    from quorate.table.votes import Votes as Votes

__all__, __getattr__, __dir__ = lazily(__name__)
