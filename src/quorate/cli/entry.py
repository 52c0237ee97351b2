"""The command itself: its subcommands, and the one place where an error becomes a line and an exit code."""

from __future__ import annotations

import os
import re
import shlex
import sys
import time
import traceback
from collections.abc import Sequence
from functools import cache
from itertools import dropwhile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quorate.cli.spelling import as_command, in_options
from quorate.cli.verbs import VERBS, Verbs, spelling_of
from quorate.errors import QuorateError, UnknownColumn
from quorate.waiting import watched
from quorate.wording import safe

if TYPE_CHECKING:
    from rich.progress import Progress

    from quorate.table.reading.reading import Unsure


# A bar at the terminal that says how far a long computation is.


AFTER, EVERY = 2.0, 0.1
"""Seconds before a computation is worth a bar, and between two states of it."""


class Bar:
    """How far the outermost computation is, on standard error, once it takes more than two seconds."""

    def __init__(self) -> None:
        self._what: str | None = None
        self._since = self._last = 0.0
        self._shown: Progress | None = None

    def __call__(self, what: str, done: int, total: int | None) -> None:
        """Show a step; what is inside another computation is not shown."""
        now = time.monotonic()
        if self._what is None:
            self._what, self._since, self._last = what, now, 0.0
        if what != self._what:
            return
        if done == total:
            self._what = None
            if self._shown is not None:
                self._shown.stop()  # and is cleared
            self._shown = None
        elif now - self._since >= AFTER and now - self._last >= EVERY:
            self._last = now
            if self._shown is None:
                self._shown = _started(what, done, total)
            self._shown.update(self._shown.task_ids[0], completed=done, refresh=True)


def _started(what: str, done: int, total: int | None) -> Progress:
    """A bar that moves when it is told to, and leaves nothing behind."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    progress = Progress(*columns, console=Console(stderr=True), auto_refresh=False, transient=True)
    progress.add_task(what, completed=done, total=total)
    progress.start()
    return progress


FAILED = 1
INTERRUPTED = 130
THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")
"""Read by linear algebra when it loads. Systems here are many and small: threads would wait for each other."""
DEBUG = "--debug"
MOST_CHARACTERS = 1000
"""A line is cut here: it may quote a value from the user's file."""


app = typer.Typer(
    cls=Verbs,
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
    quiet: Annotated[
        bool, typer.Option("--quiet", help="Do not show how far a long computation is; never shown but at a terminal.")
    ] = False,
    _debug: Annotated[
        bool, typer.Option(DEBUG, help="Show the traceback of an error; may stand behind a command too.")
    ] = False,
) -> None:
    if sys.stderr.isatty() and not quiet:
        context.with_resource(watched(Bar()))
    if context.invoked_subcommand is None:  # not 0: a script that lost its arguments must not pass
        typer.echo(context.get_help())
        raise typer.Exit(FAILED)


OWN_MODELS = {
    "judges": "has models of its own, systems by judges and the mean squares of scores that all judges gave",
    "plan --screen": "goes by the mean squares of scores that all judges gave, and these leave no model to choose",
}
"""Commands on scores that take no other model, and why."""


