"""`quorate plan --design`: what another design would give."""

from __future__ import annotations

from typing import Annotated, Any

from quorate.cli.options import (
    LINKED,
    Declared,
    Files,
    Output,
    Prices,
    ScoreReading,
    SourceFile,
    command,
    of,
    only,
    planned_source,
    table_of,
)

OWN = of("quorate.planning.designs.dstudy:project")


@command
def project(
    file: SourceFile,
    own: Annotated[Declared, OWN],
    prices: Annotated[Prices, only("price")],
    fit: Annotated[Declared, LINKED],
    reading: ScoreReading,
    files: Files,
    out: Output,
) -> int:
    """What another design would give, and what it would cost.

    Without a design: what a few changes to the one at hand would give.
    """
    from quorate.analysis.designs import Changes
    from quorate.estimate.components.decomposition import Decomposition
    from quorate.estimate.components.published import Components
    from quorate.estimate.differences.difference import SystemDifference
    from quorate.planning.search.whatif import as_it_is, what_if
    from quorate.reporting.pages.designs import at_hand

    asked = own.value("targets") or {}
    fitted = planned_source(file, reading, fit, asked)
    options: dict[str, Any] = {"targets": None if isinstance(fitted, SystemDifference) else asked}
    options |= {"prices": prices.prices()}
    judgments, proposed = table_of(fitted), {*own.given()} - {"targets"}
    if isinstance(fitted, (Decomposition, SystemDifference)) and not proposed:
        found = Changes(what_if(fitted, **options))
        out.show(found, files, judgments, plain=[change.to_dict() for change in found.what_if])
        return 0
    planned = own(fitted, **options)
    listed = not (isinstance(fitted, SystemDifference) and fitted.method != "paired")
    now = at_hand(as_it_is(fitted, **options), planned) if listed and not isinstance(fitted, Components) else ()
    out.show(planned, files, judgments, also=now)
    return 0
