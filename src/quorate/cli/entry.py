"""The command itself: its subcommands, and the one place where an error becomes a line and an exit code."""

from __future__ import annotations

import os
import shlex
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Annotated, Any

import typer

from quorate.cli.collect.annotation_tasks import annotation_tasks
from quorate.cli.collect.init import init
from quorate.cli.collect.interim import interim
from quorate.cli.collect.run import run
from quorate.cli.collect.serve import serve
from quorate.cli.collect.status import status
from quorate.cli.collect.take_annotations import take_annotations
from quorate.cli.collect.variants import variants
from quorate.cli.console import safe
from quorate.cli.decide.against import against
from quorate.cli.decide.agree import agree
from quorate.cli.decide.compare import compare
from quorate.cli.decide.corrected import corrected
from quorate.cli.decide.gaming import gaming
from quorate.cli.decide.monitor import monitor
from quorate.cli.decide.pipelines import pipelines
from quorate.cli.decide.rank import rank
from quorate.cli.look.analyze import analyze
from quorate.cli.look.demo import demo
from quorate.cli.look.diagnose import diagnose
from quorate.cli.look.doctor import doctor
from quorate.cli.look.mean_from import mean_from
from quorate.cli.look.posterior import posterior
from quorate.cli.options import MODEL
from quorate.cli.plan.adaptive import adaptive
from quorate.cli.plan.assign import assign
from quorate.cli.plan.optimize import optimize
from quorate.cli.plan.panel import panel
from quorate.cli.plan.plan_votes import plan_votes
from quorate.cli.plan.project import project
from quorate.cli.plan.replay import replay
from quorate.cli.plan.sample_battles import sample_battles
from quorate.cli.plan.screen import screen
from quorate.cli.plan.validate import validate
from quorate.cli.spelling import in_options
from quorate.cli.write.export import export
from quorate.cli.write.reproduce import reproduce
from quorate.cli.write.writeup import writeup
from quorate.errors import QuorateError, UnknownColumn

FAILED = 1
THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")
"""Read by linear algebra when it loads. Systems here are many and small: threads would wait for each other."""
MOST_CHARACTERS = 1000
"""A line is cut here: it may quote a value from the user's file."""


class ByStage(typer.core.TyperGroup):
    """A group whose help lists commands under the stage of a study that they are for."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write a section for every stage."""
        stages: dict[str, list[tuple[str, str]]] = {}
        for name in self.list_commands(ctx):
            stage = getattr(self.commands[name], "rich_help_panel", None) or "Commands"
            stages.setdefault(stage, []).append((name, self.commands[name].get_short_help_str(formatter.width)))
        for stage, rows in stages.items():
            with formatter.section(stage):
                formatter.write_dl(rows)


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
) -> None:
    if context.invoked_subcommand is None:  # not 0: a script that lost its arguments must not pass
        typer.echo(context.get_help())
        raise typer.Exit(FAILED)


STAGES: Mapping[str, tuple[Callable[..., int], ...]] = {
    "Look at a file": (doctor, analyze, diagnose, mean_from, posterior, demo),
    "Plan a study": (project, optimize, assign, panel, screen, adaptive, plan_votes, sample_battles, replay, validate),
    "Collect judgments": (init, variants, run, serve, status, interim, annotation_tasks, take_annotations),
    "Decide between systems": (compare, rank, corrected, monitor, agree, against, pipelines, gaming),
    "Write it up": (writeup, export, reproduce),
}
OWN_MODELS = {
    "panel": "has models of its own, systems by judges and the mean squares of scores that all judges gave",
    "screen": "goes by the mean squares of scores that all judges gave, and these leave no model to choose",
}
"""Commands on scores that take no other model, and why."""
MOVED = {"doctor": "doctor", "analyze": "analyze", "plan": "plan-votes", "monitor": "monitor", "replay": "replay"}
"""Where the commands of ``quorate votes`` are now; the old spelling goes with the next release."""

for stage, commands in STAGES.items():
    for command in commands:
        app.command(command.__name__.replace("_", "-"), cls=EachOnce, rich_help_panel=stage)(command)


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
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a character the terminal cannot show must not end the run
            stream.reconfigure(errors="backslashreplace")
    try:
        code = program()(arguments, prog_name="quorate", standalone_mode=False, obj=shlex.join(["quorate", *arguments]))
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
    if isinstance(error, UnknownColumn) and error.role == error.column:  # nobody named it: it is what we call it
        refusal = in_options(str(error))
        return f"{refusal}{'' if refusal.endswith('?') else ';'} quorate doctor FILE says what the columns may be"
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
    unknown, name = getattr(error, "option_name", ""), "" if context is None else context.info_name
    if name in OWN_MODELS and unknown in {f"--{option.replace('_', '-')}" for option in MODEL.names}:
        return f"{unknown}: {name} {OWN_MODELS[name]}; analyze, rank and compare take it"
    command = "quorate" if context is None else context.command_path
    return f"{said[:1].lower()}{said[1:]} (see {command} --help)"
