"""What the report on agreement with people says besides its figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.analysis.agreement import AgreementView
from quorate.analysis.labels import shown
from quorate.analysis.words import share
from quorate.reporting.agreement_section import agreement_facts, agreement_sections
from quorate.reporting.page import SAME_EVERY_TIME, Page, Tile, source_of, title_of
from quorate.wording import counted

if TYPE_CHECKING:
    from quorate.estimate.agreement.agreement import Agreement
    from quorate.reporting.page import Table


def page(result: Agreement | AgreementView, table: Table | None = None) -> Page:
    """The page on agreement with people.

    Parameters
    ----------
    result : Agreement or AgreementView
    table : Votes or Judgments, optional
        What judges said.
    """
    view = result if isinstance(result, AgreementView) else AgreementView(result)
    return Page(
        title=title_of(table, "Agreement with people"),
        sentence=view.sentence,
        sections=agreement_sections(view),
        facts=agreement_facts(view),
        methods=methods(view),
        content=view.to_dict(),
        caveats=tuple(one.sentence for one in view.caveats),
        tiles=_tiles(view),
        source=source_of(table),
        options=f"level {view.found.level:g}",
        seed=_seed(view),
    )


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


def _tiles(view: AgreementView) -> tuple[Tile, ...]:
    """The few numbers at the top: each with what it is."""
    best = view.best
    name = shown(best.pipeline, 40)
    decisive = view.found.rate(best.pipeline, "decisive")
    tiles = [Tile(share(best.value), f"of {best.n:,} battles decided by {name} as by people")]
    if decisive.n:
        tiles.append(Tile(share(decisive.value), f"of {decisive.n:,} that neither calls a tie"))
    ties, people = view.found.ties[best.pipeline], view.found.human_ties[best.pipeline]
    return (*tiles, Tile(share(ties), f"called a tie, {share(people)} by people"))
