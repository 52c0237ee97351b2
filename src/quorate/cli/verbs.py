"""The verbs: what each asks, what is asked with it by an option, and where the command is that answers."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from importlib import import_module
from itertools import takewhile, zip_longest
from pathlib import Path
from typing import Any, Literal, NamedTuple, NoReturn, get_args, get_origin

import typer

HELP = "help"
READING = "reading"
_TABLE = re.compile(r"\.(csv|tsv|jsonl?|ndjson|parquet|xlsx?|xlsm|ods|eval|zip)(\.gz)?$", re.IGNORECASE)
"""How names of files end that hold tables, and no name of a system."""
FEW = 5
"""Options of reading that are listed with the others: of commands that have no more of them."""
PARSER = "quorate.parser"
"""Where a run keeps the parser of its command."""


class Question(NamedTuple):
    """What one command answers, in the words that its help begins with.

    Said here as well, so that the help of all of them loads none. It is a function of a module below `quorate.cli`, or
    a public function that a file is read for, as ``module:name``.
    """

    of: str
    says: str

    def command(self) -> Callable[..., int]:
        """The function that the command runs."""
        if self.of.startswith("quorate."):
            from quorate.cli.questions import command_of

            return command_of(self.of, self.says)
        module, _, name = self.of.partition(":")
        found: Callable[..., int] = getattr(import_module(f"quorate.cli.{module}"), name)
        return found


class Verb(NamedTuple):
    """A word of the command line.

    Parameters
    ----------
    asks : str
        The question, as a user has it.
    examples : tuple of str
        Command lines to copy, the most usual first.
    own : Question, optional
        What it answers where nothing more is asked; None where a second word says it.
    more : mapping of str to Question
        What is asked with it, by the option that asks it, or by a second word. An option with a metavar after it,
        such as ``--tries K``, is one of the command's own; a bare one only says which command is meant. The first
        that is given counts.
    """

    asks: str
    examples: tuple[str, ...]
    own: Question | None
    more: Mapping[str, Question] = {}

    def asked(self, words: Sequence[str]) -> tuple[Question | None, list[str]]:
        """Which question these words ask, and those that are left for its command."""
        given = [word.split("=", 1)[0] for word in words]
        for options, question in self.more.items():
            for option in options.split(", "):
                name, *value = option.split(" ")
                if name in (given if name.startswith("-") else given[:1]):
                    place = given.index(name)
                    left = [*words] if value else [*words[:place], *words[place + 1 :]]
                    return question, left
        return self.own, [*words]


PEOPLE = "--human NAME, --human-label COLUMN, --people FILE"
CORRECTED = Question("people:corrected", "What people would find, from judges on everything and people on a part.")

STAGES: Mapping[str, Mapping[str, Verb]] = {
    "Look at a file": {
        "doctor": Verb(
            "What is this file, how will it be read, and what does it support?",
            ("quorate doctor scores.csv", "quorate doctor scores.csv --save roles.yaml"),
            Question("doctor:doctor", "What a file holds and supports, and what stands in the way."),
        ),
        "analyze": Verb(
            "What does the file say, and how sure is that?",
            (
                "quorate analyze scores.csv",
                "quorate analyze scores.csv --half-width 0.1",
                "quorate analyze scores.csv --check",
                "quorate analyze runs.csv --runs",
                "quorate analyze stream.csv --baseline 0.9",
            ),
            Question("analyze:analyze", "Honest error bars, and what to buy next."),
            {
                "--pilot FILE": Question("analyze:mean_from", "The mean of scores whose uncertainty a pilot knows."),
                "--posterior": Question("analyze:posterior", "Components and the mean as posterior distributions."),
                "--check": Question(
                    "quorate.estimate.diagnostics.diagnose:diagnose",
                    "What stands out in a fit: noise, odd judges, interactions, tails, drift.",
                ),
                "--runs": Question(
                    "quorate.estimate.agents.runs:repeated_runs",
                    "How often all or any of several runs of an item pass, and which items flip.",
                ),
                "--baseline M": Question(
                    "quorate.estimate.means.baseline:against_baseline",
                    "Whether scores that come in still keep to a baseline, and since when not.",
                ),
                PEOPLE: CORRECTED,
            },
        ),
        "judges": Verb(
            "Can the judges be trusted: which is off, and which agrees with people?",
            (
                "quorate judges scores.csv",
                "quorate judges scores.csv --human expert --bar 0.9",
                "quorate judges votes.csv --agree --human expert",
            ),
            Question("plan:panel", "Which judge is off, and what one judge alone would reverse."),
            {
                "--agree": Question("people:agree", "How often judges decide battles as people do."),
                PEOPLE: Question(
                    "people:against", "How often judges say what people say, and how many judges they are worth."
                ),
            },
        ),
        "demo": Verb(
            "What does it look like?",
            ("quorate demo", "quorate demo --seed 2"),
            Question("analyze:demo", "See it on simulated scores whose truth is known."),
        ),
    },
    "Decide between systems": {
        "compare": Verb(
            "Is A better than B, and what would decide it?",
            ("quorate compare scores.csv new old", "quorate compare new.csv old.csv --claim better"),
            Question("systems:compare", "Is A better than B? The verdict, and what would decide."),
            {
                "--watch": Question("systems:monitor", "Whether votes still coming in already decide."),
                PEOPLE: CORRECTED,
            },
        ),
        "rank": Verb(
            "Who leads, and which places hold?",
            ("quorate rank votes.csv", "quorate rank scores.csv --level 0.9", "quorate rank scores.csv --tries 27"),
            Question("systems:rank", "A leaderboard: ranks, ratings and intervals."),
            {
                "--watch": Question(
                    "quorate.decide.stop:monitor_all",
                    "Which orders of systems are sure already, while votes still come in.",
                ),
                "--models": Question(
                    "quorate.estimate.ratings.models:models", "Which model of votes fits, and predicts others."
                ),
                "--pipelines": Question("systems:pipelines", "Leaderboards by judges: error bars that count them."),
                "--tries K": Question("systems:gaming", "What the best of many submissions gains by luck."),
                PEOPLE: Question(
                    "people:corrected_ratings",
                    "The leaderboard that people would give, from judges on all battles, people on few.",
                ),
            },
        ),
        "regress": Verb(
            "What does a regression on the labels of a judge say?",
            ("quorate regress labels.csv --outcome judge --on length --labels human",),
            Question("people:regress", "A regression on labels of a judge, right also where the judge is not."),
            {
                "--surrogate": Question(
                    "quorate.estimate.regression.surrogate:surrogate",
                    "How far a judge's label of an item would move with other prompts and calls.",
                ),
                "--sign-flip": Question(
                    "quorate.estimate.regression.surrogate:sign_flip",
                    "How likely it is that errors of labels turn the sign of a coefficient.",
                ),
            },
        ),
    },
    "Plan a study": {
        "plan": Verb(
            "How many items, judges, prompts, votes or labels does it take?",
            (
                "quorate plan pilot.csv --budget 300 --price 0.004",
                "quorate plan --rates 0.70,0.72 --judges 3 --icc 0.6",
                "quorate plan pilot.csv --effect 0.02",
                "quorate plan --votes --margin 0.05",
                "quorate plan pilot.csv --design --items 500 --judges 3",
            ),
            Question("plan:optimize", "What to buy next, for a budget or for a standard error."),
            {
                "--design": Question("plan:project", "What another design would give, and what it would cost."),
                "--effect D, --bar P, --rates P, --sd SD": Question(
                    "plan:effect_size",
                    "How many items a difference takes, without data or from a pilot; or whether a share passes a bar.",
                ),
                "--votes": Question(
                    "plan:plan_votes", "How many votes are needed, for a margin, for equivalence or from a pilot."
                ),
                "--screen": Question("plan:screen", "Which few of many judges should judge the rest, from a pilot."),
                "--adaptive": Question("replays:adaptive", "What asking more where scores vary would save, replayed."),
                PEOPLE: Question(
                    "plan:plan_labels",
                    "How many labels by people and predictions by judges to buy, from a pilot with both.",
                ),
            },
        ),
        "assign": Verb(
            "Who judges what, and what next?",
            ("quorate assign --items 200 --judges 3 --out calls.csv", "quorate assign --after votes.csv --number 50"),
            Question("assign:assign", "Which judge scores which item, as a table of calls."),
            {
                "--after": Question("assign:next_battles", "Which pairs of systems to ask about next."),
                "--pool": Question("assign:sample_battles", "Which battles to have judged."),
            },
        ),
    },
    "Collect judgments": {
        "init": Verb(
            "How does a study begin?",
            ("quorate init study.yaml", "quorate init study.yaml --variants --prompt plain"),
            Question("init:init", "Write a study file with comments, to change into your own."),
            {"--variants": Question("init:variants", "Draft other wordings of a prompt, by a judge, for you to read.")},
        ),
        "run": Verb(
            "How are the judges asked, within the budget?",
            ("quorate run study.yaml --quote", "quorate run study.yaml --yes"),
            Question("study:run", "Ask the judges of a study what it plans, within its budget."),
        ),
        "serve": Verb(
            "How do people judge, and how does its owner watch?",
            ("quorate serve study.yaml", "quorate serve study.yaml --port 8080"),
            Question("study:serve", "Serve a study's pages to people who judge and to its owner."),
        ),
        "status": Verb(
            "How far is the study, and what does it say so far?",
            ("quorate status study.yaml", "quorate status study.yaml --interim"),
            Question("study:status", "How far a study is: cells, spend, and failures by judge."),
            {"--interim": Question("study:interim", "What a study says so far, while people or models still answer.")},
        ),
    },
    "Write it up": {
        "report": Verb(
            "What does a methods section say of the file?",
            ("quorate report scores.csv", "quorate report scores.csv --format markdown"),
            Question("report:writeup", "A paragraph for a methods section, and the reporting checklist."),
        ),
        "export": Verb(
            "How does another tool get it?",
            ("quorate export scores.csv judgments.parquet", "quorate export study.yaml tasks --tasks"),
            Question("report:export", "The judgments of a file as another file: plain, or for another tool."),
            {"--tasks": Question("study:annotation_tasks", "Questions to people as tasks of Label Studio.")},
        ),
        "import": Verb(
            "How do answers come back from another tool?",
            ("quorate import study.yaml annotations.json",),
            Question("study:take_annotations", "Annotations of Label Studio as the answers of people."),
        ),
    },
    "For specialists": {
        "agents": Verb(
            "What of conversations, chains and ensembles of agents?",
            ("quorate agents hazard turns.csv --threshold 3", "quorate agents chain runs.csv --stages plan,code,test"),
            None,
            {
                "hazard": Question(
                    "quorate.estimate.agents.hazard:hazard",
                    "At which turn conversations cross a threshold, and how many never do.",
                ),
                "chain": Question(
                    "analyze:chain", "Which agent of a chain the variance of the last one's scores comes from."
                ),
                "ensemble": Question(
                    "quorate.estimate.agents.ensemble:ensemble",
                    "What the mean of several agents is worth, whose errors go together.",
                ),
            },
        ),
        "votes": Verb(
            "What would other votes have found?",
            ("quorate votes replay votes.csv", "quorate votes protocols one.csv other.csv"),
            None,
            {
                "replay": Question("replays:replay", "What smaller studies of these votes would have found."),
                "protocols": Question(
                    "replays:protocols", "Which of two ways of collecting votes decides with fewer of them."
                ),
            },
        ),
        "papers": Verb(
            "Do the published figures come out again?",
            ("quorate papers --list", "quorate papers --quick"),
            Question("report:reproduce", "Compute the published figures of the papers behind this again."),
        ),
        "validate": Verb(
            "Would plans by a pilot have held?",
            ("quorate validate scores.csv --budgets 100,300",),
            Question(
                "quorate.simulate.validate:validate",
                "Whether plans by a pilot would have done better on a table that exists.",
            ),
        ),
    },
}
VERBS: Mapping[str, Verb] = {name: verb for verbs in STAGES.values() for name, verb in verbs.items()}


def spelled() -> dict[str, Question]:
    """Every command, by how it is spelled after ``quorate``; one that two verbs ask for stands with the last."""
    spellings = {
        question: f"{name} {options.split(',')[0].split(' ')[0]}".strip()
        for name, verb in VERBS.items()
        for options, question in [*([("", verb.own)] if verb.own else []), *verb.more.items()]
    }
    return {spelling: question for question, spelling in spellings.items()}


SPELLED = spelled()


def spelling_of(question: Question) -> str:
    """How a command is spelled after ``quorate``."""
    return next(spelling for spelling, one in SPELLED.items() if one == question)


class Commands(Mapping[str, Any]):
    """Every command by its spelling, loaded when it is first asked for: one command does not wait for the others."""

    def __init__(self) -> None:
        self._loaded: dict[str, Any] = {}

    def __getitem__(self, spelling: str) -> Any:
        if spelling not in self._loaded:
            info = typer.models.CommandInfo(spelling, cls=Command, callback=SPELLED[spelling].command())
            self._loaded[spelling] = typer.main.get_command_from_info(
                info, pretty_exceptions_short=False, rich_markup_mode=None
            )
        return self._loaded[spelling]

    def __iter__(self) -> Iterator[str]:
        return iter(SPELLED)

    def __len__(self) -> int:
        return len(SPELLED)


class Plain:
    """Takes texts, paths, numbers and choices as they are typed: Typer's library for it loads longer than most files.

    What is not plain is left to Typer, which says what is wrong with it.
    """

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """The value of an option; none is an empty one where it can be repeated."""
        several = param.multiple or param.nargs == -1
        if value is None:
            return () if several else None
        annotation, info = param.type_descriptor.annotation, param.type_descriptor.parameter_info
        kind = get_args(annotation)[0] if get_origin(annotation) is list else annotation
        try:
            return [_plain(one, kind, info) for one in value] if several else _plain(value, kind, info)
        except ValueError:
            return type(param).get_runtime_param(param).coerce(value, param=param, ctx=ctx)


def _plain(value: Any, kind: Any, info: typer.models.ParameterInfo) -> Any:
    """A value of one of the plain kinds; a `ValueError` where it is not one."""
    if kind is str or (get_origin(kind) is Literal and value in get_args(kind)):
        return value
    if kind is Path and (not os.path.lexists(value) or os.access(value, os.R_OK | (os.W_OK if info.writable else 0))):
        return Path(value)
    if kind in (int, float) and info.min is None and info.max is None:
        return kind(value)
    raise ValueError(value)


class Plainly:
    """Of a command: its options are read as `Plain` reads them."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The options, that for help among them."""
        found: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for one in found:
            one.get_runtime_param = Plain
        return found


