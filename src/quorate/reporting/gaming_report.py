"""What the report on gaming says besides its figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.analysis.labels import shown
from quorate.analysis.words import significant
from quorate.reporting.gaming_section import gaming_facts, gaming_sections
from quorate.reporting.gaming_tables import unit
from quorate.reporting.result_page import SAME_EVERY_TIME, ResultPage, provenance_of, title_of
from quorate.wording import counted, listed, whole_percent

if TYPE_CHECKING:
    from quorate.decide.gaming.gaming import Gaming
    from quorate.reporting.reproduce import Provenance
    from quorate.reporting.result_page import Table


def gaming_page(found: Gaming, table: Table | None, origin: Provenance) -> ResultPage:
    """The report on what gaming is worth.

    Parameters
    ----------
    found : Gaming
    table : Judgments, optional
        What components were fitted to.
    origin : Provenance
        Command line, seed and note.
    """
    options = f"k {found.k}, level {found.level:g}, scale {found.scale}, redrawn {' '.join(found.redrawn) or 'nothing'}"
    said = {
        "title": title_of(table, "What gaming is worth"),
        "note": origin.note and shown(origin.note, 1000),
        "sentence": shown(found.sentence, 1000),
        "tiles": _tiles(found),
        "caveats": [shown(one.sentence, 1000) for one in found.caveats],
        "methods": methods(found),
        "prompts": [],
        "provenance": provenance_of(table, origin, SAME_EVERY_TIME if _drawn(found) else None, options),
    }
    return ResultPage(gaming_sections(found), gaming_facts(found), said, found.to_dict())


def methods(found: Gaming) -> str:
    """The paragraph for a methods section."""
    redrawn = listed([shown(name) for name in found.redrawn]) if found.redrawn else "replicates only"
    level = f"{100 * found.level:.4g}%"
    sure = f" Intervals ({level}) are from a parametric bootstrap of the variance components." if _drawn(found) else ""
    elo = f" A unit of score is {found.slope:.4g} Elo points." if found.scale == "elo" else ""
    return (
        f"The prize for submitting {found.k:,} times and reporting the best is the standard error of one attempt times "
        f"the mean of the largest of {found.k:,} standard normals, {found.expected:.4f} (by quadrature). What differs "
        f"between attempts: {redrawn}.{elo} Attempts are taken as equally good with independent normal errors, which "
        f"makes the prize an upper bound (Messing, 2026).{sure}"
    )


def _drawn(found: Gaming) -> bool:
    """Whether intervals were drawn: of components without a fit there are none."""
    return any(one.low == one.low for one in found.prizes)


def _tiles(found: Gaming) -> list[dict[str, str]]:
    """The few numbers at the top: each with what it is."""
    first = found.prizes[0]
    least = min(found.prizes, key=lambda one: one.value)
    tiles = [{"value": significant(first.value), "label": f"{unit(found)} to gain with {shown(first.label, 60)}"}]
    if least is not first:
        tiles.append({"value": significant(least.value), "label": f"with {shown(least.label, 60)}"})
    buys = [one for one in found.mitigation if one.reduction > 0]
    if buys:
        share = whole_percent(buys[0].reduction / first.value)
        calls = counted(buys[0].more_calls, "more call") if buys[0].more_calls > 0 else "no more calls"
        tiles.append({"value": f"-{share}", "label": f"by {shown(buys[0].label, 60)}, for {calls}"})
    return tiles
