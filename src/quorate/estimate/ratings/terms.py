"""Terms of a rating model beside the ratings: ties, position, covariates, slopes of judges."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import replace

import numpy as np

from quorate.arrays import Floats
from quorate.estimate.ratings.contrast import Contrast, expit
from quorate.numerics.ratings.ties.model import TieModel
from quorate.numerics.ratings.ties.registry import Ties, tie_model


class Terms:
    """What a fitted model has beside its ratings; parameters stand in the order of `numerics.ratings.bradley_terry`."""

    systems: tuple[str, ...]
    values: Floats
    ties: Ties
    tied: bool
    positioned: bool
    scale: float
    covariates: tuple[str, ...]
    judges: tuple[str, ...]
    own_ties: bool
    rankings: str | None

    @property
    def nu(self) -> float:
        """Odds of a tie between equals against a win of one of them; nan where ties are not modelled."""
        if not tie_model(self.ties).modelled:
            return math.nan
        return 0.0 if self.log_nu is None else math.exp(self.log_nu.value)

    @property
    def log_nu(self) -> Contrast | None:
        """Log of `nu` with its uncertainty; None where there is none to estimate."""
        if not self.tied:
            return None
        at = self._contrast("log nu", len(self.values) - 1, unit=True)
        value, slope = (float(x) for x in self.model.log_nu(np.array(at.value)))
        moved = None if at.deviations is None else self.model.log_nu(at.value + at.deviations)[0] - value
        return replace(at, value=value, se=at.se * slope, deviations=moved)

    def share(self, gap: float) -> float:
        """Part of the votes that decide that the first wins, whose gap this is."""
        won, lost, _ = self.model.log_chances(np.array(gap), self.values[-1]).tolist()
        return expit(won - lost)

    @property
    def unit(self) -> str:
        """What ratings are counted in."""
        return self.model.unit if self.scale == 1 else "Elo points"

    @property
    def position(self) -> Contrast | None:
        """Log odds by which being shown first helps; None without a position effect."""
        return self._contrast("position", len(self.systems), unit=True) if self.positioned else None

    @property
    def coefficients(self) -> dict[str, Contrast]:
        """Log odds by which having more of each covariate helps, for a difference of its root mean square."""
        start = len(self.systems) + self.positioned
        return {name: self._contrast(name, start + i, unit=True) for i, name in enumerate(self.covariates)}

    @property
    def slopes(self) -> dict[str, Contrast]:
        """How sharply each judge tells systems apart: 1 on average, 0 of one who votes at random."""
        start = len(self.systems) + self.positioned + len(self.covariates)
        above = {name: self._contrast(name, start + i, unit=True) for i, name in enumerate(self.judges)}
        return {name: replace(one, value=1 + one.value) for name, one in above.items()}

    @property
    def tie_rates(self) -> dict[str, Contrast]:
        """How readily each system ties, in the parameter of ties about the mean of all systems."""
        start = len(self.values) - self.tied - len(self.systems) * self.own_ties
        names = self.systems if self.own_ties else ()
        return {name: self._contrast(name, start + i, unit=True) for i, name in enumerate(names)}

    @property
    def model(self) -> TieModel:
        """The model of votes: with ties as chosen, or of votes without any."""
        model = tie_model(self.ties)
        return model if self.tied or not model.modelled else model.untied or tie_model("half")

    @property
    def counted_by(self) -> str:
        """What the ratings are by: a vote or a ranking."""
        return "vote" if self.rankings is None else "ranking"

    @property
    def law(self) -> str:
        """Whose model it is."""
        return self.model.law if self.rankings is None else "Plackett (1975) and Luce (1959)"

    @property
    def tie_law(self) -> str:
        """What it makes of ties, in words."""
        if self.rankings is None:
            return tie_model(self.ties).words
        shared = "systems that share a place chosen together (Firth, Kosmidis and Turner, 2019)"
        return shared if self.tied else "no two systems sharing a place"

    @abstractmethod
    def _contrast(self, name: str, plus: int, minus: int | None = None, *, unit: bool = False) -> Contrast:
        """A parameter, or a difference of two; in the unit of the model if ``unit``."""
