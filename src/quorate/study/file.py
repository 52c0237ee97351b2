"""Study file: what is to be judged, by whom, in which words, how often, and for how much at most."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Discriminator,
    Field,
    PrivateAttr,
    Tag,
    ValidationError,
    model_validator,
)

from quorate.collect.budget import Budget
from quorate.errors import InvalidInput
from quorate.planning.designs.names import LayoutName
from quorate.study.goal import KINDS, Amount, FilePart, Goal, Judge, PersonSettings, Positive, Text, seated, setting
from quorate.study.problems import belonging, first_problem, parsed
from quorate.table.exchange.postgres.address import Address, Place, place_of
from quorate.table.judgments import Judgments
from quorate.table.read_scores import read_scores
from quorate.table.read_votes import read_votes
from quorate.table.votes import Votes

# Adaptive parts of a study file: what a policy is to do, and which battles are drawn.


Crossed = Literal["judge", "prompt", "system", "temperature", "order"]
Above = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Share = Annotated[float, Field(gt=0, lt=1)]
Weights = Annotated[
    Annotated[str, Tag("column")] | Annotated[dict[str, dict[str, Above]], Tag("labels")],
    Discriminator(lambda given: "column" if isinstance(given, str) else "labels"),
]

_ELSEWHERE = {
    "attributes": "a reply has one score, so list the attributes as prompts: each is asked, and given calls, by itself",
    "prices": "are those of the judges; give price there, and budget.money",
    "budget": "is the study's own; give budget.calls or budget.money beside adaptive",
    "seed": "is the study's own; give it beside adaptive",
    "scale": "is that of the prompts; leave it out",
    "bounds": "are those of the prompts; leave them out",
    "floor": "is always there for whole scores: without it, what got equal answers first is never asked again",
    "replicates": "are what the policy finds; leave them out",
}
"""Options of `quorate.scores.adaptive` that a study says elsewhere, or cannot say, and why."""


class Battles(FilePart):
    """Pairs of systems whose next battles are drawn while votes come in, so that ratings become precise with few."""

    criterion: Literal["A", "D"] = setting(
        "What is made small: the sum of the variances of ratings, or their determinant.", "A"
    )
    batch: Annotated[int, Field(ge=1)] = setting("Battles per round.", 200)
    floor: Annotated[float, Field(gt=0, le=1)] = setting("Part of the chances that all pairs share alike.", 0.2)


class Adaptive(FilePart):
    """A policy that says what to ask next while answers come in."""

    name: Literal["uniform", "robin", "robin-hood"] = setting("Which policy.", "robin-hood")
    batch: Annotated[int, Field(ge=1)] = setting("Calls per round.", 256)
    cycle: Crossed | None = setting("Facet that is asked whole each time, such as judge.")
    objective: Literal["worst", "average", "boundary"] = setting("Whose error is made small.", "worst")
    at: Annotated[float, Field(allow_inf_nan=False)] | None = setting(
        "For boundary: a score that means are to be told apart from."
    )
    between: Crossed | None = setting("For boundary: a facet of two levels to be compared.")
    tolerance: Above | None = setting("For boundary: distance that does not matter.")
    decide: bool = setting("For boundary: stop where every side is known.", False)
    target: Above | None = setting("Half-width of every interval at which it stops.")
    level: Share = setting("Level of the intervals that stop it.", 0.95)
    interval: Literal["anytime", "t", "bernstein", "asymptotic"] = setting(
        "Kind of interval; anytime holds although one looks all the time.", "anytime"
    )
    together: bool = setting("Whether the level is that of all intervals at once.", True)
    weights: Weights | None = setting("Column of the items, or by facet and label: factors of squared errors; else 1.")
    variances: str | None = setting("For robin: table of earlier answers to the same questions, two or more to each.")
    delta: Share = setting("For robin-hood: chance of failure; a greater one asks less first.", 0.007)
    variant: Literal["experiment", "theory"] = setting("Constants of robin-hood.", "experiment")
    give_up: Annotated[int, Field(ge=1)] = setting("Failures in a row after which a cell is given up.", 5)

    @model_validator(mode="before")
    @classmethod
    def said_here(cls, given: Any) -> Any:
        """Refuse, with the reason, what stands elsewhere in a study file."""
        return belonging(given, _ELSEWHERE)

    @model_validator(mode="after")
    def consistent(self) -> Adaptive:
        """Refuse options that exclude each other, or that nothing uses."""
        stops = self.target is not None or self.decide
        idle = sorted({"level", "interval", "together"} & self.model_fields_set)
        if idle and not stops:
            raise ValueError(f"{idle[0]} is that of an early stop; give target, or decide for a boundary")
        if self.cycle is not None and self.cycle == self.between:
            raise ValueError(f"{self.cycle} is asked whole each time, or compared; leave cycle or between out")
        constants = sorted({"delta", "variant"} & self.model_fields_set)
        if constants and self.name != "robin-hood":
            raise ValueError(f"{constants[0]} is a constant of robin-hood; leave it out")
        if (self.name == "robin") != (self.variances is not None):
            raise ValueError(
                "robin is told all variances: give variances, a table of earlier answers, with it and with no other; "
                "robin-hood finds them"
            )
        return self


def _ledger_place(text: str) -> str:
    """A place that can be read and outlives the process; an address with a password is refused, and not repeated."""
    place_of(text)
    if str(Path(text)) == _IN_MEMORY:
        raise ValueError("must be a file that outlives the run, such as study.db, or an address of Postgres")
    return text


def _short(given: Any, field: str) -> Any:
    """A text alone stands for its most used field."""
    return {field: given} if isinstance(given, str) else given


def _prompts_by_name(given: Any) -> Any:
    """A list of built-in prompts as a mapping."""
    if not isinstance(given, list):
        return given
    if not all(isinstance(name, str) for name in given):
        raise ValueError("list names of built-in prompts, or map names to prompts")
    if len(set(given)) < len(given):
        raise ValueError("list each prompt once")
    prompts: Mapping[str, str] = {name: name for name in given}
    return prompts


def _unscored(given: Any) -> Any:
    """A list of labels, each with a score that the key of an item will say."""
    return (
        dict.fromkeys(given, 0.0) if isinstance(given, list) and all(isinstance(one, str) for one in given) else given
    )


_IN_MEMORY = ":memory:"  # what SQLite takes for no file at all


class Items(FilePart):
    """Where the items are: one row each, or one for each item and system."""

    file: Text = setting("JSON lines, CSV, TSV or Parquet; one row per item, or per item and system.", ...)
    id: Text = setting("Column of the item's name.", "id")
    category: Text | None = setting("Column of the item's category.")
    system: Text | None = setting("Column of the system that answered; judges do not see it.")
    system_a: Text | None = setting("Column of the system that gave response_a; not shown.")
    system_b: Text | None = setting("Column of the system that gave response_b; not shown.")

    @model_validator(mode="after")
    def pairs_or_single(self) -> Items:
        """Refuse systems of pairs beside those of single responses."""
        if (self.system_a is None) != (self.system_b is None):
            raise ValueError("give both system_a and system_b, or neither")
        if self.system is not None and self.system_a is not None:
            raise ValueError("system is for single responses, system_a and system_b are for pairs; leave one out")
        return self


class Wording(FilePart):
    """A prompt variant: a built-in one, or a Jinja file with its scale."""

    built_in: Text | None = setting("Name of a built-in prompt, such as score.")
    file: Text | None = setting("Jinja template over the fields of an item.")
    scale: Annotated[list[float], Field(min_length=2, max_length=2)] | None = setting(
        "Least and greatest score of a file's answers."
    )
    integer: bool = setting("Whether only whole numbers are scores.", True)
    labels: Annotated[dict[str, float], BeforeValidator(_unscored)] = Field(
        default_factory=dict, description="Verdicts in words, and the score of each; with a key a list of them."
    )
    key: Text | None = setting("Column of the item's right label, not shown: 1, any other 0.")
    reasoned: bool = setting("Whether a file asks for reasons before the answer.", False)
    name: Text = setting("What a file calls the answer in a structured reply.", "score")
    expected: bool = setting("Whether the score is the mean under the token probabilities.", False)
    instructions: Annotated[str, Field(min_length=1)] | None = setting(
        "What people read in place of the prompt's task; models do not."
    )

    @model_validator(mode="after")
    def one_source(self) -> Wording:
        """Refuse a prompt of two sources or none, and a file without its scale."""
        if (self.built_in is None) == (self.file is None):
            raise ValueError("give either built_in or file")
        if self.file is not None and self.scale is None:
            raise ValueError("a file needs its scale, such as [1, 10]")
        stated = {"scale", "integer", "labels", "key", "reasoned", "name"} & self.model_fields_set
        if self.built_in is not None and stated:
            raise ValueError(f"{min(stated)} is that of the built-in prompt; leave it out, or give a file")
        if self.key is not None and (self.scale != [0, 1] or len(self.labels) < 2):
            raise ValueError("with a key an answer is right or wrong; give the scale [0, 1] and a list of labels")
        return self


class LayoutSettings(FilePart):
    """Which judge scores which item in which words."""

    name: Annotated[
        LayoutName,
        BeforeValidator(lambda name: "factorial" if name == "all-judges" else name, LayoutName | Literal["all-judges"]),
    ] = setting("Which one; all-judges is another name of factorial.", "factorial")
    per_item: Positive | None = setting("Judges per item (blocks), pairs per item (latin).")
    places: dict[str, Positive] | None = setting("Places of each judge in a cycle (weighted).")
    pilot: Annotated[int, Field(ge=0)] = setting("Items that everyone judges, twice.", 0)


class Cap(FilePart):
    """The most that may be spent on the study's ledger, in all its runs."""

    calls: Annotated[int, Field(ge=0, le=10**15)] | None = setting("Requests, repeats and failures included.")
    money: Annotated[Amount, Field(le=1e9)] | None = setting("In the currency of the prices.")

    @model_validator(mode="after")
    def limited(self) -> Cap:
        """Refuse a cap that caps nothing."""
        if self.calls is None and self.money is None:
            raise ValueError("give calls, money or both")
        return self


