"""`quorate regress --sign-flip`: how likely it is that errors of labels turn the sign of a coefficient."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from quorate.cli.options import Files, Group, Output, command

if TYPE_CHECKING:
    pass


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
    from quorate.estimate.regression.surrogate import sign_flip as found_by

    found = found_by(**coefficient.given())
    out.show(found, files)
    return 0
