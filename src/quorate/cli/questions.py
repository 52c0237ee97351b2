"""Commands that need no code of their own: a file is read, a public function called, its answer shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from quorate.cli import options
from quorate.cli.options import command, of
from quorate.cli.options.declared import functions


def command_of(function: str, says: str) -> Callable[..., int]:
    """The command that calls a function, with the file and the options of reading that its first argument takes."""
    takes, more = (functions()[function][name] for name in ("takes", "more"))
    place, how = {
        "Votes": (options.VotesFile, options.VoteReading),
        "Judgments or Votes": (options.File, options.Reading),
    }.get(takes, (options.ScoresFile, options.ScoreReading))
    declared: Any = of(function)

    def of_nothing(own: Any, files: options.Files, out: options.Output) -> int:
        return shown(own, own(), None, files, out)

    def of_table(file: Any, own: Any, reading: Any, files: options.Files, out: options.Output) -> int:
        covariates = {"covariates": own.value("covariates")} if "covariates" in own.given() else {}
        if how is options.ScoreReading:
            table = reading.judgments(file)
        else:
            table = (
                reading.votes(file, **covariates)
                if how is options.VoteReading
                else reading.table(file, own, **covariates)
            )
        return shown(own, own(table), table, files, out)

    def of_fit(
        file: Any,
        own: Any,
        fit: Annotated[options.Declared, options.MODEL],
        reading: Any,
        files: options.Files,
        out: options.Output,
    ) -> int:
        judgments = reading.judgments(file)
        return shown(own, own(fit(judgments)), judgments, files, out)

    run = of_fit if "Decomposition" in takes else of_table if takes else of_nothing
    run.__annotations__ |= {"file": place, "own": declared, "reading": how} if takes else {"own": declared}
    run.__doc__ = f"{says}\n\n{more}"
    return command(run)


def shown(own: options.Declared, found: Any, table: Any, files: options.Files, out: options.Output) -> int:
    """Show an answer, and say by the exit code what it found."""
    out.show(found, files, table, seed=getattr(own, "seed", getattr(own, "rng", None)))
    return int(getattr(found, "exit_code", 0))
