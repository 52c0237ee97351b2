"""The page of a ranking, a verdict or a gaming surface."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from quorate.decide.gaming import Gaming
from quorate.decide.outcome import AnyVerdict
from quorate.estimate.leaderboard import Leaderboard
from quorate.estimate.ratings_result import Ratings
from quorate.report.gaming_report import gaming_page
from quorate.report.ratings_report import ratings_page
from quorate.report.ratings_view import RatingsView
from quorate.report.verdict_report import verdict_page

if TYPE_CHECKING:
    from quorate.report.reproduce import Provenance
    from quorate.report.result_page import ResultPage
    from quorate.table.judgments import Judgments
    from quorate.table.votes import Votes

    Result = Ratings | Leaderboard | AnyVerdict | Gaming

RESULTS = (Ratings, Leaderboard, AnyVerdict, Gaming)


@dataclass(frozen=True, eq=False)
class Sourced:
    """A result with the table that it came from, which the report then names.

    Parameters
    ----------
    result : Ratings, Leaderboard, Verdict, ScoreVerdict or Gaming
    table : Votes or Judgments
    """

    result: Result
    table: Votes | Judgments


def page_of(result: Result | Sourced, origin: Provenance) -> ResultPage:
    """The report of a result.

    Parameters
    ----------
    result : Ratings, Leaderboard, Verdict, ScoreVerdict or Gaming; or one of them with its table
    origin : Provenance
        Command line, seed and note.
    """
    found, table = (result.result, result.table) if isinstance(result, Sourced) else (result, None)
    if isinstance(found, (Ratings, Leaderboard)):
        return ratings_page(RatingsView(found, table), origin)
    if isinstance(found, Gaming):
        return gaming_page(found, table, origin)
    return verdict_page(found, table, origin)
