"""Goal of a study file: the question that a study is to answer, at which it stops."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from quorate.collect.judges.apis import ApiName
from quorate.study.problems import belonging

# Kinds of judges: the settings of each in a study file, and what every part of such a file is made of.


def _printable(text: str) -> str:
    """A text that has something to print, and nothing else."""
    if not text.strip() or not text.isprintable():
        raise ValueError("must have text, without line ends or control characters")
    return text


def _environment_variable(name: str) -> str:
    """The name of an environment variable; what is none may be a key, and is not repeated."""
    if not (name.isascii() and name.isidentifier()):
        raise ValueError("must be the name of an environment variable, such as MY_KEY; never write a key here")
    return name


Positive = Annotated[int, Field(ge=1)]
Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Text = Annotated[str, Field(min_length=1), AfterValidator(_printable)]
Variable = Annotated[str, AfterValidator(_environment_variable)]


def setting(says: str, default: Any = None, **limits: Any) -> Any:
    """A setting of a study file, with what its schema says of it; of one that must be given the default is ``...``."""
    return Field(default=default, description=says, **limits)


class FilePart(BaseModel):
    """A part of a study file: nothing but what is named here, and no text where a number is wanted."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Prices(FilePart):
    """What a judge's calls cost, in the currency of the budget; an unknown price stays unknown."""

    input: Amount | None = setting("Per million tokens of the prompt.")
    output: Amount | None = setting("Per million tokens of the reply.")
    call: Amount | None = setting("Per call, on top of the tokens.")

    @model_validator(mode="after")
    def complete(self) -> Prices:
        """Refuse one price of tokens without the other, and none at all."""
        if (self.input is None) != (self.output is None):
            raise ValueError("give input and output together, or a price per call alone")
        if self.input is None and self.call is None:
            raise ValueError("give input and output, or call; leave price out where it is not known")
        return self


class _Judge(FilePart):
    price: Prices | None = setting("What calls cost; leave it out where it is not known.")
    concurrency: Positive = setting("Most requests in flight at once.", 64, le=100_000)
    rate: Annotated[float, Field(ge=1e-3, le=1e6)] | None = setting("Requests per second.")


class RemoteSettings(_Judge):
    """How a model behind an address is reached."""

    base_url: Text = setting("Address to which /chat/completions, /messages or /models/... is added.", ...)
    model: Text = setting("Model, as the endpoint calls it.", ...)
    key_env: Variable | None = setting("Environment variable that holds the key; never the key.")
    key_header: Text | None = setting("Header of the key, if not the usual one.")
    params: dict[str, Any] = Field(default_factory=dict, description="Parameters of every call, such as max_tokens.")
    structured: Literal["json_schema", "json_object", "structured_outputs", "grammar"] | None = setting(
        "How the endpoint holds the model to the form of the answer."
    )
    timeout: Annotated[float, Field(ge=0.01, le=86_400)] = setting("Seconds for a call.", 120.0)
    headers: dict[str, str] = Field(default_factory=dict, description="Sent with every call; no keys.")
    query: dict[str, str] = Field(default_factory=dict, description="Query of every address; no keys.")


class EndpointSettings(RemoteSettings):
    """A model behind an endpoint."""

    kind: Literal["endpoint"]
    api: ApiName = setting("Form in which it is asked; most speak that of OpenAI.", "openai")
    idempotency: bool = setting("Whether calls carry an Idempotency-Key, so that one sent again is billed once.", True)


class BatchSettings(RemoteSettings):
    """The same through the endpoint's batches: often cheaper, and answered within hours."""

    kind: Literal["batch"]
    size: Annotated[int, Field(ge=1, le=50_000)] = setting("Most questions in a batch.", 1000)
    concurrency: Positive = setting("Most questions that wait for an answer.", 10_000, le=100_000)
    linger: Annotated[float, Field(ge=0.01, le=86_400)] = setting(
        "Seconds without a new question after which a batch is sent though it is not full.", 2.0
    )
    poll: Annotated[float, Field(ge=0.01, le=86_400)] = setting("Seconds between two looks at a batch.", 30.0)
    window: Text = setting("Time in which the endpoint is to answer, as it calls it.", "24h")
    line_url: Text = setting("Address in every line of a batch.", "/v1/chat/completions")


