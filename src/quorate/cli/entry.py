"""The command itself: its subcommands, and the one place where an error becomes a line and an exit code."""

from __future__ import annotations

import os
import shlex
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Annotated, Any, NamedTuple

import typer

from quorate.cli.spelling import as_command, in_options
from quorate.cli.waiting import Bar
from quorate.errors import QuorateError, UnknownColumn
from quorate.waiting import watched
from quorate.wording import safe

FAILED = 1
INTERRUPTED = 130
THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")
"""Read by linear algebra when it loads. Systems here are many and small: threads would wait for each other."""
MOST_CHARACTERS = 1000
"""A line is cut here: it may quote a value from the user's file."""


class Stage(NamedTuple):
    """Commands for one stage of a study: their folder, its title in the help, and what each does, as its help begins.

    Said here as well, so that the help of all of them loads none.
    """

    folder: str
    title: str
    commands: Mapping[str, str]


STAGES = (
    Stage(
        "look",
        "Look at a file",
        {
            "doctor": "What a file holds and supports, and what stands in the way.",
            "analyze": "Honest error bars, and what to buy next.",
            "diagnose": "What stands out in a fit: noise, odd judges, interactions, tails, drift.",
            "mean-from": "The mean of scores whose uncertainty a pilot knows.",
            "posterior": "Components and the mean as posterior distributions.",
            "hazard": "At which turn conversations cross a threshold, and how many never do.",
            "ensemble": "What the mean of several agents is worth, whose errors go together.",
            "chain": "Which agent of a chain the variance of the last one's scores comes from.",
            "demo": "See it on simulated scores whose truth is known.",
        },
    ),
    Stage(
        "plan",
        "Plan a study",
        {
            "project": "What another design would give, and what it would cost.",
            "optimize": "What to buy next, for a budget or for a standard error.",
            "assign": "Which judge scores which item, as a table of calls.",
            "panel": "Which judge is off, and what one judge alone would reverse.",
            "screen": "Which few of many judges should judge the rest, from a pilot.",
            "adaptive": "What asking more where scores vary would save, replayed.",
            "plan-votes": "How many votes are needed, for a margin, for equivalence or from a pilot.",
            "plan-labels": "How many labels by people and predictions by judges to buy, from a pilot with both.",
            "protocols": "Which of two ways of collecting votes decides with fewer of them.",
            "next-battles": "Which pairs of systems to ask about next.",
            "sample-battles": "Which battles to have judged.",
            "replay": "What smaller studies of these votes would have found.",
            "validate": "Whether plans by a pilot would have done better on a table that exists.",
        },
    ),
    Stage(
        "collect",
        "Collect judgments",
        {
            "init": "Write a study file with comments, to change into your own.",
            "variants": "Draft other wordings of a prompt, by a judge, for you to read.",
            "run": "Ask the judges of a study what it plans, within its budget.",
            "serve": "Serve a study's pages to people who judge and to its owner.",
            "status": "How far a study is: cells, spend, and failures by judge.",
            "interim": "What a study says so far, while people or models still answer.",
            "annotation-tasks": "Questions to people as tasks of Label Studio.",
            "take-annotations": "Annotations of Label Studio as the answers of people.",
        },
    ),
    Stage(
        "decide",
        "Decide between systems",
        {
            "compare": "Is A better than B? The verdict, and what would decide.",
            "rank": "A leaderboard: ranks, ratings and intervals.",
            "models": "Which model of votes fits, and predicts others.",
            "corrected": "What people would find, from judges on everything and people on a part.",
            "corrected-ratings": "The leaderboard that people would give, from judges on all battles, people on few.",
            "regress": "A regression on labels of a judge, right also where the judge is not.",
            "surrogate": "How far a judge's label of an item would move with other prompts and calls.",
            "sign-flip": "How likely it is that errors of labels turn the sign of a coefficient.",
            "monitor": "Whether votes still coming in already decide.",
            "agree": "How often judges decide battles as people do.",
            "against": "How often judges say what people say, and how many judges they are worth.",
            "pipelines": "Leaderboards by judges: error bars that count them.",
            "gaming": "What the best of many submissions gains by luck.",
        },
    ),
    Stage(
        "write",
        "Write it up",
        {
            "writeup": "A paragraph for a methods section, and the reporting checklist.",
            "export": "The judgments of a file as another file: plain, or for another tool.",
            "reproduce": "Compute the published figures of the papers behind this again.",
        },
    ),
)


class Commands(Mapping[str, Any]):
    """Every command by its name, loaded when it is first asked for: one command does not wait for the others."""

    def __init__(self) -> None:
        self._folders = {name: stage.folder for stage in STAGES for name in stage.commands}
        self._loaded: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._loaded:
            own = name.replace("-", "_")
            module = import_module(f"quorate.cli.{self._folders[name]}.{own}")
            info = typer.models.CommandInfo(name, cls=EachOnce, callback=getattr(module, own))
            self._loaded[name] = typer.main.get_command_from_info(
                info, pretty_exceptions_short=False, rich_markup_mode=None
            )
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._folders)

    def __len__(self) -> int:
        return len(self._folders)