@cache
def program() -> typer.core.TyperGroup:
    """The command with its subcommands: made once, as that takes longer than many a subcommand."""
    return typer.main.get_group(app)


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
    given = list(sys.argv[1:] if argv is None else argv)
    arguments = [word for word in given if word != DEBUG]
    for name in THREADS:
        os.environ.setdefault(name, "1")
    _open_streams()
    try:
        code = _answered(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except Exception as error:  # noqa: BLE001  (the boundary: whatever went wrong is one line)
        if _interrupted(error):
            return INTERRUPTED
        if DEBUG in given:
            traceback.print_exc()
        line = safe(_line(error, arguments))
        sys.stderr.write(f"quorate: {line if len(line) <= MOST_CHARACTERS else line[: MOST_CHARACTERS - 3] + '...'}\n")
        return FAILED
    return int(code or 0)


def _answered(words: Sequence[str]) -> Any:
    """What a command returns; of judges beside people that of the command which answers what is asked of them."""
    try:
        return _run(words)
    except QuorateError as error:
        from quorate.table.reading.reading import Unsure

        if not isinstance(error, Unsure) or (other := _beside_people(error, words)) is None:
            raise
        said = f"{in_options(error.problem)}: taken as {shlex.join(['quorate', *other])}"
    sys.stderr.write(f"quorate: {safe(said)}\n")
    return _run(other)


def _run(words: Sequence[str]) -> Any:
    return program()([*words], prog_name="quorate", standalone_mode=False, obj=shlex.join(["quorate", *words]))


def _beside_people(error: Unsure, words: Sequence[str]) -> list[str] | None:
    """What is asked of judges beside people, if the command was to say what a file holds; None if it asked otherwise.

    With the options of the command that was typed, if the other has them all.
    """
    from quorate.cli.analyze import page_name

    verb, *rest = words
    if verb not in ("analyze", "judges") or error.source not in rest:
        return None
    way = error.beside_people(verb)
    if way is None:
        return None
    rest.remove(error.source)
    if verb == "analyze":  # which writes its page unasked
        wanted = {word.split("=")[0] for word in rest}.isdisjoint(("--no-report", "--report", "--json"))
        rest = [word for word in rest if word != "--no-report"]
        rest += ["--report", page_name(Path(error.source))] if wanted else []
    other = [*shlex.split(as_command(way, verb, error.source, error.kind))[1:], *rest]
    question, left = VERBS[other[0]].asked(other[1:])
    if question is None:
        return None
    has = {option for one in program().commands[spelling_of(question)].params for option in one.opts}
    return other if has.issuperset(word.split("=")[0] for word in left if word.startswith("--")) else None


def _open_streams() -> None:
    """Make the three streams what can be read and written, whatever the process was started with."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed before the start
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123  (for the whole run)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a character the terminal cannot show must not end the run
            stream.reconfigure(errors="backslashreplace")


def _interrupted(error: BaseException | None) -> bool:
    """Whether Ctrl-C is behind an error: libraries that it meets at work make others of it."""
    behind: list[BaseException] = []
    while error is not None and error not in behind:  # an error may be behind itself
        behind.append(error)
        error = error.__cause__ or error.__context__
    said = [one for one in behind if isinstance(one, RuntimeError) and str(one) == "Query interrupted"]  # by DuckDB
    return bool(said) or any(isinstance(one, KeyboardInterrupt) for one in behind)


def _line(error: Exception, typed: Sequence[str]) -> str:
    """One line that says what went wrong."""
    if isinstance(error, UnknownColumn) and error.role == error.column:  # nobody named it: it is what we call it
        refusal = in_options(str(error))
        return f"{refusal}{'' if refusal.endswith('?') else ';'} quorate doctor FILE says what the columns may be"
    if isinstance(error, QuorateError):
        return _led(_asked(error, typed[:1]), typed)
    if isinstance(error, typer.TyperException):
        return _usage(error)
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return f"internal error ({type(error).__name__}: {error}); run again with --debug to see where"


def _asked(error: QuorateError, typed: Sequence[str]) -> str:
    """What was said, with options; of a file that may be meant in several ways the command for each."""
    from quorate.table.reading.reading import Unsure, asked

    if not isinstance(error, Unsure) or not isinstance(error.source, (str, tuple)):
        return in_options(str(error))
    verb, source = next((word for word in typed if word != "doctor"), "analyze"), error.source
    return in_options(asked(error.problem, error.ways, lambda way: as_command(way, verb, source, error.kind)))


def _led(line: str, typed: Sequence[str]) -> str:
    """A line that begins with arguments begins with the options that stand for them, if the command has them all."""
    led = re.match(r"[a-z_]+(?:, [a-z_]+)*(?=: )", line)
    words = [*dropwhile(lambda word: word.startswith("-"), typed)]
    question = VERBS[words[0]].asked(words[1:])[0] if words and words[0] in VERBS else None
    if led is None or question is None:
        return line
    has = {option for one in program().commands[spelling_of(question)].params for option in one.opts}
    options = [f"--{name.replace('_', '-')}" for name in led[0].split(", ")]
    return f"{', '.join(options)}{line[led.end() :]}" if has.issuperset(options) else line


def _usage(error: typer.TyperException) -> str:
    from quorate.cli.options import MODEL
    from quorate.cli.options.groups import options_of, spelled

    said = error.format_message().strip().rstrip(".")
    context: typer.Context | None = getattr(error, "ctx", None)
    unknown, name = getattr(error, "option_name", ""), "" if context is None else context.info_name
    if name in OWN_MODELS and unknown in {spelled(MODEL, option) for option in options_of(MODEL)}:
        return f"{unknown}: {name} {OWN_MODELS[name]}; analyze, rank and compare take it"
    command = "quorate" if context is None else context.command_path
    return f"{said[:1].lower()}{said[1:]} (see {command} --help)"