class LocalSettings(_Judge):
    """A small model in this process."""

    kind: Literal["local"]
    path: Text | None = setting("GGUF file; SmolLM2 135M Instruct unless given.")
    context: Positive = setting("Tokens of prompt and reply together.", 4096)
    threads: Positive | None = setting("Threads that the model computes with.")
    params: dict[str, Any] = Field(default_factory=dict, description="Parameters of every call.")
    structured: bool = setting("Whether a grammar holds the model to the form of the answer.", True)


class ReplaySettings(_Judge):
    """Judgments that were recorded before, given again."""

    kind: Literal["replay"]
    table: Text = setting("CSV, JSON lines, Parquet or ledger; the judge's name is its level there.", ...)


class PythonSettings(_Judge):
    """A function, given to quorate.run by the judge's name."""

    kind: Literal["python"]
    version: str = setting("Change it when the function changes: answers of two never mix.", "")


class PersonSettings(FilePart):
    """A person, who answers on a page of ``quorate serve``."""

    kind: Literal["person"]
    price: Amount | None = setting("Per vote; leave it out where it is not known.")
    minutes: Annotated[float, Field(ge=0.1, le=1440)] = setting(
        "How long a question is kept for an answer, and an answer can be taken back.", 15.0
    )


class PeopleSettings(PersonSettings):
    """Several people, each a judge of their own: raters with two seats are "raters 1" and "raters 2"."""

    kind: Literal["people"]  # type: ignore[assignment]
    seats: Annotated[int, Field(ge=1, le=1000)] = setting("How many people.", ...)

    def seated(self, name: str) -> dict[str, PersonSettings]:
        """The judges that they are."""
        one = self.model_dump(exclude={"kind", "seats"})
        return {f"{name} {seat}": PersonSettings(kind="person", **one) for seat in range(1, self.seats + 1)}


Judge = Annotated[
    EndpointSettings
    | BatchSettings
    | LocalSettings
    | ReplaySettings
    | PythonSettings
    | PersonSettings
    | PeopleSettings,
    Field(discriminator="kind"),
]


def seated(judges: dict[str, Judge]) -> dict[str, Judge]:
    """Judges with a name for every seat of several people."""
    found: dict[str, Judge] = {}
    for name, judge in judges.items():
        own: Mapping[str, Judge] = judge.seated(name) if isinstance(judge, PeopleSettings) else {name: judge}
        for taken in found.keys() & own.keys():
            raise ValueError(f'"{taken}" is the name of a seat and of another judge; rename one')
        found |= own
    return found


KINDS = tuple(get_args(settings.model_fields["kind"].annotation)[0] for settings in get_args(get_args(Judge)[0]))


Pair = Annotated[list[Text], Field(min_length=2, max_length=2)]
Above = Annotated[float, Field(gt=0, allow_inf_nan=False)]

_ELSEWHERE = {
    "looks": "stand beside the goal, such as looks: 5",
    "budget": "is the study's own; give budget.calls or budget.money beside goal",
    "seed": "is the study's own; give it beside goal",
    "alpha": "is 1 - level; give level, such as level: 0.95",
    "layout": "is what the study finds; leave it out",
}


