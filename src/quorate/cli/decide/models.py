"""`quorate rank --models`: models of votes side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from quorate.cli.options import Files, Group, Output, Seed, VoteReading, VotesFile, command
from quorate.cli.options.systems import Clustering, clusters_of

if TYPE_CHECKING:
    pass


@dataclass(frozen=True, kw_only=True)
class Tried(Group):
    """What is tried, and on what."""

    covariate: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="What the two of a vote differ in, such as length: a column of differences, or two named NAME_a and "
            "NAME_b; repeat for each.",
        ),
    ] = None
    cluster: Clustering = None
    folds: Annotated[
        int, typer.Option(metavar="K", min=2, max=100, help="Parts of the clusters that are held out in turn.")
    ] = 5


@command
def models(file: VotesFile, tried: Tried, reading: VoteReading, files: Files, out: Output, seed: Seed = 1) -> int:
    """Which model of votes fits, and predicts others.

    Davidson's, Rao and Kupper's and Thurstone's; with ties of every system, the order, slopes of judges, covariates;
    whole rankings: AIC, and log loss on clusters that were held out. quorate rank takes the options of the one you
    choose.
    """
    from quorate.estimate.ratings.models import models as side_by_side

    votes = reading.votes(file, covariates=tried.covariate or ())
    cluster = clusters_of(tried.cluster, votes)
    found = side_by_side(votes, covariates=tried.covariate or (), cluster=cluster, folds=tried.folds, seed=seed)
    out.show(found, files, votes)
    return 0