class Verbs(Plainly, typer.core.TyperGroup):
    """The verbs, listed by the stage of a study that they are for."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = Commands()  # type: ignore[assignment]

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """Find the command that answers what is asked with a verb."""
        if args[:1] == [HELP]:
            args = [*(args[1:] or ["--help"]), "--help"] if args[1:] != [READING] else args
        name, words = args[0], args[1:]
        verb = VERBS.get(name)
        fail: Callable[[str], NoReturn] = ctx.fail
        if name == HELP:
            return name, _reading_help(self.commands["doctor"]), []
        if verb is None:
            near = get_close_matches(name, VERBS)
            fail(f"No such command {name!r}{f'. Did you mean {near[0]!r}?' if near else ''}")
        question, left = verb.asked(words)
        if question is None:
            few = ", ".join(verb.more)
            fail(f"{name}: is followed by one of {few}, such as {verb.examples[0]}")
        spelling = spelling_of(question)
        return spelling, self.commands[spelling], left

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        """Their names, in the order of the help."""
        return [*VERBS]

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        """Write a section for every stage."""
        for stage, verbs in STAGES.items():
            with formatter.section(stage):
                formatter.write_dl([(name, verb.asks) for name, verb in verbs.items()])


class Command(Plainly, typer.core.TyperCommand):
    """A command whose help begins with the question; it refuses an option given twice where one value counts."""

    def make_parser(self, ctx: Any) -> Any:
        """The parser, once for each run: the arguments go through it twice."""
        if PARSER not in ctx.meta:
            ctx.meta[PARSER] = super().make_parser(ctx)
        return ctx.meta[PARSER]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments, counting the options among them: none is silently ignored."""
        _, _, read = self.make_parser(ctx).parse_args(list(args))
        for option in {one for one in read if read.count(one) > 1}:
            if not (option.multiple or getattr(option, "is_flag", False)):
                ctx.fail(f"{option.opts[0]}: is given {read.count(option)} times, and one value counts; give it once")
        names = [str(one.name) for one in self.get_params(ctx) if one.param_type_name == "argument"]
        ctx.allow_extra_args = names[:1] == ["file"] and {*names[1:]} <= {"a", "b"}
        left = super().parse_args(ctx, args)
        if ctx.allow_extra_args and not ctx.resilient_parsing:
            self._gather(ctx, names[1:])
        return left

    def _gather(self, ctx: Any, names: Sequence[str]) -> None:
        """Take words after the file that are files too as more of them, and the rest for the other arguments."""
        first = ctx.params["file"]
        words = [*(ctx.params[name] for name in names if ctx.params[name] is not None), *ctx.args]
        more = [*takewhile(lambda word: _TABLE.search(word) or _is_like(Path(word), first), words)]
        left = words[len(more) :]
        if len(left) > len(names):
            ctx.fail(f"Got unexpected extra arguments ({' '.join(left[len(names) :])})")
        ctx.params["file"] = (first, *map(Path, more)) if more else first
        ctx.params |= dict(zip_longest(names, left))
        ctx.args = []

    def format_help_text(self, ctx: Any, formatter: Any) -> None:
        """Write the question, what the command answers, and lines to copy."""
        name, question = str(self.name), SPELLED[str(self.name)]
        verb = VERBS[name.split(" ", maxsplit=1)[0]]
        examples = [one for one in verb.examples if verb.asked(one.split()[2:])[0] == question]
        if verb.own == question:
            formatter.write(f"\n  {verb.asks}\n")
        super().format_help_text(ctx, formatter)
        if examples:
            with formatter.section("Examples"):
                formatter.write("".join(f"  {one}\n" for one in examples))

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the command's own options, and where those are that all have which read a file."""
        shared = reading_options()
        records = [(one, one.get_help_record(ctx)) for one in self.get_params(ctx)]
        shown = [(one, record) for one, record in records if record is not None]
        elsewhere = [one for one, _ in shown if shared.get(one.name or "") == getattr(one, "help", None)]
        elsewhere = elsewhere if len(elsewhere) > FEW else []
        own = [(one, record) for one, record in shown if one not in elsewhere]
        for title, kind in (("Arguments", "argument"), ("Options", "option")):
            listed = [record for one, record in own if one.param_type_name == kind]
            if listed:
                with formatter.section(title):
                    formatter.write_dl(listed)
        if elsewhere:
            with formatter.section("Reading the file"):
                formatter.write("  Options that are rarely needed, the same everywhere: quorate help reading.\n")
        verb = VERBS[str(self.name)] if self.name in VERBS else None
        if verb is not None and verb.more:
            with formatter.section("Asked with an option, each with a --help of its own"):
                formatter.write_dl([(asked, question.says) for asked, question in verb.more.items()])


