"""`quorate status --interim`: what a study says that is still being filled."""

from __future__ import annotations

from quorate.cli.collect.quoting import INCOMPLETE, StudyFile
from quorate.cli.options import Files, Level, Output, command


@command
def interim(study: StudyFile, level: Level = 0.95, *, files: Files, out: Output) -> int:
    """What a study says so far, while people or models still answer.

    The estimate as answers came in, with an interval to watch and one to decide by, whenever you stop; where its
    uncertainty comes from, what to buy next, and how alike judges answer. Asks nothing. Exit codes as for quorate
    status: 0 all cells are answered or given up; 2 some are left; 1 failed to run.
    """
    from quorate.analysis.interim.interim import interim as found_in

    found = found_in(study, level=level)
    out.show(found, files)
    return 0 if found.status.complete else INCOMPLETE
