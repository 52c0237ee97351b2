"""Expected score: the mean of the scale under the probabilities that the judge gave its answer's token."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

from quorate.collect.judge import Expects
from quorate.collect.parse.score_forms import Hit

_AROUND = " \t\n\"'[](){}.,"
COVERAGE = 0.8
"""Least probability that must lie on tokens that are points of the scale."""


def expected_score(tokens: Sequence[Any] | None, text: str, found: Hit, expects: Expects) -> float | None:
    """Mean of the scale at the token where the answer starts; None where the tokens do not say.

    A token that may be the first half of another point, such as ``1`` of ``10``, counts only where that other point is
    a token of its own. Points that are not among the alternatives have no weight; the rest is scaled to one, and must
    have been at least `COVERAGE` before.
    """
    token = _token_at(tokens, text, found.at)
    if token is None:
        return None
    likely = _alternatives(token)
    labels = {label.casefold(): score for label, score in expects.labels.items()}
    spelled = labels or {f"{point:g}": point for point in expects.points}
    weights: dict[float, float] = {}
    for written, probability in likely.items():
        begun = {point: score for point, score in spelled.items() if point.startswith(written)}
        one_point = len(set(begun.values())) == 1
        if one_point or (written in begun and all(point in likely for point in begun)):
            score = next(iter(begun.values())) if one_point else begun[written]
            weights[score] = weights.get(score, 0.0) + probability
    total = math.fsum(weights.values())
    if not COVERAGE <= total <= 1 + 1e-6:
        return None
    return math.fsum(score * weight for score, weight in weights.items()) / total


def _token_at(tokens: Sequence[Any] | None, text: str, at: int) -> Mapping[str, Any] | None:
    """The token in which the answer starts; None where the tokens do not spell the reply."""
    if not isinstance(tokens, (list, tuple)):
        return None
    end = 0
    for token in tokens:
        if not isinstance(token, Mapping) or not isinstance(token.get("token"), str):
            return None
        if not text.startswith(token["token"], end):
            return None
        end += len(token["token"])
        if at < end:
            return token
    return None


def _alternatives(token: Mapping[str, Any]) -> dict[str, float]:
    """Probability of what could have been written here, without the space around it."""
    listed = token.get("top_logprobs")
    spellings: dict[str, dict[str, float]] = {}
    for other in (*(listed if isinstance(listed, (list, tuple)) else ()), token):
        if not isinstance(other, Mapping) or not isinstance(other.get("token"), str):
            continue
        logprob = other.get("logprob")
        if not isinstance(logprob, bool) and isinstance(logprob, Real) and logprob <= 1e-6:
            written = other["token"].strip(_AROUND).casefold()
            spellings.setdefault(written, {})[other["token"]] = math.exp(logprob)
    return {written: math.fsum(raw.values()) for written, raw in spellings.items() if written}