def _is_like(place: Path, first: Path) -> bool:
    """Whether there is a folder beside a folder, or a file whose name ends as that of the first."""
    if first.is_dir():
        return place.is_dir()
    return bool(first.suffix) and place.suffix == first.suffix and place.is_file()


def reading_options() -> dict[str, str]:
    """Help of the options that say how a file is read, by their names."""
    from typing import get_args

    from quorate.cli.options.groups import options_of
    from quorate.cli.options.reading import Reading

    infos = {
        name: next(extra for extra in get_args(hint) if isinstance(extra, typer.models.OptionInfo))
        for name, hint in options_of(Reading).items()
    }
    return {name: info.help or "" for name, info in infos.items()}


def _reading_help(reader: Any) -> Any:
    """The command that lists options of reading, which are among those of ``reader``."""
    shared = reading_options()

    def listed() -> None:
        context = typer.Context(reader, info_name="quorate FILE")
        formatter = context.make_formatter()
        with formatter.section("How a file is read, where its columns do not say it"):
            records = [one.get_help_record(context) for one in reader.params if shared.get(one.name) == one.help]
            formatter.write_dl([record for record in records if record is not None])
        typer.echo(formatter.getvalue().rstrip())

    info = typer.models.CommandInfo(HELP, callback=listed)
    return typer.main.get_command_from_info(info, pretty_exceptions_short=False, rich_markup_mode=None)