class Study(FilePart):
    """A study file."""

    items: Annotated[Items, BeforeValidator(lambda given: _short(given, "file"))]
    judges: Annotated[dict[Text, Judge], Field(min_length=1), AfterValidator(seated)] = setting("Judges by name.", ...)
    prompts: Annotated[
        dict[Text, Annotated[Wording, BeforeValidator(lambda given: _short(given, "built_in"))]],
        Field(min_length=1),
        BeforeValidator(_prompts_by_name),
    ] = setting("Prompt variants by name, or a list of built-in ones.", ...)
    temperatures: list[Amount] | None = setting("A facet; the judges' own if absent.", min_length=1)
    order: Literal["listed", "swapped", "both"] | None = setting(
        "For pairs: in which order the two responses are shown."
    )
    replicates: Positive = setting("Answers of every cell; with a goal, the most.", 1, le=1_000_000)
    layout: Annotated[LayoutSettings, BeforeValidator(lambda given: _short(given, "name"))] = Field(
        default=LayoutSettings()
    )
    adaptive: Adaptive | None = setting("A policy instead of a layout.")
    battles: Battles | None = setting("For pairs: battles that are drawn, instead of a layout.")
    goal: Goal | None = setting("A question at whose answer the study stops, instead of both.")
    looks: Annotated[int, Field(ge=1, le=20)] = setting("Most analyses on the way to a goal.", 5)
    budget: Cap
    tries: Positive = setting("Answers of a cell that may fail before it is given up.", 5, le=1000)
    seed: Annotated[int, Field(ge=0, le=2**63 - 1)] = 1
    ledger: Annotated[Text, AfterValidator(_ledger_place)] | None = setting(
        "File of the answers, or postgresql://user@host/database?schema=name without a password; "
        "the study's name ending in .db if absent."
    )
    _path: Path = PrivateAttr(default=Path("study.yaml"))

    @model_validator(mode="after")
    def consistent(self) -> Study:
        """Refuse settings that exclude each other."""
        if self.adaptive is not None and {"layout", "replicates"} & self.model_fields_set:
            raise ValueError("adaptive: the policy says how often each cell is asked; leave layout and replicates out")
        if self.adaptive is not None and self.items.system_a is not None:
            raise ValueError("adaptive: policies measure scores, not votes; leave items.system_a and system_b out")
        self._check_goal()
        self._check_battles()
        temperatures = self.temperatures or []
        if len(set(temperatures)) < len(temperatures):
            raise ValueError("temperatures: give each one once")
        for name, judge in self.judges.items():
            if isinstance(judge, PersonSettings) and self.adaptive is not None:
                raise ValueError(f"judges.{name}: a policy waits for every answer; ask people by a layout")
            if isinstance(judge, PersonSettings) and temperatures:
                raise ValueError(f"judges.{name}: people have no temperature; set it in the params of each model")
            if temperatures and "temperature" in getattr(judge, "params", {}):
                raise ValueError(f"judges.{name}.params: temperature is set by temperatures; leave one of them out")
        return self

    def _check_goal(self) -> None:
        """Refuse a goal beside another plan, or of answers that the study does not give."""
        goal, votes = self.goal, self.items.system_a is not None
        if goal is None:
            if "looks" in self.model_fields_set:
                raise ValueError("looks: are those on the way to a goal; give goal, or leave looks out")
            return
        if self.adaptive is not None:
            raise ValueError("goal: a study has a goal or a policy, not both; leave adaptive or goal out")
        if "layout" in self.model_fields_set:
            raise ValueError("goal: the study finds how much is asked, and of whom; leave layout out")
        if len(self.temperatures or ()) > 1:
            raise ValueError("temperatures: a goal is about one; give one temperature")
        if goal.kind == "prefer" and not votes:
            raise ValueError("goal: prefer is of votes; give items.system_a and system_b, or compare for scores")
        if goal.kind not in ("prefer", "rank") and votes:
            raise ValueError(f"goal: {goal.kind} is of scores, and these items are pairs; give prefer or rank")
        if goal.target is not None and votes:
            raise ValueError("goal.target: is for scores; votes stand for the judges that gave them: leave it out")
        if goal.kind in ("compare", "rank") and self.items.system is None and not votes:
            raise ValueError(f"goal: {goal.kind} needs to know who answered; give items.system")

    def _check_battles(self) -> None:
        """Refuse battles to be drawn beside another plan, or among items that are no pairs."""
        if self.battles is None:
            return
        if self.items.system_a is None:
            raise ValueError("battles: are between two systems; give items.system_a and system_b, or leave battles out")
        for name, given in (("goal", self.goal), ("layout", "layout" in self.model_fields_set or None)):
            if given is not None:
                raise ValueError(f"battles: the study finds which pairs are asked; leave {name} out")

    @model_validator(mode="after")
    def by_category(self) -> Study:
        """Refuse a goal that asks by categories of items that have none."""
        goal = self.goal
        if goal is not None and (goal.by or goal.category_shares) and self.items.category is None:
            name = "by" if goal.by else "category_shares"
            raise ValueError(f"goal.{name}: asks by the categories of items; give items.category")
        return self

    @model_validator(mode="after")
    def in_stages(self) -> Study:
        """Refuse two stages without types of items, or with other looks than theirs."""
        if self.goal is not None and self.goal.stages is not None:
            if self.items.category is None:
                raise ValueError("goal.stages: types of items are their categories; give items.category")
            if "looks" in self.model_fields_set:
                raise ValueError("looks: two stages are looked at twice; leave looks out")
        return self

    @property
    def grows(self) -> bool:
        """Whether more is planned when all is answered, by people too."""
        return self.goal is not None or self.battles is not None

    @property
    def people(self) -> dict[str, PersonSettings]:
        """The judges that are people, by name."""
        return {name: judge for name, judge in self.judges.items() if isinstance(judge, PersonSettings)}

    @property
    def cap(self) -> Budget:
        """The most that may be spent."""
        return Budget(self.budget.calls, self.budget.money)

    @property
    def path(self) -> Path:
        """The study file."""
        return self._path

    @property
    def most_looks(self) -> int:
        """Most analyses on the way to a goal: one of each stage, where it has two."""
        return 2 if self.goal is not None and self.goal.stages is not None else self.looks

    @property
    def folder(self) -> Path:
        """Folder of the study file, in which its paths begin."""
        return self._path.parent

    @property
    def database(self) -> Place:
        """Where the ledger is: a file, or a schema of Postgres."""
        if self.ledger is None:
            return self._path.with_suffix(".db")
        place = place_of(self.ledger)
        return place if isinstance(place, Address) else self.folder / place


