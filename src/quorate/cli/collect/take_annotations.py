"""`quorate import`: annotations of Label Studio as the answers of people."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from quorate.cli.collect.quoting import StudyFile
from quorate.cli.console import say
from quorate.cli.options import Output, command


@command
def take_annotations(
    study: StudyFile,
    source: Annotated[Path, typer.Argument(metavar="FILE", help="Export of Label Studio: JSON, JSON_MIN or CSV.")],
    *,
    out: Output,
) -> int:
    """Annotations of Label Studio as the answers of people.

    Of tasks that quorate export --tasks wrote, in the study's ledger. Take an export as often as there is more in it.
    """
    from quorate.study.label_studio import take_annotations as taken_from

    out.typeset(taken_from(study, source), lambda console, taken: say(console, taken.sentence))
    return 0
