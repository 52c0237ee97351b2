"""The command itself: its subcommands, and the one place where an error becomes a line and an exit code."""

from __future__ import annotations

import os
import shlex
import sys
import traceback
from collections.abc import Sequence
from typing import Annotated

import typer

from quorate.cli.adaptive import adaptive
from quorate.cli.agree import agree
from quorate.cli.analyze import analyze
from quorate.cli.assign import assign
from quorate.cli.compare import compare
from quorate.cli.console import safe
from quorate.cli.demo import demo
from quorate.cli.doctor import doctor
from quorate.cli.gaming import gaming
from quorate.cli.init import init
from quorate.cli.optimize import optimize
from quorate.cli.panel import panel
from quorate.cli.pipelines import pipelines
from quorate.cli.project import project
from quorate.cli.rank import rank
from quorate.cli.run import run
from quorate.cli.screen import screen
from quorate.cli.spelling import in_options
from quorate.cli.status import status
from quorate.cli.variants import variants
from quorate.cli.votes import app as votes
from quorate.cli.writeup import writeup
from quorate.errors import QuorateError

FAILED = 1
THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")
"""Read by linear algebra when it loads. Systems here are many and small: threads would wait for each other."""
MOST_CHARACTERS = 1000
"""A line is cut here: it may quote a value from the user's file."""

app = typer.Typer(
    help="Honest error bars for evaluations scored by judges, and what to buy next.",
    epilog="Exit codes: 0 the claim is supported or nothing was found; 2 a finding, or undecided; 1 failed to run.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _version(asked: bool) -> None:
    if asked:
        import quorate

        typer.echo(f"quorate {quorate.__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _start(
    context: typer.Context,
    _version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        # not 0: a script that lost its arguments must not pass
        typer.echo(context.get_help())
        raise typer.Exit(FAILED)


app.command("doctor")(doctor)
app.command("analyze")(analyze)
app.command("compare")(compare)
app.command("rank")(rank)
app.command("agree")(agree)
app.command("pipelines")(pipelines)
app.command("gaming")(gaming)
app.command("project")(project)
app.command("optimize")(optimize)
app.command("assign")(assign)
app.command("panel")(panel)
app.command("screen")(screen)
app.command("adaptive")(adaptive)
app.add_typer(votes, name="votes")
app.command("init")(init)
app.command("variants")(variants)
app.command("run")(run)
app.command("status")(status)
app.command("writeup")(writeup)
app.command("demo")(demo)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments after the command's name; those of the process if absent.

    Returns
    -------
    int
        Exit code: 0 for a supported claim or no finding, 2 for a finding or undecided, 1 if it failed to run.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    for name in THREADS:
        os.environ.setdefault(name, "1")
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a character the terminal cannot show must not end the run
            stream.reconfigure(errors="backslashreplace")
    try:
        code = app(arguments, prog_name="quorate", standalone_mode=False, obj=shlex.join(["quorate", *arguments]))
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except Exception as error:  # noqa: BLE001  (the boundary: whatever went wrong is one line)
        if "--debug" in arguments:
            traceback.print_exc()
        line = safe(_line(error))
        sys.stderr.write(f"quorate: {line if len(line) <= MOST_CHARACTERS else line[: MOST_CHARACTERS - 3] + '...'}\n")
        return FAILED
    return int(code or 0)


def _line(error: Exception) -> str:
    """One line that says what went wrong."""
    if isinstance(error, QuorateError):
        return in_options(str(error))
    if isinstance(error, typer.TyperException):
        return _usage(error)
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return f"internal error ({type(error).__name__}: {error}); run again with --debug to see where"


def _usage(error: typer.TyperException) -> str:
    said = error.format_message().strip().rstrip(".")
    context: typer.Context | None = getattr(error, "ctx", None)
    command = "quorate" if context is None else context.command_path
    return f"{said[:1].lower()}{said[1:]} (see {command} --help)"
