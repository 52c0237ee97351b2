"""Simulation-based calibration: whether posteriors of tables like this one hold the truth as often as they say."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from time import perf_counter
from typing import Literal

import numpy as np

from quorate import rules
from quorate.arrays import Ints
from quorate.estimate.components.assemble import Link
from quorate.estimate.posterior.posterior import Sampling, converged, model_of, refuse_few
from quorate.estimate.posterior.prior import Prior
from quorate.frozen import dataclass
from quorate.numerics.posterior import chains as of_chains
from quorate.numerics.posterior.chains import Uniformity, band, rank, uniformity
from quorate.streams import stream
from quorate.table.judgments import Judgments
from quorate.table.results import Result, Row
from quorate.waiting import each
from quorate.wording import counted

_FEWEST = 50
"""Least studies: five ranks are expected in every tenth."""
_UNLIKELY = 0.01
"""Chance, over all parameters, below which ranks are said not to be uniform."""


@dataclass(frozen=True, eq=False, repr=False)
class PosteriorCheck(Result):
    """Ranks of the truth among the draws of simulated studies; made by `check_posterior`.

    Parameters
    ----------
    ranks : mapping of str to array of int, shape (studies,)
        How many of 99 draws lie below the truth, by parameter.
    link : {"identity", "logit", "ordinal"}
        What the model is of.
    unconverged : int
        Studies whose chains were too short for the rule of `posterior`; they count all the same.
    draws, chains : int
        Draws of each chain, and chains, of every study.
    seconds : float
        Time of all studies.
    seed : int
        Root of the random numbers.
    """

    ranks: Mapping[str, Ints] = field(repr=False)
    link: Literal["identity"] | Link
    unconverged: int
    draws: int
    chains: int
    seconds: float
    seed: int

    derived = ("sentence", "studies", "p")

    @property
    def studies(self) -> int:
        """Simulated studies."""
        return len(next(iter(self.ranks.values())))

    @cached_property
    def uniformity(self) -> Mapping[str, Uniformity]:
        """Counts of ranks in tenths, and their p-value, by parameter."""
        return {name: uniformity(ranks) for name, ranks in self.ranks.items()}

    @property
    def worst(self) -> str:
        """The parameter with the least p-value."""
        return min(self.uniformity, key=lambda name: self.uniformity[name].p)

    @property
    def p(self) -> float:
        """The least p-value times the number of parameters (Bonferroni), at most 1."""
        return min(1.0, self.uniformity[self.worst].p * len(self.ranks))

    @property
    def band(self) -> tuple[int, int]:
        """Counts between which all tenths of a parameter lie with a chance of 95%, if its ranks are uniform."""
        return band(self.studies)

    @property
    def sentence(self) -> str:
        """Whether ranks are uniform, and where they are least so."""
        least = f"The least p-value is {self.uniformity[self.worst].p:.3f} ({self.worst}), {self.p:.2g} by Bonferroni"
        of = f"ranks of the truth among the draws of {counted(self.studies, 'simulated study')}"
        if self.p < _UNLIKELY:
            return f"Posteriors of such tables are not to be relied on: {of} are not uniform. {least}."
        return f"Nothing speaks against posteriors of such tables: {of} are as even as chance leaves them. {least}."

    def rows(self) -> list[Row]:
        """One row a parameter: parameter, p, and the ranks in every tenth."""
        return [
            {"parameter": name, "p": one.p} | {f"tenth_{at + 1}": count for at, count in enumerate(one.counts)}
            for name, one in self.uniformity.items()
        ]


def check_posterior(
    judgments: Judgments,
    *,
    studies: int = 200,
    random: Sequence[str] | None = None,
    covariates: Sequence[str] = (),
    residual_by: str | None = None,
    link: Literal["identity"] | Link = "identity",
    prior: Prior | None = None,
    draws: int = 250,
    warmup: int = 100,
    chains: int = 4,
    seed: int = 0,
    on_quote: Callable[[float], None] | None = None,
) -> PosteriorCheck:
    """Whether `posterior` is right for tables like this one, by simulation-based calibration.

    The prior draws parameters, these make scores for the cells of the table, and their posterior is sampled. If model
    and sampler are right, the truth is as likely to lie in any tenth of the draws: its ranks are uniform. The scores of
    the table are not used, but for the scale of default priors.

    Parameters
    ----------
    judgments : Judgments
        From `quorate.read`: its cells, and answers in each, are those of every study.
    studies : int
        Simulated studies, at least 50.
    random, covariates, residual_by, link, prior
        As for `posterior`.
    draws, warmup : int
        Iterations of every chain, kept and to tune the sampler; 99 draws are ranked, so that few will do.
    chains : int
        Chains of every study.
    seed : int
        Root of the random numbers.
    on_quote : callable, optional
        Is told, after the second study, how many seconds all will take; what it raises ends the run. By default a line
        on standard error.

    Returns
    -------
    PosteriorCheck

    Raises
    ------
    InvalidInput
        As for `posterior`.

    References
    ----------
    Talts, Betancourt, Simpson, Vehtari and Gelman (2018), Validating Bayesian inference algorithms with
    simulation-based calibration, arXiv:1804.06788, Algorithm 1 and section 4.1.

    Examples
    --------
    >>> import quorate as q
    >>> q.scores.check_posterior(q.read("pilot.csv"), link="logit")  # doctest: +SKIP
    """
    rules.whole("studies", studies, _FEWEST)
    refuse_few(draws, warmup, chains)
    rng = stream(seed, "posterior/check")
    model = model_of(judgments, random, covariates, residual_by, link, prior)
    of_chains.require()
    ranks, unconverged = dict[str, list[int]](), 0
    began = perf_counter()
    for number in each("simulated studies", range(studies)):
        before = perf_counter()
        truth, study = model.redrawn(rng)
        found = study.sampled(Sampling(draws, warmup, chains, int(rng.integers(2**31)), lambda _: None))  # of all
        unconverged += not converged(found.checks)
        for name, values in found.parameters.items():
            ranks.setdefault(name, []).append(rank(truth[name], values))
        if number == 1:  # the first compiles
            taken = perf_counter()
            (_say if on_quote is None else on_quote)(taken - began + (studies - 2) * (taken - before))
    every = {name: np.array(values) for name, values in ranks.items()}
    return PosteriorCheck(every, link, unconverged, draws, chains, perf_counter() - began, seed)


def _say(seconds: float) -> None:
    sys.stderr.write(f"quorate: checking takes about {seconds:,.0f} s\n")
