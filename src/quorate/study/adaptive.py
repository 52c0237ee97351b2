"""Adaptive parts of a study file: what a policy is to do, and which battles are drawn."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, model_validator

from quorate.study.problems import belonging

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


class Battles(BaseModel):
    """Pairs of systems whose next battles are drawn while votes come in, so that ratings become precise with few."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    criterion: Literal["A", "D"] = Field(
        default="A", description="What is made small: the sum of the variances of ratings, or their determinant."
    )
    batch: Annotated[int, Field(ge=1)] = Field(default=200, description="Battles per round.")
    floor: Annotated[float, Field(gt=0, le=1)] = Field(
        default=0.2, description="Part of the chances that all pairs share alike."
    )


class Adaptive(BaseModel):
    """A policy that says what to ask next while answers come in."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    name: Literal["uniform", "robin", "robin-hood"] = Field(default="robin-hood", description="Which policy.")
    batch: Annotated[int, Field(ge=1)] = Field(default=256, description="Calls per round.")
    cycle: Crossed | None = Field(default=None, description="Facet that is asked whole each time, such as judge.")
    objective: Literal["worst", "average", "boundary"] = Field(
        default="worst", description="Whose error is made small."
    )
    at: Annotated[float, Field(allow_inf_nan=False)] | None = Field(
        default=None, description="For boundary: a score that means are to be told apart from."
    )
    between: Crossed | None = Field(default=None, description="For boundary: a facet of two levels to be compared.")
    tolerance: Above | None = Field(default=None, description="For boundary: distance that does not matter.")
    decide: bool = Field(default=False, description="For boundary: stop where every side is known.")
    target: Above | None = Field(default=None, description="Half-width of every interval at which it stops.")
    level: Share = Field(default=0.95, description="Level of the intervals that stop it.")
    interval: Literal["anytime", "t", "bernstein", "asymptotic"] = Field(
        default="anytime", description="Kind of interval; anytime holds although one looks all the time."
    )
    together: bool = Field(default=True, description="Whether the level is that of all intervals at once.")
    weights: Weights | None = Field(
        default=None,
        description="Column of the items, or by facet and label: factors of squared errors; else 1.",
    )
    variances: str | None = Field(
        default=None, description="For robin: table of earlier answers to the same questions, two or more to each."
    )
    delta: Share = Field(default=0.007, description="For robin-hood: chance of failure; a greater one asks less first.")
    variant: Literal["experiment", "theory"] = Field(default="experiment", description="Constants of robin-hood.")
    give_up: Annotated[int, Field(ge=1)] = Field(
        default=5, description="Failures in a row after which a cell is given up."
    )

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
