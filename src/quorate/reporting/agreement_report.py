"""What the report on agreement with people says besides its figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.analysis.labels import shown
from quorate.analysis.words import share
from quorate.reporting.agreement_section import agreement_facts, agreement_sections
from quorate.reporting.result_page import SAME_EVERY_TIME, ResultPage, provenance_of, title_of
from quorate.wording import counted

if TYPE_CHECKING:
    from quorate.analysis.agreement import AgreementView
    from quorate.reporting.reproduce import Provenance
    from quorate.reporting.result_page import Table


def agreement_page(view: AgreementView, table: Table | None, origin: Provenance) -> ResultPage:
    """The report on agreement with people.

    Parameters
    ----------
    view : AgreementView
    table : Votes or Judgments, optional
        What judges said.
    origin : Provenance
        Command line, seed and note.
    """
    said = {
        "title": title_of(table, "Agreement with people"),
        "note": origin.note and shown(origin.note, 1000),
        "sentence": shown(view.sentence, 1000),
        "tiles": _tiles(view),
        "caveats": [shown(one.sentence, 1000) for one in view.caveats],
        "methods": methods(view),
        "prompts": [],
        "provenance": provenance_of(table, origin, _seed(view), f"level {view.found.level:g}"),
    }
    return ResultPage(agreement_sections(view), agreement_facts(view), said, view.to_dict())


def methods(view: AgreementView) -> str:
    """The paragraph for a methods section."""
    found = view.found
    how = (
        "Intervals of agreement are exact (Clopper and Pearson, 1934); those of differences are percentiles of a "
        "bootstrap of battles within categories, with McNemar's exact test."
        if found.cluster is None
        else f"Battles are clustered by {shown(found.cluster)}: intervals of agreement are those of Korn and Graubard "
        "(1998), those of differences Student's with cluster-robust standard errors and Satterthwaite's degrees of "
        "freedom (Bell and McCaffrey, 2002)."
    )
    one = (
        f"Judgments of a battle were made one verdict by each of {counted(len(found.ties), 'pipeline')} and compared "
        f"with that of people: overall, where ties count, and on battles that neither calls a tie. {how} Pipelines are "
        "compared on the battles that people and both of them decided."
    )
    parts = [one]
    if view.positions:
        parts.append(
            "Position bias is the share of choices shown first less one half in battles judged in both orders, with "
            "an exact sign-flip test."
        )
    if view.cells is not None:
        parts.append(
            f"Right judgments of {len(view.cells.cells)} cells have intervals by {shown(view.cells.cluster)} (Korn and "
            "Graubard, 1998), and intervals for all cells at once by Bonferroni's inequality."
        )
    return " ".join(parts)


def _seed(view: AgreementView) -> str | None:
    """What is known of the seed; None where nothing was drawn: only differences without clusters are resampled."""
    return SAME_EVERY_TIME if view.found.differences and view.found.cluster is None else None


def _tiles(view: AgreementView) -> list[dict[str, str]]:
    """The few numbers at the top: each with what it is."""
    best = view.best
    name = shown(best.pipeline, 40)
    decisive = view.found.rate(best.pipeline, "decisive")
    tiles = [{"value": share(best.value), "label": f"of {best.n:,} battles decided by {name} as by people"}]
    if decisive.n:
        tiles.append({"value": share(decisive.value), "label": f"of {decisive.n:,} that neither calls a tie"})
    ties, people = view.found.ties[best.pipeline], view.found.human_ties[best.pipeline]
    return [*tiles, {"value": share(ties), "label": f"called a tie, {share(people)} by people"}]
