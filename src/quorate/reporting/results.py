"""The page of a ranking, a verdict, an agreement, pipelines of judges or a gaming surface."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from quorate.analysis.agreement import AgreementView
from quorate.analysis.ratings import RatingsView
from quorate.decide.gaming.gaming import Gaming
from quorate.decide.outcome import AnyVerdict
from quorate.estimate.agreement.agreement import Agreement
from quorate.estimate.ratings.leaderboard import Leaderboard
from quorate.estimate.ratings.ratings import Ratings
from quorate.reporting.agreement_report import agreement_page
from quorate.reporting.gaming_report import gaming_page
from quorate.reporting.pipelines_report import pipelines_page
from quorate.reporting.ratings_report import ratings_page
from quorate.reporting.verdict_report import verdict_page
from quorate.simulate.pipelines.result import Pipelines

if TYPE_CHECKING:
    from quorate.reporting.reproduce import Provenance
    from quorate.reporting.result_page import ResultPage
    from quorate.table.judgments import Judgments
    from quorate.table.votes import Votes

    Result = Ratings | Leaderboard | AnyVerdict | Gaming | Agreement | AgreementView | Pipelines

RESULTS = (Ratings, Leaderboard, AnyVerdict, Gaming, Agreement, AgreementView, Pipelines)


@dataclass(frozen=True, eq=False)
class Sourced:
    """A result with the table that it came from, which the report then names.

    Parameters
    ----------
    result : Ratings, Leaderboard, Verdict, ScoreVerdict, Gaming, Agreement, AgreementView or Pipelines
    table : Votes or Judgments
    """

    result: Result
    table: Votes | Judgments


def page_of(result: Result | Sourced, origin: Provenance) -> ResultPage:
    """The report of a result.

    Parameters
    ----------
    result : Ratings, Leaderboard, Verdict, ScoreVerdict, Gaming, Agreement, AgreementView or Pipelines
        Or one of them with its table.
    origin : Provenance
        Command line, seed and note.
    """
    found, table = (result.result, result.table) if isinstance(result, Sourced) else (result, None)
    if isinstance(found, (Ratings, Leaderboard)):
        return ratings_page(RatingsView(found, table), origin)
    if isinstance(found, Gaming):
        return gaming_page(found, table, origin)
    if isinstance(found, (Agreement, AgreementView)):
        view = found if isinstance(found, AgreementView) else AgreementView(found)
        return agreement_page(view, table, origin)
    if isinstance(found, Pipelines):
        return pipelines_page(found, table, origin)
    return verdict_page(found, table, origin)