def load(path: str | os.PathLike[str]) -> Study:
    """A study file, checked.

    Raises
    ------
    InvalidInput
        If it cannot be read, or something in it breaks a rule; one line says where in the file.
    """
    place = Path(path)
    content = parsed(place)
    try:
        study = Study.model_validate(content)
    except ValidationError as error:
        raise InvalidInput(f"{place}: {first_problem(error.errors(include_url=False), KINDS, _settings())}") from None
    study._path = place  # noqa: SLF001  (its own)
    ledger = study.database
    if isinstance(ledger, Path) and os.path.exists(ledger) and not ledger.is_file():  # noqa: PTH110  (never raises)
        raise InvalidInput(f"{place}: ledger: {ledger} is a folder or a device; name a file, such as ledger: study.db")
    return study


@cache
def _settings() -> tuple[str, ...]:
    """Names of all settings, of every part."""
    found = schema()
    parts = [found, *found["$defs"].values()]
    return tuple(dict.fromkeys(name for part in parts for name in part.get("properties", ())))


def schema() -> dict[str, Any]:
    """JSON Schema of study files, for editors."""
    return {"title": "Quorate study", **Study.model_json_schema()}


# Answers of a study: what is in its ledger, as the table that it is.


def answers(study: Study) -> Judgments | Votes:
    """What is in a study's ledger: votes if its items name two systems, else scores."""
    if study.items.system_a is not None:
        return read_votes(study.database, announce=False)
    return read_scores(study.database, recognise=True, announce=False)
