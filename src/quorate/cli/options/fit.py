"""How a model is fitted and intervals are drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import typer

from quorate.cli.options.groups import For, Group, only, spelled
from quorate.errors import InvalidInput

SEED = typer.Option(metavar="N", help="Root of the random numbers.")
Level = Annotated[float, typer.Option(metavar="LEVEL", help="Coverage of the intervals.")]
Power = Annotated[float, typer.Option(metavar="P", help="Chance of finding a difference that plans are for.")]
Seed = Annotated[int, SEED]
SeedOrNone = Annotated[int | None, SEED]

MODEL = only("random", "covariate", "method", "residual_by")
"""The options of `Fit` for commands that have intervals of their own."""


@dataclass(frozen=True, kw_only=True)
class Fit(Group):
    """How variance components are estimated."""

    random: Annotated[
        list[str] | None,
        For("scores"),
        typer.Option(
            metavar="TERM", help="A random term, such as item:judge; repeat for each. Default: all up to two-way."
        ),
    ] = None
    covariate: Annotated[
        list[str] | None,
        For("scores"),
        typer.Option(metavar="FACET", help="A facet that shifts the mean, such as answer order; repeat for each."),
    ] = None
    method: Annotated[
        Literal["reml", "ml", "anova"], For("scores"), typer.Option(help="How components are estimated.")
    ] = "reml"
    residual_by: Annotated[
        str | None,
        For("scores"),
        typer.Option(metavar="FACET", help="Fixed facet whose levels each have their own noise."),
    ] = None
    interval: Annotated[
        Literal["normal", "robust"] | None,
        For("scores"),
        typer.Option(
            help="What intervals of components take effects to be. Default: robust where their tails are long."
        ),
    ] = None
    level: Level = 0.95

    def model(self) -> dict[str, Any]:
        """As `quorate.decompose` takes them."""
        return {
            "random": self.random or None,
            "covariates": self.covariate or (),
            "method": self.method,
            "residual_by": self.residual_by,
        }

    def chosen(self) -> dict[str, Any]:
        """Those of the model that are given, as `quorate.rank` and `quorate.compare` take them."""
        given = {name: value for name, value in self.given().items() if name in MODEL.names}
        return {"covariates" if name == "covariate" else name: value for name, value in given.items()}

    def arguments(self) -> dict[str, Any]:
        """As `quorate.analyze` takes them."""
        return {**self.model(), "interval": self.interval, "level": self.level}


@dataclass(frozen=True, kw_only=True)
class Linked(Group):
    """The scale of the effects."""

    link: Annotated[
        Literal["identity", "logit", "ordinal"],
        For("scores"),
        typer.Option(
            help="Plan from log odds of scores of two values (logit) or of a few marks (ordinal), and for the mean of "
            "such a model; identity: from scores as numbers."
        ),
    ] = "identity"


def refuse_of_labels(fit: Fit, *others: Group) -> None:
    """Refuse what goes with scores where answers are labels.

    Raises
    ------
    InvalidInput
        If an option of another group is given, or the law of intervals of components.
    """
    for group in (*others, fit):
        for name in (name for name in group.given() if group is not fit or name == "interval"):
            raise InvalidInput(f"{spelled(type(group), name)}: is for scores, and these are labels; leave it out")
