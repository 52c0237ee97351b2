"""`quorate export --tasks` and `import`: questions to people as tasks of Label Studio, and their answers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from quorate.cli.asking import StudyFile
from quorate.cli.console import say, table
from quorate.cli.options import Output, command

if TYPE_CHECKING:
    from rich.console import Console

    from quorate.study.people import AnnotationTasks


@command
def annotation_tasks(
    study: StudyFile,
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", writable=True, help="Folder of the files, made if there is none.")
    ],
    *,
    out: Output,
) -> int:
    """Questions to people as tasks of Label Studio.

    A file of tasks for each person, and the labelling interface; quorate import records the answers.
    """
    from quorate.study.people import annotation_tasks as written_to

    out.typeset(written_to(study, folder), show)
    return 0


def show(out: Console, written: AnnotationTasks) -> None:
    """Print what was written."""
    say(out, written.sentence)
    table(out, {"file": "left", "tasks": "right"}, [(name, f"{count:,}") for name, count in written.tasks.items()])


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
    from quorate.study.people import take_annotations as taken_from

    out.typeset(taken_from(study, source), lambda console, taken: say(console, taken.sentence))
    return 0
