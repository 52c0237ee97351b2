"""`quorate export --tasks`: questions to people as tasks of Label Studio."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from quorate.cli.collect.quoting import StudyFile
from quorate.cli.console import say, table
from quorate.cli.options import Output, command

if TYPE_CHECKING:
    from rich.console import Console

    from quorate.study.label_studio import AnnotationTasks


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
    from quorate.study.label_studio import annotation_tasks as written_to

    out.typeset(written_to(study, folder), show)
    return 0


def show(out: Console, written: AnnotationTasks) -> None:
    """Print what was written."""
    say(out, written.sentence)
    table(out, {"file": "left", "tasks": "right"}, [(name, f"{count:,}") for name, count in written.tasks.items()])
