"""`quorate regress --sign-flip`: how likely it is that errors of labels turn the sign of a coefficient."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from quorate.cli.console import say, table
from quorate.cli.options import Files, Group, Output, command

if TYPE_CHECKING:
    from rich.console import Console

    from quorate.estimate.regression.sign_flip import SignFlip


@dataclass(frozen=True, kw_only=True)
class Coefficient(Group):
    """A coefficient of a regression on labels of a pipeline."""

    beta: Annotated[float, typer.Option(metavar="B", help="Coefficient.")]
    se: Annotated[float, typer.Option(metavar="SE", help="Its standard error.")]
    ratio: Annotated[
        float,
        typer.Option(
            metavar="SHARE", help="Share of the outcome's variance, given the regressors, that is error of labels."
        ),
    ] = 1.0
    df: Annotated[
        float | None, typer.Option(metavar="N", help="Degrees of freedom of the standard error. Default: no end.")
    ] = None


@command
def sign_flip(coefficient: Coefficient, files: Files, out: Output) -> int:
    """How likely it is that errors of labels turn the sign of a coefficient.

    Of noise alone, of which quorate regress --surrogate says how much there is. That a judge likes long answers is no
    noise: labels by people tell, with quorate regress.
    """
    from quorate.estimate.regression.sign_flip import sign_flip as found_by

    found = found_by(**coefficient.given())
    out.typeset(found, show)
    files.write(found, None, out)
    return 0


def show(out: Console, found: SignFlip) -> None:
    """Print both chances."""
    from quorate.analysis.words import significant
    from quorate.wording import percent

    say(out, found.sentence, style="bold")
    out.print()
    rows = [
        ("without error of labels", significant(found.noise), percent(found.differs)),
        ("in another run", significant(found.noise * 2**0.5), percent(found.again)),
    ]
    table(out, {"sign": "left", "standard deviation": "right", "other sign": "right"}, rows)
