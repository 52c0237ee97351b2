"""`quorate analyze --posterior`: components and the mean as posterior distributions."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quorate.cli.collect.quoting import Yes, confirmed
from quorate.cli.options import Declared, Files, Group, Output, ScoreReading, ScoresFile, command, of
from quorate.cli.options.designs import components_from
from quorate.errors import InvalidInput, UnknownColumn

if TYPE_CHECKING:
    from quorate.estimate.posterior.prior import Prior

LONG = 60
"""Seconds of sampling that nobody is asked about."""
DECLINED = 2


OWN = of("quorate.estimate.posterior.posterior:posterior")


@dataclass(frozen=True, kw_only=True)
class Known(Group):
    """What is known before, and whether the sampler is tried instead."""

    prior: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="An earlier study: its judgments, read alike, or components as JSON. Default: priors that say little.",
        ),
    ] = None
    check: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Instead, simulate N studies of these cells from the priors: does the posterior hold the truth as "
            "often as it says?",
        ),
    ] = None

    def earlier(self, reading: ScoreReading, own: Declared) -> Prior | None:
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
        model = ("random", "covariates", "residual_by", "link")
        found: Prior = decompose(judgments, **{name: one for name, one in own.arguments().items() if name in model})
        return found


@command
def posterior(
    file: ScoresFile,
    own: Annotated[Declared, OWN],
    known: Known,
    yes: Yes = False,
    *,
    reading: ScoreReading,
    files: Files,
    out: Output,
) -> int:
    """Components and the mean as posterior distributions.

    With what an earlier study found as prior, if there is one. For studies of few prompts or judges, and components
    that are estimated at zero. Says how long it takes before it goes on. Needs pip install 'quorate[bayes]'.
    """
    from quorate.estimate.posterior.check import check_posterior

    prior = known.earlier(reading, own)
    judgments = reading.judgments(file)
    if known.check is None:
        found: Any = own(judgments, prior=prior, on_quote=asks(yes))
    elif "targets" in own.given():
        raise InvalidInput("--target: a check is of the mean of default targets; leave it out")
    else:
        found = check_posterior(judgments, studies=known.check, prior=prior, on_quote=asks(yes), **own.arguments())
    out.show(found, files, judgments, seed=own.value("seed"))
    return 0


def asks(yes: bool) -> Callable[[float], None]:
    """Says how long sampling takes, and asks where that is long."""

    def quoted(seconds: float) -> None:
        sys.stderr.write(f"Sampling takes about {seconds:,.0f} s.\n")
        if seconds > LONG and not yes and not confirmed():
            raise typer.Exit(DECLINED)

    return quoted
