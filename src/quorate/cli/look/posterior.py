"""`quorate analyze --posterior`: components and the mean as posterior distributions."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from quorate.cli.collect.quoting import Yes, confirmed
from quorate.cli.options import Files, Fit, Group, Output, ScoreReading, ScoresFile, Seed, Targets, command, only
from quorate.cli.options.designs import components_from
from quorate.errors import InvalidInput, UnknownColumn

if TYPE_CHECKING:
    from quorate.estimate.posterior.prior import Prior

LONG = 60
"""Seconds of sampling that nobody is asked about."""
DECLINED = 2


@dataclass(frozen=True, kw_only=True)
class Sampling(Group):
    """What is known before, and how long is sampled."""

    prior: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="An earlier study: its judgments, read alike, or components as JSON. Default: priors that say little.",
        ),
    ] = None
    draws: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Draws of each chain that are kept. Default: 1000, of log odds 2000; to check 250."
        ),
    ] = None
    warmup: Annotated[
        int | None,
        typer.Option(metavar="N", help="Draws of each chain to tune it. Default: 200, of log odds 400; to check 100."),
    ] = None
    chains: Annotated[int, typer.Option(metavar="N", help="Chains.")] = 4
    seed: Seed = 0
    link: Annotated[
        Literal["identity", "logit", "ordinal"],
        typer.Option(help="Components of scores as numbers, or of log odds: of two values, of a few ordered marks."),
    ] = "identity"
    check: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Instead, simulate N studies of these cells from the priors: does the posterior hold the truth as "
            "often as it says?",
        ),
    ] = None

    def earlier(self, reading: ScoreReading, model: dict[str, Any]) -> Prior | None:
        """The components of the earlier study."""
        from quorate.estimate.components.decompose import decompose

        if self.prior is None:
            return None
        if self.prior.suffix.lower() == ".json":
            return components_from(self.prior)
        try:
            judgments = reading.alike().judgments(self.prior)
        except UnknownColumn as error:
            raise InvalidInput(f"--prior: {self.prior} is read as the scores are, and {error}") from None
        options = model if self.link == "identity" else {**model, "link": self.link}
        found: Prior = decompose(judgments, **options)
        return found


@command
def posterior(
    file: ScoresFile,
    sampling: Sampling,
    yes: Yes = False,
    *,
    targets: Targets,
    fit: Annotated[Fit, only("random", "covariate", "residual_by")],
    reading: ScoreReading,
    files: Files,
    out: Output,
) -> int:
    """Components and the mean as posterior distributions.

    With what an earlier study found as prior, if there is one. For studies of few prompts or judges, and components
    that are estimated at zero. Says how long it takes before it goes on. Needs pip install 'quorate[bayes]'.
    """
    from quorate.estimate.posterior.check import check_posterior
    from quorate.estimate.posterior.posterior import posterior as sampled

    model: dict[str, Any] = {"random": fit.random or None, "covariates": fit.covariate or ()}
    if fit.residual_by is not None:
        model["residual_by"] = fit.residual_by
    options = {**model, **sampling.given(), "prior": sampling.earlier(reading, model)}
    studies = options.pop("check", None)
    judgments, asked = reading.judgments(file), targets.asked()
    found: Any
    if studies is None:
        found = sampled(judgments, **options, targets=asked, on_quote=asks(yes))
    elif asked:
        raise InvalidInput("--target: a check is of the mean of default targets; leave it out")
    else:
        found = check_posterior(judgments, studies=studies, **options, on_quote=asks(yes))
    out.show(found, files, judgments, seed=sampling.seed)
    return 0


def asks(yes: bool) -> Callable[[float], None]:
    """Says how long sampling takes, and asks where that is long."""

    def quoted(seconds: float) -> None:
        sys.stderr.write(f"Sampling takes about {seconds:,.0f} s.\n")
        if seconds > LONG and not yes and not confirmed():
            raise typer.Exit(DECLINED)

    return quoted
