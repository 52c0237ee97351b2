"""`quorate posterior`: components and the mean as posterior distributions."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from quorate.cli.collect.quoting import Yes, confirmed
from quorate.cli.console import caveats, console, heading, read_as, say, table
from quorate.cli.options import Files, Fit, Group, Output, ScoreReading, ScoresFile, Seed, Targets, command, only
from quorate.cli.options.components_file import components_from
from quorate.errors import InvalidInput, UnknownColumn

if TYPE_CHECKING:
    from rich.console import Console

    from quorate.estimate.components.decomposition import Decomposition
    from quorate.estimate.components.published import Components
    from quorate.estimate.posterior.result import Posterior

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
    draws: Annotated[int, typer.Option(metavar="N", help="Draws of each chain that are kept.")] = 1000
    warmup: Annotated[int, typer.Option(metavar="N", help="Draws of each chain that tune the sampler.")] = 200
    chains: Annotated[int, typer.Option(metavar="N", help="Chains.")] = 4
    seed: Seed = 0

    def earlier(self, reading: ScoreReading, fit: Fit) -> Components | Decomposition | None:
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
        return decompose(
            judgments, random=fit.random or None, covariates=fit.covariate or (), residual_by=fit.residual_by
        )


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
    from quorate.estimate.posterior.posterior import posterior as sampled

    earlier = sampling.earlier(reading, fit)
    judgments = reading.judgments(file)
    found = sampled(
        judgments,
        random=fit.random or None,
        covariates=fit.covariate or (),
        residual_by=fit.residual_by,
        prior=earlier,
        targets=targets.asked(),
        draws=sampling.draws,
        warmup=sampling.warmup,
        chains=sampling.chains,
        seed=sampling.seed,
        on_quote=asks(yes),
    )
    out.show(found, show)
    if not out.as_json:
        read_as(console(), judgments.notes)
    files.write(found, judgments, out, seed=sampling.seed)
    return 0


def asks(yes: bool) -> Callable[[float], None]:
    """Says how long sampling takes, and asks where that is long."""

    def quoted(seconds: float) -> None:
        sys.stderr.write(f"Sampling takes about {seconds:,.0f} s.\n")
        if seconds > LONG and not yes and not confirmed():
            raise typer.Exit(DECLINED)

    return quoted


def show(out: Console, found: Posterior) -> None:
    """Print the mean, components with their intervals, what other priors would change, and the checks."""
    from quorate.analysis.words import significant
    from quorate.wording import whole_percent

    say(out, found.sentence, style="bold")
    heading(out, "Where the variance of one judgment comes from")
    rows = [
        (
            one.name,
            significant(one.variance),
            f"{significant(one.low)} to {significant(one.high)}",
            whole_percent(one.share),
            law,
        )
        for one, law in zip(found.components, [*map(str, found.prior), *[""] * len(found.components)], strict=False)
    ]
    sides = {"component": "left", "variance": "right", "95% interval": "left", "share": "right"}
    table(out, sides | {"prior of its sd": "left"}, rows)
    heading(out, "Other priors")
    say(out, f"  {found.sensitivity.sentence}")
    heading(out, "Sampling")
    say(out, f"  {found.checks.sentence}")
    caveats(out, (one.sentence for one in found.caveats))
