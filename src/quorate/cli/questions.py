"""Commands that need no code of their own: a file is read, a public function called, its answer shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from quorate.cli.options import (
    MODEL,
    Declared,
    File,
    Files,
    Output,
    Reading,
    ScoreReading,
    ScoresFile,
    VoteReading,
    VotesFile,
    command,
    of,
)
from quorate.cli.options.declared import functions


def command_of(function: str, says: str) -> Callable[..., int]:
    """The command that calls a function, with the file and the options of reading that its first argument takes."""
    takes, more = (functions()[function][name] for name in ("takes", "more"))
    place, how = {"Votes": (VotesFile, VoteReading), "Judgments or Votes": (File, Reading)}.get(
        takes, (ScoresFile, ScoreReading)
    )
    options: Any = of(function)

    def of_nothing(own: Any, files: Files, out: Output) -> int:
        return shown(own, own(), None, files, out)

    def of_table(file: Any, own: Any, reading: Any, files: Files, out: Output) -> int:
        covariates = {"covariates": own.value("covariates")} if "covariates" in own.given() else {}
        if how is ScoreReading:
            table = reading.judgments(file)
        else:
            table = reading.votes(file, **covariates) if how is VoteReading else reading.table(file, own, **covariates)
        return shown(own, own(table), table, files, out)

    def of_fit(file: Any, own: Any, fit: Annotated[Declared, MODEL], reading: Any, files: Files, out: Output) -> int:
        judgments = reading.judgments(file)
        return shown(own, own(fit(judgments)), judgments, files, out)

    run = of_fit if "Decomposition" in takes else of_table if takes else of_nothing
    run.__annotations__ |= {"file": place, "own": options, "reading": how} if takes else {"own": options}
    run.__doc__ = f"{says}\n\n{more}"
    return command(run)


def shown(own: Declared, found: Any, table: Any, files: Files, out: Output) -> int:
    """Show an answer, and say by the exit code what it found."""
    out.show(found, files, table, seed=getattr(own, "seed", getattr(own, "rng", None)))
    return int(getattr(found, "exit_code", 0))
