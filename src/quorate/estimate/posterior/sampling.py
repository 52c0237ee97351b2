"""Models that can be sampled: what every one of them does, and what shows that its draws can be relied on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from numbers import Integral
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from quorate.arguments import argument
from quorate.arrays import Floats
from quorate.errors import InvalidInput, NotConverged
from quorate.estimate.posterior.result import Convergence
from quorate.numerics.posterior.convergence import bulk_ess, r_hat

if TYPE_CHECKING:
    from quorate.estimate.posterior.prior import Law
    from quorate.estimate.posterior.result import DrawnComponents
    from quorate.numerics.posterior.nuts import Sampled

MOST_R_HAT, LEAST_ESS = 1.01, 400
"""What chains must reach: Vehtari et al. (2021), section 4."""
_MOST_NUMBERS = 2e7
"""Numbers in one array of the likelihood; the sampler holds some ten of that size."""


class Sampling(NamedTuple):
    """How a posterior is sampled.

    Parameters
    ----------
    draws, warmup : int
        Iterations of every chain: kept, and before them to tune the sampler.
    chains : int
        Chains.
    seed : int
        Root of the random numbers.
    on_quote : callable
        Is told how many seconds the run will take.
    """

    draws: int
    warmup: int
    chains: int
    seed: int
    on_quote: Callable[[float], None]


class Model(Protocol):
    """A model with its prior and its data."""

    @property
    def prior(self) -> Sequence[Law]:
        """Priors of the standard deviations."""

    def sampled(self, how: Sampling) -> DrawnComponents:
        """Its posterior, whether or not the chains agree."""

    def redrawn(self, rng: np.random.Generator) -> tuple[Mapping[str, float], Model]:
        """Parameters that the prior drew, and the model with data that they made."""


def refuse_few(draws: int, warmup: int, chains: int) -> None:
    """Refuse fewer iterations or chains than anything can be read from."""
    counts = {"draws": (draws, 100), "warmup": (warmup, 100), "chains": (chains, 2)}
    for name, (count, least) in counts.items():
        if isinstance(count, bool) or not isinstance(count, Integral) or count < least:
            raise InvalidInput(f"{name}: a whole number of at least {least} is needed, got {count!r}")


def refuse_large(numbers: float) -> None:
    """Refuse tables that would take more memory than a computer may have."""
    if numbers > _MOST_NUMBERS:
        raise InvalidInput(
            f"judgments: the sampler would hold arrays of {numbers:,.0f} numbers, more than {_MOST_NUMBERS:,.0f}; use "
            "quorate.decompose, which needs none of them and has as much to say of a table of this size"
        )


def checks(sampled: Sampled, by_name: Mapping[str, Floats]) -> Convergence:
    """Convergence of numbers by name, shape (chains, draws) each."""
    chains, draws = sampled.positions.shape[:2]
    return Convergence(
        r_hat={name: r_hat(values) for name, values in by_name.items()},
        ess={name: bulk_ess(values) for name, values in by_name.items()},
        divergences=sampled.divergences,
        chains=chains,
        draws=draws,
        quoted=sampled.quoted,
        seconds=sampled.seconds,
    )


def converged(found: Convergence) -> bool:
    """Whether chains agree and hold enough independent draws; a value that is not a number counts as bad."""
    apart = any(not value <= MOST_R_HAT for value in found.r_hat.values())
    return not apart and all(value >= LEAST_ESS for value in found.ess.values())


def refuse_unconverged(found: DrawnComponents, draws: int, warmup: int) -> None:
    """Refuse chains that do not agree or hold too few independent draws, with what to ask for."""
    if converged(found.checks):
        return
    apart = {name: value for name, value in found.checks.r_hat.items() if not value <= MOST_R_HAT}
    few = {name: value for name, value in found.checks.ess.items() if not value >= LEAST_ESS}
    said = [f"R-hat {value:.3f} of {name}, at most {MOST_R_HAT} is needed" for name, value in apart.items()]
    said += [f"{value:.0f} effective draws of {name}, at least {LEAST_ESS} are needed" for name, value in few.items()]
    known = [value for value in few.values() if value > 0]
    more = int(np.ceil(draws * max([2.0, *(1.5 * LEAST_ESS / value for value in known)]) / 100)) * 100
    raise NotConverged(
        f"posterior: {'; '.join(said)}. Use "
        + argument("draws", more)
        + (" and " + argument("warmup", 2 * warmup) if apart else ""),
        found,
    )
