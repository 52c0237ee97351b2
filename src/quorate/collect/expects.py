"""Expected answers: a score in a range, or one of some verdicts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from quorate.errors import InvalidInput


@dataclass(frozen=True)
class Expects:
    """The answer that counts: a number from ``low`` to ``high``, or one of the ``labels``.

    Parameters
    ----------
    low, high : float
        Ends of the scale.
    integer : bool
        Whether only whole numbers are on the scale.
    labels : mapping of str to float
        Verdicts in words and the score of each, such as ``{"A": 1, "tie": 0.5, "B": 0}``. Where there are any, a
        number is no answer.
    name : str
        What the answer is called in a structured reply, such as ``score``.
    swapped : bool
        Whether the candidates were shown in the opposite order, so that ``low`` and ``high`` change places.
    expected : bool
        Whether the score is the mean of the scale under the judge's token probabilities; the judge must give them.
    reasoned : bool
        Whether a structured reply holds ``reasoning`` before the answer.

    Raises
    ------
    InvalidInput
        If the scale is empty or not finite, a label's score is outside it, or an expected score is wanted on a
        continuous scale.
    """

    low: float
    high: float
    integer: bool = True
    labels: Mapping[str, float] = field(default_factory=dict)
    name: str = "score"
    swapped: bool = False
    expected: bool = False
    reasoned: bool = False

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise InvalidInput(f"scale: low must be below high, both finite, got {self.low:g} to {self.high:g}")
        for label, score in self.labels.items():
            if not self.low <= score <= self.high:
                raise InvalidInput(f'labels: "{label}" scores {score:g}, outside {self.low:g} to {self.high:g}')
        if self.expected and not self.points:
            raise InvalidInput(
                "expected: needs a scale of whole numbers or labels; a continuous one has no tokens to weigh"
            )
        object.__setattr__(self, "labels", MappingProxyType(dict(self.labels)))

    def allows(self, score: float) -> bool:
        """Whether a number is on the scale."""
        return self.low <= score <= self.high and (not self.integer or float(score).is_integer())

    def recoded(self, score: float) -> float:
        """The score in the order of the study, whatever order the candidates were shown in."""
        return self.low + self.high - score if self.swapped else score

    @property
    def points(self) -> tuple[float, ...]:
        """Scores that can be given, ascending; empty where the scale is continuous."""
        if self.labels:
            return tuple(sorted(set(self.labels.values())))
        if not self.integer:
            return ()
        return tuple(float(point) for point in range(math.ceil(self.low), math.floor(self.high) + 1))

    @property
    def schema(self) -> dict[str, Any]:
        """JSON Schema of a structured reply: one object with the answer under ``name``."""
        if self.labels:
            answer: dict[str, Any] = {"type": "string", "enum": list(self.labels)}
        elif self.integer:
            answer = {"type": "integer", "enum": [int(point) for point in self.points]}
        else:
            answer = {"type": "number", "minimum": self.low, "maximum": self.high}
        reasoning = {"reasoning": {"type": "string"}} if self.reasoned else {}
        properties = {**reasoning, self.name: answer}
        return {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }
