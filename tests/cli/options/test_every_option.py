"""Every option of every command changes what its function is called with, or is refused by name."""

from __future__ import annotations

import inspect
import re
from contextlib import suppress
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.cli import main
from quorate.cli.entry import program
from quorate.cli.options.groups import ALL, TWO, For
from quorate.cli.options.reading import Reading, VoteReading
from quorate.cli.verbs import SPELLED, VERBS, reading_options
from quorate.estimate.differences.difference import closest

READ = "quorate.table.read_scores:read_scores"
READ_VOTES = "quorate.table.read_votes:read_votes"
ANSWER = "quorate.analysis.analyze:analyze"
DECOMPOSE = "quorate.estimate.components.decompose:decompose"
CLOSEST = "quorate.estimate.differences.difference:closest"
ANALYZE = "quorate.analysis.judgments:analyze_judgments"
BOARD = "quorate.estimate.ratings.corrected_ratings:corrected_ratings"
VARIABLES = "quorate.table.exchange.variables:variables"
REPLAY = "quorate.analysis.allocation:replay_pairs"

# Functions that each command calls, the one that answers last: of those that are a public function, that alone.
CALLS: dict[str, tuple[str, ...]] = {
    **{name: (READ, READ_VOTES, DECOMPOSE, one.of) for name, one in SPELLED.items() if one.of.startswith("quorate.")},
    "doctor": (READ, READ_VOTES, "quorate.estimate.doctor.support:doctor"),
    "analyze": (READ, READ_VOTES, ANSWER),
    "analyze --pilot": (READ, DECOMPOSE, "quorate.estimate.means.mean_from:mean_from"),
    "analyze --posterior": (
        READ,
        "quorate.estimate.posterior.check:check_posterior",
        "quorate.estimate.posterior.posterior:posterior",
    ),
    "demo": ("quorate.simulate.demo:write_demo",),
    "plan --design": (
        READ,
        DECOMPOSE,
        "quorate.planning.designs.dstudy:project",
        "quorate.planning.search.whatif:what_if",
    ),
    "plan": (READ, DECOMPOSE, "quorate.planning.search.optimize:plan"),
    "plan --effect": (READ, *(f"quorate.decide.effect:{name}" for name in ("plan_effect", "plan_bar", "plan_study"))),
    "assign": ("quorate.planning.assign:assign",),
    "judges": (READ, "quorate.planning.panel.panel:judges"),
    "plan --screen": (READ, "quorate.planning.panel.screening:screen"),
    "plan --adaptive": (READ, "quorate.analysis.allocation:allocation_view"),
    "init": (),
    "init --variants": ("quorate.study.variants:carry_out",),
    "run": ("quorate.study.file:load", "quorate.study.loop:carry_out", "quorate.analysis.goals.quote:quoted"),
    "serve": ("quorate.web.serve:serve",),
    "status": ("quorate.study.status:status",),
    "export --tasks": ("quorate.study.people:annotation_tasks",),
    "import": ("quorate.study.people:take_annotations",),
    "status --interim": ("quorate.analysis.interim:interim",),
    "compare": (READ, READ_VOTES, "quorate.decide.compare:compare"),
    "rank": (READ, READ_VOTES, "quorate.estimate.ratings.rank:rank"),
    "agents chain": ("quorate.estimate.agents.chain:chain",),
    "regress": (VARIABLES, "quorate.estimate.regression.regress:regress"),
    "compare --human": (READ, READ_VOTES, "quorate.estimate.agreement.prediction_powered:corrected"),
    "rank --human": (READ_VOTES, BOARD, "quorate.planning.labels_plan:plan_board_labels"),
    "judges --human": (READ, READ_VOTES, "quorate.estimate.agreement.against:against"),
    "judges --agree": (READ, READ_VOTES, "quorate.estimate.agreement.agreement:agreement"),
    "rank --pipelines": (READ, READ_VOTES, "quorate.simulate.pipelines.pipelines:pipelines"),
    "rank --tries": (READ, DECOMPOSE, "quorate.decide.gaming:gaming"),
    "papers": ("quorate.reproduction.reproduce:reproduce",),
    "report": (READ, ANALYZE),
    "export": (READ, "quorate.reporting.export:export"),
    "plan --human": (READ, READ_VOTES, "quorate.planning.plan_labels:plan_labels"),
    "plan --votes": (READ_VOTES, "quorate.planning.power.votes_plan:plan_votes"),
    "votes protocols": (READ_VOTES, "quorate.planning.power.protocols:protocols"),
    "assign --after": (READ_VOTES, "quorate.planning.battles:next_battles"),
    "assign --pool": ("quorate.planning.battles:sample_battles",),
    "compare --watch": (READ_VOTES, "quorate.decide.stop:monitor"),
    "votes replay": (READ_VOTES, REPLAY, "quorate.analysis.allocation:replay_pair"),
}
# Options of the command line alone: of what is printed and written, and of roles that are kept.
PRINTED = {"as_json", "full", "force", "report", "no_report", "charts", "roles", "save", "study", "format_"}
MOST_OWN = 25
# What is needed to run a command, and a value for every option that has no other rule; {} is a file.
_PRICED = "--human-price 1 --price .01"
NEEDS = {
    "papers": "tee.safety",
    "agents hazard": "{scores} --threshold 5",
    "agents chain": "{scores} --stages item,score",
    "regress --sign-flip": "--beta .06 --se .03",
    "regress": "{scores} --outcome score --on item --labels score --probability .5",
    "plan": "{scores} --budget 50",
    "plan --effect": "{scores} x y --effect .5",
    "validate": "{scores} --budgets 50",
    "plan --adaptive": "{scores} --budget 500",
    "assign": "--items 12 --judges a,b",
    "compare": "{votes} x y",
    "judges --human": "{scores} --human a",
    "judges --agree": "{votes} --human ann",
    "compare --human": "{votes} x --human ann",
    "rank --human": "{votes} --human ann",
    "votes protocols": "{votes} {votes}",
    "assign --after": "{votes} --number 5",
    "assign --pool": "{votes} --floor 3",
    "rank --tries": "{scores} --tries 27",
    "export": "{scores} out.csv",
    "plan --human": f"{{votes}} --human ann --a x {_PRICED} --budget 99",
    "plan --votes": "--margin .1",
    "compare --watch": "{votes} x y",
    "votes replay": "{votes}",
    "rank": "{votes}",
    "rank --models": "{votes}",
    "rank --pipelines": "{votes}",
    "analyze --pilot": "{scores} --pilot {scores}",
    "analyze --baseline": "{scores} --baseline .5",
    "demo": "",
    "init --variants": "study.yaml --yes",
    "run": "study.yaml --yes",
    "serve": "study.yaml",
    "status": "study.yaml",
}
OF_SCORES = (
    *(
        *("score", "object_", "nested", "fixed", "missing", "scale", "wide", "label", "numbers", "labels"),
        "less_is_better",
    ),
    "families",
)
VALUES = {
    "a": "x",
    "b": "y",
    "budgets": "60,70",
    "bar": "sensitivity=.5",
    "k": "1",
    "cell": "judge=bob",
    "covariates": "prompt",
    "targets": "judge=panel",
    "rank": "place",
    "facet": "judge=judge",
    "families": "a=one,b=one",
    "fixed": "prompt",
    "generation": "prompt",
    "host": "::1",
    "human": "bob",
    "human_label": "prompt",
    "identities": "a=x",
    "item_column": "prompt",
    "judge": "c",
    "judge_price": "a=0.5",
    "jobs": "7",
    "judges": "1-3",
    "layouts": "cyclic",
    "levels": "annotator=2",
    "missing": "N/A",
    "model_a": "model_b",
    "model_b": "model_a",
    "names": "p,q",
    "nested": "item=prompt",
    "numbers": "1=5",
    "only": "judge=a",
    "outcome": "a=model_a",
    "own": "items=7",
    "places": "a=3",
    "plans": "naive",
    "prompt": "p",
    "prompts": "1,2",
    "random": "item",
    "sampling_probability": "prompt",
    "role": "judge=judge",
    "scale": "1:5",
    "score": "points",
    "status": "state",
    "systems": "z",
    "target": "judge=panel",
    "temperatures": "2",
    "wins": "a,b",
    "winner": "person",
    "where": "prompt < 'z'",
    "wide": "judge=a,b",
    "label": "x",
    "link": "owner",
    "part": "match",
    "file_format": "json",
    "group": "a=x,b=x",
}
VALUES_IN = {
    **{("plan --effect", name): text for name, text in {"rates": ".7", "sd": "1", "spread": "judge=.03"}.items()},
    ("plan --effect", "seen"): "47/50",
    **{("plan", name): "2,3" for name in ("items", "replicates", "per_item")},
    ("assign", "category"): "system",
    ("assign", "category_items"): "x=7,y=5",
    **{(name, "category_items"): "9,1" for name in ("plan --design",)},
    ("plan --design", "category_shares"): ".9,.1",
    ("assign", "items"): "13",
    ("regress", "outcome"): "item",
    ("agents chain", "stages"): "judge,score",
    ("agents hazard", "turns"): "judge",
    ("agents hazard", "levels"): "judge=2",
    ("agents ensemble", "levels"): "prompt=2",
    ("regress --surrogate", "levels"): "prompt=2",
    ("regress --surrogate", "drawn"): "prompt",
    ("agents ensemble", "over"): "prompt",
    ("regress", "labels"): "item",
    ("regress", "on"): "prompt",
    ("regress", "probability"): ".7",
    ("assign", "judges"): "a,c",
    ("assign", "prompts"): "p,r",
    ("assign", "layout"): "cyclic",
    ("analyze --check", "order"): "prompt",
    ("plan --votes", "pilot"): "30/50",
    ("assign --pool", "category"): "judge",
    ("plan --votes", "cluster"): "3",
    ("plan --votes", "icc"): ".1",
}
OTHERS = {  # what an option goes with, in place of what the command needs
    ("plan", "target_se"): "{scores}",
    ("plan", "half_width"): "{scores}",
    ("assign", "item_column"): "--items {scores} --judges a,b",
    ("assign", "category"): "--items {scores} --judges a,b --item-column item",
    ("judges --agree", "human_label"): "{votes}",
    ("rank --pipelines", "human_label"): "{votes}",
    ("compare --human", "human_label"): "{votes} x",
    ("rank --human", "human_label"): "{votes}",
    ("plan --human", "human_label"): f"{{votes}} --a x {_PRICED} --budget 99",
    ("judges --human", "people"): "{scores}",
    ("judges --human", "human_label"): "{scores}",
    ("judges --agree", "people"): "{votes}",
    ("plan --votes", "pilot"): "",
    **{("plan --votes", one.name): "--pilot {votes}" for one in fields(VoteReading)},
    **{("plan --votes", one): "--pilot {votes}" for one in "ab"},
    ("plan --votes", "cluster"): "--margin .1 --icc .1",
    **{("analyze", name): "{votes}" for name in ("power", "cluster", "minimum", "margin", "ties")},
    ("votes replay", "a"): "{votes} --b y --by judge",
    ("votes replay", "b"): "{votes} --a x --by judge",
    ("votes replay", "by"): "{votes} --a x --b y",
    ("votes replay", "c"): "{votes} --a x --b y --by judge",
    ("votes replay", "retained"): "{votes} --a x --b y --by judge",
    ("votes replay", "per_type"): "{votes} --a x --b y --by judge",
    **{("compare", name): "{scores} x y" for name in (*OF_SCORES, "system", "targets", "judge_price")},
    **{("rank", name): "{scores}" for name in (*OF_SCORES, "system", "targets")},
    **{("rank --pipelines", name): "{scores}" for name in OF_SCORES},
    ("compare", "method"): "{scores} x y",
    ("rank --pipelines", "system"): "{scores}",
    **{("judges --agree", name): "{scores} --people {votes}" for name in OF_SCORES},
    ("compare --human", "people"): "{votes} x",
    ("rank --human", "people"): "{votes}",
    **{("compare --human", name): "{scores} --human a" for name in (*OF_SCORES, "facet")},
    ("plan --human", "people"): f"{{votes}} --a x {_PRICED} --budget 99",
    **{("plan --human", name): f"{{scores}} --human a {_PRICED} --budget 99" for name in (*OF_SCORES, "facet")},
    **{("plan --human", name): f"{{votes}} --human ann --a x {_PRICED}" for name in ("half_width", "margin")},
}

PROGRAM = program()
COMMANDS = dict(PROGRAM.commands)
RUNS = {spelling: one.command() for spelling, one in SPELLED.items()}
OPTIONS = [(name, option.name) for name, command in COMMANDS.items() for option in command.params]


def test_every_command_is_here():
    assert CALLS.keys() == COMMANDS.keys()


def test_no_command_has_more_options_of_its_own_than_25():
    shared = reading_options()
    own = {
        name: [one for one in command.params if one.param_type_name == "option" and shared.get(one.name) != one.help]
        for name, command in COMMANDS.items()
    }
    assert {name: len(options) for name, options in own.items() if len(options) > MOST_OWN} == {}


def test_every_exception_is_needed():
    assert not (OTHERS.keys() | VALUES_IN.keys()) - set(OPTIONS)
    assert not (PRINTED | VALUES.keys()) - {option for _, option in OPTIONS}


class Heard(Exception):
    """The last function of a command was called."""


@pytest.fixture(scope="module")
def every_module():
    """Every module loaded: one that a command loads first would keep what stands in for the functions it names."""
    for one in walk_packages(q.__path__, "quorate."):
        if not one.name.endswith("__main__"):
            with suppress(ImportError):
                import_module(one.name)


@pytest.fixture(scope="module")
def tables(tmp_path_factory, every_module):
    """A file of scores and one of votes, and what they hold."""
    folder = tmp_path_factory.mktemp("tables")
    draw = np.random.default_rng(1)
    cells = [(i, j, p, s) for i in range(12) for j in "abc" for p in "pq" for s in "xy"]
    scores = [(*cell, cell[0] % 4 + float(draw.normal())) for cell in cells]
    names = ["item", "judge", "prompt", "system", "score"]
    pl.DataFrame(scores, schema=names, orient="row").write_csv(folder / "scores.csv")
    votes = [("x", "y", f"p{i}", j, f"model_{'ab'[i % 2]}", "model_a") for i in range(20) for j in ("ann", "bob")]
    names = ["model_a", "model_b", "prompt", "judge", "winner", "person"]
    pl.DataFrame(votes, schema=names, orient="row").write_csv(folder / "votes.csv")
    judgments = q.read(folder / "scores.csv", announce=False)
    made = {READ: judgments, READ_VOTES: q.read_votes(folder / "votes.csv", announce=False), DECOMPOSE: None}
    made[BOARD] = q.agreement.corrected_ratings(made[READ_VOTES], "ann")
    made[VARIABLES] = dict.fromkeys(["item", "judge", "prompt", "score"], "a column")
    made[CLOSEST] = closest(judgments)
    made[DECOMPOSE] = q.decompose(q.read(folder / "scores.csv", announce=False).only("system", "x"))
    return folder, made


@pytest.fixture
def heard(tables, monkeypatch, capsys):
    """Runs a command up to the function that it calls, and gives what its functions were called with, or its error."""
    folder, made = tables
    monkeypatch.chdir(folder)
    calls: list[str] = []

    def recorder(path: str):
        def record(*arguments: object, **named: object) -> object:
            said = repr((path, arguments, sorted(named.items(), key=lambda one: one[0])))
            calls.append(re.sub(" at 0x[0-9a-f]+", "", said))  # where a function lies in memory differs every time
            if path in made:
                return made[path]
            if path == "quorate.study.file:load":
                return None
            raise Heard

        return record

    for path in {CLOSEST, *(path for paths in CALLS.values() for path in paths)}:
        module, _, name = path.partition(":")
        monkeypatch.setattr(import_module(module), name, recorder(path))
    monkeypatch.setattr(VoteReading, "has_votes", lambda _, file: file.name == "votes.csv")

    def run(line: str, *words: str) -> tuple[tuple[str, ...], str]:
        calls.clear()
        main([*line.format(scores="scores.csv", votes="votes.csv").split(), *words])
        return tuple(calls), capsys.readouterr().err

    return run


def kind_of(command: str, option: str) -> Any:
    """The type of an option, without None."""
    hint = inspect.signature(RUNS[command]).parameters[option].annotation.__origin__
    return next(one for one in (get_args(hint) or (hint,)) if one is not type(None)) if _is_union(hint) else hint


def _is_union(hint: Any) -> bool:
    return get_origin(hint) in (Union, UnionType)


def value_of(command: str, option: Any) -> list[str]:
    """An option with a value other than its default."""
    name, kind = next(one for one in option.opts if one.startswith("--")), kind_of(command, option.name)
    if kind is bool:
        return [name]
    if get_origin(kind) is Literal:
        return [name, next(one for one in reversed(get_args(kind)) if one != option.default)]
    texts = {int: "7", float: "0.625", Path: "votes.csv"}
    text = VALUES_IN.get((command, option.name)) or texts.get(kind) or VALUES.get(option.name, "judge")
    return [name, text]


def start_of(command: str) -> str:
    """The words that a command line begins with: an option with a value of its own is not among them."""
    verb, _, asked = command.partition(" ")
    return verb if any(one.startswith(f"{asked} ") for one in VERBS[verb].more) else command


LATE = {
    ("papers", "list_"),
    ("doctor", "fit"),
    ("plan", "draws"),
    ("judges", "validate"),
    ("rank", "elo"),
    ("rank --human", "elo"),
    ("assign", "calls"),
    ("assign --pool", "chosen"),
    ("assign --after", "chosen"),
    ("analyze", "minimum"),
    ("analyze", "certify"),
    ("compare", "certify"),
    ("rank", "certify"),
    ("compare --watch", "within"),
    ("run", "yes"),
    ("analyze --posterior", "yes"),
    ("init --variants", "yes"),
}
"""Used on what the function returns or asks, with a report, or to name systems; tests of these commands show it."""


@pytest.mark.parametrize("command", [name for name in COMMANDS if CALLS[name]])
def test_no_option_is_ignored(heard, command):
    """With an option, the function is called with something else than without it, or the option is refused by name."""
    plain: dict[str, tuple[str, ...]] = {}
    for option in COMMANDS[command].params:
        if option.param_type_name != "option" or option.name in PRINTED or (command, option.name) in LATE:
            continue
        line = f"{start_of(command)} {OTHERS.get((command, option.name), NEEDS.get(command, '{scores}'))}"
        given = value_of(command, option)
        if line not in plain:
            plain[line] = heard(line)[0]
        calls, error = heard(line, *given)
        assert "internal error (Heard" in error or given[0] in error, (option.name, error)
        assert calls != plain[line] or given[0] in error, option.name


def options_for(command: str, kind: str) -> list[str]:
    """Options of a command that are of use with one kind of thing alone."""
    signature = inspect.signature(RUNS[command]).parameters
    return [name for name, one in signature.items() if For(kind) in getattr(one.annotation, "__metadata__", ())]


READING = {field.name for field in fields(Reading)}
WRONG = [
    *((name, "votes", "{scores} x y" if name == "compare" else "{scores}") for name in ("compare", "rank")),
    *((name, "scores", "{votes} x y" if name == "compare" else "{votes}") for name in ("compare", "rank")),
    ("judges --agree", "votes", "{scores} --people {votes}"),
    ("judges --agree", "scores", "{votes} --human ann"),
    ("rank --pipelines", "votes", "{scores}"),
    ("rank --pipelines", "scores", "{votes}"),
    ("analyze", "scores", "{votes}"),
    ("analyze", "votes", "{scores}"),
    ("doctor", "scores", "{votes}"),
    ("doctor", "votes", "{scores}"),
    ("votes replay", TWO, "{votes}"),
    ("votes replay", ALL, "{votes} --a x --b y --by judge"),
]


def refused(command: str, kind: str) -> list[str]:
    """Options of a command that are refused for what is not of this kind, each by its name."""
    return [
        option
        for option in options_for(command, kind)
        # one of reading says what kind of file it is, but for people who have a file of their own
        if not (command in ("compare", "rank", "analyze", "doctor") and option in READING)
        and not (command == "judges --agree" and (kind, option in READING) == ("votes", True))
        and option != "facet"
        and not (command == "analyze" and option in ("a", "b"))  # one alone is refused first
    ]


@pytest.mark.parametrize(("command", "kind", "needs"), [one for one in WRONG if refused(*one[:2])])
def test_an_option_for_another_kind_of_file_is_refused(heard, command, kind, needs):
    for option in refused(command, kind):
        given = value_of(command, next(one for one in COMMANDS[command].params if one.name == option))
        calls, error = heard(f"{command} {needs}", *given)
        assert f"quorate: {given[0]}: " in error
        assert "for " in error
        assert not [call for call in calls if READ not in call and READ_VOTES not in call], option