class ByStage(typer.core.TyperGroup):
    """The group of all commands, whose help lists them under the stage of a study that they are for."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = Commands()  # type: ignore[assignment]

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        """Their names, in the order of the help."""
        return list(self.commands)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        """Write a section for every stage."""
        for stage in STAGES:
            with formatter.section(stage.title):
                formatter.write_dl(list(stage.commands.items()))


class EachOnce(typer.core.TyperCommand):
    """A command that refuses an option given twice where one value counts: none is silently ignored."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments, counting the options among them."""
        _, _, read = self.make_parser(ctx).parse_args(list(args))
        for option in {one for one in read if read.count(one) > 1}:
            if not (option.multiple or getattr(option, "is_flag", False)):
                ctx.fail(f"{option.opts[0]}: is given {read.count(option)} times, and one value counts; give it once")
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=ByStage,
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
) -> None:
    if sys.stderr.isatty() and not quiet:
        context.with_resource(watched(Bar()))
    if context.invoked_subcommand is None:  # not 0: a script that lost its arguments must not pass
        typer.echo(context.get_help())
        raise typer.Exit(FAILED)


OWN_MODELS = {
    "panel": "has models of its own, systems by judges and the mean squares of scores that all judges gave",
    "screen": "goes by the mean squares of scores that all judges gave, and these leave no model to choose",
}
"""Commands on scores that take no other model, and why."""
MOVED = {"doctor": "doctor", "analyze": "analyze", "plan": "plan-votes", "monitor": "monitor", "replay": "replay"}
"""Where the commands of ``quorate votes`` are now; the old spelling goes with the next release."""


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
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments[:1] == ["votes"] and arguments[1:2] and arguments[1] in MOVED:
        now = MOVED[arguments[1]]
        sys.stderr.write(f"quorate: quorate votes {arguments[1]} is quorate {now} now; use that\n")
        arguments[:2] = [now]
    for name in THREADS:
        os.environ.setdefault(name, "1")
    _open_streams()
    try:
        code = program()(arguments, prog_name="quorate", standalone_mode=False, obj=shlex.join(["quorate", *arguments]))
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except Exception as error:  # noqa: BLE001  (the boundary: whatever went wrong is one line)
        if _interrupted(error):
            return INTERRUPTED
        if "--debug" in arguments:
            traceback.print_exc()
        line = safe(_line(error, arguments[:1]))
        sys.stderr.write(f"quorate: {line if len(line) <= MOST_CHARACTERS else line[: MOST_CHARACTERS - 3] + '...'}\n")
        return FAILED
    return int(code or 0)


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
    if error is None or isinstance(error, KeyboardInterrupt):
        return error is not None
    said = isinstance(error, RuntimeError) and str(error) == "Query interrupted"  # of DuckDB, which gives no cause
    return said or _interrupted(error.__cause__ or error.__context__)


def _line(error: Exception, typed: Sequence[str]) -> str:
    """One line that says what went wrong."""
    if isinstance(error, UnknownColumn) and error.role == error.column:  # nobody named it: it is what we call it
        refusal = in_options(str(error))
        return f"{refusal}{'' if refusal.endswith('?') else ';'} quorate doctor FILE says what the columns may be"
    if isinstance(error, QuorateError):
        return _asked(error, typed)
    if isinstance(error, typer.TyperException):
        return _usage(error)
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return f"internal error ({type(error).__name__}: {error}); run again with --debug to see where"


def _asked(error: QuorateError, typed: Sequence[str]) -> str:
    """What was said, with options; of a file that may be meant in several ways the command for each."""
    from quorate.table.reading.reading import Unsure, asked

    if not isinstance(error, Unsure) or not isinstance(error.source, str):
        return in_options(str(error))
    verb, source = next((word for word in typed if word != "doctor"), "analyze"), error.source
    return in_options(asked(error.problem, error.ways, lambda way: as_command(way, verb, source, error.kind)))


def _usage(error: typer.TyperException) -> str:
    from quorate.cli.options import MODEL

    said = error.format_message().strip().rstrip(".")
    context: typer.Context | None = getattr(error, "ctx", None)
    unknown, name = getattr(error, "option_name", ""), "" if context is None else context.info_name
    if name in OWN_MODELS and unknown in {f"--{option.replace('_', '-')}" for option in MODEL.names}:
        return f"{unknown}: {name} {OWN_MODELS[name]}; analyze, rank and compare take it"
    command = "quorate" if context is None else context.command_path
    return f"{said[:1].lower()}{said[1:]} (see {command} --help)"
