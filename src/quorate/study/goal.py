"""Goal of a study file: the question that a study is to answer, at which it stops."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from quorate.study.kinds import FilePart, Positive, Text
from quorate.study.problems import belonging

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

    compare: Pair | None = Field(default=None, description="Two systems, whose mean scores are told apart.")
    half_width: Above | None = Field(
        default=None, description="Half-width of the interval of the mean score; of every system's."
    )
    rank: Literal["best"] | None = Field(
        default=None,
        description="Find the best of all systems; of votes, the one preferred to each other.",
    )
    prefer: Pair | None = Field(default=None, description="Two systems, of votes: which one is preferred.")
    margin: Above | None = Field(
        default=None,
        description="With compare or prefer: a difference that would not matter; whether there is more is decided "
        "either way. For prefer it is in shares of votes.",
    )
    stages: Annotated[int, Field(ge=2, le=2)] | None = Field(
        default=None,
        description="With prefer: 2 asks of every category first, then of those alone whose votes were furthest from "
        "one half, which is what it then decides about.",
    )
    retained: Annotated[float, Field(gt=0, lt=1)] = Field(
        default=0.2, description="With stages: part of the categories that the second asks of."
    )
    per_type: Positive | None = Field(
        default=None,
        description="With stages: votes of each category in the first; 10 log of their number, rounded up, by default.",
    )
    by: Literal["category"] | None = Field(
        default=None, description="With compare or half_width: ask it of every category of items by itself."
    )
    category_shares: dict[Text, Above] | Literal["items"] | None = Field(
        default=None,
        description="With compare or half_width: what each category counts for in the mean, such as {math: 0.5, code: "
        "0.5}; items for their shares of the items. Without it categories stand for others like them.",
    )
    target: dict[Text, Literal["population", "panel"]] | None = Field(
        default=None, description="For scores: what facets stand for, such as {judge: population}."
    )
    power: Annotated[float, Field(ge=0.5, lt=1)] = Field(
        default=0.9, description="With compare or prefer: chance to decide, if the budget has room for it."
    )
    level: Annotated[float, Field(gt=0.5, lt=1)] = Field(
        default=0.95, description="Chance that what is said at the end holds, however often it was looked at."
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