class Goal(FilePart):
    """One question; the study buys what is needed to answer it, and stops."""

    compare: Pair | None = setting("Two systems, whose mean scores are told apart.")
    half_width: Above | None = setting("Half-width of the interval of the mean score; of every system's.")
    rank: Literal["best"] | None = setting("Find the best of all systems; of votes, the one preferred to each other.")
    prefer: Pair | None = setting("Two systems, of votes: which one is preferred.")
    margin: Above | None = setting(
        "With compare or prefer: a difference that would not matter; whether there is more is decided "
        "either way. For prefer it is in shares of votes."
    )
    stages: Annotated[int, Field(ge=2, le=2)] | None = setting(
        "With prefer: 2 asks of every category first, then of those alone whose votes were furthest from "
        "one half, which is what it then decides about."
    )
    retained: Annotated[float, Field(gt=0, lt=1)] = setting(
        "With stages: part of the categories that the second asks of.", 0.2
    )
    per_type: Positive | None = setting(
        "With stages: votes of each category in the first; 10 log of their number, rounded up, by default."
    )
    by: Literal["category"] | None = setting("With compare or half_width: ask it of every category of items by itself.")
    category_shares: dict[Text, Above] | Literal["items"] | None = setting(
        "With compare or half_width: what each category counts for in the mean, such as {math: 0.5, code: "
        "0.5}; items for their shares of the items. Without it categories stand for others like them."
    )
    target: dict[Text, Literal["population", "panel"]] | None = setting(
        "For scores: what facets stand for, such as {judge: population}."
    )
    power: Annotated[float, Field(ge=0.5, lt=1)] = setting(
        "With compare or prefer: chance to decide, if the budget has room for it.", 0.9
    )
    level: Annotated[float, Field(gt=0.5, lt=1)] = setting(
        "Chance that what is said at the end holds, however often it was looked at.", 0.95
    )

    @model_validator(mode="before")
    @classmethod
    def said_here(cls, given: Any) -> Any:
        """Refuse, with the reason, what stands elsewhere in a study file."""
        return belonging(given, _ELSEWHERE)

    @model_validator(mode="after")
    def one_question(self) -> Goal:
        """Refuse several questions or none, and what does not belong to the one that is asked."""
        asked = self.asked
        if len(asked) != 1:
            got = f"got {' and '.join(asked)}" if asked else "got none"
            raise ValueError(f"ask one question: compare, half_width, rank or prefer; {got}")
        (kind,) = asked
        pair = self.compare or self.prefer
        if pair is not None and pair[0] == pair[1]:
            raise ValueError(f'{kind}: "{pair[0]}" is compared with itself; name two systems')
        for name in ("margin", "power"):
            if name in self.model_fields_set and pair is None:
                raise ValueError(f"{name} is that of two systems; give compare or prefer, or leave {name} out")
        if self.target is not None and kind == "prefer":
            raise ValueError("target is for scores; votes stand for the judges that gave them: leave it out")
        if kind == "prefer" and self.margin is not None and self.margin >= _HALF:
            raise ValueError(f"margin of votes is a distance from one half, below 0.5, got {self.margin:g}")
        return self

    @model_validator(mode="after")
    def staged(self) -> Goal:
        """Refuse stages of other goals than votes, and what does not go with them."""
        for name in ("retained", "per_type"):
            if name in self.model_fields_set and self.stages is None:
                raise ValueError(f"{name} is that of two stages; give stages: 2, or leave {name} out")
        if self.stages is not None and self.prefer is None:
            raise ValueError("stages are those of votes; give prefer, or leave stages out")
        for name in ("margin", "power"):
            if name in self.model_fields_set and self.stages is not None:
                raise ValueError(f"{name}: two stages spend the whole budget; leave {name} or stages out")
        return self

    @model_validator(mode="after")
    def categories(self) -> Goal:
        """Refuse categories of other goals than means and comparisons of scores, and two ways to take them."""
        for name in ("by", "category_shares"):
            if getattr(self, name) is not None and self.kind not in ("compare", "half_width"):
                raise ValueError(f"{name} goes with compare and half_width, not with {self.kind}; leave it out")
        if self.by is not None and self.category_shares is not None:
            raise ValueError("category_shares are those of a mean over all categories; leave them or by out")
        if (self.by or self.category_shares) and "category" in (self.target or {}):
            raise ValueError("target: categories stand for themselves here; leave category out of it")
        return self

    @property
    def asked(self) -> tuple[str, ...]:
        """Which questions are asked, by name."""
        return tuple(name for name in ("compare", "half_width", "rank", "prefer") if getattr(self, name) is not None)

    @property
    def kind(self) -> str:
        """Which question it is."""
        return self.asked[0]

    @property
    def pair(self) -> tuple[str, str] | None:
        """The systems that it names."""
        named = self.compare or self.prefer
        return None if named is None else (named[0], named[1])


_HALF = 0.5
